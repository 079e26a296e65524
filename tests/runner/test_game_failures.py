"""A game that fails, or that does not end, ends the run with one line that names it, and no bot is charged."""

import re
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.runs import journal
from tests.conftest import mostly_slow, with_code
from tests.conftest import with_plugins as tourney
from tourney.plugins.failures import failure_text
from tourney.plugins.registry import load_game

GAME = (Path(__file__).parents[1] / "plugins" / "coins.py").read_text(encoding="utf-8")
BAD_BOTS = """
class Raises:
    def act(self, view, legal):
        raise ValueError
class RaisesToo(Raises):
    pass
class LooksAtTheGame:
    def start(self, facts):
        self.facts = facts
    def act(self, view, legal):
        self.facts.game.imagine(view, None).apply("a coin")
"""
ENTRY = "[tourney.games]\ncoins = coins:Coins\n[tourney.bots]\nraises = bad:Raises\nraises-too = bad:RaisesToo\n"
TURN = "self.turns += 1"
START = "return CoinsState(options.target)"
EXIT = "__import__('os')._exit(5)"
AGAIN = "os.environ.get('PYTHONHASHSEED') == '1' and os._exit(5)"  # a check plays once more with this one
LOOP = f"{TURN}\n        while self.turns == 7: pass"
EVENT = "    def event"
THE_HOUSE = '["raises", "raises-too"]'
LONG = "{ target = 1000000000000 }"
FAILS = "    def validate(self, seats, options):\n        return 1 / {}\n\n    def event"


@pytest.fixture
def install(plugin):
    """A function that installs the game, with a text of it replaced, and a tournament; returns the folder."""

    def install(old="", new="", bots='["first", "random"]', options="{}", limits=""):
        assert old in GAME
        path = plugin("coins-game", ENTRY, coins=GAME.replace(old, new) if old else GAME, bad=BAD_BOTS)
        text = f'name = "t"\nseed = 1\ndeals = 30\nbots = {bots}\n[limits]\n{limits}\n[[game]]\nname = "coins"\n'
        (path / "t.toml").write_text(f"{text}options = {options}\n", encoding="utf-8")
        return path

    return install


def run(path, *more, code=0):
    result = tourney(path, "run", "t.toml", "--out", "run", "--quiet", *more)
    assert result.returncode == code, result.stderr
    return result.stderr


class Failure(NamedTuple):
    """A mistake in the game, and how the line about it begins after the name of the match."""

    old: str
    new: str
    says: str
    bots: str = '["first", "random"]'
    options: str = "{}"
    limits: str = ""


OURS = "from tourney.base.errors import GameError; raise GameError('no turn', 'coins')"
LIMITED = f"    def max_decisions(self, seats, options):\n        return 5000\n\n{EVENT}"
FAILURES = {
    "start": Failure(START, "return 1 / 0", "ZeroDivisionError: division by zero at "),
    "apply": Failure(TURN, "self.turns += None", "TypeError: unsupported operand"),
    "apply, exit": Failure(TURN, "raise SystemExit(0)", "SystemExit: 0 at "),
    "apply, as if by Ctrl-C": Failure(TURN, "raise KeyboardInterrupt", "KeyboardInterrupt at "),
    "apply, one of ours": Failure(TURN, OURS, "GameError: no turn at "),
    "view": Failure("return CoinsView(seat, self.turns, self.taken)", "return self.nothing", "AttributeError: "),
    "scores": Failure("return self.taken\n", "raise ValueError('two\\nlines')\n", "ValueError: two lines at "),
}
ENDLESS = {
    "options": Failure(EVENT, LIMITED, "it is not over after 5000 decisions (", options=LONG),
    "options, the house": Failure(EVENT, LIMITED, "it is not over after 5000 decisions (", THE_HOUSE, LONG),
    "a loop": Failure(TURN, LOOP, "after decision 7 it took longer than 2 s", limits="match_s = 2"),
    "its worker ends at once": Failure(START, EXIT, "after decision 0 its worker ended each time"),
    "its worker ends": Failure(TURN, LOOP.replace("pass", EXIT), "after decision 7 its worker ended each time"),
}


@pytest.mark.parametrize(
    "case", mostly_slow([*FAILURES, *ENDLESS], "start", "apply, exit", "options", "a loop", "its worker ends")
)
def test_a_game_that_fails_ends_the_run_with_one_line_and_charges_nobody(install, case):
    failure = {**FAILURES, **ENDLESS}[case]
    path = install(failure.old, failure.new, failure.bots, failure.options, failure.limits)
    told = run(path, "--workers", "1", code=4)
    what = "fails" if case in FAILURES else "does not end"
    assert told.startswith(f'tourney: game "coins" {what} in match coins-00000-0: {failure.says}')
    assert told.count("\n") == 1
    if case in ENDLESS:
        assert "(2 seats, options {" in told
        assert ", seed " in told
    else:
        line = (path / "coins.py").read_text().partition(failure.new.strip())[0].count("\n") + 1
        assert f" at {path / 'coins.py'}:{line};" in told
        assert "run/logs/game-coins.txt" in told
        assert "Traceback (most recent call last)" in (path / "run" / "logs" / "game-coins.txt").read_text()
    assert journal(path / "run") == b""
    assert not (path / "run" / "standings.txt").exists()


