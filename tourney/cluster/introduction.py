"""What a machine shows of itself before it plays in a cluster, and what keeps it from playing.

Every machine has to play by the same code. Fingerprints are over source files, so they depend neither on the version of
Python nor on whether tourney is compiled there.
"""

import os
import platform
import shutil
import time
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import msgspec

from tourney import config, plugins
from tourney.config import Tournament
from tourney.errors import TourneyError
from tourney.fingerprints import Fingerprint
from tourney.hosts import linux

MOST_APART = 1.10
"""How many times as quick as another a machine may be where time is limited."""
STEPS = 1000
"""How many steps are timed together to measure the speed: so few that often nothing disturbs them."""
TURNS = 10
"""How often they are timed for a while, with a rest before the next time."""
TURN_S = 0.03
"""How long such a turn takes, and such a rest, in seconds."""


class _Introduction(msgspec.Struct, frozen=True):
    """What a machine shows; every field has a default, so that one of another version can be read."""

    host: str = "a machine without a name"
    """The name of the machine."""
    machine: str = ""
    """What tells machines apart, whatever they are called."""
    python: str = ""
    """The version of Python."""
    build: str = ""
    """Whether tourney is compiled."""
    tourney: Fingerprint = Fingerprint("", "")
    games: dict[str, Fingerprint] = {}
    bots: dict[str, Fingerprint] = {}
    """By the name of the entrant."""
    absent: list[str] = []
    """What the tournament needs and this machine does not have, a line for each."""
    speed: float | None = None
    """In steps a second; None where no time is limited, or limits are scaled by it."""


def introduction(tournament: Tournament) -> bytes:
    """Returns what this machine shows before it plays a tournament; see `differences`.

    No code of a game or a bot runs in this process for that. Where the tournament limits time, it takes a moment to
    measure the speed of the machine.
    """
    absent = [*config.absent_bots(tournament), *_absent_interpreters(tournament)]
    games: dict[str, Fingerprint] = {}
    bots: dict[str, Fingerprint] = {}
    for name in tournament.games:
        try:
            games[name] = plugins.game_fingerprint(name)
        except TourneyError as error:
            absent.append(str(error))
    for entrant in tournament.entrants:
        try:
            bots |= config.all_fingerprints([entrant], Path(tournament.folder))
        except TourneyError as error:
            absent.append(str(error))
    measured = tournament.bounds_time and not tournament.scale_clocks
    return msgspec.msgpack.encode(
        _Introduction(
            host=platform.node() or _Introduction().host,
            machine=machine(),
            python=f"{platform.python_implementation()} {platform.python_version()}",
            build=plugins.own_build(),
            tourney=plugins.own_fingerprint(),
            games=games,
            bots=bots,
            absent=list(dict.fromkeys(absent)),
            speed=speed() if measured else None,
        )
    )


def differences(own: bytes, other: bytes) -> tuple[list[str], list[str]]:
    """Returns why another machine cannot play along, and what is to be said of one that can, a line for each.

    Args:
        own: The introduction of the machine that the run was started on.
        other: That of the other machine.
    """
    try:
        ours, theirs = [msgspec.msgpack.decode(each, type=_Introduction) for each in (own, other)]
    except (msgspec.DecodeError, UnicodeDecodeError):
        return ["a worker introduces itself in a way that is not known here; install the same tourney on it"], []
    refusals = [*_other_code(ours, theirs), *theirs.absent, *_other_speed(ours, theirs)]
    remarks = []
    if theirs.python != ours.python:
        remarks.append(f"plays with {theirs.python}, and this machine has {ours.python}; the records are the same")
    if theirs.build != ours.build:
        remarks.append(f"plays with tourney {theirs.build}, and here it is {ours.build}; the records are the same")
    return [f"{theirs.host}: {line}" for line in refusals], [f"{theirs.host}: {line}" for line in remarks]


def other_tourney(ours: Fingerprint, theirs: Fingerprint) -> str | None:
    """Returns what is said of a machine with another tourney than this one's; None if it has the same.

    Args:
        ours: The fingerprint of tourney on the machine that the run was started on.
        theirs: That on the other machine.
    """
    if ours.version != theirs.version:
        return _other_version(ours, theirs, "tourney")
    if ours.sha256 != theirs.sha256:
        return f"the source of {theirs.version} is another one there than here; install the same on it"
    return None


