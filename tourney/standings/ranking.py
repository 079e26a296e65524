"""The standings of a tournament: its entrants in order, with the results of each."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import fsum, inf, isinf, sqrt
from typing import TypeAlias

import msgspec

from tourney.config import Tournament
from tourney.contracts.match import GameSetup
from tourney.standings import intervals
from tourney.standings.counts import MAX_DEALS, Batch, OutcomeCounts, few_batches, mean_block, merged
from tourney.standings.crosstable import Circle, HeadToHead, circles, cross_table
from tourney.standings.intervals import GameShare, ratio_errors, share_interval
from tourney.standings.points import CommonTiebreak, Tiebreak, full_units, units
from tourney.standings.ratings import Rating, Ratings


class GameTotals(msgspec.Struct):
    """The totals of one bot in one game."""

    units: Counter[int] = msgspec.field(default_factory=Counter)
    """Points in the units of `tourney.standings.points`, by the number of seats at the table."""
    matches: int = 0
    won: int = 0
    """Matches with place 1 alone."""
    drawn: int = 0
    """Matches with place 1 shared."""
    places: int = 0
    """The sum of its places."""

    @property
    def points(self) -> Fraction:
        """The sum of its points, at most 1 a match."""
        return sum([Fraction(won, full_units(seats)) for seats, won in sorted(self.units.items())], Fraction())


def game_totals(game: Batch) -> dict[int, GameTotals]:
    """Returns the totals of each bot that has played a game, by the bot's number."""
    found: dict[int, GameTotals] = {}
    for (bots, places), count in game.items():
        tied = places.count(1) > 1
        for bot, place, gained in zip(bots, places, units(places), strict=True):
            totals = found.setdefault(bot, GameTotals())
            totals.units[len(bots)] += count * gained
            totals.matches += count
            totals.places += count * place
            if place == 1:
                totals.won += count * (not tied)
                totals.drawn += count * tied
    return found


def points_intervals(
    games: Sequence[Sequence[Batch]], weights: Sequence[Fraction]
) -> dict[int, tuple[float, float] | None]:
    """Returns the 95 % interval of each bot's share of points, by number; None if it played a game on one deal alone.

    `weights` has one weight for each game; a bot's share is the weighted mean over the games that it has played.
    """
    by_deal = [[game_totals(batch) for batch in few_batches(batches, MAX_DEALS)] for batches in games]
    blocks = [mean_block(batches) for batches in games]
    played = [{bot for totals in deals for bot in totals} for deals in by_deal]
    found = {}
    for bot in sorted({bot for bots in played for bot in bots}):
        own = [(weights[game], deals, blocks[game]) for game, deals in enumerate(by_deal) if bot in played[game]]
        whole = sum([weight for weight, _, _ in own])
        shares = []
        for weight, deals, block in own:
            totals = [each.get(bot, GameTotals()) for each in deals]
            won = [float(each.points) for each in totals]
            shares.append(GameShare(float(weight / whole), won, [each.matches for each in totals], block))
        found[bot] = share_interval(shares)
    return found


Value: TypeAlias = Fraction | None

DIGITS = 4
"""Numbers are rounded to this many digits after the point; ratings that are equal so far share a rank."""
TIEBREAKS: Mapping[CommonTiebreak, Sequence[CommonTiebreak]] = {
    "points": ("points", "won"),
    "won": ("won", "points"),
    "rating": ("rating", "points"),
    "score": ("score", "points"),
    "place": ("place", "points"),
}
"""For each criterion that can be chosen to rank by: that criterion, then what breaks its ties."""


