"""Dask's scheduler: a connection to one, a local one for trying a cluster, and workers for one.

Every question goes to a worker chosen by the caller, so dask has nothing to decide.
"""

import asyncio
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Coroutine, Iterator, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple, TypeAlias
from uuid import uuid4

from tourney.base.errors import ConfigError, RunError
from tourney.base.streams import silent_stderr
from tourney.hosts import linux
from tourney.runner.processes import python_call

CONNECT_S = 15.0  # maximum time for the scheduler's first answer
WATCH_S = 0.5  # how often it is asked for its workers
CLOSE_S = 3.0  # maximum time for closing the connection
END_S = 30.0  # how long a local cluster may take to stop before it is killed
_INSTALL = "install it with: pip install 'tourney-cards[cluster]'"
THRIFTY = {
    "distributed": {
        "worker": {"profile": {"enabled": False}},
        "admin": {"tick": {"interval": "1s"}, "system-monitor": {"interval": "2s"}, "low-level-log-length": 10},
    }
}
"""Dask's configuration in our processes, unless the user overrides it: it polls them less often, which took 3 % of a
core, and keeps fewer sent messages, a thousand of which took 70 MB."""


class Answer(NamedTuple):
    """A worker's answer to a question."""

    number: int
    data: bytes | None  # None if the worker was lost or the question cancelled
    error: Exception | None = None  # from the function, or from loading it in the worker


Event: TypeAlias = Mapping[str, int] | Answer | None
"""The present workers, addresses with numbers of slots; an answer; or None when the scheduler is gone."""


class Connection:
    """A connection to a scheduler. Dask's client runs in its own thread; the main thread takes its events."""

    def __init__(self, address: str, security: Any = None) -> None:
        """Connects with the certificates in `security`, by default from dask's own configuration."""
        self._is_private = security is not None
        security = security or security_for(address)
        from distributed import Client  # noqa: PLC0415 - few runs use a cluster

        quiet_dask()
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._asked: dict[int, Future[bytes]] = {}
        self._count = 0
        self._run = f"tourney-{uuid4().hex[:8]}"
        try:
            self._client: Any = Client(address, timeout=CONNECT_S, security=security, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise nobody_there(address, error) from None
        self._watch = self._start(self._watch_workers())

    def close(self) -> None:
        """Closes the connection, cancelling open questions."""
        self._watch.cancel()
        for future in list(self._asked.values()):
            future.cancel()
        with suppress(Exception):
            self._start(asyncio.sleep(0.05)).result(CLOSE_S)  # gives the scheduler time to process cancellations
        with suppress(Exception):
            self._client.close(timeout=CLOSE_S)

    def _start(self, coroutine: Coroutine[Any, Any, Any]) -> "Future[Any]":
        return asyncio.run_coroutine_threadsafe(coroutine, self._client.loop.asyncio_loop)

    def dashboard(self) -> str | None:
        """The address of the scheduler's dashboard, if there is one."""
        if self._is_private:  # other users of this machine could see a local cluster's
            return None
        with suppress(Exception):  # a missing link is harmless
            link: str = self._client.dashboard_link
            return link
        return None

    def ask(self, address: str, function: Any, *arguments: Any) -> int:
        """Calls one of our functions in a worker; the answer comes as an event. Returns the question's number."""
        self._count = number = self._count + 1
        future = self._asked[number] = self._start(self._ask(number, address, function, arguments))
        future.add_done_callback(lambda done: self._events.put(self._answer(number, done)))
        return number

    async def _ask(self, number: int, address: str, function: Any, arguments: tuple[Any, ...]) -> bytes:
        future = self._client.submit(function, *arguments, key=(self._run, number), workers=[address])
        try:
            answer: bytes = await future
        except asyncio.CancelledError:
            with suppress(Exception):
                await self._client.cancel([future], force=True)
            raise
        finally:
            future.release()
        return answer

    def _answer(self, number: int, done: "Future[bytes]") -> Event:
        from distributed import KilledWorker  # noqa: PLC0415 - few runs use a cluster

        if not done.cancelled() and (error := done.exception()) is None:
            return Answer(number, done.result())
        if self._client.status != "running":
            return None
        if done.cancelled() or isinstance(error, (CancelledError, asyncio.CancelledError, KilledWorker, OSError)):
            return Answer(number, None)
        return Answer(number, None, error if isinstance(error, Exception) else None)

    def forget(self, number: int) -> None:
        """Cancels a question; its answer may still come."""
        if (future := self._asked.get(number)) is not None:
            future.cancel()

    async def _watch_workers(self) -> None:
        """Adds an event when the workers change, and when the scheduler is gone."""
        known: Mapping[str, int] = {}
        try:
            while self._client.status == "running":
                threads = dict(await asyncio.wait_for(self._client.nthreads(), CONNECT_S))
                if threads != known:
                    known = threads
                    self._events.put(threads)
                await asyncio.sleep(WATCH_S)
        except (TimeoutError, OSError):
            pass
        self._events.put(None)

    def events(self, timeout_s: float) -> Iterator[Event]:
        """Waits for an event, and yields all events that have arrived."""
        with suppress(Empty):
            event = self._events.get(timeout=timeout_s)
            while True:
                if isinstance(event, Answer):
                    self._asked.pop(event.number, None)
                yield event
                event = self._events.get_nowait()


def security_for(address: str) -> Any:
    """The certificates in dask's own configuration."""
    require_dask()
    from distributed import Security  # noqa: PLC0415 - few runs use a cluster

    settings = "DASK_DISTRIBUTED__COMM__TLS__CA_FILE, …__CLIENT__CERT, …__CLIENT__KEY"
    security = Security()
    try:
        context = security.get_connection_args("client").get("ssl_context")
    except (OSError, ValueError) as error:
        raise ConfigError(f"{address}: cannot use the certificates ({error}); check {settings}") from None
    if address.startswith("tls://") and context is None:
        raise ConfigError(f"{address}: no certificates configured; set {settings}, or use dask's configuration file")
    return security


def require_dask() -> None:
    """Raises a `ConfigError` if dask is not installed, or this is not Linux."""
    if not linux.AVAILABLE:
        raise ConfigError("a cluster requires Linux on each machine; play on this machine alone")
    try:
        import distributed  # noqa: F401, PLC0415 - few runs use a cluster
    except ImportError as error:
        raise ConfigError(f"a cluster requires dask.distributed ({error}); {_INSTALL}") from None


def nobody_there(address: str, error: Exception) -> RunError:
    """The error for a scheduler that does not answer."""
    cause: BaseException = error
    while cause.__cause__ is not None:
        cause = cause.__cause__
    why = str(cause).split("\n")[0] or type(cause).__name__
    return RunError(f"{address}: no scheduler answers ({why}); start one there with: dask scheduler")


def quiet_dask() -> None:
    """Silences dask's logs in this process and its children, and applies `THRIFTY`."""
    from dask import config  # noqa: PLC0415 - few commands use a cluster
    from distributed import Client  # noqa: F401, PLC0415 - makes its loggers

    config.update_defaults(THRIFTY)
    for name in ("asyncio", *logging.root.manager.loggerDict):
        if name.split(".")[0] in ("distributed", "tornado", "asyncio"):
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    warnings.filterwarnings("ignore", module="distributed")


@contextmanager
def local_cluster(workers: int) -> Iterator[tuple[str, Any]]:
    """Starts a scheduler and single-threaded workers; yields the scheduler's address and its key.

    The key is created for this cluster and stays in its processes' memory, so no other user of the machine can use it.
    """
    require_dask()
    from distributed import Security  # noqa: PLC0415 - few runs use a cluster

    try:
        security = Security.temporary()
    except ImportError as error:
        raise ConfigError(f"a local cluster requires cryptography ({error.__cause__ or error}); {_INSTALL}") from None
    folder = tempfile.mkdtemp(prefix="tourney-cluster-")
    process = subprocess.Popen(  # noqa: S603 - our own program
        python_call(main, workers, folder),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"DASK_TEMPORARY_DIRECTORY": folder},
        start_new_session=True,  # it ends with us, not with the terminal, so we can finish our work
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        process.stdin.write(json.dumps([security.tls_ca_file, security.tls_client_key]).encode() + b"\n")
        process.stdin.flush()
        if not (address := process.stdout.readline().decode().strip()):
            raise RunError("cannot start the scheduler and its workers on this machine; see the messages above")
        yield address, security
    finally:
        process.stdin.close()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)


