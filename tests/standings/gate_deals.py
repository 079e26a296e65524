"""Plays real deals between two versions of a bot, for simulated gates: `python -m tests.standings.gate_deals [DEALS]`.

It writes gate_deals.json: for each game, how many deals had each score. The two versions are `steady` that plays at
random one time in seven, and one time in ten. Both draw the same lots in the same seats, as two versions of one bot do.
"""

import sys
from collections import Counter
from pathlib import Path

import orjson

from tourney import config
from tourney.plugins.registry import load_game
from tourney.schedule.base import schedule
from tourney.standings.gate import came_before
from tourney.table.table import play

FILE = Path(__file__).with_suffix(".json")
BOTS = Path(__file__).parent.parent / "gated" / "bots.py"
GAMES = (("vole", 2), ("voleur", 3), ("voleur", 4), ("leon", 4), ("leon", 10), ("bang", 4), ("cold-blooded", 6))
CONFIG = """
name = "gating"
seed = "gating"
format = "mirror"
deals = {deals}
[[bot]]
name = "new"
use = "{bots}:Noisier"
[[bot]]
name = "old"
use = "{bots}:Noisy"
[[game]]
name = "{game}"
seats = {seats}
"""


def counted(game: str, seats: int, deals: int) -> Counter[float]:
    """Plays the deals; returns how many had each score of the new version."""
    tournament = config.parse(CONFIG.format(deals=deals, game=game, seats=seats, bots=BOTS), Path("gating"))
    makers, rules = config.create_hosts(tournament), load_game(game)
    found: Counter[float] = Counter()
    for block in schedule(tournament).blocks():
        records = [play(match, rules, [makers[name] for name in match.seats]) for match in block.matches()]
        found[sum([came_before(record, "new", "old") for record in records]) / 2] += 1
    return found


def main() -> None:
    """Plays, and writes the file."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    found = {f"{game}, {seats} seats": sorted(counted(game, seats, deals).items()) for game, seats in GAMES}
    lines = [f"  {orjson.dumps(name).decode()}: {orjson.dumps(scores).decode()}" for name, scores in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
