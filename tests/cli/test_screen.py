"""What the commands print cannot steer a terminal, whoever has written it."""

import ast
import re
import shutil
from hashlib import blake2b
from pathlib import Path
from xml.etree import ElementTree

import orjson
import pytest
from click.testing import CliRunner, Result

from tests.conftest import ROOT, tournament_text
from tourney.base.errors import EXIT_BUG
from tourney.cli import screen
from tourney.cli.main import main
from tourney.journal import folder
from tourney.standings.tables import markdown_text, table

NASTY = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202e\u2028\r\nforged line\ttab \x00 end"
STEERS = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""What no command may print, but for the line ends."""


def tourney(*arguments: object) -> Result:
    result = CliRunner().invoke(main, list(map(str, arguments)))
    assert result.exit_code != EXIT_BUG, result.output
    return result


def reseal(record: dict[str, object]) -> bytes:
    """Returns a record as a line of a journal whose seal holds, as anybody could make it."""
    trace = str(record.pop("digest"))[:16]
    head = orjson.dumps(record)[:-1]
    seal = blake2b(head + trace.encode(), digest_size=8).hexdigest()
    return head + f',"digest":"{trace}{seal}"}}\n'.encode()


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """A run whose first record has a fault that somebody has made up."""
    place = tmp_path_factory.mktemp("screen")
    (place / "t.toml").write_text(tournament_text("t", bots='["first", "random"]', deals="2"), encoding="utf-8")
    assert tourney("run", place / "t.toml", "--out", place / "run", "--quiet", "--workers", 1).exit_code == 0
    lines = (place / "run" / folder.JOURNAL).read_bytes().splitlines(keepends=True)
    for at, kind, answer in ((0, "error", None), (1, "illegal", NASTY)):
        record = orjson.loads(lines[at])
        after = len(record["actions"].split()) + 1  # as if the bot had failed when it was told the outcome
        fault = {"seat": at, "kind": kind, "decision": after, "answer": answer, "detail": NASTY}
        lines[at] = reseal(record | {"faults": [fault]})
    (place / "run" / folder.JOURNAL).write_bytes(b"".join(lines))
    return place / "run"


COMMANDS = (
    ["standings"],
    ["standings", "--format", "json"],
    ["standings", "--format", "markdown"],
    ["matches"],
    ["matches", "--faults"],
    ["replay", "vole-00000-0"],
    ["replay", "vole-00000-0", "--color"],
    ["replay", "vole-00000-0", "--json"],
    ["replay", "vole-00000-1", "--seat", 1],
    ["replay", "vole-00000-1", "--decisions-of", "first"],
    ["verify"],
    ["debug", "vole-00000-0", 1, "--try", NASTY],
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(map(repr, command)))
def test_nothing_in_a_journal_steers_the_terminal(run, command):
    name, *more = command
    result = tourney(name, run, *more)
    shown = re.sub(r"\x1b\[(\d+;?)*m", "", result.output) if "--color" in command else result.output
    assert not STEERS.search(shown), shown
    assert not any([line.startswith("forged") for line in shown.splitlines()])


def test_a_fault_is_spelled_out(run):
    shown = r"\x1b]0;owned\x07\x1b[2J\x9b31m\x7f\u202e\u2028\r\nforged line\ttab \x00 end"
    assert shown in tourney("matches", run, "--faults").output
    assert shown in tourney("replay", run, "vole-00000-0").output


def test_a_difference_from_another_run_is_spelled_out(run, tmp_path):
    other = Path(shutil.copytree(run, tmp_path / "other"))
    lines = (other / folder.JOURNAL).read_bytes().splitlines(keepends=True)
    for key, value in (("seats", [NASTY, "random"]), ("match", NASTY), ("actions", NASTY), ("options", {NASTY: NASTY})):
        changed = reseal(orjson.loads(lines[0]) | {key: value})
        (other / folder.JOURNAL).write_bytes(changed + b"".join(lines[1:]))
        result = tourney("diff", run, other)
        assert result.exit_code in (1, 2)
        assert not STEERS.search(result.output), result.output
        result = tourney("verify", other)
        assert not STEERS.search(result.output), result.output


@pytest.mark.parametrize("command", ["standings", "matches", "verify", "diff"])
def test_nothing_on_the_command_line_steers_the_terminal(run, command):
    for given in ([run.parent / NASTY.replace("\x00", "")], [f"--{NASTY}"], [run, "--game", NASTY]):
        assert not STEERS.search(tourney(command, *given).output)
    assert not STEERS.search(tourney(NASTY).output)
    assert not STEERS.search(tourney(f"--{NASTY}").output)


def test_json_stays_the_same_data(capsys):
    data = {"text": f"{NASTY} é 😀 \U000e0001"}
    screen.echo_json(orjson.dumps(data).decode())
    shown = capsys.readouterr().out
    assert not STEERS.search(shown)
    assert "\U000e0001" not in shown
    assert "é 😀" in shown
    assert orjson.loads(shown) == data


def test_columns_stay_aligned():
    first, *rest = table(("bot", "points"), [["\x1b[31mred", "1"], ["b\nc", "2"]], "table", (0,)).split("\n")
    assert len(rest) == 3
    assert {len(line) for line in (first, *rest)} == {len(r"\x1b[31mred") + 2 + len("points")}
    assert table(("a|b",), [["c|d"]], "markdown", (0,)).count("|") == 3 * 2 + 2


@pytest.mark.parametrize("text", ["a|b", "<b>", "[x](y)", "`x`", "*x*", "_x_", "a\nb", "&lt;", "\\"])
def test_markdown_shows_text_as_it_is(text):
    shown = markdown_text(text)
    assert "\n" not in shown
    assert not re.search(r"(?<!\\)(?:\\\\)*[|<\[\]`*&]", shown)


def test_a_bot_in_a_gate_cannot_steer_what_reports_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nasty.py").write_text(
        "class Bot:\n    def act(self, view, legal):\n"
        f"        raise type({NASTY.replace(chr(0), '') + '<img src=x>'!r}, (Exception,), {{}})\n",
        encoding="utf-8",
    )
    result = tourney(
        "gate", "nasty.py:Bot", "--against", "first", "--game", "vole", "--inline", "--workers", 1, "--max-deals", 2,
        "--out", "gate", "--junit", "gate.xml", "--markdown", "gate.md",
    )  # fmt: skip
    assert result.exit_code == 1, result.output
    assert not STEERS.search(result.output)
    markdown = (tmp_path / "gate.md").read_text(encoding="utf-8")
    assert not STEERS.search(markdown)
    assert "<img" not in markdown.replace("\\<", "")
    ElementTree.parse(tmp_path / "gate.xml")


PRINTERS = {"echo", "secho", "echo_via_pager", "clear", "prompt", "confirm", "pause", "progressbar", "edit"}


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in sorted((ROOT / "tourney" / "cli").rglob("*.py"))
        if path.name not in ("screen.py", "interrupt.py")
    ],
    ids=lambda path: str(path.relative_to(ROOT)),
)
def test_all_is_printed_in_one_place(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Name):
            assert node.id != "print", f"{path}, line {node.lineno}"
        elif isinstance(node, ast.Attribute):
            owner = ast.unparse(node.value)
            assert (owner, node.attr) not in {("click", name) for name in PRINTERS}, f"{path}, line {node.lineno}"
            assert (owner, node.attr) not in {("sys.stdout", "write"), ("sys.stderr", "write"), ("os", "write")}
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [getattr(node, "module", "") or "", *[alias.name for alias in node.names]]
            assert not any([name.split(".")[0] in ("rich", "logging", "warnings") for name in names]), path
