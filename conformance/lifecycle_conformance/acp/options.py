"""Owns what a user may decide about judging an ACP agent, limits included; refuses addresses off this machine."""

from __future__ import annotations

import fnmatch
import ipaddress
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import msgspec

from lifecycle_conformance.acp.errors import UsageError


class Limits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How long we wait, in seconds. A finding that rests on one of these names it.

    The defaults are far above what agents that keep the rule were seen to need: they cancelled within
    2.1 s on a busy machine and exited within 4.1 s; those that did not were still there after 60 s.
    `quiet` and `calm` are no limits on the agent: how long we listen after its answer for what should not
    come, and how long we leave it alone after a turn that did not end by itself before we prompt again.
    """

    start: float = 60.0
    new: float = 60.0
    model: float = 30.0
    tool: float = 30.0
    answer: float = 30.0
    cancel: float = 10.0
    cancel_slow: float = 2.0
    exit: float = 15.0
    terminate: float = 15.0
    leftovers: float = 3.0
    quiet: float = 0.2
    calm: float = 1.0


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that is not the agent's command.

    `env` and `files` may name `$MODEL` (our model's address without a path), `$HOME` and `$CWD`; a file's
    path is relative to HOME unless it starts with `$CWD`. `prepare` commands run once in each fresh HOME.
    `daemons` are patterns for command lines of processes that may outlive the agent. `runs` are patterns
    of run names (`streaming/*`), `checks` of check ids. `confirm` is how many fresh processes must show a
    violation before it is reported.
    """

    limits: Limits = Limits()
    model: Literal["loopback", "builtin"] = "loopback"
    allow_network: bool = False
    env: dict[str, str] = {}
    files: dict[str, str] = {}
    prepare: tuple[tuple[str, ...], ...] = ()
    authenticate: str | None = None
    mode: str | None = None
    daemons: tuple[str, ...] = ()
    depth: Literal["quick", "thorough"] = "quick"
    runs: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    confirm: int = 2
    jobs: int = 1
    source: str | None = None

    def wants_run(self, name: str) -> bool:
        """Tell whether a run was asked for."""
        return not self.runs or any(fnmatch.fnmatchcase(name, p) for p in self.runs)

    def wants_check(self, check: str) -> bool:
        """Tell whether a check was asked for."""
        return not self.checks or any(fnmatch.fnmatchcase(check, p) for p in self.checks)

    def validate(self) -> None:
        """Raise UsageError for a value we refuse: an address beyond loopback, a limit that is no time."""
        for name, value in self.env.items():
            self.refuse_outside(f"environment variable {name}", value)
        for name, text in self.files.items():
            self.refuse_outside(f"the file {name}", _SCHEMA.sub("", text))
        for words in self.prepare:
            self.refuse_outside(f"the preparation `{words[0]}`", " ".join(words))
        for name, limit in msgspec.structs.asdict(self.limits).items():
            if not 0 < limit <= 3600:
                raise UsageError(f"the limit {name} is {limit} s; give more than 0 and at most 3600")
        if self.confirm < 1 or self.jobs < 1:
            raise UsageError("confirm and jobs count fresh processes: give at least 1")

    def refuse_outside(self, where: str, text: str) -> None:
        """Raise UsageError if a text holds an address beyond this machine and the network was not allowed."""
        for address in _ADDRESS.findall(text):
            host = _host(address)
            if not self.allow_network and not is_loopback(host):
                raise UsageError(
                    f"{where} points at {host}, which is not on this machine; leave it out to use our own"
                    " model on a loopback port, or set allow_network to let the agent reach it"
                )


_ADDRESS = re.compile(r"""\b(?:https?|wss?)://[^\s"'`<>,;]+""", re.I)
# names the form of a file; nobody connects to it to ask a model
_SCHEMA = re.compile(r"""["']?\$schema["']?\s*[:=]\s*["'][^"']*["']""")


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:
        return address


def is_loopback(host: str | None) -> bool:
    """Tell whether a host names this machine only; `$MODEL` is ours."""
    if host is None or host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def load_options(path: Path) -> Options:
    """Read options from a TOML file; raises UsageError naming the field that is wrong."""
    try:
        data = tomllib.loads(path.read_text())
        options = msgspec.convert({**data, "source": str(path)}, Options)
    except (OSError, tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise UsageError(f"{path}: {error}") from error
    options.validate()
    return options


def with_runs(options: Options, runs: Sequence[str], checks: Sequence[str] = ()) -> Options:
    """Return the same options for these runs and checks only."""
    return msgspec.structs.replace(options, runs=tuple(runs), checks=tuple(checks))
