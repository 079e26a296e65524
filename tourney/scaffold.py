"""Writes the package of a new bot from the templates in `tourney/templates`."""

import re
from importlib.resources import files
from pathlib import Path
from string import Template

import tomli_w

from tourney import plugins
from tourney.errors import ConfigError, WriteError
from tourney.game import Game

LANGUAGES = {
    "python": {
        "pyproject.toml.template": "pyproject.toml",
        "module.py.template": "$module.py",
        "test_module.py.template": "test_$module.py",
        "README.md.template": "README.md",
    },
    "javascript": {
        "package.json.template": "package.json",
        "bot.mjs.template": "$name.mjs",
        "bot.test.mjs.template": "$name.test.mjs",
        "README.md.template": "README.md",
    },
}
"""The templates of each language, with the names of the files to write."""
OPPONENTS = ("random", "first", "steady")
"""The bots that a new bot meets in its first tournament, if they play its game; more of the first fill the seats."""

TOURNAMENT = "tournament.toml"
"""The file with the bot's first tournament."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def write_bot(name: str, language: str, game: str | None, folder: Path) -> list[Path]:
    """Writes the package of a new bot.

    Args:
        name: The name of the bot.
        language: A key of `LANGUAGES`.
        game: The only game that the bot plays; by default it plays every game.
        folder: The folder of the package, which must not exist.

    Returns:
        The paths of the files.

    Raises:
        ConfigError: The name is invalid or taken, the folder exists, or there is no such game.
        WriteError: The folder cannot be written.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError(f'"{name}" is no name for a bot; use small letters and digits, with - between words')
    if name in plugins.bot_names():
        raise ConfigError(f'there is a bot "{name}" already; choose another name')
    if folder.exists():
        raise ConfigError(f"{folder}: is there already; choose another name, or remove it")
    rules = plugins.load_game(game if game is not None else "vole")
    words = _words(name, game)
    source = files("tourney") / "templates" / language
    written = []
    try:
        folder.mkdir(parents=True)
        for template, file in LANGUAGES[language].items():
            text = Template((source / template).read_text(encoding="utf-8")).substitute(words)
            path = folder / Template(file).substitute(words)
            path.write_text(text, encoding="utf-8")
            written.append(path)
        tournament = folder / TOURNAMENT
        tournament.write_text(_tournament_text(name, language, rules), encoding="utf-8")
        written.append(tournament)
    except OSError as error:
        raise WriteError(f"{folder}: {error.strerror or error}; choose another place") from None
    return written


def _words(name: str, game: str | None) -> dict[str, str]:
    """Returns what replaces the placeholders of the templates."""
    return {
        "name": name,
        "module": name.replace("-", "_") + "_bot",
        "class_name": "".join([part.capitalize() for part in name.split("-")]) + "Bot",  # True would be no class
        "games": f'\n    games = ("{game}",)\n' if game is not None else "",
        "check_game": f" --game {game}" if game is not None else "",
        "check_words": f', "--game", "{game}"' if game is not None else "",
    }


def _tournament_text(name: str, language: str, rules: Game) -> str:
    """Returns the file of a small tournament between the new bot and some of ours."""
    others = [bot for bot in OPPONENTS if rules.name in (plugins.load_bot(bot, Path()).games or (rules.name,))]
    missing = rules.seats[0] - 1 - len(others)
    program = [{"name": name, "command": ["node", f"{name}.mjs"]}] if language == "javascript" else []
    more = [{"name": f"{OPPONENTS[0]}-{i}", "use": OPPONENTS[0]} for i in range(2, missing + 2)]
    keys = {"name": name, "seed": 1, "deals": 20, "bots": others if program else [name, *others]}
    tables = [("bot", table) for table in program + more] + [("game", {"name": rules.name, "seats": rules.seats[0]})]
    # headers by hand, because tomli_w writes short tables in one line
    parts = [tomli_w.dumps(keys), *[f"[[{header}]]\n{tomli_w.dumps(table)}" for header, table in tables]]
    return "\n".join([f"# A small tournament: {name} against bots that come with tourney.\n", *parts])
