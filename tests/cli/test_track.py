"""`tourney track` over the commits of a repository that the test makes, and the session of docs/measure-strength.md."""

import json
import os
import re
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.runs import begin, journal, one_line, wait_for
from tests.conftest import ROOT, TOURNEY, commit, git, with_code
from tourney.journal import folder
from tourney.journal.run import RunFolder
from tourney.report.page import report_page
from tourney.report.run_data import read_runs

pytestmark = pytest.mark.needs("git", "make")

BOT = "from tourney_bots.{} import {} as Base\nclass Thief(Base):\n    '''{}'''\n"
TRACK = "track", "bots/thief.py:Thief", "--game", "vole", "--pool", "steady,first"
QUIET = (*TRACK, "--host", "inline", "--deals", 100, "--workers", 2, "--quiet")
COUNTED = "echo built >> $BUILT && make bot"
HOSTILE = "<img src=x onerror=alert(1)> | *Play* steadily, and take a trick only where it is worth one"


class Repository:
    """A repository in which `make bot` makes bots/thief.py of bots/thief.txt."""

    def __init__(self, path: Path) -> None:
        self.path = path
        (path / "bots").mkdir(parents=True)
        (path / ".gitignore").write_text("results/\nbots/thief.py\nsite/\nBUILT\n")
        (path / "Makefile").write_text("bot:\n\tcp bots/thief.txt bots/thief.py\n")

    def git(self, *arguments: str) -> str:
        return git(self.path, *arguments)

    def commit(self, subject: str, bot: str | None = None, note: str = "") -> None:
        """Commits a bot that plays as the installed one of a name, or something that cannot be built or loaded."""
        file = self.path / "bots" / "thief.txt"
        if bot is None:
            file.unlink(missing_ok=True)
        else:
            file.write_text(BOT.format(bot, bot.title(), note) if bot.isidentifier() else bot)
        commit(self.path, subject=subject)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """A repository whose commits are a beginning, its rewording, a broken build, a better bot, and that one again."""
    made = Repository(tmp_path)
    made.commit("Play the first legal card", "first", "one")
    made.commit("Reword", "first", "two")
    made.commit("Lose the source")
    made.commit("Forget a bracket", "class Thief(:")
    made.commit(HOSTILE, "steady", "one")
    made.commit("Reword again", "steady", "two")
    return made


def rows(result: subprocess.CompletedProcess[str], code: int = 0) -> list[tuple[str, str | None]]:
    """What the command says of each commit: its state, and what its change is surely."""
    return [(row["state"], row["verdict"]) for row in json.loads(with_code(result, code).stdout)["commits"]]


def test_each_version_is_built_and_played_once_and_jumps_stand_at_their_commits(repository, tourney, tmp_path):
    built = tmp_path / "BUILT"

    def track(*more: object) -> subprocess.CompletedProcess[str]:
        return tourney(*QUIET, "--build", COUNTED, *more, BUILT=str(built))

    one_line(track("--pool", "stedy"), 2, 'did you mean "steady"?')
    expected = [
        ("played", None),
        ("no change", None),
        ("gap", None),
        ("gap", None),
        ("played", "up"),
        ("no change", None),
    ]
    assert rows(track("--format", "json")) == expected
    assert len(built.read_text().splitlines()) == 6
    first, run = journal(tmp_path / "results" / "track-thief"), tmp_path / "results" / "track-thief"
    assert (repository.git("status", "--short"), repository.git("worktree", "list").count("\n")) == ("", 1)
    table = track().stdout
    assert max(map(len, table.splitlines())) <= 80
    assert re.search("gap: cannot be built .*\n.*gap: bots/thief.py can", table)
    assert journal(run) == first
    assert len(built.read_text().splitlines()) == 6

    repository.commit("Try luck", "random", "one")
    repository.commit("Go back", "steady", "three")
    for unfinished in (run / "commits").glob("*/"):
        (unfinished / ".git").touch()  # as in one that was killed while it was built
    assert rows(track("--format", "json", "--allow", 1)) == [*expected, ("played", "down"), ("played", "up")]
    assert journal(run).startswith(first)
    assert len(built.read_text().splitlines()) == 6 + 2 + 2  # the new ones, and those that are needed again
    assert tourney("verify", run, "--bots").returncode == 0
    page = report_page(read_runs([RunFolder(run)]))
    assert "Commit by commit" in page
    assert HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in page
    assert HOSTILE not in page
    for match in re.findall(r"tourney replay \S+ (vole-\S+)", table)[:2]:
        assert with_code(tourney("replay", run, match)).stdout


def test_who_ends_weaker_exits_with_1_unless_that_is_allowed_and_an_earlier_commit_comes_first(
    repository, tourney, tmp_path
):
    repository.commit("Try luck", "random", "one")
    track = (*QUIET, "--build", "make bot")
    weaker = with_code(tourney(*track, "--allow", 1000, "--commits", "HEAD~3.."), 1)
    assert "The range ends weaker than it began" in weaker.stdout
    assert "It ends weaker than thief@" in with_code(tourney(*track), 1).stdout
    with_code(tourney(*track, "--allow", 1000))
    bots = folder.read_manifest(tmp_path / "results" / "track-thief")["tournament"]["bots"]
    commits = repository.git("log", "--reverse", "--format=thief@%H").split()
    entered = [[bot["name"][:13] == commit[:13] for commit in commits].index(True) for bot in bots[:3]]
    assert entered == [0, 4, 6]


