"""Matches as files: what was written is read again, in every game, and what was changed is refused."""

import jsonschema
import orjson
import pytest

from tests.conftest import ROOT
from tests.helpers import SHORT, play_match
from tourney.base.errors import RunError
from tourney.journal.export import VERSION, as_json, check_trace, match_file, read_match_file, schema_text
from tourney.plugins.registry import game_names, load_game

SCHEMA = orjson.loads(schema_text())


@pytest.fixture
def written(tmp_path):
    """A file of a match of Voleur, and what it holds as plain data."""
    record = play_match("random", "random", game="voleur", options=SHORT["voleur"])
    path = tmp_path / "match.json"
    path.write_text(as_json(match_file(record, load_game("voleur"))), encoding="utf-8")
    return path, orjson.loads(path.read_bytes())


def refused(path, data) -> str:
    path.write_bytes(data if isinstance(data, bytes) else orjson.dumps(data))
    with pytest.raises(RunError) as error:  # noqa: PT012 - the file is read, and then checked
        found = read_match_file(path)
        check_trace(path, found, load_game(found.game))
    assert str(path) in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("game", game_names())
def test_a_match_of_every_game_is_read_as_it_was_written_and_fits_the_schema(game, tmp_path):
    rules = load_game(game)
    record = play_match(*["random"] * rules.seats[0], game=game, options=SHORT[game])
    path = tmp_path / "match.json"
    match = match_file(record, rules)
    path.write_text(as_json(match), encoding="utf-8")
    found = read_match_file(path)
    assert found == match
    check_trace(path, found, rules)
    data = orjson.loads(path.read_bytes())
    jsonschema.validate(data, SCHEMA)
    assert orjson.dumps(data["record"]) + b"\n" == record.line()
    assert data["trace"][0]["options"] == data["options"]


def test_a_fault_fits_the_schema():
    data = orjson.loads(as_json(match_file(play_match("random", "Raises", options=SHORT["vole"]), load_game("vole"))))
    assert data["record"]["faults"][0]["answer"] is None
    jsonschema.validate(data, SCHEMA)


def test_the_published_schema_is_that_of_the_code():
    assert (ROOT / "docs" / "match.schema.json").read_text(encoding="utf-8") == schema_text()


def test_what_is_damaged_or_foreign_is_refused(written):
    path, data = written
    assert "invalid JSON" in refused(path, b"\xff\xfe")
    assert "invalid JSON" in refused(path, b"[" * 100_000)
    with pytest.raises(RunError, match="cannot read"):
        read_match_file(path.parent)
    assert "no key" in refused(path, {"a": 1})
    assert "no key" in refused(path, [1])
    for field in ("trace", "seats"):
        less = {key: value for key, value in data.items() if key != field}
        assert f"invalid match file (Object missing required field `{field}`)" in refused(path, less)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(less, SCHEMA)
    assert "format version" in refused(path, data | {"tourney_match": VERSION + 1})
    assert "checksum mismatch in its record" in refused(path, data | {"record": data["record"] | {"scores": [0, 99]}})
    assert "game or seats differ" in refused(path, data | {"seats": ["random", "thief"]})
    changed = [*data["trace"][:-1], data["trace"][-1] | {"scores": [0, 99]}]
    assert f"trace event {len(changed)} differs" in refused(path, data | {"trace": changed})
    assert f"trace event {len(changed)} differs" in refused(path, data | {"trace": data["trace"][:-1]})


def test_keys_of_later_versions_are_ignored(written):
    path, data = written
    path.write_bytes(orjson.dumps(data | {"comment": "mine"}))
    assert read_match_file(path).game == "voleur"
