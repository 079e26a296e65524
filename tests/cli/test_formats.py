"""Tournaments of every format, as a user runs them: the same bytes whatever happens; every command reads them."""

import random

import orjson
import pytest

from tests.cli.test_run import DAMAGE, journal, kill_again_and_again, one_line, same_run
from tests.conftest import BAD
from tourney.match import Match, record_as
from tourney.store import parse_line

MANY = "\n".join(
    [f'[[bot]]\nname = "{use}-{i}"\nuse = "{use}"' for use in ("random", "first", "steady") for i in (2, 3)]
)
FORMATS = {
    "round-robin": {"groups": "9", "deals": "4"},
    "gauntlet": {"challengers": '["steady", "first-2"]', "deals": "4"},
    "swiss": {"rounds": "4", "deals": "3", "seatings": '"all"'},
    "knockout": {"deals": "5"},
}
SHORT = '[[game]]\nname = "vole"\noptions = { target = 6 }\nweight = 2'
THREE = '[[game]]\nname = "bang"\nseats = 3'
CASES = {  # every format, for two seats and for three
    **{form: (form, {"game": SHORT}) for form in FORMATS},
    **{f"{form} of three": (form, {"game": THREE, "deals": "1"}) for form in FORMATS},
    "swiss at smaller tables": ("swiss", {"game": THREE.replace("3", "4"), "deals": "1", "seatings": '"rotations"'}),
}


@pytest.fixture
def config(write):
    """Writes a tournament of that format between nine bots."""

    def config(form: str, **keys: str):
        return write(form, format=f'"{form}"', extra=MANY, **{"game": SHORT} | FORMATS[form] | keys)

    return config


