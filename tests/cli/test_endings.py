"""How commands end: by Ctrl-C, by a bug, and where their output cannot be written or nobody reads it."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import (
    DAMAGE,
    LARGER,
    MARK,
    WAIT_S,
    Terminal,
    begin,
    interrupted,
    journal,
    journal_started,
    marked,
    same_run,
    wait_for,
)
from tests.conftest import TOURNEY, apart, mostly_slow

FULL = Path("/dev/full")
PRINTING = {"help": "--help", "matches": "matches done", "replay": "replay done vole-00001-0 --json"}
"""Commands that only print."""
OTHER = {
    "run": ("run done/tournament.toml --out new --workers 1", 0),
    "gate that fails": ("gate random --against steady --game vole --workers 1", 1),
    "check": ("check first --game vole", 0),
    "verify of a bad record": ("verify bad", 1),
    "new": ("new bot thief", 0),
}
"""Commands that do more than print, each with the exit code of its result."""
BAD = """
import sys
class Prints:
    def act(self, view, legal):
        print("thinking " * 100)
        print("thinking " * 100, file=sys.stderr, flush=True)
        return legal[0]
"""
BUGS = [
    ("tabulate", "def tabulate(*_arguments, **_keys):\n    raise LookupError('ours')\n"),
    ("click", "raise LookupError('ours')\n"),
    ("tabulate", "def tabulate(*_arguments, **_keys):\n    raise BrokenPipeError(32, 'ours')\n"),
]
CLOSED = {"stderr": None, "preexec_fn": lambda: os.close(2)}


@pytest.fixture
def place(finished: Path) -> Path:
    """A folder with a finished run, one with a bad record, and a bot."""
    folder = finished.parent
    shutil.copytree(finished, folder / "bad")
    (folder / "bad" / "journal.jsonl").write_bytes(b"".join(DAMAGE["many changed"](journal(finished).splitlines(True))))
    (folder / "bad.py").write_text(BAD, encoding="utf-8")
    return folder


def ended(folder: Path, arguments: str, **streams: object) -> tuple[int, str, str]:
    """Returns the exit code, stdout and stderr of a command with these streams."""
    given = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "stdin": subprocess.DEVNULL} | streams
    done = subprocess.run([TOURNEY, *arguments.split()], cwd=folder, text=True, timeout=WAIT_S, check=False, **given)
    return done.returncode, done.stdout or "", done.stderr or ""


def unread(folder: Path, arguments: str) -> tuple[int, str, str]:
    """Returns how a command ends whose stdout is a pipe that nobody reads."""
    source, target = os.pipe()
    os.close(source)
    try:
        return ended(folder, arguments, stdout=target)
    finally:
        os.close(target)


@pytest.mark.parametrize("name", PRINTING)
def test_commands_that_only_print_end_quietly_with_141_when_nobody_reads_on(place, name):
    assert unread(place, PRINTING[name]) == (141, "", "")


@pytest.mark.parametrize("name", OTHER)
def test_the_others_finish_and_end_with_the_code_of_their_result(place, name):
    arguments, code = OTHER[name]
    result = unread(place, arguments)
    assert result[0] == code, result
    assert "Traceback" not in result[2]
    if name == "run":
        same_run(place / "new", place / "done")
    if name == "new":
        assert {file.name for file in (place / "thief").iterdir()} >= {"README.md", "tournament.toml"}


@pytest.mark.parametrize("name", ["help", "matches", "run"])
def test_a_full_disk_behind_stdout_is_4_and_one_line(place, name):
    arguments = PRINTING.get(name) or OTHER[name][0]
    with FULL.open("w") as full:
        code, _, errors = ended(place, arguments, stdout=full)
    *before, last = errors.splitlines()
    assert code == 4
    assert last.startswith("tourney: stdout: cannot be written (No space left on device)")
    assert not [line for line in before if line.startswith(("tourney: ", "Traceback"))]
    if name == "run":
        same_run(place / "new", place / "done")


def test_stderr_that_nobody_reads_or_that_is_full_changes_nothing(place):
    expected = ended(place, OTHER["run"][0])
    assert expected[0] == 0
    source, unread = os.pipe()
    os.close(source)
    with FULL.open("w") as full:
        for stderr in (full, unread):
            shutil.rmtree(place / "new")
            assert ended(place, OTHER["run"][0], stderr=stderr)[:2] == expected[:2]
            same_run(place / "new", place / "done")
    os.close(unread)


@pytest.mark.parametrize("host", mostly_slow(["inline", "process"], "inline"))
def test_a_bot_that_prints_to_a_closed_stream_is_not_charged_for_it(place, write, host):
    bot = f'[[bot]]\nname = "prints"\nuse = "bad.py:Prints"\nhost = "{host}"'
    config = write("prints", deals="1", bots='["first"]', extra=bot)
    assert ended(place, f"run {config} --out prints --quiet", **CLOSED)[0] == 0
    assert b'"faults":[]' in journal(place / "prints")
    assert journal(place / "prints").count(b'"faults":[]') == 2
    assert ended(place, f"check bad.py:Prints --host {host} --game vole", **CLOSED)[0] == 0
    assert ended(place, "verify prints --bots", **CLOSED)[0] == 0


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize(("module", "text"), BUGS)
def test_a_bug_is_a_traceback_and_70(tmp_path, module, text):
    (tmp_path / f"{module}.py").write_text(text, encoding="utf-8")
    done = apart(tmp_path, "standings", "done", "--format", "markdown", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stderr.startswith("Traceback"), done.stdout) == (70, True, "")


INTERRUPTED = "tourney: interrupted\n"
TWICE = """
import os, signal, time
from tourney.cli import interrupt
def undo():
    print("undone", flush=True)
    os.kill(os.getpid(), signal.SIGINT)
