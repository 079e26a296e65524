"""Simulates gates between bots of known strengths; `python -m tests.standings.gating [RUNS]` prints how they end.

The scores of the deals are drawn from those of real deals between two versions of a bot (gate_deals.py). They are
tilted exponentially, so that their mean is the expected score of the strength.
"""

import sys
from collections.abc import Iterable, Iterator, Mapping
from math import exp
from random import Random
from typing import NamedTuple, TypeAlias

import orjson

from tests.standings import gate_deals
from tourney.standings.gate import Hypotheses, ScoreSample, elo_of_score, expected_score

RUNS = 1000

Deals: TypeAlias = Mapping[float, float]
"""How many deals had each score, or the probability of each score."""

DEALS: dict[str, Deals] = {
    **{name: dict(scores) for name, scores in orjson.loads(gate_deals.FILE.read_bytes()).items()},
    "nearly always equal": {0.0: 3, 0.5: 94, 1.0: 3},
    "equal but for rare disasters": {0.0: 7, 0.5: 93},
}
EQUAL: Deals = {0.5: 1.0}
LOST_OF = (14, 30, 100)
"""A bot that plays as the other does, but for one deal that it loses wholly of as many as these."""
WINDOWS = (Hypotheses(-25, 0, 0.05, 0.05), Hypotheses(0, 25, 0.05, 0.05), Hypotheses(-60, 0, 0.05, 0.1))


class Ends(NamedTuple):
    """How many simulated gates passed and failed."""

    passed: int
    failed: int
    deals: float
    """The mean number of deals."""


def simulate(test: Hypotheses, deals: Deals, runs: int, seed: int = 0) -> Ends:
    """Simulates `runs` gates whose deals have these scores."""
    scores, weights = list(deals), list(deals.values())
    score0, score1 = expected_score(test.elo0), expected_score(test.elo1)
    rng = Random(seed)
    known: dict[tuple[int, ...], float] = {}
    passed = failed = played = 0
    for _ in range(runs):
        sample, llr = ScoreSample(), 0.0
        units = [0] * len(scores)  # what the ratio depends on; gates with few scores meet the same numbers often
        while test.low < llr < test.high:
            for drawn in rng.choices(range(len(scores)), weights, k=20):
                sample.add(scores[drawn])
                units[drawn] += 1
                counted = tuple(units)
                if counted not in known:
                    known[counted] = sample.llr(score0, score1)
                llr = known[counted]
                if not test.low < llr < test.high:
                    break
        played += sample.count
        passed += llr >= test.high
        failed += llr <= test.low
    return Ends(passed, failed, played / runs)


def tilted(deals: Deals, elo: float) -> Deals:
    """Returns the deals, tilted exponentially so that the mean of the scores is the expected score of the strength."""
    low, high = -100.0, 100.0
    for _ in range(100):
        tilt = (low + high) / 2
        found = {score: weight * exp(tilt * score) for score, weight in deals.items()}
        if mean(found) < expected_score(elo):
            low = tilt
        else:
            high = tilt
    return found


def with_disasters(deals: Deals, lost_of: int) -> Deals:
    """Returns the deals with one of `lost_of` replaced by one that is lost wholly."""
    whole = sum(deals.values()) / (1 - 1 / lost_of)
    return {**deals, 0.0: deals.get(0.0, 0) + whole / lost_of}


def mean(deals: Deals) -> float:
    """Returns the mean score of the deals."""
    return sum([weight * score for score, weight in deals.items()]) / sum(deals.values())


def can_be(deals: Deals, elo: float) -> bool:
    """Returns whether some weights of these scores have the mean that belongs to the strength."""
    return min(deals) < expected_score(elo) < max(deals)


def disasters(names: Iterable[str] = DEALS) -> Iterator[tuple[str, Hypotheses, Deals]]:
    """Yields bots that lose some deals wholly and play the others as OLD does, each with a test that should fail it."""
    for lost_of in LOST_OF:
        deals = with_disasters(EQUAL, lost_of)
        yield f"equal, 1 of {lost_of} lost", Hypotheses(elo_of_score(mean(deals)), 0, 0.05, 0.05), deals
    for name in names:
        known = DEALS[name]
        if can_be(known, 0):
            deals = with_disasters(tilted(known, 0), LOST_OF[0])
            test = Hypotheses(elo_of_score(mean(deals)), 0, 0.05, 0.05)
            yield f"{name}, 1 of {LOST_OF[0]} lost", test, deals


def main() -> None:
    """Simulates, and prints the table."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else RUNS
    test = WINDOWS[0]
    strengths = (test.elo0, (test.elo0 + test.elo1) / 2, test.elo1)
    cases = [
        (name, test, tilted(deals, elo)) for name, deals in DEALS.items() for elo in strengths if can_be(deals, elo)
    ]
    print("| deals like those of | elo0 | true Elo | passed % | failed % | mean deals |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name, test, deals in [*cases, *disasters()]:
        ends = simulate(test, deals, runs)
        shares = f"{100 * ends.passed / runs:.1f} | {100 * ends.failed / runs:.1f}"
        print(f"| {name} | {test.elo0:.1f} | {elo_of_score(mean(deals)):.1f} | {shares} | {ends.deals:.0f} |")


if __name__ == "__main__":
    main()
