"""`tourney new`: writes the package of a bot or a game, or a tournament file, to start from."""

import shlex
from pathlib import Path

import click

from tourney.cli import completion
from tourney.cli.errors import FinishingCommand, Group
from tourney.cli.screen import echo


@click.group("new", cls=Group, short_help="Write a new bot, game or tournament file, to start from.")
def command() -> None:
    """Write the package of a bot or a game, or a tournament file, to start from."""


@command.command("bot", cls=FinishingCommand, short_help="Write a package for a new bot.")
@click.argument("name")
@click.option("--game", shell_complete=completion.games, help="The game that the bot plays.  [default: every game]")
@click.option("--language", type=click.Choice(["python", "javascript"]), default="python", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="The folder to create.  [default: NAME]")
def bot(name: str, game: str | None, language: str, out: Path | None) -> None:
    """Write a package for the bot NAME: a bot that plays, a test, a tournament file and a README."""
    from tourney.cli import scaffold

    folder = out if out is not None else Path(name)
    for path in scaffold.write_bot(name, language, game, folder):
        echo(f"wrote {path}")
    echo("", "Try it:", err=True)
    for line in _first_commands(name, language, game, folder):
        echo(f"  {line}", err=True)


@command.command("game", cls=FinishingCommand, short_help="Write a package for a new game.")
@click.argument("name")
@click.option("--out", type=click.Path(path_type=Path), help="The folder to create.  [default: NAME]")
def game(name: str, out: Path | None) -> None:
    """Write a package for the game NAME: a whole game to change, its rules, tests, a tournament file and a README.

    `tourney docs writing-a-game` explains it.
    """
    from tourney.cli import scaffold

    folder = out if out is not None else Path(name)
    for path in scaffold.write_game(name, folder):
        echo(f"wrote {path}")
    where = shlex.quote(str(folder))
    echo("", "Try it:", f"  pip install -e {where}", f"  tourney check --game {name}", err=True)
    echo(f"  tourney run {where}/tournament.toml", err=True)


@command.command("tournament", cls=FinishingCommand, short_help="Write a tournament file with comments.")
@click.argument("name")
@click.option(
    "--game", default="vole", show_default=True, shell_complete=completion.games, help="The game that is played."
)
@click.option("--out", type=click.Path(path_type=Path), help="The file to create.  [default: NAME.toml]")
def tournament(name: str, game: str, out: Path | None) -> None:
    """Write a file for the tournament NAME, whose comments say what else it may have, and its schema for editors.

    The file is played as it is. Editors that know TOML complete and check it by the schema beside it.
    """
    from tourney.cli import scaffold

    path = out if out is not None else Path(f"{name}.toml")
    for written in scaffold.write_tournament(name, game, path):
        echo(f"wrote {written}")
    echo("", "Try it:", f"  tourney run {shlex.quote(str(path))}", err=True)


def _first_commands(name: str, language: str, game: str | None, folder: Path) -> list[str]:
    """Returns the two commands that try out the package in that folder."""
    where = shlex.quote(str(folder))
    if language == "python":
        return [f"pip install -e {where}", f"tourney run {where}/tournament.toml"]
    program = shlex.quote(f"node {folder}/{name}.mjs")
    only = f" --game {game}" if game is not None else ""
    return [f"tourney check --command {program}{only}", f"tourney run {where}/tournament.toml"]
