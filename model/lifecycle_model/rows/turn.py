"""The message turn (Q25): what the driver does from one gate to the next. A C16 check stands behind every gate."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.rows.inbox import SAY_CONTEXT, more_contexts, next_context
from lifecycle_model.state import Agent, Item
from lifecycle_model.table import END, Effect, Program, Row
from lifecycle_model.wire import UNSET, Observation


def first_steering(now: Now) -> bool:
    """The holder is live and steering is pending."""
    return bool(now.it.holder == "live" and now.it.steering)


def nothing_taken(now: Now) -> bool:
    """No steering item is left to deliver."""
    return now.it.item is None


def blocked(now: Now) -> bool:
    """The prompt policy blocked the prompt."""
    return bool(now.it.rejected)


def take_steering(now: Now) -> Agent:
    """Take the first steering item."""
    return replace(now.it, steering=now.it.steering[1:], item=now.it.steering[0])


def dequeued_steering(now: Now) -> Observation:
    """`deq(m,steer)`."""
    return Observation(
        "agent/inbox/dequeue", of=now.subject, item=now.before.steering[0].id, steering=True, wakeup=True
    )


def prepare(now: Now) -> Agent:
    """Prepare the next step."""
    return replace(now.it, step=now.it.step + 1, delivered=False, finish="", calls=0, call=0)


def deliver(now: Now) -> Agent:
    """Steering was delivered at the top of the step; its contexts follow."""
    return replace(now.it, contexts=now.it.item.contexts)


def deliver_after_body(now: Now) -> Agent:
    """Steering was delivered after the body; its contexts follow."""
    return replace(now.it, delivered=True, contexts=now.it.item.contexts)


def own_contexts(now: Now) -> Agent:
    """The message's contexts follow it."""
    return replace(now.it, contexts=now.it.item.contexts)


def prefix_cached(now: Now) -> bool:
    """A prefix is cached."""
    return bool(now.it.prefix)


def requested(now: Now) -> Observation:
    """`request`: the model request with the messages it contains."""
    kept = ("user/message", "steering/message", "assistant/message", "tool/result")
    messages: Any = UNSET
    if now.world.keep_log:
        records = (record for record in now.it.log if record.event in kept)
        messages = tuple(f"tr{one.id}" if one.event == "tool/result" else one.message for one in records)
    return Observation("request", of=now.subject, turn=now.it.turn, step=now.it.step, messages=messages)


def finished(now: Now) -> Agent:
    """Remember how the model finished, and its calls."""
    word = now.outcome.outcome
    return replace(
        now.it,
        finish="max-tokens" if word == "max_tokens" else "finish",
        calls=now.outcome.tools,
        call=0,
        batch=now.outcome.tools > 0,
    )


def calls_advertised(now: Now) -> bool:
    """The assistant message advertised calls."""
    return bool(now.it.calls)


def parallel(now: Now) -> bool:
    """The calls of a batch run together."""
    return bool(now.policy("parallel_tools") == "on")


def results_due(now: Now) -> bool:
    """A started call has no result yet."""
    return bool(now.it.running)


def calls_left(now: Now) -> bool:
    """A call has not started."""
    return bool(now.it.call < now.it.calls)


def next_call(now: Now) -> Agent:
    """Go to the next call."""
    return replace(now.it, call=now.it.call + 1)


def start_call(now: Now) -> Agent:
    """Start the next call."""
    return replace(now.it, call=now.it.call + 1, running=now.it.running + 1)


def settle_call(now: Now) -> Agent:
    """A started call has its result."""
    return replace(now.it, running=now.it.running - 1)


def result_id(now: Now) -> str:
    """`turn.step.call` of the call whose gate was left."""
    return f"{now.it.turn}.{now.it.step}.{now.gate.call if now.gate else now.it.call}"


def call_id(now: Now) -> str:
    """`turn.step.call`."""
    return f"{now.it.turn}.{now.it.step}.{now.it.call}"


def keep_result_context(now: Now) -> Agent:
    """The result's context is deferred to the end of the batch."""
    return replace(now.it, deferred=now.it.deferred + now.outcome.context)


def deferred_left(now: Now) -> bool:
    """Deferred context is left."""
    return bool(now.it.deferred)


