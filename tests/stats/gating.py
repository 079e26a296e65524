"""Simulates gates between bots of known strengths; `python -m tests.stats.gating [RUNS]` prints how they end.

The scores of the deals are drawn from those of real deals between two versions of a bot, as tests/pairing.py plays
them. They are tilted exponentially, so that their mean is the expected score of the strength.
"""

import sys
from collections.abc import Sequence
from math import exp
from random import Random
from typing import NamedTuple

from tabulate import tabulate

from tourney.stats.sprt import Hypotheses, ScoreSample, expected_score

RUNS = 1000

DEALS: dict[str, dict[float, int]] = {
    "vole, 2 seats": {0.0: 80, 0.5: 275, 1.0: 45},
    "voleur, 3 seats": {
        0.0: 47, 0.125: 15, 0.25: 106, 0.375: 23, 0.5: 176, 0.625: 8, 0.75: 19, 0.875: 2, 1.0: 4,
    },
    "leon, 4 seats": {
        0.0: 83, 0.125: 82, 0.1875: 14, 0.25: 91, 0.3125: 17, 0.375: 55, 0.4375: 9, 0.5: 24, 0.625: 8, 0.75: 2,
    },
    "nearly always equal": {0.0: 3, 0.5: 94, 1.0: 3},
    "equal but for rare disasters": {0.0: 7, 0.5: 93},
}  # fmt: skip
"""For each kind of deals, how many had each score."""
WINDOWS = (Hypotheses(-25, 0, 0.05, 0.05), Hypotheses(0, 25, 0.05, 0.05), Hypotheses(-60, 0, 0.05, 0.1))


class Ends(NamedTuple):
    """How many simulated gates passed and failed."""

    passed: int
    failed: int
    deals: float
    """The mean number of deals."""


def simulate(test: Hypotheses, deals: dict[float, int], elo: float, runs: int, seed: int = 0) -> Ends:
    """Simulates `runs` gates between two bots, the first of which is `elo` points stronger."""
    scores = list(deals)
    weights = tilted(scores, list(deals.values()), expected_score(elo))
    score0, score1 = expected_score(test.elo0), expected_score(test.elo1)
    rng = Random(f"{seed} {elo}")
    passed = failed = played = 0
    for _ in range(runs):
        sample, llr = ScoreSample(), 0.0
        while test.low < llr < test.high:
            for score in rng.choices(scores, weights, k=20):
                sample.add(score)
                llr = sample.llr(score0, score1)
                if not test.low < llr < test.high:
                    break
        played += sample.count
        passed += llr >= test.high
        failed += llr <= test.low
    return Ends(passed, failed, played / runs)


def tilted(scores: Sequence[float], weights: Sequence[int], mean: float) -> list[float]:
    """Returns the weights, tilted exponentially so that the mean of the scores is `mean`."""
    low, high = -100.0, 100.0
    for _ in range(100):
        tilt = (low + high) / 2
        found = [weight * exp(tilt * score) for weight, score in zip(weights, scores, strict=True)]
        if sum([weight * score for weight, score in zip(found, scores, strict=True)]) / sum(found) < mean:
            low = tilt
        else:
            high = tilt
    return found


def can_be(deals: dict[float, int], elo: float) -> bool:
    """Returns whether some weights of these scores have the mean that belongs to the strength."""
    return min(deals) < expected_score(elo) < max(deals)


def main() -> None:
    """Simulates, and prints the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    lines = []
    for test in WINDOWS:
        for name, deals in DEALS.items():
            for elo in (test.elo0, (test.elo0 + test.elo1) / 2, test.elo1):
                if can_be(deals, elo):
                    ends = simulate(test, deals, elo, runs)
                    share = [f"{100 * part / runs:.1f}" for part in (ends.passed, ends.failed)]
                    lines.append([f"{test.elo0:g} to {test.elo1:g}", name, f"{elo:g}", *share, f"{ends.deals:.0f}"])
    head = ["elo0 to elo1", "deals like those of", "true Elo", "passed %", "failed %", "mean deals"]
    print(tabulate(lines, headers=head, colalign=("left", "left", *["right"] * 4), disable_numparse=True))


if __name__ == "__main__":
    main()
