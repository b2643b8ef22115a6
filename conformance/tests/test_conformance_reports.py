"""The forms of a report: what each says, that none is fooled by a system's words, and that no file loses a verdict."""

from __future__ import annotations

import errno
import io
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import msgspec
import pytest
import xmlschema
from junitparser import JUnitXml

from lifecycle_conformance.acp import report as acp
from lifecycle_conformance.acp.options import Limits
from lifecycle_conformance.failure.reading import read
from lifecycle_conformance.failure.value import Alternative, of_alternatives
from lifecycle_conformance.reports import (
    Coverage,
    Picture,
    Reason,
    ReportError,
    RunReport,
    Told,
    check_path,
    from_json,
    print_text,
    to_json,
    told,
    write_report,
)
from lifecycle_conformance.reports.html import page
from lifecycle_conformance.reports.junit import junit
from lifecycle_conformance.reports.markdown import markdown
from lifecycle_conformance.reports.of_acp import of_acp
from lifecycle_conformance.reports.text import text
from lifecycle_conformance.reports.words import by_section, count, covered, never
from lifecycle_model.clauses import CLAUSES
from lifecycle_model.commands import Cancel, Create, Send
from lifecycle_model.wire import Answer, Trace, TraceBurst

TRACE = Trace(
    (
        TraceBurst((Create(id="a"),), (Answer(pending="h1"),), read("s+ a+ start(startup)", "a")),
        TraceBurst(
            (Send("a", "m1"), Cancel("a")), (Answer(ok="m1"), Answer(ok=None)), read("enq(m1) disc[m1] creq(user)", "a")
        ),
    ),
    system="mine",
    engine="suite",
    seed=7,
)
FAILURE = of_alternatives(TRACE, 1, [Alternative(read("enq(m1) creq(user) disc[m1]", "a"))], ["C4", "I8"])
TOLD = told(FAILURE, "failures/C4.json", "stdio:my tool")

GREEN = RunReport(
    verdict="CONFORMS",
    system="mine",
    version="1.2",
    profile="quick",
    seed=7,
    coverage=Coverage(
        classes=14,
        runs=1200,
        histories=1,
        vectors=30,
        rows={"S/r4": 120, "S/r10": 3, "S/r9": 0},
        programs={"cancel": 40},
        clauses={clause: len(clause) for clause in CLAUSES if clause[0] in "SQC"},
    ),
    completeness="For a deterministic system with at most 1 more class, this suite misses no fault.",
    out_of_reach=(Reason("A10", "no acp"), Reason("A2", "no acp"), Reason("O1", "no task")),
    pictures=(Picture("Agent status", '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>'),),
    timings={"suite": 12.34, "total": 75.0},
)
RED = msgspec.structs.replace(
    GREEN,
    verdict="VIOLATES",
    failures=(TOLD, msgspec.structs.replace(TOLD, expected=True, clauses=("Q5",), fingerprint="feedfeedfeed")),
    stale=("Q6 0123456789ab",),
)
GREY = msgspec.structs.replace(
    GREEN, verdict="INCONCLUSIVE", inconclusive=(Reason("suite agent", "the system hung in burst 3"),)
)
REPORTS = {"green": GREEN, "red": RED, "grey": GREY, "bare": RunReport("INCONCLUSIVE", "mine", "quick")}
FORMS: dict[str, Callable[[RunReport], bytes]] = {
    ".html": lambda report: page(report).encode(),
    ".json": to_json,
    ".md": lambda report: markdown(report).encode(),
    ".txt": lambda report: text(report).encode(),
    ".xml": junit,
}

EVIL = "</script><script>alert(1)</script> & \"'`]]>\x00\x1b[31m | [x](y)\n# h <img src=http://x/>"
HOSTILE = msgspec.structs.replace(
    RED,
    system=EVIL,
    completeness=EVIL,
    failures=(msgspec.structs.replace(TOLD, lines=(EVIL, "```", EVIL), fingerprint=EVIL, test=EVIL, script=EVIL),),
    inconclusive=(Reason(EVIL, EVIL),),
    stale=(EVIL,),
)


# the value ----------------------------------------------------------------------------------------------------------


