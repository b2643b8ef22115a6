"""Edits that change how the model is written and not what it allows: all of them must be `same`."""

from __future__ import annotations

from campaigns.review_edits import Edit, Patch

C, INBOX, D, T = "rows/cancel.py", "rows/inbox.py", "rows/driver.py", "rows/turn.py"
X, DOWN, W = "rows/closing.py", "rows/teardown.py", "rows/words.py"


def same(name: str, kind: str, *patches: Patch) -> Edit:
    """An edit that changes nothing."""
    return Edit(name, kind, patches, "same")


def renamed(file: str, old: str, new: str, times: int) -> Edit:
    """A function under another name."""
    return same(f"{old} is called {new}", "function renamed", Patch(file, old, new, times))


def one(name: str, kind: str, file: str, old: str, new: str) -> Edit:
    """A refactor of one place."""
    return same(name, kind, Patch(file, old, new))


EDITS = (
    renamed(C, "takes_items", "takes_some", 2),
    renamed(C, "can_mark", "may_mark", 3),
    renamed(C, "holder_at_entry", "held_at_entry", 3),
    renamed(C, "ineffective", "no_effect", 2),
    renamed(INBOX, "to_steering", "steers", 2),
    renamed(INBOX, "batch_running", "in_batch", 2),
    renamed(INBOX, "keep_silently", "swallow", 3),
    renamed(INBOX, "idle_without_work", "rests", 2),
    renamed(D, "sleep_again", "doze", 2),
    renamed(D, "terminally_stopped", "stopped_for_good", 2),
    renamed(T, "first_steering", "steering_due", 2),
    renamed(T, "log_deferred", "log_first_deferred", 2),
    renamed(X, "reason_of", "why", 2),
    renamed(DOWN, "drained_first", "drained_now", 3),
    renamed("rows/durability.py", "tail_open", "open_ended", 2),
    renamed("rows/tasks.py", "hears_first", "hears_soon", 2),

    # -- sentences and comments
    one("a docstring of cancel", "words", C, "Take every pending item, queued then steering.", "Empty both lists."),
    one("a docstring is gone", "words", C, '    """Remember whether a holder is installed."""\n', ""),
    one("a comment in the close", "words", X, "def step_is_open", "# asked before anything is closed\ndef step_is_open"),
    one("a module's first line", "words", D, "The driver between turns", "What a driver does between turns"),
    one("a clause said otherwise", "words", "clauses.py", "One driver per agent; a session has at most one driver.", "An agent has one driver, and a session at most one."),
    one("a program's heading", "words", C, "cancel: effective or not, request, clear, mark, abort", "the whole cancel, from its check to its abort"),
    one("a docstring of the engine", "words", "engine.py", "Let one ready gate go on: one internal segment.", "One internal segment: a ready gate goes on."),

    # -- guards and effects written otherwise
    one("a guard by De Morgan", "guard rewritten", C, "return bool(w.something_pending(now) and not now.command.keep_inbox)", "return not (now.command.keep_inbox or not w.something_pending(now))"),
    one("a guard with its parts in another order", "guard rewritten", C, 'return holder_at_entry(now) and now.it.status == "running"', 'return bool(now.it.status == "running" and holder_at_entry(now))'),
    one("a guard of two returns", "guard rewritten", INBOX, "return bool(now.it.exited or (now.it.status == \"idle\" and w.no_waking_item(now)))", "if now.it.exited:\n        return True\n    return bool(now.it.status == \"idle\" and w.no_waking_item(now))"),
    one("a loop for any", "guard rewritten", W, "return any(item.wakeup for item in now.it.queued)", "for item in now.it.queued:\n        if item.wakeup:\n            return True\n    return False"),
    one("pending by length", "guard rewritten", W, "return bool(now.it.queued or now.it.steering)", "return len(now.it.queued) + len(now.it.steering) > 0"),
    one("an effect in two steps", "effect rewritten", C, "return replace(now.it, queued=(), steering=())", "emptied = replace(now.it, queued=())\n    return replace(emptied, steering=())"),
    one("an effect with its members in another order", "effect rewritten", D, "return replace(now.it, marker=False, waiters=(), holder=None, status=\"idle\", terminal=False)", "return replace(now.it, status=\"idle\", holder=None, terminal=False, waiters=(), marker=False)"),
    one("a concatenation for an unpacking", "effect rewritten", INBOX, "queued=(*now.it.queued, _item(now))", "queued=now.it.queued + (_item(now),)"),
    one("the reason of a turn end by cases", "effect rewritten", X, 'return "max-tokens" if now.it.finish == "max-tokens" else "completed"', 'if now.it.finish == "max-tokens":\n        return "max-tokens"\n    return "completed"'),
    one("a local for a component", "effect rewritten", D, "    item = now.before.queued[0]\n", "    queued = now.before.queued\n    item = queued[0]\n"),
    one("a constant for a literal", "effect rewritten", X, '    if now.it.status == "disposed":\n        return "disposed"', '    ended = "disposed"\n    if now.it.status == ended:\n        return ended'),
    one("a negation said twice", "guard rewritten", INBOX, 'guard=w.negate(turn_open), then="inject.ask_start"', 'guard=w.negate(w.negate(w.negate(turn_open))), then="inject.ask_start"'),
    one("a conjunction with itself", "guard rewritten", D, "guard=terminally_stopped", "guard=w.both(terminally_stopped, terminally_stopped)"),
    one("the holder asked for by what it is not", "guard rewritten", W, 'return bool(now.it.status == "disposed" or now.it.holder not in (None, "live"))', 'return bool(now.it.status == "disposed" or (now.it.holder is not None and now.it.holder != "live"))'),

    # -- rows split, joined, moved
    one("a row split by its state", "row split", DOWN, '    Row("S/r12", A, ("Reserved", "Abandoned"), "teardown.begin", ("S/r12", "T/r1", "S1"), to="Disposing", effect=DISPOSED),\n',
        '    Row("S/r12", A, ("Reserved",), "teardown.begin", ("S/r12", "T/r1", "S1"), to="Disposing", effect=DISPOSED),\n    Row("S/r12 abandoned", A, ("Abandoned",), "teardown.begin", ("S/r12", "T/r1", "S1"), to="Disposing", effect=DISPOSED),\n'),
    one("a row split by its guard", "row split", C, '    Row("C10 clear", A, (), "cancel.clear", ("C10", "C5", "C11", "C6"), guard=takes_items, effect=clear, says=(w.discarded,)),\n',
        '    Row("C10 clear", A, (), "cancel.clear", ("C10", "C5", "C11", "C6"), guard=w.both(takes_items, w.disposed), effect=clear, says=(w.discarded,)),\n    Row("C10 clears", A, (), "cancel.clear", ("C10", "C5", "C11", "C6"), guard=takes_items, effect=clear, says=(w.discarded,)),\n'),
    one("a row split among states of the inbox", "row split", INBOX, '    Row("Q/r1", A, AWAKE, "send.store", ("Q/r1", "Q/r2", "Q/r4", "Q2"), effect=queue, says=(enqueued_queue,)),\n',
        '    Row("Q/r1", A, AWAKE, "send.store", ("Q/r1", "Q/r4", "Q2"), guard=waking, effect=queue, says=(enqueued_queue,)),\n    Row("Q/r1 quiet", A, AWAKE, "send.store", ("Q/r1", "Q/r2", "Q2"), effect=queue, says=(enqueued_queue,)),\n'),
    one("a row that is never taken", "row added", X, '    Row("C18", T, (), "close.classify"', '    Row("S/r15 never", A, ("Gone",), "close.settle", ("S/r15",), to="Settling", effect=end_turn, unreachable="nothing follows Gone"),\n    Row("C18", T, (), "close.classify"'),
    one("a row without an effect joins its neighbour", "row removed", C, '    Row("C/r5", A, (), "cancel.check", ("C/r5",), guard=w.disposed, then=END),\n    Row("C1 unknown cause"', '    Row("C/r5", A, (), "cancel.check", ("C/r5",), guard=w.either(w.disposed, w.both(w.disposed, unknown_cause)), then=END),\n    Row("C1 unknown cause"'),
    one("rows of two states in another order", "rows reordered", C, '    Row("S/r9", A, ("Reserved",), "cancel.mark", ("S/r9", "C/r3", "S5", "S6"), guard=can_mark, to="Abandoned",\n        effect=w.setting(status="cancelling"), says=(w.status("cancelling"),), constant=LIVE_THERE),\n    Row("S/r13", A, ("InTurn",), "cancel.mark", ("S/r13", "C/r3", "S5"), guard=can_mark, to="Cancelling",\n        effect=w.setting(status="cancelling"), says=(w.status("cancelling"),), constant=LIVE_THERE),\n',
        '    Row("S/r13", A, ("InTurn",), "cancel.mark", ("S/r13", "C/r3", "S5"), guard=can_mark, to="Cancelling",\n        effect=w.setting(status="cancelling"), says=(w.status("cancelling"),), constant=LIVE_THERE),\n    Row("S/r9", A, ("Reserved",), "cancel.mark", ("S/r9", "C/r3", "S5", "S6"), guard=can_mark, to="Abandoned",\n        effect=w.setting(status="cancelling"), says=(w.status("cancelling"),), constant=LIVE_THERE),\n'),
    one("the modules of the contract in another order", "tables reordered", "contract1.py", "        inbox,\n        cancel,\n        driver,\n        turn,\n        closing,\n", "        closing,\n        turn,\n        driver,\n        cancel,\n        inbox,\n"),
    one("the tables of the system first", "tables reordered", "contract1.py", "        bridge,\n        prompts,\n        config,\n    )\n", "        config,\n        bridge,\n        prompts,\n    )\n"),
    one("a verb listed elsewhere", "tables reordered", "contract1.py", '    "when_idle": "when_idle",\n    "mutate": "mutate",\n', '    "mutate": "mutate",\n    "when_idle": "when_idle",\n'),
    one("a row under another name", "row renamed", INBOX, 'Row("Q1 copied"', 'Row("Q1 was copied"'),
    one("a row of the flush under another name", "row renamed", X, 'Row("X9 paced"', 'Row("X9 held at a wake"'),
    one("a clause more on a row", "clauses", C, '("C10", "C5", "C11", "C6")', '("C10", "C5", "C11", "C6", "C12")'),
    one("a state entered that one is in", "row rewritten", X, '    Row("S/r22 FL.", A, ("Disposing",), "flush.settle", ("S/r22", "T6"), says=(flushed,)),', '    Row("S/r22 FL.", A, ("Disposing",), "flush.settle", ("S/r22", "T6"), to="Disposing", says=(flushed,)),'),

    # -- programs and files
    one("a step that nothing is at", "program", C, '"cancel.check", "cancel.enter"', '"cancel.check", "cancel.pause", "cancel.enter"'),
    same("a step under another name", "program", Patch(D, "driver.wake.left", "driver.wake.leftover", 2)),
    same("two steps whose rows touch nothing of each other change places", "program", Patch(X, '"flush.pace", "flush.stored", "flush.settle", "flush.error"', '"flush.pace", "flush.settle", "flush.stored", "flush.error"')),
    same("a helper in a module of its own", "file moved",
         Patch("rows/pending.py", "", '"""What is pending."""\n\nfrom __future__ import annotations\n\nfrom lifecycle_model.engine import Now\n\n\ndef something_pending(now: Now) -> bool:\n    """An item is queued or steering."""\n    return bool(now.it.queued or now.it.steering)\n'),
         Patch(W, 'def something_pending(now: Now) -> bool:\n    """An item is queued or steering."""\n    return bool(now.it.queued or now.it.steering)\n\n\n', ""),
         Patch(W, "from lifecycle_model.parts import Persistence\n", "from lifecycle_model.parts import Persistence\nfrom lifecycle_model.rows.pending import something_pending as something_pending\n")),
    same("the cancel's observations in a module of their own", "file moved",
         Patch("rows/cancel_words.py", "", '"""What a cancel says."""\n\nfrom __future__ import annotations\n\nfrom lifecycle_model.engine import Now\nfrom lifecycle_model.wire import Observation\n\n\ndef requested(now: Now) -> Observation:\n    """`creq(c)`."""\n    return Observation("agent/cancel-requested", of=now.subject, cause=now.command.cause)\n'),
         Patch(C, 'def requested(now: Now) -> Observation:\n    """`creq(c)`."""\n    return Observation("agent/cancel-requested", of=now.subject, cause=now.command.cause)\n\n\n', ""),
         Patch(C, "from lifecycle_model.state import Agent\n", "from lifecycle_model.rows.cancel_words import requested\nfrom lifecycle_model.state import Agent\n")),
    same("a module imported whole", "file moved", Patch(X, "from lifecycle_model.rows.turn import KEEP_SE, SAY_SE\n", "from lifecycle_model.rows import turn\n"),
              Patch(X, "w.chain(w.setting(step_open=False), KEEP_SE), says=(SAY_SE,)", "w.chain(w.setting(step_open=False), turn.KEEP_SE), says=(turn.SAY_SE,)")),
)  # fmt: skip
