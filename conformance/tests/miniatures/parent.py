"""Leaves a child in a session of its own, whose number it writes to the file it is given."""

import subprocess
import sys
from pathlib import Path

from honest import Honest

from lifecycle_conformance.systems.serve import serve

if __name__ == "__main__":
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"], start_new_session=True)
    Path(sys.argv[1]).write_text(str(child.pid), encoding="ascii")
    sys.exit(serve(Honest()))
