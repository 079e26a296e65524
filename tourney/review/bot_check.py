"""The check of a bot: legal, deterministic, quick and clean at every game it claims to play.

The bot plays the same matches twice: as in a tournament, and under observation in the opposite order in a worker with
another `PYTHONHASHSEED`. A bot must depend on neither.
"""

import os
import random
import re
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from msgspec.structs import replace

from tourney import config
from tourney.base.errors import ConfigError, GameError, TourneyError, did_you_mean, one_line
from tourney.config import Entrant, Tournament
from tourney.config.writing import game_table
from tourney.contracts.bot import SeatFacts
from tourney.contracts.match import Block, Fault, FaultKind, GameSetup, Record
from tourney.contracts.rng import derive, root_seed
from tourney.hosts import linux
from tourney.hosts.base import DEFAULT_HOST, PROCESS_HOST, BotHost, HostedBot, host_type
from tourney.hosts.clocks import SeatClock
from tourney.hosts.faults import SANDBOX, sandbox_cause
from tourney.hosts.timing import DecisionTimes, duration_text, timed
from tourney.journal.reader import parse_record
from tourney.plugins import registry
from tourney.plugins.failures import endless_match
from tourney.plugins.registry import load_game
from tourney.review.recheck import first_difference
from tourney.runner.pool.local import LocalPool
from tourney.runner.pool.worker import Player
from tourney.table.replay import Replay

OTHERS = "others"  # the name of the random opponents
MOST_TIMEOUTS = 2  # tables with a timeout before the check stops
MOST_SAID = 300  # characters of a program's last line on stderr
_NO_FILE = re.compile(r"(?:FileNotFoundError|PermissionError): \[Errno \d+\] [^:\n]*: '([^'\n]+)'")
ENDING_S = 0.5  # how long a bot's threads and processes may outlive a match


class Finding(NamedTuple):
    """The result of one part of the check."""

    topic: str
    passed: bool
    text: str
    traceback: str = ""
    """The traceback of the bot's exception; empty for none."""


def make_trial(bot: Mapping[str, Any], games: Sequence[str], limits: Mapping[str, Any], seed: str) -> Tournament:
    """The tournament of a bot, given as a `[[bot]]` table, against random ones at some games, or all it claims.

    A game is given as NAME, for all its numbers of seats, or as NAME:SEATS.

    Limits unsupported by the random bots' host apply to the bot alone.
    """
    claimed = _claimed(bot, limits)
    tables: list[dict[str, Any]] = []
    for game in games or claimed:
        is_whole = not game.rpartition(":")[2].isdecimal()
        each = [{"name": game, "seats": seats} for seats in load_game(game).seats] if is_whole else [game_table(game)]
        tables += [table for table in each if table not in tables]
    most = max([table["seats"] for table in tables])
    others = [{"name": OTHERS if i == 0 else f"{OTHERS}-{i}", "use": "random"} for i in range(most - 1)]
    shared = {key: value for key, value in limits.items() if key in host_type(DEFAULT_HOST).enforces}
    own = {key: value for key, value in limits.items() if key not in shared}
    data = {"name": "check", "seed": seed, "bot": [{**bot, **own}, *others], "game": tables, "limits": shared}
    return config.resolve(data, Path("check"))


def cup_entrants(cup: Tournament, names: Sequence[str]) -> list[Entrant]:
    """The entrants with these names, or all; a `ConfigError` for an unknown name."""
    for name in names:
        if name not in cup.names:
            raise ConfigError(f'no bot "{name}" in the tournament; {did_you_mean(name, cup.names)}')
    return [entrant for entrant in cup.entrants if not names or entrant.name in names]


def check_entrant(
    cup: Tournament,
    entrant: Entrant,
    path: Path,
    games: Sequence[str],
    seed: str,
    deals: int,
    logs: Path | None = None,
) -> Iterator[Finding]:
    """Checks an entrant as its tournament will run it: in its host, under its limits, at the tournament's games.

    Random bots replace the other entrants, whose files are hidden from it. Its stderr from a separate process goes into
    the folder `logs`, or else is shown.
    """
    examined = entrant
    if entrant.in_worker:  # it may hang or exit during loading
        examined = replace(entrant, host=PROCESS_HOST, host_options={})
    folder = Path(cup.folder)
    try:
        config.examine_bots(replace(cup, entrants=(examined,)), path)
    except ConfigError as error:
        yield Finding("loading", False, f"{error}{_cause(entrant, folder, str(error))}")
        return
    apart = [each for each in cup.entrants if each is not entrant and not each.in_worker and each.name != OTHERS]
    rest = [each for each in apart if _can_be_made(cup, each)]
    setups = tuple(
        [setup for setup in cup.setups if not games or {setup.game, f"{setup.game}:{setup.seats}"} & {*games}]
    )
    if not setups:
        raise ConfigError(f"{path}: none of these games; choose from {', '.join(cup.games)}")
    if entrant.name == OTHERS:
        entrant = replace(entrant, name=f"not-{OTHERS}")
    entrants = (entrant, Entrant(OTHERS, "random", {}), *rest)
    yield from check(replace(cup, seed=root_seed(seed), entrants=entrants, setups=setups, weights=()), deals, logs)


