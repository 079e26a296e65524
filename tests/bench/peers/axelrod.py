"""Axelrod's tournament in one process; a turn is a decision of each of two."""

import logging

import axelrod

from tests.bench.timing import Rates, rate

TURNS, PLAYERS, REPETITIONS = 200, 4, 5


def rates() -> Rates:
    """Returns how turns a second are measured."""
    logging.disable(logging.INFO)
    return {"Axelrod (turns/s)": lambda seconds: rate(seconds, _turns)}


def _turns() -> int:
    """Plays a tournament, and returns the number of its turns."""
    bots = [axelrod.Random() for _ in range(PLAYERS)]
    axelrod.Tournament(bots, turns=TURNS, repetitions=REPETITIONS).play(progress_bar=False)
    return TURNS * REPETITIONS * PLAYERS * (PLAYERS + 1) // 2  # each player meets itself, too
