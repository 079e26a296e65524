"""Simulates gates between bots of known strengths, by the scores of real deals between two versions of a bot."""

from collections.abc import Iterable, Iterator, Mapping
from math import exp
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeAlias

import orjson

from tourney.standings.duel import Duel, elo_of_score, expected_score
from tourney.standings.gate import Settings

FILE = Path(__file__).with_name("gate_deals.json")  # for each game, how many deals had each score

Deals: TypeAlias = Mapping[float, float]  # how many deals had each score, or the probability of each score

DEALS: dict[str, Deals] = {
    **{name: dict(scores) for name, scores in orjson.loads(FILE.read_bytes()).items()},
    "nearly always equal": {0.0: 3, 0.5: 94, 1.0: 3},
    "equal but for rare disasters": {0.0: 7, 0.5: 93},
}
EQUAL: Deals = {0.5: 1.0}
LOST_OF = (14, 30, 100)  # a bot that plays as the other does, but for one deal that it loses wholly of as many as these
WINDOWS = (Settings(-25, 0, 0.05, 0.05), Settings(0, 25, 0.05, 0.05), Settings(-60, 0, 0.05, 0.1))


class Ends(NamedTuple):
    passed: int
    failed: int


def simulate(test: Settings, deals: Deals, runs: int, seed: int = 0) -> Ends:
    """Simulates `runs` gates whose deals have these scores."""
    ratios = [llr for _, llr in ended(test, deals, runs, seed)]
    return Ends(sum([llr >= test.high for llr in ratios]), sum([llr <= test.low for llr in ratios]))


def ended(test: Settings, deals: Deals, runs: int, seed: int = 0) -> Iterator[tuple[Duel, float]]:
    """Yields the duel of each of `runs` gates whose deals have these scores, with its ratio."""
    scores, weights = list(deals), list(deals.values())
    rng = Random(seed)
    known: dict[tuple[int, ...], float] = {}
    for _ in range(runs):
        duel, llr = Duel(met=True), 0.0
        units = [0] * len(scores)  # what the ratio depends on; gates with few scores meet the same numbers often
        while test.low < llr < test.high:
            for drawn in rng.choices(range(len(scores)), weights, k=20):
                duel.add(scores[drawn], 1 - scores[drawn])
                units[drawn] += 1
                counted = tuple(units)
                if counted not in known:
                    known[counted] = test.llr(duel)
                llr = known[counted]
                if not test.low < llr < test.high:
                    break
        yield duel, llr


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
    return sum([weight * score for score, weight in deals.items()]) / sum(deals.values())


def can_be(deals: Deals, elo: float) -> bool:
    """Returns whether some weights of these scores have the mean that belongs to the strength."""
    return min(deals) < expected_score(elo) < max(deals)


def disasters(names: Iterable[str]) -> Iterator[tuple[str, Settings, Deals]]:
    """Yields bots that lose some deals wholly and play the others as OLD does, each with a test that should fail it."""
    for lost_of in LOST_OF:
        deals = with_disasters(EQUAL, lost_of)
        yield f"equal, 1 of {lost_of} lost", Settings(elo_of_score(mean(deals)), 0, 0.05, 0.05), deals
    for name in names:
        known = DEALS[name]
        if can_be(known, 0):
            deals = with_disasters(tilted(known, 0), LOST_OF[0])
            test = Settings(elo_of_score(mean(deals)), 0, 0.05, 0.05)
            yield f"{name}, 1 of {LOST_OF[0]} lost", test, deals
