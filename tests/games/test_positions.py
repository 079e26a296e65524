"""A position with all the facts of a moment is that moment: all see the same, and the match goes on the same."""

from random import Random

import pytest

from tests.games.facts import facts_of, set_up
from tests.helpers import SHORT, tables
from tourney.contracts.rng import pick
from tourney.plugins.registry import load_game

HISTORY = ("rounds", "turns", "history", "games", "cards", "deck", "dummy", "aim")
"""What views tell of the past, which positions do not take: what is over, remembered cards, the last aim."""
MORE = {("leon", 1): {"revokes": "hidden"}, ("cold-blooded", 1): {"talk": False}}
"""Further options, for seeds that are odd."""


@pytest.mark.parametrize(("name", "seats"), tables())
def test_a_position_of_all_facts_is_the_same_moment(name, seats):
    game, tried = load_game(name), 0
    for seed in range(20):
        options = game.options(seats, SHORT[name] | MORE.get((name, seed % 2), {}))
        state, rng = game.start(seats, options, seed), Random(seed)
        for _ in range(int(rng.random() * 60)):
            if state.seat is not None:
                state.play(pick(state.legal(), rng))
        facts = facts_of(state)
        decision = facts.get("decision", {})
        if decision.get("phase", 0) > seed % 2 or decision.get("second"):
            continue  # in the middle of a turn of Cold Blooded
        tried += 1
        again = set_up(game, seats, options, **facts, **({"seed": seed} if seed else {}))  # which is 0 by default
        assert again.log == []
        assert [known(again, seat) for seat in range(seats)] == [known(state, seat) for seat in range(seats)]
        at = len(state.log)
        while state.seat is not None:
            assert (again.seat, again.legal()) == (state.seat, state.legal())
            action = pick(state.legal(), rng)
            state.play(action)
            again.play(action)
        assert again.log == state.log[at:]
        assert (again.seat, again.scores, again.places) == (None, state.scores, state.places)
    assert tried > 5


def known(state, seat):
    return {key: value for key, value in state.view(seat).as_dict().items() if key not in HISTORY}
