"""Clocks on the command line."""

import os

import pytest

from tests.cli.runs import change_manifest, one_line
from tourney.journal import folder

CLOCK = '[limits]\nclock = "{}"'
TIMED = CLOCK.format("1h+5s")


@pytest.mark.slow
def test_a_run_is_resumed_with_the_same_clock_alone(tourney, write):
    assert tourney("run", write(deals="1", extra=TIMED), "--out", "run", "--quiet").returncode == 0
    again = ("run", write(deals="1", extra=CLOCK.format("2h")), "--out", "run", "--quiet", "--resume")
    one_line(tourney(*again), 2, 'begun differently: tournament.bots[0].limits.clock: "1h+5s" became "2h" (and 2 more)')
    assert tourney(*again, "--force").returncode == 0


@pytest.mark.slow
def test_a_run_from_before_there_were_clocks_is_resumed_without_one(tourney, write, finished):
    tournament = folder.read_manifest(finished)["tournament"]
    for bot in tournament["bots"]:
        bot["limits"] = {key: value for key, value in bot["limits"].items() if key not in ("clock", "cpu_ms", "cpu")}
    change_manifest(finished, tournament=tournament)
    assert tourney("run", write(), "--out", finished, "--resume", "--quiet").returncode == 0
    one_line(
        tourney("run", write(extra=TIMED), "--out", finished, "--resume", "--quiet"), 2, 'null became "1h+5s" (and 2'
    )


@pytest.mark.slow
def test_matches_with_another_clock_are_not_taken_over(tourney, write):
    assert tourney("run", write(deals="1", extra=TIMED), "--out", "run", "--quiet").returncode == 0
    later = write("later", deals="2", extra=CLOCK.format("2h"))
    one_line(tourney("run", later, "--extend", "run"), 2, 'bot.first.limits.clock: "1h+5s" became "2h"')
    later = write("later", deals="2", extra=TIMED)
    assert tourney("run", later, "--extend", "run", "--quiet").returncode == 0


@pytest.mark.parametrize("key", ["clock", "cpu"])
def test_a_manifest_with_a_clock_that_is_none_is_damaged(tourney, finished, key):
    tournament = folder.read_manifest(finished)["tournament"]
    tournament["bots"][1]["limits"][key] = "soon"
    change_manifest(finished, tournament=tournament)
    one_line(tourney("standings", finished), 2, f'the manifest is damaged (bot first.{key}: invalid clock "soon"; ')


GATE = ("gate", "mine.py:Bot", "--against", "{}", "--game", "vole", "--config", "t.toml", "--max-deals", 1, "--quiet")


@pytest.mark.slow
def test_a_gate_takes_the_clock_of_its_file(tourney, tmp_path):
    (tmp_path / "mine.py").write_text("class Bot:\n    act = lambda self, view, legal: legal[0]\n")
    (tmp_path / "t.toml").write_text(TIMED)
    assert tourney(*[str(word).format("random") for word in GATE], "--out", "run").returncode == 3
    bots = folder.read_manifest(tmp_path / "run")["tournament"]["bots"]
    assert [(bot["host"], bot["limits"]["clock"]) for bot in bots] == [("process", "1h+5s"), ("inline", "1h+5s")]


BOT = ("check", "steady", "--game", "vole")


@pytest.mark.slow
def test_check_takes_a_clock(tourney):
    result = tourney(*BOT, "--host", "process", "--clock", "1h+1s")
    assert (result.returncode, result.stderr) == (0, "")
    assert tourney(*BOT, "--clock", "1h").returncode == 0


@pytest.mark.parametrize("option", ["--clock", "--cpu"])
def test_check_says_what_a_clock_looks_like(tourney, option):
    one_line(
        tourney(*BOT, option, "10"), 2, f'tourney: {option}: invalid clock "10"; give the time for a match and what'
    )


CORES = len(os.sched_getaffinity(0))
MANY = ("--quiet", "--workers", CORES + 1)


@pytest.mark.slow
@pytest.mark.parametrize("limit", [TIMED, "[limits]\nmove_ms = 600000", "[limits]\nstart_ms = 600000"])
def test_more_workers_than_processors_are_refused_where_time_is_limited(tourney, write, tmp_path, limit):
    config = write(deals="1", extra=limit)
    refused = tourney("run", config, "--out", "run", *MANY)
    one_line(
        refused, 2, f"--workers {CORES + 1}: there ", f" {CORES} processor", f"; take --workers {CORES}, or allow it"
    )
    assert not (tmp_path / "run").exists()
    assert tourney("run", config, "--out", "run", *MANY, "--oversubscribe").returncode == 0


def test_one_bot_with_a_clock_is_enough(tourney, write):
    extra = '[[bot]]\nname = "slow"\nuse = "first"\nclock = "1h"'
    one_line(tourney("run", write(deals="1", extra=extra), *MANY), 2, "or oversubscribe")


@pytest.mark.slow
def test_more_workers_than_processors_are_fine_without_limits_of_time(tourney, write):
    config = write(deals="1", extra="[limits]\nmatch_s = 600")
    assert tourney("run", config, "--out", "run", *MANY).returncode == 0


@pytest.mark.slow
def test_the_default_is_a_worker_for_each_processor(tourney, write):
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [min(allowed)])
    try:
        result = tourney("run", write(deals="1", extra=TIMED), "--out", "run")
        refused = tourney("run", write(deals="1", extra=TIMED), "--workers", 2)
    finally:
        os.sched_setaffinity(0, allowed)
    assert result.stderr.splitlines()[0].endswith(", 1 worker"), result.stderr
    one_line(refused, 2, "--workers 2: there is 1 processor here")


@pytest.mark.slow
def test_a_gate_with_more_workers_than_processors_is_refused_as_well(tourney, tmp_path):
    (tmp_path / "mine.py").write_text("class Bot:\n    act = lambda self, view, legal: legal[0]\n")
    (tmp_path / "t.toml").write_text(TIMED)
    gate = [*[str(word).format("random") for word in GATE], "--out", "run", *MANY]
    one_line(tourney(*gate), 2, f"--workers {CORES + 1}: there ", f" {CORES} processor")
    assert not (tmp_path / "run").exists()
    assert tourney(*gate, "--oversubscribe").returncode == 3