def _can_be_made(cup: Tournament, entrant: Entrant) -> bool:
    try:
        config.create_hosts(replace(cup, entrants=(entrant,)))
    except TourneyError:
        return False
    return True


def check(tournament: Tournament, deals: int, logs: Path | None = None) -> Iterator[Finding]:
    """Checks a trial's first entrant on some deals of each game: legality first, then the other topics.

    A timeout ends the rest of its game; after timeouts in `MOST_TIMEOUTS` of them, the check stops.
    """
    bot = tournament.entrants[0]
    plan = _blocks(tournament, bot.name, deals)
    records: dict[str, Record] = {}
    tracebacks: dict[FaultKind, str] = {}
    timeouts: list[str] = []
    for setup, records_of_table in _play(tournament, plan, tracebacks, logs):
        if not records and (bot.command or bot.url) and (why := _first_answer_failure(records_of_table, bot.name)):
            why += _last_words(bot, logs)
            text = f"{why}; nothing else was tried (see tourney docs protocol for the expected answers)"
            yield Finding("protocol", False, text, tracebacks.get("protocol", ""))
            return
        records |= {record.match: record for record in records_of_table}
        finding = _legality(setup, records_of_table, bot.name, tracebacks)
        cause = _cause(bot, Path(tournament.folder), finding.traceback) if bot.use else _last_words(bot, logs)
        yield finding if finding.passed else finding._replace(text=finding.text + cause)
        if _times_out(records_of_table, bot.name):
            timeouts.append(f"{setup.game} with {setup.seats} seats")
        if len(timeouts) == MOST_TIMEOUTS:
            yield Finding("legality", False, f"timeouts in {' and '.join(timeouts)}; nothing else was tried")
            break
    played = [block for block in plan if all([match.id in records for match in block.matches()])]
    sound = [block for block in played if not any([records[match.id].faults for match in block.matches()])]
    if sound:
        yield from _play_again(tournament, sound[::-1], records, logs)


def _blocks(tournament: Tournament, name: str, deals: int) -> list[Block]:
    """The blocks of a trial, with one match each: on each deal, the bot sits in every seat in turn, then in all."""
    blocks: list[Block] = []
    for setup in tournament.setups:
        seats = range(setup.seats)
        alone = [tuple([name if seat == mine else OTHERS for seat in seats]) for mine in seats]
        for deal in range(deals):
            seed = derive(tournament.seed, "deal", setup.game, deal)
            blocks += [
                Block(number, setup, seed, (seating,))
                for number, seating in enumerate([*alone, (name,) * setup.seats], len(blocks))
            ]
    return blocks


def _play(
    tournament: Tournament, blocks: Sequence[Block], tracebacks: dict[FaultKind, str], logs: Path | None
) -> Iterator[tuple[GameSetup, list[Record]]]:
    """Yields the records of each setup, up to its first timeout; adds the first traceback of each kind of fault."""
    name, setups = tournament.entrants[0].name, deque(tournament.setups)
    while setups:
        with hash_seed("0"), LocalPool(tournament, 1, logs=logs) as pool:
            late = False
            while setups and not late:  # after a timeout, matches in play are left with the pool
                setup = setups.popleft()
                records: list[Record] = []
                for each in pool.play(iter([block for block in blocks if block.setup == setup])):
                    lines = [] if each is None else each.lines.splitlines(keepends=True)
                    records += [parse_record(line, "a worker's record") for line in lines]
                    if late := _times_out(records, name):
                        break
                for (_, kind), raised in pool.tracebacks.items():
                    tracebacks.setdefault(kind, raised.text)
                yield setup, records


def _times_out(records: Sequence[Record], name: str) -> bool:
    """Whether a bot is charged with a timeout in one of the matches."""
    return any(
        [fault.kind == "timeout" and each.seats[fault.seat] == name for each in records for fault in each.faults]
    )


