"""Tournaments of every format, as a user runs them: the same bytes whatever happens; every command reads them."""

import random
import time

import orjson
import pytest

from tests.cli.test_run import DAMAGE, alive, begin, journal, one_line, wait_for, workers_of
from tests.conftest import BAD

MANY = "\n".join(
    [f'[[bot]]\nname = "{use}-{i}"\nuse = "{use}"' for use in ("random", "first", "steady") for i in (2, 3)]
)
FORMATS = {
    "round-robin": {"groups": "9", "deals": "4"},
    "gauntlet": {"challengers": '["steady", "first-2"]', "deals": "4"},
    "swiss": {"rounds": "4", "deals": "3", "seatings": '"all"'},
    "knockout": {"deals": "5"},
    "mirror": {"deals": "5"},
}
SHORT = '[[game]]\nname = "vole"\noptions = { target = 6 }\nweight = 2'


@pytest.fixture
def config(write):
    """Writes a tournament of that format between nine bots."""

    def config(form: str, **keys: str):
        return write(form, format=f'"{form}"', extra=MANY, **{"game": SHORT} | FORMATS[form] | keys)

    return config


@pytest.mark.parametrize("form", FORMATS)
def test_one_worker_and_two_write_the_same_bytes_and_every_command_reads_them(tourney, config, tmp_path, form):
    file = config(form)
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
@pytest.mark.parametrize("form", FORMATS)
def test_killed_at_random_moments_and_resumed_it_comes_to_the_same_bytes(tourney, config, tmp_path, form):
    file = config(form, game='[[game]]\nname = "vole"', deals="12")
    assert tourney("run", file, "--out", "whole").returncode == 0
    rng = random.Random(form)
    begun: list[str] = []
    for _ in range(3):
        process = begin(tmp_path, file, "--out", "killed", "--workers", 2, *begun)
        wait_for(lambda: (tmp_path / "killed" / "manifest.json").exists())
        begun = ["--resume"]
        time.sleep(rng.random())
        children = workers_of(process)
        process.kill()
        process.communicate()
        wait_for(lambda: not any(alive(child) for child in children))  # noqa: B023 - called at once
    assert tourney("run", file, "--out", "killed", "--resume").returncode == 0
    assert journal(tmp_path / "killed") == journal(tmp_path / "whole")
    assert (tmp_path / "killed" / "standings.txt").read_bytes() == (tmp_path / "whole" / "standings.txt").read_bytes()


@pytest.mark.parametrize("form", ["swiss", "knockout"])
def test_it_goes_on_from_any_line(tourney, config, tmp_path, form):
    file = config(form, deals="1", game=SHORT)
    assert tourney("run", file, "--out", "run").returncode == 0
    whole = journal(tmp_path / "run")
    lines = whole.splitlines(keepends=True)
    for kept in random.Random(form).sample(range(len(lines)), 3):
        (tmp_path / "run" / "journal.jsonl").write_bytes(b"".join(lines[:kept]) + b'{"match":"vo')
        assert tourney("run", file, "--out", "run", "--resume", "--workers", 2).returncode == 0
        assert journal(tmp_path / "run") == whole


@pytest.mark.parametrize("form", ["gauntlet", "swiss", "knockout", "mirror"])
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
