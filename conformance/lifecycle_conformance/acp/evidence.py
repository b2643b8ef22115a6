"""Owns quoting the wire in a finding: lines shortened, ids and paths replaced by names, no times."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Sequence

from lifecycle_conformance.acp.options import Options
from lifecycle_conformance.acp.record import Record

_LONG = 260
_HOME = re.compile(r"/[\w./-]*lifecycle-acp-[\d.]+-\w+")
_TOOL = re.compile(r"tail -n \d{9}")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?")
_KEY = re.compile(r"LK[0-9a-f]{8}")


def tidy(record: Record, text: str) -> str:
    """Replace what differs between two equal runs by names: sessions, prompts, paths, the tool's number."""
    for number, session in enumerate(dict.fromkeys(record.sessions), 1):
        text = text.replace(session, f"<session {number}>")
    for prompt in record.prompts:
        text = text.replace(prompt.key, f"<{prompt.name}>")
    text = _TOOL.sub("tail -n N", _HOME.sub("<dir>", _KEY.sub("<key>", text)))
    text = _TIME.sub("<time>", _UUID.sub("<id>", text))
    return text if len(text) <= _LONG else f"{text[:_LONG]}…"


def quote(record: Record, positions: Iterable[int]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what was sent and what came at these positions of the wire, in order."""
    lines = [record.lines[i] for i in sorted(set(positions)) if 0 <= i < len(record.lines)]
    sent = tuple(tidy(record, line.text) for line in lines if line.way == "sent")
    return sent, tuple(tidy(record, line.text) for line in lines if line.way == "came")


def repeat_line(command: Sequence[str], options: Options, run: str) -> str:
    """Return the one line that plays this run again."""
    agent = f" --agent {shlex.quote(options.source)}" if options.source else ""
    system = shlex.quote(f"acp:{shlex.join(command)}")
    return f"lifecycle check {system}{agent} --section {shlex.quote(run)}"
