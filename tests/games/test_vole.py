"""The rules of The Vole in the Valley, one by one."""

from random import Random

import pytest
from hypothesis import given

from tests.games.examples import examples, holds, settings
from tests.games.facts import facts_of, set_up
from tests.games.vole import GAME, SEEDS, act, board, deck, eager, events, hand, last_trick, winners
from tourney.base.errors import ConfigError
from tourney.contracts.cards import VOLE
from tourney.contracts.rng import derive, pick

# the deal


@given(seed=SEEDS)
def test_a_round_deals_thirteen_cards_each_one_trump_card_and_a_deck_of_six(seed):
    deal = GAME.event(GAME.start(2, GAME.options(2, {}), seed).log[0])
    assert [len(dealt) for dealt in deal["hands"]] == [13, 13]
    assert len(deal["deck"]) == 6
    dealt = [*deal["hands"][0], *deal["hands"][1], deal["up"], *deal["deck"]]
    assert sorted(dealt) == sorted(f"{rank}{suit}" for rank in range(1, 12) for suit in "tkm")


def test_chance_says_who_leads_each_round_and_every_round_is_dealt_anew():
    leaders = set()
    for seed in range(12):
        state = GAME.start(2, GAME.options(2, {}), seed)
        rng = Random(seed)
        while len(events(state, "deal")) < 2:
            state.apply(eager(state.legal(), rng))
        one, two = events(state, "deal")
        assert (one["round"], two["round"]) == (1, 2)
        assert one["hands"] != two["hands"]
        assert [hand(state, seat) for seat in (0, 1)] == [sorted(held, key=VOLE.card) for held in two["hands"]]
        assert state.seat == two["leader"]
        leaders.add((one["leader"], two["leader"]))
    assert leaders == {(0, 0), (0, 1), (1, 0), (1, 1)}


def test_who_leads_does_not_repeat_however_many_rounds_there_are():
    long = GAME.start(2, GAME.options(2, {"target": 10**6, "max_rounds": 300}), 7)
    rng = Random(1)
    while long.seat is not None:
        long.apply(pick(long.legal(), rng))
    found = [deal["leader"] for deal in events(long, "deal")]
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


# the rules by examples


