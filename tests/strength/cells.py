"""The cells of the table of strength: a game with a number of seats, played by a bot and an opponent on mirrored deals.

Each deal is played twice. Half of the seats, drawn by the deal, are the bot's; then all seats change hands.
"""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.bench.builds import checked_out
from tests.environments import made_once
from tests.strength import THEN, UNPACKED
from tourney import config
from tourney.base.errors import ConfigError
from tourney.contracts.match import Record
from tourney.plugins.registry import load_game
from tourney.schedule.base import schedule
from tourney.standings.gate import ScoreSample
from tourney.standings.points import points
from tourney.table.table import play

LEAST = {"vole": 2, "voleur": 2, "leon": 2, "bang": 2, "cold-blooded": 4}
MORE = {"voleur": 4, "leon": 4, "bang": 4, "cold-blooded": 6}
CELLS = {game: (game, seats) for game, seats in LEAST.items()}
CELLS |= {f"{game}-{seats}": (game, seats) for game, seats in MORE.items()}
"""The game and the number of seats of each cell."""
FROZEN = {
    "steady-then": f"{UNPACKED}/tests/strength/yardsticks/steady.py:Steady",
    "seer-then": f"{UNPACKED}/tests/strength/yardsticks/seer.py:Seer",
}
"""The yardsticks, and where their classes are once they are unpacked."""
CONFIG = """
name = "strength"
seed = "{seed}"
format = "mirror"
deals = 100000
[[bot]]
name = "ours"
use = "{ours}"
options = {{ {options} }}
[[bot]]
name = "theirs"
use = "{theirs}"
options = {{ {their_options} }}
[[game]]
name = "{game}"
seats = {seats}
"""


class Duel(NamedTuple):
    cell: str  # one of `CELLS`
    bot: str = "seer"  # the bot that is measured: a plugin's name, or one of `FROZEN`
    options: str = ""  # its options, as in a tournament file: `playouts = 25`
    against: str = "steady-then"  # the opponent: a plugin's name, or one of `FROZEN`
    their_options: str = ""  # the options of the opponent
    tuning: bool = False  # whether it plays the deals that bots are tuned on, which are others than those that count


class PlayedDeal(NamedTuple):
    """How a deal and its mirror came out."""

    points: float  # the mean points of the bot's seats in both matches, from 0 to 1
    decisions: tuple[int, int]  # how many decisions with a choice the bot has made, and the opponent
    seconds: tuple[float, float]  # how long they took, in seconds of the processor


class Watch:
    """Counts and times the decisions of the bots of one entrant; only those where there is a choice."""

    def __init__(self) -> None:
        self.decisions, self.seconds = 0, 0.0

    def timed(self, factory):
        begin = factory.begin

        def begin_timed(*arguments):
            bot = begin(*arguments)
            act = bot.act

            def act_timed(view, legal):
                start = time.process_time()
                try:
                    return act(view, legal)
                finally:
                    if len(legal) > 1:
                        self.seconds += time.process_time() - start
                        self.decisions += 1

            bot.act = act_timed
            return bot

        factory.begin = begin_timed
        return factory


def unpacked() -> None:
    """Writes the yardsticks of the earlier commit into a folder below build/, unless they are there.

    Raises:
        ConfigError: This checkout has no such commit.
    """
    UNPACKED.parent.mkdir(exist_ok=True)
    try:
        made_once(UNPACKED, lambda folder: checked_out(THEN, folder, "tests/strength/yardsticks"))
    except (OSError, subprocess.CalledProcessError):
        raise ConfigError(f"the yardsticks are in commit {THEN}; take a clone with its history") from None


def played(duel: Duel) -> Iterator[PlayedDeal]:
    game, seats = CELLS[duel.cell]
    if {duel.bot, duel.against} & set(FROZEN):
        unpacked()
    ours, theirs = [FROZEN.get(name, name) for name in (duel.bot, duel.against)]
    seed = f"tuning {duel.cell}" if duel.tuning else f"strength {duel.cell}"
    text = CONFIG.format(
        **duel._asdict() | {"seed": seed, "ours": ours, "theirs": theirs, "game": game, "seats": seats}
    )
    tournament = config.parse(text, Path("strength"))
    watches = {"ours": Watch(), "theirs": Watch()}
    makers = {name: watches[name].timed(maker) for name, maker in config.create_hosts(tournament).items()}
    rules = load_game(game)
    for block in schedule(tournament).blocks():
        for watch in watches.values():
            watch.decisions, watch.seconds = 0, 0.0
        records = [play(match, rules, [makers[name] for name in match.seats]) for match in block.matches()]
        mine, other = watches["ours"], watches["theirs"]
        share = sum([points_of(record) for record in records]) / len(records)
        yield PlayedDeal(share, (mine.decisions, other.decisions), (mine.seconds, other.seconds))


def points_of(record: Record) -> float:
    """Returns the mean points of the bot's seats in a match.

    Raises:
        ConfigError: A bot has made a fault, and the house has moved for it.
    """
    if record.faults:
        first = record.faults[0]
        raise ConfigError(f"{record.seats[first.seat]} made a fault, {first.kind} ({first.what}); nothing is measured")
    own = [share for name, share in zip(record.seats, points(record.places), strict=True) if name == "ours"]
    return sum(own) / len(own)


def summary(deals: list[PlayedDeal]) -> str:
    """Returns the points in percent with their 95 % interval, by deals, the number of matches, and times."""
    sample = ScoreSample()
    for deal in deals:
        sample.add(deal.points)
    interval = sample.interval()
    half = "" if interval is None else f" +- {50 * (interval[1] - interval[0]):.1f}"
    times = [
        1000 * sum([deal.seconds[side] for deal in deals]) / max(1, sum([deal.decisions[side] for deal in deals]))
        for side in (0, 1)
    ]
    return f"{100 * sample.mean:.1f}{half} ({2 * len(deals)} matches; {times[0]:.2f} and {times[1]:.2f} ms a decision)"
