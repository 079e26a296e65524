"""Plays a tournament into a run folder: a new run, or the rest of a stopped one."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing
from functools import cached_property, partial
from itertools import chain, count, dropwhile, islice, takewhile
from pathlib import Path
from time import monotonic
from typing import Any, Literal, NamedTuple, Protocol, Self, TypeAlias, TypeVar

import msgspec

from tourney import config
from tourney.base.errors import (
    EXIT_ENDED_EARLY,
    ConfigError,
    RunError,
    TooManyFaultsError,
    WriteError,
    resume_hint,
)
from tourney.config import Tournament
from tourney.config.tournament import Replayed, Salt
from tourney.contracts.match import Block, Record, RecordedResult
from tourney.contracts.rng import secret_seed
from tourney.contracts.wording import first_of
from tourney.hosts.faults import BotTraceback
from tourney.hosts.notes import Ledger
from tourney.journal import bot_logs, folder, signature, times, writer
from tourney.journal.kinds import KINDS
from tourney.journal.notes import NotesWriter
from tourney.journal.reader import JournalBlock, parse_record, seats_from
from tourney.journal.run import RunFolder, require_kind
from tourney.journal.search import FirstFaults, find_blocks
from tourney.journal.standings import RankedRun, RunTotals, write_standings
from tourney.runner.disqualification import FaultMonitor
from tourney.runner.extend import EarlierRun, remove_bots
from tourney.runner.pool.ordered import Machines, OrderedPool, PlayedBlocks
from tourney.runner.pool.worker import Wait
from tourney.runner.workers import Workers
from tourney.schedule.base import Schedule, schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.results import MatchResult

Far = TypeVar("Far")
Start: TypeAlias = Literal["new", "resume", "overwrite"]
ROUNDING = 1e-9  # more than sums of costs in different orders differ
SYNC_S = 2.0  # seconds until written records and times are synced to disk


def start_of(resume: bool, overwrite: bool) -> Start:
    """How a run or a gate starts; raises a `ConfigError` if both are given."""
    if resume and overwrite:
        raise ConfigError("resume and overwrite cannot be combined")
    return "resume" if resume else "overwrite" if overwrite else "new"


class Progress(NamedTuple):
    """The progress of a run or a gate."""

    matches: int
    schedule: Schedule  # has noted every result so far if it adapts
    played: int  # since this start, without reused ones
    counts: OutcomeCounts
    out: Mapping[str, str]  # the disqualified entrants with the reasons
    machines: Machines | None  # the cluster's, if there is one
    reading: bool = False  # whether the journal is still being read, before any play
    cost: float = 0.0  # in dollars, by the bots' notes
    wait: Wait | None = None  # what a long match is waiting for


class Plan(Protocol[Far]):
    """Work that `lead` carries out: playing or analysing into a run folder, step by step."""

    def opened(self) -> AbstractContextManager[Any]:
        """Opens the output; before that, there is nothing to resume."""

    def steps(self, opened: Any, workers: Workers) -> Generator[Far]:
        """Does all missing work; yields its progress several times a second."""

    def stopped(self, far: Far) -> str:
        """The work stopped by Ctrl-C, in words."""


def lead(plan: Plan[Far], workers: Workers, how_to_resume: str) -> Generator[Far]:
    """Carries out a plan until it is finished or Ctrl-C stops it; yields its progress."""
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
    """A tournament to play into a run folder, new or resumed."""

    earlier: EarlierRun | None = None  # the run with the reused matches, once the bots were examined
    counts: "LiveCounts"
    ranked: RankedRun
    force: bool = False
    extend: RunFolder | None = None  # the run with the reused matches; see `tourney.run`
    replace: Sequence[str] = ()
    drop: Sequence[str] = ()
    again: Sequence[str] = ()
    why: str = ""
    _begin = staticmethod(writer.begin)  # creates a new run's folder
    _continued: RunFolder | None = None  # the resumed or extended run, as it was before
    _before: dict[str, Any] | None = None  # a resumed run's manifest, once locked

    def __init__(self, tournament: Tournament, text: str, path: Path, start: Start = "new", kind: str = "run") -> None:
        """`text` is the tournament file's."""
        self.tournament, self.text, self.path, self.start, self.kind = tournament, text, path, start, kind

    @classmethod
    def of(
        cls, tournament: Tournament, text: str, out: Path | None, start: Start, force: bool, extend: Path | None,
        replace: Sequence[str], drop: Sequence[str], file: Path | None, again: Sequence[str] = (), why: str = "",
    ) -> Self:  # fmt: skip
        """Plans a call of `tourney.run`, up to `examine`; the code of dropped bots may be missing.

        A correction extends the newest of results/NAME, results/NAME-2 and so on; its folder defaults to the next.
        """
        home = Path("results") / tournament.name
        path = out or home
        require_kind("run", tournament, there := RunFolder(path), file)
        if force and start != "resume":
            raise ConfigError("force requires resume")
        if why and not again:
            raise ConfigError("why requires again")
        if (replace or drop or again) and start != "resume":
            beside = chain([home], (home.with_name(f"{home.name}-{number}") for number in count(2)))
            runs = [*takewhile(lambda run: (run / folder.MANIFEST).is_file(), beside)]
            extend = extend or (runs[-1] if runs else folder.find_run(str(home)))
            path = out or home.with_name(f"{home.name}-{max(2, len(runs) + 1)}")
        if extend is not None and path.resolve() == extend.resolve():
            raise RunError(f"{path}: a run cannot extend itself; choose another folder")
        plan = cls(tournament, text, path, start)
        plan.force, plan.replace, plan.drop, plan.again, plan.why = force, replace, drop, again, why
        plan.extend = None if extend is None else RunFolder(extend)
        plan._continued = there if start == "resume" else plan.extend
        if plan._continued is not None and (start == "resume" or drop):
            plan.tournament = remove_bots(tournament, plan._continued, drop)
        return plan

    @property
    def corrects(self) -> bool:
        """Whether bots of the extended run are replaced or dropped, or matches played again."""
        return bool(self.replace or self.drop or self.again)

    def examine(self, file: Path) -> None:
        """Examines the bots of a tournament file, and reads the extended run, if there is one.

        The tournament gets the salts of the run it continues or extends, and a new one for additional deals. Each
        extension has a salt, whether it adds deals or not: the salt also marks the run as extended.
        """
        self.tournament = config.examine_bots(self.tournament, file)
        if self._continued is not None:
            before, extends = self._continued.tournament, self.start != "resume" and not self.corrects
            salts, more = before.salts, before.deals < self.tournament.deals
            if extends or (more and schedule(self.tournament).why_not_extendable() is None):
                salts += (Salt(before.deals, secret_seed()),)
            again = () if extends else before.again
            if self.again and self.extend is not None and self.start != "resume":
                again += self._to_replay(self.extend)
            self.tournament = msgspec.structs.replace(self.tournament, salts=salts, again=again)
        if self.extend is not None and self.corrects:
            self.earlier = EarlierRun.corrected(self.extend, self.tournament, self.replace)
        elif self.extend is not None:
            self.earlier = EarlierRun.extended(self.extend, self.tournament)

    def _to_replay(self, run: RunFolder) -> tuple[Replayed, ...]:
        timeouts, matches = "timeouts" in self.again, [name for name in self.again if name != "timeouts"]
        if not (blocks := find_blocks(run, matches, "timeout" if timeouts else "")):
            raise RunError(f"{run}: no match has a timeout; nothing to play again")
        return tuple([Replayed(block, self.why or ("" if matches else "timeouts")) for block in blocks])

    def choose(self, workers: Workers) -> None:
        """Chooses the workers, or connects to their cluster."""
        workers.choose(self.tournament)

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """The content of the run's manifest."""
        return config.manifest(self.tournament, kind=self.kind)

    def adapted(self, before: dict[str, Any]) -> dict[str, Any]:
        """A resumed run's manifest with the allowed changes: `raisable` keys may be larger."""
        old, new = before["tournament"], self.manifest["tournament"]
        raisable = [key for key in schedule(self.tournament).raisable if isinstance(old.get(key), int | float)]
        return before | {"tournament": old | {key: new[key] for key in raisable if old[key] < new[key]}}

    def opened(self) -> writer.JournalWriter:
        """Creates a new run's folder, or verifies that its run can be resumed or replaced; locks its journal.

        Nothing is changed before the journal is locked, nor if the run is refused.
        """
        path = self.path
        if self.start == "resume":
            return self._reopened()
        require_kind(self.kind, self.tournament, RunFolder(path))
        replaces = self.start == "overwrite" and (path / folder.MANIFEST).exists()
        journal = (writer.begin_again if replaces else self._begin)(path, self.text, self.manifest)
        signature.sign(path, self.tournament)
        return journal

    def _reopened(self) -> writer.JournalWriter:
        path = self.path
        if not (path / folder.MANIFEST).is_file():
            folder.read_manifest(path)  # raises before a missing journal is created
        try:
            journal = writer.JournalWriter(path)
        except WriteError as error:
            error.exit_code = EXIT_ENDED_EARLY  # the run had started
            raise
        try:
            run = RunFolder(path)
            require_kind(self.kind, self.tournament, run)
            before = self._before = run.manifest
            if (aside := path / folder.EARLIER / folder.JOURNAL).exists():
                raise RunError(
                    f"{path}: an earlier version of tourney did not finish its correction; correct the previous run, "
                    f"{aside.parent}, in another folder"
                )
            differences = folder.manifest_differences(self.adapted(before), self.manifest)
            if differences and not self.force:
                forcible = ", or use force to resume anyway" if KINDS[self.kind].correctable else ""
                raise RunError(
                    f"{path}: created with different settings: {first_of(differences)}; use overwrite to start over, "
                    f"or choose another folder{forcible}"
                )
        except BaseException:
            journal.close()
            raise
        return journal

    def accepted(self) -> None:
        """Writes a resumed run's new manifest; its journal has been accepted as the start of the plan."""
        if (before := self._before) is None:
            return
        unwritten = {"python": None, "kind": None}  # if nothing else has changed
        if before | unwritten == self.manifest | unwritten:
            self.manifest = before
        else:
            folder.write_manifest(self.path, self.manifest)
            folder.clear(self.path, [folder.STANDINGS_JSON, folder.STANDINGS_TEXT])  # from the old manifest
        signature.sign(self.path, self.tournament)

    def on_start(self, workers: Workers) -> "LiveCounts":
        """The counts before any match."""
        return LiveCounts(self.path, self.tournament)

    def loaded(self) -> tuple[Tournament, Mapping[str, str]]:
        """The tournament for the workers, and the bots replaced by the house, with the reasons."""
        return self.tournament, {}

    def start_round(self) -> bool:
        """Whether to play the next round with the current field."""
        return True

    def change_field(self) -> bool:
        """Applies changes to the field; False if there were none, so nothing is left to play."""
        return False

    def limit_reached(self, played: int) -> bool:
        """Whether this number of matches is enough."""
        return False

    def refuse_changed(self) -> None:
        """Raises a `RunError` if a bot's files have changed since the start; the run is not resumed then."""
        tournament = self.tournament
        try:
            config.refuse_changed(tournament, tournament.fingerprints)
        except RunError:
            bots = {name: {**code, "sha256": ""} for name, code in self.manifest["bots"].items()}
            folder.write_manifest(self.path, self.manifest | {"bots": bots})
            signature.sign(self.path, tournament)
            raise

    def ended(self) -> RankedRun:
        """Writes the standings, and returns them."""
        counts = self.counts
        return write_standings(
            self.path, RunTotals(counts.tournament, counts.schedule, counts.counts, counts.matches, left_out=0)
        )

    def stopped(self, far: Progress) -> str:
        """The work stopped by Ctrl-C, in words."""
        return "stopped while the journal was read" if far.reading else f"stopped after {self.so_far(far)}"

    def so_far(self, far: Progress) -> str:
        """The number of played matches, in words."""
        return f"{far.matches} of {far.schedule.describe_size()}"

    def steps(self, opened: writer.JournalWriter, workers: Workers) -> Generator[Progress]:
        """Plays all matches missing in the journal, in schedule order, and writes the standings."""
        counts = self.counts = self.on_start(workers)
        plan = counts.schedule
        faults = FaultMonitor(counts.tournament, plan.most_matches, disqualifies=not plan.goes_on)
        last, complete, known = (0, 0), 0, 0  # the journal's last block and its number of matches
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
            yield Progress(counts.matches, plan, 0, counts.counts, faults.out, None, cost=output.cost)
            while plan.goes_on or not counts.finished:
                tournament, out = self.loaded()
                if plan.goes_on:
                    faults.out = out
                with workers.pool(tournament, faults, folder.logs_folder(self.path, tournament)) as pool:
                    yield from output.write(pool, self._blocks(pool, complete))
                if self.limit_reached(output.played) or not self.change_field():
                    break
            output.sync()
            counts.cut, counts.remarks = notes.cut, notes.remarks.lines()
        self.refuse_changed()
        self.ranked = self.ended()

    def _blocks(self, pool: OrderedPool, complete: int) -> Iterator[PlayedBlocks | None]:
        """The blocks after the complete ones, in order, played or reused; None while none is ready."""
        if self.earlier is not None:
            yield from self.earlier.merge(complete, pool)
            return
        rounds = self.counts.schedule.rounds()  # each is finished before the next one is created
        while self.start_round() and (blocks := next(rounds, None)) is not None:
            yield from pool.play(dropwhile(lambda block: block.number < complete, blocks))


