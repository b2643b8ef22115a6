"""`serve`, spoken to by hand: every request is checked, every answer is one line, nothing else reaches the output."""

from __future__ import annotations

import importlib
import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.serve import serve

sys.path.insert(0, str(Path(__file__).parent / "miniatures"))
honest: Any = importlib.import_module("honest")
liars: Any = importlib.import_module("liars")
Honest: Any = honest.Honest

INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": 1}}


def answers(*lines: object, system: System | None = None) -> list[Any]:
    """What is answered to these lines; bytes are sent as they are."""
    sent = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    out = io.BytesIO()
    assert serve(system or honest.Honest(), io.BytesIO(sent), out) == 0
    return [json.loads(line) for line in out.getvalue().splitlines()]


def request(method: str, params: object = None, number: object = 2) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": {} if params is None else params}


def test_the_transcript_of_a_short_session() -> None:
    described, reset, run = answers(
        INITIALIZE,
        request("reset"),
        request("run", {"bursts": [[{"do": "create", "as": "h1", "id": "a"}], []]}, "three"),
    )
    assert described["result"]["protocol"] == 1
    assert described["result"]["profile"]["commands"] == list(honest.COMMANDS)
    assert reset == {"jsonrpc": "2.0", "id": 2, "result": {}}
    assert run == {
        "jsonrpc": "2.0",
        "id": "three",
        "result": {
            "bursts": [
                {"calls": [{"pending": "h1"}], "seen": [{"event": "settled", "of": "h1", "ok": "handle"}]},
                {"calls": [], "seen": []},
            ]
        },
    }


@pytest.mark.parametrize(
    ("line", "code", "said", "number"),
    [
        (b"{", -32700, "not JSON", None),
        (b"\xff\xfe", -32700, "not JSON", None),
        ([INITIALIZE], -32600, "Expected `object`", None),
        ({"jsonrpc": "2.0", "method": "reset"}, -32600, "`id`", None),
        ({"jsonrpc": "2.0", "id": 5, "method": 7}, -32600, "$.method", 5),
        ({"jsonrpc": "2.0", "id": 1.5, "method": "reset"}, -32600, "$.id", None),
        ({"jsonrpc": "1.0", "id": 5, "method": "reset"}, -32600, "jsonrpc", 5),
        ({**request("reset"), "extra": 1}, -32600, "`extra`", 2),
        (request("rest"), -32601, "initialize, reset, run", 2),
        (request("reset", {"police": {}}), -32602, "`police`", 2),
        (request("run", {}), -32602, "`bursts`", 2),
        (
            request("run", {"bursts": [[], [{"do": "send", "agent": 7, "message": "m"}]]}),
            -32602,
            "$.bursts[1][0].agent",
            2,
        ),
        (request("run", {"bursts": [[{"do": "sent"}]]}), -32602, "$.bursts[0][0].do", 2),
        (request("run", {"bursts": [[{"do": "tick", "agent": "a", "turn": 1}]]}), -32602, "`turn`", 2),
        (request("initialize", {"protocol": 2}), -32602, "$.protocol", 2),
    ],
)
def test_each_wrong_request_earns_its_error(line: object, code: int, said: str, number: object) -> None:
    _, answer = answers(INITIALIZE, line)
    assert answer["error"]["code"] == code
    assert said in answer["error"]["message"]
    assert answer["id"] == number


def test_nothing_but_initialize_may_come_first() -> None:
    (answer,) = answers(request("reset"))
    assert answer["error"]["code"] == -32600
    assert "initialize first" in answer["error"]["message"]


def test_a_system_that_raises_is_answered_for_and_serves_on(capfd: pytest.CaptureFixture[str]) -> None:
    cancel = request("run", {"bursts": [[{"do": "cancel", "agent": "a"}]]})
    _, failed, after = answers(INITIALIZE, cancel, request("reset"), system=liars.Raises())
    assert failed["error"] == {"code": -32000, "message": "KeyError: 'no agent'"}
    assert after["result"] == {}
    assert "Traceback" in capfd.readouterr().err


def test_prints_reach_standard_error_only(capfd: pytest.CaptureFixture[str]) -> None:
    class Chatty(Honest):  # type: ignore[misc]  # loaded by path
        def reset(self, policies: object) -> None:
            print("resetting")

    assert len(answers(INITIALIZE, request("reset"), system=Chatty())) == 2
    said = capfd.readouterr()
    assert said.out == ""
    assert "resetting" in said.err


def test_the_system_is_stopped_at_the_end_of_input() -> None:
    class Stopped(Honest):  # type: ignore[misc]  # loaded by path
        stops = 0

        def stop(self) -> None:
            self.stops += 1

    system = Stopped()
    answers(INITIALIZE, system=system)
    assert system.stops == 1
