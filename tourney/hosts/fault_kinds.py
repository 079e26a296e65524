"""Classifies a bot's bad answer or exception as a fault, in words that are the same in every host and every replay."""

import re
from pathlib import PurePath
from types import TracebackType
from typing import Any

from tourney.match import FaultKind


class ChargedError(BaseException):
    """Raised by a host in place of an answer: the bot is at fault.

    It is no `Exception`, so that a bot does not catch it by accident.
    """

    def __init__(self, kind: FaultKind, detail: str, killed: bool = False) -> None:
        """States the fault; `killed` says that somebody else than the bot may have ended its process."""
        super().__init__(kind, detail)
        self.kind: FaultKind = kind
        self.detail = detail
        self.killed = killed


def as_action(answer: Any, count: int) -> int | None:
    """Returns the answer as an action below `count`, or None if it is none.

    Integers of other types (numpy's) count as ints, bools do not.
    """
    if type(answer) is bool:
        return None
    try:
        action = int(answer.__index__())
    except BaseException:  # the answer is an object of the bot's, and may do anything
        return None
    return action if 0 <= action < count else None


def describe_answer(answer: Any) -> str:
    """Describes an answer that is no action."""
    if answer is None:
        return "answered None"
    if type(answer) is int:
        return "answered a number that is no action of the game"
    return f"answered with the type {_type_name(answer)}"


def fault_of(error: BaseException) -> tuple[FaultKind, str]:
    """Returns the kind and the detail of the fault that a bot's exception is.

    The detail is the exception's type and the line of the bot's code, which are the same in every replay; the message
    of an exception need not be. The exception's class may be the bot's own, so its attributes are read past it.
    """
    if type(error) is ChargedError:
        return error.kind, error.detail
    traceback = BaseException.__dict__["__traceback__"].__get__(error)
    return "memory" if issubclass(type(error), MemoryError) else "error", _type_name(error) + _line(traceback)


def _line(traceback: TracebackType | None) -> str:
    """Returns where in the bot's code an exception was raised, as ` at FILE:LINE`; empty if it was not there.

    The line is that of the innermost frame in the file that the table called, since lines of the standard library
    differ between versions of Python.
    """
    while traceback is not None and _is_ours(traceback.tb_frame.f_globals.get("__name__")):
        traceback = traceback.tb_next
    if traceback is None:
        return ""
    file, line = traceback.tb_frame.f_code.co_filename, traceback.tb_lineno
    while traceback is not None:
        if traceback.tb_frame.f_code.co_filename == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f" at {_printable(PurePath(file).name)}:{line}"


def _is_ours(module: object) -> bool:
    """Returns whether a frame of the module of that name belongs to the table or a host."""
    return isinstance(module, str) and (module == "tourney.table" or module.startswith("tourney.hosts."))


def _type_name(value: object) -> str:
    """Returns the name of the value's type, whatever its metaclass makes of `__name__`."""
    return _printable(type.__dict__["__name__"].__get__(type(value)))


def _printable(text: str) -> str:
    """Returns the first 80 characters of a text, with `?` for all but letters, digits and `_ . -`."""
    return re.sub(r"[^\w.-]", "?", text)[:80]
