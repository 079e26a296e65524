"""What a format ranks its entrants by, beside what can be told of their matches alone."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

Common: TypeAlias = Literal["points", "won", "rating", "score", "place"]
"""What can be told of the matches in every format: points %, matches won, rating, mean score, mean place."""


class Merit(msgspec.Struct, frozen=True):
    """A number for each entrant, of which more is better."""

    key: Literal["round_score", "buchholz", "reached", "last_meeting_percent"]
    """Its name in data."""
    head: str
    """Its name at the head of a column; empty: it has none."""
    said: str
    """Its name in a sentence."""
    values: Mapping[str, Fraction | None]
    """By entrant; None where there is nothing to tell, which ranks last."""
    words: Mapping[str, str] | None = None
    """What to show instead of the numbers."""
