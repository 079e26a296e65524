"""The folder of a run, whose files docs/data-formats.md lists.

A new run's manifest is written after its tournament file and empty journal; the standings are written when it ends.
Whoever writes into the folder has locked the journal (`tourney.journal.writer`).
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from errno import EEXIST, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from tourney.base import files as regular_files
from tourney.base.errors import ConfigError, GameError, RunError, WriteError, cannot_write, did_you_mean, printable
from tourney.base.files import NEW
from tourney.config import Tournament

TOURNAMENT = "tournament.toml"
MANIFEST = "manifest.json"
JOURNAL = "journal.jsonl"
NOTES = "notes.jsonl"
STANDINGS_JSON = "standings.json"
STANDINGS_TEXT = "standings.txt"
ANALYSIS = "analysis.jsonl"
REPORT = "report.html"
LOGS = "logs"
BUFFER = 1 << 17
"""The buffer for reading a journal, in bytes; a line often has several thousand."""
EARLIER = "earlier"
"""In old folders, while a run was corrected in place: a folder with the run of before."""


def find_run(name: str) -> Path:
    """The folder of a run, given its path or its name under results/."""
    path = Path(name)
    for folder in (path, Path("results") / name):
        if (folder / MANIFEST).is_file():
            return folder
    if not path.exists():
        runs = [manifest.parent.name for manifest in Path("results").glob(f"*/{MANIFEST}")]
        known = f"; {did_you_mean(path.name, runs)}" if runs else ""
        raise RunError(f"{name}: there is no such run, neither here nor under results/{known}")
    if not path.is_dir():
        raise RunError(f"{name}: is a file; give the folder of a run, or its name under results/")
    if inside := sorted(path.glob(f"*/{MANIFEST}")):
        raise RunError(f"{name}: holds no run itself; give one of those in it, such as {inside[0].parent}")
    raise RunError(f"{name}: holds no run (there is no {MANIFEST}); `tourney run` makes one")


def require_free(path: Path) -> None:
    """Raises an error unless a folder can be that of a new run: it does not exist, is empty, or was left by a start."""
    if (path / MANIFEST).is_file():
        raise RunError(f"{path}: holds a run already; resume it, overwrite it, or use another folder")
    if not path.exists():
        return
    names = {file.name for file in path.iterdir()} if path.is_dir() else {""}
    left = {JOURNAL, TOURNAMENT, TOURNAMENT + NEW, MANIFEST + NEW}  # by an interrupted start: the manifest comes last
    if names and not (JOURNAL in names and names <= left and not (path / JOURNAL).stat().st_size):
        raise RunError(f"{path}: not an empty folder; use another")


def make(path: Path) -> None:
    """Makes the folder of a new run, if it does not exist."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (ENOTDIR, EEXIST, ENOENT, ENAMETOOLONG, ELOOP):
            raise RunError(f"{path}: cannot make this folder ({error.strerror}); use another") from None
        raise cannot_write(path, error).add(", or use another folder") from None


def clear(path: Path, names: Iterable[str]) -> None:
    """Removes the files and folders of these names from the folder of a run, as far as they are there."""
    try:
        for file in [path / name for name in names]:
            if file.is_dir() and not file.is_symlink():
                shutil.rmtree(file)
            else:
                file.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(error.filename, error, "removed") from None


def logs_folder(path: Path, tournament: Tournament) -> Path:
    """The folder for what bots write to stderr, and makes it if a bot runs in a process of its own."""
    logs = path / LOGS
    if not tournament.in_worker:
        try:
            logs.mkdir(exist_ok=True)
        except OSError as error:
            raise cannot_write(logs, error) from None
    return logs


@contextmanager
def failures_logged(path: Path) -> Iterator[None]:
    """Writes the traceback of a game that fails into the logs, and says so in the error."""
    try:
        yield
    except GameError as error:
        file = path / LOGS / f"game-{printable(error.game)}.txt"
        if not error.report:
            raise
        try:
            file.parent.mkdir(exist_ok=True)
            write_atomically(file, error.report.encode(errors="backslashreplace"))
        except (OSError, WriteError):
            raise error from None
        raise GameError(f"{error}; the traceback is in {file}", error.game) from None


