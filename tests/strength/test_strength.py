"""The yardsticks of the table of strength are what they were, and a cell is played as it says."""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from tests.strength.cells import CELLS, HERE, Duel, PlayedDeal, played, summary

ROOT = Path(__file__).parent.parent.parent
YARDSTICKS = "c4634a6e797e"


def test_the_yardsticks_have_not_changed():
    digest = sha256()
    for file in sorted((HERE / "yardsticks").rglob("*.py")):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    assert digest.hexdigest().startswith(YARDSTICKS)


@pytest.mark.parametrize("cell", CELLS)
def test_a_bot_against_itself_wins_half_of_the_points_of_every_deal(cell):
    duel = Duel(cell, bot="steady-then", against="steady-then")
    deals = played(duel)
    assert [next(deals).points for _ in range(3)] == pytest.approx([0.5] * 3)


def test_seats_and_deals_are_fair_to_a_bot_that_is_worse():
    deals = played(Duel("vole", bot="random"))
    found = [next(deals) for _ in range(20)]
    assert sum([deal.points for deal in found]) < 5
    assert all([one > 0 for deal in found for one in deal.decisions])


def test_tuning_deals_are_other_deals():
    def first(tuning: bool) -> list[PlayedDeal]:
        deals = played(Duel("voleur", bot="random", tuning=tuning))
        return [next(deals).decisions for _ in range(5)]

    assert first(True) == first(True) != first(False)


def test_the_summary_has_the_interval_over_deals():
    deals = [PlayedDeal(share, (10, 10), (0.02, 0.01)) for share in (0.5, 1.0, 0.5, 0.0) * 25]
    text = summary(deals)
    # Student's t with 99 degrees of freedom: 1.984 * sqrt(12.5 / 99) / 10 = 7.05
    assert text == "50.0 +- 7.1 (200 matches; 2.00 and 1.00 ms a decision)"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--options", "playout = 5"], 'no key "playout"; did you mean "playouts"?'),
        (["--options", "playouts ="], "not TOML"),
        (["--bot", "sere"], 'no bot "sere"; did you mean "seer"?'),
        (["--matches", "0"], "--matches: invalid positive value: '0'"),
        (["--kept", "/dev/full"], "--kept /dev/full: is no regular file; give the path of one"),
        (["--kept", str(Path(__file__))], "line 1 is no deal that was played"),
    ],
)
def test_what_cannot_be_measured_is_said_without_a_traceback(tmp_path, arguments, says):
    command = [sys.executable, "-m", "tests.strength", "--cell", "vole", "--kept", str(tmp_path / "kept.jsonl")]
    done = subprocess.run([*command, *arguments], cwd=ROOT, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
    assert says in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_what_is_played_is_kept(tmp_path):
    command = [sys.executable, "-m", "tests.strength", "--cell", "voleur", "--bot", "steady", "--against", "random"]

    def said(matches: int) -> str:
        more = ["--matches", str(matches), "--kept", str(tmp_path / "kept.jsonl")]
        done = subprocess.run([*command, *more], cwd=ROOT, check=True, capture_output=True, text=True)
        return done.stdout

    assert "(4 matches;" in said(4)
    before = (tmp_path / "kept.jsonl").read_bytes()
    assert "(8 matches;" in said(8)
    assert (tmp_path / "kept.jsonl").read_bytes().startswith(before)
    assert "(4 matches;" in said(4)
