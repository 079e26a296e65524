"""Axelrod's tournament in one process; a turn is a decision of each of two.

It writes the actions of every match to a file, and makes no result set of them, with which a tournament takes five
times as long.
"""

import logging
import os
from random import random
from typing import Any

import axelrod

from tests.bench.timing import Rates, rate

TURNS, PLAYERS, REPETITIONS = 200, 4, 20


class LeanPlayer(axelrod.Player):
    """Cooperates at random; draws by itself, which is quicker than Axelrod's generator."""

    name = "Lean"
    classifier = axelrod.Random.classifier  # not deterministic, or a match would be played once and then looked up

    def strategy(self, opponent: Any) -> axelrod.Action:
        return axelrod.Action.C if random() < 0.5 else axelrod.Action.D


def rates() -> Rates:
    logging.disable(logging.INFO)
    return {"Axelrod (turns/s)": lambda seconds: rate(seconds, _turns)}


def _turns() -> int:
    tournament = axelrod.Tournament([LeanPlayer() for _ in range(PLAYERS)], turns=TURNS, repetitions=REPETITIONS)
    tournament.play(build_results=False, filename=os.devnull, progress_bar=False)
    return TURNS * REPETITIONS * PLAYERS * (PLAYERS + 1) // 2  # each player meets itself, too
