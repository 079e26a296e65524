"""`tourney new`: writes packages to start from."""

import shlex
from pathlib import Path

import click

from tourney.cli.screen import echo


@click.group("new", short_help="Write a package for a new bot.")
def command() -> None:
    """Write a package to start from."""


@command.command("bot", short_help="Write a package for a new bot.")
@click.argument("name")
@click.option("--game", help="The game that the bot plays.  [default: every game]")
@click.option("--language", type=click.Choice(["python", "javascript"]), default="python", show_default=True)
@click.option("--out", type=click.Path(path_type=Path), help="The folder to create.  [default: NAME]")
def bot(name: str, game: str | None, language: str, out: Path | None) -> None:
    """Write a package for the bot NAME: a bot that plays, a test, a tournament file and a README."""
    from tourney import scaffold

    folder = out if out is not None else Path(name)
    for path in scaffold.write_bot(name, language, game, folder):
        echo(f"wrote {path}")
    echo("", "Try it:", err=True)
    for line in _first_commands(name, language, game, folder):
        echo(f"  {line}", err=True)


def _first_commands(name: str, language: str, game: str | None, folder: Path) -> list[str]:
    """Returns the two commands that try out the package in that folder."""
    where = shlex.quote(str(folder))
    if language == "python":
        return [f"pip install -e {where}", f"tourney run {where}/tournament.toml"]
    program = shlex.quote(f"node {folder}/{name}.mjs")
    only = f" --game {game}" if game is not None else ""
    return [f"tourney check --command {program}{only}", f"tourney run {where}/tournament.toml"]
