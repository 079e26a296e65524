"""The errors that are meant for users, each with the exit code of the command that ends with it.

The message is one line: what is wrong, where, and the remedy. It is written where the fault is known, in words that fit
the command line and the library alike. Any other exception is a bug and shows as a traceback.
"""

import errno
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

EXIT_VERDICT = 1
"""The verdict is negative: a record does not hold, or a bot is too weak."""
EXIT_USAGE = 2
"""Wrong use, wrong configuration, or input that cannot be read."""
EXIT_UNDECIDED = 3
"""There is no verdict within the limits that were set."""
EXIT_ENDED_EARLY = 4
"""The run ended early and can be resumed."""
EXIT_BUG = 70
"""An exception that is a bug of this program; its traceback was printed."""
EXIT_INTERRUPTED = 130
"""The user stopped the command; a run can be resumed."""
EXIT_UNREAD = 141
"""Nobody reads what the command has to print, and it does nothing else."""


LONGEST = 5_000
"""The length of the longest message; of a longer one the middle is left out."""


class TourneyError(Exception):
    """The base class of all errors that are meant for users; the message is one line."""

    exit_code = EXIT_USAGE

    def __str__(self) -> str:
        text = one_line(super().__str__())
        return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"

    def add(self, remedy: str) -> Self:
        """Adds to the message what only the caller knows; returns the error."""
        self.args = (f"{self}{remedy}", *self.args[1:])
        return self


class ConfigError(TourneyError):
    """A tournament file, a value in it, or an argument is refused."""


class PluginError(TourneyError):
    """A game or a bot cannot be found or loaded."""


class MissingExtraError(TourneyError, ImportError):
    """A package is not installed that an extra of this distribution brings; the message says how to install it."""

    def __init__(self, what: str, extra: str, missing: str) -> None:
        super().__init__(f"{what} needs {missing}; install it by: pip install 'tourney-cards[{extra}]'")


class ActionError(TourneyError):
    """A text names no action or no card of the game."""


class ViewError(TourneyError):
    """A view cannot be used as asked, such as to imagine a state of a match that is over."""


class RunError(TourneyError):
    """A run's folder cannot be used: it is taken, missing, damaged, or belongs to another tournament."""


class SandboxError(TourneyError):
    """Bots cannot be run in a sandbox on this machine, or not with these limits."""


class WriteError(TourneyError):
    """A file cannot be written: the disk is full or read-only, or the folder is gone. The run can be resumed.

    Where writing is not allowed, nothing was begun, and the exit code is that of wrong use.
    """

    exit_code = EXIT_ENDED_EARLY


class GameError(TourneyError):
    """The code of a game failed, or its match does not end; no bot is charged."""

    exit_code = EXIT_ENDED_EARLY

    def __init__(self, message: str, game: str, report: str = "") -> None:
        super().__init__(message)
        self.game = game
        """The name of the game."""
        self.report = report
        """The whole traceback, for a log; empty if there is none."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets the error be sent by a worker."""
        return type(self), (*self.args, self.game, self.report)


class TooManyFaultsError(TourneyError):
    """More matches had faults than the tournament file allows."""

    exit_code = EXIT_ENDED_EARLY


class SystemLimitError(TourneyError):
    """The system allows no more open files, processes or memory. What was begun can be begun again or resumed."""

    exit_code = EXIT_ENDED_EARLY


class HelperLostError(TourneyError):
    """A helper process of ours has ended, as when somebody kills it; no bot is charged. The run can be resumed."""

    exit_code = EXIT_ENDED_EARLY


class ClusterLostError(TourneyError):
    """A cluster can play no more: its scheduler or all its workers are gone. What was begun can be resumed."""

    exit_code = EXIT_ENDED_EARLY


class RunInterruptedError(TourneyError):
    """The user stopped the command."""

    exit_code = EXIT_INTERRUPTED


_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)
"""The numbers of the errors by which a system says that something may not be written."""
_WRITING = {
    **dict.fromkeys([errno.ENOSPC, errno.EDQUOT], "make room"),
    **dict.fromkeys(_NOT_ALLOWED, "allow that"),
    **dict.fromkeys([errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENOTDIR], "remove what is in its place"),
    errno.ENOENT: "put back what is missing",  # somebody has moved or removed it
    errno.ENAMETOOLONG: "give it a shorter name",
}
"""By error number: what to do about something that cannot be written."""


def cannot_write(path: object, error: OSError, done: str = "written") -> WriteError:
    """Returns the error that says why a file or folder cannot be written (or `removed`, ...), and what to do."""
    remedy = _WRITING.get(error.errno or 0, "find out why")
    refused = WriteError(f"{path}: cannot be {done} ({error.strerror or error}); {remedy}")
    if error.errno in _NOT_ALLOWED:
        refused.exit_code = EXIT_USAGE
    return refused


@contextmanager
def resume_hint(how: str) -> Iterator[None]:
    """Adds how to continue to an error that ends a run early."""
    try:
        yield
    except TourneyError as error:
        if isinstance(error, WriteError):
            error.exit_code = EXIT_ENDED_EARLY  # the run had begun
        if error.exit_code == EXIT_ENDED_EARLY:
            error.add(f"; {how}")
        raise


LIMITS = {
    errno.EMFILE: "too many open files; allow more, as by ulimit -n 1024",
    errno.ENFILE: "the whole system has too many open files; end other programs, or raise fs.file-max",
    errno.EAGAIN: "the system allows no more processes; end others, or allow more, as by ulimit -u",
    errno.ENOMEM: "the system has no memory left; end other programs, or allow more, as by ulimit -v",
}
"""By error number: which limit of the system was reached, and what to do."""


def system_limit(error: BaseException, what: str) -> SystemLimitError | None:
    """Returns the error that says that `what` failed at a limit of the system; None if it did not fail at one.

    EAGAIN says so only where a process or a thread was to be started.
    """
    number = errno.ENOMEM if isinstance(error, MemoryError) else error.errno if isinstance(error, OSError) else None
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        number = errno.EAGAIN
    return SystemLimitError(f"{what}: {LIMITS[number]}") if number in LIMITS else None


def named_limit(text: str, what: str) -> SystemLimitError | None:
    """Returns the error that says that `what` failed at a limit of the system; None if the text names none.

    The text is what the program has said last that has met the limit.
    """
    for number in sorted(LIMITS, key=lambda number: -len(os.strerror(number))):  # one text may begin another
        if os.strerror(number) in text:
            return SystemLimitError(f"{what}: {LIMITS[number]}")
    return None


def one_line(text: str) -> str:
    """Returns the text with unprintable characters escaped; it may quote a damaged file."""
    if text.isprintable():
        return text
    return "".join([char if char.isprintable() else repr(char)[1:-1] for char in text])


def printable(text: str) -> str:
    """Returns the first 80 characters of a text, with `?` for all but letters, digits and `_ . -`."""
    return re.sub(r"[^\w.-]", "?", text[:80])


def type_name(value: object) -> str:
    """Returns the name of a value's type, whatever its class or metaclass makes of `__name__`."""
    name: Any = type.__dict__["__name__"].__get__(type(value))
    return printable(name) if type(name) is str else "?"


LISTED = 20
"""How many known names are listed in the message about an unknown one."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Returns the end of an error message about an unknown name: the closest known name, or a list of them."""
    from difflib import get_close_matches  # noqa: PLC0415 - few programs need it, and all of them import this module

    names = sorted(known)
    close = get_close_matches(word, names, n=1)
    if close:
        return f'did you mean "{close[0]}"?'
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"known: {', '.join(names[:LISTED])}{more}" if names else "there are none"