class StandingsRow(msgspec.Struct, frozen=True):
    """An entrant's row in the standings; unknown values are None. The field names are the keys in JSON and CSV."""

    rank: int
    """1 is the best; entrants that are equal by all criteria share a rank."""
    bot: str
    reached: str | None
    """Knockout: the round that it reached."""
    last_meeting_percent: float | None
    """Knockout: its points in the meeting in which it went out, in percent."""
    round_score: float | None
    """Swiss: the sum of the scores of its rounds."""
    buchholz: float | None
    """Swiss: the sum of the round scores of its opponents."""
    runoff_order: int | None
    """Instant run-off: the order of going out, 1 the first; the winner has the highest number.

    None if the rows are not ranked by it.
    """
    runoff_percent: float | None
    """Instant run-off: its points, in percent, in the last count in which it met others who remained."""
    stopped: str | None
    """Ladder: why it plays no more, or `plays on`."""
    rating: float | None
    """In Elo points; higher is better."""
    rating_low: float | None
    """The lower end of the 95 % interval of the rating; None if it is unknown, after a single deal."""
    rating_high: float | None
    """The upper end of the 95 % interval of the rating; None if it is unknown."""
    above_next: float | None
    """How likely it is stronger than the bot in the next row, from 0 to 1; None if that is unknown."""
    points_percent: float | None
    """Its points, in percent of those that it could have won."""
    points_low: float | None
    """The lower end of the 95 % interval of `points_percent`; None if it is unknown, after a single deal."""
    points_high: float | None
    """The upper end of the 95 % interval of `points_percent`; None if it is unknown."""
    won: int | None
    """Matches with place 1 alone."""
    drawn: int | None
    """Matches with place 1 shared."""
    lost: int | None
    """All other matches."""
    mean_place: float | None
    """Lower is better; None over games with different numbers of seats."""
    mean_score: float | None
    """In the game's own points, where higher is better; None over several games, whose scores cannot be compared."""
    matches: int
    faults: int


class Ranking(msgspec.Struct, frozen=True):
    """The standings, and the criteria by which they are ranked."""

    rows: tuple[StandingsRow, ...]
    criteria: tuple[CommonTiebreak | Tiebreak, ...]
    """What the rows are ranked by; each criterion breaks the ties of those before it."""
    anchor: tuple[str, float] | None
    """The bot whose rating is held fixed, and that rating; None if the mean of all ratings is fixed."""
    tiebreaks: tuple[Tiebreak, ...]
    """The criteria that only the format knows, whether the rows are ranked by them or not."""
    pairs: Mapping[tuple[str, str], HeadToHead]
    """The cross-table: the result of every pair of entrants that have met, in both orders."""
    circles: tuple[Circle, ...]
    """Where bots beat each other round about, beyond the error bars."""
    two_seats: bool
    """Whether all matches have two seats, so that mean places say no more than wins and losses."""


class _EntrantResults(msgspec.Struct, frozen=True):
    """The results of an entrant, before it is ranked."""

    bot: str
    number: int
    games: Sequence[tuple[Fraction, GameTotals]]
    """The weight of each game that it has played, and its totals there."""
    rating: Rating | None
    points_interval: tuple[float | None, float | None]
    """The ends of the 95 % interval of its share of points; None if they are unknown."""
    score: int
    """The sum of its scores."""
    faults: int

    def total(self, count: Callable[[GameTotals], int]) -> int:
        """Returns the sum of a count over all games."""
        return sum([count(totals) for _, totals in self.games])

    def mean(self, share: Callable[[GameTotals], Fraction]) -> Value:
        """Returns the weighted mean of a share over the games; None if it has played none."""
        whole = sum([weight for weight, _ in self.games])
        return sum([weight * share(totals) for weight, totals in self.games], Fraction()) / whole if whole else None


