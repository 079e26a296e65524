"""What a bot does with its bank is its own affair: it can neither overdraw it nor take or give from another's."""

import json
from itertools import pairwise

import pytest

from tests.helpers import bot
from tests.hosts.play import against_good, match_with, opened
from tourney.hosts.base import BotSpec

pytestmark = pytest.mark.slow

TAKES_ALL = """
import time
class TakesAll:
    \"\"\"Sleeps at its third decision until nearly nothing is left of its bank.\"\"\"
    count = 0
    def start(self, facts): self.clock = facts.clock
    def act(self, view, legal):
        self.count += 1
        if self.count == 3:
            time.sleep(self.clock.left_s - {leaves})
        return legal[-1]
"""
NOTES = """
import json
class Notes:
    def start(self, facts):
        self.clock = facts.clock
        self.read = []
    def act(self, view, legal):
        self.read.append(self.clock.left_s)
        return legal[-1]
    def end(self, outcome):
        open("read.json", "w").write(json.dumps(self.read))
"""


def spec_of(folder, name: str, host: str, text: str) -> BotSpec:
    """The bots of a class in a module with that text."""
    file = folder / f"{name.lower()}.py"
    file.write_text(text, encoding="utf-8")
    return BotSpec(name, host, f"{file.name}:{name}", {}, (), folder, ("vole",), (file,))


@pytest.mark.parametrize("host", ["inline", "process"])
def test_a_bot_that_takes_its_bank_takes_nothing_from_another(host, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    takes = spec_of(tmp_path, "TakesAll", host, TAKES_ALL.format(leaves=60))
    notes = spec_of(tmp_path, "Notes", host, NOTES)
    with opened(takes, None, clock="66s") as first, opened(notes, None, clock="1000s") as second:
        record = match_with(first, second)
    assert record == against_good(bot("Good"))
    assert record.faults == ()
    read = json.loads((tmp_path / "read.json").read_text(encoding="utf-8"))
    assert read[0] == pytest.approx(1000, abs=1)
    assert all(-0.1 < earlier - later < 5 for earlier, later in pairwise(read))


@pytest.mark.parametrize("host", ["inline", "process"])
def test_a_bot_that_has_taken_all_its_bank_is_charged_itself(host, tmp_path):
    takes = spec_of(tmp_path, "TakesAll", host, TAKES_ALL.format(leaves=-600))
    with opened(takes, None, clock="2s") as first:
        record = match_with(first, bot("Good"))
    (fault,) = record.faults
    assert (fault.seat, fault.kind, fault.detail) == (0, "timeout", "its clock ran out")
