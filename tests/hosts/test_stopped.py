"""A machine that stops for a while: its clocks stop too, and nobody is charged."""

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from tests.conftest import TOURNEY, tournament_text
from tests.hosts.servers import serving

BOT = """
import time
class Slow:
    def act(self, view, legal):
        with open({asked!r}, "a") as file:
            file.write(".")
        until = time.process_time() + {work_s}
        while time.process_time() < until:
            pass
        time.sleep({sleep_s})
        return legal[0]
"""
LIMITS = {
    "inline": "move_ms = 1500",
    "inline, by a bank": 'clock = "5s"',
    "process": "move_ms = 1500",
    "process, by a bank": 'clock = "5s"',
    "process, by work": "cpu_ms = 100",
    "http": "move_ms = 1500",
}
pytestmark = [pytest.mark.slow]


def processes(first: int) -> list[int]:
    found = [first]
    for each in found:
        children = Path(f"/proc/{each}/task/{each}/children")
        found += [int(child) for child in children.read_text().split()] if children.exists() else []
    return found


def stop(stopped: list[int], seconds: float) -> None:
    for sent in (signal.SIGSTOP, signal.SIGCONT):
        for each in stopped:
            with suppress(ProcessLookupError):
                os.kill(each, sent)
        time.sleep(seconds if sent == signal.SIGSTOP else 0)


def played(folder: Path, how: str, work_s: float, sleep_s: float, stops: int) -> str:
    """Plays a match in which every process of the run is stopped for three seconds at a time; returns its faults."""
    asked = folder / "asked"
    (folder / "slow.py").write_text(BOT.format(asked=str(asked), work_s=work_s, sleep_s=sleep_s))
    host = how.partition(",")[0]

    def answer(_message: object, _number: int) -> None:
        with asked.open("a") as file:
            file.write(".")
        time.sleep(sleep_s)

    with ExitStack() as stack:
        use = f'url = "{stack.enter_context(serving(answer)).url}"' if host == "http" else 'use = "slow.py:Slow"'
        slow = f'[[bot]]\nname = "slow"\nhost = "{host}"\n{use}\n{LIMITS[how]}\n'
        (folder / "t.toml").write_text(tournament_text("stopped", bots='["first"]', extra=slow, deals="1"))
        run = subprocess.Popen([TOURNEY, "run", "t.toml", "--workers", "1", "--out", "r", "--quiet"], cwd=folder)
        for number in range(stops):
            while run.poll() is None and (len(asked.read_text()) if asked.exists() else 0) <= 3 * number:
                time.sleep(0.01)
            stop(processes(run.pid), 3)
        assert run.wait() in (0, 1)
    faults = subprocess.run(
        [TOURNEY, "matches", "r", "--faults"], cwd=folder, check=False, capture_output=True, text=True
    )
    return faults.stdout


@pytest.mark.parametrize("how", LIMITS)
def test_nobody_is_charged_for_a_machine_that_stops(how, tmp_path):
    assert "timeout" not in played(tmp_path, how, work_s=0.01, sleep_s=0.05, stops=2)


def test_nor_for_one_that_stops_while_it_loads_a_bot(tmp_path):
    begun = tmp_path / "begun"
    code = f"import time\nopen({str(begun)!r}, 'w')\nwhile time.process_time() < 1:\n    pass\nclass Bot:\n"
    (tmp_path / "bot.py").write_text(f"{code}    def act(self, view, legal):\n        return legal[0]\n")
    start = "from tourney.hosts.process import host; host.LOAD_S = 5; from tourney.cli.main import main; main()"
    words = [sys.executable, "-c", start, "check", "bot.py:Bot", "--game", "vole"]
    check = subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    while check.poll() is None and not begun.exists():
        time.sleep(0.01)
    stop(processes(check.pid), 6)
    assert "ok    legality" in check.communicate()[0]


def test_a_timeout_says_its_numbers_in_the_log_of_the_bot(tmp_path):
    assert "timeout" in played(tmp_path, "process, by work", work_s=0.3, sleep_s=0.0, stops=0)
    log = (tmp_path / "r" / "logs" / "slow.txt").read_text()
    assert "--- timeout: used more than cpu_ms, decision 1 of" in log
    assert "for decision 1, computed 0." in log
    assert log.count("; 0.1 s are allowed") == 1
