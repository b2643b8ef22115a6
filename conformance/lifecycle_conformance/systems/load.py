"""From a name on the command line to a system: `reference`, `dsh`, `stdio:COMMAND`, `python:MODULE:FACTORY`.

Refuses what does not exist with a `UsageError` that names what does. Imports a system only when it is asked for.
"""

from __future__ import annotations

import importlib
import os
import shlex
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lifecycle_conformance.systems.adapter import System
from lifecycle_conformance.systems.errors import SystemsError, UsageError
from lifecycle_conformance.systems.stdio_client import TIMEOUT, StdioSystem
from lifecycle_conformance.systems.wellformed import Checked


@dataclass(frozen=True, slots=True)
class SystemOptions:
    """What the judge decides about a system: `timeout` is the seconds a burst may take over stdio."""

    timeout: float = TIMEOUT


@dataclass(frozen=True, slots=True)
class Known:
    """A way to name a system, for lists and messages."""

    name: str
    about: str


KNOWN = (
    Known("reference", "the reference runtime, in this process"),
    Known("dsh", "the published TypeScript runtime on Node; needs `lifecycle systems install dsh` once"),
    Known("stdio:COMMAND", "any command that speaks protocol 1 on its standard streams"),
    Known("python:MODULE:FACTORY", "what FACTORY of MODULE returns, in this process"),
    Known("acp:COMMAND", "any ACP agent, as a black box; judged by its own engine"),
)
"""Every form of a system's name."""


def open_system(spec: str, options: SystemOptions | None = None) -> System:
    """Open a system by name; its results are checked to be well-formed. Raises `UsageError` for a name that is none."""
    return Checked(open_raw(spec, options or SystemOptions()))


def open_raw(spec: str, options: SystemOptions) -> System:
    """Open a system by name, unchecked: for whoever checks it himself."""
    return known_form(spec)(spec.partition(":")[2], options)


def known_form(spec: str) -> Callable[[str, SystemOptions], System]:
    """What opens a system of this name. Raises `UsageError` for a name that is none, without opening anything."""
    kind, separator, _ = spec.partition(":")
    opener = _FORMS.get(kind if not separator else f"{kind}:")
    if opener is None:
        raise UsageError(f"unknown system {spec!r}", hint="known: " + ", ".join(known.name for known in KNOWN))
    return opener


def _reference(_rest: str, _options: SystemOptions) -> System:
    return _made("lifecycle_conformance.systems.reference", "make", "reference")


def _dsh(_rest: str, options: SystemOptions) -> System:
    from lifecycle_conformance.systems import dsh

    try:
        command = dsh.command()
    except dsh.DshError as error:
        raise UsageError(str(error)) from error
    return StdioSystem(command, timeout=options.timeout)


def _stdio(command: str, options: SystemOptions) -> System:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(
            f"stdio:{command} cannot be split into words: {error}", hint="quote it as for a shell"
        ) from None
    if not words:
        raise UsageError("stdio: names no command", hint='for example stdio:"lifecycle serve"')
    return StdioSystem([find_program(words[0]), *words[1:]], timeout=options.timeout)


def find_program(name: str) -> str:
    """A program by path or name: on the PATH, or beside this interpreter (a venv that is not activated)."""
    found = shutil.which(name)
    if found is None and not os.path.dirname(name):
        found = shutil.which(name, path=str(Path(sys.executable).parent))
    if found is None:
        raise UsageError(f"there is no program {name!r}", hint="give a path, or a name that is on the PATH")
    return found


def _python(rest: str, _options: SystemOptions) -> System:
    module, separator, factory = rest.partition(":")
    if not separator or not module or not factory:
        raise UsageError(
            f"python:{rest} does not name a module and a factory", hint="for example python:my_adapter:make"
        )
    return _made(module, factory, f"python:{rest}")


def _made(module: str, factory: str, spec: str) -> System:
    sys.path.insert(0, os.getcwd())
    try:
        loaded = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name is not None and (module == error.name or module.startswith(f"{error.name}.")):
            raise UsageError(f"{spec}: there is no module {module!r}", hint="run where it can be imported") from error
        raise UsageError(
            f"{spec}: importing {module} needs {error.name}, which is missing", hint="install it"
        ) from error
    except Exception as error:
        raise UsageError(f"{spec}: importing {module} raised {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(os.getcwd())
    make: object = loaded
    for part in factory.split("."):
        make = getattr(make, part, None)
    if not callable(make):
        there = ", ".join(
            sorted(name for name in vars(loaded) if not name.startswith("_") and callable(vars(loaded)[name]))
        )
        raise UsageError(f"{spec}: {module} has no factory {factory!r}", hint=f"it has: {there or 'nothing callable'}")
    try:
        system: object = make()
    except SystemsError:
        raise
    except Exception as error:
        raise UsageError(
            f"{spec}: {factory}() raised {type(error).__name__}: {error}", hint="--debug shows where"
        ) from error
    missing = [name for name in ("describe", "reset", "run", "stop") if not callable(getattr(system, name, None))]
    if missing:
        raise UsageError(
            f"{spec}: {factory}() gave a {type(system).__name__} without {', '.join(missing)}",
            hint="a system has describe, reset, run and stop",
        )
    return system  # type: ignore[return-value]  # pyright: ignore[reportReturnType] -- its four methods were just checked


def _acp(command: str, _options: SystemOptions) -> System:
    raise UsageError(
        f"acp:{command} is a black box and speaks no protocol 1",
        hint="`lifecycle check acp:COMMAND` judges it with the ACP profile; it has no other use",
    )


_FORMS: dict[str, Callable[[str, SystemOptions], System]] = {
    "reference": _reference,
    "dsh": _dsh,
    "stdio:": _stdio,
    "python:": _python,
    "acp:": _acp,
}
