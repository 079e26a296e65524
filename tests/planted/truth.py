"""What decisions truly cost, as far as many plain playouts tell: a second way to find it, with nothing in common."""

from collections.abc import Iterable
from random import Random
from statistics import fmean

from multiprocess import get_context
from tourney_bots.steady import Steady

from tourney.contracts.bot import SeatFacts
from tourney.contracts.match import Record
from tourney.contracts.playouts import play_out
from tourney.plugins.registry import load_game
from tourney.standings.points import points
from tourney.table.replay import Replay

WORLDS = 400  # in how many worlds the chosen action is compared with the best one
PICKS = 60  # in how many worlds all actions are tried, to find the best one


def true_losses(decisions: Iterable[tuple[Record, int]], workers: int, worlds: int = WORLDS) -> list[float]:
    """Returns what each decision costs in points %, where `steady` plays on in all seats."""
    with get_context("fork").Pool(workers) as pool:
        return pool.starmap(_true_loss, [(*decision, worlds) for decision in decisions], 1)


def _true_loss(record: Record, decision: int, compared: int) -> float:
    game = load_game(record.game)
    options = game.options(len(record.seats), record.options)
    step = next(step for step in Replay(record, game).steps() if step.decision == decision)
    view, rng = step.state.view(step.seat), Random(decision)

    def ended(state, action):
        bots = [Steady() for _ in record.seats]
        for seat, bot in enumerate(bots):
            bot.start(SeatFacts(game, options, len(bots), seat, Random(0)))
        state.play(action)
        play_out(state, lambda state, legal: bots[state.seat].act(state.view(state.seat), legal))
        return 100 * points(state.places)[step.seat]

    worlds = [game.imagine(view, rng) for _ in range(PICKS + compared)]
    means = {action: fmean([ended(world.copy(), action) for world in worlds[:PICKS]]) for action in step.legal}
    best = max(step.legal, key=lambda action: (means[action], action == step.action))
    if best == step.action:
        return 0.0
    return fmean([ended(world.copy(), best) - ended(world, step.action) for world in worlds[PICKS:]])
