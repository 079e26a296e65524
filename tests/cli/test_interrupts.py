"""Ctrl-C ends every command with one line and 130, at whatever moment, and leaves nothing running."""

import signal
import subprocess
import sys

import pytest

from tests.cli.runs import LARGER, MARK, Terminal, begin, interrupted, journal_started, marked, wait_for
from tests.conftest import apart, mostly_slow

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
