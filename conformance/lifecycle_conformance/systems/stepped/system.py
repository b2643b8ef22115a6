"""The stepped runtime as a system under test: the loop that steps it is here, and stops when nothing can be stepped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lifecycle_conformance.systems.errors import AdapterError
from lifecycle_conformance.systems.stepped.world import COMMANDS, GATES, POLICIES, SHOWN, World
from lifecycle_model.commands import Burst, Json
from lifecycle_model.wire import BurstResult, Description, Profile


class SteppedSystem:
    """`describe`, `reset`, `run`, `stop`."""

    def __init__(self) -> None:
        self._world: World | None = None

    def describe(self) -> Description:
        """Sections S, Q and C, creation and teardown of agents; no owners, storage, tasks or bridge."""
        return Description(
            name="stepped",
            version="1",
            language="python",
            profile=Profile(
                commands=COMMANDS,
                observations=SHOWN,
                gates=GATES,
                reads=("lookup", "inspect"),
                policies={name: list(offered) for name, offered in POLICIES.items()},
                ordered_calls=True,
                ticks=True,
            ),
        )

    def reset(self, policies: Mapping[str, Json]) -> None:
        """Drop everything."""
        for name, value in policies.items():
            if value not in POLICIES.get(name, ()):
                raise AdapterError(f"policy {name} cannot be {value!r}", hint=f"offered: {', '.join(POLICIES)}")
        self._world = World({name: str(value) for name, value in policies.items()})

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        """Perform each burst, then step until nothing steps."""
        if self._world is None:
            raise AdapterError("run before reset", hint="reset first")
        return [self._burst(self._world, burst) for burst in bursts]

    def _burst(self, world: World, burst: Burst) -> BurstResult:
        world.seen = []
        calls = tuple(world.perform(command) for command in burst)
        while world.step():
            pass
        return BurstResult(calls, tuple(world.seen))

    def stop(self) -> None:
        """Nothing to give back."""
        self._world = None
