"""`lifecycle replay`: run one stored trace again and judge it; `--step` shows model and system side by side."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from lifecycle_conformance.systems.errors import UsageError

if TYPE_CHECKING:
    from lifecycle_conformance.engines import Worker
    from lifecycle_model.commands import Burst
    from lifecycle_model.wire import BurstResult, Trace


@click.command(
    "replay",
    epilog="""\b
Examples:
  lifecycle replay .lifecycle/0123456789ab.json --system reference
  lifecycle replay trace.json --system stdio:"node my-adapter.mjs" --step
""",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--system", default="reference", show_default=True, help="The system to run it on.")
@click.option("--step", is_flag=True, help="Show what the model allows and what the system did, burst by burst.")
@click.option("--timeout", default=10.0, show_default=True, help="Seconds a system may take for one burst.")
@click.option("--json", "as_json", is_flag=True, help="Print the trace as run now.")
def command(file: Path, system: str, step: bool, timeout: float, as_json: bool) -> int:
    """Run the bursts of a trace FILE again. Exit 0 if the contract allows what was seen, 1 if not, 3 if unknown."""
    from lifecycle_conformance.engines import Setting, Worker
    from lifecycle_conformance.failure.lines import lines
    from lifecycle_conformance.told import failure_of
    from lifecycle_model.wire import to_json

    trace = load(file)
    worker = Worker(Setting(system, trace.contract, timeout))
    try:
        bursts = tuple(burst.do for burst in trace.bursts)
        trial = worker.judge.play(worker.system, bursts, dict(trace.policies), keep_log=True)
        if trial.error is not None:
            click.echo(f"INCONCLUSIVE  {trial.error}")
            return 3
        description = worker.system.describe()
        if as_json:
            from lifecycle_conformance.failure.value import recorded

            again = recorded(bursts[: len(trial.results)], trial.results, description, policies=dict(trace.policies))
            click.echo(to_json(again).decode())
        elif step:
            side_by_side(worker, bursts, trial.results, dict(trace.policies))
        if trial.violates:
            if not as_json:
                failure = failure_of(trial, description, trace.seed)
                click.echo("\n".join(lines(failure, f"lifecycle replay {file} --system {system}")))
                click.echo("VIOLATES")
            return 1
        if not as_json:
            click.echo(f"CONFORMS  {len(bursts)} bursts, each as the contract allows")
        return 0
    finally:
        worker.system.stop()


def load(file: Path) -> Trace:
    """Read a trace file; UsageError says what is wrong with it and what to do."""
    import msgspec

    from lifecycle_model.wire import PROTOCOL, Trace

    try:
        data = file.read_bytes()
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint="name a trace that `lifecycle check` kept") from error
    try:
        found = msgspec.json.decode(data)
    except msgspec.DecodeError as error:
        raise UsageError(f"{file} is not JSON: {error}", hint="a trace is one JSON object") from error
    version = found.get("protocol", PROTOCOL) if isinstance(found, dict) else None
    if isinstance(version, int) and version > PROTOCOL:
        raise UsageError(
            f"{file} is a trace of protocol {version}; this is protocol {PROTOCOL}", hint="upgrade lifecycle-spec"
        )
    try:
        return msgspec.convert(found, Trace)
    except msgspec.ValidationError as error:
        raise UsageError(
            f"{file} is no trace: {error}", hint="see the trace's shape in conformance/README.md"
        ) from error


def side_by_side(
    worker: Worker, bursts: Sequence[Burst], results: Sequence[BurstResult], policies: dict[str, object]
) -> None:
    """Print each burst: what was asked, what the model allows (left), what the system did (right)."""
    from lifecycle_conformance.failure.asked import burst as asked
    from lifecycle_conformance.failure.notation import observation
    from lifecycle_model.wire import to_json

    oracle = worker.oracle(policies)
    for index, (made, result) in enumerate(zip(bursts, results, strict=False)):
        click.echo(f"{index + 1}. {asked(made)}")
        mismatch = oracle.judge(made, to_json(made), result)
        allowed = mismatch.explanations[0].projected if mismatch and mismatch.explanations else result.seen
        left = [observation(one) for one in allowed]
        right = [observation(one) for one in result.seen]
        for row in range(max(len(left), len(right))):
            mine = left[row] if row < len(left) else ""
            theirs = right[row] if row < len(right) else ""
            click.echo(f"     {mine:<36} {'|' if mine == theirs else '!'} {theirs}")
        if mismatch is not None:
            click.echo(f"   the contract allows the left, the system did the right: {' '.join(mismatch.clauses)}")
            return
