"""Owns the eight lines a terminal shows of a failure: the run, what is allowed, what the system did, the clause.

Refuses a ninth line, whatever the failure holds: what does not fit is cut, and says so.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from lifecycle_conformance.failure.asked import burst, lone_agent
from lifecycle_conformance.failure.parting import Parting, partings
from lifecycle_conformance.failure.value import Failure

MOST = 8
WIDTH = 100
MORE = "…"


def lines(failure: Failure, replay: str = "", width: int = WIDTH) -> list[str]:
    """A failure in eight lines or fewer, none longer than `width` but `replay`, the line that runs it again, whole.

    Left of the bar stands what the contract allows, right of it what the system did, from the point where they part;
    every explanation still possible has a line, or is counted in the last of them.
    """
    width = max(width, 40)
    tail = [replay] if replay else []
    middle = _middle(failure, width, MOST - 3 - len(tail))
    room = MOST - 1 - len(middle) - len(tail)
    clause = _clause(failure, width, max(room - 2, 1))
    steps = _steps(failure, width, room - len(clause))
    return [cut(_title(failure), width), *steps, *middle, *clause, *tail]


def cut(text: str, width: int) -> str:
    """A text shortened to a width, with a sign that it was."""
    return text if len(text) <= width else text[: width - 1].rstrip() + MORE


def last(text: str, width: int) -> str:
    """The end of a text in whole words, with a sign that it has a beginning."""
    if len(text) <= width:
        return text
    words = text.split()
    while len(words) > 1 and len(MORE) + 1 + len(" ".join(words)) > width:
        words.pop(0)
    return f"{MORE} {cut(' '.join(words), width - 2)}"


def _title(failure: Failure) -> str:
    trace, vector = failure.trace, failure.vector
    found = f" ({trace.engine}, seed {trace.seed})" if trace.engine else ""
    whose = f"{vector.id} {vector.title}: " if vector is not None else ""
    return f"{whose}{' '.join(failure.clauses)} broken by {trace.system or 'the system'}{found}"


def _steps(failure: Failure, width: int, room: int) -> list[str]:
    """The run: what came before on a line of its own if there is room, then the burst that failed."""
    lone = lone_agent([each.do for each in failure.trace.bursts])
    runs = [burst(each.do, lone) or "nothing" for each in failure.trace.bursts]
    before = " ; ".join(runs[:-1])
    if before and room > 1:
        return [f"  after {last(before, width - 8)}", cut(f"  then  {runs[-1]}", width)]
    return [cut(f"  in {last(' ; '.join(runs), width - 5)}", width)]


def _middle(failure: Failure, width: int, room: int) -> list[str]:
    found = partings(failure)
    if not failure.allowed and not failure.mismatches:
        shown = [cut(f"  the system did: {_row(found[0].common, found[0].did, width - 18)}", width)] if found else []
        means = [cut(f"  that breaks {finding.clause}: {finding.sentence}", width) for finding in failure.findings]
        return shown + _few(means, room - len(shown))
    lone = lone_agent([each.do for each in failure.trace.bursts])
    half = (width - 5) // 2
    heads = f"  {'the contract allows':<{half}} | the system did"
    # explanations exclude each other, the lines of a vector do not
    joined = "or " if failure.allowed else "and "
    rows = [_columns(p, joined if n else "", found[0].did, half, lone) for n, p in enumerate(found)]
    said = [cut(f"  {mismatch.sentence}", width) for mismatch in failure.mismatches[:1]]
    return [heads, *_few(rows, room - 1 - len(said)), *said]


def _columns(parting: Parting, joined: str, before: tuple[str, ...], half: int, lone: str | None) -> str:
    whose = joined + (f"{parting.subject}: " if parting.subject not in ("", lone) else "")
    left = whose + _row(parting.common, parting.allowed, half - len(whose))
    # a second explanation of the same deed has it on the line above
    right = "" if joined and parting.did == before else _row((), parting.did, half)
    return f"  {left:<{half}} | {right}".rstrip()


def _row(common: Sequence[str], own: Sequence[str], width: int) -> str:
    """The end of what is common, a mark where both sides part, and the beginning of what is one's own."""
    tail = " ".join(own) or "nothing more"
    before = " ".join(common)
    lead = last(before, min(len(before), max(width // 4, width - len(tail) - 3))) if common else ""
    return cut(f"{lead} » {tail}" if lead else f"» {tail}", width)


def _few(rows: Sequence[str], room: int) -> list[str]:
    if len(rows) <= room:
        return list(rows)
    kept = list(rows[: max(room - 1, 0)])
    return [*kept, f"  … and {len(rows) - len(kept)} more"]


def _clause(failure: Failure, width: int, most: int) -> list[str]:
    # a row of the contract's tables says less to a reader than a sentence of its prose
    told = sorted(failure.sentences.items(), key=lambda one: "/" in one[0])
    if not told:
        return []
    first = told[0]
    wrapped = textwrap.wrap(f"{first[0]}: {first[1]}", width - 2, break_long_words=False)
    if len(wrapped) > most:
        wrapped = [*wrapped[: most - 1], cut(" ".join(wrapped[most - 1 :]), width - 2)]
    return [f"  {line}" for line in wrapped]
