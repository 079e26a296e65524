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


@pytest.fixture
def slow(write, tmp_path):
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    return lambda deals: write(deals=deals, bots='["random", "first"]', bot='[{ name = "slow", use = "slow.py:Slow" }]')


def test_a_terminal_shows_bar_rate_time_left_faults_and_leaders(slow, tmp_path):
    command = ("run", slow("5"), "--out", "run", "--workers", 1)
    text, code = Terminal(tmp_path, *command, COLUMNS=None, LINES=None).end()
    assert code == 0, text
    shown = plain(text).replace("\r", "\n")
    told = {name: re.findall(rf"(?m)^{name}  +(.*?) *$", shown) for name in ("matches", "faults", "leaders")}
    assert re.fullmatch(r"\d+ of 30, \d+(\.\d)?/s", told["matches"][0])
    assert set(told["faults"]) == {"0"}
    assert re.fullmatch(r"(\w+ [\d.]+ %, ){1,2}\w+ [\d.]+ %", told["leaders"][-1])
    bars = [line for line in shown.split("\n") if re.search(r"━ +\d+% +(-:--:--|0:\d\d:\d\d) left$", line)]
    assert bars
    assert "-:--:--" not in bars[-1]
    assert {len(line) for line in bars} == {80}
    assert re.search(r"\nplayed 30 matches in [\d.]+ s, [\d.]+/s\n", shown)


def test_elsewhere_there_are_plain_lines(slow, tmp_path):
    once = "legal[0] if times.append(1) or len(times) != 9 else None\n\n\ntimes = []"
    (tmp_path / "slow.py").write_text(SLOW.replace("0.01", "0.04").replace("legal[0]", once), encoding="utf-8")
    result = called(["run", str(slow("6")), "--workers", "1"], tmp_path)
    line = r"matches \d+ of 36, [\d.]+/(s|min) \| faults 1 \(slow 1\) \| leaders (\w+ [\d.]+ %(, )?){2,3}"
    assert re.search(rf"\n{line} \| 0:\d\d:\d\d left\n", result.stderr)
    assert "\x1b" not in result.stderr


def test_a_gate_says_how_far_it_is_and_what_it_has_found(tmp_path, monkeypatch):
    monkeypatch.setattr(progress, "PLAIN_S", 0.0)
    keys = "--option vole.target=6 --elo0 -3 --elo1 3 --max-deals 6 --workers 1 --out gate"
    result = called(f"gate random --against first --game vole {keys}".split(), tmp_path)
    line = r"deals 6 of at most 6 \| matches 12, [\d.]+/(s|min) \| faults 0 \| strength [+-]\d+ Elo \[[-+\d, ]+\]"
    assert re.search(rf"\n{line} \| verdict LLR -?\d\.\d\d \(-2\.94, 2\.94\)", result.stderr), result.stderr


def test_a_forecast_is_never_of_no_time_while_there_is_something_to_do(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PLAIN_S", 0.0)
    with progress.progress_display() as display:
        display.show(lambda: progress.View(10**9, 10**9 + 1, [("matches", "many")]))
    assert capsys.readouterr().err == "matches many | 0:00:01 left\n"
