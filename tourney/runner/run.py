"""Plays a tournament into the folder of a run: a new run, or the rest of one that was stopped."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, count, dropwhile, islice, takewhile
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from tourney import config
from tourney.base.errors import (
    EXIT_ENDED_EARLY,
    ConfigError,
    CostLimitError,
    RunError,
    TooManyFaultsError,
    WriteError,
    resume_hint,
)
from tourney.config import Tournament
from tourney.config.tournament import Salt
from tourney.contracts.match import Block, Record, RecordedResult
from tourney.contracts.rng import SEED_BYTES
from tourney.contracts.wording import dollars
from tourney.hosts.faults import BotTraceback
from tourney.journal import bot_logs, folder, signature, times, writer
from tourney.journal.notes import NotesWriter
from tourney.journal.reader import JournalBlock, read_blocks
from tourney.journal.standings import RankedRun, RunTotals, write_standings
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.extend import EarlierRun, without_dropped
from tourney.runner.pool.ordered import Machines, OrderedPool, PlayedBlocks
from tourney.runner.workers import Caller, Workers
from tourney.schedule.base import Schedule, schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.results import MatchResult

Start: TypeAlias = Literal["new", "resume", "overwrite"]
SYNC_S = 2.0  # after how many seconds a written record, and the times, are on the disk at the latest


def start_of(resume: bool, overwrite: bool) -> Start:
    """How a run or a gate starts; raises a `ConfigError` if both are asked for."""
    if resume and overwrite:
        raise ConfigError("resume continues, and overwrite starts over; use one of them")
    return "resume" if resume else "overwrite" if overwrite else "new"


class RunOrder(NamedTuple):
    """A tournament with the text of its file, and how to play it; see `tourney.run`."""

    tournament: Tournament
    text: str
    path: Path
    start: Start
    force: bool = False
    extend: Path | None = None
    replace: Sequence[str] = ()
    drop: Sequence[str] = ()  # they are out of the tournament already

    @property
    def corrects(self) -> bool:
        """Whether the run that is extended has bots that are replaced or dropped."""
        return bool(self.replace or self.drop)


def ordered(
    tournament: Tournament, text: str, out: Path | None, start: Start, force: bool, extend: Path | None,
    replace: Sequence[str], drop: Sequence[str],
) -> RunOrder:  # fmt: skip
    """The order of a tournament whose bots are not loaded yet; the dropped need not be there.

    A correction goes by default beside the newest of the runs results/NAME, results/NAME-2 and so on, which it extends.
    """
    if force and start != "resume":
        raise ConfigError("force is for a run that is resumed; use both, or neither")
    path = Path("results") / tournament.name
    if (replace or drop) and start != "resume":
        beside = chain([path], (path.with_name(f"{path.name}-{number}") for number in count(2)))
        there = [*takewhile(lambda run: (run / folder.MANIFEST).is_file(), beside)]
        extend = extend or (there[-1] if there else folder.find_run(str(path)))
        path = path.with_name(f"{path.name}-{max(2, len(there) + 1)}")
    path = out or path
    if extend is not None and path.resolve() == extend.resolve():
        raise RunError(f"{path}: a run cannot extend itself; use another folder")
    if start == "resume" or drop:
        tournament = without_dropped(tournament, path if start == "resume" or extend is None else extend, drop)
    return RunOrder(tournament, text, path, start, force, extend, replace, drop)


class Progress(NamedTuple):
    """How far a run or a gate is."""

    matches: int
    schedule: Schedule  # the schedule, which has noted every result so far if it adapts
    played: int  # how many matches were played since this start, without the reused ones
    counts: OutcomeCounts
    out: Mapping[str, str]  # the disqualified entrants, each with the reason
    machines: Machines | None  # how many machines play, if a cluster does
    reading: bool = False  # whether the journal is still being read, so that nothing is played yet
    cost: float = 0.0  # what the decisions so far cost by the notes of the bots, in dollars


def lead(
    order: RunOrder,
    workers: Workers,
    caller: Caller,
    how_to_resume: str,
    begun: Callable[[EarlierRun | None], Callable[[Progress], None]],
) -> RankedRun:
    """Plays a tournament, or the rest of it, until it is finished or Ctrl-C stops it; returns the standings."""
    order = order._replace(tournament=_with_salts(order))
    tournament, text, path, start, force, extend, *_ = order
    earlier = None  # until it is read, Ctrl-C ends at once: there is nothing to resume yet
    if extend is not None and order.corrects:
        earlier = EarlierRun.corrected(extend, tournament, order.replace)
    elif extend is not None:
        earlier = EarlierRun.extended(extend, tournament)
    with caller.stoppable(how_to_resume) as check:

        def heard() -> None:
            check("stopped while the journal was read")

        with prepare(tournament, text, path, start, force, heard) as journal:
            if earlier is not None:
                earlier.heard = heard
            show = begun(earlier)

            def report(now: Progress) -> None:
                show(now)
                if now.reading:
                    heard()
                else:
                    check(f"stopped after {now.matches} of {now.schedule.describe_size()}")

            with resume_hint(how_to_resume):
                return play(tournament, journal, workers, report, earlier)


def _with_salts(order: RunOrder) -> Tournament:
    """The tournament with the salts of the run that it continues or extends, and a fresh one for deals that it adds.

    Each extension has a salt, whether it adds deals or not: it also says that the run was extended.
    """
    tournament = order.tournament
    resumed = order.start == "resume"
    before = order.path if resumed else order.extend
    if before is None:
        return tournament
    earlier = config.of_manifest(folder.read_manifest(before))
    salts = earlier.salts
    has_more = earlier.deals < tournament.deals and schedule(tournament).why_not_extendable() is None
    if has_more or not (resumed or order.corrects):
        salts += (Salt(earlier.deals, secrets.token_hex(SEED_BYTES)),)
    return msgspec.structs.replace(tournament, salts=salts)


def prepare(
    tournament: Tournament, text: str, path: Path, start: Start, force: bool, heard: Callable[[], None] = lambda: None
) -> writer.JournalWriter:
    """Makes the folder of a run, or verifies that the run in it can be resumed or replaced; see `prepare_folder`.

    The `raisable` keys of the format may be larger. With `force` everything may differ as long as the tournament begins
    with the matches that were played, which are read; the run then continues under the new manifest. `heard` is called
    at each block that is read, and may raise.
    """
    manifest = config.manifest(tournament)

    def raised(before: dict[str, Any]) -> dict[str, Any]:
        old, new = before["tournament"], manifest["tournament"]
        raisable = [key for key in schedule(tournament).raisable if isinstance(old.get(key), int | float)]
        return before | {"tournament": old | {key: new[key] for key in raisable if old[key] < new[key]}}

    return prepare_folder(tournament, path, text, manifest, start, raised, force, heard)


def prepare_folder(
    tournament: Tournament,
    path: Path,
    text: str,
    manifest: dict[str, Any],
    start: Start,
    adapt: Callable[[dict[str, Any]], dict[str, Any]],
    force: bool = False,
    heard: Callable[[], None] = lambda: None,
) -> writer.JournalWriter:
    """Makes the folder of a new run or gate, or verifies that the one in it can be resumed or replaced.

    Returns the locked journal; nothing is changed before it is locked, nor if the run is refused. `adapt` changes the
    earlier manifest where the new one may differ.
    """
    if start == "overwrite" and (path / folder.MANIFEST).exists():
        journal = writer.replace(path, text, manifest)
    elif start != "resume":
        journal = writer.begin(path, text, manifest)
    else:
        folder.read_manifest(path)  # raises if there is no run, before a missing journal is made
        try:
            journal = _reopened(path, tournament, manifest, adapt, force, heard)
        except WriteError as error:
            error.exit_code = EXIT_ENDED_EARLY  # the run was begun
            raise
    signature.sign(path, tournament)
    return journal


def _reopened(
    path: Path,
    tournament: Tournament,
    manifest: dict[str, Any],
    adapt: Callable[[dict[str, Any]], dict[str, Any]],
    force: bool,
    heard: Callable[[], None],
) -> writer.JournalWriter:
    """The locked journal of a run that is resumed; writes the manifest under which it continues."""
    journal = writer.JournalWriter(path)
    try:
        before = folder.read_manifest(path)
        folder.require_same_kind(path, before, manifest)
        if (aside := path / folder.EARLIER / folder.JOURNAL).exists():
            raise RunError(
                f"{path}: an earlier version of tourney did not finish its correction; correct the run of before, "
                f"{aside.parent}, in another folder"
            )
        differences = folder.manifest_differences(adapt(before), manifest)
        if differences and not force:
            more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
            forcible = "" if "gate" in before else ", or force resuming it"
            raise RunError(
                f"{path}: was begun differently: {differences[0]}{more}; overwrite it to start over, use another folder"
                f"{forcible}"
            )
        if differences:
            for _ in read_blocks(path, schedule(tournament)):  # raises if its matches are not in the tournament
                heard()
        if before | {"python": None} != manifest | {"python": None}:  # a change of the Python alone is not written
            folder.write_manifest(path, manifest)
            for standings in (folder.STANDINGS_JSON, folder.STANDINGS_TEXT):
                (path / standings).unlink(missing_ok=True)  # they are those under the other manifest
    except BaseException:
        journal.close()
        raise
    return journal


def play(
    tournament: Tournament,
    journal: writer.JournalWriter,
    workers: Workers,
    report: Callable[[Progress], None],
    earlier: EarlierRun | None = None,
) -> RankedRun:
    """Plays the matches that are missing in the journal, writes the standings, and returns them."""
    counts = LiveCounts(tournament)
    play_on(journal, counts, workers, report, earlier)
    totals = RunTotals(tournament, counts.schedule, counts.counts, counts.matches, left_out=0)
    return write_standings(journal.folder, totals)


class Field(Protocol):
    """Who plays a run, where that can change between two of its rounds."""

    def loaded(self, counts: "LiveCounts") -> tuple[Tournament, Mapping[str, str]]:
        """The tournament of those whom the workers load, and for whom the house plays, each with the reason."""

    def opens_round(self, counts: "LiveCounts") -> bool:
        """Whether the next round is to be played, by those who play already."""

    def change(self, counts: "LiveCounts") -> bool:
        """Has those play on who are there now; False if nobody has come or gone, so that nothing is left to play."""

    def has_enough(self, played: int) -> bool:
        """Whether no more is to be played after so many matches."""


class LiveCounts:
    """The counts of a run so far, in the order of its schedule."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.schedule = schedule(tournament)
        self.counts = OutcomeCounts(tournament.names, tournament.setups, self.schedule.most_batches)
        self.matches = 0
        self.tracebacks: list[BotTraceback] = []  # of the faults since the start: the first of each entrant and kind

    @property
    def finished(self) -> bool:
        """Whether no further match is to be played."""
        return self.schedule.is_over(self.matches)

    def enter(self, tournament: Tournament) -> None:
        """Counts on with a tournament that has more entrants, behind those of before."""
        self.tournament = tournament
        self.counts.enter(tournament.names)

    def add_found(self, found: JournalBlock[RecordedResult]) -> None:
        """Counts the next complete block of the journal, which the schedule has already noted."""
        self._count(found.block, found.records)

    def add_played(self, played: PlayedBlocks, known: int) -> bytes:
        """Counts the next blocks, and has the schedule note them; returns their lines but for the first `known`."""
        rest = iter(played.results)
        for block in played.blocks:
            results = list(islice(rest, len(block.seatings)))
            self._count(block, results)
            if self.schedule.adapts:
                for seats, result in zip(block.seatings, results, strict=True):
                    self.schedule.note(block.number, seats, result.places, result.faults)
        return b"".join(played.lines.splitlines(keepends=True)[known:]) if known else played.lines

    def _count(self, block: Block, results: Sequence[Record | RecordedResult | MatchResult]) -> None:
        self.counts.add(block, results)
        self.matches += len(results)


