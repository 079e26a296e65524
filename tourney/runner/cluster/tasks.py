"""What dask's workers are asked to do: functions that take bytes and return bytes, and play in processes of their own.

Each task of a tournament is done by a process that is started for the tournament, kept between tasks, and replaced when
it dies. There is one for each task that a worker does at the same time.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress

from multiprocess.connection import Pipe, wait

from tourney.hosts import linux
from tourney.runner.cluster import messages
from tourney.runner.cluster.messages import Lost, Refused

MOST_ORDERS = 4
"""How many orders a worker keeps, those that were used last."""

_lock = threading.Lock()
_orders: dict[str, bytes] = {}  # by digest, the last one used at the end
_idle: "list[_Player]" = []


class _PlayerLostError(Exception):
    """The process has died."""


class _Player:
    """A process that does tasks of one order, see `tourney.runner.cluster.player`."""

    def __init__(self, digest: str) -> None:
        """Starts the process in a folder that it makes."""
        self.digest = digest
        self._folder = tempfile.mkdtemp(prefix="tourney-", dir=_scratch_folder())
        self._pipe, theirs = Pipe()
        code = f"import sys; sys.path[:] = {sys.path}; from tourney.runner.cluster.player import main; main()"
        command = [sys.executable, "-c", code, str(theirs.fileno()), self._folder]
        self._process = subprocess.Popen(  # noqa: S603 - our own program
            command, stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()], start_new_session=True
        )
        theirs.close()
        self._ended = linux.death_fd(self._process.pid)

    def ask(self, data: bytes) -> bytes:
        """Returns the answer to an order or a task."""
        try:
            self._pipe.send_bytes(data)
            ready = wait([self._pipe, self._ended])
            if self._pipe in ready or self._pipe.poll():
                return bytes(self._pipe.recv_bytes())
        except (EOFError, OSError):
            pass
        self.end()
        raise _PlayerLostError

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    def end(self) -> None:
        """Ends the process, which ends what it has started."""
        self._pipe.close()
        self._process.kill()
        self._process.wait()
        with suppress(OSError):
            os.close(self._ended)
        shutil.rmtree(self._folder, ignore_errors=True)


def _scratch_folder() -> str | None:
    """Returns the folder of this worker for what need not outlive it; None for that of the system."""
    from distributed import get_worker  # noqa: PLC0415 - it is loaded in a worker of the cluster

    with suppress(ValueError, AttributeError):
        folder: str = get_worker().local_directory
        return folder
    return None


def prepare(order: bytes) -> bytes:
    """Returns what this machine has, before it is given tasks of an order."""
    digest = messages.digest(order)
    with _lock:
        _orders[digest] = _orders.pop(digest, order)
        while len(_orders) > MOST_ORDERS:
            del _orders[next(iter(_orders))]
        for player in [each for each in _idle if each.digest != digest]:
            _idle.remove(player)
            player.end()
    return _answer(digest, None)


def do(digest: str, task: bytes) -> bytes:
    """Returns the result of a task of the order with that digest."""
    return _answer(digest, task)


def _answer(digest: str, task: bytes | None) -> bytes:
    """Returns the answer of a process for the order: to the task, or else to the order itself."""
    try:
        order, player = _orders.get(digest), _take(digest) if task is not None else None
        if order is None:
            return messages.encode(Lost())
        reply = b""
        if player is None:
            player = _Player(digest)
            reply = player.ask(order)
            if isinstance(messages.REPLIES.decode(reply), Refused):
                player.end()
                return reply
        if task is not None:
            reply = player.ask(task)
        with _lock:
            _idle.append(player)
        return reply
    except _PlayerLostError:
        return messages.encode(Lost())
    except Exception as error:
        return messages.encode(messages.refusal(error))


def _take(digest: str) -> _Player | None:
    """Takes an idle process for the order that is alive, if there is one."""
    with _lock:
        for player in [each for each in _idle if each.digest == digest]:
            _idle.remove(player)
            if player.is_alive:
                return player
            player.end()
    return None
