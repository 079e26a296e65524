"""What a terminal shows while a run or a gate goes on for longer than two seconds, and what is said elsewhere."""

import re

import pytest

from tests.cli.runs import Terminal, plain
from tests.conftest import called
from tourney.cli.render import progress

SLOW = """
import time
class Slow:
    def act(self, view, legal):
        time.sleep(0.01)
        return legal[0]
"""
USED = '[[bot]]\nname = "slow"\nuse = "slow.py:Slow"\n'


@pytest.fixture
def slow(write, tmp_path):
    """Writes a tournament that takes some seconds, with further keys."""
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")

    def slow(**keys):
        keys["extra"] = USED + keys.get("extra", "")
        return write(**{"bots": '["random", "first"]', "deals": "5"} | keys)

    return slow


def lines_on_terminal(folder, *command, code=0) -> list[str]:
    text, ended = Terminal(folder, *command, COLUMNS=None, LINES=None).end()
    assert ended == code, text
    return plain(text).replace("\r", "\n").split("\n")


def rows(lines) -> dict[str, list[str]]:
    """What the live views have said, by the name of the row."""
    found: dict[str, list[str]] = {}
    for line in lines:
        name, gap, text = line.partition("  ")
        if gap and name:
            found.setdefault(name, []).append(text.strip())
    return found


def test_a_terminal_shows_bar_rate_time_left_faults_and_leaders(slow, tmp_path):
    shown = lines_on_terminal(tmp_path, "run", slow(), "--out", "run", "--workers", 1)
    told = rows(shown)
    assert re.fullmatch(r"\d+ of 30, \d+(\.\d)?/s", told["matches"][0])
    assert set(told["faults"]) == {"0"}
    assert re.fullmatch(r"(\w+ [\d.]+ %, ){1,2}\w+ [\d.]+ %", told["leaders"][-1])
    bars = [line for line in shown if re.search(r"━ +\d+% +(-:--:--|0:\d\d:\d\d) left$", line)]
    assert bars
    assert "-:--:--" not in bars[-1]
    assert {len(line) for line in bars} == {80}
    assert re.search(r"\nplayed 30 matches in [\d.]+ s, [\d.]+/s\n", "\n".join(shown))


@pytest.mark.slow
def test_a_gate_shows_the_same_view(slow, tmp_path):
    slow()
    shown = lines_on_terminal(
        tmp_path, "gate", "slow.py:Slow", "--against", "first", "--game", "vole", "--option", "vole.target=6",
        "--elo0", -3, "--elo1", 3, "--max-deals", 20, "--workers", 1, "--inline", "--out", "gate",
        code=3,
    )  # fmt: skip
    told = rows(shown)
    assert re.fullmatch(r"\d+ of at most 20", told["deals"][0])
    assert re.fullmatch(r"\d+, \d+(\.\d)?/s", told["matches"][-1])
    assert set(told["faults"]) == {"0"}
    assert re.fullmatch(r"LLR -?\d\.\d\d \(-2\.94, 2\.94\)", told["verdict"][-1])
    assert re.search(r"Elo", told["strength"][-1])


def test_elsewhere_there_are_plain_lines(slow, tmp_path):
    once = "legal[0] if times.append(1) or len(times) != 9 else None\n\n\ntimes = []"
    (tmp_path / "slow.py").write_text(SLOW.replace("0.01", "0.04").replace("legal[0]", once), encoding="utf-8")
    result = called(["run", str(slow(deals="6")), "--workers", "1"], tmp_path)
    line = r"matches \d+ of 36, [\d.]+/(s|min) \| faults 1 \(slow 1\) \| leaders (\w+ [\d.]+ %(, )?){2,3}"
    assert re.search(rf"\n{line} \| 0:\d\d:\d\d left\n", result.stderr)
    assert "\x1b" not in result.stderr


def test_a_forecast_is_never_of_no_time_while_there_is_something_to_do(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PLAIN_S", 0.0)
    with progress.progress_display() as display:
        display.show(lambda: progress.View(10**9, 10**9 + 1, [("matches", "many")]))
    assert capsys.readouterr().err == "matches many | 0:00:01 left\n"
