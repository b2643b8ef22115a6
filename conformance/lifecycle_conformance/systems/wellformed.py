"""Whether what a system answers and shows can be true of any run: shapes, references, and what its profile declares.

Refuses to judge behaviour: it knows no status rule and no order. What fails here is the adapter's fault, never a
violation: an undeclared observation, a reference nobody gave, a gate nobody asked about.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from lifecycle_conformance.systems.adapter import Run, RunOutcome, System, blamed, check_counts, run_all
from lifecycle_conformance.systems.errors import AdapterError
from lifecycle_model.commands import AnyCommand, Burst, Hold, Json, React, Watch
from lifecycle_model.wire import MEMBERS, UNSET, Answer, BurstResult, Description, Observation, Profile, to_json

REFUSALS = frozenset(
    {
        "duplicate_id",
        "not_live",
        "disposed",
        "inactive_owner",
        "inactive_provider",
        "provider_taken",
        "conflicting_ids",
        "no_persistence",
        "not_stored",
        "stale_log",
        "aborted",
        "invalid",
        "setup_failed",
        "mint_failed",
        "load_failed",
        "flush_failed",
        "vetoed",
        "invalid_message",
        "busy",
        "unknown_session",
        "unknown_task",
        "foreign_task",
        "already_entered",
        "already_announced",
        "reentrant_append",
        "output_failed",
        "no_such_gate",
        "unsupported",
        "value",
    }
)
"""Every refusal code of protocol 1; `value` stands for a thrown plain value."""

ALWAYS_SHOWN = frozenset({"fault"})
"""What a system may show without declaring it."""


class Wellformed:
    """Checks one run, burst by burst; `begin` at each reset."""

    def __init__(self, profile: Profile) -> None:
        self._shown = frozenset(profile.observations) | ALWAYS_SHOWN
        self._statuses = frozenset(profile.statuses)
        self.begin()

    def begin(self) -> None:
        """Forget the run before."""
        self._due: dict[str, int] = {}
        self._gates: set[str] = set()
        self._names: set[str] = set()
        self._loose: set[str] = set()

    def check(self, bursts: Sequence[Burst], results: Sequence[BurstResult]) -> None:
        """Raise `AdapterError`, naming the burst, for the first thing that cannot be."""
        check_counts(bursts, results)
        for index, (burst, result) in enumerate(zip(bursts, results, strict=True)):
            self._asked(burst)
            wrong = self._answers(burst, result.calls) or self._seen(result.seen)
            if wrong is not None:
                what, hint = wrong
                raise AdapterError(f"burst {index}: {what}", hint=hint, burst=index)

    def _asked(self, commands: Iterable[AnyCommand]) -> None:
        for command in commands:
            if isinstance(command, Hold | Watch):
                self._gates.add(command.gate)
            elif isinstance(command, React):
                gate = command.on.get("gate")
                if isinstance(gate, str):
                    self._gates.add(gate)
                if command.as_ is not None:
                    self._names.add(command.as_)
                # whether and how often these are performed is only seen when the reaction has a name
                self._loose.update(str(getattr(inner, "as_", None)) for inner in command.then)
                self._asked(command.then)

    def _answers(self, commands: Sequence[AnyCommand], answers: Sequence[Answer]) -> tuple[str, str] | None:
        for command, answer in zip(commands, answers, strict=True):
            given = [name for name in ("ok", "refused", "pending", "value") if getattr(answer, name) is not UNSET]
            if len(given) != 1:
                return (
                    f"{command.verb} is answered with {given or 'nothing'}",
                    "answer exactly one of ok, refused, pending, value",
                )
            if (code := answer.refused) is not UNSET and code not in REFUSALS:
                return f"{command.verb} is refused with the unknown code {code!r}", "use a code of the protocol"
            if (ref := answer.pending) is not UNSET:
                expected = getattr(command, "as_", None)
                if ref != expected:
                    return f"{command.verb} is pending as {ref!r}", f"give back its own reference, {expected!r}"
                self._due[str(ref)] = self._due.get(str(ref), 0) + 1
        return None

    def _seen(self, seen: Sequence[Observation]) -> tuple[str, str] | None:
        for observation in seen:
            wrong = self._one(observation)
            if wrong is not None:
                return wrong[0] + f" in {to_json(observation).decode()[:200]}", wrong[1]
        return None

    def _one(self, seen: Observation) -> tuple[str, str] | None:
        event = seen.event
        if event not in MEMBERS:
            return f"an unknown event {event!r}", "use the names of the contract's What is observable"
        if event not in self._shown:
            return f"{event} is shown but not declared", "add it to profile.observations, or do not show it"
        missing = [name for name in MEMBERS[event] if getattr(seen, name) is UNSET]
        if missing:
            return f"{event} lacks {', '.join(missing)}", "every observation has the members of the protocol"
        if event == "heard":
            return self._heard(seen)
        if event == "settled":
            return self._settled(seen)
        if event == "gate" and seen.gate not in self._gates:
            return f"gate {seen.gate} is shown unasked", "show only gates that are held, watched or reacted to"
        if event == "agent/status" and seen.status not in self._statuses:
            return f"status {seen.status} is shown but not declared", "add it to profile.statuses"
        return None

    def _settled(self, seen: Observation) -> tuple[str, str] | None:
        ref = str(seen.of)
        if [seen.ok, seen.refused, seen.value].count(UNSET) != 2:
            return "settled has not exactly one of ok, refused and value", "say how the call came out"
        if ref in self._loose:
            return None
        if not self._due.get(ref):
            return f"{ref} settled but is not pending", "show settled once for each call answered pending"
        self._due[ref] -= 1
        return None

    def _heard(self, seen: Observation) -> tuple[str, str] | None:
        if seen.as_ not in self._names:
            return f"heard by {seen.as_!r}, which was never armed", "show heard only for reactions with that name"
        return None


class Checked:
    """A system whose every answer is checked; itself a `System`, and as fast at several runs as the one it wraps."""

    def __init__(self, system: System) -> None:
        self.system = system
        self._wellformed: Wellformed | None = None

    def describe(self) -> Description:
        """As the system."""
        return self.system.describe()

    def reset(self, policies: Mapping[str, Json]) -> None:
        """As the system; the checks begin anew."""
        with blamed("reset"):
            self.system.reset(policies)
        self._checker().begin()

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        """As the system; raises `AdapterError` for results that cannot be."""
        with blamed("run"):
            results = self.system.run(bursts)
        self._checker().check(bursts, results)
        return results

    def run_all(self, runs: Iterable[Run]) -> Iterator[RunOutcome]:
        """As `adapter.run_all`, checked."""
        told: list[Run] = []
        checker = self._checker()

        def ahead() -> Iterator[Run]:
            for run in runs:
                told.append(run)
                yield run

        for outcome in run_all(self.system, ahead()):
            run = told.pop(0)
            if isinstance(outcome, AdapterError):
                yield outcome
                continue
            checker.begin()
            try:
                checker.check(run.bursts, outcome)
            except AdapterError as error:
                yield error
            else:
                yield outcome

    def stop(self) -> None:
        """As the system."""
        self.system.stop()

    def _checker(self) -> Wellformed:
        if self._wellformed is None:
            self._wellformed = Wellformed(self.system.describe().profile)
        return self._wellformed
