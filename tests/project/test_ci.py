"""What docs/ci.md shows works as it is shown; what our own integration runs, and the targets of our Makefile."""

import os
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.conftest import ROOT, TOURNEY, git, with_code

CI = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
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
STRONG = """
from tourney_bots.steady import Steady
class Thief(Steady):
    version = {}
"""
WEAK = """
    def act(self, view, legal):
        return legal[0]
"""


def shown(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", CI, re.DOTALL)[1]


def steps(workflow: str) -> dict[str, str]:
    found = re.findall(r"- name: (.*?)\n(?:(?!      - ).*\n)*?        run: (.*\n(?:          .*\n)*)", workflow)
    return {name: textwrap.dedent(text.removeprefix("|\n")) for name, text in found}


def commit(home: Path, *texts: str) -> list[str]:
    """Commits texts of a bot, one after the other, to a repository that is new before the first; returns the names."""
    if not home.exists():
        (home / "bots").mkdir(parents=True)
        (home / "Makefile").write_text(quicker(shown("make")), encoding="utf-8")
        (home / ".gitignore").write_text("results/\n__pycache__/\n", encoding="utf-8")
        git(home, "init", "--quiet")
    commits = []
    for text in texts:
        (home / "bots" / "thief.py").write_text(text, encoding="utf-8")
        git(home, "add", "--all")
        git(home, "commit", "--quiet", "--message", "A change")
        commits.append(git(home, "rev-parse", "HEAD").strip())
    return commits


@pytest.fixture
def home(tmp_path):
    return tmp_path / "repository"


def bash(command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    words, names = ["bash", "-e", "-o", "pipefail", "-c", command], os.environ | {"PATH": PATH} | environment
    return subprocess.run(words, cwd=cwd, env=names, capture_output=True, text=True, check=False)


def quicker(command: str) -> str:
    """Replaces the games of a command by short matches of one game, which come to the same verdicts."""
    return command.replace("--game vole --game leon:4", "--game vole --option vole.target=4 --elo0 -150")


@pytest.mark.needs("git", "bubblewrap")
@pytest.mark.parametrize(
    ("habit", "code"), [pytest.param("first, in other words", 0, marks=pytest.mark.slow), ("broken", 1)]
)
def test_the_steps_of_the_workflow_gate_a_pull_request(home, habit, code):
    base, _ = commit(home, HABITS["first"] + THIEF, HABITS[habit] + THIEF)
    workflow = shown("yaml")
    commands = steps(workflow)
    assert list(commands) == ["Check out the base beside it", "Install", "Gate"]
    keys = {"BOT": re.search(r"BOT: (.*)", workflow)[1], "BASE": base}
    assert bash(commands["Check out the base beside it"], home, **keys).returncode == 0
    result = bash(quicker(commands["Gate"]), home, **keys, GITHUB_STEP_SUMMARY=str(home / "summary.md"))
    assert result.returncode == code, result.stderr
    assert (home / "summary.md").read_text(encoding="utf-8").startswith("## Gate: thief-new against thief-old\n")
    for artifact in re.findall(r"^            (results/.*)$", workflow, re.MULTILINE):
        assert (home / artifact).exists()
    assert ElementTree.parse(home / "results" / "gate.xml").getroot().tag == "testsuites"


@pytest.mark.slow
@pytest.mark.needs("git", "make")
@pytest.mark.parametrize(("habit", "code"), [("first, in other words", 0), ("broken", 2)])
def test_the_makefile_gates_the_working_tree(home, habit, code):
    base, _ = commit(home, HABITS["first"] + THIEF, HABITS[habit] + THIEF)
    for _ in range(2):  # it works a second time as well
        result = bash(f"make gate BASE={base}", home)
        assert result.returncode == code, result.stderr
        assert result.stdout.splitlines()[-1] != ""
    assert not (home / ".base").exists()
    assert git(home, "worktree", "list").count("\n") == 1


@pytest.mark.slow
@pytest.mark.needs("git", "make")
def test_git_bisect_finds_the_commit_that_made_the_bot_weaker(home):
    """Of ten commits after the good one, the seventh makes the bot weaker, and the fifth cannot be loaded."""
    texts = [STRONG.format(number) + (WEAK if number >= 7 else "") for number in range(11)]
    texts[5] = "class Thief"
    commits = commit(home, *texts)
    git(home, "tag", "v1.2", commits[0])
    start, reset = re.search(r"```\n(git worktree add .*?)```", CI, re.DOTALL)[1].split("git bisect reset\n")
    assert f"{commits[7]} is the first bad commit" in with_code(bash(quicker(start), home)).stdout
    assert f"git bisect skip {commits[5]}" in git(home, "bisect", "log")
    assert bash(f"git bisect reset\n{reset}", home).returncode == 0
    assert git(home, "worktree", "list").count("\n") == 1
    assert git(home, "rev-parse", "HEAD").strip() == commits[10]


@pytest.mark.needs("make")
def test_make_help_lists_every_target():
    shown = subprocess.run(["make", "-C", ROOT, "help"], capture_output=True, text=True, check=True).stdout
    targets = re.search(r"(?m)^\.PHONY: (.*)$", MAKEFILE)[1].split()
    assert re.findall(r"(?m)^  make (\S+) ", shown) == targets
    assert set(re.findall(r"(?m)^([a-z-]+):", MAKEFILE)) == set(targets)


@pytest.mark.parametrize(
    ("make", "code", "called"),
    [
        ("true", 0, ["test without bwrap", "check with bwrap", "test-all with bwrap"]),
        ('test "$1" != check', 1, ["test without bwrap", "check with bwrap"]),
    ],
    ids=["all", "the first with all programs fails"],
)
def test_ci_tests_as_a_newcomer_lints_tests_with_all_programs_and_ends_at_what_fails(tmp_path, make, code, called):
    """In a folder of programs that do nothing, but for `make`, which prints its target, and whether bwrap is there."""
    for name in ("bash", "dirname", "env", "ln", "mktemp", "rm"):
        (tmp_path / name).symlink_to(shutil.which(name))
    says = f'command -v bwrap >&2 && w=with || w=without; echo "make $1 $w bwrap"; {make}'
    for name, line in {"make": says, "bwrap": "true", "chromium": "true", "python3": "true"}.items():
        (tmp_path / name).write_text(f"#!{shutil.which('bash')}\n{line}\n", encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    script = ["bash", ROOT / ".ci" / "run"]
    result = subprocess.run(script, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert result.returncode == code, result.stderr
    assert re.findall(r"(?m)^make (.*)$", result.stdout) == called


PLANTED = """
import subprocess
import pytest
@pytest.mark.needs("bubblewrap")
def test_that_says_so():
    subprocess.run(["bwrap", "--version"], check=True)
@pytest.mark.parametrize("host", ["process", "sandbox"])
def test_of_hosts(host):
    assert host == "process" or subprocess.run(["bwrap", "--version"], check=True)
"""
SILENT = """
def test_that_does_not_say_so():
    subprocess.run(["bwrap", "--version"], check=True)
"""
LEFT_OUT = "skipped 2 tests of the sandbox: bubblewrap is missing (apt install bubblewrap)"


@pytest.mark.parametrize(
    ("text", "ci", "says"),
    [
        (PLANTED + SILENT, "", f"\n{LEFT_OUT}\n1 failed, 1 passed, 2 skipped in "),
        pytest.param(PLANTED, "true", "\n1 passed, 2 errors in ", marks=pytest.mark.slow),
    ],
    ids=["unsaid", "in continuous integration"],
)
def test_what_needs_a_missing_program_is_left_out_and_fails_if_it_does_not_say_so_or_ci_has_it(
    tmp_path, text, ci, says
):
    (tmp_path / "apt-get").write_text("")
    (tmp_path / "apt-get").chmod(0o755)
    (tmp_path / "test_planted.py").write_text(text)
    command = [sys.executable, "-m", "pytest", "-q", "-n1", "-p", "tests.programs", "-p", "no:cacheprovider"]
    names = os.environ | {"PATH": str(tmp_path), "PYTHONPATH": str(ROOT), "CI": ci, "PYTEST_ADDOPTS": ""}
    result = subprocess.run([*command, tmp_path], cwd=tmp_path, env=names, capture_output=True, text=True, check=False)
    assert result.returncode == 1
    assert says in result.stdout
