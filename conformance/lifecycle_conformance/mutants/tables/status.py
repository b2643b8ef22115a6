"""Mutants of the status, the holder, the waiters and the driver's life: section S, and what rests on it."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "holder-after-end",
        "The holder is removed after the turn end was logged, so a cancel can still reach a closed turn.",
        "turn",
        """
        core.holder = None
        if session.open_turn == self.number:
            session.append(TURN_END, {"turn": self.number, "reason": reason})
        """,
        """
        if session.open_turn == self.number:
            session.append(TURN_END, {"turn": self.number, "reason": reason})
        core.holder = None
        """,
        ("S4", "C13", "X5", "I3", "S/r15", "S/r16"),
        ("F022", "F060"),
    ),
    Mutant(
        "idle-before-flush",
        "The agent goes idle at the turn's end instead of after its flush.",
        "turn",
        """
        if flush is None:
            return
        """,
        """
        if flush is None:
            return
        if not self.core.ready():
            self.core.park()
        """,
        ("S3", "S8", "S/r17", "S/r20", "C14"),
        ("F185", "F103"),
    ),
    Mutant(
        "status-before-readable",
        "A status is published before it can be read.",
        "core",
        """
        before = self.status
        self.raw_status = value
        if self.status is not before:
            self.publish(StatusChanged(self.agent, self.status))
        """,
        """
        if value is not self.raw_status:
            self.publish(StatusChanged(self.agent, value))
        self.raw_status = value
        """,
        ("S2", "Q4", "Q/r3"),
        ("F014",),
    ),
    Mutant(
        "idle-between-turns",
        "The agent goes idle between two turns although work waits.",
        "driver",
        """
        if not core.ready():
            core.park()
        if core.marker:
        """,
        """
        core.ready()
        core.park()
        if core.marker:
        """,
        ("S3", "S7", "S/r18", "S/r20", "V4"),
        ("F185", "F158"),
    ),
    Mutant(
        "status-repeated",
        "A status is published also when it did not change.",
        "core",
        """
        if self.status is not before:
            self.publish(StatusChanged(self.agent, self.status))
        """,
        """
        self.publish(StatusChanged(self.agent, self.status))
        """,
        ("S2", "I1", "S3", "S/r18"),
    ),
    Mutant(
        "cancelling-skipped",
        "A cancel leaves the status running.",
        "agent",
        """
        if holder.live and core.raw_status is Status.RUNNING:
            core.set_status(Status.CANCELLING)
        core.abort(holder, kind)
        """,
        """
        core.abort(holder, kind)
        """,
        ("S5", "C4", "C/r3", "S/r9", "S/r13", "I8"),
        ("F168",),
    ),
    Mutant(
        "cancelling-kept",
        "The status stays cancelling although the next turn begins.",
        "driver",
        """
        core.set_status(Status.RUNNING)
        if holder.live:
        """,
        """
        if core.raw_status is Status.IDLE:
            core.set_status(Status.RUNNING)
        if holder.live:
        """,
        ("S5", "S/r19", "S/r11", "I4"),
        ("F058",),
    ),
    Mutant(
        "cancelling-ends-early",
        "A cancelled turn's status is running again from its end on, before its flush settled.",
        "turn",
        """
        core.holder = None
        if session.open_turn == self.number:
        """,
        """
        core.holder = None
        if self.holder.aborted and not core.disposed:
            core.set_status(type(core.raw_status)("running"))
        if session.open_turn == self.number:
        """,
        ("S5", "S/r16", "X5"),
        ("F168", "F055"),
    ),
    Mutant(
        "aborted-reservation-runs",
        "A reservation aborted before its claim still opens a turn.",
        "driver",
        """
        if holder.live:
            return holder
        """,
        """
        if holder.live or core.inbox.waking:
            return holder
        """,
        ("S6", "S/r11", "S/r10", "S5"),
        ("F009",),
    ),
    Mutant(
        "abandoned-stays-cancelling",
        "An abandoned reservation with nothing left to do leaves the status cancelling.",
        "driver",
        """
        if not core.ready():
            core.park()
            return None
        """,
        """
        if not core.ready():
            if core.raw_status is not Status.CANCELLING:
                core.park()
            return None
        """,
        ("S6", "S5", "S/r10", "V2", "V3"),
        ("F056", "F060", "F118"),
    ),
    Mutant(
        "cancelled-stays-cancelling",
        "After a cancelled turn the driver goes to sleep without converging.",
        "driver",
        """
        await turn.run()
        await core.pace("converge")
        """,
        """
        await turn.run()
        if holder.aborted:
            return
        await core.pace("converge")
        """,
        ("V2", "S5", "S/r19", "S/r20", "C14", "X6"),
        ("F055", "F242", "F058"),
    ),
    Mutant(
        "failed-turn-ends-driver",
        "A failed turn ends the driver, and the agent stays running.",
        "turn",
        """
        flush = self._close(failure)
        if flush is None:
            return
        """,
        """
        flush = self._close(failure)
        if failure is not None:
            raise failure
        if flush is None:
            return
        """,
        ("Q22", "S/r15", "S/r17", "S3", "V1"),
        ("F056", "F058"),
    ),
    Mutant(
        "failed-flush-ends-driver",
        "A failed flush ends the driver.",
        "turn",
        """
        except Exception as error:
            self.core.fail(self.number, self.step, error)
        """,
        """
        except Exception as error:
            self.core.fail(self.number, self.step, error)
            raise
        """,
        ("S11", "Q22", "D4", "S/r17", "S/r20"),
        ("F155", "F223"),
    ),
    Mutant(
        "failed-flush-told-twice",
        "A failed turn flush is reported twice.",
        "turn",
        """
        except Exception as error:
            self.core.fail(self.number, self.step, error)
        """,
        """
        except Exception as error:
            self.core.fail(self.number, self.step, error)
            self.core.fail(self.number, self.step, error)
        """,
        ("S11", "D4"),
    ),
    Mutant(
        "failed-flush-wrong-step",
        "A failed turn flush is reported for step 0, as if it were an injection's.",
        "turn",
        """
        except Exception as error:
            self.core.fail(self.number, self.step, error)
        """,
        """
        except Exception as error:
            self.core.fail(self.number, 0, error)
        """,
        ("S11", "Q17"),
    ),
    Mutant(
        "failed-flush-silent",
        "A failed turn flush is swallowed.",
        "turn",
        """
        except Exception as error:
            self.core.fail(self.number, self.step, error)
        """,
        """
        except Exception:
            pass
        """,
        ("S11", "D4", "S/r17"),
        ("F137",),
    ),
    Mutant(
        "idle-after-disposed",
        "A reservation that its running listener disposed goes on, and idle follows disposed.",
        "driver",
        """
        while not core.disposed:
            core.marker = False
        """,
        """
        while True:
            core.marker = False
        """,
        ("I1", "S1", "S12", "S/r12"),
        ("F064",),
    ),
    Mutant(
        "listener-starves-others",
        "A listener that throws keeps the later ones from hearing the event.",
        "bus",
        """
        except FAILURES as error:
            self.report(event.name, event.subject, error)
        else:
            self._watch(event, outcome)
        """,
        """
        except FAILURES as error:
            self.report(event.name, event.subject, error)
            break
        else:
            self._watch(event, outcome)
        """,
        ("S9", "C21", "L2", "Q22", "O8", "T9", "G4"),
        ("F187", "F188", "F189"),
    ),
    Mutant(
        "status-listener-fails-publisher",
        "What a status listener throws reaches whoever changed the status.",
        "core",
        """
        if self.status is not before:
            self.publish(StatusChanged(self.agent, self.status))
        """,
        """
        if self.status is not before:
            self.ctx.bus.vetoing(StatusChanged(self.agent, self.status), self.ctx.scope)
        """,
        ("S9", "C21", "Q22"),
        ("F187",),
    ),
    Mutant(
        "steering-by-shown-status",
        "Where cancelling is not shown, steering into a cancelled turn is taken as if the turn ran.",
        "agent",
        """
        running = core.raw_status is Status.RUNNING
        """,
        """
        running = core.status is Status.RUNNING
        """,
        ("Q4", "Q13", "Q/r4", "Q/r1", "policy cancelling_published"),
    ),
    Mutant(
        "hidden-status-inspected",
        "Where cancelling is not shown, an inspection says it all the same.",
        "agent",
        """
        status=core.status,
        """,
        """
        status=core.raw_status,
        """,
        ("S1", "S2", "policy cancelling_published"),
    ),
)
