"""The variant's turn: what the driver does from one gate to the next, and its close (C16L, C18L, X5L)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.state import Item
from lifecycle_model.table import END, Program, Row
from lifecycle_model.variants import latch_words as v
from lifecycle_model.variants.latch_state import LatchAgent
from lifecycle_model.wire import UNSET


def nothing_claimed(now: Now) -> bool:
    """The turn's first batch is empty."""
    return bool(now.it.step == 0 and not now.it.claimed)


def open_step(now: Now) -> LatchAgent:
    """The proposed step opens; its batch is logged next."""
    v.listed(now, *(item.id for item in now.it.claimed))
    return replace(now.it, step=now.it.step + 1, step_open=True, claimed=(), calls=0, call=0, owed=False)


def message_due(now: Now) -> bool:
    """A message of the batch is still to be logged."""
    return v.some_due(now)


def text_visible(now: Now) -> bool:
    """The signal is aborted, and the stream has shown text."""
    return v.signal_aborted(now) and bool(now.it.visible)


def finished(now: Now) -> LatchAgent:
    """Remember how the stream ended: calls cut off by max-tokens are dropped (I11)."""
    calls = now.outcome.tools if now.outcome.outcome == "tools" else 0
    longest = now.outcome.outcome == "max_tokens" or now.it.ended == "max-tokens"
    return replace(
        now.it,
        calls=calls,
        call=0,
        owed=calls > 0,
        batch=calls > 0,
        visible=False,
        ended="max-tokens" if longest else "completed",
    )


def calls_left(now: Now) -> bool:
    """A call has not started."""
    return bool(now.it.call < now.it.calls)


def next_call(now: Now) -> LatchAgent:
    """Go to the next call."""
    return replace(now.it, call=now.it.call + 1)


def note_undispatched(now: Now) -> LatchAgent:
    """The result says that the call was aborted before its dispatch."""
    now.notes["started"], now.notes["code"] = False, "ABORTED_BEFORE_DISPATCH"
    return now.it


def note_started(now: Now) -> LatchAgent:
    """A call was logged and is to be dispatched; its result has no code yet."""
    now.notes["started"], now.notes["code"] = True, None
    return now.it


def just_started(now: Now) -> bool:
    """A call was logged in this segment and is to be dispatched."""
    return bool(now.note("started"))


def call_id(now: Now) -> str:
    """`turn.step.call`."""
    return f"{now.it.turn}.{now.it.step}.{now.it.call}"


def code_of(now: Now) -> Any:
    """The code of an error result that the contract names."""
    return now.note("code") or UNSET


def keep_context(now: Now) -> LatchAgent:
    """Note the context that came with the result."""
    now.notes["due"] = tuple(now.outcome.context)
    return now.it


def enter_context(now: Now) -> LatchAgent:
    """The next context enters next-step, as quiet input."""
    v.next_due(now)
    return replace(now.it, steering=(*now.it.steering, Item(str(now.note("item")))))


def classify(now: Now) -> LatchAgent:
    """Fix the reason of the turn's end: aborted, else error, blocked, max-tokens or completed (C18L)."""
    if v.signal_aborted(now):
        return replace(now.it, closing="aborted")
    if now.it.failed:
        return replace(now.it, closing="error")
    return replace(now.it, closing="blocked" if now.it.rejected else now.it.ended or "completed")


def closes_failed(now: Now) -> bool:
    """The turn was classified as failed."""
    return bool(now.it.closing == "error")


def end_turn(now: Now) -> LatchAgent:
    """The turn is closed in the log; its own data is forgotten."""
    now.notes["cause"] = now.it.holder if now.it.closing == "aborted" else UNSET
    return replace(
        now.it,
        open=False,
        claimed=(),
        calls=0,
        call=0,
        batch=False,
        owed=False,
        visible=False,
        failed=False,
        rejected=False,
    )


