"""Own the models that need no network, and the choice of a model by name. Sends nothing anywhere."""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, cast

from lifecycle_runtime.abortable import AbortedWait, unless_aborted
from lifecycle_runtime.errors import LifecycleError
from lifecycle_runtime.ports import Finish, Model, ModelEvent, ModelRequest, TextChunk, ToolCall
from lifecycle_runtime.signals import Signal
from lifecycle_runtime.values import JsonValue, freeze


class ModelError(LifecycleError):
    """A request failed, or a model cannot be had; the message says which and what to change."""

    code = "model"


@dataclass(frozen=True)
class Pause:
    """Wait before the next event of a script; an abort ends it."""

    seconds: float


@dataclass(frozen=True)
class Fail:
    """Fail the request with this message."""

    message: str


Reply: TypeAlias = Sequence[ModelEvent | Pause | Fail]
"""What a scripted model does for one request."""


END_OF_SCRIPT: Final[Reply] = (TextChunk("(end of script)"),)


class ScriptedModel:
    """A model that follows a script: one reply a request, in order, then `after` for every further one.

    A script may also be a function of the request. `requests` holds the last `keep` requests, for tests.
    """

    def __init__(
        self,
        script: Iterable[Reply] | Callable[[ModelRequest], Reply],
        after: Reply = END_OF_SCRIPT,
        *,
        keep: int = 100,
    ) -> None:
        self.requests: deque[ModelRequest] = deque(maxlen=keep)
        self._answer = script if callable(script) else _in_order(script, after)

    async def stream(self, request: ModelRequest, signal: Signal) -> AsyncIterator[ModelEvent]:
        """Play the next reply."""
        self.requests.append(request)
        for event in self._answer(request):
            if isinstance(event, Fail):
                raise ModelError(event.message)
            if not isinstance(event, Pause):
                yield event
                continue
            try:
                await unless_aborted(asyncio.sleep(event.seconds), signal)
            except AbortedWait:
                return


def _in_order(script: Iterable[Reply], after: Reply) -> Callable[[ModelRequest], Reply]:
    replies = iter(script)
    return lambda _request: next(replies, after)


def text_of(content: JsonValue) -> str:
    """Give the text of a message's content: a string, content blocks, or any other JSON value."""
    if isinstance(content, str):
        return content
    if isinstance(content, Mapping):
        text, resource, uri = content.get("text"), content.get("resource"), content.get("uri")
        if isinstance(text, str):
            return text
        if isinstance(resource, Mapping):
            return text_of(resource)
        if isinstance(uri, str):
            return f"[{uri}]"
        return json.dumps(content, default=dict)
    if isinstance(content, (list, tuple)):
        return "\n".join(text_of(part) for part in content)
    return "" if content is None else json.dumps(content)


DEMO_HELP: Final = (
    "This is the demo model; nothing is sent anywhere. Say `run COMMAND` to have bash run it, `slow N` for N "
    "seconds of output, `fail` for a failed request, or choose a real model: --model openai:NAME.\n"
)


def demo_reply(request: ModelRequest) -> Reply:
    """Answer without a network: echo, or do what the words of the last message ask for."""
    last = request.messages[-1]
    if last.role == "tool":
        return [TextChunk("The command gave:\n"), TextChunk(text_of(last.content))]
    word, _, rest = text_of(last.content).strip().partition(" ")
    if word == "run" and rest and any(tool.name == "bash" for tool in request.tools):
        return [TextChunk("Running it.\n"), ToolCall(f"call-{request.turn}-{request.step}", "bash", {"command": rest})]
    if word == "slow" and rest.isdigit():
        return [event for second in range(int(rest)) for event in (TextChunk(f"{second + 1} "), Pause(1.0))]
    if word == "fail":
        return [Fail("the demo model was asked to fail")]
    if word == "help" or not word:
        return [TextChunk(DEMO_HELP)]
    return [TextChunk("You said: "), TextChunk(text_of(last.content))]


def read_script(path: Path) -> list[Reply]:
    """Read a script file: a JSON list of replies, each a list of events, each an object with one member.

    `text`, `call` ({name, arguments}), `finish` (stop, tool_calls, max_tokens), `pause` (seconds), `fail`.
    """
    try:
        value: object = json.loads(path.read_text())
        if not isinstance(value, list):
            raise ValueError("the script is not a list of replies")
        return [
            [_event(cast("dict[str, object]", event), f"{number}-{index}") for index, event in enumerate(reply)]
            for number, reply in enumerate(cast("list[list[object]]", value), 1)
        ]
    except (OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        raise ModelError(f"the model script {path} cannot be used: {error}") from error


def _event(event: dict[str, object], call_id: str) -> ModelEvent | Pause | Fail:
    ((kind, value),) = event.items()
    if kind == "text" and isinstance(value, str):
        return TextChunk(value)
    if kind == "fail" and isinstance(value, str):
        return Fail(value)
    if kind == "pause" and isinstance(value, int | float):
        return Pause(value)
    if kind == "finish" and value in ("stop", "tool_calls", "max_tokens"):
        return Finish(value)
    if kind == "call" and isinstance(value, dict):
        call = cast("dict[str, object]", value)
        return ToolCall(f"call-{call_id}", str(call["name"]), freeze(call.get("arguments", {})))
    raise ValueError(f"no event {kind!r} with {value!r}; use text, call, finish, pause or fail")


def choose_model(choice: str, environment: Mapping[str, str]) -> Model:
    """Make the model a command line or `LIFECYCLE_MODEL` names.

    `demo` (the default of the agent) and `script:FILE` send nothing. `openai:NAME` talks to any
    OpenAI-compatible endpoint: `OPENAI_BASE_URL` (default: OpenAI's own) with the key in `OPENAI_API_KEY`.
    """
    kind, _, rest = choice.partition(":")
    if choice == "demo":
        return ScriptedModel(demo_reply, keep=0)
    if kind == "script" and rest:
        return ScriptedModel(read_script(Path(rest)), keep=0)
    if kind == "openai" and rest:
        from lifecycle_runtime.model_openai import OpenAIModel  # httpx takes a while to import

        return OpenAIModel(
            rest,
            base_url=environment.get("OPENAI_BASE_URL") or "https://api.openai.com/v1",
            api_key=environment.get("OPENAI_API_KEY"),
        )
    raise ModelError(f"there is no model {choice!r}; use demo, script:FILE or openai:NAME")
