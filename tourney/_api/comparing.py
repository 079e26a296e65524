"""Compares two bots from a Python program."""

from collections.abc import Callable, Generator
from contextlib import closing
from typing import Unpack

import msgspec

from tourney import config
from tourney._api.arguments import Duel, with_keywords
from tourney._api.configuration import BotGiven
from tourney._api.interrupts import LIBRARY, play_on
from tourney._api.playing import mirror, start_of
from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.config.writing import PlannedMirror
from tourney.contracts.match import Record
from tourney.journal.reader import parse_record
from tourney.journal.run import RunFolder
from tourney.plugins.registry import load_game
from tourney.review.comparison import Comparison, compare_run
from tourney.runner.run import RunPlan, Start
from tourney.runner.workers import Workers
from tourney.schedule.base import schedule
from tourney.table import table

BATCH = 10  # the number of deals between two calls of `stop`


@with_keywords
def compare(
    new: BotGiven, old: BotGiven, *, deals: int = 200, stop: Callable[[Comparison], object] | None = None,
    **keys: Unpack[Duel],
) -> Comparison:  # fmt: skip
    """Measures how far one bot is ahead of another on the same deals.

    Without `workers` and `out`, the bots play in this process, without writing files.

    Args:
        new: The new bot: a plugin's name, FILE.py:NAME, a class, or a dictionary of the keys of a `[[bot]]` table.
        old: The old bot.
        deals: The number of deals of each game; a resumed comparison may have more.
        stop: Called after every 10 deals with the comparison so far; return True to stop.

    Raises:
        ConfigError: An argument, a game or a bot is refused.
        PluginError: A game was not found, or a class cannot be sent to workers.
        RunError: And all other errors of `tourney.run`.
    """
    out, workers, start = keys.get("out"), keys.get("workers"), start_of(keys)
    if out is None and start != "new":
        raise ConfigError("resume and overwrite require out")
    asked = mirror("compare", new, old, deals, keys)
    if out is not None:
        return _in_folder(asked, start, stop, keys)
    tournament, records = asked.tournament, list[Record]()
    new_name, old_name = tournament.names[:2]
    of_batch, last = BATCH * len(tournament.setups), deals * len(tournament.setups)
    with closing(_here(tournament) if workers is None else _by_workers(tournament, workers)) as blocks:
        for number, block_records in enumerate(blocks, 1):
            records += block_records
            if stop is not None and number % of_batch == 0 and number < last:
                so_far = Comparison(tournament, new_name, old_name, records.copy, looked=True)
                if stop(so_far):
                    so_far.stopped = True
                    return so_far
    return Comparison(tournament, new_name, old_name, records.copy, looked=stop is not None)


def _here(tournament: Tournament) -> Generator[list[Record]]:
    hosts = config.create_hosts(tournament)
    try:
        for block in schedule(tournament).blocks():
            game = load_game(block.setup.game)
            yield [table.play(match, game, [hosts[name] for name in match.seats]) for match in block.matches()]
    finally:
        for host in hosts.values():
            host.close()


def _by_workers(tournament: Tournament, workers: int | str) -> Generator[list[Record]]:
    with Workers(LIBRARY, workers) as playing:
        playing.choose(tournament)
        with playing.pool(tournament) as pool:
            for blocks in filter(None, pool.play(schedule(tournament).blocks())):
                for one in blocks.by_block():
                    yield [parse_record(line, "") for line in one.lines.splitlines(keepends=True)]


def _in_folder(
    asked: PlannedMirror, start: Start, stop: Callable[[Comparison], object] | None, keys: Duel
) -> Comparison:
    tournament, text, path = asked
    begun = RunFolder(path).tournament.deals if start == "resume" else 0
    steps = [] if stop is None else [deals for deals in range(BATCH, tournament.deals, BATCH) if deals >= begun]
    with Workers(LIBRARY, keys.get("workers")) as workers:
        workers.choose(tournament)
        for deals in (*steps, tournament.deals):
            part = msgspec.structs.replace(tournament, deals=deals)
            play_on(RunPlan(part, text, path, start, kind="compare"), workers, keys)
            start = "resume"
            comparison = compare_run(RunFolder(path), *tournament.names[:2], looked=stop is not None)
            if stop is not None and deals < tournament.deals and stop(comparison):
                comparison.stopped = True
                break
    return comparison
