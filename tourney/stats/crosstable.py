"""The cross-table: how often each bot came before each other bot, with error bars."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

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
        found[counts.names[pair[0]], counts.names[pair[1]]] = HeadToHead(
            _percent(share), sum([wins.matches for _, _, wins in met]), low, high
        )
    return found


def _share_on_deals(weight: float, deals: Sequence[Mapping[_Pair, _HalfWins]], pair: _Pair, block: float) -> GameShare:
    """Returns the share of the matches of a pair that the first has won, deal by deal."""
    met = [wins.get(pair, _HalfWins()) for wins in deals]
    return GameShare(weight, [wins.halves / 2 for wins in met], [wins.matches for wins in met], block)


def _half_wins(matches: Batch) -> dict[_Pair, _HalfWins]:
    """Returns the half wins of all pairs that have met."""
    found: dict[_Pair, _HalfWins] = {}
    for (bots, places), count in matches.items():
        for bot, place in zip(bots, places, strict=True):
            for other, other_place in zip(bots, places, strict=True):
                if bot != other:
                    wins = found.setdefault((bot, other), _HalfWins())
                    wins.halves += count * ((place < other_place) + (place <= other_place))
                    wins.matches += count
    return found


def _percent(share: Fraction | float) -> float:
    return round(float(100 * share), 4)
