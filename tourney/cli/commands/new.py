"""`tourney new`: writes a bot or game package, or a tournament file, from `tourney/cli/templates`."""

import re
import shlex
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import as_file, files
from pathlib import Path
from string import Template
from typing import Literal, NamedTuple

import click

from tourney import config
from tourney.base import files as regular_files
from tourney.base.errors import ConfigError, cannot_write
from tourney.cli.errors import FinishingCommand
from tourney.cli.options import complete_game
from tourney.cli.render.resolution import resolution_lines
from tourney.cli.screen import echo, say
from tourney.config import json_schema
from tourney.contracts.game import Game
from tourney.contracts.rng import secret_seed
from tourney.plugins import registry

OPPONENTS = ("random", "first", "steady")
"""The bots of a new tournament, if they play its game; copies of the first fill the seats."""
SCHEMA = "tournament.schema.json"
SUFFIX = ".template"


class Program(NamedTuple):
    """What the texts for a bot in a language other than Python say; NAME is the bot's."""

    needs: str
    build: str
    command: str
    source: str
    test: str


PYTHON = "python"
PROGRAMS = {
    "c": Program("a C compiler and make", "make", "./NAME", "NAME.c", "make test"),
    "go": Program("Go", "go build -o NAME", "./NAME", "main.go", "go test"),
    "javascript": Program("Node", "", "node NAME.mjs", "NAME.mjs", "npm test"),
    "rust": Program("Rust", "cargo build --release", "target/release/NAME-bot", "src/main.rs", "cargo test"),
}
"""By the language, which is the folder of its templates."""
_NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")


@click.command("new", cls=FinishingCommand)
@click.argument("kind", type=click.Choice(["bot", "game", "tournament"]))
@click.argument("name")
@click.option(
    "--game", shell_complete=complete_game, help="Game to play.  [default: every game for a bot, vole for a tournament]"
)
@click.option("--language", type=click.Choice([PYTHON, *PROGRAMS]), help=f"A bot's language.  [default: {PYTHON}]")
@click.option("--out", type=click.Path(path_type=Path), help="Folder or file to create.  [default: NAME or NAME.toml]")
def command(kind: str, name: str, game: str | None, language: str | None, out: Path | None) -> None:
    """Create a bot, game or tournament file from a template.

    A bot comes ready to play, with a test, a tournament file and a README. A game comes complete, ready to change,
    with rules, tests, a tournament file and a README; see `tourney docs write-a-game`. A tournament file explains
    further keys in comments; a schema is written next to it, by which TOML editors complete and check it.
    """
    if language is not None and kind != "bot":
        raise ConfigError("--language is only valid for a bot")
    if game is not None and kind == "game":
        raise ConfigError("--game is only valid for a bot or a tournament")
    path = out or Path(f"{name}.toml" if kind == "tournament" else name)
    where = shlex.quote(str(path))
    play, install = f"tourney run {where}/tournament.toml", f"pip install -e {where}"
    if kind == "tournament":
        written = write_tournament(name, game or "vole", path)
        _print(written, f"tourney run {where}")
        say("", *resolution_lines(config.read(path), path.parent / "results" / name))
    elif kind == "game":
        _print(write_game(name, path), install, f"tourney check --game {name}", play)
    else:
        commands = [install]
        if program := PROGRAMS.get(language or PYTHON):
            build, *words = [each.replace("NAME", name) for each in (program.build, *program.command.split())]
            only = f" --game {game}" if game is not None else ""
            check = f"tourney check --command {shlex.quote(shlex.join([*words[:-1], str(path / words[-1])]))}{only}"
            commands = [*([f"(cd {where} && {build})"] if build else []), check]
        _print(write_bot(name, language or PYTHON, game, path), *commands, play)


def _print(written: list[Path], *commands: str) -> None:
    echo(*[f"wrote {path}" for path in written])
    say("", "Try it:", *[f"  {each}" for each in commands])


def write_tournament(name: str, game: str, path: Path) -> list[Path]:
    """Writes a commented tournament file, and its schema for editors, unless that exists."""
    words = {
        "name": name.replace("\n", " "),
        "seed": secret_seed(),
        **_tournament_words(registry.load_game(game), bots=0),
    }
    template = files("tourney.cli") / "templates" / f"tournament.toml{SUFFIX}"
    text = Template(template.read_text(encoding="utf-8")).substitute(words)
    config.of_text(text, path)
    with _writing(path):
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
        return [path, *_write_schema(path.parent)]


