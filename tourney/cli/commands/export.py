"""`tourney export`: a match as a file to hand around, or all matches of a run as a table."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import click

from tourney.base.errors import ConfigError
from tourney.cli import completion, interrupt
from tourney.cli.options import find_record, read_run, say_not_finished
from tourney.cli.screen import echo, echo_json, echo_text

if TYPE_CHECKING:
    from tourney.journal.export import MatchFile

ExportFormat: TypeAlias = Literal["json", "csv", "parquet"]


@click.command("export", short_help="Write a match as a file, or all matches as a table.")
@click.argument("run", shell_complete=completion.runs)
@click.argument("match", required=False)
@click.option(
    "-o", "--out", metavar="FILE", type=click.Path(path_type=Path), help="The file to write.  [default: stdout]"
)
@click.option(
    "--format", "form", type=click.Choice(["json", "csv", "parquet"]),
    help="json for a MATCH; csv or parquet for a row for each seat of each match.  [default: json]",
)  # fmt: skip
def command(run: str, match: str | None, out: Path | None, form: ExportFormat | None) -> None:
    """Write the match MATCH of RUN as one file, or without MATCH all matches of RUN as a table.

    The file of a match has its record, game, options, seats and trace. `tourney replay FILE` shows it wherever the game
    is installed, and `tourney schema match` prints its JSON Schema. A table has a row for each seat of each match. Its
    columns are explained by tourney docs export.
    """
    from tourney.journal import folder

    if match is not None and form in ("csv", "parquet"):
        raise ConfigError(f"--format {form} is for all matches of a run; leave out {match}, or --format")
    if match is None and form in (None, "json"):
        raise ConfigError("MATCH is missing; name a match, or give --format csv or parquet for all of them")
    if form == "parquet" and out is None:
        raise ConfigError("--format parquet is no text; say by -o which file to write")
    if out is not None and out.is_dir():
        raise ConfigError(f"-o {out}: is a folder; give the path of a file")
    if out is not None and not out.parent.is_dir():
        raise ConfigError(f"-o {out}: there is no folder {out.parent}; make it, or give another path")
    path = folder.find_run(run)
    if match is None:
        _write_table(path, out, parquet=form == "parquet")
    else:
        _write_match(_match(path, match), out)


def _match(path: Path, match: str) -> "MatchFile":
    from tourney.journal.export import match_file
    from tourney.plugins.registry import load_game
    from tourney.schedule.base import schedule
    from tourney.table.replay import in_time

    manifest, tournament = read_run(path)
    record = find_record(path, tournament, match)
    names = schedule(tournament).block_names(record.seats)
    rules = manifest.get("games", {}).get(record.game, {}).get("sha256", "")
    with in_time(record, tournament.replay_s):
        return match_file(record, load_game(record.game), names, rules)


def _write_match(match: "MatchFile", out: Path | None) -> None:
    from tourney.journal import folder
    from tourney.journal.export import as_json

    if out is None:
        echo_json(as_json(match).rstrip("\n"))
        return
    with folder.output(out) as file:
        file.write(as_json(match).encode())
    echo(f"wrote {out}: {match.record.match}; tourney replay {shlex.quote(str(out))} shows it")


def _write_table(path: Path, out: Path | None, parquet: bool) -> None:
    from tourney.journal import folder
    from tourney.journal.export import SeatRows, csv_parts, require_parquet, write_parquet
    from tourney.schedule.base import schedule

    if parquet:
        require_parquet()
    plan = schedule(read_run(path)[1])
    rows = SeatRows(path, plan)
    if out is None:
        for part in csv_parts(rows):
            echo_text(part.rstrip("\n"))
    else:
        with interrupt.handled(), folder.output(out) as file:
            if parquet:
                write_parquet(file, rows)
            else:
                for part in csv_parts(rows):
                    file.write(part.encode())
        echo(f"wrote {out}: {rows.matches} matches, a row for each seat")
    if not plan.is_over(rows.matches):
        say_not_finished(rows.matches, plan)
