"""`tourney docs`, and `games NAME --rules` and `--view`: what they print."""

import re

import pytest

from tests.cli.terminal import Terminal, plain
from tests.conftest import ROOT, with_plugins
from tourney.cli.commands.games import members
from tourney.plugins.registry import game_names, load_game


def test_elsewhere_a_page_is_printed_as_it_was_written(tourney):
    result = tourney("docs", "ci")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    rules = tourney("games", "vole", "--rules")
    assert rules.stdout == (ROOT / "docs" / "rules" / "vole.md").read_text(encoding="utf-8")


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


MARKDOWN = re.compile(r"\*\*|^#+ |```|^\|", re.MULTILINE)


@pytest.mark.parametrize("columns", [40, 120])
def test_on_a_terminal_a_page_is_laid_out_in_its_width(tmp_path, columns):
    shown, code = Terminal(tmp_path, "docs", "ci", columns=columns).end()
    text = plain(shown)
    assert code == 0
    assert not MARKDOWN.search(text), MARKDOWN.findall(text)
    assert max([len(line.rstrip()) for line in text.splitlines()]) <= columns
    assert text.splitlines()[0].strip() == "A gate for bots in CI"
