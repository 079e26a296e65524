"""A league goes on: killed again and again while bots are submitted to it, and when bots are gone."""

import random
import re
import shutil
from collections import Counter
from contextlib import suppress
from os import kill
from signal import SIGKILL

import pytest

from tests.cli.runs import begin, journal, one_line, wait_for
from tests.conftest import with_plugins
from tests.hosts import processes
from tourney import load
from tourney.journal.events import next_block, read_events, rounds

BOTS = """
from pathlib import Path
from tourney import Bot
WRONG = Path(__file__).parents[2] / "wrong"  # in the folder of the league: from then on, some make faults
class Low(Bot):
    def act(self, view, legal):
        return legal[0]
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
    "steady", "pause low", "first high", "Low clone", "retire clone", "restore low", "steady", "first", "Low high",
    "steady second", "pause second", "restore second", "restore crasher", "steady better", "Low better", "random other",
    "first last", "retire better", "restore better", "Low twelfth",
]  # fmt: skip
"""What is done while it plays: a bot is submitted, by its name or as another, or a command changes the field."""


def edited(league, *changes):
    file = league / "tournament.toml"
    for old, new in changes:
        file.write_text(re.sub(old, new, file.read_text()))


def begun(folder, tourney):
    (folder / "bots.py").write_text(BOTS)
    assert tourney("league", "new", "cup", "--game", "vole", "--seed", 1).returncode == 0
    league = folder / "results" / "cup"
    edited(league, ("deals = 4", "deals = 1"), ('name = "vole",', 'name = "vole", options = { target = 1 },'))
    return league


def words(step):
    what, _, name = step.partition(" ")
    if what in ("pause", "retire", "restore"):
        return ["league", what, "cup", name]
    return ["league", "submit", "cup", what if what.islower() else f"bots.py:{what}", "--as", name or what]


def torn_folders(league):
    """What submissions have copied that are killed; one without an event is copied again under the same name."""
    return {path.name: path.stat().st_ctime_ns for path in league.glob("bots/torn@*")}


def end(process, family):
    """Kills a command, with all that it has started or alone; what it has started ends by itself then."""
    for pid in [*(processes.descendants(process.pid) if family else ()), process.pid]:
        with suppress(ProcessLookupError):
            kill(pid, SIGKILL)
    process.communicate()


def played(league):
    """The journal, but for whether a timeout was by the processor's clock or, as the machine is busy, by the wall's."""
    return re.sub(rb'"detail":"(used more|took longer) than .*', b"", journal(league))


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_league_that_is_killed_while_its_field_changes_writes_what_an_undisturbed_one_does(tmp_path, tourney, kills):
    chance, league = random.Random(kills), begun(tmp_path, tourney)
    edited(league, ("max_faults_in_row.*", "max_faults_in_row = 3\ncpu_ms = 300\n[defaults]\nhost = 'process'"))
    for step in FIRST:
        assert tourney(*words(step)).returncode == 0
    (league / "wrong").touch()
    done = Counter()
    for number, step in enumerate((*FIRST, *LATER[:kills])):
        _, verb, *_, name = words(step)
        if verb != "submit":
            done[verb.rstrip("e") + "ed", name] += 1
        elif step != "steady" or not done["entered", name]:  # the same bot once more is not entered
            done["retired", name] += done["entered", name]
            done.update([("submitted", name), ("checked", name), ("entered", name)])
        if number < len(FIRST):
            continue
        process = begin(tmp_path, "play", "cup", "--quiet", command="league")
        size, early = len(journal(league)) + chance.randrange(12_000), chance.random() < 0.3
        wait_for(lambda: process.poll() is not None or len(journal(league)) >= size)  # noqa: B023
        if early:
            end(process, chance.random() < 0.5)
            before = torn_folders(league)
            torn = begin(tmp_path, *words("Low torn")[1:], command="league")
            wait_for(lambda: torn_folders(league) != before)  # noqa: B023
            end(torn, chance.random() < 0.5)
        assert tourney(*words(step)).returncode == 0
        end(process, chance.random() < 0.5)
    assert tourney("league", "play", "cup", "--matches", 60, "--quiet").returncode == 0
    done.update([("paused", "staller"), *[("paused", "crasher")] * (1 + done["restored", "crasher"])])
    events = read_events(league)
    changes = [each for each in events if each.event != "round"]
    told = Counter([(each.event, each.bot.partition("@")[0]) for each in changes])
    assert told == done + Counter({("submitted", "torn"): told["submitted", "torn"]})
    assert all([each.block == next_block(events[:at]) for at, each in enumerate(events) if each.event == "round"])
    faults = {(record.seats[fault.seat], fault.kind) for record in load(league).records() for fault in record.faults}
    assert faults == {("crasher@1", "error"), ("staller@1", "timeout")}
    whole = shutil.copytree(league, tmp_path / "results" / "whole")
    (whole / "journal.jsonl").write_bytes(b"")
    (whole / "events.jsonl").write_bytes(re.sub(rb'{"event":"round".*\n', b"", (whole / "events.jsonl").read_bytes()))
    matches = len(journal(league).splitlines())
    assert tourney("league", "play", "whole", "--workers", 1, "--matches", matches, "--quiet").returncode == 0
    assert played(whole).startswith(played(league))
    paired, again = rounds(read_events(league)), rounds(read_events(whole))
    assert {block: again[block] for block in paired} == paired
    assert [each for each in read_events(whole) if each.event != "round"] == changes


def test_a_bot_that_is_gone_is_paused_and_limits_may_be_changed_but_not_what_was_played_by(tmp_path, tourney, plugin):
    league = begun(tmp_path, tourney)
    plugin("my-bots", "[tourney.bots]\nmine = mine:Low\n", mine=BOTS)
    assert with_plugins(tmp_path, *words("mine")).returncode == 0
    for step in ("random", "Low low"):
        assert tourney(*words(step)).returncode == 0
    play = ("league", "play", "cup", "--quiet", "--matches")
    assert with_plugins(tmp_path, *play, "9").returncode == 0
    edited(league, ("max_faults_in_row = 10", "max_faults_in_row = 5\nmatch_s = 60"))
    shutil.rmtree(tmp_path / "my_bots-1.0.dist-info")
    assert tourney(*play, 80).returncode == 0
    paused = [(each.bot, 'no bot "mine"' in each.why) for each in read_events(league) if each.event == "paused"]
    assert paused == [("mine@1", True)]
    assert tourney(*words("first")).returncode == 0
    assert tourney("verify", "cup").returncode == 0
    edited(league, ('"order"', '"best"'))
    one_line(tourney(*play, 1), 2, "settle")
