"""Every clause of variant `latch` with its sentence: what holds of contract 1, and what the variant replaces and adds.

Generated once from the variant's text; edited here since. Holds no logic but the choice of what holds.
"""

from __future__ import annotations

from lifecycle_model.clauses import CLAUSES

HOLD = (
    "X2 X7 X8 S2 S9 S10 Q6 Q19 Q20 Q23 C3 C10 C11 C13 C20 C21 C23 P1 P2 P3 P4 P6 P7 P9 P10 P11 P12 P13 P16 P17 P18 "
    "T1 T2 T4 T6 T9 T10 T11 T14 L1 L2 L3 L4 L5 L6 L7 L8 L10 L11 D5 D6 A1 A2 A6 A7 A8 A9 A11 A12 A13 A15 G1 G2 G3 G4 G5 "
    "I2 I10 I11 I12 I13 I14 I17 I20 I21 V5 V6 V7 V8 V9 F1 F2 F3 F4 F5"
)
"""The clauses of contract 1 that hold unchanged, as the variant lists them."""

TABLES = ("P", "L", "D", "G", "A")
"""The tables of contract 1 whose rows hold, except as replaced or removed."""

GONE = frozenset({"L/r15", "L/r16", "A/r4", "A/r5"})
"""Rows of those tables that the variant removes."""

