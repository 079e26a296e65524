"""Two bots of a run on the same deals: by how much one is ahead, where, and on which deals they differ most.

A bot is compared with the other one in the same seat on the same deal, among the same others. Where each has such
matches without the other one, these are compared; where they only met each other, with the roles swapped.
"""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tourney import config
from tourney.config import Tournament
from tourney.contracts.match import Record
from tourney.journal import folder
from tourney.journal.reader import read_records
from tourney.schedule.base import schedule

SELF, RIVAL = "(self)", "(rival)"  # what the two are called where the others at a table are compared
Records: TypeAlias = Callable[[], Iterable[Record]]
"""Reads the records of a run from the first one on."""


class SeatPair(NamedTuple):
    """Both bots in the same seat on the same deal, each in its match."""

    deal: int
    """The number of the deal among those of its game, counted from 0."""
    game: str
    seats: int
    """The number of seats of the table."""
    seat: int
    score: float
    """The share of its opponents that the first bot came before, from 0 to 1; ties count half."""
    other_score: float
    """The same of the other bot."""
    margin: int
    """By how much more the first bot scored, in the units of the game."""
    match: str
    """The match of the first bot."""
    other_match: str
    setup: int
    """The index of the game among those of the tournament."""


class _Side(NamedTuple):
    """One of the two in a seat."""

    company: tuple[str, ...]  # who sits around the table, from seat 0 on
    match: str
    score: float
    points: int


def seat_pairs(tournament: Tournament, one: str, other: str, records: Records) -> tuple[list[SeatPair], bool]:
    """Pairs the seats of two entrants; also returns whether the two met in them."""
    deals: dict[tuple[int, int], dict[str, int]] = {}  # the numbers of deals by their seeds
    found: dict[tuple[bool, int, int, int, int, tuple[str, ...]], tuple[list[_Side], list[_Side]]] = {}
    for record in records():
        setup, size = _setup_of(tournament, record), len(record.seats)
        numbers = deals.setdefault((setup, size), {})
        deal = numbers.setdefault(record.seed, len(numbers))
        met = one in record.seats and other in record.seats
        for seat, name in enumerate(record.seats):
            if name in (one, other):
                roles = {name: SELF, one if name == other else other: RIVAL}
                company = tuple([roles.get(each, each) for each in record.seats])
                opponents = [i for i, each in enumerate(company) if (each == RIVAL if met else i != seat)]
                key = met, setup, deal, size, seat, tuple(sorted(company))
                side = _Side(company, record.match, _score(record.places, seat, opponents), record.scores[seat])
                found.setdefault(key, ([], []))[name == other].append(side)
    both = {key: sides for key, sides in found.items() if all(sides)}
    apart = {key[1] for key in both if not key[0]}
    have_met = not apart.issuperset([key[1] for key in both])
    pairs = []
    for (met, setup, deal, size, seat, _), sides in both.items():
        if met == have_met:
            for mine, its in zip(*map(sorted, sides), strict=False):  # those with the very same seats first
                scores = mine.score, its.score, mine.points - its.points
                game = tournament.setups[setup].game
                pairs.append(SeatPair(deal, game, size, seat, *scores, mine.match, its.match, setup))
    return pairs, have_met


def _setup_of(tournament: Tournament, record: Record) -> int:
    """The index of a record's game in the tournament, whose tables may have had one seat more."""
    return min(
        [i for i, each in enumerate(tournament.setups) if (each.game, each.options) == (record.game, record.options)],
        key=lambda i: abs(tournament.setups[i].seats - len(record.seats)),
    )


def _score(places: tuple[int, ...], seat: int, opponents: list[int]) -> float:
    """The share of the opponents that a seat came before; ties count half."""
    own = places[seat]
    return sum([(own < places[each]) + (own <= places[each]) for each in opponents]) / (2 * len(opponents))


def most_different(pairs: Iterable[SeatPair], most: int) -> list[SeatPair]:
    """The pairs with the greatest differences, of two matches one; where scores differ as much, by the margin."""
    ordered = sorted(pairs, key=lambda pair: (-abs(pair.score - pair.other_score), -abs(pair.margin)))
    found: dict[frozenset[str], SeatPair] = {}
    for pair in ordered:
        found.setdefault(frozenset((pair.match, pair.other_match)), pair)
    return list(found.values())[:most]


def worst_deals(run: Path, one: str, other: str, most: int) -> list[SeatPair]:
    """The seats on deals of a run on which two of its entrants differ most, the most different first."""
    pairs, _ = seat_pairs(*of_run(run, one, other))
    return most_different(pairs, most)


def of_run(run: Path, one: str, other: str) -> tuple[Tournament, str, str, Records]:
    """What `seat_pairs` asks for, of the run in a folder."""
    tournament = config.of_manifest(folder.read_manifest(run))
    return tournament, one, other, partial(_records, run, tournament)


def _records(run: Path, tournament: Tournament) -> Iterable[Record]:
    return read_records(run, schedule(tournament))
