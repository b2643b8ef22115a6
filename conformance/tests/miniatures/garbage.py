"""Greets on standard output before it answers."""

import os
import sys

from honest import Honest

from lifecycle_conformance.systems.serve import serve

if __name__ == "__main__":
    os.write(1, b"Hello, I am a system!\n")
    sys.exit(serve(Honest()))
