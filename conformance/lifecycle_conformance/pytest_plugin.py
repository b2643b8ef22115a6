"""The pytest plugin: a project that has a `lifecycle_system` fixture gets the conformance suite as ordinary tests.

Refuses to load anything before that: every pytest run of an environment imports this module. What the tests are stands
in `pytest_suite`.
"""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest

_FIXTURE = re.compile(r"^def lifecycle_system\(", re.MULTILINE)
SUITE = "lifecycle_conformance.pytest_suite"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of `lifecycle check` that a test run needs."""
    group = parser.getgroup("lifecycle", "lifecycle conformance")
    group.addoption(
        "--lifecycle-profile",
        default="quick",
        choices=("vectors", "quick", "thorough", "deep"),
        help="How far the conformance suite goes; `vectors` plays the hand-written scenarios only. Default: quick.",
    )
    group.addoption("--lifecycle-contract", default="1", help="The contract, or a variant of it. Default: 1.")
    group.addoption("--lifecycle-seed", default=0, type=int, help="Of the walks and histories. Default: 0.")
    group.addoption(
        "--lifecycle-expect",
        type=Path,
        help="Known violations, written by `lifecycle check --expect FILE --write-expect`: they are xfailed.",
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Put the suite beside a `conftest.py` that defines the fixture."""
    if file_path.name != "conftest.py" or not _defines(file_path):
        return None
    return Suite.from_parent(parent, path=file_path)


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Module | None:
    """Put the suite into a test module that defines the fixture."""
    return Joined.from_parent(parent, path=module_path) if _defines(module_path) else None


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let the suite say what its tests are made for."""
    if metafunc.function.__module__ == SUITE:
        importlib.import_module(SUITE).generate(metafunc)


def _defines(file: Path) -> bool:
    try:
        return _FIXTURE.search(file.read_text(encoding="utf-8")) is not None
    except (OSError, UnicodeDecodeError):
        return False


class Suite(pytest.Module):
    """The conformance tests by themselves, under the name of a `conftest.py`."""

    def _getobj(self) -> ModuleType:
        return importlib.import_module(SUITE)


class Joined(pytest.Module):
    """A test module with the conformance tests behind its own."""

    def _getobj(self) -> ModuleType:
        module: ModuleType = super()._getobj()  # type: ignore[no-untyped-call]
        suite = importlib.import_module(SUITE)
        for name in suite.JOINED:
            setattr(module, name, getattr(suite, name))
        return module
