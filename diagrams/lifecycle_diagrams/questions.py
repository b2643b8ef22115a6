"""Twelve questions that a reader of the pictures alone should be able to answer, each with the pictures that answer it.

Refuses to give the answers: the pictures do.
"""

from __future__ import annotations

from typing import NamedTuple


class Question(NamedTuple):
    """A question, and the names of the views that answer it."""

    text: str
    views: tuple[str, ...]


QUESTIONS = (
    Question(
        "A prompt is queued while the last turn's flush is pending, and a cancel comes. What is published then, and what when the flush has settled?",
        ("cancel", "close", "driver"),
    ),
    Question(
        "A listener that hears `agent/cancel-requested` sends a message, and so does one that hears the discard. Which of the two runs?",
        ("cancel",),
    ),
    Question(
        "The `turn/start` of a claimed item is vetoed. What becomes of the item, which event tells of it, and where is the agent then?",
        ("driver", "agent-status"),
    ),
    Question("Do the waiters of `when_idle` resolve before or after listeners hear `status(idle)`?", ("driver",)),
    Question(
        "The model call fails while the turn is being cancelled, and recovery says retry. Is there another step?",
        ("model-steps",),
    ),
    Question(
        "Three tool calls are advertised, and the cancel comes while the first one runs. What is logged of each call?",
        ("model-steps", "turn"),
    ),
    Question(
        "A listener of `session/created` throws in a creation. Which events follow, and which of them that a whole teardown has do not?",
        ("publication", "teardown", "listing"),
    ),
    Question(
        "In which order do `a-`, `s-`, the scope's disposers and the result of dispose come, and between which of them may others act?",
        ("teardown",),
    ),
    Question("Dispose is called again while the first teardown drains. What does the second call do?", ("teardown",)),
    Question(
        "A session is detached by one of its own append observers. When does it leave, and is `s-` published if it was never announced?",
        ("detach", "entry"),
    ),
    Question(
        "A log is stored under an id, and an agent is created (not resumed) with it. What becomes of the old log, and when?",
        ("log", "durability", "publication"),
    ),
    Question(
        "The item of an ACP prompt is discarded by another party's cancel before its turn. What happens to the slot, with and without undelivered output?",
        ("acp-prompt", "acp-slot"),
    ),
)
