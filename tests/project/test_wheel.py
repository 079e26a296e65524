"""The wheel in an environment outside of the checkout; the sdist; and modules compiled by mypyc."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import hatch_build
import pexpect
import pytest
from hatch_build import Compile
from hatchling.builders.wheel import WheelBuilder

from tests.cli.runs import WAIT_S
from tests.cli.test_docs_pages import EXAMPLES, FILES
from tests.conftest import ROOT, with_code
from tests.environments import installed_wheel, made_once
from tests.programs import lack
from tests.project.test_docs import shown_files
from tourney.plugins.fingerprints import installed_fingerprint

PAGES = """
import json, tourney
from tourney.cli.commands import docs as pages
from tourney.plugins.fingerprints import installed_fingerprint
texts = {page.name: page.text for page in pages.all_pages()}
print(json.dumps([tourney.__file__, texts, installed_fingerprint("", ["tourney"]).sha256]))
"""
TYPED = """
from collections.abc import Sequence
from random import Random
from typing import Any

import tourney
import tourney.pettingzoo
from tourney import *
from tourney.cards import VOLE, Deck


class O(tourney.Options):
    n: int = 3


class Thief(Bot):
    Options = O
    games = ("vole",)

    def __init__(self, options: O) -> None:
        self.n = options.n

    def start(self, facts: SeatFacts) -> None:
        super().start(facts)
        policy = load_policy("vole")
        assert policy is not None
        self.policy = policy(facts)

    def act(self, view: Any, legal: Sequence[int]) -> int | Noted:
        imagined = self.facts.game.imagine(view, self.facts.rng)

        def choose(state: State, legal: Sequence[int]) -> int:
            return pick(legal, self.facts.rng)

        play_out(imagined, choose, until_score=True)
        reveal_type(imagined.scores)
        reveal_type(imagined.view(0))
        reveal_type(self.facts.rng)
        reveal_type(self.facts.options)
        reveal_type(self.policy.act(view, legal))
        return Noted(legal[self.n], value=0.5)


class Plain(Game):
    class Options(tourney.Options):
        n: int = 3

    def start(self, seats: int, options: Options, seed: int) -> State:
        reveal_type(options.n)
        reveal_type(self.options(seats, {}))
        raise NotImplementedError


class Short(Game):
    Options = O

    def start(self, seats: int, options: O, seed: int) -> State:
        raise NotImplementedError


finished = tourney.run({"name": "x", "seed": 1, "bots": ["steady", Thief], "game": [{"name": "vole"}]})
reveal_type(finished.standings()[0].rating)
reveal_type([record.scores for record in finished.records()])
reveal_type([match.margin for match in finished.matches()])
for decision in finished.replay("vole-00000-0").decisions():
    reveal_type(decision.view)
    reveal_type(decision.state.legal())
