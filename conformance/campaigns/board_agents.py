"""Owns the campaign that judges published ACP agents: install once, run offline, three repeats, one board.

    python conformance/campaigns/board_agents.py install     packages into the cache folder (needs the registries)
    python conformance/campaigns/board_agents.py run         every agent, three repeats, offline
    python conformance/campaigns/board_agents.py board       the board again from the stored reports
    python conformance/campaigns/board_agents.py status      is the committed board stale?

The cache is `.lifecycle/agents` unless LIFECYCLE_AGENTS names another folder. Results are written beside this file,
stamped with the hash of the sources they were made with. Each agent runs in a HOME of its own, against our loopback
model, with everything that would leave the machine refused.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import click
import msgspec

from lifecycle_conformance.acp import Options, Report, from_json, judge, load_options, to_json
from lifecycle_conformance.board import LEGEND, Board, acp_column, acp_rows, to_html, to_markdown
from lifecycle_conformance.board import to_json as board_to_json

ROOT = Path(__file__).resolve().parents[2]
CACHE = Path(os.environ.get("LIFECYCLE_AGENTS", ROOT / ".lifecycle" / "agents"))
RESULTS = Path(__file__).resolve().parent / "results" / "board_agents"
# what a result depends on; anything else may change without making it stale
JUDGE = "conformance/lifecycle_conformance/acp"
RUNTIME = "impl/lifecycle_runtime"


@dataclass(frozen=True)
class Target:
    """One agent: how it is installed, how it is started, and which file beside this one has its options."""

    key: str
    package: str
    kind: str
    start: tuple[str, ...]
    options: str | None = None
    python: str = "python3"

    @property
    def folder(self) -> Path:
        """Return where it is installed."""
        return CACHE / self.key

    def command(self) -> list[str]:
        """Return the words that start it."""
        first = {
            "npm": self.folder / "node_modules" / ".bin" / self.start[0],
            "pip": self.folder / "bin" / self.start[0],
        }.get(self.kind, Path(sys.executable))
        return [str(first), *self.start[1:]]


OURS = ("python", "-m", "lifecycle_runtime.acp_server")
FAST = ("fast-agent-acp", "--model", "slow", "-x")
TARGETS = (
    Target("lifecycle", "lifecycle-spec (this repository)", "ours", OURS, "lifecycle"),
    Target("claude", "npm @agentclientprotocol/claude-agent-acp@0.49.0", "npm", ("claude-agent-acp",), "claude"),
    Target("claude-old", "npm @zed-industries/claude-agent-acp@0.23.1", "npm", ("claude-agent-acp",), "claude"),
    Target("agentao", "pypi agentao[cli]==0.5.17", "pip", ("python", "-m", "agentao.acp")),
    Target("fast-slow", "pypi fast-agent-mcp==0.10.48", "pip", FAST, "builtin", "python3.13"),
)  # fmt: skip


@click.group()
def main() -> None:
    """Judge published ACP agents and draw the board."""


@main.command()
@click.option("--only", multiple=True, help="Keys of the agents to install.")
def install(only: tuple[str, ...]) -> None:
    """Install the agents into the cache folder; what is there already is kept."""
    for target in _chosen(only):
        if target.kind == "ours" or Path(target.command()[0]).exists():
            click.echo(f"{target.key}: there")
            continue
        target.folder.mkdir(parents=True, exist_ok=True)
        name = target.package.split(" ", 1)[1]
        if target.kind == "npm":
            steps = [
                ["npm", "install", "--no-audit", "--no-fund", "--save-exact", "--prefix", str(target.folder), name]
            ]
        else:
            python = shutil.which(target.python)
            if python is None:
                click.echo(f"{target.key}: needs {target.python}, which is not on PATH; left out")
                continue
            pip = [str(target.folder / "bin" / "pip"), "install", "--quiet", name]
            steps = [[python, "-m", "venv", str(target.folder)], pip]
        for step in steps:
            subprocess.run(step, check=True, timeout=1200)
        click.echo(f"{target.key}: installed {name}")


@main.command()
@click.option("--only", multiple=True, help="Keys of the agents to judge.")
@click.option("--repeats", type=int, default=3)
@click.option("--jobs", type=int, default=2)
@click.option("--profile", type=click.Choice(["quick", "thorough"]), default="quick")
def run(only: tuple[str, ...], repeats: int, jobs: int, profile: str) -> None:
    """Judge the agents that are installed, each several times, and write the reports and the board."""
    os.chdir(ROOT)  # so that the lines that repeat a run name files as they are named here
    RESULTS.mkdir(parents=True, exist_ok=True)
    for target in _chosen(only):
        if not Path(target.command()[0]).exists():
            click.echo(f"{target.key}: not installed; run `install` first")
            continue
        file = f"conformance/campaigns/agents/{target.options}.toml"
        options = load_options(Path(file)) if target.options else Options()
        depth: Literal["quick", "thorough"] = "thorough" if profile == "thorough" else "quick"
        options = msgspec.structs.replace(options, jobs=jobs, depth=depth)
        tree = tree_hash(target)
        reports: list[Report] = []
        for number in range(1, repeats + 1):
            report = judge(target.command(), options, lambda text: click.echo(f"  {text}", err=True))
            reports.append(_portable(report, target))
            click.echo(f"{target.key} {number}/{repeats}: {report.verdict} {sorted(report.keys())}")
        stored = {"tree": tree, "package": target.package, "reports": [json.loads(to_json(r)) for r in reports]}
        (RESULTS / f"{target.key}.json").write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n")
    _draw()


@main.command()
def board() -> None:
    """Draw the board again from the stored reports."""
    _draw()


@main.command()
def status() -> None:
    """Say whether the stored reports were made with the sources as they are; exits 1 where they were not."""
    stale = False
    for target in TARGETS:
        path, now = RESULTS / f"{target.key}.json", tree_hash(target)
        if not path.exists():
            click.echo(f"{target.key}: never run")
            continue
        made = json.loads(path.read_text())["tree"]
        stale |= made != now
        click.echo(f"{target.key}: {'fresh' if made == now else f'STALE (made with {made}, now {now})'}")
    sys.exit(stale)


def _chosen(only: tuple[str, ...]) -> list[Target]:
    unknown = set(only) - {t.key for t in TARGETS}
    if unknown:
        raise click.UsageError(f"no agent is called {', '.join(sorted(unknown))}; known: {[t.key for t in TARGETS]}")
    return [t for t in TARGETS if not only or t.key in only]


def _portable(report: Report, target: Target) -> Report:
    """Replace this machine's paths in a report by the name of the cache folder."""
    names = {str(CACHE): ".lifecycle/agents", sys.executable: "python", str(ROOT): "."}
    text = to_json(report).decode()
    for path, name in names.items():
        text = text.replace(path, name)
    return from_json(text.encode())


