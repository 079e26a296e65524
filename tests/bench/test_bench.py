"""The programs that measure: they measure what they say, and report what they cannot measure."""

import re
import subprocess
import sys

import orjson
import pytest

from tests.bench.against import AgainstReport, Pairs
from tests.bench.builds import Build
from tests.bench.tables import machine
from tests.conftest import ROOT
from tests.programs import lack


def measured(program, folder, *arguments, codes=(0,)):
    file = folder / "numbers.json"
    command = [sys.executable, "-m", program, *arguments, "--repeats", "1", "--json", str(file)]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    assert done.returncode in codes, done.stderr
    return done.stdout, orjson.loads(file.read_bytes())


@pytest.mark.slow
def test_both_builds_can_be_measured_and_the_checkout_stays_as_it_is(built):
    assert sorted((ROOT / "tourney").rglob("*.so")) == built.compiled_before
    assert (built.names, len(built.missing)) == ((["pure"], 1) if lack("a C compiler") else (["pure", "compiled"], 0))
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
@pytest.mark.needs("git", "our repository")
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