RULES = """
the leader may play any card
    2t 11k 4m / 2k 4k 6k : -> legal = play:2t play:11k play:4m
the other seat must follow suit
    4t 6k / 2t 8t 10m : play:4t -> legal = play:2t play:8t
a seat that cannot follow may play any card
    4t 6k / 2k 8m : play:4t -> legal = play:2k play:8m
the winner leads next
    6t 2k / 4t 4k : play:6t play:4t -> winners = 0; won = 1 0; seat = 0
whoever it is
    4t 2k / 6t 4k : play:4t play:6t -> winners = 1; won = 0 1; seat = 1
seat 1 leads as well
    6t 2k / 4t 4k, leader 1 : play:4t play:6t -> winners = 0; seat = 0
and keeps the lead
    4t 2k / 6t 4k, leader 1 : play:6t play:4t -> winners = 1; seat = 1
a 3 lets its player swap the trump card before the next card
    3t 4t 6k / 2k 4k 8k : play:3t -> seat = 0; legal = swap:4t swap:6k keep
the swapped card is the trump card
    3t 4t 6k / 2k 4k 8k : play:3t swap:6k -> hand 0 = 4t 2m; up = 6k; seat = 1
a 3 need not be used
    3t 4t 6k / 2k 4k 8k : play:3t keep -> hand 0 = 4t 6k; up = 2m; seat = 1
the old trump counts for this trick if it is kept
    3t 2t / 4m 6m : play:3t keep play:4m -> winners = 1
a new trump counts for this trick when a 3 is led
    3t 2t / 4m 6m : play:3t swap:2t play:4m -> winners = 0
an answering 3 that keeps the trump loses off suit
    4k 6k / 3t 2t : play:4k play:3t keep -> winners = 0
a new trump counts for this trick when a 3 answers
    4k 6k / 3t 2t : play:4k play:3t swap:2t -> winners = 1
following suit does not depend on the trump that a 3 brings
    3t 2k / 4t 4k : play:3t swap:2k -> legal = play:4t
a 3 as the last card leaves nothing to swap
    3t / 4t : play:3t -> seat = 0; legal = keep
also if it answers, and the trick waits for it
    4t / 3k, won 6 6 : play:4t play:3k -> seat = 1; legal = keep; winners = -
then the trick is taken
    4t / 3k, won 6 6 : play:4t play:3k keep -> winners = 0
a 5 draws the top card of the deck
    5t 4t 6k / 2t 4k 8k, deck 8m 10m 4m : play:5t -> seat = 0; hand 0 = 4t 6k 8m; legal = bury:4t bury:6k bury:8m
and buries a card under it
    5t 4t 6k / 2t 4k 8k, deck 8m 10m 4m : play:5t bury:6k -> hand 0 = 4t 8m; deck = 10m 4m 6k; seat = 1
a 5 as the last card buries the card that it draws
    5t / 2t, deck 8m 10m : play:5t -> legal = bury:8m
and takes the trick
    5t / 2t, deck 8m 10m : play:5t bury:8m play:2t -> winners = 0
an answering 5 buries before the trick is taken
    4t 8t / 5t 4k, deck 8m 10m : play:4t play:5t -> seat = 1; winners = -
then the trick is taken
    4t 8t / 5t 4k, deck 8m 10m : play:4t play:5t bury:4k -> winners = 1
a 9 counts as the trump that a 3 keeps
    9t 2t / 3k 4m : play:9t play:3k keep -> winners = 0
and as the one that it brings
    9t 2t / 3k 10k : play:9t play:3k swap:10k -> winners = 0
if it answers, too
    3k 10k / 9t 2t : play:3k swap:10k play:9t -> winners = 1
a 9 that is led asks for its own suit
    9t 2k / 4t 4m : play:9t -> legal = play:4t
a 9 does not follow trumps
    6m 2k / 9t 4m : play:6m -> legal = play:4m
it follows its own suit
    6t 2k / 9t 4m : play:6t -> legal = play:9t
an 11 that is led compels the 1 or the highest card of its suit
    11t 2k / 1t 4t 8t 10m : play:11t -> legal = play:1t play:8t
without the 1 the highest
    11t 2k / 2t 4t 8t 10m : play:11t -> legal = play:8t
the 1 alone is both
    11t 2k / 1t 10m : play:11t -> legal = play:1t
an 11 compels nothing where its suit is missing
    11t 2k / 1k 4k 10m : play:11t -> legal = play:1k play:4k play:10m
nor the leader of the next trick
    4t 2t 6t / 11t 2k 4k : play:4t play:11t play:2k -> legal = play:2t play:6t
the next round starts with the scores and extra points so far
    2t / 4t, won 6 6, scores 4 5, extra 1 2 : play:2t play:4t -> scores = 7 11; extra = 1 2; won = 0 0; round = 2
of two seats beyond the target the higher wins
    4t / 2t, won 6 6, scores 20 19 : play:4t play:2t -> scores = 26 22; places = 1 2
also if it did not win the last trick
    4t / 2t, won 6 6, scores 18 22 : play:4t play:2t -> scores = 24 25; places = 2 1
sevens by game join the scores after the last round, and can decide
    4t / 2t, won 6 6, scores 15 10, extra 0 9 : play:4t play:2t -> points = 6 3; scores = 21 22; places = 2 1
they do not count towards the target
    4t / 2t, won 6 6, scores 14 10, extra 5 5 : play:4t play:2t -> scores = 20 13; round = 2
sevens by round count with the round and towards the target
    4t / 2t, won 6 6, scores 14 10, extra 1 2, sevens round : play:4t play:2t
      -> points = 7 5; seat = -; scores = 21 15; extra = 0 0
they are paid once
    4t / 2t, won 6 6, extra 1 2, sevens round : play:4t play:2t -> round = 2; scores = 7 5; extra = 0 0
a tie goes to the seat with more points in the last round
    4t / 2t, won 6 6, scores 15 18 : play:4t play:2t -> scores = 21 21; places = 1 2
whichever it is
    2t / 4t, won 6 6, scores 18 15 : play:2t play:4t -> scores = 21 21; places = 2 1
sevens by round are points of the last round for ties
    4t / 2t, won 6 6, scores 17 16, extra 0 4, sevens round : play:4t play:2t -> scores = 23 23; places = 2 1
equal scores and equal last rounds share the first place
    4t / 2t, won 6 6, scores 15 15, extra 0 3, sevens round : play:4t play:2t -> scores = 21 21; places = 1 1
a match goes on to its last round
    4t / 2t, won 6 6, max_rounds 2 : play:4t play:2t -> round = 2
a match is capped at max_rounds and ends like any other
    4t / 2t, won 6 6, scores 1 2, extra 0 3, max_rounds 1 : play:4t play:2t -> seat = -; scores = 7 8; places = 2 1
ties after the last round allowed, too
    4t / 2t, won 6 6, scores 1 2, extra 0 2, max_rounds 1 : play:4t play:2t -> scores = 7 7; places = 1 2
"""

