"""A bot tried at every game and number of seats that it claims: whether it keeps to what a tournament relies on.

It plays the same matches twice: in a worker, as in a tournament, where it may crash and hang, and in the opposite
order in a new process with another `PYTHONHASHSEED`, where it is watched. Whatever then differs comes from something
that it should not rest on: hash order, the clock, other chance than its own, or what it kept from earlier matches.
"""

import os
import pickle
import select
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import orjson

from tourney import config, plugins
from tourney.config import Tournament
from tourney.debugging.bot_check_worker import Job
from tourney.hosts.base import DEFAULT_HOST, PROCESS_HOST
from tourney.hosts.factory import host_type
from tourney.journal.reader import parse_record
from tourney.match import Block, Fault, GameSetup, Record
from tourney.plugins import load_game
from tourney.rng import derive
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.local_pool import LocalPool

START_S = 60.0
"""How long the watching process may take to load games and bots."""


OTHERS = "others"
"""The name of the random bots that it meets."""


class Finding(NamedTuple):
    """A verdict about one thing."""

    what: str
    """legality, determinism, speed or leftovers."""
    good: bool
    text: str


def trial(bot: Mapping[str, Any], games: Sequence[str], limits: Mapping[str, Any], seed: str) -> Tournament:
    """The tournament in which a bot, the data of a `[[bot]]` table, is tried against random ones.

    `games` are those to try; none: all that the bot claims. Raises a `TourneyError` for a bot that there is not, and
    for a game that it does not claim.
    """
    claimed = _claimed(bot)
    setups = [(game, seats) for game in games or claimed for seats in load_game(game).seats]
    tables = [{"name": game, "seats": seats} for game, seats in setups]
    most = max([seats for _, seats in setups])
    others = [{"name": OTHERS if i == 0 else f"{OTHERS}-{i}", "use": "random"} for i in range(most - 1)]
    data = {"name": "check", "seed": seed, "bot": [bot, *others], "game": tables, "limits": limits}
    return config.resolve(data, Path("check"))


def blocks(tournament: Tournament, name: str, deals: int) -> list[Block]:
    """The blocks to try the bot of that name on: on each deal it sits in every seat in turn, and then in all."""
    found: list[Block] = []
    for setup in tournament.setups:
        for deal in range(deals):
            alone = [
                tuple([name if seat == mine else OTHERS for seat in range(setup.seats)]) for mine in range(setup.seats)
            ]
            seed = derive(tournament.seed, "deal", setup.game, deal)
            found.append(Block(len(found), setup, seed, (*alone, (name,) * setup.seats)))
    return found


def findings(tournament: Tournament, deals: int) -> Iterator[Finding]:
    """What is found about the first entrant of a trial: a line for each game and number of seats, then the rest."""
    bot = tournament.entrants[0]
    plan = blocks(tournament, bot.name, deals)
    os.environ["PYTHONHASHSEED"] = "0"  # for the processes that are started from here
    records: dict[str, Record] = {}
    for setup, found in _played(tournament, plan):
        records |= {record.match: record for record in found}
        yield _legality(setup, found, bot.name)
    sound = [block for block in plan if not any([records[match.id].faults for match in block.matches()])]
    if sound:
        yield from _watched(Job(tournament, bot.name, bot.in_worker, sound[::-1]), records, bot.limits.move_ms)


def _played(tournament: Tournament, blocks: Sequence[Block]) -> Iterator[tuple[GameSetup, list[Record]]]:
    """The records of each setup, as soon as they are all there."""
    setups = {block.number: block.setup for block in blocks}
    with LocalPool(tournament, 1, FaultMonitor(tournament, len(blocks))) as runner:
        lines = (
            line
            for done in runner.play(iter(blocks))
            if done is not None
            for line in done.lines.splitlines(keepends=True)
        )
        records = (parse_record(line, "a worker's record") for line in lines)
        for setup, found in groupby(records, lambda record: setups[record.block]):
            yield setup, list(found)


def _legality(setup: GameSetup, records: Sequence[Record], name: str) -> Finding:
    where = f"{setup.game}, {setup.seats} seats"
    for record in records:
        for fault in record.faults:
            if record.seats[fault.seat] == name:
                return Finding("legality", False, f"{where}: {_told(fault)}, in match {record.match}")
    return Finding("legality", True, f"{where}: {len(records)} matches without a fault")


