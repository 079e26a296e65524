"""Games and bots by name: plugins of any distribution, files, and what goes wrong with them."""

import orjson
import pytest

from tests.conftest import mostly_slow
from tests.conftest import with_plugins as tourney
from tourney.base.errors import LISTED, PluginError, did_you_mean
from tourney.plugins.registry import load_bot

BOT = "class Bot:\n    def act(self, view, legal):\n        return legal[0]\n"


def test_a_bot_of_another_distribution_is_listed_and_plays(plugin):
    path = plugin("other-bots", "[tourney.bots]\nother = other_bots:Bot\n", other_bots=BOT)
    listed = tourney(path, "bots")
    assert "other\n" in listed.stdout
    assert "other-bots 1.0" in listed.stdout
    (path / "t.toml").write_text('name = "t"\nseed = 1\ndeals = 2\nbots = ["other", "random"]\n[[game]]\nname = "vole"')
    played = tourney(path, "run", "t.toml")
    assert played.returncode == 0, played.stderr
    assert "other" in played.stdout


def test_a_game_of_another_distribution_is_listed_and_described(plugin):
    text = "from tourney.games.vole import Vole\nclass Mole(Vole):\n    name = 'mole'\n    title = 'The Mole'\n"
    path = plugin("mole-game", "[tourney.games]\nmole = mole_game:Mole\n", mole_game=text)
    assert "The Mole" in tourney(path, "games").stdout
    assert "play:CARD" in tourney(path, "games", "mole").stdout


def test_two_plugins_of_one_name_are_listed_with_a_note_that_names_both(plugin):
    game = "from tourney.games.vole import Vole\nclass Mole(Vole):\n    name = 'mole'\n    title = 'The Mole'\n"
    entries = "[tourney.games]\nmole = moles:Mole\n[tourney.bots]\ntwin = twin:Bot\n"
    plugin("a-kit", entries, twin=BOT, moles=game)
    path = plugin("b-kit", entries.replace("twin:", "twin2:").replace("moles:", "moles2:"), twin2=BOT, moles2=game)
    for kind, name, other in (("bots", "twin", "steady"), ("games", "mole", "voleur")):
        result = tourney(path, kind)
        assert (result.returncode, result.stderr) == (0, "")
        assert f"{name}: two {kind} have this name, in a-kit and b-kit" in result.stdout
        assert other in result.stdout


@pytest.mark.slow
def test_a_check_at_another_game_goes_on_although_two_games_share_a_name(plugin):
    game = "from tourney.games.vole import Vole\nclass Mole(Vole):\n    name = 'mole'\n    title = 'The Mole'\n"
    plugin("a-games", "[tourney.games]\nmole = moles:Mole\n", moles=game)
    path = plugin("b-games", "[tourney.games]\nmole = moles2:Mole\n", moles2=game)
    only_vole = f"{BOT}    games = ('vole',)\n"
    (path / "mine.py").write_text(only_vole)
    checked = tourney(path, "check", "mine.py:Bot", "--deals", "1")
    assert checked.returncode == 0, checked.stdout + checked.stderr
    refused = tourney(path, "check", "mine.py:Bot", "--deals", "1", "--game", "mole")
    assert refused.returncode == 2
    assert 'two games are named "mole", in a-games and b-games' in refused.stderr


@pytest.mark.slow
def test_a_game_without_a_title_is_listed_with_what_is_wrong_and_is_played(plugin):
    text = "from tourney.games.vole import Vole\nclass Mole(Vole):\n    name = 'mole'\n    title = ''\n"
    path = plugin("mole-game", "[tourney.games]\nmole = moles:Mole\n", moles=text)
    listed = tourney(path, "games")
    assert listed.returncode == 2
    assert "mole: cannot be used" not in tourney(path, "bots").stdout
    assert "Voleur" in listed.stdout
    assert listed.stderr == 'tourney: game "mole": moles.Mole has no title; add it\n'
    (path / "t.toml").write_text('name = "t"\nseed = 1\ndeals = 1\nbots = ["first", "random"]\n[[game]]\nname = "mole"')
    assert tourney(path, "run", "t.toml").returncode == 0


