"""Mutants of a turn's inside: steps, tool batches and the turn's close (Q25, X5)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "continuation-ignored",
        "A continuation that decides to continue is taken for the default.",
        "step",
        """
        if isinstance(decision, Continue):
            self._steer(decision)
            return True
        """,
        """
        if isinstance(decision, Continue):
            self._steer(decision)
            if calls:
                return True
        """,
        ("Q25", "Q10"),
    ),
    Mutant(
        "step-numbers-skip",
        "Step numbers go up by two.",
        "turn",
        """
        self.step += 1
        self.max_tokens = False
        """,
        """
        self.step += 2
        self.max_tokens = False
        """,
        ("Q20", "Q25"),
    ),
    Mutant(
        "error-before-step-end",
        "A failing turn reports its error while the step is still open.",
        "turn",
        """
        if session.open_turn == self.number and session.open_step is not None:
            session.append(STEP_END, {"turn": self.number, "step": session.open_step})
        reason = self._reason(failure)
        if reason == "error" and failure is not None:
            core.fail(self.number, self.step, failure)
        """,
        """
        reason = self._reason(failure)
        if reason == "error" and failure is not None:
            core.fail(self.number, self.step, failure)
        if session.open_turn == self.number and session.open_step is not None:
            session.append(STEP_END, {"turn": self.number, "step": session.open_step})
        """,
        ("X5", "Q20", "C18"),
    ),
    Mutant(
        "error-unreported",
        "A failing turn ends with error but reports none.",
        "turn",
        """
        if reason == "error" and failure is not None:
            core.fail(self.number, self.step, failure)
        """,
        """
        """,
        ("Q20", "X5"),
        ("F115", "F137"),
    ),
    Mutant(
        "blocked-prompt-runs",
        "A blocked prompt runs.",
        "turn",
        """
        if isinstance(decision, Block):
            core.session.append(PROMPT_BLOCKED, {"turn": self.number, "id": self._item.id})
            self._rejected = True
            return
        """,
        """
        if isinstance(decision, Block):
            core.session.append(PROMPT_BLOCKED, {"turn": self.number, "id": self._item.id})
            self._rejected = True
        """,
        ("Q21", "Q25", "X5"),
    ),
    Mutant(
        "blocked-prompt-completes",
        "The turn of a blocked prompt ends as completed.",
        "turn",
        """
        if self._rejected:
            return "rejected"
        """,
        """
        """,
        ("Q21", "C18", "D1", "I10"),
    ),
    Mutant(
        "max-tokens-completes",
        "A turn whose last step ran out of tokens ends as completed.",
        "turn",
        """
        return "max-tokens" if self.max_tokens else "completed"
        """,
        """
        return "completed"
        """,
        ("Q25", "C18", "D1"),
    ),
    Mutant(
        "prefix-always-composed",
        "The prefix is composed in every step.",
        "step",
        """
        if core.prefix is None:
            core.prefix = (await self._turn.gate(lambda: self._behaviour.compose_prefix(self._turn.view)),)
        """,
        """
        core.prefix = (await self._turn.gate(lambda: self._behaviour.compose_prefix(self._turn.view)),)
        """,
        ("C22", "Q25"),
    ),
    Mutant(
        "retry-ignored",
        "A failed request is never tried again.",
        "step",
        """
        if decision == "retry":
            return True
        raise error
        """,
        """
        raise error
        """,
        ("Q25", "Q20"),
    ),
    Mutant(
        "recovery-before-step-end",
        "Recovery is asked before the failed step is closed.",
        "step",
        """
        self._log(STEP_END)
        decision = await turn.gate(lambda: self._behaviour.recover(turn.view, error))
        """,
        """
        decision = await turn.gate(lambda: self._behaviour.recover(turn.view, error))
        self._log(STEP_END)
        """,
        ("C23", "Q25", "Q20"),
    ),
    Mutant(
        "batch-open-too-long",
        "An injection after a tool batch still waits, for the end of the next one.",
        "toolbatch",
        """
        finally:
            core.batch_running = False
            deferred, core.deferred = core.deferred, []
        """,
        """
        finally:
            deferred, core.deferred = core.deferred, []
        """,
        ("Q16", "Q/r6", "Q/r7"),
        ("F041",),
    ),
    Mutant(
        "batch-closed-too-early",
        "An injection after the first of two tool results lands between them.",
        "toolbatch",
        """
        self._log(TOOL_RESULT, index, call, data)
        self._core.deferred += contexts
        """,
        """
        self._log(TOOL_RESULT, index, call, data)
        self._core.deferred += contexts
        self._core.batch_running = False
        """,
        ("Q16", "Q/r7", "I11"),
    ),
    Mutant(
        "deferred-reversed",
        "Deferred context follows a tool batch newest first.",
        "toolbatch",
        """
        core.append_contexts(deferred)
        """,
        """
        core.append_contexts(deferred[::-1])
        """,
        ("Q16", "Q/r7"),
    ),
    Mutant(
        "failing-tool-fails-turn",
        "A tool that raises fails the turn instead of giving an error result.",
        "toolbatch",
        """
        except Exception as error:
            result = ToolResult(_told(error), error=True)
        """,
        """
        except Exception:
            raise
        """,
        ("Q25", "Q16", "I11", "Q22"),
        ("F197",),
    ),
    Mutant(
        "calls-reversed",
        "Tool calls run in the reverse of the model's order.",
        "toolbatch",
        """
        for index, call in enumerate(self._calls, 1):
        """,
        """
        for index, call in reversed(list(enumerate(self._calls, 1))):
        """,
        ("Q16", "C17"),
    ),
    Mutant(
        "observer-fails-turn",
        "An observer that throws on a committed record fails the append, and with it the turn.",
        "store",
        """
        self.store.bus.contained(SessionEvent(self.entry.value, record), self.scope)
        """,
        """
        self.store.bus.vetoing(SessionEvent(self.entry.value, record), self.scope)
        """,
        ("Q22", "L2", "X8", "Q25"),
        ("F187",),
    ),
    Mutant(
        "parallel-batch-closed-early",
        "Where calls run together, an injection after the first result lands among them.",
        "toolbatch",
        """
        data: dict[str, JsonValue] = {
        """,
        """
        self._core.batch_running = not self._core.ports.policies.parallel_tools
        data: dict[str, JsonValue] = {
        """,
        ("Q16", "Q/r7", "policy parallel_tools"),
    ),
)
