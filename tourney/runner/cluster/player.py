"""Code of dask's workers: `prepare` and `do`, functions from bytes to bytes, and the process they start.

A cluster worker has many threads, so it cannot fork, and must not die with a bot. It starts one of our processes per
concurrent task, with a pool of one worker, which charges bots as on a single machine. The process is reused between
tasks and replaced when it dies.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue
from time import perf_counter

from multiprocess.connection import Connection, Pipe, wait

from tourney import config
from tourney.base.errors import HelperLostError
from tourney.hosts import linux
from tourney.hosts.process.spawner import LOG_BYTES
from tourney.journal.times import Times
from tourney.runner.cluster import messages
from tourney.runner.cluster.messages import PlainTask, Played, Ready, Refused, machine_facts, unpack
from tourney.runner.pool.forkserver import Forkserver
from tourney.runner.pool.local import LocalPool
from tourney.runner.pool.worker import Performer, TaskResult
from tourney.runner.processes import python_call

MOST_KEPT = 4  # how many packed tournaments a worker keeps, most recently used
LOST = b""  # the reply to a lost task: its process has died, or the tournament is unknown here
IDLE_S = 120.0  # how long the process stays idle; another is started when needed

_lock = threading.Lock()
_packed: dict[str, bytes] = {}  # tournaments by digest, the most recent at the end
_idle: "list[_Player]" = []


def digest(packed: bytes) -> str:
    """The short name by which tasks refer to a packed tournament."""
    return sha256(packed).hexdigest()[:32]


def prepare(packed: bytes) -> bytes:
    """Starts a process for a packed tournament, and returns this machine's facts for it."""
    name = digest(packed)
    with _lock:
        _packed[name] = _packed.pop(name, packed)
        while len(_packed) > MOST_KEPT:
            del _packed[next(iter(_packed))]
        for player in [each for each in _idle if each.digest != name]:
            _idle.remove(player)
            player.end()
    return do(name, None)


def do(digest: str, task: bytes | None) -> bytes:
    """Does a task of the tournament with that digest, if there is one; returns the reply."""
    try:
        if (packed := _packed.get(digest)) is None:
            return LOST
        reply = LOST
        player = None if task is None else _take(digest)
        if player is None:
            player = _Player(digest)
            reply = player.ask(packed)
            if not reply or isinstance(messages.REPLIES.decode(reply), Refused):
                player.end()
                return reply
        if task is not None and not (reply := player.ask(task)):
            player.end()
            return reply
        with _lock:
            _idle.append(player)
        return reply
    except Exception as error:
        return messages.encode(messages.refusal(error))


def _take(digest: str) -> "_Player | None":
    with _lock:
        for player in [each for each in _idle if each.digest == digest]:
            _idle.remove(player)
            if player.process.poll() is None:
                return player
            player.end()
    return None


class _Player:
    def __init__(self, digest: str) -> None:
        from distributed import get_worker  # noqa: PLC0415 - it is loaded in a worker of the cluster

        scratch = None  # the system's folder
        with suppress(ValueError, AttributeError):
            scratch = get_worker().local_directory
        self.digest = digest
        self._folder = tempfile.mkdtemp(prefix="tourney-", dir=scratch)
        self._pipe, theirs = Pipe()
        command = python_call(main, theirs.fileno(), self._folder)
        self.process = subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True
        )
        theirs.close()
        self._ended = linux.death_fd(self.process.pid)

    def ask(self, data: bytes) -> bytes:
        with suppress(EOFError, OSError):
            self._pipe.send_bytes(data)
            ready = wait([self._pipe, self._ended])
            if self._pipe in ready or self._pipe.poll():
                return bytes(self._pipe.recv_bytes())
        return LOST

    def end(self) -> None:
        self._pipe.close()
        self.process.kill()
        self.process.wait()
        with suppress(OSError):
            os.close(self._ended)
        shutil.rmtree(self._folder, ignore_errors=True)


def main(end: int, place: str) -> None:
    """Plays in a separate process until the pipe closes or stays idle for a while."""
    pipe, folder = Connection(end), Path(place)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        starter = Forkserver(fork=True)  # before a thread is started
        inbox: SimpleQueue[bytes] = SimpleQueue()
        threading.Thread(target=_receive, args=(pipe, folder, inbox), daemon=True).start()
        _serve(pipe, folder, inbox, starter)
    except (Empty, HelperLostError):  # idle, or due for replacement
        pass
    except Exception as error:
        with suppress(OSError):  # the other end of the pipe is gone
            pipe.send_bytes(messages.encode(messages.refusal(error)))
    _end(folder)


def _receive(pipe: Connection, folder: Path, inbox: "SimpleQueue[bytes]") -> None:
    try:
        while True:
            inbox.put(pipe.recv_bytes())
    except (EOFError, OSError):
        _end(folder)


def _end(folder: Path) -> None:
    """Exits immediately, which also kills its child processes."""
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _serve(pipe: Connection, folder: Path, inbox: "SimpleQueue[bytes]", starter: Forkserver) -> None:
    tournament, performer = unpack(inbox.get(), folder)
    logs: Path | None = None
    sent: dict[Path, int] = {}
    if not tournament.in_worker:
        logs = folder / ".tourney" / "logs"
        logs.mkdir(parents=True)
        sent = {config.log_file(logs, entrant.name): 0 for entrant in tournament.entrants}
    ready = messages.encode(Ready(machine_facts(tournament)))
    with LocalPool(tournament, 1, None, logs, starter, performer) as pool:
        pipe.send_bytes(ready)
        while True:
            task = messages.TASKS.decode(inbox.get(timeout=IDLE_S))
            result = _play(pool, task, performer)
            pipe.send_bytes(messages.encode(Played(result, _new_lines(sent))))


def _play(pool: LocalPool, task: PlainTask, performer: Performer | None) -> TaskResult:
    prints: list[str] = []
    pool.times, pool.out, pool.show_prints = Times(), task.out, prints.append
    known = len(pool.tracebacks)
    began = perf_counter()
    played = [each for each in pool.play(iter(messages.items_of(task, performer))) if each is not None]
    return TaskResult(
        blocks=sum([len(each.blocks) for each in played]),
        lines=b"".join([each.lines for each in played]),
        results=[(one.scores, one.places, one.faults) for each in played for one in each.results],
        seconds=perf_counter() - began,
        times=pool.times,
        notes=[note for each in played for note in each.notes],
        tracebacks=tuple(islice(pool.tracebacks.values(), known, None)),
        prints="".join(prints),
    )


def _new_lines(sent: dict[Path, int]) -> dict[str, str]:
    """The new log lines by entrant name; `sent` is how many bytes of each log were sent."""
    lines = {}
    for path, start in sent.items():
        with suppress(OSError), path.open("rb") as log:  # logs are only a help
            log.seek(start)
            if data := log.read(LOG_BYTES):
                sent[path] = start + len(data)
                lines[path.stem] = data.decode(errors="replace")
    return lines
