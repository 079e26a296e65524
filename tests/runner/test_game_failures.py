"""A game that fails, or that does not end, ends the run with one line that names it, and no bot is charged."""

import pytest

from tests.cli.runs import journal
from tests.conftest import mostly_slow
from tests.conftest import with_plugins as tourney

GAME = """
from typing import Annotated

import msgspec

from tourney.contracts.game import Game, Options, State, View, places_by


class DuelOptions(Options, frozen=True):
    target: Annotated[int, msgspec.Meta(ge=1)] = 20


class DuelView(View, frozen=True):
    turns: int

    def as_dict(self):
        return {"seat": self.seat, "turns": self.turns}


class DuelState(State):
    def __init__(self, seats, options):
        self.log = []
        self.seat = 0
        self.seats = seats
        self.target = options.target
        self.turns = 0

    def legal(self):
        return (0, 1)

    def apply(self, action):
        self.turns += 1
        self.seat = self.turns % self.seats if self.turns < self.target else None

    def view(self, seat):
        return DuelView(seat, self.turns)

    @property
    def scores(self):
        return (self.turns,) * self.seats

    @property
    def places(self):
        return places_by(self.scores)


class Duel(Game):
    name = "duel"
    title = "The Duel"
    rules = "nowhere"
    seats = range(2, 3)
    Options = DuelOptions
    actions = names = ("left", "right")

    def start(self, seats, options, seed):
        return DuelState(seats, options)

    def event(self, entry):
        return {"kind": entry[0]}
"""
BAD_BOTS = """
class Raises:
    def act(self, view, legal):
        raise ValueError

class RaisesToo(Raises):
    pass

class Imagines:
    def start(self, facts):
        self.facts = facts

    def act(self, view, legal):
        self.facts.game.imagine(view, self.facts.rng)
"""
ENTRY = "[tourney.games]\nduel = duel:Duel\n[tourney.bots]\nraises = bad:Raises\nraises-too = bad:RaisesToo\n"
TABLES = pytest.mark.parametrize("bots", ['["first", "random"]', '["raises", "raises-too"]'], ids=["bots", "the house"])


def tournament(path, bots='["first", "random"]', options="{}", limits=""):
    """A tournament of the duel, in a file."""
    file = path / "t.toml"
    file.write_text(
        f'name = "t"\nseed = 1\ndeals = 30\nbots = {bots}\n[limits]\n{limits}\n'
        f'[[game]]\nname = "duel"\noptions = {options}\n'
    )
    return file


@pytest.mark.slow
def test_the_game_of_these_tests_is_played_and_verified(plugin):
    path = plugin("duel-game", ENTRY, duel=GAME)
    tournament(path)
    played = tourney(path, "run", "t.toml", "--out", "run")
    assert played.returncode == 0, played.stderr
    assert tourney(path, "verify", "run").returncode == 0


FAILURES = {
    "start": ("return DuelState(seats, options)", "return 1 / 0", "ZeroDivisionError: division by zero", True),
    "apply": ("self.turns += 1", "self.turns += None", "TypeError: unsupported operand", True),
    "apply, exit": ("self.turns += 1", "raise SystemExit(0)", "SystemExit: 0", True),
    "apply, as if by Ctrl-C": ("self.turns += 1", "raise KeyboardInterrupt", "KeyboardInterrupt", True),
    "apply, one of ours": (
        "self.turns += 1",
        "from tourney.base.errors import GameError; raise GameError('no turn', 'duel')",
        "GameError: no turn",
        True,
    ),
    "view": ("return DuelView(seat, self.turns)", "return self.nothing", "AttributeError: ", True),
    "scores": ("return (self.turns,) * self.seats", "raise ValueError('two\\nlines')", "ValueError: two lines", True),
}


@pytest.mark.parametrize("where", mostly_slow(FAILURES, "start", "apply, exit"))
def test_a_game_that_fails_ends_the_run_with_one_line_and_charges_nobody(plugin, where):
    old, new, says, in_its_file = FAILURES[where]
    assert old in GAME
    path = plugin("duel-game", ENTRY, duel=GAME.replace(old, new))
    tournament(path)
    result = tourney(path, "run", "t.toml", "--out", "run", "--quiet", "--workers", "1")
    assert result.returncode == 4, result.stderr
    assert result.stderr.startswith(f'tourney: game "duel" fails in match duel-00000-0: {says}')
    assert len(result.stderr.splitlines()) == 1
    if in_its_file:
        line = next(i for i, text in enumerate((path / "duel.py").read_text().splitlines(), 1) if new in text)
        assert f" at {path / 'duel.py'}:{line};" in result.stderr
    assert "the traceback is in run/logs/game-duel.txt" in result.stderr
    assert "Traceback (most recent call last)" in (path / "run" / "logs" / "game-duel.txt").read_text()
    assert journal(path / "run") == b""
    assert not (path / "run" / "standings.txt").exists()