class LiveCounts:
    """The results of a run so far, in schedule order."""

    def __init__(self, run: Path, tournament: Tournament) -> None:
        self._run = run
        self.tournament = tournament
        self.schedule = schedule(tournament)
        self.schedule.recall(partial(seats_from, run))
        self.counts = OutcomeCounts(tournament.names, tournament.setups, self.schedule.most_batches)
        self.matches = 0
        self.tracebacks: list[BotTraceback] = []  # of faults since the start: the first by entrant and kind
        self.first_faults = FirstFaults()
        self.times = times.Times()
        self.cut: Mapping[str, int] = {}  # notes cut or left out, by entrant
        self.remarks: Sequence[str] = ()  # on the services that bots ask

    @property
    def finished(self) -> bool:
        """Whether all matches have been played."""
        return self.schedule.is_over(self.matches)

    def enter(self, tournament: Tournament) -> None:
        """Adds entrants to the counts, after the previous ones."""
        self.tournament = tournament
        self.counts.enter(tournament.names)

    def add_found(self, block: JournalBlock[RecordedResult]) -> None:
        """Counts the journal's next complete block, which the schedule has already noted, unless it was voided."""
        if block.voided:
            self.matches += len(block.records)
            return
        self._count(block.block, block.records)
        self.first_faults.add(self._run, block.records)

    def add_played(self, played: PlayedBlocks, known: int) -> bytes:
        """Counts the next blocks, and lets the schedule note them; returns their lines except the first `known`."""
        rest = iter(played.results)
        for block in played.blocks:
            results = list(islice(rest, len(block.seatings)))
            self._count(block, results)
            if self.schedule.adapts:
                for seats, result in zip(block.seatings, results, strict=True):
                    self.schedule.note(block.number, seats, result.places, result.faults)
        self._add_first_faults(played, played.results)
        return b"".join(played.lines.splitlines(keepends=True)[known:]) if known else played.lines

    def _count(self, block: Block, results: Sequence[Record | RecordedResult | MatchResult]) -> None:
        self.counts.add(block, results)
        self.matches += len(results)

    def _add_first_faults(self, played: PlayedBlocks, results: Sequence[MatchResult]) -> None:
        """Adds those of the first matches, which have these results."""
        if not any([result.faults for result in results]):
            return
        seatings = [seats for block in played.blocks for seats in block.seatings]
        lines = played.lines.splitlines(keepends=True)
        for seats, result, line in zip(seatings, results, lines, strict=False):
            if {seats[fault.seat] for fault in result.faults if fault.kind != "out"} - self.first_faults.keys():
                self.first_faults.add(self._run, [parse_record(line, "")])


