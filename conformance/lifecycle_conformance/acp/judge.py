"""Owns judging one agent: survey, plan, play, examine, confirm, conclude."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from lifecycle_conformance.acp import processes
from lifecycle_conformance.acp.conclude import Outcome, conclude, unreachable
from lifecycle_conformance.acp.errors import Missed, OutOfReach, UsageError
from lifecycle_conformance.acp.examine import examine
from lifecycle_conformance.acp.load import Load
from lifecycle_conformance.acp.options import Options
from lifecycle_conformance.acp.play import play
from lifecycle_conformance.acp.report import Report
from lifecycle_conformance.acp.stage import Stage
from lifecycle_conformance.acp.survey import Survey
from lifecycle_conformance.acp.survey_runs import survey
from lifecycle_conformance.acp.table import Run, all_runs


def _silent(_: str) -> None:
    pass


def judge(command: Sequence[str], options: Options | None = None, progress: Callable[[str], None] = _silent) -> Report:
    """Judge an ACP agent by its command. Raises UsageError for what we refuse; every other trouble is a report."""
    return asyncio.run(judge_async(command, options or Options(), progress))


async def judge_async(command: Sequence[str], options: Options, progress: Callable[[str], None]) -> Report:
    """Judge an agent from inside a running loop."""
    _plan(command, options)
    processes.reap_orphans()
    async with Load() as load:
        try:
            found = await survey(command, options, load, progress)
        except OutOfReach as error:
            return unreachable(command, options, error)
        except Missed as error:
            return unreachable(command, options, OutOfReach("protocol", str(error)))
    return await judge_known(command, options, found, progress)


async def judge_known(
    command: Sequence[str],
    options: Options,
    found: Survey,
    progress: Callable[[str], None] = _silent,
) -> Report:
    """Judge an agent whose survey is known already."""
    planned = _plan(command, options, found.gated)
    async with Load() as load:
        outcomes, missing = await _play_all(command, options, found, planned, load, progress)
    return conclude(command, options, found, outcomes, missing)


def _plan(command: Sequence[str], options: Options, gated: bool = True) -> list[Run]:
    """Choose the runs; raises UsageError where there is nothing to do or something we refuse."""
    if not command:
        raise UsageError("no command was given; say acp:COMMAND, for example 'acp:python my_agent.py'")
    options.validate()
    options.refuse_outside("the command", " ".join(command))
    planned = [r for r in all_runs() if options.wants_run(r.name) and _in_depth(r, options, gated)]
    if not planned:
        raise UsageError(f"no run is named {', '.join(options.runs)}; they are called WINDOW/COMMAND")
    return planned


def _in_depth(run: Run, options: Options, gated: bool) -> bool:
    # naming a run is asking for it, whatever the depth; without gates only one busy window can be reached
    named = bool(options.runs) or options.depth == "thorough"
    return named or run.quick or (not gated and run.window.name == "accepted")


async def _play_all(
    command: Sequence[str],
    options: Options,
    found: Survey,
    planned: list[Run],
    load: Load,
    progress: Callable[[str], None],
) -> tuple[list[Outcome], list[tuple[Run, str]]]:
    missing = [(run, why) for run in planned if (why := found.lacks(run.needs)) is not None]
    runs = [run for run in planned if found.lacks(run.needs) is None]
    gate, done = asyncio.Semaphore(options.jobs), 0

    async def one(run: Run) -> Outcome:
        nonlocal done
        async with gate:
            outcome = await _confirmed(command, options, found, run, load)
        done += 1
        progress(f"{done}/{len(runs)} {run.name}: {outcome.word}")
        return outcome

    return list(await asyncio.gather(*(one(run) for run in runs))), missing


async def _confirmed(command: Sequence[str], options: Options, found: Survey, run: Run, load: Load) -> Outcome:
    """Play a run; whatever speaks against the agent must show again in fresh processes before it counts."""
    outcome = Outcome(run)
    while not outcome.decided(options):
        outcome.tried += 1
        async with Stage(command, options, found, run, load) as stage:
            try:
                await play(stage)
            except (Missed, OutOfReach) as error:
                outcome.missed.append(str(error))
            else:
                outcome.add(examine(stage.freeze()), options)
    return outcome
