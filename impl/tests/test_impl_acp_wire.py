"""Hostile input on the raw wire: each gets a clear protocol error, and the sessions beside it go on."""

import asyncio
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest

from lifecycle_runtime.acp_frames import FrameError, parse_frame, render_frame
from lifecycle_runtime.acp_stdio import StdioTransport

FRAMES: list[tuple[bytes, int, str]] = [
    (b"garbage", -32700, "not JSON"),
    (b'{"half": ', -32700, "not JSON"),
    (b"\xff\xfe{}", -32700, "not UTF-8"),
    (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":NaN}}', -32700, "NaN is not JSON"),
    (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"n":' + b"9" * 10_000 + b"}}", -32700, "not JSON"),
    (b"[" * 200_000, -32700, "nested too deeply"),
    (b"[]", -32600, "not an array"),
    (b'"text"', -32600, "not a string"),
    (b"7", -32600, "not a number"),
    (b"null", -32600, "not null"),
    (b"{}", -32600, "jsonrpc"),
    (b'{"jsonrpc":"1.0","id":1,"method":"x"}', -32600, "jsonrpc"),
    (b'{"jsonrpc":"2.0"}', -32600, "a message has a method"),
    (b'{"jsonrpc":"2.0","id":1}', -32600, "a message has a method"),
    (b'{"jsonrpc":"2.0","id":1,"method":7}', -32600, "a method is a string"),
    (b'{"jsonrpc":"2.0","id":[1],"method":"x"}', -32600, "an id is"),
    (b'{"jsonrpc":"2.0","id":true,"method":"x"}', -32600, "an id is"),
    (b'{"jsonrpc":"2.0","id":{},"result":1}', -32600, "an id is"),
    (b'{"jsonrpc":"2.0","id":1,"error":5}', -32600, "an error is an object"),
    (b'{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}', -32602, "are an object"),
]


@pytest.mark.parametrize(("line", "code", "says"), FRAMES, ids=[says + str(i) for i, (_, _, says) in enumerate(FRAMES)])
def test_a_bad_frame_says_what_is_wrong(line: bytes, code: int, says: str) -> None:
    with pytest.raises(FrameError) as caught:
        parse_frame(line)
    assert caught.value.code == code
    assert says in str(caught.value)
    assert len(str(caught.value)) < 500


def test_a_clients_meta_cannot_replace_checked_parameters() -> None:
    line = b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"sessionId":"a","_meta":{"session_id":"b","self":1}}}'
    assert parse_frame(line)["params"] == {"sessionId": "a"}


