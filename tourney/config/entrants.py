"""The entrants of a tournament: the hosts that run their bots, and the code that the bots are made of."""

from collections.abc import Mapping, Sequence
from errno import ENAMETOOLONG
from pathlib import Path
from typing import Any

import msgspec

from tourney.base.errors import ConfigError, TourneyError
from tourney.config.tournament import Entrant, Tournament
from tourney.hosts import base
from tourney.hosts.base import BotHost, BotSpec
from tourney.hosts.faults import Tracebacks
from tourney.plugins import fingerprints, registry
from tourney.plugins.bot_classes import PickledBot


def examine_bots(tournament: Tournament, path: Path) -> None:
    """Has each entrant's host examine the bot, to see that it is there and plays the games."""
    try:
        _examine(tournament)
    except TourneyError as error:
        raise ConfigError(f"{path}: {error}") from None
    except OSError as error:
        if error.errno != ENAMETOOLONG:
            raise
        raise ConfigError(f"{path}: bots: {error.filename}: {error.strerror}; take a shorter one") from None


def with_classes(tournament: Tournament, classes: Mapping[str, PickledBot]) -> Tournament:
    """Returns the tournament with the classes of those bots that are sent to the workers."""
    entrants = [msgspec.structs.replace(each, pickled=classes.get(each.name)) for each in tournament.entrants]
    for entrant in entrants:
        if entrant.pickled is not None and not entrant.in_worker:
            raise ConfigError(
                f'bot {entrant.name}: a class that is sent along cannot run in host = "{entrant.host}"; leave the host '
                "out, or write the class into a file, and enter it as FILE.py:NAME"
            )
    return msgspec.structs.replace(tournament, entrants=tuple(entrants))


def _examine(tournament: Tournament) -> None:
    for game in tournament.games:
        registry.load_policy(game)  # a faulty one is reported before a bot asks for it in a match
    for spec in _specs(tournament.entrants, Path(tournament.folder), tournament.games):
        games = base.examine(spec)
        for setup in tournament.setups:
            if games is not None and setup.game not in games:
                raise ConfigError(
                    f"bots: {spec.name} does not play {setup.game} (it plays {', '.join(games)}); "
                    "leave out the one or the other"
                )


def absent_bots(tournament: Tournament) -> list[str]:
    """Returns why bots of the tournament cannot run on this machine, a line for each; none if all can.

    No code of bots runs in this process, so those whose code runs in the worker are left out: loading them there tells.
    """
    found: dict[Any, str] = {}
    for entrant in tournament.entrants:
        try:
            if not entrant.in_worker:
                key = entrant.host, entrant.use, entrant.command, entrant.reads
                if key not in found:
                    base.examine(*_specs([entrant], Path(tournament.folder), tournament.games))
                    found[key] = ""
        except TourneyError as error:
            found[entrant.name] = str(error)
    return [line for line in found.values() if line]


def games_played(entrant: Entrant, folder: Path) -> tuple[str, ...] | None:
    """Returns the names of the games that a bot plays; None means every game."""
    return base.examine(*_specs([entrant], folder, ()))


def create_hosts(
    tournament: Tournament, logs: Path | None = None, tracebacks: Tracebacks | None = None
) -> dict[str, BotHost]:
    """Returns a host for each entrant, by the entrant's name."""
    run = None if logs is None else logs.parent
    specs = _specs(tournament.entrants, Path(tournament.folder), tournament.games, run)
    hosts = {
        spec.name: base.create_host(spec, entrant.limits, None if logs is None else log_file(logs, spec.name))
        for spec, entrant in zip(specs, tournament.entrants, strict=True)
    }
    for host in hosts.values():
        host.tracebacks = tracebacks
    return hosts


def log_file(logs: Path, name: str) -> Path:
    """Returns the file in the folder of logs for what the bots of the entrant of that name write to stderr."""
    return logs / f"{name}.txt"


def _specs(entrants: Sequence[Entrant], folder: Path, games: tuple[str, ...], run: Path | None = None) -> list[BotSpec]:
    """Returns what hosts need to know of entrants, which are hidden from each other."""
    sources = [_sources(entrant, folder) for entrant in entrants]
    all_sources = tuple(dict.fromkeys([path for each in sources for path in each]))
    return [
        BotSpec(
            name=entrant.name,
            host=entrant.host,
            use=entrant.use,
            options=entrant.options,
            command=entrant.command,
            folder=folder,
            games=games,
            sources=own,
            all_sources=all_sources,
            run=run,
            host_options=entrant.host_options,
            keep=entrant.keep,
            pickled=entrant.pickled,
        )
        for entrant, own in zip(entrants, sources, strict=True)
    ]


def _sources(entrant: Entrant, folder: Path) -> tuple[Path, ...]:
    """Returns the files and folders that an entrant's bot is made of, those that it names in `reads` included."""
    reads = [folder / name for name in entrant.reads]
    for path in reads:
        if not _is_there(path):
            raise ConfigError(f"bot {entrant.name}: reads: there is no {path}; paths are relative to this file")
    if not entrant.use:
        words = [
            folder / word for word in entrant.command if word and _is_there(folder / word) and (folder / word).is_file()
        ]
        return (*words, *reads)
    unit = None if entrant.pickled else registry.bot_unit(entrant.use, folder)
    return tuple(reads) if unit is None else (unit, *reads)


def _is_there(path: Path) -> bool:
    """Tells whether a path leads to something; other than by `Path.exists`, one that is too long leads to nothing."""
    try:
        return path.exists()
    except OSError:
        return False


def all_fingerprints(entrants: Sequence[Entrant], folder: Path) -> dict[str, fingerprints.Fingerprint]:
    """Returns the fingerprint of each entrant's bot by the entrant's name: of a program, that of its files."""
    by_bot: dict[Any, fingerprints.Fingerprint] = {}
    found = {}
    for entrant in entrants:
        key = entrant.use, entrant.command, entrant.reads, entrant.pickled
        if key not in by_bot:
            by_bot[key] = _fingerprint(entrant, folder)
        found[entrant.name] = by_bot[key]
    return found


def _fingerprint(entrant: Entrant, folder: Path) -> fingerprints.Fingerprint:
    """Returns the fingerprint of an entrant's bot: of a program, that of the files in its command and in `reads`."""
    if entrant.pickled is not None:
        return fingerprints.Fingerprint("", entrant.pickled.sha256)
    if not entrant.use:
        return fingerprints.fingerprint(_sources(entrant, folder))
    return registry.bot_fingerprint(entrant.use, folder)
