"""The programs that measure: they measure what they say, and report what they cannot measure."""

import os
import re
import shutil
import subprocess
import sys

import orjson
import pytest
from hatch_build import missing_compiler

from tests.bench import peer_measures
from tests.bench.against import AgainstReport, Pairs
from tests.bench.builds import Build, write_metadata
from tests.bench.tables import Ratio, machine, ratios
from tests.bench.timing import Key
from tests.conftest import ROOT

NO_COMPILER = missing_compiler() is not None
IN_GIT = (ROOT / ".git").exists() and shutil.which("git") is not None


def measured(program, folder, *arguments, codes=(0,)):
    file = folder / "numbers.json"
    command = [sys.executable, "-m", program, *arguments, "--repeats", "1", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode in codes, done.stderr
    return done.stdout, orjson.loads(file.read_bytes())


@pytest.mark.slow
def test_both_builds_can_be_measured_and_the_checkout_stays_as_it_is(built):
    assert sorted((ROOT / "tourney").rglob("*.so")) == built.compiled_before
    assert (built.names, len(built.missing)) == ((["pure"], 1) if NO_COMPILER else (["pure", "compiled"], 0))
    rates = [Build(name, built.folder / name).measure("bare", "vole", 0.1) for name in built.names]
    assert min(rates) > 0


@pytest.mark.slow
def test_tourney_is_measured_beside_the_peers_that_are_installed(tmp_path):
    output, numbers = measured("tests.bench", tmp_path, "--pure", "--only", "vole", "--seconds", "0.1")
    assert all([value > 0 for line in numbers["measures"] for value in line["values"]])
    names = {line["name"] for line in numbers["measures"]}
    for package, name in (
        ("open_spiel", "OpenSpiel Hearts all C++"),
        ("rlcard", "RLCard uno"),
        ("pettingzoo", "PettingZoo"),
        ("axelrod", "Axelrod"),
    ):
        assert (f"measured: {package} (" in output) != any([each.startswith(name) for each in names])
    assert max(map(len, output.splitlines())) <= 80


@pytest.mark.slow
@pytest.mark.skipif(not IN_GIT, reason="another commit can only be had from a git repository")
def test_the_checkout_is_compared_with_another_commit(tmp_path):
    output, numbers = measured(
        "tests.bench", tmp_path, "--against", "HEAD", "--pure", "--only", "vole", "--seconds", "0.1", codes=(0, 1)
    )
    (pair,) = numbers["pairs"]
    assert (pair["game"], pair["build"]) == ("vole", "pure")
    assert min(*pair["before_s"], *pair["now_s"], *pair["ratios"], pair["before_decisions"], pair["now_decisions"]) > 0
    assert re.search(r"^vole, pure +\d", output, re.MULTILINE)
    assert max(map(len, output.splitlines())) <= 80


def test_a_run_is_too_slow_below_97_percent_in_the_median_of_its_repeats():
    even = Pairs("vole", "pure", 10_000, 10_000, [1.0, 1.0, 1.0], [1.0, 1.03, 9.0], True)
    slow = Pairs("leon", "compiled", 10_000, 5_000, [1.0, 1.0, 1.0], [0.5, 0.52, 0.525], False)
    found = AgainstReport("0123abc", [], [even, slow])
    assert found.slower() == [slow]
    output = "\n".join(found.lines(machine(3)))
    assert re.search(r"^vole, pure .* 0\.97±0\.86 +same$", output, re.MULTILINE)
    assert re.search(r"^leon, compiled .* DIFFERENT$", output, re.MULTILINE)
    assert "too slow: leon, compiled: 0.962" in output


def test_a_build_declares_the_plugins_of_its_own_sources(tmp_path):
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "tourney-cards"\nversion = "9"\n'
        '[project.entry-points."tourney.games"]\nvole = "elsewhere:Vole"\n'
    )
    write_metadata(tmp_path / "pyproject.toml", tmp_path)
    code = "from importlib.metadata import entry_points as e; print([x.value for x in e(group='tourney.games')])"
    output = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"PYTHONPATH": str(tmp_path)}, check=True, capture_output=True
    ).stdout
    assert output.decode().strip() == "['elsewhere:Vole']"


def test_a_ratio_is_the_median_of_those_within_each_repeat():
    ours, theirs = Key("speed", "vole", "ours", "pure"), Key("speed", "vole", "theirs", "")
    found = {ours: [10.0, 40.0, 90.0], theirs: [5.0, 10.0, 90.0]}  # in the same repeat the machine is as fast for both
    line = Ratio("ours / theirs", lambda _: ours, lambda _: theirs)
    assert ratios("times", [line], found, ["vole"]).splitlines()[-1].split() == ["ours", "/", "theirs", "2.00±2.00"]


def test_a_package_that_is_not_installed_is_reported_as_missing(monkeypatch):
    monkeypatch.setattr(peer_measures, "PEERS", ("floor", "open_spiel"))
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    rates, missing = peer_measures.installed()
    assert list(rates) == ["floor"]
    assert [text.split()[0] for text in missing] == ["open_spiel"]
    assert "make bench-peers" in missing[0]
