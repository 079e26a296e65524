"""Randomness that is the same everywhere, and evenly spread."""

import sys
from collections import Counter
from random import Random
from zlib import crc32

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney.contracts import rng
from tourney.contracts.bot import SeatFacts
from tourney.contracts.rng import below, derive, permutation, pick, seed_text, shuffle
from tourney.hosts.process.protocol import start_message
from tourney.plugins.registry import load_game

SEEDS = st.integers(0, 2**128 - 1)
VOLE = load_game("vole")
FACTS = SeatFacts(VOLE, VOLE.options(2, {}), 2, 0, Random(1))


def test_derived_values_stay_what_they_are_for_ever():
    seed = rng.root_seed(7)
    assert seed_text(seed) == "19eeafc11ac333c4fe594014a78a02a3"
    assert seed_text(derive(seed, "deal", "vole", 3)) == "63bc545619df0f39176c0637cf86a638"
    assert permutation(8, seed, "cards", 1) == [2, 7, 4, 0, 1, 3, 5, 6]
    assert crc32(bytes(permutation(64, seed, "cards", 1))) == 2453537920
    order = permutation(52, seed, "cards", 2)
    shuffle(order, Random(1))
    assert (order[:6], sorted(order)) == ([10, 17, 36, 13, 0, 11], [*range(52)])
    assert rng.stream(seed, "bot", 0, "random").random() == 0.5692788289922969


@given(SEEDS)
def test_every_name_and_every_seed_gives_another_value(seed):
    values = [
        derive(seed, "a"), derive(seed, "b"), derive(seed, "a", "b"), derive(seed, "ab"), derive(seed, "a", 1),
        derive(seed, "a1"), derive(seed ^ 1, "a"),
    ]  # fmt: skip
    assert len(set(values)) == len(values)
    assert derive(seed, "a", 1) == derive(seed, "a", 1)


@pytest.mark.parametrize(
    "use",
    [
        rng.root_seed, rng.seed_text, rng.stream, rng.seed_series(1, "a"), lambda seed: rng.seed_series(seed, "a")(1),
        lambda seed: derive(seed, "a", seed), lambda seed: below(9, seed, "a"),
        lambda seed: permutation(9, seed, "a", seed), lambda seed: rng.Permutations(9, seed, seed).order(seed),
        lambda seed: rng.cached_permutations(9, seed, "a").order(1), lambda seed: start_message(FACTS, seed),
    ],
)  # fmt: skip
def test_nothing_that_takes_a_seed_keeps_it(use):
    """A run has a seed for each deal, so that memory would grow with its length."""
    seed = (1 << 127) + 1
    use(seed)  # whatever is cached
    before = sys.getrefcount(seed)
    for _ in range(100):
        use(seed)
    assert sys.getrefcount(seed) == before


@given(SEEDS, st.integers(1, 64), st.lists(st.integers(0, 9), min_size=1))
def test_a_permutation_holds_every_number_once_and_a_cached_one_is_that_which_would_be_drawn_anew(seed, n, numbers):
    for number in numbers:
        order = rng.cached_permutations(n, seed, "cards").order(number)
        assert order == permutation(n, seed, "cards", number)
        order.sort()  # whoever gets an order may do what they like with it
        assert order == list(range(n))


def test_pick_shuffle_and_below_are_even():
    drawn = Random(1)
    assert all(850 < count < 1150 for count in Counter(pick("abcdef", drawn) for _ in range(6000)).values())
    assert all(850 < count < 1150 for count in Counter(below(6, 1, i) for i in range(6000)).values())
    orders = Counter()
    for _ in range(6000):
        items = [1, 2, 3]
        shuffle(items, drawn)
        orders[tuple(items)] += 1
    assert len(orders) == 6
    assert all(850 < count < 1150 for count in orders.values())
