"""The strengths of the bots in one game, with all that their error bars are made of."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

from tourney.stats import plackett_luce
from tourney.stats.deal_influence import deal_moves
from tourney.stats.outcome_counts import Batch, Finish
from tourney.stats.plackett_luce import Order, bots_of
from tourney.stats.separation import Doubt, Separation


class GameFit:
    """The fit to the matches of one game; strengths are natural logarithms, and bots go by their numbers."""

    def __init__(self, batches: Sequence[Batch], sd: float, block: float) -> None:
        """Fits the strengths.

        Args:
            batches: The batches of deals; those in which the game was not played are empty.
            sd: The standard deviation of the prior.
            block: The mean number of matches of a block.
        """
        played = [_orders(batch) for batch in batches]
        bots = sorted({bot for batch in played for order in batch for bot in bots_of(order)})
        self._numbers = {bot: number for number, bot in enumerate(bots)}
        own = [{self._numbered(order): count for order, count in batch.items()} for batch in played]
        matches = plackett_luce.combined(own)
        strengths, information = plackett_luce.fit(matches, len(bots), sd)
        self.strengths = dict(zip(bots, strengths, strict=True))
        """The strength of each bot that has played; their mean is 0."""
        self._separation = Separation(matches, strengths, sd, block)
        self.moves = dict(zip(bots, deal_moves(own, strengths, information), strict=True))
        """By how much each batch of deals moves each bot's strength."""
        seated = [{bot for order in batch for bot in bots_of(order)} for batch in own]
        self.deals = Counter([bots[bot] for some in seated for bot in sorted(some)])
        """In how many of the batches each bot has played."""

    def _numbered(self, order: Order) -> Order:
        return tuple([tuple([self._numbers[bot] for bot in group]) for group in order])

    def doubt(self, bot: int, other: int | None = None) -> Doubt:
        """Returns the doubt about a bot's strength less that of another, or less the mean of all."""
        if other is None:
            return self._separation.from_mean(self._numbers[bot])
        return self._separation.between(self._numbers[bot], self._numbers[other])


@lru_cache(maxsize=1 << 16)
def _order(finish: Finish) -> Order:
    """Returns the finishing order of a match."""
    by_place: dict[int, list[int]] = {}
    for bot, place in zip(finish.bots, finish.places, strict=True):
        by_place.setdefault(place, []).append(bot)
    return tuple([tuple(sorted(by_place[place])) for place in sorted(by_place)])


def _orders(batch: Batch) -> dict[Order, int]:
    """Returns how many matches had each finishing order, sorted by the orders."""
    found: dict[Order, int] = {}
    for finish, count in batch.items():
        order = _order(finish)
        found[order] = found.get(order, 0) + count
    return dict(sorted(found.items()))
