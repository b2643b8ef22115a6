"""A bridge session's one prompt slot (A): occupied, claimed, drained, settled once. Hears its own agent object only."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.commands import Cancel, Send
from lifecycle_model.engine import Now
from lifecycle_model.parts import Connection, PromptSlot
from lifecycle_model.rows import words as w
from lifecycle_model.rows.durability import act
from lifecycle_model.state import Agent
from lifecycle_model.table import END, Ear, Program, Row
from lifecycle_model.wire import ANY, UNSET, Answer, Observation


def its_connection(now: Now) -> Connection | None:
    """The connection that the client asks through."""
    link = now.part("link")
    found: Connection | None = None if link is None else now.part(link.connection)
    return found


def closed(now: Now) -> bool:
    """The bridge is closed."""
    there = its_connection(now)
    return there is None or there.place != "Open"


def unknown(now: Now) -> bool:
    """The connection has no such session."""
    there = its_connection(now)
    return now.it is None or there is None or now.it.connection != there.name


def occupied(now: Now) -> bool:
    """The slot is occupied."""
    return now.it.place in OCCUPIED


def own_agent(now: Now) -> Agent | None:
    """The session's own agent object, where it is the one of its id."""
    agent = now.part(now.it.name)
    return agent if isinstance(agent, Agent) and agent.handle == now.it.handle else None


def same_agent(now: Now) -> bool:
    """The session's own agent object is there."""
    return own_agent(now) is not None


def send_refused(now: Now) -> bool:
    """The send raised, or the agent is gone."""
    given = now.note("given")
    return not given or any(answer.refused is not UNSET for answer in given)


def undelivered(now: Now) -> bool:
    """Output is undelivered."""
    return any(gate.kind == "output" for gate in now.gates())


def opening(now: Now) -> bool:
    """The load that made the record has not been answered."""
    return bool(now.it.opening)


def replayed(now: Now) -> bool:
    """The load has not been answered, its replay is delivered, and the connection is open."""
    return opening(now) and not undelivered(now) and not closing(now)


def is_gone(now: Now) -> bool:
    """Nothing is left of its agent."""
    return bool(now.it.gone)


def rejected_at_close(now: Now) -> bool:
    """The load has not been answered: it is rejected now if nothing is left of its agent, and else now or then (A9)."""
    return opening(now) and (is_gone(now) or now.late)


def is_over(now: Now) -> bool:
    """Nothing is left of its agent, and all its output is delivered."""
    return is_gone(now) and not undelivered(now)


def closed_over(now: Now) -> bool:
    """The connection is being closed, and all output is delivered."""
    return closing(now) and not undelivered(now)


def its_claim(now: Now) -> bool:
    """The turn that starts claimed the prompt's message."""
    agent = own_agent(now)
    return agent is not None and agent.item is not None and agent.item.id == now.it.message


def its_drop(now: Now) -> bool:
    """The message is among those discarded."""
    return any(dropped.id == now.it.message for dropped in now.note("heard").items)


def its_veto(now: Now) -> bool:
    """The message is pending no more, and opened no turn."""
    agent = own_agent(now)
    pending = () if agent is None else (*agent.queued, *agent.steering)
    return agent is not None and agent.item is None and all(item.id != now.it.message for item in pending)


def its_flush(now: Now) -> bool:
    """It is a message turn's flush that has settled."""
    return now.note("heard").state == "settled" and now.gate is not None and now.gate.program == "flush"


def may_show(now: Now) -> bool:
    """The environment waits for output, and this makes an update, which is the system's to choose."""
    world = now.world
    armed = any(arm.gate == "output" for arm in (*world.holds, *world.watches))
    armed = armed or any(("gate", "output") in one.on for one in world.reactions)
    return armed and not client_left(now) and now.late


def closing(now: Now) -> bool:
    """The connection is being closed."""
    there: Connection | None = now.part(now.it.connection)
    return there is not None and there.place != "Open"


def client_left(now: Now) -> bool:
    """The client is gone: there is nobody to show anything to."""
    there: Connection | None = now.part(now.it.connection)
    return there is not None and there.left


