"""Reuses the blocks of an earlier run: the same deals, with the same entrants in the same seats.

In a format in which all groups meet, a tournament with more entrants or deals contains every block of the smaller one,
under another number. Such blocks are copied from the earlier journal and renumbered; the others are played.
"""

from array import array
from collections.abc import Callable, Iterator, Set
from itertools import dropwhile, groupby, takewhile
from pathlib import Path
from typing import Any, BinaryIO

from tourney import config
from tourney.base.errors import RunError
from tourney.config import Tournament
from tourney.contracts.match import Block, record_as
from tourney.journal import folder, reader
from tourney.runner.pool.ordered import PlayedBlocks
from tourney.schedule.base import schedule
from tourney.standings.results import MatchResult

FREE = ("name", "anchor", "deals", "bots", "weights", "smaller_tables", "salts")
"""Keys of a tournament that, like those of formats, affect which blocks are played, but not how they end."""


class EarlierRun:
    """A run whose blocks are reused; of its journal, only the offset of each block is in memory."""

    def __init__(self, path: Path, tournament: Tournament, out: Path) -> None:
        self._path, self._tournament = path, tournament
        if path.resolve() == out.resolve():
            raise RunError(f"{path}: a run cannot extend itself; use another folder")
        if tournament.limits_faults:
            raise RunError(
                f"{path}: cannot be extended: with limits on faults, who is disqualified depends on the "
                "matches before; run it without extending"
            )
        manifest = folder.read_manifest(path)
        self._earlier = config.of_manifest(manifest)
        for each in (tournament, self._earlier):
            if reason := schedule(each).why_not_extendable():
                raise RunError(f"{path}: cannot be extended: {reason}; run it without extending")
        free = {key for each in (tournament, self._earlier) for key in each.format_options.__struct_fields__}
        _check_same(path, manifest, config.manifest(tournament), {*FREE, *free})
        self._offsets = array("Q", [0])  # where each complete block begins in the journal, and where the last ends
        for found in reader.read_blocks(path, schedule(self._earlier)):
            if found.complete:
                self._offsets.append(self._offsets[-1] + sum(map(len, found.lines)))
        finder = self._finder()
        blocks = takewhile(lambda _: not finder.exhausted, schedule(tournament).blocks())
        self.matches = sum(len(block.seatings) for block in blocks if finder.find(block) is not None)
        """How many matches are reused."""

    def merge(
        self, first: int, play: Callable[[Iterator[Block]], Iterator[PlayedBlocks | None]]
    ) -> Iterator[PlayedBlocks | None]:
        """The blocks of the new run one by one in order, each reused or played."""
        lookahead, finder = self._finder(), self._finder()
        ready: Iterator[PlayedBlocks] = iter(())
        played = play(block for block in self._blocks(first) if lookahead.find(block) is None)
        with (self._path / folder.JOURNAL).open("rb") as journal:
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
        return _BlockFinder(takewhile(lambda block: block.number < complete, schedule(self._earlier).blocks()))

    def _reused(self, block: Block, old: Block, journal: BinaryIO) -> PlayedBlocks:
        """Copies the records of an old block, with the number of the new one."""
        begin, end = self._offsets[old.number], self._offsets[old.number + 1]
        journal.seek(begin)
        lines = dict(zip(old.seatings, journal.read(end - begin).splitlines(keepends=True), strict=False))
        copied, results = [], []
        matches = {match.seats: match for match in old.matches()}
        for match in block.matches():
            location = f"{self._path / folder.JOURNAL}, match {matches[match.seats].id}"
            record = reader.parse_sealed_record(lines.get(match.seats, b""), location)
            if difference := reader.identity_difference(record, matches[match.seats]):
                raise RunError(f"{location}: {difference}; the journal was changed while it was read")
            copied.append(record_as(match, record).line())
            results.append(MatchResult.of(record))
        return PlayedBlocks((block,), b"".join(copied), results, reused=True)


class _BlockFinder:
    """Finds the old block for each new one, asked for in order; holds the blocks of one deal."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._deals = groupby(blocks, key=lambda block: (block.seed, block.setup))
        self._deal: Any = None
        self._blocks: dict[tuple[str, ...], Block] = {}
        self.exhausted = False  # whether no further block can be found

    def find(self, block: Block) -> Block | None:
        """The old block in which every match of the new one was played, or None."""
        deal = block.seed, block.setup
        if deal != self._deal and not self.exhausted:
            found = next((blocks for its, blocks in self._deals if its == deal), None)
            self.exhausted = found is None
            self._deal = deal
            self._blocks = {tuple(sorted(each.seatings[0])): each for each in found or ()}
        old = self._blocks.get(tuple(sorted(block.seatings[0])))
        if old is None or old.names != block.names:  # the seeds of bots depend on the names
            return None
        return old if set(block.seatings) <= set(old.seatings) else None


def _check_same(path: Path, old: dict[str, Any], new: dict[str, Any], free: Set[str]) -> None:
    """Raises a `RunError` if the matches of the old tournament would end differently in the new one."""
    shared = {bot["name"] for bot in old["tournament"]["bots"]} & {bot["name"] for bot in new["tournament"]["bots"]}
    both = zip(_essential(old, shared, free).items(), _essential(new, shared, free).values(), strict=True)
    differences = [line for (key, one), other in both for line in folder.manifest_differences(one, other, key)]
    if differences:
        more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
        raise RunError(
            f"{path}: was played differently: {differences[0]}{more}; only bots and deals may be added; run it "
            "without extending"
        )


def _essential(manifest: dict[str, Any], shared: set[str], free: Set[str]) -> dict[str, Any]:
    """What must be equal in two manifests for the shared entrants to play the same matches."""
    tournament, fingerprints = manifest["tournament"], manifest.get("bots")
    return {
        "tournament": {key: value for key, value in tournament.items() if key not in free}
        | {"games": dict(enumerate(tournament["games"]))},
        "bot": {bot["name"]: bot for bot in tournament["bots"] if bot["name"] in shared},
        "bots": {name: found for name, found in fingerprints.items() if name in shared}
        if isinstance(fingerprints, dict)
        else None,
        "games": manifest.get("games"),
        "tourney": manifest.get("tourney"),
    }
