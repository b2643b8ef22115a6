"""A review as text, Markdown, HTML and JSON. Refuses to find anything out."""

from __future__ import annotations

import html
from collections.abc import Iterator

import msgspec

from lifecycle_conformance.review import before_after, picture
from lifecycle_conformance.review.causes import Cause, Witness
from lifecycle_conformance.review.consequences import Parts
from lifecycle_conformance.review.review import Review
from lifecycle_diagrams import sequence_svg
from lifecycle_diagrams.sequence import Sequence

MEANS = {
    "same": "head allows exactly what base allows",
    "refines": "head allows only what base allowed, and less",
    "widens": "head allows all that base allowed, and more",
    "changes": "head allows something that base forbids, and forbids something that base allows",
    "breaks": "a property changed its answer, or a clause lost its last carrier",
}
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
    yield f"{review.verdict.upper()}: {review.base} → {review.head}: {_means(review)}"
    if review.verdict == "breaks":
        yield f"  behaviour {review.behaviour}: {MEANS[review.behaviour]}"
    yield from (f"  {line}" for line in review.broken[:LISTED])
    yield f"  version: {review.version} ({review.why})"
    yield f"  {_compared(review)}"
    for one in review.visited:
        if one.cut:
            yield f"  {one.scope} was cut at {one.nodes:,} classes: beyond them nothing is said"


def _means(review: Review) -> str:
    return SHOWS[review.verdict] if review.system else MEANS[review.verdict]


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
    about = ", ".join(cause.about) or "no row of its own"
    yield f"{number}. {about}: {cause.relation}, {cause.runs} runs, clauses {' '.join(cause.clauses) or 'none'}"
    for witness in cause.witnesses:
        yield from (f"   {line}"[:400] for line in witness_lines(witness, contract))


def witness_lines(witness: Witness, contract: str) -> Iterator[str]:
    """A witness in words."""
    where = f"{witness.scope}: {witness.label}" + (" (after an earlier difference)" if witness.parted else "")
    yield f"{where} [{witness.relation}]{_policies(witness)}"
    for at, step in enumerate(picture.steps(witness), start=1):
        yield f"  {at}. {step}"
    if witness.failed:
        yield f"  {witness.failed}"
        return
    base, head = picture.own(witness)
    apart = picture.parting(witness, contract)
    if apart is not None and apart.common:
        yield f"  both  {' '.join(apart.common)}"
    if apart is not None and len(base) == len(head) == 1 and not (apart.allowed or apart.did):
        # the short notation shows the same of both, so the members must be told
        yield f"  base  » {picture.members(base[0], head[0])}"
        yield f"  head  » {picture.members(head[0], base[0])}"
        return
    if apart is not None and len(base) == len(head) == 1:
        yield f"  base  » {' '.join(apart.allowed) or 'nothing more'}"
        yield f"  head  » {' '.join(apart.did) or 'nothing more'}"
        return
    yield from (f"  base  {line}" for line in picture.shown(base, witness)[:3])
    yield from (f"  head  {line}" for line in picture.shown(head, witness)[:3])


def _policies(witness: Witness) -> str:
    told = ", ".join(f"{name} {value}" for name, value in sorted(witness.policies.items()))
    return f" with {told}" if told else ""


def _consequences(review: Review) -> Iterator[str]:
    for each in review.parts:
        yield from _part(each)
    yield from (one.told for one in review.systems)
    for one in review.expectations:
        yield f"vector {one.vector} {'now holds' if one.now_holds else 'no longer holds'}: {one.title}"
        yield f"  {one.why}"


def _part(each: Parts) -> Iterator[str]:
    if each.added:
        yield f"{each.kind} added: {_few(each.added)}"
    if each.removed:
        yield f"{each.kind} removed: {_few(each.removed)}"
    if each.renamed:
        yield f"{each.kind} renamed: {_few([f'{old} → {new}' for old, new in each.renamed])}"
    if each.moved:
        yield f"{each.kind} moved: {_few(each.moved)}"
    for name, what in each.changed[:LISTED]:
        yield f"{each.kind} changed: {name}: {what}"
    if len(each.changed) > LISTED:
        yield f"{each.kind} changed: {len(each.changed) - LISTED} more"


def _few(names: tuple[str, ...] | list[str]) -> str:
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return ", ".join(names[:LISTED]) + more


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
    if review.verdict == "breaks":
        lines.append(f"- Behaviour: **{review.behaviour}** — {MEANS[review.behaviour]}.")
    lines += [f"- {line}" for line in review.broken[:LISTED]]
    lines += [f"- Contract version: **{review.version}** — {review.why}.", ""]
    if review.causes:
        cause = review.causes[0]
        lines += [*_told(cause, cause.witnesses[0], review.contract), ""]
    elif review.pictures:
        lines += ["```mermaid", review.pictures[0][1].rstrip(), "```", ""]
    for number, cause in enumerate(review.causes, start=1):
        about = html.escape(", ".join(cause.about) or "no row of its own")
        lines += [
            f"<details><summary>{number}. {about}: {cause.relation}, {cause.runs} runs, {' '.join(cause.clauses)}</summary>",
            "",
        ]
        for witness in cause.witnesses:
            lines += ["```text", *witness_lines(witness, review.contract), "```", ""]
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
    lines += [f"<sub>{line.strip()}</sub>" for line in list(_head(review))[-1:]]
    return "\n".join(lines).rstrip() + "\n"


def _told(cause: Cause, witness: Witness, contract: str) -> Iterator[str]:
    yield f"**What differs first** ({' '.join(witness.clauses) or 'no clause'}; {', '.join(cause.about)}){_policies(witness)}:"
    yield ""
    if witness.failed:
        yield f"`{witness.failed}`"
        return
    yield "```mermaid"
    yield before_after.sequence(witness, contract).rstrip()
    yield "```"


def page(review: Review) -> str:
    """One HTML page that needs nothing else."""
    body = [f"<h1>Lifecycle review: {review.verdict}</h1>", "<ul>"]
    body += [f"<li>{html.escape(line.strip())}</li>" for line in _head(review)]
    body.append("</ul>")
    for number, cause in enumerate(review.causes, start=1):
        about = html.escape(", ".join(cause.about) or "no row of its own")
        body.append(f"<h2>{number}. {about}: {cause.relation}, {cause.runs} runs</h2>")
        for witness in cause.witnesses:
            body.append(f"<pre>{html.escape(chr(10).join(witness_lines(witness, review.contract)))}</pre>")
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


def _figure(drawn: Sequence) -> str:
    return f"<figure><figcaption>{html.escape(drawn.title)}</figcaption>{sequence_svg.svg(drawn)}</figure>"


FORMS = {"text": text, "markdown": markdown, "json": json, "html": page}
