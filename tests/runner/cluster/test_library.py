"""The workers of a cluster play for a Python program: the same bytes as those of one machine."""

import pytest

import tourney
from tests._api.test_run import config, highest

pytestmark = pytest.mark.slow
HERE = {"workers": 1}
THERE = {"cluster": "local:1"}
BOTH = tuple(enumerate((HERE, THERE)))


def test_a_run_that_takes_over_an_earlier_one_has_the_same_bytes(tmp_path):
    plain = tourney.run(config("random", "steady"), out=tmp_path / "plain", **HERE)
    small = tourney.run(config("random", "steady", deals=2), out=tmp_path / "small", **HERE)
    large = tourney.run(config("random", "steady"), out=tmp_path / "large", extend=small, **THERE)
    for name in ("journal.jsonl", "manifest.json", "standings.json"):
        assert (plain.path / name).read_bytes() == (large.path / name).read_bytes()


def test_a_class_is_sent_to_the_workers(tmp_path):
    runs = [tourney.run(config("random", highest()), out=tmp_path / str(number), **keys) for number, keys in BOTH]
    assert (runs[0].path / "journal.jsonl").read_bytes() == (runs[1].path / "journal.jsonl").read_bytes()
