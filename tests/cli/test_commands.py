"""The commands that look at a run, and what they say to wrong use."""

import csv
import io

import orjson
import pytest

from tests.conftest import BAD


@pytest.fixture
def faulty(write, played):
    """The folder of a run in which a bot faults."""
    extra = f'[[bot]]\nname = "bad"\nuse = "{BAD}:RaisesLater"'
    return played(write(bots='["first", "random"]', extra=extra), "faulty")


def test_standings_come_in_four_formats_and_the_run_folder_has_two_of_them(tourney, finished):
    data = orjson.loads(tourney("standings", finished, "--format", "json").stdout)
    rows = list(csv.DictReader(io.StringIO(tourney("standings", finished, "--format", "csv").stdout)))
    table = tourney("standings", finished).stdout
    marked = tourney("standings", finished, "--format", "markdown").stdout
    assert [row["bot"] for row in data] == [row["bot"] for row in rows]
    for i, row in enumerate(data):
        assert table.splitlines()[i + 2].split()[1] == marked.splitlines()[i + 2].split()[3] == row["bot"]
        assert {key: "" if value is None else str(value) for key, value in row.items()} == rows[i]
    assert orjson.loads((finished / "standings.json").read_bytes()) == data
    assert (finished / "standings.txt").read_text(encoding="utf-8") == table
    assert max(map(len, table.splitlines())) <= 80


def test_the_cross_table_has_a_row_and_a_column_for_each_bot(tourney, finished):
    data = orjson.loads(tourney("standings", finished, "--cross", "--format", "json").stdout)
    for name, row in data.items():
        for other, pair in row.items():
            assert pair["percent"] + data[other][name]["percent"] == 100
            assert pair["matches"] == 8
    assert len(tourney("standings", finished, "--cross", "--format", "csv").stdout.splitlines()) == 7


def test_the_standings_count_faults_and_matches_lists_them(tourney, faulty):
    rows = {row["bot"]: row for row in orjson.loads(tourney("standings", faulty, "--format", "json").stdout)}
    assert {name: row["faults"] for name, row in rows.items()} == {"first": 0, "random": 0, "bad": 16}
    assert rows["bad"]["points_percent"] == 0
    lines = tourney("matches", faulty, "--faults").stdout.splitlines()
    assert len(lines) == 16
    for line in lines:
        assert "bad: error at decision" in line
        assert "ValueError at bots.py:" in line


def test_replay_shows_the_decisions_that_are_asked_for(tourney, finished):
    whole = tourney("replay", finished, "vole-00001-0", "--json").stdout.splitlines()
    some = tourney("replay", finished, "vole-00001-0", "--json", "--from", 5, "--to", 9).stdout.splitlines()
    acts = [line for line in whole if '"kind":"act"' in line]
    assert [line for line in some if '"kind":"act"' in line] == acts[4:9]
    seat = tourney("replay", finished, "vole-00001-0", "--json", "--seat", 0, "--from", 5, "--to", 9).stdout
    for line in seat.splitlines():
        decision = orjson.loads(line)
        assert 5 <= decision["decision"] <= 9
        assert decision["seat"] == decision["view"]["seat"] == 0
        assert decision["action"] in decision["legal"]


def test_replay_of_a_fault_shows_the_answer_and_the_house(tourney, faulty):
    name = tourney("matches", faulty, "--faults").stdout.split()[0]
    told = tourney("replay", faulty, name).stdout
    assert told.count("FAULT error") == 1
    assert "by the house" in told
    bad = next(line for line in told.splitlines() if line.startswith("seats: ")).split("bad")[0][-2]
    assert "the house moves" in tourney("replay", faulty, name, "--seat", bad).stdout


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b'"seats":["random","steady"]', b'"seats":["random","stezdy"]', "seats is"),
        (b'"actions":"play', b'"actions":"plax', "decision 1: vole has no action"),
        (b'"places":[2,1]', b'"places":[1,1]', "places: "),
        (b'"digest":"', b'"digest":"x', "digest"),
    ],
)
def test_verify_names_the_match_and_the_first_difference(tourney, finished, old, new, says):
    file = finished / "journal.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    at = next(i for i, line in enumerate(lines) if b'"vole-00001-0"' in line)
    if old == b'"places":[2,1]' and old not in lines[at]:
        old = b'"places":[1,2]'
    assert old in lines[at]
    lines[at] = lines[at].replace(old, new, 1)
    file.write_bytes(b"".join(lines))
    result = tourney("verify", finished)
    assert result.returncode == 1
    first, last = result.stdout.splitlines()
    assert first.startswith(f"match vole-00001-0 (line {at + 1}): ")
    assert says in first
    assert last == "23 of 24 records hold"


def test_blocks_with_a_fault_can_be_left_out(tourney, faulty):
    result = tourney("standings", faulty, "--without-faults", "--format", "json")
    assert result.stderr == "left out: 8 blocks with a fault\n"
    rows = {row["bot"]: row for row in orjson.loads(result.stdout)}
    assert {name: (row["matches"], row["faults"]) for name, row in rows.items()} == {
        "first": (8, 0),
        "random": (8, 0),
        "bad": (0, 0),
    }
    assert rows["bad"]["rating"] is rows["bad"]["points_percent"] is None
    assert rows["bad"]["rank"] == 3
    assert tourney("standings", faulty, "--without-faults", "--seats").stdout.splitlines()[2].split()[-1] == "8"


def test_the_standings_have_more_columns_on_a_wider_terminal(tourney, finished):
    heads = [tourney("standings", finished, COLUMNS=str(n)).stdout.split("\n")[0].split() for n in (40, 80)]
    assert set(heads[0]) < set(heads[1])
