"""A runtime at two revisions, driven through the same suites: what is observed of one and not of the other.

Each revision is taken from the object store into a folder and runs in a process of its own; the judge, its adapter and the
contract are those of the working tree, so that only the runtime differs. Refuses to compare models.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import msgspec

from lifecycle_conformance.contracts import contract_named
from lifecycle_conformance.oracle import Outlook
from lifecycle_conformance.reach import probe, within_reach
from lifecycle_conformance.review import revisions
from lifecycle_conformance.review.behaviour import CHANGES, SAME, subjects
from lifecycle_conformance.review.causes import MOST, Allowed, Cause, Witness
from lifecycle_conformance.review.product import effort
from lifecycle_conformance.review.review import CAUSES, Review, Visited
from lifecycle_conformance.review.scopes import SETS
from lifecycle_conformance.review.side import told
from lifecycle_conformance.scopes import of
from lifecycle_conformance.suite import explore, plain_edges, reacting_edges, short_run
from lifecycle_conformance.systems.adapter import AdapterError, Run, System, run_all
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_conformance.systems.load import find_program
from lifecycle_conformance.systems.stdio_client import StdioSystem
from lifecycle_conformance.systems.wellformed import Checked
from lifecycle_conformance.trial import Judge
from lifecycle_model.commands import Burst
from lifecycle_model.engine import Engine
from lifecycle_model.wire import BurstResult

if TYPE_CHECKING:
    from lifecycle_conformance.review.values import Plain

IMPL = "impl"
SERVE = "from lifecycle_conformance.cli import main; raise SystemExit(main(['serve', 'reference']))"
CHUNK = 512
"""Runs told both systems at a time."""
WHY = {
    SAME: ("none", "nothing is observed that is different; the contract is what it was"),
    CHANGES: ("none", "the runtime changed, not the contract"),
}


class Observed(msgspec.Struct, frozen=True):
    """One run whose observations differ: its burst, what each system did there, and whom the contract blames."""

    scope: str
    label: str
    bursts: tuple[Burst, ...]
    policies: Mapping[str, object]
    base: tuple[BurstResult, ...]
    head: tuple[BurstResult, ...]
    at: int

    @property
    def size(self) -> int:
        """The commands of the run up to where they part."""
        made = (msgspec.to_builtins(command) for burst in self.bursts[: self.at + 1] for command in burst)
        return sum(effort(command) for command in made)


@contextmanager
def opened(system: str, base: str, head: str | None, place: Path) -> Iterator[tuple[System, System, tuple[str, str]]]:
    """The system at both revisions, each in a process; without a head, the working tree's."""
    root = revisions.root_of(place)
    with ExitStack() as stack:
        names: list[str] = []
        running: list[System] = []
        for revision in (base, head):
            if revision is None:
                folder, name = root, "the working tree"
            else:
                commit = revisions.commit_of(root, revision)
                folder = Path(stack.enter_context(TemporaryDirectory(prefix="lifecycle-review-")))
                revisions.unpack_all(root, commit, folder)
                name = f"{revision} ({commit[:9]})"
            one = Checked(StdioSystem(command(system, folder)))
            stack.callback(one.stop)
            running.append(one)
            names.append(name)
        yield running[0], running[1], (names[0], names[1])


def command(system: str, folder: Path) -> list[str]:
    """What starts the system of a folder: the bundled runtime behind our adapter, or a command that is run there."""
    kind, _, rest = system.partition(":")
    if kind == "reference" and (folder / IMPL / "lifecycle_runtime").is_dir():
        path = os.pathsep.join(filter(None, (str(folder / IMPL), os.environ.get("PYTHONPATH", ""))))
        words = ["env", f"PYTHONPATH={path}", "PYTHONDONTWRITEBYTECODE=1", sys.executable, "-c", SERVE]
    elif kind == "reference":
        raise UsageError(f"there is no runtime in {folder}", hint="review from a revision that has one")
    elif kind == "stdio" and rest:
        words = shlex.split(rest)
        words[0] = words[0] if (folder / words[0]).exists() else find_program(words[0])
    else:
        raise UsageError(
            f"--system {system} has no two revisions", hint="reference, or stdio:COMMAND, run in each folder"
        )
    return ["sh", "-c", 'cd "$0" && exec "$@"', str(folder), *words]


