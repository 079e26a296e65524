"""Classifies a bot's bad answer or exception as a fault, in the same words in every host and every replay.

Both may be objects of the bot's own classes, and lie: no method of theirs is called, except an answer's `__index__`.
"""

import linecache
import os
import re
from contextlib import suppress
from operator import index
from pathlib import Path, PurePath
from traceback import TracebackException
from types import CodeType, TracebackType
from typing import Any, NamedTuple, get_args

from tourney.base.errors import one_line, printable, type_name
from tourney.contracts.bot import Noted
from tourney.contracts.match import Fault, FaultKind, Match
from tourney.plugins.failures import from_plugin

PACKAGE = Path(__file__).parent.parent
TABLE = (str(PACKAGE / "table" / "table.py"), "tourney/table/table.py")
"""The file of the table, as its code names it in pure Python and compiled."""
HOSTS = (f"{PACKAGE / 'hosts'}{os.sep}", "tourney/hosts/")
"""What the files of the hosts begin with, in the same two ways."""
DECISION = "its decision"  # in the numbers of a timeout, until the decision's number is noted
_KINDS = [kind for kind in get_args(FaultKind) if kind != "out"]


class ChargedError(BaseException):
    """Raised by a host in place of an answer: the bot is at fault.

    It is not an `Exception`, so that a bot does not catch it by accident.
    """

    __slots__ = ("detail", "kind", "late", "traceback")

    def __init__(self, kind: FaultKind, detail: str, late: bool = False) -> None:
        """States the fault.

        `late` is set if a bot ran out of time while the machine was overloaded. `traceback` can be set to the
        traceback of the exception that the bot has raised in its own process, or to the numbers of a timeout.
        """
        super().__init__(kind, detail)
        self.kind: FaultKind = kind
        self.detail = detail
        self.late = late
        self.traceback = ""


def as_action(answer: Any, count: int) -> int | None:
    """Returns the answer as an action below `count`, or None if it is not one.

    Integers of other types (numpy's) count as ints, bools do not; of `Noted`, the action counts.
    """
    if type(answer) is Noted:
        answer = getattr(answer, "action", None)
    if type(answer) is bool:
        return None
    try:
        action = index(answer)  # an int itself, whatever `__index__` returns
    except BaseException:  # the answer is an object of the bot's, and may do anything
        return None
    return action if 0 <= action < count else None


def describe_answer(answer: Any) -> str:
    """Describes an answer that is not an action."""
    if type(answer) is Noted:
        answer = getattr(answer, "action", None)
    if answer is None:
        return "answered None"
    if type(answer) is int:
        return "unknown action"
    return f"answered with the type {type_name(answer)}"


def fault_of(error: BaseException) -> tuple[FaultKind, str]:
    """Returns the kind and the detail of a bot's exception as a fault.

    The detail is the exception's type and the line of the bot's code, which are the same in every replay; an
    exception's message may differ.
    """
    if type(error) is ChargedError and _is_stated(error):
        return error.kind, error.detail
    place = _line(own_traceback(error), issubclass(type(error), RecursionError))
    return "memory" if issubclass(type(error), MemoryError) else "error", type_name(error) + place


def own_traceback(error: BaseException) -> TracebackType | None:
    """Returns a bot's traceback from the bot's own code on; None if it was not raised there."""
    traceback: TracebackType | None = BaseException.__dict__["__traceback__"].__get__(error)
    while traceback is not None and file_of(traceback.tb_frame.f_code).startswith((*TABLE, *HOSTS)):
        traceback = traceback.tb_next
    return traceback


def _is_stated(error: ChargedError) -> bool:
    kind: Any = getattr(error, "kind", None)
    detail: Any = getattr(error, "detail", None)
    return type(kind) is str and kind in _KINDS and type(detail) is str and detail.isprintable()


def _line(traceback: TracebackType | None, is_deep: bool = False) -> str:
    """Returns where in the bot's code an exception was raised, as ` at FILE:LINE`; empty if it was raised elsewhere."""
    if traceback is None:
        return ""
    # in the file that the table called, as lines of the standard library differ between versions of Python; in its
    # innermost frame, but of a recursion in the outermost one, as its end depends on the process
    file, line = file_of(traceback.tb_frame.f_code), traceback.tb_lineno
    while traceback is not None and not is_deep:
        if file_of(traceback.tb_frame.f_code) == file:
            line = traceback.tb_lineno
        traceback = traceback.tb_next
    return f" at {printable(PurePath(file).name)}:{line}"


def file_of(code: CodeType) -> str:
    """Returns the file that the code names; `?` if that is not a plain text: a bot can set it."""
    file: Any = code.co_filename
    return file if type(file) is str else "?"


# The tracebacks of bots' exceptions, for their entrants' logs: the first for each entrant and kind of fault.
#
# An exception may be an object of the bot's own class. A bot in its own process formats it there, with its message.
# For an exception raised in the worker nothing of it is called: its type is named, its plain arguments, and the lines
# that it came through.

