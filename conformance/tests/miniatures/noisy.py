"""Writes far more on standard error than a pipe holds, and is otherwise right."""

import sys

from honest import Honest

from lifecycle_conformance.systems.serve import serve
from lifecycle_model.commands import AnyCommand
from lifecycle_model.wire import Answer


class Noisy(Honest):
    def perform(self, command: AnyCommand) -> Answer:
        for _ in range(40):
            sys.stderr.write("noise " * 10_000 + "\n")
        return super().perform(command)


if __name__ == "__main__":
    sys.exit(serve(Noisy()))
