"""Mutants of how a turn stops: the checks of its signal, its tool calls and its reason (C15 to C23)."""

from __future__ import annotations

from lifecycle_conformance.mutants.mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "gate-unchecked",
        "The signal is not checked after a gate, so an aborted turn goes on with its outcome.",
        "turn",
        """
        self.check()
        return outcome
        """,
        """
        return outcome
        """,
        ("C16", "C15", "Q25", "X5"),
        ("F046", "F052"),
    ),
    Mutant(
        "failing-gate-beats-abort",
        "A gate that fails under an abort fails the turn.",
        "turn",
        """
        except Exception:
            self.check()
            raise
        """,
        """
        except Exception:
            raise
        """,
        ("C16", "C23", "C18", "X5", "I10"),
        ("F164",),
        equivalent="either way the turn closes next, and C18 puts the abort before the failure: nothing tells the two "
        "apart; a recovery that throws is in the same case",
    ),
    Mutant(
        "start-unchecked",
        "A turn aborted by a listener of its claim still asks the prompt policy.",
        "turn",
        """
        self.check()
        decision = await self.gate(lambda: behaviour.prompt_policy(self.view, self._item))
        """,
        """
        decision = await self.gate(lambda: behaviour.prompt_policy(self.view, self._item))
        """,
        ("C15", "C16", "X5", "X4"),
        ("F015",),
    ),
    Mutant(
        "step-start-unchecked",
        "A turn aborted by a listener of its step's start still asks the model.",
        "step",
        """
        self._log(STEP_START)
        turn.check()
        """,
        """
        self._log(STEP_START)
        """,
        ("C16", "X5", "Q25"),
        ("F052",),
    ),
    Mutant(
        "chunk-unchecked",
        "The signal is not checked at each chunk.",
        "step",
        """
        async for event in stream:
            turn.check()
        """,
        """
        async for event in stream:
        """,
        ("C16", "X5"),
        ("F046",),
    ),
    Mutant(
        "stream-end-unchecked",
        "The signal is not checked at the end of the stream.",
        "step",
        """
        turn.check()
        return reply
        """,
        """
        return reply
        """,
        ("C16", "X5", "Q25"),
        ("F046", "F052"),
    ),
    Mutant(
        "message-unchecked",
        "A turn aborted by a listener of its assistant message still enters post-step.",
        "step",
        """
        if calls:
            await batch.run()
        else:
            turn.check()
        """,
        """
        if calls:
            await batch.run()
        """,
        ("C16", "X5", "Q25"),
    ),
    Mutant(
        "failed-stream-beats-abort",
        "A model call that fails under an abort is a failed request.",
        "step",
        """
        except Exception:
            turn.check()
            raise
        """,
        """
        except Exception:
            raise
        """,
        ("C16", "C23", "C18", "Q25", "X5", "I10"),
        ("F043", "F164"),
    ),
    Mutant(
        "calls-run-under-abort",
        "Tool calls not yet started run although the turn was aborted.",
        "toolbatch",
        """
        if aborted:
            text = "not started: the turn was aborted"
            self._finish(index, call, ToolResult(text, error=True), ABORTED_BEFORE_DISPATCH)
        elif core.ports.policies.parallel_tools:
        """,
        """
        if core.ports.policies.parallel_tools:
        """,
        ("C17", "Q16", "I11"),
        ("F159", "F041"),
    ),
    Mutant(
        "skipped-calls-unrecorded",
        "Tool calls that are not started any more leave no record.",
        "toolbatch",
        """
        aborted = self._turn.holder.aborted
        self._log(TOOL_CALL, index, call, {"name": call.name, "arguments": call.arguments})
        """,
        """
        aborted = self._turn.holder.aborted
        if aborted:
            continue
        self._log(TOOL_CALL, index, call, {"name": call.name, "arguments": call.arguments})
        """,
        ("C17", "I11", "Q16"),
        ("F197", "F195"),
    ),
    Mutant(
        "abort-checked-once-a-batch",
        "Whether the turn was aborted is asked once for a whole tool batch.",
        "toolbatch",
        """
        for index, call in enumerate(self._calls, 1):
            aborted = self._turn.holder.aborted
        """,
        """
        aborted = self._turn.holder.aborted
        for index, call in enumerate(self._calls, 1):
        """,
        ("C17", "Q16", "I11"),
        ("F159", "F041"),
    ),
    Mutant(
        "abort-asked-after-call",
        "A listener of a call's record that cancels keeps that very call from running.",
        "toolbatch",
        """
        aborted = self._turn.holder.aborted
        self._log(TOOL_CALL, index, call, {"name": call.name, "arguments": call.arguments})
        """,
        """
        self._log(TOOL_CALL, index, call, {"name": call.name, "arguments": call.arguments})
        aborted = self._turn.holder.aborted
        """,
        ("C17", "C16", "Q16", "I11"),
        ("F159",),
    ),
    Mutant(
        "post-step-skipped",
        "A turn aborted in its tool batch skips deferred context and post-step.",
        "step",
        """
        if calls:
            await batch.run()
        else:
            turn.check()
        """,
        """
        if calls:
            await batch.run()
        turn.check()
        """,
        ("C17", "C16", "Q25"),
        ("F146",),
    ),
    Mutant(
        "deferred-lost-under-abort",
        "Deferred context is dropped when the turn was aborted.",
        "toolbatch",
        """
        core.append_contexts(deferred)
        """,
        """
        if not self._turn.holder.aborted:
            core.append_contexts(deferred)
        """,
        ("C17", "Q16", "Q/r7"),
        ("F172",),
    ),
    Mutant(
        "abandoned-result",
        "The result of a tool that ran into an abort is replaced by a refusal.",
        "toolbatch",
        """
        self._finish(index, call, result)
        """,
        """
        self._finish(index, call, result, ABORTED_BEFORE_DISPATCH if turn.holder.aborted else None)
        """,
        ("C17", "C16", "Q16"),
        ("F195",),
    ),
    Mutant(
        "disposed-reads-aborted",
        "A turn cancelled and then disposed ends as aborted.",
        "turn",
        """
        if self.core.disposed:
            return "disposed"
        if self.holder.aborted:
            return "aborted"
        """,
        """
        if self.holder.aborted:
            return "aborted"
        if self.core.disposed:
            return "disposed"
        """,
        ("C18", "C19", "T5", "I10", "D1"),
    ),
    Mutant(
        "error-beats-aborted",
        "A turn that failed and was then cancelled ends as error.",
        "turn",
        """
        if self.holder.aborted:
            return "aborted"
        if failure is not None:
            return "error"
        """,
        """
        if failure is not None:
            return "error"
        if self.holder.aborted:
            return "aborted"
        """,
        ("C18", "C23", "X5", "D1", "I10"),
    ),
    Mutant(
        "aborted-reads-completed",
        "A cancelled turn ends as completed.",
        "turn",
        """
        if self.holder.aborted:
            return "aborted"
        """,
        """
        """,
        ("C18", "D1", "I10", "S/r16"),
        ("F238", "F002"),
    ),
    Mutant(
        "late-cancel-rewrites-end",
        "A turn's reason is decided after its error was reported.",
        "turn",
        """
        reason = self._reason(failure)
        if reason == "error" and failure is not None:
            core.fail(self.number, self.step, failure)
        core.holder = None
        """,
        """
        if self._reason(failure) == "error" and failure is not None:
            core.fail(self.number, self.step, failure)
        reason = self._reason(failure)
        core.holder = None
        """,
        ("C18", "X5", "D1", "I10"),
    ),
    Mutant(
        "cut-prefix-cached",
        "A prefix whose composition was interrupted is kept for the next turn.",
        "step",
        """
        if core.prefix is None:
            core.prefix = (await self._turn.gate(lambda: self._behaviour.compose_prefix(self._turn.view)),)
        return core.prefix[0]
        """,
        """
        if core.prefix is None:
            core.prefix = (await gated(lambda: self._behaviour.compose_prefix(self._turn.view)),)
        self._turn.check()
        return core.prefix[0]
        """,
        ("C22", "Q25"),
    ),
)
