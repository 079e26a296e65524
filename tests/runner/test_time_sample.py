"""Which blocks are measured: a few of every entrant, and a few of all, the same in every run."""

from collections import Counter
from itertools import combinations

import pytest

from tourney.match import Block, GameSetup
from tourney.runner.time_sample import EVERY, FIRST, TimeSample

SETUP = GameSetup("vole", 2, {})


def blocks(bots: int, deals: int) -> list[Block]:
    """The blocks of a round-robin, deal by deal."""
    pairs = list(combinations([f"bot-{i}" for i in range(bots)], 2))
    return [
        Block(deal * len(pairs) + i, SETUP, 0, (pair, pair[::-1]))
        for deal in range(deals)
        for i, pair in enumerate(pairs)
    ]


def measured(played: list[Block], bots: int, at_once: int) -> list[Block]:
    """The blocks that are chosen when that many are handed out at once."""
    sample = TimeSample([f"bot-{i}" for i in range(bots)])
    chosen: list[int] = []
    for first in range(0, len(played), at_once):
        chosen += sample.choose(played[first : first + at_once])
    return [block for block in played if block.number in chosen]


def test_in_a_short_run_a_few_blocks_of_each_entrant_are_measured():
    found = Counter([name for block in measured(blocks(9, 1), 9, 5) for name in block.names])
    assert len(found) == 9
    assert min(found.values()) >= FIRST


def test_the_first_blocks_of_an_entrant_are_measured_however_late_it_plays():
    played = [Block(i, SETUP, 0, (("bot-0", "bot-1" if i < 1000 else "bot-2"),)) for i in range(1100)]
    assert len([block for block in measured(played, 3, 100) if "bot-2" in block.names]) >= FIRST


@pytest.mark.slow
@pytest.mark.parametrize("bots", [2, 5, 32])
def test_in_a_long_run_few_blocks_are_measured_of_every_entrant_its_part(bots):
    played = blocks(bots, 60_000 * 2 // (bots * (bots - 1)))
    found = measured(played, bots, 500)
    most = len(played) / EVERY + FIRST * bots
    assert 0.9 * len(played) / EVERY < len(found) < 1.1 * most
    each = Counter([name for block in found for name in block.names])
    assert min([each[f"bot-{i}"] for i in range(bots)]) > 0.5 * 2 * len(played) / EVERY / bots


@pytest.mark.parametrize("at_once", [1, 7, 500])
def test_which_blocks_are_measured_does_not_depend_on_how_they_are_handed_out(at_once):
    played = blocks(6, 500)
    assert measured(played, 6, at_once) == measured(played, 6, 100)
