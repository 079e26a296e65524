"""`tourney export`: a match as a file that `replay` shows without the run, and a run as a table that others read."""

import csv
import os
import re
import subprocess
import sys
from itertools import islice

import orjson
import pytest

from tests.cli.runs import one_line
from tests.conftest import ROOT, called, tournament_text
from tourney.journal.export import TOGETHER, SeatRow, SeatRows, csv_parts, write_parquet
from tourney.journal.reader import read_lines

MATCH = "vole-00001-0"


@pytest.fixture(scope="module")
def run(tmp_path_factory, shared_run):
    """A run in which a bot makes faults."""
    folder = tmp_path_factory.mktemp("runs")
    config = folder / "faulty.toml"
    extra = f'[[bot]]\nname = "bad"\nuse = "{ROOT}/tests/bad/bots.py:RaisesLater"'
    config.write_text(tournament_text("faulty", deals="2", bots='["first", "random"]', extra=extra), encoding="utf-8")
    return shared_run(config)


def test_a_match_in_a_file_is_shown_as_from_its_run(run, tmp_path):
    written = called(["export", str(run), "vole-1-0", "-o", "match.json"], tmp_path)
    assert (written.returncode, written.stderr) == (0, "")
    assert written.stdout == f"wrote match.json: {MATCH}; tourney replay match.json shows it\n"
    for how in ([], ["--seat", "1"], ["--json"], ["--json", "--seat", "0"], ["--from", "3", "--to", "5"]):
        from_file = called(["replay", "match.json", *how], tmp_path)
        assert from_file.returncode == 0
        assert from_file.stdout == called(["replay", str(run), MATCH, *how], tmp_path).stdout
    page = called(["replay", "match.json", "--html", "match.html"], tmp_path)
    assert page.stdout == f"wrote match.html: {MATCH}; open it in a browser\n"
    assert "tourney debug" not in (tmp_path / "match.html").read_text(encoding="utf-8").split('id="match"')[-1][:300]


def test_a_match_goes_to_stdout_and_has_the_line_of_the_journal(run, tmp_path):
    printed = called(["export", str(run), MATCH], tmp_path)
    data = orjson.loads(printed.stdout)
    assert orjson.dumps(data["record"]) + b"\n" in list(read_lines(run))
    manifest = orjson.loads((run / "manifest.json").read_bytes())
    assert data["rules"] == manifest["games"]["vole"]["sha256"]
    (tmp_path / "match.json").write_text(printed.stdout, encoding="utf-8")
    assert called(["replay", "match.json"], tmp_path).returncode == 0


def test_a_table_has_a_row_for_each_seat(run, tmp_path):
    lines = [*csv.DictReader(called(["export", str(run), "--format", "csv"], tmp_path).stdout.splitlines())]
    records = [orjson.loads(line) for line in read_lines(run)]
    expected = [(record["match"], str(seat)) for record in records for seat in range(2)]
    assert [(line["match"], line["seat"]) for line in lines] == expected
    for line, record in zip(lines[::2], records, strict=True):
        assert (line["bot"], line["score"]) == (record["seats"][0], str(record["scores"][0]))
        assert line["points"] == str(float(2 - record["places"][0]) if record["places"] != [1, 1] else 0.5)
        assert (line["seed"], line["decisions"]) == (record["seed"], str(len(record["actions"].split())))
        assert orjson.loads(line["options"]) == record["options"] == {"target": 6}
    faults = {(record["match"], str(each["seat"])): each for record in records for each in record["faults"]}
    assert faults
    for line in lines:
        fault = faults.get((line["match"], line["seat"]), {"kind": "", "decision": ""})
        assert (line["fault"], line["fault_decision"]) == (fault["kind"], str(fault["decision"]))


@pytest.mark.slow
def test_pandas_polars_and_duckdb_read_the_same_from_csv_and_parquet(run, tmp_path):
    duckdb, pandas, polars = map(pytest.importorskip, ("duckdb", "pandas", "polars"))
    for form in ("csv", "parquet"):
        written = called(["export", str(run), "--format", form, "-o", f"run.{form}"], tmp_path)
        assert (written.returncode, written.stdout) == (0, f"wrote run.{form}: 12 matches, a row for each seat\n")
    table, parquet = str(tmp_path / "run.csv"), str(tmp_path / "run.parquet")
    rows = polars.read_parquet(parquet)
    assert tuple(rows.columns) == SeatRow._fields
    assert rows.schema["points"] == polars.Float64
    assert rows.schema["round"] == rows.schema["seat"] == polars.Int64
    assert rows["fault"].null_count() > 0
    means = {bot: rows.filter(polars.col("bot") == bot)["points"].mean() for bot in ("first", "random", "bad")}
    of_csv = polars.read_csv(table, schema_overrides={"round": polars.Int64})
    assert of_csv.select(rows.columns).equals(rows)
    for frame in (pandas.read_parquet(parquet), pandas.read_csv(table)):
        assert frame.groupby("bot").points.mean().to_dict() == pytest.approx(means)
    for file in (table, parquet):
        found = dict(duckdb.sql(f"select bot, avg(points) from '{file}' group by bot").fetchall())
        assert found == pytest.approx(means)


