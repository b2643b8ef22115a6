# ruff: noqa: INP001 - a script to run, not a package to import
"""How fast the stdio protocol is, with a system that does nothing. Refuses to measure any real system.

    python conformance/benchmarks/stdio_throughput.py

Prints single round trips a second (one burst of one command a request, each awaited) and batched commands a second
(runs told ahead), medians of several rounds, against the least the project asks for. Exit 1 below it.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROUND_TRIPS = 8_000
"""Single round trips a second the project asks for."""

COMMANDS = 100_000
"""Batched commands a second the project asks for."""

_ROUNDS = 5


def trivial() -> int:
    """Serve a system that answers ok to everything and shows nothing."""
    from lifecycle_conformance.systems.serve import serve
    from lifecycle_model.commands import Burst, Json
    from lifecycle_model.wire import Answer, BurstResult, Description, Profile

    ok = Answer(ok=None)

    class Trivial:
        def describe(self) -> Description:
            return Description(name="trivial", profile=Profile(commands=("send",)))

        def reset(self, policies: Mapping[str, Json]) -> None:
            return None

        def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
            return [BurstResult((ok,) * len(burst)) for burst in bursts]

        def stop(self) -> None:
            return None

    return serve(Trivial())


def measure() -> int:
    """Measure, print, and compare with what is asked for."""
    from lifecycle_conformance.systems.adapter import Run
    from lifecycle_conformance.systems.stdio_client import StdioSystem
    from lifecycle_model.commands import Send

    system = StdioSystem([sys.executable, str(Path(__file__).resolve()), "serve"])
    single = ((Send("a", "m1"),),)
    runs = [Run(tuple((Send("a", f"m{n}"), Send("a", f"n{n}")) for n in range(10)))] * 500
    trips: list[float] = []
    commands: list[float] = []
    try:
        system.reset()
        for _ in range(_ROUNDS):
            began = time.perf_counter()
            for _ in range(2000):
                system.run(single)
            trips.append(2000 / (time.perf_counter() - began))
            began = time.perf_counter()
            answered = sum(isinstance(outcome, list) for outcome in system.run_all(runs))
            commands.append(answered * 20 / (time.perf_counter() - began))
            system.reset()
    finally:
        system.stop()
    good = True
    for name, rates, least in (("round trips", trips, ROUND_TRIPS), ("batched commands", commands, COMMANDS)):
        middle = statistics.median(rates)
        good &= middle >= least
        print(f"{name:18} {middle:10,.0f}/s   (rounds {min(rates):,.0f} to {max(rates):,.0f}; asked: {least:,})")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(trivial() if sys.argv[1:] == ["serve"] else measure())