def log_deferred(now: Now) -> Agent:
    """Log the first deferred context."""
    agent = w.logged(now.it, now, Observation("user/message", of=now.subject, message=now.it.deferred[0]))
    return replace(agent, deferred=agent.deferred[1:])


def said_deferred(now: Now) -> Observation:
    """`UM(i)` of deferred context."""
    return Observation("user/message", of=now.subject, message=now.before.deferred[0])


def continues(now: Now) -> bool:
    """The decision is continue, or the default after calls."""
    word = now.outcome.outcome
    return word == "continue" or (word not in ("stop", "fail") and bool(now.it.calls))


def has_reason(now: Now) -> bool:
    """The decision to continue has a reason."""
    return bool(now.outcome.outcome == "continue" and now.outcome.reason)


def steer_reason(now: Now) -> Agent:
    """The reason becomes a steering item."""
    return replace(now.it, steering=(*now.it.steering, Item(str(now.outcome.reason))))


def enqueued_reason(now: Now) -> Observation:
    """`enq(r,steer)`."""
    return Observation("agent/inbox/enqueue", of=now.subject, item=str(now.outcome.reason), steering=True, wakeup=True)


def steering_overrides(now: Now) -> bool:
    """Steering is pending, or was delivered after the body."""
    return bool(now.it.steering or now.it.delivered)


def stop_terminally(now: Now) -> Agent:
    """The turn is stopped terminally: drop its steering."""
    return replace(now.it, terminal=True, steering=())


T = "turn"
KEEP_UM, SAY_UM = w.record("user/message", message=lambda now: now.it.item.id)
KEEP_SM, SAY_SM = w.record("steering/message", message=lambda now: now.it.item.id)
KEEP_PB, SAY_PB = w.record("prompt/blocked")
KEEP_SS, SAY_SS = w.record("step/start", turn=w.turn_of, step=w.step_of)
KEEP_SE, SAY_SE = w.record("step/end", turn=w.turn_of, step=w.step_of)
KEEP_AM, SAY_AM = w.record("assistant/message", message=lambda now: f"am{now.it.turn}.{now.it.step}")
KEEP_TC, SAY_TC = w.record("tool/call", id=call_id)
KEEP_TR, SAY_TR = w.record("tool/result", id=result_id)
KEEP_SKIPPED, SAY_SKIPPED = w.record("tool/result", id=call_id, code=w.code_of)
FAIL: Any = w.setting(failed=True)


def note_undispatched(now: Now) -> Agent:
    """The result says that the call was aborted before its dispatch."""
    now.notes["code"] = "ABORTED_BEFORE_DISPATCH"
    return now.it


def _drain(program: str, clauses: tuple[str, ...], after: str, delivered: Effect) -> tuple[Row, ...]:
    """Q/r10 as rows: while the holder is live, dequeue, log, log contexts."""
    return (
        Row(f"Q/r10 {program}", T, (), f"{program}.take", (*clauses, "Q/r10", "Q9", "Q13"), guard=first_steering, effect=take_steering,
            says=(dequeued_steering,)),
        Row(f"Q/r10 {program} none", T, (), f"{program}.none", ("Q/r10",), guard=nothing_taken, then=after),
        Row(f"Q13 {program}", T, (), f"{program}.ask", ("Q13", "I9"), guard=w.stopping, effect=w.setting(item=None), then=after),
        Row(f"L/r3 SM {program}", T, (), f"{program}.ask", ("L/r3",), asks="validation steering/message"),
        Row(f"Q25 vetoed SM {program}", T, (), f"{program}.log", ("Q25", "Q20"), guard=w.vetoed, effect=FAIL, then="close"),
        Row(f"I9 {program}", T, (), f"{program}.log", ("I9", "Q13"), guard=w.stopping, effect=w.setting(item=None), then=after),
        Row(f"Q/r10 SM {program}", T, (), f"{program}.log", ("Q/r10", "Q9"), effect=w.chain(delivered, KEEP_SM, w.setting(item=None)),
            says=(_say_sm,), appends=True),
        Row(f"Q/r10 context {program}", T, (), f"{program}.context", ("Q/r10",), guard=more_contexts, effect=next_context,
            says=(SAY_CONTEXT,), appends=True, then=f"{program}.context"),
        Row(f"Q/r10 again {program}", T, (), f"{program}.again", ("Q/r10",), then=f"{program}.take"),
    )  # fmt: skip


