"""Tournament files: what is refused, with which words, and what a good one comes to."""

from pathlib import Path

import msgspec
import orjson
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


def bot(keys: str) -> str:
    """A table of one more bot."""
    return f'\n[[bot]]\nname = "odd"\n{keys}\n'


REFUSED = {
    "no TOML": ("name = ", "not TOML: "),
    "an unknown key": (GOOD.replace("seed = 7", "seed = 7\nseeed = 8"), 'no key "seeed"; did you mean "seed"?'),
    "no name": (GOOD.replace('name = "good"', ""), 'the key "name" is missing'),
    "no seed": (GOOD.replace("seed = 7", ""), 'the key "seed" is missing'),
    "no game": (GOOD.split("[[game]]", maxsplit=1)[0], 'the key "game" is missing'),
    "an empty list of games": (
        GOOD.split("[[game]]", maxsplit=1)[0] + "game = []",
        "game: Expected `array` of length >= 1",
    ),
    "a name that is no name": (GOOD.replace('"good"', '"../good"'), 'name: "../good" is no name'),
    "a seed of the wrong type": (
        GOOD.replace("7", "7.5"),
        "seed: Expected `int | str`, got `float`",
    ),
    "no deals": (GOOD.replace("seed = 7", "seed = 7\ndeals = 0"), "deals: Expected `int` >= 1"),
    "more deals than anybody plays": (
        GOOD.replace("seed = 7", f"seed = 7\ndeals = {10**30}"),
        "deals: Expected `int`",
    ),
    "more rounds than anybody plays": (
        GOOD.replace("seed = 7", f'seed = 7\nformat = "swiss"\nrounds = {2**62}'),
        "rounds: Expected `int` <= 1000000",
    ),
    "more memory than there is": (
        GOOD + f"[limits]\nmemory_mb = {2**63 - 1}",
        "limits.memory_mb: Expected `int` <= ",
    ),
    "an option that is no 64-bit number": (
        GOOD + f"options = {{ target = {2**63} }}",
        "game[0].options: target: holds a number beyond 9223372036854775807; take a smaller one",
    ),
    "a bot's option that is no 64-bit number": (
        GOOD + bot(f"use = 'seer'\noptions = {{ playouts = {10**30} }}"),
        "options: playouts: holds a number beyond 9223372036854775807",
    ),
    "a match without end": (GOOD + "[limits]\nmatch_s = inf", "limits.match_s: Expected `float` <= "),
    "a match of a month": (
        GOOD + "[limits]\nmatch_s = 2147484",
        "limits.match_s: Expected `float` <= 2147483",
    ),
    "a match of a month in a process": (
        GOOD + bot('use = "random"\nhost = "process"\nmatch_s = 1e9'),
        "bot[0].match_s: Expected `float` <= 2147483",
    ),
    "a number of 5,000 digits": (GOOD.replace("7", 5000 * "7"), "has a number of thousands of digits"),
    "a number of 5,000 hexadecimal digits": (GOOD.replace("7", "0x" + 5000 * "7"), "seed: is a number of thousands of"),
    "as many seatings as there are numbers": (GOOD.replace("seed = 7", f"seed = 7\nseatings = 1{4000 * '0'}"), "seat"),
    "a NUL in a bot's use": (GOOD + bot('use = "a\\u0000b.py:Bot"'), r"use: holds the character \x00"),
    "a NUL in a command": (GOOD + bot('command = ["true", "a\\u0000"]'), r"command: holds the character \x00"),
    "a NUL in what is read": (GOOD + bot('command = ["true"]\nreads = ["a\\u0000"]'), "reads: holds the character"),
    "a NUL in a key": (GOOD + '"\\u0000" = 1', "holds the character"),
    "the folder above": (GOOD.replace('"good"', '".."'), 'name: ".." is no name; use letters, digits and . _ + -'),
    "the folder itself": (GOOD.replace('"good"', '"."'), 'name: "." is no name'),
    "a bot named like the folder above": (GOOD + '[[bot]]\nname = ".."\nuse = "first"', 'bots: ".." is no name'),
    "an empty name": (GOOD.replace('"good"', '""'), "name: Expected `str` of length >= 1"),
    "a line break in a name": (GOOD.replace('"good"', '"a\\nb"'), r'name: "a\nb" is no name'),
    "a bot in a file with a long name": (GOOD.replace("steady", f"{61 * 'a'}.py:Bot"), "is longer than 60 letters"),
    "more bots than there may be": (
        GOOD.replace('"steady"', ", ".join([f'"f.py:B{i}"' for i in range(20_000)])),
        "bots: 20001 are more than 10000; enter fewer",
    ),
    "more games than there may be": (
        GOOD + 1000 * '[[game]]\nname = "vole"\n',
        "game: Expected `array` of length <= 1000",
    ),
    "keys in keys in keys": (GOOD + 60 * "a." + "a = 1", "a: is nested too deeply"),
    "a long way to a file": (
        GOOD + bot(f"use = '{5000 * '/'}:Bot'"),
        "bot[0].use: Expected `str",
    ),
    "a date": (GOOD.replace('"good"', "1979-05-27"), "name: Expected `str`, got `date`"),
    "the same key twice": (GOOD.replace("seed = 7", "seed = 7\nseed = 7"), "not TOML: "),
    "lists in lists in lists": ("x = " + 10_000 * "[" + 10_000 * "]" + "\n" + GOOD, "is nested too deeply"),
    "deals as text": (
        GOOD.replace("seed = 7", 'seed = 7\ndeals = "4"'),
        "deals: Expected `int`, got `str`",
    ),
    "an unknown format": (
        GOOD.replace("seed = 7", 'seed = 7\nformat = "cup"'),
        'format: no format "cup"; known: gauntlet, knockout, ladder, mirror, round-robin, swiss',
    ),
    "an unknown game": (GOOD.replace('"vole"', '"vol"'), 'game[0].name: no game "vol"; did you mean "vole"?'),
    "an unknown bot": (GOOD.replace('"steady"', '"stady"'), 'no bot "stady"; did you mean "steady"?'),
    "too few bots": (GOOD.replace(', "steady"', ""), "vole has 2 seats, and the number of bots entered is 1"),
    "a wrong number of seats": (GOOD + "seats = 3", "game[0].seats: vole is for 2 seats, not 3"),
    "an unknown option": (
        GOOD + "options = { targt = 5 }",
        'game[0].options: no key "targt"; did you mean "target"?',
    ),
    "an option out of bounds": (
        GOOD + "options = { target = 0 }",
        "game[0].options: target: Expected `int` >= 1",
    ),
    "an option that is none of the choices": (
        GOOD + 'options = { sevens = "never" }',
        'game[0].options: sevens: no choice "never"; known: game, round',
    ),
    "the same game twice": (GOOD + '[[game]]\nname = "vole"', "game[1]: is there twice"),
    "the same bot twice": (GOOD.replace("steady", "random"), 'two are named "random"'),
    "a bot's name that is none": (GOOD + '[[bot]]\nname = "a b"\nuse = "first"', '"a b" is no name'),
    "options for a bot that has none": (
        GOOD + '[[bot]]\nname = "f"\nuse = "first"\noptions = { depth = 1 }',
        'bot f: options: no key "depth"',
    ),
    "an unknown key of a bot": (GOOD + '[[bot]]\nnam = "f"', 'bot[0]: no key "nam"; did you mean "name"?'),
    "a bot's file that is not there": (GOOD.replace("steady", "mine.py:Mine"), "there is no file"),
    "a file without a name in it": (GOOD.replace("steady", "mine.py"), "FILE.py:NAME"),
    "a key of another format": (
        GOOD.replace("seed = 7", "seed = 7\nrounds = 3"),
        'rounds: belongs to format = "swiss", not to "round-robin"; leave it out',
    ),
    "challengers without a gauntlet": (
        GOOD.replace("seed = 7", 'seed = 7\nformat = "knockout"\nchallengers = ["random"]'),
        'challengers: belongs to format = "gauntlet", not to "knockout"',
    ),
    "groups without a round-robin": (
        GOOD.replace("seed = 7", 'seed = 7\nformat = "swiss"\nrounds = 1\ngroups = 1'),
        'groups: belongs to format = "round-robin", not to "swiss"',
    ),
    "a gauntlet without challengers": (
        GOOD.replace("seed = 7", 'seed = 7\nformat = "gauntlet"'),
        'challengers: a gauntlet needs one or more, as in challengers = ["random"]',
    ),
    "a challenger that is not entered": (
        GOOD.replace("seed = 7", 'seed = 7\nformat = "gauntlet"\nchallengers = ["randm"]'),
        'challengers: no bot "randm" is entered; did you mean "random"?',
    ),
    "a challenger twice": (
        GOOD.replace("seed = 7", 'seed = 7\nformat = "gauntlet"\nchallengers = ["random", "random"]'),
        'challengers: "random" is there twice; remove one',
    ),
    "challengers alone": (
        GOOD.replace("seed = 7", 'seed = 7\nformat = "gauntlet"\nchallengers = ["random", "steady"]'),
        "challengers: vole seats a challenger with 1 of the others, and there are 0",
    ),
    "a swiss without rounds": (
        GOOD.replace("seed = 7", 'seed = 7\nformat = "swiss"'),
        "rounds: swiss needs it; for 2 bots try rounds = 1",
    ),
    "no rounds": (
        GOOD.replace("seed = 7", 'seed = 7\nformat = "swiss"\nrounds = 0'),
        "rounds: Expected `int` >= 1",
    ),
    "more groups than there are": (
        GOOD.replace("seed = 7", "seed = 7\ngroups = 2"),
        "groups: vole with 2 seats and 2 bots has only 1 group, not 2",
    ),
    "groups that let some play more often": (
        GOOD.replace("seed = 7", "seed = 7\ngroups = 2").replace('"steady"', '"steady", "first"'),
        "groups: vole with 2 seats and 3 bots: in 2 groups not every bot can play equally often; take 3",
    ),
    "seatings that are none": (
        GOOD.replace("seed = 7", 'seed = 7\nseatings = "every"'),
        'seatings: no choice "every"; known: all, fixed, rotations',
    ),
    "seatings that favour a seat": (
        GOOD.replace("seed = 7", "seed = 7\nseatings = 3"),
        "seatings: 3 is no multiple of the 2 seats of vole, so that entrants would not sit equally often in every "
        "seat; take 2",
    ),
    "a weight of nothing": (GOOD + "weight = 0", "game[0].weight: Expected `float` > 0"),
    "a weight without bounds": (GOOD + "weight = inf", "game[0].weight: inf is no weight"),
    "a weight that is no number": (GOOD + "weight = nan", "game[0].weight: "),
    "an anchor that is not entered": (
        GOOD.replace("seed = 7", 'seed = 7\nanchor = { bot = "stedy", rating = 1500 }'),
        'anchor.bot: no bot "stedy" is entered; did you mean "steady"?',
    ),
    "an anchor without a rating": (
        GOOD.replace("seed = 7", 'seed = 7\nanchor = { bot = "steady" }'),
        "anchor: Object missing required field `rating`",
    ),
    "a key that an anchor does not have": (
        GOOD.replace("seed = 7", 'seed = 7\nanchor = { bot = "steady", ratin = 3 }'),
        "anchor: Object contains unknown field `ratin`",
    ),
    "an anchor without bounds": (
        GOOD.replace("seed = 7", 'seed = 7\nanchor = { bot = "steady", rating = nan }'),
        "anchor: Expected `float` >= -1000000",
    ),
    "no time for a match": (GOOD + "[limits]\nmatch_s = 0", "limits.match_s: Expected `float` > 0"),
    "no time for a move": (GOOD + "[limits]\nmove_ms = 0", "limits.move_ms: Expected `int` >= 1"),
    "a clock without a unit": (
        GOOD + '[limits]\nclock = "10"',
        'limits.clock: invalid clock "10"; give the time for a match and what each decision adds, as in',
    ),
    "a clock that is a number": (
        GOOD + "[limits]\nclock = 10",
        "limits.clock: Expected `str | null`, got `int`",
    ),
    "a clock in foreign digits": (GOOD + '[limits]\nclock = "\\u0661s"', 's"; give the time'),
    "a clock with nothing on it": (
        GOOD + '[limits]\nclock = "0s+1s"',
        'invalid clock "0s+1s"; the time must',
    ),
    "a clock of a month": (
        GOOD + f'[limits]\nclock = "1s+{9999 * "9"}h"',
        "; the time must be more than 0s and at",
    ),
    "a bot's clock that is none": (GOOD + bot("use = 'random'\nclock = '5 s'"), 'bot[0].clock: invalid clock "5 s"'),
    "processor time that is none": (
        GOOD + bot("use = 'random'\nhost = 'process'\ncpu = '5s+'"),
        'bot[0].cpu: invalid clock "5s+"',
    ),
    "processor time for all bots that is none": (GOOD + '[limits]\ncpu = "fast"', 'limits.cpu: invalid clock "fast"'),
    "no processor time for a move": (GOOD + "[limits]\ncpu_ms = 0", "limits.cpu_ms: Expected `int` >= 1"),
    "processor time of a bot in the worker": (
        GOOD + bot("use = 'random'\ncpu_ms = 50"),
        'bot odd: cpu_ms: host = "inline" has no such limit; take host = "process" in its [[bot]] table, or',
    ),
    "processor time of all bots, some in the worker": (
        GOOD + '[limits]\ncpu = "2s"',
        'limits.cpu: bot random has host = "inline", which has no such limit; take host = "process" in its [[bot]] '
        "table, or give the limit to the other bots alone",
    ),
    "processor time of all bots, one in the worker": (
        GOOD.replace('bots = ["random", "steady"]', "")
        + bot("use = 'random'\nhost = 'process'")
        + bot("use = 'steady'").replace("odd", "even")
        + "[limits]\ncpu_ms = 50",
        'limits.cpu_ms: bot even has host = "inline"',
    ),
    "no memory for one bot": (
        GOOD + bot("use = 'random'\nmemory_mb = 0"),
        "bot[0].memory_mb: Expected `int` >= 1",
    ),
    "an unknown host": (
        GOOD + bot('host = "docker"'),
        'bot odd: host: no host "docker"; known: inline, process, sandbox',
    ),
    "a bot by name and by command": (
        GOOD + bot('use = "random"\ncommand = ["true"]'),
        "bot odd: has both use and command; leave out the one or the other",
    ),
    "a program inline": (
        GOOD + bot('command = ["true"]\nhost = "inline"'),
        'bot odd: a program cannot run inline; take host = "process"',
    ),
    "options for a program": (
        GOOD + bot('command = ["true"]\noptions = { fast = true }'),
        "bot odd: options are for Python bots; give a program its settings in its command",
    ),
    "a command that is too long": (
        GOOD + bot(f"command = ['true', '{60_000 * 'x'}', '{30_000 * 'ä'}']"),
        "bot odd: command has more than 100000 bytes; put what is so long into a file",
    ),
    "an empty command": (GOOD + bot("command = []"), "bot odd: command is empty; say what to start, as in"),
    "a command in one text": (
        GOOD + bot('command = "true --fast"'),
        "bot[0].command: Expected `array | null`, got `str`",
    ),
    "a program that is not in PATH": (
        GOOD + bot('command = ["no-such-program"]'),
        'bot odd: command: no program "no-such-program" in PATH; install it, or give its path',
    ),
    "a program that is not there": (
        GOOD + bot('command = ["./rusty"]'),
        "rusty; paths are relative to this file",
    ),
    "a program that is not executable": (GOOD + bot('command = ["./file.toml"]'), "chmod +x makes it so"),
    "reads that are not there": (
        GOOD + bot('command = ["true"]\nreads = ["tables"]'),
        "tables; paths are relative to this file",
    ),
    "a bot for a process that is not there": (
        GOOD + bot('use = "randm"\nhost = "process"'),
        'no bot "randm"; did you mean "random"?',
    ),
    "options that a bot for a process does not have": (
        GOOD + bot('use = "random"\nhost = "process"\noptions = { fast = true }'),
        'bot odd: options: no key "fast"',
    ),
    "a bot for a process that does not play the game": (
        GOOD + bot('use = "choosy.py:Choosy"\nhost = "process"'),
        "odd does not play vole (it plays leon)",
    ),
    "a bot for a process that cannot be loaded": (
        GOOD + bot('use = "broken.py:Broken"\nhost = "process"'),
        "broken.py cannot be loaded: RuntimeError: two lines",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_wrong_is_refused_in_one_line_that_says_where(case, tmp_path):
    text, says = REFUSED[case]
    path = tmp_path / "file.toml"
    path.write_text(text, encoding="utf-8")
    (tmp_path / "choosy.py").write_text(
        "class Choosy:\n    games = ('leon',)\n    def act(self, view, legal): ...\n", encoding="utf-8"
    )
    (tmp_path / "broken.py").write_text("raise RuntimeError('two\\nlines')", encoding="utf-8")
    with pytest.raises(ConfigError) as caught:
        config.parse(text, path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert says in message
    assert "\n" not in message


def test_a_file_that_is_not_there_or_not_text_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="No such file"):
        config.load(tmp_path / "none.toml")
    with pytest.raises(ConfigError, match="directory"):
        config.load(tmp_path)
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigError, match="not UTF-8"):
        config.load(tmp_path / "bytes.toml")


MEGABYTE = 1_000_000
LONG = {
    "a name": GOOD.replace("good", MEGABYTE * "x"),
    "a name with spaces": GOOD.replace("good", MEGABYTE // 2 * "x "),
    "a game": GOOD.replace("vole", MEGABYTE * "x"),
    "a bot": GOOD.replace("steady", 4000 * "x"),
    "a bot in a file": GOOD.replace("steady", 4000 * "x" + ":Bot"),
    "a program in a folder": GOOD + bot(f"command = ['./{90_000 * 'x'}']"),
    "a bot's name": GOOD + f"[[bot]]\nname = '{MEGABYTE * 'x'}'",
    "a format": GOOD.replace("seed = 7", f"seed = 7\nformat = '{MEGABYTE * 'x'}'"),
    "a choice": GOOD.replace("seed = 7", f"seed = 7\nseatings = '{MEGABYTE // 2 * 'x '}'"),
    "an option": GOOD + f"options = {{ sevens = '{MEGABYTE * 'x'}' }}",
    "a key": GOOD + f"{MEGABYTE * 'x'} = 1",
    "a quoted key": GOOD + f"'{MEGABYTE // 2 * 'x '}' = 1",
    "a host": GOOD + bot(f"host = '{MEGABYTE * 'x'}'"),
    "a program": GOOD + bot(f"command = ['{90_000 * 'x'}']"),
    "what is read": GOOD + bot(f"command = ['true']\nreads = ['{4000 * 'x'}']"),
    "an anchor": GOOD.replace("seed = 7", f"seed = 7\nanchor = {{ bot = '{MEGABYTE * 'x'}', rating = 1 }}"),
}


@pytest.mark.parametrize("case", LONG)
def test_a_long_value_is_not_echoed_whole(case, tmp_path):
    with pytest.raises(ConfigError) as caught:
        config.parse(LONG[case], tmp_path / "file.toml")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 6000
    assert str(caught.value).startswith(f"{tmp_path / 'file.toml'}: ")


def test_long_paths_and_commands_stay_whole_in_messages():
    path = "/".join(["x" * 250] * 8)
    assert path in str(ConfigError(f"{path}: is not there; continue with: tourney run '{path}'"))


def test_a_file_that_never_ends_is_refused():
    with pytest.raises(ConfigError, match="is larger than"):
        config.load(Path("/dev/zero"))


def test_a_loop_of_links_is_refused(tmp_path):
    (tmp_path / "loop.toml").symlink_to("loop.toml")
    with pytest.raises(ConfigError, match="symbolic links"):
        config.load(tmp_path / "loop.toml")


def test_lines_may_end_as_on_windows():
    assert config.parse(GOOD.replace("\n", "\r\n"), Path("good.toml")).name == "good"


@pytest.mark.slow
def test_ten_thousand_bots_are_read():
    text = GOOD + "".join([f'[[bot]]\nname = "b{i}"\nuse = "random"\n' for i in range(9_998)])
    tournament = config.parse(text, Path("good.toml"))
    assert len(tournament.entrants) == 10_000
    assert len(config.manifest(tournament)["bots"]) == 10_000


def test_a_file_may_begin_with_the_mark_that_some_editors_write(tmp_path):
    (tmp_path / "marked.toml").write_text(GOOD, encoding="utf-8-sig")
    assert config.load(tmp_path / "marked.toml").name == "good"


def test_defaults_are_filled_in():
    tournament = config.parse(GOOD, Path("good.toml"))
    assert tournament.names == ("random", "steady")
    assert (tournament.format, tournament.deals, tournament.match_s) == ("round-robin", 10, 120)
    (setup,) = tournament.setups
    assert (setup.game, setup.seats, setup.options) == ("vole", 2, {})


def test_seeds_are_numbers_or_text_and_different_ones_differ():
    seeds = [
        config.parse(GOOD.replace("seed = 7", f"seed = {seed}"), Path("good.toml")).seed
        for seed in ("7", "8", '"a"', '"a long secret text"')
    ]
    assert len(set(seeds)) == len(seeds)


def test_only_options_that_differ_from_the_defaults_are_kept():
    text = GOOD + 'options = { target = 16, sevens = "game" }'
    assert config.parse(text, Path("good.toml")).setups[0].options == {"target": 16}


def test_a_game_with_its_default_options_given_is_the_same_game():
    text = (
        GOOD.replace('"vole"', '"bang"') + 'seats = 2\noptions = { bang_on = ["pair", "sandwich"], max_turns = 2000 }'
    )
    assert config.parse(text, Path("good.toml")).setups[0].options == {}
    with pytest.raises(ConfigError, match="is there twice"):
        config.parse(text + '\n[[game]]\nname = "bang"\nseats = 2', Path("good.toml"))


def test_options_are_kept_as_they_are_read_back_from_a_record():
    text = GOOD.replace('"vole"', '"bang"') + 'seats = 2\noptions = { bang_on = ["pair", "ten"] }'
    assert config.parse(text, Path("good.toml")).setups[0].options == {"bang_on": ["pair", "ten"]}


def test_bots_in_files_are_found_relative_to_the_tournament_file(tmp_path, monkeypatch):
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "mine.py").write_text("class Mine:\n    def act(self, view, legal): return legal[0]\n")
    text = GOOD.replace("steady", "bots/mine.py:Mine")
    monkeypatch.chdir("/")
    tournament = config.parse(text, tmp_path / "file.toml")
    assert tournament.names == ("random", "mine")


def test_the_manifest_knows_no_place_and_no_time(tmp_path):
    manifests = []
    for name in ("a", "b"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "mine.py").write_text("class Mine:\n    def act(self, view, legal): return legal[0]\n")
        manifests.append(config.manifest(config.parse(GOOD.replace("steady", "mine.py:Mine"), folder / "x.toml")))
    assert manifests[0] == manifests[1]
    assert str(tmp_path) not in str(manifests)


@pytest.mark.parametrize(
    "keys",
    [
        "deals = 3",
        'anchor = { bot = "steady", rating = 1000 }',
        'format = "gauntlet"\nchallengers = ["steady"]',
        'format = "swiss"\nrounds = 3\nseatings = 2',
    ],
)
def test_a_tournament_is_rebuilt_from_its_manifest_in_every_key_of_its_format(keys, tmp_path):
    tournament = config.parse(GOOD.replace("seed = 7", f"seed = 7\n{keys}") + "weight = 2", tmp_path / "good.toml")
    manifest = orjson.loads(orjson.dumps(config.manifest(tournament)))
    assert config.of_manifest(manifest) == msgspec.structs.replace(tournament, folder=".")
    assert folder.manifest_differences(manifest, config.manifest(tournament)) == []


def test_a_tournament_is_rebuilt_from_its_manifest():
    tournament = config.parse(GOOD, Path("good.toml"))
    again = config.of_manifest(config.manifest(tournament))
    assert (again.seed, again.names, again.setups) == (tournament.seed, tournament.names, tournament.setups)
    with pytest.raises(ConfigError, match="manifest is damaged"):
        config.of_manifest({"tournament": {"seed": "xyz"}})


@pytest.mark.parametrize("key", ["games", "bots"])
def test_a_manifest_without_games_or_bots_is_damaged(key):
    manifest = config.manifest(config.parse(GOOD, Path("good.toml")))
    manifest["tournament"][key] = []
    with pytest.raises(ConfigError, match=f"manifest is damaged .*length >= 1.*{key}"):
        config.of_manifest(manifest)


def test_a_manifest_with_a_key_of_another_format_is_damaged():
    manifest = config.manifest(config.parse(GOOD, Path("good.toml")))
    manifest["tournament"]["rounds"] = 3
    with pytest.raises(ConfigError, match=r"manifest is damaged .*rounds"):
        config.of_manifest(manifest)


def test_a_manifest_that_has_the_keys_of_all_formats_is_read_as_before():
    tournament = config.parse(GOOD, Path("good.toml"))
    manifest = config.manifest(tournament)
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
    tournament = config.parse(text.replace('name = "vole"', game), Path("good.toml"))
    assert tournament.fits_fewer_seats is fits
