"""Prints while it runs, which is no fault: `serve` keeps standard output for the protocol."""

import os
import sys

from honest import Honest

from lifecycle_conformance.systems.serve import serve
from lifecycle_model.commands import AnyCommand
from lifecycle_model.wire import Answer


class Prints(Honest):
    def perform(self, command: AnyCommand) -> Answer:
        print("performing", command.verb)
        os.write(1, b"and past Python's back\n")
        return super().perform(command)


if __name__ == "__main__":
    sys.exit(serve(Prints()))
