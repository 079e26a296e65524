"""The entrants of a tournament: the hosts that run their bots, and the code that the bots are made of."""

from collections.abc import Mapping, Sequence
from errno import ENAMETOOLONG
from pathlib import Path
from typing import Any

import msgspec

from tourney import fingerprints, plugins
from tourney.bot_classes import PickledBot
from tourney.config.tournament import Entrant, Tournament
from tourney.errors import ConfigError, TourneyError
from tourney.hosts import factory
from tourney.hosts.base import BotHost, BotSpec
from tourney.hosts.tracebacks import Tracebacks


def examine_bots(tournament: Tournament, path: Path) -> None:
    """Has each entrant's host examine the bot, to see that it is there and plays the games.

    Args:
        tournament: The tournament.
        path: The path of its file, for error messages.

    Raises:
        ConfigError: A bot is not there, cannot be loaded, or does not play a game of the tournament.
    """
    try:
        _examine(tournament)
    except TourneyError as error:
        raise ConfigError(f"{path}: {error}") from None
    except OSError as error:
        if error.errno != ENAMETOOLONG:
            raise
        raise ConfigError(f"{path}: bots: {error.filename}: {error.strerror}; take a shorter one") from None


def with_classes(tournament: Tournament, classes: Mapping[str, PickledBot]) -> Tournament:
    """Returns the tournament with the classes of those bots that are sent to the workers.

    Args:
        tournament: The tournament.
        classes: The classes, by the name of the entrant.

    Raises:
        ConfigError: A bot with a class is to run in a host that is no place for it.
    """
    entrants = [msgspec.structs.replace(each, pickled=classes.get(each.name)) for each in tournament.entrants]
    for entrant in entrants:
        if entrant.pickled is not None and not entrant.in_worker:
            raise ConfigError(
                f'bot {entrant.name}: a class that is sent along cannot run in host = "{entrant.host}"; leave the host '
                "out, or write the class into a file, and enter it as FILE.py:NAME"
            )
    return msgspec.structs.replace(tournament, entrants=tuple(entrants))


def _examine(tournament: Tournament) -> None:
    found = _Sources(tournament.entrants, Path(tournament.folder))
    for entrant in tournament.entrants:
        games = factory.examine(_spec(entrant, found, tournament.games))
        for setup in tournament.setups:
            if games is not None and setup.game not in games:
                raise ConfigError(
                    f"bots: {entrant.name} does not play {setup.game} (it plays {', '.join(games)}); "
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
                    sources = _Sources((entrant,), Path(tournament.folder))
                    factory.examine(_spec(entrant, sources, tournament.games))
                    found[key] = ""
        except TourneyError as error:
            found[entrant.name] = str(error)
    return [line for line in found.values() if line]


def games_played(entrant: Entrant, folder: Path) -> tuple[str, ...] | None:
    """Returns the names of the games that a bot plays; None means every game.

    Raises:
        TourneyError: There is no such bot, or it cannot be loaded.
    """
    return factory.examine(_spec(entrant, _Sources((entrant,), folder), ()))


def create_hosts(
    tournament: Tournament, logs: Path | None = None, tracebacks: Tracebacks | None = None
) -> dict[str, BotHost]:
    """Returns a host for each entrant, by the entrant's name.

    Args:
        tournament: The tournament.
        logs: The folder in the run's folder that gets a file for each entrant whose bots run in other processes, with
            what they write to stderr; None leaves them the stderr of this process.
        tracebacks: What collects the tracebacks of what the bots raise, if anybody does.

    Raises:
        TourneyError: A bot is not there, or cannot run in its host.
    """
    found = _Sources(tournament.entrants, Path(tournament.folder))
    run = None if logs is None else logs.parent
    hosts = {
        entrant.name: factory.create_host(
            _spec(entrant, found, tournament.games, run),
            entrant.limits,
            None if logs is None else log_file(logs, entrant.name),
        )
        for entrant in tournament.entrants
    }
    for host in hosts.values():
        host.tracebacks = tracebacks
    return hosts


def log_file(logs: Path, name: str) -> Path:
    """Returns the file in the folder of logs for what the bots of the entrant of that name write to stderr."""
    return logs / f"{name}.txt"


class _Sources:
    """The files and folders that the bots of some entrants are made of; those of equal bots are looked up once."""

    def __init__(self, entrants: Sequence[Entrant], folder: Path) -> None:
        self.folder = folder
        self._by_bot: dict[Any, tuple[Path, ...]] = {}
        self.all = tuple(dict.fromkeys([path for entrant in entrants for path in self.of(entrant)]))

    def of(self, entrant: Entrant) -> tuple[Path, ...]:
        key = entrant.use, entrant.command, entrant.reads, entrant.pickled
        if key not in self._by_bot:
            self._by_bot[key] = _sources(entrant, self.folder)
        return self._by_bot[key]


def _spec(entrant: Entrant, found: _Sources, games: tuple[str, ...], run: Path | None = None) -> BotSpec:
    """Returns what a host needs to know of an entrant."""
    return BotSpec(
        name=entrant.name,
        host=entrant.host,
        use=entrant.use,
        options=entrant.options,
        command=entrant.command,
        folder=found.folder,
        games=games,
        sources=found.of(entrant),
        all_sources=found.all,
        run=run,
        host_options=entrant.host_options,
        keep=entrant.keep,
        pickled=entrant.pickled,
    )


def _sources(entrant: Entrant, folder: Path) -> tuple[Path, ...]:
    """Returns the files and folders that an entrant's bot may read: its own, and those that it names in `reads`."""
    reads = [folder / name for name in entrant.reads]
    for path in reads:
        if not _is_there(path):
            raise ConfigError(f"bot {entrant.name}: reads: there is no {path}; paths are relative to this file")
    if not entrant.use:
        words = [
            folder / word for word in entrant.command if word and _is_there(folder / word) and (folder / word).is_file()
        ]
        return (*words, *reads)
    return tuple(reads) if entrant.pickled else (*plugins.bot_sources(entrant.use, folder), *reads)


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
        return fingerprints.paths_fingerprint(_sources(entrant, folder))
    return plugins.bot_fingerprint(entrant.use, folder)
