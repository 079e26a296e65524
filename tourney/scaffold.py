"""Writes new files to start from: the package of a bot or a game, a tournament file.

The templates are in `tourney/templates`.
"""

import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import files
from pathlib import Path
from string import Template
from textwrap import wrap
from typing import Any, Literal

import tomli_w

from tourney import config, plugins, regular_files
from tourney.config import json_schema
from tourney.docstrings import field_docs
from tourney.errors import ConfigError, cannot_write, one_line
from tourney.game import Game
from tourney.game_failures import reading_options
from tourney.validation import plain

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
GAME_FILES = {
    "pyproject.toml.template": "pyproject.toml",
    "__init__.py.template": "$module/__init__.py",
    "rules.md.template": "$module/rules.md",
    "test_game.py.template": "test_$module.py",
    "README.md.template": "README.md",
    "tournament.toml.template": "tournament.toml",
}
"""The templates of a game, with the names of the files to write."""
OPPONENTS = ("random", "first", "steady")
"""The bots of a new tournament, if they play its game; more of the first fill the seats."""

TOURNAMENT = "tournament.toml"
"""The file with the bot's first tournament."""
SCHEMA = "tournament.schema.json"
"""The schema beside a new tournament file, which names it in its first line."""

_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


def write_tournament(name: str, game: str, path: Path) -> list[Path]:
    """Writes a tournament file with comments, and the schema by which editors complete it, unless that is there.

    Args:
        name: The name of the tournament.
        game: The game that is played.
        path: The path of the file, which must not exist.

    Returns:
        The paths of the files.

    Raises:
        ConfigError: The name is invalid, the file exists, or there is no such game.
        WriteError: The files cannot be written.
    """
    rules = plugins.load_game(game)
    text = _commented_tournament(name, rules, path)
    config.of_text(text, path)
    with _writing(path):
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
        return [path, *_write_schema(path.parent)]


def _write_schema(folder: Path) -> list[Path]:
    """Writes the schema of tournament files into the folder; returns its path, or nothing if it is there already."""
    path = folder / SCHEMA
    if path.exists():
        return []
    regular_files.write(path, json_schema.schema_text().encode())
    return [path]


def _commented_tournament(name: str, rules: Game, path: Path) -> str:
    """Returns the text of a tournament file in which comments say what else it may have."""
    bots = _opponents(rules)
    fillers = [f"\n[[bot]]\n{tomli_w.dumps(table)}" for table in _fillers(rules.seats[0] - len(bots))]
    template = files("tourney") / "templates" / f"{TOURNAMENT}.template"
    return Template(template.read_text(encoding="utf-8")).substitute(
        file=one_line(str(path)),
        name_line=_toml_line("name", name),
        bots_line=_toml_line("bots", bots),
        fillers="".join(fillers),
        game=rules.name,
        seats=rules.seats[0],
        options="".join([f"{line}\n" for line in _options_lines(rules)]),
    )


def _options_lines(rules: Game) -> list[str]:
    """Returns the table of a game's options with their defaults, each under a comment that explains it."""
    with reading_options(rules):
        options: Any = rules.Options()
    docs, lines = field_docs(rules.Options), []
    for key in rules.Options.__struct_fields__:
        lines += [f"# {line}" for line in wrap(docs.get(key, ""), 100)]
        value = plain({key: getattr(options, key)})[key]
        lines.append(f"# {key} is left out by default" if value is None else _toml_line(key, value))
    return ["[game.options]", *lines] if lines else []


def _toml_line(key: str, value: Any) -> str:
    """Returns a key with its value in one line of TOML."""
    if isinstance(value, Mapping):
        return f"{key} = {{ {', '.join([_toml_line(*each) for each in value.items()])} }}"
    return tomli_w.dumps({key: value}).replace("\n    ", " ").replace(",\n]", " ]").strip()


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
    _refuse_name(name, "bot", [*plugins.bot_names(), *plugins.shared_names("bot")], folder)
    rules = plugins.load_game(game if game is not None else "vole")
    with _writing(folder):
        written = _write_package(folder, language, LANGUAGES[language], _words(name, game))
        tournament = folder / TOURNAMENT
        tournament.write_text(_tournament_text(name, language, rules), encoding="utf-8")
        return [*written, tournament, *_write_schema(folder)]


