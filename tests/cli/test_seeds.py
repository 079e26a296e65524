"""Lots belong to the block, as users see it: in mirrors and gates, after an extension, between equals, in old runs."""

import csv
import io

import pytest

from tourney.plugins.registry import game_names, load_game

EQUALS = "\n".join([f'[[bot]]\nname = "bot-{i}"\nuse = "random"' for i in range(5)])


def held(tourney, run):
    """Asserts that bots, asked again, decide all of it again."""
    result = tourney("verify", run, "--bots")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "differs" not in result.stdout


def test_a_gate_is_decided_again_by_its_bots(tourney):
    """In the first match sits only the one that is compared, in the last only the other, as there is a field."""
    games = " ".join([f"--game {name}:{load_game(name).seats[0]}" for name in game_names()])
    keys = f"{games} --field random --field steady --max-deals 1 --inline --quiet --out gate"
    assert tourney("gate", "random", "--against", "random", *keys.split()).returncode == 3
    held(tourney, "gate")


FORMATS = {
    "round-robin": {},
    "gauntlet": {"challengers": '["bot-0"]'},
    "swiss": {"rounds": "3"},
    "knockout": {},
    "mirror": {},
}


@pytest.mark.parametrize("form", FORMATS)
def test_one_bot_under_several_names_comes_to_half_of_the_points(tourney, write, form):
    """Five at tables of three in a Swiss are a table of three and one of two."""
    leon = '[[game]]\nname = "leon"\nseats = 3\noptions = { max_cards = 2 }'
    result = tourney(
        "run", write("equals", bots="[]", extra=EQUALS, game=leon, format=f'"{form}"', **FORMATS[form]), "--quiet"
    )
    assert (result.returncode, result.stderr) == (0, "")
    rows = list(csv.DictReader(io.StringIO(tourney("standings", "equals", "--format", "csv").stdout)))
    compared = [row for row in rows if form != "mirror" or row["bot"] in ("bot-0", "bot-1")]
    assert len(compared) == (2 if form == "mirror" else 5)
    assert {row["points_percent"] for row in compared if row["matches"] != "0"} == {"50.0"}
    held(tourney, "equals")
    if form == "knockout":  # nobody can be stronger, so the order of the file decides
        assert rows[0]["bot"] == "bot-0"