def test_a_run_that_a_game_has_ended_goes_on_once_the_game_is_fixed(plugin):
    late = GAME.replace("self.turns += 1", "self.turns += 1 if self.seed % 5 else 1 / 0").replace(
        "DuelState(seats, options)", "DuelState(seats, options, seed)"
    )
    late = late.replace(
        "seats, options):\n        self.log = []", "seats, options, seed):\n        self.log, self.seed = [], seed"
    )
    path = plugin("duel-game", ENTRY, duel=late)
    tournament(path)
    result = tourney(path, "run", "t.toml", "--out", "run", "--quiet")
    assert result.returncode == 4, result.stderr
    assert "continue with: tourney run t.toml --out run --resume" in result.stderr
    (path / "duel.py").write_text(GAME)
    fixed = tourney(path, "run", "t.toml", "--out", "run", "--quiet", "--resume", "--force")
    assert fixed.returncode == 0, fixed.stderr
    assert journal(path / "run").count(b"\n") == 60
    assert b'"faults":[]' in journal(path / "run")


def test_what_a_bot_has_a_game_do_is_the_bots_fault(plugin):
    path = plugin("duel-game", ENTRY, duel=GAME, bad=BAD_BOTS)
    tournament(path, bots='["first", "bad.py:Imagines"]')
    result = tourney(path, "run", "t.toml", "--out", "run", "--quiet")
    assert result.returncode == 0, result.stderr
    assert journal(path / "run").count(b'"kind":"error","decision":1,') == 30
    assert journal(path / "run").count(b'"kind":"error","decision":2,') == 30


ENDLESS = {
    "its options": ("", "", "{ target = 1000000000000 }", "it is not over after 5000 decisions"),
    "its rules": ("self.turns < self.target", "True", "{}", "it is not over after 5000 decisions"),
}
LIMITED = GAME.replace(
    "    def event", "    def max_decisions(self, seats, options):\n        return 5000\n\n    def event"
)


@pytest.mark.parametrize("why", ENDLESS)
@TABLES
def test_a_game_without_an_end_ends_the_run_with_one_line_and_charges_nobody(plugin, bots, why):
    old, new, options, says = ENDLESS[why]
    path = plugin("duel-game", ENTRY, duel=LIMITED.replace(old, new) if old else LIMITED, bad=BAD_BOTS)
    tournament(path, bots, options)
    result = tourney(path, "run", "t.toml", "--out", "run", "--quiet", "--workers", "1")
    assert result.returncode == 4, result.stderr
    assert result.stderr.startswith(
        f'tourney: game "duel" does not end in match duel-00000-0: {says} (2 seats, options {{'
    )
    assert ", seed " in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert journal(path / "run") == b""


def test_a_match_may_have_as_many_decisions_as_its_game_says(plugin):
    path = plugin("duel-game", ENTRY, duel=LIMITED)
    tournament(path, options="{ target = 5000 }")
    assert tourney(path, "run", "t.toml", "--out", "run", "--quiet").returncode == 0


@pytest.mark.slow
def test_a_game_that_hangs_ends_the_run_and_no_bot_is_charged(plugin):
    hangs = GAME.replace("self.turns += 1", "self.turns += 1\n        while self.turns == 7: pass")
    path = plugin("duel-game", ENTRY, duel=hangs)
    tournament(path, limits="match_s = 2")
    result = tourney(path, "run", "t.toml", "--out", "run", "--quiet", "--workers", "1")
    assert result.returncode == 4, result.stderr
    assert 'game "duel" does not end in match duel-00000-0: after decision 7 it took longer than 2 s' in result.stderr
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.slow
def test_a_game_that_ends_its_worker_ends_the_run_and_no_bot_is_charged(plugin):
    exits = GAME.replace("self.turns += 1", "self.turns += 1\n        if self.turns == 7: __import__('os')._exit(5)")
    path = plugin("duel-game", ENTRY, duel=exits)
    tournament(path)
    result = tourney(path, "run", "t.toml", "--out", "run", "--quiet", "--workers", "1")
    assert result.returncode == 4, result.stderr
    assert "does not end in match duel-00000-0: after decision 7 its worker ended each time" in result.stderr


