"""A request's messages: what the log holds, never copied, read once; events that cost nothing per other agent."""

from lifecycle_runtime.bus import Bus
from lifecycle_runtime.events import Event, SessionDisposed
from lifecycle_runtime.history import History
from lifecycle_runtime.session import ASSISTANT_MESSAGE, TOOL_RESULT, USER_MESSAGE, Record, Session


class Watched(Session):
    """Notes how many records are read each time."""

    def __init__(self) -> None:
        super().__init__("x")
        self.reads: list[int] = []

    def since(self, seq: int) -> tuple[Record, ...]:
        found = super().since(seq)
        self.reads.append(len(found))
        return found


def test_a_request_reads_only_what_was_logged_since_the_last() -> None:
    session = Watched()
    history = History(session)
    for number in range(50):
        session.append(USER_MESSAGE, {"id": f"m{number}", "content": number})
        session.append("note", {})
        assert len(history.messages()) == number + 1
    assert session.reads == [2] * 50
    assert [message.id for message in History(session).messages()] == [f"m{number}" for number in range(50)]


def test_a_requests_messages_never_change() -> None:
    session = Session("x")
    history = History(session)
    session.append(USER_MESSAGE, {"id": "m1", "content": "hello"})
    asked = history.messages()
    session.append(ASSISTANT_MESSAGE, {"id": "am1.1", "content": "", "calls": [{"id": "c", "name": "t"}]})
    session.append(TOOL_RESULT, {"id": "c", "message": "tr1.1.1", "content": "done"})
    then = history.messages()
    assert [message.id for message in asked] == ["m1"]
    assert asked[-1].content == "hello"
    assert [(message.role, message.id) for message in then] == [
        ("user", "m1"),
        ("assistant", "am1.1"),
        ("tool", "tr1.1.1"),
    ]
    assert then[1].calls[0].id == then[2].call_id == "c"
    assert then[1:] == (then[1], then[2])
    assert then[-1] is then[2]
    for outside in (-4, 3):
        try:
            then[outside]
        except IndexError:
            continue
        raise AssertionError(f"message {outside} of 3 was given")


def test_a_bus_keeps_nothing_of_a_listener_that_left() -> None:
    bus, heard = Bus(), list[str]()
    one, other = object(), object()
    session = Session("x")

    def twice(event: Event) -> None:
        heard.append("twice")

    leave = [bus.listen(SessionDisposed, twice, scope) for scope in (None, one, one, other)]
    bus.contained(SessionDisposed(session), one)
    assert heard == ["twice"] * 3
    assert bus.listeners == 4
    for each in leave * 2:  # leaving twice is leaving once
        each()
    assert bus.listeners == 0
    bus.contained(SessionDisposed(session), one)
    assert heard == ["twice"] * 3
