"""Messages between the main process and the workers of a cluster: plain data as bytes, never pickled objects.

The first contains the tournament and its bots' files: a Python bot's file or folder, and the relative paths in a
program's `command` and `reads`. They are sent under their full paths, and unpacked under the same paths inside a
folder of the worker. Files with full paths must be on every machine.
"""

import os
import platform
import traceback
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import msgspec
from msgspec.structs import replace

from tourney import config
from tourney.base import errors
from tourney.base.errors import ConfigError, GameError, RunError, TourneyError, system_limit, writable
from tourney.config import Entrant, Tournament
from tourney.contracts.match import Block, GameSetup
from tourney.contracts.rng import seed_text
from tourney.plugins import registry
from tourney.plugins.bot_imports import unit_of
from tourney.plugins.fingerprints import Fingerprint
from tourney.plugins.handed_in import files_of
from tourney.runner.pool.worker import Performer, Task, TaskResult

MOST_MB = 64  # maximum size of all bots' files together


class _File(NamedTuple):
    path: str  # its full path on the machine that has packed it
    content: bytes
    executable: bool


class _Packed(msgspec.Struct, frozen=True):
    """The part that workers of the same version can open."""

    tournament: dict[str, Any]
    files: list[_File]
    performer: tuple[str, str, bytes] | None  # its module, class and fields


class _Envelope(msgspec.Struct, frozen=True):
    """The part that workers of any version can open."""

    tourney: Fingerprint
    packed: bytes


def pack(tournament: Tournament, performer: Performer | None = None) -> bytes:
    """A tournament with its bots' files, and its performer, as bytes."""
    how = None
    if performer is not None:
        how = type(performer).__module__, type(performer).__name__, msgspec.msgpack.encode(performer)
    packed = _Packed(_plain(tournament), _files(tournament), how)
    return msgspec.msgpack.encode(_Envelope(registry.own_fingerprint(), msgspec.msgpack.encode(packed)))


def unpack(data: bytes, folder: Path) -> tuple[Tournament, Performer | None]:
    """Unpacks a tournament and writes its files into a new folder."""
    envelope = msgspec.msgpack.decode(data, type=_Envelope)
    if (other := _difference("tourney", envelope.tourney, registry.own_fingerprint())) is not None:
        raise RunError(other)
    packed = msgspec.msgpack.decode(envelope.packed, type=_Packed)
    performer: Performer | None = None
    if packed.performer is not None:
        module, name, fields = packed.performer
        performer = msgspec.msgpack.decode(fields, type=getattr(import_module(module), name))
    plain = packed.tournament
    tournament = msgspec.convert(plain | {"seed": int(plain["seed"], 16)}, Tournament)
    folder = folder.resolve()
    _write(packed.files, folder)
    home = _inside(folder, tournament.folder)
    home.mkdir(parents=True, exist_ok=True)
    entrants = []
    for entrant in tournament.entrants:
        file, name = registry.file_and_name(entrant.use)
        entrants.append(replace(entrant, use=f"{_inside(folder, file)}:{name}") if file else entrant)
    return replace(tournament, entrants=tuple(entrants), folder=str(home)), performer


def _plain(tournament: Tournament) -> dict[str, Any]:
    data: dict[str, Any] = msgspec.to_builtins(tournament) | {"seed": seed_text(tournament.seed)}
    del data["format_options"]
    for bot, entrant in zip(data["bots"], tournament.entrants, strict=True):
        file, name = registry.file_and_name(entrant.use)
        if file:  # as its modules are named by their real paths
            bot["use"] = f"{(Path(tournament.folder) / file).resolve()}:{name}"
    return data


def _files(tournament: Tournament) -> list[_File]:
    files: dict[Path, _File] = {}
    left = MOST_MB << 20
    for entrant in tournament.entrants:
        for path in _paths(entrant, Path(tournament.folder)):
            if path in files:
                continue
            try:
                with path.open("rb") as opened:
                    content = opened.read(left + 1)
                files[path] = _File(str(path), content, os.access(path, os.X_OK))
            except OSError as error:
                raise ConfigError(f"bot {entrant.name}: cannot read {path} ({error.strerror})") from None
            left -= len(content)
            if left < 0:
                raise ConfigError(
                    f"bot {entrant.name}: bot files exceed {MOST_MB} MB (reached at {path}); put large "
                    "files on every machine, and use their full paths"
                )
    return list(files.values())


def _paths(entrant: Entrant, folder: Path) -> Iterator[Path]:
    if entrant.use and (unit := registry.bot_unit(entrant.use, folder)) is not None:
        yield from (*files_of(unit.root), *unit.beside)
    yield from config.option_files(entrant, folder)
    for word in (*entrant.command, *entrant.reads):
        path = Path(os.path.normpath(folder / word))
        if word and not os.path.isabs(word) and (word in entrant.reads or path.is_file()):
            yield from files_of(path if word in entrant.reads else unit_of(path).root)


