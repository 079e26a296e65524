"""What docs/ci.md shows works as it is shown: the steps of the workflow, and the Makefile."""

import os
import re
import shutil
import subprocess
import textwrap
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import ROOT, TOURNEY

CI = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
PATH = f"{Path(TOURNEY).parent}:{os.environ['PATH']}"
THIEF = """

class Thief:
    def act(self, view, legal):
        return choose(legal)
"""
HABITS = {
    "first": "def choose(legal):\n    return legal[0]\n",
    "first, in other words": "def choose(legal):\n    first, *_ = legal\n    return first\n",
    "broken": "def choose(legal):\n    return None\n",
}


def test_every_test_that_a_workflow_of_ours_names_is_there():
    named = [
        name
        for file in (ROOT / ".github" / "workflows").glob("*.yml")
        for name in re.findall(r"\btests/[\w/.]+", file.read_text(encoding="utf-8"))
    ]
    assert [name for name in named if not (ROOT / name).exists()] == []
    assert "tests/games/test_golden.py" in named


def shown(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", CI, re.DOTALL)[1]


def steps(workflow: str) -> dict[str, str]:
    """Returns the commands of the workflow's steps by name."""
    found = re.findall(r"- name: (.*?)\n(?:(?!      - ).*\n)*?        run: (.*\n(?:          .*\n)*)", workflow)
    return {name: textwrap.dedent(text.removeprefix("|\n")) for name, text in found}


@pytest.fixture
def repository(tmp_path):
    """A function that commits a change to a repository with a bot of two modules; returns the folder and the base."""
    home = tmp_path / "repository"
    (home / "bots").mkdir(parents=True)

    def git(*arguments: str) -> str:
        names = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
        result = subprocess.run(["git", *names, *arguments], cwd=home, capture_output=True, text=True, check=True)
        return result.stdout.strip()

    def commit(habit: str) -> tuple[Path, str]:
        (home / "bots" / "thief.py").write_text(HABITS[habit] + THIEF, encoding="utf-8")
        (home / ".gitignore").write_text("results/\n__pycache__/\n", encoding="utf-8")
        git("commit", "--quiet", "--allow-empty", "--all", "--message", "A change")
        return home, git("rev-parse", "HEAD~1")

    (home / "bots" / "thief.py").write_text(HABITS["first"] + THIEF, encoding="utf-8")
    (home / "Makefile").write_text(shown("make"), encoding="utf-8")
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "A bot")
    return commit


def bash(command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-e", "-o", "pipefail", "-c", command],
        cwd=cwd,
        env=os.environ | {"PATH": PATH} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def quicker(command: str) -> str:
    """Replaces the games of a command by short matches of one game, which come to the same verdicts."""
    return command.replace("--game vole --game leon:4", "--game vole --option vole.target=4 --elo0 -150")


@pytest.mark.parametrize(
    ("habit", "code"), [pytest.param("first, in other words", 0, marks=pytest.mark.slow), ("broken", 1)]
)
def test_the_steps_of_the_workflow_gate_a_pull_request(repository, habit, code):
    home, base = repository(habit)
    workflow = shown("yaml")
    commands = steps(workflow)
    assert list(commands) == ["Install", "Check out the base beside it", "Gate"]
    keys = {"BOT": re.search(r"BOT: (.*)", workflow)[1], "BASE": base, "SEED": "1234"}
    assert bash(commands["Check out the base beside it"], home, **keys).returncode == 0
    result = bash(quicker(commands["Gate"]), home, **keys, GITHUB_STEP_SUMMARY=str(home / "summary.md"))
    assert result.returncode == code, result.stderr
    assert (home / "summary.md").read_text(encoding="utf-8").startswith("## Gate: thief-new against thief-old\n")
    for artifact in re.findall(r"^            (results/.*)$", workflow, re.MULTILINE):
        assert (home / artifact).exists()
    assert ElementTree.parse(home / "results" / "gate.xml").getroot().tag == "testsuites"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
@pytest.mark.parametrize(("habit", "code"), [("first, in other words", 0), ("broken", 2)])
def test_the_makefile_gates_the_working_tree(repository, habit, code):
    home, base = repository(habit)
    makefile = home / "Makefile"
    makefile.write_text(quicker(makefile.read_text(encoding="utf-8")), encoding="utf-8")
    for _ in range(2):  # it works a second time as well
        result = bash(f"make gate BASE={base}", home)
        assert result.returncode == code, result.stderr
        assert result.stdout.splitlines()[-1] != ""
    assert not (home / ".base").exists()
    assert bash("git worktree list", home).stdout.count("\n") == 1


STRONG = """
from tourney_bots.steady import Steady


class Thief(Steady):
    {}
"""
WEAK = """
    def act(self, view, legal):
        return legal[0]
"""
UNLOADABLE = "class Thief"


def git(home: Path, *arguments: str) -> str:
    names = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    return subprocess.run(["git", *names, *arguments], cwd=home, capture_output=True, text=True, check=True).stdout


@pytest.mark.slow
def test_git_bisect_finds_the_commit_that_made_the_bot_weaker(tmp_path):
    """Of ten commits after the good one, the seventh makes the bot weaker, and the fifth cannot be loaded."""
    home, commits = tmp_path / "repository", []
    (home / "bots").mkdir(parents=True)
    git(home, "init", "--quiet")
    for number in range(11):
        text = STRONG.format(f'"""Version {number}."""') + (WEAK if number >= 7 else "")
        (home / "bots" / "thief.py").write_text(UNLOADABLE if number == 5 else text, encoding="utf-8")
        git(home, "add", "--all")
        git(home, "commit", "--quiet", "--message", f"Version {number}")
        commits.append(git(home, "rev-parse", "HEAD").strip())
    git(home, "tag", "v1.2", commits[0])
    commands = re.search(r"```\n(git worktree add .*?)```", CI, re.DOTALL)[1]
    start, reset = commands.split("git bisect reset\n")
    found = bash(quicker(start), home)
    assert found.returncode == 0, found.stderr
    assert f"{commits[7]} is the first bad commit" in found.stdout
    log = git(home, "bisect", "log")
    assert f"git bisect skip {commits[5]}" in log
    assert bash(f"git bisect reset\n{reset}", home).returncode == 0
    assert git(home, "worktree", "list").count("\n") == 1
    assert git(home, "rev-parse", "HEAD").strip() == commits[10]
