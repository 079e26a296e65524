"""A tournament's standings: its entrants in order, with their results; and the points of the seats."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from fractions import Fraction
from math import fsum, inf, isinf, sqrt
from typing import Any, TypeAlias, get_args

import msgspec

from tourney.config import Tournament
from tourney.contracts.match import GameSetup
from tourney.standings.counts import MAX_DEALS, Batch, Finish, OutcomeCounts, few_batches, mean_block, merged
from tourney.standings.crosstable import Cycle, HeadToHead, cross_table, cycles
from tourney.standings.hierarchy import Posterior
from tourney.standings.interactions import Interaction, interactions
from tourney.standings.intervals import GameShare, share_interval
from tourney.standings.luce import connected
from tourney.standings.mixtures import Portion, mixture
from tourney.standings.places import place_intervals
from tourney.standings.points import CommonTiebreak, Tiebreak, full_units, units, weighted_mean
from tourney.standings.ratings import Ratings

Value: TypeAlias = Fraction | None

DIGITS = 4
"""Numbers are rounded to this many decimals; ratings equal after rounding share a rank."""
TIEBREAKS: Mapping[str, Sequence[CommonTiebreak | Tiebreak]] = {
    by: (by, "won" if by == "points" else "points") for by in get_args(CommonTiebreak)
}
"""For each criterion available for ranking: the criterion, then its tie-breaks."""


class StandingsRow(msgspec.Struct, frozen=True):
    """An entrant's row in the standings; unknown values are None. The field names are the keys in JSON and CSV."""

    rank: int
    """1 is the best; entrants equal by all criteria share a rank."""
    bot: str
    reached: str | None
    """Knockout: the round it reached."""
    last_meeting_percent: float | None
    """Knockout: its points in the meeting that eliminated it, in percent."""
    round_score: float | None
    """Swiss: the sum of its round scores."""
    buchholz: float | None
    """Swiss: the sum of its opponents' round scores."""
    runoff_order: int | None
    """Instant run-off: the order of elimination, 1 the first; the winner has the highest number."""
    runoff_percent: float | None
    """Instant run-off: its points, in percent, in the last count with remaining opponents."""
    stopped: str | None
    """Ladder: why it plays no more, or `plays on`."""
    rating: float | None
    """In Elo points; higher is better."""
    rating_low: float | None
    """The lower end of its 95 % interval; None if unknown, after a single deal."""
    rating_high: float | None
    place_low: int | None
    """The best rank by strength in its 95 % interval, among the bots still in the tournament; None if unknown."""
    place_high: int | None
    """The worst rank in it."""
    above_next: float | None
    """The probability that it is stronger than the next row's bot, from 0 to 1; None if unknown.

    In a ladder, the deciding certainty.
    """
    points_percent: float | None
    """Its points, in percent of the possible points."""
    points_low: float | None
    """The lower end of its 95 % interval; None if unknown, after a single deal."""
    points_high: float | None
    won: int | None
    """Matches with place 1 alone."""
    drawn: int | None
    """Matches with place 1 shared."""
    lost: int | None
    """All other matches."""
    mean_place: float | None
    """Lower is better; None over games with different numbers of seats."""
    mean_score: float | None
    """In the game's own points, where higher is better; None over several games, which are not comparable."""
    matches: int
    faults: int


OWN = ("reached", "last_meeting_percent", "round_score", "buchholz", "runoff_order", "runoff_percent", "stopped")
"""The keys of formats' own criteria with fields; CSV and JSON append all others after the fields."""
_TAKEN = {"runoff", *StandingsRow.__struct_fields__, *TIEBREAKS} - {*OWN}


class Spread(msgspec.Struct, frozen=True):
    """How far apart the bots are."""

    elo: float
    """The standard deviation of their strengths, in Elo points."""
    low: float
    """The lower end of its 95 % interval; 0 if they may be equal."""
    high: float
    best: Mapping[str, float]
    """The probability, from 0 to 1, that each bot still in the tournament is the best, the likeliest first."""


class Ranking(msgspec.Struct, frozen=True):
    """The standings, and their ranking criteria."""

    rows: tuple[StandingsRow, ...]
    criteria: tuple[CommonTiebreak | Tiebreak, ...]
    """The ranking criteria; each breaks the ties of those before it."""
    anchor: tuple[str, float] | None
    """The bot with a fixed rating, and that rating; None if the mean of all ratings is fixed."""
    tiebreaks: tuple[Tiebreak, ...]
    """The format's own criteria, used for ranking or not."""
    pairs: Mapping[tuple[str, str], HeadToHead]
    """The cross-table: the result of every pair of entrants that have met, in both orders."""
    cycles: tuple[Cycle, ...]
    """The bots that beat each other in a cycle, beyond the error bars."""
    mixtures: tuple[tuple[Portion, ...], ...]
    """For each cycle, the mixture of its bots that none of them beats; empty if unknown."""
    parts: tuple[tuple[str, ...], ...]
    """The entrants that have met, directly or through others, part by part."""
    two_seats: bool
    """Whether all matches have two seats, which makes mean places redundant."""
    spread: Spread | None = None
    """How far apart the bots are; None if unknown, after a single deal."""
    interactions: tuple[Interaction, ...] = ()
    """How each bot's points at tables with each other are not as the ratings let expect; see there."""
    last: tuple[str, ...] = ()
    """The disqualified entrants, ranked below all others regardless of the criteria, by rank."""


