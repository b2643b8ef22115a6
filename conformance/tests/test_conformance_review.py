"""`lifecycle review`: what a change does, on edits whose answer is written beside them; revisions; forms; wrong use."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace as replace_struct

from lifecycle_conformance.cli import main
from lifecycle_conformance.review import before_after, picture, revisions, told
from lifecycle_conformance.review.behaviour import joined, relation
from lifecycle_conformance.review.causes import Allowed
from lifecycle_conformance.review.consequences import Parts, answers, lost, parts, version
from lifecycle_conformance.review.kept import Kept
from lifecycle_conformance.review.known import known
from lifecycle_conformance.review.prints import changes, code_print
from lifecycle_conformance.review.product import compare
from lifecycle_conformance.review.review import Review, review
from lifecycle_conformance.review.scenarios import compare_vectors
from lifecycle_conformance.review.scopes import chosen
from lifecycle_conformance.review.shape import catalog
from lifecycle_conformance.review.side import Local
from lifecycle_conformance.review.values import Answered, Changes
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_conformance.vectors import load_vectors
from lifecycle_model.contract1 import contract
from lifecycle_model.run import Now
from lifecycle_model.table import Contract, Row

BASE = contract()


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """What is kept of base is kept for this module only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LIFECYCLE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


MODEL = Path(__file__).parents[2] / "model"


def row(name: str) -> Row:
    return next(one for one in BASE.rows if one.id == name)


def edited(name: str, **parts: object) -> Contract:
    """Contract 1 with one row different."""
    return BASE.overlay("1", rows=(replace(row(name), **parts),))  # type: ignore[arg-type]  # fields by name


def without(name: str) -> Contract:
    """Contract 1 less a row."""
    return BASE.overlay("1", drop=(name,))


def steps(name: str, *order: str) -> Contract:
    """Contract 1 with a program's steps in another order."""
    program = next(one for one in BASE.programs if one.id == name)
    return BASE.overlay("1", programs=(replace(program, steps=order),))


def reviewed(head: Contract, scopes: str = "core", beyond: bool = False) -> Review:
    return review(
        Local(BASE),
        Local(head),
        ("base", "head"),
        lambda text: None,
        scopes=scopes,
        properties=False,
        vectors=False,
        beyond=beyond,
    )


def keeps_steering(now: Now) -> object:
    """Take the queued items only."""
    return msgspec.structs.replace(now.it, queued=())


def never(now: Now) -> bool:
    """Never."""
    return False


# the edit · its verdict · the last label of a shortest witness · bursts in that witness, the creation included
EDITS: tuple[tuple[str, Callable[[], Contract], str, str, int], ...] = (
    ("a cancel leaves steering", lambda: edited("C10 clear", effect=keeps_steering), "changes", "cancel", 4),
    ("a cancel says nothing when it clears", lambda: edited("C10 clear", says=()), "changes", "cancel", 3),
    ("a cancel never clears", lambda: without("C10 clear"), "changes", "cancel", 3),
    ("no request is said before a run", lambda: edited("C/r2 request", says=()), "changes", "cancel", 3),
    (
        "cancel clears before it is requested",
        lambda: steps(
            "cancel", "cancel.check", "cancel.enter", "cancel.clear", "cancel.request", "cancel.mark", "cancel.abort"
        ),
        "changes",
        "cancel",
        3,
    ),
)
REFACTORS: tuple[tuple[str, Callable[[], Contract]], ...] = (
    ("a clause more on a row", lambda: edited("C10 clear", clauses=("C10", "X2"))),
    (
        "a row that cannot be taken",
        lambda: BASE.overlay("1", rows=(replace(row("C10 clear"), id="C10 other", guard=never),)),
    ),
    (
        "rows in another order of programs",
        lambda: replace(BASE, rows=tuple(sorted(BASE.rows, key=lambda one: one.machine))),
    ),
    ("a sentence said otherwise", lambda: BASE.overlay("1", clauses={"C9": "Said otherwise."})),
)


