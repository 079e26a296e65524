"""Mistakes that are made on purpose are found, and a good bot is spared"""

import os

import pytest

from tests.planted import FIRST, analysed_run, costs_of, planted, ranks_of_costly, share_of_mistakes
from tourney.review.analysis.file import read_analysis

LEON = ("leon", 3, "{ max_cards = 4 }")


@pytest.mark.slow
def test_planted_mistakes_are_among_the_costliest_decisions(tmp_path):
    run = analysed_run(tmp_path, "planted", "bots.py:Blunderer", LEON, 4, 60)
    wanted = planted(run)
    losses = costs_of(run, wanted, len(os.sched_getaffinity(0)), worlds=120)
    places, _ = ranks_of_costly(run, losses)
    assert len(places) >= 3, "with fewer that truly cost much it would prove little"
    assert len([place for place in places if place < FIRST]) >= 0.8 * len(places)


@pytest.mark.slow
def test_few_decisions_of_a_good_bot_against_itself_are_called_mistakes(tmp_path):
    run = analysed_run(tmp_path, "same", "steady", ("vole", 2, "{}"), 1, 24)
    mistakes, decisions = share_of_mistakes(list(read_analysis(run).values()))
    assert decisions > 100
    assert mistakes <= 0.05 * decisions
