"""Tournament files: what is refused, and what a good one comes to."""

import json
import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

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
SMALLER = [
    ('format = "swiss"\nrounds = 1', 'name = "bang"\nseats = 3', True),
    ('format = "swiss"\nrounds = 1\nseatings = 3', 'name = "bang"\nseats = 3', False),
    ('format = "swiss"\nrounds = 1', 'name = "vole"', False),
    ("deals = 1", 'name = "bang"\nseats = 3', False),
]
LIMITS = f"{GOOD}[limits]\n"
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


def bot(keys: str) -> str:
    return f'{GOOD}\n[[bot]]\nname = "odd"\n{keys}\n'


NAMED = bot("use = 'first'")
REFUSED = [
    "name = ", top("seeed = 8"), GOOD.replace('name = "good"', ""), GOOD.replace("seed = 7", ""),
    GOOD.split("[[game]]", maxsplit=1)[0], GOOD.replace('"good"', '"../good"'), GOOD.replace("7", "7.5"),
    top("deals = 0"), bot(f"use = 'seer'\noptions = {{ playouts = {10**30} }}"), LIMITS + "match_s = inf",
    GOOD.replace("7", 5000 * "7"), bot('use = "a\\u0000b.py:Bot"'), GOOD + '[[bot]]\nname = ".."\nuse = "first"',
    GOOD.replace('"steady"', ", ".join(map('"f.py:B{}"'.format, range(20000)))),
    GOOD + 1000 * '[[game]]\nname = "vole"\n', "x = " + 10000 * "[" + 10000 * "]" + "\n" + GOOD, top('deals = "4"'),
    top('format = "cup"'), bot('url = "http://me:pw@here"'), bot('url = "http:///here"'),
    bot('url = "http://here"\nheaders = { X-Key = "1" }'), bot('url = "http://here"\nkeep = true'),
    bot('headers = { X = "1" }'), GOOD.replace('"vole"', '"vol"'), GOOD.replace('"steady"', '"stady"'),
    GOOD.replace('"vole"', '"bang"'), GOOD + '[bot]\nname = "odd"', GOOD.replace("[[game]]", "[game]"),
    GOOD + "[[limits]]\nmove_ms = 3", bot("use = 'first'\nkeep = true"), bot("use = 'first'\nhost = 'person'"),
    bot("command = ['true']\nhost = 'person'"), bot("command = ['', 'x']"),
    bot( f"use = 'first'\nhost = 'sandbox'\nhost_options = {{ scratch_mb = {2**63} }}" ),
    bot("use = 'first'\nclock = '10'"), GOOD.replace("steady", f"{61 * 'x'}.py:Bot"),
    bot("use = 'first'").replace('"odd"', '"odd\\n"'), NAMED.replace("odd", "a\\u001fb"),
    NAMED.replace("odd", "\u3164"), NAMED.replace("odd", "\uff4fdd"), NAMED.replace("odd", "\u043edd"),
    NAMED.replace("odd", "odd\u09ea"),
    NAMED.replace("odd", "\u0440\u043e\u0440") + '\n[[bot]]\nname = "pop"\nuse = "first"',
    GOOD.replace(', "steady"', ""), GOOD + "seats = 3", GOOD + "options = { targt = 5 }",
    GOOD + "options = { target = 0 }", GOOD + 'options = { sevens = "never" }', GOOD + '[[game]]\nname = "vole"',
    GOOD.replace("steady", "random"), bot("use = 'first'\noptions = { depth = 1 }"), GOOD + '[[bot]]\nnam = "f"',
    GOOD.replace("steady", "mine.py:Mine"), top("rounds = 3"), top('format = "gauntlet"'),
    top('format = "gauntlet"\nchallengers = ["randm"]'),
    top('format = "gauntlet"\nchallengers = ["random", "random"]'),
    top('format = "gauntlet"\nchallengers = ["random", "steady"]'),
    top('format = "swiss"\nrounds = 1').replace(', "steady"', ""), top('format = "swiss"'), top("groups = 2"),
    top("groups = 2").replace('"steady"', '"steady", "first"'),
    top("groups = 3").replace('"steady"', '"steady", "first", "seer"'),
    top("groups = 5").replace('"steady"', '"steady", "first", "seer"'), top('seatings = "every"'),
    GOOD + "weight = inf", top('anchor = { bot = "stedy", rating = 1500 }'), top('anchor = { bot = "steady" }'),
    LIMITS + "match_s = 0", LIMITS + 'clock = "10"', LIMITS + 'clock = "0s+1s"', bot("use = 'random'\ncpu_ms = 50"),
    LIMITS + 'cpu = "2s"', bot('host = "docker"'), GOOD + "[defaults]\nhots = 'x'",
    LIMITS + "move_ms = 5\n[defaults]\nmove_ms = 5", GOOD + "[defaults]\nhost = 'person'",
    GOOD + "[defaults]\ncpu = '2s'", bot('use = "random"\ncommand = ["true"]'),
    bot('command = ["true"]\nhost = "inline"'), bot('command = ["true"]\noptions = { fast = true }'),
    bot(f"command = ['true', '{200000 * 'x'}']"), bot("command = []"), bot('command = ["no-such-program"]'),
    bot('command = ["./rusty"]'), bot('command = ["./file.toml"]'), bot('command = ["true"]\nreads = ["tables"]'),
    bot('use = "choosy.py:Choosy"\nhost = "process"'), GOOD.replace("7", f"0x{5000 * 'f'}"),
    GOOD + f"seats = 0x{5000 * 'f'}", bot('use = "broken.py:Broken"\nhost = "process"'),
    GOOD.replace("steady", 4000 * "x" + ":Bot"), GOOD + f"{1_000_000 * 'x'} = 1", bot(f"command = ['{90_000 * 'x'}']"),
    bot(f"command = ['true']\nreads = ['{4000 * 'x'}']"), NAMED.replace("odd", "odd@2") + "sweep = { x = [1] }",
    bot('url = "http://here"\nsweep = { x = [1] }'),
    bot("use = 'first'\n[bot.limits]\nmove_ms = 5"),
    bot('url = "http://here"\nuse = "first"'), bot('url = "http://here"\nhost = "process"'),
    bot('url = "http://here"\nreads = ["x"]'), bot('url = "http://here"\ncpu_ms = 5'),
    bot("use = 'first'\nretries = 1"), top("parallel = 2") + "[limits]\nmove_ms = 5", top("seatings = 3"),
    top("seatings = 4"), top('deals = true'), top('name = 3').replace('name = "good"', ""),
    bot("use = 'first'\nnull = true") + '[[bot]]\nname = "odd-null"\nuse = "first"',
    GOOD.replace("steady", "steady:X"), GOOD.replace("steady", ".:X"),
    bot('host = "sandbox"\nuse = "first"\nhost_options = { x = 1 }'), GOOD + "[limits]\nmax_fault_rate = 2",
    bot("use = 'first'\noptions = { a = nan }"), GOOD.replace("steady", 5000 * "x"),
    GOOD + "[defaults]\nclock = '10'", bot("use = 'seer'\noptions = { playouts = 2020-02-02 }"),
    bot(f"use = 'seer'\nsweep = {{ playouts = [{10**30}] }}"), NAMED + "[defaults]\nhost = 'http'",
    bot("use = 'first'\nhost = 'sandbox'\nhost_options = { scratch_mb = 2020-02-02 }"),
    bot("use = 'first'\nhost = 'sandbox'\nhost_options = { threads = 0 }"), bot("use = 'first'\nkeep = 1"),
    bot("use = 'seer'\noptions = { drop = [0.5, inf] }"),
    *[bot(f"{keys}\nsweep = {sweep}") for sweep, keys in (
        ("{}", ""), ("{ playouts = [] }", ""), ("{ playouts = 5 }", ""), ("{ playouts = [5, '5'] }", ""),
        ("{ playouts = [1, true, 1.0] }", ""), ("{ drop = [0.0, -0.0] }", ""), ("{ drop = [inf, 1.0] }", ""),
        ("{ playouts = [5] }", "options = { playouts = 3 }"), ("{ playouts = [5] }", "command = ['x']"),
        ("{ budget = ['a b'] }", ""), (f"{{ {'x' * 60} = [1] }}", ""),
        (f"{{ x = {list(range(101))}, y = {list(range(100))} }}", ""),
    )],
]  # fmt: skip


