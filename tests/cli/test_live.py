"""What a terminal shows while a run or a gate goes on for longer than two seconds, and what is said elsewhere."""

import re

import pytest

from tests.cli.runs import Terminal, plain
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


COSTS = """
import tourney
class Costs:
    def act(self, view, legal):
        return tourney.Noted(legal[0] if len(legal) < 5 else None, cost=0.25)
"""
GATE = "gate random --against first --game vole --option vole.target=6 --max-deals 9 --out gate"
FINAL = {
    GATE: "deals 9 of at most 9 | matches 18 | faults 0 | strength +0 Elo [-315, +315] | "
    "verdict LLR 0.04 (-2.94, 2.94)",
    "analyse done vole-1-0 --playouts 4": "matches 1 of 1 | decisions 27",
    "run ladder.toml": "matches 24 of at most 30 | faults 0 | leaders steady 75.0 %, random 50.0 %, first 25.0 % | "
    "undecided 2 of 2 pairs",
    "run costs.toml": "matches 8 of 8 | faults 4 (costs 4) | leaders first 100.0 %, costs 0.0 % | "
    "cost 1.5 $, about 1.5 $ for the whole run | out costs, after 4 faults",
}


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize("command", FINAL)
def test_the_last_line_of_a_long_command_says_all_that_is_known(tourney, write, tmp_path, monkeypatch, command):
    monkeypatch.setattr(progress, "PLAIN_S", 0.0)
    (tmp_path / "costs.py").write_text(COSTS, encoding="utf-8")
    write("ladder", format='"ladder"', max_matches="30")
    write("costs", bots='["first"]', extra='[[bot]]\nname = "costs"\nuse = "costs.py:Costs"\n[limits]\nmax_faults = 3')
    lines = [line for line in tourney(*command.split(), "--workers", 1).stderr.splitlines() if " | " in line]
    final = re.sub(r", [\d.]+(/s|/min| a second)", "", lines[-1])
    assert "\x1b" not in final
    assert re.sub(r" \| [\d:]+ left$", "", final) == FINAL[command]


def test_a_forecast_is_never_of_no_time_while_there_is_something_to_do(monkeypatch, capsys):
    monkeypatch.setattr(progress, "PLAIN_S", 0.0)
    with progress.progress_display() as display:
        display.show(lambda: progress.View(10**9, 10**9 + 1, [("matches", "many")]))
    assert capsys.readouterr().err == "matches many | 0:00:01 left\n"
