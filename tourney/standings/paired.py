"""Two bots on the same deals: by how much one is ahead, deal by deal.

A score is from 0 to 1 and says how a bot did on a deal, in the mean of the seats and opponents that both had there.
"""

from collections.abc import Sequence
from math import ceil, fsum, inf, sqrt
from typing import NamedTuple, Self

from tourney.standings import intervals
from tourney.standings.gate import UNPLAYED, expected_lead, expected_score, inverse

SURE = 0.05
"""A lead is sure where it is at most this likely without one."""
POWER_NORMAL = 0.841621
"""The normal quantile of 80 %: with the probability to see a true difference for which more deals are counted."""


class Paired(NamedTuple):
    """The lead of one bot over another on the same deals."""

    deals: int
    lead: float
    """The mean difference of their scores, from -1 to 1."""
    error: float
    """Its standard error; infinite for fewer than two deals."""
    mean: float
    """The mean score of the two."""
    met: bool = False
    """Whether the scores are those against each other, rather than against the same others."""

    @classmethod
    def of(cls, ones: Sequence[float], others: Sequence[float], same_bot: bool = False, met: bool = False) -> Self:
        """The lead of the bot with the scores `ones` over that with the `others`, on the same deals in order.

        Half a deal that was won wholly and half a deal that was lost wholly are added to the error, as the gate does,
        unless it is the `same_bot` under two names.
        """
        leads = [one - other for one, other in zip(ones, others, strict=True)]
        deals = len(leads)
        if not deals:
            return cls(0, 0.0, inf, 0.5, met)
        lead = fsum(leads) / deals
        squares = [(each - lead) ** 2 for each in leads]
        if not (same_bot and not any(leads)):
            squares += [UNPLAYED * (1 - lead) ** 2, UNPLAYED * (1 + lead) ** 2]
        error = sqrt(fsum(squares) / (deals - 1) / deals) if deals > 1 else inf
        mean = (fsum([*ones, *others]) / 2 + 1) / (deals + 2)  # as in the gate
        return cls(deals, round(lead, 9), round(error, 9), round(mean, 9), met)

    def lead_at(self, elo: float) -> float:
        """The expected lead of a bot that is so many Elo points ahead, where the two lie around their mean score."""
        return 2 * expected_score(elo) - 1 if self.met else expected_lead(elo, self.mean)

    def elo(self, lead: float) -> float:
        """The Elo points that a lead amounts to."""
        return inverse(self.lead_at, lead)

    def ends(self, errors: float | None = None) -> tuple[float, float, float]:
        """The lead and the ends of its interval, so many standard errors wide: by default 95 %, by t."""
        width = intervals.quantile_975(self.deals - 1) if errors is None else errors
        half = width * self.error if self.error else 0.0
        return self.lead, max(-1.0, self.lead - half), min(1.0, self.lead + half)

    def interval(self, errors: float | None = None) -> tuple[float, float, float]:
        """The lead and the ends of its interval in Elo points; see `ends`."""
        elo, low, high = [round(self.elo(end), 6) + 0.0 for end in self.ends(errors)]  # no -0.0
        return elo, low, high

    def at_all_times(self, risk: float) -> tuple[float, float, float]:
        """The lead and the ends of a confidence sequence, which holds with 1 - `risk` however often one looks."""
        return self.interval(intervals.standard_errors(self.deals, self.deals - 1, risk))

    @property
    def p_value(self) -> float:
        """How likely a lead at least as large either way is, if neither is stronger; by Student's t."""
        if self.deals < 2 or not self.lead:
            return 1.0
        if not self.error:
            return 0.0
        return max(0.0, round(2 * (1 - intervals.cdf(abs(self.lead) / self.error, self.deals - 1)), 9))

    @property
    def more_deals(self) -> int | None:
        """How many deals more it takes to be sure of the lead (95 %) with the probability 80 %; None if there is none.

        n ((t + z)^2 se^2 / lead^2 - 1), the sample size of a paired t test (Cohen 1988, Statistical power analysis);
        0 where the lead is sure.
        """
        if self.deals < 2 or not self.lead:
            return None
        if self.p_value < SURE:
            return 0
        ratio = (intervals.quantile_975(self.deals - 1) + POWER_NORMAL) * self.error / self.lead
        return max(0, ceil(self.deals * (ratio**2 - 1)))


def false_discovery_rates(p_values: Sequence[float]) -> list[float]:
    """For each of several tests, the share of false ones among all that are at least as sure as it.

    The adjusted p-values of Benjamini and Hochberg 1995, Controlling the false discovery rate, Journal of the Royal
    Statistical Society B 57.

    >>> false_discovery_rates([0.01, 0.5, 0.02])
    [0.03, 0.5, 0.03]
    """
    count, least = len(p_values), 1.0
    found = [least] * count
    for rank, i in zip(range(count, 0, -1), sorted(range(count), key=lambda i: -p_values[i]), strict=True):
        found[i] = least = min(least, round(p_values[i] * count / rank, 9))
    return found
