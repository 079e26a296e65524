"""A tournament as bytes for workers on other machines, with the files of those bots that are no installed plugins.

Files are sent under their full paths, and unpacked under the same paths inside a folder of the worker, so that they
stand to each other as they do on the first machine. Sent are the file or the folder of a Python bot; the files that the
command of a program names by relative paths; and what `reads` names by relative paths. Whatever else is named by a full
path has to be on every machine.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from tourney.base.errors import ConfigError, RunError, cannot_write
from tourney.config import Entrant, Tournament
from tourney.contracts.rng import seed_text
from tourney.plugins import bot_files, registry
from tourney.plugins.fingerprints import Fingerprint, files_of
from tourney.runner.cluster.machine import difference

MOST_MB = 64
"""How many megabytes the files of all bots may have together."""


class _File(NamedTuple):
    """A file that is sent."""

    path: str
    """Its full path on the machine that has packed it."""
    content: bytes
    executable: bool


class _Packed(msgspec.Struct, frozen=True):
    """A tournament with its files, which workers of the same version can open."""

    tournament: dict[str, Any]
    files: list[_File]


class _Envelope(msgspec.Struct, frozen=True):
    """A packed tournament, of which workers of every version can read where it is from."""

    tourney: Fingerprint
    packed: bytes


def pack(tournament: Tournament) -> bytes:
    """Returns a tournament with the files of its bots, as bytes."""
    packed = _Packed(_plain(tournament), _files(tournament))
    return msgspec.msgpack.encode(_Envelope(registry.own_fingerprint(), msgspec.msgpack.encode(packed)))


def unpack(data: bytes, folder: Path) -> Tournament:
    """Returns a packed tournament, with the files of its bots in a folder for it alone, which is made."""
    envelope = msgspec.msgpack.decode(data, type=_Envelope)
    if (other := difference("tourney", envelope.tourney, registry.own_fingerprint())) is not None:
        raise RunError(other)
    packed = msgspec.msgpack.decode(envelope.packed, type=_Packed)
    plain = packed.tournament
    tournament = msgspec.convert(plain | {"seed": int(plain["seed"], 16)}, Tournament)
    folder = folder.resolve()
    _write(packed.files, folder)
    home = _inside(folder, tournament.folder)
    home.mkdir(parents=True, exist_ok=True)
    entrants = tuple([_unpacked(entrant, folder) for entrant in tournament.entrants])
    return replace(tournament, entrants=entrants, folder=str(home))


def _plain(tournament: Tournament) -> dict[str, Any]:
    """Returns a tournament as plain data, without the options of its format, which the worker need not have."""
    data: dict[str, Any] = msgspec.to_builtins(tournament) | {"seed": seed_text(tournament.seed)}
    del data["format_options"]
    folder = Path(tournament.folder)
    for bot, entrant in zip(data["bots"], tournament.entrants, strict=True):
        if file := _file_of(entrant):  # where links lead, since its modules are imported from there
            bot["use"] = f"{(folder / file).resolve()}:{entrant.use.rpartition(':')[2]}"
    return data


def _unpacked(entrant: Entrant, folder: Path) -> Entrant:
    """Returns an entrant whose file is the one in the folder of a worker."""
    file = _file_of(entrant)
    if not file:
        return entrant
    return replace(entrant, use=f"{_inside(folder, file)}:{entrant.use.rpartition(':')[2]}")


def _file_of(entrant: Entrant) -> str:
    """Returns the path of the file that a Python bot is in, as its entrant names it; empty for a plugin or program."""
    return registry.file_and_name(entrant.use)[0]


def _files(tournament: Tournament) -> list[_File]:
    """Returns the files of the bots of a tournament, each once; raises a `ConfigError` if they are too large."""
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
                raise ConfigError(f"bot {entrant.name}: {path}: {error.strerror}; fix it, or leave it out") from None
            left -= len(content)
            if left < 0:
                raise ConfigError(
                    f"bot {entrant.name}: the files that bots need are more than {MOST_MB} MB, up to {path}; put large "
                    "ones on every machine, and name them by full paths"
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
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)  # bots in the sandbox of root are other users
    for file in files:
        path = _inside(folder, file.path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
        except OSError as error:
            raise cannot_write(path, error) from None
        path.chmod(0o755 if file.executable else 0o644)


def _inside(folder: Path, path: str) -> Path:
    """Returns where a file with that full path stands inside the folder."""
    return folder / path.lstrip("/")