def test_a_sweep_enters_each_combination_and_knows_the_default(tmp_path):
    options = "options = { drop = 1.0 }\nsweep = { playouts = [4, 2], budget = ['even', 'halving'] }"
    text = bot(f"use = 'seer'\nnull = true\n{options}")
    last = '[[bot]]\nname = "last"\nuse = "first"'
    found = config.parse(text + last, tmp_path / "file.toml")
    ((sweep, settings),) = config.of_manifest(config.manifest(found)).sweeps.items()
    assert (settings, settings[1].options["drop"], settings[1].options["playouts"]) == (found.entrants[2:6], 1.0, 4)
    assert found.names[6:-1] == tuple([f"{each.name}-null" for each in settings])
    (unloaded,) = config.of_text(text, tmp_path / "file.toml").sweeps
    assert (found.names[-1], unloaded.default) == ("last", settings[0].name)
    assert sweep.default == settings[1].name == "odd playouts=4 budget=halving"  # playouts are neither by default


def test_what_is_wrong_is_refused_in_one_line_that_says_where(golden, tmp_path):
    path = tmp_path / "file.toml"
    path.touch()
    (tmp_path / "choosy.py").write_text("class Choosy:\n    games = ('leon',)\n    def act(self, view, legal): ...\n")
    (tmp_path / "broken.py").write_text("raise RuntimeError('two\\nlines')", encoding="utf-8")
    found = []
    for text in REFUSED:
        with pytest.raises(ConfigError) as caught:
            config.parse(text, path)
        assert "\n" not in str(caught.value)
        said = re.sub("(read: )(Exc|max).*", r"\1\2...", str(caught.value).replace(str(tmp_path), "HERE"))
        given = " | ".join([line[:100] for line in text.splitlines() if line not in GOOD.splitlines()])
        found.append(re.sub("xxx+", "xxx", f"{given}\n    {said}"))
    golden("refused.txt", "\n".join(found))


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    none, data = tmp_path / "none.toml", tmp_path / "bytes.toml"
    data.write_bytes(b"\xff\xfe\x00")
    wrong = {none: "No such file", tmp_path: "directory", data: "not UTF-8", Path("a\0b"): "null byte"}
    for path, says in wrong.items():
        with pytest.raises(ConfigError, match=says):
            config.read(path)