def answer_pending(now: Now) -> PromptSlot:
    """The prompt is in the slot; nothing has been sent."""
    now.answer = Answer(pending=now.command.as_)
    fresh = replace(now.it, prompt=now.command.as_, message=now.command.message)
    return replace(fresh, flagged=False, failed=False, reason="")


def refuse_with(code: str) -> Any:
    """The prompt settles with a rejection."""

    def effect(now: Now) -> Any:
        now.answer = Answer(pending=now.command.as_)
        now.settle(now.command.as_, refused=code)
        return now.it

    effect.__name__ = f"reject_{code if code != ANY else 'prompt'}"
    effect.__doc__ = f"The prompt settles with a rejection{'' if code == ANY else f': {code}'}."
    return effect


def free(now: Now) -> PromptSlot:
    """The slot is free, and the prompt settles with a rejection."""
    now.settle(now.command.as_, refused=ANY)
    return replace(now.it, prompt="", message="")


def flag(now: Now) -> PromptSlot:
    """The client wants the prompt cancelled."""
    return replace(now.it, flagged=True)


def flag_occupied(now: Now) -> PromptSlot:
    """The client is gone: the prompt counts as cancelled, its output as delivered."""
    now.leave("output")
    return replace(now.it, flagged=True)


def send(now: Now) -> tuple[Send, ...]:
    """The message is sent to the session's agent, if that is still there."""
    return (Send(now.it.name, now.it.message),) if same_agent(now) else ()


def cancel(now: Now) -> tuple[Cancel, ...]:
    """`agent.cancel(user)`, if the agent is still there."""
    return (Cancel(now.it.name),) if same_agent(now) else ()


def note_failed(now: Now) -> PromptSlot:
    """Output of the prompt failed."""
    return replace(now.it, failed=True)


def ended(reason: str) -> Any:
    """How the prompt ended without a turn."""

    def effect(now: Now) -> PromptSlot:
        return replace(now.it, reason=reason)

    effect.__name__ = f"ended_{reason}"
    effect.__doc__ = f"The prompt ended: {reason}."
    return effect


def note_reason(now: Now) -> PromptSlot:
    """The turn's recorded reason decides the result."""
    agent = own_agent(now)
    return replace(now.it, reason="disposed" if agent is None else agent.closing)


def result_of(now: Now) -> dict[str, Any]:
    """A5: flagged, else failed output, else by the turn's reason."""
    it: PromptSlot = now.it
    if it.flagged:
        return {"ok": "cancelled"}
    if it.failed:
        return {"refused": "output_failed"}
    match it.reason:
        case "completed":
            return {"ok": "end_turn"}
        case "max-tokens":
            return {"ok": now.policy("max_tokens_stop_reason", "max_tokens")}
        case "aborted":
            return {"ok": now.policy("foreign_abort_stop_reason", "cancelled")}
        case "error" | "vetoed":
            return {"refused": ANY}
        case _:
            return {"ok": "cancelled"}


def settle(now: Now) -> PromptSlot:
    """The prompt settles with its result."""
    now.settle(now.it.prompt, **result_of(now))
    return replace(now.it, prompt="", message="", flagged=False, failed=False, reason="")


def reply(now: Now) -> PromptSlot:
    """The load is answered; how, where its replay failed, the contract does not say (A5 is about prompts).

    Nor does it say whether the failure is that of a prompt that did not wait for the answer, too.
    """
    now.settle(now.it.opening, ok=UNSET if now.it.failed else ANY)
    return replace(now.it, opening="", failed=bool(now.it.failed and now.it.prompt and now.late))


def reject_load(now: Now) -> PromptSlot:
    """The load that was not answered settles with a rejection."""
    now.settle(now.it.opening, refused=ANY)
    return replace(now.it, opening="")


def agent_gone(now: Now) -> PromptSlot:
    """Nothing is left of its agent."""
    return replace(now.it, gone=True)


def vanish(now: Now) -> None:
    """The record is removed."""
    now.notes["connection"] = now.it.connection
    now.drop()


def noted_connection(now: Now) -> Iterable[str]:
    """The connection that had the record."""
    return (now.note("connection"),)


def its_connections(now: Now) -> Iterable[str]:
    """The connection that has the record."""
    return (now.it.connection,)