def main(count: int, folder: str) -> None:
    """Serves with this many workers until stdin is closed; reads the certificate from stdin."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import dask  # noqa: PLC0415 - this module is also imported without a cluster
    from distributed import LocalCluster, Security  # noqa: PLC0415

    quiet_dask()
    dask.config.set({"logging.distributed": "critical"})
    # HTTP pages would be visible to all users of this machine
    dask.config.set({f"distributed.{role}.http.routes": [] for role in ("scheduler", "worker")})
    certificate, key = json.loads(sys.stdin.buffer.readline())
    roles = {
        f"tls_{role}_{what}": value
        for role in ("client", "scheduler", "worker")
        for what, value in (("cert", certificate), ("key", key))
    }
    with silent_stderr():  # the resource tracker of Python would warn about killed workers
        resource_tracker.ensure_running()
    tracker = {*linux.descendants(os.getpid())}
    cluster: Any = LocalCluster(
        n_workers=count, threads_per_worker=1, host="127.0.0.1",
        security=Security(require_encryption=True, tls_ca_file=certificate, **roles), dashboard_address="127.0.0.1:0",
        scheduler_kwargs={"dashboard": False}, memory_limit=0, local_directory=folder, silence_logs=50,
    )  # fmt: skip
    sys.stdout.write(f"{cluster.scheduler_address}\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    for nanny in cluster.workers.values():
        nanny.close_gracefully()  # or it would replace its killed worker
    for pid in set(linux.descendants(os.getpid())) - tracker:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def serve(address: str, workers: int, say: Callable[[str], None]) -> None:
    """Starts single-threaded workers for a scheduler, and returns when the scheduler is gone."""
    os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"  # for the worker processes
    asyncio.run(_serve(address, workers, say))


async def _serve(address: str, workers: int, say: Callable[[str], None]) -> None:
    security = security_for(address)
    from distributed import Nanny, rpc  # noqa: PLC0415 - loads all of dask

    quiet_dask()
    try:
        async with rpc(address, connection_args=security.get_connection_args("worker"), timeout=CONNECT_S) as scheduler:
            await asyncio.wait_for(scheduler.identity(n_workers=0), CONNECT_S)
    except (TimeoutError, OSError, ValueError, TypeError) as error:
        raise nobody_there(address, error) from None
    nannies = [
        Nanny(address, nthreads=1, memory_limit=0, security=security, silence_logs=50, dashboard=False)
        for _ in range(workers)
    ]
    await asyncio.gather(*nannies)
    say(f"{workers} worker{'s' if workers > 1 else ''} for {address}; Ctrl-C stops {'them' if workers > 1 else 'it'}")
    await asyncio.gather(*[nanny.finished() for nanny in nannies])
