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


CORES = len(os.sched_getaffinity(0))
MANY = ("--quiet", "--workers", CORES + 1)


def test_more_workers_than_processors_are_refused_where_time_is_limited(tourney, write, tmp_path):
    config = write(deals="1", extra=TIMED)
    refused = tourney("run", config, "--out", "run", *MANY)
    one_line(refused, 2, f"workers: {CORES + 1} is more than the {CORES} processors here", f"use at most {CORES}")
    assert not (tmp_path / "run").exists()
    assert tourney("run", config, "--out", "run", *MANY, "--oversubscribe").returncode == 0


def test_the_default_is_a_worker_for_each_processor(tourney, write):
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, [min(allowed)])
    try:
        result = tourney("run", write(deals="1", extra=TIMED), "--out", "run")
        refused = tourney("run", write(deals="1", extra=TIMED), "--workers", 2)
    finally:
        os.sched_setaffinity(0, allowed)
    assert result.stderr.splitlines()[0].endswith(", 1 worker"), result.stderr
    one_line(refused, 2, "workers: 2 is more than the 1 processors here")
