"""Run folders; docs/data-formats.md lists their files.

A new run's manifest is written after its tournament file and empty journal; the standings are written when it ends.
Writers lock the journal (`tourney.journal.writer`).
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from errno import EEXIST, ELOOP, ENAMETOOLONG, ENOENT, ENOTDIR
from hashlib import blake2b
from itertools import takewhile
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from tourney.base import files as regular_files
from tourney.base.errors import (
    ConfigError,
    GameError,
    RunError,
    TourneyError,
    WriteError,
    cannot_write,
    did_you_mean,
    printable,
    writable,
)
from tourney.base.files import NEW
from tourney.config import Tournament
from tourney.journal.kinds import kind_of

TOURNAMENT = "tournament.toml"
MANIFEST = "manifest.json"
JOURNAL = "journal.jsonl"
NOTES = "notes.jsonl"
SPENT = "spent.txt"
"""The ledger of the costs of all answers, in matches that were not written, too."""
STANDINGS_JSON = "standings.json"
STANDINGS_TEXT = "standings.txt"
ANALYSIS = "analysis.jsonl"
REPORT = "report.html"
LOGS = "logs"
BUFFER = 1 << 17
EARLIER = "earlier"
"""In old folders, during an in-place correction: a folder with the previous run."""


def find_run(name: str, kind: str = "run") -> Path:
    """The run folder, given its path or its name under results/; a run of another `kind` is not suggested."""
    if not name:
        raise RunError(f'no {kind} ""; give its folder, or its name under results/')
    path = Path(name)
    for folder in (path, Path("results") / name):
        if (folder / MANIFEST).is_file():
            return folder
    if not path.exists():
        fit = []
        for run in [manifest.parent for manifest in Path("results").glob(f"*/{MANIFEST}")]:
            with suppress(TourneyError):
                if kind == "run" or kind == kind_of(run, read_manifest(run)).name:
                    fit.append(run.name)
        known = f"; {did_you_mean(path.name, fit)}" if fit else ""
        raise RunError(f"{name}: no such {kind} here or under results/{known}")
    if not path.is_dir():
        raise RunError(f"{name}: expected a run folder, got a file")
    if inside := sorted(path.glob(f"*/{MANIFEST}")):
        raise RunError(f"{name}: contains runs; choose one, such as {inside[0].parent}")
    raise RunError(f"{name}: not a run folder (no {MANIFEST})")


def require_free(path: Path) -> None:
    """Raises an error unless the folder is missing, empty, or left over from an interrupted start."""
    if (path / MANIFEST).is_file():
        remedy = "use resume to continue it, overwrite to start over, or choose another folder"
        raise RunError(f"{path}: already contains a run; {remedy}")
    if not path.exists():
        return
    names = {file.name for file in path.iterdir()} if path.is_dir() else {""}
    left = {JOURNAL, TOURNAMENT, TOURNAMENT + NEW, MANIFEST + NEW}  # by an interrupted start, before the manifest
    if names and not (JOURNAL in names and names <= left and not (path / JOURNAL).stat().st_size):
        raise RunError(f"{path}: folder is not empty; choose another")


def make(path: Path) -> None:
    """Creates a new run's folder, unless it exists."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        if error.errno in (ENOTDIR, EEXIST, ENOENT, ENAMETOOLONG, ELOOP):
            raise RunError(f"{path}: cannot create folder ({error.strerror}); choose another") from None
        raise cannot_write(path, error).add(", or choose another folder") from None


def clear(path: Path, names: Iterable[str]) -> None:
    """Removes these files and folders from a run's folder, if present."""
    from shutil import rmtree  # noqa: PLC0415 - brings three ways of compression

    try:
        for file in [path / name for name in names]:
            if file.is_dir() and not file.is_symlink():
                rmtree(file)
            else:
                file.unlink(missing_ok=True)
    except OSError as error:
        raise cannot_write(error.filename, error, "removed") from None


def logs_folder(path: Path, tournament: Tournament) -> Path:
    """The folder for bots' stderr, created if any bot runs in its own process."""
    logs = path / LOGS
    if not tournament.in_worker:
        with writable(logs):
            logs.mkdir(exist_ok=True)
    return logs


@contextmanager
def failures_logged(path: Path) -> Iterator[None]:
    """Writes a failed game's traceback to the logs and names the file in the error."""
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
    """Context for reading a run's file; failures become a `RunError`."""
    try:
        yield
    except OSError as error:
        raise RunError(f"cannot read {file} ({error.strerror}); check that this is a run folder") from None


def is_results_file(name: str) -> bool:
    """Whether this is a CSV file rather than a run."""
    return name.lower().endswith(".csv") and not Path(name).is_dir()


def read_lines(folder: Path, name: str = JOURNAL) -> Iterator[bytes]:
    """The complete lines of a run's journal, or of another file, without a torn last line."""
    file = folder / name
    with readable(file), file.open("rb", BUFFER) as lines:
        yield from takewhile(lambda line: line.endswith(b"\n"), lines)


def json_text(value: Any) -> bytes:
    """The value as indented JSON with a final newline."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE)


def write_atomically(path: Path, data: bytes) -> None:
    """Writes a file atomically: after a crash it has its old or its new content."""
    with writable(path):
        regular_files.write(path, data)


def make_parent(path: Path, option: str = "") -> None:
    """Creates an output file's folder; raises a `ConfigError` if the file cannot exist."""
    called = f"{option} {path}".lstrip()
    if path.is_dir():
        raise ConfigError(f"{called}: expected a file, got a folder")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = f"cannot create folder {path.parent} ({error.strerror})"
        raise ConfigError(f"{called}: {why}; choose another path") from None


@contextmanager
def output(path: Path, in_run: bool = False) -> Iterator[BinaryIO]:
    """Opens a file for results at a path chosen by the user."""
    try:
        with regular_files.writing(path) if in_run else regular_files.output(path) as file:
            yield file
    except OSError as error:
        raise cannot_write(path, error).add(", or choose another path") from None


def write_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Writes a run's manifest with its seal."""
    body = json_text(manifest).removesuffix(b"\n}\n")
    write_atomically(path / MANIFEST, body + _seal(body))


def read_manifest(path: Path) -> dict[str, Any]:
    """Reads a run's manifest without its seal."""
    file = path / MANIFEST
    with readable(file):
        data = file.read_bytes()
    body = data[: -len(_seal(b""))]
    if data != body + _seal(body):
        raise RunError(f"{file}: invalid or modified manifest; restore it from a backup, or run the tournament again")
    manifest: dict[str, Any] = orjson.loads(body + b"}")
    return manifest


def _seal(body: bytes) -> bytes:
    return f',\n  "seal": "{blake2b(body, digest_size=16).hexdigest()}"\n}}\n'.encode()


def manifest_differences(old: Any, new: Any, key: str = "") -> list[str]:
    """The differences between two manifests that affect the journal, one per line: `tournament.deals: 10 became 20`."""
    if key in ("python", "kind", "tournament.anchor", "tournament.page", "manifest", "isolation", "lots"):
        return []
    if re.fullmatch(r"tournament\.bots\[\d+\]\.display", key):  # which no match depends on
        return []
    if key in ("tournament.seed", "tournament.salts"):  # secret, so messages omit it
        return [] if old == new else [f"{key} changed"]
    if key == "imports" and (old is None or new is None):  # older manifests have none
        return []
    if isinstance(old, dict) and isinstance(new, dict):
        names = sorted(old.keys() & new.keys() if key == "imports" else old.keys() | new.keys())
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
