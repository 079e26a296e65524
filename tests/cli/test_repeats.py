"""Bots that do not repeat themselves are not asked again unless the user says so; what is recorded is shown."""

import orjson
import pytest

BOT = """
import tourney
from pathlib import Path
class Fickle(tourney.Bot):
    service = True
    def __init__(self):
        with Path(__file__).with_name("made").open("a") as file:
            file.write(".")
            self.number = file.tell()
    def act(self, view, legal):
        return tourney.Noted(legal[self.number % len(legal)], thought=f"I am number {self.number}")
"""
ENTERED = '[[bot]]\nname = "fickle"\nuse = "fickle.py:Fickle"\n'


@pytest.mark.parametrize("is_null", [True, False])
def test_nothing_asks_them_again_unless_it_is_told_to(write, tourney, tmp_path, is_null):
    (tmp_path / "fickle.py").write_text(BOT, encoding="utf-8")
    config = write(bots='["steady"]', deals="2", extra=ENTERED + "null = true" * is_null)
    assert ("null = true" in tourney("run", config).stderr) is not is_null, "suggested where there is none"
    assert ("  fickle-null  " in tourney("standings", "small").stdout) is is_null
    made = (tmp_path / "made").stat().st_size
    assert tourney("verify", "small", "--bots").returncode == 0
    analysis = tourney("analyse", "small", "vole-0-0", "--playouts", 4, "--format", "json").stdout
    assert orjson.loads(analysis)["settings"]["bots"]["fickle"], "another bot plays on for it"
    decisions = tourney("replay", "small", "vole-0-0", "--decisions-of", "fickle", "--json").stdout.splitlines()
    last = orjson.loads(decisions[-1])
    where = "small", "vole-0-0", last["decision"]
    shown = tourney("debug", *where).stdout
    assert last["action"] in shown
    assert last["note"]["thought"] in shown
    assert "ends as recorded" in tourney("debug", *where, "--try", last["action"]).stdout
    assert (tmp_path / "made").stat().st_size == made
    asked = tourney("debug", *where, "--ask")
    assert (asked.returncode, f"I am number {made + 1}\n" in asked.stdout) == (0, True)
    assert tourney("check", config, "fickle").returncode == 0, "it need not repeat itself"
    gate = tourney("gate", "fickle", "--against", "steady", "--config", config, "--max-deals", 1)
    assert (gate.returncode, "null = true" in gate.stderr) == (3, True)
