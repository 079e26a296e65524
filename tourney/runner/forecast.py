"""A forecast of how long the rest of a run takes, from what has been played so far.

A match takes as long as its seats take together. How long a seat of a bot takes in a game is estimated from all tasks
in which it sat, by a Kalman filter without covariances: the more uncertain an estimate is, the more of the difference
between a task and its forecast it takes. So if a match of a quick bot takes long, it is the unknown opponent who is
slow. What is left is forecast by who still has to sit how often in which game, and not by the mean so far: in a
round-robin, the last bots of the file meet each other last.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain
from math import fsum
from typing import NamedTuple, TypeAlias

from tourney.match import Block
from tourney.schedule.base import Schedule, SeatKind

MATCH_NOISE = 0.3
"""By how much the time of a match differs from what its seats usually take, as a share of it."""
TASK_NOISE = 0.02
"""By how much that of a task differs even if it has many matches."""
DRIFT = 0.05
"""How uncertain an estimate always remains, as a share of it: machines become slower and quicker."""


_Game: TypeAlias = tuple[str, int]
"""A game and its number of seats."""


class TimeLeft(NamedTuple):
    """How long a run still takes."""

    seconds: float
    untimed: int
    """How many entrants have still to play and were in no match yet; they are taken to be like the others."""


class _Estimate:
    """How long a seat takes in a match, in seconds, and the variance of that estimate."""

    __slots__ = ("seconds", "variance")

    def __init__(self, seconds: float, variance: float) -> None:
        self.seconds = seconds
        self.variance = variance


class Forecast:
    """Forecasts how long the rest of a run takes. It is told the time, in seconds from any moment."""

    def __init__(self, schedule: Schedule, workers: int) -> None:
        """Starts before the first match."""
        self._schedule = schedule
        self.workers = workers
        """How many workers play at the same time."""
        self._begin = self._latest = 0.0  # when the first task began, and the latest ended
        self._tasks = 0
        self._busy_s = 0.0  # how long these took together
        self._estimates: dict[SeatKind, _Estimate] = {}
        self._done: Counter[SeatKind] = Counter()
        self._done_matches = 0
        self._known: Mapping[SeatKind, float] = {}  # how often each seat is taken in the rounds that are known
        self._known_matches = 0.0

    def skip(self, blocks: Sequence[Block]) -> None:
        """Counts blocks that need not be played, or of which it is unknown how long they took."""
        self._count(blocks)

    def add(self, blocks: Sequence[Block], seconds: float, now: float) -> None:
        """Counts blocks that a worker has played, which took it `seconds`."""
        before = self._done_matches
        seats = self._count(blocks)
        if not self._tasks:
            self._begin = now - seconds
        self._tasks += 1
        self._busy_s += seconds
        self._latest = now
        if seconds > 0:
            self._learn(seats, seconds, self._done_matches - before)

    def time_left(self, now: float) -> TimeLeft | None:
        """Returns how long the run takes from now on, if it does not end early; None before the first match is over."""
        if not self._estimates:
            return None
        if self._done_matches >= self._known_matches:
            self._look_ahead()
        cost = self._costs()
        left = {kind: count - self._done[kind] for kind, count in self._known.items() if count > self._done[kind]}
        work = fsum([count * cost(kind) for kind, count in left.items()])
        beyond = self._schedule.most_matches - max(self._known_matches, self._done_matches)
        if beyond > 0:  # rounds of which nobody knows who meets: their matches are taken to be like the others
            like = self._known or self._done
            work += beyond * fsum([count * cost(kind) for kind, count in like.items()]) / _matches(like)
        untimed = {name for _, _, name in left} - {name for _, _, name in self._estimates}
        return TimeLeft(max(0.0, work / self._busy_workers() - (now - self._latest)), len(untimed))

    def _busy_workers(self) -> float:
        """Returns how many workers have played at a time, on average; the others are in the middle of a task now."""
        elapsed = self._latest - self._begin
        begun_s = (self.workers - 1) * self._busy_s / self._tasks
        return min(self.workers, (self._busy_s + begun_s) / elapsed) if elapsed > 0 else self.workers

    def _look_ahead(self) -> None:
        """Looks which seats are taken in the rounds that are known by now."""
        self._known = self._schedule.known_seats()
        self._known_matches = _matches(self._known)

    def _count(self, blocks: Sequence[Block]) -> dict[SeatKind, int]:
        """Counts blocks as played; returns in how many matches each seat was taken in them."""
        played: dict[_Game, list[tuple[str, ...]]] = {}
        for block in blocks:
            played.setdefault((block.setup.game, len(block.seatings[0])), []).extend(block.seatings)
        seats = {
            (game, size, name): count
            for (game, size), matches in played.items()
            for name, count in Counter(chain.from_iterable(matches)).items()
        }
        self._done_matches += sum(map(len, played.values()))
        self._done.update(seats)
        return seats

    def _learn(self, seats: Mapping[SeatKind, int], seconds: float, matches: int) -> None:
        """Corrects the estimates of the seats in a task by how long it took."""
        cost = self._costs() if any([kind not in self._estimates for kind in seats]) else None
        for kind, count in seats.items():
            if kind not in self._estimates:
                assert cost is not None
                self._estimates[kind] = _Estimate(cost(kind), (seconds / count) ** 2)
        of = [(self._estimates[kind], count) for kind, count in seats.items()]
        expected = fsum([count * each.seconds for each, count in of])
        noise = (expected or seconds) ** 2 * (MATCH_NOISE**2 / matches + TASK_NOISE**2)
        whole = noise + fsum([count**2 * each.variance for each, count in of])
        for each, count in of:
            gain = count * each.variance / whole
            each.seconds = max(0.0, each.seconds + gain * (seconds - expected))
            each.variance = max(each.variance * (1 - gain * count), (DRIFT * each.seconds) ** 2)

    def _costs(self) -> Callable[[SeatKind], float]:
        """Returns what estimates how long a seat takes.

        One that was never timed is taken to be as much slower than others in its game as the bot is in other games,
        else like others in its game, else like all.
        """
        by_game: dict[_Game, dict[str, float]] = {}
        for (game, size, name), each in self._estimates.items():
            by_game.setdefault((game, size), {})[name] = each.seconds
        every = _mean([each.seconds for each in self._estimates.values()] or [0.0])

        @cache
        def ratio(one: _Game, other: _Game) -> float:
            """Returns how many times as long as in the other game the same bots take in one; 1 if there are none."""
            both = by_game.get(one, {}).keys() & by_game[other].keys()
            below = fsum([by_game[other][name] for name in both])
            return fsum([by_game[one][name] for name in both]) / below if below else 1.0

        def cost(kind: SeatKind) -> float:
            if kind in self._estimates:
                return self._estimates[kind].seconds
            game, size, name = kind
            likely = [seats[name] * ratio((game, size), other) for other, seats in by_game.items() if name in seats]
            return _mean(likely or list(by_game.get((game, size), {}).values()) or [every])

        return cost


def _mean(values: Sequence[float]) -> float:
    return fsum(values) / len(values)


def _matches(seats: Mapping[SeatKind, float]) -> float:
    """Returns how many matches have these seats."""
    return fsum([count / size for (_, size, _), count in seats.items()])
