"""Mutants of the session log, its entries and its durability: sections L and D."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "append-inside-append",
        "An observer may append to the log it is told about.",
        "session",
        """
        if self._dispatching:
            raise ReentrantAppend(
                f"session {self.id} is dispatching record {len(self)}; append {kind} after its observers"
            )
        """,
        """
        """,
        ("L3", "L/r2", "Q/r5", "X8"),
    ),
    Mutant(
        "commit-before-validation",
        "A record is committed before it is validated.",
        "session",
        """
        if kind not in UNVALIDATED:
            attachment.validate(record)
        if not still():
            return None
        self._commit(record)
        attachment.publish(record)
        """,
        """
        self._commit(record)
        if kind not in UNVALIDATED:
            attachment.validate(record)
        attachment.publish(record)
        """,
        ("L2", "L/r3", "I17", "Q7"),
        ("F138",),
    ),
    Mutant(
        "closing-records-vetoed",
        "A validator can veto the records that close a turn.",
        "session",
        """
        if kind not in UNVALIDATED:
            attachment.validate(record)
        """,
        """
        attachment.validate(record)
        """,
        ("L/r3",),
    ),
    Mutant(
        "detach-during-append",
        "A session may leave while one of its records is being published.",
        "store",
        """
        def appending(self) -> None:
            self.store.table.hold(self.entry)

        def appended(self) -> None:
            self.store.table.release(self.entry)
        """,
        """
        def appending(self) -> None:
            pass

        def appended(self) -> None:
            pass
        """,
        ("L4", "L/r11", "I17"),
    ),
    Mutant(
        "detach-during-announcement",
        "An entry may leave while it is being announced.",
        "entries",
        """
        self.hold(entry)
        try:
            dispatch()
        finally:
            self.release(entry)
        """,
        """
        dispatch()
        """,
        ("L4", "P5", "L/r11", "L11"),
    ),
    Mutant(
        "deferred-detach-lost",
        "A detach requested while an entry is busy never happens.",
        "entries",
        """
        if entry.leaving and not entry.holds:
            self._remove(entry)
        """,
        """
        """,
        ("L/r11", "V11", "L4"),
        ("F018",),
    ),
    Mutant(
        "announced-twice",
        "An entry can be announced again.",
        "entries",
        """
        if entry.announced:
            raise AlreadyAnnounced(f"{self._kind} {entry.id!r} was announced before; announce once")
        """,
        """
        """,
        ("L/r9", "P4"),
        ("F118",),
    ),
    Mutant(
        "silent-session-detach-announced",
        "A session that was never announced is announced as disposed.",
        "store",
        """
        if entry.announced:
            self.bus.contained(SessionDisposed(entry.value), scope)
        """,
        """
        self.bus.contained(SessionDisposed(entry.value), scope)
        """,
        ("L5", "P4", "L/r10"),
    ),
    Mutant(
        "session-in-two-stores",
        "A session can be entered while another store holds it.",
        "store",
        """
        if session.attached:
            raise AlreadyEntered(f"session {session.id!r} is attached already; detach that entry first")
        """,
        """
        """,
        ("L6", "L/r7"),
        ("F217", "F219"),
    ),
    Mutant(
        "out-of-band-overlaps",
        "A second out-of-band append runs while one is under way.",
        "store",
        """
        if attachment.busy:
            raise Busy(f"session {session.id!r} has an out-of-band append running; await it first")
        """,
        """
        """,
        ("L9", "L/r15", "L/r16"),
    ),
    Mutant(
        "flush-error-hides-record-error",
        "A failed flush hides why an out-of-band record was rejected.",
        "store",
        """
        except Exception as error:
            failure = failure or error
        """,
        """
        except Exception as error:
            failure = error
        """,
        ("L9",),
    ),
    Mutant(
        "rejected-out-of-band-stays-open",
        "A rejected out-of-band record leaves its turn open.",
        "store",
        """
        try:
            outcome = session.append(kind, data)
        except Exception as error:
            outcome = error
        session.append(TURN_END, {"turn": turn, "reason": "completed"})
        """,
        """
        outcome = session.append(kind, data)
        session.append(TURN_END, {"turn": turn, "reason": "completed"})
        """,
        ("L9", "I2", "L/r16"),
        ("F174",),
    ),
    Mutant(
        "flush-raises-last",
        "A flush raises its last failure instead of the first registered one.",
        "bus",
        """
        for failure in settled:
            if isinstance(failure, asyncio.CancelledError):
        """,
        """
        for failure in settled[::-1]:
            if isinstance(failure, asyncio.CancelledError):
        """,
        ("L/r13",),
    ),
    Mutant(
        "flush-fails-at-once",
        "A flush listener that throws ends the flush without waiting for the others.",
        "bus",
        """
        waits = [_outcome(item) for item in self._outcomes if not isinstance(item, BaseException)]
        """,
        """
        for thrown in self._outcomes:
            if isinstance(thrown, BaseException):
                raise thrown
        waits = [_outcome(item) for item in self._outcomes if not isinstance(item, BaseException)]
        """,
        ("L/r13", "D4"),
        ("F137",),
    ),
    Mutant(
        "no-repair",
        "An open tail is not closed when a log is loaded.",
        "repair",
        """
        if session.open_turn is None:
            return ()
        """,
        """
        return ()
        """,
        ("D/r6", "D1", "I2"),
        ("F101",),
    ),
    Mutant(
        "repair-forgets-calls",
        "Repair gives advertised calls no results.",
        "repair",
        """
        missing += _results(session, turn, step)
        missing.append({"type": STEP_END, "turn": turn, "step": step})
        """,
        """
        missing.append({"type": STEP_END, "turn": turn, "step": step})
        """,
        ("D/r6", "I11"),
        ("F197",),
    ),
    Mutant(
        "repair-not-stored",
        "A repaired tail is not written back.",
        "persistence",
        """
        self._version = self._line.version
        await persistence.write(self._id, len(stored.records), missing)
        """,
        """
        self._version = self._line.version
        """,
        ("D/r6", "D5"),
    ),
    Mutant(
        "final-drain-missing",
        "What a session committed after its last flush is lost when it leaves.",
        "persistence",
        """
        del self._buffers[event.session.id]
        self._background(buffer, self._drain(buffer))
        """,
        """
        del self._buffers[event.session.id]
        """,
        ("D/r4", "D6", "D3"),
        ("F103", "F105", "F106"),
    ),
    Mutant(
        "flush-writes-nothing",
        "A flush settles without writing what was buffered.",
        "persistence",
        """
        return self._drain(buffer) if buffer is not None else None
        """,
        """
        return None
        """,
        ("D/r3", "D4"),
        ("F103",),
    ),
    Mutant(
        "failed-write-loses",
        "Records whose write failed are forgotten.",
        "persistence",
        """
        records = tuple(buffer.pending)
        if records:
            await self.write(buffer.session.id, buffer.written, records)
        """,
        """
        records = tuple(buffer.pending)
        if records:
            buffer.pending = []
            await self.write(buffer.session.id, buffer.written, records)
        """,
        ("D4", "D/r3", "D2"),
        ("F172",),
    ),
    Mutant(
        "create-overwrites",
        "A create over a stored id throws the former log away.",
        "storage_memory",
        """
        self._logs.setdefault(session_id, []).append((freeze_object(meta), []))
        """,
        """
        self._logs[session_id] = [(freeze_object(meta), [])]
        """,
        ("D7", "D/r1"),
        ("F225",),
    ),
    Mutant(
        "create-continues",
        "A create over a stored id continues the former log.",
        "storage_memory",
        """
        self._logs.setdefault(session_id, []).append((freeze_object(meta), []))
        """,
        """
        self._logs.setdefault(session_id, [(freeze_object(meta), [])])
        """,
        ("D7", "D/r1"),
        ("F225", "F130"),
    ),
    Mutant(
        "live-log-loaded",
        "The log of a live session can be loaded and repaired.",
        "persistence",
        """
        if live:
            raise DuplicateId(f"session {session_id!r} is live; dispose it before loading its log")
        """,
        """
        pass
        """,
        ("D/r7", "D5", "P10"),
        ("F212", "F213", "F215"),
    ),
    Mutant(
        "absent-log-loaded",
        "A load of an id without log gives an empty session.",
        "persistence",
        """
        if stored is None:
            raise NotStored(f"no log is stored under {self._id!r}; create it instead")
        """,
        """
        if stored is None:
            stored = StoredLog(Session(self._id).meta, ())
        """,
        ("D/r8", "P17"),
    ),
    Mutant(
        "abandoned-load-blocks",
        "A load that was given up keeps the id's operations waiting.",
        "persistence",
        """
        self._abandoned = True
        if not self._writing:
            self._release()
        """,
        """
        self._abandoned = True
        """,
        ("D5", "P11", "V7"),
        ("F213", "F224"),
    ),
)
