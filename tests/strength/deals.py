"""How far apart the scores of equal bots are on one deal.

`python -m tests.strength.deals` prints docs/measurements/deals.csv, whose figures are in
`tourney.standings.resolution`: bots that play as `steady`, but a quarter of their actions at random, each with its own
random numbers, play the rotations of each deal. (Copies of one bot would finish even on every deal.)
"""

import argparse
import subprocess
import sys
from collections.abc import Iterator
from itertools import product
from math import sqrt
from pathlib import Path
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory

from tourney.contracts.match import GameSetup
from tourney.journal.run import RunFolder
from tourney.plugins.registry import game_names, load_game
from tourney.standings.duel import SURE, Duel, beaten
from tourney.standings.resolution import Resolution, independent

WANDERER = """
from tourney import Options
from tourney_bots.steady import Steady

class WandererOptions(Options, frozen=True):
    number: int = 0

class Wanderer(Steady):
    Options = WandererOptions

    def __init__(self, options=WandererOptions()):
        self._number = options.number

    def start(self, facts):
        super().start(facts)
        self._chance = facts.rng.random
        for _ in range(self._number):
            self._chance()

    def act(self, view, legal):
        chosen, drawn = super().act(view, legal), [self._chance() for _ in range(16)]
        return legal[int(drawn[0] * len(legal))] if drawn[1] < 0.25 else chosen
"""


def deviation(game: str, seats: int, deals: int) -> float:
    """The standard deviation of two bots' difference of scores on a deal, over all pairs of a table of equals."""
    bots = "".join(
        [
            f'[[bot]]\nname = "bot-{i}"\nuse = "wanderer.py:Wanderer"\noptions = {{ number = {2 * i} }}\n'
            for i in range(seats)
        ]
    )
    text = f'name = "equals"\nseed = "1"\ndeals = {deals}\n{bots}[[game]]\nname = "{game}"\nseats = {seats}\n'
    with TemporaryDirectory() as folder:
        Path(folder, "wanderer.py").write_text(WANDERER, encoding="utf-8")
        config, out = Path(folder, "equals.toml"), Path(folder, "run")
        config.write_text(text, encoding="utf-8")
        command = [sys.executable, "-m", "tourney", "run", str(config), "--out", str(out), "--quiet"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        run = RunFolder.find(str(out))
        squares = [fmean(_squares(block.records, seats)) for block in run.results(run.schedule())]
    return sqrt(fmean(squares))


def _squares(records: list, seats: int) -> Iterator[float]:
    scores: dict[str, list[float]] = {}
    for record in records:
        for seat, name in enumerate(record.seats):
            others = [i for i in range(seats) if i != seat]
            scores.setdefault(name, []).append(beaten(record.places, seat, others))
    means = [*map(fmean, scores.values())]
    yield from [(one - other) ** 2 for i, one in enumerate(means) for other in means[:i]]


def found(setup: GameSetup, deals: int, runs: int) -> float:
    """The share of simulated runs in which the difference that these deals can tell is sure."""
    resolution, rng = Resolution([setup], [1.0], 1.0), Random(f"{setup.seats} {deals}")
    elo, seats = resolution.elo(deals), setup.seats
    strengths = [10 ** (each / 400) for each in (elo / 2, -elo / 2, *[0.0] * (seats - 2))]
    sure = 0
    for _ in range(runs):
        duel = Duel(met=seats == 2)
        for _ in range(deals):
            orders = [_order(strengths, rng) for _ in range(seats)]
            duel.add(*[fmean([1 - order.index(bot) / (seats - 1) for order in orders]) for bot in (0, 1)])
        sure += duel.p_value < SURE
    return sure / runs


def _order(strengths: list[float], rng: Random) -> list[int]:
    """Draws a finishing order by the model of the ratings."""
    times = [rng.expovariate(strength) for strength in strengths]
    return sorted(range(len(times)), key=times.__getitem__)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.strength.deals", description=__doc__)
    parser.add_argument("--deals", type=int, default=100, help="how many deals a cell")
    parser.add_argument("--games", nargs="+", default=game_names())
    parser.add_argument("--runs", type=int, default=0, help="simulate this many runs a row instead")
    chosen = parser.parse_args()
    if chosen.runs:
        for seats, deals in product((2, 3, 4, 8), (20, 100)):
            share = found(GameSetup("other", seats, None), deals, chosen.runs)
            print(seats, deals, f"{100 * share:.1f} ±{100 * sqrt(share * (1 - share) / chosen.runs):.1f}", flush=True)
        return
    print(f"# python -m tests.strength.deals: {chosen.deals} deals a row")
    print("game,seats,standard deviation,of independent matches")
    for game in chosen.games:
        for seats in load_game(game).seats:
            print(
                game, seats, f"{deviation(game, seats, chosen.deals):.3f},{independent(seats):.3f}", sep=",", flush=True
            )


if __name__ == "__main__":
    main()
