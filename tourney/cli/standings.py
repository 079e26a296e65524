"""`tourney standings`: the table of a run."""

import click

from tourney.cli.options import FORMAT, Format, check_game


@click.command("standings", short_help="Print who leads, who beats whom, or ratings.")
@click.argument("run")
@click.option("--game", help="Only matches of this game.")
@click.option("--cross", is_flag=True, help="The cross-table: how often each bot came before each other, in percent.")
@click.option("--ratings", is_flag=True, help="Ratings on the Elo scale with error bars, and what each seat was worth.")
@FORMAT
def command(run: str, game: str | None, cross: bool, ratings: bool, form: Format) -> None:
    """Print the standings of RUN, a run's folder or its name under results/.

    Ranked by points %: a match gives 1 point for the first place down to 0 for the last, evenly spaced, and equal
    places share. Won and drawn: first alone, first with others.
    """
    from tourney import config, store
    from tourney.schedule.formats import schedule
    from tourney.stats import tables
    from tourney.stats.ratings import RatingData
    from tourney.stats.seats import SeatBalance
    from tourney.stats.standings import CrossTable, Standings

    if cross and ratings:
        raise click.UsageError("--cross and --ratings are two tables; ask for one at a time")
    path = store.find_run(run)
    tournament = config.of_manifest(store.read_manifest(path))
    check_game(tournament, game)
    standings, table, rated, seats = Standings(tournament.names), CrossTable(), RatingData(), SeatBalance()
    count = 0
    for record in store.records(path, schedule(tournament)):
        count += 1
        if game is None or record.game == game:
            standings.add(record)
            if cross:
                table.add(record)
            if ratings:
                rated.add(record)
                seats.add(record)
    total = schedule(tournament).size().matches
    if count < total:
        click.echo(f"not finished: {count} of {total} matches were played", err=True)
    for name, by_house in standings.out.items():
        click.echo(f"{name} was put out of the tournament: the house played {by_house} of its matches", err=True)
    if cross:
        click.echo(tables.cross_text([row.bot for row in standings.rows()], table, form))
    elif ratings:
        click.echo(tables.ratings_text(rated.rate(seed=tournament.seed), seats.rows(), form))
    else:
        click.echo(tables.standings_text(standings.rows(), form))
