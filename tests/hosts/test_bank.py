"""What a bot does with its bank is its own affair: it can neither overdraw it nor take or give from another's."""

import json
import subprocess
import sys
from itertools import pairwise

import pytest

from tests.helpers import bot
from tests.hosts.play import ROOT, against_good, match_with, opened
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
AT_THE_DEADLINE = """
import os, signal, time
from pathlib import Path

def stopped(pid):
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"

class Answers:
    \"\"\"Answers in time, while the worker is stopped until the time is up.\"\"\"
    count = 0
    def start(self, facts): self.clock = facts.clock
    def act(self, view, legal):
        self.count += 1
        if self.count == 1:
            worker = int(os.environ["WORKER"])
            until = time.monotonic() + self.clock.left_s + 0.3
            if os.fork() == 0:
                os.kill(worker, signal.SIGSTOP)
                while time.monotonic() < until:
                    time.sleep(0.01)
                os.kill(worker, signal.SIGCONT)
                os._exit(0)
            while not stopped(worker):
                time.sleep(0.001)
        elif self.count == 2:
            print("left", self.clock.left_s, file=__import__("sys").stderr)
        return legal[-1]
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


def test_an_answer_that_is_there_when_the_worker_looks_is_in_time(tmp_path):
    """However late the worker looks; the bank is empty then, and gets its increment."""
    spec_of(tmp_path, "Answers", "process", AT_THE_DEADLINE)
    worker = f"""
import os
from pathlib import Path
os.environ["WORKER"] = str(os.getpid())
from tests.helpers import bot
from tests.hosts.play import match_with, opened
from tourney.hosts.base import BotSpec
spec = BotSpec("bot", "process", "answers.py:Answers", {{}}, (), Path({str(tmp_path)!r}), ("vole",))
with opened(spec, None, clock="5s+60s") as host:
    print(match_with(bot("Good"), host).faults)
"""
    ended = subprocess.run([sys.executable, "-c", worker], cwd=ROOT, check=False, capture_output=True, text=True)
    assert ended.stdout == "()\n", ended.stderr
    left = float(ended.stderr.partition("left ")[2].split()[0])
    assert 30 < left <= 60
