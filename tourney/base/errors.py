"""Errors for users: a message of one line (what, where, remedy) and an exit code. Other exceptions are bugs."""

import errno
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

EXIT_VERDICT = 1  # the verdict is negative: an invalid record, or a bot that is too weak
EXIT_USAGE = 2  # wrong use, wrong configuration, or unreadable input
EXIT_UNDECIDED = 3  # no verdict within the limits
EXIT_ENDED_EARLY = 4  # the run ended early and can be resumed
EXIT_BUG = 70
EXIT_INTERRUPTED = 130  # by the user; a run can be resumed
EXIT_UNREAD = 141  # the reader of the output has gone

MAX_LENGTH = 5_000
"""The longest message; the middle of a longer one is cut out."""


class TourneyError(Exception):
    """The base class of all errors for users; the message is one line."""

    exit_code = EXIT_USAGE

    def __str__(self) -> str:
        text = one_line(super().__str__())
        return text if len(text) <= MAX_LENGTH else f"{text[: MAX_LENGTH // 2]} … {text[-MAX_LENGTH // 2 :]}"

    def add(self, remedy: str) -> Self:
        """Appends the caller's remedy to the message; returns the error."""
        self.args = (f"{self}{remedy}", *self.args[1:])
        return self


class ConfigError(TourneyError):
    """Invalid tournament file or argument."""


class PluginError(TourneyError):
    """A plugin was not found or could not be loaded."""


class MissingExtraError(TourneyError, ImportError):
    """A package of an optional extra is missing; the message shows how to install it."""

    def __init__(self, what: str, extra: str, missing: str) -> None:
        super().__init__(f"{what} requires {missing}; install it with: pip install 'tourney-cards[{extra}]'")


class ActionError(TourneyError):
    """Unknown action or card text."""


class ViewError(TourneyError):
    """A view cannot be used as asked, such as to imagine a state after the end of the match."""


class RunError(TourneyError):
    """A run folder is missing, in use, damaged or from another tournament."""


class ChoiceError(RunError):
    """A match has no such choice: an unknown decision, or an action that is not legal there."""


class SandboxError(TourneyError):
    """This machine cannot run bots in a sandbox, or not with these limits."""


class EndedEarlyError(TourneyError):
    """The run ended early; it can be resumed."""

    exit_code = EXIT_ENDED_EARLY


class WriteError(EndedEarlyError):
    """A file cannot be written: the disk is full or read-only, or the folder is gone. The run can be resumed."""


class GameError(EndedEarlyError):
    """A game raised an exception or did not end; no bot is charged."""

    def __init__(self, message: str, game: str, report: str = "") -> None:
        super().__init__(message)
        self.game = game
        self.report = report
        """The traceback, for a log; may be empty."""

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (*self.args, self.game, self.report)


class TooManyFaultsError(EndedEarlyError):
    """More matches had faults than the tournament file allows."""


class CostLimitError(EndedEarlyError):
    """The run reached `max_cost`; it can be resumed."""


class SystemLimitError(EndedEarlyError):
    """The system allows no more open files, processes or memory. The run can be resumed."""


class HelperLostError(EndedEarlyError):
    """A helper process of tourney ended or was killed; no bot is charged. The run can be resumed."""


class ServiceError(EndedEarlyError):
    """A bot's service is unreachable or misconfigured; no bot is charged and the run can be resumed."""


class ClusterLostError(EndedEarlyError):
    """Lost the connection to the cluster's scheduler or to all its workers; the run can be resumed."""


class RunInterruptedError(TourneyError):
    """The user stopped the command."""

    exit_code = EXIT_INTERRUPTED


def spares_bots(error: TourneyError) -> bool:
    """Whether the machine or a service is at fault, and no bot or author."""
    return error.exit_code == EXIT_ENDED_EARLY or isinstance(error, SandboxError)


_NOT_ALLOWED = (errno.EACCES, errno.EPERM, errno.EROFS)
_WRITING = {
    **dict.fromkeys([errno.ENOSPC, errno.EDQUOT], "make room"),
    **dict.fromkeys(_NOT_ALLOWED, "allow that"),
    **dict.fromkeys([errno.EINVAL, errno.EISDIR, errno.ELOOP, errno.ENOTDIR], "remove the file or folder in its place"),
    errno.ENOENT: "restore the missing folder",
    errno.ENAMETOOLONG: "give it a shorter name",
}