def _told(fault: Fault) -> str:
    answer = f" ({fault.answer})" if fault.answer is not None else ""
    return f"{fault.kind} at decision {fault.decision}: {fault.detail}{answer}"


def _watched(job: Job, records: dict[str, Record], move_ms: int | None) -> Iterator[Finding]:
    """The second time."""
    took: dict[str, list[int]] = {}
    left: dict[str, str] = {}
    differs = ""
    count = 0
    for told in _probed(job):
        record = records[told["match"]]
        count += 1
        took.setdefault(record.game, []).extend(told["took_ns"])
        for what in told["left"]:
            left.setdefault(what, record.match)
        if not differs:
            differs = _difference(record, parse_record(told["line"].encode(), "a probe's record"))
    if not differs and count < sum([len(block.matches()) for block in job.blocks]):
        differs = "it did not come to the end of a match that it had come to the end of before"
    if differs:
        yield Finding("determinism", False, differs)
    else:
        yield Finding("determinism", True, f"{count} matches came out the same, in another order and process")
    for game, times in sorted(took.items()):
        if times:
            yield _speed(game, times, move_ms)
    if not job.inline:
        yield Finding("leftovers", True, "its process is ended after each match, with all that it started")
    elif left:
        yield Finding("leftovers", False, ", ".join([f"{what} (first after {match})" for what, match in left.items()]))
    else:
        yield Finding("leftovers", True, "nothing left behind, nothing changed")


def _speed(game: str, times: list[int], move_ms: int | None) -> Finding:
    """How long its decisions in a game took."""
    limit = f" of {move_ms} ms" if move_ms is not None else ""
    text = f"{game}: median {_time(median(times))}, worst {_time(max(times))}{limit}, {len(times)} decisions"
    return Finding("speed", move_ms is None or max(times) <= move_ms * 1e6, text)


def _time(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e3:.1f} us" if nanoseconds < 1e6 else f"{nanoseconds / 1e6:.1f} ms"


def _difference(record: Record, again: Record) -> str:
    """Where two plays of a match part; empty if they do not."""
    if record == again:
        return ""
    pairs = enumerate(zip(record.actions.split(), again.actions.split(), strict=False), 1)
    for decision, (one, other) in pairs:
        if one != other:
            return f"match {record.match}, decision {decision}: first {one}, then {other}"
    return f"match {record.match}: it ended otherwise the second time"


def _probed(job: Job) -> Iterator[dict[str, Any]]:
    """What the probe tells, match by match; ends early if the probe does, or is silent for longer than a match."""
    command = [sys.executable, "-m", "tourney.debugging.bot_check_worker"]
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    with subprocess.Popen(  # noqa: S603 - our own module
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
    ) as probe:
        assert probe.stdin is not None
        assert probe.stdout is not None
        pickle.dump(job, probe.stdin, pickle.HIGHEST_PROTOCOL)
        probe.stdin.close()
        out = probe.stdout.fileno()
        ended = os.pidfd_open(probe.pid)  # what it has left behind may keep the other end of the pipe open
        try:
            rest = b""
            while ready := select.select([out, ended], [], [], START_S + job.tournament.match_s)[0]:
                if out not in ready or not (data := os.read(out, 1 << 20)):
                    return
                *lines, rest = (rest + data).split(b"\n")
                yield from map(orjson.loads, lines)
        finally:
            os.close(ended)
            _end(probe)


def _end(probe: "subprocess.Popen[bytes]") -> None:
    """Ends the probe with all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(probe.pid, signal.SIGKILL)


def _claimed(bot: Mapping[str, Any]) -> Sequence[str]:
    """The games that the bot says it plays; it is looked at in another process, for it may hang or exit when loaded."""
    in_worker = "use" in bot and host_type(bot.get("host", DEFAULT_HOST)).in_worker
    games = config.games_of({**bot, "host": PROCESS_HOST, "host_options": {}} if in_worker else bot, Path.cwd())
    return plugins.game_names() if games is None else games
