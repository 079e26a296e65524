"""Files, sessions and links in the documentation: what it shows works and is there; docstrings."""

import ast
import doctest
import importlib.util
import json
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import get_args

import pytest
from tourney_bots.llm import OLLAMA

from tests.cli.runs import bots_in
from tests.conftest import ROOT, TOURNEY, called, tournament_text, with_code, with_plugins
from tests.environments import fresh_environment
from tests.hosts import chat
from tourney import config
from tourney.contracts.match import FaultKind
from tourney.journal import events
from tourney.journal.kinds import KINDS
from tourney.plugins.registry import format_names
from tourney.standings.ranking import StandingsRow

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRIBUTING = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")
ROWS = [line for line in CONTRIBUTING.splitlines() if line.startswith("| ") and "`tourney/" in line]
WRITING = "".join([(ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8") for page in ("write-a-bot", "protocol")])
CONFIGS = [
    # the session of the README plays `quick`, and tests of formats much the same
    pytest.param(path, marks=() if path == ROOT / "configs" / "swiss.toml" else pytest.mark.slow)
    for path in sorted((ROOT / "configs").rglob("*.toml"))
]


def shown_files(text: str) -> dict[str, str]:
    """Returns the files that a page shows, by name: code blocks whose first line is a comment with the name."""
    return dict(re.findall(r"```(?:python|toml)\n# (\S+)\n(.*?)```", text, re.DOTALL))


def run(*arguments: object, cwd: Path) -> str:
    result = with_code(subprocess.run(list(map(str, arguments)), cwd=cwd, capture_output=True, text=True, check=False))
    return result.stdout


def write_files(page: str, folder: Path) -> None:
    for name, text in shown_files(page).items():
        (folder / name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "bot"), [("mine.toml", "highest"), pytest.param("program.toml", "lowest", marks=pytest.mark.slow)]
)
def test_the_bots_in_a_file_and_in_a_program_play(tmp_path, file, bot):
    write_files(WRITING, tmp_path)
    assert bot in bots_in(run(TOURNEY, "run", file, "--quiet", cwd=tmp_path))
    results = f"results/{Path(file).stem}"
    assert bot in run(TOURNEY, "matches", results, "--bot", bot, cwd=tmp_path)
    assert run(TOURNEY, "matches", results, "--faults", cwd=tmp_path) == ""
    assert run(TOURNEY, "replay", results, "vole-00000-1", "--seat", 0, "--from", 20, "--to", 30, cwd=tmp_path)


def test_extras_that_are_named_exist_and_are_spelled_with_hyphens():
    project = PROJECT["project"]
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), *(ROOT / "tourney").rglob("*.py")]
    named = re.findall(r"tourney-cards\[([a-z_,-]+)\]", "\n".join([page.read_text(encoding="utf-8") for page in pages]))
    assert "open-spiel" in named
    assert set(",".join(named).split(",")) <= project["optional-dependencies"].keys()
    assert "_" not in "".join(project["optional-dependencies"])