def cannot_write(path: object, error: OSError, done: str = "written") -> WriteError:
    """The error for a file or folder that cannot be written (or `removed`, ...), with the remedy."""
    remedy = _WRITING.get(error.errno or 0, "find out why")
    refused = WriteError(f"{path}: cannot be {done} ({error.strerror or error}); {remedy}")
    if error.errno in _NOT_ALLOWED:  # nothing has started
        refused.exit_code = EXIT_USAGE
    return refused


@contextmanager
def writable(path: object) -> Iterator[None]:
    """Turns an `OSError` into the error for a file or folder that cannot be written."""
    try:
        yield
    except OSError as error:
        raise cannot_write(path, error) from None


@contextmanager
def resume_hint(how: str) -> Iterator[None]:
    """Appends how to resume to an error that ends a run early."""
    try:
        yield
    except TourneyError as error:
        if isinstance(error, WriteError):
            error.exit_code = EXIT_ENDED_EARLY  # the run had started
        if error.exit_code == EXIT_ENDED_EARLY:
            error.add(f"; {how}")
        raise


LIMITS = {
    errno.EMFILE: "too many open files; allow more, for example with ulimit -n 1024",
    errno.ENFILE: "the whole system has too many open files; stop other programs, or raise fs.file-max",
    errno.EAGAIN: "the system allows no more processes; stop others, or allow more with ulimit -u",
    errno.ENOMEM: "the system has no memory left; stop other programs, or allow more with ulimit -v",
}


def system_limit(error: BaseException, what: str) -> SystemLimitError | None:
    """The error for `what` if a system limit was the cause; otherwise None.

    EAGAIN means a limit only if a process or a thread was being started.
    """
    number = errno.ENOMEM if isinstance(error, MemoryError) else error.errno if isinstance(error, OSError) else None
    if isinstance(error, RuntimeError) and str(error) == "can't start new thread":
        number = errno.EAGAIN
    return SystemLimitError(f"{what}: {LIMITS[number]}") if number in LIMITS else None


def named_limit(text: str, what: str) -> SystemLimitError | None:
    """Like `system_limit`, from a failed program's last words."""
    for number in sorted(LIMITS, key=lambda number: -len(os.strerror(number))):  # one text may be a prefix of another
        if os.strerror(number) in text:
            return SystemLimitError(f"{what}: {LIMITS[number]}")
    return None


_ISOLATED = re.compile("\u2068[^\u2068\u2069]*\u2069")  # a name as `contracts.wording.isolated` writes it


def one_line(text: str) -> str:
    """The text with unprintable characters escaped, except marks around a name; it may quote a damaged file."""
    if text.isprintable():
        return text
    marks = [at for match in _ISOLATED.finditer(text) for at in (match.start(), match.end() - 1)]
    shown = [char if char.isprintable() or i in marks else repr(char)[1:-1] for i, char in enumerate(text)]
    return "".join(shown)


def printable(text: str) -> str:
    """The first 80 characters of a text, with `?` for all but letters, digits and `_ . -`."""
    return re.sub(r"[^\w.-]", "?", text[:80])


def type_name(value: object) -> str:
    """The name of a value's type, even if its class or metaclass overrides `__name__`."""
    name: Any = type.__dict__["__name__"].__get__(type(value))
    return printable(name) if type(name) is str else "?"


def listed(texts: Sequence[str], most: int = 20) -> str:
    """The first texts, and how many more there are: `a, b and 3 more`."""
    more = f" and {len(texts) - most} more" if len(texts) > most else ""
    return f"{', '.join(texts[:most])}{more}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The remedy for an unknown name: the closest known name, or a list of them."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed for an error

    names = sorted(known)
    close = get_close_matches(word, names, n=1)
    if close:
        return f'did you mean "{close[0]}"?'
    return f"known: {listed(names)}" if names else "none are available"
