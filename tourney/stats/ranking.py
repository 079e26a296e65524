"""The standings of a tournament: its entrants ranked, with all that is known of each."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isinf
from typing import TypeAlias

import msgspec

from tourney.config import Tournament
from tourney.match import GameSetup
from tourney.stats.outcome_counts import OutcomeCounts, merged
from tourney.stats.ratings import MEAN, Rating, Ratings
from tourney.stats.tiebreaks import CommonTiebreak, Tiebreak
from tourney.stats.totals import GameTotals, totals_of

Value: TypeAlias = Fraction | None

DIGITS = 4
"""Numbers are rounded to so many digits after the point; that is what equal means for ratings as well."""
TIEBREAKS: Mapping[CommonTiebreak, Sequence[CommonTiebreak]] = {
    "points": ("points", "won"),
    "won": ("won", "points"),
    "rating": ("rating", "points"),
    "score": ("score", "points"),
    "place": ("place", "points"),
}
"""For each of these to rank by, that and what decides where it is equal."""
SAID: Mapping[CommonTiebreak, str] = {
    "points": "points %",
    "won": "share of matches won",
    "rating": "rating",
    "score": "mean score",
    "place": "mean place",
}


class StandingsRow(msgspec.Struct, frozen=True):
    """An entrant's line in the standings; None where there is nothing to tell. The fields are the keys in data."""

    rank: int
    """1 the best; entrants that are equal in all that is ranked by share a rank."""
    bot: str
    reached: str | None
    """Knockout: the round."""
    last_meeting_percent: float | None
    """Knockout: the points of the meeting in which it went out, in percent."""
    round_score: float | None
    """Swiss: the sum of the scores of its rounds."""
    buchholz: float | None
    """Swiss: the same of its opponents."""
    rating: float | None
    rating_low: float | None
    """The 95 % interval of the rating: from here …"""
    rating_high: float | None
    """… to here."""
    above_next: float | None
    """The chance that it is truly stronger than the bot in the next line, from 0 to 1."""
    points_percent: float | None
    """The share of the points that it could have won."""
    won: int | None
    """Matches with place 1 alone."""
    drawn: int | None
    """Matches with place 1 shared."""
    lost: int | None
    mean_place: float | None
    """None over games with different numbers of seats."""
    mean_score: float | None
    """None over several games, whose scores have nothing in common."""
    matches: int
    faults: int


class Ranking(msgspec.Struct, frozen=True):
    """The standings, and what they go by."""

    rows: tuple[StandingsRow, ...]
    ranked_by: tuple[str, ...]
    """In words: first this, then that where it is equal."""
    scale: str
    """In words: where the scale of the ratings is fixed."""
    own: tuple[Tiebreak, ...]
    """What only the format knows."""
    pairs: bool
    """Whether all matches have two seats, so that places tell no more than wins and losses."""


class _EntrantResults(msgspec.Struct, frozen=True):
    """An entrant that is to be ranked."""

    bot: str
    number: int
    tallies: Sequence[tuple[Fraction, GameTotals]]
    """Of the games that it has played, each with the game's weight."""
    rating: Rating | None
    score: int
    """The sum of its scores."""
    faults: int

    def total(self, count: Callable[[GameTotals], int]) -> int:
        """The sum over all games."""
        return sum([count(tally) for _, tally in self.tallies])

    def mean(self, share: Callable[[GameTotals], Fraction]) -> Value:
        """The weighted mean over the games."""
        whole = sum([weight for weight, _ in self.tallies])
        return sum([weight * share(tally) for weight, tally in self.tallies], Fraction()) / whole if whole else None


def ranking(
    tournament: Tournament, counts: OutcomeCounts, by: Sequence[CommonTiebreak | Tiebreak], own: Sequence[Tiebreak] = ()
) -> Ranking:
    """Ranks the entrants by the first of `by`; each decides where all before it are equal.

    `counts` are of all games of the tournament, or of some; of several, each counts as its weight says. `own` is what
    the format knows, to be told whether it is ranked by or not.
    """
    weights = weights_of(tournament, counts.setups)
    batches = counts.batches()
    anchor, held = tournament.anchor, None
    if anchor is not None:
        held = counts.names.index(anchor.bot), anchor.rating
    ratings = Ratings(batches, weights, held, tournament.seed)
    entrants = _entrants(counts, [totals_of(merged(parts)) for parts in batches], weights, ratings)
    values = {each.bot: _values(each, counts) for each in entrants}
    keys = {name: [_key(each, name, values[name]) for each in by] for name in counts.names}
    order = sorted(entrants, key=lambda each: keys[each.bot], reverse=True)
    rows: list[StandingsRow] = []
    for i, (each, after) in enumerate(zip(order, [*order[1:], None], strict=True)):
        shared = i > 0 and keys[order[i - 1].bot] == keys[each.bot]
        rank = rows[-1].rank if shared else i + 1
        above = None
        if after is not None and each.rating is not None and after.rating is not None:
            above = ratings.above(each.number, after.number)
        rows.append(_row(rank, each, values[each.bot], own, above))
    scale = f"mean {MEAN:.0f}"
    if ratings.anchor is not None:
        scale = f"{counts.names[ratings.anchor[0]]} = {ratings.anchor[1]:g}"
    said = tuple([each.description if isinstance(each, Tiebreak) else SAID[each] for each in by])
    pairs = all([setup.seats == 2 for setup in counts.setups])
    return Ranking(tuple(rows), said, scale, tuple(own), pairs)


