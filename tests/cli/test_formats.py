"""Tournaments of every format as a user runs them: the same bytes whatever happens, readable by every command."""

import re
import shutil

import orjson
import pytest

from tests.cli.runs import bots_in, cut, journal, one_line, same_run
from tests.conftest import mostly_slow, with_code
from tourney import config as configuration
from tourney.cli.render import progress
from tourney.contracts.match import Match, record_as
from tourney.contracts.rng import seed_text
from tourney.journal.reader import parse_sealed_record
from tourney.schedule.base import schedule

USES = ("random", "first", "steady")
MANY = "\n".join([f'[[bot]]\nname = "{use}-{i}"\nuse = "{use}"' for use in USES for i in (2, 3)])
FORMATS = {
    "round-robin": {"groups": "9", "deals": "4"},
    "gauntlet": {"challengers": '["steady", "first-2"]', "deals": "4"},
    "swiss": {"rounds": "4", "deals": "3", "seatings": '"all"'},
    "knockout": {"deals": "5"},
    "mirror": {"deals": "5"},
    "ladder": {"deals": "10", "max_matches": "500", "equal_elo": "40"},
    "track": {"deals": "24", "pool": '["steady"]', "equal_elo": "80"},
}
SHORT = '[[game]]\nname = "vole"\noptions = { target = 6 }\nweight = 2'
THREE = '[[game]]\nname = "bang"\nseats = 3'
CASES = {  # every format, with two seats and with three
    **{form: (form, {"game": SHORT}) for form in FORMATS},
    "knockout of three": ("knockout", {"game": THREE, "deals": "1"}),
    "mirror of three": ("mirror", {"game": THREE, "deals": "1"}),
    "ladder of three": ("ladder", {"game": f'{THREE}\n[[game]]\nname = "voleur"\nseats = 3\nweight = 2'}),
    "swiss at smaller tables": ("swiss", {"game": THREE.replace("3", "4"), "deals": "1", "seatings": '"rotations"'}),
}
UNFINISHED = {"swiss": "Ranked by sum of the round scores after 2 of 4 rounds;", "ladder": "plays on: undecided"}


@pytest.fixture
def config(write):
    def config(form: str, **keys: str):
        return write(form, format=f'"{form}"', extra=MANY, **{"game": SHORT} | FORMATS.get(form, {}) | keys)

    return config


@pytest.mark.parametrize("case", mostly_slow(CASES, *(case for case in CASES if "three" not in case)))
def test_one_worker_and_two_write_the_same_and_every_command_reads_it(tourney, config, tmp_path, monkeypatch, case):
    monkeypatch.setattr(progress, "PLAIN_S", 0.0)
    form, keys = CASES[case]
    file = config(form, **keys)
    for out, workers in (("A", 1), ("B", 2)):
        result = with_code(tourney("run", file, "--out", out, "--workers", workers))
    same_run(tmp_path / "A", tmp_path / "B")
    lines = journal(tmp_path / "A").splitlines(keepends=True)
    plan = schedule(configuration.read(file))
    size = f"at most {plan.most_matches}" if plan.may_end_early else len(lines)
    assert (tmp_path / "A" / "tournament.toml").read_bytes() == file.read_bytes()
    assert f", {size} matches, 2 workers" in " ".join(result.stderr.split())
    assert tourney("verify", "A").stdout == f"{len(lines)} of {len(lines)} records verified\n"
    assert tourney("standings", "A").stdout == result.stdout == (tmp_path / "B/standings.txt").read_text("utf-8")
    assert max(map(len, result.stdout.splitlines())) <= 80
    rows = orjson.loads((tmp_path / "A" / "standings.json").read_bytes())
    assert bots_in(result.stdout) == [row["bot"] for row in rows]
    assert standings(tourney) == rows
    assert tourney("replay", "A", tourney("matches", "A").stdout.splitlines()[-1].split()[0]).returncode == 0
    if form == "ladder":
        assert re.search(r"\| undecided \d of 8 pairs \|", result.stderr)
        assert {row["stopped"] for row in rows} <= {"sure", "equal", "max_matches"}
        rounds = standings(tourney, "--show", "rounds")
        assert all(each["finished"] for each in rounds)
        listed = [tourney("matches", "A", "--round", i + 1).stdout.splitlines() for i in range(len(rounds))]
        assert sum(map(len, listed)) == len(lines)
    # an unfinished run, within a round and within a block
    kept = len(lines) * 2 // 3
    cut(tmp_path / "A", kept, lines[-1][:50])
    for command in ("standings", "verify"):
        result = with_code(tourney(command, "A"))
        assert result.stderr == f"incomplete: {kept} of {size} matches played\n"
        assert command == "verify" or UNFINISHED.get(form, "") in result.stdout
    assert len(tourney("matches", "A").stdout.splitlines()) == kept
    assert tourney("run", file, "--out", "A", "--resume").returncode == 0
    same_run(tmp_path / "A", tmp_path / "B")


