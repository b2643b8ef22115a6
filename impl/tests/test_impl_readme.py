"""The examples of README, AGENT and SECURITY run, and print what the page says; its links lead somewhere."""

import asyncio
import contextlib
import io
import re
from pathlib import Path
from typing import Any

import pytest

from lifecycle_runtime import AgentProvider, AgentSpec, ProviderOptions, Runtime, provide_executor
from lifecycle_runtime.models import Reply, ScriptedModel
from lifecycle_runtime.ports import TextChunk, ToolCall
from lifecycle_runtime.session import TOOL_RESULT
from lifecycle_runtime.shell import BashSpawner
from lifecycle_runtime.values import JsonObject

HOME = Path(__file__).parent.parent


def examples(page: str) -> list[str]:
    """The Python blocks of a page, in order."""
    return re.findall(r"```python\n(.*?)```", (HOME / page).read_text(encoding="utf-8"), re.DOTALL)


def run(page: str, block: str, **given: Any) -> dict[str, Any]:
    """Run a block; give the names it made."""
    names: dict[str, Any] = {"__name__": "readme", **given}
    exec(compile(block, page, "exec"), names)
    return names


def test_the_examples_run_and_print_what_the_page_says() -> None:
    page = (HOME / "README.md").read_text(encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in examples("README.md"):
            run("README.md", block)
    lines = printed.getvalue().splitlines()
    assert len(lines) == 10
    promised = [line for said in re.findall(r"^It prints (.*)$", page, re.MULTILINE) for line in said.split("`")[1::2]]
    assert lines == promised


def test_the_first_example_starts_sends_cancels_and_disposes_in_ten_lines() -> None:
    body = examples("README.md")[0].partition("async def main() -> None:\n")[2].partition("\n\n")[0]
    assert len(body.splitlines()) <= 10
    for verb in ("agents.create", "send", "cancel", "dispose"):
        assert f"{verb}(" in body


def test_the_bridge_example_prompts_and_leaves_nothing() -> None:
    (block,) = examples("AGENT.md")
    printed, told = io.StringIO(), list[str]()

    def deliver(session_id: str, update: JsonObject) -> None:
        told.append(str(update["sessionUpdate"]))

    async def act() -> None:
        runtime = Runtime()
        AgentProvider(runtime.root, ProviderOptions(ScriptedModel([[TextChunk("Hello.")]])))
        await run("AGENT.md", block)["talk"](runtime, deliver)
        assert runtime.agents.list() == ()
        await runtime.unload()

    with contextlib.redirect_stdout(printed):
        asyncio.run(act())
    assert printed.getvalue() == "end_turn\n"
    assert told == ["agent_message_chunk"]


@pytest.mark.parametrize(("command", "gave"), [("ls -d /", "/\n"), ("rm nothing", "not run: only looking")])
def test_the_policy_example_decides_what_runs(command: str, gave: str) -> None:
    (block,) = examples("SECURITY.md")

    async def act() -> str:
        runtime = Runtime()
        provide_executor(runtime.root, BashSpawner())
        run("SECURITY.md", block, runtime=runtime)
        replies: list[Reply] = [[ToolCall("1", "bash", {"command": command})], [TextChunk("Done.")]]
        AgentProvider(runtime.root, ProviderOptions(ScriptedModel(replies)))
        agent = (await runtime.agents.create(runtime.root, AgentSpec("x"))).agent
        agent.send("go")
        await agent.when_idle()
        result = next(record for record in agent.session.records if record.type == TOOL_RESULT)
        await runtime.unload()
        return str(result.data["content"])

    assert asyncio.run(act()).startswith(gave)


@pytest.mark.parametrize("page", ["README.md", "AGENT.md", "SECURITY.md", "campaigns/README.md"])
def test_links_lead_somewhere(page: str) -> None:
    links = re.findall(r"\]\(([^)#]+)", (HOME / page).read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (HOME / page).parent.joinpath(link).exists()] == []


def test_the_readme_leads_to_every_other_page() -> None:
    readme = (HOME / "README.md").read_text(encoding="utf-8")
    for page in ("AGENT.md", "SECURITY.md", "campaigns/README.md"):
        assert f"]({page})" in readme
