"""Who does how well against whom."""

from collections.abc import Sequence
from fractions import Fraction

import msgspec

from tourney.stats.outcome_counts import Batch, OutcomeCounts, merged


class HeadToHead(msgspec.Struct, frozen=True):
    """What two entrants that have met came to."""

    percent: float
    """Of the matches that both sat in, how often the one came before the other; equal places are half."""
    matches: int


def cross_table(counts: OutcomeCounts, weights: Sequence[Fraction]) -> dict[tuple[str, str], HeadToHead]:
    """The pairs that have met, each in both orders.

    Over several games, the percentage is the weighted mean of those in the games in which they have met.
    """
    counted = [_counted(merged(parts)) for parts in counts.batches()]
    found = {}
    for pair in sorted({pair for units in counted for pair in units}):
        met = [(weight, *units[pair]) for weight, units in zip(weights, counted, strict=True) if pair in units]
        share = sum([weight * Fraction(before, 2 * matches) for weight, before, matches in met], Fraction())
        whole = sum([weight for weight, _, _ in met])
        found[counts.names[pair[0]], counts.names[pair[1]]] = HeadToHead(
            round(float(100 * share / whole), 4), sum([matches for _, _, matches in met])
        )
    return found


def _counted(part: Batch) -> dict[tuple[int, int], tuple[int, int]]:
    """For each pair how often the one came before the other, in half matches, and in how many matches they sat."""
    found: dict[tuple[int, int], tuple[int, int]] = {}
    for (bots, places), count in part.items():
        for bot, place in zip(bots, places, strict=True):
            for other, against in zip(bots, places, strict=True):
                if bot != other:
                    before, matches = found.get((bot, other), (0, 0))
                    gained = (place < against) + (place <= against)
                    found[bot, other] = before + count * gained, matches + count
    return found
