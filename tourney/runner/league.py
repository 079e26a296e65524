"""A league in its folder: created, changed by its events, played round by round, and two of its bots compared.

A league's tournament is its file's, with the bots and field changes of its events. The manifest repeats it for all
readers of runs; it is rewritten when the field has changed.
"""

import time
from collections.abc import Collection, Generator, Mapping, Sequence
from itertools import count
from math import inf
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import msgspec

from tourney import config
from tourney.base.errors import ConfigError, RunError, SandboxError, TourneyError, did_you_mean
from tourney.config import Entrant, Tournament, writing
from tourney.config.names import base_name
from tourney.config.tournament import FaultLimits
from tourney.contracts.rng import commitment, secret_seed
from tourney.contracts.wording import counted
from tourney.journal import bot_logs, folder, signature, writer
from tourney.journal.events import DATE, Event, EventLog, Kind, date_of, field_events, rounds
from tourney.journal.kinds import EVENTS
from tourney.journal.run import RunFolder
from tourney.plugins.fingerprints import Fingerprint
from tourney.runner.run import LiveCounts, Progress, RunPlan, Start
from tourney.runner.workers import Workers
from tourney.schedule.faults import ABSENT
from tourney.schedule.league import LeagueOptions, LeagueSchedule

DEALS = 4  # per table in a new league
MAX_FAULTS_IN_ROW = 10  # after which a new league pauses a bot
FINAL_SEED = "final-seed.txt"  # the file with the final's seed, drawn when submissions are closed


def now() -> str:
    """The current date and time in the events' format."""
    return time.strftime(DATE, time.gmtime())


def tournament_text(name: str, games: Sequence[str], settle: str, host: str | None, seed: str | None) -> str:
    """The text of a new league's tournament file; games are NAME or NAME:SEATS."""
    tables, limits = [writing.game_table(game) for game in games], {"max_faults_in_row": MAX_FAULTS_IN_ROW}
    keys: dict[str, Any] = {"format": LeagueSchedule.name, "settle": settle, "deals": DEALS}
    if host is not None:
        keys["defaults"] = {"host": host}
    seed = secret_seed() if seed is None else seed
    return writing.tournament_text([], tables, limits, name=name, seed=seed, **keys)


def tables_of(league: Path, events: Sequence[Event], base: Path) -> tuple[dict[str, Any], writing.GateFile]:
    """A league's tournament file, and its parts with the submitted bots and paths relative to `base`."""
    file = league / folder.TOURNAMENT
    data = config.tables(config.read_text(file), file)
    uses = data.get("bots", ())
    short = [{"name": name, "use": use} for name, use in zip(config.short_names(uses), uses, strict=True)]
    submitted = [event.table for event in events if event.event == "submitted"]
    return data, writing.of_tables({**data, "bot": [*short, *data.get("bot", ()), *submitted]}, file, base)


def successor_text(
    name: str, like: RunFolder, path: Path, games: Sequence[str], settle: str | None, host: str | None, seed: str | None
) -> str:
    """The text of the tournament file of a league like another one, with the given differences and a new seed."""
    data, parts = tables_of(like.path, (), path)
    given: dict[str, Any] = {"name": name, "seed": secret_seed() if seed is None else seed}
    given |= {} if settle is None else {"settle": settle}
    given |= {} if host is None else {"defaults": parts.defaults | {"host": host}}
    kept = {key: value for key, value in data.items() if key not in ("bots", "bot", "game", "limits")}
    tables = [writing.game_table(game) for game in games] or parts.games
    return writing.tournament_text([*parts.bots.values()], tables, parts.limits, **kept | parts.keys | given)


def begin(path: Path, text: str) -> None:
    """Creates a new league's folder, given the text of its tournament file."""
    file = path / folder.TOURNAMENT
    with writer.begin(path, text, config.manifest(_league(config.of_text(text, file), file), kind=LeagueSchedule.name)):
        (path / EVENTS).touch()


