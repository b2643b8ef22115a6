"""A review as text, Markdown, HTML and JSON. Refuses to find anything out."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence

import msgspec

from lifecycle_conformance.review import before_after, excerpt
from lifecycle_conformance.review.causes import Cause, Witness
from lifecycle_conformance.review.consequences import Parts
from lifecycle_conformance.review.review import Review
from lifecycle_diagrams import sequence_svg
from lifecycle_diagrams.sequence import Sequence as Drawn

MEANS = {
    "same": "head allows exactly what base allows",
    "refines": "head allows only what base allowed, and less",
    "widens": "head allows all that base allowed, and more",
    "changes": "head allows something that base forbids, and forbids something that base allows",
}
BEHAVES = {
    "same": "Behaviour is the **same**: no run differs, only what the model says of itself",
    "refines": "Behaviour **refines**: head allows only what base allowed, and less",
    "widens": "Behaviour **widens**: head allows all that base allowed, and more",
    "changes": "Behaviour **changes**: head allows something that base forbids, and forbids something that base allows",
}
"""Beside what broke: what a system sees of it."""
SHOWS = {
    "same": "the runtime of head does what that of base did, in every run",
    "changes": "the runtime of head does something else than that of base",
}
"""The same of a runtime that was observed."""
WIDTH = 118
DRAWN = 5
"""Causes whose witnesses are drawn on the page."""
LISTED = 12
"""Names of one kind listed at most outside JSON."""
HEADED = 4
"""Names in a heading at most."""


def text(review: Review) -> str:
    """For the terminal."""
    lines = [*_head(review), ""]
    for number, cause in enumerate(review.causes, start=1):
        lines += [*_cause_text(number, cause, review.contract), ""]
    if review.more_causes:
        lines += [f"and {review.more_causes} more causes", ""]
    lines += _consequences(review)
    return "\n".join(lines).rstrip() + "\n"


def _head(review: Review) -> Iterator[str]:
    yield f"{review.verdict.upper()}: {review.base} → {review.head}: {_means(review).replace('**', '')}"
    yield from (f"  {line}" for line in _more_broken(review))
    yield f"  version: {review.version} ({review.why})"
    yield from _extent(review)


def _extent(review: Review) -> Iterator[str]:
    """How much was compared, and what was not."""
    yield f"  {_compared(review)}"
    for one in review.visited:
        if one.cut:
            yield f"  {one.scope} was cut after {one.nodes:,} classes: {one.left:,} more were met, and nothing is said of runs beyond them"


def _means(review: Review) -> str:
    """The verdict in one sentence; of what breaks also what broke first, and what the behaviour does."""
    if review.verdict == "breaks":
        return f"{review.broken[0]}. {BEHAVES[review.behaviour]}"
    return SHOWS[review.verdict] if review.system else MEANS[review.verdict]


def _more_broken(review: Review) -> Iterator[str]:
    yield from (f"also: {line}" for line in review.broken[1:LISTED])
    if len(review.broken) > LISTED:
        yield f"and {len(review.broken) - LISTED} more of the model's own properties and clauses"


def _about(cause: Cause) -> str:
    return few(cause.about, HEADED) or "no row of its own"


def _compared(review: Review) -> str:
    met = [one for one in review.visited if one.runs]
    if not met:
        return "every step of the programs does what it did, so no run can differ"
    runs, nodes, performed = (
        sum(one.runs for one in met),
        sum(one.nodes for one in met),
        sum(one.performed for one in met),
    )
    if review.system:
        return f"{review.system} performed {runs:,} runs at both, from {nodes:,} classes in {', '.join(one.scope for one in met)}"
    return (
        f"compared after {runs:,} runs from {nodes:,} classes in {', '.join(one.scope for one in met)}; "
        f"{performed:,} of them reach a step that changed and were performed on both"
    )


def _cause_text(number: int, cause: Cause, contract: str) -> Iterator[str]:
    clauses = few(cause.clauses, HEADED) or "none"
    yield f"{number}. {_about(cause)}: {cause.relation}, {cause.runs} runs, clauses {clauses}"
    for witness in cause.witnesses:
        yield from (f"   {line}"[:400] for line in excerpt.lines(witness, contract))


def _consequences(review: Review) -> Iterator[str]:
    for each in review.parts:
        yield from _part(each)
    yield from (one.told for one in review.systems)
    for one in review.expectations:
        yield f"vector {one.vector} {'now holds' if one.now_holds else 'no longer holds'}: {one.title} ({one.why})"


def _part(each: Parts) -> Iterator[str]:
    if each.added:
        yield f"{each.kind} added: {few(each.added)}"
    if each.removed:
        yield f"{each.kind} removed: {few(each.removed)}"
    if each.renamed:
        yield f"{each.kind} renamed: {few([f'{old} → {new}' for old, new in each.renamed])}"
    if each.moved:
        yield f"{each.kind} moved: {few(each.moved)}"
    for name, what in each.changed[:LISTED]:
        yield f"{each.kind} changed: {name}: {what}"
    if len(each.changed) > LISTED:
        yield f"{each.kind} changed: {len(each.changed) - LISTED} more"


def few(names: Sequence[str], most: int = LISTED) -> str:
    """The first of these names, and how many more there are."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def json(review: Review) -> str:
    """For machines, everything found."""
    return msgspec.json.format(msgspec.json.encode(review), indent=2).decode() + "\n"