LATCH: dict[str, str] = {
    "S/r1L": "state: Idle; trigger: waking input; guard: T5L allows; next: Starting; observable: enq status(running)",
    "S/r2L": "state: Starting; trigger: listeners done; guard: live; next: Open; observable: TS deq*",
    "S/r3L": "state: Halting, Maintenance; trigger: waking input; guard: no teardown begun; next: latch set; observable: enq",
    "S/r4L": "state: any; trigger: other input; observable: enq",
    "S/r5L": "state: Starting, Open; trigger: cancel, teardown; guard: not from a TE observer (C14L); next: Halting; observable: disc* abort(c)",
    "S/r6L": "state: Halting, Maintenance; trigger: cancel, teardown; next: latch cleared unless keep_inbox; observable: disc* abort(c)?",
    "S/r7L": "state: Halting; trigger: work ends; guard: turn open; next: Exiting; observable: SE? TE (C18L)",
    "S/r8L": "state: Halting; trigger: driver continues; guard: no turn open; next: Exiting",
    "S/r9L": "state: Open; trigger: turn ends, not r11L; guard: something pending; next: Starting, fresh signal; observable: TE",
    "S/r10L": "state: Open; trigger: turn ends, not r11L; guard: nothing pending; next: Exiting; observable: TE",
    "S/r11L": "state: Open; trigger: turn failed, pre-step rejected, nothing claimed; next: Exiting; observable: SE? err? TE(error, blocked, completed)",
    "S/r12L": "state: Exiting; trigger: driver exits; guard: latch set, something pending; next: Starting; observable: status(idle) status(running)",
    "S/r13L": "state: Exiting; trigger: driver exits; guard: otherwise; next: Idle; observable: status(idle)",
    "S/r14L": "state: Idle; trigger: maintenance starts; next: Maintenance",
    "S/r15L": "state: Maintenance; trigger: job ends; guard: latch set, something pending; next: Starting; observable: status(running)",
    "S/r16L": "state: Maintenance; trigger: job ends; guard: otherwise; next: Idle",
    "S1L": "Status is idle or running, idle at first without an event; disposal publishes none of its own.",
    "S3L": "A running interval is one driver's; idle separates an aborted activity from its replay.",
    "S4L": "The signal exists before status(running); each turn has a fresh one.",
    "S6L": "A start aborted before TS logs no turn.",
    "S7L": "`when_idle` resolves once no activity remains, replays and drivers started by idle listeners included; parked items do not delay it.",
    "S8L": "Unload and cancellation lose no waiter.",
    "S14L": "Maintenance starts only from Idle, else raises.",
    "Q/r1L": "state: any; trigger: send(m, target, wakeup); guard: valid, id not pending; effect: tail of target; observable: enq",
    "Q/r2L": "state: activity aborted; trigger: waking send; guard: same; effect: tail of next-turn; observable: enq",
    "Q/r3L": "state: any; trigger: send; guard: invalid, or id pending; effect: raises",
    "Q/r4L": "state: turn opened; trigger: claim; guard: live; effect: take all next-step, then the next-turn head; observable: deq each",
    "Q/r5L": "state: step closed, turn goes on; trigger: claim; guard: live; effect: take all next-step; observable: deq each",
    "Q/r6L": "state: claimed; trigger: pre-step enters; effect: step opens; observable: SS UM*",
    "Q/r7L": "state: claimed; trigger: rejected, failed, aborted before SS; effect: batch gone",
    "Q/r8L": "state: nothing owed, next-step empty; trigger: stopping gate; guard: next-step filled; effect: another step",
    "Q/r9L": "state: pending; trigger: remove(id); replace(id, m); observable: disc; disc enq",
    "Q1L": "As Q1 (messages arrive identified and frozen); an id is refused only while pending. Inside a `session/event` dispatch of its session a send form, or a `remove` or `replace` that finds its item, raises and changes nothing.",
    "Q2L": "followup is (next-turn, waking), steer (next-step, waking), inject (next-step, quiet). At Idle a waking call runs X4L before it returns.",
    "Q3L": "A quiet item starts no driver and sets no latch; a running driver serves it.",
    "Q4L": "Steering joins the live turn's next step; at Idle it starts a turn; after an abort it is next-turn input.",
    "Q5L": "A turn claims at most one next-turn item, FIFO, with all next-step items present.",
    "Q7L": "TS precedes the claim. A vetoed TS claims nothing: one agent/error, item parked, Idle.",
    "Q8L": "TS(n+1) follows TE(n); no flush is awaited.",
    "Q9L": "Next-step items are claimed between SE and the next SS, in arrival order; every message is UM.",
    "Q10L": "Pending next-step input overrides any stop.",
    "Q13L": "An aborted signal claims nothing; a batch is taken whole before its first deq.",
    "Q15L": "`inject` only stores: no turn, UM or status of its own.",
    "Q17L": "`inject` only stores: no turn, UM or status of its own.",
    "Q16L": "Only calls and results stand between a calling AM and its last result; result context enters next-step after them.",
    "Q18L": "Each enq has at most one dequeue or discard; T/r1L discards what is pending.",
    "Q21L": "Rejection: TS deq TE(blocked), no UM, no step.",
    "Q22L": "A failed or rejected turn ends the driver, not the agent; what is pending parks.",
    "Q26L": "A claimed message is spent: if no step opens, no disc, UM or return.",
    "Q27L": "A driver started from Idle and not aborted opens a turn even if the waking item is gone: TS TE(completed).",
    "C/r1L": "state: Idle, nothing pending; cancel: either",
    "C/r2L": "state: Idle, pending; cancel: plain; observable: disc*; result: nothing armed, but C6L",
    "C/r3L": "state: Idle, pending; cancel: keep_inbox",
    "C/r4L": "state: activity live; cancel: plain; observable: disc* abort(c); result: pending and latch gone",
    "C/r5L": "state: activity live; cancel: keep_inbox; observable: abort(c); result: pending and latch kept",
    "C/r6L": "state: activity aborted; cancel: plain; observable: disc*; result: pending and latch gone",
    "C/r7L": "state: activity aborted; cancel: keep_inbox; result: latch kept",
    "C1L": "One stop verb; a cause is required: user, parent, hook with a reason, or (lifecycle) disposed.",
    "C2L": "Effective: it clears an item or the latch, or meets a live signal.",
    "C4L": "One segment: next-step discards, next-turn discards, abort observers.",
    "C6L": "Waking input from an abort observer is latched. Input from a discard listener is cleared if its list is still to come; else it parks, or at Idle starts a driver that step 2 aborts.",
    "C7L": "The first abort fixes the activity's reason.",
    "C8L": "A cancel nested in a discard listener runs fully; its cause wins.",
    "C9L": "A latch is replayed once, at convergence, if anything, even a quiet item, is pending; a driver's input queued before its abort never sets it.",
    "C12L": "A further cancel adds discards only.",
    "C14L": "A cancel between two turns leads to status(idle), no further turn. From a TE observer it meets the closed turn's signal: what is left pending goes on.",
    "C15L": "`cancel` and `dispose` keep their procedure whichever listener calls them: in Starting no turn opens, in Open the turn ends by C18L.",
    "C16L": "Cooperative checks surround assembly, pre-step, SS with its UMs, request setup, chunks, stream end, recovery, tools, stopping.",
    "C17L": "As C17 for calls and results; result context arriving after the abort parks in next-step.",
    "C18L": "TE: aborted(cause) if the signal is aborted, else error, blocked, max-tokens or completed. A failure already published as err stays error.",
    "C19L": "Cancel, then disposal: the first cause stays. Disposal alone: aborted(disposed).",
    "C25L": "A stream aborted after visible text logs that text as AM! before SE.",
    "P/r6L": "Setup settles, check (R2L); its commit, if it returned one, runs synchronously (throws: R2L); Publishing.",
    "P/r12L": "Handle returned, signal detached. The driver answers from r11 on.",
    "R0": "Drop provider record and owner effect; what is absent is skipped.",
    "R1L": "cancel(disposed), scope, R0.",
    "R2L": "cancel(disposed), scope, R0.",
    "R4L": "scope, agent entry silently, s-, R0.",
    "R5L": "disc*, scope, a-, s-, R0; no status.",
    "R6L": "T/r1L to r5L, R0.",
    "P5L": "As P5 for a lifecycle disposal on the same stack; a fiber unload asked for there begins after the segment: the call resolves, teardown follows.",
    "P8L": "The thrown value; structurally the first deactivation reason, wrapped if no error.",
    "P14L": "Synchronous create raises at once; rollback completes later.",
    "P15L": "One provider slot: a second registration raises; its owner's unload frees it at once.",
    "P19L": "A commit runs at most once, right before publication.",
    "T/r1L": "state: Live; trigger: first trigger: cancel(disposed); next: Draining; observable: disc* abort(disposed)?",
    "T/r2L": "state: Draining; trigger: activity converges; observable: SE? TE? status(idle)?",
    "T/r3L": "state: Draining; trigger: no activity left; next: Unwinding",
    "T/r4L": "state: Unwinding; trigger: scope unwound; next: Detaching; observable: scope",
    "T/r5L": "state: Detaching; trigger: detach agent, session; next: Releasing; observable: a- s-",
    "T/r6L": "state: Releasing; trigger: records released; next: Finished; observable: dispose resolves",
    "T/r7L": "state: Draining..Finished; trigger: any trigger",
    "T3L": "Pending items: one disc each, before the abort.",
    "T5L": "After r1L input is accepted; to the activity r1L met it is never latched and parks. Waking input at Idle while Draining starts a run, drained too; from Unwinding on it parks.",
    "T7L": "During a- the agent is unlisted, the session stored; during s- it is not. Scoped listeners hear neither.",
    "T8L": "The id is taken until s-; a stale detach never touches a replacement.",
    "T12L": "After provider unload create rejects, in its segment as inactive, later by P/r1; old handles' dispose resolves.",
    "T15L": "Children created through the agent's ctx leave during r4L.",
    "D1L": "Reasons: completed, aborted with cause, blocked, error, max-tokens; interrupted by repair.",
    "D3L": "TE(aborted(disposed)) precedes s- and reloads so.",
    "D4L": "Flush is explicit and raises to its caller.",
    "D8L": "Pending input is durable; resume restores it.",
    "G/r3L": "without persistence, create at once.",
    "G/r5L": "wait for persistence, resume.",
    "A3L": "Correlation is by claimed message id: TS(n) deq(m).",
    "A/r9L": "Correlation is by claimed message id: TS(n) deq(m).",
    "A4L": "A prompt settles once admission ended, the agent is idle and output drained.",
    "A/r10L": "A prompt settles once admission ended, the agent is idle and output drained.",
    "A/r11L": "A prompt settles once admission ended, the agent is idle and output drained.",
    "A5L": "In this order: client cancel gives cancelled, failed output or an agent error an error, never claimed cancelled, else end_turn.",
    "A10L": "One memoized boundary: refuse, cancel, quiesce, dispose all.",
    "A16L": "The slot covers admission: session/cancel then flags it, aborts the admission and touches no other work.",
    "I1L": "Statuses alternate.",
    "I3L": "A signal exists exactly in an activity.",
    "I5L": "A latch exists only in Maintenance or Halting.",
    "I6L": "As Q18L.",
    "I7L": "As Q5L.",
    "I8L": "As C4L.",
    "I9L": "A discarded item is not dequeued; no UM of a step opened after the abort.",
    "I15L": "Driver exit < scope < a- < s- < dispose resolves.",
    "I16L": "T5L; only handle, owner or provider disposes.",
    "V1L": "A waking item not cancelled, parked or met by teardown is claimed.",
    "V2L": "Halting leads to idle, and on if latched.",
    "V3L": "As S7L.",
    "V4L": "As S7L.",
    "V11L": "Deferred detaches run.",
    "X1L": "A send form is one segment: it stores, publishes enq, then wakes; only whether the signal is aborted is read before enq.",
    "X3L": "As X3, with T/r1L, which an unload begins after the segment.",
    "X4L": "A wake at Idle runs on the caller's stack: enq, signal, status(running), abort check, TS, claim, deq each, into assembly; the call returns at the driver's first wait.",
    "X5L": "TE, look at the inbox, fresh signal if going on. Others, also the rest of a burst, act before the next TS and before an exit.",
    "X6L": "status(idle) with its listeners, then the replay if still Idle.",
    "X9L": "Others act at gates and while the scope unwinds; a- and s- are one segment.",
}
"""What the variant replaces (its id is contract 1's with an L) and adds."""

POLICY = {
    "policy keep_inbox": "Standard: `cancel(keep_inbox=True)` keeps what is pending, and the latch.",
    "policy cancelling_published": "Off: there is no status cancelling.",
    "policy after_dispose": "Parks (T5L).",
    "policy foreign_abort_stop_reason": "end_turn.",
    "policy max_tokens_stop_reason": "end_turn.",
    "policy session_load": "Absent.",
}
"""What the variant fixes of contract 1's optional policies."""


def _holds(clause: str) -> bool:
    table, row, _ = clause.partition("/")
    if row:
        return table in TABLES and clause not in GONE and f"{clause}L" not in LATCH
    return clause in HOLD.split()


LATCH_CLAUSES: dict[str, str] = {**{one: said for one, said in CLAUSES.items() if _holds(one)}, **LATCH, **POLICY}
"""Every clause of the variant."""
