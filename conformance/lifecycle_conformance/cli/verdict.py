"""What a check says: the verdict, what was covered, the failures, and what CONFORMS does not mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from lifecycle_conformance.check import CONFORMS, INCONCLUSIVE, VIOLATES, Options, Outcome, check
from lifecycle_conformance.cli.check import shown
from lifecycle_conformance.expect import Expectations, Expected, ExpectError, compare
from lifecycle_conformance.failure.lines import lines
from lifecycle_conformance.failure.value import Failure
from lifecycle_conformance.told import failure_of
from lifecycle_model.wire import to_json

NOT_MEANT = (
    "CONFORMS means: no run above broke the contract. It does not mean that no other run would: longer histories, "
    "timing inside a segment, real models, tools and disks, and everything listed as out of reach were not judged."
)


def completeness(outcome: Outcome) -> str:
    """The completeness statement with its numbers and assumptions."""
    total = sum(outcome.classes.values())
    scopes = ", ".join(f"{name} {count}" for name, count in outcome.classes.items())
    return (
        f"Completeness: every label was tried in every class of {len(outcome.classes)} scopes ({total} classes: {scopes}; "
        f"{outcome.labels} labels). For a deterministic system with no more classes than these on these finite alphabets, "
        "whose reset and quiet are reliable, and whose reads tell its classes apart, a fault in reach would have been seen. "
        f"Not covered: {outcome.several} results where the contract allows several, commands outside the scopes, longer queues."
    )


def conclude(
    options: Options,
    progress: shown,
    reports: Sequence[Path],
    traces: Path,
    expect: Path | None,
    write_expect: bool,
    as_json: bool,
) -> int:
    """Run the check, print it, write what was asked for, and give the exit code."""
    if options.profile == "deep":
        click.echo("deep: about 25,000 runs and 30,000 histories; roughly 30 minutes on two cores", err=True)
    outcome = check(options, progress)
    progress.clear()
    failures = told(outcome)
    paths = kept(failures, traces)
    code = outcome.exit_code
    if expect is not None:
        code = expected(outcome, failures, expect, write_expect)
    if as_json:
        click.echo(to_json(facts(outcome, failures)).decode())
    else:
        show(outcome, failures, paths)
    for path in reports:
        write(path, outcome, failures)
    return code


def told(outcome: Outcome) -> list[Failure]:
    """The failures as values, in the order found."""
    if outcome.description is None:
        return []
    return [
        failure_of(trial, outcome.description, outcome.options.seed, outcome.options.contract)
        for trial in outcome.failures
    ]


def kept(failures: Sequence[Failure], folder: Path) -> list[Path]:
    """Store each failing trace; a folder that cannot be written costs the file, never the verdict."""
    paths: list[Path] = []
    for failure in failures:
        path = folder / f"{failure.fingerprint}.json"
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path.write_bytes(to_json(failure.trace) + b"\n")
        except OSError as error:
            click.echo(f"lifecycle: the trace could not be kept in {path}: {error.strerror}", err=True)
        paths.append(path)
    return paths


def expected(outcome: Outcome, failures: Sequence[Failure], path: Path, write_it: bool) -> int:
    """The exit code under a file of known violations."""
    happened = [Expected("+".join(failure.clauses) or "?", failure.fingerprint) for failure in failures]
    happened += [Expected(f"vector {failed.vector.id}", failed.vector.id) for failed in outcome.vector_failures]
    if write_it:
        wanted = Expectations(outcome.options.system, outcome.options.contract, tuple(sorted(happened)))
        path.write_bytes(to_json(wanted) + b"\n")
        click.echo(f"wrote {len(happened)} expected violations to {path}", err=True)
        return 0
    import msgspec

    try:
        known = msgspec.json.decode(path.read_bytes(), type=Expectations)
    except OSError as error:
        raise ExpectError(f"{path}: {error.strerror}; write it with --write-expect") from error
    except msgspec.DecodeError as error:
        raise ExpectError(f"{path} is no file of expected violations: {error}") from error
    difference = compare(known, happened)
    if difference.render():
        click.echo(difference.render().rstrip(), err=True)
    if outcome.reasons:
        return outcome.exit_code if outcome.verdict == INCONCLUSIVE else 3
    return 0 if difference.holds else 1


def facts(outcome: Outcome, failures: Sequence[Failure]) -> dict[str, object]:
    """The report as plain values; timings apart."""
    return {
        "verdict": outcome.verdict,
        "system": outcome.description,
        "contract": outcome.options.contract,
        "profile": outcome.options.profile,
        "seed": outcome.options.seed,
        "inconclusive": outcome.reasons,
        "covered": {
            "classes": outcome.classes,
            "labels": outcome.labels,
            "edges": outcome.edges,
            "runs": outcome.runs,
            "histories": outcome.histories,
            "rows": sorted(outcome.rows),
            "clauses": sorted(outcome.clauses),
            "vectors": outcome.vectors_held,
        },
        "completeness": completeness(outcome),
        "out_of_reach": {"clauses": outcome.out_of_reach, "vectors": outcome.unreached},
        "failures": [{"clauses": one.clauses, "fingerprint": one.fingerprint, "trace": one.trace} for one in failures],
        "vector_failures": [
            {"vector": one.vector.id, "mismatches": [mismatch.sentence for mismatch in one.mismatches]}
            for one in outcome.vector_failures
        ],
        "not_meant": NOT_MEANT,
        "timings": outcome.seconds,
    }


def show(outcome: Outcome, failures: Sequence[Failure], paths: Sequence[Path]) -> None:
    """Print the report for a reader."""
    name = outcome.description.name if outcome.description else outcome.options.system
    version = f" {outcome.description.version}" if outcome.description and outcome.description.version else ""
    for failure, path in zip(failures, paths, strict=True):
        click.echo("\n".join(lines(failure, f"lifecycle replay {path} --system {_quoted(outcome.options.system)}")))
        click.echo()
    for failed in outcome.vector_failures:
        click.echo(f"vector {failed.vector.id} ({failed.vector.title}): {failed.mismatches[0].sentence}")
        click.echo(f"  clauses {' '.join(failed.vector.clauses)}")
    colour = {CONFORMS: "green", VIOLATES: "red"}.get(outcome.verdict, "yellow")
    click.echo(click.style(outcome.verdict, fg=colour, bold=True) + f"  {name}{version}, contract {outcome.options.contract}, "
               f"profile {outcome.options.profile}, seed {outcome.options.seed}")  # fmt: skip
    for reason in outcome.reasons[:8]:
        click.echo(f"  inconclusive: {reason}")
    if len(outcome.reasons) > 8:
        click.echo(f"  and {len(outcome.reasons) - 8} more reasons (--json shows all)")
    if outcome.runs:
        click.echo(
            f"  covered: {sum(outcome.classes.values())} classes, {outcome.edges} labels and reactions tried, "
            f"{len(outcome.rows)} rows, {len(outcome.clauses)} clauses, {outcome.vectors_held} vectors, "
            f"{outcome.runs} runs, {outcome.histories} histories"
        )
        click.echo(
            f"  out of reach: {len(outcome.out_of_reach)} clauses, {len(outcome.unreached)} vectors (--json lists them)"
        )
        click.echo("  " + completeness(outcome))
    if outcome.verdict == CONFORMS:
        click.echo("  " + NOT_MEANT)


def _quoted(system: str) -> str:
    import shlex

    return shlex.quote(system)


def write(path: Path, outcome: Outcome, failures: Sequence[Failure]) -> None:
    """Write one report by its ending; what cannot be written is said, and the verdict stands."""
    try:
        if path.suffix == ".json":
            path.write_bytes(to_json(facts(outcome, failures)) + b"\n")
        else:
            raise click.UsageError(f"{path}: reports end in .json")
    except OSError as error:
        click.echo(
            f"lifecycle: {path} could not be written: {error.strerror}; the verdict is {outcome.verdict}", err=True
        )
