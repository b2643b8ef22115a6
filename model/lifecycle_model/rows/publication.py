"""A transaction from its admission to its result (P/r4 to r12): load, mint, set up, publish, return the handle.

It addresses the gates `load`, `scope_mint` and `setup` by its reference. Refuses to announce: that is the segment X7 (`life`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Storage, Transaction
from lifecycle_model.rows import words as w
from lifecycle_model.rows.admission import taken
from lifecycle_model.rows.rejection import (
    X,
    client,
    deactivated,
    fix,
    fix_reason,
    has_client,
    own_log,
    raise_now,
    rejected,
    resumes,
    sync,
    waits_stubbornly,
)
from lifecycle_model.table import Program, Row


def stored_log(now: Now) -> Storage:
    """What is stored under the transaction's id."""
    log: Storage | None = now.part(f"log:{now.it.id}")
    return Storage(now.it.id) if log is None else log


def missing(now: Now) -> bool:
    """The load has settled and found no log."""
    return w.outcome("missing")(now) or not (now.it.found or w.outcome("aborted")(now))


def buffering(now: Now) -> bool:
    """The id's log is buffered for a live session."""
    return stored_log(now).place == "Buffering"


def stale(now: Now) -> bool:
    """The log changed since it was loaded."""
    return bool(now.it.stale)


def queued_in_vain(now: Now) -> bool:
    """It was deactivated while another load of its id was in flight."""
    return bool(now.it.reason and stored_log(now).loading)


def settle_handle(now: Now) -> Transaction:
    """The call settles with the handle; the signal has no effect any more."""
    if not now.it.sync and not now.it.client:
        now.settle(now.it.name, ok="handle")
    return replace(now.it, log=(), reason="")


def its_agent(now: Now) -> Iterable[str]:
    """The agent of the id."""
    return (now.it.id,)


become_known: Any = w.setting(known=True)

PROGRAMS = (
    Program("load", "a resume's load, one of an id after the other", ("load.gone", "load.live", "load.open", "load.stuck"), ("D5", "P/r4")),
    Program("loaded", "the load has settled: repair, take the log, check",
            ("loaded.done", "loaded.failed", "loaded.missing", "loaded.live", "loaded.log", "loaded.check", "loaded.mint"),
            ("P/r4", "P17")),
    Program("task", "what follows the call in a task of its own", ("task.mint",), ("P/r5",)),
    Program("mint", "claim the driver, mint the scope", ("mint.ask", "mint.sync", "mint.later"), ("P/r5",)),
    Program("minted", "the scope is minted: check, set up", ("minted.failed", "minted.check", "minted.ask", "minted.sync", "minted.later"),
            ("P/r5", "P12")),
    Program("ready", "the setup has settled: check, publish, return the handle",
            ("ready.failed", "ready.check", "ready.taken", "ready.stale", "ready.read", "ready.publish", "ready.raise", "ready.live", "ready.told"), ("P/r6", "P/r7", "P10")),
    Program("returned", "whoever made the call has its handle", ("returned.told",), ("A/r2", "A/r5", "G1")),
)  # fmt: skip

