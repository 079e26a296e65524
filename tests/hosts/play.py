"""Hosts and matches for tests of the hosts."""

import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from tests.helpers import BAD, bot
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


@contextmanager
def process(name: str, log: Path | None = None, **limits: Any) -> Iterator[BotHost]:
    """The process host of a bad bot, or of a plugin's."""
    use = f"{BAD.name}:{name}" if name[0].isupper() else name
    with opened(BotSpec(name, "process", use, {}, (), BAD.parent, ("vole",)), log, **limits) as found:
        yield found


@contextmanager
def program(*command: str | Path, log: Path | None = None, keep: bool = False, **limits: Any) -> Iterator[BotHost]:
    words = tuple(map(str, command))
    with opened(BotSpec("program", "process", "", {}, words, BAD.parent, ("vole",), keep=keep), log, **limits) as found:
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
    spec = BotSpec("own", host, f"own.py:{name}", {}, (), folder, ("vole",), (file,), (), None, options or {}, keep)
    with opened(spec, log, **limits) as found:
        yield found


@contextmanager
def opened(spec: BotSpec, log: Path | None, **limits: Any) -> Iterator[BotHost]:
    """The host of these bots, closed in the end."""
    found = create_host(spec, Limits(**limits), log)
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
