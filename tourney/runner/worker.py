"""A worker process: plays the blocks that it is sent, and sends back the lines of the journal.

It leads a process group of its own, so that it can be ended with all that its bots have started, and it ends itself
when the main process does. A watchdog in the group ends the group when the worker is gone, should even both be killed.
What bots print goes to stderr.
"""

import gc
import os
import pickle
import resource
import signal
import threading
import time
import traceback
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any, NamedTuple

from multiprocess.connection import Connection, wait

from tourney import config
from tourney.config import Tournament
from tourney.hosts import linux
from tourney.match import Block, FaultKind, Match, Record
from tourney.plugins import load_game
from tourney.table import BotFactory, play

BATCH_S = 0.5
"""After so long a worker sends back what it has, and leaves the rest of its batch."""

NO_MEMORY = 3
"""Exit status of a worker whose memory is used up."""


class Task(NamedTuple):
    """Blocks to play, the first of them at `position` of the schedule."""

    position: int
    blocks: list[Block]
    careful: bool = False
    """Whether to tell before every call of a bot which one it is."""
    verdicts: "tuple[tuple[At, FaultKind, str], ...]" = ()
    """For a careful task, which has one block: the calls that are known to end badly, with the fault and its detail."""
    deaths: "tuple[At, ...]" = ()
    """For a careful task: the calls at which a worker has died so far."""
    out: Mapping[str, str] = {}
    """The entrants that are put out of the tournament, and why."""


class Done(NamedTuple):
    """Blocks that were played, the first of them at `position` of the schedule."""

    position: int
    blocks: int
    lines: bytes
    """Their records as lines of the journal."""
    faults: int
    """How many faults are in them."""
    seconds: float


class Ready(NamedTuple):
    """The worker has loaded its games and bots."""


class Alive(NamedTuple):
    """A match was finished; sent now and then while blocks are slow."""


class At(NamedTuple):
    """A careful task is about to call a bot."""

    match: int
    decision: int
    seat: int


class Broken(NamedTuple):
    """Something of ours raised an exception."""

    traceback: str


def main(pipe: Connection, main_process: int, tournament: Tournament, logs: Path | None, number: int) -> None:
    """Serves tasks until the main process, of which a descriptor is given, closes the pipe.

    `logs` is the folder that bots in processes of their own write to; `number` counts the workers, from 0.
    """
    os.setpgid(0, 0)
    _start_guardian()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with, args=(main_process,), daemon=True).start()
    tasks = _arriving(pipe)
    os.dup2(2, 1)
    linux.keep_freed_memory()
    try:
        _settle(tournament, number)
        makers = config.makers(tournament, logs)
        _limit_memory(tournament)
        gc.freeze()  # what is loaded stays; there is no need to look at it again and again
        gc.set_threshold(20_000, 20, 20)  # the records of matches make many tuples, and no cycles
        send(pipe, Ready())
        while (task := tasks.get()) is not None:
            if task.careful:
                _play_carefully(pipe, task, makers)
            else:
                send(pipe, _play(pipe, task, makers))
    except (BrokenPipeError, ConnectionResetError):
        return
    except MemoryError:
        os._exit(NO_MEMORY)  # a bot has used it up; which one comes out when the blocks are played carefully
    except Exception:
        send(pipe, Broken(traceback.format_exc()))


def _arriving(pipe: Connection) -> "SimpleQueue[Task | None]":
    """The tasks as they arrive, and None once the pipe is closed.

    They are taken in at once, so that whoever sends one need not wait until this worker has finished another.
    """
    tasks: SimpleQueue[Task | None] = SimpleQueue()

    def take_in() -> None:
        try:
            while True:
                tasks.put(receive(pipe))
        except (EOFError, ConnectionResetError):
            tasks.put(None)
        except MemoryError:
            os._exit(NO_MEMORY)

    threading.Thread(target=take_in, daemon=True).start()
    return tasks


