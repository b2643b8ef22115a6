"""How an agent of the variant comes: what its section P changes in contract 1's creation, publication and owners.

Setup begins in the segment that asks (there is no minting to wait for), a commit follows the check, roll-backs are the
one teardown, and an unload begins its teardowns after the segment that asks for it.
"""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Transaction
from lifecycle_model.rows import words as w
from lifecycle_model.rows.admission import begin, keep_seed, owner_inactive
from lifecycle_model.rows.durability import act
from lifecycle_model.rows.life import (
    born,
    deactivated,
    fix_vetoed,
    listed,
    says,
    session_start,
    threw,
    transaction,
)
from lifecycle_model.rows.owners import begin_owner, transactions
from lifecycle_model.rows.rejection import OPEN, first_reason, fix, note_reason, own_log, settle_rejection
from lifecycle_model.rows.rejection import deactivated as tx_deactivated
from lifecycle_model.rows.rejection import fix_reason as fix_contract_1
from lifecycle_model.table import END, Program, Row
from lifecycle_model.variants import latch_words as v
from lifecycle_model.variants.latch_state import LatchAgent, LatchTransaction
from lifecycle_model.wire import Observation

UNWINDING = ("Unwinding", "Detaching", "Releasing", "Finished")
"""The agent's scope unwinds, or has: nothing is registered through its ctx any more."""


def begin_creation(now: Now) -> LatchTransaction:
    """A transaction as the command describes it."""
    return LatchTransaction(**msgspec.structs.asdict(begin(now)))


def agent_of(tx: Transaction, now: Now) -> LatchAgent | None:
    """The agent a transaction made, while it is the one its id names."""
    agent = now.part(tx.id)
    return agent if isinstance(agent, LatchAgent) and agent.handle == tx.name else None


def owner_unwinds(now: Now) -> bool:
    """The owner was unloaded, or the scope of the agent whose ctx it is unwinds."""
    owner = now.part(now.it.owner)
    agent = agent_of(owner, now) if isinstance(owner, Transaction) else None
    return owner_inactive(now) or (agent is not None and agent.life in UNWINDING)


def begin_agent(now: Now) -> LatchAgent:
    """The agent of the transaction; what was pending is again (D8L); an earlier life keeps what it waits for."""
    fresh, tx = born(now), now.part(now.by)
    own = {"place": "Idle", "started": True, "queued": tx.queued, "steering": tx.steering}
    return LatchAgent(**{**msgspec.structs.asdict(fresh), **own})


def commit_failed(now: Now) -> bool:
    """The commit that setup returned threw."""
    return now.outcome.outcome == "commit_fail"


def may_be_deactivated(now: Now) -> bool:
    """It was not deactivated before; a fiber's unload finds it published once its segment is over (P5L)."""
    return first_reason(now) and (now.it.place != "Publishing" or now.note("reason") == "aborted")


def agents_or_publishing(now: Now) -> bool:
    """An agent on record is live, or just being published."""
    return any(now.part(name).place in ("Publishing", "Live") for name in transactions(now))


def by_configuration(now: Now) -> bool:
    """It is the creation of a configured agent, which nobody gives a setup."""
    return bool(now.it.client.startswith("start:"))


def start_failed(now: Now) -> Observation:
    """`agent-loop/config-start-failed`, with the session id."""
    return Observation("agent-loop/config-start-failed", of=now.it.id or now.it.resume or now.it.name)


def fix_first(now: Now) -> Transaction:
    """The rejection is the first deactivation reason, whichever it was (P8L)."""
    return replace(now.it, verdict=now.it.reason)


def fix_reason(now: Now) -> LatchAgent:
    """The rejection of its creation is the first deactivation reason, whichever it was (P8L)."""
    tx = transaction(now)
    assert tx is not None
    now.put(f"tx:{now.it.handle}", replace(tx, verdict=tx.reason))
    return now.it


def settle_disposers(now: Now) -> Any:
    """Whoever disposed the lifecycle in setup has it gone."""
    for ref in now.it.disposers:
        now.settle(ref)
    return replace(now.it, disposers=())


A, E, R, X, W = "agent", "entry", "listing", "transaction", "owner"

PROGRAMS = (
    Program("loaded", "the load has settled: was it wanted still, repair, take the log, check",
            ("loaded.done", "loaded.late", "loaded.failed", "loaded.missing", "loaded.live", "loaded.log", "loaded.mint"),
            ("P/r4", "P6", "P17")),
    Program("mint", "the scope is there at once", ("mint.later",), ("P/r5",)),
    Program("minted", "set up", ("minted.ask", "minted.sync", "minted.configured", "minted.later"), ("P/r5", "P1")),
    Program("unwound", "the scope has unwound", ("unwound.scope", "unwound.children", "unwound.reject"), ("R1L", "R2L")),
    Program("publish", "enter, announce, start: one segment; deactivation checked after each announcement",
            ("publish.enter", "publish.list", "publish.buffer", "publish.session", "publish.session_vetoed", "publish.session_check",
             "publish.agent", "publish.agent_vetoed", "publish.agent_check", "publish.start", "publish.start_check"),
            ("X7", "P2", "P5L")),
)  # fmt: skip

