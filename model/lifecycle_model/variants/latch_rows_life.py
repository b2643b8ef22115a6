"""How an agent of the variant comes: creation, setup and its commit, publication, rollback, owners (P as section 1 changes it)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from lifecycle_model.engine import Now
from lifecycle_model.rows import words as w
from lifecycle_model.table import END, Program, Row, Say
from lifecycle_model.variants import latch_words as v
from lifecycle_model.variants.latch_state import Creation, Fiber, LatchAgent
from lifecycle_model.wire import Answer, Observation


def live(part: object) -> bool:
    """The component is an agent whose session is in its store."""
    return isinstance(part, LatchAgent) and part.stored


def taken(now: Now) -> bool:
    """The id has an entry (T8L: until s-)."""
    return live(now.part(now.command.id))


def settle_refused(code: str) -> Any:
    """Answer pending and settle as refused at once."""

    def effect(now: Now) -> Any:
        if now.command.sync:
            now.answer = Answer(refused=code)
        else:
            now.answer = Answer(pending=now.command.as_)
            now.settle(now.command.as_, refused=code)
        return now.it

    effect.__name__ = f"settle_{code}"
    effect.__doc__ = f"Settle as refused: {code}."
    return effect


def parent_gone(now: Now) -> bool:
    """The named parent is not live."""
    return now.command.parent is not None and not live(now.part(now.command.parent))


def owner_of(now: Now) -> str:
    """The component that owns what is created: the parent, or a named fiber."""
    if now.command.parent is not None:
        return str(now.command.parent)
    return "" if now.command.owner is None else fiber_name(now.command.owner)


def fiber_name(fiber: str) -> str:
    """The component of a fiber."""
    return f"fiber:{fiber}"


def owner_gone(now: Now) -> bool:
    """The owner fiber was unloaded, or the parent is being torn down."""
    owner = now.part(owner_of(now))
    return (isinstance(owner, Fiber) and owner.place != "Active") or (
        isinstance(owner, LatchAgent) and owner.life != "Live"
    )


def adopt(now: Now, owner: str, name: str) -> None:
    """The owner knows what was created through it."""
    if not owner:
        return
    part = now.part(owner) or Fiber(owner)
    now.put(owner, replace(part, children=(*part.children, name)))


def disown(now: Now, owner: str, name: str) -> None:
    """What the owner knew is gone; whoever waited for that goes on."""
    part = now.part(owner) if owner else None
    if part is None:
        return
    part = replace(part, children=tuple(one for one in part.children if one != name))
    now.put(owner, part)
    if part.children:
        return
    if isinstance(part, Fiber) and part.waiting:
        v.wake_other(now, owner, "unloaded")
    elif isinstance(part, LatchAgent) and part.life == "Unwinding":
        v.wake_other(now, owner, "unwind")


def admit(now: Now) -> Creation:
    """Begin a creation under its reference."""
    now.answer = Answer(pending=now.command.as_)
    owner = owner_of(now)
    adopt(now, owner, now.subject)
    return Creation(now.subject, id=now.command.id, owner=owner)


def admit_sync(now: Now) -> LatchAgent:
    """Publish at once: setup and minting do not wait."""
    now.answer = Answer(ok=None)
    adopt(now, owner_of(now), now.subject)
    return LatchAgent(now.subject, stored=True, entered=True, owner=owner_of(now), started=True)


def setup_failed(now: Now) -> bool:
    """Setup or its commit failed."""
    return now.outcome.outcome in ("fail", "commit_fail")


def doomed(now: Now) -> bool:
    """The creation was deactivated."""
    return bool(now.it.doomed)


def id_taken(now: Now) -> bool:
    """Another creation of the id was published first."""
    return live(now.part(now.it.id))


def doom(code: str) -> Any:
    """Fix why the creation is rejected."""

    def effect(now: Now) -> Creation:
        given = "value" if now.outcome.value else code
        return replace(now.it, doomed=now.it.doomed or given)

    effect.__name__ = f"doom_{code}"
    effect.__doc__ = f"Fix the rejection: {code}."
    return effect


def enter(now: Now) -> Creation:
    """Enter the session store and the registry."""
    agent = LatchAgent(now.it.id, stored=True, entered=True, handle=now.subject, started=True, owner=now.it.owner)
    now.put(now.it.id, agent)
    if now.it.owner:
        owner = now.part(now.it.owner)
        named = tuple(now.it.id if one == now.subject else one for one in owner.children)
        now.put(now.it.owner, replace(owner, children=named))
    return now.it


def of_agent(**members: Any) -> Any:
    """Set members of the agent being published."""

    def effect(now: Now) -> Creation:
        now.put(now.it.id, replace(now.part(now.it.id), **members))
        return now.it

    effect.__name__ = "set_" + "_".join(members)
    effect.__doc__ = f"Set {', '.join(members)} of the agent."
    return effect


def says(event: str, **members: Any) -> Say:
    """An event of the agent being published, or of its session."""

    def say(now: Now) -> Observation:
        return Observation(event, of=getattr(now.it, "id", now.subject), **members)

    say.__name__ = event
    say.__doc__ = event
    return say


def roll_back_published(now: Now) -> Creation:
    """The agent leaves again, and its leaving rejects the creation."""
    now.put(now.it.id, replace(now.part(now.it.id), unmade=now.subject))
    v.wake_other(now, now.it.id, "teardown")
    return now.it


def hand_over(now: Now) -> Creation:
    """Return the handle."""
    now.settle(now.subject, ok="handle")
    return now.it


def reject(now: Now) -> Creation:
    """Settle the creation as refused; its owner forgets it."""
    now.settle(now.subject, refused=now.it.doomed)
    disown(now, now.it.owner, now.subject)
    return now.it


def unload(now: Now) -> Fiber:
    """Begin the leaving of all it owns, after this segment (X3L)."""
    now.answer = Answer(pending=now.command.as_)
    fiber = now.it or Fiber(now.subject)
    if fiber.place == "Active":
        leave_all(now, fiber.children)
    if not fiber.children:
        v.wake_other(now, now.subject, "unloaded")
    return replace(fiber, waiting=(*fiber.waiting, now.command.as_))


def leave_all(now: Now, children: tuple[str, ...]) -> None:
    """Every child begins to leave in a segment of its own; a creation is deactivated at once."""
    for name in children:
        part = now.part(name)
        if isinstance(part, Creation) and part.place == "SettingUp":
            now.put(name, replace(part, doomed=part.doomed or "inactive_owner"))
            v.wake_other(now, name, "rollback")
        else:
            v.wake_other(now, name, "teardown")


def unloaded(now: Now) -> Fiber:
    """Every unload of the fiber resolves."""
    for ref in now.it.waiting:
        now.settle(ref)
    return replace(now.it, waiting=())


def default_fiber(now: Now) -> bool:
    """The fiber that owns what names no owner: the variant's model does not follow it."""
    return now.subject == fiber_name("root")


