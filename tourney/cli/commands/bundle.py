"""`tourney bundle`: what the author of a bot may have of a run, as a zip file."""

from collections.abc import Iterator
from pathlib import Path

import click
import orjson

from tourney.cli import interrupt
from tourney.cli.commands.replay import decisions
from tourney.cli.options import RUN, check_name, read_run, say_if_unfinished
from tourney.cli.render.author_files import author_file, fault_line, log_text, without_folders
from tourney.cli.render.transcript import transcript
from tourney.cli.screen import echo
from tourney.config import Tournament
from tourney.contracts.match import Record
from tourney.journal import folder
from tourney.journal.notes import MatchNotes, NotesByBlock
from tourney.journal.reader import read_blocks
from tourney.journal.standings import count_run
from tourney.plugins.registry import load_game
from tourney.schedule.base import schedule
from tourney.standings.ranking import seat_points
from tourney.standings.tables import standings_sheet
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
    path = folder.find_run(run)
    tournament = read_run(path)[1]
    check_name("bot", bot, tournament.names)
    totals = count_run(path)
    say_if_unfinished(totals.matches, totals.schedule)
    sheet = standings_sheet(totals.ranking(), seat_points(totals.counts))
    count = 0
    with interrupt.handled(), author_file(out, bot) as add:
        add("standings.txt", f"{sheet.text('table')}\n")
        add("standings.json", f"{sheet.text('json')}\n")
        faults: list[str] = []
        notes = NotesByBlock(path)
        for found in read_blocks(path, schedule(tournament)):
            noted = notes.of(found.block.number)
            for record in found.records:
                own = [seat for seat, name in enumerate(record.seats) if name == bot]
                count += bool(own)
                for seat in own:
                    for ending, text in _seen(record, seat, tournament, noted.get(record.match)):
                        add(f"matches/{record.match}-seat-{seat}.{ending}", text)
                faults += [fault_line(record.match, fault) for fault in record.faults if fault.seat in own]
        add("faults.txt", without_folders("".join([f"{line}\n" for line in faults])))
        if log := log_text(path, bot):
            add("log.txt", log)
    echo(f"wrote {out}: {count} matches of {bot}, as its seat saw them")


def _seen(record: Record, seat: int, tournament: Tournament, noted: MatchNotes | None) -> Iterator[tuple[str, str]]:
    """A match as a seat saw it: as text, and its decisions as JSON, one a line."""
    game, notes = load_game(record.game), {} if noted is None else noted.by_decision(seat)
    lines = each_in_time(record, transcript(record, game, seat, (1, None), notes), tournament.replay_s)
    yield "txt", "".join([f"{line}\n" for line in lines])
    events = each_in_time(record, decisions(record, game, [seat], notes), tournament.replay_s)
    yield "jsonl", "".join([orjson.dumps(event).decode() + "\n" for _, event in events])
