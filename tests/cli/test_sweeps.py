"""A sweep as a user runs it: each combination is entered, and the run ends with the best and what it is worth."""

import shlex

import orjson
import pytest

import tourney as library
from tests.cli.runs import journal, same_run
from tests.conftest import with_code

THIEF = """
import tourney

class Options(tourney.Options, frozen=True):
    luck: float = 0.5
    first: bool = True

class Thief:
    Options = Options

    def __init__(self, options):
        self.options = options

    def start(self, facts):
        self.rng = facts.rng

    def act(self, view, legal):
        return legal[0 if self.options.first and self.rng.random() > self.options.luck else -1]
"""
SWEEP = '[[bot]]\nname = "thief"\nuse = "thief.py:Thief"\nsweep = { luck = [0.0, 0.5], first = [true, false] }'
BEST = {"format": '"ladder"', "settle": '"best"', "max_matches": "600", "deals": "5"}


@pytest.fixture
def file(write, tmp_path):
    (tmp_path / "thief.py").write_text(THIEF, encoding="utf-8")
    return lambda **keys: write("swept", bots="[]", extra=SWEEP, **keys)


def test_a_ladder_measures_the_best_of_a_sweep_on_fresh_deals(tourney, file, tmp_path):
    config = file(**BEST)
    printed = with_code(tourney("run", config, "--out", "A", "--workers", 2)).stdout
    shown = orjson.loads(with_code(tourney("standings", "A", "--sweeps", "--format", "json")).stdout)
    (found,) = library.load(tmp_path / "A").sweeps()
    assert (found.bot, found.settings, found.default) == ("thief", 4, "thief luck=0.5 first=true")
    assert (shown[0]["best"], shown[0]["gain"]["elo"]) == (found.best, found.gain.elo)
    assert f"the best is {found.best}" in " ".join(printed.split())
    assert f"on {found.fresh_deals} fresh deals" in " ".join(printed.split())
    assert with_code(tourney("standings", "A")).stdout == printed
    *_, final = orjson.loads(with_code(tourney("standings", "A", "--rounds", "--format", "json")).stdout)
    assert (final["name"], len(final["tables"])) == ("final", 1)
    listed = with_code(tourney("matches", "A", "--bot", found.best, "--round", final["round"])).stdout
    assert len(listed.splitlines()) == 2 * found.fresh_deals
    # killed within the final, it goes on
    lines = journal(tmp_path / "A").splitlines(keepends=True)
    with_code(tourney("run", config, "--out", "B"))
    (tmp_path / "A" / "journal.jsonl").write_bytes(b"".join(lines[: -found.fresh_deals]))
    with_code(tourney("standings", "A"))
    assert library.load(tmp_path / "A").sweeps()[0].gain is None
    with_code(tourney("run", config, "--out", "A", "--resume"))
    same_run(tmp_path / "A", tmp_path / "B")


def test_any_other_format_says_how_to_measure_it(tourney, file):
    printed = with_code(tourney("run", file(), "--out", "A")).stdout
    (command,) = [line for line in printed.splitlines() if line.startswith("  tourney gate")]
    result = tourney(*shlex.split(command)[1:], "--max-deals", 5)
    assert result.returncode in (0, 1, 3), result.stderr
    lines = with_code(tourney("standings", "A", "--sweeps", "--format", "csv")).stdout.splitlines()
    assert [line.split(",")[:3] for line in lines[1:]] == [
        ["thief", key, value]
        for key, values in (("luck", ("0.0", "0.5")), ("first", ("true", "false")))
        for value in values
    ]