def test_a_limit_that_only_linux_has_is_refused_elsewhere_whatever_the_host(tmp_path):
    """As if this were another system: what is enforced is settled when the package is loaded."""
    (tmp_path / "file.toml").write_text(LIMITS + "memory_mb = 600", encoding="utf-8")
    code = "from tourney.hosts import linux; linux.AVAILABLE = False; from tourney.cli.main import main; main()"
    command = [sys.executable, "-c", code, "run", "file.toml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert (done.returncode, b"this limit requires Linux" in done.stderr) == (2, True), done.stderr


def test_a_file_is_read_up_to_two_mebibytes_also_with_the_mark_that_some_editors_write(tmp_path):
    path = tmp_path / "large.toml"
    path.write_text(GOOD, encoding="utf-8-sig")
    assert config.read(path).name == "good"
    path.write_text(GOOD + (2**21 - len(GOOD)) * "#", encoding="utf-8")
    assert config.read(path).name == "good"
    path.write_text(GOOD + (2**21 + 1 - len(GOOD)) * "#", encoding="utf-8")
    for endless in (path, Path("/dev/zero")):
        with pytest.raises(ConfigError, match="larger than"):
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
defaults = { host = "process", reads = ["data"], keep = true, start_ms = 900 }
bot = [{ name = "seer", options = { playouts = 9 }, host = "sandbox", host_options = { scratch_mb = 5 }, \
         move_ms = 500, match_s = 8, cpu_ms = 70, cpu = "2s", memory_mb = 600 },
       { name = "program", command = ["./program", "--fast", "words"] },
       { name = "mine", use = "mine.py:Mine", host = "inline", reads = [], keep = false }]
limits = { match_s = 7, clock = "10s+50ms", max_faults = 5, max_faults_in_row = 3, \
           max_fault_rate = 0.5, max_cost = 2.5 }
"""


@pytest.fixture
def full(tmp_path):
    (tmp_path / "mine.py").write_text("class Mine:\n    def act(self, view, legal): return legal[0]\n")
    for name in ("program", "words", "data"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    return tmp_path / "full.toml"


def test_every_key_of_a_file_is_in_the_tournament_and_in_its_manifest(golden, full):
    tournament = config.of_text(FULL, full)
    manifest = config.manifest(tournament)
    golden("manifest.json", json.dumps(manifest["tournament"], indent=1))
    again = config.of_manifest(manifest)
    faults = msgspec.structs.replace(again.fault_limits, max_fault_rate=0.5, max_cost=2.5)  # free when it is resumed
    assert msgspec.structs.replace(again, folder=str(full.parent), fault_limits=faults) == tournament
    assert tournament.names == ("steady", "first", "seer", "program", "mine")
    assert tournament.python_bots == ("steady", "first", "seer", "mine")
    assert (tournament.games, tournament.all_weights) == (("leon", "voleur"), (2, 1))
    assert (tournament.longest_match_s, tournament.replay_s) == (8, 8)
    assert [entrant.in_worker for entrant in tournament.entrants] == [False, False, False, False, True]
    assert (tournament.in_worker, tournament.bounds_time, tournament.limits_faults) == (False, True, True)
    plain = config.of_text(LIMITS + "match_s = 2", full)
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
    tournament = config.of_text(FULL.replace('"sandbox", host_options = { scratch_mb = 5 }', '"process"'), full)
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


def test_a_name_may_be_of_any_script():
    for name in ("J\u00e9r\u00f4me", "\u041e\u043b\u044c\u0433\u0430", "\u65e5\u672c\u30ed\u30dc-bot", "I1l.O0"):
        assert name in config.parse(NAMED.replace("odd", name), Path("file.toml")).names


def test_seeds_are_numbers_or_text_and_different_ones_differ():
    texts = [GOOD.replace("7", seed) for seed in ("7", "8", '"a"', '"a long secret text"')]
    assert len({config.parse(text, Path("good.toml")).seed for text in texts}) == 4


def test_a_game_with_its_default_options_given_is_the_same_game():
    options = 'seats = 2\noptions = { bang_on = ["pair", "sandwich"], max_turns = 2000 }'
    text = GOOD.replace('"vole"', '"bang"') + options
    assert config.parse(text, Path("good.toml")).setups[0].options == {}
    with pytest.raises(ConfigError, match="duplicate game"):
        config.parse(text + '\n[[game]]\nname = "bang"\nseats = 2', Path("good.toml"))


def test_a_manifest_that_has_the_keys_of_all_formats_is_read_as_before():
    manifest = config.manifest(config.parse(GOOD, Path("good.toml")))
    earlier = manifest | {"tournament": manifest["tournament"] | {"challengers": None, "rounds": None}}
    assert config.of_manifest(earlier) == config.of_manifest(manifest)
    assert folder.manifest_differences(earlier, manifest) == []
    assert {"groups", "max_faults", "max_faults_in_row", "smaller_tables"} <= manifest["tournament"].keys()
    assert all("host_options" not in bot for bot in manifest["tournament"]["bots"])


@pytest.mark.parametrize(("keys", "game", "fits"), SMALLER)
def test_a_swiss_asks_whether_its_games_can_be_played_with_one_seat_fewer(keys, game, fits):
    text = GOOD.replace("seed = 7", f"seed = 7\n{keys}").replace('"steady"', '"steady", "first"')
    assert config.parse(text.replace('name = "vole"', game), Path("good.toml")).fits_fewer_seats is fits


def test_two_classes_of_one_file_have_their_own_names(tmp_path):
    text = GOOD.replace('"random", "steady"', '"ring.py:King", "ring.py:Helper", "fox.py:Fox"')
    assert config.of_text(text, tmp_path / "t.toml").names == ("King", "Helper", "fox")
