"""How large each scope was when last explored: configurations and segments performed. Generated; holds no logic."""

from __future__ import annotations

from collections.abc import Mapping

SIZES: Mapping[tuple[str, str, int], tuple[int, int]] = {
    ("1", "birth", 1): (909, 6_326),
    ("1", "cancel", 1): (598, 3_066),
    ("1", "inject", 1): (4_177, 29_729),
    ("1", "keep-inbox", 1): (696, 4_274),
    ("1", "keep-inbox-off", 1): (106, 417),
    ("1", "nested", 1): (2_592, 11_064),
    ("1", "pair", 1): (12_421, 557),
    ("1", "parallel-tools", 1): (1_354, 7_605),
    ("1", "parked", 1): (686, 4_100),
    ("1", "quiet-items", 1): (2_246, 11_488),
    ("1", "reactions", 1): (12_946, 115_449),
    ("1", "reactions-small", 1): (2_226, 17_824),
    ("1", "rebirth", 1): (707, 4_227),
    ("1", "refusals", 1): (1_521, 17_469),
    ("1", "steering", 1): (2_468, 13_048),
    ("1", "stubborn", 1): (1_642, 10_106),
    ("1", "ticks", 1): (2_668, 18_090),
    ("1", "tool-reactions", 1): (3_735, 58_505),
    ("1", "tools", 1): (1_086, 6_129),
    ("1", "turn", 1): (957, 4_038),
    ("1", "vetoes", 1): (13_316, 99_081),
}
"""By contract, scope and version of the scope."""