def _write(files: Sequence[_File], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o711 if os.geteuid() == 0 else 0o700)  # root's sandboxed bots run as other users
    for file in files:
        path = _inside(folder, file.path)
        with writable(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(file.content)
        path.chmod(0o755 if file.executable else 0o644)


def _inside(folder: Path, path: str) -> Path:
    return folder / path.lstrip("/")


class MachineFacts(msgspec.Struct, frozen=True):
    """The code that a machine has for a tournament."""

    host: str
    code: dict[str, Fingerprint]  # of the games and bots, such as `bot "steady"`
    missing: list[str]  # what the tournament needs and this machine lacks, a line each


def machine_facts(tournament: Tournament) -> MachineFacts:
    """The code that this machine has for a tournament; runs no bot code in this process."""
    missing = config.absent_bots(tournament)
    code: dict[str, Fingerprint] = {}
    for name in tournament.games:
        try:
            code[f'game "{name}"'] = registry.game_fingerprint(name)
        except TourneyError as error:
            missing.append(str(error))
    for entrant in tournament.entrants:
        try:
            for name, fingerprint in config.all_fingerprints([entrant], Path(tournament.folder)).items():
                code[f'bot "{name}"'] = fingerprint
        except TourneyError as error:
            missing.append(str(error))
    return MachineFacts(platform.node() or "a machine without a name", code, list(dict.fromkeys(missing)))


def differences(own: MachineFacts, other: MachineFacts) -> list[str]:
    """Why another machine cannot play, one line per reason; `own` are the facts of the run's machine."""
    lines = [_difference(name, mine, other.code[name]) for name, mine in own.code.items() if name in other.code]
    return [f"{other.host}: {line}" for line in (*lines, *other.missing) if line]


def _difference(what: str, ours: Fingerprint, theirs: Fingerprint) -> str | None:
    if ours.version != theirs.version:
        there, here = [code.version or "no distribution" for code in (theirs, ours)]
        return f"{what} is from {there} there, but from {here} here; install the same version there"
    if ours.sha256 != theirs.sha256:
        of = f" of {theirs.version}" if theirs.version else ""
        return f"the source of {what}{of} differs from the one here; install the same there"
    return None


class PlainBlock(NamedTuple):
    """A block; `setup` is an index into the task's setups."""

    number: int
    setup: int
    seed: str
    seatings: tuple[tuple[str, ...], ...]
    names: tuple[str, ...]


class PlainTask(msgspec.Struct, frozen=True):
    """Consecutive blocks to play, or items to perform."""

    out: dict[str, str] = {}  # the disqualified entrants with the reasons
    setups: list[GameSetup] = []
    blocks: list[PlainBlock] = []
    items: list[bytes] = []


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The worker can do tasks, if its machine has the same code."""

    facts: MachineFacts


class Played(msgspec.Struct, frozen=True, tag=True):
    """The whole task was done."""

    result: TaskResult
    logs: dict[str, str] = {}  # text added to the logs, by entrant name


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The worker cannot continue: an error for the user, or a bug."""

    host: str
    kind: str  # the error's class name; empty for a bug, whose message is the traceback
    message: str
    game: str = ""
    report: str = ""  # the game's traceback, if its code failed

    def error(self) -> Exception:
        """The error to raise in the main process."""
        if not self.kind:
            return RuntimeError(f"a worker on {self.host} failed:\n{self.message}")
        if self.kind == GameError.__name__:
            return GameError(self.message, self.game, self.report)
        error_type = getattr(errors, self.kind, None)
        if not (isinstance(error_type, type) and issubclass(error_type, TourneyError)) or "__init__" in vars(
            error_type
        ):
            error_type = RunError
        return error_type(f"{self.host}: {self.message}")


def refusal(error: Exception) -> Refused:
    """An error on this machine as a message; call it while handling the error."""
    refused = error if isinstance(error, TourneyError) else system_limit(error, "it cannot continue")
    host = platform.node()
    if refused is None:
        return Refused(host, "", traceback.format_exc())
    if isinstance(refused, GameError):
        return Refused(host, "GameError", str(refused), refused.game, refused.report)
    return Refused(host, type(refused).__name__, str(refused))


Reply: TypeAlias = Ready | Played | Refused
"""A worker's reply; empty if its process has died, or if it does not know the tournament."""
REPLIES: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)
encode = msgspec.msgpack.encode
TASKS = msgspec.msgpack.Decoder(PlainTask)


def plain_task(task: Task, performer: Performer | None) -> PlainTask:
    """A task as it is sent."""
    if performer is not None:
        return PlainTask(items=[encode(item) for item in task.blocks])
    # each setup with its index, by identity, because blocks share them
    setups: dict[int, tuple[int, GameSetup]] = {}
    plain = []
    for block in task.blocks:
        index, _ = setups.setdefault(id(block.setup), (len(setups), block.setup))
        plain.append(PlainBlock(block.number, index, seed_text(block.seed), block.seatings, block.names))
    return PlainTask(dict(task.out), [setup for _, setup in setups.values()], plain)


def items_of(task: PlainTask, performer: Performer | None) -> list[Any]:
    """A task's blocks, or a performer's items."""
    if performer is not None:
        return [msgspec.msgpack.decode(item, type=performer.Item) for item in task.items]  # type: ignore[attr-defined]
    return [
        Block(each.number, task.setups[each.setup], int(each.seed, 16), each.seatings, each.names)
        for each in task.blocks
    ]
