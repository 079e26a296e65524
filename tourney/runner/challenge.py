"""Challenges: a separate run compares two bots of a league and leaves the league unchanged."""

from itertools import count
from pathlib import Path

from tourney import config
from tourney.base.errors import ConfigError, RunError
from tourney.config import writing
from tourney.journal import folder
from tourney.journal.run import RunFolder
from tourney.runner.league import named, names_of, tables_of
from tourney.runner.run import RunPlan, Start


def challenge(run: RunFolder, new: str, old: str, deals: int, start: Start = "new", out: Path | None = None) -> RunPlan:
    """Plans a mirror of two bots of a league, as they were submitted, at its games; see `tourney.League.compare`.

    The folder defaults to LEAGUE-challenge-N next to the league; the tournament file names the bots relative to it.
    """
    league, events = run.path, run.events
    if run.kind.name != "league":
        raise RunError(f"{league}: not a league; deals only apply to bots of a league")
    if out is None and start != "new":
        raise ConfigError("resume and overwrite require out")
    versions = names_of(league, events)
    names = [named(league, name, versions).name for name in (new, old)]
    if names[0] == names[1]:
        raise RunError(f"{league}: {names[0]} cannot be compared with itself; choose another bot or version")
    folders = (league.with_name(f"{league.name}-challenge-{number}") for number in count(1))
    path = next(path for path in folders if not path.exists()) if out is None else out
    _, planned = tables_of(league, events, path)
    text = writing.tournament_text(
        [planned.bots[name] for name in names],
        planned.games,
        planned.bot_limits,
        name=path.name,
        seed=writing.drawn_seed(path, start == "resume"),
        format="mirror",
        deals=deals,
        **planned.keys,
    )
    if start == "new":
        folder.require_free(path)
    folder.make(path)  # bot paths lead through it
    tournament = config.of_text(text, path / folder.TOURNAMENT)
    return RunPlan(config.examine_bots(tournament, path), text, path, start, kind="compare")