def _say_sm(now: Now) -> Observation:
    """`SM(m)`."""
    return Observation("steering/message", of=now.subject, message=now.before.item.id)


def _drain_steps(program: str) -> tuple[str, ...]:
    return tuple(f"{program}.{step}" for step in ("take", "none", "ask", "log", "context", "again"))


PROGRAMS = (
    Program("policy", "after the prompt policy: log the prompt, or block it",
            ("policy.check", "policy.fail", "policy.ask_block", "policy.block", "policy.ask", "policy.user", "policy.context", "policy.step"),
            ("Q25", "Q21")),
    Program("step", "the top of a step: deliver steering, assemble",
            ("step.prepare", *_drain_steps("step.drain"), "step.assemble"), ("Q25", "Q9", "Q20")),
    Program("assembly", "after assembly: compose the prefix where none is cached",
            ("assembly.check", "assembly.fail", "assembly.cached", "assembly.compose"), ("Q25", "C16")),
    Program("prefix", "after composing the prefix", ("prefix.check", "prefix.fail", "prefix.keep"), ("Q25", "C22")),
    Program("pre_step", "after the pre-step listeners: open the step, ask the model",
            ("pre_step.check", "pre_step.fail", "pre_step.ask", "pre_step.open", "pre_step.opened", "pre_step.request"), ("Q25", "C16")),
    Program("model", "a chunk, the end, or the failure of the model call",
            ("model.check", "model.chunk", "model.failed", "model.ask", "model.message", "model.aborted", "model.plain", "model.calls"),
            ("Q25", "C16", "Q22")),
    Program("recovery", "after a failed request: retry, or fail the turn", ("recovery.check", "recovery.retry", "recovery.fail"), ("Q25", "C23")),
    Program("batch", "the calls of a batch, one after another",
            ("batch.skip", "batch.call", "batch.due", "batch.end", "batch.ask", "batch.context", "batch.more", "batch.post"),
            ("Q16", "C17")),
    Program("tool", "a call's result", ("tool.result", "tool.next"), ("Q16", "Q25")),
    Program("post_step", "after post-step: deliver steering, close the step",
            ("post_step.check", "post_step.fail", *_drain_steps("post_step.drain"), "post_step.close"), ("Q25", "Q9", "Q20")),
    Program("continuation", "after the continuation decision",
            ("continuation.check", "continuation.fail", "continuation.reason", "continuation.go", "continuation.stop"), ("Q25", "Q10")),
    Program("stopping", "after turn stop: terminal, another step, or close",
            ("stopping.check", "stopping.fail", "stopping.terminal", "stopping.again", "stopping.close"), ("Q25", "Q10", "Q11")),
)  # fmt: skip

