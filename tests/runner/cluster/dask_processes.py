"""Real schedulers and workers of dask as processes of this machine, for tests."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.cli.runs import wait_for
from tests.conftest import TOURNEY, apart, with_code
from tourney.hosts import linux

DASK = str(Path(sys.executable).with_name("dask"))


def run(folder: Path, *arguments: object, code: int = 0, **environment: str) -> subprocess.CompletedProcess[str]:
    """Plays a tournament in a process of its own, which must end with this exit code."""
    return with_code(apart(folder, "run", *arguments, **environment), code)


def begin(log: Path, command: list[str], environment: dict[str, str]) -> subprocess.Popen:
    nowhere, environment = subprocess.DEVNULL, os.environ | environment
    with log.open("wb") as file:
        return subprocess.Popen(
            command, stdout=nowhere, stderr=file, start_new_session=True, cwd=log.parent, env=environment
        )


def end(process: subprocess.Popen) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@contextmanager
def scheduler(folder: Path, *, protocol: str = "tcp", **environment: str) -> Iterator[tuple[str, subprocess.Popen]]:
    """A scheduler at an address of its own, with its process."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"{protocol}://127.0.0.1:{port}"
    command = [DASK, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--protocol", protocol]
    command += ["--dashboard-address", "127.0.0.1:0"]
    process = begin(folder / "scheduler.log", command, environment)
    try:
        wait_for(lambda: is_open(port))
        yield address, process
    finally:
        end(process)


def is_open(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def workers(folder: Path, address: str, number: int = 2, python: str = TOURNEY, **environment: str) -> Iterator[int]:
    """Workers for a scheduler, by `tourney worker`; gives the id of the process that started them."""
    process = begin(folder / "workers.log", [python, "worker", address, "--workers", str(number)], environment)
    try:
        wait_for(lambda: b"Ctrl-C stops" in (folder / "workers.log").read_bytes())
        yield process.pid
    finally:
        left = list(linux.descendants(process.pid))
        end(process)
        wait_for(lambda: not any(map(linux.is_working, left)))
