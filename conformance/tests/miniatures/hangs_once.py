"""Hangs at the third run of its life and at no other: what it does depends on what ran before."""

import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from honest import Honest

from lifecycle_conformance.systems.serve import serve
from lifecycle_model.commands import Burst
from lifecycle_model.wire import BurstResult

MARK = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.gettempdir()) / "hung"


class HangsOnce(Honest):
    runs = 0

    def run(self, bursts: Sequence[Burst]) -> list[BurstResult]:
        self.runs += 1
        if self.runs == 3 and not MARK.exists():
            MARK.touch()
            time.sleep(3600)
        return super().run(bursts)


if __name__ == "__main__":
    sys.exit(serve(HangsOnce()))
