"""`tourney compare` as users run it, and the page about it."""

import csv
import json
import re
import subprocess
import sys

import pytest

from tests.cli.runs import journal
from tests.conftest import ROOT, with_code
from tests.project.test_docs import check_session, write_files

FIRST = ("compare", "random", "first", "--game", "vole", "--option", "vole.target=6", "--quiet")
TIME = r"random thinks (.|\n  )*? a decision\)\.\n"


def test_a_comparison_goes_on_with_more_deals_and_shows_the_deals_that_differ_most(tourney, tmp_path):
    folder = tmp_path / "results" / "compare-random-vs-first"
    with_code(tourney(*FIRST, "--deals", 12))
    longer = with_code(tourney(*FIRST, "--deals", 30, "--resume"))
    whole = with_code(tourney(*FIRST, "--deals", 30, "--out", "whole", "--workers", 1))
    for name in ("journal.jsonl", "manifest.json", "standings.json"):
        assert (folder / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert len(journal(folder).splitlines()) == 60
    named = re.sub("(replay|debug) whole ", rf"\1 {folder.relative_to(tmp_path)} ", whole.stdout)
    assert re.sub(TIME, "", longer.stdout) == re.sub(TIME, "", named)
    commands = [line.split() for line in longer.stdout.splitlines() if line.startswith("  tourney replay")]
    assert len(commands) == 10
    with_code(tourney(*commands[0][1:]))
    debug = next(line.split() for line in longer.stdout.splitlines() if line.startswith("  tourney debug"))
    parts = re.search(r"part at decision (\d+), seat \d: random (\S+), first (\S+)", longer.stdout)
    assert parts[1] == debug[-1]
    assert f" ({parts[2]})\n" in with_code(tourney(*debug[1:], "--ask")).stdout
    assert "deals: 30 became 12" in with_code(tourney(*FIRST, "--deals", 12, "--resume"), 2).stderr
    again = ("compare", "random", "first", "--run", "whole")
    assert tourney(*again).stdout == whole.stdout
    data = json.loads(tourney(*again, "--format", "json").stdout)
    rows = csv.DictReader(tourney(*again, "--format", "csv").stdout.splitlines())
    assert [row["lead_percent"] for row in rows] == [str(row["lead_percent"]) for row in data["rows"]]


@pytest.mark.slow
@pytest.mark.needs("dev")
def test_the_page_can_be_followed_and_optuna_tunes_the_bot_on_it(tmp_path):
    text = (ROOT / "docs" / "measure-strength.md").read_text(encoding="utf-8")
    page = text.split("\n## Strength over commits\n")[0]
    write_files(page, tmp_path)
    assert check_session("".join(re.findall(r"```\n(\$ .*?)```", page, re.DOTALL)), tmp_path) == 1
    tuned = subprocess.run([sys.executable, "tune.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert re.search(r"(?m)^tuned is \d+ Elo ahead of thief ", tuned.stdout)
    assert " pruned" in tuned.stderr
