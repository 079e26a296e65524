"""Counts of entrants' faults over a tournament's matches, and the resulting disqualifications."""

from collections import defaultdict
from collections.abc import Sequence

import msgspec

from tourney.config.tournament import FaultLimits
from tourney.contracts.match import Fault
from tourney.contracts.wording import counted

ABSENT = "as it cannot be loaded"
"""Why the house plays for a bot of a league until the end of the round, when it is paused."""


class EntrantFaults(msgspec.Struct):
    """The faults of one entrant: all, those in its last matches in a row, and the longest row so far."""

    total: int = 0
    in_row: int = 0
    longest_row: int = 0

    def reasons(self) -> tuple[str, str]:
        """The two reasons for a disqualification now: the total of its faults, and its faults in a row."""
        return f"after {counted(self.total, 'fault')}", f"after {counted(self.longest_row, 'fault')} in a row"

    def disqualified(self, limits: FaultLimits) -> str | None:
        """Why the entrant is disqualified under these limits, or None."""
        if limits.max_faults is not None and self.total >= limits.max_faults:
            return self.reasons()[0]
        if limits.max_faults_in_row is not None and self.longest_row >= limits.max_faults_in_row:
            return self.reasons()[1]
        return None


class FaultTally:
    """The faults of each entrant. A match after its disqualification neither counts as a fault nor ends a row."""

    def __init__(self) -> None:
        self.of: defaultdict[str, EntrantFaults] = defaultdict(EntrantFaults)

    def add(self, seats: Sequence[str], faults: Sequence[Fault]) -> list[str]:
        """Counts the faults of the next match, given its seats, and returns the charged entrants."""
        kinds = {fault.seat: fault.kind for fault in faults}
        charged = []
        for seat, name in enumerate(seats):
            kind, its = kinds.get(seat), self.of[name]
            if kind is None:
                its.in_row = 0
            elif kind != "out":
                its.total += 1
                its.in_row += 1
                its.longest_row = max(its.longest_row, its.in_row)
                charged.append(name)
        return charged

    def disqualified(self, limits: FaultLimits) -> frozenset[str]:
        """The entrants disqualified so far."""
        return frozenset([name for name, its in self.of.items() if its.disqualified(limits)])
