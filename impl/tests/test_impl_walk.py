"""Seeded walks: verbs, gates and re-entrant listeners in any order; what must always hold, holds."""

import asyncio
import random
import re
from collections.abc import Callable

import pytest

from lifecycle_runtime.agent import Agent
from lifecycle_runtime.core import Policies
from lifecycle_runtime.errors import LifecycleError
from lifecycle_runtime.testing.stage import Stage

EVENTS = [
    *("status(running)", "status(cancelling)", "status(idle)", "status(disposed)"),
    *("deq", "enq", "disc", "creq", "abort", "err", "FL", "req", "s+", "a+", "start", "a-", "s-"),
    *("TS", "TE", "SS", "SE", "UM", "SM", "AM", "TC", "TR"),
]
OUTCOMES: dict[str, list[object]] = {
    "policy": [None, "block", ValueError("policy")],
    "model": [1, 2, "chunk", "max_tokens", ValueError("model")],
    "recovery": ["retry"],
    "tool": [ValueError("tool")],
    "continuation": ["stop", ValueError("continuation")],
    "turn_stop": ["terminal"],
    "flush": [ValueError("flush")],
}
GATES = [*OUTCOMES, "assembly", "prefix", "pre_step", "post_step", "wake", "converge", "setup", "mint"]
VETOES = ["turn/start", "user/message", "assistant/message", "step/start", "steering/message", "note"]


class Walk:
    """One random history of the agent `x`, several lives of it if it is disposed."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        policies = Policies(keep_inbox=self.dice.random() < 0.3, parallel_tools=self.dice.random() < 0.3)
        self.stage = Stage(policies, persistence=self.dice.random() < 0.5)
        self.owner = self.stage.root.fork("owner")
        self.lives: list[Agent] = []
        self.futures: list[asyncio.Future[object]] = []
        self.messages = 0

    async def run(self) -> None:
        s = self.stage
        self._create()
        await s.quiet()
        for _ in range(self.dice.randint(3, 25)):
            await self._move()
        self._disarm()
        await s.quiet()
        await self._still_works()
        await s.close()
        assert all(future.done() for future in self.futures)
        for future in self.futures:
            future.exception()
        self._check()

    async def _move(self) -> None:
        s, dice = self.stage, self.dice
        roll = dice.random()
        if roll < 0.25:
            s.react(dice.choice(EVENTS), lambda: self._act(inside=True), times=dice.randint(1, 2))
        elif roll < 0.35:
            s.hold(dice.choice(GATES))
        elif roll < 0.45:
            s.gates.at(dice.choice(GATES), lambda: self._act(inside=True))
        elif roll < 0.55:
            gate = dice.choice(list(OUTCOMES))
            s.gates.answer(gate, dice.choice(OUTCOMES[gate]))
        elif roll < 0.6:
            s.vetoes.append(dice.choice(VETOES))
        else:
            for _ in range(dice.randint(1, 3)):
                self._act(inside=False)
            if dice.random() < 0.7:
                await s.quiet()
            waiting = [gate for gate in GATES if s.gates.waits(gate)]
            if waiting and dice.random() < 0.6:
                gate = dice.choice(waiting)
                await s.release(gate, dice.choice(OUTCOMES.get(gate, [None])))

    def _act(self, *, inside: bool) -> None:
        self.messages += 1
        name = f"m{self.messages}"
        agent = self.lives[-1] if self.lives else None
        verbs: list[Callable[[Agent], object]] = [
            lambda a: a.send(name, id=name),
            lambda a: a.send(name, id=name),
            lambda a: a.send(name, id=name, wakeup=False),
            lambda a: a.steer(name, id=name),
            lambda a: a.inject(name, id=name),
            lambda a: a.cancel(self.dice.choice(["user", "parent"])),
            lambda a: a.cancel(keep_inbox=True),
            lambda a: self.futures.append(a.when_idle()),  # type: ignore[arg-type]  # Future is invariant
            lambda a: self._out_of_band(a),
            lambda a: self._dispose(),
            lambda a: self._create(),
            lambda a: self.owner.unload() if self.dice.random() < 0.2 else None,
            lambda a: self._fail() if inside else None,
        ]
        if agent is not None:
            try:
                self.dice.choice(verbs)(agent)
            except LifecycleError:
                pass
            except ValueError as error:
                if "vetoed" not in str(error):
                    raise

    def _create(self) -> None:
        s = self.stage
        if s.runtime.agents.get("x") is not None:
            return
        owner = self.owner if self.owner.active else s.root
        created = s.creating("x", owner, setup=self.lives.append)
        created.add_done_callback(lambda done: done.exception() or s.keep(done.result()))
        self.futures.append(created)  # type: ignore[arg-type]  # Future is invariant

    def _dispose(self) -> None:
        if self.dice.random() < 0.4 and "x" in self.stage.handles:
            self.futures.append(self.stage.dispose())  # type: ignore[arg-type]  # Future is invariant

    def _out_of_band(self, agent: Agent) -> None:
        written = self.stage.runtime.sessions.append_out_of_band(agent.session, "note")
        self.futures.append(written)  # type: ignore[arg-type]  # Future is invariant

    def _fail(self) -> None:
        raise RuntimeError("boom")

    def _disarm(self) -> None:
        self.stage.disarm()
        for gate in GATES:
            self.stage.gates.open(gate)

    async def _still_works(self) -> None:
        """A live agent with no turn open runs the next message and comes to rest (V1, V3, V5)."""
        agent = self.stage.runtime.agents.get("x")
        if agent is None or agent.status == "disposed" or agent.session.open_turn is not None:
            return
        agent.send("last", id="last")
        waiter = agent.when_idle()
        await self.stage.quiet()
        assert waiter.done()
        assert any(record.data.get("id") == "last" for record in agent.session.records)
        shown = agent.inspect()
        assert (shown.status, shown.marker, shown.holder) == ("idle", False, "none")
        assert (shown.queued, shown.steering) == ((), ())

    def _check(self) -> None:
        for agent in self.lives:
            self._check_batches(agent)
        previous = ""
        for token in self.stage.only("status s+").split():
            assert token == "s+" or (token != previous and previous != "status(disposed)")  # I1
            previous = token
        fates: dict[str, list[str]] = {}
        for token in self.stage.tokens():
            if moved := re.match(r"(enq|deq)\((\w+)", token):
                fates.setdefault(moved[2], []).append(moved[1])
            if token.startswith("disc["):
                for message in token[5:-1].split(","):
                    fates.setdefault(message, []).append("disc")
        assert all(fate in (["enq", "deq"], ["enq", "disc"]) for fate in fates.values()), fates  # I6, Q18

    def _check_batches(self, agent: Agent) -> None:
        """I11: between a calling assistant message and its last result are only calls and results."""
        waiting = 0
        for record in agent.session.records:
            if record.type == "assistant/message":
                calls = record.data["calls"]
                assert isinstance(calls, tuple)
                waiting = len(calls)
            elif waiting:
                assert record.type in ("tool/call", "tool/result", "note")
                waiting -= record.type == "tool/result"
        assert not waiting


@pytest.mark.parametrize("block", range(4))
def test_random_histories_keep_the_invariants(block: int) -> None:
    async def walk(seed: int) -> None:
        await asyncio.wait_for(Walk(seed).run(), 30)

    for seed in range(block * 25, block * 25 + 25):
        try:
            asyncio.run(walk(seed))
        except BaseException as error:
            raise AssertionError(f"seed {seed}: {error!r}") from error
