"""The interpreter of rows and programs: segments, re-entrant publication, gates. Knows no state or clause by name.

A segment is performed whole: nothing but the reactions it calls can act inside it. Between segments the configuration
holds everything, so the explorer and the oracle work on the same values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from lifecycle_model.commands import AnyCommand, Disarm, Hold, Outcome, React, Read, Release, Tick, Watch, outcome_of
from lifecycle_model.state import Configuration, HoldArm, OpenGate, Reaction, World
from lifecycle_model.table import END, Contract, Machine, Program, Row
from lifecycle_model.wire import UNSET, Answer, Observation, members

DEFAULT = Outcome("default")
OK = Answer(ok=None)
AGAIN = "again"
"""As what a row opens: the gate just left waits on, without being entered anew (a chunk of a stream)."""
ARRIVING = "arriving"
"""The kind of a driver's gate on its way to a wake at which it will be held (`ticks`)."""
MAX_DEPTH = 40
"""Nested programs at most; deeper is a livelock of listeners (fairness F3)."""
MAX_ROWS = 2000
"""Rows fired by one program at most; more is a loop in the contract's own rows."""


class ModelError(Exception):
    """The model was used wrongly, or a contract's rows do not fit together."""


class Endless(ModelError):
    """Listeners call each other without end (F3 forbids it)."""


@dataclass
class Run:
    """The mutable workspace of one segment."""

    engine: Engine
    parts: dict[str, Any]
    late: bool = False
    either: bool = False
    """Whether a row asked for `late`: the contract allows both ways."""
    seen: list[Observation] = field(default_factory=list[Observation])
    fired: list[Row] = field(default_factory=list[Row])
    active: list[Any] = field(default_factory=list[Any])
    """The programs in progress, the innermost last."""
    said: list[tuple[int, Row]] = field(default_factory=list[tuple[int, Row]])
    depth: int = 0

    @property
    def world(self) -> World:
        """The environment's component."""
        world: World = self.parts["world"]
        return world

    @world.setter
    def world(self, world: World) -> None:
        self.parts["world"] = world


class Now:
    """What guards, effects and sayings see: the component now and as it was before the row, and the command."""

    __slots__ = ("_run", "answer", "before", "by", "command", "gate", "machine", "notes", "outcome", "subject")

    def __init__(
        self, run: Run, subject: str, command: AnyCommand | None, gate: OpenGate | None, outcome: Outcome
    ) -> None:
        """One program's view of the run."""
        self._run = run
        self.subject = subject
        self.by = ""
        """The component whose row runs this program, or nothing."""
        self.command: Any = command
        self.gate = gate
        self.outcome = outcome
        self.before: Any = None
        self.answer: Answer = OK
        self.notes: dict[str, Any] = {}
        self.machine = ""

    @property
    def it(self) -> Any:
        """The component as it is now."""
        return self._run.parts.get(self.subject)

    @property
    def of(self) -> str:
        """The public name of the component: what its observations are about."""
        return str(getattr(self.it, "name", self.subject))

    @property
    def late(self) -> bool:
        """Whether what the contract lets happen now or later happens later; both ways are possible."""
        self._run.either = True
        return self._run.late

    def part(self, name: str) -> Any:
        """Another component, or None."""
        return self._run.parts.get(name)

    def names(self, prefix: str) -> list[str]:
        """Every component whose name begins like this."""
        return sorted(name for name in self._run.parts if name.startswith(prefix))

    def put(self, name: str, part: object) -> None:
        """Replace another component (for effects that touch two)."""
        self._run.parts[name] = part

    @property
    def world(self) -> World:
        """The environment's component."""
        return self._run.world

    def policy(self, name: str, default: object = None) -> Any:
        """The value of an optional policy."""
        return self._run.world.policy(name, default)

    def drop(self) -> None:
        """Nothing is left of the component: for an effect that gives none."""
        self._run.parts.pop(self.subject, None)

    def note(self, name: str) -> Any:
        """What an earlier step of this program noted, or None."""
        return self.notes.get(name)

    def set_aside(self) -> None:
        """Keep the component under a name of its own, with its gates and the programs in progress: its id is used again."""
        world = self._run.world
        lives = sum(name.startswith(f"{self.subject}~") for name in self._run.parts)
        name = f"{self.subject}~{lives + 1}"
        for other in self._run.active:
            if other is not self and other.subject == self.subject:
                other.subject = name
        self._run.parts[name] = self.it
        gates = tuple(replace(g, on=name) if (g.on or g.of) == self.subject else g for g in world.gates)
        self._run.world = replace(world, gates=gates)

    def gates(self) -> list[OpenGate]:
        """The open gates of the component."""
        return [gate for gate in self._run.world.gates if (gate.on or gate.of) == self.subject]

    def close_scope(self, name: str) -> None:
        """A scope's listeners are gone with it."""
        world = self._run.world
        kept = tuple(armed for armed in world.reactions if armed.through != name)
        if len(kept) < len(world.reactions):
            self._run.world = replace(world, reactions=kept)

    def settle(self, ref: str, **answer: Any) -> None:
        """Settle a pending call."""
        self._run.seen.append(Observation("settled", of=ref, **(answer or {"ok": None})))