def _last_words(bot: Entrant, logs: Path | None) -> str:
    """The last line of a program's stderr, and its cause; empty without logs or output."""
    file = None if logs is None else config.log_file(logs, bot.name)
    lines = file.read_text(errors="replace").split("\n") if file and file.is_file() else []
    if not (said := next((line for line in reversed(lines) if line.strip()), "")):
        return ""
    cause = sandbox_cause(said) if bot.is_locked_in else ""
    return f' (stderr: "{one_line(said)[:MOST_SAID]}"{f"; {cause}" if cause else ""})'


def _cause(bot: Entrant, folder: Path, raised: str) -> str:
    """The cause of a failure in the sandbox, or the remedy for a file it does not show; empty if neither is known."""
    if not bot.is_locked_in:
        return ""
    cause = sandbox_cause(raised.removesuffix(SANDBOX))
    return _hidden_file(bot, folder, raised) or (f"; {cause}" if cause else "")


def _hidden_file(bot: Entrant, folder: Path, raised: str) -> str:
    """Advice about an existing file that a sandboxed bot does not find; else an empty text."""
    missing = _NO_FILE.search(raised)
    if missing is None:
        return ""
    unit = registry.bot_unit(bot.use, folder) if bot.use else None
    shown = [(folder / name).resolve() for name in bot.reads] + ([] if unit is None else [unit.root, *unit.beside])
    beside = [] if unit is None else [unit.root if unit.root.is_dir() else unit.root.parent]
    for place in (folder, *beside, Path.cwd()):
        path = (place / missing[1]).resolve()
        if not path.exists():
            continue
        if any([path == each or each in path.parents for each in shown]):
            if os.path.isabs(missing[1]):
                return ""
            return f"; {missing[1]} exists, but the bot starts in an empty folder: open it by its full path"
        return f"; {missing[1]} exists, but the sandbox only shows `reads`: add it there, and open it by its full path"
    return ""


def _first_answer_failure(records: Sequence[Record], name: str) -> str:
    """How a program failed at its first decision in each of these matches; else an empty text."""
    why = ""
    for record in records:
        fault = next((fault for fault in record.faults if record.seats[fault.seat] == name), None)
        if fault is None or fault.kind not in ("protocol", "crash", "timeout"):
            return ""
        steps = Replay(record, load_game(record.game)).steps()
        if fault.decision != next((step.decision for step in steps if step.seat == fault.seat), 0):
            return ""
        why = why or f"at its first decision: {fault.detail}"
    return why if len(records) < 2 else f"{why}, in every match"


def _legality(setup: GameSetup, records: Sequence[Record], name: str, tracebacks: dict[FaultKind, str]) -> Finding:
    """The first fault in a setup, with the traceback if it is the first of its kind."""
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


def _play_again(
    tournament: Tournament, blocks: Sequence[Block], records: dict[str, Record], logs: Path | None
) -> Iterator[Finding]:
    """Plays the recorded matches again while watching the bot, and yields the findings."""
    bot = tournament.entrants[0]
    times: dict[str, DecisionTimes] = {}
    left: dict[str, str] = {}
    differs = traceback = ""
    with hash_seed("1"), LocalPool(tournament, 1, logs=logs, performer=_Watcher(bot.name, bot.in_worker)) as pool:
        played = [each for each in pool.play(iter(blocks)) if each is not None]
        reports = [orjson.loads(line) for each in played for line in each.lines.splitlines(keepends=True)]
        raised = next((each.text for each in pool.tracebacks.values()), "")
    for report in reports:
        again = parse_record(report["line"].encode(), "a worker's record")
        record = records[again.match]
        times.setdefault(record.game, DecisionTimes()).count(report["times_ns"])
        for what in report["left"]:
            left.setdefault(what, record.match)
        if not differs and (differs := _difference(record, again)):
            traceback = raised if again.faults else ""
    if all([report["repeats"] for report in reports]):
        same = f"{len(reports)} matches repeated identically, in another order and process"
        yield Finding("determinism", not differs, differs or same, traceback)
    else:
        yield Finding("determinism", True, "not checked: the bot declares itself nondeterministic")
    for game, times_of in sorted(times.items()):
        median, most, worst = map(
            duration_text, (times_of.quantile_ns(0.5), times_of.quantile_ns(0.95), times_of.worst_ns)
        )
        limit = f" of {bot.limits.move_ms} ms" if bot.limits.move_ms is not None else ""
        text = f"{game}: median {median}, 95 % {most}, worst {worst}{limit}, {times_of.decisions} decisions"
        yield Finding("speed", bot.limits.move_ms is None or times_of.worst_ns <= bot.limits.move_ms * 1e6, text)
    if not bot.in_worker:
        until = "serve several matches" if bot.keep else "stop after each match"
        text = "the bot runs elsewhere" if bot.url else f"its process and its children {until}"
        yield Finding("leftovers", True, text)
    else:
        text = ", ".join([f"{what} (first after {match})" for what, match in left.items()])
        yield Finding("leftovers", not left, text or "nothing left behind, nothing changed")


