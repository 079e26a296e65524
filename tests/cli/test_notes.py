"""What bots note of their decisions is kept beside the journal, whatever becomes of the run."""

import os
import random
import signal

import pytest

from tests.cli.runs import begin, journal, journal_started, wait_for
from tests.conftest import tournament_text
from tests.hosts import machine
from tourney import Noted
from tourney.hosts.limits import Limits
from tourney.hosts.notes import NoteTaker
from tourney.journal import notes

BOTS = """
import time
from tourney import Bot, Noted

class Notes(Bot):
    def act(self, view, legal):
        return Noted(legal[0], value=1 / len(legal), legal=len(legal), thought=self.facts.game.text(legal[0]))

class Plain(Bot):
    def act(self, view, legal):
        return legal[0]
"""
PROGRAM = """
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    answer = {"type": asked["type"], "protocol": 1}
    if asked["type"] == "act":
        legal = asked["legal"]
        note = {"value": 1 / len(legal), "legal": len(legal), "thought": legal[0]}
        answer |= {"decision": asked["decision"], "action": legal[0], "note": note}
    print(json.dumps(answer), flush=True)
"""


def written(folder, kind="Notes", deals=3, **keys):
    """A tournament of a bot of that kind in every host."""
    hosts = {"inline": "", "process": '\nhost = "process"', "kept": '\nhost = "process"\nkeep = true'}
    if machine.has_sandbox():
        hosts["sandbox"] = '\nhost = "sandbox"'
    tables = [f'[[bot]]\nname = "{name}"\nuse = "bots.py:{kind}"{rest}' for name, rest in hosts.items()]
    if kind == "Notes":
        tables.append('[[bot]]\nname = "program"\ncommand = ["python3", "program.py"]')
    else:
        tables.append('[[bot]]\nname = "program"\nuse = "bots.py:Plain"')
    (folder / "bots.py").write_text(BOTS)
    (folder / "program.py").write_text(PROGRAM)
    text = tournament_text("t", bots="", deals=str(deals), extra="\n".join(tables), **keys)
    (folder / f"{kind}.toml").write_text(text)
    return f"{kind}.toml"
