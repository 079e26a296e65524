"""A process that plays the tasks which a worker of a cluster is given, by a supervised worker of its own.

The worker of the cluster is a process of many threads, from which nothing is to be forked, and which must not be lost
with a bot. So it starts this process afresh, which has a pool of one worker as every run has it on one machine: what a
bot does is charged there as it would be without a cluster. The process ends with the pipe, that is, with the worker of
the cluster, however that ends, and when it has had nothing to do for a while.
"""

import os
import shutil
import signal
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from msgspec.structs import replace
from multiprocess.connection import Connection

from tourney import config
from tourney.base import files as regular_files
from tourney.config import Tournament
from tourney.hosts.faults import BotTraceback
from tourney.hosts.process.spawner import LOG_BYTES
from tourney.journal.times import Times
from tourney.runner.cluster import messages
from tourney.runner.cluster.machine import machine_facts
from tourney.runner.cluster.messages import Order, PlainTask, Played, Ready
from tourney.runner.cluster.packing import unpack
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.pool.forkserver import Forkserver
from tourney.runner.pool.jobs import ItemJob, JobPool, PackablePerformer
from tourney.runner.pool.local import LocalPool


class BotLogs:
    """The logs of the bots of this machine."""

    def __init__(self, folder: Path, tournament: Tournament) -> None:
        """Makes the folder for the logs, if a bot needs one."""
        self.folder: Path | None = None
        self._sent: dict[Path, int] = {}  # how much of each log was taken, in bytes
        if not tournament.in_worker:
            self.folder = folder / ".tourney" / "logs"
            self.folder.mkdir(parents=True)
            self._sent = {config.log_file(self.folder, entrant.name): 0 for entrant in tournament.entrants}

    def take(self) -> dict[str, str]:
        """Returns what was added to the logs since the last call, by the name of the entrant."""
        found = {}
        for path, start in self._sent.items():
            with suppress(OSError), path.open("rb") as log:  # the logs are a help
                log.seek(start)
                if data := log.read(LOG_BYTES):
                    self._sent[path] = start + len(data)
                    found[path.stem] = data.decode(errors="replace")
        return found


def add_to_logs(logs: Path, found: Mapping[str, str]) -> None:
    """Appends to the logs of entrants, as far as there is room; never fails."""
    for name, text in found.items():
        file = config.log_file(logs, name)
        with suppress(OSError):  # the logs are a help, and no part of what was played
            size = file.stat().st_size if file.exists() else 0
            if data := text.encode()[: max(0, LOG_BYTES - size)]:
                regular_files.append(file, data)


IDLE_S = 120.0
"""After how many seconds without a task the process ends; the worker of the cluster starts another if need be."""

Inbox: TypeAlias = "SimpleQueue[bytes]"


def main() -> None:
    """Does the tasks that come in by the pipe whose descriptor is the first argument; its files are in the second."""
    pipe, folder = Connection(int(sys.argv[1])), Path(sys.argv[2])
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(Empty, OSError):  # it has nothing to do, or the other end of the pipe is gone
        try:
            starter = Forkserver(fork=True)  # before a thread is started
            inbox: Inbox = SimpleQueue()
            threading.Thread(target=_receive, args=(pipe, folder, inbox), daemon=True).start()
            _serve(pipe, folder, inbox, starter)
        except Empty:
            raise
        except Exception as error:
            pipe.send_bytes(messages.encode(messages.refusal(error)))
    _end(folder)


def _receive(pipe: Connection, folder: Path, inbox: Inbox) -> None:
    """Puts what comes in into the inbox; ends the process when the other end of the pipe is gone."""
    try:
        while True:
            inbox.put(pipe.recv_bytes())
    except (EOFError, OSError):
        _end(folder)


def _end(folder: Path) -> None:
    """Ends the process at once; what it has started ends by itself when it is gone."""
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _serve(pipe: Connection, folder: Path, inbox: Inbox, starter: Forkserver) -> None:
    """Answers the order, which comes first, and then the tasks."""
    order = messages.ORDERS.decode(inbox.get())
    tournament = unpack(order.tournament, folder)
    logs = BotLogs(folder, tournament)
    reply = Ready(machine_facts(tournament))
    with _TaskPool(tournament, order, logs.folder, starter) as pool:
        pipe.send_bytes(messages.encode(reply))
        while True:
            task = messages.TASKS.decode(inbox.get(timeout=IDLE_S))
            pipe.send_bytes(messages.encode(replace(pool.do(task), logs=logs.take())))


class _TaskPool:
    """Plays the blocks of tasks, or deals with their items, one task after another. A context manager."""

    def __init__(self, tournament: Tournament, order: Order, logs: Path | None, starter: Forkserver) -> None:
        """Starts nothing yet; `logs` is the folder for the logs of bots."""
        self._faults = FaultMonitor(tournament, 0)
        self._performer: PackablePerformer | None = None
        if order.performer:
            module, _, name = order.performer.partition(":")
            performer: PackablePerformer = getattr(import_module(module), name).of_settings(order.settings)
            self._performer = performer
            self._pool: LocalPool = JobPool(tournament, 1, ItemJob(performer), starter)
        else:
            self._pool = _UncountedPool(tournament, 1, self._faults, logs, starter)
        self._prints: list[str] = []
        self._pool.show_prints = self._prints.append
        self._sent: set[Any] = set()  # which tracebacks were sent

    def __enter__(self) -> "_TaskPool":
        """Starts the worker."""
        self._pool.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        """Ends it."""
        self._pool.__exit__(*error)

    def do(self, task: PlainTask) -> Played:
        """Plays all blocks of a task, or deals with all its items."""
        self._pool.times = Times()
        self._prints.clear()
        self._faults.out = task.out
        items: Sequence[Any] = messages.blocks_of(task)
        if self._performer is not None:
            items = [self._performer.unpack(each) for each in task.items]
        played = [each for each in self._pool.play(iter(items)) if each is not None]
        return Played(
            blocks=len(items),
            lines=b"".join([each.lines for each in played]),
            results=[(one.scores, one.places, one.faults) for each in played for one in each.results],
            seconds=sum([each.seconds for each in played]),
            times=self._pool.times,
            tracebacks=list(self._new_tracebacks()),
            prints="".join(self._prints),
        )

    def _new_tracebacks(self) -> Iterator[BotTraceback]:
        for key, found in self._pool.tracebacks.items():
            if key not in self._sent:
                self._sent.add(key)
                yield found


class _UncountedPool(LocalPool):
    """A pool whose faults have no consequences beyond their match; those are up to the main process."""

    counts_faults = False
