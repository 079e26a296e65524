"""The commits of a git repository: listed, checked out as folders of plain files, and built there."""

import os
import shutil
import subprocess
from functools import partial
from pathlib import Path

import msgspec

from tourney.base.errors import ConfigError, TourneyError
from tourney.hosts import linux

MOST_COMMITS = 100
"""How many commits of HEAD are taken where no range is given."""
BUILD_S = 1800
"""How long a commit may take to build, in seconds."""


class Commit(msgspec.Struct, frozen=True):
    """A commit, on the line of first parents."""

    hash: str
    date: str
    """When it was committed, as in 2026-11-26T12:00:00+01:00."""
    subject: str
    tree: str
    """The hash of its files."""


class UnusableCommitError(TourneyError):
    """The bot of a commit cannot be had; the message is the reason."""


def commits(repository: Path, which: str | None) -> list[Commit]:
    """The commits of a range as git writes it, or the last ones of HEAD; the oldest first.

    Raises:
        ConfigError: There is no git, no repository, no such range, or no commit in it.
    """
    some = [f"--max-count={MOST_COMMITS}", "HEAD"] if which is None else ["--end-of-options", which]
    form = "--pretty=tformat:%H%x00%cI%x00%T%x00%s"
    said = git(repository, "log", "--no-show-signature", "--first-parent", "--reverse", form, *some, "--")
    if not said:
        raise ConfigError(f"{repository}: git finds no commit in {which}; give another range, as in v1.0..HEAD")
    fields = [line.split("\0", 3) for line in said.removesuffix("\n").split("\n")]
    return [Commit(name, date, subject, tree) for name, date, tree, subject in fields]


def top_of(repository: Path) -> Path:
    """The folder of the whole repository that a folder is in."""
    return Path(git(repository, "rev-parse", "--show-toplevel").rstrip("\n"))


def git(repository: Path, *arguments: str) -> str:
    """What a git command prints; raises a `ConfigError` if it fails."""
    try:
        done = subprocess.run(["git", "-C", str(repository), *arguments], capture_output=True, check=False)  # noqa: S603, S607
    except OSError as error:
        raise ConfigError(f"git cannot be run ({error.strerror}); install it") from None
    if done.returncode:
        said = [line for line in done.stderr.decode(errors="replace").splitlines() if line]
        why = next((line for line in said if line.startswith(("fatal: ", "error: "))), "\n".join(said[-1:]))
        raise ConfigError(f"{repository}: git {arguments[0]} failed: {why.partition(': ')[2] or why}")
    return done.stdout.decode(errors="replace")


def is_checked_out(path: Path) -> bool:
    """Whether a folder has all files of a commit, and was built."""
    return path.is_dir() and not (path / ".git").exists()


def check_out(repository: Path, commit: Commit, path: Path, build: str | None, base: str) -> None:
    """Makes a folder with the files of a commit, and builds it by a shell command in its folder `base`.

    While this is not finished, it is a worktree of the repository; then plain files. What the command prints is beside
    it, in a file whose name ends in `.log`.

    Raises:
        UnusableCommitError: This failed; nothing is left of the folder.
    """
    shutil.rmtree(path, ignore_errors=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    git(repository, "worktree", "prune")  # one that was killed has left its own
    try:
        try:
            git(repository, "worktree", "add", "--detach", str(path.resolve()), commit.hash)
        except ConfigError as error:
            raise UnusableCommitError(f"cannot be checked out: {error}") from None
        if build is not None:
            _build(build, path / base, path.with_name(f"{path.name}.log"))
        (path / ".git").unlink()
    except BaseException:
        shutil.rmtree(path, ignore_errors=True)
        raise
    finally:
        git(repository, "worktree", "prune")


def _build(build: str, folder: Path, log: Path) -> None:
    if not folder.is_dir():
        raise UnusableCommitError("cannot be built: it has no such folder")
    with (
        log.open("wb") as output,
        subprocess.Popen(  # noqa: S602 - the user asks for it
            build, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, process_group=0,
            preexec_fn=partial(linux.die_with_parent, os.getpid()),  # noqa: PLW1509 - this process has no threads
        ) as builder,
    ):  # fmt: skip
        try:
            code = builder.wait(BUILD_S)
        except subprocess.TimeoutExpired:
            raise UnusableCommitError(f"cannot be built: took more than {BUILD_S} s") from None
        finally:
            linux.kill_group(builder.pid)  # what it has left, too
    if code:
        said = [line for line in log.read_bytes().decode(errors="replace").splitlines() if line.strip()]
        raise UnusableCommitError(f"cannot be built (exit code {code}): {' '.join(said[-1:]).strip()}")
