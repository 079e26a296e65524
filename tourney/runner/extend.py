"""Reuses the blocks of an earlier run: the same deals, with the same entrants in the same seats.

In a format where all groups meet, a tournament with more entrants or deals contains every block of the smaller one,
under another number. Such blocks are copied from the earlier journal and renumbered; the others are played. A corrected
run, with bots replaced or dropped or blocks played again, reuses all other blocks under the same numbers.
"""

from array import array
from collections.abc import Callable, Iterator, Sequence, Set
from functools import cached_property
from itertools import dropwhile, groupby, takewhile
from operator import attrgetter
from typing import Any, BinaryIO, Self

import msgspec

from tourney import config
from tourney.base.errors import ConfigError, RunError, did_you_mean
from tourney.config import Tournament
from tourney.config.tournament import validate_tournament
from tourney.contracts.match import Block, record_as
from tourney.contracts.wording import first_of
from tourney.journal import folder, reader
from tourney.journal.run import RunFolder
from tourney.runner.pool.ordered import OrderedPool, PlayedBlocks
from tourney.schedule.base import schedule
from tourney.standings.results import MatchResult, PlayedMatch

CORRECTABLE = ("again", "anchor", "bots", "entered", "weights")
"""Tournament keys that a correction may change: as `FREE`, but keeping the same blocks."""
FREE = ("name", "anchor", "deals", "bots", "entered", "weights", "smaller_tables", "salts")
"""Tournament keys that, like the formats' own, affect which blocks are played, but not how they end."""


class EarlierRun:
    """A run whose blocks are reused; only the journal offset of each block is in memory."""

    def __init__(
        self, run: RunFolder, tournament: Tournament, changed: Set[str] = frozenset(), same_numbers: bool = False
    ) -> None:
        """Reads the journal of the earlier run; blocks with a `changed` entrant are not reused."""
        self.run, self._tournament, self._changed, self._same_numbers = run, tournament, changed, same_numbers
        # where each complete block starts in the journal, by number, and where the last ends
        self._offsets = array("Q", [0])
        for block in run.blocks(run.schedule()):
            if block.complete:
                end = self._offsets[-1]
                self._offsets.extend([end] * (block.block.number + 1 - len(self._offsets)))  # dropped bots' blocks
                self._offsets.append(end + sum(map(len, block.lines)))

    @cached_property
    def matches(self) -> int:
        """How many matches are reused."""
        finder, total = self._finder(), 0
        for block in takewhile(lambda _: not finder.exhausted, schedule(self._tournament).blocks()):
            total += len(block.seatings) if finder.find(block) is not None else 0
        return total

    @classmethod
    def extended(cls, run: RunFolder, tournament: Tournament) -> Self:
        """The run of a tournament with fewer entrants or deals."""
        if tournament.limits_faults:
            raise RunError(
                f"{run}: cannot be extended: with limits on faults, disqualifications depend on earlier matches; "
                "play it as a new run"
            )
        for each in (tournament, run.tournament):
            if reason := schedule(each).why_not_extendable():
                raise RunError(f"{run}: cannot be extended: {reason}; play it as a new run")
        free = {key for each in (tournament, run.tournament) for key in each.format_options.__struct_fields__}
        if differences := _differences(run.manifest, config.manifest(tournament), {*FREE, *free}, frozenset()):
            raise RunError(
                f"{run}: created with different settings: {differences}; only bots and deals may be added; play it "
                "as a new run"
            )
        return cls(run, tournament)

    @classmethod
    def corrected(cls, run: RunFolder, tournament: Tournament, replaced: Sequence[str]) -> Self:
        """The run of a tournament with other bots under the `replaced` names, and without the dropped bots."""
        for name in replaced:
            if name not in tournament.names:
                raise ConfigError(f'replace: no bot "{name}" in this run; {did_you_mean(name, tournament.names)}')
        fits = run.kind.correctable
        if reason := schedule(tournament).why_not_replaceable() if fits else f"it is {run.kind.noun}":
            raise RunError(f"{run}: cannot be corrected: {reason}; play it as a new run")
        if run.tournament.scheduled != tournament.scheduled:
            raise RunError(
                f"{run}: played by {', '.join(run.tournament.scheduled)}; a correction cannot add or reorder bots"
            )
        changed = frozenset(replaced)
        if differences := _differences(run.manifest, config.manifest(tournament), {*CORRECTABLE}, changed):
            raise RunError(
                f"{run}: created with different settings: {differences}; only replaced bots may change; replace "
                "others too, or play it as a new run"
            )
        return cls(run, tournament, changed, same_numbers=True)

    def merge(self, first: int, pool: OrderedPool) -> Iterator[PlayedBlocks | None]:
        """The blocks of the new run in order, each reused or played."""
        return self._merge_in_turn(first, pool) if self._tournament.limits_faults else self._merge(first, pool)

    def _merge_in_turn(self, first: int, pool: OrderedPool) -> Iterator[PlayedBlocks | None]:
        """Plays all blocks before a reused one first, because they may disqualify an entrant in it."""
        finder = self._finder()
        waiting: list[Block] = []
        with (self.run.path / folder.JOURNAL).open("rb") as journal:
            for block in self._blocks(first):
                if old := finder.find(block):
                    if waiting:
                        yield from pool.play(iter(waiting))
                        waiting = []
                    reused = self._reused(block, old, journal)
                    out = [{name: pool.out[name] for name in seats if name in pool.out} for seats in block.seatings]
                    if list(map(_is_out, reused.played())) == out:
                        pool.count_faults(reused)
                        yield reused
                        continue
                waiting.append(block)
            if waiting:
                yield from pool.play(iter(waiting))

    def _merge(self, first: int, pool: OrderedPool) -> Iterator[PlayedBlocks | None]:
        lookahead, finder = self._finder(), self._finder()
        ready: Iterator[PlayedBlocks] = iter(())
        played = pool.play(block for block in self._blocks(first) if lookahead.find(block) is None)
        with (self.run.path / folder.JOURNAL).open("rb") as journal:
            for block in self._blocks(first):
                if old := finder.find(block):
                    yield self._reused(block, old, journal)
                    continue
                while (one := next(ready, None)) is None:
                    some = next(played)
                    if some is None:
                        yield None
                    else:
                        ready = some.by_block()
                yield one

    def _blocks(self, first: int) -> Iterator[Block]:
        return dropwhile(lambda block: block.number < first, schedule(self._tournament).blocks())

    def _finder(self) -> "_BlockFinder":
        complete = len(self._offsets) - 1
        earlier = takewhile(lambda block: block.number < complete, self.run.plan.blocks())
        return _BlockFinder(earlier, self._changed, self._same_numbers)

    def _reused(self, block: Block, old: Block, journal: BinaryIO) -> PlayedBlocks:
        begin, end = self._offsets[old.number], self._offsets[old.number + 1]
        journal.seek(begin)
        lines = dict(zip(old.seatings, journal.read(end - begin).splitlines(keepends=True), strict=False))
        copied, results, notes = [], [], []
        noted = self.run.notes.of(old.number)
        matches = {match.seats: match for match in old.matches()}
        for match in block.matches():
            location = f"{self.run.path / folder.JOURNAL}, match {matches[match.seats].id}"
            record = reader.parse_sealed_record(lines.get(match.seats, b""), location)
            if difference := reader.identity_difference(record, matches[match.seats]):
                raise RunError(f"{location}: {difference}; the journal was changed while it was read")
            copied.append(record_as(match, record).line())
            results.append(MatchResult.of(record))
            own_notes = noted.get(record.match)
            notes.append(b"" if own_notes is None else msgspec.structs.replace(own_notes, match=match.id).line())
        return PlayedBlocks((block,), b"".join(copied), results, notes, reused=True)


