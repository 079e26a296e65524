"""`tourney standings`: the table of a run."""

import click

from tourney.cli.options import FORMAT, check_game


@click.command("standings")
@click.argument("run")
@click.option("--game", help="Only matches of this game.")
@click.option("--cross", is_flag=True, help="The cross-table: how often each bot came before each other, in percent.")
@FORMAT
def command(run: str, game: str | None, cross: bool, form: str) -> None:
    """Print the standings of RUN, a run's folder or its name under results/.

    Ranked by points %: a match gives 1 point for the first place down to 0 for the last, evenly spaced, and equal
    places share. Won and drawn: first alone, first with others.
    """
    from tourney import config, store
    from tourney.schedule.formats import schedule
    from tourney.stats.standings import CrossTable, Standings
    from tourney.stats.tables import cross_text, standings_text

    path = store.find_run(run)
    tournament = config.of_manifest(store.read_manifest(path))
    check_game(tournament, game)
    standings, table = Standings(tournament.names), CrossTable()
    count = 0
    for record in store.records(path, schedule(tournament)):
        count += 1
        if game is None or record.game == game:
            standings.add(record)
            if cross:
                table.add(record)
    total = schedule(tournament).size().matches
    if count < total:
        click.echo(f"not finished: {count} of {total} matches were played", err=True)
    if cross:
        click.echo(cross_text([row.bot for row in standings.rows()], table, form))  # type: ignore[arg-type]
    else:
        click.echo(standings_text(standings.rows(), form))  # type: ignore[arg-type]