def play_on(
    journal: writer.JournalWriter,
    counts: LiveCounts,
    workers: Workers,
    report: Callable[[Progress], None],
    earlier: EarlierRun | None = None,
    field: Field | None = None,
) -> None:
    """Plays what is missing in the journal, in the order of the schedule, until the counts are finished."""
    plan = counts.schedule
    faults = FaultMonitor(counts.tournament, plan.most_matches, disqualifies=field is None)
    last = 0, 0  # the number of the journal's last block, and how many matches of it are there

    def add_found(found: JournalBlock[RecordedResult]) -> None:
        nonlocal last
        last = found.block.number, len(found.records)
        if found.complete:
            counts.add_found(found)
            faults.add(found.records)
        report(Progress(counts.matches, plan, 0, counts.counts, faults.out, None, reading=True))

    complete, known = journal.resume(plan, add_found)
    with NotesWriter(journal.folder) as notes, folder.failures_logged(journal.folder):
        notes.resume(*last)
        report(Progress(counts.matches, plan, 0, counts.counts, faults.out, None, cost=notes.cost))
        if counts.finished and field is None:
            return
        output = _Output(journal, notes, counts, faults, report, known)
        while True:
            tournament = counts.tournament
            if field is not None:
                tournament, faults.out = field.loaded(counts)
            pool = workers.pool(tournament, faults, folder.logs_folder(journal.folder, tournament))
            with pool:
                output.write(pool, _blocks(pool, counts, complete, earlier, field), field)
            if field is None or field.has_enough(output.played) or not field.change(counts):
                break
        output.sync()


