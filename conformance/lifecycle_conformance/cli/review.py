"""`lifecycle review`: what a change of the lifecycle does, by behaviour. Refuses to touch the working tree or the index."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command(
    "review",
    epilog="""\b
Examples:
  lifecycle review main                       what the working tree changes
  lifecycle review main my-branch             what a branch changes
  lifecycle review 1 latch                    two contracts
  lifecycle review main --form markdown -o review.md
  lifecycle review main --system reference    what the working tree changes in the runtime
  lifecycle review main --scopes small        faster: core, contexts, tools, keep, creation
""",
)
@click.argument("base")
@click.argument("head", required=False)
@click.option("--contract", default="1", show_default=True, help="Of revisions: the contract, or a variant of it.")
@click.option("--system", help="Compare this runtime at BASE and HEAD: reference, or stdio:COMMAND run in each folder.")
@click.option("--scopes", default="standard", show_default=True, help="small, standard, or scopes with commas.")
@click.option("--properties/--no-properties", default=True, show_default=True, help="Judge properties on both sides.")
@click.option("--vectors/--no-vectors", default=True, show_default=True, help="Play the hand-written vectors on both.")
@click.option(
    "--mutants/--no-mutants", default=False, show_default=True, help="Start mutants about the clauses involved."
)
@click.option("--beyond/--no-beyond", default=None, help="Go on behind a difference. [default: for two contracts]")
@click.option("--form", type=click.Choice(["text", "markdown", "json", "html"]), default="text", show_default=True)
@click.option("--output", "-o", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file.")
def command(
    base: str,
    head: str | None,
    contract: str,
    system: str | None,
    scopes: str,
    properties: bool,
    vectors: bool,
    mutants: bool,
    beyond: bool | None,
    form: str,
    output: Path | None,
) -> int:
    """Say what changes from BASE to HEAD: two revisions, two contracts or variants, or two folders that hold a model.

    Without HEAD the working tree is reviewed as it is. Exit 0: a review was made, whatever it says. Exit 2: wrong use,
    or a side that cannot be built.
    """
    try:
        from msgspec import structs

        from lifecycle_conformance.review import told
        from lifecycle_conformance.review.known import known
        from lifecycle_conformance.review.review import review, same
        from lifecycle_conformance.review.sides import opened
    except (SyntaxError, ImportError) as error:
        raise click.UsageError(
            f"the installed model cannot be imported: {error}; repair it, or run an installation that works"
        ) from error
    if system is not None:
        from lifecycle_conformance.review.observed import opened as running
        from lifecycle_conformance.review.observed import review_system
    say = (lambda text: click.echo(text, err=True)) if sys.stderr.isatty() else lambda text: None
    if system is not None:
        with running(system, base, head, Path.cwd()) as (old, new, names):
            found = review_system(old, new, names, say, scopes, system, contract)
        return _written(told.FORMS[form](found), output)
    with opened(base, head, Path.cwd(), contract) as pair:
        if pair.base is None or pair.head is None:
            found = same(*pair.names)
        else:
            further = beyond if beyond is not None else pair.names[0].startswith("contract ")
            found = review(
                pair.base,
                pair.head,
                pair.names,
                say,
                scopes=scopes,
                properties=properties,
                vectors=vectors,
                beyond=further,
                more=pair.more,
            )
            about = {contract} if pair.more is not None else {base, str(head)}
            found = structs.replace(found, systems=known(found.causes, about, mutants))
    return _written(told.FORMS[form](found), output)


def _written(text: str, output: Path | None) -> int:
    """Print it, or write it into the file."""
    if output is None:
        click.echo(text, nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        click.echo(output)
    return 0
