"""The check of a bot: whether it is legal, deterministic, quick and clean at every game that it claims to play.

The bot plays the same matches twice: in a worker, as in a tournament, where it may crash and hang; and in the opposite
order in a new process with another `PYTHONHASHSEED`, where it is watched. A difference between the two comes from
something that a bot must not depend on: hash order, the clock, randomness other than its own rng, or earlier matches.
"""

import os
import pickle
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tourney import config
from tourney.config import Tournament
from tourney.contracts.match import Block, Fault, FaultKind, GameSetup, Record
from tourney.contracts.rng import derive
from tourney.hosts.base import DEFAULT_HOST, PROCESS_HOST, host_type
from tourney.hosts.limits import Limits
from tourney.hosts.timing import DecisionTimes, duration_text
from tourney.journal.reader import parse_record
from tourney.plugins import registry
from tourney.plugins.registry import load_game
from tourney.runner.pool.local import LocalPool
from tourney.table.replay import Replay
from tourney.testing import elsewhere
from tourney.testing.bot_check_worker import WatchJob

PROCESS_ENDED = "its process is ended after each match, with all that it started"
PROCESS_KEPT = "its process is kept for several matches, with all that it has started"
OTHERS = "others"
"""The name of the random bots that the bot meets."""


class Finding(NamedTuple):
    """The result of one part of the check."""

    topic: str
    """What was checked: legality, determinism, speed, processor or leftovers."""
    passed: bool
    text: str
    """The details, for people."""
    traceback: str = ""
    """The traceback of what the bot has raised: several lines; empty for none."""


def make_trial(bot: Mapping[str, Any], games: Sequence[str], limits: Mapping[str, Any], seed: str) -> Tournament:
    """Makes the tournament in which a bot plays against random ones.

    Args:
        bot: The data of a `[[bot]]` table.
        games: The games to play; if empty, all that the bot claims.
        limits: The data of a `[limits]` table. Those that do not hold where the random bots run are the bot's alone.
        seed: What the deals are drawn from.

    Raises:
        TourneyError: There is no such bot, or it does not claim one of the games.
    """
    claimed = _claimed(bot)
    setups = [(game, seats) for game in games or claimed for seats in load_game(game).seats]
    tables = [{"name": game, "seats": seats} for game, seats in setups]
    most = max([seats for _, seats in setups])
    others = [{"name": OTHERS if i == 0 else f"{OTHERS}-{i}", "use": "random"} for i in range(most - 1)]
    shared = {key: value for key, value in limits.items() if key in host_type(DEFAULT_HOST).enforces}
    own = {key: value for key, value in limits.items() if key not in shared}
    data = {"name": "check", "seed": seed, "bot": [{**bot, **own}, *others], "game": tables, "limits": shared}
    return config.resolve(data, Path("check"))


def trial_blocks(tournament: Tournament, name: str, deals: int) -> list[Block]:
    """Returns the blocks of a trial: on each deal, the bot of that name sits in every seat in turn, then in all."""
    found: list[Block] = []
    for setup in tournament.setups:
        for deal in range(deals):
            alone = [
                tuple([name if seat == mine else OTHERS for seat in range(setup.seats)]) for mine in range(setup.seats)
            ]
            seed = derive(tournament.seed, "deal", setup.game, deal)
            found.append(Block(len(found), setup, seed, (*alone, (name,) * setup.seats)))
    return found


def check(tournament: Tournament, deals: int) -> Iterator[Finding]:
    """Checks the first entrant of a trial.

    Args:
        tournament: The trial, see `make_trial`.
        deals: How many deals of each game are played.

    Yields:
        A finding about legality for each game and number of seats, then those about the other topics.
    """
    bot = tournament.entrants[0]
    plan = trial_blocks(tournament, bot.name, deals)
    os.environ["PYTHONHASHSEED"] = "0"  # for the workers
    records: dict[str, Record] = {}
    tracebacks: dict[FaultKind, str] = {}
    for setup, found in _play(tournament, plan, tracebacks):
        if not records and bot.command and (why := _first_answer_failure(found, bot.name)):
            yield Finding(
                "protocol", False, f"{why}, so no more was tried; tourney docs protocol says what a program answers"
            )
            return
        records |= {record.match: record for record in found}
        yield _legality(setup, found, bot.name, tracebacks)
    sound = [block for block in plan if not any([records[match.id].faults for match in block.matches()])]
    if sound:
        yield from _play_again(WatchJob(tournament, bot.name, bot.in_worker, sound[::-1]), records, bot.limits)


def _play(
    tournament: Tournament, blocks: Sequence[Block], tracebacks: dict[FaultKind, str]
) -> Iterator[tuple[GameSetup, list[Record]]]:
    """Plays the blocks, and yields the records of each setup once it is finished.

    The first traceback of each kind of fault is added to `tracebacks`.
    """
    setups = {block.number: block.setup for block in blocks}
    with LocalPool(tournament, 1) as pool:
        lines = (
            line
            for played in pool.play(iter(blocks))
            if played is not None
            for line in played.lines.splitlines(keepends=True)
        )
        records = (parse_record(line, "a worker's record") for line in lines)
        for setup, found in groupby(records, lambda record: setups[record.block]):
            of_setup = list(found)
            for (_, kind), raised in pool.tracebacks.items():
                tracebacks.setdefault(kind, raised.text)
            yield setup, of_setup


