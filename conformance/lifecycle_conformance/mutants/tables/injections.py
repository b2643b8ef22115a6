"""Mutants of inject and of what a message carries (Q1, Q15 to Q17)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "inject-by-status",
        "inject goes by the status instead of the log.",
        "core",
        """
        if self.session.open_turn is None:
            self._inject_turn(item)
        """,
        """
        if self.session.open_turn is None and self.raw_status is Status.IDLE:
            self._inject_turn(item)
        """,
        ("Q15", "Q/r8", "Q/r6"),
    ),
    Mutant(
        "inject-into-batch",
        "An injection lands between a tool call and its result.",
        "core",
        """
        elif self.batch_running:
            self.deferred += [ContextItem(item.id, item.content, item.source), *item.contexts]
        """,
        """
        elif False:
            self.deferred += [ContextItem(item.id, item.content, item.source), *item.contexts]
        """,
        ("Q16", "Q/r7", "I11"),
    ),
    Mutant(
        "inject-contexts-lost",
        "An injection deferred by a tool batch loses its contexts.",
        "core",
        """
        self.deferred += [ContextItem(item.id, item.content, item.source), *item.contexts]
        """,
        """
        self.deferred += [ContextItem(item.id, item.content, item.source)]
        """,
        ("Q/r7", "Q16"),
    ),
    Mutant(
        "inject-flush-untracked",
        "The flush of an idle injection is not waited for at disposal.",
        "core",
        """
        self.flushes.start(self._settle_injection(self.store.begin_flush(self.session), turn))
        """,
        """
        TaskGroup().start(self._settle_injection(self.store.begin_flush(self.session), turn))
        """,
        ("T6", "T/r3", "Q/r8", "S/r22", "I15"),
        ("F104", "F108", "F106"),
    ),
    Mutant(
        "inject-unflushed",
        "An idle injection is not flushed.",
        "core",
        """
        if self.session.attached:
            self.flushes.start(self._settle_injection(self.store.begin_flush(self.session), turn))
        """,
        """
        """,
        ("D2", "Q/r8", "Q17"),
        ("F103",),
    ),
    Mutant(
        "inject-flush-error-lost",
        "A failed flush of an idle injection is swallowed.",
        "core",
        """
        except Exception as error:
            self.fail(turn, 0, error)
        """,
        """
        except Exception:
            pass
        """,
        ("Q17", "D4"),
        ("F233", "F237"),
    ),
    Mutant(
        "rejected-injection-stays-open",
        "An injection whose message is vetoed leaves its turn open.",
        "core",
        """
        except Exception as error:
            failure = error
        self.session.append(TURN_END, {"turn": turn, "reason": "completed"})
        """,
        """
        except Exception:
            raise
        self.session.append(TURN_END, {"turn": turn, "reason": "completed"})
        """,
        ("Q17", "L9", "I2"),
        ("F174", "F139"),
    ),
    Mutant(
        "input-not-copied",
        "A message's content is kept as the caller's own object, unchecked.",
        "core",
        """
        content=freeze(content, "content"),
        source=freeze(source, "source"),
        """,
        """
        content=content,
        source=freeze(source, "source"),
        """,
        ("Q1", "Q/r5"),
    ),
    Mutant(
        "rejected-input-kept",
        "A message is queued before its contexts are checked.",
        "agent",
        """
        item = core.accept(content, id, source, contexts, wakeup)
        """,
        """
        try:
            item = core.accept(content, id, source, contexts, wakeup)
        except Exception:
            core.inbox.put(core.accept("", None, source, (), wakeup))
            raise
        """,
        ("Q1", "Q/r5", "I6"),
        ("F138",),
    ),
    Mutant(
        "prompt-forgets-contexts",
        "A prompt's contexts are not logged.",
        "core",
        """
        self.session.append(kind, message_data(item))
        self.append_contexts(item.contexts)
        """,
        """
        self.session.append(kind, message_data(item))
        """,
        ("Q25", "Q/r10", "Q/r6", "Q/r8"),
    ),
    Mutant(
        "open-injection-forgets-contexts",
        "An injection into an open turn loses its contexts.",
        "core",
        """
        else:
            self.append_message(USER_MESSAGE, item)
        """,
        """
        else:
            self.session.append(USER_MESSAGE, message_data(item))
        """,
        ("Q/r6", "Q15"),
    ),
    Mutant(
        "contexts-reversed",
        "Several contexts of one message are logged last first.",
        "core",
        """
        for context in contexts:
            self.session.append(USER_MESSAGE, message_data(context))
        """,
        """
        for context in reversed(contexts):
            self.session.append(USER_MESSAGE, message_data(context))
        """,
        ("Q/r6", "Q/r8", "Q25", "Q/r10", "Q17", "Q9", "Q12", "Q16"),
    ),
)