def test_a_validation_error_does_not_echo_the_input() -> None:
    errors = [{"loc": ("a", 1), "msg": "wrong", "input": "x" * 10_000, "ctx": {"error": ValueError("x")}}]
    message = {"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "Invalid", "data": {"errors": errors}}}
    assert json.loads(render_frame(message))["error"]["data"] == {"errors": [{"where": "a.1", "problem": "wrong"}]}


def test_lines_are_cut_joined_and_skipped(tmp_path: Path) -> None:
    source = tmp_path / "input"
    frame = b'{"jsonrpc":"2.0","method":"ok"}'
    source.write_bytes(b"\n\n" + frame + b"\r\n" + b"x" * 500 + b"\n" + frame + b"\n" + b"y" * 500)
    sink = tmp_path / "output"

    async def run() -> None:
        with source.open("rb") as reading, sink.open("wb") as writing:
            transport = StdioTransport(reading.fileno(), writing.fileno(), max_line=100)
            assert await transport.receive() == json.loads(frame) | {"params": {}}
            assert await transport.receive() == json.loads(frame) | {"params": {}}
            assert await transport.receive() is None
            assert await transport.receive() is None
            await transport.close()
            with pytest.raises(ConnectionError):
                await transport.send({"jsonrpc": "2.0", "method": "session/update"})
            await transport.send({"jsonrpc": "2.0", "id": 1, "result": None})

    asyncio.run(run())
    answers = [json.loads(line) for line in sink.read_text().splitlines()]
    assert [answer["error"]["code"] for answer in answers] == [-32700, -32700]
    assert all("longer than 100 bytes" in answer["error"]["message"] for answer in answers)


class Wire:
    """One agent process, spoken to in bytes."""

    def __init__(self, process: Process, home: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process, self.home = process, home
        self.stdin, self.stdout = process.stdin, process.stdout
        self.received: list[dict[str, Any]] = []
        self._last_id = 0

    async def raw(self, data: bytes) -> None:
        self.stdin.write(data)
        await self.stdin.drain()

    async def receive(self) -> dict[str, Any]:
        async with asyncio.timeout(30):
            line = await self.stdout.readline()
        assert line.endswith(b"\n"), "the agent ended"
        message = cast("dict[str, Any]", json.loads(line))
        self.received.append(message)
        return message

    async def request(self, method: str, params: object = None, *, request_id: object = None) -> dict[str, Any]:
        """Send a request and give its answer; what comes before it is kept in `received`."""
        self._last_id += 1
        request_id = request_id if request_id is not None else self._last_id
        message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
        await self.raw(json.dumps(message).encode() + b"\n")
        while (answer := await self.receive()).get("id") != request_id or "method" in answer:
            pass
        return answer

    async def refused(self, method: str, params: object, code: int) -> str:
        answer = await self.request(method, params)
        assert answer["error"]["code"] == code, answer
        return str(answer["error"]["message"])

    async def notify(self, method: str, params: object) -> None:
        await self.raw(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode() + b"\n")


def wired(tmp_path: Path, act: Callable[[Wire], Awaitable[None]], *options: str) -> None:
    async def run() -> None:
        with (tmp_path / "stderr").open("ab") as errors:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *("-m", "lifecycle_runtime.acp_server", "--store", "memory", "--permission", "allow", *options),
                stdin=PIPE,
                stdout=PIPE,
                stderr=errors,
                limit=64 * 1024 * 1024,
            )
            wire = Wire(process, tmp_path)
            try:
                await act(wire)
                wire.stdin.close()
                async with asyncio.timeout(10):
                    assert await process.wait() == 0
                    assert await wire.stdout.read() == b""
            finally:
                if process.returncode is None:
                    process.kill()
                    await process.wait()

    asyncio.run(run())


def text(words: str) -> list[dict[str, str]]:
    return [{"type": "text", "text": words}]


def test_hostile_messages_are_answered_and_a_running_prompt_is_not_disturbed(tmp_path: Path) -> None:
    async def act(wire: Wire) -> None:
        new = {"cwd": str(tmp_path), "mcpServers": []}
        for method, params in (
            ("session/new", new),
            ("session/load", {**new, "sessionId": "x"}),
            ("session/prompt", {"sessionId": "x", "prompt": text("a")}),
        ):
            assert "initialize first" in await wire.refused(method, params, -32600)
        for version in (1, 0, 65535):
            answer = await wire.request("initialize", {"protocolVersion": version})
            assert answer["result"]["protocolVersion"] == 1
        session = (await wire.request("session/new", new))["result"]["sessionId"]
        # a prompt that runs through all that follows
        running = {"sessionId": session, "prompt": text("slow 600")}
        prompt = {"jsonrpc": "2.0", "id": "long", "method": "session/prompt", "params": running}
        await wire.raw(json.dumps(prompt).encode() + b"\n")

        for line, code, says in FRAMES:
            await wire.raw(line + b"\n")
            while "error" not in (answer := await wire.receive()):
                pass
            assert answer["error"]["code"] == code
            assert says in answer["error"]["message"]
        await wire.raw(b"x" * 100_000_000 + b"\n")
        while "error" not in (answer := await wire.receive()):
            pass
        assert "longer than" in answer["error"]["message"]

        for method in ("nope", "session/nope", "_ext/nope", "session/fork", "session/list", "", "x" * 10_000):
            await wire.refused(method, {}, -32601)
        for cwd in ("relative", "", "/does/not/exist", "/tmp\0/x", "/" + "x" * 10_000, 7, None):
            await wire.refused("session/new", {"cwd": cwd, "mcpServers": []}, -32602)
        for name in ("nobody", "../../etc/passwd", "a\0b", "x" * 10_000, "\u202etxt", "e\u0301", "\ud800", ""):
            await wire.refused("session/prompt", {"sessionId": name, "prompt": text("a")}, -32002)
            loaded = await wire.request("session/load", {**new, "sessionId": name})
            assert loaded["error"]["code"] in (-32002, -32602)
            await wire.notify("session/cancel", {"sessionId": name})
        other = (await wire.request("session/new", new))["result"]["sessionId"]
        contents: list[object] = [
            "text",
            None,
            [],
            [[]],
            [{"type": "dance"}],
            [{"type": "text"}],
            [{"type": "text", "text": 5}],
        ]
        for content in contents:
            await wire.refused("session/prompt", {"sessionId": other, "prompt": content}, -32602)
        assert "surrogate" in await wire.refused(
            "session/prompt", {"sessionId": other, "prompt": text("\ud800")}, -32602
        )
        for levels in (100, 450):  # JSON that can be read, and is no message
            deep = '{"in":[' * levels + "]}" * levels
            for held in (
                f'"sessionId":"{other}","prompt":{deep}',
                f'"sessionId":"{other}","prompt":[{{"type":"text","text":{deep}}}]',
                f'"sessionId":"{other}","prompt":[{{"type":"resource","resource":{deep}}}]',
                f'"sessionId":{deep},"prompt":[]',
            ):
                frame = f'{{"jsonrpc":"2.0","id":"deep","method":"session/prompt","params":{{{held}}}}}'
                await wire.raw(frame.encode() + b"\n")
                while (answer := await wire.receive()).get("id") != "deep":
                    pass
                assert answer["error"]["code"] == -32602, answer
        await wire.notify("session/cancel", {"sessionId": 5})
        await wire.notify("nope", {})
        await wire.raw(b'{"jsonrpc":"2.0","id":12345,"result":{}}\n{"jsonrpc":"2.0","id":"?","error":{"code":1}}\n')

        # the other session works, and the first is still running its prompt
        wire.received.clear()
        answer = await wire.request("session/prompt", {"sessionId": other, "prompt": text("hi \u202e\U0001f600")})
        assert answer["result"]["stopReason"] == "end_turn"
        said = [
            m["params"]["update"]["content"]["text"] for m in wire.received[:-1] if m["params"]["sessionId"] == other
        ]
        assert said == ["You said: ", "hi \u202e\U0001f600"]
        assert "busy" in (await wire.request("session/prompt", running))["error"]["data"]["code"]
        await wire.notify("session/cancel", {"sessionId": session})
        while (answer := await wire.receive()).get("id") != "long":
            pass
        assert answer["result"] == {"stopReason": "cancelled"}

    wired(tmp_path, act)
    assert "Traceback" not in (tmp_path / "stderr").read_text()


def test_every_update_of_a_prompt_comes_before_its_answer(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    chunks = [{"text": f"{number} "} for number in range(300)]
    call = {"call": {"name": "bash", "arguments": {"command": "yes | head -c 50000000"}}}
    script.write_text(json.dumps([[*chunks, call], chunks] * 2))

    async def act(wire: Wire) -> None:
        await wire.request("initialize", {"protocolVersion": 1})
        answer = await wire.request("session/new", {"cwd": str(tmp_path), "mcpServers": []})
        session = answer["result"]["sessionId"]
        for _ in range(2):
            wire.received.clear()
            answer = await wire.request("session/prompt", {"sessionId": session, "prompt": text("go")})
            assert answer["result"]["stopReason"] == "end_turn"
            updates = [message["params"]["update"] for message in wire.received[:-1]]
            said = "".join(u["content"]["text"] for u in updates if u["sessionUpdate"] == "agent_message_chunk")
            assert said == "".join(f"{number} " for number in range(300)) * 2
            kinds = [u["sessionUpdate"] for u in updates if u["sessionUpdate"] != "agent_message_chunk"]
            assert kinds == ["tool_call", "tool_call_update"]
            assert len(json.dumps(updates)) < 300_000
        await asyncio.sleep(0.2)
        await wire.raw(b'{"jsonrpc":"2.0","id":"last","method":"nope"}\n')
        assert (await wire.receive())["id"] == "last", "nothing came between the answer and the next request"

    wired(tmp_path, act, "--model", f"script:{script}")


def test_a_client_that_does_not_read_does_not_keep_the_agent(tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps([[{"text": "x" * 1000}] * 3000]))

    async def run() -> None:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *("-m", "lifecycle_runtime.acp_server", "--store", "memory", "--model", f"script:{script}"),
            stdin=PIPE,
            stdout=PIPE,
            limit=1024,
        )
        wire = Wire(process, tmp_path)
        await wire.request("initialize", {"protocolVersion": 1})
        answer = await wire.request("session/new", {"cwd": str(tmp_path), "mcpServers": []})
        params = {"sessionId": answer["result"]["sessionId"], "prompt": text("go")}
        await wire.raw(
            json.dumps({"jsonrpc": "2.0", "id": 9, "method": "session/prompt", "params": params}).encode() + b"\n"
        )
        await asyncio.sleep(0.5)  # nobody reads: the pipe is full, and the agent waits
        wire.stdin.close()
        async with asyncio.timeout(15):
            while await wire.stdout.read(65536):
                pass
            assert await process.wait() == 0

    asyncio.run(run())


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--model", "gpt"], 2, "there is no model 'gpt'"),
        (["--permission", "maybe"], 2, "invalid choice"),
        (["--store", "/dev/null/x"], 1, "/dev/null/x cannot be"),
        (["--help"], 0, "Nothing is sent anywhere unless"),
    ],
)
def test_wrong_use_says_so(arguments: list[str], code: int, says: str, capfd: pytest.CaptureFixture[str]) -> None:
    from lifecycle_runtime.acp_server import main

    try:
        status = main(arguments)
    except SystemExit as ended:
        status = int(str(ended.code))
    captured = capfd.readouterr()
    assert status == code
    assert says in captured.out + captured.err
