"""The liveness properties of section V that a part of the model can break, with the fairness each assumes."""

from __future__ import annotations

from collections.abc import Callable

from lifecycle_model.canonical import MARK, Cell
from lifecycle_model.ghost import waking_pending
from lifecycle_model.parts import Background
from lifecycle_model.properties import Liveness, Step
from lifecycle_model.state import Agent


def _agent(test: Callable[[Agent], bool]) -> Callable[[Cell], bool]:
    def stuck(cell: Cell) -> bool:
        return isinstance(cell.part, Agent) and test(cell.part)

    return stuck


def _sees(*events: str) -> Callable[[Step], bool]:
    return lambda step: any(one.event in events for one in step.seen)


def work_waits(cell: Cell) -> bool:
    """A waking item is pending and the agent is not disposed."""
    agent = cell.part
    return (
        isinstance(agent, Agent)
        and agent.status != "disposed"
        and (waking_pending(cell.ghost) or any(item.wakeup for item in agent.queued) or bool(agent.steering))
    )


def work_waits_after_cancel(cell: Cell) -> bool:
    """A waking item is pending, and a cancel took effect since the last message turn started."""
    return work_waits(cell) and cell.ghost.cancelled


def calls(cell: Cell, kind: str) -> bool:
    """A call of this kind has not settled."""
    return any(ref.partition(MARK)[2].startswith(kind) for ref in cell.ghost.calls)


def waits_without_work(cell: Cell) -> bool:
    """A `when_idle` is pending although no waking item is."""
    return calls(cell, "w") and not work_waits(cell)


def disposes(cell: Cell) -> bool:
    """A dispose or an unload is pending."""
    return calls(cell, "d") or calls(cell, "u")


def prompts(cell: Cell) -> bool:
    """A call of the client is pending."""
    return calls(cell, "q")


def creates(cell: Cell) -> bool:
    """A create is pending."""
    return calls(cell, "h")


def task_stays(cell: Cell) -> bool:
    """A killed task's process is there."""
    return any(isinstance(part, Background) and part.place == "Killed" for _, part in cell.aside)


def exits(step: Step) -> bool:
    """A killed task exited."""
    return step.took("O/r10") or step.took("O10 silent")


def leaves(step: Step) -> bool:
    """An item was dequeued or discarded."""
    return any(one.event in ("agent/inbox/dequeue", "agent/inbox/discard") for one in step.seen)


def settles(step: Step) -> bool:
    """A call was settled."""
    return any(one.event == "settled" for one in step.seen)


ALL = ("F1", "F2", "F3", "F4")

LIVENESS: tuple[Liveness, ...] = (
    Liveness("V1", ("V1", "Q5"), "a pending waking item is claimed, cancelled or disposed", ALL, work_waits, leaves),
    Liveness("V2", ("V2", "S5"), "a cancelled turn ends, and the status leaves cancelling", ALL,
             _agent(lambda agent: agent.status == "cancelling"), _sees("agent/status"), aborted_only=True, busy=True),
    Liveness("V3", ("V3", "S7"), "when_idle resolves once no waking work remains", ALL, waits_without_work, settles),
    Liveness("V5", ("V5", "C9"), "a prompt sent after a cancel is claimed, cancelled or disposed", ALL, work_waits_after_cancel, leaves),
    Liveness("V6", ("V6", "T1", "T6"), "every dispose and unload completes", ALL,
             disposes, settles, aborted_only=True, busy=True),
    Liveness("V7", ("V7",), "every create settles", ALL, creates, settles),
    Liveness("V9", ("V9", "A4", "A9"), "every call of the client settles", ALL, prompts, settles),
    Liveness("V10", ("V10", "O/r10", "O10"), "a killed task exits", (*ALL, "F5"), task_stays, exits, aborted_only=True, busy=True),
    Liveness("V11 steering", ("V11", "Q12"), "steering is delivered, moved or discarded", ALL,
             _agent(lambda agent: bool(agent.steering)), leaves),
    Liveness("V11 detach", ("V11", "T2"), "a teardown that began is finished", ALL,
             _agent(lambda agent: agent.place in ("Disposing", "Quiet")), _sees("session/disposed"), aborted_only=True, busy=True),
)  # fmt: skip