def _write_schema(folder: Path) -> list[Path]:
    path = folder / SCHEMA
    if path.exists():
        return []
    regular_files.write(path, json_schema.schema_text().encode())
    return [path]


def write_bot(name: str, language: str, game: str | None, folder: Path) -> list[Path]:
    """Writes the package of a new bot."""
    _refuse_name(name, "bot", [*registry.bot_names(), *registry.shared_names("bot")], folder)
    words = {
        "name": name,
        "module": name.replace("-", "_") + "_bot",
        "class_name": _class_name(name) + "Bot",  # "True" alone would not be a class name
        "games": f'\n    games = ("{game}",)\n' if game is not None else "",
        "check_game": f" --game {game}" if game is not None else "",
        "check_words": f', "--game", "{game}"' if game is not None else "",
        **_tournament_words(registry.load_game(game if game is not None else "vole"), bots=1),
    }
    program = PROGRAMS.get(language)
    if program is None:
        return _write_package(folder, [language], words)
    words |= {key: text.replace("NAME", name) for key, text in program._asdict().items()}
    words["command_words"] = ", ".join([f'"{word}"' for word in words["command"].split()])
    words["build"] = f"# builds it\n{words['build']}\n" if program.build else ""
    return _write_package(folder, [language, "program"], words)


def write_game(name: str, folder: Path) -> list[Path]:
    """Writes the package of a new game, with tests and a tournament."""
    _refuse_name(name, "game", [*registry.game_names(), *registry.shared_names("game")], folder)
    module, title = name.replace("-", "_") + "_game", name.replace("-", " ").title()
    words = {"name": name, "module": module, "class_name": _class_name(name), "title": title}
    return _write_package(folder, ["game"], words)


def _class_name(name: str) -> str:
    return "".join([part.capitalize() for part in name.split("-")])


def _refuse_name(name: str, kind: Literal["bot", "game"], taken: Sequence[str], folder: Path) -> None:
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f'invalid name "{name}" for a {kind}; use lower-case letters, digits and -, for example "sly-fox-2"'
        )
    if name in taken:
        raise ConfigError(f'{kind} "{name}" already exists; use another name')
    if folder.exists():
        raise ConfigError(f"{folder}: already exists; use another name, or remove it")


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    """Creates the parent folder of a new file or folder, and removes the new path on an error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except FileExistsError:
        raise ConfigError(f"{path}: already exists; use another name, or remove it") from None
    except BaseException as error:
        with suppress(OSError):
            shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
        if not isinstance(error, OSError):
            raise
        raise cannot_write(path, error).add(", or use another place") from None


def _write_package(folder: Path, kinds: Sequence[str], words: Mapping[str, str]) -> list[Path]:
    written = []
    with _writing(folder), as_file(files("tourney.cli") / "templates") as templates:
        folder.mkdir()
        for template in [path for kind in kinds for path in sorted((templates / kind).rglob(f"*{SUFFIX}"))]:
            name = str(template.relative_to(templates)).partition("/")[2].removesuffix(SUFFIX)
            path = folder / name.replace("MODULE", words["module"]).replace("NAME", words["name"])
            path.parent.mkdir(exist_ok=True)
            path.write_text(Template(template.read_text(encoding="utf-8")).substitute(words), encoding="utf-8")
            written.append(path)
        return [*written, *_write_schema(folder)]


def _tournament_words(rules: Game, bots: int) -> dict[str, str]:
    opponents = [bot for bot in OPPONENTS if rules.name in (registry.load_bot(bot, Path()).games or (rules.name,))]
    missing = rules.seats[0] - bots - len(opponents)
    fillers = [f'\n[[bot]]\nname = "{OPPONENTS[0]}-{i}"\nuse = "{OPPONENTS[0]}"\n' for i in range(2, missing + 2)]
    return {
        "opponents": ", ".join([f'"{bot}"' for bot in opponents]),
        "fillers": "".join(fillers),
        "game": rules.name,
        "seats": str(rules.seats[0]),
    }
