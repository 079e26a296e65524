"""Whatever an author hands in comes through here: files, folders, a program's words, `reads` and data.

A path must be named itself, not by a link. In a folder, links may lead to what is inside it.
"""

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, NoReturn

from tourney.base.errors import PluginError

SYSTEM = (
    "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/opt", "/etc", "/dev", "/proc", "/sys", "/nix/store",
    sys.base_prefix,
)  # fmt: skip
"""The folders of the machine's files, which no author hands in."""
SKIPPED = {"__pycache__", ".git"}
"""Folders that do not count as part of a bot."""
MADE = ("pyvenv.cfg", "journal.jsonl")
"""The files that mark virtual environments and runs, which change while a bot stays the same."""
INSTEAD = "put the file itself there"


class Bounds(NamedTuple):
    """The most that may be handed in at once."""

    max_files: int = 1_000_000
    max_mb: int = 1_000_000

    def require(self, files: int, size: int, what: Path) -> None:
        """Raises a `PluginError` for more files, or more bytes."""
        if files > self.max_files:
            raise PluginError(f"{what} has more than max_files = {self.max_files} files; leave out some")
        if size > self.max_mb << 20:
            raise PluginError(f"{what} has more than max_mb = {self.max_mb} megabytes; leave out some files")


def named(path: str | Path, base: Path) -> Path:
    """The real path of a file or folder named relative to `base`; of the system's and Python's files, as it is.

    Raises:
        PluginError: It is a link, or in a folder that is one and that does not contain `base`.
    """
    whole, folder = Path(os.path.abspath(base / path)), Path(os.path.abspath(base))
    if is_system(whole, folder):
        return whole
    shared = {Path("/"), folder, *folder.parents}
    for part in [*reversed(whole.parents), whole]:
        if part not in shared and part.parent != Path("/") and os.path.islink(part):
            raise PluginError(f"{part} is a link to {os.readlink(part)}; name what it leads to")
    return whole.resolve()


def is_system(path: Path, base: Path) -> bool:
    """Whether an absolute path is one of the machine's, and not next to the tournament, or a virtual environment's."""
    around = [place for place in SYSTEM if path.is_relative_to(place) and not base.is_relative_to(place)]
    return bool(around) or is_python(path)


def may_be_file(word: str, base: Path) -> bool:
    """Whether a program's word is a file of the system, or anything but a folder of the author's."""
    path = os.path.join(base, word)
    if os.path.isfile(path) or is_system(Path(path), base):
        return os.path.isfile(path)
    return os.path.lexists(path) and (os.path.islink(path) or not os.path.isdir(path))


def is_python(path: str | Path) -> bool:
    """Whether a path is a virtual environment's program, which stays in place."""
    return os.path.isfile(path) and os.path.isfile(Path(path).absolute().parent.parent / "pyvenv.cfg")


UNBOUNDED = Bounds()


def files_of(
    unit: Path, around: Path | None = None, bounds: Bounds = UNBOUNDED, is_systems: bool = False
) -> list[Path]:
    """The file, or all files below the folder, sorted, without virtual environments and runs in it.

    Links may lead to all of `around`, by default the folder itself. A folder that `is_systems` has only the files that
    are not refused.

    Raises:
        PluginError: A link leads out, nowhere or in a circle, something is neither file nor folder, or it is too much.
    """
    kept, size = list[Path](), 0
    waiting: list[tuple[Path, tuple[Path, ...]]] = [(unit, (unit.parent.resolve(),))]
    while waiting:
        path, parents = waiting.pop()
        try:
            real = _target(path, around or unit, parents) if path.is_symlink() else parents[-1] / path.name
        except PluginError:
            if not is_systems:
                raise
            continue
        if real.is_file():
            kept.append(path)
            size += real.stat().st_size
            bounds.require(len(kept), size, unit)
        elif is_systems and (path.is_symlink() or not real.is_dir()):
            continue
        elif not real.is_dir():
            why = "neither a file nor a folder" if path.exists() else "missing"
            raise PluginError(f"{path} is {why}; leave it out")
        elif path == unit or path.is_symlink() or not any([os.path.exists(real / mark) for mark in MADE]):
            try:
                names_in = os.listdir(real)
            except OSError as error:
                refuse_unreadable(error)
            waiting += [(path / name, (*parents, real)) for name in names_in if name not in SKIPPED]
    return sorted(kept)


def _target(link: Path, around: Path, parents: Sequence[Path]) -> Path:
    """The file or folder that a link inside `around` leads to; `parents` are the folders that it is in."""
    real = Path(os.path.realpath(link))
    if not real.exists():
        raise PluginError(f"{link} is a link that leads nowhere; {INSTEAD}, or remove it")
    if not real.is_relative_to(around.resolve()):
        raise PluginError(f"{link} is a link that leads out of {around}; {INSTEAD}")
    if real in parents:
        raise PluginError(f"{link} is a link to a folder that it is in; remove it")
    return real


def copy(files: Mapping[str, Path], target: Path) -> None:
    """Copies files into a new folder, by their paths in it, as what links lead to.

    Raises:
        OSError: The folder cannot be written.
        PluginError: A file cannot be read.
    """
    import shutil  # noqa: PLC0415 - slow to load, and a bot's process does without

    for name, file in files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            file.open("rb").close()
        except OSError as error:
            refuse_unreadable(error)
        shutil.copy(file, target / name)


def names(files: Iterable[Path], folder: Path) -> dict[str, Path]:
    """Files by their paths in a folder."""
    return {file.relative_to(folder).as_posix(): file for file in files}


def refuse_unreadable(error: OSError) -> NoReturn:
    """Raises a `PluginError` for a file or folder that cannot be read."""
    raise PluginError(f"{error.filename}: {error.strerror}; allow reading it, or leave it out") from None
