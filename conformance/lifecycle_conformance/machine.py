"""The Hypothesis front: a `RuleBasedStateMachine` that drives a real system and the model together, step by step.

Import it late: it is the only module here that imports hypothesis. Weights are fixed for an example (no live counters).
"""

from __future__ import annotations

from typing import Any, ClassVar

from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from lifecycle_conformance.engines import Worker
from lifecycle_conformance.vocabulary import Vocabulary, vocabulary
from lifecycle_conformance.words import Namer, Word, command
from lifecycle_model.commands import AnyCommand, Burst, Create, Disarm, Hold, React, Read
from lifecycle_model.quiet import Crowded, Restless
from lifecycle_model.wire import BurstResult, to_json

AGENTS = ("a", "b")
ONCE_MORE = ("when_idle", "dispose", "maintenance")
"""Words that are said a few times only."""


class Disagreement(AssertionError):
    """The system did what no configuration still possible allows."""


class Lifecycle(RuleBasedStateMachine):
    """Bursts and gates on two agents; every burst is compared as it is played. What is said is given by `machine`.

    `worker` is set by whoever runs it; the bursts played are kept in `played`, so that a failure is a trace.
    """

    worker: ClassVar[Worker]
    vocabulary: ClassVar[Vocabulary]
    played: ClassVar[list[Burst]] = []
    policies: ClassVar[dict[str, object]] = {}

    def __init__(self) -> None:
        super().__init__()
        self.name = Namer()
        self.pending: list[AnyCommand] = []

    @initialize()
    def begin(self) -> None:
        """A fresh system with two agents."""
        Lifecycle.played = []
        self.worker.system.reset(self.policies)
        self.oracle = self.worker.oracle(self.policies)
        self.play(tuple(Create(id=agent, as_=self.name.next("h")) for agent in AGENTS))

    def play(self, burst: Burst) -> BurstResult:
        """Play one burst and compare it."""
        Lifecycle.played.append(burst)
        (result,) = self.worker.system.run([burst])
        try:
            mismatch = self.oracle.judge(burst, to_json(burst), result)
        except (Crowded, Restless):
            # listeners were drawn that the model cannot follow to the end: no history, and no verdict on it
            reject()
        if mismatch is not None:
            raise Disagreement(", ".join(mismatch.clauses))
        self.worker.judge.rows.update(row.id for one in self.oracle.taken for row in one.rows)
        return result

    def say(self, agent: str, word: Word) -> None:
        """Perform one word, behind what was collected for this segment."""
        commands = (*self.pending, command(self.name, agent, word))
        self.pending = []
        self.play(commands)

    @rule(agent=st.sampled_from(AGENTS), choice=st.integers(0, 5))
    def release(self, agent: str, choice: int) -> None:
        """Release what waits, with an outcome."""
        gates = self.oracle.hypotheses[0].configuration.world.gates
        waiting = [gate.kind for gate in gates if gate.of == agent and gate.outcome is None and gate.kind != "driver"]
        if not waiting:
            return
        outcomes = self.vocabulary.outcomes.get(waiting[0], ("ok", "fail"))
        word = ("release", waiting[0], outcomes[choice % len(outcomes)])
        self.say(agent, word)

    @rule()
    def look(self) -> None:
        """Read both agents; disarm what is left armed."""
        if "read" in self.worker.profile.commands:
            extra: Burst = (Disarm(),) if "disarm" in self.worker.profile.commands else ()
            self.play((*extra, *(Read(agent=agent) for agent in AGENTS)))

    def teardown(self) -> None:
        """Nothing to give back: the next example resets."""


def machine(of: Worker) -> type[Lifecycle]:
    """The machine of a worker: its contract's words, gates and events, as far as its system can be asked."""
    said = vocabulary(of.setting.contract, of.profile, of.reach)

    class Bound(Lifecycle):
        worker = of
        vocabulary = said

        @rule(agent=st.sampled_from(AGENTS), word=st.sampled_from(said.words))
        def perform(self, agent: str, word: str) -> None:
            """One command, one burst."""
            if word in ONCE_MORE and self.name.counts.get(word[0], 0) > 3:
                word = "send"
            self.say(agent, (word,))

        @rule(agent=st.sampled_from(AGENTS), words=st.lists(st.sampled_from(said.together), min_size=2, max_size=3))
        def in_one_segment(self, agent: str, words: list[str]) -> None:
            """Several commands in one burst."""
            self.play(tuple(command(self.name, agent, (word,)) for word in words))

        if "hold" in of.profile.commands and said.gates:

            @rule(agent=st.sampled_from(AGENTS), gate=st.sampled_from(said.gates))
            def hold(self, agent: str, gate: str) -> None:
                """Arm a hold in front of the next burst."""
                self.pending.append(Hold(gate, agent, sticky=True))

        if "react" in of.profile.commands:

            @rule(
                event=st.sampled_from(said.events),
                agent=st.sampled_from(AGENTS),
                other=st.sampled_from(AGENTS),
                words=st.lists(st.sampled_from(said.words), max_size=2),
                throws=st.sampled_from((None, None, None, "sync")),
            )
            def react(self, event: str, agent: str, other: str, words: list[str], throws: str | None) -> None:
                """Arm a re-entrant listener in front of the next burst."""
                on: dict[str, Any] = {"event": event, "of": agent}
                if event == "session/flush":
                    on["state"] = "start"
                then = tuple(command(self.name, other, (word,)) for word in words)
                self.pending.append(React(on=on, then=then, throw=None if event in said.unthrown else throws))

    return Bound
