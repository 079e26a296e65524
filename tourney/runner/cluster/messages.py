"""What the main process and the workers of a cluster send each other: plain data as bytes, never pickled objects."""

import platform
import traceback
from typing import Any, NamedTuple, TypeAlias

import msgspec

from tourney.base import errors
from tourney.base.errors import GameError, RunError, TourneyError, system_limit
from tourney.contracts.match import Block, GameSetup
from tourney.contracts.rng import seed_text
from tourney.runner.cluster.packing import MachineFacts
from tourney.runner.pool.worker import Performer, Task, TaskResult


class PlainBlock(NamedTuple):
    """A block; its setup is given by the index among those of the task."""

    number: int
    setup: int
    seed: str
    seatings: tuple[tuple[str, ...], ...]


class PlainTask(msgspec.Struct, frozen=True):
    """Consecutive blocks to play, or items to deal with."""

    out: dict[str, str] = {}  # the disqualified entrants, each with the reason
    setups: list[GameSetup] = []
    blocks: list[PlainBlock] = []
    items: list[bytes] = []


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The worker can do tasks, if its machine has the same code."""

    facts: MachineFacts


class Played(msgspec.Struct, frozen=True, tag=True):
    """The whole task was done."""

    result: TaskResult
    logs: dict[str, str] = {}  # what was added to the logs, by the name of the entrant


class Refused(msgspec.Struct, frozen=True, tag=True):
    """The worker cannot continue: an error for the user, or a bug."""

    host: str
    kind: str  # the name of the error's class; empty for a bug, whose message is the traceback
    message: str
    game: str = ""
    report: str = ""  # the traceback of the game, if its code failed

    def error(self) -> Exception:
        """The error to raise in the main process."""
        if not self.kind:
            return RuntimeError(f"a worker on {self.host} failed:\n{self.message}")
        if self.kind == GameError.__name__:
            return GameError(self.message, self.game, self.report)
        found = getattr(errors, self.kind, None)
        if not (isinstance(found, type) and issubclass(found, TourneyError)) or "__init__" in vars(found):
            found = RunError
        return found(f"{self.host}: {self.message}")


def refusal(error: Exception) -> Refused:
    """An error on this machine as a message; to be called where it is handled."""
    found = error if isinstance(error, TourneyError) else system_limit(error, "it cannot continue")
    host = platform.node()
    if found is None:
        return Refused(host, "", traceback.format_exc())
    if isinstance(found, GameError):
        return Refused(host, "GameError", str(found), found.game, found.report)
    return Refused(host, type(found).__name__, str(found))


Reply: TypeAlias = Ready | Played | Refused
"""What a worker sends back; nothing at all if its process has died, or if it does not know the tournament."""
REPLIES: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)
TASKS = msgspec.msgpack.Decoder(PlainTask)


def encode(message: Any) -> bytes:
    """The bytes of a message."""
    return msgspec.msgpack.encode(message)


def plain_task(task: Task, performer: Performer | None) -> PlainTask:
    """Returns a task as it is sent."""
    if performer is not None:
        return PlainTask(items=[encode(item) for item in task.blocks])
    # each setup with its index, by its identity, as blocks share them
    setups: dict[int, tuple[int, GameSetup]] = {}
    plain = []
    for block in task.blocks:
        index, _ = setups.setdefault(id(block.setup), (len(setups), block.setup))
        plain.append(PlainBlock(block.number, index, seed_text(block.seed), block.seatings))
    return PlainTask(dict(task.out), [setup for _, setup in setups.values()], plain)


def items_of(task: PlainTask, performer: Performer | None) -> list[Any]:
    """Returns the blocks of a task, or the items of the performer."""
    if performer is not None:
        return [msgspec.msgpack.decode(item, type=performer.Item) for item in task.items]  # type: ignore[attr-defined]
    return [Block(each.number, task.setups[each.setup], int(each.seed, 16), each.seatings) for each in task.blocks]