@dataclass(frozen=True)
class Segment:
    """The result of one segment."""

    configuration: Configuration
    seen: tuple[Observation, ...]
    answer: Answer
    rows: tuple[Row, ...]
    said: tuple[tuple[int, Row], ...] = ()
    """Index into `seen` of an observation with the row that says it."""
    either: bool = False
    """The contract lets something in it happen now or later; asked for with `late` it happens later."""


class Engine:
    """Performs segments of one contract. Every public method is a function of its arguments."""

    def __init__(self, contract: Contract) -> None:
        """Index the contract; raises ModelError if a row names an unknown step, machine or program."""
        self.contract = contract
        self.machines: dict[str, Machine] = {machine.name: machine for machine in contract.machines}
        self.programs: dict[str, Program] = {program.id: program for program in contract.programs}
        self._step_rows: dict[str, list[Row]] = {}
        steps = {step: program for program in contract.programs for step in program.steps}
        for row in contract.rows:
            if row.step not in steps:
                raise ModelError(f"row {row.id} names the step {row.step!r}, which no program has")
            if row.machine not in self.machines:
                raise ModelError(f"row {row.id} names the machine {row.machine!r}, which the contract lacks")
            if row.then and row.then != END and row.then not in steps and row.then not in self.programs:
                raise ModelError(f"row {row.id} goes on with {row.then!r}, which is no step and no program")
            self._step_rows.setdefault(row.step, []).append(row)
        self._steps = steps

    # -- segments ------------------------------------------------------------------------------------------------

    def perform(self, configuration: Configuration, command: AnyCommand, *, late: bool = False) -> Segment:
        """Perform one command as one segment."""
        run = self._run(configuration)
        run.late = late
        answer = self._command(run, command)
        return self._close(run, answer)

    def advance(self, configuration: Configuration, gate: OpenGate, *, late: bool = False) -> Segment:
        """Let one ready gate go on: one internal segment."""
        run = self._run(configuration)
        run.late = late
        self._pass(run, gate)
        return self._close(run, OK)

    def ready(self, configuration: Configuration) -> list[OpenGate]:
        """The gates that can go on without the environment: open, or held and not sticky with an aborted signal."""
        found = []
        for gate in configuration.world.gates:
            if gate.outcome is not None:
                if not self.contract.waits(configuration, gate):
                    found.append(gate)
            elif not gate.sticky and self.contract.signal(configuration, gate) is not None:
                found.append(replace(gate, outcome=Outcome("aborted")))
        return found

    def _run(self, configuration: Configuration) -> Run:
        return Run(self, {name: configuration[name] for name in configuration})

    def _close(self, run: Run, answer: Answer) -> Segment:
        return Segment(Configuration(run.parts), tuple(run.seen), answer, tuple(run.fired), tuple(run.said), run.either)

    # -- commands ------------------------------------------------------------------------------------------------

    def _command(self, run: Run, command: AnyCommand) -> Answer:
        environment = _ENVIRONMENT.get(type(command))
        if environment is not None:
            return environment(self, run, command)
        if isinstance(command, Read):
            return self.contract.read(command, Configuration(dict(run.parts)))
        verb = command.verb
        if verb not in self.contract.verbs:
            return Answer(refused="unsupported")
        subject = self.contract.subject(command, Configuration(dict(run.parts)))
        return self.program(run, self.contract.verbs[verb], subject, command=command)

    def program(
        self,
        run: Run,
        name: str,
        subject: str,
        command: AnyCommand | None = None,
        gate: OpenGate | None = None,
        outcome: Outcome = DEFAULT,
        by: Now | None = None,
    ) -> Answer:
        """Run one program to its end on a subject and give its answer."""
        run.depth += 1
        if run.depth > MAX_DEPTH:
            raise Endless(f"{name} of {subject}: listeners call each other without end (F3)")
        now = Now(run, subject, command, gate, outcome)
        run.active.append(now)
        if by is not None:
            now.by, now.notes = by.subject, dict(by.notes)
        program = self.programs[name]
        index = fired = 0
        while index < len(program.steps):
            row = self._choose(run, now, program.steps[index])
            if row is None:
                index += 1
                continue
            fired += 1
            if fired > MAX_ROWS:
                raise ModelError(f"program {name} of {subject} loops at row {row.id}")
            self._fire(run, now, row)
            if row.then is None:
                index += 1
            elif row.then == END:
                break
            elif row.then in self.programs:
                program, index = self.programs[row.then], 0
            else:
                program = self._steps[row.then]
                index = program.steps.index(row.then)
        run.depth -= 1
        run.active.pop()
        return now.answer

    def _choose(self, run: Run, now: Now, step: str) -> Row | None:
        for row in self._step_rows.get(step, ()):
            machine = self.machines[row.machine]
            part = run.parts.get(now.subject)
            if row.states and getattr(part, machine.member, None) not in row.states:
                continue
            if row.guard is None or row.guard(now):
                return row
        return None

    def _fire(self, run: Run, now: Now, row: Row) -> None:
        machine = self.machines[row.machine]
        before = run.parts.get(now.subject)
        if before is None and (row.to is not None or row.effect is not None):
            before = self.contract.blank(row.machine, now.subject)
        now.before = before
        now.machine = row.machine
        after: Any = row.effect(now) if row.effect is not None else before
        if row.to is not None:
            after = replace(after, **{machine.member: row.to})
        if after is not None:
            run.parts[now.subject] = after
        run.fired.append(row)
        if row.asks is not None:
            now.outcome = self._ask(run, now, row.asks)
        for say in row.says:
            now.before = before
            observation = say(now)
            if observation is None:
                continue
            run.said.append((len(run.seen), row))
            run.seen.append(observation)
            if row.awaits and row.opens is not None:
                gate = self._enter(run, now, row.opens)
                if not self._heard(run, observation):
                    self._fail(run, gate)
                return
            heard = self._heard(run, observation, now.subject if row.appends else "")
            if not heard and observation.event in self.contract.vetoing:
                now.outcome = _THREW
        if row.runs:
            for name in row.on(now) if row.on is not None else (now.subject,):
                self.program(run, row.runs, name, by=now)
        if row.opens is not None:
            self._enter(run, now, row.opens)

    def _fail(self, run: Run, gate: OpenGate) -> None:
        """A listener of an awaited dispatch has thrown: whatever the others do, it fails."""
        gates = list(run.world.gates)
        gates[gates.index(gate)] = replace(gate, failing=True)
        run.world = replace(run.world, gates=tuple(gates))

    # -- publication ---------------------------------------------------------------------------------------------

    def _heard(self, run: Run, observation: Observation, appending: str = "") -> bool:
        """Armed reactions to an observation act. False if a listener's throw is the dispatch's."""
        if not run.world.reactions or self.contract.unheard(observation):
            return True
        return self._react(run, members(observation), observation, appending) is not _THREW

    def _react(
        self, run: Run, facts: dict[str, object], observation: Observation, appending: str = ""
    ) -> Outcome | None:
        """Give each armed reaction that matches its turn; the last given outcome, `_THREW`, or None.

        Global listeners come first, then those of scopes. `appending` is the session whose append is dispatched.
        """
        given: Outcome | None = None
        subject = str(facts.get("of", ""))
        gate = observation.event == "gate"
        vetoing = observation.event in self.contract.vetoing
        if appending:
            run.parts[appending] = replace(run.parts[appending], appending=True)
        for armed in sorted(run.world.reactions, key=lambda one: one.through is not None):
            if not _matches(armed.on, facts) or self._foreign(run, armed, subject) or not self._spend(run, armed):
                continue
            answers = tuple(self._command(run, command) for command in armed.then)
            if armed.name is not None:
                name = observation.gate if gate else observation.event
                run.seen.append(Observation("heard", of=subject, as_=armed.name, name=name, answers=answers))
            if armed.outcome is not None:
                given = armed.outcome
            if armed.throw is None:
                continue
            reaches = gate or (observation.event in self.contract.raising and not (vetoing and armed.throw != "sync"))
            if reaches:
                given = _THREW
                if vetoing:
                    break
            else:
                run.seen.append(Observation("contained", of=subject, name=observation.event))
        if appending:
            run.parts[appending] = replace(run.parts[appending], appending=False)
        return given

    def _foreign(self, run: Run, armed: Reaction, subject: str) -> bool:
        """A listener on an agent's ctx hears that agent only."""
        if armed.through is None:
            return False
        return self.contract.scope(Configuration(dict(run.parts)), subject)[0] != armed.through

    def _spend(self, run: Run, armed: Reaction) -> bool:
        left = list(run.world.reactions)
        for index, other in enumerate(left):
            if (other.name, other.on, other.then, other.through) == (armed.name, armed.on, armed.then, armed.through):
                if other.times <= 1:
                    del left[index]
                else:
                    left[index] = replace(other, times=other.times - 1)
                run.world = replace(run.world, reactions=tuple(left))
                return True
        return False

    # -- gates ---------------------------------------------------------------------------------------------------

    def _ask(self, run: Run, now: Now, address: str) -> Outcome:
        """Enter a synchronous gate `kind` or `kind record`: a hold only reports it, a reaction gives its outcome."""
        kind, _, record = address.partition(" ")
        if record == "*":
            record = str(now.notes.get("record"))
        shown = self.contract.address(kind, run.parts.get(now.subject))
        facts: dict[str, object] = {"gate": kind, "of": shown["of"]}
        if record:
            facts["record"] = record
        if not self._take_hold(run, facts) and not self._noticed(run, facts):
            return DEFAULT
        observation = Observation("gate", gate=kind, record=record or UNSET, **shown)
        run.seen.append(observation)
        outcome = self._react(run, facts, observation, now.subject if record else "")
        return Outcome("fail") if outcome is _THREW else outcome or DEFAULT

    @staticmethod
    def _take_hold(run: Run, facts: dict[str, object]) -> HoldArm | None:
        """The first hold armed for a gate; it catches one gate."""
        arm = next((arm for arm in run.world.holds if _addresses(arm, facts)), None)
        if arm is not None:
            run.world = replace(run.world, holds=tuple(other for other in run.world.holds if other is not arm))
        return arm

    def _noticed(self, run: Run, facts: dict[str, object]) -> bool:
        return any(_addresses(arm, facts) for arm in run.world.watches) or any(
            _matches(armed.on, facts) for armed in run.world.reactions if armed.on and armed.on[0][0] == "gate"
        )

    def _enter(self, run: Run, now: Now, spec: str) -> OpenGate:
        """Enter a gate, or one for each named listener besides; the first of them."""
        kind, _, program = spec.partition(" ")
        if kind == AGAIN and now.gate is not None:
            again = replace(now.gate, outcome=None if now.gate.held else DEFAULT)
            return self._open(run, again)
        part = run.parts[now.subject]
        public = kind in self.contract.gates
        of = str(self.contract.address(kind, part)["of"])
        gate = OpenGate(kind, of, program or kind, on="" if of == now.subject else now.subject)
        if public:
            turn = now.notes.get("turn", getattr(part, "turn", 0))
            call = getattr(part, "call", 0) if kind == "tool" else 0
            gate = replace(gate, turn=turn, call=call, ref=now.notes.get("ref", ""))
        if kind == "driver" and now.subject in run.world.stepped:
            failing = now.outcome.outcome == "fail"
            return self._open(run, replace(gate, kind=ARRIVING, outcome=DEFAULT, silent=True, failing=failing))
        if not public or kind == "driver":
            return self._open(run, replace(gate, outcome=DEFAULT))
        named = self._listeners(run, of) if kind in self.contract.listened else []
        if not named:
            return self._arrive(run, now, gate)
        others = (one.group for one in run.world.gates if one.of == of)
        gate = replace(gate, group=1 + max(others, default=0))
        first = self._arrive(run, now, gate)
        for listener in named:
            self._arrive(run, now, replace(gate, listener=listener))
        return first

    @staticmethod
    def _open(run: Run, gate: OpenGate) -> OpenGate:
        run.world = replace(run.world, gates=(*run.world.gates, gate))
        return gate

    @staticmethod
    def _listeners(run: Run, of: str) -> list[str]:
        return list(dict.fromkeys(name for subject, name in run.world.listeners if subject in (None, of)))

    def _arrive(self, run: Run, now: Now, gate: OpenGate) -> OpenGate:
        """One gate is reported if held, watched or reacted to; it waits if held, else it is ready."""
        facts = self._facts(gate)
        arm = self._take_hold(run, facts)
        outcome = None if arm is not None else DEFAULT
        gate = replace(gate, outcome=outcome, sticky=arm is not None and arm.sticky, held=arm is not None)
        self._open(run, gate)
        if arm is None and not self._noticed(run, facts):
            return gate
        part = run.parts[now.subject]
        reason = self.contract.signal(Configuration(dict(run.parts)), gate)
        shown: dict[str, Any] = {"turn": gate.turn, "step": getattr(part, "step", 0)}
        shown.update(self.contract.address(gate.kind, part))
        if gate.call:
            shown["call"] = gate.call
        if gate.listener:
            shown["listener"] = gate.listener
        observation = Observation("gate", gate=gate.kind, signal=reason or UNSET, **shown)
        run.seen.append(observation)
        reacted = self._react(run, facts, observation)
        if reacted is None:
            return gate
        settled = replace(gate, outcome=Outcome("fail") if reacted is _THREW else reacted)
        run.world = replace(run.world, gates=tuple(settled if g == gate else g for g in run.world.gates))
        return settled

    @staticmethod
    def _facts(gate: OpenGate) -> dict[str, object]:
        facts: dict[str, object] = {"gate": gate.kind, "of": gate.of}
        if gate.turn:
            facts["turn"] = gate.turn
        if gate.call:
            facts["call"] = gate.call
        if gate.listener:
            facts["listener"] = gate.listener
        return facts

    def _pass(self, run: Run, gate: OpenGate) -> None:
        """Leave a gate with its outcome: the program behind it runs, once the last of its dispatch is left."""
        kept: list[OpenGate] = []
        taken = False
        for other in run.world.gates:
            if not taken and replace(other, outcome=gate.outcome) == gate:
                taken = True
            else:
                kept.append(other)
        run.world = replace(run.world, gates=tuple(kept))
        if gate.kind == ARRIVING:
            held = replace(gate, kind="driver", outcome=None, sticky=True)
            if gate.of in run.world.stepped and self.contract.signal(Configuration(dict(run.parts)), gate) is None:
                run.world = replace(run.world, gates=(*run.world.gates, held))
                return
            gate = held
        outcome = Outcome("fail") if gate.failing else gate.outcome or DEFAULT
        if gate.group:
            last = self._left(run, gate, outcome)
            if last is None:
                return
            outcome = last
        self.program(run, gate.program, gate.on or gate.of, gate=gate, outcome=outcome)

    def _left(self, run: Run, gate: OpenGate, outcome: Outcome) -> Outcome | None:
        """One listener of a dispatch is done: the dispatch's outcome if it was the last, else None."""
        failures = gate.failures
        if outcome.outcome == "fail":
            place = ["", *self._listeners(run, gate.of)].index(gate.listener)
            failures = (*failures, (place, outcome))
        others = [one for one in run.world.gates if (one.of, one.group) == (gate.of, gate.group)]
        if not others:
            return min(failures, key=lambda one: one[0])[1] if failures else outcome
        heir = replace(others[0], failures=others[0].failures + failures)
        run.world = replace(run.world, gates=tuple(heir if one is others[0] else one for one in run.world.gates))
        return None

    # -- the environment's own commands --------------------------------------------------------------------------

    def _hold(self, run: Run, command: Hold) -> Answer:
        if command.gate not in self.contract.gates:
            return Answer(refused="no_such_gate")
        if command.gate == "driver" and command.of is not None:
            run.world = replace(run.world, stepped=run.world.stepped | {command.of})
            return OK
        self._name(run, command.of, command.listener)
        arm = _arm(command, command.sticky)
        if arm not in run.world.holds:
            run.world = replace(run.world, holds=(*run.world.holds, arm))
        return OK

    def _watch(self, run: Run, command: Watch) -> Answer:
        if command.gate not in self.contract.gates:
            return Answer(refused="no_such_gate")
        self._name(run, command.of, command.listener)
        run.world = replace(run.world, watches=(*run.world.watches, _arm(command, False)))
        return OK

    def _release(self, run: Run, command: Release) -> Answer:
        if command.gate == "driver" and command.of in run.world.stepped:
            self._tick(run, Tick(str(command.of)))  # whether or not it waits just now
            run.world = replace(run.world, stepped=run.world.stepped - {command.of})
            return OK
        outcome = outcome_of(command.with_)
        arm = _arm(command, False)
        for index, gate in enumerate(run.world.gates):
            if gate.outcome is None and not gate.silent and _addresses(arm, self._facts(gate)):
                gates = (*run.world.gates[:index], replace(gate, outcome=outcome), *run.world.gates[index + 1 :])
                run.world = replace(run.world, gates=gates)
                return OK
        return Answer(refused="no_such_gate")

    def _arm_reaction(self, run: Run, command: React) -> Answer:
        outcome = None if command.with_ is None else outcome_of(command.with_)
        on = tuple(
            sorted(((k, _frozen(v)) for k, v in command.on.items()), key=lambda pair: (pair[0] != "gate", pair[0]))
        )
        scope, refused = (None, "")
        if command.through is not None:
            scope, refused = self.contract.scope(Configuration(dict(run.parts)), command.through)
        if refused:
            return Answer(refused=refused)
        if "gate" in command.on and isinstance(listener := command.on.get("listener"), str):
            self._name(run, command.on.get("of"), listener)
        armed = Reaction(on, command.then, command.throw, outcome, command.times, scope, command.as_)
        run.world = replace(run.world, reactions=(*run.world.reactions, armed))
        return OK

    @staticmethod
    def _name(run: Run, of: object, listener: str | None) -> None:
        """Naming a listener makes one."""
        pair = (of if isinstance(of, str) else None, listener)
        if listener is not None and pair not in run.world.listeners:
            run.world = replace(run.world, listeners=(*run.world.listeners, (pair[0], listener)))

    def _disarm(self, run: Run, command: Disarm) -> Answer:
        kept = () if command.as_ is None else tuple(r for r in run.world.reactions if r.name != command.as_)
        run.world = replace(run.world, reactions=kept)
        return OK

    def _tick(self, run: Run, command: Tick) -> Answer:
        if command.agent not in run.world.stepped:
            return Answer(refused="no_such_gate")
        for index, gate in enumerate(run.world.gates):
            if gate.kind == "driver" and gate.of == command.agent and gate.outcome is None:
                gates = (*run.world.gates[:index], replace(gate, outcome=DEFAULT), *run.world.gates[index + 1 :])
                run.world = replace(run.world, gates=gates)
                return OK
        return Answer(refused="no_such_gate")


