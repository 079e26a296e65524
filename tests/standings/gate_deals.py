"""Plays real deals between two versions of a bot, for simulated gates: `python -m tests.standings.gate_deals [DEALS]`.

It writes gate_deals.json: for each game, how many deals had each score. The two versions are `steady` that plays at
random one time in seven, and one time in ten. Both draw the same lots in the same seats, as two versions of one bot do.
"""

import sys
from collections import Counter
from pathlib import Path

import orjson

from tests.standings.simulate import player
from tourney import config
from tourney.schedule.base import schedule
from tourney.standings.gate import came_before

FILE = Path(__file__).with_suffix(".json")
BOTS = Path(__file__).parent.parent / "gated" / "bots.py"
GAMES = (("vole", 2), ("voleur", 3), ("voleur", 4), ("leon", 4), ("leon", 10), ("bang", 4), ("cold-blooded", 6))
CONFIG = """
name = "gating"
seed = "gating"
format = "mirror"
deals = {deals}
bot = [{{ name = "new", use = "{bots}:Noisier" }}, {{ name = "old", use = "{bots}:Noisy" }}]
game = [{{ name = "{game}", seats = {seats} }}]
"""


def scores(game: str, seats: int, deals: int) -> Counter[float]:
    """Plays the deals; returns how many had each score of the new version."""
    tournament = config.parse(CONFIG.format(deals=deals, game=game, seats=seats, bots=BOTS), Path("gating"))
    play = player(tournament)
    blocks = schedule(tournament).blocks()
    return Counter([sum([came_before(record, "new", "old") for record in play(block)]) / 2 for block in blocks])


def main() -> None:
    """Plays, and writes the file."""
    deals = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    found = {f"{game}, {seats} seats": sorted(scores(game, seats, deals).items()) for game, seats in GAMES}
    lines = [f"  {orjson.dumps(name).decode()}: {orjson.dumps(its).decode()}" for name, its in found.items()]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
