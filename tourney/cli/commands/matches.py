"""`tourney matches`: lists the matches of a run."""

import heapq
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice
from typing import get_args

import click

from tourney.base.errors import ConfigError, RunError, one_line
from tourney.base.sheet import shortened
from tourney.cli import options as opt
from tourney.cli.screen import echo, echo_wrapped, width, wrapped
from tourney.contracts.match import Fault
from tourney.journal.kinds import EVENTS
from tourney.journal.run import RunFolder, check_name
from tourney.journal.search import FoundMatch, MatchFilter, MatchOutcome, MatchSearch, SortKey, sort_value
from tourney.standings.results import MatchResult

LEAST_NAME = 6  # the length of the shortest cut name in a line, which has several
BATCH = 1000


@click.command("matches")
@opt.RUN
@click.option("--bot", "bots", multiple=True, help="Only matches with this bot; if repeated, with all of these bots.")
@click.option(
    "--outcome", type=click.Choice(get_args(MatchOutcome)),
    help="Only matches that the first --bot won (first alone), drew (shared first) or lost (not first).",
)  # fmt: skip
@click.option("--game", help="Only matches of this game.")
@click.option("--round", "number", type=click.IntRange(min=1), help="Only matches of this round.")
@click.option("--faults", is_flag=True, help="Only matches with faults.")
@click.option(
    "--sort", "key", type=click.Choice(get_args(SortKey)),
    help="Sort, highest first: by the margin of the first --bot or the winner, faults, or number of decisions.",
)  # fmt: skip
@click.option("--limit", metavar="N", type=click.IntRange(min=1), help="Only the first N.")
@opt.BY_NAME
def command(
    run: str, bots: tuple[str, ...], outcome: MatchOutcome | None, game: str | None, number: int | None,
    faults: bool, key: SortKey | None, limit: int | None, by_name: bool,
) -> None:  # fmt: skip
    """List the matches of RUN, with each bot's score and place, and the faults.

    Pass a match name to `tourney replay`. For a bot of a league without matches, this prints the reason. To find a
    bot's worst defeats:

    \b
      tourney matches RUN --bot BOT --outcome lost --sort margin --limit 5
    """  # noqa: D301 - the \b keeps Click from joining the lines
    bot = next(iter(bots), None)
    if outcome is not None and bot is None:
        raise ConfigError("--outcome requires --bot")
    try:
        read = opt.find_run(run, bots, by_name)
    except RunError:  # bots that have not been taken into the manifest have no matches
        if not _say_why_absent(run, bots):
            raise
        return
    tournament = read.tournament
    check_name("game", game, tournament.games)
    if number is not None:
        opt.check_rounds(read.plan, "--round")
    search = MatchSearch(read, MatchFilter(bots, game, number, outcome, faults))
    seats, head = max([setup.seats for setup in tournament.setups]), max(map(len, tournament.games)) + len("-00000-0")
    number_name = "decisions" if key == "length" else key
    head += len("  round 10") * (read.plan.round_of(0) is not None) + len(f"  {number_name} 100") * (key is not None)
    room = max((width() - head) // seats - len("    100 (1)"), LEAST_NAME)
    widest = min(max(map(len, tournament.names), default=0), room)
    matches = iter(search)
    if key is None:
        listed = _print(_line(match, [], widest) for match in islice(matches, limit))
        if listed == limit and read.is_ranked:
            return
        deque(matches, maxlen=0)  # counts all of them
    else:
        value = sort_value(key, bot)
        ranked = ((-value(match), i, match) for i, match in enumerate(matches))
        ordered = sorted(ranked) if limit is None else heapq.nsmallest(limit, ranked)
        digits = max([len(str(-highest)) for highest, _, _ in ordered], default=0)
        listed = _print(_line(match, [f"{number_name} {-highest:{digits}}"], widest) for highest, _, match in ordered)
    opt.say_if_unfinished(search.count, search.plan)
    if not listed and (outcome, game, number, faults) == (None, None, None, False):
        _say_why_absent(run, bots)
    if number is not None and number > search.last_round:
        raise RunError(f"{read}: round {number} has not started; rounds started: {search.last_round}")


def _say_why_absent(run: str, bots: Sequence[str]) -> bool:
    """Prints why bots of a league have no matches, if known; returns whether it is."""
    league = RunFolder.find(run)
    if not (league.path / EVENTS).is_file():
        return False
    from tourney.review.field import absence

    reasons = [why for name in bots if (why := absence(league, name))]
    if reasons:
        echo_wrapped(*reasons, err=True)
    return bool(reasons)


def _print(lines: Iterator[str]) -> int:
    """Prints lines in batches, also the last one before an error; returns their number. A terminal's are wrapped."""
    batch: list[str] = []
    number, most = 0, width() if sys.stdout.isatty() else None
    try:
        for line in lines:
            number += 1
            batch += [line] if most is None else wrapped(line, "  ", most)
            if len(batch) >= BATCH:
                echo(*batch)
                batch.clear()
    finally:
        if batch:
            echo(*batch)
    return number


def _line(match: FoundMatch, number: list[str], widest: int) -> str:
    rounds = [] if match.round is None else [f"round {match.round}"]
    voided = ["voided"] if match.voided else []
    return "  ".join([match.id, *rounds, *number, *_seated(match.seats, match.result, widest), *voided])


@lru_cache(maxsize=1 << 12)
def _seated(names: tuple[str, ...], result: MatchResult, widest: int) -> list[str]:
    seats = zip(names, result.scores, result.places, strict=True)
    faults = [one_line(f"{names[fault.seat]}: {_fault_text(fault)}") for fault in result.faults]
    return [*[f"{shortened(name, widest):{widest}} {score:4} ({place})" for name, score, place in seats], *faults]


def _fault_text(fault: Fault) -> str:
    return f"out {fault.detail}" if fault.kind == "out" else f"{fault.kind} at decision {fault.decision} ({fault.what})"
