"""The game on the page about writing a game is the one that `tourney new game` writes, and plays as the page says."""

import json
import re

import pytest

from tests.cli.runs import bots_in
from tests.conftest import ROOT
from tests.environments import fresh_environment
from tests.project.test_docs import run, shown_files
from tourney.cli.commands import new as scaffold

PAGE = (ROOT / "docs" / "write-a-game.md").read_text(encoding="utf-8")


def test_the_page_shows_the_files_that_are_written_and_the_game_has_fewer_than_100_lines(tmp_path):
    shown = shown_files(PAGE)
    assert len(shown) == 4
    scaffold.write_game("goofspiel", tmp_path / "goofspiel")
    for name, text in shown.items():
        assert (tmp_path / "goofspiel" / name).read_text(encoding="utf-8") == text
    assert shown["goofspiel_game/__init__.py"].count("\n") < 100


@pytest.mark.slow
def test_a_new_game_installs_passes_its_tests_is_checked_played_replayed_and_shown(tourney, tmp_path):
    written = tourney("new", "game", "goofspiel")
    assert written.returncode == 0, written.stderr
    python = fresh_environment(tmp_path, ROOT, ROOT / "bots")
    first, *commands = [line.strip() for line in written.stderr.splitlines() if line.startswith("  ")]
    assert first == "pip install -e goofspiel"
    pip = "-m pip install -q --no-index --no-deps --no-build-isolation -e goofspiel"
    run(python, *pip.split(), cwd=tmp_path)
    assert " passed" in run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "goofspiel", cwd=tmp_path)
    session = PAGE[PAGE.index("## See it played") :].split("```")[1].strip().splitlines()
    printed = {}
    for command in [*commands, *session]:
        words = command.split()
        assert words[0] == "tourney"
        quick = {"run": ["--overwrite", "--quiet"], "analyse": ["--playouts", "20"]}.get(words[1], [])
        printed[command] = run(python, "-m", *words, *quick, cwd=tmp_path)
    assert "FAIL" not in printed["tourney check --game goofspiel"]
    assert bots_in(printed["tourney run goofspiel/tournament.toml"])[0] == "seer"
    as_seat = printed["tourney replay results/goofspiel goofspiel-00000-0 --seat 1"]
    assert ": bid ?" in as_seat
    assert "won: winner" in as_seat
    assert re.search(r"shown now: \w+: bid \d", as_seat), "who bids last learns the bids of the others"
    whole = printed["tourney replay results/goofspiel goofspiel-00000-0"]
    assert "prizes 4 11" in whole
    assert re.search(r"won: winner \w+, scores \d+ \d+$", whole, re.MULTILINE), "the scores are told once"
    assert "goofspiel" in (tmp_path / "match.html").read_text(encoding="utf-8")
    steps = run(python, "-m", "tourney", "replay", "goofspiel", "goofspiel-00000-0", "--json", cwd=tmp_path)
    assert {"deal", "prize", "won"} <= {json.loads(line).get("kind") for line in steps.splitlines()}
