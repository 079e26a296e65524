"""A challenge: two bots of a league, compared beside it, as a run of its own that changes nothing in the league."""

import secrets
from itertools import count
from pathlib import Path

from tourney import config
from tourney.base.errors import RunError
from tourney.base.validation import keys_of
from tourney.config import gate_file
from tourney.config.tournament import FaultLimits
from tourney.contracts.rng import SEED_BYTES
from tourney.journal import folder
from tourney.journal.run import RunFolder
from tourney.runner.league import named, names_of
from tourney.runner.run import RunOrder

DEALS = 20


def challenge(run: RunFolder, one: str, other: str, deals: int = DEALS, out: Path | None = None) -> RunOrder:
    """What is to be played: a mirror of two bots of a league, as they were submitted, at its games.

    The folder is by default one beside the league, LEAGUE-challenge-N. The bots are named in the tournament file
    relative to that folder. A name without a version means the latest.

    Raises:
        ConfigError: A bot cannot be loaded any more.
        RunError: The run is not a league, or has no such bots.
    """
    league, events = run.path, run.require("league").events
    versions = names_of(league, events)
    names = [named(league, name, versions).name for name in (one, other)]
    if names[0] == names[1]:
        raise RunError(f"{league}: {names[0]} cannot be compared with itself; name another bot or version")
    path = _free_folder(league) if out is None else out
    file = league / folder.TOURNAMENT
    data = config.tables(config.read_text(file), file)
    short = [{"name": config.short_name(use), "use": use} for use in data.get("bots", ())]
    submitted = [event.table for event in events if event.event == "submitted"]
    found = gate_file.of_tables({**data, "bot": [*short, *data.get("bot", ()), *submitted]}, file, path)
    of_league = keys_of(FaultLimits, found.limits)
    text = gate_file.tournament_text(
        [found.bots[name] for name in names],
        found.games,
        {key: value for key, value in found.limits.items() if key not in of_league},
        name=path.name,
        seed=secrets.token_hex(SEED_BYTES),
        format="mirror",
        deals=deals,
        **found.keys,
    )
    folder.require_free(path)
    folder.make(path)  # paths of bots lead through it
    tournament = config.of_text(text, path / folder.TOURNAMENT)
    config.examine_bots(tournament, path)
    return RunOrder(tournament, text, path, "new")


def _free_folder(league: Path) -> Path:
    folders = (league.parent / f"{league.name}-challenge-{number}" for number in count(1))
    return next(path for path in folders if not path.exists())