@pytest.mark.parametrize("attribute", mostly_slow(["seats = 3", "names = ()", "names = None"], "seats = 3"))
def test_a_game_without_seats_or_actions_is_one_line(plugin, attribute):
    text = f"from tourney.games.vole import Vole\nclass Mole(Vole):\n    name = 'mole'\n    {attribute}\n"
    path = plugin("mole-game", "[tourney.games]\nmole = moles:Mole\n", moles=text)
    (path / "t.toml").write_text('name = "t"\nseed = 1\ndeals = 1\nbots = ["first", "random"]\n[[game]]\nname = "mole"')
    for result in (tourney(path, "run", "t.toml"), tourney(path, "games")):
        assert result.returncode == 2
        assert 'game "mole" of mole-game: moles:Mole has no ' in result.stderr
        assert len(result.stderr.splitlines()) == 1


def test_a_name_that_two_plugins_share_matters_to_those_who_use_it_only(plugin):
    plugin("a-bots", "[tourney.bots]\ntwin = twin:Bot\n", twin=BOT)
    path = plugin("b-bots", "[tourney.bots]\ntwin = twin2:Bot\n", twin2=BOT)
    text = 'name = "t"\nseed = 1\ndeals = 1\nbots = ["first", "BOT"]\n[[game]]\nname = "vole"'
    (path / "other.toml").write_text(text.replace("BOT", "random"))
    (path / "twin.toml").write_text(text.replace("BOT", "twin"))
    assert tourney(path, "run", "other.toml").returncode == 0
    refused = tourney(path, "run", "twin.toml")
    assert refused.returncode == 2
    assert 'two bots are named "twin", in a-bots and b-bots' in refused.stderr


def test_a_plugin_that_fails_to_import_is_one_line(plugin):
    path = plugin("broken-bots", "[tourney.bots]\nbroken = broken_bots:Bot\n", broken_bots="import no_such_module")
    (path / "t.toml").write_text('name = "t"\nseed = 1\nbots = ["broken", "random"]\n[[game]]\nname = "vole"')
    result = tourney(path, "run", "t.toml")
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    for part in ("t.toml", '"broken" of broken-bots', "broken_bots:Bot", "no_such_module"):
        assert part in result.stderr


def test_a_broken_plugin_that_is_not_asked_for_does_not_matter(plugin):
    path = plugin("broken-bots", "[tourney.bots]\nbroken = broken_bots:Bot\n", broken_bots="1/0")
    (path / "t.toml").write_text('name = "t"\nseed = 1\nbots = ["first", "random"]\n[[game]]\nname = "vole"')
    assert tourney(path, "run", "t.toml").returncode == 0


def test_a_broken_plugin_does_not_keep_the_others_from_being_listed(plugin):
    path = plugin("broken-bots", "[tourney.bots]\nbroken = broken_bots:Bot\n", broken_bots="1/0")
    result = tourney(path, "bots")
    assert "steady: " in result.stdout
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert '"broken" of broken-bots' in result.stderr


def test_a_game_that_is_no_game_is_one_line(plugin):
    path = plugin("no-game", "[tourney.games]\nnone = no_game:Bot\n", no_game=BOT)
    result = tourney(path, "games", "none")
    assert result.returncode == 2
    assert "is not a subclass of tourney.contracts.game.Game" in result.stderr