def _league(tournament: Tournament, file: Path) -> Tournament:
    if tournament.format != LeagueSchedule.name:
        raise ConfigError(f'{file}: expected format = "league", got "{tournament.format}"')
    return tournament


def tournament_of(league: Path, events: Sequence[Event], manifest: Mapping[str, Any] | None = None) -> Tournament:
    """The tournament of a league with all bots ever entered; reads its manifest unless that is given."""
    file = league / folder.TOURNAMENT
    tables = {event.bot: event.table for event in events if event.event == "submitted"}
    data, made = config.tables(config.read_text(file), file), (manifest or folder.read_manifest(league))["tournament"]
    data = {key: made.get(key, value) for key, value in LeagueOptions.older.items()} | data
    entered = [tables[event.bot] for event in events if event.event == "entered"]
    tournament = _league(config.of_tables({**data, "bot": [*data.get("bot", ()), *entered]}, file), file)
    return msgspec.structs.replace(tournament, events=field_events(events))


def default_host(league: Path) -> str:
    """The host of a league's bots that name none; empty for the one of each kind of bot."""
    file = league / folder.TOURNAMENT
    return str(config.tables(config.read_text(file), file).get("defaults", {}).get("host", ""))


def unplayable_reason(tournament: Tournament, entrant: Entrant, recorded: Fingerprint) -> str:
    """Why a bot cannot play as submitted; empty if it can. A `SandboxError` if this machine has no sandbox."""
    folder_of_bots = Path(tournament.folder)
    try:
        if config.all_fingerprints([entrant], folder_of_bots)[entrant.name].sha256 != recorded.sha256:
            return "has changed since it was submitted; submit it again"
        config.examine_bots(msgspec.structs.replace(tournament, entrants=(entrant,)), folder_of_bots)
    except SandboxError:  # narrower than `spares_bots`: a bot can print what looks like another limit
        raise
    except TourneyError as error:
        return str(error)
    return ""


State: TypeAlias = Literal["plays", "paused", "retired", "refused", "submitted"]
"""The state of a bot version. `submitted`: its check by an older version of tourney was interrupted."""
ENTERED: Sequence[State] = ("plays", "paused", "retired")
PRESENT: Sequence[State] = ("plays", "paused")
_STATES: dict[Kind, State] = {"entered": "plays", "restored": "plays"}
_STATES |= {"refused": "refused", "paused": "paused", "retired": "retired"}
_BEFORE: Mapping[Kind, Sequence[State]] = {"paused": ("plays",), "retired": PRESENT, "restored": ("paused", "retired")}
"""The states in which a bot can be paused, retired, or restored."""


class VersionStatus(NamedTuple):
    """The status of one submitted version of a bot."""

    name: str  # with its version
    state: State
    since: str
    block: int
    why: str
    author: str


def field_of(events: Sequence[Event], names: Sequence[str] = ()) -> list[VersionStatus]:
    """The status of every version, in order of submission, after the bots of the league's file, given in `names`."""
    submitted = {event.bot for event in events if event.event == "submitted"}
    statuses = {name: VersionStatus(name, "plays", "", 0, "", "") for name in names if name not in submitted}
    for event in events:
        if event.event == "submitted":
            statuses[event.bot] = VersionStatus(event.bot, "submitted", event.date, event.block, "", event.author)
        elif event.bot in statuses and event.event in _STATES:
            state, before = _STATES[event.event], statuses[event.bot]
            statuses[event.bot] = before._replace(state=state, since=event.date, block=event.block, why=event.why)
    return list(statuses.values())


def names_of(league: Path, events: Sequence[Event]) -> list[VersionStatus]:
    """The bots that can be named: the league file's, and every entered version, the latest last."""
    return [each for each in field_of(events, tournament_of(league, ()).names) if each.state in ENTERED]


