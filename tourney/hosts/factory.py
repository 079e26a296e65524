"""The place that each entrant's bots get, by the host that its configuration names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from tourney.hosts.base import BotHost, Limits
from tourney.hosts.inline import Timed
from tourney.plugins import BotPlugin, load_bot

HostName: TypeAlias = Literal["inline", "process", "sandbox"]


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
    sources: tuple[Path, ...] = ()
    """What its bots are made of."""
    hides: tuple[Path, ...] = ()
    """What must not be seen from the sandbox, wherever it lies: other bots, the run."""


def place(program: Program, limits: Limits, log: Path | None) -> BotHost | Callable[[], Any]:
    """Where bots of this program run. A `TourneyError` where the worker itself has to load a bot, and cannot."""
    if program.host == "inline":
        make = _plugin(program).maker(program.options, f"bot {program.name}: options")
        return make if limits.move_ms is None and limits.start_ms is None else Timed(make, limits)
    from tourney.hosts import external  # noqa: PLC0415 - only runs with such bots need it

    return external.place(program, limits, log)


def check(program: Program) -> tuple[str, ...] | None:
    """The games that the bot plays, None for every game; a `TourneyError` where there is no such bot.

    A bot that is not to run in the worker is not loaded in this process either.
    """
    if program.host == "inline":
        plugin = _plugin(program)
        plugin.maker(program.options, f"bot {program.name}: options")
        return plugin.games
    from tourney.hosts import external  # noqa: PLC0415 - only runs with such bots need it

    return external.check(program)


def _plugin(program: Program) -> BotPlugin:
    return load_bot(program.use, program.folder)
