"""The cross-table: how often each bot came before each other bot, with error bars."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

import msgspec

from tourney.stats.outcome_counts import MAX_DEALS, Batch, OutcomeCounts, few_batches, mean_block, merged
from tourney.stats.share_interval import GameShare, share_interval


class HeadToHead(msgspec.Struct, frozen=True):
    """The result of one entrant against another."""

    percent: float
    """How often the first came before the second in the matches that both played, in percent; ties count half."""
    matches: int
    low: float | None
    """The lower end of the 95 % interval of `percent`; None if it is unknown, because they met on a single deal."""
    high: float | None
    """The upper end of the interval."""


class _HalfWins(msgspec.Struct):
    """The half wins of a bot against another (a win is 2, a tie 1), and the matches that both played."""

    halves: int = 0
    matches: int = 0


_Pair = tuple[int, int]


def cross_table(counts: OutcomeCounts, weights: Sequence[Fraction]) -> dict[tuple[str, str], HeadToHead]:
    """Returns the result of every pair of entrants that have met, in both orders.

    `weights` has one weight for each game. Over several games, the percentage is the weighted mean of the percentages
    in those games in which the two have met.
    """
    games = counts.batches()
    by_game = [_half_wins(merged(batches)) for batches in games]
    by_deal = [[_half_wins(batch) for batch in few_batches(batches, MAX_DEALS)] for batches in games]
    blocks = [mean_block(batches) for batches in games]
    found = {}
    for pair in sorted({pair for wins in by_game for pair in wins}):
        met = [(game, weight, by_game[game][pair]) for game, weight in enumerate(weights) if pair in by_game[game]]
        whole = sum([weight for _, weight, _ in met])
        share = sum([weight * Fraction(wins.halves, 2 * wins.matches) for _, weight, wins in met], Fraction()) / whole
        interval = share_interval(
            [_share_on_deals(float(weight / whole), by_deal[game], pair, blocks[game]) for game, weight, _ in met]
        )
        low, high = (None, None) if interval is None else map(_percent, interval)
        score = HeadToHead(_percent(share), sum([wins.matches for _, _, wins in met]), low, high)
        one, other = [counts.names[bot] for bot in pair]
        found[one, other], found[other, one] = score, _reversed(score)
    return found


def _reversed(score: HeadToHead) -> HeadToHead:
    """Returns the result of the second entrant against the first."""
    low, high = [None if end is None else round(100 - end, 4) for end in (score.high, score.low)]
    return HeadToHead(round(100 - score.percent, 4), score.matches, low, high)


def _share_on_deals(weight: float, deals: Sequence[Mapping[_Pair, _HalfWins]], pair: _Pair, block: float) -> GameShare:
    """Returns the share of the matches of a pair that the first has won, deal by deal."""
    met = [wins.get(pair, _HalfWins()) for wins in deals]
    return GameShare(weight, [wins.halves / 2 for wins in met], [wins.matches for wins in met], block)


def _half_wins(matches: Batch) -> dict[_Pair, _HalfWins]:
    """Returns the half wins of all pairs that have met, each pair once, the bot with the smaller number first."""
    found: dict[_Pair, _HalfWins] = {}
    for finish, count in matches.items():
        for (bot, place), (other, other_place) in combinations(sorted(zip(*finish, strict=True)), 2):
            if bot != other:
                wins = found.get((bot, other))
                if wins is None:
                    wins = found[bot, other] = _HalfWins()
                wins.halves += count * ((place < other_place) + (place <= other_place))
                wins.matches += count
    return found


def _percent(share: Fraction | float) -> float:
    return round(float(100 * share), 4)
