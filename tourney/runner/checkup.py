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
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from statistics import median
from typing import Any, NamedTuple

import orjson

from tourney.config import Tournament
from tourney.match import Block, Contest, Fault, Record
from tourney.rng import derive
from tourney.runner.local import LocalRunner
from tourney.runner.probe import Job
from tourney.store import parse_unsealed


START_S = 60.0
"""How long the watching process may take to load games and bots."""


class Finding(NamedTuple):
    """A verdict about one thing."""

    what: str
    """legality, determinism, speed or leftovers."""
    good: bool
    text: str


def trial(tournament: Tournament, name: str, others: str, deals: int) -> list[Block]:
    """The blocks to try a bot on: on each deal it sits in every seat in turn, and then in all of them at once."""
    blocks: list[Block] = []
    for contest in tournament.contests:
        for deal in range(deals):
            alone = [
                tuple([name if seat == mine else others for seat in range(contest.seats)])
                for mine in range(contest.seats)
            ]
            seed = derive(tournament.seed, "deal", contest.game, deal)
            blocks.append(Block(len(blocks), contest, seed, (*alone, (name,) * contest.seats)))
    return blocks


def findings(tournament: Tournament, name: str, blocks: Sequence[Block], inline: bool) -> Iterator[Finding]:
    """What is found, in the order in which it is found: a line for each game and number of seats, then the rest."""
    os.environ["PYTHONHASHSEED"] = "0"  # for the processes that are started from here
    records: dict[str, Record] = {}
    for contest, found in _played(tournament, blocks):
        records |= {record.match: record for record in found}
        yield _legality(contest, found, name)
    sound = [block for block in blocks if not any([records[match.id].faults for match in block.matches()])]
    if not sound:
        return
    yield from _watched(Job(tournament, name, inline, sound[::-1]), records)


def _played(tournament: Tournament, blocks: Sequence[Block]) -> Iterator[tuple[Contest, list[Record]]]:
    """The records of each contest, as soon as they are all there."""
    contests = {block.number: block.contest for block in blocks}
    with LocalRunner(tournament, 1) as runner:
        lines = (
            line
            for done in runner.play(iter(blocks))
            if done is not None
            for line in done.lines.splitlines(keepends=True)
        )
        records = (parse_unsealed(line, "a worker's record") for line in lines)
        for contest, found in groupby(records, lambda record: contests[record.block]):
            yield contest, list(found)


def _legality(contest: Contest, records: Sequence[Record], name: str) -> Finding:
    where = f"{contest.game}, {contest.seats} seats"
    for record in records:
        for fault in record.faults:
            if record.seats[fault.seat] == name:
                return Finding("legality", False, f"{where}: {_told(fault)}, in match {record.match}")
    return Finding("legality", True, f"{where}: {len(records)} matches without a fault")


def _told(fault: Fault) -> str:
    answer = f" ({fault.answer})" if fault.answer is not None else ""
    return f"{fault.kind} at decision {fault.decision}: {fault.detail}{answer}"


def _watched(job: Job, records: dict[str, Record]) -> Iterator[Finding]:
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
            differs = _difference(record, parse_unsealed(told["line"].encode(), "a probe's record"))
    if not differs and count < sum([len(block.matches()) for block in job.blocks]):
        differs = "it did not come to the end of a match that it had come to the end of before"
    if differs:
        yield Finding("determinism", False, differs)
    else:
        yield Finding("determinism", True, f"{count} matches came out the same, in another order and process")
    for game, times in took.items():
        if times:
            yield _speed(game, times)
    if not job.inline:
        yield Finding("leftovers", True, "its process is ended after each match, with all that it started")
    elif left:
        yield Finding("leftovers", False, ", ".join([f"{what} (first after {match})" for what, match in left.items()]))
    else:
        yield Finding("leftovers", True, "nothing left behind, nothing changed")


def _speed(game: str, times: list[int]) -> Finding:
    """How long its decisions took; whether that is within the limits has shown in the first plays."""
    text = f"{game}: median {median(times) / 1e6:.3f} ms, worst {max(times) / 1e6:.3f} ms, {len(times)} decisions"
    return Finding("speed", True, text)


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
    """What the probe tells, match by match; ends early if the probe does, or is silent for longer than a match may be."""
    command = [sys.executable, "-m", "tourney.runner.probe"]
    environment = os.environ | {"PYTHONHASHSEED": "1"}
    with subprocess.Popen(  # noqa: S603 - our own module
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, start_new_session=True
    ) as probe:
        assert probe.stdin is not None
        assert probe.stdout is not None
        pickle.dump(job, probe.stdin, pickle.HIGHEST_PROTOCOL)
        probe.stdin.close()
        try:
            rest = b""
            while select.select([probe.stdout], [], [], START_S + job.tournament.match_s)[0]:
                data = os.read(probe.stdout.fileno(), 1 << 20)
                if not data:
                    return
                *lines, rest = (rest + data).split(b"\n")
                yield from map(orjson.loads, lines)
        finally:
            _end(probe)


def _end(probe: "subprocess.Popen[bytes]") -> None:
    """Ends the probe with all that it has started."""
    with suppress(ProcessLookupError):
        os.killpg(probe.pid, signal.SIGKILL)
