"""What docs/ci.md shows works as it is shown; what our own integration runs, and the targets of our Makefile."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.conftest import ROOT, TOURNEY, commit, git, with_code

ACTION = yaml.safe_load((ROOT / ".github" / "actions" / "gate" / "action.yml").read_text(encoding="utf-8"))
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


def committed(home: Path, *texts: str) -> list[str]:
    """Commits texts of a bot, one after the other, to a repository that is new before the first; returns the names."""
    own = {} if home.exists() else {"Makefile": quicker(shown("make")), "requirements.txt": "tourney-cards\n"}
    own[".gitignore"] = "results/\n__pycache__/\n"
    return [commit(home, own | {"bots/thief.py": text}) for text in texts]


@pytest.fixture
def home(tmp_path):
    return tmp_path / "repository"


def bash(command: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    words, names = ["bash", "-e", "-o", "pipefail", "-c", command], os.environ | {"PATH": PATH} | environment
    return subprocess.run(words, cwd=cwd, env=names, capture_output=True, text=True, check=False)


def quicker(command: str) -> str:
    """Replaces the games of a command by short matches of one game, which come to the same verdicts."""
    return command.replace("--game vole --game leon:4", "--game vole --option vole.target=4 --elo0 -150")


QUICK = "--game vole --option vole.target=4 --elo0 -150 --host process"
UNDECIDED = {"arguments": f"{QUICK} --max-deals 1"}
MARK = "<!-- tourney: gate -->"
GH = f"""#!{sys.executable}
import json, os, pathlib, sys
words, file = sys.argv[1:], pathlib.Path(os.environ["COMMENTS"])
comments = json.loads(file.read_text())
given = {{key: words[at + 1] for at, key in enumerate(words) if key in ("--method", "--field", "--jq")}}
(path,) = [word for word in words if word.startswith("repos/ann/bots/issues/")]
if "--method" not in given:
    assert given["--jq"] == ".[] | select(.body | startswith($ENV.MARK)).id" and "--paginate" in words
    print("\\n".join([str(at) for at, body in enumerate(comments) if body.startswith(os.environ["MARK"])]))
elif os.environ["GH_TOKEN"] != "may write":
    sys.exit("gh: Resource not accessible by integration (HTTP 403)")
else:
    at = int(path.rpartition("/")[2]) if given["--method"] == "PATCH" else len(comments)
    comments[at:at + 1] = [pathlib.Path(given["--field"].removeprefix("body=@")).read_text()]
    file.write_text(json.dumps(comments))
"""
"""Stands in for GitHub's program: it keeps the comments of pull request 7 of ann/bots in a file."""


class PullRequest:
    """Runs the steps of our action as GitHub does, in the repository of a pull request."""

    def __init__(self, home: Path, base: str, token: str = "may write", **inputs: str) -> None:
        self._home, programs = home, home.parent / "programs"
        programs.mkdir(exist_ok=True)
        installed = (
            f'#!{shutil.which("sh")}\ntest "$*" = "-m pip install -r ../base/requirements.txt" && test -e "$5"\n'
        )
        for name, text in {"gh": GH, "python": installed, "sudo": f"#!{shutil.which('true')}\n"}.items():
            (programs / name).write_text(text, encoding="utf-8")
            (programs / name).chmod(0o755)
        self._comments = home.parent / "comments.json"
        self._comments.write_text(json.dumps(["Well done", f"> {MARK} was here"]), encoding="utf-8")
        self._environment = {"PATH": f"{programs}:{PATH}", "GITHUB_REPOSITORY": "ann/bots"}
        self._environment |= {"COMMENTS": str(self._comments), "GITHUB_STEP_SUMMARY": str(home.parent / "summary.md")}
        given = {name: each.get("default", "") for name, each in ACTION["inputs"].items()} | inputs
        self._known = {f"inputs.{name}": value for name, value in given.items()} | {
            "inputs.token": token,
            "github.event.pull_request.base.sha || github.event.before": base,
            "github.event.pull_request.number": "7",
        }

    def push(self, **inputs: str) -> int:
        """Runs the action, perhaps with other inputs, on what is committed; returns the code of the step that fails."""
        self._known |= {f"inputs.{name}": value for name, value in inputs.items()}
        shutil.rmtree(self._home / "results", ignore_errors=True)
        shutil.rmtree(self._home.parent / "base", ignore_errors=True)
        git(self._home, "worktree", "prune")
        code = 0
        for step in ACTION["runs"]["steps"]:
            if code and "!cancelled()" not in step.get("if", ""):
                continue
            if "run" not in step:
                assert (self._home / step["with"].get("path", ".")).exists(), "what is kept is there"
                continue
            assert "${{" not in step["run"], "a pull request's texts must not become part of a script"
            own = {name: self._value(text) for name, text in step["env"].items()}
            result = bash(step["run"], self._home, **self._environment, **own)
            assert "Traceback" not in result.stderr, result.stderr
            code = code or result.returncode
        return code

    def _value(self, text: str) -> str:
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self._known[found[1]], text)

    @property
    def summary(self) -> str:
        return (self._home.parent / "summary.md").read_text(encoding="utf-8")

    @property
    def comments(self) -> list[str]:
        """Those that are new since the pull request was opened."""
        old, quoting, *new = json.loads(self._comments.read_text(encoding="utf-8"))
        assert (old, quoting) == ("Well done", f"> {MARK} was here")
        return new


