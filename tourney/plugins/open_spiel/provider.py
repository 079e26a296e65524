"""What the entry point `open_spiel` names: it finds games and bots of OpenSpiel by their names there."""

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
    """The games and bots of OpenSpiel, as `open_spiel:NAME`."""

    def game_names(self) -> list[str]:
        """Returns the names of all games, sorted.

        Raises:
            MissingExtraError: OpenSpiel is not installed.
        """
        return sorted([PREFIX + name for name in library.playable()])

    def game(self, name: str) -> Game:
        """Returns the game of that name, such as `open_spiel:hearts`.

        Raises:
            PluginError: There is no such game, or it cannot be played here.
            MissingExtraError: OpenSpiel is not installed.
        """
        own = name.removeprefix(PREFIX)
        if own in library.playable():
            return make_game(own)
        kinds = {kind.short_name: kind for kind in library.library().registered_games()}
        if own in kinds:
            raise PluginError(f'game "{name}" cannot be played here: it {library.why_not(kinds[own])}')
        raise PluginError(f'no game "{name}"; {did_you_mean(name, self.game_names())}')

    def bot(self, name: str) -> Any:
        """Returns the class of the bot of that name, such as `open_spiel:ismcts`.

        Raises:
            PluginError: There is no such bot.
            MissingExtraError: OpenSpiel is not installed.
        """
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
        """Returns the fingerprint of all games and bots: OpenSpiel's version, and tourney, which adapts it.

        Raises:
            MissingExtraError: OpenSpiel is not installed.
        """
        library.library()
        return fingerprints.installed_fingerprint(f"open_spiel {version('open_spiel')}", ["tourney"])
