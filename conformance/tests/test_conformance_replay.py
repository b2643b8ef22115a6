"""`lifecycle replay`: the same run again, model and system side by side, every explanation that is still possible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lifecycle_conformance.cli.replay import load
from lifecycle_conformance.engines import Setting, Worker
from lifecycle_conformance.failure.lines import lines
from lifecycle_conformance.failure.tracefile import trace_json
from lifecycle_conformance.failure.value import of_vector, recorded
from lifecycle_conformance.oracle import Outlook
from lifecycle_conformance.stepping import steps
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_conformance.told import failure_of
from lifecycle_conformance.trial import Judge
from lifecycle_conformance.vectors import bursts_of, check_vector, load_vectors
from lifecycle_model.commands import Burst, Cancel, Create, Send
from lifecycle_model.quiet import Outcomes
from lifecycle_model.state import Configuration
from lifecycle_model.wire import Answer, BurstResult

BURSTS: tuple[Burst, ...] = ((Create(id="a", as_="h1"),), (Send("a", "m1"), Cancel("a")))


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """The reference runtime, and the model beside it."""
    opened = Worker(Setting("reference", "1", 10.0))
    yield opened
    opened.system.stop()


def played(worker: Worker) -> list[BurstResult]:
    worker.system.reset({})
    return worker.system.run(BURSTS)


def without(result: BurstResult, event: str) -> BurstResult:
    return BurstResult(result.calls, tuple(one for one in result.seen if one.event != event))


def test_a_run_that_is_allowed_is_told_to_its_end(worker: Worker) -> None:
    told = list(steps(worker, BURSTS, played(worker), {}))
    assert [line for line in told if line[:1].isdigit()] == ["1. create(a)→h1", "2. send(a, m1) cancel(a)"]
    assert "     a disc[m1]                             | a disc[m1]" in told
    assert not any("!" in line for line in told)


def test_what_is_missing_and_what_is_answered_otherwise_is_marked(worker: Worker) -> None:
    first, second = played(worker)
    gone = list(steps(worker, BURSTS, [first, without(second, "agent/inbox/discard")], {}))
    assert "     a disc[m1]                             !" in gone
    assert gone[-1].startswith("   nothing allowed is what the system did: C")
    refused = BurstResult((Answer(refused="disposed"), *second.calls[1:]), second.seen)
    other = list(steps(worker, BURSTS, [first, refused], {}))
    assert any('answer 1: "m1"' in line and "! answer 1: refused(disposed)" in line for line in other)


class Twofold(Outlook):
    """A model that allows a discard to be told or not: two configurations stay possible."""

    def perform(self, configuration: Configuration, burst: Burst, key: bytes) -> tuple[Outcomes, ...]:
        return tuple(both for one in super().perform(configuration, burst, key) for both in (one, self.silent(one)))

    def silent(self, one: Outcomes) -> Outcomes:
        kept = [n for n, seen in enumerate(one.seen) if seen.event != "agent/inbox/discard"]
        return replace(one, seen=tuple(one.seen[n] for n in kept), said=tuple(one.said[n] for n in kept))


def test_every_explanation_still_possible_is_shown(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = played(worker)
    wrong = without(second, "agent/cancel-requested")
    twofold = Twofold(worker.engine)
    monkeypatch.setattr(worker, "outlook", twofold)
    told = list(steps(worker, BURSTS, [first, wrong], {}))
    assert told.count("   or") == 1
    assert sum("creq(user)" in line for line in told) == 2
    trial = Judge(twofold, worker.profile, monitored=False).judge(BURSTS, [first, wrong], {})
    failure = failure_of(trial, worker.system.describe(), 7, "1")
    assert [[one.event for one in each.seen] for each in failure.allowed] == [
        ["agent/inbox/enqueue", "agent/cancel-requested", "agent/inbox/discard"],
        ["agent/inbox/enqueue", "agent/cancel-requested"],
    ]
    assert any(line.startswith("  or ") for line in lines(failure))


def test_findings_alone_are_told_at_the_first_burst_that_breaks_an_invariant(worker: Worker) -> None:
    first, second = played(worker)
    doubled = BurstResult(second.calls, (*second.seen, *second.seen))
    trial = Judge(worker.outlook, worker.profile).judge(
        (*BURSTS, BURSTS[1]), [first, doubled, doubled], {}, modelled=False
    )
    assert trial.findings
    failure = failure_of(trial, worker.system.describe(), 0, "1")
    assert failure.burst == 1
    assert {finding.index for finding in failure.findings} == {1}


def test_a_vector_that_fails_is_kept_as_its_own_and_replayed_as_written(worker: Worker) -> None:
    [vector] = [one for one in load_vectors() if one.id == "VC04"]
    results = [BurstResult() for _ in bursts_of(vector)]
    trace = recorded(bursts_of(vector), results, worker.system.describe())
    failure = of_vector(trace, vector, check_vector(vector, results, worker.profile))
    assert (failure.trace.engine, failure.trace.about) == ("vector", "VC04")


def test_a_vectors_trace_is_judged_by_the_vector(
    worker: Worker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from lifecycle_conformance.cli import main

    [vector] = [one for one in load_vectors() if one.id == "VC04"]
    results = [BurstResult() for _ in bursts_of(vector)]
    failure = of_vector(
        recorded(bursts_of(vector), results, worker.system.describe()),
        vector,
        check_vector(vector, results, worker.profile),
    )
    place = tmp_path / "trace.json"
    place.write_bytes(trace_json(failure.trace))
    assert main(["replay", str(place)]) == 0
    whole = len(bursts_of(vector))
    assert f"CONFORMS  {whole} bursts" in capsys.readouterr().out


def test_a_file_that_is_not_there_or_no_trace_is_wrong_use(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="name a trace that"):
        load(tmp_path / "none.json")
    (tmp_path / "bad.json").write_text("[1")
    with pytest.raises(UsageError, match="is no trace"):
        load(tmp_path / "bad.json")
