"""Ctrl-C ends every command with one line and 130, at whatever moment, and leaves nothing running."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.runs import LARGER, MARK, WAIT_S, begin, journal_started, marked, wait_for
from tests.cli.terminal import Terminal
from tests.conftest import TOURNEY, mostly_slow

INTERRUPTED = "tourney: interrupted\n"
PRESS = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"


def ended(folder: Path, *arguments: object, **environment: str) -> tuple[int, str, str]:
    """Returns the exit code, stdout and stderr of a command."""
    done = subprocess.run(
        list(map(str, arguments)),
        cwd=folder,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("command", [[TOURNEY], [sys.executable, "-m", "tourney"]], ids=["script", "module"])
def test_it_is_heeded_before_anything_is_imported(tmp_path, command):
    (tmp_path / "click.py").write_text(f"{PRESS}raise SystemExit('it went on')\n", encoding="utf-8")
    assert ended(tmp_path, *command, "games", PYTHONPATH=str(tmp_path)) == (130, "", INTERRUPTED)


GAME = """
import os
import signal
import time

from tourney.games.vole import Vole

if "PRESS_WHEN_LOADED" in os.environ:
    os.kill(os.getpid(), signal.SIGINT)


class Slow(Vole):
    name = "slow"

    def start(self, seats, options, seed):
        if "PRESS" in os.environ:
            try:
                os.kill(os.getpid(), signal.SIGINT)
                time.sleep(1)
            except BaseException:
                pass
        return super().start(seats, options, seed)
"""
SLOW = '[[game]]\nname = "slow"\noptions = { target = 6 }'


@pytest.fixture
def slow_run(plugin, write, tmp_path) -> dict[str, str]:
    """The environment of a finished run at a game that presses Ctrl-C, and catches whatever comes of it."""
    plugin("slow-game", "[tourney.games]\nslow = slow_game:Slow\n", slow_game=GAME)
    environment = {"PYTHONPATH": str(tmp_path)}
    config = write(deals="1", bots='["first", "random"]', game=SLOW)
    assert ended(tmp_path, TOURNEY, "run", config, "--out", "run", "--quiet", "--workers", 1, **environment)[0] == 0
    return environment


def test_no_record_is_called_bad_because_of_it(slow_run, tmp_path):
    assert ended(tmp_path, TOURNEY, "verify", "run", **slow_run, PRESS="1") == (130, "", INTERRUPTED)


STUCK = """
import os
import time

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
}


@pytest.mark.parametrize("moment", mostly_slow(MOMENTS, "check: played"))
def test_nothing_is_left_running(tmp_path, moment):
    where, arguments = MOMENTS[moment]
    (tmp_path / "stuck.py").write_text(STUCK.format(where=where), encoding="utf-8")
    process = subprocess.Popen(
        [TOURNEY, *arguments.split()],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {MARK: str(tmp_path)},
    )
    wait_for(lambda: (tmp_path / "mark").exists() or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    assert process.wait(WAIT_S) == 130
    wait_for(lambda: not marked(str(tmp_path)))
    assert process.stderr is not None
    assert process.stderr.read().splitlines()[-1:] == [INTERRUPTED.strip()]


def test_a_signal_that_comes_twice_at_once_is_one(write, tmp_path):
    process = begin(tmp_path, write(**LARGER | {"deals": "2000"}), "--out", "run", "--workers", 1)
    wait_for(lambda: journal_started(tmp_path / "run"))
    for _ in range(2):
        process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=WAIT_S)
    assert process.returncode == 130
    assert errors.splitlines()[-1].endswith("--out run --resume"), errors


def test_at_the_prompt_of_the_debugger_it_takes_back_what_is_typed(finished):
    terminal = Terminal(finished, "debug", ".", "vole-00001-0", "3")
    terminal.until("(Pdb) ")
    terminal.type("p 1 +")
    terminal.until("p 1 +")  # so it waits for keys
    terminal.interrupt("(Pdb) ")
    terminal.type("q\n")
    assert terminal.end()[1] == 0
