"""The cross-table: how often each bot came before each other bot."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from tourney.stats.outcome_counts import Batch, OutcomeCounts, merged


class HeadToHead(msgspec.Struct, frozen=True):
    """The result of one entrant against another."""

    percent: float
    """How often the first came before the second in the matches that both played, in percent; ties count half."""
    matches: int


def cross_table(counts: OutcomeCounts, weights: Sequence[Fraction]) -> dict[tuple[str, str], HeadToHead]:
    """Returns the result of every pair of entrants that have met, in both orders.

    `weights` has one weight for each game. Over several games, the percentage is the weighted mean of the percentages
    in those games in which the two have met.
    """
    by_game = [_half_wins(merged(batches)) for batches in counts.batches()]
    found = {}
    for pair in sorted({pair for wins in by_game for pair in wins}):
        met = [(weight, *wins[pair]) for weight, wins in zip(weights, by_game, strict=True) if pair in wins]
        share = sum([weight * Fraction(halves, 2 * matches) for weight, halves, matches in met], Fraction())
        whole = sum([weight for weight, _, _ in met])
        found[counts.names[pair[0]], counts.names[pair[1]]] = HeadToHead(
            round(float(100 * share / whole), 4), sum([matches for _, _, matches in met])
        )
    return found


def _half_wins(game: Batch) -> dict[tuple[int, int], tuple[int, int]]:
    """Returns for each pair the half wins of the first (a win is 2, a tie 1), and the matches that both played."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for (bots, places), count in game.items():
        for bot, place in zip(bots, places, strict=True):
            for other, other_place in zip(bots, places, strict=True):
                if bot != other:
                    halves, matches = found.get((bot, other), (0, 0))
                    gained = (place < other_place) + (place <= other_place)
                    found[bot, other] = halves + count * gained, matches + count
    return found
