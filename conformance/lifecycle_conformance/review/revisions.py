"""A git revision's model as a folder, taken from the object store. Refuses to touch the working tree and the index."""

from __future__ import annotations

import subprocess
import tarfile
from io import BytesIO
from pathlib import Path

from lifecycle_conformance.systems.errors import UsageError

MODEL = "model"
PACKAGE = "model/lifecycle_model"


def root_of(place: Path) -> Path:
    """The top of the working tree that holds a place; UsageError if there is none, or no git."""
    done = _git(place, "rev-parse", "--show-toplevel")
    if done.returncode:
        raise UsageError(
            f"{place} is not in a git repository", hint="run it in a clone, or name two contracts: 1 latch"
        )
    return Path(done.stdout.decode().strip())


def commit_of(root: Path, revision: str) -> str:
    """The full id of a revision's commit; UsageError if there is none, saying so where a shallow clone may be why."""
    done = _git(root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    if done.returncode == 0:
        return done.stdout.decode().strip()
    if _git(root, "rev-parse", "--is-shallow-repository").stdout.strip() == b"true":
        raise UsageError(
            f"no revision {revision!r} in this shallow clone",
            hint="fetch it first: git fetch --unshallow, or fetch-depth: 0 in the checkout step",
        )
    raise UsageError(f"no revision {revision!r}", hint="git log names them; a contract or variant is 1 or latch")


def tree_of(root: Path, commit: str) -> str:
    """The id of the model's tree in a commit; UsageError if it has no model."""
    done = _git(root, "rev-parse", "--verify", "--quiet", f"{commit}:{PACKAGE}")
    if done.returncode:
        raise UsageError(f"revision {commit[:12]} has no model ({PACKAGE})", hint="review from a revision that has one")
    return done.stdout.decode().strip()


def unpack(root: Path, commit: str, into: Path) -> Path:
    """Write the model of a commit into a folder; gives what goes on the path."""
    done = _git(root, "archive", "--format=tar", commit, PACKAGE)
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().splitlines()
        raise UsageError(
            f"git cannot give the model of {commit[:12]}: {why[-1] if why else 'no reason given'}",
            hint="a partial clone fetches it with: git fetch",
        )
    with tarfile.open(fileobj=BytesIO(done.stdout)) as packed:
        packed.extractall(into, filter="data")
    return into / MODEL


def unpack_all(root: Path, commit: str, into: Path) -> None:
    """Write everything of a commit into a folder: a runtime needs more than its sources."""
    done = _git(root, "archive", "--format=tar", commit)
    if done.returncode:
        why = done.stderr.decode(errors="replace").strip().splitlines()
        raise UsageError(f"git cannot give the files of {commit[:12]}: {why[-1] if why else 'no reason given'}")
    with tarfile.open(fileobj=BytesIO(done.stdout)) as packed:
        packed.extractall(into, filter="data")


def changed_since(root: Path, commit: str) -> bool:
    """Tell whether the working tree's model differs from a commit's, files not yet added included."""
    # status and diff-index may refresh the index; these two only read
    tracked = _git(root, "--no-optional-locks", "diff", "--quiet", commit, "--", PACKAGE)
    untracked = _git(root, "ls-files", "--others", "--exclude-standard", "--", PACKAGE)
    return tracked.returncode != 0 or bool(untracked.stdout.strip())


def _git(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, check=False)
    except FileNotFoundError as error:
        raise UsageError("git is not installed", hint="install git, or name two contracts: 1 latch") from error