def ranking(
    tournament: Tournament,
    counts: OutcomeCounts,
    by: Sequence[CommonTiebreak | Tiebreak],
    tiebreaks: Sequence[Tiebreak] = (),
    certainties: Mapping[tuple[str, str], float] | None = None,
    last: Collection[str] = (),
    shrinks: bool = False,
) -> Ranking:
    """Ranks the entrants by the criteria `by`, each breaking the ties of those before it.

    `counts` cover all or some of the tournament's games; `tiebreaks` are the format's own criteria, used or not.
    `certainties` that one entrant is above another replace the ratings' error bars. The entrants in `last` rank below
    all others. `shrinks` is as in `rated`.
    """
    weights = weights_of(tournament, counts.setups)
    batches = counts.batches()
    bot_ids = tournament.bot_ids
    ratings = rated(tournament, counts, batches, shrinks)
    intervals = points_intervals(batches, weights, bot_ids)
    entrants = _entrants(counts, batches, weights, ratings, intervals, tiebreaks)
    keys = {}
    for row, values in entrants:
        ranked = [each.values[row.bot] if isinstance(each, Tiebreak) else values[each] for each in by]
        merits = [(value is not None, value or Fraction()) for value in ranked]  # unknown values come last
        keys[row.bot] = (row.bot not in last, merits)
    order = sorted([row for row, _ in entrants], key=lambda row: keys[row.bot], reverse=True)
    rows: list[StandingsRow] = []
    gone = {bot for each in by if isinstance(each, Tiebreak) and each.key == "stopped" for bot in _without(each)}
    rated_bots = [counts.names.index(row.bot) for row in order if row.rating is not None and row.bot not in gone]
    shrunk = ratings if isinstance(ratings, Posterior) else Posterior(batches, weights, None, bot_ids)
    places_of = place_intervals(shrunk, rated_bots)
    for i, (row, after) in enumerate(zip(order, [*order[1:], None], strict=False)):
        shared = i > 0 and keys[order[i - 1].bot] == keys[row.bot]
        above = None
        if after is not None and certainties is not None:
            above = certainties.get((row.bot, after.bot))
        elif after is not None and row.rating is not None and after.rating is not None:
            above = rounded(ratings.above(counts.names.index(row.bot), counts.names.index(after.bot)))
        rank, own = rows[-1].rank if shared else i + 1, places_of.get(counts.names.index(row.bot))
        low, high = own[:2] if own else (None, None)
        rows.append(msgspec.structs.replace(row, rank=rank, place_low=low, place_high=high, above_next=above))
    pairs = cross_table(counts, weights, bot_ids, batches)
    circles = cycles([row.bot for row in rows], pairs)
    places = {row.bot: i for i, row in enumerate(rows)}
    met = [[places[name] for name in pair] for pair in pairs]
    return Ranking(
        rows=tuple(rows),
        criteria=tuple(by),
        anchor=None if ratings.anchor is None else (counts.names[ratings.anchor[0]], ratings.anchor[1]),
        tiebreaks=tuple(tiebreaks),
        pairs=pairs,
        cycles=tuple(circles),
        mixtures=tuple([tuple(mixture(each, counts.names, batches, weights)) for each in circles]),
        parts=tuple([tuple([rows[i].bot for i in part]) for part in connected(met)]),
        two_seats=all([setup.seats == 2 for setup in counts.setups]),
        spread=_spread(shrunk, {counts.names[bot]: its.best for bot, its in places_of.items()}),
        interactions=tuple(interactions(counts.names, batches, weights, shrunk)),
        last=tuple([row.bot for row in rows if row.bot in last]),
    )


def _spread(ratings: Posterior, best: Mapping[str, float]) -> Spread | None:
    tau, whole = ratings.spread(), fsum(best.values())
    if len(best) < 2 or not whole or isinf(tau.high):
        return None
    order = sorted(best, key=lambda bot: -best[bot])
    elo, low, high = [round(each, DIGITS) for each in tau]
    return Spread(elo, low, high, {bot: round(best[bot] / whole, DIGITS) for bot in order})


