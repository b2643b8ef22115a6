"""Before and after on one picture: a run that both sides make until they part, and the moves and programs that changed.

As Mermaid text, and as two sequences for a page. Refuses to look for what to draw.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from lifecycle_conformance.failure.sequence import of_trace
from lifecycle_conformance.review import picture
from lifecycle_conformance.review.causes import Allowed, Witness
from lifecycle_conformance.review.values import Catalog, RowShape
from lifecycle_diagrams.sequence import Arrow, Note
from lifecycle_diagrams.sequence import Sequence as Drawn
from lifecycle_diagrams.sequence_mermaid import arrow_line, label, lane_names, note_line
from lifecycle_model.wire import Trace, TraceBurst

UNSHOWN = ("hold", "watch")
"""Commands that only prepare gates."""
SIDES = {
    "refines": ("before: allowed, now forbidden", "before and after: allowed"),
    "widens": ("before and after: allowed", "after: allowed, too"),
}
"""What the two ways are where one side allows all that the other does."""
MOST = 10
"""Changed rows of one machine drawn at most."""
RED, GREEN, AMBER = "#cf222e", "#1a7f37", "#9a6700"


def runs(witness: Witness, contract: str) -> tuple[Drawn, Drawn]:
    """The run as base makes it and as head makes it; without what only prepares gates."""
    base, head = picture.own(witness)
    before, after = (_run(witness, side[0] if side else Allowed((), ()), contract) for side in (base, head))
    first, second = SIDES.get(witness.relation, ("before", "after"))
    return replace(before, title=first), replace(after, title=second)


def _run(witness: Witness, last: Allowed, contract: str) -> Drawn:
    bursts = []
    for made, one in zip(picture.commands(witness), (*witness.past, last), strict=True):
        calls, seen = picture.answers(one.calls), picture.observations_of(one.seen)
        kept = [at for at, command in enumerate(made) if command.verb not in UNSHOWN]
        told = tuple(calls[at] for at in kept if at < len(calls))
        bursts.append(TraceBurst(tuple(made[at] for at in kept), told, seen))
    return of_trace(Trace(tuple(bursts), contract=contract, policies=dict(witness.policies), system="review"))


def sequence(witness: Witness, contract: str) -> str:
    """Both as one Mermaid sequence: alike at first, then an alternative."""
    before, after = runs(witness, contract)
    alike = 0
    while alike < min(len(before.steps), len(after.steps)) and before.steps[alike] == after.steps[alike]:
        alike += 1
    lanes = [*before.lanes, *(one for one in after.lanes if one not in before.lanes)]
    names = lane_names(lanes)
    lines = ["sequenceDiagram", "  accTitle: before and after"]
    lines += [f"  participant {names[lane]} as {label(lane)}" for lane in lanes]
    lines += _steps(before.steps[:alike], names, "  ")
    first, second = SIDES.get(witness.relation, ("before", "after"))
    lines += [f"  alt {first}", *_steps(before.steps[alike:], names, "    ", lanes)]
    lines += [f"  else {second}", *_steps(after.steps[alike:], names, "    ", lanes), "  end"]
    return "\n".join(lines) + "\n"


def _steps(
    steps: Sequence[Arrow | Note], names: dict[str, str], indent: str, lanes: Sequence[str] = ()
) -> Iterator[str]:
    if lanes and not steps:
        yield f"{indent}Note over {names[lanes[0]]},{names[lanes[-1]]}: nothing more"
    for step in steps:
        yield f"{indent}{arrow_line(step, names) if isinstance(step, Arrow) else note_line(step, names)}"


def pictures(base: Catalog, head: Catalog, changed: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """A picture of each program whose steps changed, and of each machine some of whose rows did."""
    found: list[tuple[str, str]] = []
    for name in base.programs.keys() & head.programs.keys():
        if base.programs[name] != head.programs[name]:
            found.append((f"program {name}", program(name, base.programs[name], head.programs[name])))
    machines: dict[str, list[str]] = {}
    for name in changed:
        old, new = base.rows.get(name), head.rows.get(name)
        if old != new:
            machines.setdefault((new or old).machine, []).append(name)  # type: ignore[union-attr]  # one of them is there
    found += [(f"machine {name}", machine(base, head, rows[:MOST])) for name, rows in sorted(machines.items())]
    return tuple(sorted(found))


def program(name: str, base: Sequence[str], head: Sequence[str]) -> str:
    """The steps before and after, side by side; those that came, went or moved in colour."""
    at = {step: place for place, step in enumerate(step for step in base if step in head)}
    now = [step for step in head if step in base]
    moved = {step for place, step in enumerate(now) if at[step] != place}
    lines = ["flowchart TB"]
    for side, steps in (("before", base), ("after", head)):
        lines += [f"  subgraph {side}", "    direction LR"]
        lines += [f'    {side}{place}["{step.removeprefix(f"{name}.")}"]' for place, step in enumerate(steps)]
        lines += [f"    {side}{place} --> {side}{place + 1}" for place in range(len(steps) - 1)]
        lines.append("  end")
        for place, step in enumerate(steps):
            colour = AMBER if step in moved else RED if step not in head else GREEN if step not in base else ""
            if colour:
                lines.append(f"  style {side}{place} stroke:{colour},stroke-width:3px")
    lines.append("  before ~~~ after")
    return "\n".join(lines) + "\n"


def machine(base: Catalog, head: Catalog, rows: Sequence[str]) -> str:
    """The moves of changed rows between control states: gone in red, new in green, changed before in red and after in green."""
    states: dict[str, str] = {}
    lines: list[str] = []
    moves: list[str] = []
    colours: list[str] = []

    def move(name: str, row: RowShape, colour: str, told: str) -> None:
        for state in row.states or ("any state",):
            source = states.setdefault(state, f"s{len(states)}")
            target = states.setdefault(row.to, f"s{len(states)}") if row.to else f"k{len(lines)}"
            if not row.to:
                lines.append(f'  {target}(("↺"))')  # Mermaid draws one loop of a node only
            arrow = "-.->" if colour == RED else "==>"
            moves.append(f'  {source} {arrow}|"{told} {_plain(name)}<br/>{_plain(_said(row))}"| {target}')
            colours.append(colour)

    for name in rows:
        old, new = base.rows.get(name), head.rows.get(name)
        if (
            old is not None
            and new is not None
            and _said(old) == _said(new)
            and (old.states, old.to) == (new.states, new.to)
        ):
            move(name, new, AMBER, "what it does changed:")
            continue
        if old is not None:
            move(name, old, RED, "before:" if new else "removed:")
        if new is not None:
            move(name, new, GREEN, "after:" if old else "added:")
    nodes = [f'  {node}(["{_plain(state)}"])' for state, node in states.items()]
    styles = [f"  linkStyle {at} stroke:{colour},color:{colour}" for at, colour in enumerate(colours)]
    return "\n".join(["flowchart LR", *nodes, *lines, *moves, *styles]) + "\n"


def _said(row: RowShape) -> str:
    guard = f"[{row.guard}]" if row.guard else ""
    says = f"/ {' '.join(row.says)}" if row.says else ""
    opens = f"→ gate {row.opens}" if row.opens else ""
    return " ".join(part for part in (row.step, guard, row.effect, says, opens, row.then) if part)


def _plain(text: str) -> str:
    return text.replace('"', "'").replace("<", "‹").replace(">", "›").replace("|", "/")