def test_the_verdict_decides_the_exit_code() -> None:
    assert [REPORTS[name].exit_code for name in ("green", "red", "grey")] == [0, 1, 3]


def test_an_expected_failure_breaks_nothing() -> None:
    assert RED.broken == {"C4": [TOLD], "I8": [TOLD]}


def test_a_failure_is_told_in_every_form() -> None:
    assert TOLD.replay == "lifecycle replay failures/C4.json --system stdio:'my tool'"
    assert TOLD.lines[-1].endswith(TOLD.replay)
    assert TOLD.mermaid.startswith("sequenceDiagram")
    assert TOLD.svg.startswith("<svg")
    assert 'replayed("stdio:my tool", BURSTS)' in TOLD.test
    assert len(TOLD.script.splitlines()) == 3


def test_counts_read_as_words() -> None:
    assert covered(GREEN) == (
        "1,200 runs, 14 classes, 1 history, 30 vectors, 2 of 3 rows, 1 of 1 programs,"
        f" {len(GREEN.coverage.clauses)} of {len(GREEN.coverage.clauses)} clauses"
    )
    assert covered(REPORTS["bare"]) == "nothing"
    assert [count(1, "class"), count(2, "class"), count(1234, "row")] == ["1 class", "2 classes", "1,234 rows"]
    assert never({"C10": 0, "C2": 0, "C3": 1}) == ["C2", "C10"]
    assert list(by_section({"S/r10": 1, "policy keep_inbox": 1, "S2": 1, "C1": 1})) == ["S", "C", "policies"]


# text, json, markdown -----------------------------------------------------------------------------------------------


def test_text_has_the_verdict_first_and_times_last() -> None:
    said = text(RED).splitlines()
    assert said[0] == "VIOLATES (expected violations are gone)  mine 1.2, contract 1, profile quick, seed 7"
    assert said[-1] == "time: suite 12.3 s, total 75.0 s"
    assert set(TOLD.lines) <= set(said)
    assert f"expected: {TOLD.lines[0]}" in said
    assert "    A2, A10: no acp" in said or "  A2, A10: no acp" in said
    assert "  never exercised: S/r9" in said
    assert "CONFORMS means" not in text(RED)
    assert GREEN.means[:60] in text(GREEN)
    assert "the system hung in burst 3" in text(GREY)


@pytest.mark.parametrize("name", REPORTS)
def test_json_reads_back(name: str) -> None:
    assert from_json(to_json(REPORTS[name])) == REPORTS[name]
    assert list(msgspec.json.decode(to_json(REPORTS[name])))[-1] == "timings"


def test_markdown_is_short_and_folded() -> None:
    said = markdown(RED)
    assert said.startswith("### ❌ VIOLATES (expected violations are gone): mine 1.2")
    assert said.count("<details>") == said.count("</details>") > 3
    assert "```mermaid\nsequenceDiagram" in said
    assert "1 expected" in said
    many = msgspec.structs.replace(RED, failures=(TOLD,) * 50)
    assert "… and 30 more failures." in markdown(many)
    assert len(markdown(many)) < 65_000


def test_markdown_is_not_fooled() -> None:
    fenced = msgspec.structs.replace(HOSTILE.failures[0], test=f"````\n{EVIL}")
    fence = ""
    for line in markdown(msgspec.structs.replace(HOSTILE, failures=(fenced,))).splitlines():
        marks = line[: len(line) - len(line.lstrip("`"))]
        if fence:
            fence = "" if line == fence else fence
        elif len(marks) >= 3:
            fence = marks
        else:
            assert "<script" not in line
            assert "<img" not in line
    assert fence == ""


# JUnit --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", REPORTS)
def test_junit_has_the_common_shape(name: str) -> None:
    root = ET.fromstring(junit(REPORTS[name]))
    assert root.tag == "testsuites"
    totals = {"tests": 0, "failures": 0, "errors": 0}
    for suite in root:
        assert suite.tag == "testsuite"
        cases = list(suite)
        assert {case.tag for case in cases} == {"testcase"}
        assert suite.get("tests") == str(len(cases))
        kinds = {"failures": "failure", "errors": "error", "skipped": "skipped"}
        for total, kind in kinds.items():
            assert suite.get(total) == str(sum(case.find(kind) is not None for case in cases))
        for case in cases:
            assert case.get("name")
            assert case.get("classname")
            assert {each.tag for each in case} <= {"failure", "error", "skipped"}
        for total in totals:
            totals[total] += int(suite.get(total, "0"))
    assert {total: int(root.get(total, "-1")) for total in totals} == totals


