"""`lifecycle systems`: list, describe, test, install and remove systems under test."""

from __future__ import annotations

from pathlib import Path

import click


@click.group(
    "systems",
    epilog="""\b
Examples:
  lifecycle systems
  lifecycle systems describe reference
  lifecycle systems test stdio:"node my-adapter.mjs"
  lifecycle systems example my-adapter
  lifecycle systems install dsh
""",
    invoke_without_command=True,
)
@click.pass_context
def command(ctx: click.Context) -> int:
    """List the systems that can be judged; describe, test, install or remove one."""
    if ctx.invoked_subcommand is None:
        listed()
    return 0


def listed() -> None:
    """Print every form of a system's name, and where caches live."""
    from lifecycle_conformance.systems.dsh import default_cache, is_installed
    from lifecycle_conformance.systems.load import KNOWN

    for known in KNOWN:
        click.echo(f"{known.name:<24} {known.about}")
    state = "installed" if is_installed() else "not installed"
    click.echo(f"\ndsh is {state}; its cache is {default_cache()} (LIFECYCLE_CACHE moves it)")


@command.command("describe", epilog="Example: lifecycle systems describe reference")
@click.argument("system")
@click.option("--timeout", default=10.0, show_default=True)
def describe(system: str, timeout: float) -> int:
    """Print a system's name, version and profile."""
    from lifecycle_conformance.systems.load import SystemOptions, open_system
    from lifecycle_model.wire import to_json

    opened = open_system(system, SystemOptions(timeout=timeout))
    try:
        click.echo(to_json(opened.describe()).decode())
    finally:
        opened.stop()
    return 0


@command.command("test", epilog='Example: lifecycle systems test stdio:"node my-adapter.mjs"')
@click.argument("system")
@click.option("--timeout", default=10.0, show_default=True)
def test(system: str, timeout: float) -> int:
    """Check an adapter before it judges a system: quiet, determinism, profile against behaviour, latency."""
    from lifecycle_conformance.systems.load import SystemOptions, open_raw
    from lifecycle_conformance.systems.selftest import open_and_test

    tested = open_and_test(lambda: open_raw(system, SystemOptions(timeout=timeout)))
    for finding in tested.findings:
        click.echo(f"{finding}")
    for note in tested.notes:
        click.echo(f"note: {note}")
    click.echo("fit to judge with" if tested.fit else "not fit: fix what is listed first")
    return 0 if tested.fit else 3


@command.command("example", epilog="Example: lifecycle systems example my-adapter --language javascript")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--language", type=click.Choice(("python", "javascript")), default="python", show_default=True)
def example(folder: Path, language: str) -> int:
    """Copy a toy agent and its adapter into FOLDER, to start from."""
    from lifecycle_conformance.systems.examples import write_example

    *others, adapter = write_example(folder, language)
    for path in (*others, adapter):
        click.echo(path)
    program = {"python": "python", "javascript": "node"}[language]
    click.echo(f'next: lifecycle check stdio:"{program} {adapter}"')
    return 0


@command.command("install", epilog="Example: lifecycle systems install dsh")
@click.argument("system")
def install(system: str) -> int:
    """Install a system that ships as a pinned set; the only command that downloads anything."""
    from lifecycle_conformance.systems.dsh import install as install_dsh

    only_dsh(system)
    click.echo(f"installed in {install_dsh(progress=lambda line: click.echo(line, err=True))}")
    return 0


@command.command("remove", epilog="Example: lifecycle systems remove dsh")
@click.argument("system")
def remove(system: str) -> int:
    """Remove an installed system from the cache."""
    from lifecycle_conformance.systems.dsh import remove as remove_dsh

    only_dsh(system)
    click.echo("removed" if remove_dsh() else "it was not installed")
    return 0


def only_dsh(system: str) -> None:
    """Refuse what cannot be installed."""
    if system != "dsh":
        raise click.UsageError(f"{system!r} is not installed by us; only dsh is")
