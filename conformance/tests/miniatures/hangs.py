"""Hangs for ever when it is sent `m2`."""

import sys
import time

from honest import Honest

from lifecycle_conformance.systems.serve import serve
from lifecycle_model.commands import AnyCommand, Send
from lifecycle_model.wire import Answer


class Hangs(Honest):
    def perform(self, command: AnyCommand) -> Answer:
        if isinstance(command, Send) and command.message == "m2":
            time.sleep(3600)
        return super().perform(command)


if __name__ == "__main__":
    sys.exit(serve(Hangs()))
