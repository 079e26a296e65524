"""How `seer` searches, in games made for it and in positions of real ones."""

from math import inf, nan
from pathlib import Path
from random import Random
from time import perf_counter
from types import SimpleNamespace

import pytest
from tourney_bots.seer import Seer, SeerOptions
from tourney_bots.seer.playouts import Worlds
from tourney_bots.seer.values import chosen, ending, values

from tourney.base.errors import ConfigError
from tourney.contracts.bot import SeatFacts
from tourney.contracts.game import Game, State, View, places_by
from tourney.contracts.playouts import play_out
from tourney.hosts.faults import as_action
from tourney.plugins.registry import game_names, load_bot, load_game, load_policy

BAIT, SAFE = 0, 1
WORTH = {(BAIT, 0): 10, (BAIT, 1): -6, (SAFE, 0): 1, (SAFE, 1): 1}
"""What seat 0 has of its action and the reply of seat 1."""
with_policy = pytest.mark.parametrize("name", [name for name in game_names() if load_policy(name)])


class TrapView(View, frozen=True):
    actions: tuple[int, ...]


class Trap(State):
    """Seat 0 takes the bait or not, seat 1 replies, and a choice without consequences ends the match."""

    def __init__(self, actions=()) -> None:
        self.log = []
        self.actions = actions
        self.seat = (0, 1, 0, None)[len(actions)]

    def legal(self):
        return (0, 1)

    def apply(self, action: int) -> None:
        self.__init__((*self.actions, action))

    def view(self, seat: int) -> TrapView:
        return TrapView(seat, self.actions)

    def copy(self) -> "Trap":
        return Trap(self.actions)

    @property
    def scores(self) -> tuple[int, ...]:
        return WORTH.get(self.actions[:2], 0), 0

    @property
    def places(self) -> tuple[int, ...]:
        return places_by(self.scores)


class TrapGame(Game):
    name = "trap"
    names = ("bait", "safe")

    def imagine(self, view: TrapView, rng: Random) -> Trap:
        return Trap(view.actions)


def end(scores, places=None) -> SimpleNamespace:
    """The end of a match with these scores, or, without places, a moment of it."""
    return SimpleNamespace(seat=None if places else 0, scores=scores, places=places)


def seer_of(facts: SeatFacts, **own) -> Seer:
    seer = Seer(SeerOptions(**own))
    seer.start(facts)
    return seer


def worth(state: SimpleNamespace, seat: int) -> float:
    return values({0: [ending(state, seat)]})[0][0]


def test_the_end_of_a_match_is_worth_the_points_of_the_place():
    assert worth(end((30, 20, 10), (1, 2, 3)), 0) == pytest.approx(1, abs=0.002)
    assert worth(end((30, 20, 10), (1, 2, 3)), 1) == pytest.approx(0.5, abs=0.002)
    assert worth(end((1, 0), (1, 2)), 0) == pytest.approx(worth(end((90, 0), (1, 2)), 0), abs=0.002)


def test_scores_decide_between_ends_with_the_same_places():
    far, near = [ending(end((mine, 12), (2, 1)), 0) for mine in (1, 11)]
    found = values({0: [far], 1: [near]})
    assert found[0][0] < found[1][0] < 0.01


def test_before_the_end_a_lead_is_worth_more_than_a_half_and_less_than_a_win():
    found = values({0: [ending(end((15, 10)), 0), ending(end((10, 10)), 0)], 1: [ending(end((15, 10), (1, 2)), 0)]})
    assert 0.5 == found[0][1] < found[0][0] < 0.99 < found[1][0]


def test_the_policys_action_stands_unless_another_is_better_for_sure():
    even = [0.5, 0.6, 0.4, 0.5]
    luckier = [0.9, 0.1, 0.9, 0.3]
    better = [each + 0.1 for each in even]
    assert chosen({1: luckier, 2: even}, guide=2, errors=1) == 2
    assert chosen({1: luckier, 2: even}, guide=2, errors=0) == 1
    assert chosen({1: luckier, 2: even}, guide=None, errors=1) == 1
    assert chosen({1: better, 2: even}, guide=2, errors=3) == 1, "in each world alike: there is no doubt"
    assert chosen({1: [1.0], 2: [0.0]}, guide=2, errors=1) == 2, "one world tells nothing"


def test_without_a_policy_it_takes_the_highest_mean():
    facts = SeatFacts(TrapGame(), None, 2, 0, Random(1))
    found = seer_of(facts, playouts=400, budget="even").estimates(Trap().view(0), (BAIT, SAFE))
    assert [each.action for each in found] == [SAFE, BAIT]
    assert [each.playouts for each in found] == [200, 200]
    assert found[0].mean == pytest.approx(100, abs=0.2)  # it always wins; the bait every other time
    assert found[1].mean == pytest.approx(50, abs=4 * found[1].error)
    assert found[1].error == pytest.approx(100 * 0.5 / 200**0.5, rel=0.05)
    answer = seer_of(facts).act(Trap().view(0), (BAIT, SAFE))
    assert (answer.action, answer.note["next_best"]) == (SAFE, "bait")
    assert answer.note["value"] == pytest.approx(1, abs=0.01)


