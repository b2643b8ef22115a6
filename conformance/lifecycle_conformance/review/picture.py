"""A witness as a run, a sequence diagram and two columns of words. Refuses to look for witnesses."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from lifecycle_conformance.failure.asked import burst as asked
from lifecycle_conformance.failure.asked import lone_agent
from lifecycle_conformance.failure.notation import answer, observations
from lifecycle_conformance.failure.parting import Parting, partings
from lifecycle_conformance.failure.value import Alternative, Failure
from lifecycle_conformance.review.behaviour import first_apart
from lifecycle_conformance.review.causes import Allowed, Witness
from lifecycle_conformance.review.values import Plain
from lifecycle_model.commands import AnyCommand, Burst
from lifecycle_model.wire import Answer, Observation, Trace, TraceBurst


def failure(witness: Witness, contract: str) -> Failure:
    """The witness as if head were judged by base: the run head makes, and what base allows in its last burst."""
    base, head = own(witness)
    played = [*witness.past, head[0] if head else Allowed((), ())]
    bursts = tuple(
        TraceBurst(made, answers(one.calls), observations_of(one.seen))
        for made, one in zip(commands(witness), played, strict=True)
    )
    trace = Trace(bursts, contract=contract, policies=dict(witness.policies), system="head", engine="review")
    alternatives = tuple(Alternative(observations_of(one.seen), answers(one.calls)) for one in base)
    return Failure(trace, witness.clauses, alternatives)


def own(witness: Witness) -> tuple[tuple[Allowed, ...], tuple[Allowed, ...]]:
    """What only base allows and what only head allows; all of it where a side has nothing of its own."""
    mine = tuple(one for one in witness.base if one not in witness.head)
    theirs = tuple(one for one in witness.head if one not in witness.base)
    return mine or witness.base, theirs or witness.head


def parting(witness: Witness, contract: str) -> Parting | None:
    """Where base and head part, in words."""
    return next(iter(partings(failure(witness, contract))), None)


def commands(witness: Witness) -> tuple[Burst, ...]:
    """The bursts of the run."""
    return tuple(tuple(msgspec.convert(list(made), list[AnyCommand])) for made in witness.bursts)


def steps(witness: Witness) -> list[str]:
    """The commands of the run, a line for each burst."""
    made = commands(witness)
    lone = lone_agent(made)
    return [asked(one, lone) for one in made]


def shown(allowed: Sequence[Allowed], witness: Witness) -> list[str]:
    """What is allowed, a line for each way: observations, then answers."""
    lone = lone_agent(commands(witness))
    lines = []
    for one in allowed:
        seen = observations(observations_of(one.seen), lone) or "nothing is seen"
        lines.append(f"{seen}   answers {' '.join(answer(each) for each in answers(one.calls))}".rstrip())
    return lines or ["nothing"]


def members(one: Allowed, other: Allowed) -> str:
    """The first observation or answer in which one differs from the other, with all its members."""
    at, _ = first_apart(one.seen, other.seen)
    if at >= 0:
        return msgspec.json.encode(one.seen[at], order="sorted").decode()
    different = [mine for mine, theirs in zip(one.calls, other.calls, strict=False) if mine != theirs]
    return msgspec.json.encode(different[0], order="sorted").decode() if different else "nothing more"


def observations_of(seen: Sequence[Plain]) -> tuple[Observation, ...]:
    """Observations from their JSON objects."""
    return msgspec.convert(list(seen), tuple[Observation, ...])


def answers(calls: Sequence[Plain]) -> tuple[Answer, ...]:
    """Answers from their JSON objects."""
    return msgspec.convert(list(calls), tuple[Answer, ...])
