"""Dealing unseen cards to places that may not hold them all: a deal is found whenever there is one."""

from itertools import permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.worlds import assert_even
from tourney.games.tricks import Deals

SEEDS = st.integers(0, 2**64 - 1)
MASKS = st.integers(0, 2**9 - 1)
Places = list[tuple[int, int]]


def deal_out(cards, places, rng):
    found = Deals(cards, places)
    return found.draw(rng) if found.count else None


@st.composite
def deals(draw: st.DrawFn) -> tuple[list[int], Places]:
    """Up to six cards, and hands that have room for exactly as many; some of these cannot be dealt."""
    cards = draw(st.lists(st.integers(0, 8), unique=True, max_size=6))
    rooms = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5).filter(lambda sizes: sum(sizes) <= len(cards)))
    rooms.append(len(cards) - sum(rooms))
    return cards, list(zip(rooms, [draw(MASKS) | draw(MASKS) for _ in rooms], strict=True))


def possible(cards: list[int], places: Places) -> set[tuple[frozenset[int], ...]]:
    """Every way to deal the cards, found by trying all orders."""
    found = set()
    for order in permutations(cards):
        left = list(order)
        held = []
        for size, mask in places:
            taken, left = left[:size], left[size:]
            if not all([mask >> card & 1 for card in taken]):
                break
            held.append(frozenset(taken))
        else:
            found.add(tuple(held))
    return found


@given(deal=deals(), seed=SEEDS)
@settings(max_examples=200)
def test_a_deal_is_found_exactly_where_there_is_one_and_fits(deal, seed):
    cards, places = deal
    dealt = deal_out(cards, places, Random(seed))
    if dealt is None:
        assert possible(cards, places) == set()
        return
    assert sorted(card for held in dealt for card in held) == sorted(cards)
    assert [len(held) for held in dealt] == [size for size, _ in places]
    for held, (_, mask) in zip(dealt, places, strict=True):
        assert all([mask >> card & 1 for card in held])


@pytest.mark.parametrize(
    ("number", "places"),
    [
        (4, [(1, 0b1111), (3, 0b1111)]),
        (4, [(1, 0b0011), (2, 0b1110), (1, 0b1111)]),
        (4, [(2, 0b0111), (0, 0b1111), (2, 0b1110)]),
        (4, [(1, 0b0011), (1, 0b0110), (1, 0b1100), (1, 0b1001)]),
        (7, [(2, 0b0001111), (2, 0b0111100), (1, -1)]),  # two cards are left over
    ],
)
def test_every_deal_that_is_possible_comes_up_evenly_and_no_other(number, places):
    cards, rng = list(range(number)), Random(4)
    assert_even(lambda: tuple(map(frozenset, deal_out(cards, places, rng))), possible(cards, places))
