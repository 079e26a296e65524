"""Pages, rules, views and bots: whatever is described is found, and shown; and who names a flag."""

import ast
import re
from functools import cache

import click
import pytest

from tests.cli.runs import Terminal, plain
from tests.conftest import ROOT, with_plugins
from tourney.cli.commands import docs as pages
from tourney.cli.commands.games import members
from tourney.cli.main import COMMANDS, load_command, main
from tourney.plugins.registry import game_names, load_game

FILES = {
    str(path.relative_to(ROOT / "docs").with_suffix("")): path
    for pattern in ("docs/*.md", "docs/rules/*.md")
    for path in ROOT.glob(pattern)
}
EXAMPLES = {
    str(path.relative_to(ROOT)).removeprefix("docs/"): path.read_text(encoding="utf-8")
    for pattern in ("configs/**/*.toml", "bots/wire/*.*", "docs/*.ipynb")
    for path in ROOT.glob(pattern)
}
FILE = re.compile(r"configs/[\w/-]+\.toml|bots/wire/\w+\.\w+|notebook\.ipynb")
GAME = """
from tourney.games.vole import Vole
class Mole(Vole):
    name = "mole"
    title = "The Mole"
    {rules}
"""
MARKDOWN = re.compile(r"\*\*|^#+ |```|^\|", re.MULTILINE)


def test_every_page_is_found_with_its_title_and_its_text_by_whatever_names_it():
    found = pages.all_pages()
    assert {page.name: page.text for page in found} == {n: p.read_text(encoding="utf-8") for n, p in FILES.items()}
    assert {page.text.split("\n")[0] for page in found} == {f"# {page.title}" for page in found}
    assert sorted(pages.page_names()) == sorted(FILES)
    for name in ("rules/vole", "vole", "VOLE", "docs/rules/vole.md", "rules/vole.md", "./rules/vole.md#positions"):
        assert pages.read_page(name).title == "The Vole in the Valley", name


def test_every_old_name_of_a_page_leads_to_the_page_that_has_its_text_now():
    assert not {old for old in pages.MOVED if old in FILES}
    same = {"api", "ci", "cluster", "commands", "faults", "formats", "performance", "protocol", "tutorial"}
    assert len(pages.MOVED.keys() | same) == 43
    for old in (*pages.MOVED, *same):
        for name in (old, old.lower(), f"docs/{old}.md#anchor"):
            assert pages.read_page(name).name == pages.MOVED.get(old, old).partition("#")[0], name


def test_a_page_opens_at_a_heading():
    assert pages.read_page("docs/statistics.md#The-gate").text.startswith("## The gate\n")
    assert pages.read_page("gate").text.startswith("## The gate\n")
    for heading in ("", "#", "#nonsense"):
        assert pages.read_page(f"statistics{heading}").text.startswith("# Statistics")


@cache
def told():
    """What the program prints of itself: its help, its messages, and the files that it writes to start from."""
    texts = dict(helps())
    for path in (ROOT / "tourney" / "cli" / "templates").rglob("*.template"):
        texts[str(path)] = path.read_text(encoding="utf-8")
    for path in (ROOT / "tourney").rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)]
        docstrings = {id(statement.value) for body in bodies for statement in body if isinstance(statement, ast.Expr)}
        constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
        texts[str(path)] = "\n|\n".join([node.value for node in constants if isinstance(node.value, str)])
    return texts


def helps(command=main, path="tourney"):
    """The help of a command and of its subcommands, each by its call, on a terminal of 80 columns."""
    context = click.Context(command, info_name=path, terminal_width=78)
    yield path, command.get_help(context)
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            yield from helps(command.get_command(context, name), f"{path} {name}")


def test_each_summary_and_line_of_every_help_is_whole_on_80_columns():
    texts = dict(helps())
    assert len(texts) > len(COMMANDS)
    for name, text in texts.items():
        assert "..." not in text.replace("RUN...", "").replace("BOT,...", "").replace("]...", ""), name
        assert max(map(len, text.splitlines())) <= 80, name
    listed = [line.split()[0] for line in texts["tourney"].splitlines() if re.match(r"  [a-z][\w-]*  ", line)]
    assert listed == list(COMMANDS)


def test_no_text_below_the_command_line_names_a_flag():
    groups: list[click.Command] = [load_command(name) for name in COMMANDS]
    known: set[str] = set()
    while groups:
        command = groups.pop()
        known |= {flag for parameter in command.params for flag in (*parameter.opts, *parameter.secondary_opts)}
        groups += command.commands.values() if isinstance(command, click.Group) else []
    below = {where: text for where, text in told().items() if where.endswith(".py") and "/tourney/cli/" not in where}
    assert len(below) > 100
    for where, text in below.items():
        assert not set(re.findall(r"--[a-z][a-z0-9-]*", text)) & known, where


def test_nothing_points_to_a_file_of_the_repository_and_every_page_that_is_named_is_there():
    named = 0
    for where, text in told().items():
        left = re.sub(r"(?m)^docs/rules/[\w-]+\.md$", "", text)  # where a game says that its rules are
        assert not re.search(r"docs/\w", left), where
        for name in re.findall(r"tourney\s+docs\s+([a-zA-Z][\w/.-]*\w)", text):
            assert name in ("PAGE", "FILE", *EXAMPLES) or pages.read_page(name), where
            named += 1
    assert named >= 5


def test_elsewhere_a_page_or_a_file_that_pages_name_is_printed_as_it_was_written(tourney):
    result = tourney("docs", "ci")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    listed = tourney("docs")
    assert {line.split()[0] for line in listed.stdout.splitlines()[2:]} == FILES.keys()
    assert {"PAGE", *EXAMPLES} <= {*listed.stderr.replace(",", "").split()}
    named = {name for text in FILES.values() for name in FILE.findall(text.read_text(encoding="utf-8"))}
    assert len(named) >= 4
    assert {name: tourney("docs", name).stdout for name in named} == {name: EXAMPLES[name] for name in named}
    rules = tourney("games", "vole", "--rules")
    assert rules.stdout == (ROOT / "docs" / "rules" / "vole.md").read_text(encoding="utf-8")


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
    path = plugin("mole-game", "[tourney.games]\nmole = mole_game:Mole\n", mole_game=GAME.format(rules=rules))
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
    assert [text for text, doc in members(type(view)) if not doc] == []


@pytest.mark.parametrize(("columns", "width"), [(40, 40), (150, 100)])
def test_on_a_terminal_a_page_is_laid_out_in_its_width_or_narrower(tmp_path, columns, width):
    shown, code = Terminal(tmp_path, "docs", "ci", columns=columns).end()
    text = plain(shown)
    assert code == 0
    assert not MARKDOWN.search(text), MARKDOWN.findall(text)
    assert width - 9 < max([len(line.rstrip()) for line in text.splitlines()]) <= width
    assert text.splitlines()[0].strip() == pages.read_page("ci").title