def note_disposer(now: Now) -> Connection:
    """A scope disposer failed: the failure is reported at the end; of one that failed before, it may be."""
    return replace(now.it, failed=True)


def update(now: Now) -> Observation:
    """`output`: an update is delivered."""
    return Observation("output", of=now.of)


def hears(now: Now, seen: Observation) -> Iterable[str]:
    """The session record of the very agent that is heard."""
    name = f"slot:{seen.of}"
    slot: PromptSlot | None = now.part(name)
    agent = now.part(str(seen.of))
    same = slot is not None and isinstance(agent, Agent) and agent.handle == slot.handle
    return (name,) if same else ()


def hears_scope(now: Now, seen: Observation) -> Iterable[str]:
    """The session record whose agent's scope has a failing disposer."""
    return hears(now, seen) if seen.name == "scope" else ()


S, N = "slot", "connection"
OCCUPIED = ("Sent", "Claimed", "Draining")

EARS = (
    Ear("turn/start", "slot.claim", hears),
    Ear("agent/inbox/discard", "slot.drop", hears),
    Ear("agent/error", "slot.veto", hears),
    Ear("session/flush", "slot.converge", hears),
    Ear("assistant/message", "slot.update", hears),
    Ear("user/message", "slot.possible", hears),
    Ear("tool/call", "slot.possible", hears),
    Ear("tool/result", "slot.possible", hears),
    Ear("step/end", "slot.possible", hears),
    Ear("contained", "slot.disposer", hears_scope),
)

PROGRAMS = (
    Program("prompt", "session/prompt: occupy the slot, send", ("prompt.closed", "prompt.unknown", "prompt.busy", "prompt.send", "prompt.failed"),
            ("A1", "A2")),
    Program("withdraw_prompt", "session/cancel", ("withdraw_prompt.known", "withdraw_prompt.cancel"), ("A6",)),
    Program("slot.claim", "a turn of its agent starts", ("slot.claim.own",), ("A3", "A/r9")),
    Program("slot.drop", "items of its agent are discarded", ("slot.drop.own",), ("A8", "A/r10")),
    Program("slot.veto", "an error of its agent is published", ("slot.veto.own",), ("A/r15",)),
    Program("slot.converge", "a flush of its agent has settled", ("slot.converge.own",), ("A3", "A/r11")),
    Program("slot.update", "its agent logs what the client is shown", ("slot.update.open",), ("A4", "A/r9")),
    Program("slot.possible", "its agent logs what the client may be shown", ("slot.possible.open",), ("A4", "A/r9")),
    Program("slot.disposer", "a scope disposer of its agent failed", ("slot.disposer.note",), ("A11",)),
    Program("fault", "a failure to be reported at the end", ("fault.note",), ("A11",)),
    Program("replay", "the loaded log is shown to the client", ("replay.open",), ("A/r5",)),
    Program("output", "an update is delivered, or fails", ("output.failed", "output.delivered", "output.loaded", "output.settle", "output.vanish"), ("A4", "A5")),
    Program("settle", "the prompt settles once its output has drained", ("settle.drain", "settle.now"), ("A4", "A5", "I20", "V9")),
    Program("spare", "the bridge is closed, its client may be there: flag the slot", ("spare.flag", "drop.gone", "drop.vanish"), ("A/r14", "A4")),
    Program("drop", "the client is gone: drop output, flag the slot", ("drop.flag", "drop.settle", "drop.gone", "drop.vanish"), ("A/r14", "A13")),
    Program("parted", "nothing is left of its agent", ("parted.note", "parted.reject", "parted.vanish"), ("A10", "A/r3")),
)  # fmt: skip