@pytest.mark.parametrize(
    ("head", "verdict", "label", "bursts"), [one[1:] for one in EDITS], ids=[one[0] for one in EDITS]
)
def test_an_edit_is_classified_with_a_shortest_run(
    head: Callable[[], Contract], verdict: str, label: str, bursts: int
) -> None:
    found = reviewed(head())
    assert found.verdict == verdict
    plain = [one for cause in found.causes for one in cause.witnesses if " / " not in one.label]
    first = min(plain, key=lambda one: len(one.bursts))
    assert (first.label, len(first.bursts)) == (label, bursts)
    assert first.base != first.head


@pytest.mark.parametrize("head", [one[1] for one in REFACTORS], ids=[one[0] for one in REFACTORS])
def test_a_refactor_is_the_same(head: Callable[[], Contract]) -> None:
    found = reviewed(head())
    assert (found.verdict, found.causes) == ("same", ())
    assert found.parts, "what the table says is different, and the review must say so"
    assert found.version == "patch"


def test_less_refines_and_more_widens() -> None:
    allows = BASE
    (late,) = [one for one in BASE.rows if one.id == "policy cancel_after_dispose"]
    forbids = BASE.overlay("1", rows=(replace(late, guard=never),))
    vectors = [one for one in load_vectors() if one.policies.get("cancel_after_dispose") == "publishes"]
    assert vectors
    less, _ = compare_vectors(Local(allows), Local(forbids), vectors)
    more, _ = compare_vectors(Local(forbids), Local(allows), vectors)
    assert {one.relation for one in less} == {"refines"}
    assert {one.relation for one in more} == {"widens"}


def test_relations_of_sets() -> None:
    assert [relation("ab", head) for head in ("ab", "a", "abc", "c", "ac")] == [
        "same", "refines", "widens", "changes", "changes",
    ]  # fmt: skip
    assert joined(["same", "refines"]) == "refines"
    assert joined(["widens", "refines"]) == "changes"
    assert joined([]) == "same"


def test_a_vector_that_no_longer_holds_is_named() -> None:
    vectors = [one for one in load_vectors() if one.id in ("VC22", "VS01")]
    found, changed = compare_vectors(Local(BASE), Local(edited("C10 clear", effect=keeps_steering)), vectors)
    assert [one.label for one in found] == ["VC22, burst 4"]
    assert [(one.vector, one.now_holds) for one in changed] == [("VC22", False)]


def test_a_clause_without_carrier_breaks() -> None:
    base = catalog(BASE)
    clause, (carrier,) = next(
        (clause, by)
        for clause, by in base.carriers.items()
        if len(by) == 1 and by[0].startswith("row ") and clause in base.clauses
    )
    only = row(carrier.removeprefix("row "))
    gone = edited(only.id, clauses=tuple(one for one in only.clauses if one != clause))
    assert lost(base, catalog(gone)) == (clause,)
    assert lost(base, base) == ()
    found = reviewed(gone, "contexts")
    assert (found.verdict, found.behaviour) == ("breaks", "same")
    assert found.broken == (f"clause {clause} lost its last carrier",)


def test_parts_are_added_removed_renamed_moved_and_changed() -> None:
    base = catalog(BASE)
    renamed = BASE.overlay("1", drop=("C10 clear",), rows=(replace(row("C10 clear"), id="C10 takes all"),))
    (only,) = parts(base, catalog(renamed))
    assert (only.kind, only.renamed) == ("rows", (("C10 clear", "C10 takes all"),))
    (only,) = parts(base, catalog(replace(BASE, rows=(BASE.rows[-1], *BASE.rows[:-1]))))
    assert only.moved == (BASE.rows[-1].id,)
    (only,) = parts(base, catalog(edited("C10 clear", effect=keeps_steering)))
    assert [name for name, _ in only.changed] == ["C10 clear"]
    assert "functions do" in only.changed[0][1]


def test_code_is_known_by_what_it_does() -> None:
    def one(now: Now) -> bool:
        """One."""
        return bool(now.it.marker)

    def two(given: Now) -> bool:
        """Two, said otherwise."""
        return bool(given.it.marker)

    def three(now: Now) -> bool:
        return not now.it.marker

    assert code_print([one]) == code_print([two])
    assert code_print([one]) != code_print([three])


