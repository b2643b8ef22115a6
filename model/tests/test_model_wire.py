"""What is on the wire compares as it is on the wire, whichever way a value was made."""

from __future__ import annotations

import pytest

from lifecycle_model.commands import Json
from lifecycle_model.wire import Dropped, Observation, matches

SEEN = Observation("request", of="a", turn=1, messages=("m1", "m2"), items=(Dropped("m1", True),))


@pytest.mark.parametrize(
    ("pattern", "fits"),
    [
        ({"event": "request"}, True),
        ({"event": "request", "turn": 2}, False),
        ({"messages": ["m1", "m2"]}, True),
        ({"messages": ("m1", "m2")}, True),
        ({"messages": ["m2", "m1"]}, False),
        ({"items": [{"id": "m1", "steering": True}]}, True),
        ({"items": [{"id": "m1"}]}, False),
        ({"step": 1}, False),
    ],
)
def test_a_pattern_matches_members_by_their_wire_value(pattern: dict[str, Json], fits: bool) -> None:
    assert matches(pattern, SEEN) is fits