def _without(tiebreak: Tiebreak) -> list[str]:
    return [bot for bot, value in tiebreak.values.items() if not value]


def rated(
    tournament: Tournament, counts: OutcomeCounts, batches: Sequence[Sequence[Batch]], shrinks: bool
) -> Ratings | Posterior:
    """The ratings from some counts' batches; with `shrinks`, from `tourney.standings.hierarchy`."""
    held, weights = tournament.anchor, weights_of(tournament, counts.setups)
    fixed = None if held is None else (counts.names.index(held.bot), held.rating)
    return (Posterior if shrinks else Ratings)(batches, weights, fixed, tournament.bot_ids)


def weights_of(tournament: Tournament, setups: Sequence[GameSetup]) -> list[Fraction]:
    """The weights of some of the tournament's games."""
    return [Fraction(tournament.all_weights[tournament.setups.index(setup)]) for setup in setups]


def _entrants(
    counts: OutcomeCounts,
    batches: Sequence[Sequence[Batch]],
    weights: Sequence[Fraction],
    ratings: Ratings | Posterior,
    intervals: Mapping[int, tuple[float, float] | None],
    tiebreaks: Sequence[Tiebreak],
) -> list[tuple[StandingsRow, dict[CommonTiebreak, Value]]]:
    """All entrants' rows, without ranks, in file order, and their values for each common criterion."""
    games = [game_totals(merged(game)) for game in batches]
    one_game = len(counts.setups) == 1
    same_seats = len({setup.seats for setup in counts.setups}) == 1
    rows = []
    for number, name in enumerate(counts.names):
        own = [(weight, game[number]) for weight, game in zip(weights, games, strict=True) if number in game]
        rating, low, high = ratings.of(number) if own else (None, None, None)
        points_low, points_high = intervals.get(number) or (None, None)
        matches, won, drawn = [sum([getattr(its, key) for _, its in own]) for key in ("matches", "won", "drawn")]
        score = sum([scores[name] for scores in counts.scores])
        mean_place = Fraction(sum([its.places for _, its in own]), matches) if matches and same_seats else None
        values: dict[CommonTiebreak, Value] = {
            "points": weighted_mean([(weight, its.points / its.matches) for weight, its in own]),
            "won": weighted_mean([(weight, Fraction(its.won, its.matches)) for weight, its in own]),
            "rating": None if rating is None else Fraction(round(rating, DIGITS)),
            "score": Fraction(score, matches) if matches and one_game and counts.has_scores else None,
            "place": None if mean_place is None else -mean_place,
        }
        own_values = {each.key: criterion_value(each, name) for each in tiebreaks}
        row = StandingsRow(
            rank=0,
            bot=name,
            **{key: own_values.get(key) for key in OWN},
            rating=rounded(rating),
            rating_low=rounded(low),
            rating_high=rounded(high),
            place_low=None,
            place_high=None,
            above_next=None,
            points_percent=rounded(values["points"], 100),
            points_low=rounded(points_low, 100),
            points_high=rounded(points_high, 100),
            won=won if matches else None,
            drawn=drawn if matches else None,
            lost=matches - won - drawn if matches else None,
            mean_place=rounded(mean_place),
            mean_score=rounded(values["score"]),
            matches=matches,
            faults=sum([faults[name] for faults in counts.faults]),
        )
        rows.append((row, values))
    return rows


class GameTotals(msgspec.Struct):
    """The totals of one bot in one game."""

    units: dict[int, int] = msgspec.field(default_factory=dict)
    """Points in the units of `tourney.standings.points`, by the number of seats at the table."""
    matches: int = 0
    won: int = 0
    drawn: int = 0
    places: int = 0
    """The sum of its places."""

    @property
    def points(self) -> Fraction:
        """The sum of its points, at most 1 per match."""
        return sum([Fraction(won, full_units(seats)) for seats, won in sorted(self.units.items())], Fraction())

    def won_points(self) -> float:
        """The sum of its points as a float."""
        if len(self.units) > 1:
            return float(self.points)
        return next((won / full_units(seats) for seats, won in self.units.items()), 0.0)  # saves most of the time


def game_totals(game: Batch) -> dict[int, GameTotals]:
    """The totals of each bot that has played a game, by number."""
    # by the number of seats and the bot: units, matches, places, won, drawn
    sums: dict[int, dict[int, list[int]]] = {}
    for (bots, places), count in game.items():
        rows, first = sums.setdefault(len(bots), {}), 4 if places.count(1) > 1 else 3
        for bot, place, gained in zip(bots, places, units(places), strict=True):
            if (row := rows.get(bot)) is None:
                row = rows[bot] = [0, 0, 0, 0, 0]
            row[0] += count * gained
            row[1] += count
            row[2] += count * place
            if place == 1:
                row[first] += count
    totals_of: dict[int, GameTotals] = {}
    for seats, rows in sums.items():
        for bot, (gained, matches, of_places, won, drawn) in rows.items():
            totals = totals_of.setdefault(bot, GameTotals())
            totals.units[seats] = gained
            totals.matches += matches
            totals.places += of_places
            totals.won += won
            totals.drawn += drawn
    return totals_of


