"""`tourney docs`, and `games NAME --rules` and `--view`: what they print."""

import re

import pytest

from tests.cli.runs import one_line
from tests.conftest import ROOT, with_plugins
from tourney.cli.commands.games import members
from tourney.plugins.registry import game_names, load_game


def test_elsewhere_a_page_is_printed_as_it_was_written(tourney):
    result = tourney("docs", "ci")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    rules = tourney("games", "vole", "--rules")
    assert rules.stdout == (ROOT / "docs" / "rules" / "vole.md").read_text(encoding="utf-8")


def test_without_a_name_the_pages_are_listed(tourney):
    listed = tourney("docs").stdout
    assert re.search(r"(?m)^ci +A gate for bots in CI$", listed)
    assert re.search(r"(?m)^rules/vole +The Vole in the Valley$", listed)


def test_a_page_that_is_not_there_is_one_line(tourney):
    one_line(tourney("docs", "configurations"), 2, 'no page "configurations"; did you mean "configuration"?')


GAME = """
from tourney.games.vole import Vole

class Mole(Vole):
    name = "mole"
    title = "The Mole"
    {rules}
"""
ENTRY = "[tourney.games]\nmole = mole_game:Mole\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rules", "shown"),
    [
        ("", "# The Vole in the Valley\n"),
        ('rules = "mole_rules.md"', "# Moles\n"),
        ('rules = "https://example.org/mole"', "the rules of mole are at https://example.org/mole\n"),
    ],
    ids=["inherited", "a file beside it", "an address"],
)
def test_the_rules_of_a_game_of_another_distribution_are_shown(plugin, rules, shown):
    path = plugin("mole-game", ENTRY, mole_game=GAME.format(rules=rules))
    (path / "mole_rules.md").write_text("# Moles\n\nDig \x1b[31m.\n", encoding="utf-8")
    result = with_plugins(path, "games", "mole", "--rules")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(shown)
    assert "\x1b" not in result.stdout
    described = with_plugins(path, "games", "mole").stdout
    where = "https://example.org/mole" if "://" in rules else "tourney games mole --rules"
    assert re.search(rf"(?m)^rules +{where}$", described)


def test_rules_that_are_not_installed_are_one_line(plugin):
    path = plugin("mole-game", ENTRY, mole_game=GAME.format(rules='rules = "docs/rules/vole.md"'))
    one_line(with_plugins(path, "games", "mole", "--rules"), 2, "docs/rules/vole.md, and ", "cannot be read")


@pytest.mark.parametrize("name", game_names())
def test_a_view_is_listed_with_all_that_a_bot_may_use_of_it(tourney, name):
    game = load_game(name)
    view = game.start(game.seats[0], game.options(game.seats[0], {}), 1).view(0)
    lines = tourney("games", name, "--view").stdout.splitlines()
    own = lines[: next(i for i, line in enumerate(lines) if re.fullmatch(r"\w+:|as JSON.*", line))]
    listed = [match[1] for line in own if (match := re.match(r"  (\w+)[:(]", line))]
    assert sorted(listed) == sorted([each for each in dir(view) if not each.startswith("_")])
    undescribed = [text for text, doc in members(type(view)) if not doc]
    assert undescribed == []
    assert f'"seat": {view.seat}' in "".join(lines) or '"seat": ' in "".join(lines)


def test_a_type_is_named_without_its_module(tourney):
    shown = tourney("games", "vole", "--view").stdout
    assert "  rounds: tuple[VoleRound, ...]\n      The rounds that are over, in order.\n" in shown


LATE = """
from __future__ import annotations
from typing import TYPE_CHECKING
import msgspec
from tourney.contracts.game import View
from tourney.games.vole import Vole

if TYPE_CHECKING:
    from somewhere import Unknown

class Card(msgspec.Struct):
    rank: int

class MoleView(View, frozen=True):
    _hidden: int = 0
    cards: tuple[Card, ...] = ()

    @property
    def strange(self) -> Unknown:
        return None

    def as_dict(self):
        return {"seat": self.seat}

class Mole(Vole):
    name = "mole"
    title = "The Mole"

    def start(self, seats, options, seed):
        return Dug()

class Dug:
    seat = 0

    def view(self, seat):
        return MoleView(seat)
"""


def test_a_view_whose_types_are_texts_or_cannot_be_looked_up_is_listed(plugin):
    path = plugin("mole-game", ENTRY, mole_game=LATE)
    result = with_plugins(path, "games", "mole", "--view")
    assert (result.returncode, result.stderr) == (0, "")
    assert "  cards: tuple[Card, ...]\n" in result.stdout
    assert "  strange: Unknown\n" in result.stdout
    assert "_hidden" not in result.stdout


def test_a_game_that_fails_when_it_starts_is_one_line(plugin):
    text = GAME.format(rules="def start(self, seats, options, seed):\n        return 1 / 0")
    path = plugin("mole-game", ENTRY, mole_game=text)
    one_line(with_plugins(path, "games", "mole", "--view"), 2, 'game "mole" fails when a match starts', "ZeroDivision")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("games", "--rules"), "--rules: name a game"),
        (("games", "--view"), "--view: name a game"),
        (("games", "vole", "--rules", "--view"), "do not go together"),
        (("games", "volle", "--rules"), 'did you mean "vole"?'),
        (("bots", "seeer"), 'did you mean "seer"?'),
        (("bots", "nowhere.py:Bot"), "there is no file"),
    ],
)
def test_what_cannot_be_shown_is_said(tourney, arguments, told):
    result = tourney(*arguments)
    assert result.returncode == 2
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def test_a_bot_is_described_with_its_games_and_options(tourney, tmp_path):
    shown = tourney("bots", "seer").stdout
    assert shown.startswith("seer: A search player")
    for part in (
        "plays    every game\n",
        "from     tourney-cards ",
        "\noptions, with their defaults:\n  playouts  (",
    ):
        assert part in shown
    assert tourney("bots", "first").stdout.endswith("\n\nno options\n")
    text = '"""Of a file."""\n\nclass Fox:\n    """Sly.\n\n    And old.\n    """\n\n    games = ("vole", "bang")\n'
    (tmp_path / "fox.py").write_text(text + "\n    def act(self, view, legal):\n        return 0\n", encoding="utf-8")
    described = tourney("bots", "fox.py:Fox").stdout.split("\n")
    assert described == [
        "fox.py:Fox: Sly.", "", "  And old.", "", "plays    vole  bang", "from     fox.py", "", "no options", ""
    ]  # fmt: skip
