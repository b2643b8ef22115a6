"""Owns what an agent is started with: a HOME of its own and an environment built from nothing but what it needs."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from string import Template

from lifecycle_conformance.acp.errors import OutOfReach
from lifecycle_conformance.acp.options import Options
from lifecycle_conformance.acp.processes import RUN

# what a program needs to run at all; a user's keys, endpoints and settings are not among it
_INHERITED = ("PATH", "LANG", "LC_ALL", "TZ", "SYSTEMROOT", "LD_LIBRARY_PATH", "NODE_EXTRA_CA_CERTS")


def agent_environment(options: Options, model: str, home: Path, cwd: Path) -> dict[str, str]:
    """Build the agent's environment: our model for every wire form, our proxy for everything else."""
    env = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    env |= {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local" / "share"),
        "XDG_CACHE_HOME": str(home / ".cache"),
        "XDG_STATE_HOME": str(home / ".local" / "state"),
        "TMPDIR": str(home / "tmp"),
        "TERM": "dumb",
        "NO_COLOR": "1",
        "DO_NOT_TRACK": "1",
        RUN: str(home.parent),
    }
    if options.model == "loopback":
        env |= {
            "LIFECYCLE_MODEL_URL": model,
            "OPENAI_BASE_URL": f"{model}/v1",
            "OPENAI_API_BASE": f"{model}/v1",
            "OPENAI_API_KEY": "x",
            "OPENAI_MODEL": "fake-model",
            "ANTHROPIC_BASE_URL": model,
            "ANTHROPIC_API_KEY": "x",
        }
    if not options.allow_network:
        for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
            env[name] = env[name.lower()] = model
        env["NO_PROXY"] = env["no_proxy"] = "127.0.0.1,localhost,::1"
    names = {"MODEL": model, "HOME": str(home), "CWD": str(cwd)}
    return env | {name: Template(value).safe_substitute(names) for name, value in options.env.items()}


async def prepare_home(options: Options, env: dict[str, str], home: Path, cwd: Path) -> None:
    """Make HOME and cwd, write the files and run the commands that the options name."""
    for folder in (home / "tmp", cwd):
        folder.mkdir(parents=True, exist_ok=True)
    names = {"MODEL": env.get("ANTHROPIC_BASE_URL", ""), "HOME": str(home), "CWD": str(cwd)}
    for name, text in options.files.items():
        path = home / Template(name).safe_substitute(names)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(Template(text).safe_substitute(names))
    for command in options.prepare:
        words = [Template(word).safe_substitute(names) for word in command]
        null = asyncio.subprocess.DEVNULL
        try:
            process = await asyncio.create_subprocess_exec(
                *words, env=env, cwd=cwd, stdin=null, stdout=null, stderr=asyncio.subprocess.PIPE
            )
            _, errors = await asyncio.wait_for(process.communicate(), options.limits.start)
        except (OSError, TimeoutError) as error:
            raise OutOfReach("start", f"preparing with {words[0]} failed: {error}") from error
        if process.returncode != 0:
            last = errors.decode(errors="replace").strip().splitlines()[-1:]
            raise OutOfReach("start", f"preparing with {words[0]} exited {process.returncode}: {last}")
