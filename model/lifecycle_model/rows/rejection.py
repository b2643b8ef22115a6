"""How a transaction ends without an agent (P8, P11, R0 to R2): deactivation, the rejection fixed, the scope unwound."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Provider, Transaction
from lifecycle_model.rows import words as w
from lifecycle_model.rows.inbox import refuse
from lifecycle_model.table import END, Effect, Program, Row
from lifecycle_model.wire import Answer, Observation


def resumes(now: Now) -> bool:
    """It is a resume."""
    return bool(now.it.resume)


def sync(now: Now) -> bool:
    """The create is synchronous."""
    return bool(now.it.sync)


def deactivated(now: Now) -> bool:
    """The transaction was deactivated."""
    return bool(now.it.reason)


def unknown_reference(now: Now) -> bool:
    """No create or resume has this reference."""
    return now.it is None


def rejected(now: Now) -> bool:
    """The rejection is fixed."""
    return bool(now.it.verdict)


def first_reason(now: Now) -> bool:
    """It was not deactivated before."""
    return not now.it.reason


def waits_stubbornly(now: Now) -> bool:
    """It waits at a gate that ignores its signal, or for another load of the same id."""
    return any(gate.kind in ("load", "setup") and gate.outcome is None and gate.sticky for gate in now.gates())


def children_left(now: Now) -> bool:
    """Something made through its agent's ctx is not gone."""
    return bool(now.it.records)


def fix(code: str) -> Effect:
    """Fix the rejection."""

    def effect(now: Now) -> Transaction:
        return replace(now.it, verdict="value" if now.outcome.value else code)

    effect.__name__ = f"fix_{code}"
    effect.__doc__ = f"The rejection is {code}, or the plain value thrown."
    return effect


def fix_reason(now: Now) -> Transaction:
    """The rejection is the provider's inactivity, else the first deactivation reason (P8)."""
    return replace(now.it, verdict=verdict_of(now.part, now.it))


def verdict_of(part: Any, it: Transaction) -> str:
    """The structural cause of a deactivated transaction."""
    provider: Provider | None = part(it.provider)
    inactive = provider is not None and provider.place != "Serving"
    return "inactive_provider" if inactive else it.reason


def answer_of(verdict: str) -> dict[str, Any]:
    """A rejection as an answer has it."""
    return {"value": "thrown"} if verdict == "value" else {"refused": verdict}


def settle_rejection(now: Now) -> Transaction:
    """The call settles with its rejection; a synchronous one has raised."""
    if now.it.sync:
        now.answer = Answer(**answer_of(now.it.verdict))
    elif not now.it.client:
        now.settle(now.it.name, **answer_of(now.it.verdict))
    return replace(now.it, log=(), reason="")


def raise_now(now: Now) -> Transaction:
    """The synchronous create raises."""
    now.answer = Answer(**answer_of(now.it.verdict))
    return now.it


def note_reason(now: Now) -> Transaction:
    """The first deactivation reason counts."""
    return replace(now.it, reason=now.note("reason"))


def note_abort(now: Now) -> Any:
    """The signal aborts, for the first time."""
    now.notes["reason"] = "aborted"
    return replace(now.it, signal=now.it.signal or now.command.reason or "error")


def scope_of(now: Now) -> Observation:
    """`scope`."""
    return Observation("scope", of=now.it.id)


def contained_scope(now: Now) -> Observation:
    """`contained(scope)`."""
    return Observation("contained", of=now.it.id, name="scope")


def close_scope(now: Now) -> Transaction:
    """The scope's listeners go."""
    now.close_scope(now.subject)
    now.notes["reason"] = "inactive_owner"
    return now.it


def has_unwound(now: Now) -> Transaction:
    """The scope's own disposers have run."""
    return replace(now.it, unwound=True)


def has_client(now: Now) -> bool:
    """A component made the call."""
    return bool(now.it.client)


def client(now: Now) -> Iterable[str]:
    """The component that made the call."""
    return (now.it.client,)


def own_log(now: Now) -> Iterable[str]:
    """The log of the id."""
    return (f"log:{now.it.id}",)