def test_junit_says_what_was_broken_skipped_and_undecided() -> None:
    root = ET.fromstring(junit(msgspec.structs.replace(RED, inconclusive=GREY.inconclusive)))
    cases = {case.get("name"): case for case in root.iter("testcase")}
    failed = {name for name, case in cases.items() if case.find("failure") is not None}
    assert failed == {"C4", "I8", "Q6 0123456789ab"}
    assert (cases["C4"].findtext("failure") or "").splitlines() == list(TOLD.lines)
    assert cases["A2"].find("skipped") is not None
    assert cases["suite agent"].find("error") is not None
    assert root.get("time") == "75.000"
    assert not any(case.get("time") for case in cases.values())


def black_box() -> RunReport:
    """A report on an agent judged from outside."""
    finding = acp.Finding(
        "S3", "S", "cancel-early", "0123456789ab", "an error came", ("session/cancel",), (), None, 2, 2, "lifecycle check acp:x"
    )  # fmt: skip
    report = acp.Report(
        kind="acp",
        verdict="VIOLATES",
        agent=acp.Agent(("x",), name="box", version="2"),
        limits=Limits(),
        checks={"S3": "violated", "S2": "kept"},
        findings=(finding,),
        notes=(),
        inconclusive=(acp.Doubt(None, "slow", "it hung"),),
        out_of_reach=(acp.Unreached("S4", "not advertised"),),
        runs=(acp.RunResult("cancel-early", "0123456789ab", "findings", ("S3", "S2")),),
    )
    return of_acp(report)


SCHEMAS = Path(__file__).parent / "junit"


@pytest.fixture(scope="module", params=["common.xsd", "fetched/junit-10.xsd"], ids=["ours", "published"])
def schema(request: pytest.FixtureRequest) -> xmlschema.XMLSchema:
    """What every reader of JUnit reports takes, in our words; and the schema that Jenkins' xUnit plugin publishes."""
    path = SCHEMAS / request.param
    if not path.exists():
        pytest.skip("the published JUnit schema is not here; next: conformance/tests/junit/fetch")
    return xmlschema.XMLSchema(str(path))


@pytest.mark.parametrize("report", [*REPORTS.values(), HOSTILE, black_box()], ids=[*REPORTS, "hostile", "black box"])
def test_junit_keeps_the_schema(report: RunReport, schema: xmlschema.XMLSchema) -> None:
    schema.validate(junit(report).decode())


@pytest.mark.parametrize(
    ("here", "wrong"),
    [("<testcase name", "<testcase colour"), ("failure", "worse"), ('<testcase name="C4" ', "<testcase ")],
)
def test_what_no_reader_knows_breaks_the_schema(schema: xmlschema.XMLSchema, here: str, wrong: str) -> None:
    good = junit(RED).decode()
    broken = good.replace(here, wrong)
    assert broken != good
    assert not schema.is_valid(broken)


def test_junit_is_read_by_another_reader(tmp_path: Path) -> None:
    for number, report in enumerate((*REPORTS.values(), HOSTILE)):
        place = tmp_path / f"{number}.xml"
        place.write_bytes(junit(report))
        suites = JUnitXml.fromfile(str(place))
        ours = ET.fromstring(junit(report))
        assert suites.tests == int(ours.get("tests", "0"))
        assert (suites.failures, suites.errors) == (int(ours.get("failures", "0")), int(ours.get("errors", "0")))


# HTML ---------------------------------------------------------------------------------------------------------------

VOID = {"meta", "link"}