class _Output:
    """Writes what is played into the folder of a run."""

    def __init__(
        self,
        journal: writer.JournalWriter,
        notes: NotesWriter,
        counts: LiveCounts,
        faults: FaultMonitor,
        report: Callable[[Progress], None],
        known: int,
    ) -> None:
        """`known` is the number of records of the next block that are in the journal."""
        self.played = 0  # how many matches were played, without the reused ones
        self._journal, self._notes, self._counts, self._faults = journal, notes, counts, faults
        self._report, self._known = report, known
        self._run = journal.folder
        self._times = times.load(self._run) or times.Times()
        self._synced = monotonic()

    def write(self, pool: OrderedPool, found: Iterator[PlayedBlocks | None], field: Field | None) -> None:
        """Writes blocks as they are played, until the counts are finished, or the field has enough."""
        counts, faults = self._counts, self._faults
        logged = len(counts.tracebacks)  # of an earlier pool
        self._heed_cost(pool)
        try:
            for blocks in found:
                for raised in islice(pool.tracebacks.values(), len(counts.tracebacks) - logged, None):
                    bot_logs.add(self._run, raised)
                    counts.tracebacks.append(raised)
                if blocks is not None:
                    self._append(blocks)
                if monotonic() - self._synced > SYNC_S:
                    self.sync()
                    times.save(self._run, self._times, pool.times)
                so_far = counts.matches, counts.schedule, self.played, counts.counts
                self._report(Progress(*so_far, faults.out, pool.machines, cost=self._notes.cost))
                if counts.finished or (field is not None and field.has_enough(self.played)):
                    break
                if faults.stop is not None and blocks is not None:
                    raise TooManyFaultsError(f"{faults.stop}; see the faults of its matches")
                self._heed_cost(pool)
        finally:
            self._times.add(pool.times)
            times.save(self._run, self._times)

    def _heed_cost(self, pool: OrderedPool) -> None:
        """Ends the run once it has cost too much, and all that is in play, which is paid for, was written."""
        cost, most = self._notes.cost, self._counts.tournament.fault_limits.max_cost
        pool.drains = most is not None and cost >= most
        if pool.drains and not pool.unfinished:
            raise CostLimitError(
                f"the run has cost {dollars(cost)}, and max_cost is {most:g}; raise max_cost and resume"
            )

    def _append(self, blocks: PlayedBlocks) -> None:
        """Writes and counts blocks; an incomplete one was played again in full, and its records there stay."""
        before = self._counts.matches + self._known
        self._notes.append(b"".join(blocks.notes[self._known :]))  # before the records, so that none is lost
        self._journal.append(self._counts.add_played(blocks, self._known))
        self._known = 0
        self.played += 0 if blocks.reused else self._counts.matches - before

    def sync(self) -> None:
        """Waits until everything written is on the disk."""
        self._notes.sync()
        self._journal.sync()
        self._synced = monotonic()


def _blocks(
    pool: OrderedPool, counts: LiveCounts, complete: int, earlier: EarlierRun | None, field: Field | None
) -> Iterator[PlayedBlocks | None]:
    """The blocks that follow the complete ones, in order, played or reused; None while none is ready."""
    if earlier is not None:
        yield from earlier.merge(complete, pool)
        return
    rounds = counts.schedule.rounds()  # each is played to its end before the next one is made
    while (field is None or field.opens_round(counts)) and (blocks := next(rounds, None)) is not None:
        yield from pool.play(dropwhile(lambda block: block.number < complete, blocks))
