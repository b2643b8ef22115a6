"""`lifecycle replay`: run one stored trace again and judge it; `--step` shows model and system side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from lifecycle_conformance.systems.errors import UsageError

if TYPE_CHECKING:
    from lifecycle_conformance.engines import Worker
    from lifecycle_conformance.failure.value import Failure
    from lifecycle_conformance.trial import Trial
    from lifecycle_model.wire import Trace, Vector

FORMS = ("test", "script", "mermaid", "svg", "trace", "itf")


@click.command(
    "replay",
    epilog="""\b
Examples:
  lifecycle replay .lifecycle/0123456789ab.json --system reference
  lifecycle replay trace.json --system stdio:"node my-adapter.mjs" --step
  lifecycle replay trace.json --system stdio:"node my-adapter.mjs" --form test > test_regression.py
  lifecycle replay --schema                                          of a trace file
""",
)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@click.option("--system", default="reference", show_default=True, help="The system to run it on.")
@click.option("--step", is_flag=True, help="Show what the model allows and what the system did, burst by burst.")
@click.option("--timeout", default=10.0, show_default=True, help="Seconds a system may take for one burst.")
@click.option("--form", type=click.Choice(FORMS), help="Print the run, or its failure, in this form only.")
@click.option("--json", "as_json", is_flag=True, help="The same as --form trace.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a trace file.")
def command(
    file: Path | None, system: str, step: bool, timeout: float, form: str | None, as_json: bool, schema: bool
) -> int:
    """Run the bursts of a trace FILE again. Exit 0 if the contract allows what was seen, 1 if not, 3 if unknown."""
    from lifecycle_conformance.engines import Setting, Worker

    if schema:
        click.echo(_schema())
        return 0
    if file is None:
        raise click.UsageError("name a trace FILE, one that `lifecycle check` kept")
    trace = load(file)
    worker = Worker(Setting(system, trace.contract, timeout))
    try:
        return _judged(worker, trace, str(file), system, step, "trace" if as_json else form)
    finally:
        worker.system.stop()


def _judged(worker: Worker, trace: Trace, file: str, system: str, step: bool, form: str | None) -> int:
    from dataclasses import replace

    import msgspec

    from lifecycle_conformance.carried import carried
    from lifecycle_conformance.failure.lines import lines
    from lifecycle_conformance.failure.pasted import replay_line
    from lifecycle_conformance.failure.value import recorded
    from lifecycle_conformance.modelled import modelled
    from lifecycle_conformance.stepping import steps
    from lifecycle_conformance.systems.schedule import Schedule, follow
    from lifecycle_conformance.vectors import bursts_of

    vector = _vector(trace)
    bursts = tuple(burst.do for burst in trace.bursts) if vector is None else tuple(bursts_of(vector, worker.profile))
    policies = dict(trace.policies)
    known = carried(worker.engine.contract, bursts) if vector is None else modelled(worker, vector)
    if not follow(worker.system, Schedule(trace.schedule) if trace.schedule else None) and trace.schedule:
        raise UsageError(
            f"the run needs a schedule of tasks, and {system} cannot be given one", hint="only systems in process can"
        )
    trial = worker.judge.play(worker.system, bursts, policies, keep_log=True, modelled=known)
    trial = replace(trial, schedule=trace.schedule)
    if trial.error is not None:
        click.echo(f"INCONCLUSIVE  {trial.error}", err=form is not None)
        return 3
    failure = _failure(worker, trial, vector, trace.seed)
    if form is not None:
        again = recorded(bursts, trial.results, worker.system.describe(), policies=policies, engine="replay")
        again = msgspec.structs.replace(again, schedule=trace.schedule)
        click.echo(_formed(form, again, failure, system), nl=False)
        return 1 if failure is not None else 0
    if step and known:
        click.echo("\n".join(steps(worker, bursts, trial.results, policies)))
    elif step:
        click.echo("the model does not carry what this run asks; vectors and monitors judge it")
    if failure is None:
        click.echo(f"CONFORMS  {len(bursts)} bursts, each as the contract allows")
        return 0
    click.echo("\n".join(lines(failure, replay_line(file, system))))
    click.echo("VIOLATES")
    return 1


def _formed(form: str, again: Trace, failure: Failure | None, system: str) -> str:
    """The run of now in one form, ending with a line break; of a failure up to the burst that failed."""
    from lifecycle_conformance.failure.itf import to_itf
    from lifecycle_conformance.failure.pasted import pytest_test, stdio_script
    from lifecycle_conformance.failure.sequence import of_failure, of_trace
    from lifecycle_conformance.failure.tracefile import trace_json
    from lifecycle_diagrams.sequence_mermaid import mermaid
    from lifecycle_diagrams.sequence_svg import svg
    from lifecycle_model.wire import to_json

    trace = again if failure is None else failure.trace
    if form == "test":
        if failure is None:
            raise click.UsageError("the run conforms now, so there is no failure to make a test of")
        return pytest_test(failure, system)
    if form == "script":
        return stdio_script(trace)
    if form == "trace":
        return trace_json(trace).decode()
    if form == "itf":
        return to_json(to_itf(trace)).decode() + "\n"
    drawn = of_trace(trace) if failure is None else of_failure(failure)
    return mermaid(drawn) if form == "mermaid" else svg(drawn)


def _schema() -> str:
    import msgspec

    from lifecycle_conformance.failure.tracefile import trace_schema

    return msgspec.json.format(msgspec.json.encode(trace_schema()), indent=2).decode()


def _vector(trace: Trace) -> Vector | None:
    """The vector a trace is of, if it is one's and that still exists: then it is played and judged as written."""
    from lifecycle_conformance.failure.value import VECTOR
    from lifecycle_conformance.vectors import load_vectors

    known = load_vectors(contract=trace.contract) if trace.engine == VECTOR else ()
    return next((vector for vector in known if vector.id == trace.about), None)


def _failure(worker: Worker, trial: Trial, vector: Vector | None, seed: int) -> Failure | None:
    from lifecycle_conformance.check import VectorFailure
    from lifecycle_conformance.told import failure_of, failure_of_vector
    from lifecycle_conformance.vectors import check_vector

    mismatches = tuple(check_vector(vector, trial.results, worker.profile)) if vector is not None else ()
    if vector is not None and mismatches:
        return failure_of_vector(
            VectorFailure(vector, trial, mismatches), worker.system.describe(), seed, worker.setting.contract
        )
    return failure_of(trial, worker.system.describe(), seed, worker.setting.contract) if trial.violates else None


def load(file: Path) -> Trace:
    """Read a trace file; UsageError says what is wrong with it and what to do."""
    from lifecycle_conformance.failure.tracefile import TraceError, read_trace

    try:
        return read_trace(file.read_bytes(), str(file))
    except OSError as error:
        raise UsageError(f"{file}: {error.strerror}", hint="name a trace that `lifecycle check` kept") from error
    except TraceError as error:
        raise UsageError(str(error)) from error