FACTS = {
    "deck": deck,
    "hand": lambda state, seat: hand(state, int(seat)),
    "up": lambda state: VOLE.text(state.view(1).up),
    "won": lambda state: state.view(0).won,
    "extra": lambda state: state.view(0).extra,
    "round": lambda state: state.view(0).round,
}


@examples(RULES)
def test_what_follows_by_the_rules(example):
    hands, given = settings(example.given)
    pairs = {key: tuple(map(int, given.pop(key).split())) for key in ("won", "scores", "extra") if key in given}
    numbers = {key: int(given.pop(key)) for key in ("leader", "max_rounds") if key in given}
    holds(GAME, board(*hands.split(" / "), **given, **pairs, **numbers), example, FACTS)


@pytest.mark.parametrize(
    ("led", "answer", "up", "winner"),
    [
        ("4t", "6t", "2m", 1),
        ("6t", "4t", "2m", 0),
        ("2t", "10k", "2m", 0),  # off suit
        ("10t", "2m", "4m", 1),  # a trump
        ("2m", "10t", "4m", 0),
        ("6m", "8m", "4m", 1),
        ("8m", "6m", "4m", 0),
        ("10t", "9k", "2m", 1),  # a lone 9 counts as a trump
        ("9t", "10k", "2m", 0),
        ("9t", "11t", "2m", 0),  # also against its own suit
        ("11k", "9k", "2m", 1),
        ("9t", "9k", "2m", 0),  # two 9s are of their own suits
        ("9t", "9m", "2m", 1),  # one of them a trump as printed
        ("9m", "9t", "2m", 0),
        ("9t", "8m", "2m", 0),  # a 9 and a trump compare by rank
        ("9t", "10m", "2m", 1),
        ("8m", "9t", "2m", 1),
        ("10m", "9t", "2m", 0),
        ("9m", "10m", "2m", 1),
    ],
)
def test_who_wins_a_trick(led, answer, up, winner):
    assert winners(act(board(f"{led} 2k", f"{answer} 4k", up), f"play:{led} play:{answer}")) == [winner]


@pytest.mark.parametrize(
    ("led", "answer", "winner", "leads"),
    [
        ("1t", "2t", 1, 0),  # lost by the leader
        ("4t", "1t", 0, 1),  # lost by the other seat
        ("1t", "2k", 0, 0),  # won with the 1
        ("4t", "1m", 1, 1),  # won with a trump 1
        ("1t", "1k", 0, 1),
        ("1t", "1m", 1, 0),
    ],
)
def test_whoever_loses_a_trick_with_a_one_leads_the_next(led, answer, winner, leads):
    state = act(board(f"{led} 6k", f"{answer} 4k"), f"play:{led} play:{answer}")
    assert (winners(state), state.seat) == ([winner], leads)


@pytest.mark.parametrize(
    ("led", "answer", "extra"),
    [("7t", "4t", (1, 0)), ("7t", "8t", (0, 1)), ("6t", "7t", (0, 1)), ("7t", "7k", (2, 0)), ("7t", "7m", (0, 2))],
)
def test_each_seven_is_an_extra_point_for_the_winner_of_its_trick(led, answer, extra):
    state = act(board(f"{led} 2k", f"{answer} 4k", extra=(3, 4)), f"play:{led} play:{answer}")
    assert state.view(0).extra == (3 + extra[0], 4 + extra[1])


@pytest.mark.parametrize(("tricks", "points"), list(enumerate([6, 6, 6, 6, 1, 2, 3, 6, 6, 6, 0, 0, 0, 0])))
def test_tricks_pay(tricks, points):
    state = last_trick(0, (tricks - 1, 13 - tricks)) if tricks else last_trick(1, (0, 12))
    (score,) = events(state, "score")
    assert score["points"][0] == points
    assert score["scores"] == score["points"]


@pytest.mark.parametrize(("missing", "over"), [(7, False), (6, True), (5, True)])
@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize(("options", "target"), [({}, 21), ({"target": 16}, 16)])
def test_the_match_ends_when_a_seat_has_reached_the_target(missing, over, seat, options, target):
    before = target - missing
    state = last_trick(seat, (6, 6), scores=(before, 0) if seat == 0 else (0, before), **options)
    assert (state.seat is None) == over
    assert state.scores[seat] == before + 6
    if over:
        assert state.places == ((1, 2), (2, 1))[seat]


@pytest.mark.parametrize("wrong", [{"target": 0}, {"max_rounds": 0}, {"sevens": "trick"}, {"target": "21"}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError):
        GAME.options(2, wrong)
