"""What other actions lead to: equal to the analysis, and for a seat by what it has seen alone."""

from copy import copy
from random import Random

import orjson
import pytest

import tourney
from tests.conftest import mostly_slow, tournament_text
from tests.games.test_plain_game import High, HighState
from tests.helpers import SHORT, bot, play_match
from tests.report.test_match_data import begun_with, played_alike
from tourney.base.errors import GameError, RunError
from tourney.contracts.match import GameSetup, Match
from tourney.contracts.playouts import play_out
from tourney.games.vole import Vole
from tourney.plugins.registry import game_names, load_game
from tourney.report import what_if
from tourney.report.beliefs import beliefs
from tourney.report.match_data import Count, cost_data
from tourney.report.what_if import ANEW, REAL, answer
from tourney.review.analysis.file import read_analysis
from tourney.table.replay import Replay, unfinished_record
from tourney.table.table import play


class BlindState(HighState):
    def copy(self):
        copied = copy(self)
        copied.log = []
        return copied


class Blind(High):
    imagines = False

    def start(self, seats, options, seed):
        return BlindState(seats, seed)


def asked(record, game, *question):
    return orjson.loads(answer(record, game, *question))


def actions(data):
    return " ".join([data["texts"][data["acts"][number][0]] for number in data["everyone"]["actions"]])


def test_points_and_branches_are_those_of_the_analysis(tmp_path, monkeypatch):
    monkeypatch.setattr(what_if, "PLAYOUTS", 12)
    one = [f'[[bot]]\nname = "{name}"\nuse = "steady"' for name in ("one", "two")]
    (tmp_path / "t.toml").write_text(tournament_text("t", bots="", deals="1", extra="\n".join(one)))
    run = tourney.run(tmp_path / "t.toml", out=tmp_path / "t")
    run.analyse(playouts=12)
    record, game = next(run.records()), load_game("vole")
    analysis = read_analysis(tmp_path / "t")[record.match]
    branches = 0
    for cost in analysis.decisions:
        found = asked(record, game, cost.decision)
        assert found["cost"] == orjson.loads(orjson.dumps(cost_data(cost, str, cost.decision)))
        assert cost.errors.keys() == cost.values.keys()
        if cost.branch:
            branch = asked(record, game, cost.decision, cost.best)["match"]
            assert actions(branch) == cost.branch
            branches += 1
    assert branches
    assert "up to 12 continuations" in found["said"]


def decisions(world):
    return sum([isinstance(entry[0], int) for entry in world.log])


@pytest.mark.parametrize("name", mostly_slow(game_names(), "vole", "voleur"))
def test_what_a_seat_asks_is_answered_by_what_it_has_seen_alone(name, monkeypatch):
    monkeypatch.setattr(what_if, "PLAYOUTS", 2)
    game, seats, compared = load_game(name), load_game(name).seats[-1], 0
    match = Match("m", GameSetup(name, seats, SHORT[name]), 0, 0, tuple("abcdefghij"[:seats]))
    for number in range(60):
        rng, state = Random(number), game.start(seats, game.options(seats, SHORT[name]), number)
        play_out(state, lambda _, legal, rng=rng: rng.choice(legal), rng.randrange(40))
        if state.seat is None or compared > 11:
            continue
        worlds = [state.copy(), game.imagine(state.view(state.seat), rng)]
        games = [begun_with(game, each.copy()) for each in worlds]
        seat, goes_on, most = state.seat, True, compared + 3
        while goes_on and compared < most:
            one, other = [decisions(each) + 1 for each in worlds]
            is_asked = worlds[0].seat == seat
            if (goes_on := played_alike(game, worlds, seat, rng)) and is_asked:
                records = [unfinished_record(match, game, each.log) for each in worlds]
                pairs = list(zip(records, games, strict=True))
                numbers = [Count(*each, seat)(at) for each, at in zip(pairs, (one, other), strict=True)]
                assert numbers[0] == numbers[1]
                for question in ("", records[0].actions.split()[one - 1]):
                    told = {answer(*each, numbers[0], question, seat, on_own_page=True) for each in pairs}
                    assert len(told) == 1
                    assert ANEW in told.pop().decode()
                compared += 1
    assert compared > 10


def test_a_game_that_imagines_nothing_is_played_on_in_the_real_deal_but_not_for_a_seat():
    blind = Blind()
    record = play(Match("m", GameSetup("high", 2, {}), 0, 3, ("a", "b")), blind, [bot("random")] * 2)
    step = next(step for step in Replay(record, blind).steps() if len(step.legal) > 1)
    found = asked(record, blind, step.decision)
    assert sorted(action for action, *_ in found["cost"]["values"]) == sorted(map(blind.text, step.legal))
    assert "random plays all seats" in found["said"]
    assert REAL in found["said"]
    assert asked(record, blind, step.decision, blind.text(step.legal[-1]))["match"]["places"]
    with pytest.raises(RunError, match="cannot imagine what a seat does not see"):
        answer(record, blind, step.decision, "", step.seat)


def test_a_long_branch_is_cut_and_says_so(monkeypatch):
    record, game = play_match("random", "random"), load_game("vole")
    monkeypatch.setattr(what_if, "SHOWN", 3)
    for seat in (None, next(Replay(record, game).steps()).seat):
        branch = asked(record, game, 1, record.actions.split()[0], seat)
        assert (branch["match"]["decisions"], branch["match"]["places"]) == (3, [])
        assert "; these are the first 3 of " in branch["said"]


def test_a_game_that_cannot_imagine_after_all_is_named():
    def fails(*_):
        raise ValueError("lost")

    game = type("Lost", (Vole,), {"imagine": fails})()
    record = play_match("random", "random")
    seat = next(Replay(record, game).steps()).seat
    for ask in (lambda: answer(record, game, 1, "", seat), lambda: beliefs(record, game, seat)):
        with pytest.raises(GameError, match=r'game "vole" fails in match .*: ValueError: lost at /.*\.py:\d+$'):
            ask()


def test_a_seat_that_failed_before_stays_out_in_every_branch():
    record = play_match("random", "RaisesLater", "random", game="voleur", options=SHORT["voleur"])
    (fault,) = record.faults
    step = next(
        step
        for step in Replay(record, load_game("voleur")).steps()
        if step.decision > fault.decision and step.seat == 0 and len(step.legal) > 1
    )
    for seat in (None, 0):
        for text in map(load_game("voleur").text, step.legal):
            branch = asked(record, load_game("voleur"), step.decision, text, seat)["match"]
            assert (branch["places"][fault.seat], branch["faults"][0]["seat"]) == (3, fault.seat)
