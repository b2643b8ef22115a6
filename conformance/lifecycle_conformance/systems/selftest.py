"""Whether an adapter is fit to judge a system with: shapes, quiet, determinism, profile against behaviour, latency.

Refuses to judge the system: nothing here knows what the contract allows. Every finding says what to fix.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from lifecycle_conformance.systems import probes
from lifecycle_conformance.systems.adapter import Run, System, run_one
from lifecycle_conformance.systems.errors import AdapterError, SystemExited, SystemHung
from lifecycle_conformance.systems.probes import Probe
from lifecycle_conformance.systems.wellformed import Wellformed
from lifecycle_model.commands import AnyCommand, Burst, Send
from lifecycle_model.wire import MEMBERS, UNSET, BurstResult, Description, Profile, to_json

FLOOR_COMMANDS = ("create", "send", "cancel")
"""Commands without which nothing is judged."""

FLOOR_OBSERVATIONS = ("agent/status", "turn/start", "turn/end")
"""Observations without which nothing is judged."""

SLOW = 0.05
"""Seconds a single burst may take before a check takes too long to be of use."""

PAUSE = 0.05
"""Seconds given to a system that says it is quiet, to see whether it is."""

_VERBS = frozenset(str(kind.__struct_config__.tag) for kind in AnyCommand.__args__)
_STATUSES = frozenset({"idle", "running", "cancelling", "disposed"})


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing wrong with an adapter: which check found it, what it is, and what to do."""

    check: str
    what: str
    hint: str

    def __str__(self) -> str:
        return f"{self.check}: {self.what}. {self.hint}"


@dataclass(slots=True)
class SelfTest:
    """What the self-test found; `fit` if nothing was wrong. `notes` are no faults."""

    system: str = ""
    findings: list[Finding] = field(default_factory=list[Finding])
    notes: list[str] = field(default_factory=list[str])
    round_trip: float = 0.0
    probes: int = 0

    @property
    def fit(self) -> bool:
        """Whether the adapter may be trusted."""
        return not self.findings

    def found(self, check: str, what: str, hint: str) -> None:
        """Add a finding, once."""
        finding = Finding(check, what, hint)
        if finding not in self.findings:
            self.findings.append(finding)


def selftest(system: System, *, speed: bool = True) -> SelfTest:
    """Test an adapter through its unchecked system (`load.open_raw`). Never raises for what the system does.

    Without `speed` how fast it answers is left out: that makes no verdict wrong.
    """
    test = SelfTest()
    try:
        description = system.describe()
    except AdapterError as error:
        test.found("describe", error.what, error.hint or "answer initialize with who you are and your profile")
        return test
    test.system = f"{description.name} {description.version}".strip()
    _profile(test, description)
    tester = _Tester(system, description.profile, test)
    checks = (tester.shapes, tester.quiet, tester.determinism, tester.behaviour)
    for check in (*checks, tester.latency) if speed else checks:
        try:
            check()
        except AdapterError as error:
            test.found("answers", error.what, error.hint or "answer every run")
            if isinstance(error, SystemHung | SystemExited):
                # what follows would only say so again, one time limit each
                break
    return test


def _profile(test: SelfTest, description: Description) -> None:
    profile = description.profile
    for name, given, known in (
        ("commands", profile.commands, _VERBS),
        ("observations", profile.observations, frozenset(MEMBERS)),
        ("statuses", profile.statuses, _STATUSES),
    ):
        for unknown in sorted(set(given) - known):
            test.found("profile", f"{name} lists {unknown!r}, which is no name of the protocol", "correct or remove it")
    missing = [name for name in FLOOR_COMMANDS if name not in profile.commands]
    missing += [name for name in FLOOR_OBSERVATIONS if name not in profile.observations]
    if missing:
        test.notes.append(f"below the floor: nothing is judged without {', '.join(missing)}")
    if profile.ticks != ("tick" in profile.commands):
        test.found("profile", "ticks and the command tick do not agree", "declare both or neither")