@pytest.mark.slow
def test_a_larger_max_matches_and_a_stricter_sure_go_on_to_the_same_bytes(tourney, config, shared_run, tmp_path):
    shutil.copytree(shared_run(config("ladder", sure="0.8", max_matches="400")), tmp_path / "grown")
    for sure, size in (("0.95", "1000"), ("0.999", "2000")):
        with_code(tourney("run", file := config("ladder", sure=sure, max_matches=size), "--out", "grown", "--resume"))
        same_run(tmp_path / "grown", shared_run(file))
    # a run that went on and was stopped has no standings of before
    assert journal(tmp_path / "grown").count(b"\n") > 1000
    cut(tmp_path / "grown", 901)
    assert tourney("standings", "grown").stderr == "incomplete: 901 of at most 2000 matches played\n"


@pytest.mark.parametrize("form", FORMATS)
def test_the_schedule_says_who_meets_whom_and_no_seed(tourney, config, tmp_path, form):
    file = config(form, seed="98765432123456789")
    result = tourney("schedule", file)
    assert (result.returncode, result.stderr) == (0, "")
    _, shown, *follows = result.stdout.split("\n\n")
    assert bool(follows) == (form in ("swiss", "knockout", "ladder", "mirror", "track"))
    groups = [line.strip().split(", ") for line in shown.splitlines()[1:] if ":" not in line]
    blocks = list(next(schedule(configuration.read(file)).rounds()))
    seated = [{name for seats in each.seatings for name in seats} for each in blocks if each.seed == blocks[0].seed]
    assert list(map(set, groups)) == seated
    assert not {"98765432123456789", *[seed_text(block.seed) for block in blocks]} & set(result.stdout.split())
    assert not (tmp_path / "results").exists()


def standings(tourney, *options) -> list:
    return orjson.loads(with_code(tourney("standings", "A", "--format", "json", *options)).stdout)


def test_the_matches_of_a_round_are_listed_and_a_format_without_rounds_says_so(tourney, config, played, tmp_path):
    played(config("knockout", deals="1"), "A")
    every = tourney("matches", "A").stdout.splitlines()
    by_round = [with_code(tourney("matches", "A", "--round", i)).stdout.splitlines() for i in (1, 2, 3, 4)]
    assert [line for lines in by_round for line in lines] == every
    assert every[0].split()[1:3] == ["round", "1"]
    assert [len(lines) for lines in by_round] == [2, 8, 4, 2]
    one_line(tourney("matches", "A", "--round", 5), 2, "round 5 has not started", "rounds started: 4")
    cut(tmp_path / "A", 11)
    assert tourney("matches", "A", "--round", 3).stdout.splitlines() == by_round[2][:1]
    one_line(tourney("matches", "A", "--round", 4), 2, "round 4 has not started", "rounds started: 3")
    played(config("gauntlet", deals="1"), "B")
    one_line(tourney("matches", "B", "--round", 1), 2, "--round: gauntlet tournaments have no rounds")
    one_line(tourney("standings", "B", "--show", "rounds"), 2, "--show rounds: gauntlet tournaments have no rounds")
    lost = [row["last_meeting_percent"] for row in standings(tourney, "--by", "last_meeting_percent")]
    assert lost == sorted(lost, key=lambda percent: -1 if percent is None else percent, reverse=True)
    one_line(tourney("standings", "A", "--by", "reachd"), 2, 'by reachd: did you mean "reached"')
    assert tourney("standings", "A", "--show", "rounds", "--without-faults").returncode == 2


def test_a_pairing_that_is_not_in_the_schedule_is_not_verified_and_refused_where_it_makes_no_sense(
    tourney, config, played
):
    """Two entrants have swapped seats in every record of the first round, and all seals hold."""
    file = config("swiss", deals="1")
    path = played(file) / "journal.jsonl"
    records = [parse_sealed_record(line, "") for line in path.read_bytes().splitlines(keepends=True)]
    one, other = records[0].seats[0], records[2].seats[0]

    def forged(names: dict[str, str]) -> list[bytes]:
        """Returns the journal with other names in the first round, which has four groups with two matches each."""
        found = []
        for number, each in enumerate(records):
            seats = tuple([names.get(name, name) if number < 8 else name for name in each.seats])
            found.append(record_as(Match(each.match, each.setup, each.block, int(each.seed, 16), seats), each).line())
        return found

    swapped = forged({one: other, other: one})
    path.write_bytes(b"".join(swapped))
    one_line(tourney("standings", "run"), 2, "journal", "seats: expected ", ", got ")
    assert "seats: expected " in with_code(tourney("verify", "run"), 1).stdout.splitlines()[0]
    path.write_bytes(b"".join(swapped[:7]))
    with_code(tourney("run", file, "--out", "run", "--resume", "--quiet"))  # the recorded round is played to its end
    assert path.read_bytes().startswith(b"".join(swapped[:7]))
    assert "seats: expected " in with_code(tourney("verify", "run"), 1).stdout.splitlines()[0]
    # an unknown name; an entrant in two groups; and an entrant twice in a group
    for name, says in (("stranger", "seats: expected "), (other, ", got "), (records[0].seats[1], "seats: expected ")):
        path.write_bytes(b"".join(forged({one: name})))
        one_line(tourney("standings", "run"), 2, "journal", says)
