"""`tourney export`: a match as a file to hand around, or all matches of a run as a table."""

import shlex
from pathlib import Path
from typing import Literal

import click

from tourney.base.errors import ConfigError, RunError
from tourney.cli import interrupt
from tourney.cli.options import RUN, find_records, read_run, say_if_unfinished
from tourney.cli.screen import echo, echo_json, echo_text
from tourney.journal import export, folder
from tourney.plugins.registry import load_game
from tourney.schedule.base import schedule
from tourney.table.replay import in_time


@click.command("export")
@RUN
@click.argument("match", required=False)
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(path_type=Path), help="The file to write.  [default: stdout]"
)
@click.option(
    "--format", "form", type=click.Choice(["json", "csv", "parquet"]),
    help="json for a MATCH; csv or parquet for a row for each seat of each match.  [default: json]",
)  # fmt: skip
def command(run: str, match: str | None, out: Path | None, form: Literal["json", "csv", "parquet"] | None) -> None:
    """Write the match MATCH of RUN as one file, or without MATCH all matches of RUN as a table.

    The file of a match has its record, game, options, seats and trace. `tourney replay FILE` shows it wherever the game
    is installed, and `tourney schema match` prints its JSON Schema. A table has a row for each seat of each match. Its
    columns are explained by tourney docs export.
    """
    if match is not None and form in ("csv", "parquet"):
        raise ConfigError(f"--format {form} is for all matches of a run; leave out {match}, or --format")
    if match is None and form in (None, "json"):
        raise ConfigError("MATCH is missing; name a match, or give --format csv or parquet for all of them")
    if form == "parquet" and out is None:
        raise ConfigError("--format parquet is binary; give the file to write with -o")
    path = folder.find_run(run)
    if out is not None:
        folder.make_parent(out, "-o")
    if match is None:
        _write_table(path, out, parquet=form == "parquet")
    else:
        _write_match(path, match, out, run)


def _write_match(path: Path, match: str, out: Path | None, run: str) -> None:
    manifest, tournament = read_run(path)
    if why := folder.why_secret(path, tournament):
        show = shlex.join(["tourney", "replay", run, match])
        raise RunError(f"{path}: {why}, and the file of a match holds one; to see the match: {show}")
    (record,) = find_records(path, tournament, match)
    names = schedule(tournament).block_names(record.seats)
    rules = manifest.get("games", {}).get(record.game, {}).get("sha256", "")
    with in_time(record, tournament.replay_s):
        text = export.as_json(export.match_file(record, load_game(record.game), names, rules))
    if out is None:
        echo_json(text.rstrip("\n"))
        return
    with folder.output(out) as file:
        file.write(text.encode())
    echo(f"wrote {out}: {record.match}; tourney replay {shlex.quote(str(out))} shows it")


def _write_table(path: Path, out: Path | None, parquet: bool) -> None:
    if parquet:
        export.require_parquet()
    tournament = read_run(path)[1]
    plan = schedule(tournament)
    rows = export.SeatRows(path, plan, secret=folder.why_secret(path, tournament) is not None)
    if out is None:
        for part in export.csv_parts(rows):
            echo_text(part.rstrip("\n"))
    else:
        with interrupt.handled(), folder.output(out) as file:
            if parquet:
                export.write_parquet(file, rows)
            else:
                file.writelines(part.encode() for part in export.csv_parts(rows))
        echo(f"wrote {out}: {rows.matches} matches, a row for each seat")
    say_if_unfinished(rows.matches, plan)
