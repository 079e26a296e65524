"""The error bars of each bot's points: in percent of those that it could have won, over all games."""

from collections.abc import Sequence
from fractions import Fraction

from tourney.stats.outcome_counts import MAX_DEALS, Batch, few_batches, mean_block
from tourney.stats.share_interval import GameShare, share_interval
from tourney.stats.totals import GameTotals, game_totals


def points_intervals(
    games: Sequence[Sequence[Batch]], weights: Sequence[Fraction]
) -> dict[int, tuple[float, float] | None]:
    """Returns the 95 % interval of each bot's share of points, by number; None if it played a game on one deal alone.

    `weights` has one weight for each game; a bot's share is the weighted mean over the games that it has played.
    """
    by_deal = [[game_totals(batch) for batch in few_batches(batches, MAX_DEALS)] for batches in games]
    blocks = [mean_block(batches) for batches in games]
    played = [{bot for totals in deals for bot in totals} for deals in by_deal]
    found = {}
    for bot in sorted({bot for bots in played for bot in bots}):
        own = [(weights[game], deals, blocks[game]) for game, deals in enumerate(by_deal) if bot in played[game]]
        whole = sum([weight for weight, _, _ in own])
        shares = []
        for weight, deals, block in own:
            totals = [each.get(bot, GameTotals()) for each in deals]
            won = [float(each.points) for each in totals]
            shares.append(GameShare(float(weight / whole), won, [each.matches for each in totals], block))
        found[bot] = share_interval(shares)
    return found
