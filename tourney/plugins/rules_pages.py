"""The pages with the rules of games: ours are documentation pages, others' are next to their modules."""

import re
import sys
from importlib.resources import files
from pathlib import Path

from tourney.base.errors import ConfigError
from tourney.contracts.game import Game

_ADDRESS = re.compile(r"[a-z]+://", re.IGNORECASE)


def rules_address(game: Game) -> str | None:
    """The address of a game's rules; None if they are on a page."""
    return game.rules if _ADDRESS.match(game.rules) else None


def rules_text(game: Game) -> str:
    """Returns a game's rules page, in Markdown; the address of the rules if there is no page.

    Raises:
        ConfigError: The page cannot be read.
    """
    if address := rules_address(game):
        return f"the rules of {game.name} are at {address}"
    declared = next(each for each in type(game).__mro__ if "rules" in vars(each))
    module = sys.modules[declared.__module__]
    path = Path(module.__file__ or "").parent / game.rules
    if module.__name__.split(".")[0] == "tourney":
        package = Path(str(files("tourney")))  # a wheel contains the pages, a checkout has them next to it
        path = next((each / game.rules for each in (package, package.parent) if (each / game.rules).is_file()), path)
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise ConfigError(
            f'game "{game.name}": cannot read its rules, {path}; look for them where the game comes from'
        ) from None