def ranking(
    tournament: Tournament,
    counts: OutcomeCounts,
    by: Sequence[CommonTiebreak | Tiebreak],
    tiebreaks: Sequence[Tiebreak] = (),
) -> Ranking:
    """Ranks the entrants by the criteria `by`, each of which breaks the ties of those before it.

    `counts` are of all games of the tournament, or of some; several games count by their weights. `tiebreaks` are the
    criteria that only the format knows, which become columns whether the rows are ranked by them or not.
    """
    weights = weights_of(tournament, counts.setups)
    batches = counts.batches()
    anchor = None
    if tournament.anchor is not None:
        anchor = counts.names.index(tournament.anchor.bot), tournament.anchor.rating
    ratings = Ratings(batches, weights, anchor)
    entrants = _entrants(counts, batches, weights, ratings)
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
        rows.append(_row(rank, each, values[each.bot], tiebreaks, above))
    named = None if ratings.anchor is None else (counts.names[ratings.anchor[0]], ratings.anchor[1])
    pairs = cross_table(counts, weights)
    found = circles([row.bot for row in rows], pairs)
    two_seats = all([setup.seats == 2 for setup in counts.setups])
    return Ranking(tuple(rows), tuple(by), named, tuple(tiebreaks), pairs, tuple(found), two_seats)


def _entrants(
    counts: OutcomeCounts, batches: Sequence[Sequence[Batch]], weights: Sequence[Fraction], ratings: Ratings
) -> list[_EntrantResults]:
    """Returns the results of all entrants, in the order of the file."""
    games = [game_totals(merged(game)) for game in batches]
    rated, intervals = set(ratings.bots), points_intervals(batches, weights)
    return [
        _EntrantResults(
            name,
            number,
            [(weight, game[number]) for weight, game in zip(weights, games, strict=True) if number in game],
            ratings.of(number) if number in rated else None,
            intervals.get(number) or (None, None),
            sum([scores[name] for scores in counts.scores]),
            sum([faults[name] for faults in counts.faults]),
        )
        for number, name in enumerate(counts.names)
    ]


def weights_of(tournament: Tournament, setups: Sequence[GameSetup]) -> list[Fraction]:
    """Returns the weights of some of the tournament's games."""
    return [Fraction(tournament.all_weights[tournament.setups.index(setup)]) for setup in setups]


def _values(entrant: _EntrantResults, counts: OutcomeCounts) -> dict[CommonTiebreak, Value]:
    """Returns an entrant's value for each criterion that all formats have; higher is better."""
    matches = entrant.total(lambda totals: totals.matches)
    one_game = len(counts.setups) == 1
    same_seats = len({setup.seats for setup in counts.setups}) == 1
    return {
        "points": entrant.mean(lambda totals: totals.points / totals.matches),
        "won": entrant.mean(lambda totals: Fraction(totals.won, totals.matches)),
        "rating": None if entrant.rating is None else Fraction(round(entrant.rating.rating, DIGITS)),
        "score": Fraction(entrant.score, matches) if matches and one_game else None,
        "place": -Fraction(entrant.total(lambda totals: totals.places), matches) if matches and same_seats else None,
    }


def _key(by: CommonTiebreak | Tiebreak, name: str, values: Mapping[CommonTiebreak, Value]) -> tuple[bool, Fraction]:
    """Returns what an entrant is sorted by; an unknown value is worth less than any number."""
    value = by.values[name] if isinstance(by, Tiebreak) else values[by]
    return value is not None, value or Fraction()


def _row(
    rank: int,
    entrant: _EntrantResults,
    values: Mapping[CommonTiebreak, Value],
    tiebreaks: Sequence[Tiebreak],
    above: float | None,
) -> StandingsRow:
    bot, rating, place = entrant.bot, entrant.rating, values["place"]
    known: dict[str, Value] = {tiebreak.key: tiebreak.values[bot] for tiebreak in tiebreaks}
    labels = {tiebreak.key: tiebreak.labels[bot] for tiebreak in tiebreaks if tiebreak.labels is not None}
    order = known.get("runoff_order")
    matches, won, drawn = [entrant.total(count) for count in (lambda t: t.matches, lambda t: t.won, lambda t: t.drawn)]
    return StandingsRow(
        rank=rank,
        bot=bot,
        reached=labels.get("reached"),
        last_meeting_percent=_rounded(known.get("last_meeting_percent"), 100),
        round_score=_rounded(known.get("round_score")),
        buchholz=_rounded(known.get("buchholz")),
        runoff_order=None if order is None else int(order),
        runoff_percent=_rounded(known.get("runoff_percent"), 100),
        stopped=labels.get("stopped"),
        rating=None if rating is None else _rounded(rating.rating),
        rating_low=None if rating is None else _rounded(rating.low),
        rating_high=None if rating is None else _rounded(rating.high),
        above_next=_rounded(above),
        points_percent=_rounded(values["points"], 100),
        points_low=_rounded(entrant.points_interval[0], 100),
        points_high=_rounded(entrant.points_interval[1], 100),
        won=won if matches else None,
        drawn=drawn if matches else None,
        lost=matches - won - drawn if matches else None,
        mean_place=None if place is None else _rounded(-place),
        mean_score=_rounded(values["score"]),
        matches=matches,
        faults=entrant.faults,
    )


