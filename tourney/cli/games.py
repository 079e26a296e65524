"""`tourney games`: the games that are there."""

import click


@click.command("games", short_help="List the games, or tell about one.")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """List the games, or tell about the game NAME: its options, seats, actions, and where its rules are."""
    from tourney import catalog
    from tourney.cli.describe import game_lines, options_lines
    from tourney.game import seats_text
    from tourney.stats.tables import table

    if name is None:
        games = [catalog.load_game(each) for each in catalog.game_names()]
        rows = [[game.name, game.title, seats_text(game.seats)] for game in games]
        click.echo(table(("game", "title", "seats"), rows, "table", text_columns=(0, 1, 2)))
        return
    game = catalog.load_game(name)
    click.echo("\n".join(game_lines(game)))
    lines = options_lines(game.Options)
    click.echo("\n".join(["\noptions, with their defaults:", *lines]) if lines else "\nno options")
