"""The mixture of a cycle's bots that none of them beats."""

from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from tests.standings.simulate import counted, record
from tourney.standings.crosstable import Cycle
from tourney.standings.mixtures import maximin, mixture


def played(wins, deals=60):
    """Each pair plays one match on every deal; the first bot wins the given share of them."""
    rng = Random(1)
    drawn = [(deal, pair, rng.random() < share) for deal in range(deals) for pair, share in wins.items()]
    return [record(deal, pair, (1, 2) if won else (2, 1)) for deal, pair, won in drawn]


def portions(wins, bots="abc", deals=60):
    counts = counted(played(wins, deals))
    return mixture(Cycle(tuple(bots), tuple(bots)), counts.names, counts.batches(), [Fraction(1)])


def test_each_share_of_three_is_the_lead_between_the_two_others():
    # the mixture of a game of three is known: each bot's share is in proportion to the lead between the two others
    assert maximin([[0, 0.2, -0.6], [-0.2, 0, 0.4], [0.6, -0.4, 0]]) == pytest.approx([0.4 / 1.2, 0.6 / 1.2, 0.2 / 1.2])


@pytest.mark.parametrize("size", [2, 3, 6, 11])
def test_no_bot_leads_against_the_mixture(size):
    rng = Random(size)
    for _ in range(20):
        leads = [[0.0] * size for _ in range(size)]
        for i, j in combinations(range(size), 2):
            leads[i][j] = rng.choice([0.0, 1.0, -1.0, rng.uniform(-1, 1)])
            leads[j][i] = -leads[i][j]
        shares = maximin(leads)
        assert sum(shares) == pytest.approx(1)
        assert max([sum([lead * share for lead, share in zip(row, shares, strict=True)]) for row in leads]) < 1e-6


def test_the_interval_holds_the_true_share_and_narrows_with_deals():
    few, many = [portions({"ab": 0.75, "bc": 0.65, "ca": 0.85}, deals=deals) for deals in (40, 640)]
    for its in (few, many):
        assert sum([each.percent for each in its]) == pytest.approx(100, abs=0.001)
        for each, true in zip(its, (20, 46.7, 33.3), strict=True):  # leads of 30, 70 and 50 %
            assert each.low <= each.percent <= each.high
            assert each.low < true < each.high
    assert all([new.high - new.low < old.high - old.low for new, old in zip(many, few, strict=True)])


def test_nothing_is_said_where_two_of_the_cycle_never_met():
    assert portions({"ab": 0.9, "bc": 0.9, "cd": 0.9, "da": 0.9, "ac": 0.5}, "abcd") == []
