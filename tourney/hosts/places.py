"""The place that each entrant's bots get, by the host that its configuration names."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import orjson

from tourney.catalog import BotPlugin, load_bot
from tourney.errors import ConfigError
from tourney.hosts.contract import Limits, Place
from tourney.hosts.inline import Timed
from tourney.hosts.process import LOAD_S, Launch, Process

HostName: TypeAlias = Literal["inline", "process"]


class Program(NamedTuple):
    """What an entrant's bots are: a Python bot by `use` and `options`, or a program by its `command`."""

    name: str
    host: HostName
    use: str
    """Empty for a program."""
    options: dict[str, Any]
    command: tuple[str, ...]
    folder: Path
    """What paths are relative to; a program runs there."""
    games: tuple[str, ...]
    """The games that are going to be played."""


def place(program: Program, limits: Limits, log: Path | None) -> Place | Callable[[], Any]:
    """Where bots of this program run. A `TourneyError` where the worker itself has to load a bot, and cannot."""
    if program.host == "inline":
        make = _plugin(program).maker(program.options, f"bot {program.name}: options")
        return make if limits.move_ms is None and limits.start_ms is None else Timed(make, limits)
    python = _told(program) if program.use else None
    launch = _launch(program)
    return Process(lambda: launch, limits, log, python, limits.memory_mb)


def check(program: Program) -> tuple[str, ...] | None:
    """The games that the bot plays, None for every game; a `TourneyError` where there is no such bot.

    A bot that is not to run in the worker is not loaded in this process either.
    """
    if program.host == "inline":
        plugin = _plugin(program)
        plugin.maker(program.options, f"bot {program.name}: options")
        return plugin.games
    if program.use:
        return _examined(program)
    _executable(program)
    return None


def _plugin(program: Program) -> BotPlugin:
    return load_bot(program.use, program.folder)


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


def _launch(program: Program) -> Launch:
    if not program.use:
        return Launch([_executable(program), *program.command[1:]], None, str(program.folder))
    main = "from tourney.hosts.serve import main; main()"
    told = orjson.dumps(_told(program)).decode()
    return Launch([sys.executable, "-P", "-c", main, told], None, os.getcwd())


def _executable(program: Program) -> str:
    """The file that a command starts: a path relative to the folder, or a name that is looked up in PATH."""
    word = program.command[0]
    if "/" not in word:
        found = shutil.which(word)
        if found is None:
            raise ConfigError(f'bot {program.name}: command: no program "{word}" in PATH; install it, or give its path')
        return found
    path = program.folder / word
    if not path.is_file():
        raise ConfigError(f"bot {program.name}: command: there is no file {path}; paths are relative to this file")
    if not os.access(path, os.X_OK):
        raise ConfigError(f"bot {program.name}: command: {path} is not executable; chmod +x makes it so")
    return str(path)


def _examined(program: Program) -> tuple[str, ...] | None:
    """The games that a Python bot plays, found by loading it in a process of its own."""
    launch = _launch(program)
    broken = ConfigError(f"bot {program.name}: {program.use} cannot be loaded; try it with Python alone")
    try:
        result = subprocess.run(  # noqa: S603 - the command of a bot, which is what the user asks for
            [*launch.argv, "examine"],
            env=launch.env,
            cwd=launch.cwd,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            timeout=LOAD_S,
            check=False,
            start_new_session=True,
        )
        found = orjson.loads(result.stdout)
    except (subprocess.TimeoutExpired, orjson.JSONDecodeError):
        raise broken from None
    match found:
        case {"error": str(told)}:
            raise ConfigError(re.sub(r"[^\x20-\x7e]", "?", told)[:500])
        case {"games": None}:
            return None
        case {"games": list(games)} if all([isinstance(game, str) for game in games]):
            return tuple(games)
    raise broken
