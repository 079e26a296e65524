"""Runs and gates as the command line and the library have them played."""

from collections import deque
from contextlib import contextmanager, nullcontext

import pytest
from msgspec.structs import asdict, replace

from tests.cli.runs import contents, cut, journal
from tourney import config
from tourney.base.errors import ConfigError, RunInterruptedError
from tourney.journal.times import load
from tourney.runner import run
from tourney.runner.gate import of_manifest
from tourney.runner.run import RunPlan, lead
from tourney.runner.workers import Frontend, Workers
from tourney.standings.gate import Settings

FRONTEND = Frontend(False, print, lambda _: nullcontext(str))


def test_what_is_reported_is_in_the_folder_at_once(write, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "SYNC_S", 0.0)
    file = write(deals="40")
    tournament, path = config.read(file), tmp_path / "run"

    def played(start: run.Start) -> list[run.Progress]:
        reports, timed = [], []
        plan = RunPlan(tournament, file.read_text(), path, start)
        with Workers(FRONTEND, 1) as workers:
            plan.choose(workers)
            for now in lead(plan, workers, ""):
                if now.reading:
                    read.append(now.matches)
                    continue
                reports.append(now)
                assert journal(path).count(b"\n") == now.matches + (now.played == 0 < now.matches)
                timed.append(load(path) is not None)
        assert (plan.ranked.totals.matches, plan.ranked.totals.left_out) == (240, 0)
        assert all(timed[1:]), "the times are saved as they come"
        return reports

    read: list[int] = []
    new = played("new")
    assert not read
    whole = journal(path)
    assert (new[0].matches, new[-1].matches, {now.matches - now.played for now in new}) == (0, 240, {0})
    assert sum(load(path).bots["random"].buckets.values()) > 0
    cut(path, 5, b"torn")
    again = played("resume")
    assert read == [2, 4, 4], "two whole blocks were read, and a part of one"
    assert (again[0].matches, again[0].played, again[-1].matches, again[-1].played) == (4, 0, 240, 235)
    assert journal(path) == whole


@pytest.mark.parametrize("force", [False, True])
def test_an_interrupt_is_heeded_while_a_journal_is_read(write, finished, force):
    """A run whose journal is whole, so nothing is played; by force it is read before its manifest is replaced."""
    tournament = config.read(write())
    if force:
        tournament = replace(tournament, match_s=77)
    before = contents(finished)

    @contextmanager
    def pressed(_how: str):
        def check(message: str) -> None:
            raise RunInterruptedError(message)

        yield check

    plan = RunPlan(tournament, "", finished, "resume")
    plan.force = force
    with Workers(Frontend(False, print, pressed), 1) as workers, pytest.raises(RunInterruptedError, match="was read"):
        deque(lead(plan, workers, ""))
    assert contents(finished) == before


def test_a_damaged_gate_is_refused(write):
    good = asdict(Settings(-25, 0, 0.05, 0.05, 5, 0, allow_old_faults=False))
    for wrong in ({}, good | {"elo1": -25}, good):  # the last one is whole, but not of a round-robin
        with pytest.raises(ConfigError, match="the manifest is damaged"):
            of_manifest({"gate": wrong}, config.read(write()))
