"""Results of sweeps: a bot's best setting, its probability and gain, and the effect of each option.

The best of many was lucky, so its lead is shown only after it was measured on fresh deals.
"""

from collections.abc import Mapping, Sequence
from math import fsum, isinf
from operator import mul
from statistics import NormalDist
from types import MappingProxyType
from typing import Any, NamedTuple

import msgspec

from tourney.base.sheet import Column
from tourney.config import Entrant, Tournament
from tourney.contracts.rng import stream
from tourney.contracts.wording import counted
from tourney.hosts.base import Sweep
from tourney.standings.duel import Estimate
from tourney.standings.hierarchy import Posterior, cholesky
from tourney.standings.intervals import quantile_975

DRAWS = 10_000
"""The number of draws from the joint distribution of the ratings for the probability of being the best."""
MOST_RIVALS = 50
"""The maximum number of other settings drawn: the likeliest to be better than the best."""
MOST_SETTINGS = 1000
"""In larger sweeps, the errors of effects take too long."""
DIGITS = 2
EFFECTS = "Effect of each value: the mean rating of its settings minus the overall mean, shrunk."


class Final(NamedTuple):
    """The result of a sweep's best setting against its default on fresh deals."""

    best: str
    estimate: Estimate
    """The best setting's advantage over the default."""
    deals: int


class Selection(NamedTuple):
    """How the best of each sweep was chosen."""

    posterior: Posterior
    finals: Mapping[str, Final]
    """The finished finals, by the sweep's bot."""


class Effect(msgspec.Struct, frozen=True):
    """An option value's effect: the mean rating of its settings minus the overall mean, in Elo points."""

    option: str
    value: Any
    elo: float
    half: float | None
    """Half of its 95 % interval; None if unknown, after a single deal or with more than `MOST_SETTINGS`."""


class SweepResult(msgspec.Struct, frozen=True):
    """The result of a sweep."""

    bot: str
    settings: int
    best: str
    default: str
    probability: float | None
    """The probability that the best is the best of all settings."""
    gain: Estimate | None
    """The best's advantage over the default on fresh deals; None without a finished final."""
    fresh_deals: int
    effects: tuple[Effect, ...]

    def sentences(self) -> list[str]:
        """The best setting and its gain."""
        sure = "" if self.probability is None else f", with probability {self.probability:.2f}"
        best = f"Sweep of {self.bot}, {counted(self.settings, 'setting')}: the best is {self.best}{sure}."
        if self.best == self.default:
            return [best, "It is the default."]
        if self.gain is None:
            return [best, f"The default is {self.default}. To measure what the best is worth on fresh deals:"]
        worth = f"It is worth {self.gain} over the default, {self.default}"
        return [best, f"{worth}, on {counted(self.fresh_deals, 'fresh deal')}."]

    def columns(self) -> list[Column]:
        """The table of effects."""
        return [
            Column("option", [effect.option for effect in self.effects], is_text=True),
            Column("value", [msgspec.json.encode(effect.value).decode() for effect in self.effects]),
            Column("Elo", [f"{effect.elo:+.0f}" for effect in self.effects]),
            Column("+-", ["" if effect.half is None else f"{effect.half:.0f}" for effect in self.effects]),
        ]


def sweep_results(
    tournament: Tournament, posterior: Posterior, finals: Mapping[str, Final] = MappingProxyType({})
) -> list[SweepResult]:
    """The results of a tournament's sweeps, in file order, by shrunk ratings."""
    numbers = {name: number for number, name in enumerate(tournament.names)}
    return [
        _result(sweep, settings, numbers, posterior, finals.get(sweep.bot))
        for sweep, settings in tournament.sweeps.items()
    ]


def _result(
    sweep: Sweep, settings: Sequence[Entrant], numbers: Mapping[str, int], posterior: Posterior, final: Final | None
) -> SweepResult:
    default = sweep.default if sweep.default in numbers else settings[0].name  # it may have been dropped
    best = max(settings, key=lambda each: posterior.elo(numbers[each.name])).name if final is None else final.best
    others = [numbers[each.name] for each in settings if each.name != best]
    return SweepResult(
        sweep.bot,
        len(settings),
        best,
        default,
        _probability(posterior, numbers[best], others),
        None if final is None else _estimate(*msgspec.structs.astuple(final.estimate)),
        0 if final is None else final.deals,
        tuple(_effects(sweep, settings, numbers, posterior)),
    )


def _probability(posterior: Posterior, best: int, others: Sequence[int]) -> float | None:
    """The probability that a setting is the best, by draws from the joint normal distribution of its leads."""
    if not others:
        return 1.0
    if not posterior.freedom(best):
        return None
    leads = {other: posterior.elo(best) - posterior.elo(other) for other in others}
    errors = {other: posterior.difference_error(best, other) for other in others}
    rivals = sorted(others, key=lambda other: round(leads[other] / max(errors[other], 1e-6), 6))[:MOST_RIVALS]
    rows = [
        [
            (errors[one] ** 2 + errors[other] ** 2 - posterior.difference_error(one, other) ** 2) / 2
            for other in rivals[:i]
        ]
        + [errors[one] ** 2 + 1e-3]  # keeps rounded matrices positive definite
        for i, one in enumerate(rivals)
    ]
    lower, normal, rng = cholesky(rows), NormalDist(), stream(0, "sweep")
    won = 0
    for _ in range(DRAWS):
        drawn = [normal.inv_cdf(rng.random() or 0.5) for _ in rivals]
        won += all([leads[rival] + sum(map(mul, row, drawn)) > 0 for rival, row in zip(rivals, lower, strict=True)])
    return round(won / DRAWS, DIGITS)


def _effects(
    sweep: Sweep, settings: Sequence[Entrant], numbers: Mapping[str, int], posterior: Posterior
) -> list[Effect]:
    freedom = min([posterior.freedom(numbers[each.name]) for each in settings])
    is_known = freedom > 0 and len(settings) <= MOST_SETTINGS
    effects = []
    for key, values in sweep.values:
        for value in values:
            having = [each for each in settings if each.options[key] == value]
            if not having:
                continue
            factors = {numbers[each.name]: (each in having) / len(having) - 1 / len(settings) for each in settings}
            elo = fsum([factor * posterior.elo(bot) for bot, factor in factors.items()])
            half = quantile_975(freedom) * posterior.sum_error(factors) if is_known else None
            effects.append(Effect(key, value, round(elo, DIGITS) + 0.0, half if half is None else round(half, DIGITS)))
    return effects


def _estimate(elo: float, low: float | None, high: float | None) -> Estimate:
    ends = [None if end is None or isinf(end) else round(end, DIGITS) + 0.0 for end in (low, high)]
    return Estimate(round(elo, DIGITS) + 0.0, *ends)
