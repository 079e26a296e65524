"""Games and bots of OpenSpiel, as `open_spiel:NAME` (docs/included.md). It needs the extra `open_spiel`."""

from importlib.metadata import version
from typing import Any

from tourney.base.errors import PluginError, did_you_mean
from tourney.contracts.game import Game
from tourney.plugins import fingerprints
from tourney.plugins.fingerprints import Fingerprint
from tourney.plugins.open_spiel import library
from tourney.plugins.open_spiel.bots import BOTS, SEARCHED
from tourney.plugins.open_spiel.game import PREFIX, make_game


class OpenSpiel:
    """The provider of games and bots: every method raises a `MissingExtraError` if OpenSpiel is not installed."""

    def game_names(self) -> list[str]:
        """The names of all games, sorted."""
        return sorted([PREFIX + name for name in library.playable()])

    def game(self, name: str) -> Game:
        """The game of that name, such as `open_spiel:hearts`."""
        own = name.removeprefix(PREFIX)
        if own in library.playable():
            return make_game(own)
        kinds = {kind.short_name: kind for kind in library.library().registered_games()}
        if own in kinds:
            raise PluginError(f'game "{name}" is not supported: it {library.why_not(kinds[own])}')
        raise PluginError(f'no game "{name}"; {did_you_mean(name, self.game_names())}')

    def bot(self, name: str) -> Any:
        """The class of the bot of that name, such as `open_spiel:ismcts`."""
        own = name.removeprefix(PREFIX)
        if own not in BOTS:
            raise PluginError(f'no bot "{name}"; {did_you_mean(name, [PREFIX + each for each in BOTS])}')
        playable = library.playable()
        games = {
            "uniform_random": list(playable),
            "mcts": [each for each, kind in playable.items() if library.is_open(kind)],
            "ismcts": [each for each in SEARCHED if each in playable],
        }
        kind = BOTS[own]
        kind.games = tuple([PREFIX + each for each in sorted(games[own])])
        return kind

    def fingerprint(self) -> Fingerprint:
        """The fingerprint of all games and bots: OpenSpiel's version, and tourney, which adapts it."""
        library.library()
        return fingerprints.installed_fingerprint(f"open_spiel {version('open_spiel')}", ["tourney"])