def _draw() -> None:
    columns, trees = [], set[str]()
    for target in TARGETS:
        path = RESULTS / f"{target.key}.json"
        if path.exists():
            stored = json.loads(path.read_text())
            reports = [from_json(json.dumps(r).encode()) for r in stored["reports"]]
            columns.append(acp_column(target.key, stored["package"], reports))
            trees.add(stored["tree"])
    made = Board("ACP agents, black box", " ".join(sorted(trees)), acp_rows(), tuple(columns), LEGEND)
    (RESULTS / "board.json").write_bytes(board_to_json(made))
    (RESULTS / "board.md").write_text(to_markdown(made))
    (RESULTS / "board.html").write_text(to_html(made))
    click.echo(f"board: {len(columns)} agents, in {RESULTS.relative_to(ROOT)}")


def tree_hash(target: Target) -> str:
    """Return a short hash of the committed sources a result depends on, marked where the working tree differs."""

    def git(*words: str) -> str:
        return subprocess.run(["git", *words], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()

    sources = (JUDGE, RUNTIME) if target.kind == "ours" else (JUDGE,)
    parts = [git("rev-parse", f"HEAD:{source}")[:12] for source in sources]
    changed = git("status", "--porcelain", "--", *sources)
    return "+".join(parts) + ("+changed" if changed else "")


if __name__ == "__main__":
    main()