def _rounded(value: Fraction | float | None, unit: int = 1) -> float | None:
    """Returns the number times `unit`, rounded to `DIGITS`; None for an unknown or infinite one."""
    return None if value is None or isinf(value) else round(float(value * unit), DIGITS)


class SeatPoints(msgspec.Struct, frozen=True):
    """The points won in one seat, in percent; 50 is a seat as good as the others, and more is better."""

    game: str
    """The game's name, with its seats and options where the tournament has the game more than once."""
    seats: int
    """The number of seats at the table."""
    seat: int
    """The seat, counted from 0."""
    matches: int
    points: float
    low: float
    """The lower end of the 95 % interval of the points, at least 0; `-inf` if there was only one deal."""
    high: float
    """The upper end of the interval, at most 100; `inf` if there was only one deal."""


def seat_points(counts: OutcomeCounts) -> list[SeatPoints]:
    """Returns the points of every seat that was played, by game, number of seats, and seat.

    The intervals are Student's. Their standard error is that of a ratio of sums over deals, which are independent of
    each other, while the matches on a deal are not (Cochran 1977, Sampling techniques, 9A.2).
    """
    found = []
    for game, batches in zip(_titles(counts.setups), counts.batches(), strict=True):
        for seats in sorted({len(finish.bots) for batch in batches for finish in batch}):
            found += _table_points(game, seats, batches)
    return found


def _titles(setups: Sequence[GameSetup]) -> list[str]:
    """Returns a distinct title for each game: its name, with seats and options if the name occurs more than once."""
    names = [setup.game for setup in setups]
    return [setup.game if names.count(setup.game) == 1 else ", ".join([setup.game, *_terms(setup)]) for setup in setups]


def _terms(setup: GameSetup) -> list[str]:
    return [f"{setup.seats} seats", *[f"{key} {value}" for key, value in setup.options.items()]]


def _table_points(game: str, seats: int, batches: Sequence[Batch]) -> list[SeatPoints]:
    """Returns the points of each seat at tables with that number of seats."""
    matches, won = [], []
    for batch in batches:
        of_size = [(finish.places, count) for finish, count in batch.items() if len(finish.bots) == seats]
        if of_size:
            matches.append(sum([count for _, count in of_size]))
            gained = [[count * unit for unit in units(places)] for places, count in of_size]
            won.append([sum(seat) for seat in zip(*gained, strict=True)])
    return [_seat_points(game, seats, seat, matches, [each[seat] for each in won]) for seat in range(seats)]


def _seat_points(game: str, seats: int, seat: int, matches: Sequence[int], won: Sequence[int]) -> SeatPoints:
    """Returns the points of one seat, given the matches and the units won there in each batch."""
    whole, batches = sum(matches), len(matches)
    mean = sum(won) / whole
    percent = 100 / full_units(seats)
    low, high = -inf, inf
    if batches > 1:
        error = sqrt(fsum([part**2 for part in ratio_errors(won, matches, batches - 1)]))
        half = intervals.quantile_975(batches - 1) * error
        low, high = max(percent * (mean - half), 0), min(percent * (mean + half), 100)
    return SeatPoints(game, seats, seat, whole, percent * mean, low, high)
