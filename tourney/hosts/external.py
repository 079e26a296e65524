"""Bots in processes of their own, on the host that they are given: how they are started, and how they are looked at."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import orjson

from tourney.errors import ConfigError
from tourney.hosts.base import BotHost, Limits
from tourney.hosts.factory import Program
from tourney.hosts.process import BY_SIGNAL, LOAD_S, Launch, Process
from tourney.hosts.sandbox import host
from tourney.plugins import game_source

ATTEMPTS = 5
"""To look at a bot, where somebody kills what does so."""
PYTHON_RESERVES_MB = 1024
"""Address space that Python sets apart beyond the memory it uses; other runtimes need more."""


def place(program: Program, limits: Limits, log: Path | None) -> BotHost:
    """Where bots of this program run."""
    if program.host == "sandbox":
        # the sandbox itself bounds the memory; bubblewrap does not tell how much a process took, so nobody asks
        unmeasured = msgspec.structs.replace(limits, memory_mb=None)
        return Process(lambda: _locked_in(program, limits.memory_mb), unmeasured, log)
    launch = Launch(_words(program), None, os.getcwd() if program.use else str(program.folder))
    return Process(lambda: launch, limits, log, _told(program) if program.use else None)


def check(program: Program) -> tuple[str, ...] | None:
    """The games that the bot plays, None for every game; a `TourneyError` where there is no such bot."""
    if program.host == "sandbox":
        host.way()
    if program.use:
        return _examined(program)
    _executable(program)
    return None


def _told(program: Program) -> dict[str, Any]:
    """What `serve.load` is told."""
    return {
        "use": program.use,
        "folder": str(program.folder),
        "options": program.options,
        "games": program.games,
        "path": [*_own_path(program), *sys.path],
        "where": f"bot {program.name}: options",
    }


def _own_path(program: Program) -> list[str]:
    """Where a bot's process looks for modules first: the folder that the modules of the bot's file are imported from.

    Two versions of one bot, in two folders, each find their own modules there.
    """
    file, _, _ = program.use.rpartition(":")
    if not file:
        return []
    folder = (program.folder / file).resolve().parent
    while (folder / "__init__.py").exists():
        folder = folder.parent
    return [str(folder)]


def _words(program: Program, *more: str) -> list[str]:
    """The command that starts a bot, where nothing is locked in."""
    if not program.use:
        return [_executable(program), *program.command[1:]]
    main = "from tourney.hosts.bot_server import main; main()"
    return [sys.executable, "-P", "-c", main, orjson.dumps(_told(program)).decode(), *more]


def _locked_in(program: Program, memory_mb: int | None, *more: str) -> Launch:
    """How a bot is started in the sandbox, where it sees what it is made of, and no other folder of the user's."""
    if program.use:
        told = orjson.dumps(_told(program)).decode()
        command = host.python_command("tourney.hosts.bot_server", sys.path, [told, *more])
        packages = [Path(path) for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
        reads = [*packages, *[game_source(game) for game in program.games], *program.sources]
    else:
        command = [_executable(program), *[_whole(word, program.folder) for word in program.command[1:]]]
        reads = [Path(command[0]), *program.sources]
    bounds = host.Limits(memory_mb, PYTHON_RESERVES_MB) if program.use else host.Limits(memory_mb)
    launch = host.locked_in(command, reads, program.hides, bounds)
    return Launch(launch.argv, launch.env, "/", launch.clear)


def _whole(word: str, folder: Path) -> str:
    """The word of a command as a full path, where it is a file: the sandbox starts in another folder."""
    return os.path.abspath(folder / word) if word and (folder / word).is_file() else word


def _executable(program: Program) -> str:
    """The file that a command starts: a path relative to the folder, or a name that is looked up in PATH."""
    word = program.command[0]
    if "/" not in word:
        locked_in = shutil.which(word, path=host.PATH) if program.host == "sandbox" else None
        found = locked_in or shutil.which(word)
        if found is None:
            raise ConfigError(f'bot {program.name}: command: no program "{word}" in PATH; install it, or give its path')
        return found
    path = program.folder / word
    if not path.is_file():
        raise ConfigError(f"bot {program.name}: command: there is no file {path}; paths are relative to this file")
    if not os.access(path, os.X_OK):
        raise ConfigError(f"bot {program.name}: command: {path} is not executable; chmod +x makes it so")
    return os.path.abspath(path)


def _examined(program: Program) -> tuple[str, ...] | None:
    """The games that a Python bot plays, found by loading it in a process of its own."""
    broken = ConfigError(f"bot {program.name}: {program.use} cannot be loaded; try it with Python alone")
    if program.host == "sandbox":
        launch = _locked_in(program, None, "examine")
    else:
        launch = Launch(_words(program, "examine"), None, os.getcwd())
    try:
        found = orjson.loads(_output(launch))
    except (subprocess.TimeoutExpired, orjson.JSONDecodeError):
        raise broken from None
    finally:
        launch.clear()
    match found:
        case {"error": str(told)}:
            raise ConfigError(re.sub(r"[^\x20-\x7e]", "?", told)[:500])
        case {"games": None}:
            return None
        case {"games": list(games)} if all([isinstance(game, str) for game in games]):
            return tuple(games)
    raise broken


def _output(launch: Launch) -> bytes:
    """What a command prints; started again where somebody has killed it."""
    for _ in range(ATTEMPTS):
        result = subprocess.run(  # noqa: S603 - the command of a bot, which is what the user asks for
            launch.argv,
            env=launch.env,
            cwd=launch.cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LOAD_S,
            check=False,
            start_new_session=True,
        )
        if result.returncode not in (-signal.SIGKILL, BY_SIGNAL + signal.SIGKILL):
            break
    return result.stdout
