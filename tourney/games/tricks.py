"""Tools for trick-taking games: sets of cards as bit masks, and deals that fit what a seat has seen.

Cards are small ints, as a `tourney.cards.Deck` numbers them. A mask is an int in which bit i stands for card i, so that
`hand >> card & 1` asks for a card and `hand & ~played` takes cards away. A game's `imagine` tells, for each place that
holds cards which a seat does not see, how many and which it may hold, and `deal_out` deals them at random:

>>> from random import Random
>>> from tourney.cards import STANDARD
>>> unseen = STANDARD.cards("2c 3c 9d Th")
>>> no_clubs = ~mask_of(range(13))
>>> left, right = deal_out(unseen, [(2, -1), (2, no_clubs)], Random(1))
>>> STANDARD.texts(sorted(left)), STANDARD.texts(sorted(right))
(['2c', '3c'], ['9d', 'Th'])
"""

from collections.abc import Sequence
from random import Random
from typing import Final

from mypy_extensions import i64

from tourney.rng import shuffle

BITS: Final[list[i64]] = [1 << card for card in range(62)]
"""The mask of each single card: `BITS[card]` is `1 << card`, which compiled code would compute in 32 bits."""


def mask_of(cards: Sequence[int]) -> int:
    """Returns the cards as a mask. Cards are numbers below 62.

    >>> mask_of([0, 1, 4])
    19
    """
    mask: i64 = 0
    card: i64
    for card in cards:
        mask |= BITS[card]
    return mask


def subsets(first: int, count: int) -> list[tuple[int, ...]]:
    """Returns a table of the cards in every mask of `count` neighbouring cards.

    Bit 0 of the mask is the card `first`; the cards of each mask are in order. With a table for each suit, the cards
    of a hand are found by a look-up for each suit.

    >>> subsets(10, 2)
    [(), (10,), (11,), (10, 11)]
    """
    found: list[tuple[int, ...]] = [()]
    for card in range(first, first + count):
        found += [(*lower, card) for lower in found]
    return found


def deal_out(cards: Sequence[int], places: Sequence[tuple[int, int]], rng: Random) -> list[list[int]] | None:
    """Deals the cards at random to places that may not hold every card.

    A deal is found wherever there is one. Deals are not all equally likely if places exclude cards.

    >>> from random import Random
    >>> deal_out([7], [(0, -1), (1, 1 << 7)], Random(1))
    [[], [7]]
    >>> deal_out([7], [(1, 1 << 8)], Random(1)) is None
    True

    Args:
        cards: The cards to deal; they are left as they are.
        places: For each place how many cards it gets, and the cards that it may hold as a mask (-1 for all). The sizes
            add up to the number of cards.
        rng: Draws the deal.

    Returns:
        The cards of each place, in no particular order; None if the cards cannot be dealt so.
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
    """Returns one of the places, each as likely as it has room, or None if none has room."""
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
    """Places the card by moving others along a shortest chain of places to one with room.

    This is an augmenting path of bipartite matching, found by breadth-first search. Returns False if there is none.
    """
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
