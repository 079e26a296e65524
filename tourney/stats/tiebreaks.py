"""The criteria by which formats rank their entrants: those common to all formats, and those that one format brings."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Literal, TypeAlias

import msgspec

CommonTiebreak: TypeAlias = Literal["points", "won", "rating", "score", "place"]
"""A criterion that every format has: points %, share of matches won, rating, mean score, or mean place."""


RankedBy: TypeAlias = Literal[CommonTiebreak, "runoff"]
"""What standings can be ranked by on request: a criterion of every format, or instant run-off."""


class Tiebreak(msgspec.Struct, frozen=True):
    """A criterion that only one format knows, with a value for each entrant; higher is better."""

    key: str
    """Its name. The field of `StandingsRow` of that name, if there is one, holds the value."""
    heading: str
    """The heading of its column in the standings, or an empty string if it has no column."""
    description: str
    """What it is called in the sentence below the standings."""
    values: Mapping[str, Fraction | None]
    """The value of each entrant, by name; None, an unknown value, ranks last."""
    labels: Mapping[str, str] | None = None
    """The text that the column shows for each entrant in place of its value."""
    note: str = ""
    """A sentence below the standings that explains the column."""
