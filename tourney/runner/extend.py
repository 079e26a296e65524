"""Blocks of an earlier run that a new one need not play: the same deals, with the same entrants in the same seats.

Where a format plays all groups, a tournament with further entrants, or with more deals, holds every block of the
smaller one, only under another number. Such blocks are taken over from the earlier run's journal, renumbered, and the
others are played between them.
"""

from array import array
from collections.abc import Callable, Iterator
from itertools import dropwhile, groupby, islice, takewhile
from pathlib import Path
from typing import Any, BinaryIO

from tourney import config
from tourney.config import Tournament
from tourney.errors import NotExtendableError, RunError, UnsuitableFolderError
from tourney.journal import folder, reader
from tourney.match import Block, record_as
from tourney.runner.local_pool import Played
from tourney.schedule.registry import schedule

FREE = ("name", "anchor", "deals", "bots", "groups", "challengers", "weights", "smaller_tables")
"""Keys of a manifest's tournament that say which blocks are played, or what they count for, and not how."""


class Taken(Played):
    """A block that was taken over."""


class Earlier:
    """A run whose blocks are taken over into another one. Of its journal only the place of each block is in memory."""

    def __init__(self, path: Path, tournament: Tournament, out: Path) -> None:
        """Reads the journal once, and checks it.

        Raises:
            RunError: The journal is damaged.
            NotExtendableError: The earlier run is not the same tournament with fewer entrants or deals, or its format
                would play other blocks.
            UnsuitableFolderError: The earlier run is in `out` itself.
        """
        self._path, self._tournament = path, tournament
        if path.resolve() == out.resolve():
            raise UnsuitableFolderError(f"{path}: a run cannot extend itself")
        if tournament.limits_faults:
            raise NotExtendableError(
                f"{path}: cannot be extended: who is put out rests on the matches before, as there are limits on faults"
            )
        manifest = folder.read_manifest(path)
        self._earlier = config.of_manifest(manifest)
        for each in (tournament, self._earlier):
            if reason := schedule(each).why_not_extendable():
                raise NotExtendableError(f"{path}: cannot be extended: {reason}")
        _check_same(path, manifest, config.manifest(tournament))
        self._starts = array("Q", [0])  # of each whole block in the journal, and the end of the last
        for found in reader.read_blocks(path, schedule(self._earlier)):
            if found.complete:
                self._starts.append(self._starts[-1] + sum(map(len, found.batch.lines)))

    def matches(self) -> int:
        """How many matches are taken over."""
        finder, count = self._finder(), 0
        for block in schedule(self._tournament).blocks():
            if finder.find(block) is not None:
                count += len(block.seatings)
            elif finder.over:
                break
        return count

    def merged(self, whole: int, play: Callable[[Iterator[Block]], Iterator[Played | None]]) -> Iterator[Played | None]:
        """The blocks from number `whole` on, in order, each by itself: those taken over are `Taken`.

        What is between them `play` makes. None every so often, while nothing is finished.
        """
        ahead, finder = self._finder(), self._finder()
        left = 0
        lines: Iterator[bytes] = iter(())
        played = play(block for block in self._blocks(whole) if ahead.find(block) is None)
        with (self._path / folder.JOURNAL).open("rb") as journal:
            for block in self._blocks(whole):
                if old := finder.find(block):
                    yield self._taken(block, old, journal)
                    continue
                while not left:
                    some = next(played)
                    if some is None:
                        yield None
                    else:
                        left, lines = some.matches, iter(some.lines.splitlines(keepends=True))
                count = len(block.seatings)
                left -= count
                yield Played((block,), b"".join(islice(lines, count)))

    def _blocks(self, whole: int) -> Iterator[Block]:
        return dropwhile(lambda block: block.number < whole, schedule(self._tournament).blocks())

    def _finder(self) -> "_Finder":
        known = len(self._starts) - 1
        return _Finder(takewhile(lambda block: block.number < known, schedule(self._earlier).blocks()))

    def _taken(self, block: Block, old: Block, journal: BinaryIO) -> Taken:
        """The new block's records, read from the old one's."""
        begin, end = self._starts[old.number], self._starts[old.number + 1]
        journal.seek(begin)
        lines = dict(zip(old.seatings, journal.read(end - begin).splitlines(keepends=True), strict=False))
        found = []
        matches = {match.seats: match for match in old.matches()}
        for match in block.matches():
            where = f"{self._path / folder.JOURNAL}, match {matches[match.seats].id}"
            record = reader.parse_sealed_record(lines.get(match.seats, b""), where)
            if difference := reader.identity_difference(record, matches[match.seats]):
                raise RunError(f"{where}: {difference}; the journal was changed while it was read")
            found.append(record_as(match, record).line())
        return Taken((block,), b"".join(found))


class _Finder:
    """Finds old blocks for new ones, that are asked for in order. It holds those of one deal of one game."""

    def __init__(self, blocks: Iterator[Block]) -> None:
        self._deals = groupby(blocks, key=lambda block: (block.seed, block.setup))
        self._deal: Any = None
        self._blocks: dict[tuple[str, ...], Block] = {}
        self.over = False
        """Whether nothing more can be found."""

    def find(self, block: Block) -> Block | None:
        """The old block in which every match of this one was played, if there is one."""
        deal = block.seed, block.setup
        if deal != self._deal and not self.over:
            self._go_to(deal)
        old = self._blocks.get(tuple(sorted(block.seatings[0])))
        return old if old is not None and set(block.seatings) <= set(old.seatings) else None

    def _go_to(self, deal: Any) -> None:
        found = next((blocks for its, blocks in self._deals if its == deal), None)
        self.over = found is None
        self._deal = deal
        self._blocks = {tuple(sorted(block.seatings[0])): block for block in found or ()}


def _check_same(path: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Raises a `NotExtendableError` if matches of the old manifest's tournament are not what the new one's would be."""
    shared = {bot["name"] for bot in old["tournament"]["bots"]} & {bot["name"] for bot in new["tournament"]["bots"]}
    both = zip(_essential(old, shared).items(), _essential(new, shared).values(), strict=True)
    differences = [line for (key, one), other in both for line in folder.manifest_differences(one, other, key)]
    if differences:
        more = f" (and {len(differences) - 1} more)" if len(differences) > 1 else ""
        raise NotExtendableError(
            f"{path}: was played differently: {differences[0]}{more}; only bots and deals may be added"
        )


def _essential(manifest: dict[str, Any], shared: set[str]) -> dict[str, Any]:
    """What must be the same in two manifests so that entrants that are in both play the same matches."""
    tournament = manifest["tournament"]
    fingerprints = manifest.get("bots")
    return {
        "tournament": {key: value for key, value in tournament.items() if key not in FREE}
        | {"games": dict(enumerate(tournament["games"]))},
        "bot": {bot["name"]: bot for bot in tournament["bots"] if bot["name"] in shared},
        "bots": {name: found for name, found in fingerprints.items() if name in shared}
        if isinstance(fingerprints, dict)
        else None,
        "games": manifest.get("games"),
        "tourney": manifest.get("tourney"),
    }