@pytest.mark.slow
def test_the_package_installs_in_a_fresh_environment_and_its_bot_plays(tmp_path):
    package = tmp_path / "package"
    package.mkdir()
    shown = {name: text for name, text in shown_files(WRITING).items() if name in ("pyproject.toml", "greedy_bot.py")}
    assert sum(len([line for line in text.splitlines() if line.strip()]) for text in shown.values()) <= 20
    for name, text in shown.items():
        (package / name).write_text(text, encoding="utf-8")
    python = fresh_environment(tmp_path, ROOT, ROOT / "bots")
    run(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation", package, cwd=tmp_path)
    tourney = (python, "-c", "from tourney.cli.main import main; main()")
    assert "greedy: Takes the trick" in run(*tourney, "bots", cwd=tmp_path)
    (tmp_path / "t.toml").write_text(
        'name = "t"\nseed = 1\ndeals = 50\nbots = ["random", "greedy"]\n[[game]]\nname = "vole"\n', encoding="utf-8"
    )
    assert "greedy" in run(*tourney, "run", "t.toml", "--quiet", cwd=tmp_path)


@pytest.mark.slow
def test_the_format_of_another_distribution_is_played_resumed_and_verified(plugin):
    page = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
    (entry,) = re.findall(r'\[project\.entry-points\."tourney\.formats"\]\n(.*)\n', page)
    (other,) = re.findall(r"Declare it like the ring, with `(.*)`\.", page)
    entries = f"[tourney.formats]\n{entry}\n{other}\n".replace('"', "")
    modules = {name: shown_files(page)[f"{name}.py"] for name in ("ring", "danish")}
    path = plugin("own-formats", entries, **modules)
    text = tournament_text("ring", format='"ring"', extra='[[bot]]\nname = "last"\nuse = "random"')
    (path / "ring.toml").write_text(text, encoding="utf-8")
    journal = path / "results" / "ring" / "journal.jsonl"
    assert with_plugins(path, "run", "ring.toml", "--quiet").returncode == 0
    whole = journal.read_bytes()
    met = {frozenset(json.loads(line)["seats"]) for line in whole.splitlines()}
    assert met == {frozenset(pair.split()) for pair in ("random first", "first steady", "steady last", "last random")}
    journal.write_bytes(whole[: len(whole) // 2])
    assert with_plugins(path, "run", "ring.toml", "--resume", "--quiet").returncode == 0
    assert journal.read_bytes() == whole
    assert with_plugins(path, "verify", "ring").stdout == "32 of 32 records verified\n"
    assert with_plugins(path, "standings", "ring").returncode == 0
    assert with_plugins(path, "run", "ring.toml", "--out", "more", "--extend", "results/ring").returncode == 2
    (path / "danish.toml").write_text(tournament_text("danish", format='"danish"', rounds="2"), encoding="utf-8")
    assert with_plugins(path, "run", "danish.toml", "--quiet").returncode == 0
    assert with_plugins(path, "verify", "danish").stdout == "16 of 16 records verified\n"
    rounds = json.loads(with_plugins(path, "standings", "danish", "--show", "rounds", "--format", "json").stdout)
    winner = max(rounds[0]["tables"][0], key=lambda each: each["points_percent"])["bot"]
    assert winner in [each["bot"] for each in rounds[1]["tables"][0]]


def test_the_command_of_another_distribution_is_listed_and_called(plugin, finished):
    shown = shown_files((ROOT / "docs" / "commands.md").read_text(encoding="utf-8"))
    project = tomllib.loads(shown["pyproject.toml"])["project"]
    lines = [f"{name} = {value}" for name, value in project["entry-points"]["tourney.commands"].items()]
    path = plugin(project["name"], "\n".join(["[tourney.commands]", *lines, ""]), upsets=shown["upsets.py"])
    assert re.search(r"upsets +A command of tourney-upsets\.", with_plugins(path, "--help").stdout)
    assert "List the matches of RUN" in with_plugins(path, "upsets", "--help").stdout
    done = with_plugins(path, "upsets", finished)
    assert (done.returncode, done.stdout.startswith("vole-"), done.stderr) == (0, True, "")
    refused = with_plugins(path, "upsets", "gone")
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("config", CONFIGS, ids=lambda path: path.stem)
def test_every_configuration_is_accepted_and_begins_to_play(config, tmp_path):
    deals = f"deals = {20 if config.stem == 'track' else 1}"
    text = re.sub(r"(?m)^deals = \d+", deals, config.read_text(encoding="utf-8"))
    text = re.sub(r"(?m)^max_matches = \d+", "max_matches = 300", text)
    with chat.serving(dict.fromkeys(re.findall(r'model = "(.*?)"', text), chat.first)) as server:
        (tmp_path / config.name).write_text(text.replace(OLLAMA, server.url), encoding="utf-8")
        assert run(TOURNEY, "run", config.name, "--out", "run", cwd=tmp_path)
    assert "records verified" in called(["verify", "run"], tmp_path).stdout


def test_the_limits_on_the_page_about_clocks_are_accepted():
    page = (ROOT / "docs" / "hosts-and-limits.md").read_text(encoding="utf-8")
    shown = re.findall(r"```toml\n(\[limits\]\n.*?)```", page, re.DOTALL)
    assert len(shown) == 3
    others = "".join([f'[[bot]]\nname = "{name}"\nuse = "random"\nhost = "process"\n' for name in ("one", "two")])
    for limits in shown:
        assert config.of_text(tournament_text("t", bots="[]", extra=others + limits), Path("t.toml")).bounds_time


def test_the_page_of_commands_is_up_to_date(golden):
    spec = importlib.util.spec_from_file_location("commands_page", ROOT / ".ci" / "commands_page.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    golden(ROOT / "docs" / "commands.md", module.page().removesuffix("\n"))


def test_the_index_links_to_every_page_and_every_test_that_a_page_or_a_workflow_names_is_there():
    assert "](docs/index.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#]+)", (ROOT / "docs" / "index.md").read_text(encoding="utf-8")))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {name for name in pages if not name.startswith("measurements/")} - {"index.md"} <= linked
    for page in (*(ROOT / "docs").rglob("*.md"), *(ROOT / ".github" / "workflows").glob("*.yml")):
        for name in re.findall(r"(?<![:/])\btests/[\w/.-]*[\w/]", page.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{page.name} names {name}"


def test_every_link_within_the_repository_leads_to_a_file_and_a_heading():
    pages = [
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / ".github").glob("*.md"),
    ]
    for page in pages:
        for name, anchor in re.findall(r"\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
            target = page.parent / name if name else page
            assert target.exists(), f"{page.name} links to {name}"
            headings = re.findall(r"(?m)^#+ (.*)$", target.read_text(encoding="utf-8")) if anchor else []
            anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
            assert {anchor} - {""} <= anchors, f"{page.name} links to {name}#{anchor}"


def test_the_glossary_has_each_format_kind_of_run_event_fault_and_column_of_the_standings():
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    terms = {term for terms in re.findall(r"(?m)^(?:- \*\*|\| )(.+?)(?:\*\*:| \|)", page) for term in terms.split(", ")}
    keys = set(re.findall(r"`(\w+)`", page))
    assert {*format_names(), *KINDS, *get_args(events.Kind)} - {"round"} <= terms
    assert {*get_args(FaultKind), *StandingsRow.__struct_fields__} <= keys | {"out"}
    printed = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("golden/*.txt")]
    heads = {head for text in printed for head in re.findall(r"(?m)^# +(?:place  )?bot  .*", text) if "rating" in head}
    columns = {column for head in heads for column in re.split(r" {2,}", head)}
    assert {"#", "reached", "rounds", "stopped", ">next"} <= columns <= terms


def test_the_session_in_the_readme_is_a_real_one(tmp_path):
    session = re.search(r"## A session\n.*?```\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    assert session is not None
    run(TOURNEY, "run", "configs/quick.toml", "--quiet", cwd=tmp_path)
    assert check_session(session[1], tmp_path) >= 4


@pytest.mark.slow
def test_the_sessions_on_the_page_about_debugging_are_real_ones(tmp_path):
    page = (ROOT / "docs" / "debug-a-bot.md").read_text(encoding="utf-8")
    write_files(page, tmp_path)
    assert check_session("".join(re.findall(r"```\n(\$ .*?)```", page, re.DOTALL)), tmp_path) >= 10


@pytest.mark.slow
def test_the_session_on_the_page_about_ci_pins_a_mistake_that_is_mended_and_comes_back(tmp_path):
    write_files((ROOT / "docs" / "debug-a-bot.md").read_text(encoding="utf-8"), tmp_path)
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8").partition("## Pins")[2]
    assert check_session(re.search(r"```\n(\$ .*?)```", page, re.DOTALL)[1], tmp_path) == 7


@pytest.mark.slow
def test_the_tutorial_can_be_followed_to_a_bot_that_is_above_steady(tmp_path):
    page = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
    steps = re.findall(r"```(?:(?:python|toml)\n# (\S+)\n(.*?)|\n(\$ .*?))```", page, re.DOTALL)
    for name, text, session in steps:
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        else:
            check_session(session, tmp_path)
    best = re.findall(r"(?m)^1 +1  (\w+)", page)
    assert (best[0], best[-1], len(steps)) == ("steady", "mine", 9)


def examples(package: Path) -> list[doctest.DocTest]:
    """Returns the docstrings of the package that have examples; a compiled module does not show its own."""
    paths = [path for path in sorted(package.rglob("*.py")) if ">>>" in path.read_text(encoding="utf-8")]
    names = [".".join(path.relative_to(package.parent).with_suffix("").parts) for path in paths]
    modules = [importlib.import_module(name.removesuffix(".__init__")) for name in names]
    return [found for module in modules for found in doctest.DocTestFinder().find(module) if found.examples]


EXAMPLES = [*examples(ROOT / "tourney"), *examples(ROOT / "bots" / "tourney_bots")]
assert EXAMPLES, "no test would run"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_examples_in_docstrings_print_what_they_say(example):
    output: list[str] = []
    results = doctest.DocTestRunner().run(example, out=output.append)
    assert results.attempted > 0
    assert results.failed == 0, "".join(output)


def check_session(session: str, folder: Path, programs: Path = Path(TOURNEY).parent) -> int:
    """Runs the commands of a session in the folder, and compares their output; returns how many there are."""
    names = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    shown = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE)
    for command, output in shown:
        printed = subprocess.check_output(["bash", "-c", f"{command} 2>&1"], cwd=folder, env=names, text=True)
        assert timeless(printed) == timeless(output)
    return len(shown)


def timeless(text: str) -> list[str]:
    """The lines without times, workers and folders, but for those on progress, of which a busy machine has more."""
    progress = re.compile(r"\d+/\d+ matches, .* left \|| a second\b")
    varying = r"\d+ workers?|in [\d.]+ s, \d+/s|(?<=^> )\S+/"
    lines = [line for line in text.strip().splitlines() if not progress.search(line)]
    return [re.sub(varying, "…", line) for line in lines]


def test_the_packages_are_listed_from_the_ground_up():
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    assert re.findall(r"(?m)^- \*\*(\w+)\*\*", CONTRIBUTING) == layers[::-1]


def test_every_path_that_the_page_names_exists():
    for path in re.findall(r"`((?:tourney|tests|bots|configs)/[\w./]*)`", CONTRIBUTING.partition("## Add a game")[0]):
        assert (ROOT / path.replace("NAME", "bang")).exists(), path


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.split("|")[1].strip())
def test_what_a_row_says_to_look_at_is_in_its_file(row):
    _, _, file, names, _ = row.split("|")
    tree = ast.parse((ROOT / file.strip(" `")).read_text(encoding="utf-8"))
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert set(re.findall(r"`(\w+)`", names)) <= defined


def test_what_only_linux_has_is_asked_for_in_its_places_alone():
    package = ROOT / "tourney"
    only_linux = re.compile(r"pidfd|prctl|sched_[gs]etaffinity|/proc/|/sys/fs|sys\.platform")
    files = {path.relative_to(package).as_posix(): path.read_text(encoding="utf-8") for path in package.rglob("*.py")}
    using = [name for name, text in files.items() if only_linux.search(text)]
    assert "hosts/linux.py" in using
    assert [name for name in using if not name.startswith(("hosts/linux.py", "hosts/sandbox/"))] == []