def test_a_failure_is_placed_at_the_last_line_in_the_folder_of_the_game():
    game = load_game("vole")
    with pytest.raises(AttributeError) as failed:
        game.start(2, game.options(2, {}), None)
    assert re.search(r"/vole/state\.py:\d+$", failure_text(game, failed.value))


def test_a_run_that_a_game_has_ended_goes_on_once_the_game_is_fixed(install):
    path = install(START, "return CoinsState(options.target if seed % 5 else None)")
    assert "continue with: tourney run t.toml --out run --quiet --resume" in run(path, code=4)
    (path / "coins.py").write_text(GAME)
    run(path, "--resume", "--force")
    assert journal(path / "run").count(b"\n") == 60
    assert journal(path / "run").count(b'"faults":[]') == 60


def test_what_a_bot_has_a_game_do_is_the_bots_fault(install):
    path = install(bots='["first", "bad.py:LooksAtTheGame"]')
    run(path)
    for decision in (1, 2):
        assert journal(path / "run").count(b'"kind":"error","decision":%d,' % decision) == 30


def test_a_match_may_have_as_many_decisions_as_its_game_says(install):
    run(install(EVENT, LIMITED, options="{ target = 5000 }"))


@pytest.mark.slow
def test_a_check_says_what_the_game_raises(install):
    path = install(TURN, f"{TURN}\n        raise SystemExit")
    of_bot = tourney(path, "check", "first", "--game", "coins")
    assert (of_bot.returncode, of_bot.stderr.count("\n")) == (4, 1)
    assert of_bot.stderr.startswith('tourney: game "coins" fails in match coins-00000-0: SystemExit at ')
    of_game = tourney(path, "check", "--game", "coins")
    assert (of_game.returncode, of_game.stderr) == (1, "")
    failed = {line.split()[1]: line for line in of_game.stdout.splitlines() if line.startswith("FAIL")}
    for topic in ("end", "replay", "processes"):
        assert f"SystemExit at {path / 'coins.py'}:" in failed[topic]
    assert tourney(path, "league", "new", "cup", "--game", "coins").returncode == 0
    assert tourney(path, "league", "submit", "cup", "first").returncode == 4, "it is refused for what the game does"
    (path / "coins.py").write_text(GAME.replace(START, f"os = __import__('os')\n        {AGAIN}\n        {START}"))
    result = tourney(path, "check", "first", "--game", "coins", "--deals", "1")
    assert result.returncode == 4
    assert 'game "coins" does not end in match coins-' in result.stderr
    assert "its worker ended each time" in result.stderr


def test_the_records_of_a_game_that_fails_do_not_hold(install):
    old, new, says, *_ = FAILURES["apply"]
    path = install()
    run(path)
    (path / "coins.py").write_text(GAME.replace(old, new))
    verified = tourney(path, "verify", "run")
    assert (verified.returncode, verified.stderr) == (1, "")
    assert f'match coins-00000-0 (line 1): game "coins" fails: {says}' in verified.stdout
    shown = tourney(path, "replay", "run", "coins-00000-0")
    assert (shown.returncode, shown.stderr.count("\n")) == (2, 1)
    assert f'match coins-00000-0 does not replay: game "coins" fails: {says}' in shown.stderr


def test_an_imagined_match_that_does_not_end_ends_an_analysis_with_one_line(install):
    imagined = "(8, view.turns, view.taken)\n\n"
    path = install(imagined, imagined.replace("8", "9**9") + LIMITED.partition(EVENT)[0])
    run(path)
    result = with_code(tourney(path, "analyse", "run", "--bot", "random", "--playouts", "4"), 4)
    assert result.stderr.splitlines()[-1].startswith('tourney: game "coins" does not end in match '), result.stderr


@pytest.mark.slow
def test_a_game_that_hangs_ends_the_commands_that_replay_its_records(install):
    """The time is that of `match_s`, but no less than a few seconds."""
    path = install(limits="match_s = 1")
    run(path)
    (path / "coins.py").write_text(GAME.replace(TURN, LOOP))
    for command in (["verify", "run"], ["replay", "run", "coins-00000-0"]):
        result = tourney(path, *command)
        assert (result.returncode, result.stderr.count("\n")) == (4, 1)
        assert 'game "coins" does not end in match coins-00000-0: a replay took longer than 5 s (' in result.stderr


@pytest.mark.parametrize(("old", "new", "command"), [
    (EVENT, FAILS.format("0"), "run t.toml --out run"), (EVENT, FAILS.format("0"), "check first --game coins"),
    ("Meta(ge=1)] = 8", "Meta(ge=1)] = msgspec.field(default_factory=lambda: 1 / 0)", "games coins"),
])  # fmt: skip
def test_a_game_that_fails_while_its_options_are_read_is_one_line(install, old, new, command):
    path = install(old, new)
    result = tourney(path, *command.split())
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert 'game "coins" fails while its options are read: ZeroDivisionError: division by zero at ' in result.stderr
    assert f"{path / 'coins.py'}:" in result.stderr
    assert not (path / "run").exists()


def test_a_game_that_fails_with_its_defaults_is_played_with_other_options_by_bots_in_processes(install):
    more = '{ target = 6 }\n[[bot]]\nname = "other"\nuse = "first"\nhost = "process"'
    path = install(EVENT, FAILS.format("(options.target - 8)"), '["first"]', more)
    run(path)
    assert journal(path / "run").count(b'"faults":[]') == 60
