"""Options out of their bounds are refused, in every game."""

import pytest

from tourney.base.errors import ConfigError
from tourney.plugins.registry import load_game

WRONG = {
    "vole": [{"target": 0}, {"target": "21"}, {"max_rounds": 0}, {"sevens": "trick"}],
    "voleur": [{"target": 0}, {"target": "50"}, {"max_rounds": 0}, {"first_trick_tie": "next"}],
    "leon": [{"max_cards": 0}, {"max_cards": 2.5}, {"mode": "bold"}, {"revokes": "never"}],
    "bang": [{"penalty": 0}, {"max_turns": 0}],
    "cold-blooded": [
        *[{"deck": deck} for deck in ({"ambush": 1}, {"sniper": -1}, {"sniper": "6"}, {"sniper": 6.5}, 18)],
        *[{"target": 0}, {"max_turns": 0}, {"talk": 1}],
    ],
}


@pytest.mark.parametrize("name", WRONG)
def test_options_out_of_bounds_are_refused(name):
    game = load_game(name)
    for given in WRONG[name]:
        with pytest.raises(ConfigError, match=rf"options\b.*{next(iter(given))}"):
            game.options(max(game.seats), given)
