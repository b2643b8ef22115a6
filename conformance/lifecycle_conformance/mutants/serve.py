"""`python -m lifecycle_conformance.mutants.serve ID`: the reference runtime with one mutant, as a system on stdio."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from lifecycle_conformance.mutants.load import load
from lifecycle_conformance.mutants.zoo import mutant
from lifecycle_conformance.systems.errors import SystemsError
from lifecycle_conformance.systems.load import SystemOptions, open_raw
from lifecycle_conformance.systems.serve import serve


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve the mutant until the end of input; 2 for an unknown id, 3 for one the runtime changed under."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) != 1:
        print("usage: python -m lifecycle_conformance.mutants.serve ID", file=sys.stderr)
        return 2
    try:
        load(mutant(given[0]))
        system = open_raw("reference", SystemOptions())
    except SystemsError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return serve(system)


if __name__ == "__main__":
    sys.exit(main())
