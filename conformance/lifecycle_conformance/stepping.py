"""A run told burst by burst, model and system side by side. Refuses to judge: it shows what the oracle compares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from lifecycle_conformance.compare import Projection, agree, answers_agree
from lifecycle_conformance.engines import Worker
from lifecycle_conformance.failure.asked import burst as asked
from lifecycle_conformance.failure.notation import answer, observation
from lifecycle_conformance.oracle import Mismatch
from lifecycle_model.commands import Burst
from lifecycle_model.quiet import Outcomes
from lifecycle_model.wire import UNSET, Answer, BurstResult, Observation, to_json

WIDTH = 38
SAME, OTHER = "|", "!"


def steps(
    worker: Worker, bursts: Sequence[Burst], results: Sequence[BurstResult], policies: Mapping[str, object]
) -> Iterator[str]:
    """The lines of a run: each burst, what the model allows left, what the system did right, `!` where they part.

    Where several configurations are still possible, each thing allowed is shown; nothing is told behind a mismatch.
    """
    oracle = worker.oracle(dict(policies))
    yield f"     {'the model':<{WIDTH}}   the system"
    for index, (made, result) in enumerate(zip(bursts, results, strict=False)):
        yield f"{index + 1}. {asked(made) or 'nothing'}"
        shown = dict(oracle.hypotheses[0].shown)
        mismatch = oracle.judge(made, to_json(made), result)
        did = Projection(worker.profile, dict(shown)).project(result.seen)
        for number, (seen, answers) in enumerate(_allowed(oracle.taken, shown, worker, mismatch)):
            if number:
                yield "   or"
            yield from _rows(seen, did, fine=mismatch is None)
            yield from _answers(answers, result.calls)
        if mismatch is not None:
            yield f"   nothing allowed is what the system did: {' '.join(mismatch.clauses) or 'no row says why'}"
            return
        if len(oracle.hypotheses) > 1:
            yield f"   {len(oracle.hypotheses)} configurations are possible from here on"


def _allowed(
    taken: Sequence[Outcomes], shown: Mapping[str, str], worker: Worker, mismatch: Mismatch | None
) -> Iterator[tuple[Sequence[Observation], Sequence[Answer]]]:
    """What is allowed in a burst, each thing once."""
    known: set[bytes] = set()
    if mismatch is not None:
        found = [(one.projected, one.answers) for one in mismatch.explanations]
    else:
        found = [(tuple(Projection(worker.profile, dict(shown)).project(one.seen)), one.answers) for one in taken]
    for seen, answers in found:
        key = to_json((seen, answers))
        if key not in known:
            known.add(key)
            yield seen, answers


def _rows(allowed: Sequence[Observation], did: Sequence[Observation], *, fine: bool) -> Iterator[str]:
    """Each thing seen beside what is allowed of the same subject in its place; what is missing comes last.

    In a burst that is `fine` an order that differs is nobody's.
    """
    left: dict[object, list[Observation]] = {}
    for one in allowed:
        left.setdefault(one.of, []).append(one)
    for one in did:
        mine = left.get(one.of, [])
        expected = mine.pop(0) if mine else None
        same = fine or (expected is not None and agree(expected, one))
        yield _row("" if expected is None else _named(expected), _named(one), same)
    for missing in (one for mine in left.values() for one in mine):
        yield _row(_named(missing), "", same=False)


def _answers(allowed: Sequence[Answer], did: Sequence[Answer]) -> Iterator[str]:
    """The answers that differ; those that agree say nothing new."""
    for index in range(max(len(allowed), len(did))):
        mine = allowed[index] if index < len(allowed) else None
        theirs = did[index] if index < len(did) else None
        if mine is None or theirs is None or not answers_agree(mine, theirs):
            left, right = ("" if one is None else f"answer {index + 1}: {answer(one)}" for one in (mine, theirs))
            yield _row(left, right, same=False)


def _row(left: str, right: str, same: bool) -> str:
    return f"     {left:<{WIDTH}} {SAME if same else OTHER} {right}".rstrip()


def _named(one: Observation) -> str:
    return observation(one) if one.of is UNSET or one.event == "settled" else f"{one.of} {observation(one)}"
