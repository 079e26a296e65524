"""Games and bots by name: plugins of any distribution, files, and what goes wrong with them."""

import orjson
import pytest

from tests.conftest import with_plugins as tourney
from tourney.base.errors import PluginError
from tourney.plugins.registry import load_bot

BOT = "class Bot:\n    def act(self, view, legal):\n        return legal[0]\n"


MOLE = "from tourney.games.vole import Vole\nclass Mole(Vole):\n    name = 'mole'\n    title = 'The Mole'\n"
ENTRIES = "[tourney.games]\nmole = moles:Mole\n[tourney.bots]\nother = others:Bot\n"


def run(path, bot="first", game="vole", code=0):
    """Plays a small tournament of a bot and `random`."""
    (path / "t.toml").write_text(
        f'name = "t"\nseed = 1\ndeals = 2\nbots = ["{bot}", "random"]\n[[game]]\nname = "{game}"', encoding="utf-8"
    )
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


DERBY = """
from collections.abc import Iterator
from typing import Annotated

import msgspec

from tourney.base.errors import ConfigError
from tourney.contracts.game import Options
from tourney.hosts.base import BotHost
from tourney.hosts.inline import InlineBot
from tourney.plugins.registry import load_bot
from tourney.schedule.base import FixedSchedule


class DerbyOptions(Options, frozen=True):
    reach: Annotated[int, msgspec.Meta(ge=1)] = 1


class Derby(FixedSchedule):
    name = "derby"
    Options = DerbyOptions

    @classmethod
    def validate(cls, tournament):
        super().validate(tournament)
        if tournament.format_options.reach >= len(tournament.names):
            raise ConfigError("reach: is beyond the last bot; take a smaller one")

    def groups(self, setup):
        names = self._tournament.names
        for i, name in enumerate(names):
            for other in names[i + 1 : i + 1 + self._tournament.format_options.reach]:
                yield name, other

    def group_count(self, setup):
        return len(list(self.groups(setup)))

    def describe(self):
        return "derby of neighbours"


class GreetingOptions(Options, frozen=True):
    greeting: str = "hello"


class Greeting(BotHost):
    name = "greeting"
    Options = GreetingOptions
    in_worker = True

    def __init__(self, spec, limits, log):
        options = msgspec.convert(dict(spec.host_options), GreetingOptions)
        make = load_bot(spec.use, spec.folder).maker(spec.options, spec.name)

        def greeted():
            bot = make()
            bot.greeting = options.greeting
            return bot

        self._make = greeted

    @classmethod
    def examine(cls, spec):
        return load_bot(spec.use, spec.folder).games

    def begin(self, facts, rng_seed):
        return InlineBot(self._make, facts)
"""
POLITE = """
class Polite:
    def act(self, view, legal):
        return legal[0 if self.greeting == "good day" else -1]
"""
DERBY_FILE = """
name = "t"
seed = 1
deals = 3
format = "derby"
reach = 2
bots = ["first", "random", "steady"]
[[bot]]
name = "polite"
use = "polite.py:Polite"
host = "greeting"
host_options = { greeting = "good day" }
[[game]]
name = "vole"
"""


@pytest.fixture
def derby(plugin):
    """A folder with a tournament of a format and a host that another distribution has."""
    entries = "[tourney.formats]\nderby = derby_kit:Derby\n[tourney.hosts]\ngreeting = derby_kit:Greeting\n"
    path = plugin("derby-kit", entries, derby_kit=DERBY, polite=POLITE)
    (path / "t.toml").write_text(DERBY_FILE)
    return path


def test_a_format_and_a_host_of_another_distribution_are_played_verified_and_resumed(derby):
    played = tourney(derby, "run", "t.toml", "--out", "run", "--workers", "2")
    assert played.returncode == 0, played.stderr
    assert "derby of neighbours" in played.stderr
    journal = derby / "run" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3 * (2 + 2 + 1) * 2
    assert {(r["seats"][0], r["seats"][1]) for r in map(orjson.loads, lines)} & {("first", "polite")} == set()
    for command in (["verify", "run"], ["verify", "run", "--bots", "--trust"], ["standings", "run"]):
        result = tourney(derby, *command)
        assert result.returncode == 0, result.stdout + result.stderr
    journal.write_bytes(b"".join(lines[:7]))
    assert tourney(derby, "run", "t.toml", "--out", "run", "--resume").returncode == 0
    assert journal.read_bytes() == b"".join(lines)
    assert tourney(derby, "run", "t.toml", "--out", "more", "--extend", "run").returncode == 0
    assert (derby / "more" / "journal.jsonl").read_bytes() == b"".join(lines)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("reach = 2", "reach = 0", "reach: Expected `int` >= 1"),
        ("reach = 2", "reach = 4", "reach: is beyond the last bot"),
        ("reach = 2", "rech = 2", 'no key "rech"; did you mean "reach"?'),
        ('"derby"', '"round-robin"', 'reach: belongs to format = "derby", not to "round-robin"'),
        ("greeting =", "greting =", 'no key "greting"; did you mean "greeting"?'),
    ],
)
def test_keys_of_a_format_and_a_host_of_another_distribution_are_checked(derby, old, new, says):
    (derby / "t.toml").write_text(DERBY_FILE.replace(old, new))
    result = tourney(derby, "run", "t.toml", "--out", "run")
    assert result.returncode == 2
    assert says in result.stderr
    assert not (derby / "run").exists()


FILES = {
    "a syntax error": ("def (", "cannot be loaded: SyntaxError"),
    "an exception": ("raise RuntimeError('two\\nlines')", "cannot be loaded: RuntimeError: two lines"),
    "an exit": ("import sys; sys.exit(3)", "cannot be loaded: SystemExit"),
    "another name": ("class Bots:\n    def act(self, view, legal): ...", 'has no "Bot"; did you mean "Bots"?'),
    "no act": ("class Bot:\n    pass", "not a class with a method act"),
    "a function": ("def Bot(view, legal): return legal[0]", "not a class with a method act"),
    "games that are a text": (f"{BOT}    games = ('vole')", 'write it as in games = ("vole",)'),
    "options of another kind": (f"{BOT}    Options = dict", "Options is not a subclass of tourney.Options"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_holds_no_bot_is_one_line(tmp_path, case):
    text, says = FILES[case]
    (tmp_path / "bot.py").write_text(text)
    with pytest.raises(PluginError) as caught:
        load_bot("bot.py:Bot", tmp_path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_options_of_a_bot_are_checked_and_handed_to_it(tmp_path):
    (tmp_path / "bot.py").write_text(
        "from tourney.contracts.game import Options\n"
        "class Mine(Options, frozen=True):\n    depth: int = 3\n"
        "class Bot:\n    Options = Mine\n    def __init__(self, options): self.depth = options.depth\n"
        "    def act(self, view, legal): return legal[0]\n"
    )
    bot = load_bot("bot.py:Bot", tmp_path)
    assert bot.maker({}, "bot")().depth == 3
    assert bot.maker({"depth": 5}, "bot")().depth == 5
    with pytest.raises(Exception, match='bot: no key "dept"; did you mean "depth"'):
        bot.maker({"dept": 5}, "bot")
