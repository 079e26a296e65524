"""Counts of the outcomes of matches: integers in one order, so the order of records changes no digit of a result."""

from array import array
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import fsum
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from tourney.contracts.match import Block, GameSetup, Record, RecordedResult
from tourney.contracts.rng import seed_series
from tourney.standings.points import full_units, units
from tourney.standings.results import MatchResult

T = TypeVar("T")

_key = seed_series(0, "batch")

MAX_BATCHES = 1024
"""The most batches of a tournament, which bounds the memory for any number of deals."""


class DealBatches(Generic[T]):
    """One count per deal, or per batch of whole deals once there are more deals than `MAX_BATCHES`.

    A deal's key is a hash of its seed. While there are too many distinct keys, one bit fewer of them is used, and deals
    whose keys have become equal share a batch from then on. The number of remaining bits depends only on the set of
    deals, not on their order, because a subset of the deals never needs fewer bits than the whole.
    """

    def __init__(self, new: Callable[[], T], fold: Callable[[T, T], object], most: int = MAX_BATCHES) -> None:
        """`new` creates an empty count; `fold(one, other)` adds the second count to the first."""
        self._most = most
        self._new = new
        self._fold = fold
        self._mask = (1 << 64) - 1
        self._counts: dict[int, T] = {}

    def of(self, seed: int) -> T:
        """The count of the deal with that seed, which may be added to until the next call."""
        key = _key(seed)
        while (count := self._counts.get(key & self._mask)) is None:
            if len(self._counts) < self._most:
                count = self._counts[key & self._mask] = self._new()
                break
            self._mask >>= 1
            whole, self._counts = self._counts, {}
            for longer, one in whole.items():
                if (other := self._counts.setdefault(longer & self._mask, one)) is not one:
                    self._fold(other, one)
        return count

    def __len__(self) -> int:
        return len(self._counts)

    def __iter__(self) -> Iterator[T]:
        return iter([self._counts[key] for key in sorted(self._counts)])


CODE_BASE = 1 << 32
"""An outcome's code is this times the number of its seating, plus the number of its places."""
FOLD_FROM = 64
"""A batch lists this many outcomes before it folds them into its counts."""
MAX_DEALS = 128
"""Error bars use at most this many batches of deals, which widens them by 1 %."""
MAX_PENDING = 1 << 14
"""The number of different outcomes that may be pending before they are added to the sums."""


class Finish(NamedTuple):
    """The bot in each seat of a match (numbered in file order), and each seat's place."""

    bots: tuple[int, ...]
    places: tuple[int, ...]


Batch: TypeAlias = Counter[Finish]
"""The number of matches of a game with each finish, in one batch of deals or in all deals."""


class _CompactCounter:
    """Counts codes in arrays, so its memory grows with the number of different codes, not of matches."""

    __slots__ = ("_codes", "_times", "latest")

    def __init__(self) -> None:
        self.latest = array("Q")
        self._codes = array("Q")
        self._times = array("Q")

    def counted(self) -> dict[int, int]:
        whole = dict(zip(self._codes, self._times, strict=True))
        for code in self.latest:  # faster than a Counter for so few codes
            whole[code] = whole.get(code, 0) + 1
        return whole

    def fold_if_large(self) -> None:
        if len(self.latest) > FOLD_FROM + len(self._codes):
            self._store(self.counted())

    def add(self, other: "_CompactCounter") -> None:
        whole = self.counted()
        for code, times in other.counted().items():
            whole[code] = whole.get(code, 0) + times
        self._store(whole)

    def _store(self, whole: dict[int, int]) -> None:
        self._codes, self._times, self.latest = array("Q", whole), array("Q", whole.values()), array("Q")