def points_intervals(
    games: Sequence[Sequence[Batch]], weights: Sequence[Fraction], bot_ids: Sequence[Hashable] | None = None
) -> dict[int, tuple[float, float] | None]:
    """The 95 % interval of each bot's share of points, by number; None if it played a game on one deal alone."""
    by_deal = [[game_totals(batch) for batch in few_batches(batches, MAX_DEALS)] for batches in games]
    blocks = [_points_block(batches) for batches in games]
    played = [{bot for totals in deals for bot in totals} for deals in by_deal]
    intervals, none = {}, GameTotals()
    bots = sorted({bot for bots in played for bot in bots})
    same_bots = bot_ids is not None and len({bot_ids[bot] for bot in bots}) == 1
    for bot in bots:
        own = [(weights[game], deals, blocks[game]) for game, deals in enumerate(by_deal) if bot in played[game]]
        whole = sum([weight for weight, _, _ in own])
        shares = []
        for weight, deals, block in own:
            totals = [each.get(bot, none) for each in deals]
            won = [each.won_points() for each in totals]
            shares.append(GameShare(float(weight / whole), won, [each.matches for each in totals], block))
        intervals[bot] = share_interval(shares, same_bots)
    return intervals


def _points_block(batches: Sequence[Mapping[Finish, int]]) -> float:
    """The size of a block of points: with n seats, one seat's against n - 1 others, each separately."""
    seats = max([len(finish.bots) for batch in batches for finish in batch], default=2)
    return mean_block(batches) / sqrt(seats - 1)


def key_of(tiebreak: Tiebreak) -> str:
    """A criterion's name, for ranking, CSV and JSON: its key, unless all standings have that."""
    return f"format_{tiebreak.key}" if tiebreak.key in _TAKEN else tiebreak.key


def criterion_value(tiebreak: Tiebreak, name: str) -> Any:
    """A criterion's value in CSV and JSON: a whole number, the displayed text, or a number as in the fields."""
    value = tiebreak.values[name]
    if isinstance(value, int):
        return value
    if tiebreak.labels is not None:
        return tiebreak.labels[name] or None
    return rounded(value, 100 if tiebreak.key.endswith("_percent") else 1)


def rounded(value: Fraction | float | None, unit: int = 1) -> float | None:
    """The number times `unit`, rounded to `DIGITS`; None if unknown or infinite."""
    return None if value is None or isinf(value) else round(float(value * unit), DIGITS)


class SeatPoints(msgspec.Struct, frozen=True):
    """The points won in one seat, in percent; 50 is neutral, and more is better."""

    game: str
    """The game's name, with its seats and options if the tournament has the game more than once."""
    seats: int
    seat: int
    """The seat, counted from 0."""
    matches: int
    points: float
    low: float
    """The lower end of the points' 95 % interval, at least 0; `-inf` if there was only one deal."""
    high: float


def seat_points(counts: OutcomeCounts) -> list[SeatPoints]:
    """The points of every seat played, by game, number of seats, and seat; see `ratio_errors`."""
    names = [setup.game for setup in counts.setups]
    points = []
    for setup, batches in zip(counts.setups, counts.batches(), strict=True):
        options = [f"{key} {value}" for key, value in setup.options.items()]
        repeated = names.count(setup.game) > 1
        title = ", ".join([setup.game, f"{setup.seats} seats", *options]) if repeated else setup.game
        for seats in sorted({len(finish.bots) for batch in batches for finish in batch}):
            points += _table_points(title, seats, batches)
    return points


def _table_points(game: str, seats: int, batches: Sequence[Batch]) -> list[SeatPoints]:
    sized = [{each: count for each, count in its.items() if len(each.bots) == seats} for its in batches]
    sized = [batch for batch in sized if batch]
    matches = [sum(batch.values()) for batch in sized]
    block, full, points = _points_block(sized), full_units(seats), []
    for seat in range(seats):
        won = [sum([count * units(each.places)[seat] for each, count in its.items()]) / full for its in sized]
        share = GameShare(1.0, won, matches, block)
        low, high = [100 * end for end in share_interval([share]) or (-inf, inf)]
        points.append(SeatPoints(game, seats, seat, sum(matches), 100 * share.share, low, high))
    return points