def test_an_exploration_that_has_no_end_is_cut_and_said() -> None:
    before = Answered("tools", {}, (), (), ("V1", "V2"))
    assert answers([before], [replace_struct(before, judged=())]) == (
        "liveness is no longer judged in tools: head has too many configurations, or cannot be explored",
    )
    assert answers([before], [before]) == ()


def test_the_version_to_raise() -> None:
    clause = Parts("clauses", ("N1",), (), (), (), ())
    assert version("changes", ())[0] == "major"
    assert version("widens", ())[0] == "minor"
    assert version("same", (clause,))[0] == "minor"
    assert version("same", ())[0] == "none"


def test_forms_tell_the_verdict_first_and_show_one_picture() -> None:
    found = reviewed(edited("C10 clear", effect=keeps_steering))
    shown = told.markdown(found)
    assert shown.startswith("## Lifecycle review: changes\n")
    assert "```mermaid\nsequenceDiagram" in shown.split("<details>")[0]
    assert "disc[" in shown
    text = told.text(found)
    assert text.startswith("CHANGES: base → head")
    assert "C10" in text
    page = told.page(found)
    assert "<svg" in page
    assert "http:" not in page.replace("http://www.w3.org", "")
    assert told.json(msgspec.json.decode(told.json(found), type=Review)) == told.json(found)


def test_both_contracts_know_the_words_they_are_compared_with() -> None:
    from lifecycle_model.variants.latch import latch

    base, head = catalog(BASE), catalog(latch())
    for scope in chosen("standard", base, head):
        assert {"maintenance", "remove", "replace"}.isdisjoint(word[0] for word in scope.words)
    with pytest.raises(UsageError, match="no scope 'nowhere'"):
        chosen("nowhere", base, head)


# where the variant's text differs from contract 1: the label · what only base says · what only the variant says
STATED = (
    ("T/r1L R5L: disposal publishes no status", "dispose", "status(disposed)", "scope a- s-"),
    ("Q7L: TS precedes the claim", "send", "deq(m1) TS(1)", "TS(1) deq(m1)"),
    ("Q4L: so does a steer at Idle", "steer", "deq(m1) TS(1)", "TS(1) deq(m1)"),
    ("C4L: no cancel is announced", "cancel", "creq(user)", "nothing more"),
)


def test_the_variant_differs_where_its_text_says() -> None:
    from lifecycle_model.variants.latch import latch

    found = review(
        Local(BASE), Local(latch()), ("contract 1", "contract latch"), lambda text: None, scopes="core", beyond=True
    )
    assert found.verdict == "changes"
    shown = told.text(found).split("   core: ")
    for about, label, base, head in STATED:
        assert any(
            one.startswith(f"{label} ") and f"base  » {base}" in one and f"head  » {head}" in one for one in shown
        ), about


def test_a_member_that_the_notation_hides_is_told() -> None:
    flagged = Allowed((), ({"event": "agent/inbox/enqueued", "of": "a", "item": "m1", "steering": False},))
    bare = Allowed((), ({"event": "agent/inbox/enqueued", "of": "a", "item": "m1"},))
    assert '"steering":false' in picture.members(flagged, bare)
    assert "steering" not in picture.members(bare, flagged)


def test_a_comparison_that_is_cut_says_so() -> None:
    (scope,) = chosen("core", catalog(BASE), catalog(BASE))
    assert compare(Local(BASE), Local(BASE), scope, most=3).cut
    assert not compare(Local(BASE), Local(BASE), scope).cut


def test_a_runtime_that_does_what_head_forbids_is_named_and_a_mutant_that_it_would_spare() -> None:
    found = reviewed(without("T3"))
    systems = {one.system: one for one in known(found.causes, mutants=True)}
    assert systems["reference"].base > 0
    assert systems["reference"].head == 0
    assert "would not conform to head" in systems["reference"].told
    assert systems["dispose-keeps-inbox"].mutant
    assert known(()) == ()


