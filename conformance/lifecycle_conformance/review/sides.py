"""From what a review is asked about to its two sides: contracts by name, revisions, the working tree. Refuses to compare."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from lifecycle_conformance.contracts import NAMES, contract_named
from lifecycle_conformance.review import revisions
from lifecycle_conformance.review.remote import Remote
from lifecycle_conformance.review.side import Local, Side
from lifecycle_conformance.systems.errors import UsageError


@dataclass(frozen=True)
class Pair:
    """Both sides with the names they are told by; `alike` says that not one byte of the model is different."""

    base: Side | None
    head: Side | None
    names: tuple[str, str]
    alike: bool = False
    more: Callable[[], tuple[Side, Side]] | None = None
    """One more process of each side, for what can be done at the same time."""


@contextmanager
def opened(base: str, head: str | None, place: Path, contract: str = "1") -> Iterator[Pair]:
    """The sides of a review; their processes and folders are gone afterwards. Without a head, the working tree is it."""
    if base in NAMES and (head in NAMES or head is None):
        if head is None:
            raise UsageError(f"{base} is a contract: name the one to compare it with", hint="lifecycle review 1 latch")
        yield Pair(Local(contract_named(base)), Local(contract_named(head)), (f"contract {base}", f"contract {head}"))
        return
    with ExitStack() as stack:
        if (Path(base) / revisions.PACKAGE).is_dir() and head is not None and (Path(head) / revisions.PACKAGE).is_dir():
            yield _pair(stack, (Path(base) / revisions.MODEL, base), (Path(head) / revisions.MODEL, head), contract)
            return
        root = revisions.root_of(place)
        before = revisions.commit_of(root, base)
        old = revisions.tree_of(root, before)
        first = stack.enter_context(tempfile.TemporaryDirectory(prefix="lifecycle-review-"))
        second = stack.enter_context(tempfile.TemporaryDirectory(prefix="lifecycle-review-"))
        if head is None:
            names = f"{base} ({before[:9]})", "the working tree"
            if not (root / revisions.PACKAGE).is_dir():
                raise UsageError(f"the working tree has no model ({revisions.PACKAGE})", hint="name a head revision")
            if not revisions.changed_since(root, before):
                yield Pair(None, None, names, alike=True)
                return
            after = root / revisions.MODEL
        else:
            commit = revisions.commit_of(root, head)
            names = f"{base} ({before[:9]})", f"{head} ({commit[:9]})"
            if old == revisions.tree_of(root, commit):
                yield Pair(None, None, names, alike=True)
                return
            after = revisions.unpack(root, commit, Path(second))
        yield _pair(stack, (revisions.unpack(root, before, Path(first)), names[0]), (after, names[1]), contract)


def _pair(stack: ExitStack, base: tuple[Path, str], head: tuple[Path, str], contract: str) -> Pair:
    def started(folder: Path, who: str) -> Side:
        side = Remote(folder, who, contract)
        stack.callback(side.close)
        return side

    def both() -> tuple[Side, Side]:
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(started, *head)
            try:
                first = started(*base)
            finally:
                waiting.exception()  # so that its process is known to the stack
            return first, waiting.result()

    return Pair(*both(), (base[1], head[1]), more=both)
