"""The analysis of each bot: its mean loss, its costliest decisions, and the sources of its losses."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import fsum
from pathlib import Path
from typing import NamedTuple, TypeAlias

from tourney.journal import notes
from tourney.review.analysis.file import DecisionCost, MatchAnalysis
from tourney.standings.intervals import ratio_error


class CostlyDecision(NamedTuple):
    """A decision of a bot, with its match."""

    match: str
    cost: DecisionCost


class LossShare(NamedTuple):
    """The decisions of one kind, such as a phase, with their mean loss and its standard error in points %."""

    name: str
    """The phase, the kind of action (`play`), or the seat number; with the game first in a run of several games."""
    decisions: int
    loss: float
    error: float
    mistakes: int


class BotAnalysis(NamedTuple):
    """The cost of a bot's decisions: mean loss and luck per decision in points %, and the sources of its losses."""

    bot: str
    matches: int
    """How many of the bot's matches are analysed."""
    decisions: int
    """How many decisions with a choice."""
    mistakes: int
    loss: float
    error: float
    """The standard error of the mean loss."""
    luck: float
    luck_error: float
    """The standard error of the mean luck."""
    costliest: list[CostlyDecision]
    """The decisions with the largest loss less a standard error, the costliest first."""
    phases: list[LossShare]
    kinds: list[LossShare]
    seats: list[LossShare]


def bot_analyses(matches: Iterable[MatchAnalysis], most: int | None = 10) -> list[BotAnalysis]:
    """Sums up the cost of each bot's decisions; bots are sorted by name."""
    made: dict[str, list[tuple[MatchAnalysis, DecisionCost]]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for match in matches:
        for bot in match.bots:
            counts[bot] += 1
        for cost in match.decisions:
            made[match.seats[cost.seat]].append((match, cost))
    several = len({match.game for decisions in made.values() for match, _ in decisions}) > 1
    return [_bot_analysis(bot, counts[bot], made[bot], several, most) for bot in sorted(counts)]


_Costs: TypeAlias = Sequence[tuple[MatchAnalysis, DecisionCost]]


def _bot_analysis(bot: str, matches: int, made: _Costs, several: bool, most: int | None) -> BotAnalysis:
    def shares(sort: Callable[[DecisionCost], str]) -> list[LossShare]:
        named: dict[str, list[tuple[MatchAnalysis, DecisionCost]]] = defaultdict(list)
        for match, cost in made:
            name = sort(cost)
            named[f"{match.game} {name}" if several else name].append((match, cost))
        costliest_first = sorted(named, key=lambda name: (-fsum([cost.loss for _, cost in named[name]]), name))
        return [_share(name, named[name]) for name in costliest_first]

    costliest = sorted([each for each in made if each[1].loss > 0], key=lambda each: -probable_loss(each[1]))[:most]
    whole = _share("", made)
    luck, luck_error = mean_and_error([(deal_of(match), cost.luck) for match, cost in made])
    return BotAnalysis(
        bot, matches, whole.decisions, whole.mistakes, whole.loss, whole.error, luck, luck_error,
        [CostlyDecision(match.match, cost) for match, cost in costliest], shares(lambda cost: cost.phase),
        shares(lambda cost: cost.chosen.partition(":")[0]), shares(lambda cost: str(cost.seat)),
    )  # fmt: skip


def probable_loss(cost: DecisionCost) -> float:
    """A decision's probable minimum loss; by the loss alone, the most uncertain decisions would come first."""
    return cost.loss - cost.error


def _share(name: str, made: _Costs) -> LossShare:
    loss, error = mean_and_error([(deal_of(match), cost.loss) for match, cost in made])
    return LossShare(name, len(made), loss, error, sum([cost.mistake for _, cost in made]))


def deal_of(match: MatchAnalysis) -> str:
    """Equal for matches on one deal, with any bots; in a file of an older version, for one block's matches."""
    return f"{match.game} {match.deal or match.match.rpartition('-')[0]}"


def mean_and_error(values: Sequence[tuple[str, float]]) -> tuple[float, float]:
    """The mean of values and its standard error, both 0 if there are too few values.

    Each value comes with its deal, because correlations within a deal must not make the mean look too certain. For a
    single deal, it is the error for that deal alone, with each decision taken as independent.
    >>> mean_and_error([("a", 1.0), ("a", 3.0)])
    (2.0, 1.0)
    >>> mean_and_error([("a", 1.0), ("a", 1.0), ("b", 3.0), ("b", 3.0)])
    (2.0, 1.0)
    """
    if not values:
        return 0.0, 0.0
    mean = fsum([value for _, value in values]) / len(values)
    deals: dict[str, list[float]] = defaultdict(list)
    for deal, value in values:
        deals[deal].append(value)
    parts = list(deals.values()) if len(deals) > 1 else [[value] for _, value in values]
    return mean, ratio_error(list(map(fsum, parts)), list(map(len, parts))) if len(parts) > 1 else 0.0


class Misjudged(NamedTuple):
    """A decision whose action was worth more or less than its bot expected."""

    match: str
    cost: DecisionCost
    value: float
    """The points that the bot expected, in percent."""

    @property
    def gap(self) -> float:
        """The error in points %: above 0 for an expectation too high."""
        return self.value - self.cost.expected


def misjudged(run: Path, matches: Sequence[MatchAnalysis], most: int) -> dict[str, list[Misjudged]]:
    """The largest misjudgements of each bot that notes a `value`, the worst first."""
    analysed = {match.match: match for match in matches}
    misjudged_by: dict[str, list[Misjudged]] = defaultdict(list)
    for noted in notes.read(run):
        if (match := analysed.get(noted.match)) is None:
            continue
        values = {decision: note["value"] for decision, _, note in noted.notes if "value" in note}
        for cost in match.decisions:
            if cost.decision in values:
                each = Misjudged(match.match, cost, 100 * float(values[cost.decision]))
                misjudged_by[match.seats[cost.seat]].append(each)
    return {bot: sorted(each, key=lambda one: -abs(one.gap))[:most] for bot, each in misjudged_by.items()}
