"""What standings, lists of matches and reports need to know of a match and of a round."""

from typing import NamedTuple

import msgspec

from tourney.contracts.match import Fault, Places, Record, RecordedResult, Scores


class MatchResult(msgspec.Struct, frozen=True):
    """The result of a match; its fields are those of the match's `Record`."""

    scores: Scores
    places: Places
    faults: tuple[Fault, ...]

    @classmethod
    def of(cls, record: Record | RecordedResult) -> "MatchResult":
        """The result in a record."""
        return cls(record.scores, record.places, record.faults)


class PlayedMatch(NamedTuple):
    """A match that was just played: what is needed of its `Record`."""

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
    """Swiss: how many at its table had a higher score before the round."""
    downfloats: int | None = None
    points_percent: float | None = None
    """Its points in the matches of the round, in percent of those that it could have won."""
    round_score: float | None = None
    """Swiss: its score in the round, from 0 to 1; a bye scores 1."""
    advanced: bool | None = None
    """Knockout: whether it has reached the next round, or has won the cup."""


class RoundReport(msgspec.Struct, frozen=True):
    """One round. Results are unknown until it is finished; the field names are the keys in JSON."""

    round: int
    """The number of the round, from 1."""
    name: str
    """What to call it, such as `round 2` or `final`."""
    finished: bool
    tables: tuple[tuple[RoundEntrant, ...], ...]
    """The groups that meet."""
    resting: tuple[RoundEntrant, ...]
    """The entrants with a bye."""
    disqualified: tuple[RoundEntrant, ...] = ()
    """The entrants that are left out, because they were disqualified in an earlier round."""
