"""Processes that runs start besides bots: our own code in a new Python, and programs with bounds."""

import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, BinaryIO

from tourney.hosts import awake, linux


def python_call(function: Callable[..., object], *arguments: object) -> list[str]:
    """The words that call a module's function in a new Python, with texts, numbers and tuples of them."""
    call = f"from {function.__module__} import {function.__name__}; {function.__name__}{arguments}"
    return [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path}; {call}"]


def environment() -> dict[str, str]:
    """The environment without a calling program's git variables, such as a hook's about another repository."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


def run_for(
    seconds: float, words: str | Sequence[str], output: BinaryIO, env: Mapping[str, str], begin: Callable[[], None],
    **how: Any,
) -> int | None:  # fmt: skip
    """Runs a program, and kills the processes that it leaves; returns its exit code, or None if it takes longer.

    A stop of the machine does not count.
    """
    how |= {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT, "env": env}
    with subprocess.Popen(words, **how, process_group=0, preexec_fn=begin) as process:  # noqa: S603, PLW1509 - this process has no threads
        until = awake.begin() + seconds
        try:
            while True:
                with suppress(subprocess.TimeoutExpired):
                    return process.wait(awake.SLICE_S)
                if awake.look(awake.SLICE_S) >= until:
                    return None
        finally:
            linux.kill_group(process.pid)