class ManyRows(SeatRows):
    """Rows of no run, which note how much of a file was written when the last of them is asked for."""

    def __init__(self, file=None) -> None:
        self.file = file
        self.written = 0

    def __iter__(self):
        for i in range(5 * TOGETHER if self.file else 10**12):
            yield SeatRow(f"vole-{i:05d}-0", "vole", "{}", i, None, "0" * 32, 2, 9, i % 2, "bot", 1, 1, 1.0, None, None)
        self.written = self.file.tell()


@pytest.mark.slow
def test_a_table_is_written_while_its_rows_are_read_so_that_it_may_be_of_any_size(tmp_path):
    head, part = islice(csv_parts(ManyRows()), 2)
    assert (head.count("\n"), part.count("\n")) == (1, TOGETHER)
    pytest.importorskip("pyarrow")
    with (tmp_path / "rows.parquet").open("wb") as file:
        rows = ManyRows(file)
        write_parquet(file, rows)
        assert rows.written > 0.7 * file.tell()


def test_the_page_lists_the_columns_in_their_order():
    page = (ROOT / "docs" / "export.md").read_text(encoding="utf-8").partition("| column |")[2]
    assert tuple(re.findall(r"(?m)^\| `(\w+)` \|", page)) == SeatRow._fields


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ([], "MATCH is missing; name a match, or give --format csv or parquet for all of them"),
        (["--format", "parquet"], "--format parquet is no text; say by -o which file to write"),
        ([MATCH, "--format", "csv"], f"--format csv is for all matches of a run; leave out {MATCH}, or --format"),
        (["vole-9-9"], 'no match "vole-9-9"; did you mean'),
        ([MATCH, "-o", "."], "-o .: is a folder; give the path of a file"),
        ([MATCH, "-o", "none/x.json"], "-o none/x.json: there is no folder none; make it, or give another path"),
    ],
)
def test_wrong_use_is_one_line(run, tmp_path, arguments, says):
    one_line(called(["export", str(run), *arguments], tmp_path), 2, says)


def test_a_full_disk_is_one_line_and_a_device_stays_what_it_is(run, tmp_path):
    for arguments in ([MATCH], ["--format", "csv"]):
        done = called(["export", str(run), *arguments, "-o", "/dev/full"], tmp_path)
        one_line(done, 4, "/dev/full: cannot be written (No space left on device); make room")
    assert not os.path.isfile("/dev/full")


def test_a_file_that_cannot_be_finished_leaves_the_old_one(run, tmp_path):
    (tmp_path / "old.csv").write_text("old", encoding="utf-8")
    journal = run / "journal.jsonl"
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    (damaged / "manifest.json").write_bytes((run / "manifest.json").read_bytes())
    (damaged / "journal.jsonl").write_bytes(journal.read_bytes().replace(b'"places":[1,2]', b'"places":[2,1]'))
    one_line(called(["export", "damaged", "--format", "csv", "-o", "old.csv"], tmp_path), 2, "was changed after")
    assert (tmp_path / "old.csv").read_text(encoding="utf-8") == "old"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["damaged", "old.csv"]


@pytest.mark.slow
def test_without_pyarrow_a_line_says_what_to_install(run, tmp_path):
    hidden = "import sys; sys.modules['pyarrow'] = None; from tourney.__main__ import main; main()"
    command = [sys.executable, "-c", hidden, "export", str(run), "--format", "parquet", "-o", "x.parquet"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    one_line(done, 2, "Parquet needs pyarrow; install it by: pip install 'tourney-cards[parquet]'")


@pytest.mark.parametrize("content", [b"{}", b"\x89PNG", b""])
def test_a_foreign_file_is_one_line(tmp_path, content):
    (tmp_path / "match.json").write_bytes(content)
    one_line(
        called(["replay", "match.json"], tmp_path), 2, "match.json: ", "give a file that `tourney export` has written"
    )


def test_replay_of_a_run_without_a_match_says_what_is_missing(run, tmp_path):
    one_line(called(["replay", str(run)], tmp_path), 2, "MATCH is missing", "write tourney replay RUN MATCH")
