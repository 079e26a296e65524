"""Bots of OpenSpiel as bots of ours. They play its games, by what their seat knows, and draw from our seeds."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Annotated, Any, ClassVar

import msgspec

from tourney.contracts.bot import Bot, SeatFacts
from tourney.contracts.game import Options
from tourney.plugins.open_spiel import library

SEARCHED = tuple([name for name in library.RESAMPLED if name not in ("bridge", "hearts")])
"""The games of hidden information that `ismcts` plays: bridge is resampled too slowly, hearts to states that fail."""


def _seed(facts: SeatFacts) -> int:
    return int(facts.rng.random() * (2**31 - 1))


class UniformRandom(Bot):
    """OpenSpiel's UniformRandomBot: every legal action is equally likely."""

    def start(self, facts: SeatFacts) -> None:
        library.library()
        from numpy.random import RandomState  # noqa: PLC0415 - they come with the extra
        from open_spiel.python.bots.uniform_random import UniformRandomBot  # noqa: PLC0415

        self._bot = UniformRandomBot(facts.seat, RandomState(_seed(facts)))

    def act(self, view: Any, legal: Sequence[int]) -> int:
        return int(self._bot.step(SimpleNamespace(legal_actions=lambda _player: list(legal))))


class SearchOptions(Options, frozen=True):
    """Options of bots that search."""

    simulations: Annotated[int, msgspec.Meta(ge=2, le=10**6)] = 50
    """How many simulations a decision has."""
    uct_c: Annotated[float, msgspec.Meta(gt=0, le=10**6)] = 2.0
    """How much is explored: the constant of UCT."""


class _Searcher(Bot):
    Options: ClassVar[type[SearchOptions]] = SearchOptions

    def __init__(self, options: SearchOptions) -> None:
        self._options = options
        self._bot: Any = None

    def act(self, view: Any, legal: Sequence[int]) -> int:
        if len(legal) == 1:
            return legal[0]
        spiel = self.facts.game.imagine(view, self.facts.rng).spiel  # type: ignore[attr-defined]
        if self._bot is None:
            self._bot = self._make(spiel.get_game(), _seed(self.facts))
        return int(self._bot.step(spiel))

    def _make(self, game: Any, seed: int) -> Any:
        raise NotImplementedError


class MCTS(_Searcher):
    """OpenSpiel's MCTSBot: Monte Carlo tree search in games in which everything is open."""

    def _make(self, game: Any, seed: int) -> Any:
        spiel, options = library.library(), self._options
        evaluator = spiel.RandomRolloutEvaluator(1, seed)
        return spiel.MCTSBot(game, evaluator, options.uct_c, options.simulations, 100, False, seed, False)


class ISMCTS(_Searcher):
    """OpenSpiel's ISMCTSBot: Monte Carlo tree search over information sets; it resamples what its seat cannot know."""

    def _make(self, game: Any, seed: int) -> Any:
        from numpy.random import RandomState  # noqa: PLC0415 - they come with the extra
        from open_spiel.python.algorithms.ismcts import ISMCTSBot  # noqa: PLC0415
        from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator  # noqa: PLC0415

        # the Python version: the C++ one can crash the process if a game resamples badly
        bot = ISMCTSBot(
            game,
            RandomRolloutEvaluator(1, RandomState(seed)),
            self._options.uct_c,
            self._options.simulations,
            random_state=RandomState(seed),
            use_observation_string=not game.get_type().provides_information_state_string,
        )
        draw = self.facts.rng.random  # by itself, it would draw from a generator without our seed
        bot.set_resampler(lambda state, player: state.resample_from_infostate(player, draw))
        return bot


BOTS: dict[str, type[Bot]] = {"uniform_random": UniformRandom, "mcts": MCTS, "ismcts": ISMCTS}