def remove_bots(tournament: Tournament, run: RunFolder, drop: Sequence[str] = ()) -> Tournament:
    """The tournament without the bots dropped from a run before or now."""
    before = run.tournament
    for name in drop:
        if name not in before.scheduled:
            raise ConfigError(f'drop: no bot "{name}" in {run}; {did_you_mean(name, before.names)}')
    gone = before.dropped.union(drop)
    if not gone:
        return tournament
    if not schedule(before).leaves_out:
        raise RunError(f"{run}: cannot drop a bot from a {before.format}; enter the others in a new run")
    left = tournament.without(gone)
    if left.names == tuple([name for name in before.scheduled if name not in gone]):
        left = msgspec.structs.replace(left, entered=before.scheduled)  # even if the file no longer enters them
    validate_tournament(left)
    if not schedule(left).most_matches:
        raise ConfigError(f"drop: no matches left without {', '.join(drop)}")
    return left


class _BlockFinder:
    """Finds the old block for each new one, queried in order, by deal or by number; holds one deal's blocks."""

    def __init__(self, blocks: Iterator[Block], changed: Set[str], by_number: bool) -> None:
        self._changed = changed
        self._key: Callable[[Block], Any] = attrgetter("number") if by_number else attrgetter("seed", "setup")
        self._groups = groupby(blocks, key=self._key)
        self._last: Any = None
        self._blocks: dict[tuple[str, ...], Block] = {}
        self.exhausted = False  # whether no further block can be found

    def find(self, block: Block) -> Block | None:
        """The old block on the same deal, if it has every match of the new one, without a changed entrant."""
        key = self._key(block)
        if key != self._last and not self.exhausted:
            group = next((blocks for its, blocks in self._groups if its == key), None)
            self.exhausted, self._last = group is None, key
            self._blocks = {tuple(sorted(each.seatings[0])): each for each in group or ()}
        old = self._blocks.get(tuple(sorted(block.seatings[0])))
        if old is None or (old.seed, old.setup, old.names) != (block.seed, block.setup, block.names):
            return None  # bots' seeds depend on the names
        return old if self._changed.isdisjoint(block.names) and set(block.seatings) <= set(old.seatings) else None


def _is_out(match: PlayedMatch) -> dict[str, str]:
    return {match.seats[fault.seat]: fault.detail for fault in match.faults if fault.kind == "out"}


def _differences(old: dict[str, Any], new: dict[str, Any], free: Set[str], changed: Set[str]) -> str:
    shared = {bot["name"] for bot in old["tournament"]["bots"]} & {bot["name"] for bot in new["tournament"]["bots"]}
    one, other = _essential(old, shared - changed, free), _essential(new, shared - changed, free)
    differences = [line for key in one for line in folder.manifest_differences(one[key], other[key], key)]
    return first_of(differences) if differences else ""


def _essential(manifest: dict[str, Any], shared: set[str], free: Set[str]) -> dict[str, Any]:
    tournament, fingerprints = manifest["tournament"], manifest.get("bots")
    return {
        "tournament": {key: value for key, value in tournament.items() if key not in free}
        | {"games": dict(enumerate(tournament["games"]))},
        "bot": {bot["name"]: bot | {"sweep": None} for bot in tournament["bots"] if bot["name"] in shared},
        "bots": {name: code for name, code in fingerprints.items() if name in shared}
        if isinstance(fingerprints, dict)
        else None,
        "games": manifest.get("games"),
        "tourney": manifest.get("tourney"),
    }
