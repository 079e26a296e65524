"""Golden matches: what was played once replays to the same trace and views, until someone renews them on purpose."""

import tomllib

import orjson
import pytest

from tests.golden.__main__ import FOLDER, seen
from tourney.journal.reader import parse_sealed_record
from tourney.plugins.registry import game_names, load_game
from tourney.table.replay import check, trace

CASES = tomllib.loads((FOLDER / "cases.toml").read_text(encoding="utf-8"))
SEEN = orjson.loads((FOLDER / "seen.json").read_bytes())


@pytest.mark.parametrize("name", CASES)
def test_a_golden_match_replays_to_its_trace(name):
    line, *events = (FOLDER / f"{name}.jsonl").read_bytes().splitlines(keepends=True)
    record = parse_sealed_record(line, name)
    game = load_game(CASES[name]["game"])
    check(record, game)
    for number, (old, new) in enumerate(zip(events, trace(record, game), strict=True), 2):
        assert orjson.loads(old) == orjson.loads(orjson.dumps(new)), f"line {number}"
    assert seen(record) == SEEN[name]


@pytest.mark.parametrize("game", game_names())
def test_every_game_has_golden_matches_at_several_seat_counts_and_options(game):
    cases = [case for case in CASES.values() if case["game"] == game]
    assert len({len(case["bots"]) for case in cases}) >= min(3, len(load_game(game).seats))
    assert len({str(case.get("options", {})) for case in cases}) >= 2


def test_every_file_is_a_case():
    assert sorted(path.stem for path in FOLDER.glob("*.jsonl")) == sorted(CASES) == sorted(SEEN)
