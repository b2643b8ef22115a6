"""The forms of one failure: eight lines, the diagrams, what is pasted, the trace file; all equal for equal failures."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import itf_py
import msgspec
import pytest

from lifecycle_conformance.failure.asked import burst as asked
from lifecycle_conformance.failure.clauses import clauses_of
from lifecycle_conformance.failure.itf import to_itf
from lifecycle_conformance.failure.lines import MOST, lines
from lifecycle_conformance.failure.notation import observations
from lifecycle_conformance.failure.parting import partings
from lifecycle_conformance.failure.pasted import pytest_test, replay_line, stdio_script
from lifecycle_conformance.failure.reading import NotationError, read
from lifecycle_conformance.failure.regression import replayed
from lifecycle_conformance.failure.sequence import of_failure, of_trace
from lifecycle_conformance.failure.tracefile import TraceError, read_trace, trace_json, trace_schema
from lifecycle_conformance.failure.value import (
    Alternative,
    Failure,
    of_alternatives,
    of_findings,
    of_vector,
    recorded,
)
from lifecycle_conformance.monitors import Finding, watch
from lifecycle_conformance.vectors import bursts_of, check_vector, load_vectors
from lifecycle_diagrams.sequence import Arrow, Note
from lifecycle_diagrams.sequence_mermaid import mermaid
from lifecycle_diagrams.sequence_svg import svg
from lifecycle_model.commands import (
    AnyCommand,
    Cancel,
    Create,
    Hold,
    Json,
    Outcome,
    React,
    Read,
    Release,
    Send,
    Session,
    WhenIdle,
)
from lifecycle_model.contract1 import contract
from lifecycle_model.engine import Engine
from lifecycle_model.quiet import perform
from lifecycle_model.state import start
from lifecycle_model.wire import MEMBERS, Answer, BurstResult, Description, Profile, Trace, TraceBurst

ALL = Profile(
    commands=("create", "send", "cancel", "hold", "read"),
    observations=tuple(MEMBERS),
    gates=("model",),
    reads=("lookup", "inspect"),
)
OK = Answer(ok=None)


def burst(*commands: AnyCommand, seen: str = "", calls: tuple[Answer, ...] | None = None) -> TraceBurst:
    return TraceBurst(commands, calls or (OK,) * len(commands), read(seen, "a"))


WRONG = "enq(m2) creq(user) status(cancelling) abort(user) disc[m2]"
RIGHT = "enq(m2) creq(user) disc[m2] status(cancelling) abort(user)"
TRACE = Trace(
    (
        burst(Create(id="a"), seen='s+ a+ start(startup) h1="handle"', calls=(Answer(pending="h1"),)),
        burst(
            Hold("model", "a", sticky=True),
            Send("a", "m1"),
            seen="enq(m1) status(running) deq(m1) TS(1) UM(m1) SS(1) request(1,1)[m1] <model>",
            calls=(OK, Answer(ok="m1")),
        ),
        burst(Send("a", "m2"), Cancel("a"), seen=WRONG, calls=(Answer(ok="m2"), OK)),
        burst(Read(agent="a")),
    ),
    system="reference",
    version="0.1.0",
    seed=7,
    engine="suite",
)
ALLOWED = Alternative(read(RIGHT, "a"), (Answer(ok="m2"), OK))


def by_oracle(*more: Alternative) -> Failure:
    return of_alternatives(TRACE, 2, [ALLOWED, *more], ["C4", "C5"])


def by_monitor() -> Failure:
    return of_findings(TRACE, watch(TRACE.bursts, ALL))


def by_vector() -> Failure:
    [vector] = [one for one in load_vectors() if one.id == "VC04"]
    results = [BurstResult() for _ in bursts_of(vector)]
    trace = recorded(bursts_of(vector), results, Description("reference", ALL), engine="vectors")
    return of_vector(trace, vector, check_vector(vector, results, ALL))


FAILURES: dict[str, Callable[[], Failure]] = {"oracle": by_oracle, "monitor": by_monitor, "vector": by_vector}
AGAIN = "  again: lifecycle replay failure.json --system reference"


# the value ----------------------------------------------------------------------------------------------------------


def test_a_failure_ends_with_the_burst_that_failed() -> None:
    failure = by_oracle()
    assert (failure.burst, failure.did.do, len(failure.earlier)) == (2, TRACE.bursts[2].do, 2)
    assert failure.trace.verdict == "VIOLATES"
    assert list(failure.sentences) == ["C4", "C5"]
    assert by_monitor().burst == 2
    # the burst of a vector stands among bursts of reads
    assert by_vector().did.do == by_vector().vector.bursts[1].do  # type: ignore[union-attr]  # it has one


def test_a_fingerprint_is_of_the_run_alone() -> None:
    other = msgspec.structs.replace(TRACE, system="mine", seed=1, engine="walk")
    assert of_alternatives(other, 2, [], ["C9"]).fingerprint == by_oracle().fingerprint
    assert of_alternatives(other, 1, [], ["C9"]).fingerprint != by_oracle().fingerprint


# eight lines --------------------------------------------------------------------------------------------------------


def test_the_eight_lines_say_what_was_allowed_and_what_happened() -> None:
    assert lines(by_oracle(), AGAIN, 110) == [
        "C4 C5 broken by reference (suite, seed 7)",
        "  after create(a)→h1 ; hold(model, sticky) send(m1)",
        "  then  send(m2) cancel",
        "  the contract allows                                  | the system did",
        "  … creq(user) » disc[m2] status(cancelling) abort(us… | » status(cancelling) abort(user) disc[m2]",
        "  C4: An effective cancel yields in one segment: cancel-requested, at most one discard, at most one",
        "  status(cancelling), abort observers.",
        AGAIN,
    ]


def test_an_invariant_says_what_it_means() -> None:
    said = "\n".join(lines(by_monitor()))
    assert "the system did: enq(m2) creq(user) » status(cancelling)" in said
    assert "that breaks I8: a still held m2 at status(cancelling), though it was pending at cancel-requested" in said


def test_a_vector_is_named_with_what_it_wrote() -> None:
    said = lines(by_vector())
    assert said[0].startswith("VC04 replacement before the claim: C9 C11 V4 broken by reference")
    assert "  enq(mA) of x is missing" in said


OTHERS = [
    Alternative(read(f"enq(m2) status({status})", "a")) for status in ("idle", "disposed", "running", "cancelling")
]


def test_every_explanation_is_shown_or_counted() -> None:
    two = lines(by_oracle(OTHERS[0]), AGAIN)
    assert sum("»" in line for line in two) == 2
    assert any(line.startswith("  or ") for line in two)
    many = lines(by_oracle(*OTHERS), AGAIN)
    assert "  … and 3 more" in many


@pytest.mark.parametrize("width", [20, 60, 80, 100, 200])
@pytest.mark.parametrize("name", FAILURES)
def test_never_a_ninth_line_and_none_too_wide(name: str, width: int) -> None:
    for failure in (FAILURES[name](), by_oracle(*OTHERS)):
        for replay in ("", AGAIN):
            said = lines(failure, replay, width)
            assert 3 <= len(said) <= MOST
            # the line that replays is pasted, so it is never cut
            assert not replay or said[-1] == replay
            assert max(len(line) for line in said if line != replay) <= max(width, 40)
            assert any(clause in "\n".join(said) for clause in failure.clauses)


def test_answers_and_settled_calls_part_too() -> None:
    refused = Alternative(read(WRONG, "a"), (Answer(refused="disposed"), OK))
    [parting] = partings(of_alternatives(TRACE, 2, [refused], ["C4"]))
    assert (parting.subject, parting.allowed, parting.did) == ("the answers", ("refused(disposed)",), ('"m2"',))
    settled = Alternative(read(f"{WRONG} w1=null", "a"))
    [parting] = partings(of_alternatives(TRACE, 2, [settled], ["C4"]))
    assert (parting.subject, parting.allowed, parting.did) == ("", ("w1=null",), ())


def test_of_two_reads_only_what_differs_is_told() -> None:
    here: dict[str, Json] = {"status": "idle", "queued": [], "inspect": {"marker": True, "turn": None}}
    there: dict[str, Json] = {"status": "idle", "queued": ["m1"], "inspect": {"marker": True}, "mine": 1}
    trace = msgspec.structs.replace(TRACE, bursts=(burst(Read(agent="a"), calls=(Answer(ok=there),)),))
    [parting] = partings(of_alternatives(trace, 0, [Alternative((), (Answer(ok=here),))], ["Q5"]))
    assert (parting.subject, parting.allowed, parting.did) == (
        "what is read",
        ('{"queued":[]}',),
        ('{"queued":["m1"]}',),
    )


def test_what_reads_alike_and_differs_is_told_in_full() -> None:
    steered = read(WRONG, "a")[0]
    alike = msgspec.structs.replace(steered, wakeup=True, item="m2", text="x")
    other = msgspec.structs.replace(alike, steering=True)
    trace = msgspec.structs.replace(TRACE, bursts=(TraceBurst((), (), (msgspec.structs.replace(alike, label="q"),)),))
    [parting] = partings(of_alternatives(trace, 0, [Alternative((msgspec.structs.replace(alike, label="p"),))], ["C4"]))
    assert '"label":"p"' in parting.allowed[0]
    assert '"label":"q"' in parting.did[0]
    assert other != alike


# notation -----------------------------------------------------------------------------------------------------------

SHORT = (
    "s+ a+ start(startup) enq(m1) enq(m2,steer) enq(m3,quiet) status(running) deq(m1) TS(1) UM(m1) <model:user> SS(1)"
    " request(1,1)[m1] AM TC(1.1.1) TR(1.1.1) TR(1.1.2,ABORTED_BEFORE_DISPATCH) SM(m2) SE(1) creq(user) disc[m1,m2*]"
    " abort(user) err(1,1) TE(1,aborted) FL FL. FL.(failed) TS(2,injection) blocked l1! w1=null h1=refused(busy) a- s-"
    " scope contained(x) b: status(idle) task(completion)"
)


def test_the_short_forms_are_written_and_read_alike() -> None:
    assert observations(read(SHORT, "a"), "a") == SHORT


@pytest.mark.parametrize("word", ["unheard-of(1)", "status(running", "((", "sta tus"])
def test_a_word_that_means_nothing_is_refused(word: str) -> None:
    with pytest.raises(NotationError, match="observation"):
        read(word, "a")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (Send("a", "m1", wakeup=False, contexts=("m2",)), "send(m1, +m2, quiet)"),
        (Send("b", "m1"), "send(b, m1)"),
        (Cancel("a", cause="parent", keep_inbox=True), "cancel(parent, keep_inbox)"),
        (Hold("flush", "a", turn=2, sticky=True), "hold(flush turn 2, sticky)"),
        (Release("model", "a", with_=Outcome("tools", tools=2)), "release(model, tools 2)"),
        (WhenIdle("a"), "when_idle→w1"),
        (Read(registry=True), "read(registry)"),
        (Session("append", id="z", record={"event": "user/message", "message": "mP"}), "session(append, z, UM(mP))"),
        (
            React(
                on={"event": "agent/status", "status": "running"}, then=(Cancel("a"),), throw="sync", times=2, as_="l1"
            ),
            "on status(running) {cancel throw sync} ×2 as l1",
        ),
        (
            React(on={"gate": "validation", "record": "turn/start"}, with_="fail"),
            "on <validation turn/start> {give fail}",
        ),
    ],
)
def test_a_command_is_told_in_short(command: AnyCommand, said: str) -> None:
    assert asked([command], "a") == said


# diagrams -----------------------------------------------------------------------------------------------------------


def test_what_is_wrong_is_crossed_and_what_is_allowed_is_noted() -> None:
    drawn = of_failure(by_oracle(OTHERS[0]))
    assert drawn.lanes == ("environment", "provider", "agent a", "session store")
    wrong = [step.words for step in drawn.steps if isinstance(step, Arrow) and step.wrong]
    assert wrong == [("status(cancelling)", "abort(user)", "disc[m2]")]
    notes = [step.text for step in drawn.steps if isinstance(step, Note) and step.about in ("allowed", "clause")]
    assert notes == ["allowed: disc[m2] status(cancelling) abort(user)", "or: status(idle)", "C4 C5"]


def test_only_the_finding_is_crossed() -> None:
    drawn = of_failure(by_monitor())
    assert [s.words for s in drawn.steps if isinstance(s, Arrow) and s.wrong] == [("status(cancelling)",)]


def test_a_finding_about_an_earlier_burst_points_at_nothing_in_the_last() -> None:
    earlier = Finding("I1", 0, "a said something too early", 3)
    both = msgspec.structs.replace(by_oracle(), findings=(earlier,))
    assert [s.words for s in of_failure(both).steps if isinstance(s, Arrow) and s.wrong] == [
        ("status(cancelling)", "abort(user)", "disc[m2]")
    ]
    alone = msgspec.structs.replace(both, allowed=())
    assert partings(alone) == []
    assert "  that breaks I1: a said something too early" in lines(alone)
    assert not any(step.wrong for step in of_failure(alone).steps if isinstance(step, Arrow))


def test_a_plain_trace_has_nothing_wrong() -> None:
    drawn = of_trace(TRACE)
    assert drawn.title == "reference 0.1.0"
    assert not any(step.wrong for step in drawn.steps if isinstance(step, Arrow))


def test_a_cancelled_turn_is_a_bar_with_a_cross_and_its_clauses() -> None:
    here, engine, bursts = start(), Engine(contract()), list[TraceBurst]()
    for do in ((Create(id="a", as_="h1"), Hold("model", "a")), (Send("a", "m1"),), (Cancel("a"), Send("a", "m2"))):
        outcome = perform(engine, here, do)[0]
        here = outcome.configuration
        bursts.append(TraceBurst(do=do, calls=outcome.answers, seen=outcome.seen))
    trace = Trace(bursts=tuple(bursts))
    drawn = of_trace(trace, clauses_of(trace))
    created, turn, _ = drawn.bars
    assert (created.lane, turn.lane) == ("provider", "agent a")
    first, last = drawn.steps[turn.first], drawn.steps[turn.last]
    assert isinstance(first, Arrow)
    assert isinstance(last, Arrow)
    assert (first.words[0], last.words[1]) == ("TS(1)", "TE(1,aborted)")
    crossed = [step for step in drawn.steps if isinstance(step, Arrow) and step.cuts]
    assert [step.words[2] for step in crossed[:1]] == ["abort(user)"]
    told = [step.text for step in drawn.steps if isinstance(step, Note) and step.about == "clause"]
    assert len(told) == 1
    assert "C7" in told[0].split()
    # from the first burst that the model does not repeat nothing is explained
    other = Trace(bursts=(bursts[0], bursts[2], bursts[1]))
    assert {burst for burst, _ in clauses_of(other)} == {0}


def test_mermaid_says_the_same_in_its_own_words() -> None:
    text = mermaid(of_failure(by_oracle()))
    assert text.startswith("sequenceDiagram\n")
    assert "  l2--xl0: status(cancelling) abort(user) disc[m2]\n" in text
    assert "  Note over l2: ‹model›\n" in text
    # a label holds nothing that ends a statement, starts an entity, or is taken for a tag
    labels = [line.partition(": ")[2].replace("<br/>", "") for line in text.splitlines()]
    assert not any(set(label) & set("#;<>") for label in labels)


@pytest.mark.parametrize("name", FAILURES)
def test_the_svg_is_well_formed_and_names_no_address(name: str) -> None:
    text = svg(of_failure(FAILURES[name]()))
    root = ET.fromstring(text)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.attrib["role"] == "img"
    width = float(root.attrib["viewBox"].split()[2])
    places = [float(each.attrib["x"]) for each in root.iter("{http://www.w3.org/2000/svg}text")]
    assert all(0 <= place <= width for place in places)
    assert text.replace('xmlns="http://www.w3.org/2000/svg"', "").find("http") == -1


# pasted -------------------------------------------------------------------------------------------------------------


def test_the_replay_line_survives_a_shell() -> None:
    line = replay_line("my failure.json", "stdio:my tool --fast")
    assert shlex.split(line) == ["lifecycle", "replay", "my failure.json", "--system", "stdio:my tool --fast"]
    assert replay_line("f.json", "reference") == "lifecycle replay f.json --system reference"


def test_the_stdio_script_is_one_request_a_line() -> None:
    requests = [json.loads(line) for line in stdio_script(by_oracle().trace).splitlines()]
    assert [request["method"] for request in requests] == ["initialize", "reset", "run"]
    assert len(requests[2]["params"]["bursts"]) == 3
    assert requests[2]["params"]["bursts"][2][1] == {"do": "cancel", "agent": "a"}


FAKE = """
import msgspec
from pathlib import Path
from lifecycle_model.wire import BurstResult, Description, Profile, Trace, MEMBERS

