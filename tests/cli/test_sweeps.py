"""A sweep as a user runs it: each combination is entered, and the run ends with the best and what it is worth."""

import shlex

import orjson
import pytest

import tourney as library
from tests.cli.runs import cut, same_run
from tests.conftest import ROOT, with_code

USE = f'use = "{ROOT}/tests/standings/coverage_bots.py:Mixture"'
SWEEP = {"bots": "[]", "extra": f'[[bot]]\nname = "mix"\n{USE}\nsweep = {{ share = [0.0, 0.5, 1.0] }}'}


@pytest.mark.slow
def test_a_ladder_measures_the_best_of_a_sweep_on_fresh_deals(tourney, write, tmp_path):
    config = write("swept", **SWEEP, format='"ladder"', settle='"best"', max_matches="600", deals="5")
    printed = with_code(tourney("run", config, "--out", "A", "--workers", 2)).stdout
    (found,) = library.load(tmp_path / "A").sweeps()
    assert (found.best, found.default) == ("mix share=1.0", "mix share=0.5")
    (shown,) = orjson.loads(with_code(tourney("standings", "A", "--show", "sweeps", "--format", "json")).stdout)
    assert (shown["best"], shown["gain"]["elo"]) == (found.best, found.gain.elo)
    assert f"default, {found.default}, on {found.fresh_deals} fresh deals" in " ".join(printed.split())
    assert with_code(tourney("standings", "A")).stdout == printed
    with_code(tourney("report", "A", "--out", "A.html"))
    assert " ".join(found.sentences()) in (tmp_path / "A.html").read_text(encoding="utf-8")
    *_, final = orjson.loads(with_code(tourney("standings", "A", "--show", "rounds", "--format", "json")).stdout)
    listed = with_code(tourney("matches", "A", "--bot", found.best, "--round", final["round"])).stdout
    assert len(listed.splitlines()) == 2 * found.fresh_deals
    with_code(tourney("run", config, "--out", "B"))  # killed within the final, a run goes on to the same bytes
    cut(tmp_path / "A", -found.fresh_deals)
    assert library.load(tmp_path / "A").sweeps()[0].gain is None
    with_code(tourney("run", config, "--out", "A", "--resume"))
    same_run(tmp_path / "A", tmp_path / "B")


def test_any_other_format_says_how_to_measure_it(tourney, write):
    printed = with_code(tourney("run", write("swept", **SWEEP, deals="20"), "--out", "A")).stdout
    (command,) = [line for line in printed.splitlines() if line.startswith("  tourney compare")]
    with_code(tourney(*shlex.split(command)[1:], "--deals", 5))
    longer = write("longer", **SWEEP | {"extra": SWEEP["extra"].replace("0.5", "0.5, 0.7")}, deals="20")
    with_code(tourney("run", longer, "--out", "B", "--extend", "A"))
    lines = with_code(tourney("standings", "A", "--show", "sweeps", "--format", "csv")).stdout.splitlines()
    assert [line.split(",")[:3] for line in lines[1:]] == [["mix", "share", share] for share in ("0.0", "0.5", "1.0")]
