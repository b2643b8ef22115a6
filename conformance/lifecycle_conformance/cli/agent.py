"""`lifecycle agent`: the reference runtime as an ACP agent on standard streams."""

from __future__ import annotations

import click


@click.command(
    "agent",
    context_settings={"ignore_unknown_options": True, "help_option_names": []},
    epilog="""\b
Examples:
  lifecycle agent
  lifecycle agent --help
""",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> int:
    """Serve the Agent Client Protocol; the options are those of the runtime's server (`lifecycle agent --help`)."""
    from lifecycle_runtime.acp_server import main

    return main(list(arguments))
