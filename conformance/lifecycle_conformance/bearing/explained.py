"""Why some parts of contract 1 change nothing when they are taken away. Each reason is checked: nothing may change."""

from __future__ import annotations

from collections.abc import Mapping

_IDEMPOTENT = "beginning an unload again changes nothing either: the row says that it is one and the same (T1)"
_EITHER = "negated it exchanges the two ways, and the contract allows both"

EXPLAINED: Mapping[tuple[str, str], str] = {
    (
        "P17 reads no more",
        "removed",
    ): "bookkeeping: who has published reads the stored log no more, so a change of it is nobody's; keeps configurations few",
    ("P17 reads no more", "negated"): "as removed: a create has read nothing",
    (
        "Q1 copied",
        "removed",
    ): "a no-op on purpose: mutating a value passed before does nothing, and vectors notice a row that does something",
    (
        "S/r22 driver woken",
        "removed",
    ): "X4's first disposal check: a disposed driver's place already keeps it from every step before the second check",
    (
        "Q25 no calls",
        "removed",
    ): "the batch would be empty: only the name of the place differs, which diagrams and the machine of the turn show",
    ("T10 handle", "removed"): "bookkeeping: a handle nobody can use any more is forgotten; keeps configurations few",
    (
        "T8 earlier life",
        "removed",
    ): "bookkeeping: an ended agent whose id has a new life is forgotten; keeps configurations few",
    ("T1 owner over", "removed"): _IDEMPOTENT,
    ("T1 owner joins", "removed"): _IDEMPOTENT,
    ("T1 provider over", "removed"): _IDEMPOTENT,
    ("T1 provider joins", "removed"): _IDEMPOTENT,
    ("X3 begins later", "negated"): _EITHER,
    (
        "A10 record drained",
        "removed",
    ): "bookkeeping: a record that waits for nothing any more is nobody's, its connection is closed; keeps configurations few",
    ("A10 disposes later", "negated"): _EITHER,
    ("A4 possible", "negated"): _EITHER,
    ("L/r12", "removed"): "a no-op of the contract's table: the rows behind it leave live entries only",
    ("D/r9", "removed"): "a no-op of the contract's table",
    (
        "D/r5",
        "removed",
    ): "a log that is loaded as it is was taken when the load began; a change meanwhile makes it stale (P17)",
    (
        "A/r3 gone",
        "removed",
    ): "its window lies between the publication and the bridge's hearing of it: only the interleaved reading reaches it",
    (
        "T6 not yet",
        "removed",
    ): "its window lies between the driver's exit and the detach: only the interleaved reading reaches it",
}
"""By row or step and how it is weakened."""
