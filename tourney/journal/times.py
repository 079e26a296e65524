"""The bots' decision times in a run: `times.json` in its folder.

They depend on the machine, so no other file of the run refers to them. Resuming adds to them.
"""

from contextlib import suppress
from pathlib import Path

import msgspec

from tourney.base import files as regular_files
from tourney.hosts.timing import DecisionTimes, Pace

TIMES = "times.json"


class Times(msgspec.Struct):
    """The decision times of a run."""

    late_timeouts: int = 0
    bots: dict[str, DecisionTimes] = {}
    pace: Pace = msgspec.field(default_factory=Pace)
    """How long the first two entrants of a mirror take, against each other."""
    matches_s: float = 0.0
    """How long the matches took in which a bot has a clock, in seconds,"""
    starts_s: float = 0.0
    """and how long of it they waited for processes that were started for them alone."""

    @property
    def times_quicker(self) -> float:
        """About how many times as quick these matches were with processes that are kept."""
        return self.matches_s / max(self.matches_s - self.starts_s, 1e-9)

    def add(self, other: "Times") -> None:
        """Adds other times to these."""
        self.late_timeouts += other.late_timeouts
        self.pace.add(other.pace)
        self.matches_s += other.matches_s
        self.starts_s += other.starts_s
        for name, times in other.bots.items():
            self.bots.setdefault(name, DecisionTimes()).add(times)


def load(run: Path) -> Times | None:
    """The times of a run; None if the file is missing or damaged."""
    try:
        return msgspec.json.decode((run / TIMES).read_bytes(), type=Times)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError):
        return None


def save(run: Path, *times: Times) -> None:
    """Writes the sum of some times as the run's, if possible: the run does not depend on it."""
    total = Times()
    for each in times:
        total.add(each)
    with suppress(OSError):
        regular_files.write(run / TIMES, msgspec.json.encode(total) + b"\n")
