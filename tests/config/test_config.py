"""Tournament files: what is refused, and what a good one comes to."""

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.schedule.drawn import check_golden
from tourney import config
from tourney.base.errors import ConfigError
from tourney.journal import folder

GOOD = """
name = "good"
seed = 7
bots = ["random", "steady"]
[[game]]
name = "vole"
"""
DAMAGED = {
    "a seed that is none": {"seed": "xyz"},
    "one weight of two": {"weights": [1]},
    "a weight without bounds": {"weights": [1, float("inf")]},
    "no bot": {"bots": []},
    "an option of a wrong type": {"rounds": "three"},
    "a key that is none": {"roundz": 3},
    "a clock that is none": {"bots": [{"name": n, "use": "x", "options": {}, "limits": {"clock": "1"}} for n in "ab"]},
}


def top(keys: str) -> str:
    return GOOD.replace("seed = 7", f"seed = 7\n{keys}")


def limits(keys: str) -> str:
    return f"{GOOD}[limits]\n{keys}"


def bot(keys: str) -> str:
    return f'{GOOD}\n[[bot]]\nname = "odd"\n{keys}\n'


NAMED = bot("use = 'first'")
REFUSED = {
    "no TOML": ("name = ", "not TOML: "),
    "an unknown key": (top("seeed = 8"), 'did you mean "seed"?'),
    "no name": (GOOD.replace('name = "good"', ""), 'the key "name" is missing'),
    "no seed": (GOOD.replace("seed = 7", ""), 'the key "seed" is missing'),
    "no game": (GOOD.split("[[game]]", maxsplit=1)[0], 'the key "game" is missing'),
    "an invalid name": (GOOD.replace('"good"', '"../good"'), 'name: "../good" is not a valid name'),
    "a seed of the wrong type": (GOOD.replace("7", "7.5"), "seed: Expected `int | str`, got `float`"),
    "no deals": (top("deals = 0"), "deals: Expected `int` >= 1"),
    "a bot's option that is no 64-bit number": (bot(f"use = 'seer'\noptions = {{ playouts = {10**30} }}"), "64-bit"),
    "a match without end": (limits("match_s = inf"), "limits.match_s: Expected `float` <= "),
    "a number of 5,000 digits": (GOOD.replace("7", 5000 * "7"), "not TOML that can be read: Exceeds the limit"),
    "a NUL in a bot's use": (bot('use = "a\\u0000b.py:Bot"'), "use: Expected `str` matching regex"),
    "a bot named like the folder above": (GOOD + '[[bot]]\nname = ".."\nuse = "first"', '".." is not a valid name'),
    "too many bots": (GOOD.replace('"steady"', ", ".join(map('"f.py:B{}"'.format, range(20000)))), "20001 are more"),
    "more games than there may be": (GOOD + 1000 * '[[game]]\nname = "vole"\n', "of length <= 1000"),
    "lists in lists in lists": ("x = " + 10000 * "[" + 10000 * "]" + "\n" + GOOD, "not TOML that can be read"),
    "deals as text": (top('deals = "4"'), "deals: Expected `int`, got `str`"),
    "an unknown format": (top('format = "cup"'), "known: gauntlet, knockout, ladder, league, mirror, round-robin"),
    "an address with a password": (bot('url = "http://me:pw@here"'), "bot odd: url: has a user or a password in it"),
    "an address without a host": (bot('url = "http:///here"'), "bot odd: url: is no address of a server"),
    "a secret in the file": (bot('url = "http://here"\nheaders = { X-Key = "1" }'), "headers.X-Key: may be a secret"),
    "a server that is kept": (bot('url = "http://here"\nkeep = true'), "bot odd: keep: "),
    "headers without a server": (bot('headers = { X = "1" }'), "bot odd: headers, retries and"),
    "an unknown game": (GOOD.replace('"vole"', '"vol"'), 'game[0].name: no game "vol"; did you mean "vole"?'),
    "an unknown bot": (GOOD.replace('"steady"', '"stady"'), 'no bot "stady"; did you mean "steady"?'),
    "no number of seats": (GOOD.replace('"vole"', '"bang"'), "game[0]: say how many seats, as in seats = 2"),
    "a single table of bots": (GOOD + '[bot]\nname = "odd"', "bot: [bot] is a single table; write [[bot]]"),
    "a process to keep in the worker": (bot("use = 'first'\nkeep = true"), 'use host = "process", or keep = false'),
    "a bot of a person": (bot("use = 'first'\nhost = 'person'"), 'host = "person" has no bots; leave out'),
    "a program of a person": (bot("command = ['true']\nhost = 'person'"), 'host = "person" has no bots; leave out'),
    "a program without a first word": (bot("command = ['', 'x']"), "bot odd: command is empty"),
    "a host's option that is no 64-bit number": (
        bot(f"use = 'first'\nhost = 'sandbox'\nhost_options = {{ scratch_mb = {2**63} }}"),
        "bot odd: host_options: scratch_mb: Integer exceeds 64-bit range",
    ),
    "a bot's clock without a unit": (bot("use = 'first'\nclock = '10'"), 'bot[0].clock: invalid clock "10"'),
    "a name of 61 letters": (GOOD.replace("steady", f"{61 * 'x'}.py:Bot"), "is longer than 60 letters"),
    "a name with a line feed": (bot("use = 'first'").replace('"odd"', '"odd\\n"'), "is not a valid name"),
    "a name with what separates names": (NAMED.replace("odd", "a\\u001fb"), "use letters, digits"),
    "a name that cannot be seen": (NAMED.replace("odd", "\u3164"), "cannot be seen; leave it out"),
    "a name of wide letters": (NAMED.replace("odd", "\uff4fdd"), "letters of an unusual form; write 'odd'"),
    "a name of letters of two scripts": (NAMED.replace("odd", "\u043edd"), "mixes letters, Cyrillic and Latin"),
    "a name with another digit": (NAMED.replace("odd", "odd\u09ea"), "the digit '\\u09ea'; use 0 to 9"),
    "names that look alike": (
        NAMED.replace("odd", "\u0440\u043e\u0440") + '\n[[bot]]\nname = "pop"\nuse = "first"',
        "two look the same, '\\u0440\\u043e\\u0440' and 'pop'; rename one",
    ),
    "too few bots": (GOOD.replace(', "steady"', ""), "vole has 2 seats, and the number of bots entered is 1"),
    "a wrong number of seats": (GOOD + "seats = 3", "game[0].seats: vole is for 2 seats, not 3"),
    "an unknown option": (GOOD + "options = { targt = 5 }", 'game[0].options: no key "targt"; did you mean "target"?'),
    "an option out of bounds": (GOOD + "options = { target = 0 }", "game[0].options: target: Expected `int` >= 1"),
    "an option that is none of the choices": (GOOD + 'options = { sevens = "never" }', "known: game, round"),
    "the same game twice": (GOOD + '[[game]]\nname = "vole"', "game[1]: appears twice"),
    "the same bot twice": (GOOD.replace("steady", "random"), 'two are named "random"'),
    "options for a bot that has none": (bot("use = 'first'\noptions = { depth = 1 }"), 'no key "depth"'),
    "an unknown key of a bot": (GOOD + '[[bot]]\nnam = "f"', 'bot[0]: no key "nam"; did you mean "name"?'),
    "a bot's file that is not there": (GOOD.replace("steady", "mine.py:Mine"), "there is no file"),
    "a key of another format": (top("rounds = 3"), 'belongs to format = "swiss", not to "round-robin"'),
    "a gauntlet without challengers": (top('format = "gauntlet"'), "challengers: a gauntlet needs"),
    "a challenger that is not entered": (top('format = "gauntlet"\nchallengers = ["randm"]'), 'did you mean "random"?'),
    "a challenger twice": (top('format = "gauntlet"\nchallengers = ["random", "random"]'), '"random" is there twice'),
    "challengers alone": (top('format = "gauntlet"\nchallengers = ["random", "steady"]'), "a challenger with 1"),
    "a swiss of too few": (top('format = "swiss"\nrounds = 1').replace(', "steady"', ""), "enter more"),
    "a swiss without rounds": (top('format = "swiss"'), "try rounds = 1"),
    "more groups than there are": (top("groups = 2"), "only 1 group, not 2"),
    "groups that let some play more often": (top("groups = 2").replace('"steady"', '"steady", "first"'), "take 3"),
    "groups between two good numbers": (top("groups = 3").replace('"steady"', '"steady", "first", "seer"'), "2 or 4"),
    "groups below all": (top("groups = 5").replace('"steady"', '"steady", "first", "seer"'), "take 4 or 6"),
    "seatings that are none": (top('seatings = "every"'), "known: all, fixed, rotations"),
    "seatings that favour a seat": (top("seatings = 3"), "use 2"),
    "a weight without bounds": (GOOD + "weight = inf", "game[0].weight: inf is not finite"),
    "an anchor that is not entered": (top('anchor = { bot = "stedy", rating = 1500 }'), 'did you mean "steady"?'),
    "an anchor without a rating": (top('anchor = { bot = "steady" }'), "missing required field `rating`"),
    "no time for a match": (limits("match_s = 0"), "limits.match_s: Expected `float` > 0"),
    "a clock without a unit": (limits('clock = "10"'), 'limits.clock: invalid clock "10"'),
    "a clock with nothing on it": (limits('clock = "0s+1s"'), "invalid clock"),
    "processor time of a bot in the worker": (bot("use = 'random'\ncpu_ms = 50"), "has no such limit; use host ="),
    "processor time of all bots, some in the worker": (limits('cpu = "2s"'), "or give the limit to the other bots"),
    "an unknown host": (bot('host = "docker"'), "known: http, inline, process, sandbox"),
    "an unknown key of all bots": (GOOD + "[defaults]\nhots = 'x'", 'defaults: no key "hots"; did you mean "host"?'),
    "a limit of all bots given twice": (limits("move_ms = 5\n[defaults]\nmove_ms = 5"), "defaults.move_ms: is in"),
    "all bots with a host of people": (GOOD + "[defaults]\nhost = 'person'", 'defaults.host: "person" has no bots'),
    "processor time of all bots by default": (GOOD + "[defaults]\ncpu = '2s'", "defaults.cpu: bot random has host"),
    "a bot by name and by command": (bot('use = "random"\ncommand = ["true"]'), "both use and command"),
    "a program inline": (bot('command = ["true"]\nhost = "inline"'), "cannot run inline"),
    "options for a program": (bot('command = ["true"]\noptions = { fast = true }'), "are for Python bots"),
    "a command that is too long": (bot(f"command = ['true', '{200000 * 'x'}']"), "of length <= 100000"),
    "an empty command": (bot("command = []"), "bot odd: command is empty; say what to start, as in"),
    "a program that is not in PATH": (bot('command = ["no-such-program"]'), 'no program "no-such-program" in PATH'),
    "a program that is not there": (bot('command = ["./rusty"]'), "rusty; paths are relative to this file"),
    "a program that is not executable": (bot('command = ["./file.toml"]'), "chmod +x makes it so"),
    "reads that are not there": (bot('command = ["true"]\nreads = ["tables"]'), "tables; paths are"),
    "a bot that does not play the game": (bot('use = "choosy.py:Choosy"\nhost = "process"'), "does not play vole"),
    "a seed of thousands of digits": (GOOD.replace("7", f"0x{5000 * 'f'}"), "seed: a number of more than"),
    "as many seats": (GOOD + f"seats = 0x{5000 * 'f'}", "game[0].seats: a number of more than 4000 digits; give a"),
    "a bot that cannot be loaded": (bot('use = "broken.py:Broken"\nhost = "process"'), "RuntimeError: two lines"),
    "a game of a long name": (GOOD.replace("vole", 1_000_000 * "x"), "no game"),
    "a bot in a file of a long name": (GOOD.replace("steady", 4000 * "x" + ":Bot"), "xxx"),
    "a long key": (GOOD + f"{1_000_000 * 'x'} = 1", "no key"),
    "a program of a long name": (bot(f"command = ['{90_000 * 'x'}']"), "no program"),
    "reads of a long name": (bot(f"command = ['true']\nreads = ['{4000 * 'x'}']"), "xxx"),
}


