"""`tourney games`: lists the games that are installed, or describes one."""

import click

from tourney.base.errors import ConfigError
from tourney.cli import completion
from tourney.cli.options import exclusive
from tourney.cli.screen import echo, echo_text, show_markdown, width


@click.command("games", short_help="List the games, or describe one.")
@click.argument("name", required=False, shell_complete=completion.games)
@click.option("--rules", is_flag=True, help="Show the rules of the game.")
@click.option("--view", is_flag=True, help="List what bots are given in the game's views.")
def command(name: str | None, rules: bool, view: bool) -> None:
    """List the games, or describe the game NAME: its seats, actions and options; its rules; what its bots are given."""
    from tourney.cli import pages
    from tourney.cli.render.describe import (
        describable_game,
        game_lines,
        loaded,
        options_lines,
        print_unusable,
        view_lines,
    )
    from tourney.contracts.game import seats_text
    from tourney.plugins import registry
    from tourney.plugins.failures import reading_options
    from tourney.standings.tables import table

    exclusive(rules=rules, view=view)
    if name is None:
        if rules or view:
            flag = "--rules" if rules else "--view"
            raise ConfigError(f"{flag}: name a game, as in tourney games vole {flag}")
        found, broken = loaded(registry.game_names(), describable_game)
        rows = [[game.name, game.title, seats_text(game.seats)] for game in found.values()]
        echo_text(table(("game", "title", "seats"), rows, "table", words=(0, 1, 2), width=width()))
        print_unusable("game", broken)
        return
    game = describable_game(name)
    if view:
        echo(*view_lines(game, width()))
        return
    if rules and (address := pages.rules_address(game)):
        echo(f"the rules of {name} are at {address}")
        return
    if rules:
        show_markdown(pages.read_rules(game).text)
        return
    echo(*game_lines(game))
    with reading_options(game):
        lines = options_lines(game.Options)
    echo("", *(["options, with their defaults:", *lines] if lines else ["no options"]))