def _entrants(
    counts: OutcomeCounts, games: Sequence[Mapping[int, GameTotals]], weights: Sequence[Fraction], ratings: Ratings
) -> list[_EntrantResults]:
    """All entrants, in the order of the file, with what they have come to in the games."""
    rated = set(ratings.bots)
    return [
        _EntrantResults(
            name,
            number,
            [(weight, game[number]) for weight, game in zip(weights, games, strict=True) if number in game],
            ratings.of(number) if number in rated else None,
            sum([scores[name] for scores in counts.scores]),
            sum([faults[name] for faults in counts.faults]),
        )
        for number, name in enumerate(counts.names)
    ]


def weights_of(tournament: Tournament, setups: Sequence[GameSetup]) -> list[Fraction]:
    """What each of some games of the tournament weighs."""
    return [Fraction(tournament.all_weights[tournament.setups.index(setup)]) for setup in setups]


def _values(entrant: _EntrantResults, counts: OutcomeCounts) -> dict[CommonTiebreak, Value]:
    """What there is to rank an entrant by, in every format; more is better."""
    matches = entrant.total(lambda tally: tally.matches)
    one_game = len(counts.setups) == 1
    same_seats = len({setup.seats for setup in counts.setups}) == 1
    return {
        "points": entrant.mean(lambda tally: tally.points / tally.matches),
        "won": entrant.mean(lambda tally: Fraction(tally.won, tally.matches)),
        "rating": None if entrant.rating is None else Fraction(round(entrant.rating.rating, DIGITS)),
        "score": Fraction(entrant.score, matches) if matches and one_game else None,
        "place": -Fraction(entrant.total(lambda tally: tally.places), matches) if matches and same_seats else None,
    }


def _key(by: CommonTiebreak | Tiebreak, name: str, values: Mapping[CommonTiebreak, Value]) -> tuple[bool, Fraction]:
    """What to sort by: having nothing is worth less than any number."""
    value = by.values[name] if isinstance(by, Tiebreak) else values[by]
    return value is not None, value or Fraction()


def _row(
    rank: int,
    entrant: _EntrantResults,
    values: Mapping[CommonTiebreak, Value],
    own: Sequence[Tiebreak],
    above: float | None,
) -> StandingsRow:
    bot, rating, place = entrant.bot, entrant.rating, values["place"]
    known: dict[str, Value] = {tiebreak.key: tiebreak.values[bot] for tiebreak in own}
    reached = next((tiebreak.labels[bot] for tiebreak in own if tiebreak.labels is not None), None)
    matches, won, drawn = [entrant.total(count) for count in (lambda t: t.matches, lambda t: t.won, lambda t: t.drawn)]
    return StandingsRow(
        rank=rank,
        bot=bot,
        reached=reached,
        last_meeting_percent=_rounded(known.get("last_meeting_percent"), 100),
        round_score=_rounded(known.get("round_score")),
        buchholz=_rounded(known.get("buchholz")),
        rating=None if rating is None else _rounded(rating.rating),
        rating_low=None if rating is None else _rounded(rating.low),
        rating_high=None if rating is None else _rounded(rating.high),
        above_next=_rounded(above),
        points_percent=_rounded(values["points"], 100),
        won=won if matches else None,
        drawn=drawn if matches else None,
        lost=matches - won - drawn if matches else None,
        mean_place=None if place is None else _rounded(-place),
        mean_score=_rounded(values["score"]),
        matches=matches,
        faults=entrant.faults,
    )


def _rounded(value: Fraction | float | None, unit: int = 1) -> float | None:
    """The number as people and programs get it; None for none, or an endless one."""
    return None if value is None or isinf(value) else round(float(value * unit), DIGITS)
