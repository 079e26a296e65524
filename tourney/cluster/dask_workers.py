"""Workers of a cluster on this machine: dask's own, each a process that is restarted when it dies."""

import asyncio
import os
from collections.abc import Callable
from typing import Any

from tourney.cluster.connection import CONNECT_S, nobody_there, quiet_logs, security_for, set_thrifty_defaults


def serve(address: str, workers: int, say: Callable[[str], None]) -> None:
    """Starts workers of one thread each for a scheduler, and returns when the scheduler is gone.

    The workers end with this process.

    Args:
        address: The scheduler's, as in tcp://HOST:PORT.
        workers: How many are started.
        say: Called with a line once they are there.

    Raises:
        ConfigError: Dask is not installed, or has no certificates for tls://.
        RunError: No scheduler answers.
    """
    security = security_for(address)
    os.environ["DASK_LOGGING__DISTRIBUTED"] = "critical"  # for the processes of the workers
    asyncio.run(_serve(address, workers, security, say))


async def _serve(address: str, workers: int, security: Any, say: Callable[[str], None]) -> None:
    from distributed import Nanny, rpc  # noqa: PLC0415 - loaded with all of dask

    quiet_logs()
    set_thrifty_defaults()
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
