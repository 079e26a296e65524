"""Hosts and matches for tests of the hosts."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import msgspec

from tests.conftest import BAD
from tests.helpers import bot
from tourney.contracts.match import GameSetup, Match, Record
from tourney.hosts.base import BotHost, BotSpec, create_host
from tourney.hosts.clocks import Timekeeper
from tourney.hosts.limits import Limits
from tourney.plugins.registry import load_game
from tourney.table.table import play

PATIENT_MS = 3000
"""Longer than any decision takes, however busy the machine is: for bots that decide some times before they hang."""
WIRE = BAD.with_name("wire.py")
ROOT = BAD.parent.parent.parent
SHORT = {"target": 6}


def spec_of(name: str, use: str = "", host: str = "process", command: tuple[str, ...] = (), **keys: Any) -> BotSpec:
    """The bots of that name in a host; the folder is that of the bad bots, and the game vole, unless `keys` say so."""
    return BotSpec(name, use, {}, command, host, **{"folder": BAD.parent, "games": ("vole",), **keys})


@contextmanager
def process(name: str, log: Path | None = None, **limits: Any) -> Iterator[BotHost]:
    """The process host of a bad bot, or of a plugin's."""
    use = f"{BAD.name}:{name}" if name[0].isupper() else name
    with opened(spec_of(name, use), log, **limits) as found:
        yield found


@contextmanager
def program(*command: str | Path, log: Path | None = None, keep: bool = False, **limits: Any) -> Iterator[BotHost]:
    words = tuple(map(str, command))
    with opened(spec_of("program", command=words, keep=keep), log, **limits) as found:
        yield found


@contextmanager
def bad_wire(way: str, **keys: Any) -> Iterator[BotHost]:
    with program(sys.executable, WIRE, way, **keys) as found:
        yield found


@contextmanager
def written(
    text: str, folder: Path, name: str = "Bot", host: str = "process", log: Path | None = None, keep: bool = False,
    options: dict[str, Any] | None = None, **limits: Any,
) -> Iterator[BotHost]:  # fmt: skip
    """The host of the bot of this name in a module with that text; `options` are the host's."""
    file = folder / "own.py"
    file.write_text(text, encoding="utf-8")
    spec = spec_of("own", f"own.py:{name}", host, folder=folder, sources=(file,), host_options=options or {}, keep=keep)
    with opened(spec, log, **limits) as found:
        yield found


@contextmanager
def opened(spec: BotSpec, log: Path | None, **limits: Any) -> Iterator[BotHost]:
    """The host of these bots, closed in the end."""
    found = create_host(msgspec.structs.replace(spec, limits=Limits(**limits)), log)
    try:
        yield found
    finally:
        found.close()


def match_with(
    *factories: Any, options: dict | None = None, game: str = "vole", seed: int = 5, keeper: Timekeeper | None = None
) -> Record:
    names = tuple([f"bot-{seat}" for seat in range(len(factories))])
    setup = GameSetup(game, len(factories), SHORT if options is None else options)
    return play(Match(f"{game}-00000-0", setup, 0, seed, names), load_game(game), factories, keeper=keeper)


def charged(opening: AbstractContextManager[BotHost]) -> tuple[str, str]:
    """The kind and the detail of the one fault of a bot in the second seat, against a good one."""
    with opening as host:
        (fault,) = against_good(host).faults
    assert fault.seat == 1
    return fault.kind, fault.detail


def against_good(factory: Any, keeper: Timekeeper | None = None) -> Record:
    """The record of a match with a good bot in seat 0 and one from this factory in seat 1."""
    return match_with(bot("Good"), factory, keeper=keeper)
