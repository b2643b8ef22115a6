"""Mutants of owners, effects and entries, on which disposal rests (T8 to T10, L5)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "failing-step-stops-disposer",
        "A step of an effect that fails keeps the effect's other steps from running.",
        "fibers",
        """
        except Exception as error:
            self._fiber.fail(error)
        """,
        """
        except Exception as error:
            self._fiber.fail(error)
            break
        """,
        ("T9", "A11"),
        ("F137",),
    ),
    Mutant(
        "failing-disposer-silent",
        "A failing scope disposer is not reported.",
        "fibers",
        """
        self.failures.append(error)
        self._report("scope", self.subject, error)
        """,
        """
        """,
        ("T9", "A11"),
        ("F137",),
    ),
    Mutant(
        "dead-scope-registers",
        "An unloaded owner takes new registrations.",
        "fibers",
        """
        if not self._active:
            raise InactiveOwner(f"owner disposed: {self.name} was unloaded; use a context that is still active")
        """,
        """
        """,
        ("T10", "P/r2", "P6"),
        ("F192",),
    ),
    Mutant(
        "subtree-stays-active",
        "Unloading an owner leaves the owners below it active until their turn comes.",
        "fibers",
        """
        for child in self._children:
            child._refuse()
        """,
        """
        """,
        ("X3", "P6", "T10"),
        ("F209",),
    ),
    Mutant(
        "unload-tells-nobody",
        "An owner's unload begins its agents' teardown only when it comes to them.",
        "fibers",
        """
        try:
            effect.deactivate()
        except FAILURES as error:
            self.fail(error)
        """,
        """
        pass
        """,
        ("X3", "T2", "P6"),
        ("F087",),
    ),
    Mutant(
        "unload-twice",
        "A second unload of an owner does not wait for the first.",
        "fibers",
        """
        if self._unloaded is None:
            self._unloaded = asyncio.get_running_loop().create_task(self._unwind())
            self.deactivate()
        return mirror(self._unloaded)
        """,
        """
        if self._unloaded is not None:
            joined: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            joined.set_result(None)
            return joined
        self._unloaded = asyncio.get_running_loop().create_task(self._unwind())
        self.deactivate()
        return mirror(self._unloaded)
        """,
        ("T1", "T/r8", "P13"),
        ("F068", "F070"),
    ),
    Mutant(
        "entry-outlives-detach",
        "A detached entry keeps its id taken.",
        "entries",
        """
        entry.live = False
        del self._entries[entry.id]
        self._farewell(entry)
        """,
        """
        entry.live = False
        self._farewell(entry)
        """,
        ("T8", "T7", "L/r10", "V8", "I12", "I15"),
        ("F216", "F225"),
    ),
    Mutant(
        "listed-during-farewell",
        "An entry is still listed while its end is announced.",
        "entries",
        """
        entry.live = False
        del self._entries[entry.id]
        self._farewell(entry)
        """,
        """
        entry.live = False
        self._farewell(entry)
        del self._entries[entry.id]
        """,
        ("T7", "T8", "L/r10", "L7"),
        ("F056",),
    ),
    Mutant(
        "stale-detach",
        "A detach of an entry that is gone removes whatever has its id now.",
        "entries",
        """
        if not entry.live or entry.leaving:
            return
        entry.leaving = True
        """,
        """
        if not entry.live:
            self._entries.pop(entry.id, None)
        if not entry.live or entry.leaving:
            return
        entry.leaving = True
        """,
        ("T8", "L5", "L/r12", "P10"),
        ("F136", "F221"),
    ),
)
