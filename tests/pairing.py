"""Measures how many matches mirrored deals save a gate: `python -m tests.pairing [DEALS]` prints a table.

`steady` plays against a `steady` that plays at random one time in ten. Every deal is played with its mirror. Then the
gate is run many times on the records, with the same strengths and risks: on pairs drawn from all pairs, and on matches
drawn one by one, as if each were on a deal of its own. A test of fixed length shows how much of the saving comes from
the variance of the scores alone, without the caution of the gate's first deals.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import NormalDist, mean, variance

from tabulate import tabulate

from tourney import config
from tourney.plugins.registry import load_game
from tourney.schedule.base import schedule
from tourney.standings.gate import Hypotheses, ScoreSample, came_before, elo_of_score, expected_score
from tourney.table.table import play

DEALS = 1000
RUNS = 1000
HEAD = (
    "game",
    "Elo",
    "sd of a match, a pair",
    "gate, single: deals",
    "mirrored: deals",
    "matches",
    "right %",
    "fixed length, single: matches",
    "mirrored: matches",
    "saved",
)
TEST = Hypotheses(-25, 0, 0.05, 0.05)
GAMES = (("vole", 2), ("voleur", 4), ("leon", 4), ("bang", 4), ("cold-blooded", 6))
CONFIG = """
name = "pairing"
seed = "pairing"
format = "mirror"
deals = {deals}
[[bot]]
name = "noisy"
use = "{bots}:Noisy"
[[bot]]
name = "steady"
[[game]]
name = "{game}"
seats = {seats}
"""


def pairs(game: str, seats: int, deals: int) -> list[tuple[float, float]]:
    """Returns the scores of the noisy bot in both matches of each deal."""
    text = CONFIG.format(deals=deals, game=game, seats=seats, bots=Path(__file__).parent / "gated" / "bots.py")
    tournament = config.parse(text, Path("pairing"))
    makers, rules = config.create_hosts(tournament), load_game(game)
    found = []
    for block in schedule(tournament).blocks():
        records = [play(match, rules, [makers[name] for name in match.seats]) for match in block.matches()]
        first, second = [came_before(record, "noisy", "steady") for record in records]
        found.append((first, second))
    return found


def units_needed(scores: Sequence[float], rng: Random) -> tuple[float, float]:
    """Returns the mean number of units until the verdict, and the share of right verdicts: the noisy bot is weaker."""
    score0, score1 = expected_score(TEST.elo0), expected_score(TEST.elo1)
    counts, failed = [], 0
    for _ in range(RUNS):
        sample = ScoreSample()
        llr = 0.0
        while TEST.low < llr < TEST.high:
            sample.add(scores[int(rng.random() * len(scores))])
            llr = sample.llr(score0, score1)
        counts.append(sample.count)
        failed += llr <= TEST.low
    return mean(counts), failed / RUNS


def matches_needed(scores: Sequence[float], of_matches: int) -> float:
    """Returns the matches of a test of fixed length that is wrong in 5 % of cases, for equals and for the noisy bot."""
    z = NormalDist().inv_cdf(0.95)
    return of_matches * (2 * z) ** 2 * variance(scores) / (mean(scores) - 0.5) ** 2


def main() -> None:
    """Plays, and prints the table."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else DEALS
    rng = Random("pairing")
    lines = []
    for game, seats in GAMES:
        played = pairs(game, seats, deals)
        halves = [(one + other) / 2 for one, other in played]
        singles = [score for pair in played for score in pair]
        mirrored, right = units_needed(halves, rng)
        alone, right_alone = units_needed(singles, rng)
        fixed_alone, fixed = matches_needed(singles, 1), matches_needed(halves, 2)
        lines.append(
            [
                f"{game}, {seats} seats",
                f"{elo_of_score(mean(halves)):+.0f}",
                f"{variance(singles) ** 0.5:.2f}, {variance(halves) ** 0.5:.2f}",
                f"{alone:.0f}",
                f"{mirrored:.0f}",
                f"{2 * mirrored:.0f}",
                f"{100 * right_alone:.0f}, {100 * right:.0f}",
                f"{fixed_alone:.0f}",
                f"{fixed:.0f}",
                f"{fixed_alone / fixed:.2f}",
            ]
        )
    print(tabulate(lines, headers=HEAD, tablefmt="github", colalign=("left", *["right"] * 9), disable_numparse=True))


if __name__ == "__main__":
    main()
