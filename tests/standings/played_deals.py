"""Deals of real tournaments, played once and kept, from whose parts many tournaments are put together.

Deals are independent of each other. So any deals of a long tournament are a tournament by themselves, and parts of it
that share no deal are independent tournaments.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from tourney import config
from tourney.config import Tournament
from tourney.contracts.match import Block
from tourney.plugins.registry import load_game
from tourney.schedule.base import blocks_of_groups
from tourney.schedule.round_robin import RoundRobin
from tourney.standings.counts import OutcomeCounts
from tourney.standings.ranking import TIEBREAKS, Ranking, SeatPoints, ranking, seat_points
from tourney.standings.results import MatchResult
from tourney.table.table import play

EQUAL = {"random": "Salted", "hash": "Hashed"}
"""The kinds of bots that are equally strong, and their classes; the third kind is `graded`."""


class Standings(NamedTuple):
    """The standings of one tournament."""

    ranking: Ranking
    seats: list[SeatPoints]


@dataclass(frozen=True)
class Field:
    """A round-robin of one game between entrants whose strengths are known."""

    game: str
    seats: int
    entrants: int
    groups: int
    """How many groups meet on every deal."""
    bots: str
    """The kind of bots: `random` or `hash`, which are equal, or `graded`."""
    options: str = ""
    """The options of the game, in TOML."""

    @property
    def title(self) -> str:
        """The game and its seats, with the options in words."""
        return ", ".join([f"{self.game} {self.seats}", *self.options.replace(" = ", " ").split(", ")]).rstrip(", ")

    @property
    def equal(self) -> bool:
        """Whether all entrants are equally strong."""
        return self.bots in EQUAL

    @property
    def matches(self) -> int:
        """The number of matches on a deal."""
        return self.groups * self.seats

    @cached_property
    def tournament(self) -> Tournament:
        """The tournament, with a single deal."""
        use = f"coverage_bots.py:{EQUAL.get(self.bots, 'Mixture')}"
        options = [f"salt = {i}" if self.equal else f"share = {i / (self.entrants - 1)}" for i in range(self.entrants)]
        bots = [f'{{name = "{i}", use = "{use}", options = {{{given}}}}}' for i, given in enumerate(options)]
        text = (
            f'name = "coverage"\nseed = "{self.title}, {self.bots}"\ndeals = 1\ngroups = {self.groups}\n'
            f"bot = [{', '.join(bots)}]\n"
            f'[[game]]\nname = "{self.game}"\nseats = {self.seats}\noptions = {{{self.options}}}\n'
        )
        return config.parse(text, Path(__file__))

    def blocks(self, first: int, deals: int) -> Iterator[Block]:
        """Yields the blocks of consecutive deals."""
        long = replace(self.tournament, deals=deals)
        plan = RoundRobin(long)
        return blocks_of_groups(long, lambda setup, _: plan.groups(setup), first * self.groups, first, long.deals)

    def play(self, first: int, deals: int) -> bytes:
        """Plays consecutive deals in this process, and returns the places: a byte for each seat of each match."""
        makers, rules = config.create_hosts(self.tournament), load_game(self.game)
        records = [
            play(match, rules, [makers[name] for name in match.seats])
            for block in self.blocks(first, deals)
            for match in block.matches()
        ]
        if any([record.faults for record in records]):
            raise AssertionError(f"{self.title}: a bot made a fault")
        return bytes([place for record in records for place in record.places])


@dataclass(frozen=True)
class PlayedDeals:
    """Consecutive deals of a field, with the places that were played."""

    field: Field
    first: int
    """The number of the first deal."""
    places: bytes
    """A byte for each seat of each match."""

    def standings(self, first: int, deals: int) -> Standings:
        """Returns the standings of a tournament of some of the deals."""
        field = self.field
        counts = OutcomeCounts(field.tournament.names, field.tournament.setups)
        at = (first - self.first) * field.matches * field.seats
        for block in field.blocks(first, deals):
            results = []
            for seats in block.seatings:
                results.append(MatchResult((0,) * len(seats), tuple(self.places[at : at + len(seats)]), ()))
                at += len(seats)
            counts.add(block, results)
        return Standings(ranking(field.tournament, counts, TIEBREAKS["rating"]), seat_points(counts))


def joined(parts: Sequence[PlayedDeals]) -> PlayedDeals:
    """Returns consecutive parts as one."""
    return PlayedDeals(parts[0].field, parts[0].first, b"".join([part.places for part in parts]))
