"""What a run names is only run if this user played it there, or says so; all else about a foreign run runs nothing."""

import shutil
import sys
from pathlib import Path

import orjson
import pytest

from tests.cli.runs import Terminal, change_manifest, one_line, plain
from tests.conftest import ROOT, apart, tournament_text, with_code
from tests.environments import made_once
from tourney.base.errors import RunError
from tourney.cli.options import trusting
from tourney.config import read
from tourney.journal.signature import bot_code

BOT = """
from pathlib import Path
Path(__file__).with_name("mark").touch()
class Marks:
    def act(self, view, legal):
        return legal[0]
"""
PROGRAM = f'[[bot]]\nname = "program"\ncommand = ["{sys.executable}", "program.py"]'
FICKLE = """
import tourney
from pathlib import Path
class Fickle(tourney.Bot):
    service = True
    def __init__(self):
        with Path(__file__).with_name("made").open("a") as file:
            file.write(".")
            self.number = file.tell()
    def act(self, view, legal):
        return tourney.Noted(legal[self.number % len(legal)], thought=f"I am number {self.number}")
"""
ENTERED = '[[bot]]\nname = "fickle"\nuse = "fickle.py:Fickle"\n'
READING = [("standings",), ("matches",), ("replay", "vole-00000-0"), ("replay", "vole-00000-0", "--json"), ("verify",)]
ASKING = [
    ("verify", "--bots"),
    ("debug", "vole-00000-0", "1"),
    ("debug", "vole-00000-0", "1", "--bot", "first"),
    ("analyse", "--playouts", "4"),
]


def make(folder: Path, **environment: str) -> Path:
    """Plays a tournament with a bot in a file and a program, both of which leave a mark; returns the run."""
    folder.mkdir(exist_ok=True)
    (folder / "bots.py").write_text(BOT, encoding="utf-8")
    mark = "import pathlib; pathlib.Path(__file__).with_name('mark').touch()\n"
    (folder / "program.py").write_text(mark + (ROOT / "bots" / "wire" / "random_bot.py").read_text(encoding="utf-8"))
    text = tournament_text("t", deals="1", bots='["first", "bots.py:Marks"]', extra=PROGRAM)
    (folder / "t.toml").write_text(text, encoding="utf-8")
    apart(folder, "run", "t.toml", "--quiet", **environment).check_returncode()
    assert (folder / "mark").exists()
    (folder / "mark").unlink()
    return folder / "results" / "t"


@pytest.fixture
def theirs(shared_folder, tmp_path) -> Path:
    """A run that another user has played: one with another secret."""
    played = made_once(shared_folder / "theirs", lambda folder: make(folder, XDG_STATE_HOME=str(folder / "state")))
    return Path(shutil.copytree(played, tmp_path / "theirs"), "results", "t")


