"""Writes packages to start a bot of one's own from, out of the templates in `tourney/templates`."""

import re
from importlib.resources import files
from pathlib import Path
from string import Template

from tourney import plugins
from tourney.errors import ConfigError, WriteError
from tourney.game import Game

LANGUAGES = {
    "python": {
        "pyproject.toml.template": "pyproject.toml",
        "module.py.template": "$module.py",
        "test_module.py.template": "test_$module.py",
        "tournament.toml.template": "tournament.toml",
        "README.md.template": "README.md",
    },
    "javascript": {
        "package.json.template": "package.json",
        "bot.mjs.template": "$name.mjs",
        "bot.test.mjs.template": "$name.test.mjs",
        "tournament.toml.template": "tournament.toml",
        "README.md.template": "README.md",
    },
}
"""By language, the templates and the files that they become."""
OPPONENTS = ("random", "first", "steady")
"""Whom a new bot meets in its first tournament, as far as they play its game; more of the first fill the table."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def write_bot(name: str, language: str, game: str | None, folder: Path) -> list[Path]:
    """Writes the package of a new bot into a folder that is not there yet; returns its files.

    With a game, the bot plays that one alone. Raises a `ConfigError` for a name that cannot be or is taken, and a
    `WriteError` where the folder cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f'"{name}" is no name for a bot; use small letters and digits, with - between words')
    if name in plugins.bot_names():
        raise ConfigError(f'there is a bot "{name}" already; choose another name')
    if folder.exists():
        raise ConfigError(f"{folder}: is there already; choose another name, or remove it")
    rules = plugins.load_game(game if game is not None else "vole")
    words = _words(name, game, rules)
    source = files("tourney") / "templates" / language
    written = []
    try:
        folder.mkdir(parents=True)
        for template, file in LANGUAGES[language].items():
            text = Template((source / template).read_text(encoding="utf-8")).substitute(words)
            path = folder / Template(file).substitute(words)
            path.write_text(text, encoding="utf-8")
            written.append(path)
    except OSError as error:
        raise WriteError(f"{folder}: {error.strerror or error}; choose another place") from None
    return written


def _words(name: str, game: str | None, rules: Game) -> dict[str, str]:
    """What stands for the names in the templates."""
    known = [bot for bot in OPPONENTS if (games := plugins.load_bot(bot, Path()).games) is None or rules.name in games]
    missing = rules.seats[0] - 1 - len(known)
    return {
        "name": name,
        "module": name.replace("-", "_") + "_bot",
        "class_name": "".join([part.capitalize() for part in name.split("-")]) + "Bot",  # True would be no class
        "games": f'\n    games = ("{game}",)\n' if game is not None else "",
        "check_game": f" --game {game}" if game is not None else "",
        "check_words": f', "--game", "{game}"' if game is not None else "",
        "game": rules.name,
        "seats": str(rules.seats[0]),
        "others": ", ".join([f'"{bot}"' for bot in known]),
        "more_bots": "".join([f'\n[[bot]]\nname = "random-{i}"\nuse = "random"\n' for i in range(2, missing + 2)]),
    }
