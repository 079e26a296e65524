"""What a bot's answer or exception is held against it as, in words that are the same in every host and every replay."""

import re
from pathlib import PurePath
from types import TracebackType
from typing import Any

from tourney.match import FaultKind


class ChargedError(BaseException):
    """A host's finding that the bot is at fault: raised in place of an answer. Bots do not catch it in passing."""

    def __init__(self, kind: FaultKind, detail: str, killed: bool = False) -> None:
        """With `killed`, somebody else than the bot may have ended its process."""
        super().__init__(kind, detail)
        self.kind: FaultKind = kind
        self.detail = detail
        self.killed = killed


def as_action(answer: Any, count: int) -> int | None:
    """The answer as one of so many actions; ints of other kinds (numpy's) count as ints, bools do not."""
    if type(answer) is bool:
        return None
    try:
        action = int(answer.__index__())
    except BaseException:  # an answer is the bot's own object and may do anything
        return None
    return action if 0 <= action < count else None


def kind_of(answer: Any) -> str:
    """What a nonsense answer is."""
    if answer is None:
        return "answered None"
    if type(answer) is int:
        return "answered a number that is no action of the game"
    return f"answered with the type {_type_name(answer)}"


def raised(error: BaseException) -> tuple[FaultKind, str]:
    """The fault that an exception is: its type and the bot's line, which no address and no hash order can change.

    The exception's class may be the bot's own, so nothing is asked that it could answer in its own way.
    """
    if type(error) is ChargedError:
        return error.kind, error.detail
    traceback = BaseException.__dict__["__traceback__"].__get__(error)
    return "memory" if issubclass(type(error), MemoryError) else "error", _type_name(error) + _line(traceback)


def _line(traceback: TracebackType | None) -> str:
    """Where in the bot's code it happened, as ` at FILE:LINE`.

    That is the innermost frame in the file which the table called: lines of the standard library differ by version.
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
    return f" at {plain(PurePath(file).name)}:{line}"


def _is_ours(module: object) -> bool:
    return isinstance(module, str) and (module == "tourney.table" or module.startswith("tourney.hosts."))


def _type_name(value: object) -> str:
    """The name of the value's type, whatever its metaclass makes of `__name__`."""
    return plain(type.__dict__["__name__"].__get__(type(value)))


def plain(text: str) -> str:
    """The text without anything but letters, digits and `_ . -`, and not too long."""
    return re.sub(r"[^\w.-]", "?", text)[:80]
