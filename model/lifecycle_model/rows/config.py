"""Config-started agents (G): wait for predecessors and persistence, look the id up, create or resume, report a failure.

The component of one is `start:LABEL@PROVIDER`; its creation runs like anybody's, with it as the client. Refuses to keep a handle.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec.structs import replace

from lifecycle_model.commands import Create, Resume
from lifecycle_model.engine import Now
from lifecycle_model.parts import Provider, Starter, Storage
from lifecycle_model.rows import words as w
from lifecycle_model.table import Program, Row
from lifecycle_model.wire import Observation


def conflicting(now: Now) -> bool:
    """An agent has both id keys, or an exact id stands twice."""
    agents = now.command.configured
    ids = [one.id or one.resume for one in agents if one.id or one.resume]
    return any(one.id and one.resume for one in agents) or len(set(ids)) < len(ids)


def starters(now: Now) -> Iterable[str]:
    """The agents that the provider is starting."""
    return [name for name in now.it.records if name.startswith("start:")]


def serving(now: Now) -> bool:
    """The provider is active."""
    provider: Provider | None = now.part(now.it.provider)
    return provider is not None and provider.place == "Serving"


def resumes(now: Now) -> bool:
    """It has a resume id."""
    return bool(now.it.resume)


def fresh(now: Now) -> bool:
    """It has no exact id."""
    return not now.it.id and not now.it.resume


def without_persistence(now: Now) -> bool:
    """No persistence is loaded."""
    return not w.persisted(now)


def looked_up(now: Now) -> bool:
    """The lookup found a log: it is stored, and the environment does not say otherwise."""
    log: Storage | None = now.part(f"log:{now.it.id}")
    stored = log is not None and log.place != "Absent"
    return w.outcome("found")(now) or (stored and not w.outcome("missing")(now))


def configure(now: Now) -> Provider:
    """Each agent is to be started; their startup is on the provider's record."""
    names = []
    for one in now.command.configured:
        name = f"start:{one.label}@{now.subject}"
        now.put(name, Starter(one.label, provider=now.subject, id=one.id or "", resume=one.resume or ""))
        names.append(name)
    return replace(now.it, records=(*now.it.records, *names))


def reference(now: Now) -> str:
    """The reference of its creation: a reload may start the same label while an earlier agent's scope unwinds."""
    return f"{now.it.name}@{now.it.provider}"


def create(now: Now) -> tuple[Create, ...]:
    """A create of the exact id, or of a fresh one, for the provider."""
    name = now.part(now.it.provider).name
    return (Create(now.it.id or f"{now.it.name}@{name}", reference(now), owner=now.it.provider),)


def resume(now: Now) -> tuple[Resume, ...]:
    """A resume, for the provider."""
    return (Resume(now.it.resume or now.it.id, reference(now), owner=now.it.provider),)


def stop_waiting(now: Now) -> Any:
    """It waits no more."""
    now.leave("await")
    return now.it


def its_provider(now: Now) -> Iterable[str]:
    """The provider."""
    return (now.it.provider,)


def failed(now: Now) -> Observation:
    """`agent-loop/config-start-failed`, with the label."""
    return Observation("agent-loop/config-start-failed", label=now.it.name)


S, P = "starter", "provider"

PROGRAMS = (
    Program("start", "start an agent by its configuration", ("start.await",), ("G/r2", "G/r3", "G/r5")),
    Program("awaited", "predecessors are gone, and persistence is there where it is needed", ("awaited.go",), ("G3", "G/r4", "G/r5")),
    Program("lookup", "the lookup has settled", ("lookup.given_up", "lookup.failed", "lookup.go"), ("G/r4", "G5")),
    Program("give_up", "the provider is unloaded during the startup", ("give_up.waiting",), ("G/r7", "G5")),
    Program("started", "a configured start is over: its handle is discarded, or its failure reported",
            ("started.report", "started.over"), ("G1", "G4")),
)  # fmt: skip

ROWS = (
    Row("G waits", S, ("Configured",), "start.await", ("G/r2", "G/r3", "G/r5", "G3"), to="Waiting", opens="await awaited"),
    Row("G/r2", S, ("Waiting",), "awaited.go", ("G/r2", "G1"), guard=fresh, to="Starting", gives=create),
    Row("G/r5", S, ("Waiting",), "awaited.go", ("G/r5", "G3"), guard=resumes, to="Starting", gives=resume),
    Row("G/r4 without persistence", S, ("Waiting",), "awaited.go", ("G/r4",), guard=without_persistence, to="Starting", gives=create),
    Row("G/r4 looks up", S, ("Waiting",), "awaited.go", ("G/r4", "G/r3"), to="Looking", opens="config_lookup lookup"),
    Row("G/r7 joined", S, ("Looking",), "lookup.given_up", ("G/r7", "G5"), guard=w.negate(serving), to="GivenUp", then="started.over"),
    Row("G/r6 lookup", S, ("Looking",), "lookup.failed", ("G/r6", "G4"), guard=w.outcome("fail"), to="Failed", then="started"),
    Row("G/r4 resumes", S, ("Looking",), "lookup.go", ("G/r4", "G3"), guard=looked_up, to="Starting", gives=resume),
    Row("G/r4 creates", S, ("Looking",), "lookup.go", ("G/r4",), to="Starting", gives=create),
    Row("G/r7", S, ("Waiting",), "give_up.waiting", ("G/r7", "G5"), to="GivenUp", effect=stop_waiting, then="started.over"),

    Row("G1 started", S, ("Starting",), "given.wanted", ("G1",), to="Started", then="started.over"),
    Row("G/r7 rejected", S, ("Starting",), "refused.call", ("G/r7", "G5"), guard=w.negate(serving), to="GivenUp", then="started.over"),
    Row("G/r6", S, ("Starting",), "refused.call", ("G/r6", "G4"), to="Failed", then="started"),
    Row("G4 reports", S, ("Failed",), "started.report", ("G4", "G/r6"), says=(failed,)),
    Row("G5 over", S, (), "started.over", ("G1", "G5", "P13"), runs="forget", on=its_provider),
)  # fmt: skip