class OutcomeCounts:
    """Counts the outcomes of matches, for each game and each batch of deals (see `DealBatches`)."""

    def __init__(self, names: Sequence[str], setups: Sequence[GameSetup], most_batches: int = MAX_BATCHES) -> None:
        self.names = tuple(names)
        self.setups = tuple(setups)
        self._scores = [dict.fromkeys(names, 0) for _ in setups]
        self.faults = [dict.fromkeys(names, 0) for _ in setups]
        """For each game, the number of faults of each entrant."""
        self.out: dict[str, int] = {}
        """The number of matches that the house played for each disqualified entrant."""
        self._points: dict[str, Counter[int]] = {name: Counter() for name in names}  # in units, by the number of seats
        self._played: Counter[str] = Counter()
        self.has_scores = True
        """Whether matches have scores, and not places alone."""
        self._seatings: dict[tuple[int, tuple[str, ...]], int] = {}  # by game and seated entrants
        self._places: dict[tuple[int, ...], int] = {}
        self._batches: DealBatches[_CompactCounter] = DealBatches(_CompactCounter, _CompactCounter.add, most_batches)
        self._pending: dict[tuple[int, tuple[int, ...]], int] = {}  # codes with scores, not yet in the sums
        self._by_game: dict[str, list[int]] = {}
        for i, setup in enumerate(setups):
            self._by_game.setdefault(setup.game, []).append(i)

    def enter(self, names: Sequence[str]) -> None:
        """Adds bots after the previous ones."""
        for name in names[len(self.names) :]:
            self._points[name] = Counter()
            for of_game in (*self._scores, *self.faults):
                of_game[name] = 0
        self.names = tuple(names)

    def add(self, block: Block, results: Sequence[Record | RecordedResult | MatchResult]) -> None:
        """Counts the matches of a block, unless its game is not counted here."""
        if block.setup.game not in self._by_game:
            return
        game = self._game_of(block.setup)
        batch = self._batches.of(block.seed)
        pending = self._pending
        for seats, result in zip(block.seatings, results, strict=False):
            seating = self._seatings.setdefault((game, seats), len(self._seatings))
            code = CODE_BASE * seating + self._places.setdefault(result.places, len(self._places))
            batch.latest.append(code)
            outcome = code, result.scores
            pending[outcome] = pending.get(outcome, 0) + 1
            for fault in result.faults:
                counter = self.out if fault.kind == "out" else self.faults[game]
                counter[seats[fault.seat]] = counter.get(seats[fault.seat], 0) + 1
        batch.fold_if_large()
        if len(self._pending) > MAX_PENDING:
            self._sum_up()

    def _sum_up(self) -> None:
        seatings, places = list(self._seatings), list(self._places)
        for (code, scored), times in self._pending.items():
            game, seats = seatings[code // CODE_BASE]
            scores = self._scores[game]
            for name, score, won in zip(seats, scored, units(places[code % CODE_BASE]), strict=True):
                scores[name] += times * score
                self._points[name][len(seats)] += times * won
                self._played[name] += times
        self._pending.clear()

    @property
    def scores(self) -> list[dict[str, int]]:
        """For each game, each entrant's sum of scores, in the game's own points."""
        self._sum_up()
        return self._scores

    def shares(self) -> dict[str, float]:
        """The mean points per match, from 0 to 1, of each entrant that has played."""
        self._sum_up()
        return {
            name: fsum([won / full_units(seats) for seats, won in sorted(points.items())]) / self._played[name]
            for name, points in self._points.items()
            if self._played[name]
        }

    def _game_of(self, setup: GameSetup) -> int:
        """The number of the game to count a match for; a smaller table of a Swiss has fewer seats."""
        some = self._by_game[setup.game]
        if len(some) == 1:
            return some[0]
        same = [i for i in some if self.setups[i].options == setup.options]
        return next((i for i in same if self.setups[i].seats == setup.seats), same[0])

    def batches(self) -> list[list[Batch]]:
        """The batches of each game; equal indices mean the same deals, and some may be empty."""
        numbers = {name: number for number, name in enumerate(self.names)}
        games = [game for game, _ in self._seatings]
        seatings = [tuple([numbers[name] for name in seats]) for _, seats in self._seatings]
        places = list(self._places)
        known: dict[int, Finish] = {}  # makes equal finishes one object
        by_setup: list[list[Batch]] = [[] for _ in self.setups]
        for counter in self._batches:
            for batches in by_setup:
                batches.append(Counter())
            for code, count in counter.counted().items():
                if code not in known:
                    known[code] = Finish(seatings[code // CODE_BASE], places[code % CODE_BASE])
                by_setup[games[code // CODE_BASE]][-1][known[code]] = count
        return by_setup


def merged(batches: Sequence[Batch]) -> Batch:
    """One batch with the counts of all."""
    whole: Batch = Counter()
    for batch in batches:
        whole.update(batch)
    return whole


def few_batches(batches: Sequence[Batch], most: int) -> list[Batch]:
    """The batches, joined in turn into at most `most`."""
    if len(batches) <= most:
        return list(batches)
    return [merged(batches[first::most]) for first in range(most)]


@lru_cache(maxsize=1 << 16)
def _group(bots: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(sorted(bots))


def mean_block(batches: Sequence[Mapping[Finish, int]]) -> float:
    """The mean number of matches per batch and group of bots: a block's, if a batch is one deal."""
    groups = sum([len({_group(finish.bots) for finish in batch}) for batch in batches])
    return sum([sum(batch.values()) for batch in batches]) / max(groups, 1)