def named(league: Path, name: str, versions: Sequence[VersionStatus]) -> VersionStatus:
    """The bot with a name; without a version, the latest."""
    some = [each for each in versions if name in (each.name, base_name(each.name))]
    if not some:
        remedy = did_you_mean(name, [each.name for each in versions]) if versions else "no bots were entered yet"
        raise RunError(f'{league}: no bot "{name}" in this league; {remedy}')
    return some[-1]


def versions_of(league: RunFolder, name: str | None = None) -> list[str]:
    """All versions ever entered, or those with a name, which may have a version; a `RunError` if there are none."""
    versions = [each for each in field_of(league.events, league.tournament.names) if each.state in ENTERED]
    if name is not None:
        named(league.path, name, versions)
    return [each.name for each in versions if name in (None, each.name, base_name(each.name))]


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
    seed, bots = writing.drawn_seed(path, start == "resume"), [planned.bots[name] for name in names]
    keys = {"name": path.name, "seed": seed, "format": "mirror", "deals": deals} | planned.keys
    text = writing.tournament_text(bots, planned.games, planned.bot_limits, **keys)
    if start == "new":
        folder.require_free(path)
    folder.make(path)  # bot paths lead through it
    tournament = config.of_text(text, path / folder.TOURNAMENT)
    return RunPlan(config.examine_bots(tournament, path), text, path, start, kind="compare")


def change(league: Path, name: str, kind: Kind, why: str = "", previous: bool = False) -> list[VersionStatus]:
    """Pauses, retires or restores a bot, see `tourney.League`; with `previous`, the version before plays again."""
    with EventLog(league) as log:
        versions = names_of(league, log.events)
        bot = named(league, name, versions)
        if bot.state not in _BEFORE[kind]:
            state = "already plays" if bot.state == "plays" else f"is already {bot.state}"
            raise RunError(f"{league}: {bot.name} {state}, since {bot.since}")
        if (kind == "restored" or previous) and (later := newer(bot.name, versions)):
            raise RunError(f"{league}: {bot.name} was replaced by {later}; retire that first, or submit {name} again")
        own = [each for each in versions if base_name(each.name) == base_name(bot.name)]
        older = own[: own.index(bot)]
        changed = {bot: kind}
        if previous and not older:
            raise RunError(f"{league}: {bot.name} has no earlier version to restore; retire it alone")
        if previous and older[-1].state != "plays":
            changed[older[-1]] = "restored"
        elif kind == "retired" and not previous:
            changed |= {each: kind for each in older if each.state in PRESENT}
        events = [Event(done, log.next_block, now(), each.name, why) for each, done in changed.items()]
        log.add(*events)
    return [
        each._replace(state=_STATES[event.event], since=event.date, block=event.block, why=why)
        for each, event in zip(changed, events, strict=True)
    ]


def close(league: Path, at: str | None = None) -> Event:
    """Closes a league for submissions now or at a date, and draws the final's seed; a later date opens it again."""
    with EventLog(league) as log:
        until, before = now() if at is None else date_of(at), closing(log.events)
        seed = secret_seed()
        if before is None:
            folder.write_atomically(league / FINAL_SEED, f"{seed}\n".encode())
        sha256 = commitment(seed) if before is None else before.sha256
        event = Event("closed", log.next_block, now(), sha256=sha256, until=until)
        log.add(event)
    return event


def closed_reason(events: Sequence[Event]) -> str:
    """That submissions are closed, and since when; empty if they are open."""
    if (closed := closing(events)) is None or closed.until > now():
        return ""
    return f"submissions closed at {closed.until}; ask the organiser"


def closing(events: Sequence[Event]) -> Event | None:
    """The event that closes submissions, or will; None if there is none."""
    return next((event for event in reversed(events) if event.event == "closed"), None)


def present(name: str, versions: Sequence[VersionStatus]) -> list[str]:
    """The versions of a bot in the league, in order; the name may have a version."""
    return [each.name for each in versions if each.state in PRESENT and base_name(each.name) == base_name(name)]


