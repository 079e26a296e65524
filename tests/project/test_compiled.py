"""The modules that play matches do the same compiled by mypyc as in pure Python."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import hatch_build
import pexpect
import pytest
from hatch_build import Compile
from hatchling.builders.wheel import WheelBuilder

from tests.cli.runs import WAIT_S
from tests.conftest import ROOT, with_code
from tests.programs import lack

PLAYING = [
    *[f"tests/{name}" for name in ("games", "contract/test_games.py", "contracts/test_rng.py")],
    *[f"tests/hosts/test_{name}.py" for name in ("clocks", "keep", "process", "protocol_page", "tracebacks", "wire")],
]
"""The tests of the compiled modules."""
compilable = pytest.mark.needs("a C compiler")


def tourney(folder: Path, *arguments: object) -> str:
    command = [sys.executable, "-m", "tourney", *map(str, arguments)]
    environment = os.environ | {"PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder, env=environment, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("asked", ["", "0", "1"])
def test_an_editable_installation_is_pure_python_whatever_is_asked_for(asked, tmp_path, monkeypatch):
    monkeypatch.setenv("TOURNEY_COMPILE", asked)
    monkeypatch.setattr(hatch_build, "compiled", lambda *_: {Path("tourney/table.so"): tmp_path / "table.so"})
    said = []
    monkeypatch.setattr(hatch_build, "say", said.append)
    found = {}
    for version in WheelBuilder(str(ROOT)).get_version_api():
        found[version] = {"force_include": {}, "pure_python": True, "infer_tag": False}
        Compile(str(ROOT), {}, None, None, str(tmp_path), "wheel").initialize(version, found[version])
    assert found["editable"] == {"force_include": {}, "pure_python": True, "infer_tag": False}
    there = asked == "1" or (asked == "" and not lack("a C compiler"))
    assert ("tourney/table.so" in found["standard"]["force_include"].values()) == there
    assert said == [hatch_build.WAITING] * there


@pytest.mark.slow
def test_a_build_that_compiles_says_so_on_the_terminal_before_pip_is_silent(tmp_path):
    command = ["-m", "pip", "wheel", "--no-index", "--no-deps", "--no-build-isolation", "-w", str(tmp_path), str(ROOT)]
    environment = os.environ | {"TOURNEY_COMPILE": "1", "TMPDIR": str(tmp_path)}
    with pexpect.spawn(sys.executable, command, env=environment, timeout=WAIT_S) as build:
        build.expect(r"compiling \d+ modules, which takes a minute or two\r\n")
        assert build.isalive()
        os.killpg(build.pid, signal.SIGKILL)  # the compiler, too


@pytest.mark.slow
@compilable
def test_compiled_and_in_pure_python_it_writes_the_same_bytes(built, tmp_path):
    assert (built.names, built.missing) == (["pure", "compiled"], [])
    text = (ROOT / "configs" / "all.toml").read_text(encoding="utf-8")
    (tmp_path / "all.toml").write_text(text.replace("deals = 20", "deals = 5"), encoding="utf-8")
    runs = []
    for name, kind in (("pure", "pure Python"), ("compiled", "compiled")):
        assert kind in tourney(built.folder / name, "--version")
        tourney(built.folder / name, "run", tmp_path / "all.toml", "--out", tmp_path / name, "--quiet")
        runs.append([(tmp_path / name / file).read_bytes() for file in ("journal.jsonl", "manifest.json")])
    assert runs[0] == runs[1]


@pytest.mark.slow
@compilable
def test_the_tests_of_the_compiled_modules_pass_on_the_compiled_build(built, tmp_path):
    fast = Path(shutil.copytree(built.folder / "compiled", tmp_path / "fast"))
    for name in ("tests", "bots", ".ci", "docs", "configs", "pyproject.toml"):
        whole = ROOT / name
        (shutil.copytree if whole.is_dir() else shutil.copy)(whole, fast / name)
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not slow", *PLAYING]
    environment = os.environ | {"PYTHONPATH": str(fast)}
    with_code(subprocess.run(command, cwd=fast, env=environment, check=False, capture_output=True, text=True))
    assert "(compiled)" in tourney(fast, "--version")
