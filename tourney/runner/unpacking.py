"""Archives and git repositories from strangers, unpacked into a new folder by a process with limits.

Only files and folders inside come out of them: no links, devices or other paths, and no more than the bounds. Archives
may make Python's own readers take endless time or memory, so another process reads them.
"""

import bz2
import gzip
import lzma
import os
import re
import resource
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory, TemporaryFile
from typing import IO, Any, NamedTuple
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

from tourney.base.errors import ConfigError, PluginError, one_line
from tourney.contracts.wording import listed_text
from tourney.hosts import awake, linux
from tourney.plugins.handed_in import INSTEAD, SKIPPED, Bounds
from tourney.runner.commits import SETTINGS, environment

MOST_S = 60
"""The time limit for unpacking an archive, and for each git command, in seconds."""
MEMORY_MB = 1024
MOST_SAID = 4096
_TOO_MUCH = f" takes more than {MOST_S} s or {MEMORY_MB} MB of memory, or fills the disk; hand in less"
SCHEMES = {"https": r"https://\w\S*", "ssh": r"ssh://\w\S*|\w[\w.-]*@\w[\w.-]*:\S+", "file": r"file:///\S*"}
"""The kinds of addresses of git repositories."""
_TAR: Mapping[str, Any] = {".tar": open, ".gz": gzip.open, ".tgz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
_GIT = SETTINGS | {"http.followRedirects": "false", "submodule.recurse": "false", "protocol.allow": "never"}


class _Member(NamedTuple):
    name: str
    kind: str
    is_program: bool
    opened: Callable[[], IO[bytes] | None]


def is_archive(name: str) -> bool:
    """Whether a file has the name of a zip or tar file."""
    return re.search(r"\.(zip|tar|tgz|tar\.(gz|bz2|xz))$", name.lower()) is not None


def unpack(archive: Path, target: Path, bounds: Bounds) -> None:
    """Unpacks a zip or tar file into a new folder.

    Raises:
        PluginError: It is broken or too large, or has a link, a device or a path that leads out.
    """
    call = f"sys.path[:] = {sys.path}; from {__name__} import extract; extract{(str(archive), str(target), *bounds)}"
    code, said = _limited([sys.executable, "-c", f"import sys; {call}"], bounds, environment())
    if code:
        raise PluginError(f"{archive.name}{said.splitlines()[-1] if code == 1 and said else _TOO_MUCH}")


def extract(archive: str, target: str, max_files: int, max_mb: int) -> None:
    """Unpacks an archive in this process, or exits with the rest of a sentence about it."""
    bounds, files, size = Bounds(max_files, max_mb), 0, 0
    try:
        os.mkdir(target)
        for member in _zip(archive) if archive.lower().endswith(".zip") else _tar(archive):
            path = PurePosixPath(member.name)
            if path.is_absolute() or ".." in path.parts or "\\" in member.name or not member.name.isprintable():
                raise PluginError(f": {member.name!a} leads out of it; use paths in it, with /")
            if SKIPPED.intersection(path.parts) or path.parts[:1] == ("__MACOSX",):
                continue
            if member.kind not in ("file", "folder"):
                raise PluginError(f": {path} is a {member.kind}; {INSTEAD}")
            bounds.require(files := files + 1, size, Path())
            place = Path(target) / path
            (place if member.kind == "folder" else place.parent).mkdir(parents=True, exist_ok=True)
            if member.kind == "folder" or (source := member.opened()) is None:
                continue
            with source, place.open("xb") as copy:
                while part := source.read(1 << 16):
                    size += len(part)
                    bounds.require(files, size, Path())
                    copy.write(part)
            place.chmod(0o755 if member.is_program else 0o644)
    except PluginError as error:
        sys.exit(one_line(str(error).removeprefix(".")))
    except Exception as error:  # anything that a stranger's file makes the readers raise
        sys.exit(one_line(f" cannot be unpacked ({type(error).__name__}: {error}); pack it again")[:300])


def _zip(archive: str) -> Iterator[_Member]:
    kinds = {stat.S_IFLNK: "link", stat.S_IFREG: "file", stat.S_IFDIR: "folder", 0: "file"}
    with ZipFile(archive) as opened:
        for each in opened.infolist():
            mode = each.external_attr >> 16 if each.create_system == 3 else 0
            kind = "folder" if each.is_dir() else kinds.get(stat.S_IFMT(mode), "device")
            if each.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
                raise PluginError(" is compressed in an unusual way; pack it as an ordinary zip file")
            yield _Member(each.filename, kind, bool(mode & 0o100), partial(opened.open, each))


def _tar(archive: str) -> Iterator[_Member]:
    with _TAR[Path(archive).suffix.lower()](archive, "rb") as file, tarfile.open(fileobj=file, mode="r:") as opened:
        for each in opened:
            kind = "file" if each.isreg() else "folder" if each.isdir() else "device"
            kind = "link" if each.issym() or each.islnk() else kind
            yield _Member(each.name, kind, bool(each.mode & 0o100), partial(opened.extractfile, each))


def clone(url: str, target: Path, schemes: Collection[str], bounds: Bounds) -> None:
    """Puts the newest files of a git repository into a new folder; no code of it runs, submodules are left out.

    Raises:
        PluginError: The address is not of an allowed kind, git fails, or its files are refused, as in an archive.
    """
    with TemporaryDirectory() as place:
        repository, archive = f"{place}/repository", Path(place) / "repository.tar"
        how = "--bare", "--depth", "1", "--no-tags", "--single-branch", "--template="
        _git(url, schemes, bounds, "clone", *how, "--", url, repository)
        _git(url, schemes, bounds, "-C", repository, "archive", "-o", str(archive), "HEAD")
        unpack(archive, target, bounds)


def newest(url: str, schemes: Collection[str], bounds: Bounds) -> str:
    """The hash of a git repository's newest commit; a `PluginError` as for `clone`."""
    said = _git(url, schemes, bounds, "ls-remote", "--", url, "HEAD")
    if (found := re.search(r"^([0-9a-f]{40,})\tHEAD$", said, re.MULTILINE)) is None:
        raise PluginError(f"{url}: has no commits; push some")
    return found[1]


def _git(url: str, schemes: Collection[str], bounds: Bounds, *words: str) -> str:
    if not any([re.fullmatch(SCHEMES[scheme], url) for scheme in schemes]):
        allowed = listed_text(sorted(schemes)) or "none"
        raise PluginError(
            f"{one_line(url) or 'its first line'}: not an address of an allowed kind ({allowed}) of a git repository"
        )
    settings = _GIT | {f"protocol.{scheme}.allow": "always" for scheme in schemes}
    options = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
    own = {"GIT_TERMINAL_PROMPT": "0", "GIT_ASKPASS": "false", "GIT_SSH_COMMAND": "ssh -oBatchMode=yes", "LC_ALL": "C"}
    own |= {"GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_LFS_SKIP_SMUDGE": "1"}
    code, said = _limited(["git", *options, *words], bounds, environment() | own)
    if code:
        why = next((line for line in said.splitlines() if line.startswith(("fatal: ", "error: "))), "")
        why = re.sub(r" after \d+ ms", "", why.partition(": ")[2])  # so that the same failure says the same
        raise PluginError(f"{url}: {why}" if why else f"{url}{_TOO_MUCH}")
    return said


def _limited(words: Sequence[str], bounds: Bounds, env: Mapping[str, str]) -> tuple[int, str]:
    """Runs a program that may use this much time, memory and disk; its exit code, and the end of what it prints."""
    begin = partial(_begin, os.getpid(), (2 * bounds.max_mb + 1) << 20)
    files: Any = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT}
    with TemporaryFile() as said:
        try:
            with subprocess.Popen(words, **files, stdout=said, env=env, process_group=0, preexec_fn=begin) as process:  # noqa: S603, PLW1509 - this process has no threads
                try:
                    code = awake.wait(process, MOST_S)
                except subprocess.TimeoutExpired:
                    code = -1
                finally:
                    linux.kill_group(process.pid)
        except OSError as error:
            raise ConfigError(f"{words[0]} cannot be run ({error.strerror}); install it") from None
        said.seek(max(0, said.tell() - MOST_SAID))
        return code, said.read().decode(errors="replace")


def _begin(parent: int, most_bytes: int) -> None:
    linux.die_with_parent(parent)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_MB << 20,) * 2)
