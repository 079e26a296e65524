"""The page of a league: its versions, what strangers wrote, and how it is renewed while the league is played."""

import shutil
import subprocess
import time

import pytest

from tests.conftest import TOURNEY, called
from tests.report.runs import league
from tests.report.test_page import Parts  # skips these tests where no report can be made
from tourney.contracts.rng import seed_text
from tourney.journal.reader import last_line, parse_record
from tourney.report import run_data
from tourney.report.league import bots, field, rating_lines
from tourney.report.page import report_page
from tourney.runner.league import change
from tourney.schedule.base import schedule


def test_the_page_tells_of_versions_and_ratings_over_time_and_what_strangers_wrote_stays_text(tmp_path):
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    path = league(tmp_path / "open", 60, "steady@1", "first@1", "random@1", author=hostile)
    change(league(path, 200, "first@2=steady"), "random", "paused", f"{hostile}\n{hostile}")
    data = run_data.read_runs([path])
    first = next(bot for bot in bots(data) if bot.name == "first")
    said = [(each.name, each.state, each.gain) for each in first.versions]
    assert said == [("first@2", "plays", str(*data.totals.schedule.gains().values())), ("first@1", "retired", "")]
    came = {bot: [point.version for point in line if point.came] for bot, line in rating_lines(data).items()}
    assert came == {"steady": ["steady@1"], "first": ["first@1", "first@2"], "random": ["random@1"]}
    assert [name for name, _, _ in field(data)["absent"]] == ["random@1"]
    assert data.matches.newest()[0].match.found.id == parse_record(last_line(path), "").match
    parts = Parts(text := report_page(data))
    assert (len(parts.of("img")), len(parts.of("script"))) == (0, 3)
    assert [said for _, said in parts.of("bdi")].count(hostile) > 3
    assert seed_text(data.tournament.seed) not in text


def test_a_page_made_while_a_bot_comes_is_of_the_field_before(tmp_path, monkeypatch):
    """The journal grows, by matches of a bot that the manifest did not have when it was read."""
    before = league(tmp_path / "open", 60, "steady@1", "first@1")
    matches = run_data.read_runs([before]).totals.matches
    after = league(shutil.copytree(before, tmp_path / "after"), 120, "random@1")

    def grown(own):
        shutil.copytree(after, before, dirs_exist_ok=True)
        return schedule(own)

    monkeypatch.setattr(run_data, "schedule", grown)
    assert run_data.read_runs([before]).totals.matches == matches


@pytest.mark.slow
def test_play_renews_a_page_that_is_whole_when_play_is_killed_and_up_to_date_when_it_ends(tmp_path):
    path, page = league(tmp_path / "open", 8, "steady@1", "first@1", "random@1"), tmp_path / "web" / "index.html"
    command = ["league", "play", str(path), "--report", str(page), "--workers", "1", "--quiet"]
    with subprocess.Popen([TOURNEY, *command]) as playing:
        while not page.exists():
            assert playing.poll() is None
            time.sleep(0.05)
        playing.kill()
    assert page.read_text(encoding="utf-8").endswith("</html>")
    assert called([*command, "--matches", "8"], tmp_path).returncode == 0
    assert f"{run_data.read_runs([path]).totals.matches} matches on" in page.read_text(encoding="utf-8")
