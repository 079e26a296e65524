"""Options that several commands have, and checks of what they are given."""

from typing import Literal, TypeAlias

import click

from tourney.config import Tournament
from tourney.errors import RunError, did_you_mean

Format: TypeAlias = Literal["table", "markdown", "csv", "json"]

FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["table", "markdown", "csv", "json"]),
    default="table",
    show_default=True,
    help="How to print it.",
)


def check_game(tournament: Tournament, game: str | None) -> None:
    """A `RunError` if the tournament has no such game."""
    games = [contest.game for contest in tournament.contests]
    if game is not None and game not in games:
        raise RunError(f'the run has no game "{game}"; {did_you_mean(game, games)}')


def check_bot(tournament: Tournament, bot: str | None) -> None:
    """A `RunError` if the tournament has no such bot."""
    if bot is not None and bot not in tournament.names:
        raise RunError(f'the run has no bot "{bot}"; {did_you_mean(bot, tournament.names)}')
