"""What bots in this process print: it goes to stderr, each line under the name of its bot, and ends after a while.

So it is never among the results that a command prints to stdout.
"""

import io
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tourney.errors import one_line

LINES = 100
"""How many lines of an entrant are shown; this holds for each process."""
LETTERS = 1000
"""How much of a line is shown, in bytes."""
ERASE_LINE = b"\r\x1b[K"
"""Erases the line of a terminal in which the cursor is, as a live line may be there."""


def _nobody() -> str:
    """Returns the empty name: no bot is being called."""
    return ""


_caller: Callable[[], str] = _nobody
"""Returns the name of the entrant whose bot is being called; empty if there is none."""


def name_callers(caller: Callable[[], str] | None) -> None:
    """Has `caller` tell from now on whose bot is being called; None: nobody's is, and lines that were begun end."""
    global _caller  # noqa: PLW0603 - there is one stdout
    _caller = _nobody if caller is None else caller
    if caller is None and _begun:
        begun = dict(_begun)
        _begun.clear()
        for name, line in begun.items():
            _show(name, line)


@contextmanager
def labelled(name: str) -> Iterator[None]:
    """Takes what is printed in the context for that of the bot of that name."""
    before = _caller
    try:
        with redirected():
            name_callers(lambda: name)
            yield
    finally:
        name_callers(None)
        name_callers(before)


@contextmanager
def redirected() -> Iterator[None]:
    """Sends what bots print in the context to stderr, with their names; nothing changes where that is done already."""
    if isinstance(getattr(sys.stdout, "buffer", None), BotPrints):
        yield
        return
    before = sys.stdout, sys.stderr
    sys.stdout.flush()
    real = _stdout_to_stderr()
    install()
    try:
        yield
    finally:
        name_callers(None)
        sys.stdout, sys.stderr = before
        if real is not None:
            os.dup2(real, 1)
            os.close(real)


def install() -> None:
    """Takes the place of `sys.stdout` and `sys.stderr` for good; what no bot prints goes to stderr as it is."""
    prints = BotPrints()
    sys.stdout = io.TextIOWrapper(prints, "utf-8", "backslashreplace", write_through=True)
    sys.stderr = io.TextIOWrapper(prints, "utf-8", "backslashreplace", write_through=True)


def _stdout_to_stderr() -> int | None:
    """Sends the file descriptor of stdout to stderr, for libraries that use it; returns the one of stdout, if any."""
    try:
        real = os.dup(1)
    except OSError:
        return None
    try:
        os.dup2(2, 1)
    except OSError:  # stderr is closed
        os.close(real)
        return None
    return real


_begun: dict[str, bytes] = {}
"""The line that each entrant has begun."""
_left: dict[str, int] = {}
"""How many lines of each entrant are still shown."""


_held: list[str] | None = None
"""The lines that another process is to show; None where they are shown at once."""


def hold(wanted: bool) -> None:
    """Holds lines back from now on for `take`, or shows them at once.

    Where stderr is a terminal, the main process may have a live view there, and shows lines above it.
    """
    global _held  # noqa: PLW0603 - there is one stdout
    _held = [] if wanted else None


def take() -> str:
    """Returns the lines that were held back since the last call."""
    held, lines = _held, ""
    if held:
        lines = "".join(held)
        held.clear()
    return lines


def show(lines: str) -> None:
    """Shows lines that another process has held back; a live view has them above itself."""
    if lines:
        with suppress(OSError, ValueError):  # stderr is closed or full, and nobody is to blame for it
            sys.stderr.write(lines)
            sys.stderr.flush()


class BotPrints(io.RawIOBase):
    """A file for what is printed; it knows whose it is by which bot is being called."""

    def writable(self) -> bool:
        """Returns that this file can be written."""
        return True

    def fileno(self) -> int:
        """Returns the file descriptor of stderr."""
        return 2

    def isatty(self) -> bool:
        """Returns whether stderr is a terminal."""
        return os.isatty(2)

    def close(self) -> None:
        """Does nothing: a bot may close what it prints to, and others print as well."""

    def write(self, data: Any) -> int:
        """Shows the lines that are complete now."""
        name, count = _caller(), len(data)
        if not name:
            _to_stderr(bytes(data))
        elif _left.get(name, LINES):
            *lines, rest = (_begun.pop(name, b"") + bytes(data)).split(b"\n")
            if len(rest) > LETTERS:
                lines, rest = [*lines, rest], b""
            if rest:
                _begun[name] = rest
            for line in lines:
                _show(name, line)
        return count


def _show(name: str, line: bytes) -> None:
    """Shows a line of an entrant, and after the last one that there will be no more."""
    left = _left.get(name, LINES)
    if not left:
        return
    _left[name] = left - 1
    text = line[:LETTERS].decode(errors="replace").removesuffix("\r")
    shown = f"[{name}] {one_line(text)}{' ...' if len(line) > LETTERS else ''}\n"
    if left == 1:
        shown += f'[{name}] ... what it prints from here on is not shown; host = "process" keeps it in its log\n'
    if _held is not None:
        _held.append(shown)
    else:
        _to_stderr((ERASE_LINE if os.isatty(2) else b"") + shown.encode())


def _to_stderr(data: bytes) -> None:
    with suppress(OSError):  # stderr is closed or full, and nobody is to blame for it
        os.write(2, data)