_THREW = Outcome("threw")
_ENVIRONMENT: dict[type, Callable[[Engine, Run, Any], Answer]] = {
    Hold: Engine._hold,
    Watch: Engine._watch,
    Release: Engine._release,
    React: Engine._arm_reaction,
    Disarm: Engine._disarm,
    Tick: Engine._tick,
}


def _frozen(value: object) -> object:
    if isinstance(value, dict):
        return tuple(sorted((k, _frozen(v)) for k, v in value.items()))
    if isinstance(value, list | tuple):
        return tuple(_frozen(v) for v in value)
    return value


def _matches(on: Iterable[tuple[str, object]], facts: dict[str, object]) -> bool:
    return all(key in facts and _frozen_fact(facts[key]) == value for key, value in on)


def _frozen_fact(value: Any) -> object:
    if isinstance(value, tuple):
        return tuple(_frozen_fact(v) for v in value)
    if hasattr(value, "__struct_fields__"):
        pairs = zip(value.__struct_fields__, value.__struct_encode_fields__, strict=True)
        return tuple(sorted((wire, getattr(value, name)) for name, wire in pairs if getattr(value, name) is not UNSET))
    return value


def _arm(command: Hold | Watch | Release, sticky: bool) -> HoldArm:
    return HoldArm(command.gate, command.of, command.turn, command.call, command.record, command.listener, sticky)


def _addresses(arm: HoldArm, facts: dict[str, object]) -> bool:
    if arm.gate != facts["gate"]:
        return False
    for name in ("of", "turn", "call", "record", "listener"):
        wanted = getattr(arm, name)
        if wanted is not None and facts.get(name) != wanted:
            return False
    return True
