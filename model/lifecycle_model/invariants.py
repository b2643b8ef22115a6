"""The safety invariants of section I that sections S, Q, C and T can break, as a table. Their predicates are beside."""

from __future__ import annotations

from collections.abc import Callable

from lifecycle_model.ghost import Ghost
from lifecycle_model.invariants_inbox import (
    discards_follow_disposal,
    inbox_as_observed,
    items_once,
    no_claim_from_nothing,
    one_claim_per_turn,
    refusals_change_nothing,
    sends_only_store,
    waiters_not_in_turn,
    waiters_see_no_work,
)
from lifecycle_model.invariants_life import (
    STAGES,
    after,
    announced_in_order,
    cancel_in_order,
    cancelling_means_aborted,
    detach_hidden_from_dispatch,
    entries_nest,
    holder_in_place,
    idle_after_flush,
    no_marker_with_holder,
    nothing_claimed_in_teardown,
    status_is_published,
    statuses_differ,
    torn_down_in_order,
)
from lifecycle_model.invariants_system import (
    buffered_are_live,
    entered_is_listed,
    entries_have_owners,
    holders_know,
    nothing_in_progress,
    one_entry_per_id,
    over,
    records_are_alive,
    sessions_paired,
    tokens_last,
    unloads_are_thorough,
)
from lifecycle_model.invariants_turns import (
    brackets_balance,
    calls_answered,
    calls_one_by_one,
    flush_error_once,
    injected_end,
    no_delivery_after_abort,
    reason_of_end,
    reason_once,
    turns_are_flushed,
)
from lifecycle_model.properties import Safety
from lifecycle_model.wire import Observation

ENQ, DEQ, DISC = "agent/inbox/enqueue", "agent/inbox/dequeue", "agent/inbox/discard"
STATUS, TS, TE, SS, SE = "agent/status", "turn/start", "turn/end", "step/start", "step/end"
UM, SM, AM, TC, TR = "user/message", "steering/message", "assistant/message", "tool/call", "tool/result"


def _at(
    name: str, clauses: tuple[str, ...], about: str, each: Callable[[Ghost, Observation], str | None], *events: str
) -> Safety:
    return Safety(name, clauses, about, None, each, events)


INVARIANTS: tuple[Safety, ...] = (
    _at("I1", ("I1", "S1", "S2"), "statuses differ and end with disposed", statuses_differ, STATUS),
    Safety("I1 readable", ("S2", "I1"), "the status reads as published", status_is_published),
    _at("I2", ("I2", "L10", "Q19", "Q20"), "turns and steps are bracketed and counted", brackets_balance, TS, TE, SS, SE),
    Safety("I3", ("I3", "S4"), "holders exist in their places only", after(holder_in_place)),
    Safety("I4", ("I4", "S5"), "cancelling has a reason", after(cancelling_means_aborted)),
    Safety("I5 marker", ("I5", "C9"), "no marker beside a holder", after(no_marker_with_holder)),
    _at("I5 claim", ("I5",), "no claim from an empty queue", no_claim_from_nothing, DEQ),
    _at("I6", ("I6", "Q18"), "each item is enqueued once and ends once", items_once, ENQ, DEQ, DISC),
    Safety("I6 inbox", ("I6", "Q12", "Q18", "C10"), "the inbox is what was observed", inbox_as_observed),
    Safety("I7", ("I7", "Q5", "Q8", "Q9", "Q6"), "one claim a turn, in order, after the flush", one_claim_per_turn),
    Safety("I8", ("I8", "C2", "C3", "C4", "C9"), "cancels in order, or not at all", cancel_in_order),
    _at("I9", ("I9", "Q13", "C16"), "nothing is delivered or asked in an aborted turn", no_delivery_after_abort, SM, "request"),
    _at("I10 once", ("I10", "C7", "C12"), "a signal is aborted once", reason_once, "abort"),
    _at("I10 end", ("I10", "C13", "C18", "C19", "D1"), "turns end as C18 says", reason_of_end, TE),
    _at("I10 injection", ("Q/r8",), "injections end completed", injected_end, TE),
    _at("I11", ("I11", "Q16", "C17"), "every call is answered in its batch", calls_answered, TE, UM, SM, AM, SS, SE, TC, TR),
    Safety("Q16", ("Q16", "policy parallel_tools"), "calls run one by one", calls_one_by_one),
    Safety("I12 I13", ("I12", "I13", "P1"), "entries nest and wait for the setup", entries_nest),
    Safety("I12 ids", ("I12", "P10", "T8"), "one live entry of each kind per id", over(one_entry_per_id)),
    Safety("L6", ("L6", "L/r6", "L/r7"), "an object is in one store at most", over(entered_is_listed)),
    Safety("I13 residue", ("I13", "P7", "T10"), "nothing is on record for what is over", over(records_are_alive)),
    Safety("P/r3 records", ("P/r3", "I16"), "owner and provider know what is under way", over(holders_know)),
    Safety("I13 owned", ("I13", "T/r7"), "what is stored has a transaction", over(entries_have_owners)),
    Safety("P13", ("P13", "P15", "T1"), "an unload that is over left nothing", over(unloads_are_thorough)),
    Safety("D buffering", ("D/r1", "D/r4", "D5"), "logs are buffered for live sessions", over(buffered_are_live)),
    Safety("I17 sessions", ("I17", "L2", "L4", "V11"), "announcements and appends end with their segment", over(nothing_in_progress)),
    Safety("I14 sessions", ("I14", "L5", "L7", "P4"), "sessions are announced and disposed in pairs", sessions_paired),
    Safety("I18 I19", ("I18", "I19", "O1", "O12"), "tasks keep their owners and complete once", tokens_last),
    _at("I14", ("I14", "P2", "P4"), "announcements in order and in pairs", announced_in_order, STATUS, *STAGES),
    Safety("I15", ("I15", "T2", "T6", "T7"), "teardown in order", torn_down_in_order),
    _at("I16", ("I16", "T5"), "nothing is claimed in teardown", nothing_claimed_in_teardown, ENQ, DEQ, "request"),
    Safety("I17", ("I17", "L2", "X8"), "appends end with their segment", detach_hidden_from_dispatch),
    _at("S3", ("S3", "C14", "X6"), "idle follows the last flush", idle_after_flush, STATUS),
    Safety("S11", ("S11", "D4", "Q17"), "a failed flush is one error", flush_error_once),
    Safety("Q2", ("Q1", "Q2", "Q3", "Q4", "X1", "policy after_dispose"), "sends only store", sends_only_store),
    Safety("Q17", ("Q1", "Q17"), "refused injections leave nothing", refusals_change_nothing),
    Safety("Q18", ("Q18", "T3"), "nothing is pending after disposal", discards_follow_disposal),
    _at("V4", ("V4", "S7", "S8"), "waiters resolve without waking work", waiters_see_no_work, "settled"),
    _at("S7", ("S7", "V4"), "waiters resolve after convergence", waiters_not_in_turn, "settled"),
    Safety("D2", ("D2", "X5"), "every turn is flushed", turns_are_flushed),
)  # fmt: skip
