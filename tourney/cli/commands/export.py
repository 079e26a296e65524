"""`tourney export`: a match as a file to hand around, or all matches of a run as a table."""

import shlex
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Literal

import click

from tourney.base.errors import ConfigError, RunError
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.playing import reading_pool
from tourney.cli.screen import echo, echo_json, echo_text
from tourney.journal import export, folder
from tourney.journal.run import RunFolder, check_name
from tourney.journal.search import find_records
from tourney.journal.told import Told
from tourney.plugins.registry import load_game
from tourney.table.replay import in_time


@click.command("export")
@opt.RUN
@click.argument("match", required=False)
@click.option("-o", "--out", metavar="FILE", type=opt.PATH, help="Output file.  [default: stdout]")
@click.option(
    "--format", "form", type=click.Choice(["json", "csv", "jsonl", "parquet"]),
    help="json for a MATCH; csv or parquet for a row per seat and match; also jsonl for --decisions.  "
    "[default: json]",
)  # fmt: skip
@click.option("--decisions", "by_decision", is_flag=True, help="Write a row per decision.")
@click.option("--game", metavar="GAME", help="With --decisions: only this game.")
@click.option(
    "--view",
    type=click.Choice(["new", "full"]),
    help="With --decisions: all events in each view, or only those since the seat's last decision.  [default: new]",
)
@click.option("--encode", is_flag=True, help="Add the encoded view and the mask of legal actions; parquet only.")
@click.option("--open", "hidden", is_flag=True, help="Add hidden information: the other seats' views.")
@opt.WORKERS
def command(
    run: str, match: str | None, out: Path | None, form: Literal["json", "csv", "jsonl", "parquet"] | None,
    by_decision: bool, game: str | None, view: Literal["new", "full"] | None, encode: bool, hidden: bool,
    processes: str | None,
) -> None:  # fmt: skip
    """Export MATCH of RUN as one file, or all matches of RUN as a table.

    A match file has the record, game, options, seats and trace. `tourney replay FILE` shows it wherever the game is
    installed, and `tourney schema match` prints its JSON Schema. A table has a row per seat and match or, with
    --decisions, a row per decision with the seat's view. For the columns, see `tourney docs data-formats`.
    """
    _check(match, form, by_decision, encode, bool(hidden or game or view or processes))
    if form == "parquet" and out is None:
        raise ConfigError("--format parquet requires -o FILE, because it is binary")
    opened = RunFolder.find(run)
    if out is not None:
        folder.make_parent(out, "-o")
    if by_decision:
        _write_decisions(opened, out, form, game, encode, hidden, view or "new", processes)
    elif match is None:
        rows = export.SeatRows(opened)
        _write_rows(out, rows, form, "seat", rows.csv_parts())
        opt.say_if_unfinished(rows.matches, rows.plan)
    else:
        _write_match(opened, match, out, run)


def _check(match: str | None, form: str | None, by_decision: bool, encode: bool, of_decisions: bool) -> None:
    if match is not None and (by_decision or form not in (None, "json")):
        given = "--decisions" if by_decision else f"--format {form}"
        raise ConfigError(f"{given} cannot be combined with {match}, because it exports all matches of a run")
    if not by_decision and (encode or of_decisions or form == "jsonl"):
        raise ConfigError("--game, --view, --encode, --open, --workers and --format jsonl require --decisions")
    if match is None and form in (None, "json"):
        if by_decision:
            raise ConfigError("--decisions requires --format csv, jsonl or parquet")
        raise ConfigError("missing MATCH; name a match, or use --format csv or parquet for all of them")
    if encode and form != "parquet":
        raise ConfigError("--encode requires --format parquet, for its lists of numbers")


def _write_decisions(
    run: RunFolder, out: Path | None, form: str | None, game: str | None, encode: bool, hidden: bool,
    view: Literal["new", "full"], processes: str | None,
) -> None:  # fmt: skip
    from tourney.review import decisions

    check_name("game", game, run.tournament.games)
    rows = decisions.DecisionRows(run, game, encode, hidden, Told([run], asked=["notes"]), view)
    if (pool := reading_pool(run.path, run.tournament, processes, rows.reader)) is not None:
        rows.read_matches = partial(decisions.in_workers, pool)
    _write_rows(out, rows, form, "decision", decisions.json_parts(rows) if form == "jsonl" else rows.csv_parts())
    opt.say_if_unfinished(rows.read, rows.plan)


def _write_match(run: RunFolder, match: str, out: Path | None, name: str) -> None:
    told = Told([run], asked=["seeds"])
    if not told.has("seeds"):
        show = shlex.join(["tourney", "replay", name, match])
        raise RunError(f"{told.why_secret()}; a match file contains its secret seed; to see the match: {show}")
    (record,) = find_records(run, match)
    with in_time(record, run.tournament.replay_s):
        text = export.as_json(export.file_of(run, record, load_game(record.game)))
    if out is None:
        echo_json(text.rstrip("\n"))
        return
    with folder.output(out) as file:
        file.write(text.encode())
    echo(f"wrote {out}: {record.match}; tourney replay {shlex.quote(str(out))} shows it")


def _write_rows(out: Path | None, rows: export.DataRows, form: str | None, unit: str, parts: Iterator[str]) -> None:
    if form == "parquet":
        export.require_parquet()
    if out is None:
        for part in parts:
            echo_text(part.rstrip("\n"))
        return
    with interrupt.handled(), folder.output(out) as file:
        if form == "parquet":
            rows.write_parquet(file)
        else:
            file.writelines(part.encode() for part in parts)
    echo(f"wrote {out}: {rows.matches} matches, a row for each {unit}")