def test_before_and_after_stand_on_one_picture() -> None:
    head = BASE.overlay("1", rows=(replace(row("C10 clear"), says=()),), drop=("S/r13",))
    turned = replace(head, programs=steps("cancel", *reversed(PROGRAM)).programs)
    base, other = catalog(BASE), catalog(turned)
    shown = dict(before_after.pictures(base, other, ("C10 clear", "S/r13")))
    assert "removed: S/r13" in shown["machine agent"]
    assert "before: C10 clear" in shown["machine agent"]
    assert "after: C10 clear" in shown["machine agent"]
    assert shown["program cancel"].index("before0[") < shown["program cancel"].index("after0[")
    (witness, *_) = reviewed(edited("C10 clear", says=())).causes[0].witnesses
    drawn = before_after.sequence(witness, "1")
    before, after = drawn.split("  else after")
    assert "alt before" in before
    assert "disc[" in before
    assert "disc[" not in after
    assert "hold(" not in drawn


PROGRAM = next(one.steps for one in BASE.programs if one.id == "cancel")


def test_only_what_a_change_reaches_is_performed_again() -> None:
    small = reviewed(edited("C10 clear", says=())).visited[0]
    whole = compare(Local(BASE), Local(edited("C10 clear", says=())), chosen("core", catalog(BASE), catalog(BASE))[0])
    assert small.performed * 4 < small.runs
    assert small.different == len(whole.differences)
    assert whole.performed == whole.runs


def test_what_is_kept_of_base_is_used_again_and_what_is_spoilt_is_made_anew(tmp_path: Path) -> None:
    kept = Kept(catalog(BASE))
    (scope,) = chosen("contexts", catalog(BASE), catalog(BASE))
    (first,) = kept.alone([Local(BASE)], [scope], lambda text: None)
    assert kept.alone([], [scope], lambda text: None) == [first]
    for path in kept.folder.glob("contexts-*"):
        path.write_bytes(b"spoilt")
    assert kept.alone([Local(BASE)], [scope], lambda text: None) == [first]


def test_a_step_that_chooses_otherwise_reaches_more_than_a_row_that_does_something_else() -> None:
    base = catalog(BASE).does
    assert changes(base, base) == Changes((), ())
    assert changes(base, catalog(edited("C10 clear", says=())).does) == Changes((), ("C10 clear",))
    assert changes(base, catalog(edited("C10 clear", guard=never)).does) == Changes(("cancel.clear",), ())
    order = catalog(steps("cancel", *reversed(PROGRAM))).does
    assert changes(base, order) == Changes(tuple(sorted(PROGRAM)), ())
    other = catalog(BASE.overlay("1", vetoing=frozenset())).does
    assert changes(base, other) is None, "what the engine reads of a contract is under every step"


