"""What a machine has to play a tournament with, compared with the machine that the run was started on.

Every machine has to play by the same code. Fingerprints are over source files, so they depend neither on the version of
Python nor on whether tourney is compiled there.
"""

import platform
from pathlib import Path

import msgspec

from tourney import config
from tourney.base.errors import TourneyError
from tourney.config import Tournament
from tourney.plugins import registry
from tourney.plugins.fingerprints import Fingerprint


class MachineFacts(msgspec.Struct, frozen=True):
    """What a machine has."""

    host: str
    """The name of the machine."""
    tourney: Fingerprint
    code: dict[str, Fingerprint]
    """The games and bots of the tournament, such as `bot "steady"`."""
    missing: list[str]
    """What the tournament needs and this machine does not have, a line for each."""


def machine_facts(tournament: Tournament) -> MachineFacts:
    """Returns what this machine has to play a tournament with. No code of a bot runs in this process for that."""
    missing = config.absent_bots(tournament)
    code: dict[str, Fingerprint] = {}
    for name in tournament.games:
        try:
            code[f'game "{name}"'] = registry.game_fingerprint(name)
        except TourneyError as error:
            missing.append(str(error))
    for entrant in tournament.entrants:
        try:
            for name, found in config.all_fingerprints([entrant], Path(tournament.folder)).items():
                code[f'bot "{name}"'] = found
        except TourneyError as error:
            missing.append(str(error))
    host = platform.node() or "a machine without a name"
    return MachineFacts(host, registry.own_fingerprint(), code, list(dict.fromkeys(missing)))


def differences(own: MachineFacts, other: MachineFacts) -> list[str]:
    """Returns why another machine cannot play, a line for each reason; `own` are those of the run's machine."""
    lines = [difference(name, mine, other.code[name]) for name, mine in own.code.items() if name in other.code]
    tourney = difference("tourney", own.tourney, other.tourney)
    if own.tourney.version != other.tourney.version or not any(lines):
        lines = [tourney]
    return [f"{other.host}: {line}" for line in (*lines, *other.missing) if line]


def difference(what: str, ours: Fingerprint, theirs: Fingerprint) -> str | None:
    """Returns how what another machine has differs from what this one has; None if it is the same."""
    if ours.version != theirs.version:
        there, here = [found.version or "no distribution" for found in (theirs, ours)]
        return f"{what} is from {there} there, and from {here} here; install the same version there"
    if ours.sha256 != theirs.sha256:
        of = f" of {theirs.version}" if theirs.version else ""
        return f"the source of {what}{of} differs there from here; install the same there"
    return None
