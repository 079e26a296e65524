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
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, nullcontext, suppress
from itertools import chain, count
from pathlib import Path
from typing import Any, NamedTuple, Self

import orjson
from msgspec.structs import replace

from tourney import config
from tourney.base.errors import ConfigError, GameError, TourneyError, did_you_mean, one_line
from tourney.config import Entrant, Tournament
from tourney.config.names import MOST_LETTERS
from tourney.config.tournament import FaultLimits
from tourney.config.writing import game_table, tournament_text
from tourney.contracts.bot import SeatFacts
from tourney.contracts.match import Block, FaultKind, GameSetup, Record, distinct_names, match_of
from tourney.contracts.rng import root_seed
from tourney.hosts import linux
from tourney.hosts.base import DEFAULT_HOST, PROCESS_HOST, BotHost, HostedBot, host_type
from tourney.hosts.clocks import SeatClock
from tourney.hosts.faults import SANDBOX, sandbox_cause
from tourney.hosts.timing import DecisionTimes, duration_text, timed
from tourney.journal import bot_logs
from tourney.journal.folder import LOGS
from tourney.journal.reader import parse_record
from tourney.plugins import registry
from tourney.plugins.failures import endless_match
from tourney.plugins.registry import load_game
from tourney.review.recheck import Difference, first_difference
from tourney.review.what_if import ask, find_step, warm_up
from tourney.runner.pool.local import LocalPool
from tourney.runner.pool.ordered import PlayedBlocks
from tourney.runner.pool.worker import Player
from tourney.runner.run import LiveCounts, RunPlan
from tourney.runner.workers import Frontend, Workers
from tourney.schedule.check import MOST_TIMEOUTS, Check
from tourney.table.replay import Replay

OTHERS = "others"  # the name of the random opponents
MOST_SAID = 300  # characters of a program's last line on stderr
_NO_FILE = re.compile(r"(?:FileNotFoundError|PermissionError): \[Errno \d+\] [^:\n]*: '([^'\n]+)'")
_FRONTEND = Frontend(forks=False, say=lambda _: None, interruptible=lambda _: nullcontext(lambda _: None))
ENDING_S = 0.5  # how long a bot's threads and processes may outlive a match


class Finding(NamedTuple):
    """The result of one part of the check."""

    topic: str
    passed: bool
    text: str
    traceback: str = ""  # the traceback of the bot's exception; empty for none
    at: "Place | None" = None  # the decision that shows a problem


class Place(NamedTuple):
    """A decision in a match of a check's run."""

    match: str
    decision: int  # counted from 1 over all seats; one past the last at the end of the match
    decisions: int
    is_slow: bool

    @classmethod
    def of(cls, record: Record, decision: int, is_slow: bool = False) -> Self:
        """The place in a recorded match."""
        return cls(record.match, decision, record.decisions, is_slow)


class Trial(NamedTuple):
    """What a check plays: the tournament of a bot and random ones."""

    tournament: Tournament
    text: str
    hidden: tuple[Entrant, ...] = ()  # entrants that do not play, and whose files the bot must not see


def make_trial(
    bot: Mapping[str, Any], games: Sequence[str], limits: Mapping[str, Any], seed: str, deals: int = 1
) -> Trial:
    """The trial of a bot, given as a `[[bot]]` table, at some games, or all it claims.

    A game is given as NAME, for all its numbers of seats, or as NAME:SEATS.

    Limits unsupported by the random bots' host apply to the bot alone.
    """
    claimed = _claimed(bot, limits)
    tables: list[dict[str, Any]] = []
    for game in games or claimed:
        is_whole = not game.rpartition(":")[2].isdecimal()
        each = [{"name": game, "seats": seats} for seats in load_game(game).seats] if is_whole else [game_table(game)]
        tables += [table for table in each if table not in tables]
    shared = {key: value for key, value in limits.items() if key in host_type(DEFAULT_HOST).enforces}
    own = {key: value for key, value in limits.items() if key not in shared}
    bots = [{**bot, **own}, {"name": _other([bot["name"]]), "use": "random"}]
    name = run_name(bot["name"]) if bot["name"].isascii() else bot["name"]  # a name has one script
    keys = {"name": name, "seed": seed, "format": Check.name, "deals": deals}
    text = tournament_text(bots, tables, shared, **keys)
    return Trial(config.parse(text, Path("check")), text)


def run_name(bot: str) -> str:
    """The name of the run of a bot's check."""
    return f"check-{bot}"[:MOST_LETTERS]


