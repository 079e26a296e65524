"""The commits of a git repository: listed, checked out as folders of plain files, and built there."""

import os
import shutil
import subprocess
from collections.abc import Collection, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

import msgspec

from tourney.base.errors import ConfigError, TourneyError
from tourney.contracts.wording import counted
from tourney.hosts import awake, linux

MOST_COMMITS = 100
"""The number of commits of HEAD to take if no range is given."""
DEEPEN = "`git fetch --unshallow` gets the rest (on GitHub: actions/checkout with fetch-depth: 0)"
BUILD_S = 1800
"""The time limit of a commit's build, in seconds."""


class Commit(msgspec.Struct, frozen=True):
    """A commit, on the line of first parents."""

    hash: str
    date: str
    """The commit date, as in 2026-11-26T12:00:00+01:00."""
    subject: str
    tree: str
    """The hash of its files."""


class UnusableCommitError(TourneyError):
    """A commit's bot is unusable; the message is the reason."""


SETTINGS = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.sparseCheckout": "false",
    "color.ui": "false",
    "diff.relative": "false",
}
"""Git settings that override the user's: no hooks, no colours, and every file checked out."""


def commits(repository: Path, which: str | None) -> list[Commit]:
    """The commits of a range in git's notation, or the last ones of HEAD; the oldest first.

    Raises:
        ConfigError: Git or the repository was not found, or the range is invalid or empty.
    """
    some = [f"--max-count={MOST_COMMITS}", "HEAD"] if which is None else ["--end-of-options", which]
    form = "--pretty=tformat:%H%x00%cI%x00%T%x00%s"
    shown = "--no-show-signature", "--encoding=UTF-8", "--first-parent", "--reverse"
    try:
        said = git(repository, "log", *shown, form, *some, "--")
    except ConfigError as error:
        if _boundary(repository):
            raise ConfigError(f"{error}; this clone is shallow: {DEEPEN}") from None
        raise
    if not said:
        raise ConfigError(f"{repository}: git finds no commit in {which}; give another range, as in v1.0..HEAD")
    fields = [line.split("\0", 3) for line in said.removesuffix("\n").split("\n")]
    return [Commit(name, date, subject, tree) for name, date, tree, subject in fields]


def why_incomplete(repository: Path, asked: Sequence[Commit]) -> str | None:
    """What a shallow or blobless clone lacks of the commits, and the command that fetches it; None if nothing."""
    if asked[0].hash in _boundary(repository) and len(asked) != MOST_COMMITS:
        return f"{repository}: a shallow clone, which has {counted(len(asked), 'commit')} and none before: {DEEPEN}"
    for line in git(repository, "config", "--get-regexp", r"^remote\..*\.partialclonefilter$", fails=(1,)).splitlines():
        key, _, kind = line.partition(" ")
        remote = key.split(".", 1)[1].rpartition(".")[0]
        return (
            f"{repository}: a partial clone ({kind}), which lacks files of its commits: "
            f"`git config --unset {key} && git fetch --refetch {remote}` gets them"
        )
    return None


def _boundary(repository: Path) -> list[str]:
    """The commits at which a shallow clone ends."""
    try:
        file = Path(git(repository, "rev-parse", "--path-format=absolute", "--git-path", "shallow").rstrip("\n"))
        return file.read_text().split()
    except (OSError, ConfigError):
        return []


def top_of(repository: Path) -> Path:
    """The top folder of the repository that contains a folder."""
    return Path(git(repository, "rev-parse", "--show-toplevel").rstrip("\n"))


def has(repository: Path, commit: str, path: str) -> bool:
    """Whether a commit has a file or a folder at a path from the top of the repository."""
    return bool(
        git(repository, "ls-tree", "--full-tree", "--name-only", commit, "--", f":(literal){path}", fails=(128,))
    )


