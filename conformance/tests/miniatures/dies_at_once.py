"""Ends before it has answered anything, saying why."""

import sys

if __name__ == "__main__":
    sys.exit("the database is locked")