ROWS = (
    Row("P/r5 begins", X, ("Preparing",), "task.mint", ("P/r5",), then="mint"),
    Row("P/r4 deactivated in the queue", X, ("Loading",), "load.gone", ("P11", "D5"), guard=queued_in_vain,
        effect=fix_reason, then="reject"),
    Row("D/r7 load", X, ("Loading",), "load.live", ("D/r7", "D5", "P10"), guard=buffering, effect=fix("duplicate_id"), then="reject"),
    Row("D5 load", X, ("Loading",), "load.open", ("D5", "P/r4"), runs="log.loading", on=own_log, opens="load loaded"),
    Row("P11 aborted before", X, ("Loading",), "load.stuck", ("P11", "P9"), guard=w.both(deactivated, waits_stubbornly), opens="cut"),
    Row("D5 loaded", X, ("Loading",), "loaded.done", ("D5",), runs="log.loaded", on=own_log),
    Row("P/r4 load failed", X, ("Loading",), "loaded.failed", ("P/r4", "P8"), guard=w.outcome("fail"), effect=fix("load_failed"), then="reject"),
    Row("P/r4 no log", X, ("Loading",), "loaded.missing", ("P/r4", "P17", "D/r8"), guard=missing, effect=fix("not_stored"), then="reject"),
    Row("P/r4 live log", X, ("Loading",), "loaded.live", ("P/r4", "P10", "D/r7"), guard=w.either(buffering, taken), effect=fix("duplicate_id"), then="reject"),
    Row("P/r4 deactivated in load", X, ("Loading",), "loaded.check", ("P/r4", "P6", "P9"), guard=deactivated, effect=fix_reason, then="reject"),
    Row("P17 repair", X, ("Loading",), "loaded.log", ("P17", "D/r5", "D/r6"), guard=w.negate(w.outcome("aborted")), runs="log.repair", on=own_log),
    Row("P17 loaded", X, ("Loading",), "loaded.mint", ("P17",), then="mint"),
    Row("P/r5 sync", X, ("Preparing",), "mint.ask", ("P/r5", "P14"), guard=sync, to="Minting", asks="scope_mint"),
    Row("P/r5 sync minted", X, ("Minting",), "mint.sync", ("P14",), then="minted"),
    Row("P/r5", X, ("Preparing", "Loading"), "mint.later", ("P/r5",), to="Minting", opens="scope_mint minted"),
    Row("P12 minting throws", X, ("Minting",), "minted.failed", ("P12", "P/r5", "R1"), guard=w.outcome("fail"), effect=fix("mint_failed"), then="reject"),
    Row("R1", X, ("Minting",), "minted.check", ("R1", "P/r5", "P12"), guard=deactivated, effect=fix_reason, then="unwind"),
    Row("P/r6 sync", X, ("Minting",), "minted.ask", ("P/r6", "P14"), guard=sync, to="SettingUp", effect=become_known, asks="setup"),
    Row("P/r6 sync settled", X, ("SettingUp",), "minted.sync", ("P14",), then="ready"),
    Row("P/r6", X, ("Minting",), "minted.later", ("P/r6", "P1", "P16", "P17"), to="SettingUp", effect=become_known, opens="setup ready"),
    Row("R2 setup throws", X, ("SettingUp",), "ready.failed", ("R2", "P/r6", "P8"), guard=w.outcome("fail"), effect=fix("setup_failed"), then="unwind"),
    Row("R2 deactivated", X, ("SettingUp",), "ready.check", ("R2", "P/r6", "P6"), guard=deactivated, effect=fix_reason, then="unwind"),
    Row("P/r7 taken", X, ("SettingUp",), "ready.taken", ("P/r7", "P10", "R2"), guard=taken, effect=fix("duplicate_id"), then="unwind"),
    Row("P/r7 stale", X, ("SettingUp",), "ready.stale", ("P/r7", "P17", "D7", "R2"), guard=stale, effect=fix("stale_log"), then="unwind"),
    Row("P17 reads no more", X, ("SettingUp",), "ready.read", ("P17",), guard=resumes, runs="log.released", on=own_log),
    Row("X7", X, ("SettingUp",), "ready.publish", ("X7", "P/r7"), to="Publishing", runs="publish", on=its_agent),
    Row("P14 raises", X, ("Publishing",), "ready.raise", ("P14",), guard=w.both(rejected, sync), effect=raise_now),
    Row("P/r12", X, ("Publishing",), "ready.live", ("P/r12", "P9"), guard=w.negate(rejected), to="Live", effect=settle_handle),
    Row("P/r12 told", X, ("Live",), "ready.told", ("A/r2", "A/r5", "G1"), guard=has_client, opens="returned"),
    Row("P/r12 returned", X, (), "returned.told", ("A/r2", "A/r3", "A/r5", "G1"), runs="given", on=client),
)  # fmt: skip
