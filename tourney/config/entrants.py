"""What the entrants of a tournament are: the code of their bots, and what makes these."""

from collections.abc import Sequence
from pathlib import Path

from tourney import fingerprints, plugins
from tourney.config.tournament import Entrant, Tournament
from tourney.errors import ConfigError, TourneyError
from tourney.hosts import factory
from tourney.hosts.base import BotSpec
from tourney.table import BotFactory


def check_bots(tournament: Tournament, path: Path) -> None:
    """Loads every bot once, to see that it is there and plays the games; `path` is for messages."""
    try:
        _check_bots(tournament)
    except TourneyError as error:
        raise ConfigError(f"{path}: {error}") from None


def _check_bots(tournament: Tournament) -> None:
    everything = _everything(tournament)
    for entrant in tournament.entrants:
        games = factory.examine(_program(entrant, Path(tournament.folder), tournament.games, everything))
        for setup in tournament.setups:
            if games is not None and setup.game not in games:
                raise ConfigError(
                    f"bots: {entrant.name} does not play {setup.game} (it plays {', '.join(games)}); "
                    "leave out the one or the other"
                )


def games_played(entrant: Entrant, folder: Path) -> tuple[str, ...] | None:
    """The games that a bot plays; None for every game. A `TourneyError` where there is no such bot."""
    return factory.examine(_program(entrant, folder, (), ()))


def makers(tournament: Tournament, logs: Path | None = None) -> dict[str, BotFactory]:
    """What gives each entrant's bots, by the entrant's name.

    What bots in processes of their own write to stderr goes to a file for each in `logs`, a folder in the run's.
    """
    folder, games, everything = Path(tournament.folder), tournament.games, _everything(tournament)
    return {
        entrant.name: factory.create_host(
            _program(entrant, folder, games, everything, None if logs is None else logs.parent),
            entrant.limits,
            None if logs is None else logs / f"{entrant.name}.txt",
        )
        for entrant in tournament.entrants
    }


def _everything(tournament: Tournament) -> Sequence[Path]:
    """What the bots of all entrants are made of."""
    folder = Path(tournament.folder)
    return list(dict.fromkeys([path for entrant in tournament.entrants for path in _sources(entrant, folder)]))


def _program(
    entrant: Entrant, folder: Path, games: tuple[str, ...], everything: Sequence[Path], run: Path | None = None
) -> BotSpec:
    own = _sources(entrant, folder)
    hides = [path for path in everything if path not in own]
    return BotSpec(
        entrant.name,
        entrant.host,
        entrant.use,
        entrant.options,
        entrant.command,
        folder,
        games,
        own,
        tuple(hides if run is None else [*hides, run]),
        entrant.host_options,
    )


def _sources(entrant: Entrant, folder: Path) -> tuple[Path, ...]:
    """The files and folders that an entrant's bots are made of."""
    reads = [folder / name for name in entrant.reads]
    for path in reads:
        if not path.exists():
            raise ConfigError(f"bot {entrant.name}: reads: there is no {path}; paths are relative to this file")
    if entrant.command:
        words = [folder / word for word in entrant.command if word and (folder / word).is_file()]
        return (*words, *reads)
    return (*plugins.bot_sources(entrant.use, folder), *reads)


def fingerprint(entrant: Entrant, folder: Path) -> fingerprints.Fingerprint:
    """Which code an entrant's bots are."""
    if entrant.command:
        return fingerprints.paths_fingerprint(_sources(entrant, folder))
    return plugins.bot_fingerprint(entrant.use, folder)
