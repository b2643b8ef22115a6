"""The interpreter of rows and programs: segments, re-entrant publication, gates. Knows no state or clause by name.

A segment is performed whole: nothing but the reactions it calls can act inside it. Between segments the configuration
holds everything, so the explorer and the oracle work on the same values.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

from msgspec.structs import replace

from lifecycle_model.commands import AnyCommand, Outcome, Read
from lifecycle_model.environment import DEFAULT, ENVIRONMENT
from lifecycle_model.matching import addresses, gate_facts, matches
from lifecycle_model.run import OK, Endless, ModelError, Now, Run, Segment
from lifecycle_model.state import Configuration, HoldArm, OpenGate, Reaction
from lifecycle_model.table import END, Contract, Ear, Machine, Program, Row
from lifecycle_model.wire import UNSET, Answer, Observation, members

__all__ = ["AGAIN", "ARRIVING", "DEFAULT", "OK", "Endless", "Engine", "ModelError", "Now", "Run", "Segment"]

AGAIN = "again"
"""As what a row opens: the gate just left waits on, without being entered anew (a chunk of a stream)."""
ARRIVING = "arriving"
"""The kind of a driver's gate on its way to a wake at which it will be held (`ticks`)."""
MAX_DEPTH = 40
"""Nested programs at most; deeper is a livelock of listeners (fairness F3)."""
MAX_ROWS = 2000
"""Rows fired by one program at most; more is a loop in the contract's own rows."""
_THREW = Outcome("threw")


class Engine:
    """Performs segments of one contract. Every public method is a function of its arguments."""

    def __init__(self, contract: Contract) -> None:
        """Index the contract; raises ModelError if a name stands twice, or a row names what is unknown."""
        self.contract = contract
        for kind, parts in (("row", contract.rows), ("program", contract.programs)):
            twice = sorted(name for name, times in Counter(part.id for part in parts).items() if times > 1)
            if twice:
                raise ModelError(f"two {kind}s have the same id: {', '.join(twice)}")
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
            kind, _, behind = (row.opens or AGAIN).partition(" ")
            for name in (row.runs, behind or (kind if kind != AGAIN else "")):
                if name and name not in self.programs:
                    raise ModelError(f"row {row.id} runs {name!r}, which is no program")
            self._step_rows.setdefault(row.step, []).append(row)
        for what, name in (*contract.verbs.items(), *((ear.event, ear.program) for ear in contract.ears)):
            if name not in self.programs:
                raise ModelError(f"{what} runs {name!r}, which is no program")
        self._steps = steps
        self._ears: dict[str, list[Ear]] = {}
        for ear in contract.ears:
            self._ears.setdefault(ear.event, []).append(ear)

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

    def _command(self, run: Run, command: AnyCommand, giver: str = "") -> Answer:
        environment = ENVIRONMENT.get(type(command))
        if environment is not None:
            return environment(self, run, command)
        if isinstance(command, Read):
            return self.contract.read(command, Configuration(dict(run.parts)))
        verb = command.verb
        if verb not in self.contract.verbs:
            return Answer(refused="unsupported")
        subject = self.contract.subject(command, Configuration(dict(run.parts)))
        return self.program(run, self.contract.verbs[verb], subject, command=command, giver=giver)

    def program(
        self,
        run: Run,
        name: str,
        subject: str,
        command: AnyCommand | None = None,
        gate: OpenGate | None = None,
        outcome: Outcome = DEFAULT,
        by: Now | None = None,
        giver: str = "",
    ) -> Answer:
        """Run one program to its end on a subject and give its answer."""
        run.depth += 1
        if run.depth > MAX_DEPTH:
            raise Endless(f"{name} of {subject}: listeners call each other without end (F3)")
        now = Now(run, subject, command, gate, outcome)
        run.active.append(now)
        now.by = giver
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
        seen = len(run.seen)
        after: Any = row.effect(now) if row.effect is not None else before
        run.said += [(index, row) for index in range(seen, len(run.seen))]  # calls that its effect settled
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
            self._overhear(run, now, observation)
            if row.awaits and row.opens is not None:
                gate = self._enter(run, now, row.opens)
                if not self._heard(run, observation):
                    self._fail(run, gate)
                return
            heard = self._heard(run, observation, now.subject if row.appends else "")
            if not heard and observation.event in self.contract.vetoing:
                now.outcome = _THREW
        if row.gives is not None:
            now.notes["given"] = tuple(self._command(run, one, now.subject) for one in row.gives(now))
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

    def _overhear(self, run: Run, now: Now, observation: Observation) -> None:
        """The system's own listeners act, before others."""
        for ear in self._ears.get(observation.event, ()):
            for name in ear.on(now, observation):
                heard = Now(run, now.subject, None, now.gate, now.outcome)
                heard.notes = {"heard": observation}
                self.program(run, ear.program, name, gate=now.gate, by=heard)

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
        of = observation.of
        gate = observation.event == "gate"
        vetoing = observation.event in self.contract.vetoing
        if appending:
            run.parts[appending] = replace(run.parts[appending], appending=True)
        for armed in sorted(run.world.reactions, key=lambda one: one.through is not None):
            if not matches(armed.on, facts) or self._foreign(run, armed, subject) or not self._spend(run, armed):
                continue
            answers = tuple(self._command(run, command) for command in armed.then)
            if armed.name is not None:
                name = observation.gate if gate else observation.event
                run.seen.append(Observation("heard", of=of, as_=armed.name, name=name, answers=answers))
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
                run.seen.append(Observation("contained", of=of, name=observation.event))
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
        arm = next((arm for arm in run.world.holds if addresses(arm, facts)), None)
        if arm is not None:
            run.world = replace(run.world, holds=tuple(other for other in run.world.holds if other is not arm))
        return arm

    def _noticed(self, run: Run, facts: dict[str, object]) -> bool:
        return any(addresses(arm, facts) for arm in run.world.watches) or any(
            matches(armed.on, facts) for armed in run.world.reactions if armed.on and armed.on[0][0] == "gate"
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
        facts = gate_facts(gate)
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

    def _pass(self, run: Run, gate: OpenGate) -> None:
        """Leave a gate with its outcome: the program behind it runs, once the last of its dispatch is left."""
        there = list(run.world.gates)
        same = [other for other in there if replace(other, outcome=gate.outcome) == gate]
        there.remove(gate if gate in there else same[0])  # an aborted one is not open with that outcome
        run.world = replace(run.world, gates=tuple(there))
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
