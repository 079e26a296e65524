"""The decisions of a run as rows: what stands in them, and who can read them. Nothing here names a game."""

import csv
import io
import subprocess
import sys
from collections import defaultdict
from functools import reduce
from importlib import import_module
from operator import getitem

import numpy as np
import orjson
import pytest

import tourney
from tests.conftest import BAD, ROOT, TOURNEY, called
from tests.helpers import SHORT
from tourney.contracts.rng import commitment, derive, root_seed, seed_text
from tourney.plugins.registry import game_names, load_game
from tourney.review.decisions import FIXED, split

SEED, DEALS = 3, 3
BOTS = """
from tourney import Bot, Noted

class Notes(Bot):
    def act(self, view, legal):
        many = len(legal) > 2
        return Noted(legal[-1], value=1, many=many, half=1 if many else 0.5, any=many or 0.5, thought="a,\\n\\"b\\"")
"""
games = pytest.mark.parametrize("game", game_names())


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of every game, with notes and faults; some of each game is analysed."""
    folder = tmp_path_factory.mktemp("decisions")
    (folder / "bots.py").write_text(BOTS, encoding="utf-8")
    bots = {"notes": f"{folder}/bots.py:Notes", "bad": f"{BAD}:RaisesLater", "random": "random", "first": "first"}
    entries = [{"name": name, "use": use} for name, use in bots.items()]
    tables = [{"name": name, "seats": seats(name), "options": SHORT.get(name, {})} for name in game_names()]
    keys = {"name": "all", "seed": SEED, "deals": DEALS, "bots": entries, "game": tables}
    found = tourney.run(keys, out=folder / "run", workers=1)
    found.analyse("notes", matches=[analysed(found, name) for name in game_names()], playouts=4, workers=1)
    return found


def seats(game: str) -> int:
    return load_game(game).seats[0]


def analysed(run, game: str) -> str:
    return next(run.matches("notes", game=game)).match


def by_match(rows) -> dict[str, list]:
    found = defaultdict(list)
    for row in rows:
        found[row["match"]].append(row)
    return found


def whole(row, before: dict) -> dict:
    """The view of a row, with the events that the seat's last whole view had."""
    view = orjson.loads(row["view"])
    for path in row["added"].split():
        *parents, last = path.split(".")
        inner, earlier = reduce(getitem, parents, view), reduce(getitem, parents, before)
        inner[last] = earlier[last] + inner[last]
    return view


@games
def test_a_row_holds_what_the_replay_shows(run, game):
    rows = by_match(run.decisions(game=game))
    assert list(rows) == [match.match for match in run.matches(game=game)]
    full = iter(run.decisions(game=game, view="full"))
    for match in run.matches(game=game):
        known = defaultdict(dict)
        for row, decision in zip(rows[match.match], run.replay(match.match).decisions(), strict=True):
            assert (row["decision"], row["seat"], row["bot"]) == (decision.step, decision.seat, decision.bot)
            known[decision.seat] = whole(row, known[decision.seat])
            expected = decision.view.as_dict()
            assert known[decision.seat] == orjson.loads(next(full)["view"]) == expected
            assert (row["legal"].split(), row["action"]) == ([*decision.legal], decision.choice)
            assert (row["fault"], row["by_house"]) == (decision.fault and decision.fault.kind, decision.by_house)
            assert (row["score"], row["place"]) == (match.scores[decision.seat], match.places[decision.seat])
            noted = [row[f"note_{name}"] for name in ("thought", "value", "half", "many", "any")]
            many = (1.0, True, 1.0) if len(decision.legal) > 2 else (0.5, False, 0.5)
            assert noted == (['a,\n"b"', 1.0, *many] if decision.bot == "notes" else [None] * 5)
            assert decision.note.get("value") == row["note_value"]
    assert any(row["fault"] == "error" for found in rows.values() for row in found)


@games
def test_what_is_analysed_has_its_loss_and_its_luck(run, game):
    name = analysed(run, game)
    analysis = run.analyse("notes", matches=[name], playouts=4, workers=1)
    costs = {(cost.match, cost.decision): (cost.loss, cost.luck) for cost in analysis}
    found = {(row["match"], row["decision"]): (row["loss"], row["luck"]) for row in run.decisions(game=game)}
    assert {key: value for key, value in found.items() if value != (None, None)} == costs
    assert costs


@games
def test_what_is_encoded_is_what_the_environment_observes(run, game):
    made = tourney.pettingzoo.env(game, seats=seats(game), options=SHORT.get(game, {}))
    seeds = [derive(root_seed(SEED), "deal", game, deal) for deal in range(DEALS)]
    deals = [commitment(seed_text(seed)) for seed in seeds]
    for rows in by_match(run.decisions(game=game, encode=True)).values():
        made.reset(seed=SEED, options={"deal": deals.index(rows[0]["deal"])})
        for row in rows:
            seen = made.observe(made.agent_selection)
            assert np.array_equal(seen["observation"], np.array(row["observation"], np.float32))
            assert np.array_equal(seen["action_mask"], row["action_mask"])
            made.step(made.game.action(row["action"]))