def write_game(name: str, folder: Path) -> list[Path]:
    """Writes the package of a new game, with tests and a tournament.

    Args:
        name: The name of the game.
        folder: The folder of the package, which must not exist.

    Returns:
        The paths of the files.

    Raises:
        ConfigError: The name is invalid or taken, or the folder exists.
        WriteError: The folder cannot be written.
    """
    _refuse_name(name, "game", [*plugins.game_names(), *plugins.shared_names("game")], folder)
    words = {
        "name": name,
        "module": name.replace("-", "_") + "_game",
        "class_name": "".join([part.capitalize() for part in name.split("-")]),
        "title": name.replace("-", " ").title(),
    }
    with _writing(folder):
        return [*_write_package(folder, "game", GAME_FILES, words), *_write_schema(folder)]


def _refuse_name(name: str, kind: Literal["bot", "game"], taken: Sequence[str], folder: Path) -> None:
    """Raises a `ConfigError` if a plugin cannot have the name, or cannot be written into the folder."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f'"{name}" is no name for a {kind}; use small letters and digits, a letter first, with - between words'
            f', as in "{_suggested(name, kind)}"'
        )
    if name in taken:
        raise ConfigError(f'there is a {kind} "{name}" already; choose another name')
    if folder.exists():
        raise ConfigError(f"{folder}: is there already; choose another name, or remove it")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Makes the folders around a new file or folder; if that cannot be written, all is removed again.

    Raises:
        ConfigError: It is there already.
        WriteError: It cannot be written.
    """
    missing = [folder for folder in path.parents if not folder.exists()]
    try:
        for folder in reversed(missing):
            folder.mkdir(exist_ok=True)
        yield
    except FileExistsError:
        raise ConfigError(f"{path}: is there already; choose another name, or remove it") from None
    except BaseException as error:
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
            for folder in missing:
                folder.rmdir()
        if not isinstance(error, OSError):
            raise
        raise cannot_write(path, error).add(", or use another place") from None


def _write_package(folder: Path, kind: str, names: Mapping[str, str], words: Mapping[str, str]) -> list[Path]:
    """Writes the files of a folder of templates; returns their paths. The folder must not exist."""
    folder.mkdir()
    written = []
    for template, file in names.items():
        text = (files("tourney") / "templates" / kind / template).read_text(encoding="utf-8")
        path = folder / Template(file).substitute(words)
        path.parent.mkdir(exist_ok=True)
        filled = Template(text).substitute(words)
        path.write_text(_aligned(filled) if path.suffix == ".md" else filled, encoding="utf-8")
        written.append(path)
    return written


def _aligned(text: str) -> str:
    """Returns a page with the comments in each block of commands one below the other, whatever the names are."""

    def below_each_other(block: re.Match[str]) -> str:
        rows = [line.split("  # ") for line in block[0].splitlines()]
        widest = max([len(row[0].rstrip()) for row in rows])
        return "".join(["  # ".join([row[0].rstrip().ljust(widest), row[1].strip()]) + "\n" for row in rows])

    return re.sub(r"(?m)(?:^.*  # .*\n)+", below_each_other, text)


def _suggested(name: str, kind: str) -> str:
    """Returns a name for a bot or a game that is like the given text."""
    words = "-".join(re.findall("[a-z0-9]+", name.lower()))[:30].strip("-")
    return words if _NAME.fullmatch(words) else f"{kind}-{words}" if words else f"my-{kind}"


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
    others = _opponents(rules)
    program = [{"name": name, "command": ["node", f"{name}.mjs"]}] if language == "javascript" else []
    more = _fillers(rules.seats[0] - 1 - len(others))
    keys = {"name": name, "seed": 1, "deals": 20, "bots": others if program else [name, *others]}
    tables = [("bot", table) for table in program + more] + [("game", {"name": rules.name, "seats": rules.seats[0]})]
    # headers by hand, because tomli_w writes short tables in one line
    parts = [tomli_w.dumps(keys), *[f"[[{header}]]\n{tomli_w.dumps(table)}" for header, table in tables]]
    head = f"#:schema ./{SCHEMA}\n# A small tournament: {name} against bots that come with tourney.\n"
    return "\n".join([head, *parts])


def _opponents(rules: Game) -> list[str]:
    """Returns the names of the bots in a new tournament of a game."""
    return [bot for bot in OPPONENTS if rules.name in (plugins.load_bot(bot, Path()).games or (rules.name,))]


def _fillers(missing: int) -> list[dict[str, str]]:
    """Returns the tables of further bots, as many as are missing to fill the seats."""
    return [{"name": f"{OPPONENTS[0]}-{i}", "use": OPPONENTS[0]} for i in range(2, missing + 2)]
