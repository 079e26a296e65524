"""The wheel, installed in an environment outside of the checkout with nothing but what it requires; the sdist."""

import json
import re
import subprocess
import sys
import tarfile

import pytest

from tests.cli.test_docs_pages import EXAMPLES, FILES
from tests.conftest import ROOT, with_code
from tests.environments import installed_wheel, made_once
from tests.project.test_docs import shown_files
from tourney.plugins.fingerprints import installed_fingerprint

PAGES = """
import json, tourney
from tourney.cli.commands import docs as pages
from tourney.plugins.fingerprints import installed_fingerprint
texts = {page.name: page.text for page in pages.all_pages()}
examples = {name: file.read_text() for name, file in pages._examples().items()}
print(json.dumps([tourney.__file__, texts, examples, installed_fingerprint("", ["tourney"]).sha256]))
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

    place, texts, examples, fingerprint = json.loads(run(installed, "-c", PAGES, cwd=tmp_path))
    assert place.startswith(str(installed.parent.parent)), "it is the wheel that is tested"
    assert texts == {name: path.read_text(encoding="utf-8") for name, path in FILES.items()}
    assert {line.split()[0] for line in tourney("docs").splitlines()[2:]} == FILES.keys()
    assert examples == EXAMPLES
    assert fingerprint == installed_fingerprint("", ["tourney"]).sha256, "wheel and checkout are the same program"
    assert tourney("docs", "clocks").rstrip("\n") == texts["clocks"].rstrip("\n")
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
def test_type_checkers_know_what_an_installed_wheel_gives(installed, tmp_path):
    game = shown_files((ROOT / "docs" / "writing-a-game.md").read_text(encoding="utf-8"))["goofspiel_game/__init__.py"]
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