def _other_code(ours: _Introduction, theirs: _Introduction) -> list[str]:
    """Returns a line for each distribution of another version, and for each distribution or bot of another source."""
    found: dict[tuple[str, ...], str] = {}
    if ours.tourney.version != theirs.tourney.version:
        found[ours.tourney.version, theirs.tourney.version] = _other_version(ours.tourney, theirs.tourney, "tourney")
    for kind, own, other in (("game", ours.games, theirs.games), ("bot", ours.bots, theirs.bots)):
        for name, (mine, its) in _both(own, other).items():
            if mine.version != its.version:
                found.setdefault((mine.version, its.version), _other_version(mine, its, f'{kind} "{name}"'))
            elif mine.sha256 != its.sha256:
                what = its.version or f'{kind} "{name}"'
                found[(what,)] = f"the source of {what} is another one there than here; install the same on it"
    if not found and (line := other_tourney(ours.tourney, theirs.tourney)):
        return [line]
    return list(found.values())


def _both(
    own: Mapping[str, Fingerprint], other: Mapping[str, Fingerprint]
) -> dict[str, tuple[Fingerprint, Fingerprint]]:
    """Returns what both machines have, by name; what one lacks is said elsewhere."""
    return {name: (mine, other[name]) for name, mine in own.items() if name in other}


def _other_version(ours: Fingerprint, theirs: Fingerprint, what: str) -> str:
    """Returns the line about another version of a distribution, which `what` is from."""
    there, here = [found.version or "no distribution" for found in (theirs, ours)]
    return f"{what} is from {there} there, and from {here} here; install the same version on it"


def _other_speed(ours: _Introduction, theirs: _Introduction) -> Iterator[str]:
    """Yields a line about a machine that is much quicker or slower, where bots have limits of time."""
    if ours.speed is None or theirs.speed is None or ours.machine == theirs.machine:
        return
    times = theirs.speed / ours.speed
    if not 1 / MOST_APART <= times <= MOST_APART:
        yield (
            f"it computes {times:.2f} times as fast as this machine, and bots have limits of time; take machines that "
            "are within 10 % of each other, or set scale_clocks = true under [limits]"
        )


def _absent_interpreters(tournament: Tournament) -> Iterator[str]:
    """Yields a line for each script among the programs whose first line names a program that is not there."""
    for entrant in tournament.entrants:
        file = Path(tournament.folder, entrant.command[0]) if entrant.command else None
        if file is None or not file.is_file():
            continue
        with file.open("rb") as opened:
            first = opened.readline(4096)
        words = os.fsdecode(first[2:]).split() if first.startswith(b"#!") else []
        if len(words) > 1 and Path(words[0]).name == "env":
            words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        if words and shutil.which(words[0]) is None:
            yield f'bot {entrant.name}: command: {entrant.command[0]} needs "{words[0]}", which is missing; install it'


def machine() -> str:
    """Returns what tells this machine from others: the id of its start, or its name where the system has none."""
    return linux.boot_id() or platform.node()


@cache
def speed() -> float:
    """Measures how many simple steps Python makes in a second on this machine; the best of many short measurements.

    It is by processor time, so that what else runs on the machine hardly matters.
    """
    best = float("inf")
    for _ in range(TURNS):
        time.sleep(TURN_S)
        until = time.thread_time() + TURN_S
        while (begun := time.thread_time()) < until:
            _steps()
            best = min(best, time.thread_time() - begun)
    return STEPS / best


def _steps() -> int:
    """Does some of what games and bots do: arithmetic, lists, and dicts."""
    hand = list(range(13))
    seen: dict[int, int] = {}
    x = 1
    for _ in range(STEPS):
        x = (x * 1103515245 + 12345) & 0x7FFFFFFF
        i = x % 13
        hand[i], hand[0] = hand[0], hand[i]
        seen[x & 63] = seen.get(x & 63, 0) + hand[x % 7]
        x += sum([card for card in hand if card & 1])
    return x
