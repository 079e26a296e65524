"""The tracebacks of what bots raise, for the logs of their entrants: the first of each entrant and kind of fault.

An exception may be an object of the bot's own class. A bot in a process of its own formats it there, with its message.
Of one that was raised in the worker nothing is called: its type is named, and the lines that it came through.
"""

import os
from collections import deque
from contextlib import suppress
from pathlib import Path
from traceback import TracebackException
from typing import NamedTuple

from tourney import regular_files
from tourney.errors import one_line, type_name
from tourney.hosts.fault_kinds import ChargedError, file_of, own_traceback
from tourney.load_failures import from_plugin
from tourney.match import Fault, FaultKind, Match

NOT_LOADED = b"cannot be loaded\n"
"""How a spawner's answer begins that cannot load the bot; the traceback follows."""
MAX_BYTES = 20_000
"""The length of the longest traceback, as UTF-8; of a longer one the middle is left out."""
LEFT_OUT = "\n[... the middle of this traceback is left out ...]\n"
FRAMES = 20
"""How many of the first frames, and of the last ones, are shown of an exception that was raised in the worker."""
LETTERS = 500
"""How much of a line of code, and of the name of its file, is shown of such an exception."""
SOURCE_BYTES = 1 << 20
"""The length of the longest source file from which lines are shown."""
INLINE = '(inline, an exception is not asked for its message; host = "process" shows it)'
"""Follows the traceback of an exception that was raised in the worker."""


class BotTraceback(NamedTuple):
    """Where and why a bot raised an exception."""

    name: str
    """The name of the entrant."""
    match: str
    fault: Fault
    """The fault that it was charged with for that."""
    text: str
    """The traceback: several lines, without whatever could steer a terminal."""


class Tracebacks:
    """Collects the first traceback of each entrant and kind of fault."""

    def __init__(self) -> None:
        """Starts with none."""
        self._known: set[tuple[str, FaultKind]] = set()
        self._new: list[BotTraceback] = []

    def lacks(self, name: str, kind: FaultKind) -> bool:
        """Tells whether there is no traceback yet of such a fault of the entrant, and there can be one."""
        return kind in ("error", "memory") and (name, kind) not in self._known

    def note(self, match: Match, fault: Fault, error: BaseException, in_worker: bool) -> None:
        """Notes the traceback of a bot's exception, unless it is not the first of its kind.

        Args:
            match: The match in which it was raised.
            fault: The fault that it is.
            error: The exception, or in its place the charge that the bot's host has raised.
            in_worker: Whether the bot runs in this process, so that this is its own exception.
        """
        name = match.seats[fault.seat]
        if not self.lacks(name, fault.kind):
            return
        text = ""
        if in_worker:
            with suppress(MemoryError):  # the bot may still hold all of it
                text = f"{outlined(error)}\n{INLINE}"
        else:
            assert isinstance(error, ChargedError), "a bot in another process raises nothing here"
            text = error.traceback
        if text:
            self._known.add((name, fault.kind))
            self._new.append(BotTraceback(name, match.id, fault, text))

    def take(self) -> tuple[BotTraceback, ...]:
        """Returns those that have come since the last call."""
        taken, self._new = self._new, []
        return tuple(taken)


def formatted(error: BaseException) -> str:
    """Formats an exception as Python does, message included, from the bot's own code on.

    Only for the bot's own process: it calls methods of the exception.
    """
    try:
        found = TracebackException(type(error), error, from_plugin(own_traceback(error)), compact=True)
        return tidied("".join(found.format()))
    except BaseException:  # a bot may raise anything, also while its exception is looked at
        return outlined(error)


def outlined(error: BaseException) -> str:
    """Lists the lines that an exception came through, and its type; calls no method of the exception."""
    first: list[tuple[str, int]] = []
    last: deque[tuple[str, int]] = deque(maxlen=FRAMES)
    left_out = -FRAMES
    trace = from_plugin(own_traceback(error))
    while trace is not None:
        place = file_of(trace.tb_frame.f_code), trace.tb_lineno
        if len(first) < FRAMES:
            first.append(place)
        else:
            last.append(place)
            left_out += 1
        trace = trace.tb_next
    sources: dict[str, list[str]] = {}
    lines = [_place(*place, sources) for place in first]
    lines += [f"  [... {left_out} more ...]"] if left_out > 0 else []
    lines += [_place(*place, sources) for place in last]
    return tidied("\n".join([*lines, type_name(error)]))


def _place(file: str, line: int, sources: dict[str, list[str]]) -> str:
    """Returns a line of a file as tracebacks show it; `sources` has the lines of the files that were read."""
    if file not in sources:
        sources[file] = _source(file)
    found = sources[file]
    code = f"\n    {found[line - 1].strip()[:LETTERS]}" if 0 < line <= len(found) else ""
    return f'  File "{file[:LETTERS]}", line {line}{code}'


def _source(file: str) -> list[str]:
    """Returns the lines of a source file; none if it cannot be read. The bot may have named any file, or none."""
    try:
        path = Path(os.path.realpath(file))
        size = path.stat().st_size if os.path.isabs(file) else 0
        if not 0 < size <= SOURCE_BYTES:  # files of the system, whose end may never come, have no size
            return []
        return regular_files.read(path, size).decode(errors="replace").splitlines()
    except (OSError, ValueError, MemoryError):
        return []


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
