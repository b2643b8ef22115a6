"""The publication segment X7 (P/r7 to r12) and its roll-backs R4 to R6, on the agent. Refuses to decide ids: `publication` does.

The program that runs these is that of the transaction `now.by`, and `tx:HANDLE` afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.parts import Transaction
from lifecycle_model.rows import words as w
from lifecycle_model.rows.cancel import clear
from lifecycle_model.rows.rejection import verdict_of
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Program, Row, Say
from lifecycle_model.wire import Observation


def born(now: Now) -> Agent:
    """The agent of the transaction; an earlier life of the id keeps what it still waits for under another name."""
    tx: Transaction = now.part(now.by)
    if now.it is not None and (not now.it.released or now.gates()):
        now.set_aside()
    return Agent(
        name=tx.id,
        handle=tx.name,
        stored=True,
        source="resume" if tx.resume else "startup",
        log=tx.log,
        turn=tx.turn,
        open=tx.open,
        step=tx.step if tx.open else 0,
        step_open=tx.step_open,
    )


def transaction(now: Now) -> Transaction | None:
    """The agent's transaction."""
    tx: Transaction | None = now.part(f"tx:{now.it.handle}")
    return tx


def its_transaction(now: Now) -> Iterable[str]:
    """The agent's transaction."""
    return (f"tx:{now.it.handle}",)


def threw(now: Now) -> bool:
    """A listener of the announcement threw at once."""
    return now.outcome.outcome == "threw"


def deactivated(now: Now) -> bool:
    """The transaction was deactivated."""
    tx = transaction(now)
    return tx is not None and bool(tx.reason)


def fix_vetoed(now: Now) -> Agent:
    """The rejection is what the listener threw."""
    tx = transaction(now)
    assert tx is not None
    now.put(f"tx:{now.it.handle}", replace(tx, verdict="vetoed"))
    return now.it


def fix_reason(now: Now) -> Agent:
    """The rejection is the provider's inactivity, else the first deactivation reason (P8)."""
    tx = transaction(now)
    assert tx is not None
    now.put(f"tx:{now.it.handle}", replace(tx, verdict=verdict_of(now.part, tx)))
    return now.it


def work_waiting(now: Now) -> bool:
    """A waking item is pending."""
    return w.waking_item(now) or bool(now.it.steering)


def start_driver(now: Now) -> Agent:
    """Start the driver; whether its start is a wake already, which consumes a marker (C9), is open."""
    if not work_waiting(now):
        w.resolve_waiters(now)
        return replace(now.it, started=True, marker=now.it.marker and now.late, waiters=())
    return replace(now.it, started=True)


def stop_driver(now: Now) -> Agent:
    """The driver is stopped before it started: waiters resolve, the status reads disposed."""
    w.resolve_waiters(now)
    return replace(now.it, status="disposed", exited=True, waiters=())


def flushing(now: Now) -> bool:
    """A tracked flush is pending."""
    return bool(now.it.flushes)


def marked(now: Now) -> bool:
    """The publish mark is set."""
    return bool(now.it.mark)


def says(event: str) -> Say:
    """An event of the agent or its session."""

    def say(now: Now) -> Observation:
        return Observation(event, of=now.of)

    say.__name__ = event
    say.__doc__ = event
    return say


def session_start(now: Now) -> Observation:
    """`start(source)`."""
    return Observation("agent/session-start", of=now.of, source=now.it.source)


A, E, R = "agent", "entry", "listing"
listed: Any = w.setting(entered=True)
unlisted: Any = w.setting(entered=False)
set_mark: Any = w.setting(mark=True)

PROGRAMS = (
    Program("publish", "enter, announce, mark, start: one segment",
            ("publish.enter", "publish.list", "publish.buffer", "publish.session", "publish.session_vetoed", "publish.session_check",
             "publish.agent", "publish.agent_vetoed", "publish.agent_check", "publish.mark", "publish.mark_check", "publish.driver"),
            ("X7", "P2", "P3")),
    Program("rollback", "take an announced agent back before its driver started",
            ("rollback.stop", "rollback.clear", "rollback.status", "rollback.wait", "rollback.agent", "rollback.session"),
            ("R4", "R5", "R6", "T13", "P4")),
)  # fmt: skip

