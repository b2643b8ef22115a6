"""The scopes a review compares two models in: those of the suites, and those of creation. Refuses what only one side knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from lifecycle_conformance.review.values import Catalog
from lifecycle_conformance.scopes import SuiteScope, _words, of
from lifecycle_conformance.systems.errors import UsageError
from lifecycle_conformance.words import verb

BIRTH: tuple[SuiteScope, ...] = (
    SuiteScope(
        "creation",
        "creations on one id, their setup held: failures, aborts in the same segment, disposal of what is published",
        {"setup": ("ok", "tools", "fail")},
        _words("create", "abort", "dispose", "unload_provider"),
        reactions=("abort", "dispose", "unload_provider", "throw"),
        lives=True,
        creations=2,
        seconds=("abort", "unload_provider"),
    ),
    SuiteScope(
        "owners",
        "an owner fiber: its unload among setups, turns and disposals, also in their segment",
        {"setup": ("ok", "fail"), "model": ("finish",), "scope": ("ok", "fail")},
        _words("create_owned", "unload_owner", "dispose", "send"),
        pending=1,
        reactions=("unload_owner", "dispose"),
        begins=(("create_owned",),),
        lives=True,
        creations=2,
        seconds=("unload_owner",),
    ),
    SuiteScope(
        "children",
        "an agent created through another's ctx: disposals and unloads that meet, scopes and the model held",
        {"model": ("finish",), "scope": ("ok",)},
        _words("create_child", "dispose", "dispose_child", "unload_owner", "send_child"),
        reactions=("dispose", "dispose_child"),
        begins=(("create_owned",),),
        lives=True,
        creations=2,
    ),
    SuiteScope(
        "provider",
        "the provider unloaded and loaded again among creations, turns and disposals",
        {"model": ("finish",), "scope": ("ok",)},
        _words("create", "unload_provider", "load_provider", "dispose", "send"),
        pending=1,
        reactions=("unload_provider", "dispose"),
        lives=True,
        creations=2,
        seconds=("unload_provider",),
    ),
    SuiteScope(
        "resume",
        "an id disposed, resumed and created again; loads and setups held, aborted, failing",
        {"load": ("ok", "missing", "fail"), "setup": ("ok", "fail")},
        _words("create", "resume", "abort", "dispose"),
        reactions=("abort", "dispose"),
        lives=True,
        creations=3,
        seconds=("abort",),
    ),
)
"""Of contract 1; the variant's own scopes have theirs."""

SETS = {
    "small": ("core", "contexts", "tools", "keep", "creation"),
    "standard": (),
}
"""Named sets; an empty one is every scope."""


def scopes_for(contract: str) -> tuple[SuiteScope, ...]:
    """Every scope a review of this contract, or of a change of it, can use."""
    return of(contract) if contract == "latch" else (*of(contract), *BIRTH)


def chosen(names: str, base: Catalog, head: Catalog) -> tuple[SuiteScope, ...]:
    """The scopes of a set, or those named with commas, with only what both sides know; UsageError for an unknown name."""
    known = {one.name: one for side in (head, base) for one in scopes_for(side.name)}
    wanted = SETS[names] or tuple(known) if names in SETS else tuple(names.split(","))
    missing = [name for name in wanted if name not in known]
    if missing and names not in SETS:
        raise UsageError(
            f"no scope {missing[0]!r} to compare in",
            hint=f"known: {', '.join(known)}; and the sets {', '.join(SETS)}",
        )
    return tuple(_common(known[name], base, head) for name in wanted if name in known)


def _common(scope: SuiteScope, base: Catalog, head: Catalog) -> SuiteScope:
    """The scope without words and gates that one of the two contracts lacks."""
    verbs = {"release", "read", "hold", "tick"} | set(base.verbs) & set(head.verbs)
    words = tuple(word for word in scope.words if verb(word) in verbs)
    gates = {
        kind: tuple(one for one in outcomes if _knows(base, kind, one) and _knows(head, kind, one))
        for kind, outcomes in scope.gates.items()
    }
    reactions = tuple(act for act in scope.reactions if act.startswith("throw") or verb((act,)) in verbs)
    return replace(
        scope, words=words, gates={kind: those for kind, those in gates.items() if those}, reactions=reactions
    )


def _knows(side: Catalog, kind: str, outcome: str) -> bool:
    plain = (
        outcome.partition("_")[0].rstrip("0123456789") if outcome.startswith(("tools", "ok_", "continue_")) else outcome
    )
    return plain in side.gates.get(kind, ())


def names_of(scopes: Iterable[SuiteScope]) -> str:
    """Their names, for people."""
    return ", ".join(one.name for one in scopes)
