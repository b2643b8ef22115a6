"""Owns programs that cannot be judged, each for one reason: `python unreachable.py NAME`. No package is imported."""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit


def requests() -> Any:
    """Yield the requests that come in."""
    for line in sys.stdin:
        yield json.loads(line)


def answer(request: dict[str, Any], **outcome: Any) -> None:
    """Answer one of them."""
    print(json.dumps({"jsonrpc": "2.0", "id": request["id"], **outcome}), flush=True)


def hello(request: dict[str, Any], version: int = 1) -> None:
    """Answer initialize as an agent would."""
    answer(request, result={"protocolVersion": version, "agentCapabilities": {}, "authMethods": []})


def wants_terminal() -> None:
    """Exit as programs do that find no terminal."""
    sys.exit("error: stdin is not a terminal")


def prints_banner() -> None:
    """Draw a screen and wait for keys."""
    print("*** Welcome! Press any key. ***", flush=True)
    time.sleep(60)


def hangs() -> None:
    """Say nothing, for ever."""
    time.sleep(60)


def exits() -> None:
    """Fail for a reason of its own."""
    sys.exit("error: no configuration found")


def floods() -> None:
    """Write without end."""
    line = "x" * 65_000
    while True:
        print(line)


def wants_login() -> None:
    """Answer session/new with the protocol's own code."""
    for request in requests():
        if request["method"] == "initialize":
            hello(request)
        else:
            answer(request, error={"code": -32000, "message": "Authentication required"})


def speaks_version_two() -> None:
    """Answer a version that this judge does not speak."""
    for request in requests():
        hello(request, version=2)


def prompts() -> Iterator[dict[str, Any]]:
    """The prompts of one session; what comes before them is answered."""
    for request in requests():
        if request["method"] == "initialize":
            hello(request)
        elif request["method"] == "session/new":
            answer(request, result={"sessionId": "s"})
        else:
            yield request


def excuses_itself() -> None:
    """Tell the user, as if it were an answer, that there is a login to do first."""
    for request in prompts():
        text = {"type": "text", "text": "You are not logged in. Run `agent login` first."}
        update = {"sessionUpdate": "agent_message_chunk", "content": text}
        note = {"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": "s", "update": update}}
        print(json.dumps(note), flush=True)
        answer(request, result={"stopReason": "end_turn"})


def wants_network() -> None:
    """Ask somebody else than the model it was given, through the proxy as well-behaved programs do."""
    for _ in prompts():
        proxy = urlsplit(os.environ["HTTPS_PROXY"])
        with socket.create_connection((proxy.hostname or "", proxy.port or 0)) as connection:
            connection.sendall(b"CONNECT api.example.com:443 HTTP/1.1\r\nHost: api.example.com\r\n\r\n")
            connection.recv(4096)
        time.sleep(60)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
