"""Rates a field of bots in one game: `python -m tests.strength.field vole --deals 20`.

Beside `seer`, and `steady` and `seer` as they once were, it has bots that no search has as its model.
"""

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

import tourney
from tests.strength.cells import CELLS, FROZEN, unpacked

ODD = [f"{Path(__file__).with_name('field_bots.py')}:{name}" for name in ("Unsteady", "Scatterbrain", "Last", "Middle")]


def main() -> None:
    """Plays, and prints the standings."""
    parser = argparse.ArgumentParser(prog="python -m tests.strength.field", description=__doc__)
    parser.add_argument("cell", choices=CELLS, help="the game, with its number of seats")
    parser.add_argument("--deals", type=int, default=20, help="how many deals each group meets on")
    chosen = parser.parse_args()
    unpacked()
    game, seats = CELLS[chosen.cell]
    frozen = [{"name": name, "use": use} for name, use in FROZEN.items()]
    odd = [{"name": use.rpartition(":")[2].lower(), "use": use} for use in ODD]
    tournament = {
        "name": "field",
        "seed": f"field {chosen.cell}",
        "deals": chosen.deals,
        "bots": ["seer", *frozen, *odd],
        "game": [{"name": game, "seats": seats}],
    }
    with TemporaryDirectory() as folder:
        print(tourney.run(tournament, out=f"{folder}/run", workers=1).standings())


if __name__ == "__main__":
    main()
