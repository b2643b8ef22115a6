"""`lifecycle serve`: the stdio side of the protocol for a system in Python."""

from __future__ import annotations

import click


@click.command(
    "serve",
    epilog="""\b
Examples:
  lifecycle serve
  lifecycle check stdio:"lifecycle serve"
  lifecycle serve python:my_package.adapter:make
""",
)
@click.argument("system", default="reference")
def command(system: str) -> int:
    """Serve SYSTEM (default: the reference runtime) as newline-delimited JSON-RPC on standard input and output."""
    from lifecycle_conformance.systems.load import open_system
    from lifecycle_conformance.systems.serve import serve

    return serve(open_system(system))
