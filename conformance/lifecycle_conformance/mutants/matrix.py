"""The kill matrix: which engine finds which mutant, for which reason, how fast. Reads and sums up; refuses to run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import msgspec

from lifecycle_conformance.check import PROFILES
from lifecycle_conformance.mutants.hunt import INCONCLUSIVE, KILLED, OTHER, SURVIVED, Kill
from lifecycle_conformance.mutants.mutant import Mutant, MutantError
from lifecycle_conformance.mutants.plans import ENGINES
from lifecycle_conformance.mutants.zoo import ZOO

SOURCES = (
    "impl/lifecycle_runtime",
    "model/lifecycle_model",
    "conformance/lifecycle_conformance",
    "conformance/vectors",
)
"""What a matrix depends on."""

RESULTS = Path("conformance/results/mutants.json")


class Matrix(msgspec.Struct, frozen=True, omit_defaults=True):
    """Every kill of a campaign, and the sources it ran on.

    `sifted` are the runs left out because the unchanged runtime failed them: with any, the matrix says less.
    """

    trees: dict[str, str]
    kills: tuple[Kill, ...]
    sifted: tuple[str, ...] = ()

    def of(self, mutant: str, profile: str) -> dict[str, Kill]:
        """One mutant's kills by engine."""
        return {kill.engine: kill for kill in self.kills if kill.mutant == mutant and kill.profile == profile}

    def up_to(self, mutant: str, profile: str) -> list[Kill]:
        """One mutant's kills in a profile and in shallower ones: it runs what they run, but for Hypothesis' examples."""
        order = list(PROFILES)
        shallower = order[: order.index(profile)]
        return [
            kill
            for kill in self.kills
            if kill.mutant == mutant
            and (kill.profile == profile or (kill.profile in shallower and kill.engine != "hypothesis"))
        ]

    @property
    def profiles(self) -> list[str]:
        """The profiles hunted in."""
        return list(dict.fromkeys(kill.profile for kill in self.kills))


class Tally(msgspec.Struct, frozen=True):
    """How a set of mutants fared: those an engine could not be asked about are in no number."""

    killed: int
    other: int
    survived: int
    inconclusive: int

    @property
    def hunted(self) -> int:
        """Every mutant that counts."""
        return self.killed + self.other + self.survived + self.inconclusive


def trees(root: Path) -> dict[str, str]:
    """A digest of each source folder: of the paths and the bytes of its files."""
    found: dict[str, str] = {}
    for name in SOURCES:
        digest = hashlib.sha256()
        for path in sorted((root / name).rglob("*")):
            if path.is_file() and path.suffix in (".py", ".json", ".mjs"):
                digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
        found[name] = digest.hexdigest()[:16]
    return found


def stale(matrix: Matrix, root: Path) -> list[str]:
    """The source folders that changed since the matrix was made."""
    now = trees(root)
    return [name for name in SOURCES if matrix.trees.get(name) != now[name]]


def read(path: Path) -> Matrix:
    """A stored matrix. Raises `MutantError` where there is none."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Matrix)
    except OSError as error:
        raise MutantError(f"there is no kill matrix at {path}", hint="make one: see conformance/campaigns") from error
    except msgspec.DecodeError as error:
        raise MutantError(f"{path} is no kill matrix: {error}", hint="make it again") from error


def write(matrix: Matrix, path: Path) -> None:
    """Store a matrix, one kill a line, without the runs themselves."""
    lines = [
        msgspec.json.encode(msgspec.structs.replace(kill, bursts=(), policies={}), order="sorted")
        for kill in matrix.kills
    ]
    head = msgspec.json.encode({"trees": matrix.trees, "sifted": matrix.sifted}, order="sorted")[:-1]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(head + b',"kills":[\n' + b",\n".join(lines) + b"\n]}\n")


def counted() -> list[Mutant]:
    """The mutants that must be found."""
    return [mutant for mutant in ZOO if not mutant.equivalent]


def tally(kills: Iterable[Kill]) -> Tally:
    """Count outcomes."""
    outcomes = [kill.outcome for kill in kills]
    return Tally(*(outcomes.count(one) for one in (KILLED, OTHER, SURVIVED, INCONCLUSIVE)))


def best(kills: Sequence[Kill]) -> Kill | None:
    """How a mutant fared altogether: the best of its engines."""
    order = (KILLED, OTHER, INCONCLUSIVE, SURVIVED)
    return min(kills, key=lambda kill: order.index(kill.outcome), default=None)


def overall(matrix: Matrix, profile: str, mutants: Iterable[Mutant]) -> Tally:
    """How mutants fared in a profile, all engines together; what no engine hunted is not counted."""
    found = (best(matrix.up_to(mutant.id, profile)) for mutant in mutants)
    return tally(kill for kill in found if kill is not None)


def percentile(values: Sequence[int], share: float) -> int:
    """The smallest value that at least this share of them does not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * int(share * 100) // 100) - 1)] if ordered else 0


def text(matrix: Matrix, profile: str) -> Iterator[str]:
    """The matrix for a terminal: totals by engine and by section, then every mutant no engine killed."""
    mutants = counted()
    names = {mutant.id for mutant in mutants}
    kills = [kill for kill in matrix.kills if kill.profile == profile and kill.mutant in names]
    yield f"profile {profile}: {_share(overall(matrix, profile, mutants))}"
    if matrix.sifted:
        yield f"  left out, because the unchanged runtime fails them: {len(matrix.sifted)} runs"
    for engine in ENGINES:
        mine = [kill for kill in kills if kill.engine == engine]
        if mine:
            took = [kill.milliseconds for kill in mine if kill.outcome == KILLED]
            yield (
                f"  {engine:<11}{_share(tally(mine))}; median {percentile(took, 0.5)} ms, p95 {percentile(took, 0.95)} ms"
                f"{_lengths(mine)}"
            )
    for section in dict.fromkeys(mutant.section for mutant in mutants):
        yield f"  section {section}  {_share(overall(matrix, profile, [m for m in mutants if m.section == section]))}"
    for mutant in mutants:
        kill = best(matrix.up_to(mutant.id, profile))
        if kill is not None and kill.outcome != KILLED:
            blamed = f", blamed {' '.join(kill.blamed)}" if kill.blamed else ""
            note = f" ({kill.note})" if kill.note else ""
            yield f"  {kill.outcome}: {mutant.id} [{' '.join(mutant.group)}]{blamed}{note}"


def _lengths(kills: Iterable[Kill]) -> str:
    """How long the runs that fail are against the suite's shortest ones, where those were looked for."""
    over = [sum(kill.size) - sum(kill.optimum) for kill in kills if kill.size is not None and kill.optimum is not None]
    if not over:
        return ""
    longer = [one for one in over if one > 0]
    more = f", else {min(longer)} to {max(longer)} commands and reactions longer" if longer else ""
    return f"; as short as the optimum in {len(over) - len(longer)} of {len(over)}{more}"


def _share(tally: Tally) -> str:
    share = 100 * tally.killed / tally.hunted if tally.hunted else 0.0
    rest = (("for another reason", tally.other), ("survived", tally.survived), ("inconclusive", tally.inconclusive))
    said = "".join(f", {count} {what}" for what, count in rest if count)
    return f"{tally.killed} of {tally.hunted} killed ({share:.1f} %){said}"
