"""What is known of the time of a run: `times.json` in its folder.

It depends on the machine, so it is no part of what two runs of a tournament have in common. A run that goes on adds to
what its earlier starts have counted. Without the file, or where it is damaged, a run only loses that.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, TypeAlias

import msgspec

from tourney import regular_files
from tourney.errors import RunError, WriteError
from tourney.hosts.decision_times import DecisionTimes
from tourney.journal import folder
from tourney.journal.seals import sealed, unsealed

TIMES = "times.json"
MAX_TIMES = 1 << 24
"""The length of the longest file that is read, in bytes."""
ANEW = "the times so far are lost, and a run that goes on counts anew"

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=10**15)]


class MachineTimes(msgspec.Struct, forbid_unknown_fields=True):
    """What a machine of a cluster has done of a run."""

    tasks: Count = 0
    """How many tasks it has done."""
    lost: Count = 0
    """How many tasks were lost with its workers, and done once more."""
    matches: Count = 0
    """How many matches it has played."""
    busy_ms: Count = 0
    """How long its workers have played, in milliseconds, all together."""

    def add(self, other: "MachineTimes") -> None:
        """Adds what another count has, which stays as it is."""
        for name in self.__struct_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


class Times(msgspec.Struct):
    """What was counted of the time of a run."""

    played_again: Count = 0
    """How many times a match was played again because the machine was late when a bot's time was up."""
    late_timeouts: Count = 0
    """How many timeouts were charged although the machine was late each time."""
    bots: dict[str, DecisionTimes] = {}
    """How long the bots of each entrant took for those of their decisions that were measured, by its name."""
    machines: dict[str, MachineTimes] = {}
    """What each machine has done, by its name, where a cluster has played."""

    def add(self, other: "Times") -> None:
        """Adds the counts of another, which stays as it is."""
        self.played_again += other.played_again
        self.late_timeouts += other.late_timeouts
        for name, times in other.bots.items():
            self.bots.setdefault(name, DecisionTimes()).add(times)
        for name, done in other.machines.items():
            self.machines.setdefault(name, MachineTimes()).add(done)


def load(run: Path) -> Times | None:
    """Returns the times of a run; None if it keeps none.

    Raises:
        RunError: The file is damaged, or cannot be read.
    """
    file = run / TIMES
    try:
        body = unsealed(regular_files.read(file, MAX_TIMES).rstrip(b"\n"))
        if body is None:
            raise RunError(f"{file}: is damaged (its seal does not hold); {ANEW}")
        return msgspec.json.decode(body, type=Times)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise RunError(f"{file}: cannot be read ({error.strerror}); {ANEW}") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise RunError(f"{file}: is damaged ({error}); {ANEW}") from None


def damage(run: Path) -> str:
    """Returns what is wrong with the file of a run's times; empty if nothing is."""
    try:
        load(run)
    except RunError as error:
        return str(error)
    return ""


class TimesFile:
    """Writes the times of a run that is being played."""

    def __init__(self, run: Path) -> None:
        """Reads what earlier starts of the run have counted; nothing where that cannot be read.

        Args:
            run: The folder of the run.
        """
        self._file = run / TIMES
        self._before = Times()
        with suppress(RunError):
            self._before = load(run) or self._before
        self._kept = not self._file.is_dir()  # which cannot be replaced
        self._saved = b""

    def save(self, times: Times) -> None:
        """Writes what was counted since this start, added to what was there, unless that is written.

        Raises:
            WriteError: The file cannot be written; the old one stays.
        """
        total = Times()
        total.add(self._before)
        total.add(times)
        data = sealed(msgspec.json.encode(total)) + b"\n"
        if self._kept and data != self._saved:
            folder.write_atomically(self._file, data)
            self._saved = data

    @contextmanager
    def saving(self, counted: Callable[[], Times]) -> Iterator[None]:
        """Writes at the end, even if an exception ends it, what was counted since this start.

        Raises:
            WriteError: The file cannot be written.
        """
        try:
            yield
        except BaseException:
            with suppress(WriteError):  # the other exception says more
                self.save(counted())
            raise
        self.save(counted())
