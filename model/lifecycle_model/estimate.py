"""How large an exploration will be, before it starts: what it was when last measured, else what a sample suggests."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lifecycle_model.cells import Cells
from lifecycle_model.explorer import Exploration, beginning
from lifecycle_model.properties import Properties
from lifecycle_model.scope import Scope, check
from lifecycle_model.scope_sizes import SIZES
from lifecycle_model.space import Space
from lifecycle_model.table import Contract


@dataclass(frozen=True)
class Estimate:
    """What an exploration will take. `segments` to perform is what its time goes by."""

    configurations: int
    segments: int
    measured: bool
    """An exploration of this version of the scope found so much; else a sample does, and it is a lower estimate."""

    def text(self) -> str:
        """One line."""
        how = "when last measured" if self.measured else "at least about, by a sample"
        return f"{how}: {self.configurations:,} configurations, {self.segments:,} segments to perform"


def estimate(contract: Contract, scope: Scope) -> Estimate:
    """How large a scope is, by the sizes on record or by a sample."""
    found = SIZES.get((contract.name, scope.name, scope.version))
    return Estimate(*found, measured=True) if found is not None else sample(contract, scope)


def sample(contract: Contract, scope: Scope, expanded: int = 300) -> Estimate:
    """Expand a few configurations in a fixed pseudo-random order; the rarer something new, the nearer the end.

    If a part p of the transitions still leads to something new, about 1 - p of all configurations are known.
    """
    check(scope, contract)
    cells = Cells(contract, scope, Properties())
    space = Space(contract, scope, cells, "interleaved", symmetric=True)
    start = space.pack(beginning(cells, scope)[0], space.budgets - 1, 0)
    known, todo = {start}, [start]
    news: list[int] = []
    olds: list[int] = []
    state = 1
    while todo and len(news) < expanded:
        state = (state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
        at = (state >> 33) % len(todo)
        todo[at], todo[-1] = todo[-1], todo[at]
        key = todo.pop()
        before, targets = len(known), 0
        for target, *_ in space.successors(key):
            targets += target != key
            if target not in known:
                known.add(target)
                todo.append(target)
        news.append(len(known) - before)
        olds.append(targets)
    if not todo:
        return Estimate(len(known), cells.evaluated, measured=False)
    late = len(news) // 2
    new, every = sum(news[late:]), max(1, sum(olds[late:]))
    size = len(known) * every // max(1, every - new)
    views = cells.evaluated * size // max(1, len(news)) if len(scope.agents) == 1 else cells.evaluated
    return Estimate(size, views, measured=False)


def sizes_of(every: Iterable[Exploration]) -> dict[tuple[str, str, int], tuple[int, int]]:
    """What to put on record of complete explorations in the interleaved reading."""
    return {
        (one.space.contract.name, one.scope.name, one.scope.version): (len(one.space.order), one.space.cells.evaluated)
        for one in every
        if one.space.complete and one.space.reading == "interleaved"
    }


def as_module(sizes: dict[tuple[str, str, int], tuple[int, int]]) -> str:
    """The source of `scope_sizes.py` with these sizes."""
    lines = [
        '"""How large each scope was when last explored: configurations and segments performed. Generated; holds no logic."""',
        "",
        "from __future__ import annotations",
        "",
        "from collections.abc import Mapping",
        "",
        "SIZES: Mapping[tuple[str, str, int], tuple[int, int]] = {",
        *(
            f'    ("{contract}", "{scope}", {version}): ({size[0]:_}, {size[1]:_}),'
            for (contract, scope, version), size in sorted(sizes.items())
        ),
        "}",
        '"""By contract, scope and version of the scope."""',
        "",
    ]
    return "\n".join(lines)
