"""Games and bots by name: plugins of any distribution, files, their fingerprints, and what goes wrong with them."""

import os
import re
import shutil

import pytest

from tests.conftest import ROOT, apart, tournament_text, with_code
from tests.conftest import with_plugins as tourney
from tourney.base.errors import ConfigError, PluginError
from tourney.plugins.bot_classes import PickledBot, code_hash, load_class, pickled, use_of
from tourney.plugins.fingerprints import fingerprint, package_of
from tourney.plugins.registry import load_bot

BOT = "class Bot:\n    def act(self, view, legal):\n        return legal[0]\n"
MOLE = "from tourney.games.vole import Vole\nclass Mole(Vole):\n    name = 'mole'\n    title = 'The Mole'\n"
ENTRIES = "[tourney.games]\nmole = moles:Mole\n[tourney.bots]\nother = others:Bot\n"


def run(path, bot="first", game="vole", code=0):
    text = tournament_text("t", deals="2", bots=f'["{bot}", "random"]', game=f'[[game]]\nname = "{game}"')
    (path / "t.toml").write_text(text, encoding="utf-8")
    result = tourney(path, "run", "t.toml")
    assert result.returncode == code, result.stderr
    return result


def test_a_game_and_a_bot_of_another_distribution_are_listed_described_and_play(plugin):
    path = plugin("other-kit", ENTRIES, others=BOT, moles=MOLE)
    listed = tourney(path, "bots").stdout
    assert "other\n" in listed
    assert "other-kit 1.0" in listed
    assert "The Mole" in tourney(path, "games").stdout
    assert "play:CARD" in tourney(path, "games", "mole").stdout
    assert "other" in run(path, "other", "mole").stdout


def test_two_plugins_of_one_name_are_listed_with_a_note_that_names_both(plugin):
    plugin("a-kit", ENTRIES, others=BOT, moles=MOLE)
    path = plugin("b-kit", ENTRIES.replace("moles:", "moles2:"), moles2=MOLE)
    for kind, name, other in (("bots", "other", "steady"), ("games", "mole", "voleur")):
        result = tourney(path, kind)
        assert (result.returncode, result.stderr) == (0, "")
        assert f"{name}: {kind[:-1]} provided by both a-kit and b-kit" in result.stdout
        assert other in result.stdout


def test_a_game_without_seats_and_a_bot_that_fails_to_import_are_one_line_where_they_are_asked_for(plugin):
    path = plugin("broken-kit", ENTRIES, others="import no_such_module", moles=f"{MOLE}    seats = 3\n")
    game, bot = run(path, game="mole", code=2).stderr, run(path, "other", code=2).stderr
    for told in (game, tourney(path, "games").stderr):
        assert 'game "mole" of broken-kit: moles:Mole has no ' in told
        assert told.count("\n") == 1
    assert bot.count("\n") == 1
    for part in ("t.toml", '"other" of broken-kit', "others:Bot", "no_such_module"):
        assert part in bot
    run(path)


FILES = (
    "def (", "raise RuntimeError('two\\nlines')", "import sys; sys.exit(3)", "class Bot:\n    pass", "Bot = 3",
    "class Bots:\n    def act(self, view, legal): ...", "def Bot(view, legal): return legal[0]",
    f"{BOT}    games = ('vole')", f"{BOT}    games = (1,)", f"{BOT}    games = 'vole\\n'", f"{BOT}    Options = dict",
    f"{BOT}    Options = 3",
    "raise RuntimeError('x' * 300)", "raise RuntimeError('x' * 301)", "def f():\n    1 / 0\nf()", "import no_such",
    "import json\njson.loads('[')", "class Odd(Exception):\n    def __str__(self): 1 / 0\nraise Odd",
)  # fmt: skip
USES = (
    "gone.py:Bot", "folder:Bot", "text.txt:Bot", "package:Bot", "sound:Bots", "bot.py", "class a.Bot", "class Bot",
    "stdy", f"{5000 * 'x'}.py:Bot", "hearts:Bot",
)  # fmt: skip


