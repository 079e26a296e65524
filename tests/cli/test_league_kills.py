"""A league that is killed again and again, while bots are submitted to it, comes to what an undisturbed one does."""

import random
import re
import shutil
from collections import Counter
from contextlib import suppress
from os import kill
from signal import SIGKILL

import orjson
import pytest

from tests.cli.runs import begin, journal, wait_for
from tests.hosts import processes
from tourney.journal.events import next_block, read_events, read_rounds

BOTS = """
from pathlib import Path
from tourney import Bot

WRONG = Path(__file__).parents[2] / "wrong"  # in the folder of the league: from then on, some make faults

class Low(Bot):
    def act(self, view, legal):
        return legal[0]

class High(Bot):
    def act(self, view, legal):
        return legal[-1]

class Crasher(Low):
    def act(self, view, legal):
        return legal[1 / (not WRONG.exists()) > 2]

class Staller(Low):
    def act(self, view, legal):
        while WRONG.exists():
            pass
        return legal[0]
"""
FIRST = ["random", "Low low", "Crasher crasher", "Staller staller"]
LATER = [
    "steady", "pause low", "High high", "Low clone", "retire high", "restore low", "steady", "first", "Low high",
    "steady second", "pause second", "restore second", "restore crasher", "High better", "Low better", "random other",
    "High last", "retire better", "restore better", "Low twelfth",
]  # fmt: skip
"""What is done while it plays: a bot is submitted, by its name or as another, or a command changes the field."""


def begun(folder, tourney):
    """Begins a league of short matches, in which bots have little time of the processor."""
    (folder / "bots.py").write_text(BOTS)
    assert tourney("league", "new", "cup", "--game", "vole", "--host", "process", "--seed", 1).returncode == 0
    league = folder / "results" / "cup"
    keys = {
        "deals = .*": "deals = 1",
        'name = "vole",': 'name = "vole", options = { target = 1 },',
        "max_faults_in_row = .*": "max_faults_in_row = 3\ncpu_ms = 300",
    }
    text = (league / "tournament.toml").read_text()
    for key, value in keys.items():
        text = re.sub(key, value, text)
    (league / "tournament.toml").write_text(text)
    return league


def words(step):
    """The command of a step."""
    what, _, name = step.partition(" ")
    if what in ("pause", "retire", "restore"):
        return ["league", what, "cup", name]
    bot = what if what.islower() else f"bots.py:{what}"
    return ["league", "submit", "cup", bot, *(["--as", name] if name else [])]


def end(process, family):
    """Kills a command, with all that it has started or alone; what it has started ends by itself then."""
    for pid in [*(processes.descendants(process.pid) if family else ()), process.pid]:
        with suppress(ProcessLookupError):
            kill(pid, SIGKILL)
    process.communicate()


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.slow)])
def test_a_league_that_is_killed_while_its_field_changes_writes_what_an_undisturbed_one_does(tmp_path, tourney, kills):
    chance = random.Random(kills)
    league = begun(tmp_path, tourney)
    for step in FIRST:
        assert tourney(*words(step)).returncode == 0
    (league / "wrong").touch()
    for step in LATER[:kills]:
        process = begin(tmp_path, "play", "cup", "--quiet", command="league")
        size = len(journal(league)) + chance.randrange(12_000)
        wait_for(lambda: process.poll() is not None or len(journal(league)) >= size)  # noqa: B023
        if chance.random() < 0.7:
            assert tourney(*words(step)).returncode == 0
            end(process, chance.random() < 0.5)
        else:
            end(process, chance.random() < 0.5)
            assert tourney(*words(step)).returncode == 0
    over = tourney("league", "play", "cup", "--matches", 150, "--quiet")
    assert over.returncode == 0, over.stderr

    events = read_events(league)
    changes = [each for each in events if each.event != "round"]
    told = Counter([(each.event, each.bot.partition("@")[0]) for each in changes])
    done = Counter()
    for step in (*FIRST, *LATER[:kills]):
        verb, *_, name = words(step)[1:]
        if verb == "submit" and ("entered", name) in done:
            done["retired", name] += name != "steady"  # a bot that is there is not entered again
        if verb == "submit" and not (name == "steady" and ("entered", name) in done):
            done.update([("submitted", name), ("checked", name), ("entered", name)])
        elif verb != "submit":
            done[verb.rstrip("e") + "ed", name] += 1
    done.update([("paused", "staller"), *[("paused", "crasher")] * (1 + done["restored", "crasher"])])
    assert told == done
    assert all([each.block == next_block(events[:at]) for at, each in enumerate(events) if each.event == "round"])
    faults = Counter()
    for record in map(orjson.loads, journal(league).splitlines()):
        faults.update([(record["seats"][fault["seat"]], fault["kind"]) for fault in record["faults"]])
    assert {*faults} == {("crasher@1", "error"), ("staller@1", "timeout")}

    whole = shutil.copytree(league, tmp_path / "results" / "whole")
    (whole / "journal.jsonl").write_bytes(b"")  # and who meets is found anew
    lines = (whole / "events.jsonl").read_bytes().splitlines(keepends=True)
    (whole / "events.jsonl").write_bytes(b"".join([line for line in lines if b'{"event":"round"' not in line]))
    matches = len(journal(league).splitlines())
    assert tourney("league", "play", "whole", "--workers", 1, "--matches", matches, "--quiet").returncode == 0
    assert journal(whole).startswith(journal(league))
    rounds, again = [read_rounds(each) for each in (league, whole)]
    assert {block: again[block] for block in rounds} == rounds
    assert [each for each in read_events(whole) if each.event != "round"] == changes