def _settle(tournament: Tournament, number: int) -> None:
    """Makes ready for bots in processes of their own, if there are any.

    They share the worker's core: it waits while they think, and to wake a process on another core takes much longer.
    """
    if tournament.in_worker:
        return
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[number % len(cores)]})
    linux.take_in_orphans()


def _limit_memory(tournament: Tournament) -> None:
    """Leaves inline bots, all together, the memory that the one of them with the most may use."""
    limits = [entrant.limits.memory_mb for entrant in tournament.entrants if entrant.in_worker]
    most_mb = max([limit for limit in limits if limit is not None], default=None)
    if most_mb is not None:
        hard = resource.getrlimit(resource.RLIMIT_DATA)[1]
        resource.setrlimit(resource.RLIMIT_DATA, (linux.data_bytes() + (most_mb << 20), hard))


def send(pipe: Connection, message: Any) -> None:
    """Sends one message."""
    pipe.send_bytes(pickle.dumps(message, pickle.HIGHEST_PROTOCOL))


def receive(pipe: Connection) -> Any:
    """The next message; an `EOFError` where there will be none."""
    return pickle.loads(pipe.recv_bytes())  # noqa: S301 - both ends are ours


def _start_guardian() -> None:
    """Starts a process, no child of ours, that waits for our end and then kills our group: what bots have started."""
    ourselves = os.pidfd_open(os.getpid())
    child = os.fork()
    if child:
        os.close(ourselves)
        os.waitpid(child, 0)
        return
    try:
        if os.fork() == 0:
            for file in os.listdir("/proc/self/fd"):
                if int(file) != ourselves:
                    with suppress(OSError):  # the one that the list was read from
                        os.close(int(file))
            wait([ourselves])
            os.killpg(0, signal.SIGKILL)
    finally:
        os._exit(0)


def _end_with(main_process: int) -> None:
    wait([main_process])
    os.killpg(0, signal.SIGKILL)


def _play(pipe: Connection, task: Task, makers: dict[str, BotFactory]) -> Done:
    """Plays as many of the task's blocks as there is time for, at least one."""
    begun = told = time.perf_counter()
    records: list[Record] = []
    blocks = 0
    for block in task.blocks:
        game = load_game(block.setup.game)
        for match in block.matches():
            out = _seats_out(match, task) if task.out else None
            records.append(play(match, game, [makers[name] for name in match.seats], out=out))
            now = time.perf_counter()
            if now - told > BATCH_S:
                send(pipe, Alive())
                told = now
        blocks += 1
        if now - begun > BATCH_S:
            break
    return done(task.position, blocks, records, time.perf_counter() - begun)


def _seats_out(match: Match, task: Task) -> dict[int, str]:
    """The seats of the match whose entrants are put out, and why."""
    return {seat: task.out[name] for seat, name in enumerate(match.seats) if name in task.out}


def _play_carefully(pipe: Connection, task: Task, makers: dict[str, BotFactory]) -> None:
    """Plays one block, telling before every call of a bot which one it is."""
    begun = time.perf_counter()
    records: list[Record] = []
    for number, match in enumerate(task.blocks[0].matches()):

        def watch(decision: int, seat: int, number: int = number) -> None:
            send(pipe, At(number, decision, seat))

        verdicts = {(at.decision, at.seat): (kind, detail) for at, kind, detail in task.verdicts if at.match == number}
        bots = [makers[name] for name in match.seats]
        records.append(play(match, load_game(match.setup.game), bots, verdicts, watch, _seats_out(match, task)))
    send(pipe, done(task.position, 1, records, time.perf_counter() - begun))


def done(position: int, blocks: int, records: Sequence[Record], seconds: float) -> Done:
    """The blocks that these records are of, as they are handed on."""
    faults = sum([len(record.faults) for record in records])
    return Done(position, blocks, b"".join([record.line() for record in records]), faults, seconds)
