"""`tourney export`: a match as a file that `replay` shows, and a run as a table that others read; `tourney bundle`."""

import contextlib
import re
from importlib import import_module
from zipfile import ZipFile

import orjson
import pytest

from tests.conftest import BAD, ROOT, called, tournament_text, with_code
from tourney import load
from tourney.journal import folder
from tourney.journal.export import SeatRow
from tourney.journal.folder import read_lines
from tourney.plugins.registry import load_game
from tourney.review.decisions import FIXED
from tourney.table.replay import trace

BOT = """
import sys
class Bot:
    def act(self, view, legal):
        print("{name}'s own words", file=sys.stderr)
        return legal[0] if len(legal) < {least} else legal.nothing
"""
BOTS = '[[bot]]\nname = "{name}"\nuse = "{name}.py:Bot"\nhost = "process"\n'


@pytest.fixture(scope="module")
def run(tmp_path_factory, shared_run):
    """A run in which a bot makes faults."""
    config = tmp_path_factory.mktemp("runs") / "faulty.toml"
    extra = f'[[bot]]\nname = "bad"\nuse = "{BAD}:RaisesLater"'
    config.write_text(tournament_text("faulty", deals="2", bots='["first", "random"]', extra=extra), encoding="utf-8")
    return shared_run(config)


@pytest.mark.needs("dev")
def test_pandas_reads_csv_as_it_was_written_by_the_call_in_the_docs(tmp_path):
    pandas = import_module("pandas")
    names = ["007", "NA", "1e5"]
    tables = "".join([f'[[bot]]\nname = "{name}"\nuse = "first"\n' for name in names])
    (tmp_path / "t.toml").write_text(tournament_text("t", bots="[]", deals="1", extra=tables), encoding="utf-8")
    with_code(called(["run", "t.toml", "--quiet"], tmp_path))
    page = (ROOT / "docs" / "data-formats.md").read_text(encoding="utf-8")
    (call,) = re.findall(r"\nrows = (pd\.read_csv\(.*\))\n", page)
    for command, key in (("export", "seat"), ("standings", "rank"), ("standings --show cross", "matches")):
        words = [*command.split(), "t", "--format"]
        (tmp_path / "quick.csv").write_text(with_code(called([*words, "csv"], tmp_path)).stdout, encoding="utf-8")
        with contextlib.chdir(tmp_path):
            rows = eval(call, {"pd": pandas})
        assert set(rows["bot"]) == set(names)
        assert rows[key].dtype == int


def test_a_match_in_a_file_is_shown_as_from_its_run(run, tmp_path):
    printed = called(["export", str(run), "vole-1-0"], tmp_path)
    assert (printed.returncode, printed.stderr) == (0, "")
    (tmp_path / "match.json").write_text(printed.stdout, encoding="utf-8")
    data = orjson.loads(printed.stdout)
    assert orjson.dumps(data["record"]) + b"\n" in list(read_lines(run))
    assert data["rules"] == orjson.loads((run / "manifest.json").read_bytes())["games"]["vole"]["sha256"]
    for how in ([], ["--seat", "1"], ["--json"], ["--json", "--seat", "0"], ["--from", "3", "--to", "5"]):
        from_file = with_code(called(["replay", "match.json", *how], tmp_path))
        assert from_file.stdout == called(["replay", str(run), "vole-00001-0", *how], tmp_path).stdout
    assert called(["replay", "match.json", "--html", "match.html"], tmp_path).returncode == 0
    assert "tourney debug" not in (tmp_path / "match.html").read_text(encoding="utf-8").split('id="match"')[-1][:300]


@pytest.mark.slow
@pytest.mark.needs("dev")
def test_csv_and_parquet_hold_the_same_with_types_and_what_is_missing(run, tmp_path):
    polars = import_module("polars")
    for form in ("csv", "parquet"):
        with_code(called(["export", str(run), "--format", form, "-o", f"run.{form}"], tmp_path))
    table, rows = str(tmp_path / "run.csv"), polars.read_parquet(str(tmp_path / "run.parquet"))
    assert tuple(rows.columns) == SeatRow._fields
    kinds = {"points": polars.Float64, "round": polars.Int64, "seat": polars.Int64}
    assert {name: rows.schema[name] for name in kinds} == kinds
    assert rows["fault"].null_count() > 0
    assert polars.read_csv(table, schema_overrides={"round": polars.Int64}).select(rows.columns).equals(rows)


def test_the_page_lists_the_columns_in_their_order():
    page = (ROOT / "docs" / "data-formats.md").read_text(encoding="utf-8")
    rows = (SeatRow._fields, [each.name for each in FIXED])
    lists = [text for text in page.split("\n\n") if text.startswith("- `match`, ")]
    for listed, columns in zip(lists, rows, strict=True):
        names = "".join(re.findall(r"^- (.+?): ", listed, re.MULTILINE))
        assert [*columns] == re.findall(r"`(\w+)`", names)[: len(columns)]


def test_a_bundle_has_the_matches_of_a_bot_as_its_seat_saw_them_and_nothing_of_others(tourney, tmp_path):
    for name, least in (("kate", 8), ("ben", 99)):
        (tmp_path / f"{name}.py").write_text(BOT.format(name=name, least=least))
    extra = "".join([BOTS.format(name=name) for name in ("kate", "ben")])
    text = tournament_text("cup", seed='"not for kate"', deals="2", bots='["random"]', extra=extra)
    (tmp_path / "cup.toml").write_text(text)
    assert tourney("run", "cup.toml", "--quiet", "--workers", "1").returncode == 0
    for name in ("kate.zip", "again.zip"):
        told = with_code(tourney("bundle", "cup", "--bot", "kate", "-o", name)).stdout
    assert (tmp_path / "kate.zip").read_bytes() == (tmp_path / "again.zip").read_bytes()
    with ZipFile(tmp_path / "kate.zip") as bundle:
        files = {name.removeprefix("kate/"): bundle.read(name).decode() for name in bundle.namelist()}
    run = tmp_path / "results" / "cup"
    manifest = folder.read_manifest(run)
    hers = [record for record in load(run).records() if "kate" in record.seats]
    assert told == f"wrote again.zip: {len(hers)} matches of kate, as its seat saw them\n"
    seen = {f"matches/{each.match}-seat-{each.seats.index('kate')}" for each in hers}
    more = {"standings.txt", "standings.json", "faults/kate.txt", "logs/kate.txt", "notes/kate.jsonl"}
    assert files.keys() == more | {f"{name}.{ending}" for name in seen for ending in ("txt", "jsonl")}
    assert files["standings.txt"] == (run / "standings.txt").read_text()
    assert files["faults/kate.txt"].count("\nvole-") + 1 == sum([len(record.faults) for record in hers]) > 0
    assert "kate's own words" in files["logs/kate.txt"]
    assert 'File "kate.py"' in files["logs/kate.txt"]
    everything = "\n".join(files.values())
    secrets = [str(tmp_path), "not for kate", manifest["tournament"]["seed"], "ben's own words"]
    for record in hers:
        secrets.append(record.seed)
        for event in trace(record, load_game(record.game)):
            if event["kind"] == "deal":
                secrets += [" ".join(event["deck"]), '","'.join(event["deck"])]
                hand = event["hands"][1 - record.seats.index("kate")]
                secrets += [between.join(cards) for cards in (hand, sorted(hand)) for between in (" ", '","')]
    assert [secret for secret in secrets if secret in everything] == []
    assert tourney("bundle", "cup", "--bot", "cate", "-o", "x.zip").returncode == 2
