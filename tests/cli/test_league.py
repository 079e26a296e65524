"""A league by its commands: field, history, tables of before, what authors get; and killed again and again."""

import json
import random
import re
import shutil
import sys
from collections import Counter
from contextlib import suppress
from os import kill
from signal import SIGKILL
from zipfile import ZipFile

import pytest

import tourney as library
from tests.cli.runs import begin, change_manifest, contents, journal, one_line, wait_for
from tests.conftest import ROOT, called, with_code, with_plugins
from tests.environments import made_once
from tests.hosts import processes
from tourney import load
from tourney.contracts.rng import commitment
from tourney.journal.events import Event, EventLog, next_block, read_events, rounds
from tourney.journal.folder import read_manifest
from tourney.journal.lines import line_of
from tourney.runner.league import field_of, named
from tourney.standings.duel import Estimate

BOT = """
import os, sys
import tourney
class Bot:
    def act(self, view, legal):
        print("{name}'s own words", file=sys.stderr)
        if os.path.exists(r"{broken}"):
            raise ValueError("{name} is broken")
        return tourney.Noted({choice}(legal), thought="{name}'s thought")
"""
PLAY = "league", "play", "cup", "--matches", 80, "--workers", 2, "--quiet"
WRONG = [
    "standings cup --at entred:ann@2", "standings cup --at 99999", "standings cup --at 2026-13-01",
    "standings cup --at 1999-01-01", "standings cup cup --at 9", "standings cup --show times --at 9",
    "league history cup anne", "bundle cup --bot Eve -o x.zip", "compare ann bobby --run cup --deals 9",
    "compare ann ann@2 --run cup --deals 9", "compare ann@1 ann@2 --run cup --seed 3",
    "league pause cup nobody", "league new b --game vole --host moon", "league new b --like cup --host moon",
    "league submit cup random --as ann --author Bob",
]  # fmt: skip


def league_in(place):
    """Makes a league of steady, two versions of ann's bot, two of bob's, one of them refused, and cid's that breaks."""
    broken, never = place / "broken", place / "never"

    def say(*arguments, code=0):
        result = called([*map(str, arguments)], place)
        assert result.returncode == code, result.stderr
        return result.stdout

    def submit(name, choice, broken, code=0):
        (place / f"{name}.py").write_text(BOT.format(name=name, choice=choice, broken=broken))
        own = f"{name}.py:Bot", "--author", name.capitalize(), "--host", "process"
        say("league", "submit", "cup", *own, code=code)

    say("league", "new", "cup", "--game", "vole", "--seed", "not to be told")
    file = place / "results" / "cup" / "tournament.toml"
    for old, new in (("deals = 4", "deals = 2"), ("in_row = 10", "in_row = 6"), ("= 2 }", "= 2, options.target = 3 }")):
        file.write_text(file.read_text().replace(old, new))
    say("league", "submit", "cup", "steady")
    submit("ann", "min", never)
    say(*PLAY)
    (place / "before.json").write_text(say("standings", "cup", "--format", "json"))
    say("league", "history", "cup")  # what it keeps is used by those that follow
    submit("cid", "min", broken)
    broken.touch()
    submit("bob", "max", never)
    submit("bob", "max", broken, code=1)
    say(*PLAY)
    submit("ann", "max", never)
    say("league", "restore", "cup", "cid")
    say(*PLAY, "--matches", 160)  # until ann@1 is retired
    say("league", "pause", "cup", "bob", "--why", "away until Monday")


@pytest.fixture(scope="session")
def made(shared_folder):
    return made_once(shared_folder / "league", league_in)


@pytest.fixture
def league(made, tmp_path):
    return shutil.copytree(made / "results" / "cup", tmp_path / "results" / "cup")


