"""Loads a Python bot in a process of its own, once, to see that it is there and which games it plays."""

import os
import re
import signal
import subprocess
import time
from contextlib import suppress
from functools import partial
from typing import Any

import orjson

from tourney.errors import ConfigError, named_limit, system_limit
from tourney.hosts import linux, process_groups
from tourney.hosts.base import BotSpec
from tourney.hosts.process_groups import GroupGuard
from tourney.hosts.retries import MOST_ATTEMPTS, OWN_STARTS, ending_signal, may_be_from_outside, signal_name
from tourney.hosts.spawner_client import LOAD_S, BotCommand

WAKE_S = 1.0
"""After how many seconds without an end the process is continued, with all it has started: one may be stopped."""
SHOWN = 1000
"""How much of what a bot's process says is shown."""


def examined(spec: BotSpec, command: BotCommand) -> tuple[str, ...] | None:
    """Returns the games that a Python bot plays, as the process that the command starts reports them.

    Raises:
        ConfigError: The bot cannot be loaded.
        SystemLimitError: The system allows no more processes or open files.
    """
    ended = _ended(spec, command)
    try:
        found: Any = orjson.loads(ended.stdout)
    except orjson.JSONDecodeError:
        found = None
    match found:
        case {"error": str(text)}:
            raise ConfigError(_printable(text))
        case {"games": None}:
            return None
        case {"games": list(games)} if all([isinstance(game, str) for game in games]):
            return tuple(games)
    said = ended.stderr.decode(errors="replace").strip().splitlines()
    if said and (limit := named_limit(said[-1], _cannot(spec))):
        raise limit  # as bubblewrap reports it
    why = f" ({_printable(said[-1])})" if said else ""
    raise _not_loaded(spec, f"its process ended with exit status {ended.returncode}{why}")


def _ended(spec: BotSpec, command: BotCommand) -> "subprocess.CompletedProcess[bytes]":
    """Returns how the command ended by itself, and what it printed; it is started again where a signal has ended it."""
    for attempt in range(1, MOST_ATTEMPTS + 1):
        ended = _run(spec, command)
        by = ending_signal(ended.returncode)
        if by not in signal.valid_signals():
            return ended
        if not may_be_from_outside(ended.returncode) and attempt >= OWN_STARTS:
            break
    raise _not_loaded(spec, f"its process was ended by {signal_name(by)}, {attempt} times")


def _run(spec: BotSpec, command: BotCommand) -> "subprocess.CompletedProcess[bytes]":
    """Runs the command once; nothing of it is left in the end, even if this process is killed."""
    guard = None if linux.AVAILABLE else GroupGuard()
    try:
        if guard is not None:
            guard.start()
        process = subprocess.Popen(  # noqa: S603 - the command of a bot, which is what the user asks for
            command.argv,
            env=command.env,
            cwd=command.cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            # it calls nothing that takes a lock
            preexec_fn=partial(linux.begin_trial, os.getpid()) if hasattr(os, "fork") else None,  # noqa: PLW1509
        )
    except (OSError, subprocess.SubprocessError) as error:
        if guard is not None:
            guard.close()
        raise system_limit(error, _cannot(spec)) or error from None
    until = time.monotonic() + LOAD_S
    with process:
        try:
            if guard is not None:
                guard.begin(process.pid)
            while True:
                with suppress(subprocess.TimeoutExpired):
                    stdout, stderr = process.communicate(timeout=WAKE_S)
                    return subprocess.CompletedProcess(command.argv, process.returncode, stdout, stderr)
                if process.poll() is not None:  # what it has started holds the pipes
                    process_groups.kill(process.pid)
                elif time.monotonic() > until:
                    raise _not_loaded(spec, f"it takes longer than {LOAD_S:.0f} seconds")
                else:
                    process_groups.go_on(process.pid)
                    linux.resume(linux.descendants(process.pid))
        finally:
            process_groups.kill(process.pid)
            if guard is not None:
                guard.close()


def _cannot(spec: BotSpec) -> str:
    return f"bot {spec.name} cannot be loaded"


def _not_loaded(spec: BotSpec, why: str) -> ConfigError:
    return ConfigError(f"bot {spec.name}: {spec.use} cannot be loaded: {why}; try it with Python alone")


def _printable(text: str) -> str:
    """Returns the beginning of a text of the bot's, with `?` for all that is not plain."""
    return re.sub(r"[^\x20-\x7e]", "?", text)[:SHOWN]
