"""The append-only session log. Owns records and their grammar; stores and durability are elsewhere."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from lifecycle_runtime.errors import InvalidValue, ReentrantAppend
from lifecycle_runtime.values import JsonObject, JsonValue, freeze, freeze_object, thaw

TURN_START = "turn/start"
TURN_END = "turn/end"
STEP_START = "step/start"
STEP_END = "step/end"
USER_MESSAGE = "user/message"
STEERING_MESSAGE = "steering/message"
ASSISTANT_MESSAGE = "assistant/message"
PROMPT_BLOCKED = "prompt/blocked"
TOOL_CALL = "tool/call"
TOOL_RESULT = "tool/result"

STRUCTURE = frozenset({TURN_START, TURN_END, STEP_START, STEP_END})
UNVALIDATED = frozenset({STEP_END, TURN_END, TOOL_CALL, TOOL_RESULT})
"""Records no validator can veto: they close what is open (L/r3)."""


@dataclass(frozen=True)
class Record:
    """One committed fact; `data` is deeply immutable and `seq` its index (L1)."""

    seq: int
    type: str
    data: JsonObject

    def json(self) -> dict[str, JsonValue]:
        """Return a plain JSON object, `type` included."""
        return {"type": self.type, **{key: thaw(value) for key, value in self.data.items()}}


class Attachment(Protocol):
    """What a store does around an append of a session it holds."""

    def appending(self) -> None:
        """Keep the entry visible until `appended`."""
        ...

    def appended(self) -> None:
        """Let the entry go again."""
        ...

    def validate(self, record: Record) -> None:
        """Raise to veto."""
        ...

    def publish(self, record: Record) -> None:
        """Tell the observers; never raises."""
        ...


class LogShape:
    """Which turn and step are open, and the highest numbers used (L10, Q19, Q20)."""

    def __init__(self) -> None:
        self.turn: int | None = None
        self.step: int | None = None
        self.highest_turn = 0
        self.last_step = 0

    def check(self, kind: str, data: JsonObject) -> None:
        """Raise InvalidValue if the record cannot follow."""
        if kind not in STRUCTURE:
            return
        turn, step = data.get("turn"), data.get("step")
        if type(turn) is not int:
            raise InvalidValue(f"{kind} needs an integer turn, got {turn!r}")
        if kind == TURN_START:
            if self.turn is not None:
                raise InvalidValue(f"turn {self.turn} is open; end it before starting turn {turn}")
            if turn <= self.highest_turn:
                raise InvalidValue(f"turn {turn} was used; the next turn is {self.highest_turn + 1}")
            return
        if self.turn != turn:
            raise InvalidValue(f"{kind} names turn {turn} but the open turn is {self.turn}")
        if kind == TURN_END:
            if self.step is not None:
                raise InvalidValue(f"step {self.step} of turn {turn} is open; end it first")
            return
        if kind == STEP_START and (self.step is not None or type(step) is not int or step <= self.last_step):
            raise InvalidValue(f"step {step!r} cannot start after step {self.last_step} of turn {turn}")
        if kind == STEP_END and (self.step is None or self.step != step):
            raise InvalidValue(f"step {step!r} is not open in turn {turn}")

    def follow(self, record: Record) -> None:
        """Take a committed record into account."""
        if record.type == TURN_START:
            self.turn = self.highest_turn = _number(record, "turn")
            self.last_step = 0
        elif record.type == TURN_END:
            self.turn = None
        elif record.type == STEP_START:
            self.step = self.last_step = _number(record, "step")
        elif record.type == STEP_END:
            self.step = None


class Session:
    """A log and its metadata. `append` is one segment: validate, commit, tell the observers (X8)."""

    def __init__(self, session_id: str, meta: object = None, records: Iterable[object] = ()) -> None:
        self.id = session_id
        self.meta = freeze_object({} if meta is None else meta, "session metadata")
        _check_identity(session_id, self.meta)
        self.attachment: Attachment | None = None
        self.continues: int | None = None
        """How many records the stored log it continues holds; None for a log of its own (D7)."""
        self._shape = LogShape()
        self._records: list[Record] = []
        self._dispatching = False
        for index, raw in enumerate(records):
            data = dict(freeze_object(raw, f"record {index}"))
            kind = data.pop("type", None)
            if type(kind) is not str or not kind:
                raise InvalidValue(f"record {index} needs a type; got {kind!r}")
            self._commit(self._record(kind, freeze_object(data)))

    @property
    def records(self) -> tuple[Record, ...]:
        """Everything committed so far."""
        return tuple(self._records)

    def since(self, seq: int) -> tuple[Record, ...]:
        """What was committed from `seq` on, at the cost of these records alone."""
        return tuple(self._records[seq:])

    def __len__(self) -> int:
        return len(self._records)

    def __bool__(self) -> bool:
        return True

    @property
    def attached(self) -> bool:
        """Whether a store holds this object (L6)."""
        return self.attachment is not None

    @property
    def appending(self) -> bool:
        """Whether an append is being validated or observed right now."""
        return self._dispatching

    @property
    def open_turn(self) -> int | None:
        """The turn that is open in the log."""
        return self._shape.turn

    @property
    def open_step(self) -> int | None:
        """The step that is open in the log."""
        return self._shape.step

    @property
    def next_turn(self) -> int:
        """One above the highest turn logged (Q19)."""
        return self._shape.highest_turn + 1

    def append(self, kind: str, data: object = None) -> Record:
        """Commit one record and return it; raise and leave the log unchanged otherwise (L2).

        Refused from inside an observer of this session's own append (L3).
        """
        record = self.append_while(lambda: True, kind, data)
        assert record is not None
        return record

    def append_while(self, still: Callable[[], bool], kind: str, data: object = None) -> Record | None:
        """As `append`; nothing is committed and None returned if `still()` is false once the validators agreed (I9)."""
        frozen = freeze_object({} if data is None else data, f"{kind} data")
        if self._dispatching:
            raise ReentrantAppend(
                f"session {self.id} is dispatching record {len(self)}; append {kind} after its observers"
            )
        record = self._record(kind, frozen)
        attachment = self.attachment
        if attachment is None:
            self._commit(record)
            return record
        self._dispatching = True
        attachment.appending()
        try:
            if kind not in UNVALIDATED:
                attachment.validate(record)
            if not still():
                return None
            self._commit(record)
            attachment.publish(record)
        finally:
            self._dispatching = False
            attachment.appended()
        return record

    def _record(self, kind: str, data: JsonObject) -> Record:
        freeze(kind, "record type")
        if "type" in data or not kind:
            raise InvalidValue(f"record {kind!r} needs a type of its own and no field named type")
        self._shape.check(kind, data)
        return Record(len(self._records), kind, data)

    def _commit(self, record: Record) -> None:
        self._records.append(record)
        self._shape.follow(record)


def _check_identity(session_id: object, meta: JsonObject) -> None:
    if type(session_id) is not str or not session_id:
        raise InvalidValue(f"a session id is a non-empty string, got {session_id!r}")
    freeze(session_id, "session id")
    cwd = meta.get("cwd")
    if cwd is not None and (type(cwd) is not str or not cwd.startswith("/")):
        raise InvalidValue(f"session {session_id} has the cwd {cwd!r}; give an absolute path or none")


def _number(record: Record, field: str) -> int:
    value = record.data[field]
    assert type(value) is int
    return value
