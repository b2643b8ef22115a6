"""Owns what the environment asked so far: offers, transactions, reactions, what could dispose whom. Judges nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from lifecycle_model.commands import (
    Abort,
    Acp,
    AnyCommand,
    Cancel,
    Create,
    Disarm,
    Dispose,
    Hold,
    LoadProvider,
    Mutate,
    Outcome,
    React,
    Read,
    Release,
    Resume,
    Send,
    Session,
    Steer,
    UnloadOwner,
    UnloadProvider,
    Watch,
    WhenIdle,
    outcome_of,
)
from lifecycle_model.wire import UNSET, Answer, Observation

INERT = (Read, Hold, Watch, React, Disarm, WhenIdle, Mutate)
"""Commands after which everything is as before."""


@dataclass(eq=False, slots=True)
class Transaction:
    """One attempt to create or resume an agent, as its caller saw it."""

    ref: str
    id: str
    burst: int
    awaited: bool = True
    state: str = "pending"
    settled_in: int = -1


def inner(command: AnyCommand) -> Iterator[AnyCommand]:
    """Give the command, and if it arms a reaction whatever that performs."""
    yield command
    if isinstance(command, React):
        for each in command.then:
            yield from inner(each)


def outcomes(command: AnyCommand) -> Outcome | None:
    """The outcome a command gives a gate, if any."""
    return outcome_of(command.with_) if isinstance(command, Release | React) and command.with_ is not None else None


@dataclass(eq=False, slots=True)
class Story:
    """The commands of the trace so far; those of a burst are all known before what was seen in it.

    `uncertain` holds ids that agents may have for other reasons than the transactions listed; `disposers` the agents
    a dispose named, "*" for whatever may dispose any; `by_reaction` the verbs reactions perform; `stepped` says that a
    driver may be held between two of its segments.
    """

    offers: Counter[str] = field(default_factory=Counter[str])
    transactions: list[Transaction] = field(default_factory=list[Transaction])
    uncertain: set[str] = field(default_factory=set[str])
    reactions: dict[str, React | None] = field(default_factory=dict[str, React | None])
    disposers: set[str] = field(default_factory=set[str])
    keeps_inbox: bool = False
    terminal: bool = False
    throws: bool = False
    children: bool = False
    stepped: bool = False
    stores: set[str] = field(default_factory=set[str])
    holds: set[tuple[str, str | None]] = field(default_factory=set[tuple[str, str | None]])
    by_reaction: set[str] = field(default_factory=set[str])
    gates_reacted: set[str] = field(default_factory=set[str])

    def ask(self, index: int, commands: Sequence[AnyCommand], answers: Sequence[Answer]) -> None:
        """Note the commands of a burst with their answers."""
        for number, command in enumerate(commands):
            answer = answers[number] if number < len(answers) else Answer()
            self._transaction(index, command, answer)
            for each in inner(command):
                self._note(each, top=each is command)
                if each is not command:
                    self.by_reaction.add(each.verb)

    def settle(self, index: int, seen: Observation) -> None:
        """Note how a pending call came out."""
        for transaction in reversed(self.transactions):
            if transaction.ref == seen.of and transaction.state == "pending":
                transaction.state = "ok" if seen.ok is not UNSET else "refused"
                transaction.settled_in = index
                return

    def latest(self, id_: str) -> Transaction | None:
        """The last transaction about an id, if no other can have been going on with it."""
        about = [transaction for transaction in self.transactions if transaction.id == id_]
        if not about or id_ in self.uncertain:
            return None
        *others, last = about
        alone = all(other.state != "pending" and other.settled_in < last.burst for other in others)
        return last if alone else None

    def asked_times(self, id_: str) -> int:
        """How many transactions there were about an id."""
        return sum(transaction.id == id_ for transaction in self.transactions)

    def _transaction(self, index: int, command: AnyCommand, answer: Answer) -> None:
        if not isinstance(command, Create | Resume):
            return
        transaction = Transaction(command.as_, command.id, index, awaited=not command.sync)
        if answer.refused is not UNSET:
            transaction.state, transaction.settled_in = "refused", index
        elif answer.pending is UNSET:
            transaction.state, transaction.settled_in = "ok", index
        self.transactions.append(transaction)

    def _note(self, command: AnyCommand, *, top: bool) -> None:
        outcome = outcomes(command)
        if outcome is not None:
            self.terminal = self.terminal or outcome.outcome == "terminal"
            # a failing gate rolls a creation back, which disposes what was announced
            self.throws = self.throws or outcome.outcome == "fail"
            if outcome.reason is not None:
                self.offers[outcome.reason] += 1
        match command:
            case Send() | Steer():
                self.offers[command.message] += 1
            case Cancel():
                self.keeps_inbox = self.keeps_inbox or command.keep_inbox
            case Create() | Resume():
                self.children = self.children or command.parent is not None
                if not top:
                    self.uncertain.add(command.id)
            case LoadProvider():
                self.uncertain.update(id_ for agent in command.configured for id_ in (agent.id, agent.resume) if id_)
            case Acp():
                self._bridge(command)
            case Session():
                self.stores.add(command.store or "s1")
            case Hold():
                self.holds.add((command.gate, command.of))
                self.stepped = self.stepped or command.gate == "driver"
            case React():
                self._reaction(command)
            case Dispose():
                self.disposers.add(self._disposed(command))
            case UnloadOwner() | UnloadProvider() | Abort():
                self.disposers.add("*")
            case _:
                pass

    def _bridge(self, command: Acp) -> None:
        if command.session is not None:
            self.uncertain.add(command.session)
        if command.message is not None:
            self.offers[command.message] += 1
        if command.act in ("disconnect", "teardown"):
            self.disposers.add("*")

    def _reaction(self, command: React) -> None:
        self.throws = self.throws or command.throw is not None
        gate = command.on.get("gate")
        if isinstance(gate, str):
            self.gates_reacted.add(gate)
        # a reaction performs its commands each time it fires
        for each in command.then:
            if isinstance(each, Send | Steer):
                self.offers[each.message] += command.times - 1
        if command.as_ is not None:
            known = command.as_ in self.reactions
            self.reactions[command.as_] = None if known and self.reactions[command.as_] != command else command

    def _disposed(self, command: Dispose) -> str:
        if command.agent is not None:
            return command.agent
        found = next((each for each in reversed(self.transactions) if each.ref == command.ref), None)
        return found.id if found is not None else "*"
