"""What the matches of a tournament came to, counted once, so that every table can be made of the counts.

What is kept are the different outcomes, each with how often there was one. All that is counted is whole, and comes out
in one order: the order of the records cannot change a digit of what is made of it.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from tourney.endings import Ending
from tourney.match import Block, Contest, Fault
from tourney.stats.batches import Batches

ENDINGS = 1 << 32
"""More than there are different tuples of places."""


FOLDED = 64
"""So many outcomes of a batch, or somewhat more, are noted one by one before they are counted together."""
KNOWN = 1 << 14
"""So many outcomes are at hand with their numbers."""


class Outcome(NamedTuple):
    """How a match ended. Bots are told by their numbers in the order of the file."""

    bots: tuple[int, ...]
    """The bot in each seat."""
    places: tuple[int, ...]
    """The place of each seat."""


Part: TypeAlias = Counter[Outcome]
"""How many matches of a game had each outcome, in one batch of blocks or in all."""


class _Codes:
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

    def add(self, other: "_Codes") -> None:
        whole = self.counted()
        whole.update(other.counted())
        self._keep(whole)

    def _keep(self, whole: Counter[int]) -> None:
        self._codes, self._times, self.latest = array("Q", whole), array("Q", whole.values()), array("Q")


class Counts:
    """Counts matches, apart for each game, and in each for every batch of whole blocks (see `Batches`)."""

    def __init__(self, names: Sequence[str], contests: Sequence[Contest]) -> None:
        """Starts without a match; `names` are the entrants, `contests` the games, in the order of the file."""
        self.names = tuple(names)
        self.contests = tuple(contests)
        self.scores = [dict.fromkeys(names, 0) for _ in contests]
        """For each game, the sum of the scores of each entrant."""
        self.faults = [dict.fromkeys(names, 0) for _ in contests]
        """The same for faults."""
        self.out: dict[str, int] = {}
        """For each entrant that was put out of the tournament, how many matches the house played for it."""
        self._seatings: dict[tuple[str, ...], int] = {}
        self._endings: dict[tuple[int, ...], int] = {}
        self._codes: dict[tuple[tuple[str, ...], tuple[int, ...]], int] = {}
        games = len(self.contests)
        self._batches: list[Batches[_Codes]] = [Batches(_Codes, _Codes.add, games) for _ in contests]
        self._by_game: dict[str, list[int]] = {}
        for i, contest in enumerate(contests):
            self._by_game.setdefault(contest.game, []).append(i)

    def add(self, block: Block, endings: Sequence[Ending]) -> None:
        """Counts in the first matches of a block, or all; those of another game are left out."""
        if block.contest.game not in self._by_game:
            return
        game = self._game_of(block.contest)
        batch, scores, codes = self._batches[game].of(block.number), self.scores[game], self._codes
        latest = batch.latest
        for seats, ending in zip(block.seatings, endings, strict=False):
            code = codes.get((seats, ending.places))
            latest.append(self._code(seats, ending.places) if code is None else code)
            for name, score in zip(seats, ending.scores, strict=True):
                scores[name] += score
            if ending.faults:
                self._add_faults(game, seats, ending.faults)
        batch.fold_if_large()

    def _code(self, seats: tuple[str, ...], places: tuple[int, ...]) -> int:
        """The number of an outcome; those that come again and again are at hand."""
        if len(self._codes) >= KNOWN:
            self._codes.clear()
        seating = self._seatings.setdefault(seats, len(self._seatings))
        ending = self._endings.setdefault(places, len(self._endings))
        self._codes[seats, places] = code = seating * ENDINGS + ending
        return code

    def _add_faults(self, game: int, seats: Sequence[str], faults: Sequence[Fault]) -> None:
        for fault in faults:
            name = seats[fault.seat]
            if fault.kind == "out":
                self.out[name] = self.out.get(name, 0) + 1
            else:
                self.faults[game][name] += 1

    def _game_of(self, contest: Contest) -> int:
        """The number of its game; at a smaller table of a Swiss it has a seat less than the game."""
        some = self._by_game[contest.game]
        if len(some) == 1:
            return some[0]
        same = [i for i in some if self.contests[i].options == contest.options]
        return next((i for i in same if self.contests[i].seats == contest.seats), same[0])

    def batches(self) -> list[list[Part]]:
        """For each game, the counts of every batch."""
        numbers = {name: i for i, name in enumerate(self.names)}
        seatings = [tuple([numbers[name] for name in seats]) for seats in self._seatings]
        endings = list(self._endings)
        known: dict[int, Outcome] = {}  # so that equal outcomes are there once

        def outcome(code: int) -> Outcome:
            if code not in known:
                known[code] = Outcome(seatings[code // ENDINGS], endings[code % ENDINGS])
            return known[code]

        return [
            [Counter({outcome(code): count for code, count in codes.counted().items()}) for codes in batches]
            for batches in self._batches
        ]


def together(parts: Sequence[Part]) -> Part:
    """The counts of all parts in one."""
    whole: Part = Counter()
    for part in parts:
        whole.update(part)
    return whole
