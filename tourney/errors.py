"""Every error that a user may meet, each with the exit code that the command line ends with.

An error is one line: what is wrong, where, and what to do about it. Anything else that is raised is a bug of ours
and shows as a traceback.
"""

from collections.abc import Iterable

EXIT_VERDICT = 1
"""A verdict went against what was examined: a record that does not hold, a bot that is too weak."""
EXIT_USAGE = 2
"""Wrong use, wrong configuration, or input that cannot be read."""
EXIT_UNDECIDED = 3
"""What was examined could not be decided within the limits that were set."""
EXIT_ENDED_EARLY = 4
"""The run ended early and can be resumed."""
EXIT_INTERRUPTED = 130
"""The user stopped the run; it can be resumed."""


class TourneyError(Exception):
    """Base of all errors that are meant for users: the message is one line, without a traceback."""

    exit_code = EXIT_USAGE

    def __str__(self) -> str:
        return one_line(super().__str__())


class ConfigError(TourneyError):
    """A tournament file, or a value in it, is refused."""


class PluginError(TourneyError):
    """A game or a bot cannot be found or loaded."""


class ActionError(TourneyError):
    """A text names no action of the game, or a card does not exist."""


class ViewError(TourneyError):
    """A view cannot be used for what was asked, such as imagining a state from a finished match."""


class RunError(TourneyError):
    """A run's folder cannot be used: it is taken, missing, damaged, or belongs to another tournament."""


class FolderHoldsRunError(RunError):
    """The folder for a new run or gate holds one already."""


class UnsuitableFolderError(RunError):
    """The folder cannot be used for what was asked: it holds something else, or is the one that is read from."""


class RunChangedError(RunError):
    """A run cannot be resumed because its configuration, its games or its bots have changed since it began."""


class NotExtendableError(RunError):
    """The matches of an earlier run cannot be taken over into this tournament."""


class FewerDealsError(RunError):
    """A gate cannot be resumed with a smaller cap on its deals than it had."""

    def __init__(self, message: str, most: int) -> None:
        super().__init__(message)
        self.most = most
        """The cap that the gate had."""


class IncomparableError(RunError):
    """Matches cannot be ranked together by what was asked for, such as the scores of different games."""

    def __init__(self, message: str, one_game: bool) -> None:
        super().__init__(message)
        self.one_game = one_game
        """Whether all the matches are of one game, with different seats or options."""


class MissingFileError(PluginError):
    """A file that a run's bot is loaded from is not where it was looked for."""


class ProgramBotError(PluginError):
    """The bot is a program, and what was asked for needs a Python bot."""


class SandboxError(TourneyError):
    """No bot can be locked in on this machine, or not in the way that was asked for."""


class WriteError(TourneyError):
    """The run's folder cannot be written to: full, read-only, gone. What was written stays; resume goes on from it."""

    exit_code = EXIT_ENDED_EARLY


class TooManyFaultsError(TourneyError):
    """More matches had faults than the tournament file allows."""

    exit_code = EXIT_ENDED_EARLY


class RunInterruptedError(TourneyError):
    """The user stopped the run."""

    exit_code = EXIT_INTERRUPTED


def one_line(text: str) -> str:
    """The text with all that would move a terminal's cursor spelled out: it may quote a damaged file."""
    return "".join([char if char.isprintable() else repr(char)[1:-1] for char in text])


LISTED = 20
"""So many known names are listed where a name is unknown."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of an error line about an unknown name: the closest known one, or a list of them."""
    from difflib import get_close_matches  # noqa: PLC0415 - few programs need it, and all of them import this module

    names = sorted(known)
    close = get_close_matches(word, names, n=1, cutoff=0.5)
    if close:
        return f'did you mean "{close[0]}"?'
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED else ""
    return f"known: {', '.join(names[:LISTED])}{more}" if names else "none is known here"