TRACE = msgspec.json.decode((Path(__file__).parent / "trace.json").read_bytes(), type=Trace)

class Wrong:
    def describe(self):
        observations = tuple(event for event in MEMBERS if event != "session/event")
        return Description("wrong", Profile(("create", "hold", "send", "cancel", "when_idle", "read"), observations,
            gates=("model", "flush"), reads=("lookup",)))
    def reset(self, policies): pass
    def run(self, bursts):
        return [BurstResult(burst.calls, burst.seen) for burst in TRACE.bursts][: len(bursts)]
    def stop(self): pass
"""


def run_pasted(folder: Path, *names: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", *names]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)


def test_a_regression_test_passes_on_the_right_system_and_fails_on_the_wrong_one(tmp_path: Path) -> None:
    for name, made in FAILURES.items():
        (tmp_path / f"test_right_{name}.py").write_text(pytest_test(made(), "reference"))
        if name != "vector":
            (tmp_path / f"test_wrong_{name}.py").write_text(pytest_test(made(), "python:wrong_system:Wrong"))
    (tmp_path / "wrong_system.py").write_text(FAKE)
    (tmp_path / "trace.json").write_bytes(trace_json(TRACE))
    ran = run_pasted(tmp_path, ".")
    assert "2 failed, 3 passed" in ran.stdout, ran.stdout + ran.stderr
    assert "C4 C5 broken by wrong (regression test, seed 0)" in ran.stdout
    assert "» disc[m2] status(cancelling)" in ran.stdout
    assert "that breaks I8: a still held m2 at status(cancelling)" in ran.stdout


class Deaf:
    """A system that shows nothing and answers everything."""

    def describe(self) -> Description:
        return Description("deaf", Profile(commands=("create",), observations=("agent/status",), statuses=("idle",)))

    def reset(self, policies: object) -> None:
        self.policies = policies

    def run(self, bursts: object) -> list[BurstResult]:
        return [BurstResult((Answer(pending="h1"),))]

    def stop(self) -> None:
        raise AssertionError("a system at hand is not stopped")


def test_what_a_system_does_not_show_is_no_regression() -> None:
    bursts: list[list[dict[str, Json]]] = [[{"do": "create", "id": "a"}]]
    run = replayed(Deaf(), bursts)
    run.allows(
        [{"seen": [{"event": "agent/status", "of": "a", "status": "running"}, {"event": "scope", "of": "a"}]}], "S2"
    )
    run.keeps("I1 I8")
    with pytest.raises(AssertionError, match="S2 broken by deaf"):
        run.allows([{"seen": [], "calls": [{"refused": "aborted"}]}], "S2")


# the trace file -----------------------------------------------------------------------------------------------------


def test_a_trace_file_reads_back() -> None:
    assert read_trace(trace_json(TRACE)) == TRACE


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"not json", "failure.json is no trace"),
        (b'{"bursts": 1}', r"failure.json is no trace: .*bursts"),
        (b'{"bursts": [{"do": [{"do": "shout"}]}]}', "failure.json is no trace"),
        (b'{"protocol": 9, "shape": "of its own"}', "failure.json is of protocol 9, this is protocol 1; next: update"),
        (b"[]", "failure.json is no trace"),
    ],
)
def test_a_file_that_is_no_trace_is_refused(data: bytes, said: str) -> None:
    with pytest.raises(TraceError, match=said):
        read_trace(data, "failure.json")


def test_the_schema_is_generated_from_the_types() -> None:
    schema = json.loads(msgspec.json.encode(trace_schema()))
    assert schema["$ref"] == "#/$defs/Trace"
    references = {part.split('"')[0] for part in json.dumps(schema).split("#/$defs/")[1:]}
    assert references <= schema["$defs"].keys()
    assert {"Trace", "TraceBurst", "Observation", "Answer", "Send", "React"} <= references
    assert schema["$defs"]["Send"]["properties"]["do"] == {"enum": ["send"]}


def test_itf_is_read_back_by_its_own_package() -> None:
    document = json.loads(json.dumps(to_itf(TRACE)))
    trace = itf_py.trace_from_json(document)
    assert trace.vars == ["burst", "do", "calls", "seen"]
    assert len(trace.states) == len(TRACE.bursts)
    third = trace.states[2].values
    assert third["burst"] == 2
    assert [command["do"] for command in third["do"]] == ["send", "cancel"]
    assert [seen["event"] for seen in third["seen"]] == [seen.event for seen in TRACE.bursts[2].seen]
    assert type(third["calls"][1]["ok"]).__name__ == "Null"
    # what the package writes again is what it read
    assert itf_py.trace_from_json(itf_py.trace_to_json(trace)).states[2].values["burst"] == 2


# byte for byte ------------------------------------------------------------------------------------------------------

FORMS = """
import hashlib, sys
sys.path.insert(0, {folder!r})
import test_conformance_failure as t
parts = []
for made in t.FAILURES.values():
    failure = made()
    drawn = t.of_failure(failure)
    parts += ["\\n".join(t.lines(failure)), t.mermaid(drawn), t.svg(drawn), t.pytest_test(failure)]
    parts += [t.stdio_script(failure.trace), t.trace_json(failure.trace).decode(), repr(t.to_itf(failure.trace))]
    parts += [failure.fingerprint]
print(hashlib.sha256("".join(parts).encode()).hexdigest())
"""


def test_equal_failures_have_equal_bytes_in_another_process() -> None:
    code = FORMS.format(folder=str(Path(__file__).parent))
    digests = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(digests) == 1
    assert len(digests.pop().strip()) == hashlib.sha256().digest_size * 2


def test_the_order_of_members_does_not_leak() -> None:
    on: dict[str, Json] = {"event": "agent/status", "of": "a"}
    policies: dict[str, Json] = {"x": 1, "y": 2}
    forth = Trace((burst(React(on=on)),), policies=policies)
    back = Trace((burst(React(on=dict(reversed(on.items())))),), policies=dict(reversed(policies.items())))
    one, other = (of_alternatives(trace, 0, [ALLOWED], ["C4"]) for trace in (forth, back))
    assert pytest_test(one) == pytest_test(other)
    assert trace_json(one.trace) == trace_json(other.trace)
    assert stdio_script(one.trace) == stdio_script(other.trace)
    assert one.fingerprint == other.fingerprint
