"""What the trick-taking games share: dealing unseen cards so that they fit what a seat has seen."""

from collections.abc import Sequence
from random import Random
from typing import Any, Final

from mypy_extensions import i64

from tourney.rng import shuffle

BITS: Final[list[i64]] = [1 << card for card in range(62)]
"""The masks of single cards. Compiled, a 1 that is shifted is 32 bits wide, even if it is in a variable."""


def mask_of(cards: Sequence[Any]) -> int:
    """The cards as a mask: bit i is card i."""
    mask: i64 = 0
    card: i64
    for card in cards:
        mask |= BITS[card]
    return mask


def subsets(first: int, count: int) -> list[tuple[int, ...]]:
    """For each mask of so many cards, their numbers in order; the lowest bit is the card `first`."""
    found: list[tuple[int, ...]] = [()]
    for card in range(first, first + count):
        found += [(*lower, card) for lower in found]
    return found


def deal_out(cards: Sequence[int], places: Sequence[tuple[int, int]], rng: Random) -> list[list[int]] | None:
    """The cards dealt at random to places, each a (size, mask of the cards that it may hold); one list a place.

    The sizes add up to the number of cards. None if the cards cannot be dealt so. A deal is always found where there
    is one: a card that finds no room makes room by moving others (augmenting paths of bipartite matching).
    """
    left = list(cards)
    shuffle(left, rng)
    allowed = {card: [place for place, (_, mask) in enumerate(places) if mask >> card & 1] for card in left}
    left.sort(key=lambda card: len(allowed[card]))
    held: list[list[int]] = [[] for _ in places]
    free = [size for size, _ in places]
    for card in left:
        place = _weighted(allowed[card], free, rng)
        if place is None and not _make_room(card, allowed, held, free):
            return None
        if place is not None:
            held[place].append(card)
            free[place] -= 1
    return held


def _weighted(choices: list[int], free: list[int], rng: Random) -> int | None:
    """One of the places, as likely as it has room; None if none has."""
    room = sum([free[place] for place in choices])
    if not room:
        return None
    at = int(rng.random() * room)
    for place in choices:
        at -= free[place]
        if at < 0:
            return place
    raise AssertionError("unreachable: the room is the sum of what is free")


def _make_room(card: int, allowed: dict[int, list[int]], held: list[list[int]], free: list[int]) -> bool:
    """Places the card by moving others along a shortest chain that ends at a free place; False if there is none."""
    came: dict[int, tuple[int, int | None]] = {}  # place -> the card that moves in, and the place it leaves
    queue: list[int] = []
    for place in allowed[card]:
        came[place] = card, None
        queue.append(place)
    for place in queue:
        if free[place]:
            free[place] -= 1
            at: int | None = place
            while at is not None:
                mover, source = came[at]
                held[at].append(mover)
                if source is not None:
                    held[source].remove(mover)
                at = source
            return True
        for other in held[place]:
            for target in allowed[other]:
                if target not in came:
                    came[target] = other, place
                    queue.append(target)
    return False