class Page(HTMLParser):
    """Reads a page: which elements are open, which ids and links there are, what could load something."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.tags.add(tag)
        self.ids += [given["id"] or ""] if "id" in given else []
        self.links += [given["href"] or ""] if tag == "a" and "href" in given else []
        self.loads += [given[name] or "" for name in ("src", "srcset", "data") if name in given]
        self.loads += [given["href"] or ""] if tag != "a" and "href" in given else []
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("report", [*REPORTS.values(), HOSTILE], ids=[*REPORTS, "hostile"])
def test_the_page_is_whole_and_loads_nothing(report: RunReport) -> None:
    read_page = Page(page(report))
    assert read_page.open == []
    assert len(read_page.ids) == len(set(read_page.ids))
    assert {link.removeprefix("#") for link in read_page.links} <= set(read_page.ids)
    assert read_page.loads == ["data:,"]
    assert "script" not in read_page.tags
    assert "img" not in read_page.tags


def test_the_page_says_everything() -> None:
    said = page(RED)
    for part in (
        "VIOLATES",
        "completeness",
        "failures",
        "clauses",
        "rows",
        "programs",
        "pictures",
        "unreached",
        "means",
    ):
        assert part in said
    assert said.count('<details class="failure"') == 2
    # the first failure and the first picture
    assert said.count(" open>") == 2
    assert "lifecycle replay failures/C4.json" in said
    assert "the system hung in burst 3" in page(GREY)


def test_a_large_page_stays_small() -> None:
    many = msgspec.structs.replace(RED, failures=(TOLD,) * 200)
    assert len(page(many).encode()) < 1_000_000


# byte for byte ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", FORMS)
def test_only_timings_differ(ending: str) -> None:
    later = msgspec.structs.replace(RED, timings={"total": 99.0, "suite": 1.0})
    one, other = FORMS[ending](RED), FORMS[ending](later)
    assert one == FORMS[ending](RED)
    differing = [pair for pair in zip(one.splitlines(), other.splitlines(), strict=True) if pair[0] != pair[1]]
    assert 1 <= len(differing) <= 2
    none = msgspec.structs.replace(RED, timings={})
    assert FORMS[ending](none) == FORMS[ending](msgspec.structs.replace(later, timings={}))


def test_the_order_of_members_does_not_leak() -> None:
    turned = msgspec.structs.replace(
        RED.coverage, **{name: dict(reversed(getattr(RED.coverage, name).items())) for name in ("rows", "clauses")}
    )
    for form in FORMS.values():
        assert form(msgspec.structs.replace(RED, coverage=turned)) == form(RED)


# files --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", FORMS)
def test_a_report_is_written_in_the_form_its_name_asks_for(tmp_path: Path, ending: str) -> None:
    place = tmp_path / f"report{ending}"
    place.write_text("what was there")
    written = write_report(place, RED)
    assert (written.path, written.asked_for) == (str(place), True)
    assert place.read_bytes() == FORMS[ending](RED)
    assert [each.name for each in tmp_path.iterdir()] == [place.name]


def kept(written: object) -> RunReport:
    path = getattr(written, "path", None)
    assert isinstance(path, str)
    return from_json(Path(path).read_bytes())


@pytest.fixture(autouse=True)
def _temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path_factory.mktemp("temporary")))


def test_a_missing_folder_loses_nothing(tmp_path: Path) -> None:
    written = write_report(tmp_path / "not there" / "r.json", RED)
    assert not written.asked_for
    assert "No such file or directory" in written.message
    assert "it is in " in written.message
    assert written.message.endswith("the verdict is VIOLATES")
    assert kept(written) == RED


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_loses_nothing(tmp_path: Path) -> None:
    place = tmp_path / "r.json"
    place.symlink_to("/dev/full")
    written = write_report(place, RED)
    assert "No space left on device" in written.message
    assert kept(written) == RED


def test_a_disk_that_fills_up_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "r.json"
    place.write_text("what was there")
    monkeypatch.setattr(os, "fsync", full)
    written = write_report(place, RED)
    assert written.path is None
    assert "No space left on device" in written.message
    assert written.message.endswith("it could not be kept anywhere; the verdict is VIOLATES")
    assert place.read_text() == "what was there"
    assert [each.name for each in tmp_path.iterdir()] == ["r.json"]


def full(_handle: int) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_an_interrupt_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_handle: int) -> None:
        raise KeyboardInterrupt

    place = tmp_path / "r.json"
    place.write_text("what was there")
    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_report(place, RED)
    assert place.read_text() == "what was there"
    assert [each.name for each in tmp_path.iterdir()] == ["r.json"]


def test_a_file_that_is_not_writable_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "r.json"
    place.write_text("what was there")

    # root may write everything, so the answer is given here
    def allowed(path: Path, _mode: int) -> bool:
        return path != place

    monkeypatch.setattr(os, "access", allowed)
    written = write_report(place, RED)
    assert "it is there and not writable" in written.message
    assert place.read_text() == "what was there"
    assert kept(written) == RED


def test_a_folder_in_the_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "r.json").mkdir()
    assert kept(write_report(tmp_path / "r.json", RED)) == RED


def test_a_form_that_fails_is_kept_as_json(tmp_path: Path) -> None:
    broken = msgspec.structs.replace(RED, failures=(msgspec.structs.replace(TOLD, lines=()),))
    written = write_report(tmp_path / "r.xml", broken)
    assert "r.xml could not be made (IndexError" in written.message
    assert kept(written) == broken


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("report.doc", "does not end with a form of report; next: end it with one of .html, .json, .md, .txt, .xml"),
        ("missing/report.html", "there is no folder .*missing for the report report.html; next: make it first"),
        ("folder.html", "is a folder; next: name a file in it"),
    ],
)
def test_a_place_that_cannot_be_is_refused_before_a_long_check(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(ReportError, match=said):
        check_path(tmp_path / name)
    check_path(tmp_path / "report.html")


def test_text_is_printed_to_whoever_listens() -> None:
    stream = io.StringIO()
    assert print_text(text(GREEN), stream)
    assert stream.getvalue() == text(GREEN)
    ascii_only = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    assert print_text(text(RED), ascii_only)
    stream.close()
    assert not print_text(text(GREEN), stream)


PRINTING = """
import sys
from lifecycle_conformance.reports import print_text
listening = print_text("VIOLATES " * 50_000, sys.stdout)
sys.exit(7 if not listening else 0)
"""


def test_a_closed_pipe_does_not_hide_the_verdict() -> None:
    child = subprocess.Popen([sys.executable, "-c", PRINTING], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert child.stdout is not None
    assert child.stderr is not None
    child.stdout.close()
    said = child.stderr.read()
    child.stderr.close()
    assert child.wait(60) == 7
    assert said == b""


def test_told_is_what_a_report_keeps() -> None:
    assert isinstance(TOLD, Told)
    assert msgspec.json.decode(msgspec.json.encode(TOLD), type=Told) == TOLD


def test_what_was_expected_decides_the_exit_code_and_is_said_first() -> None:
    known = msgspec.structs.replace(RED, expecting=True, stale=(), failures=tuple(
        msgspec.structs.replace(one, expected=True) for one in RED.failures))  # fmt: skip
    assert (known.exit_code, text(known).split("  ")[0]) == (0, "VIOLATES (as expected)")
    assert markdown(known).startswith("### ☑️ VIOLATES (as expected)")
    gone = msgspec.structs.replace(GREEN, expecting=True, stale=("Q6 0123456789ab",))
    assert (gone.exit_code, text(gone).split("  ")[0]) == (1, "CONFORMS (expected violations are gone)")
    assert markdown(gone).startswith("### ❌ CONFORMS (expected violations are gone)")
    unclear = msgspec.structs.replace(known, inconclusive=GREY.inconclusive)
    assert unclear.exit_code == 3
    new = msgspec.structs.replace(known, failures=(TOLD,))
    assert new.exit_code == 1


# a black box --------------------------------------------------------------------------------------------------------


def test_a_report_on_an_acp_agent_is_written_in_every_form() -> None:
    common = black_box()
    assert (common.verdict, common.exit_code, list(common.broken)) == ("VIOLATES", 1, ["S3"])
    assert common.coverage.clauses["S2"] == 1
    for form in FORMS.values():
        said = form(common).decode()
        assert "box" in said
        assert "an error came" in said
    assert Page(page(common)).open == []
    # what a black box has not is not shown empty
    assert "Regression test" not in page(common) + markdown(common)
