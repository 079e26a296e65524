"""Runs a check in another process, where what is tried may hang, crash, or depend on the order of hashes."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import orjson

START_S = 60.0
"""How long the process may take, in seconds, to load games and bots."""
_LOOK_S = 0.2


def reports(module: str, job: bytes, silent_s: float) -> Iterator[Any]:
    """Runs a module of this package with another `PYTHONHASHSEED`, and yields what it writes: values as lines of JSON.

    The module reads the job from stdin, which stays open as long as this process lives. The process is killed, with
    all that it has started, once it ends, is silent for `START_S` and `silent_s` together, or the iterator is closed.
    """
    hashes = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    modules = os.pathsep.join([folder for folder in sys.path if folder])  # what is found here is found there
    with subprocess.Popen(  # noqa: S603 - a module of this package
        [sys.executable, "-P", "-m", module],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
        env=os.environ | {"PYTHONHASHSEED": hashes, "PYTHONPATH": modules},
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            with suppress(BrokenPipeError):
                while job:
                    job = job[process.stdin.write(job) :]
            out, rest = process.stdout.fileno(), b""
            until = time.monotonic() + START_S + silent_s
            while time.monotonic() < until:
                if select.select([out], [], [], _LOOK_S)[0]:
                    if not (data := os.read(out, 1 << 20)):
                        return
                    *lines, rest = (rest + data).split(b"\n")
                    yield from map(orjson.loads, lines)
                    until = time.monotonic() + START_S + silent_s
                elif process.poll() is not None:  # what it has started may hold the pipe
                    return
        finally:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)


def end_with_stdin(stdin: int) -> None:
    """Ends this process, with all that it has started, once the process that started it is gone."""
    while os.read(stdin, 1):
        pass
    os.killpg(0, signal.SIGKILL)