class Renames:
    """Renames from commit to commit, detected by git from the files' similarity."""

    def __init__(self, repository: Path, asked: Sequence[Commit]) -> None:
        self._repository, self._asked = repository, asked
        self._of: dict[str, list[tuple[str, str]]] = {}  # by commit: the old names with the new ones
        kind = "--first-parent", "--diff-merges=first-parent", "-M", "--diff-filter=R", "--name-status", "-z"
        said = git(repository, "log", *kind, "--pretty=tformat:commit %H", f"{asked[0].hash}..{asked[-1].hash}", "--")
        words = iter([word.lstrip("\n") for word in said.split("\0")])
        for word in words:
            if word.startswith("commit "):
                renamed = self._of.setdefault(word.removeprefix("commit "), [])
            elif word.startswith("R"):
                renamed.append((next(words), next(words)))

    def paths(self, path: str) -> dict[str, str]:
        """The path at each commit, by hash, of a file or folder in the newest commit, or one with an earlier name."""
        if not has(self._repository, self._asked[-1].hash, path):
            now = path
            for commit in self._asked:
                now = next((new for old, new in self._of.get(commit.hash, ()) if old == now), now)
            path = now if has(self._repository, self._asked[-1].hash, now) else path
        found = {}
        for commit in reversed(self._asked):
            found[commit.hash] = path
            path = self._before(commit.hash, path)
        return found

    def _before(self, commit: str, path: str) -> str:
        renamed = self._of.get(commit, ())
        for old, new in renamed:
            if new == path:
                return old
        tails = [(old, new.removeprefix(path)) for old, new in renamed if new.startswith(f"{path}/")]
        folders = [old.removesuffix(tail) for old, tail in tails if old.endswith(tail) and old != tail]
        if folders and not has(self._repository, f"{commit}^", path):
            return max(folders, key=folders.count)
        return path


def git(repository: Path, *arguments: str, fails: Collection[int] = ()) -> str:
    """The output of a git command; raises a `ConfigError` if it fails, except with a code in `fails`."""
    settings = [word for key, value in SETTINGS.items() for word in ("-c", f"{key}={value}")]
    words = ["git", "--no-pager", "-C", str(repository), *settings, *arguments]
    try:
        done = subprocess.run(words, capture_output=True, check=False, env=environment() | {"LC_ALL": "C"})  # noqa: S603
    except OSError as error:
        raise ConfigError(f"git cannot be run ({error.strerror}); install it") from None
    if done.returncode and done.returncode not in fails:
        said = [line for line in done.stderr.decode(errors="replace").splitlines() if line]
        why = next((line for line in said if line.startswith(("fatal: ", "error: "))), "\n".join(said[-1:]))
        raise ConfigError(f"{repository}: git {arguments[0]} failed: {why.partition(': ')[2] or why}")
    return done.stdout.decode(errors="replace")


def environment() -> dict[str, str]:
    """The environment without a calling program's git variables, such as a hook's about another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def is_checked_out(path: Path) -> bool:
    """Whether a folder has all files of a commit, and was built."""
    return path.is_dir() and not (path / ".git").exists()


def check_out(repository: Path, commit: Commit, path: Path, build: str | None, base: str) -> None:
    """Checks out a commit into a folder, and builds it with a shell command in its folder `base`.

    Until finished, it is a worktree of the repository; then plain files. The command's output is next to it, in a
    `.log` file.

    Raises:
        UnusableCommitError: This failed; the folder was removed.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    _remove_worktree(repository, path)  # left by a killed process
    try:
        try:
            git(repository, "worktree", "add", "--detach", str(path.resolve()), commit.hash)
        except ConfigError as error:
            raise UnusableCommitError(f"cannot be checked out: {error}") from None
        if build is not None:
            _build(build, path / base, path.with_name(f"{path.name}.log"))
        shutil.rmtree(git(path, "rev-parse", "--absolute-git-dir").rstrip("\n"))  # the worktree, except its files
        (path / ".git").unlink()
    except BaseException:
        _remove_worktree(repository, path)
        raise


def _remove_worktree(repository: Path, path: Path) -> None:
    with suppress(ConfigError):  # if it is not a worktree
        git(repository, "worktree", "remove", "-ff", str(path.resolve()))
    shutil.rmtree(path, ignore_errors=True)


def _build(build: str, folder: Path, log: Path) -> None:
    if not folder.is_dir():
        raise UnusableCommitError("cannot be built: it has no such folder")
    with (
        log.open("wb") as output,
        subprocess.Popen(  # noqa: S602 - the user asks for it
            build, shell=True, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output, process_group=0,
            env=environment(),
            preexec_fn=partial(linux.die_with_parent, os.getpid()),  # noqa: PLW1509 - this process has no threads
        ) as builder,
    ):  # fmt: skip
        try:
            code = awake.wait(builder, BUILD_S)
        except subprocess.TimeoutExpired:
            raise UnusableCommitError(f"cannot be built: took more than {BUILD_S} s") from None
        finally:
            linux.kill_group(builder.pid)  # with the processes it left
    if code:
        said = [line for line in log.read_bytes().decode(errors="replace").splitlines() if line.strip()]
        raise UnusableCommitError(f"cannot be built (exit code {code}): {' '.join(said[-1:]).strip()}")
