"""Flushes and out-of-band appends of a session (L/r13 to r16, L9), a direct one or an agent's. Refuses what is not live."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.rows.closing import flush_failed, flushed
from lifecycle_model.rows.entries import (
    E,
    asked,
    commit,
    committed,
    leaves_now,
    not_attached,
    note_record,
    record_of,
)
from lifecycle_model.rows.inbox import appending, flush_started
from lifecycle_model.rows.records import BRACKETS
from lifecycle_model.rows.rejection import answer_of
from lifecycle_model.rows.teardown import leave_waits
from lifecycle_model.state import LISTED, Agent
from lifecycle_model.table import END, Effect, Program, Row
from lifecycle_model.wire import ANY, Answer


def invalid_aside(now: Now) -> bool:
    """The record is none, or opens or closes a turn or step."""
    record = record_of(now)
    return record is None or record.event in BRACKETS


def aside_running(now: Now) -> bool:
    """An out-of-band append is under way."""
    return bool(now.it.aside)


def turn_open(now: Now) -> bool:
    """A turn is open in the log."""
    return bool(now.it.open)


def note_ref(now: Now) -> Any:
    """The call is pending."""
    now.answer = Answer(pending=now.command.as_)
    now.notes["ref"] = now.command.as_
    return now.it


def settle_refused(code: str) -> Effect:
    """The call settles as refused."""

    def effect(now: Now) -> Any:
        now.answer = Answer(pending=now.command.as_)
        now.settle(now.command.as_, refused=code)
        return now.it

    effect.__name__ = f"settle_{code}"
    effect.__doc__ = f"The call settles as refused: {code}."
    return effect


def settle_done(now: Now) -> Any:
    """The pending call settles."""
    now.settle(now.command.as_)
    return now.it


def open_aside(now: Now) -> Any:
    """A turn of its own is open."""
    turn = now.it.turn + 1
    now.notes["turn"] = turn
    # a message turn's flush may still fail, and its error names that turn's last step (S11)
    step = now.it.step if isinstance(now.it, Agent) else 0
    return replace(now.it, turn=turn, open=True, step=step, aside="running")


def note_veto(now: Now) -> Any:
    """The record was vetoed: the call will fail with that."""
    return replace(now.it, aside="vetoed")


def count_flush(now: Now) -> Any:
    """An agent's teardown waits for the flush."""
    return replace(now.it, flushes=now.it.flushes + 1) if isinstance(now.it, Agent) else now.it


def ref_of(now: Now) -> str:
    """The pending call that the flush belongs to."""
    assert now.gate is not None
    return now.gate.ref


def end_aside(now: Now) -> Any:
    """The call settles with the flush, a vetoed record's error first; the append is over."""
    if now.it.aside == "vetoed":
        now.settle(ref_of(now), refused="vetoed")
    else:
        settle_flush(now)
    it = replace(now.it, aside="")
    return replace(it, flushes=it.flushes - 1) if isinstance(it, Agent) else it


def settle_flush(now: Now) -> Any:
    """The call settles with the flush."""
    if flush_failed(now):
        now.settle(ref_of(now), **answer_of("value" if now.outcome.value else "flush_failed"))
    else:
        now.settle(ref_of(now))
    return now.it


closed: Any = w.setting(open=False, step_open=False)
KEEP_TS, SAY_TS = w.record("turn/start", turn=w.turn_of, trigger=lambda now: "plugin")
KEEP_TE, SAY_TE = w.record("turn/end", turn=w.turn_of, reason=lambda now: "completed")

PROGRAMS = (
    Program("flush_session", "flush by the judge", ("flush_session.check", "flush_session.start", "flush_session.drain"), ("L/r13", "L/r14")),
    Program("flush_session.done", "such a flush settles", ("flush_session.done.stored", "flush_session.done.settle"), ("L/r13", "D4")),
    Program("aside", "append out of band",
            ("aside.check", "aside.place", "aside.ask", "aside.veto", "aside.commit", "aside.leave",
             "aside.ask_start", "aside.start", "aside.ask_record", "aside.record", "aside.end", "aside.flush", "aside.drain"),
            ("L/r15", "L/r16", "L9")),
    Program("aside.flushed", "its flush settles", ("aside.flushed.stored", "aside.flushed.settle", "aside.flushed.call", "aside.flushed.leave", "aside.flushed.left", "aside.flushed.drained"),
            ("L/r16", "L9", "T6")),
)  # fmt: skip

