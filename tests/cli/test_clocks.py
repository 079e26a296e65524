"""Clocks on the command line."""

import os

from tests.cli.runs import one_line

CLOCK = '[limits]\nclock = "{}"'
TIMED = CLOCK.format("1h+5s")


def test_a_run_is_resumed_with_the_same_clock_alone(tourney, write):
    assert tourney("run", write(deals="1", extra=TIMED), "--out", "run", "--quiet").returncode == 0
    again = ("run", write(deals="1", extra=CLOCK.format("2h")), "--out", "run", "--quiet", "--resume")
    one_line(tourney(*again), 2, 'begun differently: tournament.bots[0].limits.clock: "1h+5s" became "2h" (and 2 more)')
    assert tourney(*again, "--force").returncode == 0


def test_a_worker_for_each_processor_is_the_default_and_more_are_refused_under_a_clock(tourney, write, tmp_path):
    config, allowed = write(deals="1", extra=TIMED), os.sched_getaffinity(0)
    os.sched_setaffinity(0, [min(allowed)])
    try:
        result = tourney("run", config, "--out", "run")
        refused = tourney("run", config, "--out", "more", "--workers", 2)
        assert not (tmp_path / "more").exists()
        assert tourney("run", config, "--out", "more", "--workers", 2, "--oversubscribe").returncode == 0
    finally:
        os.sched_setaffinity(0, allowed)
    assert result.stderr.splitlines()[0].endswith(", 1 worker"), result.stderr
    one_line(refused, 2, "workers: 2 is more than the 1 processors here", "use at most 1")