ROWS = (
    Row("P/r7", E, (), "publish.enter", ("P/r7", "I12", "L/r6"), to="Entered", effect=born),
    Row("P/r8", R, ("Unlisted",), "publish.list", ("P/r8", "I12"), to="Entered", effect=listed),
    Row("D/r1 s+", A, ("Unpublished",), "publish.buffer", ("D/r1",), runs="log.begin", on=w.its_log),
    Row("P/r9", E, ("Entered",), "publish.session", ("P/r9", "P2", "I14", "L/r8"), to="Announced", says=(says("session/created"),)),
    Row("R4 vetoed", A, ("Unpublished",), "publish.session_vetoed", ("R4", "P3", "P8"), guard=threw, effect=fix_vetoed, then="rollback"),
    Row("R4", A, ("Unpublished",), "publish.session_check", ("R4", "P/r9", "P5", "P6"), guard=deactivated, effect=fix_reason, then="rollback"),
    Row("P/r10", R, ("Entered",), "publish.agent", ("P/r10", "P2", "I14", "L/r8"), to="Announced", says=(says("agent/created"),)),
    Row("R5 vetoed", A, ("Unpublished",), "publish.agent_vetoed", ("R5", "P3", "P8"), guard=threw, effect=fix_vetoed, then="rollback"),
    Row("R5", A, ("Unpublished",), "publish.agent_check", ("R5", "P/r10", "P5", "P6"), guard=deactivated, effect=fix_reason, then="rollback"),
    Row("S/r1", A, ("Unpublished",), "publish.mark", ("S/r1", "P/r11", "P2", "I14"), to="Published", effect=set_mark, says=(session_start,)),
    Row("R6", A, ("Published",), "publish.mark_check", ("R6", "P/r11", "P5", "P6"), guard=deactivated, effect=fix_reason, then="rollback"),
    Row("S/r25 with work", A, ("Published",), "publish.driver", ("S/r25", "P/r12", "C24"), guard=work_waiting, to="Woken",
        effect=start_driver, opens="driver driver.wake"),
    Row("S/r25", A, ("Published",), "publish.driver", ("S/r25", "P/r12", "C24", "S1"), to="Parked", effect=start_driver),

    Row("S/r2 S/r3 flushing", A, ("Unpublished", "Published"), "rollback.stop", ("P14", "T6"), guard=flushing, to="Disposing", effect=stop_driver),
    Row("S/r2", A, ("Unpublished",), "rollback.stop", ("S/r2", "R4", "R5", "T13"), to="Quiet", effect=stop_driver),
    Row("S/r3", A, ("Published",), "rollback.stop", ("S/r3", "R6", "T13"), to="Quiet", effect=stop_driver),
    Row("T3 rollback", A, (), "rollback.clear", ("T3", "Q18"), guard=w.something_pending, effect=clear, says=(w.discarded,)),
    Row("R6 status", A, (), "rollback.status", ("R6", "S/r3", "I1"), guard=marked, says=(w.status("disposed"),)),
    Row("P14 waits", A, ("Disposing",), "rollback.wait", ("P14", "T6"), then=END),
    Row("R5 a-", R, ("Announced",), "rollback.agent", ("R5", "R6", "P4", "T13"), to="Gone", effect=unlisted, says=(says("agent/disposed"),)),
    Row("R4 unlisted", R, ("Entered",), "rollback.agent", ("R4", "P4", "L5"), to="Gone", effect=unlisted),
    Row("R4 R5 s-", A, ("Quiet",), "rollback.session", ("R4", "R5", "R6"), then="leave"),
)  # fmt: skip
