"""Classifies a bot's bad answer or exception as a fault, in words that are the same in every host and every replay.

Both may be objects of the bot's own classes, and lie. Nothing here calls a method of theirs or of their values, but for
`__index__` of an answer.
"""

import os
from operator import index
from pathlib import Path, PurePath
from types import CodeType, TracebackType
from typing import Any, get_args

from tourney.errors import printable, type_name
from tourney.match import FaultKind

PACKAGE = Path(__file__).parent.parent
TABLE = (str(PACKAGE / "table.py"), "tourney/table.py")
"""The file of the table, as its code names it in pure Python and compiled."""
HOSTS = (f"{PACKAGE / 'hosts'}{os.sep}", "tourney/hosts/")
"""What the files of the hosts begin with, in the same two ways."""
_KINDS = [kind for kind in get_args(FaultKind) if kind != "out"]


class ChargedError(BaseException):
    """Raised by a host in place of an answer: the bot is at fault.

    It is no `Exception`, so that a bot does not catch it by accident.
    """

    __slots__ = ("detail", "killed", "kind", "late", "traceback")

    def __init__(self, kind: FaultKind, detail: str, killed: bool = False, late: bool = False) -> None:
        """States the fault.

        `killed` says that somebody else than the bot may have ended its process, `late` that a bot ran out of time
        while the machine was overloaded. `traceback` can be set to that of the exception
        that the bot has raised in a process of its own.
        """
        super().__init__(kind, detail)
        self.kind: FaultKind = kind
        self.detail = detail
        self.killed = killed
        self.late = late
        self.traceback = ""


def as_action(answer: Any, count: int) -> int | None:
    """Returns the answer as an action below `count`, or None if it is none.

    Integers of other types (numpy's) count as ints, bools do not.
    """
    if type(answer) is bool:
        return None
    try:
        action = index(answer)  # an int itself, whatever `__index__` returns
    except BaseException:  # the answer is an object of the bot's, and may do anything
        return None
    return action if 0 <= action < count else None


def describe_answer(answer: Any) -> str:
    """Describes an answer that is no action."""
    if answer is None:
        return "answered None"
    if type(answer) is int:
        return "answered a number that is no action of the game"
    return f"answered with the type {type_name(answer)}"


def fault_of(error: BaseException) -> tuple[FaultKind, str]:
    """Returns the kind and the detail of the fault that a bot's exception is.

    The detail is the exception's type and the line of the bot's code, which are the same in every replay; the message
    of an exception need not be.
    """
    if type(error) is ChargedError and _is_stated(error):
        return error.kind, error.detail
    return "memory" if issubclass(type(error), MemoryError) else "error", type_name(error) + _line(own_traceback(error))


def own_traceback(error: BaseException) -> TracebackType | None:
    """Returns the traceback of a bot's exception from the bot's own code on; None if it was not raised there."""
    traceback: TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    while traceback is not None and _is_ours(traceback.tb_frame.f_code):
        traceback = traceback.tb_next
    return traceback


def _is_stated(error: ChargedError) -> bool:
    """Returns whether a host can have stated the fault; a bot in the worker may raise this error, too."""
    kind: Any = getattr(error, "kind", None)
    detail: Any = getattr(error, "detail", None)
    return type(kind) is str and kind in _KINDS and type(detail) is str and detail.isprintable()


def _line(traceback: TracebackType | None) -> str:
    """Returns where in the bot's code an exception was raised, as ` at FILE:LINE`; empty if it was not there.

    `traceback` begins with the bot's own code.

    The line is that of the innermost frame in the file that the table called, since lines of the standard library
    differ between versions of Python.
    """
    if traceback is None:
        return ""
    file, line = file_of(traceback.tb_frame.f_code), traceback.tb_lineno
    while traceback is not None:
        if file_of(traceback.tb_frame.f_code) == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f" at {printable(PurePath(file).name)}:{line}"


def _is_ours(code: CodeType) -> bool:
    """Returns whether the code belongs to the table or a host."""
    file = file_of(code)
    return file in TABLE or file.startswith(HOSTS)


def file_of(code: CodeType) -> str:
    """Returns the file that the code names; `?` if that is no plain text, as a bot can have it."""
    file: Any = code.co_filename
    return file if type(file) is str else "?"