C, A, W = "creation", "agent", "owner"

PROGRAMS = (
    Program("create", "create an agent: refuse early, or set up", ("create.check", "create.sync", "create.admit"), ("P10", "T8L")),
    Program("resume", "resume an id: never a live one", ("resume.check", "resume.load"), ("D/r7", "P17")),
    Program("setup", "setup settled: check, commit, publish", ("setup.late", "setup.fail", "setup.taken", "setup.go"), ("P/r6L", "P19L")),
    Program("publish", "enter, announce, start: one segment, deactivation checked after each announcement",
            ("publish.enter", "publish.session", "publish.check_session", "publish.agent", "publish.check_agent", "publish.start",
             "publish.check_start", "publish.done"), ("X7", "P2", "P5L")),
    Program("publish_sync", "publish a synchronous creation", ("publish_sync.session", "publish_sync.agent", "publish_sync.start"), ("X7", "P14L")),
    Program("rollback", "an unpublished creation leaves nothing", ("rollback.once", "rollback.unwound"), ("R2L", "P7")),
    Program("unload_owner", "an owner fiber unloads", ("unload.check", "unload.begin"), ("X3L", "P5L")),
    Program("unloaded", "all it owned is gone", ("unloaded.resolve",), ("T1",)),
)  # fmt: skip