def ends_driver(now: Now) -> bool:
    """The turn failed, was rejected, or claimed nothing."""
    return bool(now.it.closing in ("error", "blocked") or now.it.step == 0)


T, A = "turn", "agent"
FAIL: Any = w.setting(failed=True)
KEEP_SS, SAY_SS = w.record("step/start", turn=w.turn_of, step=w.step_of)
KEEP_SE, SAY_SE = w.record("step/end", turn=w.turn_of, step=w.step_of)
KEEP_UM, SAY_UM = w.record("user/message", message=lambda now: now.note("item"))
KEEP_AM, SAY_AM = w.record("assistant/message", message=lambda now: f"am{now.it.turn}.{now.it.step}")
KEEP_CUT, SAY_CUT = w.record(
    "assistant/message", message=lambda now: f"am{now.it.turn}.{now.it.step}", interrupted=lambda now: True
)
KEEP_TC, SAY_TC = w.record("tool/call", id=call_id)
KEEP_TR, SAY_TR = w.record("tool/result", id=call_id, code=code_of)
KEEP_TE, SAY_TE = w.record(
    "turn/end", turn=w.turn_of, reason=lambda now: now.it.closing, cause=lambda now: now.note("cause")
)
CLOSE_STEP = w.chain(w.setting(step_open=False), KEEP_SE)

PROGRAMS = (
    Program("assembly", "after assembly: pre-step", ("assembly.check", "assembly.fail", "assembly.go"), ("C16L",)),
    Program("pre_step", "after pre-step: the step opens with its messages",
            ("pre_step.check", "pre_step.fail", "pre_step.reject", "pre_step.nothing", "pre_step.ask", "pre_step.open", "pre_step.next",
             "pre_step.ask_message", "pre_step.message", "pre_step.more", "pre_step.opened", "pre_step.request"), ("C16L", "Q/r6L", "Q/r7L")),
    Program("request", "after request setup: the model call", ("request.check", "request.fail", "request.go"), ("C16L",)),
    Program("model", "after the model call: its message and calls",
            ("model.cut", "model.check", "model.chunk", "model.failed", "model.ask", "model.message", "model.calls"), ("C16L", "C25L")),
    Program("recovery", "after recovery: ask again in the same step, or fail", ("recovery.check", "recovery.retry", "recovery.fail"), ("C16L", "C23")),
    Program("batch", "the next call, or the end of the batch",
            ("batch.call", "batch.dispatch", "batch.end", "batch.step"), ("Q16L", "C17L")),
    Program("tool", "after a tool call: its result", ("tool.result", "tool.context", "tool.next"), ("Q16L",)),
    Program("step_end", "the step closes: another step, the stopping gate, or the turn's close",
            ("step_end.close", "step_end.check", "step_end.owed", "step_end.stop"), ("Q9L", "Q10L", "Q/r8L")),
    Program("stopping", "after the stopping gate", ("stopping.check", "stopping.fail", "stopping.again", "stopping.close"), ("Q/r8L",)),
    Program("close", "the turn's close: SE? err? TE, look at the inbox",
            ("close.step", "close.classify", "close.error", "close.end", "close.look"), ("X5L", "C18L")),
)  # fmt: skip

