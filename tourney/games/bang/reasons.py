"""The reasons to bang, as a table of the ranks of the three top cards of the pile."""

from functools import lru_cache
from typing import Final

from mypy_extensions import i64

from tourney.games.bang.rules import ACE, KING, NO_RANK, QUEEN, RANKS

CONDITIONS: Final = ("pair", "sandwich", "marriage", "ten", "run")
"""The values that the option `bang_on` may list."""
NO_CARDS: Final = (NO_RANK * RANKS + NO_RANK) * RANKS
"""The top ranks of a pile without turned cards; see `add_rank`."""


def add_rank(top_ranks: i64, rank: i64) -> i64:
    """Returns the top ranks of a pile once a card of that rank is turned onto it.

    The top ranks of a pile are the number `(second * RANKS + top) * RANKS`, of the ranks of its two highest cards.
    """
    return (top_ranks % (RANKS * RANKS) + rank) * RANKS


@lru_cache(maxsize=64)
def reasons(conditions: tuple[str, ...]) -> bytes:
    """Returns a table of 0 and 1: 1 at `top_ranks + rank` if turning a card of that rank is a reason to bang."""
    ranks = range(RANKS)
    return bytes([_is_reason(conditions, a, b, c) for a in ranks for b in ranks for c in ranks])


def _is_reason(conditions: tuple[str, ...], third: int, second: int, top: int) -> bool:
    """Whether the three highest cards of the pile, by rank, are a reason to bang."""
    holds = {
        "pair": top == second,
        "sandwich": top == third,
        "marriage": {top, second} == {KING, QUEEN},
        "ten": _pips(top) + _pips(second) == 10,
        # docs/rules/bang: a run goes up or down, the ace is high, a joker is in none
        "run": max(third, second, top) <= ACE and second - third == top - second in (1, -1),
    }
    return any([holds[condition] for condition in conditions])


def _pips(rank: int) -> int:
    """What a card counts towards a ten: an ace 1, a two to nine its number, any other too much."""
    return 1 if rank == ACE else rank + 2 if rank < 8 else 99