MAX_BYTES = 20_000  # of a traceback, as UTF-8; a longer one loses its middle
LEFT_OUT = "\n[... the middle of this traceback is left out ...]\n"
FRAMES = 20  # how many of the first and of the last frames are shown of an exception raised in the worker
LETTERS = 500  # how much of a line of code, and of its file's name, is shown of such an exception
SOURCE_BYTES = 1 << 20
PLAIN = (str, int, float, bool, bytes, type(None))
"""The types of arguments that are shown of such an exception: none of their code is a bot's."""

_FORBIDDEN = re.compile(
    r"\[Errno (1|2|13|30|38|-2|-3)\]|Operation not permitted|Permission denied|Read-only file system|fork: |Cannot fork"
    r"|Function not implemented|No such file or directory|name resolution"
)
SANDBOX = (
    "the sandbox has no network, no second process, and no files but the bot's own, which are read-only: use threads, "
    "open files next to `__file__`, write to /scratch; see `tourney docs hosts-and-limits`"
)


def sandbox_cause(said: str) -> str:
    """Returns what the sandbox forbids if the last line of a bot's output suggests that cause; else an empty text."""
    return SANDBOX if _FORBIDDEN.search(said.rstrip().rpartition("\n")[2]) else ""


class BotTraceback(NamedTuple):
    """Where and why a bot raised an exception."""

    name: str
    match: str
    fault: Fault
    text: str  # the traceback: several lines, without whatever could steer a terminal


class Tracebacks:
    """Collects the first traceback of each entrant and kind of fault."""

    def __init__(self) -> None:
        self._known: set[tuple[str, FaultKind]] = set()
        self._new: list[BotTraceback] = []

    def lacks(self, name: str, kind: FaultKind) -> bool:
        """Whether there is no traceback yet of such a fault of the entrant, and there can be one."""
        return kind in ("error", "memory", "protocol", "timeout") and (name, kind) not in self._known

    def note(self, match: Match, fault: Fault, error: BaseException, in_worker: bool) -> None:
        """Notes a bot's traceback, unless it is not the first of its kind."""
        name = match.seats[fault.seat]
        if not self.lacks(name, fault.kind):
            return
        text = ""
        if in_worker and fault.kind != "timeout":
            with suppress(MemoryError):  # the bot may still hold all of it
                text = outlined(error)
        else:
            text = getattr(error, "traceback", "")  # a bot in another process raises nothing here
            text = text.replace(DECISION, f"decision {fault.decision}", fault.kind == "timeout")
        if text:
            self._known.add((name, fault.kind))
            self._new.append(BotTraceback(name, match.id, fault, text))

    def take(self) -> tuple[BotTraceback, ...]:
        """Returns the new tracebacks since the last call."""
        taken, self._new = self._new, []
        return tuple(taken)


def formatted(error: BaseException) -> str:
    """Formats an exception as Python does, message included, from the bot's own code on.

    Only for the bot's own process: it calls methods of the exception.
    """
    try:
        shown = TracebackException(type(error), error, from_plugin(own_traceback(error)), compact=True)
        return tidied("".join(shown.format()))
    except BaseException:  # a bot may raise anything, also while its exception is looked at
        return outlined(error)


def outlined(error: BaseException) -> str:
    """Lists the lines that an exception came through, its type and message; calls no method of the exception."""
    places: list[tuple[str, int]] = []
    trace = from_plugin(own_traceback(error))
    while trace is not None:
        places.append((file_of(trace.tb_frame.f_code), trace.tb_lineno))
        trace = trace.tb_next
    lines = [_place(*place) for place in places[:FRAMES] + places[FRAMES:][-FRAMES:]]
    if len(places) > 2 * FRAMES:
        lines.insert(FRAMES, f"  [... {len(places) - 2 * FRAMES} more ...]")
    return tidied("\n".join([*lines, f"{type_name(error)}{_message(error)}"]))


def _message(error: BaseException) -> str:
    given = BaseException.__dict__["args"].__get__(error)
    with suppress(ValueError):  # a number may have too many digits
        parts = [part for each in given for part in (each if type(each) is tuple else (each,))]  # the key of a KeyError
        if given and {*map(type, parts)} <= {*PLAIN}:
            return f": {one_line(', '.join(map(str, given)))[: 2 * LETTERS]}"
    return ""


def _place(file: str, line: int) -> str:
    """Returns a line of a file as tracebacks show it. The bot may have named any file: one of the system, a pipe."""
    code = ""
    with suppress(OSError, ValueError):
        if os.path.isabs(file) and os.path.isfile(file) and 0 < os.path.getsize(file) <= SOURCE_BYTES:
            code = linecache.getline(file, line).strip()[:LETTERS]
    return f'  File "{file[:LETTERS]}", line {line}' + (f"\n    {code}" if code else "")


def tidied(text: str) -> str:
    """Returns a traceback without its middle if it is long, and with control characters spelled out."""
    if len(text) > 2 * MAX_BYTES:
        text = text[:MAX_BYTES] + text[-MAX_BYTES:]  # spelling out takes time
    text = "\n".join([one_line(line) for line in text.rstrip("\n").split("\n")])
    data = text.encode()
    if len(data) <= MAX_BYTES:
        return text
    half = (MAX_BYTES - len(LEFT_OUT)) // 2
    return data[:half].decode(errors="ignore") + LEFT_OUT + data[-half:].decode(errors="ignore")
