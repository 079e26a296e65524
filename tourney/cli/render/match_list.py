"""Matches as a list, each laid out in the width of the terminal."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from textwrap import wrap

from tourney.column_layout import display_width, padded
from tourney.errors import one_line
from tourney.journal.match_search import FoundMatch, SortKey
from tourney.match import Fault
from tourney.match_results import MatchResult

INDENT = 4
"""By how much the rest of a match is indented that goes on in further lines, where it cannot stand below the seats."""
LEAST_ROOM = 24
"""How many columns there must be below the seats for that."""
NUMBERS: Mapping[SortKey, str] = {"margin": "margin", "faults": "faults", "length": "decisions"}
"""What the number is called by which matches are sorted."""


class MatchLines:
    """Lays out matches, a line for each if there is room; a match that is too long goes on in further lines."""

    def __init__(self, names: Sequence[str], width: int | None, number: tuple[str, int] | None = None) -> None:
        """Prepares for matches of these bots.

        Args:
            names: The names of all bots.
            width: How many columns there are; None for as many as a match needs.
            number: What the number is called by which matches are sorted, and how many digits it has at most.
        """
        self._name_width = max(map(display_width, names))
        self._width = width
        self._number = number
        self._seated = lru_cache(maxsize=1 << 12)(self._seated_uncached)

    def lines(self, match: FoundMatch, value: int | None = None) -> list[str]:
        """Returns the lines of a match; `value` is the number by which it is sorted."""
        parts = [] if match.round is None else [f"round {match.round}"]
        if self._number is not None:
            called, digits = self._number
            parts.append(f"{called} {value:{digits}}")
        parts += self._seated(match.seats, match.result)
        line = "  ".join([match.id, *parts])
        if self._width is None or display_width(line) <= self._width:
            return [line]
        return self._folded(match.id, parts, self._width)

    def _folded(self, name: str, parts: Sequence[str], width: int) -> list[str]:
        """Returns the name of a match and its parts in lines of a width; parts are broken only if they are longer."""
        indent = " " * (len(name) + 2 if width - len(name) - 2 >= LEAST_ROOM else INDENT)
        lines = [name]
        for part in parts:
            if display_width(lines[-1]) + 2 + display_width(part) <= width:
                lines[-1] += f"  {part}"
            else:
                lines += wrap(part, width, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False)
        return lines

    def _seated_uncached(self, names: tuple[str, ...], result: MatchResult) -> list[str]:
        """Returns a part for each seat, with the bot, its score and its place, and then one for each fault."""
        seats = [
            f"{padded(name, self._name_width)} {score:4} ({place})"
            for name, score, place in zip(names, result.scores, result.places, strict=True)
        ]
        return [*seats, *[one_line(f"{names[fault.seat]}: {_fault_text(fault)}") for fault in result.faults]]


def _fault_text(fault: Fault) -> str:
    if fault.kind == "out":
        return f"out {fault.detail}"
    return f"{fault.kind} at decision {fault.decision} ({fault.what})"