reveal_type(tourney.gate(Thief, against="steady", games=["vole"]).elo)
reveal_type(tourney.pettingzoo.env("vole").view("seat_0"))
reveal_type(VOLE.text(3))
deck: Deck = cards.STANDARD
"""


@pytest.fixture
def installed(shared_folder):
    """The Python of the environment in which the wheel is installed, with the extra of reports."""
    folder = shared_folder / "environment"  # where it stays: its programs hold its path

    def install(_):
        folder.mkdir()
        installed_wheel(folder, "report")

    made_once(shared_folder / "installed", install)
    return folder / "venv" / "bin" / "python"


def run(*command, cwd):
    """Returns what a command prints that knows nothing of the checkout."""
    return with_code(subprocess.run(command, cwd=cwd, env={}, capture_output=True, text=True, check=False)).stdout


@pytest.mark.slow
def test_an_installed_wheel_has_all_its_files(installed, finished, tmp_path):
    def tourney(*arguments):
        return run(installed.with_name("tourney"), *arguments, cwd=tmp_path)

    place, texts, fingerprint = json.loads(run(installed, "-c", PAGES, cwd=tmp_path))
    assert place.startswith(str(installed.parent.parent)), "it is the wheel that is tested"
    assert texts == {name: path.read_text(encoding="utf-8") for name, path in FILES.items()}
    assert {line.split()[0] for line in tourney("docs").splitlines()[2:]} == FILES.keys()
    assert {name: tourney("docs", name) for name in EXAMPLES} == EXAMPLES
    assert fingerprint == installed_fingerprint("", ["tourney"]).sha256, "wheel and checkout are the same program"
    assert tourney("docs", "words").rstrip("\n") == texts["glossary"].rstrip("\n")
    assert tourney("games", "vole", "--rules").rstrip("\n") == texts["rules/vole"].rstrip("\n")
    assert "wrote fox/fox_bot.py" in tourney("new", "bot", "fox")
    assert '"$schema"' in tourney("schema")
    files = [path.relative_to(ROOT) for path in (ROOT / "tourney" / "report").rglob("*.*") if path.suffix != ".pyc"]
    site = next(installed.parent.parent.glob("lib/python*/site-packages"))
    assert [str(file) for file in files if not (site / file).is_file()] == []
    tourney("report", "done")
    tourney("replay", "done", "vole-00000-0", "--html", "match.html")
    assert "tourneyViewer" in (finished / "report.html").read_text(encoding="utf-8")
    assert "tourneyViewer" in (tmp_path / "match.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_an_installed_wheel_plays_and_imports_without_what_its_extras_bring(installed, tmp_path):
    tourney = installed.with_name("tourney")
    assert "steady" in run(tourney, "run", ROOT / "configs" / "quick.toml", "--out", "quick", "--quiet", cwd=tmp_path)
    assert run(tourney, "verify", "quick", cwd=tmp_path).endswith("records verified\n")
    names = "from tourney import *; import tourney; from tourney.cards import VOLE, Deck; assert cards.VOLE is VOLE"
    run(installed, "-c", f"{names}; assert not hasattr(tourney, 'pettingzoo')", cwd=tmp_path)


@pytest.mark.slow
def test_the_commands_of_a_kit_s_readme_work_where_the_wheel_is_installed(installed, tmp_path):
    tourney = installed.with_name("tourney")
    run(tourney, "league", "new", "cup", "--game", "leon:4", cwd=tmp_path)
    run(tourney, "bundle", "cup", "--kit", "-o", "kit.zip", cwd=tmp_path)
    with zipfile.ZipFile(tmp_path / "kit.zip") as kit:
        kit.extractall(tmp_path / "kit")
    (block,) = re.findall(r"```\n(.*?)```", (tmp_path / "kit" / "README.md").read_text(), re.DOTALL)
    said = [run(tourney, *shlex.split(line)[1:], cwd=tmp_path / "kit") for line in block.splitlines()]
    for text, start in zip(said, ("# Le Léon", "ok    legality", "mybot is "), strict=True):
        assert text.startswith(start)


@pytest.mark.slow
def test_type_checkers_know_what_an_installed_wheel_gives(installed, tmp_path):
    game = shown_files((ROOT / "docs" / "write-a-game.md").read_text(encoding="utf-8"))["goofspiel_game/__init__.py"]
    for name, text in {"typed": TYPED, "goofspiel": game, "wrong": "import tourney\ntourney.no_such_name\n"}.items():
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    mypy = [sys.executable, "-m", "mypy", "--strict", "--python-executable", installed]
    said = run(*mypy, "typed.py", "goofspiel.py", cwd=tmp_path)
    revealed = re.findall('Revealed type is "(.*)"', said)
    assert len(revealed) == TYPED.count("reveal_type(")
    assert not re.search(r"\bAny\b", " ".join(revealed)), revealed
    wrong = subprocess.run([*mypy, "wrong.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert 'Module has no attribute "no_such_name"' in wrong.stdout


@pytest.mark.slow
def test_the_sdist_has_what_a_wheel_is_built_from(tmp_path):
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", tmp_path, cwd=ROOT)
    (path,) = tmp_path.iterdir()
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"tourney/py.typed", "bots/tourney_bots/py.typed", ".ci/hatch_build.py", "docs/api.md"} <= names


PLAYING = [
    *[f"tests/{name}" for name in ("games", "contracts/test_rng.py")],
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
