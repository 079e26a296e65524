"""How much `steady` wins against bots that draw lots, in every game without sides."""

from random import Random

import pytest
from tourney_bots.steady import Steady

from tests.helpers import play_match
from tourney.contracts.bot import SeatFacts
from tourney.contracts.game import Game, State
from tourney.plugins.registry import load_game
from tourney.standings.points import points
from tourney.table.replay import trace

LEON = {"revokes": "hidden", "max_cards": 5}


def advice(game: Game, state: State) -> str:
    """What a steady player in the seat to move does, having seen it all."""
    seat, bot = state.seat, Steady()
    view = state.view(seat)
    bot.start(SeatFacts(game, view.options, len(state.scores), seat, Random(0)))
    return game.text(bot.act(view, state.legal()))


@pytest.mark.parametrize(
    ("game", "seats", "options", "least"),
    [
        ("vole", 2, {}, 0.7),
        ("bang", 2, {}, 0.9),
        *[("voleur", seats, {}, 0.9) for seats in (2, 5)],
        *[("leon", 2, LEON | {"mode": mode}, 0.9) for mode in ("attack", "defence", "simple")],
        ("leon", 4, LEON, 0.9),
    ],
)
def test_it_is_far_better_than_lots_and_never_sanctioned(game, seats, options, least):
    won = []
    for seed in range(36):
        mine = seed % seats
        names = ["steady" if seat == mine else "random" for seat in range(seats)]
        record = play_match(*names, game=game, options=options, seed=seed)
        assert record.faults == ()
        events = trace(record, load_game(game))
        assert not [event for event in events if event["kind"] == "sanction" and event["seat"] == mine]
        won.append(points(record.places)[mine])
    assert sum(won) >= least * len(won)
