"""The prints of bots in this process: labelled with the name of the bot, escaped and bounded, on stderr.

They are never among the results that a command prints to stdout. A worker sends them to the main process together with
its matches.
"""

import io
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tourney.base.errors import one_line
from tourney.contracts.bot import SeatFacts
from tourney.hosts.base import BotHost, HostedBot, WrappedBot
from tourney.hosts.clocks import SeatClock

LINES = 100  # of an entrant that each process shows
LETTERS = 1000


class _Prints:
    caller: Callable[[], str] | None = None
    """Returns the entrant whose bot is being called, or an empty text; None while no bot is called."""
    held: list[str] | None = None  # the lines for `take`; None where they are shown at once

    def __init__(self) -> None:
        self.unfinished: dict[str, bytes] = {}  # the unfinished line of each entrant


class _Thread(threading.local):
    prints = _Prints()  # of all threads that are not separate, such as a bot's own


_thread = _Thread()
_left: dict[str, int] = {}
"""How many lines of each entrant are still shown."""
_installed: io.TextIOWrapper | None = None
"""What `sys.stdout` is while prints are labelled; None while they are not."""


def separate() -> None:
    """Names this thread's prints, holds them back and keeps them apart from other threads' prints."""
    _thread.prints = _Prints()


def name_callers(caller: Callable[[], str] | None) -> None:
    """Sets what returns the name of the bot that is being called; None for no bot, which ends unfinished lines."""
    prints = _thread.prints
    prints.caller = caller
    if caller is not None and _installed is not None and _installed is not sys.stdout:
        install()  # a bot has replaced it, and others cannot use its replacement
    if caller is None and prints.unfinished:
        unfinished, prints.unfinished = prints.unfinished, {}
        for name, line in unfinished.items():
            _show(name, line)


def caller_of_thread() -> Callable[[], str]:
    """Returns what names the bot that this thread calls; also other threads may call it."""
    prints = _thread.prints
    return lambda: "" if prints.caller is None else prints.caller()


@contextmanager
def labelled(name: str) -> Iterator[None]:
    """Labels what is printed in the context with a bot's name."""
    before = _thread.prints.caller
    try:
        with redirected():
            name_callers(lambda: name)
            yield
    finally:
        name_callers(None)
        name_callers(before)


@contextmanager
def redirected() -> Iterator[None]:
    """Sends bots' prints in the context to stderr, labelled; does nothing if that is done already.

    The file descriptor of stdout is redirected as well, for libraries in C.
    """
    global _installed  # noqa: PLW0603 - there is one stdout
    if _installed is not None:
        yield
        return
    before = sys.stdout, sys.stderr
    sys.stdout.flush()
    real = -1
    with suppress(OSError):  # stdout or stderr is closed
        os.fstat(2)
        real = os.dup(1)
        os.dup2(2, 1)
    install()
    try:
        yield
    finally:
        name_callers(None)
        _installed = None
        sys.stdout, sys.stderr = before
        if real >= 0:
            os.dup2(real, 1)
            os.close(real)


def install() -> None:
    """Replaces `sys.stdout` and `sys.stderr` for good; other prints go to stderr unchanged."""
    global _installed  # noqa: PLW0603 - there is one stdout
    prints = BotPrints()
    sys.stdout = io.TextIOWrapper(prints, "utf-8", "backslashreplace", write_through=True)
    _installed = sys.stdout
    sys.stderr = io.TextIOWrapper(prints, "utf-8", "backslashreplace", write_through=True)


def hold(wanted: bool) -> None:
    """Holds lines back from now on for `take`, or shows them at once."""
    _thread.prints.held = [] if wanted else None


def take() -> str:
    """Returns the lines that were held back since the last call."""
    held = _thread.prints.held
    lines = "".join(held or ())
    if held:
        held.clear()
    return lines


def show(lines: str) -> None:
    """Shows lines that a worker has held back; on a terminal, above a live view."""
    if lines:
        with suppress(OSError, ValueError):  # stderr is closed or full, and no one is to blame
            sys.stderr.write(lines)
            sys.stderr.flush()


class BotPrints(io.RawIOBase):
    """The file that bots print to."""

    def writable(self) -> bool:
        """Always true."""
        return True

    def fileno(self) -> int:
        """Returns the file descriptor of stderr."""
        return 2

    def isatty(self) -> bool:
        """Whether stderr is a terminal."""
        return os.isatty(2)

    def close(self) -> None:
        """Does nothing: a bot may close its output, and others print as well."""

    def write(self, data: Any) -> int:
        """Shows the lines that are complete now."""
        prints, count = _thread.prints, len(data)
        name = "" if prints.caller is None else prints.caller()
        if not name:
            _to_stderr(bytes(data))
        elif _left.get(name, LINES):
            *lines, rest = (prints.unfinished.pop(name, b"") + bytes(data)).split(b"\n")
            if len(rest) > LETTERS:
                lines, rest = [*lines, rest], b""
            if rest:
                prints.unfinished[name] = rest
            for line in lines:
                _show(name, line)
        return count


def _show(name: str, line: bytes) -> None:
    shown, held = label(name, line), _thread.prints.held
    if held is not None:
        held.append(shown)
    else:
        _to_stderr(shown.encode())


def label(name: str, line: bytes) -> str:
    """Returns a line of an entrant as it is shown: labelled, escaped and cut.

    After the last line that is shown there is a note that no more will be; later lines are empty.
    """
    left = _left.get(name, LINES)
    if not left:
        return ""
    _left[name] = left - 1
    text = line[:LETTERS].decode(errors="replace").removesuffix("\r")
    shown = f"[{name}] {one_line(text)}{' ...' if len(line) > LETTERS else ''}\n"
    if left == 1:
        shown += f'[{name}] ... further output is not shown; host = "process" has a log of a run\n'
    return shown


def _to_stderr(data: bytes) -> None:
    with suppress(OSError):  # stderr is closed or full, and no one is to blame
        os.write(2, data)


class LabelledHost(BotHost):
    """Runs bots in another host, and labels what they print."""

    def __init__(self, host: BotHost, name: str) -> None:
        self._host = host
        self._labelled = labelled(name)
        self.in_worker = host.in_worker
        self.limits = host.limits
        self.close = host.close  # type: ignore[method-assign]

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> HostedBot:
        return WrappedBot(self._labelled(self._host.begin)(facts, rng_seed, clock), self._labelled)