def _difference(record: Record, again: Record) -> str:
    """Describes the first difference between two plays of a match; empty if there is none."""
    if record == again:
        return ""
    if (difference := first_difference(record, again)) is None:
        return f"match {record.match}: it ended differently the second time"
    decision, then, first = difference
    return f"match {record.match}, decision {decision}: first {first}, then {then}"


def _claimed(bot: Mapping[str, Any], limits: Mapping[str, Any]) -> Sequence[str]:
    """The games that the bot claims; it is loaded in another process, because it may hang or exit."""
    in_worker = "use" in bot and host_type(bot.get("host", DEFAULT_HOST)).in_worker
    table = {**bot, "host": PROCESS_HOST, "host_options": {}} if in_worker else {**bot, **limits}
    games = config.games_of(table, Path.cwd())
    return registry.game_names() if games is None else games


@contextmanager
def hash_seed(value: str) -> Iterator[None]:
    """Sets `PYTHONHASHSEED` for processes started in this context."""
    before = {name: os.environ[name] for name in os.environ if name == "PYTHONHASHSEED"}
    os.environ["PYTHONHASHSEED"] = value
    try:
        yield
    finally:
        del os.environ["PYTHONHASHSEED"]
        os.environ.update(before)


class _Watcher:
    """Plays blocks in a pool's worker, and reports a bot's decision times and leftovers."""

    asks_bots = True

    def __init__(self, name: str, in_worker: bool) -> None:
        self._name = name
        self._in_worker = in_worker

    def perform(self, item: Block, makers: Mapping[str, BotHost], player: Player) -> bytes:
        """A report on each match of a block, as lines of JSON."""
        game, reports = load_game(item.setup.game), []
        for match in item.matches():
            watched = _WatchedHost(makers[self._name])
            before = _environment(game)
            record = player.play(match, game, [makers[name] if name == OTHERS else watched for name in match.seats])
            left = _leftovers(before, game) if self._in_worker else []
            left = ["its view"] * watched.changed + left
            report = {"line": record.line().decode(), "times_ns": watched.times_ns, "left": left}
            reports.append(report | {"repeats": makers[self._name].repeats})
        return b"".join([orjson.dumps(report, option=orjson.OPT_APPEND_NEWLINE) for report in reports])

    def game_error(self, item: Block, why: str) -> GameError:
        return endless_match(next(iter(item.matches())), why)


class _WatchedHost(BotHost):
    """A host that times its bots, and notes whether they change their views."""

    def __init__(self, inner: BotHost) -> None:
        self._inner = inner
        self.limits = inner.limits
        self.tracebacks = inner.tracebacks
        self.in_worker = inner.in_worker
        self.waits_s = inner.waits_s
        self.times_ns: list[int] = []
        self.changed = False

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> HostedBot:
        return _WatchedBot(self._inner.begin(facts, rng_seed, clock), self)


class _WatchedBot:
    def __init__(self, bot: HostedBot, host: _WatchedHost) -> None:
        self._act = timed(bot.act, host.times_ns)
        self._host = host
        self.end = bot.end
        self.close = bot.close

    def act(self, view: Any, legal: Sequence[int]) -> Any:
        before = repr(tuple(view))
        action = self._act(view, legal)
        self._host.changed |= repr(tuple(view)) != before
        return action


def _environment(game: object) -> dict[str, Any]:
    """Everything that a bot must leave unchanged, by its name in reports."""
    return {
        "threads": threading.active_count(),
        "processes": linux.own_children(),
        "open files": len(os.listdir("/dev/fd")),
        "the working folder": os.getcwd(),
        "the environment": dict(os.environ),
        "sys.path": list(sys.path),
        "the state of the module random": random.getstate(),
        "signal handlers": [signal.getsignal(number) for number in signal.valid_signals()],
        "the recursion limit": sys.getrecursionlimit(),
        "its game": dict(getattr(game, "__dict__", {})),  # compiled ones have none
    }


def _leftovers(before: dict[str, Any], game: object) -> list[str]:
    """Everything that changed, after giving threads and processes time to end."""
    until = time.monotonic() + ENDING_S
    while (after := _environment(game)) != before and time.monotonic() < until:
        time.sleep(ENDING_S / 10)
    return [name for name in before if before[name] != after[name]]