def newer(name: str, versions: Sequence[VersionStatus]) -> str:
    """The latest version in the league, if newer than this one; else an empty text."""
    return next((other for other in reversed(present(name, versions)) if version(other) > version(name)), "")


def version(name: str) -> int:
    """The number of a version; 0 for an entrant of the league's file, which has none."""
    number = name.partition("@")[2]
    return int(number) if number.isdecimal() else 0


class LeaguePlan(RunPlan):
    """A league, played until nothing is worth playing or a limit is reached, with each round's field."""

    def __init__(self, league: Path, seconds: float | None = None, matches: int | None = None) -> None:
        self.path, self._most = league, inf if matches is None else matches
        self._end = inf if seconds is None else time.monotonic() + seconds
        self._recorded: dict[str, Fingerprint] = {}  # of every bot, as submitted
        self._examined: dict[str, str] = {}  # why a bot cannot be loaded, or an empty text
        self._loaded: Tournament | None = None  # the tournament of the chosen workers
        self._voided = False  # whether matches were voided since the journal was read
        self._played = 0

    def choose(self, workers: Workers) -> None:
        """Does nothing: each round's field chooses the workers."""

    def opened(self) -> writer.JournalWriter:
        return writer.JournalWriter(self.path)

    def steps(self, opened: writer.JournalWriter, workers: Workers) -> Generator[Progress]:
        """Plays rounds; reads the journal again when matches have been voided."""
        self._voided = True
        while self._voided:
            self._voided = False
            self._most -= self._played
            yield from super().steps(opened, workers)

    def on_start(self, workers: Workers) -> LiveCounts:
        league = RunFolder(self.path).require(LeagueSchedule.name)
        self._workers, self._events, paired = workers, league.events, rounds(league.events)
        self.tournament = self._taken_in(league.manifest)
        self._choose(max(paired, default=0))
        counts = super().on_start(workers)
        counts.schedule.recall(paired.get)
        return counts

    def so_far(self, far: Progress) -> str:
        return f"{far.matches} matches"

    def _taken_in(self, before: dict[str, Any]) -> Tournament:
        """The tournament according to the current events, after updating its manifest, which was `before`."""
        events = self._events
        tournament = tournament_of(self.path, events)
        submitted = {event.bot: Fingerprint(event.version, event.sha256) for event in events if event.sha256}
        played = any([event.event == "round" for event in events])
        known = {name: Fingerprint(**code) for name, code in before["bots"].items() if played} | submitted
        others = [entrant for entrant in tournament.entrants if entrant.name not in known]
        known |= config.all_fingerprints(others, self.path)
        self._recorded = {name: known[name] for name in tournament.names}
        manifest = config.manifest(tournament, self._recorded, LeagueSchedule.name)
        refuse_edited(self.path, events, before, manifest)
        if manifest != before:
            folder.write_manifest(self.path, manifest)
            signature.sign(self.path, tournament)
        return tournament

    def _choose(self, block: int) -> None:
        events, states = self.tournament.events, LeagueSchedule(self.tournament).states(block)
        later = {event.bot for event in events if event.block > block and event.event in ("entered", "restored")}
        entrants, examined = [], {}
        for each in self.tournament.entrants:
            name = each.name
            if states[name] == "plays" or name in later:
                why = self._examined.get(name)
                examined[name] = unplayable_reason(self.tournament, each, self._recorded[name]) if why is None else why
                entrants.append(Entrant(name, "random", {}) if examined[name] else each)
        self._examined = examined
        unlimited = FaultLimits()  # an event pauses bots with many faults
        loaded = msgspec.structs.replace(
            self.tournament, entrants=tuple(entrants), entered=(), events=(), fault_limits=unlimited
        )
        if loaded != self._loaded:
            self._loaded = loaded
            self._workers.choose(loaded)

    def refuse_changed(self) -> None:
        config.refuse_changed(
            self.tournament, {name: self._recorded[name] for name, why in self._examined.items() if not why}
        )

    def limit_reached(self, played: int) -> bool:
        self._played = played
        return time.monotonic() >= self._end or played >= self._most

    def loaded(self) -> tuple[Tournament, Mapping[str, str]]:
        self._choose(self._plan.first_block)
        assert self._loaded is not None
        return self._loaded, {name: ABSENT for name, why in self._examined.items() if why}

    def start_round(self) -> bool:
        """Whether to play the next round; adds its pairing, and reactions to the results, to the events."""
        plan = self._plan
        with EventLog(self.path) as log:
            self._events = log.events
            if log.next_block > plan.first_block:
                return True  # already paired
            if field_events(log.events) == self.tournament.events:
                log.add(*self._reactions(plan))
            if field_events(log.events) != self.tournament.events:
                return False
            blocks = plan.next_block - plan.first_block
            if blocks:
                tables, twins, undecided = plan.paired_round
                event = Event("round", plan.first_block, now(), blocks=blocks, undecided=undecided)
                log.add(msgspec.structs.replace(event, tables=tuple(tables), twins=tuple(twins.items())))
            return blocks > 0

    @property
    def _plan(self) -> LeagueSchedule:
        assert isinstance(self.counts.schedule, LeagueSchedule)
        return self.counts.schedule

    def change_field(self) -> bool:
        """Applies changes to the field; False if there were none, or if the journal must be read again."""
        changed, known = field_events(self._events), self.tournament.events
        self._voided = any([event.blocks and event not in known for event in changed])
        if changed == known or self._voided:
            return False
        self.tournament = self._taken_in(folder.read_manifest(self.path))
        self.counts.enter(self.tournament)
        self._plan.change_field(self.tournament)
        return True

    def _reactions(self, plan: LeagueSchedule) -> list[Event]:
        first, date, states = plan.first_block, now(), plan.states()
        reactions = {}
        for name, why in self._examined.items():
            if why and states[name] == "plays":
                reactions[name] = Event("paused", first, date, name, why)
        for name, faults in plan.to_pause().items():
            why = f"{counted(faults.longest_row, 'fault')} in a row"
            for fault, trace in [*bot_logs.tracebacks(self.path, name).items()][-1:]:
                why += f"\n{trace}" if "\n" in trace else f"; the last {fault}: {trace}"
            reactions[name] = Event("paused", first, date, name, why)
        for name, newest in plan.to_retire().items():
            reactions[name] = Event("retired", first, date, name, f"replaced by {newest}")
        return list(reactions.values())


