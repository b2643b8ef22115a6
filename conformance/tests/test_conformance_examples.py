"""The minimal adapters that the guide tells people to copy: they work, they agree, and they are small."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from lifecycle_conformance.systems.dsh.errors import NodeMissingError
from lifecycle_conformance.systems.dsh.node import find_node
from lifecycle_conformance.systems.load import open_system
from lifecycle_model.commands import Burst, Cancel, Create, Hold, Release, Send
from lifecycle_model.wire import BurstResult

FOLDER = Path(__file__).parent.parent / "examples"


def python() -> str:
    return shlex.join([sys.executable, str(FOLDER / "minimal_adapter.py")])


def node() -> str:
    try:
        binary = find_node().binary
    except NodeMissingError as missing:
        pytest.skip(str(missing))
    return shlex.join([str(binary), str(FOLDER / "minimal_adapter.mjs")])


BURSTS: tuple[Burst, ...] = (
    (Create(id="a"), Create(id="a", as_="h2"), Create(id="b", as_="h3", sync=True)),
    (Hold(gate="model", of="a"), Send(agent="a", message="m1"), Send(agent="a", message="m2")),
    (Cancel(agent="a"), Release(gate="model", of="a"), Send(agent="a", message="m3")),
    (Send(agent="a", message="m4", wakeup=False),),
    (Hold(gate="model", of="a", sticky=True), Send(agent="a", message="m5")),
    (Cancel(agent="a"), Send(agent="nobody", message="m6")),
    (Release(gate="model", of="a", with_="error"), Release(gate="model", of="a"), Release(gate="model", of="a")),
    (Send(agent="a", message="m7"), Cancel(agent="a")),
)

EXPECTED = (
    "h1 settled handle, h2 settled duplicate_id",
    "a running, a turn/start 1, a gate",
    "a cancelling, a turn/end 1 aborted, a running, a turn/start 2, a turn/end 2 completed, a idle",
    "",
    "a running, a turn/start 3, a gate",
    "a cancelling",
    "a turn/end 3 aborted, a idle",
    "",
)
ANSWERS = (
    "pending h1, pending h2, refused unsupported",
    "ok None, ok m1, ok m2",
    "ok None, refused no_such_gate, ok m3",
    "ok m4",
    "ok None, ok m5",
    "ok None, refused not_live",
    "refused unsupported, ok None, refused no_such_gate",
    "ok m7, ok None",
)


def told(result: BurstResult) -> str:
    """The observations of a burst in few words."""
    words: list[str] = []
    for seen in result.seen:
        members = [seen.turn, seen.status, seen.reason, seen.ok, seen.refused]
        shown = [str(member) for member in members if member is not msgspec.UNSET]
        event = [] if seen.event == "agent/status" else [seen.event]
        words.append(" ".join([str(seen.of), *event, *shown]))
    return ", ".join(words)


def answered(result: BurstResult) -> str:
    """The answers of a burst in few words."""
    return ", ".join(
        f"{kind} {value}"
        for call in result.calls
        for kind, value in (("pending", call.pending), ("refused", call.refused), ("ok", call.ok))
        if value is not msgspec.UNSET
    )


@pytest.mark.parametrize("command", [python, node])
def test_it_does_what_the_guide_says(command: Callable[[], str]) -> None:
    system = open_system(f"stdio:{command()}")
    try:
        for _ in range(2):
            system.reset({})
            results = system.run(BURSTS)
            # the cancels drop what is queued behind the held turns: m2 and m5 never run
            assert tuple(map(told, results)) == EXPECTED
            assert tuple(map(answered, results)) == ANSWERS
    finally:
        system.stop()


@pytest.mark.parametrize(
    ("name", "first"), [("minimal_adapter.py", "COMMANDS ="), ("minimal_adapter.mjs", "const COMMANDS")]
)
def test_the_glue_is_at_most_sixty_lines(name: str, first: str) -> None:
    text = (FOLDER / name).read_text(encoding="utf-8")
    glue = [line.strip() for line in text[text.index(first) :].splitlines()]
    assert len([line for line in glue if line and not line.startswith(('"""', "//", "#"))]) <= 60
