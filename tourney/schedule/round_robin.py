"""Round-robin: every group of entrants of the game's seat count meets on every deal, in every rotation of the seats.

Deal by deal, game by game, group by group: a tournament that is stopped half-way has treated all groups alike.
"""

from collections.abc import Iterator
from itertools import combinations
from math import comb

from tourney.config import Tournament
from tourney.match import Block, Contest
from tourney.rng import derive


def blocks(tournament: Tournament) -> Iterator[Block]:
    """All blocks of the tournament, in order. Deal d of a game has the same seed for every group."""
    number = 0
    for deal in range(tournament.deals):
        for contest in tournament.contests:
            seed = derive(tournament.seed, "deal", contest.game, deal)
            for group in combinations(tournament.names, contest.seats):
                yield Block(number, contest, seed, rotations(group))
                number += 1


def size(tournament: Tournament) -> tuple[int, int]:
    """How many blocks and how many matches the tournament has."""
    groups = [(_groups(tournament, contest), contest.seats) for contest in tournament.contests]
    return (
        tournament.deals * sum([count for count, _ in groups]),
        tournament.deals * sum([count * seats for count, seats in groups]),
    )


def _groups(tournament: Tournament, contest: Contest) -> int:
    return comb(len(tournament.entrants), contest.seats)


def rotations(group: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """The seatings in which each of the group sits once in every seat, keeping the order around the table."""
    return tuple([group[turn:] + group[:turn] for turn in range(len(group))])
