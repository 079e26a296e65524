"""Matches as a list, each in one line."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from tourney.errors import one_line
from tourney.journal.match_search import FoundMatch, SortKey
from tourney.match import Fault
from tourney.match_results import MatchResult

NUMBERS: Mapping[SortKey, str] = {"margin": "margin", "faults": "faults", "length": "decisions"}
"""What the number is called by which matches are sorted."""


class MatchLines:
    """Lays out matches of some bots, in columns."""

    def __init__(self, names: Sequence[str], number: tuple[str, int] | None = None) -> None:
        """`number` is what the number is called by which matches are sorted, and how many digits it has at most."""
        self._name_width = max(map(len, names))
        self._number = number
        self._seated = lru_cache(maxsize=1 << 12)(self._seated_uncached)

    def line(self, match: FoundMatch, value: int | None = None) -> str:
        """Returns the line of a match; `value` is the number by which it is sorted."""
        parts = [match.id] if match.round is None else [match.id, f"round {match.round}"]
        if self._number is not None:
            called, digits = self._number
            parts.append(f"{called} {value:{digits}}")
        return "  ".join([*parts, *self._seated(match.seats, match.result)])

    def _seated_uncached(self, names: tuple[str, ...], result: MatchResult) -> list[str]:
        """Returns a part for each seat, with the bot, its score and its place, and then one for each fault."""
        seats = [
            f"{name:{self._name_width}} {score:4} ({place})"
            for name, score, place in zip(names, result.scores, result.places, strict=True)
        ]
        return [*seats, *[one_line(f"{names[fault.seat]}: {_fault_text(fault)}") for fault in result.faults]]


def _fault_text(fault: Fault) -> str:
    if fault.kind == "out":
        return f"out {fault.detail}"
    return f"{fault.kind} at decision {fault.decision} ({fault.what})"
