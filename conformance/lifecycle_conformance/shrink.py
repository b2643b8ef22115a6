"""The shortest failing run: by trying the suite in order of size, by opening gates, by leaving out commands one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from lifecycle_conformance.suite import SuiteRun
from lifecycle_conformance.trial import Trial
from lifecycle_model.commands import Burst, Hold, React, Read, Release
from lifecycle_model.quiet import Crowded, Restless

Play = Callable[[tuple[Burst, ...], Mapping[str, object]], Trial]


def size(bursts: tuple[Burst, ...]) -> tuple[int, int, int]:
    """What *shortest* compares: commands, then reactions, then everything."""
    flat = [one for made in bursts for one in made]
    commands = sum(not isinstance(one, Hold | React | Read) for one in flat)
    reactions = sum(1 + len(one.then) for one in flat if isinstance(one, React))
    return commands, reactions, len(flat)


def shorter_in_suite(
    candidate: Trial, runs: Iterable[tuple[SuiteRun, Mapping[str, object]]], play: Play, limit: int
) -> Trial:
    """Try the suite's runs in order of size until one fails for the same cause; the candidate if none is smaller."""
    bound = size(candidate.bursts)
    for tried, (run, policies) in enumerate(runs):
        if run.size >= bound[:2] or tried >= limit:
            break
        trial = play(run.bursts, policies)
        if trial.violates and trial.cause == candidate.cause:
            return trial
    return candidate


def shrink(candidate: Trial, play: Play) -> Trial:
    """Cut the run behind its failure, then leave out every gate and command not needed; the same cause must remain."""
    best = candidate
    if candidate.mismatch is not None:
        best = _try(best, candidate.bursts[: candidate.mismatch.burst + 1], play) or best
    for gate in sorted({(one.gate, one.of) for made in best.bursts for one in made if isinstance(one, Hold)}, key=str):
        best = _try(best, ungated(best.bursts, gate), play) or best
    progress = True
    while progress:
        progress = False
        for index in range(len(best.bursts) - 1, -1, -1):
            if len(best.bursts) > 1:
                without = best.bursts[:index] + best.bursts[index + 1 :]
                shorter = _try(best, without, play)
                if shorter is not None:
                    best, progress = shorter, True
                    continue
            for place in range(len(best.bursts[index]) - 1, -1, -1):
                made = best.bursts[index]
                fewer = made[:place] + made[place + 1 :]
                shorter = _try(best, (*best.bursts[:index], fewer, *best.bursts[index + 1 :]), play) if fewer else None
                if shorter is not None:
                    best, progress = shorter, True
    return best


def ungated(bursts: tuple[Burst, ...], gate: tuple[str, str | None]) -> tuple[Burst, ...]:
    """The run without the holds and releases of a gate; reactions left alone in a burst are armed a burst earlier."""
    found: list[Burst] = []
    for made in bursts:
        rest = tuple(one for one in made if not (isinstance(one, Hold | Release) and (one.gate, one.of) == gate))
        if found and all(isinstance(one, React) for one in rest):
            found[-1] = rest + found[-1]
        elif rest:
            found.append(rest)
    return tuple(found)


def _try(best: Trial, bursts: tuple[Burst, ...], play: Play) -> Trial | None:
    try:
        trial = play(bursts, best.policies)
    except (Crowded, Restless):
        return None  # with fewer gates held more may happen at once than the model can tell
    return trial if trial.violates and trial.cause == best.cause and size(trial.bursts) < size(best.bursts) else None