@pytest.mark.parametrize(
    "name", ["J\u00e9r\u00f4me", "\u041e\u043b\u044c\u0433\u0430", "\u65e5\u672c\u30ed\u30dc-bot", "I1l.O0"]
)
def test_a_name_may_be_of_any_script(name, tmp_path):
    assert name in config.parse(NAMED.replace("odd", name), tmp_path / "file.toml").names


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_refused_in_one_line_that_says_where(case, tmp_path):
    text, says = REFUSED[case]
    path = tmp_path / "file.toml"
    path.write_text(text, encoding="utf-8")
    (tmp_path / "choosy.py").write_text("class Choosy:\n    games = ('leon',)\n    def act(self, view, legal): ...\n")
    (tmp_path / "broken.py").write_text("raise RuntimeError('two\\nlines')", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        config.parse(text, path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert says in message


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    none, data = tmp_path / "none.toml", tmp_path / "bytes.toml"
    data.write_bytes(b"\xff\xfe\x00")
    wrong = {none: "No such file", tmp_path: "directory", data: "not UTF-8", Path("a\0b"): "null byte; give the path"}
    for path, says in wrong.items():
        with pytest.raises(ConfigError, match=says):
            config.read(path)


def test_a_limit_that_only_linux_has_is_refused_elsewhere_whatever_the_host(tmp_path):
    """As if this were another system: what is enforced is settled when the package is loaded."""
    (tmp_path / "file.toml").write_text(limits("memory_mb = 600"), encoding="utf-8")
    code = "from tourney.hosts import linux; linux.AVAILABLE = False; from tourney.cli.main import main; main()"
    command = [sys.executable, "-c", code, "run", "file.toml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, b"this limit needs Linux" in done.stderr) == (2, True), done.stderr


def test_a_file_is_read_up_to_two_mebibytes_and_may_begin_with_the_mark_that_some_editors_write(tmp_path):
    path = tmp_path / "large.toml"
    path.write_text(GOOD, encoding="utf-8-sig")
    assert config.read(path).name == "good"
    path.write_text(GOOD + (2**21 - len(GOOD)) * "#", encoding="utf-8")
    assert config.read(path).name == "good"
    path.write_text(GOOD + (2**21 + 1 - len(GOOD)) * "#", encoding="utf-8")
    for endless in (path, Path("/dev/zero")):
        with pytest.raises(ConfigError, match="is larger than"):
            config.read(endless)


FULL = """
name = "full"
seed = "any text"
format = "swiss"
rounds = 3
deals = 4
seatings = 6
anchor = { bot = "mine", rating = 1000 }
bots = ["steady", "first"]
game = [{ name = "voleur", seats = 3, weight = 2, options = { target = 9 } }, { name = "leon", seats = 3 }]

[defaults]
host = "process"
reads = ["data"]
keep = true
start_ms = 900

[limits]
match_s = 7
clock = "10s+50ms"
max_faults = 5
max_faults_in_row = 3
max_fault_rate = 0.5
max_cost = 2.5

[[bot]]
name = "seer"
options = { playouts = 9 }
host = "sandbox"
host_options = { scratch_mb = 5 }
move_ms = 500
match_s = 8
cpu_ms = 70
cpu = "2s"
memory_mb = 600

[[bot]]
name = "program"
command = ["./program", "--fast", "words"]

[[bot]]
name = "mine"
use = "mine.py:Mine"
host = "inline"
reads = []
keep = false
"""


@pytest.fixture
def full(tmp_path):
    (tmp_path / "mine.py").write_text("class Mine:\n    def act(self, view, legal): return legal[0]\n")
    for name in ("program", "words", "data"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path / "full.toml"


def test_every_key_of_a_file_is_in_the_tournament_and_in_its_manifest(full):
    tournament = config.of_text(FULL, full)
    manifest = config.manifest(tournament)
    check_golden(Path(__file__).parent / "manifest.json", json.dumps(manifest["tournament"], indent=1))
    again = config.of_manifest(manifest)
    faults = msgspec.structs.replace(again.fault_limits, max_fault_rate=0.5, max_cost=2.5)  # free when it is resumed
    assert msgspec.structs.replace(again, folder=str(full.parent), fault_limits=faults) == tournament
    assert tournament.names == ("steady", "first", "seer", "program", "mine")
    assert tournament.python_bots == ("steady", "first", "seer", "mine")
    assert (tournament.games, tournament.all_weights) == (("leon", "voleur"), (2, 1))
    assert (tournament.longest_match_s, tournament.replay_s) == (8, 8)
    assert [entrant.in_worker for entrant in tournament.entrants] == [False, False, False, False, True]
    assert (tournament.in_worker, tournament.bounds_time, tournament.limits_faults) == (False, True, True)
    plain = config.of_text(GOOD + "[limits]\nmatch_s = 2", full)
    assert (plain.in_worker, plain.bounds_time, plain.limits_faults) == (True, False, False)
    assert (plain.all_weights, plain.replay_s, config.of_manifest(config.manifest(plain)).match_s) == ((1,), 5, 2)
    plain = config.of_text(GOOD, full)
    assert (plain.format, plain.deals, plain.match_s) == ("round-robin", 10, 120)
    person = config.of_text(bot('host = "person"'), full).entrants[2]
    assert (person.use, person.has_bots) == ("", False)


@pytest.mark.parametrize(
    ("file", "changed"), [("mine.py", "mine"), ("program", "program"), ("words", "program"), ("data", "program")]
)
def test_the_fingerprint_of_a_bot_is_that_of_all_its_files(file, changed, full):
    tournament = config.of_text(FULL, full)
    before = config.manifest(tournament)["bots"]
    (full.parent / file).write_text("#!/bin/sh\ntrue\n")
    after = config.manifest(tournament)["bots"]
    assert [name for name in tournament.names if before[name] != after[name]] == [changed]


def test_bots_that_cannot_run_here_are_listed_unless_they_run_in_the_worker(full):
    tournament = config.of_text(FULL.replace("sandbox", "process").replace("host_options", "# "), full)
    assert config.absent_bots(tournament) == []
    (full.parent / "program").unlink()
    (full.parent / "mine.py").unlink()
    (line,) = config.absent_bots(tournament)
    assert "program" in line


@pytest.mark.parametrize("keys", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_manifest_is_refused(keys, full):
    manifest = config.manifest(config.of_text(FULL, full))
    with pytest.raises(ConfigError, match="the manifest is damaged"):
        config.of_manifest(manifest | {"tournament": manifest["tournament"] | keys})


def test_seeds_are_numbers_or_text_and_different_ones_differ():
    texts = [GOOD.replace("7", seed) for seed in ("7", "8", '"a"', '"a long secret text"')]
    assert len({config.parse(text, Path("good.toml")).seed for text in texts}) == 4


def test_a_game_with_its_default_options_given_is_the_same_game():
    options = 'seats = 2\noptions = { bang_on = ["pair", "sandwich"], max_turns = 2000 }'
    text = GOOD.replace('"vole"', '"bang"') + options
    assert config.parse(text, Path("good.toml")).setups[0].options == {}
    with pytest.raises(ConfigError, match="appears twice"):
        config.parse(text + '\n[[game]]\nname = "bang"\nseats = 2', Path("good.toml"))


def test_a_manifest_that_has_the_keys_of_all_formats_is_read_as_before():
    manifest = config.manifest(config.parse(GOOD, Path("good.toml")))
    earlier = manifest | {"tournament": manifest["tournament"] | {"challengers": None, "rounds": None}}
    assert config.of_manifest(earlier) == config.of_manifest(manifest)
    assert folder.manifest_differences(earlier, manifest) == []
    assert {"groups", "max_faults", "max_faults_in_row", "smaller_tables"} <= manifest["tournament"].keys()
    assert all("host_options" not in bot for bot in manifest["tournament"]["bots"])


@pytest.mark.parametrize(
    ("keys", "game", "fits"),
    [
        ('format = "swiss"\nrounds = 1', 'name = "bang"\nseats = 3', True),
        ('format = "swiss"\nrounds = 1\nseatings = 3', 'name = "bang"\nseats = 3', False),
        ('format = "swiss"\nrounds = 1', 'name = "vole"', False),
        ("deals = 1", 'name = "bang"\nseats = 3', False),
    ],
)
def test_a_swiss_asks_whether_its_games_can_be_played_with_one_seat_fewer(keys, game, fits):
    text = GOOD.replace("seed = 7", f"seed = 7\n{keys}").replace('"steady"', '"steady", "first"')
    assert config.parse(text.replace('name = "vole"', game), Path("good.toml")).fits_fewer_seats is fits