ROWS = (
    w.checkpoint("policy.check", T),
    Row("Q25 policy throws", T, ("Policy",), "policy.fail", ("Q25", "Q22"), guard=w.outcome("fail"), effect=FAIL, then="close"),
    Row("L/r3 prompt/blocked", T, ("Policy",), "policy.ask_block", ("L/r3",), guard=w.outcome("block"), asks="validation prompt/blocked",
        effect=w.setting(rejected=True)),
    Row("Q25 vetoed block", T, ("Policy",), "policy.block", ("Q25",), guard=w.both(blocked, w.vetoed),
        effect=w.setting(failed=True, rejected=False), then="close"),
    Row("Q21", T, ("Policy",), "policy.block", ("Q21",), guard=blocked, effect=KEEP_PB, says=(SAY_PB,), appends=True, then="close"),
    Row("L/r3 UM of a turn", T, ("Policy",), "policy.ask", ("L/r3",), asks="validation user/message"),
    Row("Q25 vetoed UM", T, ("Policy",), "policy.user", ("Q25",), guard=w.vetoed, effect=FAIL, then="close"),
    Row("Q25 UM", T, ("Policy",), "policy.user", ("Q25", "Q5"), effect=w.chain(own_contexts, KEEP_UM), says=(SAY_UM,), appends=True),
    Row("Q25 contexts", T, ("Policy",), "policy.context", ("Q25",), guard=more_contexts, effect=next_context, says=(SAY_CONTEXT,),
        appends=True, then="policy.context"),
    Row("Q25 first step", T, ("Policy",), "policy.step", ("Q25",), effect=w.setting(item=None), then="step"),

    Row("Q20 step prepared", T, ("Policy", "Recovery", "Continuation", "Stopping"), "step.prepare", ("Q20", "Q25"), to="Step", effect=prepare),
    *_drain("step.drain", ("Q14",), "step.assemble", deliver),
    Row("Q25 assembly", T, ("Step",), "step.assemble", ("Q25",), to="Assembly", opens="assembly"),

    w.checkpoint("assembly.check", T),
    Row("Q25 assembly throws", T, ("Assembly",), "assembly.fail", ("Q25",), guard=w.outcome("fail"), effect=FAIL, then="close"),
    Row("C22 cached", T, ("Assembly",), "assembly.cached", ("C22", "Q25"), guard=prefix_cached, to="PreStep", opens="pre_step", then=END),
    Row("C22 composes", T, ("Assembly",), "assembly.compose", ("C22", "Q25"), to="Prefix", opens="prefix"),

    w.checkpoint("prefix.check", T, ("C16", "C22")),
    Row("Q25 prefix throws", T, ("Prefix",), "prefix.fail", ("Q25",), guard=w.outcome("fail"), effect=FAIL, then="close"),
    Row("C22 keeps", T, ("Prefix",), "prefix.keep", ("C22",), to="PreStep", effect=w.setting(prefix=True), opens="pre_step"),

    w.checkpoint("pre_step.check", T),
    Row("Q25 pre-step throws", T, ("PreStep",), "pre_step.fail", ("Q25",), guard=w.outcome("fail"), effect=FAIL, then="close"),
    Row("L/r3 SS", T, ("PreStep",), "pre_step.ask", ("L/r3",), asks="validation step/start"),
    Row("Q25 vetoed SS", T, ("PreStep",), "pre_step.open", ("Q25",), guard=w.vetoed, effect=FAIL, then="close"),
    Row("Q25 SS", T, ("PreStep",), "pre_step.open", ("Q25", "Q20"), effect=w.chain(w.setting(step_open=True), KEEP_SS), says=(SAY_SS,), appends=True),
    w.checkpoint("pre_step.opened", T),
    Row("Q25 request", T, ("PreStep",), "pre_step.request", ("Q25",), to="Model", says=(requested,), opens="model"),

    w.checkpoint("model.check", T),
    Row("Q25 chunk", T, ("Model",), "model.chunk", ("Q25", "C16"), guard=w.outcome("chunk"), opens="again", then=END),
    Row("Q25 request failed", T, ("Model",), "model.failed", ("Q25", "Q22"), guard=w.outcome("error", "fail", "aborted"), to="Recovery",
        effect=w.chain(w.setting(step_open=False), KEEP_SE), says=(SAY_SE,), appends=True, opens="recovery", then=END),
    Row("L/r3 AM", T, ("Model",), "model.ask", ("L/r3",), effect=finished, asks="validation assistant/message"),
    Row("Q25 vetoed AM", T, ("Model",), "model.message", ("Q25",), guard=w.vetoed, effect=w.setting(failed=True, calls=0, batch=False), then="close"),
    Row("Q25 AM", T, ("Model",), "model.message", ("Q25", "Q/r7"), effect=KEEP_AM, says=(SAY_AM,), appends=True),
    Row("C16 AM without calls", T, ("Model",), "model.aborted", ("C16",), guard=w.both(w.stopping, w.negate(calls_advertised)), then="close"),
    Row("Q25 no calls", T, ("Model",), "model.plain", ("Q25",), guard=w.negate(calls_advertised), to="PostStep", opens="post_step", then=END),
    Row("Q25 calls", T, ("Model",), "model.calls", ("Q25", "Q16"), to="Batch", then="batch"),

    w.checkpoint("recovery.check", T, ("C16", "C23")),
    Row("Q25 retry", T, ("Recovery",), "recovery.retry", ("Q25",), guard=w.outcome("retry"), then="step"),
    Row("Q25 unrecovered", T, ("Recovery",), "recovery.fail", ("Q25", "Q20"), effect=FAIL, then="close"),

    Row("C17 skipped", T, ("Batch", "Tool"), "batch.skip", ("C17", "Q16", "I11"), guard=w.both(calls_left, w.stopping),
        effect=w.chain(next_call, note_undispatched, KEEP_TC, KEEP_SKIPPED), says=(SAY_TC, SAY_SKIPPED), appends=True, then="batch.skip"),
    Row("Q16 TC together", T, ("Batch", "Tool"), "batch.call", ("policy parallel_tools", "Q16"), guard=w.both(calls_left, parallel), to="Tool",
        effect=w.chain(start_call, KEEP_TC), says=(SAY_TC,), appends=True, opens="tool", then="batch.skip"),
    Row("Q16 TC", T, ("Batch",), "batch.call", ("Q16", "Q25"), guard=calls_left, to="Tool", effect=w.chain(start_call, KEEP_TC), says=(SAY_TC,),
        appends=True, opens="tool", then=END),
    Row("Q16 results due", T, ("Batch", "Tool"), "batch.due", ("Q16", "C17"), guard=results_due, to="Tool", then=END),
    Row("Q16 batch ends", T, ("Batch",), "batch.end", ("Q16",), effect=w.setting(batch=False)),
    Row("L/r3 deferred", T, ("Batch",), "batch.ask", ("L/r3",), guard=deferred_left, asks="validation user/message"),
    Row("Q25 vetoed deferred", T, ("Batch",), "batch.context", ("Q25",), guard=w.both(deferred_left, w.vetoed),
        effect=w.setting(failed=True, deferred=(), batch=False), then="close"),
    Row("Q16 deferred", T, ("Batch",), "batch.context", ("Q16", "Q/r7", "C17"), guard=deferred_left, effect=log_deferred, says=(said_deferred,),
        appends=True),
    Row("Q16 more", T, ("Batch",), "batch.more", ("Q16",), guard=deferred_left, then="batch.ask"),
    Row("Q25 post-step", T, ("Batch",), "batch.post", ("Q25", "C17"), to="PostStep", opens="post_step"),

    Row("Q25 TR", T, ("Tool",), "tool.result", ("Q16", "Q25", "C17", "I11"), to="Batch", effect=w.chain(keep_result_context, settle_call, KEEP_TR), says=(SAY_TR,),
        appends=True),
    Row("Q16 next", T, ("Batch",), "tool.next", ("Q16",), then="batch"),

    w.checkpoint("post_step.check", T),
    Row("Q25 post-step throws", T, ("PostStep",), "post_step.fail", ("Q25",), guard=w.outcome("fail"), effect=FAIL, then="close"),
    *_drain("post_step.drain", ("Q9",), "post_step.close", deliver_after_body),
    Row("Q25 SE", T, ("PostStep",), "post_step.close", ("Q25", "Q20"), to="Continuation", effect=w.chain(w.setting(step_open=False), KEEP_SE),
        says=(SAY_SE,), appends=True, opens="continuation"),

    w.checkpoint("continuation.check", T),
    Row("Q25 continuation throws", T, ("Continuation",), "continuation.fail", ("Q25",), guard=w.outcome("fail"), effect=FAIL, then="close"),
    Row("Q10 reason", T, ("Continuation",), "continuation.reason", ("Q10",), guard=has_reason, effect=steer_reason, says=(enqueued_reason,)),
    Row("Q25 continue", T, ("Continuation",), "continuation.go", ("Q25", "Q10"), guard=continues, then="step"),
    Row("Q25 stop", T, ("Continuation",), "continuation.stop", ("Q25",), to="Stopping", opens="stopping"),

    w.checkpoint("stopping.check", T),
    Row("Q25 turn stop throws", T, ("Stopping",), "stopping.fail", ("Q25",), guard=w.outcome("fail"), effect=FAIL, then="close"),
    Row("Q/r12", T, ("Stopping",), "stopping.terminal", ("Q/r12", "Q11"), guard=w.outcome("terminal"), effect=stop_terminally,
        says=(w.discarded,), then="close"),
    Row("Q/r11", T, ("Stopping",), "stopping.again", ("Q/r11", "Q10"), guard=steering_overrides, then="step"),
    Row("Q25 close", T, ("Stopping",), "stopping.close", ("Q25",), then="close"),
)  # fmt: skip
