"""The result of a match: what standings and lists of matches need of its record."""

from typing import NamedTuple

import msgspec

from tourney.contracts.match import Fault, Places, Record, Scores


class MatchResult(msgspec.Struct, frozen=True):
    """The result of a match; its fields are those of the match's `Record`."""

    scores: Scores
    places: Places
    faults: tuple[Fault, ...]

    @classmethod
    def of(cls, record: Record) -> "MatchResult":
        """Returns the result in a record."""
        return cls(record.scores, record.places, record.faults)


class PlayedMatch(NamedTuple):
    """A match that was just played, without its actions; its fields are those of the match's `Record`."""

    match: str
    seats: tuple[str, ...]
    scores: Scores
    places: Places
    faults: tuple[Fault, ...]