def git(place: Path, *arguments: str) -> str:
    who = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false")
    done = subprocess.run(["git", "-C", str(place), *who, *arguments], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A repository with a commit without a model, and one with ours."""
    place = tmp_path / "repository"
    place.mkdir()
    git(place, "init", "-q", "-b", "main")
    (place / "README").write_text("nothing yet\n", encoding="utf-8")
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "none")
    git(place, "tag", "before")
    for source in sorted((MODEL / "lifecycle_model").rglob("*.py")):
        copy = place / "model" / source.relative_to(MODEL)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
    git(place, "add", ".")
    git(place, "commit", "-q", "-m", "model")
    return place


def state_of(place: Path) -> tuple[str, bytes, list[str]]:
    """The status, the index, and every file of the working tree."""
    files = sorted(str(one.relative_to(place)) for one in place.rglob("*") if ".git" not in one.parts)
    return git(place, "--no-optional-locks", "status", "--porcelain"), (place / ".git/index").read_bytes(), files


def test_uncommitted_work_is_reviewed_and_nothing_is_touched(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(clone)
    assert main(["review", "main"]) == 0
    assert capsys.readouterr().out.startswith("SAME: main")
    source = clone / "model/lifecycle_model/rows/cancel.py"
    text = source.read_text(encoding="utf-8")
    source.write_text(text.replace("queued=(), steering=()", "queued=()"), encoding="utf-8")
    before = state_of(clone)
    assert main(["review", "main", "--scopes", "contexts", "--no-properties", "--no-vectors"]) == 0
    assert capsys.readouterr().out.startswith("CHANGES: main")
    assert state_of(clone) == before


def test_revisions_that_cannot_be_built_are_wrong_use(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    source = clone / "model/lifecycle_model/rows/cancel.py"
    good = source.read_text(encoding="utf-8")
    for tag, text in (("syntax", good + "\ndef broken(:\n"), ("missing", good + "\nimport nowhere_to_be_found\n")):
        source.write_text(text, encoding="utf-8")
        git(clone, "commit", "-q", "-a", "-m", tag)
        git(clone, "tag", tag)
    shallow = tmp_path / "shallow"
    git(clone, "clone", "-q", "--depth", "1", clone.as_uri(), str(shallow))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    for place, asked, says in (
        (clone, ("syntax", "main~2"), "SyntaxError"),
        (clone, ("main~2", "missing"), "nowhere_to_be_found"),
        (clone, ("before", "main"), "has no model"),
        (clone, ("no-such-revision",), "no revision 'no-such-revision'"),
        (clone, ("--", "--upload-pack=x"), "no revision"),
        (shallow, ("HEAD~1",), "shallow clone"),
        (elsewhere, ("main",), "not in a git repository"),
        (clone, ("1",), "name the one to compare"),
    ):
        monkeypatch.chdir(place)
        before = state_of(clone)
        assert main(["review", *asked]) == 2, asked
        error = capsys.readouterr().err
        assert says in error, (asked, error)
        assert "Traceback" not in error
        assert len(error.strip().splitlines()) == 1, error
        assert state_of(clone) == before


def test_a_commit_without_change_of_the_model_is_the_same_at_once(clone: Path) -> None:
    commit = revisions.commit_of(clone, "main")
    (clone / "README").write_text("changed\n", encoding="utf-8")
    git(clone, "commit", "-q", "-a", "-m", "words")
    assert revisions.tree_of(clone, commit) == revisions.tree_of(clone, revisions.commit_of(clone, "main"))
    assert not revisions.changed_since(clone, commit)
    (clone / "model/lifecycle_model/new.py").write_text("", encoding="utf-8")
    assert revisions.changed_since(clone, commit)


def test_a_runtime_is_compared_by_what_is_observed(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    runtime = MODEL.parent / "impl" / "lifecycle_runtime"
    for source in sorted(runtime.rglob("*.py")):
        copy = clone / "impl" / "lifecycle_runtime" / source.relative_to(runtime)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(source.read_bytes())
    git(clone, "add", ".")
    git(clone, "commit", "-q", "-m", "runtime")
    agent = clone / "impl/lifecycle_runtime/agent.py"
    text = agent.read_text(encoding="utf-8")
    assert text.count("core.inbox.clear()") == 1
    agent.write_text(text.replace("core.inbox.clear()", "core.inbox.clear_steering()"), encoding="utf-8")
    before = state_of(clone)
    monkeypatch.chdir(clone)
    assert main(["review", "HEAD", "--system", "reference", "--scopes", "contexts"]) == 0
    found = capsys.readouterr().out
    assert found.startswith("CHANGES: HEAD")
    assert "base keeps the contract, head breaks C10" in found
    assert state_of(clone) == before
    assert main(["review", "HEAD", "HEAD", "--system", "reference", "--scopes", "contexts", "--form", "markdown"]) == 0
    assert capsys.readouterr().out.startswith("## Lifecycle review: same\n")
    assert main(["review", "before", "HEAD", "--system", "reference"]) == 2
    assert "there is no runtime" in capsys.readouterr().err
    assert main(["review", "HEAD", "--system", "python:a:b"]) == 2
    assert "two revisions" in capsys.readouterr().err
