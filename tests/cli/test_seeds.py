"""Lots belong to the block, as users see it: in mirrors and gates, after an extension, between equals, in old runs."""

import csv
import io

import orjson
import pytest

from tests.conftest import mostly_slow
from tourney.plugins.registry import game_names, load_game

EQUALS = "\n".join([f'[[bot]]\nname = "bot-{i}"\nuse = "random"' for i in range(5)])


def games() -> str:
    """Every game at its fewest seats, as arguments."""
    return " ".join([f"--game {name}:{load_game(name).seats[0]}" for name in game_names()])


def held(tourney, run):
    """Asserts that bots, asked again, decide all of it again, and returns the matches."""
    result = tourney("verify", run, "--bots")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "differs" not in result.stdout
    return tourney("matches", run).stdout.splitlines()


@pytest.mark.slow
def test_a_gate_is_decided_again_by_its_bots_and_debugged(tourney):
    """In the first match sits only the one that is compared, in the last only the other, if there is a field."""
    field = "--field random --field steady"
    keys = f"gate random --against random {games()} {field} --max-deals 1 --inline --quiet --out gate"
    assert tourney(*keys.split()).returncode == 3
    matches = held(tourney, "gate")
    for match, bot in ((matches[0].split()[0], "random-new"), (matches[-1].split()[0], "random-old")):
        lines = tourney("replay", "gate", match, "--decisions-of", bot, "--json").stdout.splitlines()
        decision = [each for each in map(orjson.loads, lines) if len(each["legal"]) > 1][-1]
        at = ("debug", "gate", match, decision["decision"])
        result = tourney(*at, "--try", decision["action"])
        assert result.returncode == 0, result.stderr
        assert "the bots of the match were asked at the decisions before: as recorded" in result.stdout
        assert "the match continues and ends as recorded" in result.stdout
        result = tourney(*at, PYTHONBREAKPOINT="0")
        assert result.returncode == 0, result.stdout + result.stderr
        assert result.stdout.endswith(f"answered: {decision['action']}, as recorded\n")


FORMATS = {
    "round-robin": {},
    "gauntlet": {"challengers": '["bot-0"]'},
    "swiss": {"rounds": "3"},
    "knockout": {},
    "mirror": {},
}


@pytest.mark.parametrize("form", mostly_slow(FORMATS, "swiss"))
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