def positions(name: str, wanted: int):
    """Yields (facts, view, legal) at decisions of a match in which policies move all seats."""
    game = load_game(name)
    seats = next(iter(game.seats))
    options = game.options(seats, {})
    policies = [load_policy(name)(SeatFacts(game, options, seats, seat, Random(1))) for seat in range(seats)]
    found = []

    def choose(state, legal):
        view = state.view(state.seat)
        if len(legal) > 1:
            found.append((SeatFacts(game, options, seats, state.seat, Random(len(found))), view, legal))
        return policies[state.seat].act(view, legal)

    play_out(game.start(seats, options, 7), choose, 20 * wanted)
    return found[:: len(found) // wanted][:wanted]


@with_policy
def test_it_does_what_its_first_estimate_says_and_the_same_again(name):
    for facts, view, legal in positions(name, 6):
        answers = []
        for ask in (Seer.act, Seer.act, lambda *asked: Seer.estimates(*asked)[0].action):
            seer = seer_of(facts._replace(rng=Random(5)), playouts=30)
            answers.append(as_action(ask(seer, view, legal), 9999))
        assert answers[0] in legal
        assert len(set(answers)) == 1


def test_it_thinks_as_long_as_it_is_told_to():
    facts, view, legal = positions("vole", 3)[1]
    for budget in ("even", "halving"):
        seer = seer_of(facts, playouts=1, think_ms=50, budget=budget, drop=1e9)
        start = perf_counter()
        estimates = seer.estimates(view, legal)
        assert perf_counter() - start >= 0.05
        assert all([each.playouts >= 1 for each in estimates])


@with_policy
def test_a_high_gate_leaves_it_to_the_policy(name):
    for facts, view, legal in positions(name, 6):
        seer = seer_of(facts, playouts=20, gate=1e9)
        assert as_action(seer.act(view, legal), 9999) == load_policy(name)(facts).act(view, legal)


class CoinGame(Game):
    """A coin lies under a cup; the state is which side is up."""

    name = "coin"

    def imagine(self, view: None, rng: Random) -> SimpleNamespace:
        return SimpleNamespace(head=rng.random() < 0.5)


def test_a_playout_of_more_decisions_than_there_is_luck_for_is_refused():
    seer = load_bot("seer", Path())
    seer.maker({"depth": 10_000}, "bot")
    with pytest.raises(ConfigError, match="depth"):
        seer.maker({"depth": 10_001}, "bot")


@pytest.mark.parametrize("likelihood", [-1.0, nan, inf])
def test_a_likelihood_that_is_none_is_said(likelihood):
    worlds = Worlds(CoinGame(), None, Random(1), 1, 2, lambda state: likelihood)
    with pytest.raises(ValueError, match="must be a finite number from 0 on, got "):
        worlds.draw()


def test_secret_bids_in_leon_are_imagined_closer_to_those_that_were_made():
    game, policy = load_game("leon"), load_policy("leon")
    options = game.options(2, {"max_cards": 9})
    policies = [policy(SeatFacts(game, options, 2, seat, Random(1))) for seat in range(2)]
    off = {1: 0, 16: 0}

    def choose(state, legal):
        view = state.view(state.seat)
        if state.seat == 0 and view.phase == "play" and view.cards > 4:
            bid = state.view(1).bids[1]
            for draws in off:
                worlds = Worlds(game, view, Random(len(view.moves)), 1, draws, policies[0].likelihood)
                off[draws] += sum([abs(worlds.draw().state.view(1).bids[1] - bid) for _ in range(4)])
        return policies[state.seat].act(view, legal)

    play_out(game.start(2, options, 3), choose, 10_000)
    assert 1.3 * off[16] < off[1]


@with_policy
def test_what_a_policy_holds_worth_a_search_is_legal(name):
    for facts, view, legal in positions(name, 40):
        policy = load_policy(name)(facts)
        policy.watch(view)  # it may be made in the middle of a match, and copied
        guide = policy.copy().act(view, legal)
        assert guide == policy.act(view, legal) == policy.copy().act(view, legal)
        assert guide in legal
        found = policy.candidates(view, legal)
        assert guide in found
        assert set(found) <= set(legal)
        assert len(set(found)) == len(found)
        searched = seer_of(facts, playouts=1).estimates(view, legal)
        assert sorted([each.action for each in searched]) == sorted(found)