ROWS = (
    Row("A prompts", S, (), "acp.prompt", ("A/r8",), guard=act("prompt"), then="prompt"),
    Row("A cancels", S, (), "acp.cancel", ("A/r12", "A/r13"), guard=act("cancel"), then="withdraw_prompt"),

    Row("A/r1 prompt", S, (), "prompt.closed", ("A/r1", "A9"), guard=closed, effect=refuse_with(ANY), then=END),
    Row("A/r16", S, (), "prompt.unknown", ("A/r16", "A6"), guard=unknown, effect=refuse_with("unknown_session"), then=END),
    Row("A/r6", S, OCCUPIED, "prompt.busy", ("A/r6", "A1", "A4", "I20"), effect=refuse_with("busy"), then=END),
    Row("A/r8", S, ("Free",), "prompt.send", ("A/r8", "A2", "A3"), to="Sent", effect=answer_pending, gives=send),
    Row("A/r7", S, ("Sent",), "prompt.failed", ("A/r7", "A2"), guard=send_refused, to="Free", effect=free),

    Row("A6", S, (), "withdraw_prompt.known", ("A6",), guard=w.either(closed, unknown), then=END),
    Row("A/r13", S, OCCUPIED, "withdraw_prompt.cancel", ("A/r13", "A5", "A7", "C1"), effect=flag, gives=cancel),
    Row("A/r12", S, ("Free",), "withdraw_prompt.cancel", ("A/r12", "A6", "C1"), gives=cancel),

    Row("A/r9", S, ("Sent",), "slot.claim.own", ("A/r9", "A3", "A12"), guard=its_claim, to="Claimed"),
    Row("A/r10", S, ("Sent",), "slot.drop.own", ("A/r10", "A7", "A8", "A12"), guard=its_drop, effect=ended("dropped"), then="settle"),
    Row("A/r15", S, ("Sent",), "slot.veto.own", ("A/r15", "A12"), guard=its_veto, effect=ended("vetoed"), then="settle"),
    Row("A/r11", S, ("Claimed",), "slot.converge.own", ("A/r11", "A3", "A15", "A12"), guard=its_flush, effect=note_reason, then="settle"),
    Row("A4 update", S, (), "slot.update.open", ("A4", "A/r9", "A12"), guard=w.negate(client_left), opens="output"),
    Row("A4 possible", S, (), "slot.possible.open", ("A4", "A/r9"), guard=may_show, opens="output"),
    Row("A11 disposer", S, (), "slot.disposer.note", ("A11",), runs="fault", on=its_connections),
    Row("A11 noted", N, ("Open", "Closing"), "fault.note", ("A11",), effect=note_disposer),
    Row("A/r5 update", S, (), "replay.open", ("A/r5", "A4"), opens="output"),

    Row("A5 failed", S, (), "output.failed", ("A5",), guard=w.outcome("fail"), effect=note_failed),
    Row("A4 delivered", S, (), "output.delivered", ("A4", "A/r9", "A/r5"), guard=w.negate(w.outcome("fail")), says=(update,)),
    Row("A/r5", S, (), "output.loaded", ("A/r5", "A14"), guard=replayed, effect=reply),
    Row("A4 drained", S, ("Draining",), "output.settle", ("A4",), runs="settle"),
    Row("A10 record drained", S, (), "output.vanish", ("A10",), guard=w.both(closing, is_over), effect=vanish),

    Row("A4 drains", S, OCCUPIED, "settle.drain", ("A4",), guard=undelivered, to="Draining", then=END),
    Row("A5", S, OCCUPIED, "settle.now", ("A5", "A4", "A1", "A8", "I20", "V9", "policy foreign_abort_stop_reason",
        "policy max_tokens_stop_reason"), to="Free", effect=settle),

    Row("A/r14 flags", S, OCCUPIED, "spare.flag", ("A/r14", "A5"), effect=flag),
    Row("A13", S, (), "drop.flag", ("A13", "A/r14"), effect=flag_occupied),
    Row("A13 settles", S, ("Draining",), "drop.settle", ("A13", "A/r14"), runs="settle"),
    Row("A9 load", S, (), "drop.gone", ("A9",), guard=rejected_at_close, effect=reject_load),
    Row("A10 record", S, (), "drop.vanish", ("A10",), guard=is_over, effect=vanish),

    Row("A10 agent gone", S, (), "parted.note", ("A10", "A11"), effect=agent_gone),
    Row("A/r3 disposed first", S, (), "parted.reject", ("A/r3", "A9"), guard=w.both(closing, opening), effect=reject_load),
    Row("A10 record gone", S, (), "parted.vanish", ("A10", "I21"), guard=closed_over, effect=vanish, runs="quieted", on=noted_connection),
    Row("A10 record drains", S, (), "parted.vanish", ("A10", "A4"), guard=closing, runs="quieted", on=its_connections),
)  # fmt: skip