class _Output:
    def __init__(
        self, plan: RunPlan, journal: writer.JournalWriter, notes: NotesWriter, faults: FaultMonitor, known: int
    ) -> None:
        """`known` is the number of the next block's records that are already in the journal."""
        self.played = 0  # played matches, without reused ones
        self._plan, self._counts, self._journal, self._notes = plan, plan.counts, journal, notes
        self._faults, self._known = faults, known
        self._ledger = Ledger(plan.path / folder.SPENT, plan.counts.tournament.fault_limits.max_cost)
        self._times = plan.counts.times = times.load(plan.path) or times.Times()
        self._synced = monotonic()

    def write(self, pool: OrderedPool, played_blocks: Iterator[PlayedBlocks | None]) -> Generator[Progress]:
        """Writes blocks as they are played, until the counts are finished or the plan's limit is reached."""
        counts, faults, run = self._counts, self._faults, self._plan.path
        logged = len(counts.tracebacks)  # by an earlier pool
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
                yield Progress(*so_far, faults.out, pool.machines, cost=self.cost, wait=pool.wait)
                if counts.finished or self._plan.limit_reached(self.played):
                    break
                if faults.stop is not None and blocks is not None:
                    raise TooManyFaultsError(f"{faults.stop}; see its matches' faults")
                self._heed_cost(pool)
        finally:
            self._times.add(pool.times)
            times.save(run, self._times)

    @property
    def cost(self) -> float:
        if not self._notes.cost and self._ledger.most is None:
            return 0.0
        if (more := self._notes.cost - self._ledger.total) > ROUNDING:  # reused, or played on other machines
            self._ledger.add(more)
        return self._ledger.total

    def _heed_cost(self, pool: OrderedPool) -> None:
        if (most := self._ledger.most) is None:
            return
        cost = self.cost
        pool.starts = not cost and not self.played
        pool.drains = cost >= most
        if pool.drains and not pool.unfinished:
            self._ledger.check()

    def _append(self, blocks: PlayedBlocks) -> None:
        """Writes and counts blocks; an incomplete one was replayed in full, but keeps its records in the journal."""
        before = self._counts.matches + self._known
        self._notes.append(b"".join(blocks.notes[self._known :]))  # before the records, so none are lost
        self._journal.append(self._counts.add_played(blocks, self._known))
        self._known = 0
        self.played += 0 if blocks.reused else self._counts.matches - before

    def sync(self) -> None:
        self._notes.sync()
        self._journal.sync()
        self._synced = monotonic()
