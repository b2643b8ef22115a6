# ruff: noqa: INP001 - a script to run, not a package to import
"""What must not depend on how it is read: `python model/benchmarks/both_ways.py readings|symmetry [SCOPE ...]`.

`readings`: every segment of a scope is taken by the rows and by the `transitions` machines; a step in which they differ
ends the run. `symmetry`: every scope with interchangeable agents that can be run both ways is explored with and without
the reduction; each property must get the same answer. Shows progress; exits 1 on a difference, 2 if there is no such
scope. Needs numpy.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections import Counter

from lifecycle_model.contract1 import contract
from lifecycle_model.explore import standard
from lifecycle_model.explorer import Exploration, search
from lifecycle_model.frontier import Counted, Frontier
from lifecycle_model.machines import Agreeing, Disagreement
from lifecycle_model.properties import Properties
from lifecycle_model.scope import Scope, ScopeError
from lifecycle_model.scopes import EVERY, scope_named, scopes_in

CONTRACT = contract()


def readings(scopes: tuple[Scope, ...]) -> int:
    """Explore with both readings compared at every step; 1 at the first difference."""
    compared: set[tuple[str, str, str, str]] = set()
    for scope in scopes:
        began = time.process_time()
        try:
            found = search(CONTRACT, scope, Properties(), engine=Agreeing)
        except Disagreement as error:
            print(f"{scope.name}: {error}")
            return 1
        engine = found.space.cells.engine
        assert isinstance(engine, Agreeing)
        compared |= engine.compared
        whole = "all visited" if found.space.complete else "NOT all visited"
        print(
            f"{scope.name:<20}{len(found.space.order):>9,} configurations, {whole}, {len(engine.compared):>5,} kinds of step "
            f"compared, {time.process_time() - began:,.0f} s",
            flush=True,
        )
    rows = Counter(spec for spec, _, _, row in compared if row != "nothing")
    taken = {row for *_, row in compared}
    print(
        f"\n{len(compared):,} (machine, step, state, row) compared, {len(taken & {row.id for row in CONTRACT.rows})} rows taken"
    )
    print("by machine: " + ", ".join(f"{machine.name} {rows[machine.name]}" for machine in CONTRACT.machines))
    return 0


def answers(found: Exploration) -> dict[str, bool]:
    """For each property, whether it was kept, or reached. Liveness is always judged without the reduction."""
    properties = found.properties
    kept = {one.id: one.id not in found.violations for one in properties.safety}
    return kept | {one.id: one.id in found.witnesses for one in properties.reachable}


def counted(frontier: Counted) -> dict[str, bool]:
    """For each invariant, whether it was kept."""
    return {one.id: one.id not in frontier.broken for one in standard(CONTRACT).safety}


def symmetry() -> int:
    """Explore with and without the reduction; 1 if a property's answer differs."""
    differ = 0
    for name in ("pair", "pair-queues"):
        scope = scope_named(name)
        reduced, plain = (search(CONTRACT, scope, standard(CONTRACT), symmetric=both) for both in (True, False))
        differ += told(name, len(reduced.space.order), len(plain.space.order), answers(reduced), answers(plain))
    [role] = scope_named("quartet").roles
    some = dataclasses.replace(
        scope_named("quartet"), name="quartet of 3", roles=(dataclasses.replace(role, agents=role.agents[:3]),)
    )
    for scope in (scope_named("pairs"), some):
        few, all_of_them = (
            Frontier(CONTRACT, scope, standard(CONTRACT), symmetric=both).run() for both in (True, False)
        )
        differ += told(scope.name, few.configurations, all_of_them.configurations, counted(few), counted(all_of_them))
    return min(differ, 1)


def told(name: str, reduced: int, plain: int, one: dict[str, bool], other: dict[str, bool]) -> int:
    """Print how the answers compare; how many differ."""
    differ = [key for key in one if one[key] != other[key]]
    print(
        f"{name:<14}{reduced:>10,} configurations reduced, {plain:>10,} without, {len(one)} properties: "
        f"{'DIFFER in ' + ', '.join(differ) if differ else 'the same answers'}",
        flush=True,
    )
    return len(differ)


def main() -> int:
    """Do what was asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("readings", "symmetry"))
    parser.add_argument("scopes", nargs="*", help="of `readings`: scopes, or sets of them [standard]")
    asked = parser.parse_args()
    if asked.what == "symmetry":
        return symmetry()
    try:
        named = [
            (scope_named(name),) if name in {one.name for one in EVERY} else scopes_in(name) for name in asked.scopes
        ]
        return readings(tuple(scope for some in named or [scopes_in("standard")] for scope in some))
    except ScopeError as error:
        print(error, file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