def _first_answer_failure(records: Sequence[Record], name: str) -> str:
    """Returns how a program failed at its first decision, if it did so in each of these matches; else an empty text."""
    why = ""
    for record in records:
        fault = next((fault for fault in record.faults if record.seats[fault.seat] == name), None)
        if fault is None or fault.kind not in ("protocol", "crash"):
            return ""
        steps = Replay(record, load_game(record.game)).steps()
        if fault.decision != next((step.decision for step in steps if step.seat == fault.seat), 0):
            return ""
        why = why or f"when it is first asked, {fault.detail}, in every match"
    return why


def _legality(setup: GameSetup, records: Sequence[Record], name: str, tracebacks: dict[FaultKind, str]) -> Finding:
    """Reports the first fault in a setup, with the traceback if it is the first of its kind."""
    table = f"{setup.game}, {setup.seats} seats"
    for record in records:
        for fault in record.faults:
            if record.seats[fault.seat] == name:
                text = f"{table}: {_fault_text(fault)}, in match {record.match}"
                traceback, tracebacks[fault.kind] = tracebacks.get(fault.kind, ""), ""
                return Finding("legality", False, text, traceback)
    return Finding("legality", True, f"{table}: {len(records)} matches without a fault")


def _fault_text(fault: Fault) -> str:
    answer = f" ({fault.answer})" if fault.answer is not None else ""
    return f"{fault.kind} at decision {fault.decision}: {fault.detail}{answer}"


def _play_again(job: WatchJob, records: dict[str, Record], limits: Limits) -> Iterator[Finding]:
    """Plays the matches of the records once more while the bot is watched, and yields what is found."""
    times: dict[str, DecisionTimes] = {}
    left: dict[str, str] = {}
    differs = traceback = ""
    count = 0
    data = pickle.dumps(job, pickle.HIGHEST_PROTOCOL)
    for report in elsewhere.reports("tourney.testing.bot_check_worker", data, job.tournament.match_s):
        record = records[report["match"]]
        count += 1
        times.setdefault(record.game, DecisionTimes()).add(
            msgspec.convert(report["times"], DecisionTimes, strict=False)
        )
        for what in report["left"]:
            left.setdefault(what, record.match)
        if not differs:
            differs = _difference(record, parse_record(report["line"].encode(), "a watcher's record"))
            traceback = report["traceback"]
    if not differs and count < sum([len(block.matches()) for block in job.blocks]):
        differs = "it did not come to the end of a match that it had come to the end of before"
    if differs:
        yield Finding("determinism", False, differs, traceback)
    else:
        yield Finding("determinism", True, f"{count} matches came out the same, in another order and process")
    yield from _speeds(times, limits)
    if not job.in_worker:
        kept = job.tournament.entrants[0].keep
        yield Finding("leftovers", True, PROCESS_KEPT if kept else PROCESS_ENDED)
    elif left:
        yield Finding("leftovers", False, ", ".join([f"{what} (first after {match})" for what, match in left.items()]))
    else:
        yield Finding("leftovers", True, "nothing left behind, nothing changed")


def _speeds(times: Mapping[str, DecisionTimes], limits: Limits) -> Iterator[Finding]:
    """Reports how long the bot's decisions took, game by game."""
    for game, found in sorted(times.items()):
        if found.decisions:
            median, most, worst = map(duration_text, (found.quantile_ns(0.5), found.quantile_ns(0.95), found.worst_ns))
            limit = f" of {limits.move_ms} ms" if limits.move_ms is not None else ""
            text = f"{game}: median {median}, 95 % {most}, worst {worst}{limit}, {found.decisions} decisions"
            yield Finding("speed", limits.move_ms is None or found.worst_ns <= limits.move_ms * 1e6, text)


def _difference(record: Record, again: Record) -> str:
    """Describes the first difference between two plays of a match; empty if there is none."""
    if record == again:
        return ""
    fault = min(again.faults, key=lambda fault: fault.decision, default=None)
    pairs = enumerate(zip(record.actions.split(), again.actions.split(), strict=False), 1)
    for decision, (one, other) in pairs:
        if fault is not None and decision >= fault.decision:
            break
        if one != other:
            return f"match {record.match}, decision {decision}: first {one}, then {other}"
    if fault is not None:
        return f"match {record.match}: first no fault, then {_fault_text(fault)}"
    return f"match {record.match}: it ended otherwise the second time"


def _claimed(bot: Mapping[str, Any]) -> Sequence[str]:
    """Returns the games that the bot claims; it is loaded in another process, because it may hang or exit there."""
    in_worker = "use" in bot and host_type(bot.get("host", DEFAULT_HOST)).in_worker
    games = config.games_of({**bot, "host": PROCESS_HOST, "host_options": {}} if in_worker else bot, Path.cwd())
    return registry.game_names() if games is None else games
