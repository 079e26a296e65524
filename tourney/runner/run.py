"""Plays a tournament into the folder of a run: a new run, or the rest of one that was stopped."""

import secrets
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from functools import cached_property
from itertools import chain, count, dropwhile, islice, takewhile
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeAlias, TypeVar

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
from tourney.journal.kinds import KINDS
from tourney.journal.notes import NotesWriter
from tourney.journal.reader import JournalBlock, parse_record
from tourney.journal.run import RunFolder, require_kind
from tourney.journal.search import FirstFaults
from tourney.journal.standings import RankedRun, RunTotals, write_standings
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.extend import EarlierRun, remove_bots
from tourney.runner.pool.ordered import Machines, OrderedPool, PlayedBlocks
from tourney.runner.workers import Workers
from tourney.schedule.base import Schedule, schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.results import MatchResult

Far = TypeVar("Far")


Start: TypeAlias = Literal["new", "resume", "overwrite"]
SYNC_S = 2.0  # after how many seconds a written record, and the times, are on the disk at the latest


def start_of(resume: bool, overwrite: bool) -> Start:
    """How a run or a gate starts; raises a `ConfigError` if both are asked for."""
    if resume and overwrite:
        raise ConfigError("resume continues, and overwrite starts over; use one of them")
    return "resume" if resume else "overwrite" if overwrite else "new"


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


class Plan(Protocol[Far]):
    """What can be led: something that is played or analysed into the folder of a run, step by step."""

    def opened(self) -> AbstractContextManager[Any]:
        """Opens what is written to; until then nothing has begun that could be resumed."""

    def steps(self, opened: Any, workers: Workers) -> Generator[Far]:
        """Does all that is missing; yields how far it is, several times a second."""

    def stopped(self, far: Far) -> str:
        """What Ctrl-C has stopped, in words."""


def lead(plan: Plan[Far], workers: Workers, how_to_resume: str) -> Generator[Far]:
    """Has a plan carried out until it is finished or Ctrl-C stops it; yields how far it is."""
    with (
        workers.frontend.interruptible(how_to_resume) as check_interrupt,
        plan.opened() as opened,
        resume_hint(how_to_resume),
        closing(plan.steps(opened, workers)) as steps,
    ):
        for far in steps:
            yield far
            check_interrupt(plan.stopped(far))


