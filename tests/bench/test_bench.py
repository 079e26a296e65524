"""The programs that measure: they measure what they say, and say what they do not measure."""

import re
import subprocess
import sys

import orjson
import pytest
from hatch_build import missing_compiler

from tests.bench import others
from tests.bench.tables import Ratio, ratios
from tests.bench.timing import Key
from tests.conftest import ROOT

NO_COMPILER = missing_compiler() is not None


def measured(program, folder, *arguments):
    """What a program prints, and the numbers that it writes."""
    file = folder / "numbers.json"
    command = [sys.executable, "-m", program, *arguments, "--repeats", "1", "--json", str(file)]
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return told, orjson.loads(file.read_bytes())


BUILDS = """
import sys
from pathlib import Path

import orjson
from tests.bench.builds import builds

made, missing = builds(Path(sys.argv[1]), level=0)
rates = [build.inside("bare", "vole", 0.1) for build in made]
print(orjson.dumps([[build.name for build in made], missing, rates]).decode())
"""


@pytest.mark.slow
def test_both_builds_can_be_measured_and_the_checkout_stays_as_it_is(tmp_path):
    before = sorted((ROOT / "tourney").rglob("*.so"))
    command = [sys.executable, "-c", BUILDS, str(tmp_path)]  # apart, since it waits for all its processes
    told = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names, missing, rates = orjson.loads(told)
    assert sorted((ROOT / "tourney").rglob("*.so")) == before
    assert (names, len(missing)) == ((["pure"], 1) if NO_COMPILER else (["pure", "compiled"], 0))
    assert min(rates) > 0


@pytest.mark.slow
def test_ours_is_measured_beside_the_others_that_are_installed(tmp_path):
    told, numbers = measured("tests.bench", tmp_path, "--pure", "--only", "vole", "--seconds", "0.1")
    assert all([value > 0 for line in numbers["measures"] for value in line["values"]])
    names = {line["name"] for line in numbers["measures"]}
    for package, name in (("open_spiel", "OpenSpiel Hearts all C++"), ("rlcard", "RLCard uno"), ("axelrod", "Axelrod")):
        assert (f"measured: {package} (" in told) != any([each.startswith(name) for each in names])
    assert max(map(len, told.splitlines())) <= 80


@pytest.mark.slow
def test_a_long_run_is_measured_with_what_reads_its_journal_and_a_swiss_round_by_round(tmp_path):
    told, numbers = measured(
        "tests.bench.scale", tmp_path, "--pure", "--matches", "2000", "--entrants", "8", "--rounds", "3"
    )
    assert [line["matches"] for line in numbers["runs"]] == [200, 2000]
    (swiss,) = numbers["swiss"]
    assert swiss["entrants"] == 8
    every = [value for line in (*numbers["runs"], swiss) for value in line.values() if not isinstance(value, str)]
    assert min(every) > 0
    assert re.search(r"^verify: times orjson.loads +\d", told, re.MULTILINE)
    assert max(map(len, told.splitlines())) <= 80


def test_a_ratio_is_the_median_of_those_within_each_repeat():
    ours, theirs = Key("speed", "vole", "ours", "pure"), Key("speed", "vole", "theirs", "")
    found = {ours: [10.0, 40.0, 90.0], theirs: [5.0, 10.0, 90.0]}  # in the same repeat the machine is as fast for both
    line = Ratio("ours / theirs", lambda _: ours, lambda _: theirs)
    assert ratios("times", [line], found, ["vole"]).splitlines()[-1].split() == ["ours", "/", "theirs", "2.00±2.00"]


def test_a_package_that_is_not_installed_is_said_to_be_missing(monkeypatch):
    monkeypatch.setattr(others, "PEERS", ("floor", "open_spiel"))
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    measures, missing = others.found()
    assert list(measures) == ["floor"]
    assert [text.split()[0] for text in missing] == ["open_spiel"]
    assert "make bench-peers" in missing[0]
