"""The rules of The Vole in the Valley, one by one, and what a seat sees."""

from functools import partial
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games import examples
from tests.games.facts import facts_of, set_up
from tourney import testing
from tourney.contracts.cards import VOLE
from tourney.contracts.rng import derive, pick
from tourney.games.vole import Vole, VoleState

GAME = Vole()
act = partial(testing.act, GAME)


def board(first: str, second: str, up: str = "2m", deck: str = "4m 6m 8m 10m", **more) -> VoleState:
    """A round about to begin, or to go on, with these cards in the two hands; `more` are facts and options."""
    facts = {key: more.pop(key) for key in ("leader", "won", "scores", "extra") if key in more}
    return testing.position(GAME, seats=2, options=more, hands=[first, second], up=up, deck=deck, **facts)


def hand(state: VoleState, seat: int) -> list[str]:
    return VOLE.texts(state.view(seat).hand)


def test_who_leads_does_not_repeat_however_many_rounds_there_are():
    long = GAME.start(2, GAME.options(2, {"target": 10**6, "max_rounds": 300}), 7)
    rng = Random(1)
    while long.seat is not None:
        long.apply(pick(long.legal(), rng))
    found = [deal["leader"] for deal in testing.events(GAME, long, "deal")]
    # the bits of one hash and then of another; the first are as they have always been
    bits = [derive(7, "leaders"), derive(7, "leaders", 1), derive(7, "leaders", 2)]
    assert found == [bits[number // 128] >> number % 128 & 1 for number in range(1, 301)]
    assert found[:127] not in (found[128:255], found[127:254])
    assert 120 < sum(found) < 180


@pytest.mark.parametrize("number", [1, 127, 200])
def test_either_seat_leads_the_round_after_an_imagined_one_as_often(number):
    options = GAME.options(2, {"target": 10**6, "max_rounds": 300})
    facts = facts_of(GAME.start(2, options, number)) | {"round": number}
    view, rng = set_up(GAME, 2, options, **facts).view(0), Random(number)
    led = 0
    for _ in range(400):
        after = GAME.imagine(view, rng)
        while after.view(0).round == number:
            after.apply(after.legal()[0])
        led += after.view(0).leader
    assert 160 < led < 240


RULES = """
the leader may play any card
    2t 11k 4m / 2k 4k 6k : -> legal = play:2t play:11k play:4m
the other seat must follow suit
    4t 6k / 2t 8t 10m : play:4t -> legal = play:2t play:8t
a seat that cannot follow may play any card
    4t 6k / 2k 8m : play:4t -> legal = play:2k play:8m
the winner leads next, whoever it is and whoever led
    6t 2k / 4t 4k : play:6t play:4t -> winners = 0; won = 1 0; seat = 0
    4t 2k / 6t 4k : play:4t play:6t -> winners = 1; won = 0 1; seat = 1
    6t 2k / 4t 4k, leader 1 : play:4t play:6t -> winners = 0; seat = 0
    4t 2k / 6t 4k, leader 1 : play:6t play:4t -> winners = 1; seat = 1
a 3 lets its player swap the trump card before the next card; the swapped card is the trump card
    3t 4t 6k / 2k 4k 8k : play:3t -> seat = 0; legal = swap:4t swap:6k keep
      : swap:6k -> hand 0 = 4t 2m; up = 6k; seat = 1
a 3 need not be used
    3t 4t 6k / 2k 4k 8k : play:3t keep -> hand 0 = 4t 6k; up = 2m; seat = 1
when a 3 is led the old trump counts for this trick if it is kept, and a new one if not
    3t 2t / 4m 6m : play:3t keep play:4m -> winners = 1
    3t 2t / 4m 6m : play:3t swap:2t play:4m -> winners = 0
when a 3 answers, too
    4k 6k / 3t 2t : play:4k play:3t keep -> winners = 0
    4k 6k / 3t 2t : play:4k play:3t swap:2t -> winners = 1
following suit does not depend on the trump that a 3 brings
    3t 2k / 4t 4k : play:3t swap:2k -> legal = play:4t
a 3 as the last card leaves nothing to swap; if it answers, the trick waits for it, and is taken then
    3t / 4t : play:3t -> seat = 0; legal = keep
    4t / 3k, won 6 6 : play:4t play:3k -> seat = 1; legal = keep; winners = - : keep -> winners = 0
a 5 draws the top card of the deck, and buries a card under it
    5t 4t 6k / 2t 4k 8k, deck 8m 10m 4m : play:5t -> seat = 0; hand 0 = 4t 6k 8m; legal = bury:4t bury:6k bury:8m
      : bury:6k -> hand 0 = 4t 8m; deck = 10m 4m 6k; seat = 1
the other seat sees that a card was drawn and buried, and not which
    5t 1k / 2t 4k, deck 8m 10m : play:5t -> cards 1 = 5 13 : bury:1k -> cards 1 = 6 12; steps 1 = 0 play:5t 0 bury;
      buried 1 = -; buried 0 = 8m 1k
a 5 as the last card buries the card that it draws, and takes the trick
    5t / 2t, deck 8m 10m : play:5t -> legal = bury:8m : bury:8m play:2t -> winners = 0
an answering 5 buries before the trick is taken; then the trick is taken
    4t 8t / 5t 4k, deck 8m 10m : play:4t play:5t -> seat = 1; winners = - : bury:4k -> winners = 1
a 9 counts as the trump that a 3 keeps, and as the one that it brings, if it answers, too
    9t 2t / 3k 4m : play:9t play:3k keep -> winners = 0
    9t 2t / 3k 10k : play:9t play:3k swap:10k -> winners = 0
    3k 10k / 9t 2t : play:3k swap:10k play:9t -> winners = 1
a 9 that is led asks for its own suit; it follows its own suit, and no trumps
    9t 2k / 4t 4m : play:9t -> legal = play:4t
    6m 2k / 9t 4m : play:6m -> legal = play:4m
    6t 2k / 9t 4m : play:6t -> legal = play:9t
an 11 that is led compels the 1 or the highest card of its suit; the 1 alone is both
    11t 2k / 1t 4t 8t 10m : play:11t -> legal = play:1t play:8t
    11t 2k / 2t 4t 8t 10m : play:11t -> legal = play:8t
    11t 2k / 1t 10m : play:11t -> legal = play:1t
an 11 compels nothing where its suit is missing, nor the leader of the next trick
    11t 2k / 1k 4k 10m : play:11t -> legal = play:1k play:4k play:10m
    4t 2t 6t / 11t 2k 4k : play:4t play:11t play:2k -> legal = play:2t play:6t
the next round starts with the scores and extra points so far
    2t / 4t, won 6 6, scores 4 5, extra 1 2 : play:2t play:4t -> scores = 7 11; extra = 1 2; won = 0 0; round = 2
of two seats beyond the target the higher wins, also if it did not win the last trick
    4t / 2t, won 6 6, scores 20 19 : play:4t play:2t -> scores = 26 22; places = 1 2
    4t / 2t, won 6 6, scores 18 22 : play:4t play:2t -> scores = 24 25; places = 2 1
sevens by game join the scores after the last round, and can decide; they do not count towards the target
    4t / 2t, won 6 6, scores 15 10, extra 0 9 : play:4t play:2t -> points = 6 3; scores = 21 22; places = 2 1
    4t / 2t, won 6 6, scores 14 10, extra 5 5 : play:4t play:2t -> scores = 20 13; round = 2
sevens by round count with the round and towards the target, and are paid once
    4t / 2t, won 6 6, scores 14 10, extra 1 2, sevens round : play:4t play:2t
      -> points = 7 5; seat = -; scores = 21 15; extra = 0 0
    4t / 2t, won 6 6, extra 1 2, sevens round : play:4t play:2t -> round = 2; scores = 7 5; extra = 0 0
a tie goes to the seat with more points in the last round, whichever it is
    4t / 2t, won 6 6, scores 15 18 : play:4t play:2t -> scores = 21 21; places = 1 2
    2t / 4t, won 6 6, scores 18 15 : play:2t play:4t -> scores = 21 21; places = 2 1
sevens by round are points of the last round for ties
    4t / 2t, won 6 6, scores 17 16, extra 0 4, sevens round : play:4t play:2t -> scores = 23 23; places = 2 1
equal scores and equal last rounds share the first place
    4t / 2t, won 6 6, scores 15 15, extra 0 3, sevens round : play:4t play:2t -> scores = 21 21; places = 1 1
a match goes on to its last round, is capped at max_rounds and ends like any other, with a tie, too
    4t / 2t, won 6 6, max_rounds 2 : play:4t play:2t -> round = 2
    4t / 2t, won 6 6, scores 1 2, extra 0 3, max_rounds 1 : play:4t play:2t -> seat = -; scores = 7 8; places = 2 1
    4t / 2t, won 6 6, scores 1 2, extra 0 2, max_rounds 1 : play:4t play:2t -> scores = 7 7; places = 1 2
"""

FACTS = {
    "deck": lambda state: facts_of(state)["deck"].split(),
    "hand": lambda state, seat: hand(state, int(seat)),
    "cards": lambda state, seat: (state.view(int(seat)).deck, state.view(int(seat)).other_hand),
    "steps": lambda state, seat: [[*step.values()] for step in state.view(int(seat)).as_dict()["now"]["steps"]],
    "buried": lambda state, seat: [[*pair.values()] for pair in state.view(int(seat)).as_dict()["now"]["buried"]],
    "up": lambda state: VOLE.text(state.view(1).up),
    "won": lambda state: state.view(0).won,
    "extra": lambda state: state.view(0).extra,
    "round": lambda state: state.view(0).round,
}


@examples.examples(RULES)
def test_what_follows_by_the_rules(example):
    hands, keys = examples.settings(example.given)
    examples.holds(GAME, board(*hands.split(" / "), **keys), example, FACTS)


def test_a_view_of_a_match_that_is_over_shows_its_end():
    state = board("4t", "2t", won=(6, 6), scores=(15, 10), extra=(0, 9))
    view = act(state, "play:4t play:2t").view(1)
    assert (view.over, view.scores, view.extra, view.won) == (True, (21, 22), (0, 0), (7, 6))
    assert (view.hand, view.other_hand, view.led) == ((), 0, None)
    assert view.as_dict()["now"] is None


def retraced(state: VoleState) -> VoleState:
    """The round of the state played again from what both seats saw of it; every step must be legal."""
    seen = [state.view(seat).as_dict()["now"] for seat in (0, 1)]
    burials = [[pair["buried"] for pair in now["buried"]] for now in seen]
    draws = [[pair["drew"] for pair in now["buried"]] for now in seen]
    if drawn := facts_of(state)["drawn"]:
        draws[state.seat].append(drawn)
    steps = [(step["seat"], step["action"]) for step in seen[0]["steps"]]
    dealt = [draws[seat].pop(0) for seat, action in steps if action in ("play:5t", "play:5k", "play:5m")]
    dealt += facts_of(state)["deck"].split()[: 6 - len(dealt)]
    hands = [" ".join(now["dealt"]) for now in seen]
    again = board(*hands, seen[0]["up"], " ".join(dealt), leader=seen[0]["leader"])
    assert sorted([*" ".join(hands).split(), seen[0]["up"], *dealt]) == sorted(VOLE.names)
    for seat, action in steps:
        assert again.seat == seat
        act(again, f"bury:{burials[seat].pop(0)}" if action == "bury" else action)
    return again


def facts_of_the_round(state: VoleState) -> list:
    facts = facts_of(state)
    return [state.seat, *[facts[name] for name in ("hands", "up", "deck", "drawn", "steps", "buried", "leader", "led")]]


@given(seed=st.integers(0, 2**64 - 1), decisions=st.integers(0, 90))
@settings(max_examples=200)
def test_what_is_imagined_can_have_come_about_by_the_rules(seed, decisions):
    state, rng = GAME.start(2, GAME.options(2, {}), seed), Random(seed)
    for _ in range(decisions):  # in which much happens: a 3, a 5 or an 11 is played at every other chance
        special = [action for action in state.legal() if action < len(VOLE) and VOLE.rank(action) in (2, 4, 10)]
        state.apply(pick(special if special and rng.random() < 0.5 else state.legal(), rng))
    for each in (state, *[GAME.imagine(state.view(me), rng) for me in (0, 1)]):
        assert facts_of_the_round(retraced(each)) == facts_of_the_round(each)