def holders(now: Now) -> Iterable[str]:
    """Owner and provider."""
    return (now.it.owner, now.it.provider)


X = "transaction"
OPEN = ("Preparing", "Loading", "Minting", "SettingUp", "Publishing")

PROGRAMS = (
    Program("cut", "deactivated at a gate that may never settle", ("cut.load", "cut.setup"), ("P11",)),
    Program("unwind", "unwind the scope of an agent that never was", ("unwind.raise", "unwind.scope", "unwind.children", "unwind.open"), ("R1", "R2")),
    Program("unwound", "the scope has unwound", ("unwound.scope", "unwound.failed", "unwound.children", "unwound.reject"), ("R1", "R2")),
    Program("reject", "drop the records and reject", ("reject.log", "reject.settle", "reject.told"), ("R0", "P7")),
    Program("abort", "abort the creation signal", ("abort.check", "abort.deactivate"), ("P9", "P11")),
    Program("deactivate", "deactivate a transaction", ("deactivate.cut", "deactivate.note"), ("P6", "P8", "P11")),
    Program("finished", "the agent is gone, or was never handed out", ("finished.reject", "finished.release"), ("T/r7", "T10")),
)  # fmt: skip

ROWS = (
    Row("P11 load", X, ("Loading",), "cut.load", ("P11", "R0"), effect=fix_reason, then="reject"),
    Row("P11 setup", X, ("SettingUp",), "cut.setup", ("P11", "R2"), effect=fix_reason, then="unwind"),
    Row("P14 raises unannounced", X, ("Minting", "SettingUp"), "unwind.raise", ("P14",), guard=sync, effect=raise_now),
    Row("R1 R2 scope", X, ("Minting", "SettingUp"), "unwind.scope", ("R1", "R2", "P7"), to="Unwinding", effect=close_scope),
    Row("R1 R2 children", X, ("Unwinding",), "unwind.children", ("R1", "R2", "P18"), guard=children_left, runs="unload"),
    Row("R1 R2 unwinds", X, ("Unwinding",), "unwind.open", ("R1", "R2"), opens="scope unwound"),
    Row("R1 R2 unwound", X, ("Unwinding",), "unwound.scope", ("R1", "R2"), effect=has_unwound, says=(scope_of,)),
    Row("T9 unannounced", X, ("Unwinding",), "unwound.failed", ("T9",), guard=w.outcome("fail"), says=(contained_scope,)),
    Row("R1 R2 waits", X, ("Unwinding",), "unwound.children", ("R1", "R2", "P18"), guard=children_left, then=END),
    Row("R0 after the scope", X, ("Unwinding",), "unwound.reject", ("R0",), then="reject"),
    Row("R0 log", X, (*OPEN, "Unwinding"), "reject.log", ("R0", "D5"), guard=resumes, runs="log.released", on=own_log),
    Row("R0", X, (), "reject.settle", ("R0", "P7", "P8"), to="Rejected", effect=settle_rejection, runs="forget", on=holders),
    Row("R0 told", X, ("Rejected",), "reject.told", ("A/r3", "G/r6"), guard=has_client, runs="refused", on=client),
    Row("P9 unknown", X, (), "abort.check", ("P9",), guard=unknown_reference, effect=refuse("not_live"), then=END),
    Row("P9 aborts", X, (), "abort.deactivate", ("P9",), effect=note_abort, runs="deactivate"),
    Row("P8 reason", X, OPEN, "deactivate.note", ("P8", "P6", "X3"), guard=first_reason, effect=note_reason),
    Row("P11 prompt", X, ("Loading", "SettingUp"), "deactivate.cut", ("P11",), guard=w.both(first_reason, waits_stubbornly), opens="cut"),
    Row("R4 R5 R6 rejected", X, ("Publishing",), "finished.reject", ("R4", "R5", "R6", "P11"), guard=rejected, effect=has_unwound, then="reject",
        constant="only a roll-back releases an agent that is being published, and it fixes the rejection first"),
    Row("T10 records", X, ("Live",), "finished.release", ("T10", "T/r7"), to="Released", runs="forget", on=holders),
)  # fmt: skip
