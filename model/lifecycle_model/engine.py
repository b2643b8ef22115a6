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
    seen: list[Observation] = field(default_factory=list[Observation])
    fired: list[Row] = field(default_factory=list[Row])
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

    __slots__ = ("_run", "answer", "before", "command", "gate", "machine", "notes", "outcome", "subject")

    def __init__(
        self, run: Run, subject: str, command: AnyCommand | None, gate: OpenGate | None, outcome: Outcome
    ) -> None:
        """One program's view of the run."""
        self._run = run
        self.subject = subject
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

    def part(self, name: str) -> Any:
        """Another component, or None."""
        return self._run.parts.get(name)

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

    def note(self, name: str) -> Any:
        """What an earlier step of this program noted, or None."""
        return self.notes.get(name)

    def set_aside(self) -> None:
        """Keep the component under a name of its own, its open gates with it: its id begins a new life."""
        world = self._run.world
        lives = sum(name.startswith(f"{self.subject}~") for name in self._run.parts)
        name = f"{self.subject}~{lives + 1}"
        self._run.parts[name] = self.it
        gates = tuple(replace(g, on=name) if g.of == self.subject and not g.on else g for g in world.gates)
        self._run.world = replace(world, gates=gates)

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

    def perform(self, configuration: Configuration, command: AnyCommand) -> Segment:
        """Perform one command as one segment."""
        run = self._run(configuration)
        answer = self._command(run, command)
        return self._close(run, answer)

    def advance(self, configuration: Configuration, gate: OpenGate) -> Segment:
        """Let one ready gate go on: one internal segment."""
        run = self._run(configuration)
        self._pass(run, gate)
        return self._close(run, OK)

    def ready(self, configuration: Configuration) -> list[OpenGate]:
        """The gates that can go on without the environment: open, or held and not sticky with an aborted signal."""
        found = []
        for gate in configuration.world.gates:
            if gate.outcome is not None:
                found.append(gate)
            elif not gate.sticky and self.contract.signal(configuration, gate) is not None:
                found.append(replace(gate, outcome=Outcome("aborted")))
        return found

    def _run(self, configuration: Configuration) -> Run:
        return Run(self, {name: configuration[name] for name in configuration})

    def _close(self, run: Run, answer: Answer) -> Segment:
        return Segment(Configuration(run.parts), tuple(run.seen), answer, tuple(run.fired), tuple(run.said))

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
    ) -> Answer:
        """Run one program to its end on a subject and give its answer."""
        run.depth += 1
        if run.depth > MAX_DEPTH:
            raise Endless(f"{name} of {subject}: listeners call each other without end (F3)")
        now = Now(run, subject, command, gate, outcome)
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
        return now.answer

    def _choose(self, run: Run, now: Now, step: str) -> Row | None:
        for row in self._step_rows.get(step, ()):
            machine = self.machines[row.machine]
            part = run.parts.get(now.subject)
            if row.states and (part is None or getattr(part, machine.member) not in row.states):
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
            now.outcome = self._ask(run, now.subject, row.asks)
        for say in row.says:
            now.before = before
            observation = say(now)
            if observation is None:
                continue
            run.said.append((len(run.seen), row))
            if row.awaits and row.opens is not None:
                run.seen.append(observation)
                gate = self._enter(run, now, row.opens)
                if not self._heard(run, observation):
                    self._fail(run, gate)
                return
            self._publish(run, observation, appends=row.appends)
        if row.opens is not None:
            self._enter(run, now, row.opens)

    def _fail(self, run: Run, gate: OpenGate) -> None:
        """A listener of an awaited dispatch has thrown: whatever the others do, it fails."""
        gates = list(run.world.gates)
        gates[gates.index(gate)] = replace(gate, failing=True)
        run.world = replace(run.world, gates=tuple(gates))

    # -- publication ---------------------------------------------------------------------------------------------

    def _publish(self, run: Run, observation: Observation, appends: bool = False) -> bool:
        """Publish one observation; armed reactions act right here. False if a listener threw at once."""
        run.seen.append(observation)
        return self._heard(run, observation, appends)

    def _heard(self, run: Run, observation: Observation, appends: bool = False) -> bool:
        """Armed reactions to an observation act. False if a listener threw at once."""
        if not run.world.reactions:
            return True
        return self._react(run, members(observation), observation, appends) is not _THREW

    def _react(
        self, run: Run, facts: dict[str, object], observation: Observation, appends: bool = False
    ) -> Outcome | None:
        """Give each armed reaction that matches its turn; the last given outcome, `_THREW`, or None."""
        given: Outcome | None = None
        subject = str(facts.get("of", ""))
        if appends:
            run.parts[subject] = replace(run.parts[subject], appending=True)
        for armed in run.world.reactions:
            if not _matches(armed.on, facts) or not self._spend(run, armed):
                continue
            answers = tuple(self._command(run, command) for command in armed.then)
            if armed.name is not None:
                name = observation.gate if observation.event == "gate" else observation.event
                run.seen.append(Observation("heard", of=subject, as_=armed.name, name=name, answers=answers))
            if armed.outcome is not None:
                given = armed.outcome
            if armed.throw is not None:
                raising = observation.event in self.contract.raising
                if observation.event != "gate" and not (raising and armed.throw == "sync"):
                    run.seen.append(Observation("contained", of=subject, name=observation.event))
                if armed.throw == "sync" or observation.event == "gate":
                    given = _THREW
        if appends:
            run.parts[subject] = replace(run.parts[subject], appending=False)
        return given

    def _spend(self, run: Run, armed: Reaction) -> bool:
        left = list(run.world.reactions)
        for index, other in enumerate(left):
            if other.name == armed.name and other.on == armed.on and other.then == armed.then:
                if other.times <= 1:
                    del left[index]
                else:
                    left[index] = replace(other, times=other.times - 1)
                run.world = replace(run.world, reactions=tuple(left))
                return True
        return False

    # -- gates ---------------------------------------------------------------------------------------------------

    def _ask(self, run: Run, subject: str, address: str) -> Outcome:
        """Enter a synchronous gate `kind` or `kind record`: its outcome comes from a reaction, else success."""
        kind, _, record = address.partition(" ")
        facts: dict[str, object] = {"gate": kind, "of": subject}
        if record:
            facts["record"] = record
        observation = Observation("gate", of=subject, gate=kind, record=record or UNSET)
        if not self._noticed(run, facts):
            return DEFAULT
        run.seen.append(observation)
        outcome = self._react(run, facts, observation, appends=bool(record))
        return Outcome("fail") if outcome is _THREW else outcome or DEFAULT

    def _noticed(self, run: Run, facts: dict[str, object]) -> bool:
        return any(_addresses(arm, facts) for arm in run.world.watches) or any(
            _matches(armed.on, facts) for armed in run.world.reactions if armed.on and armed.on[0][0] == "gate"
        )

    def _enter(self, run: Run, now: Now, spec: str) -> OpenGate:
        """Enter a gate: report it if held, watched or reacted to; it waits if held, else it is ready."""
        kind, _, program = spec.partition(" ")
        if kind == AGAIN and now.gate is not None:
            again = replace(now.gate, outcome=None if now.gate.held else DEFAULT)
            run.world = replace(run.world, gates=(*run.world.gates, again))
            return again
        part = run.parts[now.subject]
        gate = OpenGate(kind, now.subject, program or kind)
        public = kind in self.contract.gates
        if public:
            turn = now.notes.get("turn", getattr(part, "turn", 0))
            gate = replace(gate, turn=turn, call=getattr(part, "call", 0) if kind == "tool" else 0)
        if kind == "driver" and now.subject in run.world.stepped:
            failing = now.outcome.outcome == "fail"
            gate = replace(gate, kind=ARRIVING, outcome=DEFAULT, silent=True, failing=failing)
            run.world = replace(run.world, gates=(*run.world.gates, gate))
            return gate
        if not public or kind == "driver":
            gate = replace(gate, outcome=DEFAULT)
            run.world = replace(run.world, gates=(*run.world.gates, gate))
            return gate
        facts = self._facts(gate)
        arm = next((arm for arm in run.world.holds if _addresses(arm, facts)), None)
        outcome: Outcome | None = DEFAULT
        if arm is not None:
            run.world = replace(run.world, holds=tuple(other for other in run.world.holds if other is not arm))
            outcome = None
        reacted: Outcome | None = None
        gate = replace(gate, outcome=outcome, sticky=arm is not None and arm.sticky, held=arm is not None)
        run.world = replace(run.world, gates=(*run.world.gates, gate))
        if arm is not None or self._noticed(run, facts):
            reason = self.contract.signal(Configuration(dict(run.parts)), gate)
            step = getattr(part, "step", 0)
            observation = Observation(
                "gate",
                of=now.subject,
                gate=kind,
                turn=gate.turn,
                step=step,
                call=gate.call or UNSET,
                signal=UNSET if reason is None else reason,
            )
            run.seen.append(observation)
            reacted = self._react(run, facts, observation)
        if reacted is not None:
            final = Outcome("fail") if reacted is _THREW else reacted
            settled = replace(gate, outcome=final)
            gates = tuple(settled if g == gate else g for g in run.world.gates)
            run.world = replace(run.world, gates=gates)
            return settled
        return gate

    @staticmethod
    def _facts(gate: OpenGate) -> dict[str, object]:
        facts: dict[str, object] = {"gate": gate.kind, "of": gate.of}
        if gate.turn:
            facts["turn"] = gate.turn
        if gate.call:
            facts["call"] = gate.call
        return facts

    def _pass(self, run: Run, gate: OpenGate) -> None:
        """Leave a gate with its outcome: the program behind it runs."""
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
        self.program(run, gate.program, gate.on or gate.of, gate=gate, outcome=outcome)

    # -- the environment's own commands --------------------------------------------------------------------------

    def _hold(self, run: Run, command: Hold) -> Answer:
        if command.gate not in self.contract.gates:
            return Answer(refused="no_such_gate")
        if command.gate == "driver" and command.of is not None:
            run.world = replace(run.world, stepped=run.world.stepped | {command.of})
            return OK
        arm = _arm(command, command.sticky)
        if arm not in run.world.holds:
            run.world = replace(run.world, holds=(*run.world.holds, arm))
        return OK

    def _watch(self, run: Run, command: Watch) -> Answer:
        if command.gate not in self.contract.gates:
            return Answer(refused="no_such_gate")
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
        armed = Reaction(on, command.then, command.throw, outcome, command.times, command.through, command.as_)
        run.world = replace(run.world, reactions=(*run.world.reactions, armed))
        return OK

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
