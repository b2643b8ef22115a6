"""Mutants of the ACP bridge: slots, correlation, output and the one end (section A)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "cancel-reads-end-turn",
        "A prompt its client cancelled is answered by how its turn ended.",
        "acp_slot",
        """
        if self.flagged:
            self.answer.set_result("cancelled")
        elif undelivered:
        """,
        """
        if undelivered:
        """,
        ("A5", "A/r13", "A/r10"),
        ("F238", "F063", "F037"),
    ),
    Mutant(
        "aborted-reads-end-turn",
        "A prompt whose turn was aborted is answered end_turn.",
        "acp_slot",
        """
        self.answer.set_result(self._policies.foreign_abort_stop_reason)
        """,
        """
        self.answer.set_result("end_turn")
        """,
        ("A5", "A/r11"),
        ("F238",),
    ),
    Mutant(
        "two-prompts",
        "A second prompt is accepted while one is running.",
        "acp_bridge",
        """
        if record.busy:
            return _rejected(Busy(f"session {session_id!r} is running a prompt; wait for its answer or cancel it"))
        """,
        """
        """,
        ("A1", "A/r6", "I20"),
        ("F026", "F166"),
    ),
    Mutant(
        "refused-send-keeps-slot",
        "A prompt whose message is refused keeps the slot occupied.",
        "acp_bridge",
        """
        except Exception as error:
            record.slot = None
            return _rejected(error)
        """,
        """
        except Exception as error:
            return _rejected(error)
        """,
        ("A2", "A/r7"),
        ("F141", "F142"),
    ),
    Mutant(
        "any-turn-settles",
        "Any message turn that starts is taken for the prompt's own.",
        "acp_slot",
        """
        if record.type == TURN_START and self._claiming and record.data.get("trigger") == "message":
        """,
        """
        if record.type == TURN_START and record.data.get("trigger") == "message":
        """,
        ("A3", "A/r9", "I20"),
        ("F157", "F166", "F111"),
    ),
    Mutant(
        "dropped-prompt-unanswered",
        "A prompt whose message was dropped is never answered.",
        "acp_session",
        """
        if self.busy and any(item.id == self.busy.message for item, _ in event.items):
            self.busy.dropped()
        """,
        """
        pass
        """,
        ("A/r10", "A8", "A7", "V9"),
        ("F112", "F078"),
    ),
    Mutant(
        "foreign-discard-answers",
        "Any discard answers the prompt that waits for its claim.",
        "acp_session",
        """
        if self.busy and any(item.id == self.busy.message for item, _ in event.items):
            self.busy.dropped()
        """,
        """
        if self.busy:
            self.busy.dropped()
        """,
        ("A3", "A/r10", "I20"),
        ("F023",),
    ),
    Mutant(
        "answered-before-output",
        "A prompt is answered while its output is still being delivered.",
        "acp_slot",
        """
        self._ended = True
        self._output.after(self._settle)
        """,
        """
        self._ended = True
        self._settle()
        """,
        ("A4", "A/r11"),
        ("F116", "F046"),
    ),
    Mutant(
        "answered-at-turn-end",
        "A prompt is answered at its turn's end, before the flush settled.",
        "acp_slot",
        """
        self._reason = reason if isinstance(reason, str) else None
        """,
        """
        self._reason = reason if isinstance(reason, str) else None
        self._end()
        """,
        ("A4", "A/r11"),
        ("F167", "F062"),
    ),
    Mutant(
        "late-create-survives",
        "A session that comes into being while the bridge closes stays.",
        "acp_bridge",
        """
        if not self.open:
            self._late_failures += await handle.dispose()
            raise self._closed(verb)
        """,
        """
        """,
        ("A9", "A/r3", "I21", "A10"),
        ("F088",),
    ),
    Mutant(
        "creations-not-aborted",
        "Closing does not abort sessions being opened.",
        "acp_bridge",
        """
        for signal in tuple(self._opening):
            signal.abort(self._closed("opening a session"))
        """,
        """
        """,
        ("A9", "A10", "A/r14"),
        ("F090", "F245"),
    ),
    Mutant(
        "sessions-outlive-client",
        "Closing disposes no session.",
        "acp_bridge",
        """
        if record.handle is not None:
            disposals.append(record.handle.dispose())
        """,
        """
        pass
        """,
        ("A11", "A10", "A/r14", "I21"),
        ("F086", "F087", "F094"),
    ),
    Mutant(
        "closed-bridge-opens",
        "A closed bridge still creates sessions.",
        "acp_bridge",
        """
        if not self.open:
            return _rejected(self._closed("session/new"))
        """,
        """
        """,
        ("A9", "A/r1", "I21"),
        ("F088",),
    ),
    Mutant(
        "loading-mark-left",
        "A failed load leaves its id marked as loading.",
        "acp_bridge",
        """
        finally:
            self._loading.discard(session_id)
        """,
        """
        finally:
            pass
        """,
        ("A14",),
        ("F216", "F224"),
    ),
    Mutant(
        "loading-unmarked",
        "A second load of an id that is being loaded is not refused.",
        "acp_bridge",
        """
        self._loading.add(session_id)
        return self._start(self._load(session_id, cwd, signal), signal)
        """,
        """
        return self._start(self._load(session_id, cwd, signal), signal)
        """,
        ("A14", "A/r4"),
        ("F121", "F212", "F214"),
    ),
    Mutant(
        "cwd-unchecked",
        "A session is loaded for another working directory.",
        "acp_bridge",
        """
        if meta.get("cwd") != cwd:
        """,
        """
        if False:
        """,
        ("A/r4",),
        ("F208",),
    ),
    Mutant(
        "teardown-drops-output",
        "A teardown drops what its client has not been told yet.",
        "acp_bridge",
        """
        return mirror(self._close())
        """,
        """
        closing = self._close()
        for record in self._records.values():
            record.output.drop()
        return mirror(closing)
        """,
        ("A4", "A13"),
    ),
    Mutant(
        "dropped-output-blocks",
        "Output dropped at a disconnect never counts as drained.",
        "acp_output",
        """
        for item in waiting:
            if callable(item):
                item()
        """,
        """
        """,
        ("A13", "V9", "A4"),
        ("F075", "F077"),
    ),
    Mutant(
        "vetoed-start-unanswered",
        "A prompt whose turn start is vetoed is never answered.",
        "acp_slot",
        """
        if self._claiming:
            self._claiming = False
            self._reason, self._error = "error", error
            self._end()
        elif turn == self.turn and self._reason is None:
        """,
        """
        if turn == self.turn and self._reason is None:
        """,
        ("A/r15", "V9", "A5"),
        ("F115", "F111"),
    ),
    Mutant(
        "failed-output-ignored",
        "A prompt whose output could not be delivered is answered as if it had been.",
        "acp_slot",
        """
        elif undelivered:
            self._refuse(OutputFailed(f"an update could not be delivered to the client: {undelivered[0]}"))
        """,
        """
        """,
        ("A5",),
    ),
    Mutant(
        "cancel-unflagged",
        "session/cancel stops the agent but does not flag the prompt.",
        "acp_bridge",
        """
        if record.busy:
            record.busy.flagged = True
        record.agent.cancel("user")
        """,
        """
        record.agent.cancel("user")
        """,
        ("A/r13", "A5"),
        ("F037", "F063", "F114"),
    ),
    Mutant(
        "cancel-flags-everyone",
        "session/cancel flags the prompt of every session.",
        "acp_bridge",
        """
        if record.busy:
            record.busy.flagged = True
        record.agent.cancel("user")
        """,
        """
        for each in self._records.values():
            if each.busy:
                each.busy.flagged = True
        record.agent.cancel("user")
        """,
        ("A1", "A5", "A/r13"),
        ("F033", "F034"),
    ),
    Mutant(
        "cancel-only-flags",
        "session/cancel flags the prompt but does not cancel the agent.",
        "acp_bridge",
        """
        if record.busy:
            record.busy.flagged = True
        record.agent.cancel("user")
        """,
        """
        if record.busy:
            record.busy.flagged = True
        """,
        ("A/r13", "A/r12"),
        ("F114", "F050"),
    ),
)
