"""The cost of a recorded decision: its action compared with the best one, over imagined worlds.

A world is a match consistent with everything the seat saw (`Game.imagine`), with a seed for every bot. One half of the
worlds picks the best action, the other half measures its advantage. Points are as in the standings, in percent of a
sole first place.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from math import fsum, hypot, sqrt
from random import Random
from typing import Any, NamedTuple

from tourney.contracts.bot import SeatFacts
from tourney.contracts.game import Game, State, own_copy
from tourney.contracts.match import Record, final_places, match_of
from tourney.contracts.rng import derive, stream
from tourney.hosts.base import Act, BotHost
from tourney.plugins.failures import failing_in
from tourney.review.analysis.file import DecisionCost
from tourney.review.what_if import Change, Seats, out_before, play_on
from tourney.standings.points import points
from tourney.table.replay import Step
from tourney.table.seeds import house

SURE = 3.0  # standard errors from which on a loss is a mistake; with two, chance produces too many
DIGITS = 3  # decimals of points %
HALF = 50.0  # the middle of points %, and their largest standard deviation


class MatchTable(NamedTuple):
    """A recorded match, ready to be continued from any of its decisions."""

    record: Record
    game: Game
    options: Any
    hosts: Sequence[BotHost]  # of the bot that continues in each seat
    most: int  # the maximum number of decisions in a match
    report_alive: Callable[[], None]  # called before each playout
    is_open: bool = False  # whether all worlds are the real deal, for games that imagine nothing
    number: Callable[[int], int] = int  # the number of a decision from which the randomness of its worlds derives


THIRDS = ("early", "middle", "late")
"""The phases of a game that names none: thirds of the match, by decision number."""


def decision_cost(table: MatchTable, step: Step, playouts: int) -> DecisionCost:
    """The cost of a decision.

    With points x_w after the chosen action and y_w after the best one in world w, and n estimating worlds, the loss is
    the mean of d_w = y_w - x_w, and its error sqrt(s² / n) with s² = (sum (d_w - mean)² + mean²) / (n - 1). The term
    mean², standing for one more world without a difference, gives a few equal differences an error. Common random
    numbers: Law, Simulation Modeling and Analysis (2015), 11.2. Different worlds for the estimate and the pick: Smith
    and Winkler, The Optimizer's Curse (2006); the expected loss then never exceeds the true loss.

    The luck is the mean of the points after the chosen action in the real deal, less the expected ones.
    """
    return _Decision(table, step).cost(playouts)


def continuation(table: MatchTable, step: Step, action: int) -> tuple[State, int, State, tuple[int, ...]]:
    """The first continuation that counts for an action in the `decision_cost`, and the seed of its bots and houses.

    Returns its beginning, the seed, its end with the whole log, and the places.
    """
    decision = _Decision(table, step)
    state, seed = decision.world(0)
    return state, seed, *_Playout(table, seed, decision.out).finished(state, step, action)


class _Decision:
    def __init__(self, table: MatchTable, step: Step) -> None:
        self._table = table
        self._step = step
        self._view = step.state.view(step.seat)
        self._seed = derive(int(table.record.seed, 16), "analysis", table.record.match, table.number(step.decision))
        self.out = set(out_before(table.record, step.decision))

    def cost(self, playouts: int) -> DecisionCost:
        step, text = self._step, self._table.game.text
        half = playouts // 2
        best, picked = self._pick([self.world(number) for number in range(half)])
        expected = list(picked[step.action])
        differences = []
        if best != step.action:
            for world in [self.world(number) for number in range(half, playouts)]:
                expected.append(self._points(world, step.action))
                differences.append(self._points(world, best) - expected[-1])
        mean = fsum(expected) / len(expected)
        loss, error = loss_and_error(differences or [0.0])
        values = {step.action: (mean, _spread([each - HALF for each in expected]))}
        values = dict(_values(picked, best, mean + loss, hypot(values[step.action][1], error))) | values
        return DecisionCost(
            decision=step.decision,
            seat=step.seat,
            chosen=text(step.action),
            best=text(best),
            expected=round(mean, DIGITS),
            loss=round(loss, DIGITS),
            error=round(error, DIGITS),
            luck=round(self._real(playouts) - mean, DIGITS),
            mistake=loss > 0 and loss >= SURE * error,
            phase=phase_of(self._view, step.decision, self._table.record.decisions),
            values={text(action): round(value, 1) for action, (value, _) in values.items()},
            errors={text(action): round(each, 1) for action, (_, each) in values.items()},
            branch=self._branch(best) if loss > 0 else "",
        )

    def _branch(self, action: int) -> str:
        """The match's course from the decision on after another action, in the real deal."""
        table, step = self._table, self._step
        table.report_alive()
        change = Change(step.decision, step.seat, action, table.hosts[step.seat])
        branch, _ = play_on(table.record, table.game, table.hosts, change)
        return " ".join(map(table.game.text, branch.actions))

    def _pick(self, worlds: Sequence["_World"]) -> tuple[int, dict[int, list[float]]]:
        """The action with the most points, and the points of each in the worlds where it was played out.

        The worse half of the actions repeatedly drops out, each time after the same total number of playouts:
        sequential halving (Karnin, Koren and Somekh, Almost Optimal Exploration in Multi-Armed Bandits, 2013). The
        chosen action stays in.
        """
        chosen = self._step.action
        points: dict[int, list[float]] = {action: [] for action in (chosen, *self._step.legal)}
        left = list(points)  # the chosen action first, which wins a tie
        stages = max(1, (len(left) - 1).bit_length())
        first, shares = 0, 2**stages - 1
        for stage in range(stages):
            last = max(first + 1, len(worlds) * (2 ** (stage + 1) - 1) // shares)
            for world in worlds[first:last]:
                for action in left:
                    points[action].append(self._points(world, action))
            first = last
            left.sort(key=lambda action: -fsum(points[action]))  # a stable sort
            left = left[: max(1, (len(left) + 1) // 2)]
            if chosen not in left:
                left.append(chosen)
        return left[0], points

    def world(self, number: int) -> "_World":
        table, seed = self._table, derive(self._seed, number)
        if table.is_open:
            return _World(self._step.state, seed)
        with failing_in(match_of(table.record), table.game):
            return _World(table.game.imagine(self._view, stream(seed, "imagine")), seed)

    def _real(self, playouts: int) -> float:
        """The mean points after the chosen action in the real deal."""
        values: list[float] = []
        for number in range(playouts):
            playout = _Playout(self._table, derive(self._seed, number), self.out)
            values.append(playout.points(self._step.state, self._step, self._step.action))
            if not playout.used_its_seed():  # the seed makes no difference
                break
        return fsum(values) / len(values)

    def _points(self, world: "_World", action: int) -> float:
        return _Playout(self._table, world.seed, self.out).points(world.state, self._step, action)


def phase_of(view: Any, decision: int, decisions: int) -> str:
    """The view's name of the phase, or else the third of the match that contains the decision."""
    phase = getattr(view, "phase", None)
    if isinstance(phase, str) and phase:
        return phase
    return THIRDS[min(2, 3 * (decision - 1) // decisions)]


def _values(
    picked: Mapping[int, Sequence[float]], best: int, value: float, error: float
) -> Iterator[tuple[int, tuple[float, float]]]:
    """Yields the points of each action with their error: the best one's, less the difference in their common worlds."""
    for action, values in picked.items():
        behind = [one - other for one, other in zip(picked[best], values, strict=False)]
        own = error if action == best else hypot(error, _spread(behind))
        yield action, (min(100.0, max(0.0, value - fsum(behind) / len(values))), own)


def _spread(values: Sequence[float]) -> float:
    """The standard error of a mean, of a single world the largest possible."""
    return loss_and_error(values)[1] if len(values) > 1 else HALF


class _World(NamedTuple):
    state: State
    seed: int  # for its bots and houses


class _Playout:
    """Continues a match with new bots in all seats; the house replaces bots that fail."""

    def __init__(self, table: MatchTable, seed: int, out: set[int]) -> None:
        self._table, self._seed, self._out = table, seed, out
        self._rngs: dict[int, Random] = {}
        houses = {seat: house(seed, seat) for seat in out}
        self._seats = Seats(table.game, table.record, seed, houses, self._make)

    def points(self, state: State, step: Step, action: int) -> float:
        """The deciding seat's points % after this action in a copy of the state."""
        return 100 * points(self.finished(state, step, action)[1])[step.seat]

    def finished(self, state: State, step: Step, action: int) -> tuple[State, tuple[int, ...]]:
        """A copy of the state, continued with this action to the end, and the final places."""
        table, state = self._table, state.copy()
        table.report_alive()
        outcome = self._seats.finish(state, self._seats.choose, table.most, action, step.legal)
        return state, final_places(outcome.places, self._out)

    def used_its_seed(self) -> bool:
        """Whether the match might have gone differently with another seed."""
        rngs = self._rngs.items()
        return bool(self._seats.out) or any([rng.getstate() != self._rng(seat).getstate() for seat, rng in rngs])

    def _make(self, seat: int) -> Act:
        table = self._table
        rng = self._rngs[seat] = self._rng(seat)
        facts = SeatFacts(table.game, own_copy(table.options), len(table.hosts), seat, rng)
        return table.hosts[seat].begin(facts, derive(self._seed, "bot", seat), None).act

    def _rng(self, seat: int) -> Random:
        return stream(self._seed, "bot", seat)


def loss_and_error(differences: Sequence[float]) -> tuple[float, float]:
    """The mean of differences and its standard error, see `decision_cost`.

    >>> [round(each, 1) for each in loss_and_error([100.0, 100.0, 0.0, 100.0])]
    [75.0, 33.1]
    """
    n = len(differences)
    mean = fsum(differences) / n
    if n == 1:
        return mean, 0.0
    return mean, sqrt((fsum([(each - mean) ** 2 for each in differences]) + mean**2) / (n - 1) / n)
