"""The reference runtime as a system under test: a quiet loop, one world a run."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import lifecycle_runtime
from lifecycle_conformance.systems.errors import AdapterError
from lifecycle_conformance.systems.quiet import Quiet
from lifecycle_conformance.systems.reference.control import GATES
from lifecycle_conformance.systems.reference.world import Later, World, answer, performed
from lifecycle_conformance.systems.schedule import Schedule
from lifecycle_model.commands import Burst, Json
from lifecycle_model.wire import MEMBERS, Answer, BurstResult, Description, Observation, Profile
from lifecycle_runtime.acp_slot import BridgePolicies
from lifecycle_runtime.core import Policies

POLICIES: dict[str, tuple[str, ...]] = {
    "keep_inbox": ("off", "on"),
    "cancelling_published": ("on", "off"),
    "after_dispose": ("rejects", "parks"),
    "cancel_after_dispose": ("silent", "publishes"),
    "parallel_tools": ("off", "on"),
    "foreign_abort_stop_reason": ("cancelled", "end_turn"),
    "max_tokens_stop_reason": ("max_tokens", "end_turn"),
    "session_load": ("supported", "absent"),
}
"""The policies the runtime offers, the contract's default first."""

_SHOWN = tuple(name for name in MEMBERS if name != "session/event")


class ReferenceSystem:
    """`describe`, `reset`, `run`, `stop` over the reference runtime, all in this thread."""

    def __init__(self) -> None:
        self._quiet = Quiet(self._fault)
        self._world: World | None = None
        self._schedule: Schedule | None = None

    def follow(self, schedule: Schedule | None) -> None:
        """Run ready tasks in another order, from the next reset on."""
        self._schedule = schedule

    def describe(self) -> Description:
        """Everything of protocol 1 is supported."""
        return Description(
            name="reference",
            version=getattr(lifecycle_runtime, "__version__", ""),
            language="python",
            profile=Profile(
                commands=performed(),
                observations=_SHOWN,
                gates=GATES,
                reads=("lookup", "inspect"),
                policies={name: list(offered) for name, offered in POLICIES.items()},
                ticks=True,
            ),
        )

    def reset(self, policies: Mapping[str, Json]) -> None:
        """Drop the world and make another."""
        chosen = _policies(policies)
        self._world = None
        self._quiet.follow(None)
        left = self._quiet.clear()
        if left:
            raise AdapterError(f"the run before left tasks that ignore cancellation: {', '.join(left)}")
        if self._schedule is not None:
            self._schedule.begin()
            self._quiet.follow(self._schedule)
        self._quiet.settle(lambda: self._make(chosen))

    def _make(self, policies: tuple[Policies, BridgePolicies]) -> None:
        self._world = World(*policies)

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        """Perform each burst in one segment, then run until quiet."""
        if self._world is None:
            raise AdapterError("run before reset", hint="reset first")
        with self._quiet.listening():
            return [self._burst(self._world, burst) for burst in bursts]

    def _burst(self, world: World, burst: Burst) -> BurstResult:
        answers: list[Answer | Later] = []
        world.seen = []
        self._quiet.settle(lambda: answers.extend(map(world.perform, burst)))
        world.check()
        if world.torn and world.over:
            world.torn = False
            # a background task outlives its agent (O9), a configured start waits for persistence (G/r5)
            stays = ("Executor.", "Patient.", *(("Startup.",) if world.starting else ()))
            left = [task for task in self._quiet.tasks() if not _name(task).startswith(stays)]
            for task in left:
                self._fault(f"a task is left after everything has ended: {_name(task)}")
        calls = tuple(answer(given) if isinstance(given, Later) else given for given in answers)
        return BurstResult(calls, tuple(world.seen))

    def stop(self) -> None:
        """Close the loop."""
        self._world = None
        self._quiet.close()

    def _fault(self, text: str) -> None:
        if self._world is not None:
            self._world.record(Observation("fault", text=text))


def _name(task: asyncio.Task[object]) -> str:
    return str(getattr(task.get_coro(), "__qualname__", task.get_name()))


def _policies(given: Mapping[str, Json]) -> tuple[Policies, BridgePolicies]:
    chosen = {name: offered[0] for name, offered in POLICIES.items()}
    for name, value in given.items():
        word = {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value
        if name not in POLICIES:
            raise AdapterError(f"unknown policy {name!r}", hint=f"offered: {', '.join(POLICIES)}")
        if word not in POLICIES[name]:
            raise AdapterError(f"policy {name} cannot be {value!r}", hint=f"offered: {', '.join(POLICIES[name])}")
        chosen[name] = str(word)
    agents = Policies(
        keep_inbox=chosen["keep_inbox"] == "on",
        cancelling_published=chosen["cancelling_published"] == "on",
        after_dispose="parks" if chosen["after_dispose"] == "parks" else "rejects",
        cancel_after_dispose="publishes" if chosen["cancel_after_dispose"] == "publishes" else "silent",
        parallel_tools=chosen["parallel_tools"] == "on",
    )
    bridge = BridgePolicies(
        foreign_abort_stop_reason="end_turn" if chosen["foreign_abort_stop_reason"] == "end_turn" else "cancelled",
        max_tokens_stop_reason="end_turn" if chosen["max_tokens_stop_reason"] == "end_turn" else "max_tokens",
        session_load="absent" if chosen["session_load"] == "absent" else "supported",
    )
    return agents, bridge