def markdown(review: Review) -> str:
    """For a comment on a pull request: the verdict and the one picture that matters, the rest folded."""
    lines = [
        f"## Lifecycle review: {review.verdict}",
        "",
        f"`{review.base}` → `{review.head}`: {_means(review)}.",
        "",
    ]
    lines += [f"- {line}" for line in _more_broken(review)]
    lines += [f"- Contract version: **{review.version}** — {review.why}.", ""]
    if review.causes:
        lines += [*_told(*first_shown(review), review.contract), ""]
    elif review.pictures:
        lines += ["```mermaid", review.pictures[0][1].rstrip(), "```", ""]
    for number, cause in enumerate(review.causes, start=1):
        about, clauses = html.escape(_about(cause)), html.escape(few(cause.clauses, HEADED))
        lines += [
            f"<details><summary>{number}. {about}: {cause.relation}, {cause.runs} runs, {clauses}</summary>",
            "",
        ]
        for witness in cause.witnesses:
            lines += ["```text", *excerpt.lines(witness, review.contract), "```", ""]
        lines += ["</details>", ""]
    rest = list(_consequences(review))
    if rest:
        lines += [
            "<details><summary>Consequences</summary>",
            "",
            *(f"- {line.strip()}" for line in rest),
            "",
            "</details>",
            "",
        ]
    for view, drawing in review.pictures:
        lines += [
            f"<details><summary>Before and after: {view}</summary>",
            "",
            "```mermaid",
            drawing.rstrip(),
            "```",
            "",
            "</details>",
            "",
        ]
    lines += [f"<sub>{line.strip()}</sub>" for line in _extent(review)]
    return "\n".join(lines).rstrip() + "\n"


def first_shown(review: Review) -> tuple[Cause, Witness]:
    """The first cause with a witness that can be drawn: where a model gives up there is nothing to see."""
    every = [(cause, witness) for cause in review.causes for witness in cause.witnesses]
    return next((pair for pair in every if not pair[1].failed), every[0])


def _told(cause: Cause, witness: Witness, contract: str) -> Iterator[str]:
    clauses = few(witness.clauses, HEADED) or "no clause"
    yield f"**What differs first** ({clauses}; {_about(cause)}){excerpt.policies(witness)}:"
    yield ""
    if witness.failed:
        yield f"`{witness.failed}`"
        return
    yield "```mermaid"
    yield before_after.sequence(witness, contract).rstrip()
    yield "```"
    if told := excerpt.count(witness):
        yield ""
        yield told


def page(review: Review) -> str:
    """One HTML page that needs nothing else."""
    body = [f"<h1>Lifecycle review: {review.verdict}</h1>", "<ul>"]
    body += [f"<li>{html.escape(line.strip())}</li>" for line in _head(review)]
    body.append("</ul>")
    for number, cause in enumerate(review.causes, start=1):
        about = html.escape(_about(cause))
        body.append(f"<h2>{number}. {about}: {cause.relation}, {cause.runs} runs</h2>")
        for witness in cause.witnesses:
            body.append(f"<pre>{html.escape(chr(10).join(excerpt.lines(witness, review.contract)))}</pre>")
            if not witness.failed and number <= DRAWN:
                drawn = before_after.runs(witness, review.contract)
                body += ["<div class=two>", *(_figure(one) for one in drawn), "</div>"]
    body += ["<h2>Consequences</h2>", "<ul>"]
    body += [f"<li>{html.escape(line.strip())}</li>" for line in _consequences(review)]
    body.append("</ul>")
    style = "body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem}pre{overflow-x:auto}.two{display:grid;grid-template-columns:1fr 1fr;gap:1rem}figure{margin:0}svg{max-width:100%;height:auto}"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width"><title>Lifecycle review: {review.verdict}</title>'
        f"<style>{style}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


def _figure(drawn: Drawn) -> str:
    return f"<figure><figcaption>{html.escape(drawn.title)}</figcaption>{sequence_svg.svg(drawn)}</figure>"


FORMS = {"text": text, "markdown": markdown, "json": json, "html": page}
