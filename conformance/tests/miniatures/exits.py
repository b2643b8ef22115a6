"""Exits with status 3 when it is sent `m2`, after a word on standard error."""

import os
import sys

from honest import Honest

from lifecycle_conformance.systems.serve import serve
from lifecycle_model.commands import AnyCommand, Send
from lifecycle_model.wire import Answer


class Exits(Honest):
    def perform(self, command: AnyCommand) -> Answer:
        if isinstance(command, Send) and command.message == "m2":
            print("about to give up", file=sys.stderr, flush=True)
            os._exit(3)
        return super().perform(command)


if __name__ == "__main__":
    sys.exit(serve(Exits()))