def test_all_that_is_played_on_a_deal_stands_on_one_side(run):
    sides = defaultdict(set)
    for row in run.decisions():
        sides[row["deal"]].add(row["split"])
    assert {len(found) for found in sides.values()} == {1}
    assert len(sides) == DEALS * len(game_names())
    found = [split(commitment(seed_text(seed))) for seed in range(2000)]
    assert [round(found.count(side) / 2000, 1) for side in ("train", "valid", "test")] == [0.8, 0.1, 0.1]


def test_what_others_see_is_only_in_rows_that_are_asked_for_it(run):
    game = game_names()[0]
    assert tuple(column.name for column in FIXED) == run.decisions(game=game).columns[: len(FIXED)]
    assert "hidden" not in run.decisions(game=game, encode=True).columns
    name, rows = next(iter(by_match(run.decisions(game=game, hidden=True)).items()))
    for row, decision in zip(rows, run.replay(name).decisions(), strict=True):
        others = [seat for seat in range(seats(game)) if seat != row["seat"]]
        assert orjson.loads(row["hidden"]) == {str(seat): decision.state.view(seat).as_dict() for seat in others}


@pytest.mark.slow
@pytest.mark.needs("dev")
def test_parquet_is_read_by_duckdb_polars_and_pandas_as_it_was_written(run, tmp_path):
    duckdb, pandas, polars, parquet = map(import_module, ("duckdb", "pandas", "polars", "pyarrow.parquet"))
    game, file = game_names()[-1], str(tmp_path / "a.parquet")
    asked = ["export", str(run.path), "--decisions", "--game", game, "--format", "parquet"]
    for name in ("a.parquet", "b.parquet"):
        assert called([*asked, "--encode", "-o", name], tmp_path).returncode == 0
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    rows = run.decisions(game=game, encode=True)
    frame, expected = polars.read_parquet(file), list(rows)
    assert frame.columns == [*rows.columns]
    for name in set(rows.columns) - {"observation"}:
        assert frame[name].to_list() == [row[name] for row in expected], name
    assert frame.equals(rows.to_polars())
    assert pandas.read_parquet(file).equals(rows.to_pandas())
    assert pandas.read_parquet(file).observation[0].tolist() == frame["observation"][0].to_list()
    assert duckdb.sql(f"select note_value, by_house, loss, action_mask from '{file}'").fetchall() == [
        (row["note_value"], row["by_house"], row["loss"], row["action_mask"]) for row in expected
    ]
    marks = parquet.read_schema(file).metadata
    assert len(orjson.loads(marks[b"tourney.observation"])) == len(expected[0]["observation"])
    assert b"tourney.encoder" in marks
    assert b"tourney.hidden" not in marks
    assert called([*asked, "--open", "-o", "open.parquet"], tmp_path).returncode == 0
    assert b"tourney.hidden" in parquet.read_schema(tmp_path / "open.parquet").metadata


def test_lines_of_json_hold_the_rows_with_views_as_objects_and_those_of_csv_with_texts(run, tmp_path):
    game = game_names()[0]
    asked = ["export", str(run.path), "--decisions", "--game", game, "--open", "--format", "jsonl"]
    lines = [orjson.loads(line) for line in called(asked, tmp_path).stdout.splitlines()]
    rows = run.decisions(game=game, hidden=True)
    assert lines == [row | {name: orjson.loads(row[name]) for name in ("view", "hidden")} for row in rows]
    found = list(csv.DictReader(io.StringIO(called([*asked[:-1], "csv"], tmp_path).stdout)))
    assert [(each["view"], int(each["score"])) for each in found] == [(row["view"], row["score"]) for row in rows]
    assert called([*asked, "--workers", "2"], tmp_path).stdout == called(asked, tmp_path).stdout


@pytest.mark.slow
@pytest.mark.needs("dev")
def test_a_run_of_any_size_is_exported_in_the_same_memory(tmp_path):
    keys = {"seed": 1, "deals": 720, "bots": ["random", {"name": "again", "use": "random"}], "game": [{"name": "vole"}]}
    tourney.run({"name": "many"} | keys, out=tmp_path / "run")
    code = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True)\n"
    code += "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    asked = [TOURNEY, "export", tmp_path / "run", "--decisions", "--format", "parquet", "-o", tmp_path / "all.parquet"]
    said = subprocess.run([sys.executable, "-c", code, *asked], cwd=ROOT, capture_output=True, text=True, check=True)
    assert sum(record.decisions for record in tourney.load(tmp_path / "run").records()) > 200_000
    assert int(said.stdout.split()[-1]) < 300_000  # KiB