class _Tester:
    def __init__(self, system: System, profile: Profile, test: SelfTest) -> None:
        self._system = system
        self._profile = profile
        self._test = test
        self._life = probes.life(profile)
        self._seen: set[str] = set()

    def shapes(self) -> None:
        """Every answer and observation is well-formed and declared."""
        self._checked(self._life)

    def quiet(self) -> None:
        """Nothing is seen when nothing is asked: in an empty burst, or after a pause."""
        with_pauses: list[Burst] = [burst for asked in self._life.bursts for burst in (asked, ())]
        spaced = self._run(with_pauses)
        for index, result in enumerate(spaced):
            if index % 2 and result.seen:
                self._not_quiet(index // 2, with_pauses[index - 1], result)
        self._system.reset({})
        for index, burst in enumerate(self._life.bursts):
            self._system.run([burst])
            time.sleep(PAUSE)
            late = self._system.run([()])[0]
            if late.seen:
                self._not_quiet(index, burst, late)

    def _not_quiet(self, index: int, burst: Burst, late: BurstResult) -> None:
        self._test.found(
            "quiet",
            f"burst {index} ({_text(burst)}) was answered before the system was quiet: {late.seen[0].event} came later",
            "answer a burst only when nothing in the system can run before the environment acts",
        )

    def determinism(self) -> None:
        """The same run gives the same answer: again, and after another run."""
        first = self._run(self._life.bursts)
        again = self._run(self._life.bursts)
        other = self._life.bursts[: len(self._life.bursts) // 2]
        self._run(other)
        after = self._run(self._life.bursts)
        for results in (again, after):
            index = next((n for n, (a, b) in enumerate(zip(first, results, strict=True)) if a != b), None)
            if index is not None:
                burst = _text(self._life.bursts[index])
                difference = _difference(first[index], results[index])
                self._test.found(
                    "determinism",
                    f"burst {index} ({burst}) differs between runs: {difference}",
                    "reset must begin afresh, and nothing may depend on time, chance, memory or dictionary order",
                )
                return

    def behaviour(self) -> None:
        """Declared commands work, declared gates are reported, declared reads are there."""
        for probe in (*probes.commands(self._profile), *probes.gates(self._profile)):
            results = self._checked(probe)
            if results is None:
                continue
            if probe.command is not None and results[-1].calls and results[-1].calls[-1].refused == "unsupported":
                self._test.found(
                    "profile",
                    f"{probe.command} is declared but refused as unsupported",
                    "remove it from profile.commands, or support it",
                )
            if probe.gate is not None and not any(
                seen.event == "gate" and seen.gate == probe.gate for result in results for seen in result.seen
            ):
                self._test.found(
                    "profile",
                    f"gate {probe.gate} is declared but was not reported when held and reached",
                    "report a gate observation and wait there, or remove it from profile.gates",
                )
            if probe.command == "read":
                self._reads(results[-1])
        unseen = sorted(set(self._profile.observations) - self._seen)
        if unseen:
            self._test.notes.append(f"declared but not seen in any probe: {', '.join(unseen)}")

    def _reads(self, result: BurstResult) -> None:
        value = result.calls[-1].ok
        there = set(value) if isinstance(value, dict) else set[str]()
        for name, member in (("inspect", "inspect"), ("lookup", "status")):
            if name in self._profile.reads and member not in there:
                self._test.found(
                    "profile",
                    f"{name} is declared but reading an agent gives no {member}",
                    f"answer read with {member}, or remove {name} from profile.reads",
                )

    def latency(self) -> None:
        """A burst is answered fast enough for thousands of runs."""
        burst: Burst = (Send("a", "m1"),)
        times: list[float] = []
        for _ in range(20):
            self._run(self._life.bursts[:1])
            began = time.perf_counter()
            self._system.run([burst])
            times.append(time.perf_counter() - began)
        self._test.round_trip = statistics.median(times)
        if self._test.round_trip > SLOW:
            self._test.found(
                "latency",
                f"a burst takes {self._test.round_trip * 1000:.0f} ms",
                "wait for events instead of sleeping; keep the process alive and make reset cheap",
            )

    def _run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        self._test.probes += 1
        return run_one(self._system, Run(tuple(bursts)))

    def _checked(self, probe: Probe) -> list[BurstResult] | None:
        """Run a probe; what is not well-formed becomes a finding."""
        results = self._run(probe.bursts)
        self._seen.update(seen.event for result in results for seen in result.seen)
        try:
            Wellformed(self._profile).check(probe.bursts, results)
        except AdapterError as error:
            self._test.found("shapes", f"{probe.name}: {error.what}", error.hint)
        faults = [seen.text for result in results for seen in result.seen if seen.event == "fault"]
        if faults:
            text = faults[0] if faults[0] is not UNSET else "no text"
            self._test.found("faults", f"{probe.name}: {text}", "no error, warning or task may be left unhandled")
        return results


def open_and_test(opener: Callable[[], System]) -> SelfTest:
    """Open, test and stop a system."""
    system = opener()
    try:
        return selftest(system)
    finally:
        system.stop()


def _text(burst: Burst) -> str:
    return " ".join(command.verb for command in burst) or "nothing"


def _difference(first: BurstResult, second: BurstResult) -> str:
    pairs = (*zip(first.calls, second.calls, strict=False), *zip(first.seen, second.seen, strict=False))
    for one, other in pairs:
        if one != other:
            return f"{to_json(one).decode()[:120]} against {to_json(other).decode()[:120]}"
    return f"{len(first.seen)} observations against {len(second.seen)}"
