"""A match continued from a decision, with the recorded action or another; and a debugger that stops in `act`."""

import io
import sys
from importlib import import_module

import pytest

from tests.helpers import bot, play_match
from tourney.base.errors import ServiceError
from tourney.contracts.bot import Bot
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.review.what_if import Change, call_with_breakpoint, play_imagined, play_on, recorded_seat, warm_up
from tourney.table.replay import Replay
from tourney.table.table import play

VOLE = load_game("vole")


class Remembers(Bot):
    """Depends on how often it was asked and on its rng, which only a warmed-up bot has right."""

    def start(self, facts):
        self.rng = facts.rng
        self.asked = 0

    def act(self, view, legal):
        self.asked += 1
        return legal[(self.asked + int(self.rng.random() * 100)) % len(legal)]


def recorded(game, seats, maker=Remembers):
    match = Match(f"{game}-00000-0", GameSetup(game, seats, {}), 0, 7, tuple([f"bot-{i}" for i in range(seats)]))
    return play(match, load_game(game), [maker] * seats)


@pytest.mark.parametrize("game", game_names())
def test_the_recorded_action_leads_to_the_recorded_end(game):
    for seats in (load_game(game).seats[0], load_game(game).seats[-1]):
        record = recorded(game, seats)
        steps = [(step.decision, step.seat, step.action) for step in Replay(record, load_game(game)).steps()]
        for decision, seat, action in [steps[0], steps[len(steps) // 2], steps[-1]]:
            change = Change(decision, seat, action, Remembers)
            ending, divergences = play_on(record, load_game(game), [Remembers] * seats, change)
            assert divergences == []
            assert ending.actions == tuple([action for number, _, action in steps if number >= decision])
            assert (ending.scores, ending.places, ending.out) == (record.scores, record.places, ())


@pytest.mark.parametrize("bad", ["RaisesLater", "RaisesInEnd", "SaysIllegal"])
def test_bots_that_are_out_stay_out_and_those_that_fail_fail_again(bad):
    record = play_match("random", bad, options={"target": 6})
    makers = [bot("random"), bot(bad)]
    as_recorded = makers if bad == "RaisesInEnd" else [makers[0], recorded_seat(record, VOLE, 1)[1]]
    for step in list(Replay(record, VOLE).steps()):
        for each in (makers, as_recorded) if step.seat == 0 else ():
            ending, _ = play_on(record, VOLE, each, Change(step.decision, 0, step.action, makers[0]))
            assert (ending.scores, ending.places, ending.out) == (record.scores, record.places, (1,))


class Away(Bot):
    def act(self, view, legal):
        raise ServiceError("closed for today")


def test_a_service_that_stays_away_is_no_answer_of_its_bot():
    record = play_match("random", "random", options={"target": 6})
    for step in list(Replay(record, VOLE).steps())[:3]:  # while it is made ready, and where the match goes on
        with pytest.raises(ServiceError, match="closed"):
            play_on(record, VOLE, [Away, Away], Change(step.decision, step.seat, None, Away))


def test_a_decision_that_ended_a_process_is_not_tried_again_while_the_match_goes_as_recorded():
    """It would end this process, too."""
    match = Match("vole-00000-0", GameSetup("vole", 2, {"target": 6}), 0, 1, ("random", "KillsItselfLater"))
    makers = [bot("random"), bot("KillsItselfLater")]
    good = play(match, VOLE, [bot("random"), bot("Good")])
    fourth = [step.decision for step in Replay(good, VOLE).steps() if step.seat == 1][3]
    record = play(match, VOLE, makers, {(fourth, 1): ("crash", "its process died")})
    first = next(step for step in Replay(record, VOLE).steps() if step.seat == 0)
    ending, _ = play_on(record, VOLE, makers, Change(first.decision, 0, first.action, makers[0]))
    assert (ending.scores, ending.places, ending.out) == (record.scores, record.places, (1,))


@pytest.mark.parametrize("game", game_names())
def test_an_imagined_match_is_the_same_each_time_and_ends(game):
    seats = load_game(game).seats[-1]
    record = recorded(game, seats)
    steps = [step.decision for step in Replay(record, load_game(game)).steps() if len(step.legal) > 1]
    decision = steps[len(steps) // 2]
    step = warm_up(record, load_game(game), {}, decision).step
    change = Change(decision, step.seat, step.legal[-1], bot("random"))
    makers = [bot("random")] * seats
    endings = [play_imagined(record, load_game(game), makers, change, number) for number in (1, 2, 1)]
    assert endings[0] == endings[2] != endings[1]
    for ending in endings:
        assert ending.actions[0] == step.legal[-1]
        assert sorted(ending.places)[0] == 1


def test_for_a_person_the_record_decides_while_the_seat_sees_the_same_and_then_steady():
    record = play_match("steady", "random", options={"target": 6})
    steps = [step for step in Replay(record, VOLE).steps() if step.seat == 1 and len(step.legal) > 1]
    name, person = recorded_seat(record, VOLE, 0)
    assert name == "steady"
    for step in (steps[0], steps[-4]):
        for action in (step.action, next(action for action in step.legal if action != step.action)):
            change = Change(step.decision, 1, action, bot("random"))
            found = [play_on(record, VOLE, [make, bot("random")], change) for make in (person, bot("steady"))]
            assert found[0] == found[1]
    first = play_match("first", "random", options={"target": 6})
    (step, *_) = [step for step in Replay(first, VOLE).steps() if step.seat == 1]
    _, person = recorded_seat(first, VOLE, 0)
    ending, divergences = play_on(
        first, VOLE, [person, bot("random")], Change(step.decision, 1, step.action, bot("random"))
    )
    assert (ending.scores, ending.places, divergences) == (first.scores, first.places, [])


def test_divergences_of_a_warmed_up_bot_are_reported():
    record = play_match("random", "steady", options={"target": 6})
    steps = [step for step in Replay(record, VOLE).steps() if step.seat == 1]
    found = warm_up(record, VOLE, {1: bot("Good")}, steps[6].decision)
    assert found.asked == {1: 6}
    others = [step.decision for step in steps[:6] if step.action != step.legal[-1]]
    assert [divergence.decision for divergence in found.divergences] == others != []
    assert warm_up(record, VOLE, {1: bot("steady")}, steps[6].decision).divergences == []


BOTS = '''
from functools import wraps

def logged(act):
    @wraps(act)
    def logged_act(self, view, legal):
        return act(self, view, legal)
    return logged_act

class Plain:
    def act(self, view, legal):
        chosen = legal[0]
        return chosen

class Told:
    def act(self, view, legal):
        """Says what it does."""
        return legal[0] + 0

class Short:
    def act(self, view, legal): return legal[0] + 1

class Silent:
    def act(self, view, legal):
        "There is nothing but this."

class Decorated:
    @logged
    def act(self, view, legal):
        return legal[0] + 2

def made(add):
    class Made:
        def act(self, view, legal):
            return legal[0] + add
    return Made

Made = made(3)
'''


@pytest.mark.parametrize(
    ("name", "line", "answer"),
    [
        ("Plain", "chosen = legal[0]", 7),
        ("Told", "return legal[0] + 0", 7),
        ("Short", "def act(self, view, legal): return legal[0] + 1", 8),
        ("Silent", '"There is nothing but this."', None),
        ("Decorated", "return legal[0] + 2", 9),
        ("Made", "return legal[0] + add", 10),
        ("Moved", "breakpoint()" if sys.version_info >= (3, 13) else "return act(view, legal)", 7),
    ],
)
def test_pdb_stops_at_the_first_line_of_act(tmp_path, monkeypatch, capsys, name, line, answer):
    (tmp_path / "own_bots.py").write_text(BOTS, encoding="utf-8")
    (tmp_path / ".pdbrc").write_text("p 'not mine'\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    monkeypatch.setattr(sys, "stdin", io.StringIO("p view, legal\nc\n"))
    monkeypatch.delitem(sys.modules, "own_bots", raising=False)
    made = getattr(import_module("own_bots"), name.replace("Moved", "Plain"))
    if name == "Moved":  # so that what the file says is not what runs
        (tmp_path / "own_bots.py").write_text("\n" + BOTS, encoding="utf-8")
    before = made.act.__code__
    bot = made()
    assert call_with_breakpoint(bot.act, "seen", (7, 9)) == answer
    assert made.act.__code__ is before
    assert sys.breakpointhook is sys.__breakpointhook__
    shown = capsys.readouterr().out
    assert f"\n-> {line}\n(Pdb) ('seen', (7, 9))\n" in shown
    assert "not mine" not in shown


def test_another_debugger_is_called_in_the_frame_of_act(monkeypatch):
    frames = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: frames.append(sys._getframe(1)))

    class Bot:
        def act(self, view, legal):
            raise LookupError

    before = Bot.act.__code__
    with pytest.raises(LookupError):
        call_with_breakpoint(Bot().act, None, (1,))
    assert [frame.f_code.co_name for frame in frames] == ["act"]
    assert Bot.act.__code__ is before
    assert call_with_breakpoint(print, "no source", ()) is None
    assert frames[1].f_code is call_with_breakpoint.__code__
