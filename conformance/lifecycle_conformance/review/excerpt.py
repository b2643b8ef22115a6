"""A witness in words: the run, and everything that each side allows after its last burst. Refuses to choose witnesses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from lifecycle_conformance.review import picture
from lifecycle_conformance.review.causes import Allowed, Witness

SHOWN = 4
"""Results of one kind shown at most; how many more there are is said."""
NOTHING = "nothing more"
BOTH = "base and head"


def lines(witness: Witness, contract: str) -> Iterator[str]:
    """The run, a line for each burst, then what is allowed."""
    where = f"{witness.scope}: {witness.label}" + (" (after an earlier difference)" if witness.parted else "")
    yield f"{where} [{witness.relation}]{policies(witness)}"
    for at, step in enumerate(picture.steps(witness), start=1):
        yield f"  {at}. {step}"
    yield from [f"  {witness.failed}"] if witness.failed else allowed(witness, contract)


def policies(witness: Witness) -> str:
    """Those that are not at their default, as an ending of a sentence."""
    told = ", ".join(f"{name} {value}" for name, value in sorted(witness.policies.items()))
    return f" with {told}" if told else ""


def kinds(witness: Witness) -> dict[str, list[Allowed]]:
    """Every result, once: those of base only, those of both, those of head only. `base` and `head` where they share none."""
    shared = [one for one in witness.base if one in witness.head]
    only = " only" if shared else ""
    return {
        f"base{only}": [one for one in witness.base if one not in shared],
        BOTH: shared,
        f"head{only}": [one for one in witness.head if one not in shared],
    }


def allowed(witness: Witness, contract: str) -> Iterator[str]:
    """What each side allows: what all have in common once, then the rest of each result."""
    told = [(kind, one) for kind, some in kinds(witness).items() for one in some]
    if len(told) == 2 and witness.base and witness.head:
        yield from _two(witness, contract, dict((kind, one) for kind, one in told))
        return
    words = [picture.shown([one], witness)[0].split(" ") for _, one in told]
    common = [some[0] for some in takewhile(lambda some: len(set(some)) == 1, zip(*words, strict=False))]
    if len(told) > 1 and common:
        yield f"  both  {' '.join(common)}"
    else:
        common = []
    rest = iter(words)
    for kind, some in kinds(witness).items():
        ways = [" ".join(next(rest)[len(common) :]).strip() or NOTHING for _ in some]
        yield from (f"  {kind}  » {way}" for way in ways[:SHOWN])
        if len(ways) > SHOWN:
            yield f"  {kind}  » and {len(ways) - SHOWN} more results"
    yield from (f"  {side}  » nothing is allowed" for side, some in _sides(witness) if not some)


def _two(witness: Witness, contract: str, told: dict[str, Allowed]) -> Iterator[str]:
    """Two results in all: where they part, of the subject at which they do."""
    base, head = picture.own(witness)
    first, second = (next(kind for kind, one in told.items() if one == some[0]) for some in (base, head))
    apart = picture.parting(witness, contract)
    if apart is not None and apart.common:
        yield f"  both  {' '.join(apart.common)}"
    if apart is not None and (apart.allowed or apart.did):
        yield f"  {first}  » {' '.join(apart.allowed) or NOTHING}"
        yield f"  {second}  » {' '.join(apart.did) or NOTHING}"
        return
    # the short notation shows the same of both, so the members must be told
    yield f"  {first}  » {picture.members(base[0], head[0])}"
    yield f"  {second}  » {picture.members(head[0], base[0])}"


def _sides(witness: Witness) -> Sequence[tuple[str, tuple[Allowed, ...]]]:
    return ("base", witness.base), ("head", witness.head)


def count(witness: Witness) -> str:
    """How many results there are, where a picture of two cannot show all; else nothing."""
    if witness.failed or sum(len(some) for some in kinds(witness).values()) <= 2:
        return ""
    told = " and ".join(f"{side} allows {len(some)}" for side, some in _sides(witness))
    return f"Here {told} results; the picture shows one of each."