def test_a_check_of_a_bot_says_that_the_game_fails(plugin):
    path = plugin("duel-game", ENTRY, duel=GAME.replace("self.turns += 1", "self.turns += None"))
    result = tourney(path, "check", "first", "--game", "duel")
    assert result.returncode == 4
    assert result.stderr.startswith('tourney: game "duel" fails in match duel-00000-0: TypeError: ')
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.parametrize("raised", ["ZeroDivisionError", "SystemExit"])
def test_a_check_of_a_game_says_what_the_game_raises(plugin, raised):
    fails = GAME.replace("self.turns += 1", f"self.turns += 1\n        raise {raised}")
    path = plugin("duel-game", ENTRY, duel=fails)
    result = tourney(path, "check", "--game", "duel")
    assert (result.returncode, result.stderr) == (1, "")
    failed = {line.split()[1]: line for line in result.stdout.splitlines() if line.startswith("FAIL")}
    for topic in ("end", "replay", "processes"):
        assert f"{raised} at {path / 'duel.py'}:" in failed[topic]
        assert "/tourney/" not in failed[topic]


def test_the_records_of_a_game_that_fails_do_not_hold(plugin):
    old, new, says, _ = FAILURES["apply"]
    path = plugin("duel-game", ENTRY, duel=GAME)
    tournament(path)
    assert tourney(path, "run", "t.toml", "--out", "run", "--quiet").returncode == 0
    (path / "duel.py").write_text(GAME.replace(old, new))
    verified = tourney(path, "verify", "run")
    assert (verified.returncode, verified.stderr) == (1, "")
    assert f'match duel-00000-0 (line 1): game "duel" fails: {says}' in verified.stdout
    shown = tourney(path, "replay", "run", "duel-00000-0")
    assert shown.returncode == 2, shown.stderr
    assert f'match duel-00000-0 does not replay: game "duel" fails: {says}' in shown.stderr
    assert len(shown.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    ["verify run", "replay run duel-00000-0"],
)
def test_a_game_that_hangs_ends_the_command_that_replays_its_records(plugin, command):
    """The time is that of `match_s`, but no less than a few seconds."""
    path = plugin("duel-game", ENTRY, duel=GAME, bad=BAD_BOTS)
    tournament(path, limits="match_s = 1")
    assert tourney(path, "run", "t.toml", "--out", "run", "--quiet").returncode == 0
    (path / "duel.py").write_text(
        GAME.replace("self.turns += 1", "self.turns += 1\n        while self.turns == 7: pass")
    )
    result = tourney(path, *command.split())
    assert result.returncode == 4, result.stderr
    assert 'tourney: game "duel" does not end in match duel-00000-0: a replay took longer than 5 s (' in (result.stderr)
    assert len(result.stderr.splitlines()) == 1


READING = {
    "validate": ("    def event", "    def validate(self, seats, options):\n        return 1 / 0\n\n    def event"),
    "default": ("msgspec.Meta(ge=1)] = 20", "msgspec.Meta(ge=1)] = msgspec.field(default_factory=lambda: 1 / 0)"),
}


@pytest.mark.parametrize(
    ("where", "command"),
    [
        ("validate", "run t.toml --out run"),
        ("validate", "check first --game duel"),
        ("default", "games duel"),
    ],
)
def test_a_game_that_fails_while_its_options_are_read_is_one_line(plugin, where, command):
    old, new = READING[where]
    path = plugin("duel-game", ENTRY, duel=GAME.replace(old, new), bad=BAD_BOTS)
    tournament(path)
    result = tourney(path, *command.split())
    assert result.returncode == 2, result.stderr
    (line,) = result.stderr.splitlines()
    assert 'game "duel" fails while its options are read: ZeroDivisionError: division by zero at ' in line
    assert line.endswith("; fix or uninstall it")
    assert f"{path / 'duel.py'}:" in line
    assert not (path / "run").exists()


@pytest.mark.slow
def test_a_game_that_fails_with_its_defaults_is_played_with_other_options_by_bots_in_processes(plugin):
    fails = "    def validate(self, seats, options):\n        return 1 / (options.target - 20)\n\n    def event"
    path = plugin("duel-game", ENTRY, duel=GAME.replace("    def event", fails), bad=BAD_BOTS)
    file = tournament(path, bots='["first"]', options="{ target = 6 }")
    file.write_text(file.read_text() + '[[bot]]\nname = "other"\nuse = "first"\nhost = "process"\n')
    result = tourney(path, "run", "t.toml", "--out", "run", "--quiet")
    assert result.returncode == 0, result.stderr
    assert b'"faults":[]' in journal(path / "run")
