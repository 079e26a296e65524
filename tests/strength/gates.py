"""How far the strength that a gate prints is from the truth, before and after it is adjusted for the early stop.

`python -m tests.strength.gates` prints docs/measurements/gate-estimates.csv: gates with their defaults on deals like
real ones (`tests.standings.gating`). Bias and error (root mean square) are in Elo points.
"""

import argparse
from math import sqrt
from statistics import fmean
from typing import NamedTuple

from tests.standings.gating import DEALS, ended, tilted
from tourney.standings.gate import Settings

GAMES = ("vole, 2 seats", "leon, 4 seats", "nearly always equal")
STRENGTHS = (-60.0, -25.0, -12.5, 0.0)
TEST = Settings(-25, 0, 0.05, 0.05)


class Held(NamedTuple):
    bias: float
    error: float
    holds: float  # the share of the intervals that hold the truth


def estimates(name: str, elo: float, runs: int) -> tuple[Held, Held]:
    """The plain estimates, and the adjusted ones, of gates between bots of that strength."""
    plain, adjusted = [], []
    for duel, _ in ended(TEST, tilted(DEALS[name], elo), runs, seed=1):
        plain.append(duel.interval())
        adjusted.append([duel.elo_of(lead) for lead in TEST.adjusted(duel)])
    return _held(plain, elo), _held(adjusted, elo)


def _held(given: list, elo: float) -> Held:
    errors = [each - elo for each, _, _ in given]
    holds = fmean([low <= elo <= high for _, low, high in given])
    return Held(fmean(errors), sqrt(fmean([error * error for error in errors])), holds)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.gates", description=__doc__)
    parser.add_argument("--runs", type=int, default=250, help="how many gates a row")
    runs = parser.parse_args().runs
    print(f"# python -m tests.strength.gates: {runs} gates a row; bias and error in Elo points, intervals in percent")
    print("deals like those of,true Elo,bias before,bias,error before,error,interval holds before,interval holds")
    for name in GAMES:
        for elo in STRENGTHS:
            plain, adjusted = estimates(name, elo, runs)
            shown = [f"{each:.1f}" for both in zip(plain[:2], adjusted[:2], strict=True) for each in both]
            shares = [f"{100 * each.holds:.1f}" for each in (plain, adjusted)]
            print(f'"{name}",{elo:g},{",".join([*shown, *shares])}', flush=True)


if __name__ == "__main__":
    main()
