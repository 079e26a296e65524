"""Facts about matches and rounds for standings, match lists and reports."""

from typing import NamedTuple

import msgspec

from tourney.contracts.match import Fault, Places, Record, RecordedResult, Scores


class MatchResult(msgspec.Struct, frozen=True):
    """The result of a match, with the same fields as its `Record`."""

    scores: Scores
    places: Places
    faults: tuple[Fault, ...]

    @classmethod
    def of(cls, record: Record | RecordedResult) -> "MatchResult":
        """The result in a record."""
        return cls(record.scores, record.places, record.faults)


class PlayedMatch(NamedTuple):
    """A match that was just played: the needed part of its `Record`."""

    match: str
    seats: tuple[str, ...]
    scores: Scores
    places: Places
    faults: tuple[Fault, ...]


class RoundEntrant(msgspec.Struct, frozen=True):
    """An entrant in one round; unknown values are None. The field names are the keys in JSON and CSV."""

    bot: str
    score_before: float | None = None
    """Swiss: the sum of its round scores before the round; higher is better."""
    upfloats: int | None = None
    """Swiss: the number of opponents at its table with a higher score before the round."""
    downfloats: int | None = None
    points_percent: float | None = None
    """Its points in the round's matches, in percent of the possible points."""
    round_score: float | None = None
    """Swiss: its score in the round, from 0 to 1; a bye scores 1."""
    advanced: bool | None = None
    """Knockout: whether it has reached the next round, or has won the cup."""


class RoundReport(msgspec.Struct, frozen=True):
    """One round. Results are unknown until it is finished; the field names are the keys in JSON."""

    round: int
    """The number of the round, from 1."""
    name: str
    """Its display name, such as `round 2` or `final`."""
    finished: bool
    tables: tuple[tuple[RoundEntrant, ...], ...]
    resting: tuple[RoundEntrant, ...]
    """The entrants with a bye."""
    disqualified: tuple[RoundEntrant, ...] = ()
    """The entrants disqualified in an earlier round."""
