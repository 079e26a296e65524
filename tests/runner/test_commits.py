"""git is asked without what the caller, or the user's settings, would make of the answers."""

import subprocess
from contextlib import nullcontext

import pytest

from tests.conftest import commit, git
from tourney.base.errors import ConfigError
from tourney.runner.commits import Renames, UnusableCommitError, check_out, commits, why_incomplete

pytestmark = pytest.mark.needs("git")


class Repository:
    """A repository in which every commit replaces all files."""

    def __init__(self, path):
        self.path = path

    def git(self, *words):
        return git(self.path, *words)

    def commit(self, subject, **files):
        for file in [file for file in self.path.rglob("*") if file.is_file() and ".git" not in file.parts]:
            file.unlink()
        commit(self.path, {name: text * 20 for name, text in files.items()}, subject)


@pytest.fixture
def repository(tmp_path):
    return Repository(tmp_path / "repository")


def checked_out(repository, path, build=None):
    (commit,) = commits(repository.path, None)[-1:]
    check_out(repository.path, commit, path, build, ".")
    return sorted([str(file.relative_to(path)) for file in path.rglob("*")])


def test_settings_hooks_and_variables_of_the_caller_change_nothing(repository, tmp_path, monkeypatch):
    repository.commit("été", **{"bots/thief.py": "a", "docs/page.md": "b"})
    (hook := repository.path / ".git" / "hooks" / "post-checkout").write_text("#!/bin/sh\nexit 2\n")
    hook.chmod(0o755)
    for key in ("i18n.logOutputEncoding=latin1", "color.ui=always", "log.showSignature=true", "diff.relative=true"):
        repository.git("config", *key.split("="))
    repository.git("sparse-checkout", "set", "bots")
    assert not (repository.path / "docs").exists()
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"):
        monkeypatch.setenv(name, str(tmp_path / "nowhere"))
    assert [each.subject for each in commits(repository.path / "bots", None)] == ["été"]
    files = ["bots", "bots/thief.py", "docs", "docs/page.md"]
    assert checked_out(repository, tmp_path / "out") == files
    assert checked_out(repository, tmp_path / "out", 'test -z "$GIT_DIR" && git status') == files


@pytest.mark.parametrize("build", [None, "false", "git worktree lock ."])
def test_only_worktrees_that_were_made_here_are_removed(repository, tmp_path, build):
    repository.commit("Begin", bot="a")
    repository.git("worktree", "add", "-q", "--detach", str(tmp_path / "disk" / "other"))
    (tmp_path / "disk").rename(tmp_path / "unmounted")
    before = repository.git("worktree", "list")
    out = tmp_path / "out"
    repository.git("worktree", "add", "-q", "--detach", str(out))  # of one that was killed
    with pytest.raises(UnusableCommitError, match="cannot be built") if build == "false" else nullcontext():
        checked_out(repository, out, build)
    assert out.exists() == (build != "false")
    assert repository.git("worktree", "list") == before
    (tmp_path / "unmounted").rename(tmp_path / "disk")
    (tmp_path / "disk" / "other" / "new").touch()
    status = ["git", "-C", str(tmp_path / "disk" / "other"), "status", "--short"]
    assert subprocess.run(status, check=True, capture_output=True, text=True).stdout == "?? new\n"


def test_files_and_folders_are_followed_under_the_names_that_they_had(repository):
    for thief, *folder in (
        ("thief.py", "lib/a.py"),
        ("bots/thief.py", "lib/a.py"),
        ("bots/robber.py", "old/a.py", "old/b.py"),
        ("bots/robber.py", "new/a.py", "new/b.py"),
    ):
        repository.commit("Move", **{thief: "a thief", **{file: file[-4:] for file in folder}})
    asked = commits(repository.path, None)
    renames = Renames(repository.path, asked)
    wanted = {
        "bots/robber.py": ["thief.py", "bots/thief.py", "bots/robber.py", "bots/robber.py"],
        "new": ["lib", "lib", "old", "new"],
    }
    for path, paths in wanted.items():
        assert list(renames.paths(path).values())[::-1] == paths
    assert renames.paths("thief.py") == renames.paths("bots/robber.py"), "a name of before leads to that of now"
    assert set(renames.paths("gone.py").values()) == {"gone.py"}


@pytest.mark.parametrize("kind", [["--depth", "2"], ["--filter", "blob:none"], []])
def test_a_clone_that_lacks_something_is_said_with_the_command_that_gets_it(repository, tmp_path, kind):
    for subject in "abcd":
        repository.commit(subject, bot=subject)
    repository.git("config", "uploadpack.allowFilter", "true")
    repository.git("clone", "-q", *kind, f"file://{repository.path}", str(clone := tmp_path / "clone"))
    why = why_incomplete(clone, commits(clone, None))
    assert (why is None) == (not kind)
    if why is not None:
        if "shallow" in why:
            assert why_incomplete(clone, commits(clone, "HEAD~1..")) is None, "what was asked for is there"
            with pytest.raises(ConfigError, match="this clone is shallow: `git fetch --unshallow`"):
                commits(clone, "HEAD~3..")
        subprocess.run(why.split("`")[1], shell=True, cwd=clone, check=True, capture_output=True)
        assert len(asked := commits(clone, None)) == 4
        assert why_incomplete(clone, asked) is None