def review_system(
    base: System,
    head: System,
    names: tuple[str, str],
    say: Callable[[str], None],
    scopes: str,
    system: str,
    contract: str = "1",
) -> Review:
    """Drive both through the suites of a set of scopes; compare what is observed, burst by burst."""
    model = Engine(contract_named(contract))
    with ThreadPoolExecutor(2) as pool:
        before, after = pool.map(lambda one: one.describe().profile, (base, head))
    known = {one.name: one for one in of(contract)}
    wanted = SETS[scopes] or tuple(known) if scopes in SETS else tuple(scopes.split(","))
    missing = [name for name in wanted if name not in known]
    if missing and scopes not in SETS:
        raise UsageError(f"no scope {missing[0]!r} to compare in", hint=f"known: {', '.join(known)}")
    reach = probe(base, before, known.values())
    visited: list[Visited] = []
    found: list[Observed] = []
    for name in wanted:
        scope = within_reach(known[name], before, reach) if name in known else None
        if scope is None:
            continue
        say(f"comparing in {name}: {scope.about}")
        classes = explore(model, scope)
        edges = (*plain_edges(classes), *reacting_edges(classes, False))
        labels = [told(edge.label) for edge in edges]
        runs = [Run(short_run(model, classes, edge, before).bursts, dict(scope.policies)) for edge in edges]
        different = list(_different(base, head, name, labels, runs))
        found += different
        visited.append(Visited(name, len(classes.nodes), len(runs), len(different), False, len(runs)))
    causes = _causes(found, Judge(Outlook(model), before), contract)
    verdict = CHANGES if found else SAME
    profile = ("the profile of the system is different",) if before != after else ()
    return Review(
        *names,
        verdict,
        verdict,
        *WHY[verdict],
        causes[:CAUSES],
        max(0, len(causes) - CAUSES),
        profile,
        (),
        (),
        tuple(visited),
        contract,
        system=system,
    )


def _different(
    base: System, head: System, scope: str, labels: Sequence[str], runs: Sequence[Run]
) -> Iterator[Observed]:
    for first in range(0, len(runs), CHUNK):
        some = runs[first : first + CHUNK]
        with ThreadPoolExecutor(2) as pool:
            mine, theirs = pool.map(partial(_outcomes, some), (base, head))
        for label, run, old, new in zip(labels[first:], some, mine, theirs, strict=False):
            at = next(
                (at for at, pair in enumerate(zip(old, new, strict=True)) if _print(pair[0]) != _print(pair[1])), -1
            )
            if at >= 0:
                yield Observed(scope, label, run.bursts, run.policies, tuple(old), tuple(new), at)


def _outcomes(runs: Sequence[Run], system: System) -> list[list[BurstResult]]:
    found: list[list[BurstResult]] = []
    for run, outcome in zip(runs, run_all(system, runs), strict=True):
        found.append(_failed(run, outcome) if isinstance(outcome, AdapterError) else outcome)
    return found


def _failed(run: Run, error: AdapterError) -> list[BurstResult]:
    """A system that fails is observed to do so: its first burst tells."""
    from lifecycle_model.wire import Observation

    told = BurstResult((), (Observation("fault", name=str(error)),))
    return [told, *(BurstResult((), ()) for _ in run.bursts[1:])]


def _print(one: BurstResult) -> object:
    """What can be seen of a burst, order across subjects aside."""
    return [msgspec.to_builtins(each) for each in one.calls], sorted(subjects(_plain(one.seen)).items())


def _plain(things: Iterable[object]) -> tuple[Plain, ...]:
    return tuple(msgspec.to_builtins(one) for one in things)


def _causes(found: Sequence[Observed], judge: Judge, contract: str) -> tuple[Cause, ...]:
    """Grouped by whom the contract blames and where they part; the shortest first."""
    groups: dict[tuple[str, ...], tuple[list[Observed], tuple[str, ...]]] = {}
    for one in sorted(found, key=lambda one: (one.size, one.label)):
        blamed = [judge.judge(one.bursts, list(side), one.policies).clauses for side in (one.base, one.head)]
        told = tuple(
            f"{who} breaks {' '.join(clauses[:3])}" if clauses else f"{who} keeps the contract"
            for who, clauses in zip(("base", "head"), blamed, strict=True)
        )
        clauses = tuple(dict.fromkeys((*blamed[0], *blamed[1])))
        groups.setdefault(told, ([], clauses))[0].append(one)
    return tuple(
        Cause(about, clauses, CHANGES, len(those), tuple(_witness(one, clauses) for one in _varied(those)))
        for about, (those, clauses) in groups.items()
    )


def _varied(found: Sequence[Observed]) -> list[Observed]:
    """The first few, each with another run up to where the two part."""
    told: dict[bytes, Observed] = {}
    for one in found:
        told.setdefault(msgspec.json.encode(one.bursts[: one.at + 1]), one)
    return list(told.values())[:MOST]


def _witness(one: Observed, clauses: tuple[str, ...]) -> Witness:
    past = tuple(Allowed(_plain(each.calls), _plain(each.seen)) for each in one.base[: one.at])
    base, head = (Allowed(_plain(each[one.at].calls), _plain(each[one.at].seen)) for each in (one.base, one.head))
    bursts = tuple(_plain(burst) for burst in one.bursts[: one.at + 1])
    return Witness(one.scope, one.label, CHANGES, bursts, dict(one.policies), past, (base,), (head,), clauses)