def test_the_field_says_what_each_does_and_why(tourney, league):
    def field(*options):
        rows = json.loads(tourney("league", "field", "cup", "--format", "json", *options).stdout)
        return {row["bot"]: row for row in rows}

    rows, everybody = field(), field("--all")
    states = {"steady@1": "plays", "ann@2": "plays", "cid@1": "paused", "bob@1": "paused", "bob@2": "refused"}
    assert {name: row["state"] for name, row in rows.items()} == states
    assert {name: everybody[name]["state"] for name in everybody.keys() - rows.keys()} == {"ann@1": "retired"}
    listed = [[row.bot for row in library.league(league).field(**keys)] for keys in ({}, {"everybody": True})]
    assert listed == [[*rows], [*everybody]]
    for row in library.load(league).standings():
        shown = everybody[row.bot]
        assert (shown["rating"], shown["faults"], shown["deals"]) == (row.rating, row.faults, row.matches // 2)
    bob = rows["bob@1"]
    assert (bob["why"], bob["author"], bob["mean_us"] > 0) == ("away until Monday", "Bob", True)
    assert bob["since"].startswith("20")
    # a row of faults ends with a pause, with its trace; who is restored begins a new one, and plays as itself
    pauses = [event.why for event in read_events(league) if event.bot == "cid@1" and event.event == "paused"]
    first, second = [int(why.split()[0]) for why in pauses]
    assert first + second == rows["cid@1"]["faults"] == rows["cid@1"]["matches"]
    assert {fault.kind for record in library.load(league).records() for fault in record.faults} == {"error"}
    assert "ValueError: cid is broken" in rows["cid@1"]["why"] == pauses[-1]
    text = tourney("league", "field", "cup").stdout
    assert max(map(len, text.splitlines())) <= 80
    assert pauses[-1].splitlines()[0] in text
    assert "ValueError" not in text.partition("bob@2 refused")[0]


def test_what_is_kept_of_a_history_is_what_is_fitted_anew_and_what_standings_said_then(tourney, league):
    def changed(**keys):
        return b"".join([line_of(json.loads(line) | keys) for line in lines])

    file, found = league / "history.jsonl", []
    lines = (kept := file.read_bytes()).splitlines()
    for content in (
        changed(ratings={}), kept, None, kept[:-30], kept.replace(b"1", b"2"), changed(tourney="0", ratings={}),
    ):  # fmt: skip
        file.unlink() if content is None else file.write_bytes(content)
        found.append(json.loads(tourney("league", "history", "cup", "--format", "json").stdout))
    assert not {row["block"] for row in found.pop(0)} & {json.loads(line)["block"] for line in kept.splitlines()}
    assert found[1:] == found[:1] * 4
    _, _, *lines = str(library.league(league).history()).splitlines()
    told = [(line.split()[0], line.split()[3]) for line in lines]
    assert told == [(f"{row['block']}", row["bot"]) for row in found[0]]
    for at in ("entered:cid@1", "restored:cid@1", "entered:ann@2"):
        then = json.loads(tourney("standings", "cup", "--at", at, "--format", "json").stdout)
        rated = {(row["bot"], row["rating"]) for row in then if row["rating"] is not None}
        assert rated == {(row["bot"], row["rating"]) for row in found[0] if at in row["events"].split()}
    _, *own = tourney("league", "history", "cup", "ann", "--format", "csv").stdout.splitlines()
    assert {line.split(",")[3] for line in own} == {"ann@1", "ann@2"}


def test_standings_at_an_event_or_a_date_are_those_of_then(tourney, made, league):
    events, now = read_events(league), tourney("standings", "cup", "--format", "json").stdout
    line = next(number for number, event in enumerate(events, 1) if event.bot == "cid@1")
    then = (made / "before.json").read_text()
    today = events[-1].date[:10]  # means its end
    wanted = {"submitted:cid@1": then, "cid": then, line: then, events[-1].date: now, today: now, "2999-01-01": now}
    assert {at: tourney("standings", "cup", "--at", at, "--format", "json").stdout for at in wanted} == wanted


def test_a_gain_is_what_a_comparison_of_the_two_versions_says(tourney, league):
    found = library.load(league).compare("ann@2", "ann@1")
    gain = f"{Estimate(found.elo, found.low, found.high)} over @1, on {found.deals} common deals"
    assert f"ann@2: {gain}" in " ".join(tourney("standings", "cup").stdout.split())


def test_a_bot_without_a_version_is_all_its_versions(tourney, league):
    def lines(*words):
        return with_code(tourney(*words)).stdout.splitlines()

    one, two, both = [lines("matches", "cup", "--bot", bot) for bot in ("ann@1", "ann@2", "ann")]
    assert [line.split()[0] for line in both] == sorted(line.split()[0] for line in (*one, *two))
    whole = [re.sub(r"@\d", "", line).split() for line in lines("matches", "cup")]
    assert [line.split() for line in lines("matches", "cup", "--by-name")] == whole
    assert len(list(load(league).matches("ann"))) == len(both)
    analysed = load(league).analyse("ann", matches=[both[0].split()[0]], playouts=4, workers=1)
    assert {row.bot for row in analysed} == {"ann@1"}
    rows = json.loads(with_code(tourney("standings", "cup", "--by-name", "--format", "json")).stdout)
    counted = {row["bot"]: row["matches"] for row in rows}
    assert counted.keys() == {"steady", "ann", "bob", "cid"}
    assert counted["ann"] == len(both)
    assert "ann is" in lines("compare", "ann", "steady", "--run", "cup")[0]
    rows = json.loads(with_code(tourney("standings", "cup", "--without-pair", "ann", "bob", "--format", "json")).stdout)
    together = lines("matches", "cup", "--bot", "ann", "--bot", "bob")
    assert sum(row["matches"] for row in rows) == sum(counted.values()) - 2 * len(together)
    words = ("replay", "cup", both[0].split()[0], "--decisions-of", "ann", "--to", "3")
    assert "ann@1" in lines(*words)[0]


def test_a_league_of_before_keeps_the_random_numbers_of_each_version(tourney, league):
    tournament, played = read_manifest(league)["tournament"], journal(league)
    assert tournament.pop("bot_seeds") == "names"
    change_manifest(league, tournament=tournament)
    with_code(tourney("league", "play", "cup", "--matches", 1, "--quiet"))
    assert read_manifest(league)["tournament"]["bot_seeds"] == "versions"
    assert journal(league).startswith(played)


def test_two_bots_of_a_league_play_fresh_deals_beside_it_and_more_of_them(tourney, league, tmp_path):
    before = contents(league)
    challenge = "compare", "ann@1", "ann", "--run", "cup", "--workers", 2, "--deals"
    played = with_code(tourney(*challenge, 2))
    assert re.match(r"ann@1 is (level with|\d+ Elo \w+( of)?) ann@2 ", played.stdout)
    run = library.load(league.parent / "cup-challenge-1")
    begun = journal(run.path)
    with_code(tourney(*challenge, 3, "--out", run.path, "--resume"))
    assert (run.bots, journal(run.path).startswith(begun)) == (("ann@1", "ann@2"), True)
    assert library.load(run.path).standings().matches == 6
    assert called(["verify", str(run.path), "--bots"], tmp_path / "results" / "cup").returncode == 0
    assert before == contents(league)


def test_who_is_called_as_another_s_bot_gets_logs_by_a_version_only(tourney, league):
    with EventLog(league) as log:
        for bot, author in (("zed@1", "bob"), ("dan@1", "dan")):
            table = {"name": bot, "use": "random"}
            log.add(Event("submitted", log.next_block, log.events[-1].date, bot, author=author, table=table))
    names = ("bob", "bob@1", "zed", "dan")
    assert [tourney("bundle", "cup", "--bot", name, "-o", "x.zip").returncode for name in names] == [2, 0, 0, 0]


@pytest.mark.usefixtures("league")
@pytest.mark.parametrize("command", WRONG)
def test_what_cannot_be_is_said_in_a_line(tourney, command):
    result = tourney(*command.split())
    assert (result.returncode, result.stdout, len(result.stderr.splitlines())) == (2, "", 1)


def test_a_bot_of_the_file_stays_in_the_field_whatever_becomes_of_it():
    (found,) = field_of([Event("paused", 0, "2026-01-01", "steady")], ["steady"])
    assert (found.name, found.state) == ("steady", "paused")
    with pytest.raises(library.TourneyError, match='"steady"'):
        named(ROOT, "stedy", [found])


@pytest.mark.slow
def test_whoever_is_submitted_while_a_league_is_played_plays_from_its_next_round(tmp_path):
    cup = library.league(tmp_path / "cup", games=["vole"], seed=4, host="process")
    (tmp_path / "deep" / "own").mkdir(parents=True)
    (tmp_path / "deep" / "own" / "choice.py").write_text("choose = min")
    deep = "from .own.choice import choose\nclass Deep: act = lambda _, view, legal: choose(legal)"
    (tmp_path / "deep" / "__init__.py").write_text(deep)
    wire = shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", tmp_path / "deep" / "own" / "wire.py")
    for bot in ("random", f"{tmp_path / 'deep'}:Deep", [sys.executable, "-IS", str(wire)]):
        assert cup.submit(bot).state == "entered"
    shutil.rmtree(tmp_path / "deep")

    def submit(now):
        if now.matches and len(cup.field()) == 3:
            cup.submit("steady")

    played = cup.play(matches=40, workers=1, progress=submit)
    assert {row.bot: row.faults for row in played} == dict.fromkeys(("random@1", "deep@1", "own@1", "steady@1"), 0)
    assert [*library.load(cup.path).standings()] == [*played]
    assert str(cup.path) in repr(cup)
    assert cup.submit("random").state == "there already"
    assert cup.submit("random", host="inline").name == "random@2"
    assert (cup.retire("deep"), cup.restore("deep")) == ("deep@1", "deep@1")
    before = journal(cup.path)
    shown = called(["league", "play", str(cup.path), "--for", "0h0m", "--quiet"], tmp_path)
    assert (shown.returncode, journal(cup.path)) == (0, before)
    field = cup.field()
    assert called(["league", "field", str(cup.path)], tmp_path).stdout == f"{field}\n"
    assert [field.of(row.bot) for row in field] == [field[0], *field[1:]]
    assert library.league(cup.path, games=["vole"]).path == cup.path
    for games in (["leon:2"], "vole"):
        with pytest.raises(library.TourneyError, match=r"already a league with other games|expected a non-empty list"):
            library.league(cup.path, games=games)


FILES = {
    "ann.py": "import random, helpers\nclass Ann:\n    def act(self, view, legal):\n"
    "        import nets.small\n        return nets.small.noted(legal, helpers.THOUGHT)",
    "helpers.py": "from . import bob\nTHOUGHT = 'one'",
    "nets/__init__.py": "from .. import helpers",
    "nets/small.py": "import tourney, helpers\nnoted = lambda legal, thought: tourney.Noted(legal[0], thought=thought)",
    "bob.py": "import ann\nclass Bob: ...",
    "random.py": "import cid",
    "cid.py": "",
    "dan.py": "from ann import Ann",
}


def test_a_file_is_submitted_with_what_it_imports_from_its_own_folder(tourney, tmp_path):
    cup, inbox = library.league(tmp_path / "results" / "cup", games=["vole"], seed=4), tmp_path / "inbox"
    (inbox / "nets").mkdir(parents=True)
    for name, text in FILES.items():
        (inbox / name).write_text(text)
    submit = "league", "submit", "cup", "inbox/ann.py:Ann", "--author", "Ann"
    assert "also copied: bob.py, helpers.py, nets/__init__.py, nets/small.py\n" in tourney(*submit).stdout
    assert "identical to ann@1" in tourney(*submit).stdout
    cup.submit("random")
    cup.play(matches=8, workers=1)
    (inbox / "helpers.py").write_text("THOUGHT = 'two'")
    taken = cup.submit(f"{inbox / 'ann.py'}:Ann", author="ann").taken
    assert taken == ("helpers.py", "nets/__init__.py", "nets/small.py")
    (inbox / "helpers.py").write_text("import gone")
    refused = tourney(*submit)
    assert (refused.returncode, "ModuleNotFoundError: No module named 'gone'" in refused.stdout) == (1, True)
    others = tourney("league", "submit", "cup", "inbox/dan.py:Dan", "--author", "Dan")
    assert (others.returncode, others.stderr.count("\n"), "ann.py" in others.stderr) == (2, 1, True)
    shutil.rmtree(inbox)
    cup.play(matches=16, workers=1)
    assert tourney("bundle", "cup", "--bot", "ann", "-o", "ann.zip").returncode == 0
    with ZipFile(tmp_path / "ann.zip") as file:
        notes = [file.read(name).decode() for name in sorted(file.namelist()) if "/notes/" in name]
    assert [("one" in each, "two" in each) for each in notes] == [(True, False), (False, True), (False, False)]


def test_a_league_of_nobody_can_be_looked_at_and_played(tourney, tmp_path):
    assert tourney("league", "new", "cup", "--game", "vole").returncode == 0
    commands = ("standings", "matches", "verify", "league field", "league history", "league play")
    results = [tourney(*command.split(), "cup") for command in commands]
    assert [result.returncode for result in results] == [0, 0, 0, 0, 2, 0]
    assert "tourney league submit results/cup BOT" in results[3].stdout
    assert results[0].stderr == results[-1].stderr.splitlines(keepends=True)[-1] != ""
    assert results[0].stdout == results[-1].stdout != ""
    in_place = tmp_path / "results" / "cup" / "standings.json"
    in_place.unlink()
    in_place.mkdir()
    stopped = tourney("league", "play", "cup", "--quiet")
    assert stopped.returncode == 4
    assert stopped.stderr.endswith("; continue with: tourney league play cup --quiet\n")


def test_standings_that_were_written_are_shown_while_they_are_those_of_the_journal_and_the_field(tourney, league):
    text, rows, journal, manifest = [
        league / name for name in ("standings.txt", "standings.json", "journal.jsonl", "manifest.json")
    ]
    counted, whole = tourney("standings", "cup", "--by", "rating").stdout, journal.read_bytes()
    table, as_json, state = tourney("standings", "cup").stdout, rows.read_bytes(), manifest.read_bytes()
    assert table.startswith(text.read_text())
    assert table.partition("cid@1: ")[2] == counted.partition("cid@1: ")[2] != "", "the first fault of each follows"
    assert tourney("standings", "cup", "--format", "json").stdout == as_json.decode()
    text.write_text(text.read_text().replace("pts %", "PTS %"))

    def is_written(*options, **environment):
        return "PTS %" in tourney("standings", "cup", *options, **environment).stdout

    assert is_written()
    assert not any([is_written("--by", "points"), is_written("--format", "markdown"), is_written(COLUMNS="120")])
    for file, data, changed in (
        (journal, whole, b"".join(whole.splitlines(keepends=True)[:-1])),
        (rows, as_json, as_json[:-9]),
        (rows, as_json, as_json.replace(b'"paused"', b'"plays"')),
    ):
        file.write_bytes(changed)
        assert not is_written()
        file.write_bytes(data)
    change_manifest(league, tourney="0.0")
    assert not is_written()
    manifest.write_bytes(state)
    assert is_written()


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
LATER = ["steady", "pause low", "Low high", "Low clone", "retire clone", "restore low", "restore crasher", "first"]
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
    return {path.name: path.stat().st_ctime_ns for path in league.glob("bots/*torn@*")}


def end(process, family):
    """Kills a command, with all that it has started or alone; what it has started ends by itself then."""
    for pid in [*(processes.descendants(process.pid) if family else ()), process.pid]:
        with suppress(ProcessLookupError):
            kill(pid, SIGKILL)
    process.communicate()


def played(league):
    """The journal, but for whether a timeout was by the processor's clock or, as the machine is busy, by the wall's."""
    return re.sub(rb'"detail":"(used more|took longer) than .*', b"", journal(league))


@pytest.mark.slow
def test_a_league_that_is_killed_while_its_field_changes_writes_what_an_undisturbed_one_does(tmp_path, tourney):
    chance, league = random.Random(8), begun(tmp_path, tourney)
    edited(league, ("max_faults_in_row.*", "max_faults_in_row = 3\ncpu_ms = 300\n[defaults]\nhost = 'process'"))
    for step in FIRST:
        assert tourney(*words(step)).returncode == 0
    (league / "wrong").touch()
    done = Counter()
    for number, step in enumerate((*FIRST, *LATER)):
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
    assert tourney("league", "play", "cup", "--matches", 400, "--quiet").returncode == 0  # 20 common deals
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("command", ["standings", "report", "league field", "league play", "league pause", "matches"])
def test_a_league_that_has_lost_its_events_is_damaged_and_gets_no_new_ones(tourney, league, command):
    (league / "events.jsonl").unlink()
    name = ["ann"] if command.endswith("pause") else []
    one_line(tourney(*command.split(), "cup", *name), 2, "events.jsonl: missing; restore the file from a backup")
    assert not (league / "events.jsonl").exists()


def test_voided_matches_count_no_more_and_are_played_again_on_fresh_deals(tourney, league):
    cup = library.league(league)

    def counted():
        return {row.bot: row.matches for row in cup.run.standings()}

    two = {"steady@1": 2, "ann@2": 2}
    first, second, *_, last = cup.run.matches(["steady@1", "ann@2"])
    assert first.match[:-1] == second.match[:-1]
    before, then = counted(), tourney("standings", "cup", "--format", "json").stdout
    assert cup.void([first.match], why="the machine froze") == 2
    assert {name: before[name] - now for name, now in counted().items() if now != before[name]} == two
    assert tourney("standings", "cup", "--at", len(read_events(league)), "--format", "json").stdout == then
    marked = [line.split()[0] for line in tourney("matches", "cup").stdout.splitlines() if line.endswith("voided")]
    assert marked == [first.match, second.match]
    assert {row.bot: row.voided for row in cup.field() if row.voided} == two
    one_line(tourney("league", "void", "cup", first.match), 2, "none of these matches counts")
    one_line(tourney("league", "void", "cup", "--between", "2020-01-01", "2020-01-02"), 2, "none of these")
    tourney("report", "cup", "--out", "cup.html").check_returncode()
    assert "2 matches of ann@2, steady@1 voided: <bdi>the machine froze" in (league.parents[1] / "cup.html").read_text()
    more = []

    def void_another(_):
        if not more:
            more.append(cup.void([last.match], why="again"))

    shown = cup.play(matches=60, workers=1, progress=void_another)
    voids = {event.block: event.tables for event in read_events(league) if event.voided}
    paired = rounds(read_events(league))
    assert all(group in map(tuple, map(sorted, paired[block].groups)) for block, [group] in voids.items())
    assert {row.bot: row.matches for row in shown} == counted()
    assert sum(counted().values()) == 2 * (len(journal(league).splitlines()) - 4)
    assert tourney("verify", "cup").returncode == 0


@pytest.mark.slow
def test_a_closed_league_has_a_final_that_a_second_person_makes_too(tourney, league, tmp_path):
    cup = library.league(league)
    one_line(tourney("league", "final", "cup"), 2, "open for submissions; close it first")
    assert "until 2999-12-24T23:59:59Z" in tourney("league", "close", "cup", "--at", "2999-12-24").stdout
    one_line(tourney("league", "final", "cup"), 2, "open for submissions until 2999-12-24T23:59:59Z")
    committed = cup.close()
    one_line(tourney("league", "submit", "cup", "random"), 2, "submissions closed at 20")
    told = tourney("league", "final", "cup", "--best", 2, "--deals", 1, "-o", "mine/final.toml").stdout
    assert f"announced:\n  {committed}\n" in told
    assert max(map(len, told.splitlines())) < 80
    file = tmp_path / "mine" / "final.toml"
    moved = tmp_path / "elsewhere" / "copy"
    shutil.copytree(league, moved)
    assert library.league(moved).final(moved.with_name("final.toml"), best=2, deals=1) == ["steady@1", "ann@2"]
    assert moved.with_name("final.toml").read_bytes() == file.read_bytes()
    seed = re.search('seed = "(.*)"', file.read_text())[1]
    assert commitment(seed) == committed
    shutil.rmtree(league)
    final = library.run(file, out=tmp_path / "final", workers=1)
    assert {row.bot for row in final.standings()} == {"steady", "ann"}
    (tmp_path / "mine" / "bots" / "ann@2" / "ann.py").write_text("")
    one_line(tourney("league", "final", moved, "-o", file), 2, "ann@2: not the files of ann@2 as submitted")


def test_a_final_has_the_version_that_plays_though_another_of_its_author_is_rated_higher(tourney, league, tmp_path):
    cup = library.league(league)
    cup.close()
    finals = [cup.final(tmp_path / "1.toml", best=8, deals=1)]
    tourney("league", "retire", "cup", "ann", "--restore-previous").check_returncode()
    finals.append(cup.final(tmp_path / "2.toml", best=8, deals=1))
    assert ["ann@2" in finals[0], "ann@1" in finals[1]] == [True, True]
    swiss = "league", "final", "cup", "--format", "swiss"
    one_line(tourney(*swiss), 2, "rounds: required")
    with_code(tourney(*swiss, "--rounds", 1))
    assert "rounds = 1" in (tmp_path / "final.toml").read_text()


@pytest.mark.slow
def test_a_successor_takes_over_bots_versions_and_owners_and_asks_each_at_its_games(tourney, league, tmp_path):
    edited(league, (r"game = \[", 'game = [{ name = "leon", seats = 2 }, '))
    one_line(tourney("league", "play", "cup"), 2, "leon was added to the games", "a successor like results/cup")
    (league / "bots" / "cid@1" / "cid.py").write_text("class Bot:\n    def act(self, view, legal): raise LookupError\n")
    made = tourney("league", "new", "next", "--like", "cup", "--game", "leon:2", "--game", "vole")
    assert made.returncode == 0, made.stderr
    successor = library.league(tmp_path / "results" / "next")
    old = {(row.bot, row.author, row.state, row.why) for row in library.league(league).field() if row.bot != "bob@2"}
    new = {(row.bot, row.author, row.state, row.why) for row in successor.field()}
    [(*broken, why)] = new - old
    assert broken == ["cid@1", "Cid", "refused"]
    assert "LookupError" in why
    assert f"refused cid@1: {why}" in made.stdout.splitlines()
    assert {name for name, *_ in old - new} == {"cid@1"}
    assert len({read_manifest(path)["tournament"]["seed"] for path in (league, successor.path)}) == 2
    one_line(
        tourney("league", "submit", "next", "random", "--as", "cid", "--author", "Eve"), 2, "cid is the bot of Cid"
    )
    assert tourney("league", "submit", "next", "random", "--as", "ann", "--author", "Ann").stdout.startswith(
        "added ann@3"
    )
    successor.retire("ann")
    assert [row.state for row in successor.field(everybody=True) if row.bot.startswith("ann")] == ["retired", "retired"]
    assert (
        "steady@1 has no earlier version" in tourney("league", "retire", "next", "steady", "--restore-previous").stderr
    )
    successor.restore("ann")
    told = tourney("league", "retire", "next", "ann", "--restore-previous").stdout.splitlines()
    assert [line.split(" from")[0] for line in told] == ["ann@3 is retired", "ann@2 is restored"]
    one_line(tourney("league", "new", "next", "--like", "cup"), 2, "already contains a run")
