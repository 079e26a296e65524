"""What is known of the time of a run in which time is limited: `times.json` in its folder.

It depends on the machine, so it is no part of what two runs of a tournament have in common. A run that goes on adds to
what its earlier starts have counted.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from tourney import regular_files
from tourney.errors import RunError, WriteError
from tourney.journal import folder

TIMES = "times.json"
MAX_TIMES = 1 << 20
"""The length of the longest file that is read, in bytes."""

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10**15)]


class Times(msgspec.Struct, frozen=True):
    """What was counted of the time of a run."""

    played_again: Count = 0
    """How many times a match was played again because the machine was late when a bot's time was up."""
    late_timeouts: Count = 0
    """How many timeouts were charged although the machine was late each time."""

    def __add__(self, other: "Times") -> "Times":
        """Returns the counts of both."""
        return Times(self.played_again + other.played_again, self.late_timeouts + other.late_timeouts)


def load(run: Path) -> Times | None:
    """Returns the times of a run; None if it keeps none.

    Raises:
        RunError: The file is damaged, or cannot be read.
    """
    file = run / TIMES
    try:
        return msgspec.json.decode(regular_files.read(file, MAX_TIMES), type=Times)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunError(f"{file}: cannot be read ({error.strerror}); remove it, and times are counted anew") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{file}: is damaged ({error}); remove it, and times are counted anew") from None


class TimesFile:
    """Writes the times of a run that is being played."""

    def __init__(self, run: Path, kept: bool) -> None:
        """Reads what earlier starts of the run have counted.

        Args:
            run: The folder of the run.
            kept: Whether times are kept; otherwise nothing is read or written.

        Raises:
            RunError: The file is damaged, or cannot be read.
        """
        self._run = run
        self._kept = kept
        self._before = (load(run) if kept else None) or Times()
        self._saved: Times | None = None

    def save(self, times: Times) -> None:
        """Writes what was counted since this start, added to what was there, unless that is written.

        Raises:
            WriteError: The file cannot be written; the old one stays.
        """
        if self._kept and times != self._saved:
            folder.write_atomically(self._run / TIMES, folder.json_text(msgspec.to_builtins(self._before + times)))
            self._saved = times

    @contextmanager
    def saving(self, counted: Callable[[], Times]) -> Iterator[None]:
        """Writes at the beginning and at the end, even if an exception ends it, what was counted since this start.

        Raises:
            WriteError: The file cannot be written.
        """
        self.save(counted())
        try:
            yield
        except BaseException:
            with suppress(WriteError):  # the other exception says more
                self.save(counted())
            raise
        self.save(counted())
