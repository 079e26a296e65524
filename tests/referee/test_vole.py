"""The referee of The Vole in the Valley agrees with every match that is played."""

import pytest

from tests.referee.vole import check
from tourney.contracts.cards import VOLE
from tourney.contracts.match import GameSetup, Match
from tourney.contracts.rng import pick
from tourney.games.vole import Vole
from tourney.table.replay import trace
from tourney.table.table import play

GAME = Vole()
OPTIONS = [{}, {"target": 1}, {"target": 16}, {"sevens": "round"}, {"target": 16, "sevens": "round"}]
OPTIONS += [{"target": 40, "max_rounds": rounds, "sevens": sevens} for rounds, sevens in ((3, "game"), (2, "round"))]
OPTIONS += [{"max_rounds": 1}]


class Eager:
    """A bot that plays at random, and often a 3, a 5 or an 11."""

    def start(self, facts):
        self.rng = facts.rng

    def act(self, view, legal):
        special = [action for action in legal if action < len(VOLE) and VOLE.rank(action) in (2, 4, 10)]
        return pick(special if special and self.rng.random() < 0.5 else legal, self.rng)


class Clumsy(Eager):
    """An eager bot that now and then answers with no action, with an illegal one, or not at all."""

    def act(self, view, legal):
        trouble = int(self.rng.random() * 60)
        if trouble == 0:
            raise RuntimeError
        if trouble == 1:
            return None
        if trouble == 2:
            return pick([action for action in range(len(GAME.names)) if action not in legal], self.rng)
        return super().act(view, legal)


def traced(seed: int, options: dict, *bots: type) -> list[dict]:
    """The trace of a match on the deal of that seed."""
    match = Match("vole-00000-0", GameSetup("vole", 2, options), 0, seed, tuple([bot.__name__ for bot in bots]))
    return list(trace(play(match, GAME, bots), GAME))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_referee_agrees_with_every_match(options):
    for seed in range(40):
        check(traced(seed, options, Eager, Clumsy if seed % 4 == 0 else Eager))