with interrupt.undone(undo), interrupt.interruptible("go on"):
    for _ in range(2):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(interrupt.AGAIN_S)
"""


def test_it_is_heeded_before_anything_is_imported(tmp_path):
    press = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nraise SystemExit('it went on')\n"
    (tmp_path / "click.py").write_text(press, encoding="utf-8")
    done = apart(tmp_path, "games", PYTHONPATH=str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (130, "", INTERRUPTED)


STUCK = """
import os, time
def stuck():
    open("mark", "w").close()
    if os.fork() == 0:
        time.sleep(600)
    try:
        time.sleep(600)
    except BaseException:
        time.sleep(600)
if {where!r} == "loaded":
    stuck()
class Stuck:
    def act(self, view, legal):
        if {where!r} == "first" or ({where!r} == "second" and os.environ["PYTHONHASHSEED"] == "1"):
            stuck()
        return legal[0]
"""
MOMENTS = {
    "check: played": ("first", "check stuck.py:Stuck --game vole"),
    "check: watched": ("second", "check stuck.py:Stuck --game vole"),
    "gate: loaded": ("loaded", "gate stuck.py:Stuck --against first --game vole"),
    "run: loaded": ("loaded", "run small.toml --out run"),
}


@pytest.mark.parametrize("moment", mostly_slow(MOMENTS, "check: played", "run: loaded"))
def test_nothing_is_left_running(write, tmp_path, moment):
    where, arguments = MOMENTS[moment]
    (tmp_path / "stuck.py").write_text(STUCK.format(where=where), encoding="utf-8")
    write(bots='["first"]', extra='[[bot]]\nname = "stuck"\nuse = "stuck.py:Stuck"\nhost = "process"')
    command, *more = arguments.split()
    process = begin(tmp_path, *more, command=command, **{MARK: str(tmp_path)})
    wait_for(lambda: (tmp_path / "mark").exists() or process.poll() is not None)
    assert interrupted(process)[1].splitlines()[-1:] == [INTERRUPTED.strip()]
    wait_for(lambda: not marked(str(tmp_path)))
    assert not (tmp_path / "run").exists()


def test_a_signal_that_comes_twice_at_once_is_one(write, tmp_path):
    process = begin(tmp_path, write(**LARGER | {"deals": "2000"}), "--out", "run", "--workers", 1)
    wait_for(lambda: journal_started(tmp_path / "run"))
    process.send_signal(signal.SIGINT)
    _, errors = interrupted(process)
    assert errors.splitlines()[-1].endswith("--out run --workers 1 --resume"), errors


def test_a_signal_that_comes_again_later_ends_the_process_at_once():
    done = subprocess.run([sys.executable, "-c", TWICE], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "undone\n", "tourney: interrupted; go on\n")


def test_at_the_prompt_of_the_debugger_it_takes_back_what_is_typed(finished):
    terminal = Terminal(finished, "debug", ".", "vole-00001-0", "3")
    terminal.until("(Pdb) ")
    terminal.type("p 1 +")
    terminal.until("p 1 +")  # so it waits for keys
    terminal.interrupt("(Pdb) ")
    terminal.type("q\n")
    assert terminal.end()[1] == 0
