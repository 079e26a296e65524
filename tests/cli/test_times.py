"""Times of a run: of decisions, timeouts on an overloaded machine, and how many workers there are under a clock."""

import os

from tests.cli.runs import one_line
from tests.conftest import tournament_text
from tests.conftest import with_plugins as tourney
from tests.helpers import wire_bot
from tourney.journal.times import TIMES, load

LATE = """
from tourney.hosts.faults import ChargedError
from tourney.hosts.inline import InlineHost
class LateHost(InlineHost):
    name = "late"
    def begin(self, facts, rng_seed, clock):
        bot = super().begin(facts, rng_seed, clock)
        if facts.seat == 0:
            bot.act = self.late
        return bot
    def late(self, view, legal):
        raise ChargedError("timeout", "took longer than move_ms", late=True)
"""
"""A host whose bots run out of time in seat 0, on an overloaded machine."""


def test_timeouts_on_an_overloaded_machine_are_counted_and_told(plugin):
    place = plugin("late-host", "[tourney.hosts]\nlate = late:LateHost\n", late=LATE)
    extra = '[[bot]]\nname = "first"\nhost = "late"\n[limits]\nmove_ms = 600000\nmax_fault_rate = 1\n'
    (place / "t.toml").write_text(tournament_text("t", deals="2", bots='["random"]', extra=extra))
    played = tourney(place, "run", "t.toml", "--out", "run", "--quiet")
    assert (played.returncode, load(place / "run").late_timeouts) == (0, 2), played.stderr
    gate = ("gate", "first", "--against", "random", "--config", "t.toml", "--max-deals", "2", "--quiet")
    for told in (played.stderr, tourney(place, *gate).stderr):
        assert "overloaded" in told
        assert all(len(line) <= 80 for line in told.splitlines())


def test_matches_shorter_than_the_starts_of_their_bots_are_told_to_keep_them(tourney, tmp_path):
    (tmp_path / "slow").write_text(wire_bot('"action": asked["legal"][0]', "import time; time.sleep(0.5)"))
    (tmp_path / "slow").chmod(0o755)
    for keep, told in (("false", "makes such a run about"), ("true", "")):
        extra = f'[[bot]]\nname = "slow"\ncommand = ["./slow"]\nkeep = {keep}\n'
        (tmp_path / "t.toml").write_text(tournament_text("t", deals="1", bots='["random"]', extra=extra))
        played = tourney("run", "t.toml", "--out", keep, "--quiet", "--workers", "1")
        assert played.returncode == 0, played.stderr
        assert ("keep = true" in played.stderr) == bool(told)
        assert told in played.stderr.replace("\n  ", " ")


def test_damage_is_one_line_and_hides_no_standings(tourney, finished):
    whole = tourney("standings", finished).stdout
    (finished / TIMES).write_bytes(b"late_timeouts")
    shown = tourney("standings", finished)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, whole, "")
    one_line(tourney("standings", finished, "--show", "times"), 2, f"{TIMES}: missing or damaged")


def test_a_worker_for_each_processor_is_the_default_and_more_are_refused_under_a_clock(tourney, write, tmp_path):
    config, allowed = write(deals="1", extra='[limits]\nclock = "1h+5s"'), os.sched_getaffinity(0)
    os.sched_setaffinity(0, [min(allowed)])
    try:
        result = tourney("run", config, "--out", "run")
        refused = tourney("run", config, "--out", "more", "--workers", 2)
        assert not (tmp_path / "more").exists()
        assert tourney("run", config, "--out", "more", "--workers", "2!").returncode == 0
    finally:
        os.sched_setaffinity(0, allowed)
    assert result.stderr.splitlines()[0].endswith(", 1 worker"), result.stderr
    one_line(refused, 2, "workers: 2 exceeds the 1 processors here", "use at most 1")
