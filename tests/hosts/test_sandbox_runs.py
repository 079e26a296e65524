"""Tournaments whose bots play in the sandbox."""

import json

import pytest

from tests.hosts import machine
from tourney.plugins.registry import bot_names

EATER = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "act":
        kept = [bytes([n % 255 + 1]) * (1 << 20) for n in range(10_000)]
    answer = {"type": message["type"]} | ({"protocol": message["protocol"]} if message["type"] == "hello" else {})
    print(json.dumps(answer), flush=True)
"""
LOOKER = """
import os

class Looker:
    def act(self, view, legal):
        for look in (lambda: os.listdir(RUN), lambda: open(f"{RUN}/journal.jsonl"), lambda: open(OTHER)):
            try:
                look()
            except OSError:
                continue
            raise LookupError
        return legal[0]
"""
TOURNAMENT = """
name = "locked"
seed = 1
deals = 1
bots = ["random"]
[[bot]]
name = "looker"
use = "looker.py:Looker"
host = "sandbox"
[[bot]]
name = "eater"
command = ["/usr/bin/env", "python3", "eater.py"]
host = "sandbox"
[[game]]
name = "vole"
options = { target = 6 }
[limits]
memory_mb = 100
"""


@pytest.mark.slow
def test_bots_see_nothing_of_the_run_nor_of_each_other_and_are_charged_for_memory(tmp_path, tourney):
    machine.need_sandbox()
    (tmp_path / "eater.py").write_text(EATER, encoding="utf-8")
    paths = f"RUN, OTHER = {str(tmp_path / 'run')!r}, {str(tmp_path / 'eater.py')!r}\n"
    (tmp_path / "looker.py").write_text(paths + LOOKER, encoding="utf-8")
    (tmp_path / "locked.toml").write_text(TOURNAMENT, encoding="utf-8")
    done = tourney("run", "locked.toml", "--out", "run")
    assert done.returncode == 0, done.stderr
    faults = [
        (record["seats"][fault["seat"]], fault["kind"])
        for record in map(json.loads, (tmp_path / "run" / "journal.jsonl").read_bytes().splitlines())
        for fault in record["faults"]
    ]
    assert set(faults) == {("eater", "crash")}


@pytest.mark.slow
def test_all_bots_play_the_same_in_the_sandbox_as_inline(tmp_path, tourney):
    machine.need_sandbox()
    journals = []
    for host in ("inline", "sandbox"):
        bots = "".join([f'[[bot]]\nname = "{name}"\nuse = "{name}"\nhost = "{host}"\n' for name in bot_names()])
        game = '[[game]]\nname = "vole"\noptions = { target = 6 }\n'
        (tmp_path / "all.toml").write_text(f'name = "all"\nseed = 1\ndeals = 1\n{bots}{game}', encoding="utf-8")
        done = tourney("run", "all.toml", "--out", host, "--quiet")
        assert (done.returncode, done.stderr) == (0, "")
        journals.append((tmp_path / host / "journal.jsonl").read_bytes())
    assert journals[0] == journals[1]