ROWS = (
    Row("P New", X, (), "create.begin", ("P/r1", "P/r2"), to="New", effect=begin_creation),
    Row("P/r2", X, ("New",), "create.owner", ("P/r2", "P18"), guard=owner_unwinds, effect=fix("inactive_owner"), then="reject.settle"),
    Row("P/r4 prepared", X, ("Preparing",), "create.mint", ("P/r4",), effect=keep_seed, then="mint"),
    Row("P/r5", X, ("Preparing", "Loading"), "mint.later", ("P/r5",), to="Minting", then="minted"),
    Row("P/r6L configured", X, ("Minting",), "minted.configured", ("P/r6L", "G/r2"), guard=by_configuration, to="SettingUp",
        effect=w.setting(known=True), then="ready"),
    Row("G4 reports", "starter", ("Failed",), "started.report", ("G4", "G/r6"), says=(start_failed,)),
    Row("P19L commit throws", X, ("SettingUp",), "ready.check", ("P19L", "P/r6L", "P8L"), guard=commit_failed, effect=fix("setup_failed"), then="unwind"),
    Row("P8 reason", X, OPEN, "deactivate.note", ("P8L", "P6", "P5L"), guard=may_be_deactivated, effect=note_reason),
    Row("R0", X, (), "reject.settle", ("R0", "P7", "P8L"), to="Rejected", effect=w.chain(settle_rejection, settle_disposers), runs="forget",
        on=lambda now: (now.it.owner, now.it.provider)),

    Row("P/r7", E, (), "publish.enter", ("P/r7", "I12", "L/r6"), to="Entered", effect=begin_agent),
    Row("P/r8", R, ("Unlisted",), "publish.list", ("P/r8", "I12"), to="Entered", effect=listed),
    Row("D/r1 s+", A, (), "publish.buffer", ("D/r1",), runs="log.begin", on=w.its_log),
    Row("P/r9", E, ("Entered",), "publish.session", ("P/r9", "P2", "I14", "L/r8"), to="Announced", says=(says("session/created"),)),
    Row("R4L vetoed", A, (), "publish.session_vetoed", ("R4L", "P3", "P8L"), guard=threw, effect=fix_vetoed, then="teardown"),
    Row("R4L", A, (), "publish.session_check", ("R4L", "P5L"), guard=deactivated, effect=fix_reason, then="teardown"),
    Row("P/r10", R, ("Entered",), "publish.agent", ("P/r10", "P2", "I14", "L/r8"), to="Announced", says=(says("agent/created"),)),
    Row("R5L vetoed", A, (), "publish.agent_vetoed", ("R5L", "P3", "P8L"), guard=threw, effect=fix_vetoed, then="teardown"),
    Row("R5L", A, (), "publish.agent_check", ("R5L", "P5L"), guard=deactivated, effect=fix_reason, then="teardown"),
    Row("P/r11", "teardown", ("Publishing",), "publish.start", ("P/r11", "P2", "P/r12L"), to="Live", effect=w.setting(mark=True), says=(session_start,)),
    Row("R6L", A, (), "publish.start_check", ("R6L", "P5L"), guard=deactivated, effect=fix_reason, then="teardown"),

    Row("P17 repair", X, ("Loading",), "loaded.log", ("P17", "D/r5", "D/r6"), runs="log.repair", on=own_log),
    Row("P6 late load", X, ("Loading",), "loaded.late", ("P6", "P11", "P8L"), guard=tx_deactivated, effect=fix_first, then="reject"),
    Row("X3 owner", W, (), "unload_owner.begin", ("X3L", "T1", "P6"), to="Unloading", effect=begin_owner, then="unload"),
    Row("X3L begins later", W, (), "unload.agents", ("X3L", "P5L"), guard=agents_or_publishing, opens="begin"),
    Row("L out of band", E, (), "session.act", ("L/r1",), guard=act("append_out_of_band"), effect=v.refuse("unsupported"), then=END),
)  # fmt: skip

DROPPED = frozenset(
    {
        "P12 minting throws",
        "R1",
        "P/r4 deactivated in load",
        "P/r5 sync",
        "P/r5 sync minted",
        "X3 begins later",
        "X3 begins",
        "T9 unannounced",
    }
)
"""Rows of contract 1 that nothing replaces: scopes are minted at once, late loads are inert, unloads begin later, scope disposers do not fail."""

EFFECTS: dict[object, Any] = {fix_contract_1: fix_first}
"""Effects of contract 1 that the variant has otherwise, in whatever row: P8L knows no order of reasons but the first."""

EXTENDED = frozenset({"loaded", "mint", "minted", "unwound"})
"""Programs of contract 1 that have other steps here; their rows hold."""
