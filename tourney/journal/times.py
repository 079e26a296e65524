"""How long the bots of a run took for their decisions: `times.json` in its folder.

It depends on the machine, so no other file of the run refers to it. A run that is resumed adds to it.
"""

from contextlib import suppress
from pathlib import Path

import msgspec

from tourney.base import files as regular_files
from tourney.hosts.timing import DecisionTimes

TIMES = "times.json"


class Times(msgspec.Struct):
    """The decision times of a run."""

    late_timeouts: int = 0
    """How many timeouts were charged while the machine was overloaded."""
    bots: dict[str, DecisionTimes] = {}
    """The times of each entrant's decisions, as far as they were measured, by its name."""

    def add(self, other: "Times") -> None:
        """Adds the times of another."""
        self.late_timeouts += other.late_timeouts
        for name, times in other.bots.items():
            self.bots.setdefault(name, DecisionTimes()).add(times)


def load(run: Path) -> Times | None:
    """The times of a run; None if the file is missing or damaged."""
    try:
        return msgspec.json.decode((run / TIMES).read_bytes(), type=Times)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


class TimesFile:
    """Writes the times of a run that is being played."""

    def __init__(self, run: Path) -> None:
        self._file = run / TIMES
        self._before = load(run) or Times()

    def save(self, times: Times) -> None:
        """Writes the times since this start, added to those before.

        Does nothing where the file cannot be written: the run does not depend on it.
        """
        total = Times()
        total.add(self._before)
        total.add(times)
        with suppress(OSError):
            regular_files.write(self._file, msgspec.json.encode(total) + b"\n")
