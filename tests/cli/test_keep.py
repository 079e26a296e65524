"""A run with bots that are kept between matches: the same records, told at the start."""

import sys

import pytest

from tests.cli.runs import journal
from tests.conftest import BAD
from tests.hosts.test_keep import LOADED

PROGRAM = BAD.with_name("kept.py")


@pytest.fixture
def tournament(tmp_path, write):
    """Writes a tournament of a Python bot and a program, with further keys for both; returns its path."""
    (tmp_path / "net.py").write_text(LOADED, encoding="utf-8")

    def path(name: str, keys: str):
        return write(
            name,
            bots='["random"]',
            extra=(
                f'[[bot]]\nname = "net"\nuse = "net.py:Kept"\nhost = "process"\n{keys}\n'
                f'[[bot]]\nname = "rusty"\ncommand = ["{sys.executable}", "{PROGRAM}", "plain"]\n{keys}\n'
            ),
        )

    return path


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["", "move_ms = 60000"])
def test_the_journal_is_the_same_for_any_number_of_workers(tourney, tournament, tmp_path, limit):
    for name, keys, workers in [("anew", "", 2), ("one", "keep = true", 1), ("two", "keep = true", 2)]:
        result = tourney("run", tournament(name, f"{keys}\n{limit}"), "--workers", workers, "--out", name)
        assert result.returncode == 0, result.stderr
        told = "kept for several matches, which they can remember: net, rusty" in result.stderr
        assert told == bool(keys)
    assert journal(tmp_path / "anew") == journal(tmp_path / "one") == journal(tmp_path / "two")
    log = (tmp_path / "one" / "logs" / "net.txt").read_text()
    assert log.count("loaded as") == 1
    assert tourney("verify", "two", "--bots").returncode == 0


@pytest.mark.slow
def test_check_keeps_a_bot_and_names_one_that_goes_by_earlier_matches(tourney, tmp_path):
    (tmp_path / "minds.py").write_text(
        "COUNT = []\n"
        "class Minds:\n"
        "    games = ('vole',)\n"
        "    def act(self, view, legal):\n"
        "        COUNT.append(view.seat)\n"
        "        return legal[len(COUNT) % len(legal)]\n"
    )
    arguments = ("check", "minds.py:Minds", "--host", "process", "--deals", 2)
    assert tourney(*arguments).returncode == 0
    kept = tourney(*arguments, "--keep")
    assert kept.returncode == 1
    assert "FAIL  determinism" in kept.stdout
    refused = tourney("check", "minds.py:Minds", "--keep")
    assert refused.returncode == 2
    assert "--host inline has no process of the bot to keep" in refused.stderr
