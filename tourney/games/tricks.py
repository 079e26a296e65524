"""Tools for trick-taking games: sets of cards as bit masks, and deals that fit what a seat has seen.

Cards are small ints, as a `Deck` numbers them. A mask is an int in which bit i stands for card i, so that
`hand >> card & 1` asks for a card and `hand & ~played` takes cards away. A game's `imagine` lists the
places that hold unseen cards, each with how many and which it may hold. `Deals` counts the ways to deal them, and draws
one, each equally likely:

>>> from random import Random
>>> from tourney.contracts.cards import STANDARD
>>> unseen = STANDARD.cards("2c 3c 9d Th")
>>> no_clubs = ~mask_of(range(13))
>>> left, right = Deals(unseen, [(2, -1), (2, no_clubs)]).draw(Random(1))
>>> STANDARD.texts(sorted(left)), STANDARD.texts(sorted(right))
(['2c', '3c'], ['9d', 'Th'])
"""

from collections.abc import Sequence
from math import comb
from random import Random
from typing import Final

from mypy_extensions import i64

from tourney.contracts.rng import pick_index

BITS: Final[list[i64]] = [1 << card for card in range(62)]
"""The mask of each single card: `BITS[card]` is `1 << card`, which compiled code would compute in 32 bits."""


def mask_of(cards: Sequence[int]) -> int:
    """The cards as a mask. Cards are numbers below 62.

    >>> mask_of([0, 1, 4])
    19
    """
    mask: i64 = 0
    card: i64
    for card in cards:
        mask |= BITS[card]
    return mask


def subsets(first: int, count: int) -> list[tuple[int, ...]]:
    """A table of the cards in every mask of `count` neighbouring cards.

    Bit 0 of the mask is the card `first`; the cards of each mask are in order. With a table for each suit, the cards
    of a hand are found by a look-up for each suit.

    >>> subsets(10, 2)
    [(), (10,), (11,), (10, 11)]
    """
    all_subsets: list[tuple[int, ...]] = [()]
    for card in range(first, first + count):
        own = (card,)
        all_subsets += [lower + own for lower in all_subsets]  # quicker than unpacking
    return all_subsets


class Deals:
    """All deals of some cards to places that may not hold every card, counted so that each can be drawn equally likely.

    Places that may hold the same cards are dealt to as one, and their cards are cut up afterwards. Cards that may lie
    in the same places are of one kind. Dealing goes from one group of places to the next, and the ways to continue
    depend only on how many cards of each kind are left; they are counted once for each such state. Counting takes long
    if many places differ and are large (in the worst case the number is a permanent); places of card games fall into
    few groups.

    >>> from random import Random
    >>> deals = Deals([0, 1, 2, 3], [(1, 0b0011), (2, -1)])
    >>> deals.count
    6
    >>> deals.draw(Random(1))
    [[0], [3, 1]]
    """

    __slots__ = ("_counts", "_cut", "_groups", "_heaps", "_places", "_ways", "count")

    count: int
    """How many deals there are."""

    def __init__(
        self, cards: Sequence[int], places: Sequence[tuple[int, int]], needs: Sequence[tuple[int, int]] = ()
    ) -> None:
        self._places = len(places)
        self._groups = _groups(mask_of(cards), len(cards), places, needs)
        # a card's kind has a bit for each group and each need of it, the first group lowest
        kinds: dict[int, list[int]] = {}
        for card in cards:
            kind = 0
            for group in reversed(self._groups):
                for mask in reversed(group.masks):
                    kind = kind << 1 | mask >> card & 1
            kinds.setdefault(kind, []).append(card)
        names = sorted(kinds)
        self._heaps = [kinds[name] for name in names]
        self._counts = tuple([len(heap) for heap in self._heaps])
        for group in self._groups:
            names = group.set_kinds(names)
        self._ways: list[dict[tuple[int, ...], _Choices]] = [{} for _ in self._groups]
        self.count = self._count(0, self._counts)
        for group in self._groups:
            self.count *= group.cuts

    def _count(self, level: int, counts: tuple[int, ...]) -> int:
        if level == len(self._groups):
            return 1
        known = self._ways[level].get(counts)
        if known is None:
            known = self._ways[level][counts] = self._choices(level, counts)
        totals = known[0]
        return totals[-1] if totals else 0

    def _choices(self, level: int, counts: tuple[int, ...]) -> "_Choices":
        """The group at `level`'s choices from the remaining cards of each kind."""
        group = self._groups[level]
        total = 0
        totals: list[int] = []
        choices: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        for split, ways in group.splits(counts):
            left = [0] * group.kinds_after
            for count, taken, after in zip(counts, split, group.after, strict=True):
                left[after] += count - taken
            rest = tuple(left)
            further = self._count(level + 1, rest)
            if further:
                total += ways * further
                totals.append(total)
                choices.append((split, rest))
        return totals, choices

    def draw(self, rng: Random) -> list[list[int]]:
        """The cards of each place in one of the deals, in no particular order; there must be a deal."""
        dealt: list[list[int]] = [[] for _ in range(self._places)]
        heaps = [heap.copy() for heap in self._heaps]
        counts = self._counts
        for level, group in enumerate(self._groups):
            totals, choices = self._ways[level][counts]
            split, counts = choices[pick_index(totals, rng)]
            taken: list[int] = []
            left: list[list[int]] = [[] for _ in range(group.kinds_after)]
            for heap, size, after in zip(heaps, split, group.after, strict=True):
                taken += _take(heap, size, rng)
                left[after] += heap
            heaps = left
            for place, size in group.places:
                dealt[place] = _take(taken, size, rng)
        return dealt