ROWS = (
    Row("P/r4 taken", C, (), "create.check", ("P10", "T8L"), guard=taken, effect=settle_refused("duplicate_id"), then=END),
    Row("P/r2 parent", C, (), "create.check", ("P/r2", "P18"), guard=parent_gone, effect=v.refuse("not_live"), then=END),
    Row("P/r2 owner", C, (), "create.check", ("P/r2",), guard=owner_gone, effect=settle_refused("inactive_owner"), then=END),
    Row("P14L sync", A, (), "create.sync", ("P14L",), guard=lambda now: bool(now.command.sync), effect=admit_sync, then="publish_sync"),
    Row("P/r3", C, (), "create.admit", ("P/r3", "P1"), to="SettingUp", effect=admit, opens="setup"),

    Row("D/r7", C, (), "resume.check", ("D/r7", "P17"), guard=taken, effect=settle_refused("duplicate_id"), then=END),
    Row("P/r4 resume", C, (), "resume.load", ("P/r4",), effect=v.refuse("unsupported")),

    Row("P6 late", C, ("Rejected",), "setup.late", ("P6",), then=END),
    Row("P/r6L fails", C, ("SettingUp",), "setup.fail", ("P/r6L", "R2L", "P8L"), guard=setup_failed, effect=doom("setup_failed"),
        opens="leave rollback", then=END),
    Row("P/r7 taken", C, ("SettingUp",), "setup.taken", ("P/r7", "P10"), guard=id_taken, effect=doom("duplicate_id"), opens="leave rollback", then=END),
    Row("P/r6L", C, ("SettingUp",), "setup.go", ("P/r6L", "P19L"), to="Publishing", then="publish"),

    Row("P/r7 P/r8", C, ("Publishing",), "publish.enter", ("P/r7", "P/r8", "I12"), effect=enter),
    Row("P/r9", C, ("Publishing",), "publish.session", ("P/r9", "P2"), says=(says("session/created"),)),
    Row("R4L", C, ("Publishing",), "publish.check_session", ("R4L", "P5L"), guard=doomed, to="Rejected", effect=roll_back_published, then=END),
    Row("P/r10", C, ("Publishing",), "publish.agent", ("P/r10", "P2"), effect=of_agent(announced=True), says=(says("agent/created"),)),
    Row("R5L", C, ("Publishing",), "publish.check_agent", ("R5L", "P5L"), guard=doomed, to="Rejected", effect=roll_back_published, then=END),
    Row("P/r11", C, ("Publishing",), "publish.start", ("P/r11", "P2", "P/r12L"), effect=of_agent(life="Live", mark=True),
        says=(says("agent/session-start", source="startup"),)),
    Row("R6L", C, ("Publishing",), "publish.check_start", ("R6L", "P5L"), guard=doomed, to="Rejected", effect=roll_back_published, then=END),
    Row("P/r12L", C, ("Publishing",), "publish.done", ("P/r12L",), to="Returned", effect=hand_over),

    Row("P/r9 sync", A, (), "publish_sync.session", ("P/r9", "P14L"), says=(says("session/created"),)),
    Row("P/r10 sync", A, (), "publish_sync.agent", ("P/r10", "P14L"), effect=w.setting(announced=True), says=(says("agent/created"),)),
    Row("P/r11 sync", A, (), "publish_sync.start", ("P/r11", "P14L"), effect=w.setting(life="Live", mark=True),
        says=(says("agent/session-start", source="startup"),)),

    Row("R2L once", C, ("Rejected",), "rollback.once", ("R2L",), then=END),
    Row("R2L", C, (), "rollback.unwound", ("R2L", "P7", "P11", "V8"), to="Rejected", effect=reject, says=(says("scope"),)),

    Row("P13 root", W, (), "unload.check", ("X3L",), guard=default_fiber, effect=v.refuse("unsupported"), then=END),
    Row("X3L unload", W, (), "unload.begin", ("X3L", "P5L"), to="Unloaded", effect=unload),
    Row("T1 unloaded", W, ("Unloaded",), "unloaded.resolve", ("T1",), effect=unloaded),
)  # fmt: skip
