"""`tourney games`: lists the games that are installed, or describes one."""

import click

from tourney.cli.screen import echo, echo_text


@click.command("games", short_help="List the games, or describe one.")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the games, or describe the game NAME: its seats, actions and options, and where its rules are."""
    from tourney import plugins
    from tourney.cli.render.describe import describable_game, game_lines, loaded, options_lines, print_unusable
    from tourney.game import seats_text
    from tourney.game_failures import reading_options
    from tourney.text_tables import table

    if name is None:
        found, broken = loaded(plugins.game_names(), describable_game)
        rows = [[game.name, game.title, seats_text(game.seats)] for game in found.values()]
        echo_text(table(("game", "title", "seats"), rows, "table", words=(0, 1, 2)))
        print_unusable("game", broken)
        return
    game = describable_game(name)
    echo(*game_lines(game))
    with reading_options(game):
        lines = options_lines(game.Options)
    echo("", *(["options, with their defaults:", *lines] if lines else ["no options"]))