def refuse_edited(league: Path, events: Sequence[Event], before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    """Raises a `RunError` if the tournament file has changed in what must last once a round was paired.

    The arguments are the manifest as it was, and as it follows from the file.
    """
    entered = {event.bot for event in events if event.event == "entered"}
    old, new = [_lasting({**LeagueOptions.older, **each["tournament"]}, entered) for each in (before, now)]
    played = any([event.event == "round" for event in events])
    if played and (changes := folder.manifest_differences(old, new, "tournament")):
        one, other = [[game["game"] for game in each["games"]] for each in (old, new)]
        moved = [f"{game} was added to the games" for game in other if game not in one]
        moved += [f"{game} was removed from the games" for game in one if game not in other]
        what = f"{moved[0]}, which stay the same" if moved else f"created with different settings: {changes[0]}"
        raise RunError(
            f"{league}: {what}; undo the change, or create a successor like {league} with `tourney league new`"
        )


def _lasting(tournament: Mapping[str, Any], entered: Collection[str]) -> dict[str, Any]:
    """The unchangeable part of a manifest's tournament: all but entered bots, events, limits, bounds and pages."""
    names = [bot["name"] for bot in tournament["bots"] if bot["name"] not in entered]
    free = ("events", "page", "match_s", "max_files", "max_mb", *FaultLimits.__struct_fields__)
    return {key: value for key, value in tournament.items() if key not in free} | {"bots": names}