@pytest.fixture
def mine(tmp_path, monkeypatch) -> Path:
    """A run that this user has played."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return make(tmp_path / "mine", XDG_STATE_HOME=str(tmp_path / "state"))


def marked(folder: Path) -> bool:
    """Whether something was run; removes the marks."""
    marks = list(folder.rglob("mark"))
    for mark in marks:
        mark.unlink()
    return bool(marks)


def test_reading_a_foreign_run_runs_nothing_of_it(tourney, theirs, tmp_path):
    (tmp_path / ".pdbrc").write_text("!open('mark', 'w')\n", encoding="utf-8")
    tournament = orjson.loads((theirs / "manifest.json").read_bytes())["tournament"]
    for bot in tournament["bots"]:
        bot["command"] = ["touch", str(tmp_path / "mark")] if bot["command"] else []
    crafted = Path(shutil.copytree(theirs, tmp_path / "crafted"))
    change_manifest(crafted, tournament=tournament)
    for run in (theirs, crafted):
        for command, *more in READING:
            with_code(tourney(command, run, *more))
        assert tourney("diff", theirs, run).returncode in (0, 1)
        (tmp_path / "t.toml").write_text(tournament_text("new", deals="2", bots='["first", "random"]'))
        assert tourney("run", "t.toml", "--extend", run, "--quiet").returncode in (0, 2)
    assert not marked(tmp_path)


@pytest.mark.parametrize("asking", ASKING, ids=" ".join)
def test_a_foreign_run_is_not_run_unless_the_user_says_so(tourney, theirs, tmp_path, asking):
    asking = [*map(str, (asking[0], theirs, *asking[1:]))]
    result = tourney(*asking, PYTHONBREAKPOINT="0")
    one_line(result, 2, "untrusted run, which would execute", str(theirs.parent.parent / "bots.py"), "--trust")
    assert ("program.py" in result.stderr) == (asking[0] != "analyse"), "for a program, another bot plays on"
    assert not marked(tmp_path)
    assert tourney(*asking, "--trust", PYTHONBREAKPOINT="0").returncode == 0
    assert marked(tmp_path)


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("\x04", 2)])
def test_on_a_terminal_the_user_is_asked(theirs, tmp_path, answer, code):
    terminal = Terminal(theirs, "verify", ".", "--bots", columns=200)
    asked = plain(terminal.until("[y/N]: "))
    assert f"\n  {theirs.parent.parent}/bots.py\n" in asked
    assert f" program.py (in {theirs.parent.parent}" in asked
    terminal.type(f"{answer}\n")
    shown, ended = terminal.end()
    assert (ended, "tourney: .: nothing was run" in shown, marked(tmp_path)) == (code, code == 2, code == 0)


@pytest.mark.parametrize("stream", ["stdin", "stderr"])
def test_where_only_one_of_its_streams_is_a_terminal_nobody_is_asked(monkeypatch, stream):
    monkeypatch.setattr(getattr(sys, stream), "isatty", lambda: True)
    with pytest.raises(RunError, match="--trust"):
        trusting(Path("run"), trusted=False)(["bots.py"])


def test_what_a_server_is_sent_of_the_environment_is_named(write):
    extra = '[[bot]]\nname = "there"\nurl = "http://here"\nheaders = { Mine = "env:SECRET" }'
    (code,) = bot_code(read(write(bots='["random"]', extra=extra)))
    assert "http://here" in code
    assert "SECRET" in code


def test_a_run_that_this_user_played_is_trusted_wherever_its_folder_is(tourney, mine, tmp_path):
    for command, *more in ASKING:
        assert tourney(command, mine, *more, PYTHONBREAKPOINT="0").returncode == 0
    assert (tmp_path / "state" / "tourney").stat().st_mode & 0o777 == 0o700
    moved = Path(shutil.copytree(mine, tmp_path / "copy"))
    assert tourney("verify", moved, "--bots", "--folder", tmp_path / "mine").returncode == 0
    state = tmp_path / "state" / "tourney" / "secret"
    assert (state.stat().st_mode & 0o777, state.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_a_signed_run_is_not_trusted_with_another_manifest_or_other_files(tourney, mine, tmp_path):
    """Such as a run that its player published, and that comes back with other bots beside it."""
    other = tmp_path / "other"
    shutil.copytree(tmp_path / "mine", other)
    one_line(tourney("verify", other / "results" / "t", "--bots"), 2, str(other / "bots.py"), "--trust")
    manifest = orjson.loads((mine / "manifest.json").read_bytes())
    change_manifest(mine, tournament=manifest["tournament"] | {"match_s": 77.0})
    one_line(tourney("verify", mine, "--bots"), 2, "--trust")
    (mine / "signature.txt").unlink()
    one_line(tourney("verify", mine, "--bots"), 2, "--trust")
    assert not marked(tmp_path)


@pytest.mark.parametrize(
    ("file", "bot", "code"),
    [("program.py", PROGRAM, 1), ("bots.py", '[[bot]]\nname = "program"\nuse = "bots.py:Marks"', 0)],
    ids=["program", "plugin"],
)
def test_a_bot_in_the_folder_of_the_tournament_file_is_found_by_the_option(tourney, tmp_path, file, bot, code):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "bots.py").write_text(BOT, encoding="utf-8")
    shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", tmp_path / "sub" / "program.py")
    (tmp_path / "sub" / "t.toml").write_text(tournament_text("t", deals="1", bots='["first"]', extra=bot))
    tourney("run", "sub/t.toml", "--quiet").check_returncode()
    told = f"no {file} in {tmp_path}, {tmp_path}/results, {tmp_path}/results/t; specify the"
    for command in (("verify", "t", "--bots"), ("debug", "t", "vole-0-0", 1, "--bot", "random")):
        one_line(tourney(*command), 2, told)
        one_line(tourney(*command, "--trust"), 2, told)
        assert tourney(*command, "--folder", "sub").returncode == 0
    (tmp_path / "sub" / "program.py").write_text("", encoding="utf-8")
    assert tourney("verify", "t", "--bots", "--folder", "sub").returncode == code, "it is there, and was edited"


@pytest.mark.slow
@pytest.mark.parametrize("is_null", [True, False])
def test_nothing_asks_a_bot_again_that_does_not_repeat_itself_unless_it_is_told_to(write, tourney, tmp_path, is_null):
    (tmp_path / "fickle.py").write_text(FICKLE, encoding="utf-8")
    config = write(bots='["steady"]', deals="2", extra=ENTERED + "null = true" * is_null)
    assert ("null = true" in tourney("run", config).stderr) is not is_null, "suggested where there is none"
    assert ("  fickle-null  " in tourney("standings", "small").stdout) is is_null
    made = (tmp_path / "made").stat().st_size
    assert tourney("verify", "small", "--bots").returncode == 0
    analysis = tourney("analyse", "small", "vole-0-0", "--playouts", 4, "--format", "json").stdout
    assert orjson.loads(analysis)["settings"]["bots"]["fickle"], "another bot plays on for it"
    decisions = tourney("replay", "small", "vole-0-0", "--decisions-of", "fickle", "--json").stdout.splitlines()
    last = orjson.loads(decisions[-1])
    where = "small", "vole-0-0", last["decision"]
    shown = tourney("debug", *where).stdout
    assert last["action"] in shown
    assert last["note"]["thought"] in shown
    assert "ends as recorded" in tourney("debug", *where, "--try", last["action"]).stdout
    assert (tmp_path / "made").stat().st_size == made
    asked = tourney("debug", *where, "--ask")
    assert (asked.returncode, f"I am number {made + 1}\n" in asked.stdout) == (0, True)
    assert tourney("check", config, "fickle").returncode == 0, "it need not repeat itself"
    gate = tourney("gate", "fickle", "--against", "steady", "--config", config, "--max-deals", 1)
    assert (gate.returncode, "null = true" in gate.stderr) == (3, True)
