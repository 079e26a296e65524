"""A tournament as bytes for workers on other machines, with the files of those bots that are no installed plugins.

Files are sent under their full paths, and unpacked under the same paths inside a folder of the worker, so that they
stand to each other as they do on the first machine. Sent are the file or the folder of a Python bot; the files that the
command of a program names by relative paths; and what `reads` names by relative paths. Whatever else is named by a full
path has to be on every machine.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from tourney import bot_files, plugins
from tourney.cluster.introduction import machine, other_tourney, speed
from tourney.config import Entrant, Tournament
from tourney.errors import ConfigError, RunError, cannot_write
from tourney.fingerprints import Fingerprint, files_of
from tourney.rng import seed_text

MOST_MB = 64
"""How many megabytes the files of all bots may have together."""
MOST_FILES = 10_000
"""How many files there may be."""


class _File(NamedTuple):
    """A file that is sent."""

    path: str
    """Its full path on the machine that has packed it."""
    content: bytes
    executable: bool


class _Content(msgspec.Struct, frozen=True):
    """What a parcel holds for workers of the same version."""

    tournament: dict[str, Any]
    files: list[_File]
    machine: str
    speed: float | None
    """The speed of the machine that has packed it, where limits of time are scaled."""


class _Parcel(msgspec.Struct, frozen=True):
    """A parcel, which workers of every version can open."""

    tourney: Fingerprint
    content: bytes


def pack(tournament: Tournament) -> bytes:
    """Returns a tournament with the files of its bots, as bytes.

    Raises:
        ConfigError: The files are too large or too many.
        TourneyError: A bot is not there.
    """
    scaled = tournament.bounds_time and tournament.scale_clocks
    content = _Content(_plain(tournament), _files(tournament), machine(), speed() if scaled else None)
    return msgspec.msgpack.encode(_Parcel(plugins.own_fingerprint(), msgspec.msgpack.encode(content)))


def unpack(data: bytes, folder: Path) -> Tournament:
    """Returns the tournament of a parcel, with the files of its bots in a folder, which is made.

    Where its limits of time are to be scaled, they are those for the speed of this machine.

    Args:
        data: The parcel.
        folder: A folder that does not exist yet, or is empty; for this tournament alone.

    Raises:
        RunError: The parcel is from another version of tourney, damaged, or has a path that leads out of the folder.
    """
    try:
        parcel = msgspec.msgpack.decode(data, type=_Parcel)
        if (other := other_tourney(parcel.tourney, plugins.own_fingerprint())) is not None:
            raise RunError(other)
        content = msgspec.msgpack.decode(parcel.content, type=_Content)
        tournament = _tournament(content.tournament)
    except (msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise _damaged(str(error)) from None
    folder = folder.resolve()
    _write(content.files, folder)
    home = _inside(folder, tournament.folder)
    home.mkdir(parents=True, exist_ok=True)
    entrants = [_unpacked(entrant, folder) for entrant in tournament.entrants]
    if content.speed is not None and content.machine != machine():
        entrants = [replace(each, limits=each.limits.scaled(content.speed / speed())) for each in entrants]
    return replace(tournament, entrants=tuple(entrants), folder=str(home))


def with_first_paths(text: str, tournament: Tournament, folder: Path) -> str:
    """Returns a text of a worker, such as a traceback, as it would be on the machine that has packed the tournament.

    Args:
        text: The text, with paths of files of bots.
        tournament: The tournament, as `unpack` has returned it.
        folder: The folder that it was unpacked into.
    """
    folder = folder.resolve()
    for entrant in tournament.entrants:
        file = _file_of(entrant)
        if file and (path := Path(file)).is_relative_to(folder):
            text = text.replace(bot_files.module_name(path), bot_files.module_name(Path("/", path.relative_to(folder))))
    return text.replace(str(folder), "")


def _plain(tournament: Tournament) -> dict[str, Any]:
    """Returns a tournament as plain data, without the options of its format, which the worker need not have."""
    data: dict[str, Any] = msgspec.to_builtins(tournament) | {"seed": seed_text(tournament.seed)}
    del data["format_options"]
    folder = Path(tournament.folder)
    for bot, entrant in zip(data["bots"], tournament.entrants, strict=True):
        if file := _file_of(entrant):  # where links lead, since its modules are imported from there
            bot["use"] = f"{(folder / file).resolve()}:{entrant.use.rpartition(':')[2]}"
    return data


def _tournament(data: Mapping[str, Any]) -> Tournament:
    return msgspec.convert(dict(data) | {"seed": int(data["seed"], 16)}, Tournament)


def _unpacked(entrant: Entrant, folder: Path) -> Entrant:
    """Returns an entrant whose file is the one in the folder of a worker."""
    file = _file_of(entrant)
    if not file:
        return entrant
    return replace(entrant, use=f"{_inside(folder, file)}:{entrant.use.rpartition(':')[2]}")


def _file_of(entrant: Entrant) -> str:
    """Returns the path of the file that a Python bot is in, as its entrant names it; empty for a plugin or program."""
    return plugins.file_and_name(entrant.use)[0]


def _files(tournament: Tournament) -> list[_File]:
    """Returns the files of the bots of a tournament, each once.

    Raises:
        ConfigError: They are too large or too many.
    """
    found: dict[Path, _File] = {}
    left = MOST_MB << 20
    for entrant in tournament.entrants:
        for path in _paths(entrant, Path(tournament.folder)):
            if path in found:
                continue
            try:
                with path.open("rb") as opened:
                    content = opened.read(left + 1)
                found[path] = _File(str(path), content, os.access(path, os.X_OK))
            except OSError as error:
                raise ConfigError(f"bot {entrant.name}: {path}: {error.strerror}; mend it, or leave it out") from None
            left -= len(content)
            if left < 0 or len(found) > MOST_FILES:
                raise ConfigError(
                    f"bot {entrant.name}: the files that bots need are more than {MOST_MB} MB or {MOST_FILES} files, "
                    f"up to {path}; put large ones on every machine, and name them by full paths"
                )
    return list(found.values())


def _paths(entrant: Entrant, folder: Path) -> Iterator[Path]:
    """Yields the full paths of the files that are sent for an entrant."""
    if _file_of(entrant):
        yield from files_of(bot_files.find(folder, _file_of(entrant), entrant.use))
    for word in (*entrant.command, *entrant.reads):
        path = Path(os.path.normpath(folder / word))
        if word and not os.path.isabs(word) and (word in entrant.reads or path.is_file()):
            yield from files_of(path)


def _write(files: Sequence[_File], folder: Path) -> None:
    """Writes the files into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)  # bots in the sandbox of root are other users
    if len(files) > MOST_FILES or any(folder.iterdir()):
        raise _damaged("too many files, or it was opened before")
    for file in files:
        path = _inside(folder, file.path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as opened:
                opened.write(file.content)
        except (FileExistsError, NotADirectoryError):
            raise _damaged(f"two of its files are named {file.path}") from None
        except OSError as error:
            raise cannot_write(path, error) from None
        path.chmod(0o755 if file.executable else 0o644)


def _inside(folder: Path, path: str) -> Path:
    """Returns where a file with that full path stands inside the folder.

    Raises:
        RunError: The path is none that `pack` writes, and may lead elsewhere.
    """
    if not path.startswith("/") or "\0" in path or ".." in path.split("/"):
        raise _damaged(f'"{path}" is no full path')
    return folder / path.lstrip("/")


def _damaged(why: str) -> RunError:
    return RunError(f"the tournament that was sent to this machine is damaged ({why}); start the run again")
