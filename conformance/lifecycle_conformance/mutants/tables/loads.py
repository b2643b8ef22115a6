"""Mutants of loads among lives of one id: whose turn it is, what a load sees, when a resume is refused (D5, D6, P/r4, P/r7)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "live-id-asked-too-early",
        "A load asks whether its id is live before it waits for its turn, and not when that has come.",
        "persistence",
        """
        await self._take_turn()
        persistence.require_unbuffered(self._id)
        """,
        """
        persistence.require_unbuffered(self._id)
        await self._take_turn()
        """,
        ("D5", "D/r7", "P/r4"),
    ),
    Mutant(
        "load-overtakes-writes",
        "A load that waited for another is served before what was to be written meanwhile.",
        "persistence",
        """
        await self._take(self._line.loads)
        self._require_wanted()
        while self._line.writes:
            await asyncio.wait(set(self._line.writes))
        await self._take(self._line.lock)
        """,
        """
        await self._take(self._line.lock)
        """,
        ("D6", "D/r5", "D/r4", "D5"),
    ),
    Mutant(
        "changed-log-refused-in-load",
        "A resume whose log changed during its load is refused before it is minted and set up.",
        "persistence",
        """
        missing = closers(self._id, stored) if self._current else ()
        """,
        """
        self.require_current()
        missing = closers(self._id, stored)
        """,
        ("P/r7", "P/r4", "P17", "P/r5", "P/r6", "P8"),
    ),
    Mutant(
        "taken-id-set-up",
        "An id that is taken is refused only when the session enters, after minting and setup.",
        "creation",
        """
        self._provider.store.table.require_free(session.id)
        self._session = session
        """,
        """
        self._session = session
        """,
        ("P10", "P/r4"),
    ),
)