_Choices = tuple[list[int], list[tuple[tuple[int, ...], tuple[int, ...]]]]
"""A group's choices: how many cards of each kind it takes and how many that leaves, for each choice; before that, the
numbers of deals by this choice and those before it."""


class _Group:
    """Places that may hold the same cards, and the kinds of cards that there are when they are dealt to."""

    __slots__ = ("_may_hold", "_needed", "after", "cuts", "kinds_after", "masks", "places", "size")

    def __init__(self, masks: tuple[int, ...], places: list[tuple[int, int]], size: int) -> None:
        """Takes the masks of what the places may hold and what they need, and each (place, size)."""
        self.masks, self.places, self.size = masks, places, size
        self.cuts = 1
        left = size
        for _, many in places:
            self.cuts *= comb(max(left, 0), many)
            left -= many

    def set_kinds(self, names: list[int]) -> list[int]:
        """Sets the kinds of cards that are left for this group; returns those left for the later groups."""
        width = len(self.masks)
        self._may_hold = [bool(name & 1) for name in names]
        self._needed = [[i for i, name in enumerate(names) if name >> need & 1] for need in range(1, width)]
        after = sorted({name >> width for name in names})
        self.after = [after.index(name >> width) for name in names]
        self.kinds_after = len(after)
        return after

    def splits(self, counts: tuple[int, ...]) -> list[tuple[tuple[int, ...], int]]:
        """Every choice of how many cards of each kind the group takes, with the number of ways to take them."""
        splits: list[tuple[tuple[int, ...], int, int]] = [((), 1, self.size)]
        room = sum([count for count, may in zip(counts, self._may_hold, strict=True) if may])
        for count, may in zip(counts, self._may_hold, strict=True):
            most = count if may else 0
            room -= most
            splits = [
                ((*split, taken), ways * comb(count, taken), size - taken)
                for split, ways, size in splits
                for taken in range(max(0, size - room), min(most, size) + 1)
            ]
        return [
            (split, ways)
            for split, ways, _ in splits
            if all([any([split[kind] for kind in kinds]) for kinds in self._needed])
        ]


def _groups(
    every: int, count: int, places: Sequence[tuple[int, int]], needs: Sequence[tuple[int, int]]
) -> list[_Group]:
    """The places in groups: small ones first; the last may hold every card, and also takes those left over."""
    members_of: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    for place, (size, mask) in enumerate(places):
        wanted = sorted({need & mask & every for at, need in needs if at == place})
        # places that need something are not dealt to as one
        key = (mask & every, *wanted, -1 - place) if wanted else (mask & every,)
        members_of.setdefault(key, []).append((place, size))
    members_of.setdefault((every,), [])
    left = count - sum([size for size, _ in places])
    groups: list[_Group] = []
    for key, members in members_of.items():
        size = sum([many for _, many in members])
        if key == (every,):
            rest = _Group(key, members, size + left)
        elif size or len(key) > 1:
            groups.append(_Group(key[:-1] if len(key) > 1 else key, members, size))
    groups.sort(key=lambda group: group.size)
    return [*groups, rest]


def _take(cards: list[int], size: int, rng: Random) -> list[int]:
    """Takes that many cards out of a list, each choice equally likely, and returns them."""
    left = len(cards) - size
    if not size:
        return []
    if left:
        random = rng.random
        for last in range(len(cards) - 1, left - 1, -1):
            i = int(random() * (last + 1))
            cards[last], cards[i] = cards[i], cards[last]
    taken = cards[left:]
    del cards[left:]
    return taken