@contextmanager
def readable(file: Path) -> Iterator[None]:
    """Context in which a file of a run is read; a `RunError` where that fails."""
    try:
        yield
    except OSError as error:
        raise RunError(f"{file}: {error.strerror}; is this the folder of a run?") from None


def read_lines(folder: Path, name: str = JOURNAL) -> Iterator[bytes]:
    """The complete lines of a run's journal, or of another file; a torn last line is left out."""
    file = folder / name
    with readable(file), file.open("rb", BUFFER) as lines:
        yield from takewhile(lambda line: line.endswith(b"\n"), lines)


def json_text(value: Any) -> bytes:
    """The value as indented JSON with a final line end."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file atomically: after a crash it has either its old or its new content."""
    try:
        regular_files.write(path, data)
    except OSError as error:
        raise cannot_write(path, error) from None


def make_parent(path: Path, option: str = "") -> None:
    """Creates the folder of a file that is to be written; raises a `ConfigError` if there can be no such file."""
    called = f"{option} {path}".lstrip()
    if path.is_dir():
        raise ConfigError(f"{called}: is a folder; give the path of a file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"cannot make the folder {path.parent} ({error.strerror})"
        raise ConfigError(f"{called}: {why}; give another path") from None


@contextmanager
def output(path: Path, in_run: bool = False) -> Iterator[BinaryIO]:
    """Opens a file for results, where a user wants them."""
    try:
        with regular_files.writing(path) if in_run else regular_files.output(path) as file:
            yield file
    except OSError as error:
        raise cannot_write(path, error).add(", or give another path") from None


def write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Writes the manifest of a run, with its seal."""
    body = json_text(manifest).removesuffix(b"\n}\n")
    write_atomically(path / MANIFEST, body + _seal(body))


def read_manifest(path: Path) -> dict[str, Any]:
    """Reads the manifest of a run, without its seal."""
    file = path / MANIFEST
    with readable(file):
        data = file.read_bytes()
    body = data[: -len(_seal(b""))]
    if data != body + _seal(body):
        raise RunError(
            f"{file}: not the manifest of a run, or changed after it was written; "
            "restore it, or run the tournament again"
        )
    manifest: dict[str, Any] = orjson.loads(body + b"}")
    return manifest


def _seal(body: bytes) -> bytes:
    """The end of a manifest: a hash over all bytes before it."""
    return f',\n  "seal": "{blake2b(body, digest_size=16).hexdigest()}"\n}}\n'.encode()


def manifest_differences(old: Any, new: Any, key: str = "") -> list[str]:
    """The differences between two manifests that affect the journal, a line each: `tournament.deals: 10 became 20`."""
    if key in ("python", "kind", "tournament.anchor", "tournament.page", "manifest", "isolation", "lots"):
        return []
    if re.fullmatch(r"tournament\.bots\[\d+\]\.display", key):  # which no match depends on
        return []
    if key in ("tournament.seed", "tournament.salts"):  # which messages do not tell
        return [] if old == new else [f"{key} became another"]
    if isinstance(old, dict) and isinstance(new, dict):
        names = sorted(old.keys() | new.keys())
        below = [manifest_differences(old.get(name), new.get(name), f"{key}.{name}" if key else name) for name in names]
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        below = [manifest_differences(a, b, f"{key}[{i}]") for i, (a, b) in enumerate(zip(old, new, strict=True))]
    else:
        return [] if old == new else [f"{key}: {shortened(old)} became {shortened(new)}"]
    return [line for lines in below for line in lines]


def shortened(value: Any) -> str:
    """The value as JSON of at most 40 characters, for messages."""
    text = orjson.dumps(value).decode()
    return text if len(text) <= 40 else text[:37] + "..."
