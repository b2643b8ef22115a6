"""The handbook is true: its worked example runs as it stands, its commands exist, its links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from ruamel.yaml import YAML

from lifecycle_conformance.cli import lifecycle as group

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "conformance" / "docs"
PAGES = [
    *sorted(DOCS.rglob("*.md")),
    ROOT / "README.md",
    ROOT / "conformance" / "README.md",
    ROOT / "conformance" / "WRITING_ADAPTERS.md",
]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.M | re.S)


def files(page: str) -> dict[str, str]:
    """The blocks of a page that name a file in their first line, by that name."""
    found = (block.split("\n", 1) for block in blocks(page, "python"))
    return {first.removeprefix("# "): rest for first, rest in found if first.startswith("# ")}


def environment() -> dict[str, str]:
    """One in which `lifecycle` and `python` are those of these tests, as in a venv that is active."""
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}


def run(folder: Path, command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        shlex.split(command), cwd=folder, env=environment(), capture_output=True, text=True, timeout=300, check=False
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder a reader has after the second section of the first page."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("my_agent.py", "my_adapter.py"):
        (folder / name).write_text(files("getting-started.md")[name], encoding="utf-8")
    return folder


def repaired(source: str, methods: str) -> str:
    """The source with each of these methods in place of the one of its name."""
    for method in re.split(r"\n\n(?=    (?:async )?def )", methods.rstrip()):
        name = re.search(r"def (\w+)", method)
        assert name is not None
        own = re.compile(rf"    (?:async )?def {name[1]}\(.*?(?=\n    (?:async )?def |\Z)", re.S)
        assert own.search(source), name[1]
        source = own.sub((method.rstrip() + "\n").replace("\\", r"\\"), source)
    return source


def act(folder: Path, system: str) -> subprocess.CompletedProcess[str]:
    """Run the check as the GitHub Action does: its script, in its shell, with its inputs."""
    action = loaded((ROOT / "action.yml").read_text())
    [step] = [one for one in action["runs"]["steps"] if one.get("id") == "check"]
    given = {name: action["inputs"][name.lower()].get("default", "") for name in step["env"]}
    files = {"GITHUB_STEP_SUMMARY": str(folder / "summary"), "GITHUB_OUTPUT": str(folder / "output")}
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**environment(), **given, **files, "SYSTEM": system},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def loaded(text: str) -> Any:
    return YAML(typ="safe").load(text)


def test_the_worked_example_runs_as_it_stands(project: Path) -> None:
    counted = re.compile(r", \d+ runs$", re.M)
    fit, told = blocks("getting-started.md", "text")
    tested = run(project, "lifecycle systems test python:my_adapter:make")
    assert (tested.returncode, tested.stdout.splitlines()[-1]) == (0, fit.strip())
    checked = act(project, "python:my_adapter:make")
    assert checked.returncode == 1, checked.stderr
    # how many runs fail for one cause is the suites' business
    assert counted.sub("", told.strip()) in counted.sub("", checked.stdout)
    assert (project / "lifecycle.html").stat().st_size <= 1_000_000
    assert (project / "lifecycle.xml").exists()
    assert (project / "output").read_text() == "exit-code=1\n"
    assert (project / "summary").read_text(encoding="utf-8").startswith("### ❌ VIOLATES: my-agent 1")
    # the last of the eight lines is pasted, and steps through it as the next page shows
    again = run(project, f"{told.strip().splitlines()[-1]} --step")
    assert again.returncode == 1
    assert blocks("reading-a-failure.md", "text")[0].rstrip() in again.stdout
    source = files("getting-started.md")
    (project / "my_agent.py").write_text(
        repaired(source["my_agent.py"], source["my_agent.py, repaired"]), encoding="utf-8"
    )
    good = run(project, "lifecycle check python:my_adapter:make")
    assert (good.returncode, good.stdout.split()[0]) == (0, "CONFORMS"), good.stdout
    (project / "conftest.py").write_text(source["conftest.py"], encoding="utf-8")
    suite = run(project, "pytest -q -p no:cacheprovider --lifecycle-profile vectors -k 'VS01 or XS01'")
    assert suite.returncode == 0, suite.stdout


def test_the_python_example_runs_as_it_stands(project: Path) -> None:
    (project / "my_agent.py").write_text(files("getting-started.md")["my_agent.py"], encoding="utf-8")
    (project / "example.py").write_text(blocks("python-api.md", "python")[0], encoding="utf-8")
    done = run(project, "python example.py")
    assert done.returncode == 0, done.stderr
    assert "VIOLATES 1" in done.stdout
    assert "sequenceDiagram" in done.stdout


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name: str) -> None:
    page = ROOT / name
    links = re.findall(r"\]\(([^)#\s]+)\)", page.read_text(encoding="utf-8"))
    gone = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert gone == []


COMMAND = re.compile(r"(?:^    |`)(lifecycle [a-z][^`\n]*)", re.M)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_exists_with_its_options(name: str) -> None:
    for text in COMMAND.findall((ROOT / name).read_text(encoding="utf-8")):
        words = shlex.split(re.split(r"\s{2,}|…", text)[0].replace("\\|", " "))
        assert unknown(words[1:]) == [], text


def unknown(words: list[str]) -> list[str]:
    """The verb, or the options, that the command line does not know."""
    context = click.Context(group)
    command: click.Command | None = group.get_command(context, words[0])
    if command is None:
        return [words[0]]
    if isinstance(command, click.Group) and len(words) > 1:
        command = command.get_command(context, words[1])
        if command is None:
            return [words[1]]
    known = {option for parameter in command.params for option in parameter.opts} | {"--help"}
    return [word for word in words if word.startswith("--") and word.split("=")[0] not in known]


def test_a_command_that_is_gone_would_be_seen() -> None:
    assert unknown(["check", "--reprot", "x"]) == ["--reprot"]
    assert unknown(["judge"]) == ["judge"]
    assert unknown(["systems", "fly"]) == ["fly"]


# CI for others ------------------------------------------------------------------------------------------------------


def judged(schema: str, file: Path) -> subprocess.CompletedProcess[str]:
    return run(file.parent, f"check-jsonschema --builtin-schema {schema} {file.name}")


def test_the_action_and_the_jobs_keep_their_schemas(tmp_path: Path) -> None:
    assert judged("vendor.github-actions", ROOT / "action.yml").returncode == 0
    workflow, hooks = (tmp_path / name for name in ("workflow.yml", "hooks.yml"))
    github, gitlab, hook = blocks("ci.md", "yaml")
    workflow.write_text(github)
    assert judged("vendor.github-workflows", workflow).returncode == 0
    (tmp_path / "gitlab.yml").write_text(gitlab)
    assert judged("vendor.gitlab-ci", tmp_path / "gitlab.yml").returncode == 0
    (tmp_path / "bad.yml").write_text(gitlab.replace("script:", "scripts:"))
    assert judged("vendor.gitlab-ci", tmp_path / "bad.yml").returncode == 1
    hooks.write_text(hook)
    [repository] = loaded(hook)["repos"]
    [known] = loaded((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert [one["id"] for one in repository["hooks"]] == [known["id"]]
    assert unknown(shlex.split(known["entry"])[1:] + repository["hooks"][0]["args"]) == []


def test_a_strangers_pull_request_gets_no_rights() -> None:
    job = loaded(blocks("ci.md", "yaml")[0])
    # YAML 1.1 reads the key `on` as a truth value, 1.2 does not
    assert set(job.get("on", job.get(True))) == {"pull_request", "push"}
    assert job["permissions"] == {"contents": "read"}
    action = loaded((ROOT / "action.yml").read_text())
    for step in action["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
    assert set(loaded(blocks("ci.md", "yaml")[0])["jobs"]["conformance"]["steps"][1]["with"]) <= set(action["inputs"])
