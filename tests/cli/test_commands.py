"""The commands that look at a run, and what they say to wrong use."""

import csv
import io
import os
import subprocess

import orjson
import pytest

from tests.conftest import BAD, TOURNEY
from tourney import audit, config, store
from tourney.schedule.formats import schedule


@pytest.fixture
def faulty(tourney, write, tmp_path):
    """The folder of a run in which a bot faults."""
    extra = f'[[bot]]\nname = "bad"\nuse = "{BAD}:RaisesLater"'
    result = tourney("run", write(bots='["first", "random"]', extra=extra), "--out", "faulty", "--quiet")
    assert result.returncode == 0, result.stderr
    return tmp_path / "faulty"


def test_standings_come_in_four_formats_that_agree(tourney, finished):
    data = orjson.loads(tourney("standings", finished, "--format", "json").stdout)
    rows = list(csv.reader(io.StringIO(tourney("standings", finished, "--format", "csv").stdout)))
    lines = tourney("standings", finished).stdout.splitlines()
    marked = tourney("standings", finished, "--format", "markdown").stdout.splitlines()
    assert len(data) == len(rows) - 1 == len(lines) - 2 == len(marked) - 2 == 3
    for i, row in enumerate(data):
        assert rows[i + 1] == lines[i + 2].split() == marked[i + 2].strip("|").replace("|", " ").split()
        assert rows[i + 1][1] == row["bot"]
        assert float(rows[i + 1][2]) == round(row["points_percent"], 1)
    assert orjson.loads((finished / "standings.json").read_bytes()) == data


def test_the_cross_table_has_a_row_and_a_column_for_each_bot(tourney, finished):
    data = orjson.loads(tourney("standings", finished, "--cross", "--format", "json").stdout)
    for name, row in data.items():
        for other, share in row.items():
            assert share + data[other][name] == 100
    assert len(tourney("standings", finished, "--cross").stdout.splitlines()) == 5


def test_ratings_come_with_error_bars_and_the_worth_of_each_seat(tourney, finished):
    data = orjson.loads(tourney("standings", finished, "--ratings", "--format", "json").stdout)
    assert {row["bot"] for row in data["ratings"]} == {"random", "first", "steady"}
    assert data["ratings"][0]["bot"] == "steady"
    assert round(sum(row["rating"] for row in data["ratings"])) == 4500
    for row in data["ratings"]:
        assert row["low"] < row["rating"] < row["high"]
    assert round(sum(row["points"] for row in data["seats"]), 6) == 100
    lines = tourney("standings", finished, "--ratings").stdout.splitlines()
    assert lines[2].split()[:3] == ["1", "steady", f"{data['ratings'][0]['rating']:.0f}"]
    assert lines[-1].split()[:3] == ["vole", "2", "1"]
    assert len(tourney("standings", finished, "--ratings", "--format", "csv").stdout.splitlines()) == 4
    assert tourney("standings", finished, "--ratings", "--cross").returncode == 2


def test_standings_of_one_game_and_of_none_that_there_is(tourney, finished):
    assert tourney("standings", finished, "--game", "vole").stdout == tourney("standings", finished).stdout
    result = tourney("standings", finished, "--game", "vol")
    assert result.returncode == 2
    assert result.stderr == 'tourney: the run has no game "vol"; did you mean "vole"?\n'


def test_the_standings_count_faults_and_matches_lists_them(tourney, faulty):
    rows = {line.split()[1]: line.split() for line in tourney("standings", faulty).stdout.splitlines()[2:]}
    assert {name: row[-1] for name, row in rows.items()} == {"first": "0", "random": "0", "bad": "16"}
    assert rows["bad"][2] == "0.0"
    lines = tourney("matches", faulty, "--faults").stdout.splitlines()
    assert len(lines) == 16
    for line in lines:
        assert "bad: error at decision" in line
        assert "ValueError at bots.py:" in line


def test_matches_are_listed_by_bot_and_game(tourney, finished):
    assert len(tourney("matches", finished).stdout.splitlines()) == 24
    some = tourney("matches", finished, "--bot", "steady", "--game", "vole").stdout.splitlines()
    assert len(some) == 16
    assert all("steady" in line for line in some)
    result = tourney("matches", finished, "--bot", "stedy")
    assert (result.returncode, result.stderr) == (2, 'tourney: the run has no bot "stedy"; did you mean "steady"?\n')


