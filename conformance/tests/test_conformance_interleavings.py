"""Interleavings: a race that the loop's own order hides is found, shrunk and repeated; the reference has none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from lifecycle_conformance.check import Options, check
from lifecycle_conformance.cli import main
from lifecycle_conformance.engines import Setting, Worker
from lifecycle_conformance.failure.pasted import pytest_test
from lifecycle_conformance.failure.tracefile import trace_json
from lifecycle_conformance.interleavings import Woven, interleave, play, woven
from lifecycle_conformance.systems.quiet import Quiet
from lifecycle_conformance.systems.schedule import Schedule, follow, shorter
from lifecycle_conformance.told import failure_of
from lifecycle_conformance.trial import Trial
from lifecycle_model.commands import Burst, Cancel, Create, Json, Send
from lifecycle_model.wire import Answer, BurstResult, Description, Observation, Profile


class Racy:
    """Right as long as two of its tasks run in the order they were made: status first, then the turn."""

    def __init__(self) -> None:
        self._quiet = Quiet(lambda text: None)
        self._schedule: Schedule | None = None
        self._seen: list[Observation] = []
        self._turn = 0

    def describe(self) -> Description:
        shown = ("agent/status", "turn/start", "turn/end", "settled")
        return Description("racy", Profile(("create", "send", "cancel"), shown))

    def follow(self, schedule: Schedule | None) -> None:
        self._schedule = schedule

    def reset(self, policies: Mapping[str, Json]) -> None:
        self._quiet.follow(None)
        self._quiet.clear()
        self._turn = 0
        if self._schedule is not None:
            self._schedule.begin()
            self._quiet.follow(self._schedule)

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        return [self._burst(burst) for burst in bursts]

    def stop(self) -> None:
        self._quiet.close()

    def _burst(self, burst: Burst) -> BurstResult:
        self._seen = []
        answers: list[Answer] = []
        self._quiet.settle(lambda: answers.extend(map(self._perform, burst)))
        return BurstResult(tuple(answers), tuple(self._seen))

    def _perform(self, command: object) -> Answer:
        if isinstance(command, Create):
            self._seen.append(Observation("settled", of=command.as_, ok="handle"))
            return Answer(pending=command.as_)
        if isinstance(command, Send):
            create_task = self._quiet.loop.create_task
            self._tasks = [create_task(one()) for one in (self._run, self._take, self._rest)]
            return Answer(ok=command.message)
        return Answer(ok=None)

    async def _run(self) -> None:
        self._seen.append(Observation("agent/status", of="a", status="running"))

    async def _take(self) -> None:
        self._turn += 1
        self._seen.append(Observation("turn/start", of="a", turn=self._turn))
        self._seen.append(Observation("turn/end", of="a", turn=self._turn, reason="completed"))

    async def _rest(self) -> None:
        self._seen.append(Observation("agent/status", of="a", status="idle"))


RUN = Woven("race", ((Create("a"),), (Send("a", "m1"),), (Cancel("a"),), (Send("a", "m2"),)), {})


@pytest.fixture
def racy() -> Iterator[Worker]:
    worker = Worker(Setting("racy", "1", 10.0), Racy())
    yield worker
    worker.system.stop()


@pytest.fixture(scope="module")
def reference() -> Iterator[Worker]:
    worker = Worker(Setting("reference", "1", 10.0))
    yield worker
    worker.system.stop()


def _found(worker: Worker) -> Trial:
    found = interleave(worker, [RUN], schedules=20)
    assert found.errors == []
    assert 0 < found.chosen <= found.runs == 20
    return min(found.failures, key=lambda trial: sum(trial.schedule))


def test_the_loops_own_order_hides_the_race(racy: Worker) -> None:
    assert not racy.play(RUN.bursts, {}).violates
    assert not play(racy, RUN, Schedule()).violates


def test_a_race_is_found_and_shrunk_in_both(racy: Worker) -> None:
    trial = _found(racy)
    assert trial.schedule == (1,), "one choice, the smallest"
    assert [command.verb for burst in trial.bursts for command in burst] == ["create", "send"]


def test_a_schedule_is_repeated_exactly(racy: Worker) -> None:
    seeded = play(racy, RUN, Schedule(seed="7"))
    for _ in range(3):
        again = play(racy, RUN, Schedule(seeded.schedule))
        assert (again.results, again.schedule) == (seeded.results, seeded.schedule)


def test_a_failure_carries_its_schedule_into_every_form(racy: Worker) -> None:
    failure = failure_of(_found(racy), racy.system.describe(), 0, "1")
    assert failure.trace.schedule == (1,)
    assert b'"schedule"' in trace_json(failure.trace)
    assert "schedule=[1]" in pytest_test(failure, "reference")


def test_a_stored_schedule_is_replayed_or_refused(
    racy: Worker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "trace.json"
    file.write_bytes(trace_json(failure_of(_found(racy), racy.system.describe(), 0, "1").trace))
    assert main(["replay", str(file), "--system", "reference"]) == 0
    assert main(["replay", str(file), "--system", "python:lifecycle_conformance.systems.stepped:make"]) == 2
    assert "schedule" in capsys.readouterr().err


def test_check_interleaves_where_its_profile_says_so(racy: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    from lifecycle_conformance import check as judged

    depth = judged.PROFILES["quick"]
    monkeypatch.setitem(judged.PROFILES, "quick", judged.Depth(depth.reactions, "kinds", 0, 0, 1, 10, "with schedules"))
    found = check(Options(vectors=False), system=racy.system)
    assert any(trial.schedule for trial in found.failures)
    monkeypatch.setitem(judged.PROFILES, "quick", judged.Depth(depth.reactions, "kinds", 0, 0, 1, 0, "without"))
    found = check(Options(vectors=False), system=racy.system)
    assert not any(trial.schedule for trial in found.failures)


def test_no_order_of_its_tasks_makes_the_reference_wrong(reference: Worker) -> None:
    found = interleave(reference, woven(reference, seed=3, histories=4), schedules=1)
    assert (found.errors, found.failures) == ([], [])
    assert found.chosen > found.runs / 3, "where no task can be chosen, nothing is shown"


def test_a_system_without_a_loop_of_ours_is_left_alone() -> None:
    assert not follow(object(), Schedule())


def test_shrinking_keeps_what_is_needed() -> None:
    def fails(choices: tuple[int, ...]) -> bool:
        return len(choices) > 2 and choices[2] >= 2

    assert shorter((3, 1, 4, 1, 5, 9, 2, 6), fails) == (0, 0, 2)