ROWS = (
    v.checkpoint("assembly.check"),
    Row("Q/r7L assembly throws", T, ("Assembly",), "assembly.fail", ("Q/r7L", "Q22L"), guard=w.outcome("fail"), effect=FAIL, then="close"),
    Row("C16L pre-step", T, ("Assembly",), "assembly.go", ("C16L",), to="PreStep", opens="pre_step"),

    v.checkpoint("pre_step.check"),
    Row("Q/r7L pre-step throws", T, ("PreStep",), "pre_step.fail", ("Q/r7L", "Q22L"), guard=w.outcome("fail"), effect=FAIL, then="close"),
    Row("Q/r7L rejected", T, ("PreStep",), "pre_step.reject", ("Q21L", "Q/r7L", "Q26L"), guard=w.outcome("reject"),
        effect=w.setting(rejected=True), then="close"),
    Row("Q27L nothing claimed", T, ("PreStep",), "pre_step.nothing", ("Q27L", "S/r11L"), guard=nothing_claimed, then="close"),
    Row("L/r3 SS", T, ("PreStep",), "pre_step.ask", ("L/r3",), asks="validation step/start"),
    Row("Q/r7L vetoed SS", T, ("PreStep",), "pre_step.open", ("Q/r7L", "Q22L"), guard=w.vetoed, effect=FAIL, then="close"),
    Row("Q/r6L SS", T, ("PreStep",), "pre_step.open", ("Q/r6L", "Q20"), effect=w.chain(open_step, KEEP_SS), says=(SAY_SS,), appends=True),
    Row("Q/r6L all logged", T, ("PreStep",), "pre_step.next", ("Q/r6L",), guard=w.negate(message_due), then="pre_step.opened"),
    Row("L/r3 UM", T, ("PreStep",), "pre_step.ask_message", ("L/r3",), effect=v.next_due, asks="validation user/message"),
    Row("Q22L vetoed UM", T, ("PreStep",), "pre_step.message", ("Q22L", "Q26L"), guard=w.vetoed, effect=FAIL, then="close"),
    Row("Q/r6L UM", T, ("PreStep",), "pre_step.message", ("Q/r6L", "Q9L", "I9L"), effect=KEEP_UM, says=(SAY_UM,), appends=True),
    Row("Q/r6L more", T, ("PreStep",), "pre_step.more", ("Q/r6L",), then="pre_step.next"),
    v.checkpoint("pre_step.opened"),
    Row("C16L request setup", T, ("PreStep",), "pre_step.request", ("C16L",), to="Request", opens="request"),

    v.checkpoint("request.check"),
    Row("Q22L request setup throws", T, ("Request",), "request.fail", ("Q22L",), guard=w.outcome("fail"), effect=FAIL, then="close"),
    Row("C16L request", T, ("Request",), "request.go", ("C16L",), to="Model", effect=w.setting(visible=False), says=(v.requested,), opens="model"),

    Row("C25L", T, ("Model",), "model.cut", ("C25L", "C16L"), guard=text_visible, effect=w.chain(w.setting(visible=False), KEEP_CUT),
        says=(SAY_CUT,), appends=True),
    v.checkpoint("model.check"),
    Row("C16L chunk", T, ("Model",), "model.chunk", ("C16L", "C25L"), guard=w.outcome("chunk"), effect=w.setting(visible=True), opens="again", then=END),
    Row("C23 request failed", T, ("Model",), "model.failed", ("C23", "Q22L"), guard=w.outcome("error", "fail"), to="Recovery", opens="recovery", then=END),
    Row("L/r3 AM", T, ("Model",), "model.ask", ("L/r3",), effect=finished, asks="validation assistant/message"),
    Row("Q22L vetoed AM", T, ("Model",), "model.message", ("Q22L",), guard=w.vetoed, effect=w.setting(failed=True, calls=0, batch=False, owed=False),
        then="close"),
    Row("C16L AM", T, ("Model",), "model.message", ("C16L", "Q16L"), effect=KEEP_AM, says=(SAY_AM,), appends=True),
    Row("C16L no calls", T, ("Model",), "model.calls", ("C16L",), guard=w.negate(calls_left), opens="driver step_end",
        then=END),
    Row("Q16L calls", T, ("Model",), "model.calls", ("Q16L",), to="Batch", then="batch"),

    v.checkpoint("recovery.check"),
    Row("C23 retry", T, ("Recovery",), "recovery.retry", ("C23",), guard=w.outcome("retry"), to="Request", opens="request", then=END),
    Row("C23 unrecovered", T, ("Recovery",), "recovery.fail", ("C23", "Q20", "Q22L"), effect=FAIL, then="close"),

    Row("Q16L TC", T, ("Batch",), "batch.call", ("Q16L",), guard=calls_left, effect=w.chain(next_call, note_started, KEEP_TC), says=(SAY_TC,), appends=True),
    Row("C17L", T, ("Batch",), "batch.dispatch", ("C17L", "C16L", "I11"), guard=w.both(just_started, v.signal_aborted),
        effect=w.chain(note_undispatched, KEEP_TR), says=(SAY_TR,), appends=True, then="batch.call"),
    Row("Q16L tool", T, ("Batch",), "batch.dispatch", ("Q16L", "C16L"), guard=just_started, to="Tool", opens="tool", then=END),
    Row("Q16L batch ends", T, ("Batch",), "batch.end", ("Q16L",), effect=w.setting(batch=False)),
    Row("Q16L step ends", T, ("Batch",), "batch.step", ("Q16L",), then="step_end"),
    Row("Q16L TR", T, ("Tool",), "tool.result", ("Q16L", "C17L", "I11"), to="Batch", effect=w.chain(keep_context, KEEP_TR), says=(SAY_TR,), appends=True),
    Row("Q16L context", T, ("Batch",), "tool.context", ("Q16L", "C17L"), guard=v.some_due, effect=enter_context, says=(v.enqueued,), then="tool.context"),
    Row("Q16L next", T, ("Batch",), "tool.next", ("Q16L",), then="batch"),

    Row("Q/r8L SE", T, (), "step_end.close", ("Q20", "Q9L"), effect=CLOSE_STEP, says=(SAY_SE,), appends=True),
    v.checkpoint("step_end.check"),
    Row("Q9L another step", T, (), "step_end.owed", ("Q9L", "Q10L", "Q/r8L", "Q/r5L"), guard=lambda now: bool(now.it.owed or now.it.steering), then="claim"),
    Row("Q/r8L stopping", T, (), "step_end.stop", ("Q/r8L", "Q10L"), to="Stopping", opens="stopping"),

    v.checkpoint("stopping.check"),
    Row("Q22L stopping throws", T, ("Stopping",), "stopping.fail", ("Q22L",), guard=w.outcome("fail"), effect=FAIL, then="close"),
    Row("Q/r8L", T, ("Stopping",), "stopping.again", ("Q/r8L", "Q10L"), guard=v.next_step_pending, then="claim"),
    Row("Q/r8L closes", T, ("Stopping",), "stopping.close", ("Q/r8L",), then="close"),

    Row("X5L SE", T, (), "close.step", ("X5L", "Q20"), guard=lambda now: bool(now.it.step_open), effect=CLOSE_STEP, says=(SAY_SE,), appends=True),
    Row("C18L", T, (), "close.classify", ("C18L", "C19L", "C23", "D1L"), effect=classify),
    Row("Q20 err", T, (), "close.error", ("S/r11L", "Q20", "C18L"), guard=closes_failed, says=(v.failed_at,)),
    Row("X5L TE", T, (), "close.end", ("C18L", "S/r7L", "S/r10L", "D1L"), to="Closing", effect=w.chain(end_turn, KEEP_TE), says=(SAY_TE,), appends=True),
    Row("S/r7L", A, ("Halting",), "close.look", ("S/r7L", "V2L"), to="Exiting", effect=v.leave, opens="driver exit", then=END),
    Row("S/r11L", A, ("Open",), "close.look", ("S/r11L", "Q22L"), guard=ends_driver, to="Exiting", effect=v.leave, opens="driver exit", then=END),
    Row("S/r9L", A, ("Open",), "close.look", ("S/r9L", "X5L", "Q8L", "C20"), guard=v.pending, to="Starting", effect=v.fresh_signal,
        opens="driver turn", then=END),
    Row("S/r10L", A, ("Open",), "close.look", ("S/r10L", "X5L"), to="Exiting", effect=v.leave, opens="driver exit"),
)  # fmt: skip