def _other(taken: Sequence[str]) -> str:
    return next(name for name in chain([OTHERS], (f"{OTHERS}-{number}" for number in count(2))) if name not in taken)


def cup_entrants(cup: Tournament, names: Sequence[str]) -> list[Entrant]:
    """The entrants with these names, or all; a `ConfigError` for an unknown name."""
    for name in names:
        if name not in cup.names:
            raise ConfigError(f'no bot "{name}" in the tournament; {did_you_mean(name, cup.names)}')
    return [entrant for entrant in cup.entrants if not names or entrant.name in names]


def check_entrant(
    cup: Tournament, entrant: Entrant, path: Path, games: Sequence[str], seed: str, deals: int, run: Path,
    text: str = "",
) -> Iterator[Finding]:  # fmt: skip
    """Checks an entrant as its tournament will run it: in its host, under its limits, at the tournament's games.

    Random bots replace the other entrants, whose files are hidden from it. `run` and `text` are as for `check`.
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
    hidden = list[Entrant]()
    for each in cup.entrants:
        if each is not entrant and not each.in_worker:
            with suppress(TourneyError):
                config.create_hosts(replace(cup, entrants=(each,)))
                hidden.append(each)
    setups = tuple(
        [setup for setup in cup.setups if not games or {setup.game, f"{setup.game}:{setup.seats}"} & {*games}]
    )
    if not setups:
        raise ConfigError(f"{path}: none of these games; choose from {', '.join(cup.games)}")
    tournament = Tournament(
        name=run_name(entrant.name), format=Check.name, deals=deals, seed=root_seed(seed), setups=setups,
        entrants=(entrant, Entrant(_other(cup.names), "random", {})), match_s=cup.match_s, folder=cup.folder,
        fault_limits=FaultLimits(max_cost=cup.fault_limits.max_cost),
    )  # fmt: skip
    yield from check(Trial(tournament, text, tuple(hidden)), run)


def check(trial: Trial, run: Path) -> Iterator[Finding]:
    """Checks a trial's first entrant: legality first, then the other topics.

    What it plays is a run of the kind `check` in the folder `run`, where it replaces an earlier check.

    Raises:
        RunError: The folder has something other than a check.
    """
    plan = _CheckPlan(trial, run)
    bot = plan.tournament.entrants[0]
    seen: set[FaultKind] = set()
    for setup, records in _tables(plan):
        if plan.played[0][0].setup == setup and (bot.command or bot.url):
            first, why = _first_answer_failure(records, bot.name)
            if why:
                text = f"{why}{_last_words(bot, run)}; nothing else was tried"
                text += " (see tourney docs protocol for the expected answers)"
                yield Finding("protocol", False, text, plan.traceback("protocol"), first)
                return
        finding = _legality(setup, records, bot.name, plan, seen)
        cause = _cause(bot, Path(trial.tournament.folder), finding.traceback) if bot.use else _last_words(bot, run)
        yield finding if finding.passed else finding._replace(text=finding.text + cause)
    late = [f"{setup.game} with {setup.seats} seats" for setup in plan.schedule.late]
    if len(late) == MOST_TIMEOUTS:
        yield Finding("legality", False, f"timeouts in {' and '.join(late)}; nothing else was tried")
    if sound := [(block, record) for block, record in plan.played if not record.faults]:
        yield from _play_again(plan, sound[::-1])


class _CheckPlan(RunPlan):
    def __init__(self, trial: Trial, run: Path) -> None:
        super().__init__(trial.tournament, trial.text, run, "overwrite", Check.name)
        self.logs = run / LOGS
        self._hidden = trial.hidden
        self.played: list[tuple[Block, Record]] = []

    def loaded(self) -> tuple[Tournament, Mapping[str, str]]:
        return replace(self.tournament, entrants=self.tournament.entrants + self._hidden), {}

    def on_start(self, workers: Workers) -> LiveCounts:
        return _Records(self)

    @property
    def schedule(self) -> Check:
        assert isinstance(self.counts.schedule, Check)
        return self.counts.schedule

    def traceback(self, kind: FaultKind) -> str:
        return next((each.text for each in self.counts.tracebacks if each.fault.kind == kind), "")


class _Records(LiveCounts):
    def __init__(self, plan: _CheckPlan) -> None:
        super().__init__(plan.path, plan.tournament)
        self._played = plan.played

    def add_played(self, played: PlayedBlocks, known: int) -> bytes:
        lines = super().add_played(played, known)
        records = [parse_record(line, "a worker's record") for line in lines.splitlines(keepends=True)]
        self._played += zip(played.blocks, records, strict=True)
        return lines


def _tables(plan: _CheckPlan) -> Iterator[tuple[GameSetup, list[Record]]]:
    first = 0
    with (
        hash_seed("0"),
        Workers(_FRONTEND, 1) as workers,
        plan.opened() as opened,
        closing(plan.steps(opened, workers)) as steps,
    ):
        workers.choose(plan.tournament)
        for _ in steps:
            if len(plan.played) > first and plan.schedule.setup != (setup := plan.played[first][0].setup):
                yield setup, [record for _, record in plan.played[first:]]
                first = len(plan.played)


def _last_words(bot: Entrant, run: Path) -> str:
    lines = bot_logs.stderr(run, bot.name).split("\n")
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


def _first_answer_failure(records: Sequence[Record], name: str) -> tuple["Place | None", str]:
    """Where and how a program failed at its first decision in each of these matches; else an empty text."""
    why, place = "", None
    for record in records:
        fault = next((fault for fault in record.faults if record.seats[fault.seat] == name), None)
        if fault is None or fault.kind not in ("protocol", "crash", "timeout"):
            return None, ""
        steps = Replay(record, load_game(record.game)).steps()
        if fault.decision != next((step.decision for step in steps if step.seat == fault.seat), 0):
            return None, ""
        why, place = why or f"at its first decision: {fault.detail}", place or Place.of(record, fault.decision)
    return place, why if len(records) < 2 else f"{why}, in every match"


def _legality(
    setup: GameSetup, records: Sequence[Record], name: str, plan: _CheckPlan, seen: set[FaultKind]
) -> Finding:
    table = f"{setup.game}, {setup.seats} seats"
    for record in records:
        for fault in record.faults:
            if record.seats[fault.seat] == name:
                answer = f" ({fault.answer})" if fault.answer is not None else ""
                what = f"{fault.kind} at decision {fault.decision}: {fault.detail}{answer}"
                text = f"{table}: {what}, in match {record.match}"
                traceback = "" if fault.kind in seen else plan.traceback(fault.kind)
                seen.add(fault.kind)
                place = Place.of(record, fault.decision, fault.kind == "timeout")
                return Finding("legality", False, text, traceback, place)
    return Finding("legality", True, f"{table}: {len(records)} matches without a fault")


def _play_again(plan: _CheckPlan, sound: Sequence[tuple[Block, Record]]) -> Iterator[Finding]:
    bot, tournament = plan.tournament.entrants[0], plan.loaded()[0]
    records = {record.match: record for _, record in sound}
    watcher = _Watcher(bot.name, bot.in_worker)
    with hash_seed("1"), LocalPool(tournament, 1, logs=plan.logs, performer=watcher) as pool:
        played = [each for each in pool.play(iter([block for block, _ in sound])) if each is not None]
        reports = [orjson.loads(line) for each in played for line in each.lines.splitlines(keepends=True)]
        raised = next((each.text for each in pool.tracebacks.values()), "")
    again = [parse_record(report["line"].encode(), "a worker's record") for report in reports]
    if not all([report["repeats"] for report in reports]):
        yield Finding("determinism", True, "not checked: the bot declares itself nondeterministic")
    elif differing := [each for each in again if each != records[each.match]]:
        record = records[differing[0].match]
        difference = first_difference(record, differing[0])
        place = Place.of(record, record.decisions + 1 if difference is None else difference.decision)
        traceback = raised if differing[0].faults else ""
        yield Finding("determinism", False, _difference(plan, record, difference), traceback, place)
    else:
        same = f"{len(reports)} matches repeated identically, in another order and process"
        yield Finding("determinism", True, same)
    for game in sorted({each.game for each in again}):
        timed_matches = [
            (each, report["times_ns"]) for each, report in zip(again, reports, strict=True) if each.game == game
        ]
        times = DecisionTimes()
        times.count([time_ns for _, times_ns in timed_matches for time_ns in times_ns])
        median, most, worst = map(duration_text, (times.quantile_ns(0.5), times.quantile_ns(0.95), times.worst_ns))
        limit = f" of {bot.limits.move_ms} ms" if bot.limits.move_ms is not None else ""
        text = f"{game}: median {median}, 95 % {most}, worst {worst}{limit}, {times.decisions} decisions"
        passed = bot.limits.move_ms is None or times.worst_ns <= bot.limits.move_ms * 1e6
        yield Finding("speed", passed, text, at=None if passed else _slowest_place(timed_matches, bot.name))
    if not bot.in_worker:
        until = "serve several matches" if bot.keep else "stop after each match"
        text = "the bot runs elsewhere" if bot.url else f"its process and its children {until}"
        yield Finding("leftovers", True, text)
        return
    left: dict[str, Record] = {}  # the first match that left something
    for each, report in zip(again, reports, strict=True):
        left |= {what: records[each.match] for what in report["left"] if what not in left}
    text = ", ".join([f"{what} (first after {record.match})" for what, record in left.items()])
    at = next((Place.of(record, 1) for record in left.values()), None)
    yield Finding("leftovers", not left, text or "nothing left behind, nothing changed", at=at)


def _slowest_place(matches: Sequence[tuple[Record, Sequence[int]]], name: str) -> "Place":
    record, times_ns = max(matches, key=lambda each: max(each[1], default=0))
    steps = [step for step in Replay(record, load_game(record.game)).steps() if record.seats[step.seat] == name]
    return Place.of(record, steps[times_ns.index(max(times_ns))].decision, is_slow=True)


def _difference(plan: _CheckPlan, record: Record, difference: Difference | None) -> str:
    if difference is None:
        return f"match {record.match}: it ended differently the second time"
    decision, then, first = difference
    text = f"match {record.match}, decision {decision}: first {first}, then {then}"
    if decision > record.decisions:
        return text
    answers = []
    for value in ("0", "1", "0"):
        asker = _Asker(plan.tournament.names[0], decision)
        with hash_seed(value), LocalPool(plan.loaded()[0], 1, logs=plan.logs, performer=asker) as pool:
            answers.append([each.lines for each in pool.play(iter([record.line()])) if each is not None])
    if answers[0] != answers[2]:
        return f"{text}; it reads the clock, the system's randomness, or a file"
    if answers[0] != answers[1]:
        return f"{text}; it goes through a set in its own order"
    return f"{text}; it remembers something of earlier matches"


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
    asks_bots = True

    def __init__(self, name: str, in_worker: bool) -> None:
        self._name = name
        self._in_worker = in_worker

    def perform(self, item: Block, makers: Mapping[str, BotHost], player: Player) -> bytes:
        game, reports = load_game(item.setup.game), []
        for match in item.matches():
            watched = _WatchedHost(makers[self._name])
            before = _environment(game)
            record = player.play(match, game, [watched if name == self._name else makers[name] for name in match.seats])
            left = _leftovers(before, game) if self._in_worker else []
            left = ["its view"] * watched.changed + left
            report = {"line": record.line().decode(), "times_ns": watched.times_ns, "left": left}
            reports.append(report | {"repeats": makers[self._name].repeats})
        return b"".join([orjson.dumps(report, option=orjson.OPT_APPEND_NEWLINE) for report in reports])

    def game_error(self, item: Block, why: str) -> GameError:
        return endless_match(next(iter(item.matches())), why)


class _Asker:
    """Asks a bot in a pool's worker at all decisions of a seat in a match, as a new instance."""

    asks_bots = True

    def __init__(self, name: str, decision: int) -> None:
        """The seat is the one that makes this decision."""
        self._name = name
        self._decision = decision

    def perform(self, item: bytes, makers: Mapping[str, BotHost], player: Player) -> bytes:
        record = parse_record(item, "a record")
        game = load_game(record.game)
        seat = find_step(record, game, self._decision).seat
        *_, last_step = [step for step in Replay(record, game).steps() if step.seat == seat]
        names = distinct_names(record.seats)
        point = warm_up(record, game, {seat: makers[self._name]}, last_step.decision, names)
        with closing(point.bots[seat]) as bot:
            last = ask(game, bot, point.step.state.view(seat), point.step.legal)
        return orjson.dumps([*map(list, point.divergences), last.text], option=orjson.OPT_APPEND_NEWLINE)

    def game_error(self, item: bytes, why: str) -> GameError:
        record = parse_record(item, "a record")
        return endless_match(match_of(record), why)


class _WatchedHost(BotHost):
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
    until = time.monotonic() + ENDING_S
    while (after := _environment(game)) != before and time.monotonic() < until:
        time.sleep(ENDING_S / 10)
    return [name for name in before if before[name] != after[name]]