def variants(*kinds: str) -> list[str]:
    """Bots that play as steady but for one decision each, and `weak` ones, which play the first legal card."""
    weak = "class Thief:\n    def act(self, view, legal):\n        return legal[0]\n"
    own = (
        "    n = 0\n    def act(self, *asked):\n        self.n += 1\n"
        "        return asked[1][-1] if self.n == {} else super().act(*asked)\n"
    )
    return [weak if kind == "weak" else BOT.format("steady", "Steady", kind) + own.format(kind) for kind in kinds]


def test_a_newest_commit_that_goes_back_to_a_weak_bot_is_played_and_fails(repository, tourney):
    for bot in variants("1", "2", "weak", "3", "4", "5", "weak"):
        repository.commit("Try", bot)
    track = *QUIET, "--build", "make bot", "--commits", "HEAD~7..", "--allow", 20, "--format", "json"
    found = json.loads(with_code(tourney(*track), 1).stdout)
    (*_, before, newest) = found["commits"]
    assert (newest["state"], newest["verdict"], newest["before"]) == ("played", "down", before["commit"])
    assert newest["entrant"] == found["commits"][2]["entrant"], "it shares the matches of the earlier one"
    assert found["ending"]["first"]["verdict"] == "down"
    assert found["ending"]["duel"]["elo"] < 0
    repository.commit("Lose the source")
    broken = tourney(*track[:-6], "--commits", "HEAD~2..", "--out", "results/other", "--deals", 20)
    assert "The newest commit, " in with_code(broken, 3).stdout


def test_a_bot_is_named_by_its_path_in_the_repository_and_followed_under_its_earlier_name(
    repository, tourney, tmp_path
):
    (tmp_path / ".gitignore").write_text("results/\n")
    (tmp_path / "elsewhere").symlink_to("nowhere")  # next to the bot's files, of which it is none
    for name, bot in (("thief", "first"), ("robber", "first"), ("robber", "steady")):
        for file in (tmp_path / "bots").iterdir():
            file.unlink()
        (tmp_path / "bots" / f"{name}.py").write_text(BOT.format(bot, bot.title(), ""))
        repository.commit("Rename")
    words = [
        "track", "bots/robber.py:Thief", *QUIET[2:], "--repo", "bots", "--commits", "HEAD~3..", "--deals", 20, "--all",
    ]  # fmt: skip
    table = with_code(tourney(*words)).stdout
    assert f"{repository.git('rev-parse', 'HEAD~1')[:7]}: renamed from bots/thief.py" in table
    assert "gap" not in table
    states = [row[0] for row in rows(tourney(*words, "--format", "json"))]
    assert states == ["played", "no change", "played"]
    assert "lacks" not in table
    one_line(tourney(*words, "--equal-elo", 30), 2, "started differently: keys.equal_elo")
    again = tourney(*words, "--overwrite", "--no-follow", "--pool", "steady", "--format", "json")
    assert [row[0] for row in rows(again)] == ["gap", "played", "played"]
    assert "the pool is steady alone" in again.stderr
    clone = tmp_path / "clone"
    repository.git("clone", "-q", "--depth", "1", f"file://{tmp_path}", str(clone))
    shallow = [*words[:-1], "--out", "results/shallow"]
    shallow[shallow.index("bots")], shallow[shallow.index("HEAD~3..")] = str(clone), "HEAD"
    assert "a shallow clone, which has 1 commit" in with_code(tourney(*shallow)).stderr
    with_code(tourney(*shallow, "--allow", 20), 3)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--commits", "v9.."), "git log failed: bad revision 'v9..'"),
        (("--commits", "HEAD..HEAD"), "no commit in HEAD..HEAD"),
        (("--commits", "HEAD~3..HEAD~2"), "no commit has a bot that can play; the last one, "),
        (("--repo", ".."), "not a git repository"),
    ],
)
def test_what_cannot_be_tracked_is_refused_in_one_line(repository, tourney, arguments, says):
    one_line(tourney(*QUIET, *arguments), 2, says)
    assert not repository.git("status", "--short")


@pytest.mark.slow
def test_the_session_of_the_page_killed_and_continued_ends_with_the_same_bytes(repository, tmp_path):
    text = (ROOT / "docs" / "measure-strength.md").read_text(encoding="utf-8")
    page = text.split("\n## Strength over commits\n")[1]
    page = page.replace("--build", "--host inline --deals 100 --build")
    (command, report) = re.findall(r"(?m)^\$ (tourney .*)$", page)
    (job,) = re.findall(r"run: \|\n +(tourney (?:.*\\\n)*.*)\n", page)
    run = tmp_path / "results" / "track-thief"
    places = os.environ | {"PATH": f"{Path(TOURNEY).parent}:{os.environ['PATH']}"}

    def done(command: str) -> int:
        summary = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}
        return subprocess.run(command, cwd=tmp_path, shell=True, env=places | summary, check=False).returncode

    def killed(goes_on: Callable[[], bool]) -> None:
        with begin(tmp_path, *shlex.split(command)[2:], command="track") as process:
            wait_for(lambda: goes_on() or process.poll() is not None)
            process.kill()

    killed(lambda: (run / "commits.json").exists())
    killed(lambda: (run / "journal.jsonl").exists() and bool(journal(run)))
    assert (done(command), done(f"{command} --out whole")) == (0, 0)
    first = journal(run)
    repository.commit("Try luck", "random", "one")
    killed(lambda: journal(run) != first)
    assert (done(job), done(f"{command} --out whole")) == (1, 1)
    assert journal(run) == journal(tmp_path / "whole")
    assert journal(run).startswith(first)
    assert "no change" in (tmp_path / "summary.md").read_text()
    assert done(report) == 0
    assert "▼" in (tmp_path / "site" / "index.html").read_text(encoding="utf-8")
