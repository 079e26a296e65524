"""Golden matches: what was played once replays to the same trace and views, until someone renews them on purpose."""

import pytest

from tests.conftest import mostly_slow
from tests.golden.matches import CASES, FOLDER, golden_record, told
from tests.helpers import play_match
from tourney.base.errors import TourneyError
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import check


@pytest.mark.parametrize(
    "name", mostly_slow(CASES, *(name for name in CASES if len(CASES[name]["bots"]) < 6 and "forty" not in name))
)
def test_a_golden_match_replays_to_its_trace(golden, request, name):
    case = CASES[name]
    if request.config.getoption("renew"):
        record = play_match(*case["bots"], game=case["game"], options=case.get("options", {}), seed=case["seed"])
    else:
        record = golden_record(name)
    try:
        check(record, load_game(case["game"]))
        found = told(record)
    except TourneyError as error:  # the rules have changed
        found = str(error)
    golden(FOLDER / f"{name}.jsonl", found)


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_golden_matches_at_several_seat_counts_and_options(game):
    cases = [case for case in CASES.values() if case["game"] == game]
    assert len({len(case["bots"]) for case in cases}) >= min(3, len(load_game(game).seats))
    assert len({str(case.get("options", {})) for case in cases}) >= 2


def test_every_file_is_a_case():
    assert sorted(path.stem for path in FOLDER.glob("*.jsonl")) == sorted(CASES)
