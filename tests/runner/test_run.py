"""Runs and gates as the command line and the library have them played."""

from contextlib import nullcontext

import pytest

from tests.cli.runs import journal
from tourney import config
from tourney.base.errors import ConfigError
from tourney.journal.times import load
from tourney.runner import run
from tourney.runner.gate import strengths
from tourney.runner.workers import Caller, Workers


def test_what_is_reported_is_in_the_folder_at_once(write, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "SYNC_S", 0.0)
    file = write(deals="40")
    tournament, path = config.read(file), tmp_path / "run"

    def played(start: run.Start) -> list[run.Progress]:
        reports = []

        def report(now: run.Progress) -> None:
            reports.append(now)
            assert journal(path).count(b"\n") == now.matches + (now.played == 0 < now.matches)
            timed.append(load(path) is not None)

        timed: list[bool] = []
        with Workers(Caller(False, print, nullcontext), 1) as workers:
            workers.choose(tournament)
            with run.prepare(tournament, file.read_text(), path, start, False) as opened:
                totals, _ = run.play(tournament, opened, workers, report)
        assert (totals.matches, totals.left_out) == (240, 0)
        assert all(timed[1:]), "the times are saved as they come"
        return reports

    new = played("new")
    whole = journal(path)
    assert (new[0].matches, new[-1].matches, {now.matches - now.played for now in new}) == (0, 240, {0})
    assert sum(load(path).bots["random"].buckets.values()) > 0
    (path / "journal.jsonl").write_bytes(b"".join(whole.splitlines(keepends=True)[:5]) + b"torn")
    again = played("resume")
    assert (again[0].matches, again[0].played, again[-1].matches, again[-1].played) == (4, 0, 240, 235)
    assert journal(path) == whole


def test_a_gate_tells_strengths_apart_within_limits():
    assert strengths(True, None, None) == (0, 25)
    assert strengths(False, None, None) == (-25, 0)
    assert strengths(False, -500, 500) == (-500, 500)
    for wrong in ((0, 0), (-501, 0), (0, 501)):
        with pytest.raises(ConfigError, match="must be below"):
            strengths(True, *wrong)
