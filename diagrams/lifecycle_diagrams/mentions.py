"""Reads which words an effect's own code contains: an effect may wake a program of another component by its name.

Refuses to run the effect.
"""

from __future__ import annotations

from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any


def mentions(function: Callable[..., Any]) -> set[str]:
    """Every string constant in a function, in the functions it closes over, and in those it calls by name."""
    found: set[str] = set()
    seen: set[object] = set()
    todo: list[object] = [function]
    while todo:
        one = todo.pop()
        if isinstance(one, tuple):
            todo += [part for part in one if callable(part)]
        if not isinstance(one, FunctionType) or one in seen:
            continue
        seen.add(one)
        for code in _codes(one.__code__):
            found |= {constant for constant in code.co_consts if isinstance(constant, str)}
            todo += [one.__globals__.get(name) for name in code.co_names]
            todo += [getattr(module, name, None) for module in _modules(one, code) for name in code.co_names]
        for cell in one.__closure__ or ():
            value = cell.cell_contents
            todo.append(value)
            if isinstance(value, str):
                found.add(value)
    return found


def _codes(code: CodeType) -> list[CodeType]:
    inner = [one for one in code.co_consts if isinstance(one, CodeType)]
    return [code, *(deeper for one in inner for deeper in _codes(one))]


def _modules(function: FunctionType, code: CodeType) -> list[object]:
    """Modules of ours that the code calls into, `w.wake_other` for one."""
    named = [function.__globals__.get(name) for name in code.co_names]
    return [one for one in named if getattr(one, "__package__", None) and hasattr(one, "__file__")]
