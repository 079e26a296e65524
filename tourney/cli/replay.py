"""`tourney replay`: what happened in a match."""

import textwrap

import click

from tourney.errors import RunError, did_you_mean

WIDTH = 80
"""Longer lines of text are wrapped."""


@click.command("replay", short_help="Show what happened in a match.")
@click.argument("run")
@click.argument("match")
@click.option("--seat", type=click.IntRange(min=0), help="Show it as this seat saw it.")
@click.option("--from", "first", type=click.IntRange(min=1), default=1, help="Begin at this decision.")
@click.option("--to", "last", type=click.IntRange(min=1), help="Stop after this decision.")
@click.option("--json", "as_json", is_flag=True, help="One event a line, as docs/log-format.md tells.")
def command(run: str, match: str, seat: int | None, first: int, last: int | None, as_json: bool) -> None:
    """Show the match MATCH of RUN, rebuilt from its record by the rules alone.

    As everyone, with all cards open; or with --seat as one seat saw it: its view, the legal actions and its choice
    at each of its decisions. Decisions are numbered from 1 over all seats.
    """
    from tourney import config, store
    from tourney.catalog import load_game
    from tourney.cli import telling
    from tourney.schedule.formats import schedule

    path = store.find_run(run)
    tournament = config.of_manifest(store.read_manifest(path))
    names = []
    for record in store.records(path, schedule(tournament)):
        if record.match == match:
            break
        names.append(record.match)
    else:
        raise RunError(f'{path}: no match "{match}"; {did_you_mean(match, names[-5000:])}')
    game = load_game(record.game)
    if seat is not None and seat >= len(record.seats):
        raise RunError(f"match {match}: there is no seat {seat}; seats are 0 to {len(record.seats) - 1}")
    if seat is None:
        events = telling.between(telling.events(record, game), first, last)
        lines = map(telling.as_json, events) if as_json else telling.story(events, record)
    else:
        seen = telling.between(telling.decisions(record, game, seat), first, last)
        lines = map(telling.as_json, seen) if as_json else telling.seen(seen, record)
    for line in lines:
        click.echo(line if as_json or len(line) < WIDTH else textwrap.fill(line, WIDTH - 1, subsequent_indent="      "))
