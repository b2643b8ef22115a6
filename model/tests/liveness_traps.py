"""Small machines whose liveness was worked out by hand: lassos, stuttering, joins, weak against strong fairness.

A machine's edges are `from process to`; it starts in node 0. `weak` and `strong` name processes. A run may stutter
unless a fair process forbids it. Properties: `F q`, `GF q`, `FG q`, `p ~> q`, with nodes named by number.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Trap:
    """One machine, one property, and whether it holds."""

    name: str
    edges: str
    goal: tuple[int, ...]
    form: str
    holds: bool
    weak: str = ""
    strong: str = ""
    when: tuple[int, ...] = ()
    """Of `~>`: the nodes it starts from."""
    why: str = ""


TRAPS = (
    # nothing is promised without fairness
    Trap("a step nobody must take", "0 a 1", (1,), "F", False, why="the run may stutter in 0"),
    Trap("a step that must be taken", "0 a 1", (1,), "F", True, weak="a"),
    Trap("fairness of somebody else", "0 a 1, 0 b 0", (1,), "F", False, weak="b", why="b loops for ever, a is not fair"),
    Trap("a loop beside a fair step", "0 a 1, 0 b 0", (1,), "F", True, weak="a", why="a stays enabled"),
    Trap("goal at the start", "0 a 0", (0,), "F", True),
    Trap("goal at the start but not for ever", "0 a 1, 1 a 1", (0,), "GF", False, weak="a"),
    # lassos
    Trap("a ring passes everything", "0 a 1, 1 a 2, 2 a 0", (2,), "GF", True, weak="a"),
    Trap("a ring without fairness", "0 a 1, 1 a 2, 2 a 0", (2,), "GF", False, why="it may stop anywhere"),
    Trap("a ring left once", "0 a 1, 1 a 0, 1 b 2", (2,), "F", False, weak="ab", why="b is disabled in 0 each round"),
    Trap("a ring left by a strong step", "0 a 1, 1 a 0, 1 b 2", (2,), "F", True, weak="a", strong="b"),
    Trap("strong alone may stutter where it is disabled", "0 a 1, 1 a 0, 1 b 2", (2,), "F", False, strong="b",
         why="a is not fair: the run may rest in 0, where b is disabled"),
    Trap("strong and weak together", "0 a 1, 1 a 0, 1 b 2", (2,), "F", True, weak="ab", strong="b"),
    Trap("a ring with two exits, both strong", "0 a 1, 1 a 2, 2 a 0, 1 b 3, 2 c 3", (3,), "F", True, weak="a", strong="bc"),
    Trap("a ring with two exits, one strong", "0 a 1, 1 a 2, 2 a 0, 1 b 3, 2 c 4, 4 a 4", (3,), "F", False, weak="a", strong="b",
         why="c may leave for 4"),
    Trap("the bad ring behind the good one", "0 a 1, 1 a 0, 1 b 2, 2 b 3, 3 b 2", (0,), "GF", False, weak="ab"),
    # joins
    Trap("two ways join before the goal", "0 a 1, 0 b 2, 1 a 3, 2 b 3, 3 a 4", (4,), "F", False, weak="a",
         why="b may stop in 2"),
    Trap("two fair ways join before the goal", "0 a 1, 0 b 2, 1 a 3, 2 b 3, 3 a 4", (4,), "F", True, weak="ab"),
    Trap("a diamond with a trap door", "0 a 1, 0 b 2, 1 b 3, 2 a 3, 2 b 4", (3,), "F", False, weak="ab", why="0 b 2, 2 b 4"),
    Trap("a goal passed and left", "0 a 1, 1 a 2", (1,), "F", True, weak="a"),
    Trap("a goal passed and left, again and again", "0 a 1, 1 a 2", (1,), "GF", False, weak="a"),
    # eventually for ever
    Trap("settles", "0 a 1, 1 a 1", (1,), "FG", True, weak="a"),
    Trap("settles without fairness", "0 a 1, 1 a 1", (1,), "FG", False),
    Trap("swings for ever", "0 a 1, 1 a 0", (1,), "FG", False, weak="a"),
    Trap("swings until a strong step", "0 a 1, 1 a 0, 1 b 2", (2,), "FG", True, weak="a", strong="b"),
    Trap("swings although the step is weakly fair", "0 a 1, 1 a 0, 1 b 2", (2,), "FG", False, weak="ab"),
    Trap("one bad node in a large ring", "0 a 1, 1 a 2, 2 a 3, 3 a 0", (0, 1, 2), "FG", False, weak="a"),
    Trap("two rings, only the first has the bad node", "0 a 1, 1 a 0, 1 b 2, 2 a 3, 3 a 2", (1, 2, 3), "FG", True, weak="a", strong="b"),
    # leads to
    Trap("answered", "0 a 1, 1 b 0", (0,), "~>", True, weak="b", when=(1,)),
    Trap("not answered", "0 a 1, 1 b 0, 1 a 1", (0,), "~>", False, weak="a", when=(1,), why="a repeats the question"),
    Trap("answered although asked again", "0 a 1, 1 b 0, 1 a 1", (0,), "~>", True, weak="b", when=(1,)),
    Trap("never asked", "0 a 0, 1 b 1", (0,), "~>", True, when=(1,), why="1 is unreachable"),
    Trap("answered after a detour", "0 a 1, 1 a 2, 2 a 1, 2 b 3, 3 a 3", (3,), "~>", False, weak="ab", when=(1,),
         why="b is disabled in 1"),
    Trap("answered after a detour by a strong step", "0 a 1, 1 a 2, 2 a 1, 2 b 3, 3 a 3", (3,), "~>", True, weak="a", strong="b", when=(1,)),
    # weak fairness is about being enabled all the time
    Trap("enabled everywhere in the ring, from each node", "0 a 1, 1 a 0, 0 b 2, 1 b 2", (2,), "F", True, weak="b"),
    Trap("the same process takes the ring", "0 a 1, 1 a 0, 0 a 2, 1 a 2", (2,), "F", False, weak="a",
         why="going round is taking a step of a"),
    Trap("two processes, each disabled once a round", "0 a 1, 1 b 0, 0 b 2, 1 a 2", (2,), "F", False, weak="ab",
         why="both take steps of the ring"),
    Trap("a strong process that the ring takes", "0 a 1, 1 b 0, 0 b 2, 1 a 2", (2,), "F", False, strong="ab"),
    # nested rings: removing what only an unfair run visits
    Trap("an inner ring that never enables the strong step", "0 a 1, 1 a 0, 1 b 2, 0 c 3, 3 c 0", (2,), "F", False, weak="ac", strong="b",
         why="c may keep 0 and 3 going while a is disabled in 3"),
    Trap("an inner ring that enables the strong step too", "0 a 1, 1 a 0, 1 b 2, 0 c 3, 3 c 0, 3 b 2", (2,), "F", True, weak="ac", strong="b"),
    Trap("two strong steps that starve each other's ring", "0 a 1, 1 a 0, 0 b 2, 2 b 0, 1 c 3, 2 d 3", (3,), "F", True, weak="ab", strong="cd",
         why="every ring passes 1 or 2; weak a or b leaves 0"),
    Trap("a rest in a node where only a finished process waits", "0 a 1, 0 b 2, 1 b 3, 2 a 3", (3,), "F", True, weak="ab"),
    Trap("a self loop satisfies its own process", "0 a 0, 0 a 1", (1,), "F", False, weak="a"),
    Trap("a self loop does not satisfy another process", "0 a 0, 0 b 1", (1,), "F", True, weak="ab"),
)  # fmt: skip
