"""Disqualification of entrants for their faults, and stopping a run with too many faulty matches.

Faults are counted block by block in schedule order, so the outcome depends on the records alone.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

from tourney.base.errors import listed
from tourney.config import Tournament
from tourney.contracts.match import Record, RecordedResult
from tourney.contracts.wording import counted
from tourney.schedule.faults import FaultTally
from tourney.standings.results import PlayedMatch

MIN_MATCHES = 20  # before the fault rate is judged, or a tenth of the tournament if fewer
NAMED = 3  # how many entrants the message about too many faults names


class FaultMonitor:
    """Counts a run's faults and compares them with the tournament's limits."""

    def __init__(self, tournament: Tournament, matches: int, disqualifies: bool = True) -> None:
        """`matches` is the number of matches in the tournament; a league pauses bots instead of disqualifying."""
        self.out: Mapping[str, str] = {}  # the disqualified entrants with the reasons; replaced, never mutated
        self.stop: str | None = None  # the reason to stop the run; the next match starts a new rate
        self._limits = tournament.fault_limits
        self._disqualifies = disqualifies
        self._tally = FaultTally()
        self._min_matches = min(MIN_MATCHES, -(-matches // 10))
        self._which = "the first"
        self._matches = self._faulted = 0
        self._charged: Counter[str] = Counter()

    def add(self, records: Sequence[Record | RecordedResult | PlayedMatch]) -> None:
        """Counts the faults of the next block, given all its records."""
        if self.stop is not None:
            self.stop, self._which = None, "the last"
            self._matches = self._faulted = 0
            self._charged.clear()
        for record in records:
            charged = self._tally.add(record.seats, record.faults)
            self._matches += 1
            self._faulted += bool(charged)
            self._charged.update(charged)
        seated = [name for record in records for name in record.seats] if self._disqualifies else []
        for name in dict.fromkeys(seated):
            if name not in self.out and (reason := self._tally.of[name].disqualified(self._limits)):
                self.out = {**self.out, name: reason}
        rate = self._limits.max_fault_rate
        if rate is not None and self._matches >= self._min_matches and self._faulted / self._matches > rate:
            most = sorted(self._charged.items(), key=lambda charged: (-charged[1], charged[0]))
            named = listed([f"{name} ({counted(count, 'fault')})" for name, count in most], NAMED)
            those = f"{self._faulted} of {self._which} {self._matches} matches"
            self.stop = f"{those} had faults, and max_fault_rate is {rate:g}: {named}"