class RunPlan:
    """A tournament that is played into the folder of a run, new or begun."""

    earlier: EarlierRun | None = None
    """The run whose matches are reused, once the bots were examined."""
    counts: "LiveCounts"
    """What it has come to, once it is played."""
    ranked: RankedRun
    """The standings, once it is played."""
    force: bool = False
    extend: RunFolder | None = None
    """The run whose matches are reused; see `tourney.run`."""
    replace: Sequence[str] = ()
    drop: Sequence[str] = ()
    _continued: RunFolder | None = None  # the run that is resumed or extended, as it was before
    _before: dict[str, Any] | None = None  # the manifest of a run that is resumed, once it is locked

    def __init__(self, tournament: Tournament, text: str, path: Path, start: Start = "new", kind: str = "run") -> None:
        """`text` is that of the tournament file."""
        self.tournament, self.text, self.path, self.start, self.kind = tournament, text, path, start, kind

    @classmethod
    def of(
        cls, tournament: Tournament, text: str, out: Path | None, start: Start, force: bool, extend: Path | None,
        replace: Sequence[str], drop: Sequence[str], file: Path | None,
    ) -> Self:  # fmt: skip
        """Plans what `tourney.run` is asked for, up to `examine`; the code of bots that are dropped need not be there.

        A correction goes by default beside the newest of results/NAME, results/NAME-2 and so on, which it extends.
        """
        home = Path("results") / tournament.name
        path = out or home
        require_kind("run", tournament, there := RunFolder(path), file)
        if force and start != "resume":
            raise ConfigError("force is for a run that is resumed; use both, or neither")
        if (replace or drop) and start != "resume":
            beside = chain([home], (home.with_name(f"{home.name}-{number}") for number in count(2)))
            runs = [*takewhile(lambda run: (run / folder.MANIFEST).is_file(), beside)]
            extend = extend or (runs[-1] if runs else folder.find_run(str(home)))
            path = out or home.with_name(f"{home.name}-{max(2, len(runs) + 1)}")
        if extend is not None and path.resolve() == extend.resolve():
            raise RunError(f"{path}: a run cannot extend itself; use another folder")
        plan = cls(tournament, text, path, start)
        plan.force, plan.replace, plan.drop = force, replace, drop
        plan.extend = None if extend is None else RunFolder(extend)
        plan._continued = there if start == "resume" else plan.extend
        if plan._continued is not None and (start == "resume" or drop):
            plan.tournament = remove_bots(tournament, plan._continued, drop)
        return plan

    @property
    def corrects(self) -> bool:
        """Whether the run that is extended has bots that are replaced or dropped."""
        return bool(self.replace or self.drop)

    def examine(self, file: Path) -> None:
        """Examines the bots of a tournament file, and reads the run that is extended, if there is one.

        The tournament gets the salts of the run that it continues or extends, and a fresh one for deals that it adds.
        Each extension has a salt, whether it adds deals or not: it also says that the run was extended.
        """
        self.tournament = config.examine_bots(self.tournament, file)
        if self._continued is not None:
            before, extends = self._continued.tournament, self.start != "resume" and not self.corrects
            salts, more = before.salts, before.deals < self.tournament.deals
            if extends or (more and schedule(self.tournament).why_not_extendable() is None):
                salts += (Salt(before.deals, secrets.token_hex(SEED_BYTES)),)
            self.tournament = msgspec.structs.replace(self.tournament, salts=salts)
        if self.extend is not None and self.corrects:
            self.earlier = EarlierRun.corrected(self.extend, self.tournament, self.replace)
        elif self.extend is not None:
            self.earlier = EarlierRun.extended(self.extend, self.tournament)

    def choose(self, workers: Workers) -> None:
        """Chooses the workers, or connects to their cluster."""
        workers.choose(self.tournament)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What the manifest of the run says."""
        return config.manifest(self.tournament, kind=self.kind)

    def adapted(self, before: dict[str, Any]) -> dict[str, Any]:
        """The manifest of a run that is resumed, with the changes that are allowed: `raisable` keys may be larger."""
        old, new = before["tournament"], self.manifest["tournament"]
        raisable = [key for key in schedule(self.tournament).raisable if isinstance(old.get(key), int | float)]
        return before | {"tournament": old | {key: new[key] for key in raisable if old[key] < new[key]}}

    def opened(self) -> writer.JournalWriter:
        """Makes the folder of a new run, or verifies that the one in it can be resumed or replaced; locks its journal.

        Nothing is changed before the journal is locked, nor if the run is refused.
        """
        path = self.path
        if self.start == "resume":
            return self._reopened()
        require_kind(self.kind, self.tournament, RunFolder(path))
        replaces = self.start == "overwrite" and (path / folder.MANIFEST).exists()
        journal = (writer.begin_again if replaces else writer.begin)(path, self.text, self.manifest)
        signature.sign(path, self.tournament)
        return journal

    def _reopened(self) -> writer.JournalWriter:
        path = self.path
        if not (path / folder.MANIFEST).is_file():
            folder.read_manifest(path)  # raises before a missing journal is made
        try:
            journal = writer.JournalWriter(path)
        except WriteError as error:
            error.exit_code = EXIT_ENDED_EARLY  # the run was begun
            raise
        try:
            run = RunFolder(path)
            require_kind(self.kind, self.tournament, run)
            before = self._before = run.manifest
            if (aside := path / folder.EARLIER / folder.JOURNAL).exists():
                raise RunError(
                    f"{path}: an earlier version of tourney did not finish its correction; correct the run of before, "
                    f"{aside.parent}, in another folder"
                )
            differences = folder.manifest_differences(self.adapted(before), self.manifest)
            if differences and not self.force:
                more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
                forcible = ", or force resuming it" if KINDS[self.kind].correctable else ""
                raise RunError(
                    f"{path}: was begun differently: {differences[0]}{more}; overwrite it to start over, use another "
                    f"folder{forcible}"
                )
        except BaseException:
            journal.close()
            raise
        return journal

    def accepted(self) -> None:
        """Writes the manifest under which a run that is resumed continues; its journal is the beginning of the plan."""
        if (before := self._before) is None:
            return
        unwritten = {"python": None, "kind": None}  # where nothing else has changed
        if before | unwritten == self.manifest | unwritten:
            self.manifest = before
        else:
            folder.write_manifest(self.path, self.manifest)
            folder.clear(self.path, [folder.STANDINGS_JSON, folder.STANDINGS_TEXT])  # of the other manifest
        signature.sign(self.path, self.tournament)

    def on_start(self, workers: Workers) -> "LiveCounts":
        """The counts before any match."""
        return LiveCounts(self.path, self.tournament)

    def loaded(self) -> tuple[Tournament, Mapping[str, str]]:
        """The tournament of those whom the workers load, and for whom the house plays, each with the reason."""
        return self.tournament, {}

    def start_round(self) -> bool:
        """Whether the next round is to be played, by those who play already."""
        return True

    def change_field(self) -> bool:
        """Applies changes to the field; False if there were none, so that nothing is left to play."""
        return False

    def limit_reached(self, played: int) -> bool:
        """Whether no more is to be played after so many matches."""
        return False

    def ended(self) -> RankedRun:
        """Writes the standings, and returns them."""
        counts = self.counts
        return write_standings(
            self.path, RunTotals(counts.tournament, counts.schedule, counts.counts, counts.matches, left_out=0)
        )

    def stopped(self, far: Progress) -> str:
        """What Ctrl-C has stopped, in words."""
        return "stopped while the journal was read" if far.reading else f"stopped after {self.so_far(far)}"

    def so_far(self, far: Progress) -> str:
        """How much was played, in words."""
        return f"{far.matches} of {far.schedule.describe_size()}"

    def steps(self, opened: writer.JournalWriter, workers: Workers) -> Generator[Progress]:
        """Plays what is missing in the journal, in the order of the schedule, and writes the standings."""
        counts = self.counts = self.on_start(workers)
        plan = counts.schedule
        faults = FaultMonitor(counts.tournament, plan.most_matches, disqualifies=not plan.goes_on)
        last, complete, known = (0, 0), 0, 0  # the journal's last block, and how many matches of it are there
        for block in opened.resume(plan):
            last = block.block.number, len(block.records)
            if block.complete:
                complete = block.block.number + 1
                counts.add_found(block)
                faults.add(block.records)
            else:
                known = len(block.records)
            yield Progress(counts.matches, plan, 0, counts.counts, faults.out, None, reading=True)
        self.accepted()
        with NotesWriter(self.path) as notes, folder.failures_logged(self.path):
            notes.resume(*last)
            output = _Output(self, opened, notes, faults, known)
            yield Progress(counts.matches, plan, 0, counts.counts, faults.out, None, cost=notes.cost)
            while plan.goes_on or not counts.finished:
                tournament, out = self.loaded()
                if plan.goes_on:
                    faults.out = out
                with workers.pool(tournament, faults, folder.logs_folder(self.path, tournament)) as pool:
                    yield from output.write(pool, self._blocks(pool, complete))
                if self.limit_reached(output.played) or not self.change_field():
                    break
            output.sync()
            counts.cut = notes.cut
        self.ranked = self.ended()

    def _blocks(self, pool: OrderedPool, complete: int) -> Iterator[PlayedBlocks | None]:
        """The blocks that follow the complete ones, in order, played or reused; None while none is ready."""
        if self.earlier is not None:
            yield from self.earlier.merge(complete, pool)
            return
        rounds = self.counts.schedule.rounds()  # each is played to its end before the next one is made
        while self.start_round() and (blocks := next(rounds, None)) is not None:
            yield from pool.play(dropwhile(lambda block: block.number < complete, blocks))


class LiveCounts:
    """What a run has come to so far, in the order of its schedule."""

    def __init__(self, run: Path, tournament: Tournament) -> None:
        self._run = run
        self.tournament = tournament
        self.schedule = schedule(tournament)
        self.counts = OutcomeCounts(tournament.names, tournament.setups, self.schedule.most_batches)
        self.matches = 0
        self.tracebacks: list[BotTraceback] = []  # of the faults since the start: the first of each entrant and kind
        self.first_faults = FirstFaults()
        self.times = times.Times()
        self.cut: Mapping[str, int] = {}  # by entrant, how many notes were cut or left out

    @property
    def finished(self) -> bool:
        """Whether no further match is to be played."""
        return self.schedule.is_over(self.matches)

    def enter(self, tournament: Tournament) -> None:
        """Adds entrants to the counts, behind those of before."""
        self.tournament = tournament
        self.counts.enter(tournament.names)

    def add_found(self, block: JournalBlock[RecordedResult]) -> None:
        """Counts the next complete block of the journal, which the schedule has already noted."""
        self._count(block.block, block.records)
        self.first_faults.add(self._run, block.records)

    def add_played(self, played: PlayedBlocks, known: int) -> bytes:
        """Counts the next blocks, and has the schedule note them; returns their lines but for the first `known`."""
        rest = iter(played.results)
        for block in played.blocks:
            results = list(islice(rest, len(block.seatings)))
            self._count(block, results)
            if self.schedule.adapts:
                for seats, result in zip(block.seatings, results, strict=True):
                    self.schedule.note(block.number, seats, result.places, result.faults)
        if any([result.faults for result in played.results]):
            self._add_first_faults(played)
        return b"".join(played.lines.splitlines(keepends=True)[known:]) if known else played.lines

    def _count(self, block: Block, results: Sequence[Record | RecordedResult | MatchResult]) -> None:
        self.counts.add(block, results)
        self.matches += len(results)

    def _add_first_faults(self, played: PlayedBlocks) -> None:
        seatings = [seats for block in played.blocks for seats in block.seatings]
        lines = played.lines.splitlines(keepends=True)
        for seats, result, line in zip(seatings, played.results, lines, strict=True):
            if {seats[fault.seat] for fault in result.faults if fault.kind != "out"} - self.first_faults.keys():
                self.first_faults.add(self._run, [parse_record(line, "")])


class _Output:
    """Writes what is played into the folder of a run."""

    def __init__(
        self, plan: RunPlan, journal: writer.JournalWriter, notes: NotesWriter, faults: FaultMonitor, known: int
    ) -> None:
        """`known` is the number of records of the next block that are in the journal."""
        self.played = 0  # how many matches were played, without the reused ones
        self._plan, self._counts, self._journal, self._notes = plan, plan.counts, journal, notes
        self._faults, self._known = faults, known
        self._times = plan.counts.times = times.load(plan.path) or times.Times()
        self._synced = monotonic()

    def write(self, pool: OrderedPool, played_blocks: Iterator[PlayedBlocks | None]) -> Generator[Progress]:
        """Writes blocks as they are played, until the counts are finished, or the plan has enough."""
        counts, faults, run = self._counts, self._faults, self._plan.path
        logged = len(counts.tracebacks)  # of an earlier pool
        self._heed_cost(pool)
        try:
            for blocks in played_blocks:
                for raised in islice(pool.tracebacks.values(), len(counts.tracebacks) - logged, None):
                    bot_logs.add(run, raised)
                    counts.tracebacks.append(raised)
                if blocks is not None:
                    self._append(blocks)
                if monotonic() - self._synced > SYNC_S:
                    self.sync()
                    times.save(run, self._times, pool.times)
                so_far = counts.matches, counts.schedule, self.played, counts.counts
                yield Progress(*so_far, faults.out, pool.machines, cost=self._notes.cost)
                if counts.finished or self._plan.limit_reached(self.played):
                    break
                if faults.stop is not None and blocks is not None:
                    raise TooManyFaultsError(f"{faults.stop}; see the faults of its matches")
                self._heed_cost(pool)
        finally:
            self._times.add(pool.times)
            times.save(run, self._times)

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