@pytest.mark.needs("git")
def test_the_action_fails_a_pull_request_and_renews_its_comment_with_the_next_push(home):
    base, _ = committed(home, HABITS["first"] + THIEF, HABITS["broken"] + THIEF)
    opened = PullRequest(home, base, bot="bots/thief.py:Thief", arguments=QUICK)
    assert opened.push() == 1
    assert opened.summary.startswith("## Gate: thief-new against thief-old\n\n**FAILED: ")
    assert opened.comments == [f"{MARK}\n{opened.summary}"]
    assert ElementTree.parse(home / "results" / "gate.xml").getroot().tag == "testsuites"
    assert (home / "results" / "gate" / "journal.jsonl").exists()
    committed(home, HABITS["first, in other words"] + THIEF)
    assert opened.push(**UNDECIDED) == 3
    (comment,) = opened.comments
    assert "**UNDECIDED: " in comment
    assert "**FAILED: " not in comment


@pytest.mark.needs("git")
def test_a_fork_without_secrets_gets_the_summary_and_no_comment_and_an_undecided_gate_may_pass(home):
    base, _ = committed(home, HABITS["first"] + THIEF, HABITS["first, in other words"] + THIEF)
    opened = PullRequest(home, base, "reads", bot="bots/thief.py:Thief")
    assert opened.push(**UNDECIDED, **{"pass-undecided": "true"}) == 0
    assert "**UNDECIDED: " in opened.summary
    assert opened.comments == []


@pytest.mark.needs("git")
def test_the_action_says_why_there_is_no_verdict(home):
    base, _ = committed(home, HABITS["first"] + THIEF, "class Thief")
    opened = PullRequest(home, base, bot="bots/thief.py:Thief", arguments=QUICK)
    assert opened.push() == 2
    assert opened.summary.startswith("## tourney gate: exit code 2\n\ntourney: ")
    assert opened.comments == [f"{MARK}\n{opened.summary}"]


@pytest.mark.slow
@pytest.mark.needs("git", "bubblewrap")
def test_the_action_tracks_a_bot_and_gates_it_in_the_sandbox(home):
    base, _ = committed(home, STRONG.format(1), STRONG.format(2) + WEAK)
    opened = PullRequest(home, base, bot="bots/thief.py:Thief", arguments=QUICK.removesuffix(" --host process"))
    assert opened.push() == 1
    tracked = PullRequest(home, base, bot="bots/thief.py:Thief", command="track", arguments="--game vole --deals 20")
    assert tracked.push() == 0
    assert "| commit" in tracked.summary


def test_the_workflow_on_the_page_gives_the_action_what_it_takes():
    (job,) = yaml.safe_load(shown("yaml"))["jobs"].values()
    (step,) = job["steps"]
    assert step["uses"].partition("@")[0].endswith("/.github/actions/gate")
    required = {name for name, each in ACTION["inputs"].items() if each.get("required")}
    assert required <= step["with"].keys() <= ACTION["inputs"].keys()


@pytest.mark.slow
@pytest.mark.needs("git", "make")
@pytest.mark.parametrize(("habit", "code"), [("first, in other words", 0), ("broken", 2)])
def test_the_makefile_gates_the_working_tree(home, habit, code):
    base, _ = committed(home, HABITS["first"] + THIEF, HABITS[habit] + THIEF)
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
    commits = committed(home, *texts)
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


@pytest.mark.parametrize(("make", "code", "called"), [
    ("true", 0, ["test without bwrap", "check with bwrap", "test-all with bwrap"]),
    ('test "$1" != check', 1, ["test without bwrap", "check with bwrap"]),
], ids=["all", "the first with all programs fails"])  # fmt: skip
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


@pytest.mark.slow
@pytest.mark.parametrize(("text", "ci", "says"), [
    (PLANTED + SILENT, "", f"\n{LEFT_OUT}\n1 failed, 1 passed, 2 skipped in "),
    (PLANTED, "true", "\n1 passed, 2 errors in "),
], ids=["unsaid", "in continuous integration"])  # fmt: skip
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
