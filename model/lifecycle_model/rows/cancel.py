"""The cancel procedure of section C, and the pre-run marker it sets. One segment (X2), re-entrant at every saying."""

from __future__ import annotations

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.rows.inbox import absent, refuse
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Program, Row
from lifecycle_model.wire import ANY, Observation


def unknown_cause(now: Now) -> bool:
    """The cause is neither user nor parent."""
    return now.command.cause not in ("user", "parent")


def keeping_unsupported(now: Now) -> bool:
    """keep_inbox is given although the policy is off."""
    return bool(now.command.keep_inbox and now.policy("keep_inbox") != "on")


def ineffective(now: Now) -> bool:
    """No holder is installed, and nothing is pending that this cancel would take."""
    return now.it.holder is None and (now.command.keep_inbox or not w.something_pending(now))


def publishes_disposed(now: Now) -> bool:
    """Disposed with a holder left, and the policy lets a cancel publish all the same; it need not."""
    allowed = now.it.status == "disposed" and now.policy("cancel_after_dispose") == "publishes"
    return allowed and now.it.holder is not None and not now.late


def no_holder(now: Now) -> bool:
    """No holder is installed."""
    return now.it.holder is None


def holder_at_entry(now: Now) -> bool:
    """A holder was installed when the cancel began, and nothing has aborted it since."""
    return bool(now.note("held") and now.it.holder == "live")


def takes_items(now: Now) -> bool:
    """Something is pending and keep_inbox was not given."""
    return bool(w.something_pending(now) and not now.command.keep_inbox)


def can_mark(now: Now) -> bool:
    """The holder of the entry is live and the status is running."""
    return holder_at_entry(now) and now.it.status == "running"


def enter(now: Now) -> Agent:
    """Remember whether a holder is installed."""
    now.notes["held"] = now.it.holder is not None
    return now.it


def clear(now: Now) -> Agent:
    """Take every pending item, queued then steering."""
    return replace(now.it, queued=(), steering=())


def abort(now: Now) -> Agent:
    """Fix the signal's reason."""
    return replace(now.it, holder=now.command.cause)


def requested(now: Now) -> Observation:
    """`creq(c)`."""
    return Observation("agent/cancel-requested", of=now.subject, cause=now.command.cause)


def aborted(now: Now) -> Observation:
    """`abort(c)`: abort observers run."""
    return Observation("abort", of=now.subject, reason=now.command.cause)


A = "agent"

LIVE_THERE = "an installed holder is live there and the status running; the guard says it in the contract's words"

PROGRAMS = (
    Program(
        "cancel",
        "cancel: effective or not, request, clear, mark, abort",
        ("cancel.check", "cancel.enter", "cancel.request", "cancel.clear", "cancel.mark", "cancel.abort"),
        ("X2", "C1", "C4", "C8", "C21"),
    ),
)

ROWS = (
    Row("C absent", A, (), "cancel.check", ("C1",), guard=absent, effect=refuse("not_live"), then=END),
    Row("policy cancel_after_dispose", A, (), "cancel.check", ("policy cancel_after_dispose",), guard=publishes_disposed,
        says=(requested,), then=END),
    Row("C/r5", A, (), "cancel.check", ("C/r5",), guard=w.disposed, then=END),
    Row("C1 unknown cause", A, (), "cancel.check", ("C1",), guard=unknown_cause, effect=refuse(ANY), then=END),
    Row("policy keep_inbox off", A, (), "cancel.check", ("policy keep_inbox",), guard=keeping_unsupported,
        effect=refuse(ANY), then=END),
    Row("C/r1", A, (), "cancel.enter", ("C/r1", "C2", "C3"), guard=ineffective, then=END),
    Row("C2 effective", A, (), "cancel.enter", ("C2",), effect=enter),
    Row("C/r2 request", A, (), "cancel.request", ("C/r2", "C9", "C24"), guard=no_holder, effect=w.setting(marker=True), says=(requested,)),
    Row("C/r3 request", A, (), "cancel.request", ("C/r3", "C/r4", "C12", "S/r14"), says=(requested,)),
    Row("C10 clear", A, (), "cancel.clear", ("C10", "C5", "C11", "C6"), guard=takes_items, effect=clear, says=(w.discarded,)),
    Row("S/r9", A, ("Reserved",), "cancel.mark", ("S/r9", "C/r3", "S5", "S6"), guard=can_mark, to="Abandoned",
        effect=w.setting(status="cancelling"), says=(w.status("cancelling"),), constant=LIVE_THERE),
    Row("S/r13", A, ("InTurn",), "cancel.mark", ("S/r13", "C/r3", "S5"), guard=can_mark, to="Cancelling",
        effect=w.setting(status="cancelling"), says=(w.status("cancelling"),), constant=LIVE_THERE),
    Row("C7 abort", A, (), "cancel.abort", ("C7", "C4", "C12", "C20"), guard=holder_at_entry, effect=abort, says=(aborted,)),
)  # fmt: skip