@pytest.mark.parametrize("case", CASES)
def test_one_worker_and_two_write_the_same_bytes_and_every_command_reads_them(tourney, config, tmp_path, case):
    form, keys = CASES[case]
    file = config(form, **keys)
    for out, workers in (("A", 1), ("B", 2)):
        result = tourney("run", file, "--out", out, "--workers", workers)
        assert result.returncode == 0, result.stderr
    assert journal(tmp_path / "A") == journal(tmp_path / "B")
    lines = journal(tmp_path / "A").splitlines(keepends=True)
    assert f"{form}: {form} of " in result.stderr
    assert f", {len(lines)} matches, 2 workers" in result.stderr
    assert tourney("verify", "A").stdout == f"{len(lines)} of {len(lines)} records hold\n"
    assert tourney("standings", "A").stdout == result.stdout
    last = tourney("matches", "A").stdout.splitlines()[-1].split()[0]
    assert tourney("replay", "A", last).returncode == 0
    # an unfinished run, in the midst of a round and in the midst of a block
    (tmp_path / "A" / "journal.jsonl").write_bytes(b"".join(lines[: len(lines) * 2 // 3]) + lines[-1][:50])
    for command in ("standings", "verify"):
        result = tourney(command, "A")
        assert result.returncode == 0
        assert result.stderr == f"not finished: {len(lines) * 2 // 3} of {len(lines)} matches were played\n"
    assert len(tourney("matches", "A").stdout.splitlines()) == len(lines) * 2 // 3
    assert tourney("run", file, "--out", "A", "--resume").returncode == 0
    assert journal(tmp_path / "A") == journal(tmp_path / "B")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_killed_at_random_moments_and_resumed_it_comes_to_the_same_bytes(tourney, config, tmp_path, case):
    form, keys = CASES[case]
    larger = {"deals": "12", "game": '[[game]]\nname = "vole"'} if keys["game"] == SHORT else {"deals": "4"}
    file = config(form, **keys | larger)
    assert tourney("run", file, "--out", "whole").returncode == 0
    kill_again_and_again(tmp_path, random.Random(case), 3, file)
    assert tourney("run", file, "--out", "killed", "--resume").returncode == 0
    same_run(tmp_path / "killed", tmp_path / "whole")


@pytest.mark.parametrize("case", [case for case in CASES if case.startswith(("swiss", "knockout"))])
def test_it_goes_on_from_any_line(tourney, config, tmp_path, case):
    form, keys = CASES[case]
    file = config(form, **keys | {"deals": "1"})
    assert tourney("run", file, "--out", "run").returncode == 0
    whole = journal(tmp_path / "run")
    lines = whole.splitlines(keepends=True)
    for kept in random.Random(case).sample(range(len(lines)), 2):
        (tmp_path / "run" / "journal.jsonl").write_bytes(b"".join(lines[:kept]) + b'{"match":"vo')
        assert tourney("run", file, "--out", "run", "--resume", "--workers", 2).returncode == 0
        assert journal(tmp_path / "run") == whole


@pytest.mark.parametrize("form", ["gauntlet", "swiss", "knockout"])
def test_a_damaged_journal_is_one_line_and_verify_tells_what_holds(tourney, config, tmp_path, form):
    file = config(form, deals="1")
    assert tourney("run", file, "--out", "run").returncode == 0
    path = tmp_path / "run" / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    for damage in ("another JSON", "a record missing", "two records swapped", "a record too many"):
        path.write_bytes(b"".join(DAMAGE[damage](lines)))
        one_line(tourney("standings", "run"), 2, "journal.jsonl, line ")
        result = tourney("verify", "run")
        assert (result.returncode, result.stderr.count("Traceback")) == (1, 0)
    one_line(tourney("run", file, "--out", "run", "--resume"), 2, "journal.jsonl, line ")
    first = orjson.loads(lines[0])
    places = b'"places":' + orjson.dumps(first["places"])
    assert places in lines[0]
    path.write_bytes(b"".join([lines[0].replace(places, b'"places":[3,3]'), *lines[1:]]))
    told = tourney("verify", "run").stdout.splitlines()
    assert told[0].startswith(f"match {first['match']} (line 1): places: ")
    assert told[1:] == [f"{len(lines) - 1} of {len(lines)} records hold"]


def test_a_pairing_that_is_not_the_schedules_is_read_but_not_verified_and_not_gone_on_with(tourney, config, tmp_path):
    """Two entrants have changed places in every record of the first round, and all seals hold."""
    file = config("swiss", deals="1")
    assert tourney("run", file, "--out", "run").returncode == 0
    path = tmp_path / "run" / "journal.jsonl"
    records = [parse_line(line, "") for line in path.read_bytes().splitlines(keepends=True)]
    one, other = records[0].seats[0], records[2].seats[0]

    def forged(names: dict[str, str]) -> list[bytes]:
        """The journal with other names in the first round, which has four tables with two matches each."""
        found = []
        for number, each in enumerate(records):
            seats = tuple([names.get(name, name) if number < 8 else name for name in each.seats])
            match = Match(each.match, each.contest, each.block, int(each.seed, 16), seats)
            found.append(record_as(match, each).line())
        return found

    swapped = forged({one: other, other: one})
    path.write_bytes(b"".join(swapped))
    assert tourney("standings", "run").returncode == 0
    told = tourney("verify", "run")
    assert told.returncode == 1
    assert "seats is " in told.stdout.splitlines()[0]
    path.write_bytes(b"".join(swapped[:7]))
    one_line(tourney("run", file, "--out", "run", "--resume"), 2, "round 1: the journal has ", "the schedule says ")
    assert path.read_bytes() == b"".join(swapped[:7])
    # nobody of that name is entered; somebody sits at two tables; and a table has somebody twice
    for name, says in (("stranger", "seats is "), (other, "the schedule says "), (records[0].seats[1], "seats is ")):
        path.write_bytes(b"".join(forged({one: name})))
        one_line(tourney("standings", "run"), 2, "journal", says)


def test_a_bot_that_faults_changes_nothing_but_its_own_matches(tourney, write, tmp_path):
    """It plays a Swiss to its end, and another run comes to the same bytes."""
    extra = f'[[bot]]\nname = "bad"\nuse = "{BAD}:KillsItselfLater"\n[limits]\nmatch_s = 20'
    file = write("bad", format='"swiss"', rounds="2", deals="1", bots='["first", "random", "steady"]', extra=extra)
    for out, workers in (("A", 1), ("B", 2)):
        assert tourney("run", file, "--out", out, "--workers", workers).returncode == 0
    assert journal(tmp_path / "A") == journal(tmp_path / "B")
    assert {
        orjson.loads(line)["faults"][0]["kind"] for line in journal(tmp_path / "A").splitlines() if b'"bad"' in line
    } == {"crash"}


def test_a_manifest_that_no_schedule_can_be_made_of_is_one_line(tourney, config, tmp_path):
    assert tourney("run", config("swiss", deals="1"), "--out", "run").returncode == 0
    path = tmp_path / "run" / "manifest.json"
    manifest = orjson.loads(path.read_bytes())
    for key, value in (
        ("rounds", None),
        ("rounds", 0),
        ("groups", 3),
        ("seatings", 3),
        ("weights", [1, 2]),
        ("weights", [0]),
    ):
        damaged = manifest | {"tournament": manifest["tournament"] | {key: value}}
        path.write_bytes(orjson.dumps(damaged))
        one_line(tourney("standings", "run"), 2, "the manifest is damaged")