def test_a_bot_that_is_not_there_or_cannot_be_loaded_is_one_line(golden, tmp_path):
    for name, text in (("folder/x", ""), ("package/__init__.py", "import no_such"), ("sound/__init__.py", BOT)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    (tmp_path / "text.txt").write_text(BOT)
    for number, text in enumerate(FILES):
        (tmp_path / f"{number}.py").write_text(text)
    found = []
    for use in [f"{number}.py:Bot" for number in range(len(FILES))] + [*USES]:
        with pytest.raises(PluginError) as caught:
            load_bot(use, tmp_path)
        assert "\n" not in str(caught.value)
        found.append(re.sub("(?<=SyntaxError: )[^;]*", "...", str(caught.value).replace(str(tmp_path), "HERE")))
    golden("refused.txt", re.sub("x{301,}", "xxx", "\n".join(found)))


CLASS = """
import math
from tourney.contracts.game import Options
LIMIT = 3
class Mine(Options, frozen=True):
    depth: int = 2
    @property
    def twice(self): return 2 * self.depth
class Bot:
    "Plays."
    Options, known = Mine, {"a", "b"}
    def __init__(self, options): self.depth = options.twice
    def act(self, view, legal): return legal[(LIMIT + self.depth + math.floor(0.5)) % len(legal)]
"""


def made(old="", new=""):
    """The class of the text, in which `new` replaces `old`."""
    assert old in CLASS
    names = {"__name__": "scratch"}
    exec(CLASS.replace(old, new, 1), names)
    return names["Bot"]


@pytest.mark.parametrize(
    ("old", "new", "is_same"),
    [("", "\n\n", True), ('{"a", "b"}', '{"b", "a"}', True), ("LIMIT = 3", "LIMIT = 4", False),
     ("depth: int = 2", "depth: int = 3", False), ("2 * self", "3 * self", False), ("2 * self", "2 + self", False),
     ("math.floor", "math.ceil", False), ('"b"}', '"c"}', False)],
)  # fmt: skip
def test_the_fingerprint_of_a_class_is_that_of_all_it_uses(old, new, is_same):
    assert (code_hash(made(old, new)) == code_hash(made())) == is_same


def test_a_class_that_is_sent_plays_as_it_did():
    kind = made()
    sent = pickled(kind)
    loaded = load_class(sent, use_of(kind))
    assert (loaded.use, loaded.summary, loaded.games, sent.sha256) == ("class Bot", "Plays.", None, code_hash(kind))
    player = loaded.maker({"depth": 5}, "bot")()
    assert (player.depth, player.act(None, range(20))) == (10, 13)
    assert loaded.maker({}, "bot")().depth == 4
    with pytest.raises(ConfigError, match='bot: no key "dept"'):
        loaded.maker({"dept": 5}, "bot")
    with pytest.raises(PluginError, match='bot "class Bot" cannot be loaded in a worker: '):
        load_class(PickledBot(sent.code[:-9], ""), "class Bot")
    with pytest.raises(PluginError, match="not a class with a method act"):
        pickled(made("def act", "def acts"))


def test_a_command_that_cannot_be_used_says_so_in_the_help_and_where_it_is_called(plugin):
    lines = "[tourney.commands]\ntwice = gone:command\nwrong = kit:WRONG\ngone = gone:command\nrun = kit:WRONG\n"
    plugin("b-kit", "[tourney.commands]\ntwice = gone:command\n")
    path = plugin("a-kit", lines, kit="WRONG = 3")
    listed = tourney(path, "--help")
    assert (listed.returncode, listed.stderr) == (0, "")
    for line in ("gone +A command of a-kit.", "twice +Unusable: ", "run +Unusable: "):
        assert re.search(line, listed.stdout)
    says = {
        "twice": "by a-kit and b-kit",
        "wrong": "is not a Click command",
        "gone": "No module named 'gone'",
    }
    for name, part in (says | {"wrog": 'did you mean "wrong"?'}).items():
        told = tourney(path, name)
        assert (told.returncode, told.stderr.count("\n"), part in told.stderr) == (2, 1, True)
    run(path)


@pytest.fixture
def copy(tmp_path):
    """A folder with a copy of the package and its bots, which Python finds before the installed ones."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.so")
    for package in (ROOT / "tourney", ROOT / "bots" / "tourney_bots"):
        shutil.copytree(package, tmp_path / package.name, ignore=unwanted)
    return tmp_path


@pytest.mark.slow
def test_a_run_is_not_resumed_once_a_game_or_a_bot_has_changed_wherever_it_runs(copy):
    """The bots are installed ones and two in folders; files outside these do not matter."""
    for host in ("inline", "process"):
        (copy / host).mkdir()
        (copy / host / "__init__.py").write_text(
            "from .helper import pick\nclass Mine:\n    def act(self, view, legal): return pick(legal)\n"
        )
        (copy / host / "helper.py").write_text("def pick(legal): return legal[0]\n")
    more = [f'[[bot]]\nname = "{host}"\nuse = "{host}:Mine"\nhost = "{host}"' for host in ("inline", "process")]
    text = tournament_text("t", deals="1", bots='["first", "steady"]', extra="\n".join(more))
    (copy / "t.toml").write_text(text)
    command = ("run", "t.toml", "--out", "run", "--quiet")
    begun = tourney(copy, *command)
    assert begun.returncode == 0, begun.stderr
    (copy / "other.py").write_text("")
    for file, key in (
        ("other.py", ""),
        ("inline/helper.py", "bots.inline.sha256"),
        ("process/helper.py", "bots.process.sha256"),
        ("tourney/games/vole/state.py", "games.vole.sha256"),
        ("tourney_bots/policies/vole.py", "bots.first.sha256"),
    ):
        text = (copy / file).read_text()
        (copy / file).write_text(f"{text}\n# changed\n")
        resumed = tourney(copy, *command, "--resume")
        assert resumed.returncode == (2 if key else 0)
        assert key in resumed.stderr
        (copy / file).write_text(text)


def test_the_code_that_plays_is_the_code_that_is_there_even_if_it_changed_within_a_second(tmp_path):
    bot = tmp_path / "bot.py"
    (tmp_path / "t.toml").write_text(tournament_text("t", deals="1", bots='["bot.py:Bot", "first"]'))
    journals = []
    for digit in "01":
        bot.write_text(f"class Bot:\n    def act(self, view, legal):\n        return legal[-{digit}]\n")
        os.utime(bot, ns=(int(digit), int(digit)))
        with_code(apart(tmp_path, "run", "t.toml", "--quiet", "--overwrite", PYTHONDONTWRITEBYTECODE=""))
        journals.append((tmp_path / "results" / "t" / "journal.jsonl").read_bytes())
    assert journals[0] != journals[1]


def test_a_fingerprint_is_of_names_and_contents_wherever_they_lie(tmp_path):
    for name in ("here", "there"):
        (tmp_path / name / "bot").mkdir(parents=True)
        (tmp_path / name / "bot" / "__init__.py").write_text("x = 1\n")
    here, there = [tmp_path / name / "bot" for name in ("here", "there")]
    assert fingerprint([here]) == fingerprint([there])
    (there / "__pycache__").mkdir()
    (there / "__pycache__" / "x.pyc").write_text("")
    assert fingerprint([here]) == fingerprint([there])
    (there / "weights.bin").write_bytes(b"\0")
    assert fingerprint([here]) != fingerprint([there])


def test_an_installed_module_is_its_outermost_package_and_nothing_is_imported(tmp_path, monkeypatch):
    packages = ("kit_d/__init__.py", "kit_d/deep/__init__.py", "space_d/inner/__init__.py")
    for name in (*packages, "kit_d/deep/end.py", "lone_d.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("raise RuntimeError")
    monkeypatch.syspath_prepend(tmp_path)
    assert package_of("kit_d.deep.end") == tmp_path / "kit_d"
    assert package_of("lone_d") == tmp_path / "lone_d.py"
    assert package_of("space_d.inner") == tmp_path / "space_d" / "inner"
    with pytest.raises(PluginError, match='"gone_d" cannot be found'):
        package_of("gone_d")