DERBY = """
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated

import msgspec

from tourney.base.errors import ConfigError
from tourney.contracts.game import Options
from tourney.hosts.base import BotHost
from tourney.hosts.inline import InlineBot
from tourney.plugins.registry import load_bot
from tourney.schedule.base import FixedSchedule
from tourney.standings.points import Tiebreak


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

    def ranks_by(self):
        names = self._tournament.names
        values = {name: Fraction(i) for i, name in enumerate(names)}
        return Tiebreak("youth", "youth", "youth", values, {name: f"no. {i}" for i, name in enumerate(names)}), "points"


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
    path = plugin(
        "derby-kit",
        "[tourney.formats]\nderby = derby_kit:Derby\n[tourney.hosts]\ngreeting = derby_kit:Greeting\n",
        derby_kit=DERBY,
        polite=POLITE,
    )
    (path / "t.toml").write_text(DERBY_FILE)
    return path


@pytest.mark.slow
def test_a_format_and_a_host_of_another_distribution_are_played_verified_and_resumed(derby):
    played = tourney(derby, "run", "t.toml", "--out", "run", "--workers", "2")
    assert played.returncode == 0, played.stderr
    assert "derby of neighbours" in played.stderr
    assert "Ranked by youth" in played.stdout
    assert "no. 3" in played.stdout
    journal = derby / "run" / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3 * (2 + 2 + 1) * 2
    assert {(r["seats"][0], r["seats"][1]) for r in map(orjson.loads, lines)} & {("first", "polite")} == set()
    for command in (["verify", "run"], ["verify", "run", "--bots"], ["standings", "run"]):
        result = tourney(derby, *command)
        assert result.returncode == 0, result.stdout + result.stderr
    journal.write_bytes(b"".join(lines[:7]))
    assert tourney(derby, "run", "t.toml", "--out", "run", "--resume").returncode == 0
    assert journal.read_bytes() == b"".join(lines)
    assert tourney(derby, "run", "t.toml", "--out", "more", "--extend", "run").returncode == 0
    assert (derby / "more" / "journal.jsonl").read_bytes() == b"".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("reach = 2", "reach = 0", "reach: Expected `int` >= 1"),
        ("reach = 2", "reach = 4", "reach: is beyond the last bot"),
        ("reach = 2", "rech = 2", 'no key "rech"; did you mean "reach"?'),
        ("reach = 2", "rounds = 2", 'rounds: belongs to format = "swiss", not to "derby"; leave it out'),
        ('"derby"', '"round-robin"', 'reach: belongs to format = "derby", not to "round-robin"; leave it out'),
        ('"derby"', '"derbi"', 'format: no format "derbi"; did you mean "derby"?'),
        ("greeting =", "greting =", 'no key "greting"; did you mean "greeting"?'),
        ('host = "greeting"', 'host = "greting"', 'host: no host "greting"; did you mean "greeting"?'),
    ],
)
def test_keys_of_a_format_and_a_host_of_another_distribution_are_checked(derby, old, new, says):
    (derby / "t.toml").write_text(DERBY_FILE.replace(old, new))
    result = tourney(derby, "run", "t.toml", "--out", "run")
    assert result.returncode == 2
    assert says in result.stderr
    assert not (derby / "run").exists()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("class Derby:\n    name = 'derby'\n", "is not a subclass of tourney.schedule.base.Schedule"),
        *[
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                (DERBY.replace('name = "derby"', 'name = "darby"'), 'write name = "derby"'),
                (
                    DERBY.replace("    reach: Ann", "    deals: int = 1\n    reach: Ann"),
                    'every tournament has a key "deals"',
                ),
            )
        ],
    ],
)
def test_a_format_that_is_none_is_one_line(derby, text, says):
    (derby / "derby_kit.py").write_text(text)
    result = tourney(derby, "run", "t.toml")
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert says in result.stderr


FILES = {
    "a syntax error": ("def (", "cannot be loaded: SyntaxError"),
    "an exception": ("raise RuntimeError('two\\nlines')", "cannot be loaded: RuntimeError: two lines"),
    "an exit": ("import sys; sys.exit(3)", "cannot be loaded: SystemExit"),
    "another name": ("class Bots:\n    def act(self, view, legal): ...", 'has no "Bot"; did you mean "Bots"?'),
    "no act": ("class Bot:\n    pass", "not a class with a method act"),
    "no class": ("Bot = 7", "not a class with a method act"),
    "a function": ("def Bot(view, legal): return legal[0]", "not a class with a method act"),
    "games that are a text": (
        f"{BOT}    games = ('vole')",
        'is not a tuple of names; write it as in games = ("vole",)',
    ),
    "games that are no texts": (f"{BOT}    games = (1,)", 'is not a tuple of names; write it as in games = ("NAME",)'),
    "options of another kind": (
        f"{BOT}    Options = dict",
        "Options is not a subclass of tourney.contracts.game.Options",
    ),
}


@pytest.mark.parametrize("case", FILES)
def test_a_file_that_holds_no_bot_is_one_line(tmp_path, case):
    text, says = FILES[case]
    (tmp_path / "bot.py").write_text(text)
    with pytest.raises(PluginError) as caught:
        load_bot("bot.py:Bot", tmp_path)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_fingerprint_changes_with_the_source_of_the_bot(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    (tmp_path / "one" / "bot.py").write_text(BOT)
    (tmp_path / "two" / "bot.py").write_text(BOT + "# changed\n")
    one, two = [load_bot("bot.py:Bot", tmp_path / name).fingerprint for name in ("one", "two")]
    assert one != two
    assert one == load_bot("bot.py:Bot", tmp_path / "one").fingerprint
    assert load_bot("random", tmp_path).fingerprint.version.startswith("tourney-cards ")


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


def test_a_long_list_of_known_names_is_cut():
    names = [f"bot-{number:03}" for number in range(LISTED + 5)]
    line = did_you_mean("zzzz", names)
    assert line.startswith("known: bot-000, bot-001, ")
    assert line.endswith(f"{names[LISTED - 1]} and 5 more")
    assert did_you_mean("zzzz", names[:LISTED]).endswith(names[LISTED - 1])
