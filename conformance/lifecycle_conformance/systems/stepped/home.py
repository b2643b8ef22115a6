"""Owns agents' comings and goings: creation up to the handle (section P) and the chain of teardown (section T).

Refuses to wait: what cannot go on yet goes on at a later step of whoever owns the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from lifecycle_conformance.systems.stepped.agent import Agent, Choices, Enter
from lifecycle_conformance.systems.stepped.bus import Bus, Event, Refused, Ticket
from lifecycle_conformance.systems.stepped.log import Log

Settle = Callable[[Exception | None], None]


@dataclass
class Life:
    """An agent with what its teardown needs: which announcements began, how far it is, who waits for its end."""

    agent: Agent
    owner: Life | str = "root"
    """The agent whose scope it was created through, or a fiber's name."""
    children: list[Life] = field(default_factory=list["Life"])
    announced: bool = False
    """s+ began."""
    created: bool = False
    """a+ began."""
    live: bool = False
    stage: str = "live"
    """live, draining, detaching, unwinding, scope, over."""
    scope: Ticket | None = None
    waiting: list[Callable[[], None]] = field(default_factory=list[Callable[[], None]])

    @property
    def parent(self) -> Life | None:
        """The agent it is a child of (P18)."""
        return self.owner if isinstance(self.owner, Life) else None


@dataclass(frozen=True)
class Plan:
    """What is to be created; `refused` where it is known beforehand that it is not: invalid, or its signal aborted."""

    name: str
    owner: Life | str
    seed: tuple[tuple[str, dict[str, object]], ...] = ()
    refused: Refused | None = None


class Home:
    """The registry, the store, and everything that is under way."""

    def __init__(
        self,
        bus: Bus,
        enter: Enter,
        validate: Callable[[str, str], None],
        unwind: Callable[[str], Ticket],
        choices: Choices,
    ) -> None:
        self.sessions: dict[str, Life] = {}
        """By id, those a store has: present from entering to detach."""
        self.lives: list[Life] = []
        self._births: list[tuple[Plan, Settle]] = []
        self._bus = bus
        self._enter = enter
        self._validate = validate
        self._unwind = unwind
        self._choices = choices

    def listed(self) -> list[Life]:
        """The agents of the registry."""
        return [life for life in self.lives if life.agent.listed]

    def create(self, plan: Plan, settle: Settle) -> None:
        """Ask for an agent; it is published at a later step."""
        self._births.append((plan, settle))

    def create_now(self, plan: Plan) -> Life:
        """Create synchronously; raises once nothing is left of a failed attempt but what P14 allows."""
        life, failure = self._publish(plan)
        if failure is not None or life is None:
            raise failure or Refused("invalid")
        return life

    def dispose(self, life: Life, resolve: Callable[[], None]) -> None:
        """Begin the one teardown of an agent, or wait for it with everybody else (T1)."""
        if life.stage == "over":
            resolve()
            return
        life.waiting.append(resolve)
        self._tear_down(life)

    def step(self) -> bool:
        """Make one segment of a creation or of a teardown, if one can be made."""
        if self._births:
            plan, settle = self._births.pop(0)
            life, failure = self._publish(plan)
            if life is not None and failure is not None and life.stage != "over":
                # the rejection follows the rollback (P11)
                life.waiting.append(lambda: settle(failure))
            else:
                settle(failure)
            return True
        return any(self._undo(life) for life in list(self.lives))

    def _publish(self, plan: Plan) -> tuple[Life | None, Exception | None]:
        """P/r4 to r12, in one segment; what was there when it failed, and the failure."""
        name, owner = plan.name, plan.owner
        if isinstance(owner, Life) and owner.stage in ("scope", "over"):
            return None, Refused("inactive_owner", f"the scope of {owner.agent.id} is gone")
        if plan.refused is not None:
            return None, plan.refused
        if name in self.sessions:
            return None, Refused("duplicate_id", f"{name} is live")
        log = Log(name, self._bus, self._validate)
        life = Life(Agent(name, self._bus, log, self._enter, self._choices), owner)
        agent = life.agent
        self.lives.append(life)
        self.sessions[name] = life
        for record, says in plan.seed:
            agent.log.append(record, **says)
        agent.log.attached = agent.listed = True
        if life.parent is not None:
            life.parent.children.append(life)
        try:
            life.announced = True
            self._bus.offer(Event("session/created", name, {}))
            life.created = True
            self._bus.offer(Event("agent/created", name, {}))
        except Exception as error:
            self._tear_down(life)
            while self._undo(life):
                pass
            return life, error
        agent.published = True
        agent.say("agent/session-start", source="startup")
        agent.start()
        life.live = True
        return life, None

    def _tear_down(self, life: Life) -> None:
        if life.stage == "live":
            life.stage = "draining"
            life.agent.deactivate()

    def _undo(self, life: Life) -> bool:
        """One link of the chain T/r2 to r7."""
        agent = life.agent
        if life.stage == "draining" and agent.driver == "exited" and not agent.idle_flushes:
            life.stage = "detaching"
            agent.listed = False
            if life.created:
                agent.say("agent/disposed")
        elif life.stage == "detaching":
            life.stage = "unwinding"
            agent.log.attached = False
            del self.sessions[agent.id]
            agent.say("session/disposed")
        elif life.stage == "unwinding" and all(child.stage == "over" for child in life.children):
            life.stage = "scope"
            life.scope = self._unwind(agent.id)
        elif life.stage == "unwinding":
            waiting = [child for child in life.children if child.stage == "live"]
            for child in waiting:
                self._tear_down(child)
            return bool(waiting)
        elif life.stage == "scope" and life.scope is not None and life.scope.ready:
            self._release(life, life.scope)
        else:
            return False
        return True

    def _release(self, life: Life, scope: Ticket) -> None:
        name = life.agent.id
        life.stage = "over"
        self._bus.end_scope(name)
        if scope.failure is not None:
            self._bus.observe(Event("contained", name, {"name": "scope"}))
        self._bus.observe(Event("scope", name, {}))
        if life.parent is not None:
            life.parent.children.remove(life)
        waiting, life.waiting = life.waiting, []
        for resolve in waiting:
            resolve()
