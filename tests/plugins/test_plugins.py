"""Games and bots by name: plugins of any distribution, files, and what goes wrong with them."""

import re

import pytest

from tests.conftest import tournament_text
from tests.conftest import with_plugins as tourney
from tests.helpers import bot
from tests.hosts.play import match_with, opened
from tourney.base.errors import ConfigError, PluginError
from tourney.hosts.base import BotSpec
from tourney.plugins.bot_classes import PickledBot, code_hash, load_class, pickled, use_of
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
        assert f"{name}: two {kind} have this name, in a-kit and b-kit" in result.stdout
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


FILES = {
    "a syntax error": ("def (", "cannot be loaded: SyntaxError"),
    "an exception": ("raise RuntimeError('two\\nlines')", "cannot be loaded: RuntimeError: two lines"),
    "an exit": ("import sys; sys.exit(3)", "cannot be loaded: SystemExit"),
    "another name": ("class Bots:\n    def act(self, view, legal): ...", 'has no "Bot"; did you mean "Bots"?'),
    "no act": ("class Bot:\n    pass", "not a class with a method act"),
    "a function": ("def Bot(view, legal): return legal[0]", "not a class with a method act"),
    "games that are a text": (f"{BOT}    games = ('vole')", 'write it as in games = ("vole",)'),
    "games that are numbers": (f"{BOT}    games = (1,)", 'write it as in games = ("NAME",)'),
    "a long text": ("raise RuntimeError('x' * 301)", f"RuntimeError: {'x' * 300}…; fix it (line 1 of bot.py)"),
    "an error below": ("def f():\n    1 / 0\nf()", "division by zero; fix it (line 2 of bot.py)"),
    "a module beside it": ("import no_such", "install what it imports, or enter the folder of its modules"),
    "options of another kind": (f"{BOT}    Options = dict", "Options is not a subclass of tourney.Options"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_holds_no_bot_is_one_line(tmp_path, case):
    text, says = FILES[case]
    (tmp_path / "bot.py").write_text(text)
    with pytest.raises(PluginError, match=re.escape(says)):
        load_bot("bot.py:Bot", tmp_path)


USES = {
    "gone.py:Bot": "there is no file or folder {0}/gone.py; paths are relative to the file that names them",
    "folder:Bot": "{0}/folder has no __init__.py; a folder that is a bot is a package",
    "text.txt:Bot": "{0}/text.txt is not a Python file; a bot in a file is written FILE.py:NAME",
    "package:Bot": "No module named 'no_such'; install what it imports (line 1 of __init__.py)",
    "sound:Bots": 'no bot "sound:Bots": sound/__init__.py has no "Bots"; did you mean "Bot"?',
    "bot.py": "random, seer, steady; a bot in a file is written FILE.py:NAME",
    "class a.Bot": "was a class in a Python program, and is gone; write it into a file, and enter it as FILE.py:Bot",
    "stdy": 'no bot "stdy"; did you mean "steady"?',
}


@pytest.mark.parametrize("use", USES)
def test_a_bot_that_is_not_there_is_one_line(tmp_path, use):
    for name, text in (("folder/x", ""), ("package/__init__.py", "import no_such"), ("sound/__init__.py", BOT)):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text)
    (tmp_path / "text.txt").write_text(BOT)
    with pytest.raises(PluginError, match=f"{re.escape(USES[use].format(tmp_path))}$"):
        load_bot(use, tmp_path)


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


CURIOUS = """
import sys

class Curious:
    def act(self, view, legal):
        print("looked" if "importlib.metadata" in sys.modules else "was told", file=sys.stderr)
        return legal[0]
"""


@pytest.mark.parametrize("host", ["process", "sandbox"])
def test_the_process_of_a_bot_need_not_look_for_plugins(tmp_path, host):
    """That would be a third of its start."""
    file, log = tmp_path / "curious.py", tmp_path / "log"
    file.write_text(CURIOUS, encoding="utf-8")
    spec = BotSpec("curious", host, "curious.py:Curious", {}, (), tmp_path, ("vole",), (file,))
    with opened(spec, log) as found:
        match_with(found, bot("first"))
    assert set(log.read_text(encoding="utf-8").splitlines()) == {"was told"}
