"""`tourney bundle`: what the author of a bot may have of a run, as a zip file."""

from collections.abc import Iterator
from pathlib import Path

import click
import orjson

from tourney.cli import interrupt
from tourney.cli.commands.replay import decisions
from tourney.cli.options import RUN, check_name, say_if_unfinished
from tourney.cli.render.author_files import author_file, fault_line, log_text, without_folders
from tourney.cli.render.transcript import transcript
from tourney.cli.screen import echo
from tourney.config import Tournament
from tourney.contracts.match import Record
from tourney.journal.notes import MatchNotes
from tourney.journal.run import RunFolder
from tourney.journal.standings import count_run
from tourney.plugins.registry import load_game
from tourney.standings.ranking import seat_points
from tourney.standings.tables import standings_text
from tourney.table.replay import each_in_time


@click.command("bundle")
@RUN
@click.option("--bot", required=True, help="The bot whose author gets the file.")
@click.option("-o", "--out", metavar="FILE", type=click.Path(path_type=Path), required=True, help="The file to write.")
def command(run: str, bot: str, out: Path) -> None:
    """Write what the author of a bot may have of RUN as a zip file.

    It holds the standings, each match of the bot as its seat saw it, its faults, and its log. It holds no card of
    others that the seat did not see, no seed, and no folder of this machine.
    """
    found = RunFolder.find(run)
    tournament = found.tournament
    check_name("bot", bot, tournament.names)
    totals = count_run(found)
    say_if_unfinished(totals.matches, totals.schedule)
    ranked, seats = totals.ranking(), seat_points(totals.counts)
    count = 0
    with interrupt.handled(), author_file(out, bot) as add:
        add("standings.txt", f"{standings_text(ranked, seats, 'table')}\n")
        add("standings.json", f"{standings_text(ranked, seats, 'json')}\n")
        faults: list[str] = []
        for block, records, _ in found.blocks(found.schedule()):
            noted = found.notes.of(block.number)
            for record in records:
                own = [seat for seat, name in enumerate(record.seats) if name == bot]
                count += bool(own)
                for seat in own:
                    for ending, text in _seen(record, seat, tournament, noted.get(record.match)):
                        add(f"matches/{record.match}-seat-{seat}.{ending}", text)
                faults += [fault_line(record.match, fault) for fault in record.faults if fault.seat in own]
        add("faults.txt", without_folders("".join([f"{line}\n" for line in faults])))
        if log := log_text(found.path, bot):
            add("log.txt", log)
    echo(f"wrote {out}: {count} matches of {bot}, as its seat saw them")


def _seen(record: Record, seat: int, tournament: Tournament, noted: MatchNotes | None) -> Iterator[tuple[str, str]]:
    """A match as a seat saw it: as text, and its decisions as JSON, one a line."""
    game, notes = load_game(record.game), {} if noted is None else noted.by_decision(seat)
    lines = each_in_time(record, transcript(record, game, seat, (1, None), notes), tournament.replay_s)
    yield "txt", "".join([f"{line}\n" for line in lines])
    events = each_in_time(record, decisions(record, game, [seat], notes), tournament.replay_s)
    yield "jsonl", "".join([orjson.dumps(event).decode() + "\n" for _, event in events])