def test_replay_tells_the_match_as_everyone_and_as_one_seat(tourney, finished):
    told = tourney("replay", finished, "vole-00001-0").stdout
    assert told.splitlines()[0].startswith("vole-00001-0: vole, seed ")
    assert "\nround 1: leader " in told
    assert told.splitlines()[-1].startswith("end: ")
    assert max(map(len, told.splitlines())) <= 80
    seen = tourney("replay", finished, "vole-00001-0", "--seat", 1).stdout
    assert "seat 1, steady" in seen
    assert "seat 0, random" not in seen
    events = [orjson.loads(line) for line in tourney("replay", finished, "vole-00001-0", "--json").stdout.splitlines()]
    deal = next(event for event in events if event["kind"] == "deal")
    first = next(line for line in seen.splitlines() if line.startswith("  hand: ")).split()[1:]
    assert set(first) <= set(deal["hands"][1])


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


def test_replay_of_what_is_not_there_is_one_line(tourney, finished):
    result = tourney("replay", finished, "vole-00001-00")
    assert result.returncode == 2
    assert 'no match "vole-00001-00"; did you mean "vole-00001-0"?' in result.stderr
    result = tourney("replay", finished, "vole-00001-0", "--seat", 2)
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "seats are 0 to 1" in result.stderr


def test_verify_says_how_many_records_hold(tourney, finished):
    result = tourney("verify", finished)
    assert (result.returncode, result.stdout) == (0, "24 of 24 records hold\n")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (b'"seats":["random","steady"]', b'"seats":["random","stezdy"]', "seats is"),
        (b'"block":1,', b'"block":9,', "block is 9"),
        (b'"options":{"target":6}', b'"options":{"target":7}', "options is"),
        (b'"actions":"play', b'"actions":"plax', "decision 1: vole has no action"),
        (b'"places":[2,1]', b'"places":[1,1]', "places: "),
        (b'"faults":[]', b'"faults":[ ]', "does not read as it was written"),
        (b'"digest":"', b'"digest":"x', "digest: "),
        (b'{"match"', b'{"mat_h"', "is no record"),
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


def test_every_single_character_of_a_record_counts(finished):
    file = finished / "journal.jsonl"
    whole = file.read_bytes()
    line = whole.splitlines(keepends=True)[2]
    start = whole.index(line)
    tournament = config.of_manifest(store.read_manifest(finished))
    for at in range(start, start + len(line) - 1, 5):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        found = [problem for problem in audit.problems(finished, schedule(tournament)) if problem]
        assert found, f"nobody notices character {at - start} of the record"
        assert found[0].startswith("match vole-00001-0 (line 3): ")


def test_games_and_bots_are_listed_with_their_options(tourney):
    assert "The Vole in the Valley" in tourney("games").stdout
    told = tourney("games", "vole").stdout
    for part in ("play:CARD", "target = 21", "sevens", "max_rounds", "docs/rules/vole.md", "16 is the short game"):
        assert part in told
    listed = tourney("bots").stdout
    for name in ("random", "steady", "first"):
        assert f"{name}: " in listed
    assert max(map(len, (told + listed).splitlines())) <= 80
    result = tourney("games", "vola")
    assert (result.returncode, result.stderr) == (2, 'tourney: no game "vola"; did you mean "vole"?\n')


@pytest.mark.parametrize("command", ["standings", "matches", "verify", "replay"])
def test_a_run_that_is_not_there_is_one_line(tourney, command):
    arguments = ["nowhere"] + (["match"] if command == "replay" else [])
    result = tourney(command, *arguments)
    assert result.returncode == 2
    assert result.stderr == "tourney: nowhere: there is no such run, neither here nor under results/\n"


def test_wrong_use_exits_with_2(tourney):
    for arguments in (["no-such-command"], ["run"], ["standings", "x", "--format", "xml"], ["run", "x", "--force"]):
        result = tourney(*arguments)
        assert result.returncode == 2
        assert "Traceback" not in result.stderr


def test_a_pipe_that_closes_is_no_error(finished):
    result = subprocess.run(
        ["bash", "-c", f"{TOURNEY} matches {finished} | head -1"],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ,
    )
    assert len(result.stdout.splitlines()) == 1
    assert "Traceback" not in result.stderr


def test_help_names_every_command_and_every_command_has_help(tourney):
    told = tourney("--help").stdout
    for command in ("run", "standings", "matches", "replay", "verify", "games", "bots"):
        assert f"\n  {command} " in told
        own = tourney(command, "--help")
        assert own.returncode == 0
        assert own.stdout.startswith(f"Usage: tourney {command}")
    assert "tourney, version" in tourney("--version").stdout
