"""The smallest useful adapter for an asyncio agent: protocol 1 on stdio around `toy_agent.py`. Copy it, change it.

lifecycle check "stdio:python conformance/examples/minimal_adapter.py"
"""
# ruff: noqa: INP001 -- a program of its own, in no package

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from toy_agent import ToyAgent  # pyright: ignore[reportMissingImports] -- the file beside this one

COMMANDS = ["create", "send", "cancel", "hold", "release"]
SHOWN = ["agent/status", "turn/start", "turn/end", "gate", "settled"]
STATUSES = ["idle", "running", "cancelling"]
PROFILE = {"commands": COMMANDS, "observations": SHOWN, "statuses": STATUSES, "gates": ["model"]}
ABOUT = {"protocol": 1, "name": "toy", "version": "1", "language": "python", "profile": PROFILE}
MEMBERS = {"do", "as", "id", "agent", "message", "wakeup", "cause", "gate", "of", "sticky", "with"}
agents: dict[str, ToyAgent] = {}
waiting: dict[str, list[asyncio.Event]] = {}
holds: list[dict[str, Any]] = []
seen: list[dict[str, Any]] = []


def see(event: str, **members: Any) -> None:
    """Note an observation of the current burst."""
    seen.append({"event": event, **members})


async def model(agent: str, abort: asyncio.Event) -> None:
    """Stand in for the model: a gate the judge may hold until it releases it or, unless sticky, the turn is aborted."""
    for hold in [hold for hold in holds if hold["of"] == agent][:1]:
        holds.remove(hold)
        see("gate", of=agent, gate="model")
        waiting[agent] = ways = [asyncio.Event()] if hold.get("sticky") else [asyncio.Event(), abort]
        await asyncio.wait([asyncio.ensure_future(way.wait()) for way in ways], return_when="FIRST_COMPLETED")
        del waiting[agent]


def perform(command: dict[str, Any]) -> dict[str, Any]:
    """Do one command on the agent and answer at once; what this adapter does not know is refused, never guessed."""
    do, name = command["do"], str(command.get("agent", command.get("id", command.get("of"))))
    known = do in COMMANDS and command.keys() <= MEMBERS and command.get("gate", "model") == "model"
    if not known or command.get("with", "finish") != "finish":
        return {"refused": "unsupported"}
    if do == "create":
        see("settled", of=command["as"], **({"refused": "duplicate_id"} if name in agents else {"ok": "handle"}))
        agents[name] = agents.get(name) or ToyAgent(name, see, model)
        return {"pending": command["as"]}
    if do in ("send", "cancel") and name not in agents:
        return {"refused": "not_live"}
    if do == "release" and (name not in waiting or any(way.is_set() for way in waiting[name])):
        return {"refused": "no_such_gate"}
    if do == "send":
        agents[name].send(command.get("wakeup", True))
    elif do == "cancel":
        agents[name].cancel()
    elif do == "hold":
        holds.extend([command] if command not in holds else [])
    elif do == "release":
        waiting[name][0].set()
    return {"ok": command.get("message")}


async def burst(commands: list[dict[str, Any]]) -> dict[str, Any]:
    """Perform the commands without giving way, then run until quiet: nothing seen for ten rounds of the loop."""
    seen.clear()
    calls, before = [perform({"as": "h1", **command}) for command in commands], -1
    while before != len(seen):
        before = len(seen)
        for _ in range(10):
            await asyncio.sleep(0)
    return {"calls": calls, "seen": list(seen)}


async def main() -> None:
    """Speak JSON-RPC, one line each way, until the input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        if request["method"] == "reset":
            for state in (agents, holds, waiting):
                state.clear()
        bursts = [await burst(commands) for commands in request.get("params", {}).get("bursts", [])]
        result = {"initialize": ABOUT, "reset": {}, "run": {"bursts": bursts}}[request["method"]]
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)


asyncio.run(main())
