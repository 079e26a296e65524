"""What the matches of a tournament came to, counted once, so that every table can be made of the counts.

What is kept are the different outcomes, each with how often there was one. All that is counted is whole, and comes out
in one order: the order of the records cannot change a digit of what is made of it.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from math import fsum
from operator import add
from typing import Any, NamedTuple, TypeAlias

from tourney.match import Fault, GameSetup
from tourney.match_results import BlockTemplate, MatchResult, ResultBatch
from tourney.stats.block_batches import BlockBatches
from tourney.stats.points import full_units, units

ENDINGS = 1 << 32
"""More than there are different endings."""
FOLDED = 64
"""So many outcomes of a batch, or somewhat more, are noted one by one before they are counted together."""
KNOWN = 1 << 14
"""So many different ways in which a match ended are counted before they are added to the sums."""

_Seating: TypeAlias = tuple[int, tuple[str, ...]]
"""The number of a game, and the entrant in each seat."""


class MatchOutcome(NamedTuple):
    """How a match ended. Bots are told by their numbers in the order of the file."""

    bots: tuple[int, ...]
    """The bot in each seat."""
    places: tuple[int, ...]
    """The place of each seat."""


Batch: TypeAlias = Counter[MatchOutcome]
"""How many matches of a game had each outcome, in one batch of blocks or in all."""


class _CompactCounter:
    """The numbers of outcomes, and how often each was counted; the latest ones apart, to be folded in now and then.

    So memory grows with how many different outcomes there are, and not with the matches.
    """

    __slots__ = ("_codes", "_times", "latest")

    def __init__(self) -> None:
        self.latest = array("Q")
        self._codes = array("Q")
        self._times = array("Q")

    def counted(self) -> Counter[int]:
        whole = Counter(self.latest)
        whole.update(dict(zip(self._codes, self._times, strict=True)))
        return whole

    def fold_if_large(self) -> None:
        """Folds the latest in, once they are many beside the rest."""
        if len(self.latest) > FOLDED + len(self._codes):
            self._keep(self.counted())

    def add(self, other: "_CompactCounter") -> None:
        whole = self.counted()
        whole.update(other.counted())
        self._keep(whole)

    def as_data(self) -> tuple["array[int]", "array[int]"]:
        self._keep(self.counted())
        return self._codes, self._times

    @classmethod
    def from_data(cls, codes: Sequence[int], times: Sequence[int]) -> "_CompactCounter":
        found = cls()
        found._codes, found._times = array("Q", codes), array("Q", times)
        return found

    def _keep(self, whole: Counter[int]) -> None:
        self._codes, self._times, self.latest = array("Q", whole), array("Q", whole.values()), array("Q")


class OutcomeCounts:
    """Counts matches, apart for each game, and in each for every batch of whole blocks (see `BlockBatches`)."""

    def __init__(self, names: Sequence[str], setups: Sequence[GameSetup]) -> None:
        """Starts without a match; `names` are the entrants, `setups` the games, in the order of the file."""
        self.names = tuple(names)
        self.setups = tuple(setups)
        self._scores = [dict.fromkeys(names, 0) for _ in setups]
        self._faults = [dict.fromkeys(names, 0) for _ in setups]
        self._points: dict[str, Counter[int]] = {name: Counter() for name in names}  # in units, by the number of seats
        self._played: Counter[str] = Counter()
        self._out: dict[str, int] = {}
        self._seatings: dict[_Seating, int] = {}
        self._endings: dict[tuple[int, ...], int] = {}
        games = len(self.setups)
        self._batches: list[BlockBatches[_CompactCounter]] = [
            BlockBatches(_CompactCounter, _CompactCounter.add, games) for _ in setups
        ]
        self._counted: Sequence[Iterable[_CompactCounter]] = self._batches
        self._by_game: dict[str, list[int]] = {}
        for i, setup in enumerate(setups):
            self._by_game.setdefault(setup.game, []).append(i)
        self._begin(())

    def _begin(self, table: Sequence[MatchResult]) -> None:
        """Makes ready for matches whose endings have their numbers from this table."""
        self._table = table
        self._places: list[int] = []  # for each ending of the table, the number of its places
        # for each template its game, and the codes of its seatings
        self._forms: dict[BlockTemplate, tuple[int, list[int]]] = {}
        self._times: Counter[int] = Counter()  # how often a seating had an ending, not yet in the sums

    def add(self, ended: ResultBatch) -> None:
        """Counts in matches; those of another game are left out."""
        if ended.distinct is not self._table or len(self._times) > KNOWN:
            self._sum_up()
            self._begin(ended.distinct)
        for ending in islice(ended.distinct, len(self._places), None):
            self._places.append(self._endings.setdefault(ending.places, len(self._endings)))
        if any([template.setup.game not in self._by_game for template in ended.templates]):
            for each in ended.by_block():
                if each.templates[0].setup.game in self._by_game:
                    self.add(each)
            return
        seated = [self._forms.get(template) or self._seated(template) for template in ended.templates]
        seatings: list[int] = []
        for _, codes in seated:
            seatings += codes
        self._times.update(map(add, seatings, ended.result_ids))
        codes = list(map(add, seatings, map(self._places.__getitem__, ended.result_ids)))
        first = 0
        for block, (game, seats) in zip(ended.blocks, seated, strict=True):
            after = first + len(seats)
            batch = self._batches[game].of(block.number)
            batch.latest.extend(codes[first:after])
            batch.fold_if_large()
            first = after

    def _seated(self, template: BlockTemplate) -> tuple[int, list[int]]:
        """The number of a template's game, and the codes of its seatings."""
        game = self._game_of(template.setup)
        codes = [ENDINGS * self._seatings.setdefault((game, seats), len(self._seatings)) for seats in template.seatings]
        self._forms[template] = game, codes
        return game, codes

    def _sum_up(self) -> None:
        """Adds what was counted since to the sums of scores and faults."""
        seatings = list(self._seatings)
        for code, times in self._times.items():
            game, seats = seatings[code // ENDINGS]
            ending, scores = self._table[code % ENDINGS], self._scores[game]
            for name, score, won in zip(seats, ending.scores, units(ending.places), strict=True):
                scores[name] += times * score
                self._points[name][len(seats)] += times * won
                self._played[name] += times
            if ending.faults:
                self._add_faults(game, seats, ending.faults, times)
        self._times.clear()

    @property
    def scores(self) -> list[dict[str, int]]:
        """For each game, the sum of the scores of each entrant."""
        self._sum_up()
        return self._scores

    @property
    def faults(self) -> list[dict[str, int]]:
        """The same for faults."""
        self._sum_up()
        return self._faults

    @property
    def out(self) -> dict[str, int]:
        """For each entrant that was put out of the tournament, how many matches the house played for it."""
        self._sum_up()
        return self._out

    def shares(self) -> dict[str, float]:
        """The share of the points that it could have won, for each entrant that has played."""
        self._sum_up()
        return {
            name: fsum([won / full_units(seats) for seats, won in sorted(points.items())]) / self._played[name]
            for name, points in self._points.items()
            if self._played[name]
        }

    def _add_faults(self, game: int, seats: Sequence[str], faults: Sequence[Fault], times: int) -> None:
        for fault in faults:
            name = seats[fault.seat]
            if fault.kind == "out":
                self._out[name] = self._out.get(name, 0) + times
            else:
                self._faults[game][name] += times

    def _game_of(self, setup: GameSetup) -> int:
        """The number of its game; at a smaller table of a Swiss it has a seat less than the game."""
        some = self._by_game[setup.game]
        if len(some) == 1:
            return some[0]
        same = [i for i in some if self.setups[i].options == setup.options]
        return next((i for i in same if self.setups[i].seats == setup.seats), same[0])

    @property
    def any_faults(self) -> bool:
        """Whether there was a fault in any match, or somebody was out."""
        return bool(self.out) or any([any(faults.values()) for faults in self.faults])

    def as_data(self) -> dict[str, Any]:
        """All that was counted, as lists, numbers and arrays of numbers; `from_data` is the way back."""
        numbers = self._numbers()
        return {
            "scores": [list(map(str, scores.values())) for scores in self.scores],  # sums may be too large for JSON
            "faults": [list(faults.values()) for faults in self.faults],
            "out": self.out,
            "seatings": [[game, [numbers[name] for name in seats]] for game, seats in self._seatings],
            "places": list(self._endings),
            "batches": [[codes.as_data() for codes in batches] for batches in self._counted],
        }

    @classmethod
    def from_data(cls, names: Sequence[str], setups: Sequence[GameSetup], data: Mapping[str, Any]) -> "OutcomeCounts":
        """What was counted of a tournament with these entrants and games; nothing more can be counted in."""
        found = cls(names, setups)
        found._scores = [dict(zip(names, map(int, scores), strict=True)) for scores in data["scores"]]
        found._faults = [dict(zip(names, faults, strict=True)) for faults in data["faults"]]
        found._out = data["out"]
        seatings = [(game, tuple([names[bot] for bot in bots])) for game, bots in data["seatings"]]
        found._seatings = {seating: number for number, seating in enumerate(seatings)}
        found._endings = {tuple(places): number for number, places in enumerate(data["places"])}
        found._counted = [[_CompactCounter.from_data(*codes) for codes in batches] for batches in data["batches"]]
        return found

    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names)}

    def batches(self) -> list[list[Batch]]:
        """For each game, the counts of every batch."""
        numbers = self._numbers()
        seatings = [tuple([numbers[name] for name in seats]) for _, seats in self._seatings]
        endings = list(self._endings)
        known: dict[int, MatchOutcome] = {}  # so that equal outcomes are there once

        def outcome(code: int) -> MatchOutcome:
            if code not in known:
                known[code] = MatchOutcome(seatings[code // ENDINGS], endings[code % ENDINGS])
            return known[code]

        return [
            [Counter({outcome(code): count for code, count in codes.counted().items()}) for codes in batches]
            for batches in self._counted
        ]


def merged(parts: Sequence[Batch]) -> Batch:
    """The counts of all parts in one."""
    whole: Batch = Counter()
    for part in parts:
        whole.update(part)
    return whole
