"""What the main process and the workers of a cluster send each other: plain data as bytes, never pickled objects."""

import platform
import traceback
from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

import msgspec

from tourney.base import errors
from tourney.base.errors import GameError, RunError, TourneyError, system_limit
from tourney.contracts.match import Block, GameSetup
from tourney.contracts.rng import seed_text
from tourney.hosts.faults import BotTraceback
from tourney.journal.times import Times
from tourney.runner.cluster.machine import MachineFacts
from tourney.runner.pool.worker import PlainResult


class Order(msgspec.Struct, frozen=True):
    """What a worker needs to know before it can do tasks."""

    tournament: bytes
    """The tournament with the files of its bots; see `tournament_parcel.pack`."""
    performer: str = ""
    """What deals with the items of tasks that are no blocks, as MODULE:CLASS; empty where blocks are played."""
    settings: bytes = b""
    """The settings of the performer."""


class PlainBlock(NamedTuple):
    """A block; its setup is given by the index among those of the task."""

    number: int
    setup: int
    seed: str
    seatings: tuple[tuple[str, ...], ...]


class PlainTask(msgspec.Struct, frozen=True):
    """Consecutive blocks to play, or items to deal with."""

    out: dict[str, str] = {}
    """The disqualified entrants, each with the reason."""
    setups: list[GameSetup] = []
    blocks: list[PlainBlock] = []
    items: list[bytes] = []
    """What the performer makes of its items; see `Performer.pack`."""


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The worker can do tasks, if its machine has the same code."""

    facts: MachineFacts


class Played(msgspec.Struct, frozen=True, tag=True):
    """The result of a task: for the fields see `tourney.runner.pool.worker.TaskResult`."""

    blocks: int
    lines: bytes
    results: list[PlainResult]
    seconds: float
    times: Times
    tracebacks: list[BotTraceback]
    prints: str = ""
    """The lines that bots in the worker have printed."""
    logs: dict[str, str] = {}
    """What was added to the logs, by the name of the entrant."""


class Lost(msgspec.Struct, frozen=True, tag=True):
    """The task was lost: its process has died, or the worker, restarted, does not know the order."""


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The worker cannot continue: an error for the user, or a bug."""

    host: str
    kind: str
    """The name of the error's class; empty for a bug, whose message is the traceback."""
    message: str
    game: str = ""
    """The name of the game whose code failed."""
    report: str = ""
    """The traceback of that."""

    def error(self) -> Exception:
        """Returns the error to raise in the main process."""
        if not self.kind:
            return RuntimeError(f"a worker on {self.host} failed:\n{self.message}")
        if self.kind == GameError.__name__:
            return GameError(self.message, self.game, self.report)
        found = getattr(errors, self.kind, None)
        if not (isinstance(found, type) and issubclass(found, TourneyError)) or "__init__" in vars(found):
            found = RunError
        return found(f"{self.host}: {self.message}")


def refusal(error: Exception) -> Refused:
    """Returns an error on this machine as a message; to be called where it is handled."""
    found = error if isinstance(error, TourneyError) else system_limit(error, "it cannot continue")
    host = platform.node()
    if found is None:
        return Refused(host, "", traceback.format_exc())
    if isinstance(found, GameError):
        return Refused(host, "GameError", str(found), found.game, found.report)
    return Refused(host, type(found).__name__, str(found))


Reply: TypeAlias = Ready | Played | Lost | Refused


def encode(message: Any) -> bytes:
    """Returns a message as bytes."""
    return msgspec.msgpack.encode(message)


ORDERS = msgspec.msgpack.Decoder(Order)
TASKS = msgspec.msgpack.Decoder(PlainTask)
REPLIES: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


def digest(order: bytes) -> str:
    """Returns the short name of an order that tasks refer to."""
    return sha256(order).hexdigest()[:32]


def plain_blocks(blocks: Sequence[Block], out: dict[str, str]) -> PlainTask:
    """Returns a task to play blocks, given who is disqualified."""
    setups: dict[int, int] = {}  # the index of each setup, by its identity: blocks share the few there are
    found: list[GameSetup] = []
    plain = []
    for block in blocks:
        index = setups.get(id(block.setup))
        if index is None:
            index = setups[id(block.setup)] = len(found)
            found.append(block.setup)
        plain.append(PlainBlock(block.number, index, seed_text(block.seed), block.seatings))
    return PlainTask(out, found, plain)


def blocks_of(task: PlainTask) -> list[Block]:
    """Returns the blocks of a task."""
    return [Block(each.number, task.setups[each.setup], int(each.seed, 16), each.seatings) for each in task.blocks]
