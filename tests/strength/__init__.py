"""How strong the reference bots are, measured on mirrored deals against `steady` and `seer` as they once were.

Those two, the yardsticks, are files of an earlier commit: `tests.strength.cells.unpacked` takes them from the history.
"""

from pathlib import Path

THEN = "e73dc50ae59e"  # the commit that has the yardsticks in `tests/strength/yardsticks`
UNPACKED = Path(__file__).parents[2] / "build" / f"yardsticks-{THEN}"
__path__.append(str(UNPACKED / "tests" / "strength"))
