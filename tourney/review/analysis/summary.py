"""The analysis of each bot: its mean loss, its costliest decisions, and where its losses come from."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from math import fsum, sqrt
from typing import NamedTuple

from tourney.review.analysis.file import DecisionCost, MatchAnalysis


class CostlyDecision(NamedTuple):
    """A decision of a bot, with the match that it was made in."""

    match: str
    cost: DecisionCost


class LossShare(NamedTuple):
    """The decisions of one sort, such as those of a phase."""

    name: str
    """The phase, the kind of action (`play`), or the seat as a number; a run of several games names the game first."""
    decisions: int
    loss: float
    """The mean loss of a decision, in points %."""
    error: float
    """The standard error of the mean loss."""
    mistakes: int


class BotAnalysis(NamedTuple):
    """What the decisions of a bot cost it."""

    bot: str
    matches: int
    """How many matches of the bot are analysed."""
    decisions: int
    """How many decisions with a choice."""
    mistakes: int
    loss: float
    """The mean loss of a decision, in points %."""
    error: float
    """The standard error of the mean loss."""
    luck: float
    """The mean luck of a decision, in points %."""
    luck_error: float
    """The standard error of the mean luck."""
    costliest: list[CostlyDecision]
    """The decisions that cost most, less what is not sure of it; the costliest first."""
    phases: list[LossShare]
    """Where the losses come from: by phase."""
    kinds: list[LossShare]
    """By the kind of the action that was chosen."""
    seats: list[LossShare]
    """By the seat."""


def bot_analyses(matches: Iterable[MatchAnalysis], most: int | None = 10) -> list[BotAnalysis]:
    """Sums up what the decisions of each bot cost; bots are sorted by name."""
    made: dict[str, list[_CostOfMatch]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for match in matches:
        for bot in match.bots:
            counts[bot] += 1
        for cost in match.decisions:
            made[match.seats[cost.seat]].append(_CostOfMatch(match, cost))
    several = len({each.match.game for decisions in made.values() for each in decisions}) > 1
    return [_bot_analysis(bot, counts[bot], made[bot], several, most) for bot in sorted(counts)]


class _CostOfMatch(NamedTuple):
    match: MatchAnalysis
    cost: DecisionCost


def _bot_analysis(bot: str, matches: int, made: Sequence[_CostOfMatch], several: bool, most: int | None) -> BotAnalysis:
    def shares(sort: Callable[[DecisionCost], str]) -> list[LossShare]:
        named: dict[str, list[_CostOfMatch]] = defaultdict(list)
        for each in made:
            name = sort(each.cost)
            named[f"{each.match.game} {name}" if several else name].append(each)
        costliest_first = sorted(named, key=lambda name: (-fsum([cost.loss for _, cost in named[name]]), name))
        return [_share(name, named[name]) for name in costliest_first]

    costliest = sorted([each for each in made if each.cost.loss > 0], key=lambda each: -probable_loss(each.cost))[:most]
    loss, error = mean_and_error([(deal_of(match), cost.loss) for match, cost in made])
    luck, luck_error = mean_and_error([(deal_of(match), cost.luck) for match, cost in made])
    return BotAnalysis(
        bot,
        matches,
        len(made),
        sum([cost.mistake for _, cost in made]),
        loss,
        error,
        luck,
        luck_error,
        [CostlyDecision(match.match, cost) for match, cost in costliest],
        shares(lambda cost: cost.phase),
        shares(lambda cost: cost.chosen.partition(":")[0]),
        shares(lambda cost: str(cost.seat)),
    )


def probable_loss(cost: DecisionCost) -> float:
    """Returns what a decision probably cost at least: its loss less a standard error.

    By the loss alone, those decisions would come first that are known least.
    """
    return cost.loss - cost.error


def _share(name: str, made: Sequence[_CostOfMatch]) -> LossShare:
    loss, error = mean_and_error([(deal_of(match), cost.loss) for match, cost in made])
    return LossShare(name, len(made), loss, error, sum([cost.mistake for _, cost in made]))


def deal_of(match: MatchAnalysis) -> str:
    """Returns what is the same for all matches of a block: those on one deal among the same bots."""
    return match.match.rpartition("-")[0]


def mean_and_error(values: Sequence[tuple[str, float]]) -> tuple[float, float]:
    """Returns the mean of values and its standard error, both 0 where there are too few to tell.

    Each value comes with the deal that it was found on. What the decisions on a deal have in common must not make the
    mean look surer than it is, so with r_d the sum of all value - mean on deal d, of D deals, the error is
    sqrt(D / (D - 1) sum r_d²) / n (Cameron and Miller, A Practitioner's Guide to Cluster-Robust Inference, 2015). On
    a single deal it says how sure the mean is for that deal alone: each decision is taken for itself.

    >>> mean_and_error([("a", 1.0), ("a", 3.0)])
    (2.0, 1.0)
    >>> mean_and_error([("a", 1.0), ("a", 1.0), ("b", 3.0), ("b", 3.0)])
    (2.0, 1.0)
    """
    if not values:
        return 0.0, 0.0
    mean = fsum([value for _, value in values]) / len(values)
    rests: dict[str, list[float]] = defaultdict(list)
    for deal, value in values:
        rests[deal].append(value - mean)
    sums = [value - mean for _, value in values] if len(rests) == 1 else [fsum(found) for found in rests.values()]
    if len(sums) == 1:
        return mean, 0.0
    return mean, sqrt(len(sums) / (len(sums) - 1) * fsum([each**2 for each in sums])) / len(values)
