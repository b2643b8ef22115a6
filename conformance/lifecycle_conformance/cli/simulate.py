"""`lifecycle simulate`: type or pipe commands; see observations with clause ids and what changed in the configuration."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from lifecycle_model.commands import AnyCommand
    from lifecycle_model.engine import Engine
    from lifecycle_model.quiet import Outcomes
    from lifecycle_model.state import Configuration

HELP = """\
One burst a line; commands in one burst are separated by `;`.
  create a · send a m1 · send a m1 quiet · steer a m2 · inject a m3 · cancel a [parent] · when_idle a w1 · dispose a d1
  hold model a · release model a [finish] · watch policy a · react agent/status a running : cancel a · disarm · tick a
  resume a · abort h1 · unload_owner root · unload_provider p1 · load_provider p2 configured=[{"label":"c1","id":"a"}]
  session create z · storage load a · task start t1 caller=a · task kill t1 · tool unload · executor unload
  acp connect · acp new a as=n1 · acp prompt a m1 p1 · acp cancel a · acp disconnect as=q1; any member as `member=value`
  read a · JSON commands of the protocol · enabled (and what forbids the rest) · reset · help · quit"""


@click.command(
    "simulate",
    epilog="""\b
Examples:
  lifecycle simulate
  printf 'create a\\nsend a m1; cancel a; send a m2\\n' | lifecycle simulate
""",
)
@click.option("--contract", default="1", show_default=True, help="The contract, or a variant of it.")
@click.option("--json", "as_json", is_flag=True, help="Print each burst's outcomes as JSON lines.")
def command(contract: str, as_json: bool) -> int:
    """Perform typed commands on the model alone, one burst a line (`help` inside shows the words)."""
    from lifecycle_conformance.contracts import contract_named
    from lifecycle_conformance.simulating import Misread, parse
    from lifecycle_model.engine import Engine, ModelError
    from lifecycle_model.quiet import perform
    from lifecycle_model.state import start

    engine = Engine(contract_named(contract))
    here = start()
    interactive = sys.stdin.isatty()
    if interactive:
        click.echo(HELP)
    wrong = 0
    for line in _lines(interactive):
        word = line.strip()
        if word in ("quit", "exit"):
            break
        if not word or word.startswith("#"):
            continue
        if word == "help":
            click.echo(HELP)
        elif word == "reset":
            here = start()
        elif word == "enabled":
            _enabled(engine, here)
        else:
            try:
                outcomes = perform(engine, here, parse(word))
            except (Misread, ModelError) as error:
                click.echo(f"? {error}", err=True)
                wrong += 1
                continue
            _show(outcomes, here, parse(word), as_json)
            here = outcomes[0].configuration
    return 2 if wrong and not interactive else 0


def _lines(interactive: bool) -> Iterator[str]:
    while True:
        if interactive:
            sys.stdout.write("> ")
            sys.stdout.flush()
        line = sys.stdin.readline()
        if not line:
            return
        yield line


def _show(outcomes: tuple[Outcomes, ...], before: Configuration, burst: tuple[AnyCommand, ...], as_json: bool) -> None:
    from lifecycle_conformance.failure.notation import observation
    from lifecycle_conformance.simulating import difference
    from lifecycle_model.wire import to_json

    for number, outcome in enumerate(outcomes, 1):
        if as_json:
            click.echo(to_json({"calls": outcome.answers, "seen": outcome.seen}).decode())
            continue
        if len(outcomes) > 1:
            click.echo(f"outcome {number} of {len(outcomes)} (the contract allows each):")
        for asked, answer in zip(burst, outcome.answers, strict=True):
            if answer.ok is None:
                continue
            click.echo(f"  = {asked.verb}: {to_json(answer).decode()}")
        for seen, row in zip(outcome.seen, outcome.said, strict=True):
            clauses = " ".join(row.clauses) if row else ""
            click.echo(f"  {observation(seen):<34} {clauses}")
        for line in difference(before, outcome.configuration):
            click.echo(f"  ~ {line}")


def _enabled(engine: Engine, here: Configuration) -> None:
    from lifecycle_conformance.enabled import enabled

    for words, says in enabled(engine, here):
        click.echo(f"  {words:<22} {says}")