ROWS = (
    Row("L/r14 flush unknown", E, (), "flush_session.check", ("L/r14", "L8"), guard=not_attached, effect=settle_refused("not_live"), then=END),
    Row("L/r13", E, LISTED, "flush_session.start", ("L/r13",), effect=note_ref, says=(flush_started,), opens="flush flush_session.done", awaits=True),
    Row("D/r3 flush", E, (), "flush_session.drain", ("D/r3",), runs="log.drain", on=w.its_log),
    Row("D/r3 flushed", E, (), "flush_session.done.stored", ("D/r3",), runs="log.flushed", on=w.its_log),
    Row("L/r13 FL.", E, (), "flush_session.done.settle", ("L/r13", "D4"), effect=settle_flush, says=(flushed,)),
    Row("L/r14 invalid", E, (), "aside.check", ("L/r14", "L/r1"), guard=w.both(not_attached, invalid_aside), effect=settle_refused(ANY), then=END),
    Row("L/r14 aside", E, (), "aside.check", ("L/r14",), guard=not_attached, effect=settle_refused("not_live"), then=END),
    Row("L/r1 aside", E, (), "aside.check", ("L/r1",), guard=invalid_aside, effect=settle_refused("invalid"), then=END),
    Row("L9 overlapping", E, (), "aside.check", ("L9",), guard=aside_running, effect=settle_refused("busy"), then=END),
    Row("L/r2 aside", E, (), "aside.check", ("L/r2", "L3"), guard=appending, effect=settle_refused("reentrant_append"), then=END),
    Row("L aside pending", E, (), "aside.check", ("L/r15", "L/r16"), effect=w.chain(note_ref, note_record)),
    Row("L/r16 begins", E, (), "aside.place", ("L/r16",), guard=w.negate(turn_open), then="aside.ask_start"),
    Row("L/r15 asks", E, (), "aside.ask", ("L/r3", "L/r15"), guard=asked, asks="validation *"),
    Row("L/r15 vetoed", E, (), "aside.veto", ("L/r3", "L/r15"), guard=w.vetoed, effect=settle_refused("vetoed"), then=END),
    Row("L/r15", E, (), "aside.commit", ("L/r15",), effect=w.chain(commit, settle_done), says=(committed,), appends=True),
    Row("L/r15 ends", E, (), "aside.leave", ("L/r15", "L/r11"), guard=leaves_now, then="depart"),
    Row("L/r15 over", E, (), "aside.leave", ("L/r15",), then=END),
    Row("L/r16 asks", E, (), "aside.ask_start", ("L/r3", "L/r16"), asks="validation turn/start"),
    Row("L9 TS vetoed", E, (), "aside.start", ("L9",), guard=w.vetoed, effect=settle_refused("vetoed"), then=END),
    Row("L/r16 TS", E, (), "aside.start", ("L/r16", "Q19"), effect=w.chain(open_aside, KEEP_TS), says=(SAY_TS,), appends=True),
    Row("L/r16 asks about the record", E, (), "aside.ask_record", ("L/r3", "L/r16"), guard=asked, asks="validation *"),
    Row("L9 record vetoed", E, (), "aside.record", ("L9",), guard=w.vetoed, effect=note_veto),
    Row("L/r16", E, (), "aside.record", ("L/r16",), effect=commit, says=(committed,), appends=True),
    Row("L/r16 TE", E, (), "aside.end", ("L/r16", "L9"), effect=w.chain(closed, KEEP_TE), says=(SAY_TE,), appends=True),
    Row("L/r16 FL", E, (), "aside.flush", ("L/r16", "D2", "T6"), effect=count_flush, says=(flush_started,), opens="flush aside.flushed", awaits=True),
    Row("D/r3 aside", E, (), "aside.drain", ("D/r3",), runs="log.drain", on=w.its_log),
    Row("D/r3 aside flushed", E, (), "aside.flushed.stored", ("D/r3",), runs="log.flushed", on=w.its_log),
    Row("L/r16 FL.", E, (), "aside.flushed.settle", ("L/r16",), says=(flushed,)),
    Row("L/r16 settles", E, (), "aside.flushed.call", ("L/r16", "L9", "D4"), effect=end_aside),
    Row("L/r11 after out of band", E, (), "aside.flushed.leave", ("L/r11", "L4"), guard=leaves_now, then="depart"),
    Row("L/r11 s- later", "agent", ("Quiet",), "aside.flushed.left", ("L/r11", "L4", "T/r5"), guard=leave_waits, then="leave"),
    Row("T6 out of band", "agent", ("Disposing",), "aside.flushed.drained", ("T6", "T/r3", "I15"), then="drained"),
)  # fmt: skip
