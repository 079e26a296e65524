"""A scheduler and some workers on this machine, to try a cluster: a process of its own that ends with this one."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any

from tourney.base.errors import RunError
from tourney.hosts import linux
from tourney.runner.cluster.connection import CONNECT_S, nobody_there, quiet_dask, require_dask, security_for

END_S = 30.0  # how long the process may take to end what it has started before it is killed


@contextmanager
def local_cluster(workers: int) -> Iterator[str]:
    """Starts a scheduler and workers of one thread each, and yields the scheduler's address."""
    require_dask()
    folder = tempfile.mkdtemp(prefix="tourney-cluster-")
    code = f"import sys; sys.path[:] = {sys.path}; from tourney.runner.cluster.local import main; main()"
    process = subprocess.Popen(  # noqa: S603 - our own program
        [sys.executable, "-c", code, str(workers), folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=os.environ | {"DASK_TEMPORARY_DIRECTORY": folder},
        start_new_session=True,  # it ends with us, not with the terminal, so that we can finish what we do
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if not (address := process.stdout.readline().decode().strip()):
            raise RunError("the scheduler and its workers cannot be started on this machine; see the messages above")
        yield address
    finally:
        process.stdin.close()
        try:
            process.wait(END_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        process.stdout.close()
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Serves until stdin is closed, given the number of workers and their folder."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    import dask  # noqa: PLC0415 - the module is imported where no cluster is started
    from distributed import LocalCluster  # noqa: PLC0415

    quiet_dask()
    dask.config.set({"logging.distributed": "critical"})
    count, folder = int(sys.argv[1]), sys.argv[2]
    tracker = _silent_tracker()
    cluster: Any = LocalCluster(
        n_workers=count,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address=None,
        memory_limit=0,
        local_directory=folder,
        silence_logs=50,
    )
    sys.stdout.write(f"{cluster.scheduler_address}\n")
    sys.stdout.flush()
    sys.stdin.buffer.read()
    for nanny in cluster.workers.values():
        nanny.close_gracefully()  # it starts no other worker when its own is killed
    for pid in set(linux.descendants(os.getpid())) - tracker:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)


def _silent_tracker() -> set[int]:
    """Starts Python's resource tracker without stderr, so that it does not warn of killed workers; returns its id."""
    stderr, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    resource_tracker.ensure_running()
    os.dup2(stderr, 2)
    os.close(stderr)
    os.close(nowhere)
    return set(linux.descendants(os.getpid()))


def serve(address: str, workers: int, say: Callable[[str], None]) -> None:
    """Starts workers of one thread each for a scheduler, and returns when the scheduler is gone."""
    security = security_for(address)
    os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"  # for the processes of the workers
    asyncio.run(_serve(address, workers, security, say))


async def _serve(address: str, workers: int, security: Any, say: Callable[[str], None]) -> None:
    from distributed import Nanny, rpc  # noqa: PLC0415 - loaded with all of dask

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
    say(f"{workers} worker{'s' if workers > 1 else ''} for {address}; Ctrl-C ends {'them' if workers > 1 else 'it'}")
    await asyncio.gather(*[nanny.finished() for nanny in nannies])
