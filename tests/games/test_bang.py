"""Bang, rule by rule (docs/rules/bang.md)."""

import re
from collections import Counter
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.examples import examples, holds, settings
from tests.games.facts import facts_of
from tourney import testing
from tourney.base.errors import ConfigError
from tourney.contracts.cards import BANG
from tourney.games.bang import Bang, BangOptions, BangState

GAME = Bang()
ANTICIPATE, WAIT, HIT, HOLD = range(4)
CONDITIONS = ("pair", "sandwich", "marriage", "ten", "run")
OPTIONS = {"bang_on": st.lists(st.sampled_from(CONDITIONS), unique=True), "anticipation": st.booleans()}
OPTIONS |= {"penalty": st.sampled_from([1, 1, 2, 7, 54]), "max_turns": st.sampled_from([1, 10, 60, 200, 2000])}
EAGER = st.sampled_from([0.02, 0.2, 0.6])


def position(*stocks: str, **facts) -> BangState:
    """A match before a card is turned; what names an option is one, the rest are facts."""
    options = {key: facts.pop(key) for key in BangOptions.__struct_fields__ if key in facts}
    return testing.position(GAME, seats=len(stocks), options=options, stocks=stocks, **facts)


def laid(*stocks: str, rest: int | None = None, seed: int = 1, **given) -> BangState:
    """A match at its start with these stocks, top first; the cards not named go to the bottom of the stock `rest`."""
    named = " ".join(stocks).split()
    left = " ".join([card for card in BANG.names if card not in named])
    full = [f"{stock} {left}" if seat == rest else stock for seat, stock in enumerate(stocks)]
    return position(*full, seed=seed, **given)


def turn(state: BangState, anticipate: tuple[int, ...] = (), bang: tuple[int, ...] = ()) -> None:
    """One card is turned and settled, with these seats reacting."""
    number = len(state.view(0).turns) + 1
    while len(state.view(0).turns) < number:
        if state.legal()[0] == ANTICIPATE:
            state.play(ANTICIPATE if state.seat in anticipate else WAIT)
        else:
            state.play(HIT if state.seat in bang else HOLD)


def events(state: BangState, kind: str | None = None) -> list[dict]:
    return [event for event in testing.events(GAME, state, kind) if event["kind"] != "act"]


def random_match(seats: int, options: dict, seed: int, eager: float = 0.5):
    state = GAME.start(seats, GAME.options(seats, options), seed)
    rng = Random(seed)
    while state.seat is not None:
        yield state
        state.play(state.legal()[rng.random() >= eager])
    yield state


RULES = """
without a debt the seats with cards take turns
    2c / - / 7d 9d 2h / 5c 3c Tc, rest 3 : 0 2 3 2 -> mover = 3
a jack is an ordinary card, and ends no debt
    Jc 6d / 2c / 8c, rest 2 : 0 -> debt = 0; mover = 1
    Qc 6d / Jc 2c / 8c, rest 2 : 0 1 1 -> stock 0 = 6d Qc Jc 2c
a joker costs one card, which its player is paid; then it moves
    X2 6d / 2c 5d / 8c 3c, rest 2 : 0 -> mover = 1; debt = 1; creditor = 0
      : 1 -> stock 0 = 6d X2 2c; mover = 0; debt = 0; creditor = -; pile = -
a court card ends the debt, and the next seat owes for the new one, and so on; the last of them is paid all
    Ac 6d / 2c Kd 9h / X1 4d / 5c 7c, rest 3 : 0 1 1 -> mover = 2; debt = 3; creditor = 1
      : 2 -> mover = 3; debt = 1; creditor = 2 : 3 -> stock 2 = 4d Ac 2c Kd X1 5c; mover = 2
a court card as the last card owed still opens its debt
    X1 6d / Qd 9h / 2c 4d, rest 2 : 0 1 -> piles = -; mover = 2; debt = 2; creditor = 1
a seat that turns its last card passes the rest of the debt to the next, who pays it
    Ac 6d / 2c / 8c 4d 9d, rest 2 : 0 1 -> mover = 2; debt = 3; creditor = 0 : 2 2 2 -> stock 0 = 6d Ac 2c 8c 4d 9d
a debt may come back to the seat that it is owed to, and is paid by it
    Kc 6d 4h 9s / 2c, rest 0 : 0 1 -> mover = 0; debt = 2; creditor = 0 : 0 0 -> scores = 54 0
a seat that pays its last card as a penalty passes the rest of the debt
    Ac 6d / 2c 5h / 8c 4d, rest 2 : 0 1b1 -> mover = 2; debt = 3; creditor = 0
a seat that loses its last card before its debt starts does not owe
    Qc 6d / 2c / 8c 4d 7h, rest 2 : 0b1 -> mover = 2; debt = 2; creditor = 0
a seat without cards gets the pile that it is owed
    X1 / 2c 5h / 8c 4d, rest 2 : 0 1 -> stock 0 = X1 2c; mover = 0
penalty cards are passed over by reasons; a sandwich about one card, whatever lies under the pile
    5c 6d / 2c 7d / 5d 4d, rest 2, bang_on pair sandwich : 0b1 -> pile = 5c; under = 2c
      : 1 2b0 -> stock 0 = 6d 2c 5c 7d 5d
a reason passes with the next card
    5c 6d / 5d 7d, rest 1 : 0 1 0b0 -> piles = -; stock 0 = -
a reason that nobody sees changes nothing
    Kc 6d 2h / Kd 9h / 8d 7d 3c 4c, rest 2 : 0 1 -> mover = 2; debt = 3; creditor = 1
with no conditions every bang is wrong
    5c 6d / 5d 7d, rest 1, bang_on : 0 1b0 -> under = 6d
a right bang takes the pile and moves next
    5c 6d / 5d 7d / 8c, rest 2 : 0 1b0 -> stock 0 = 6d 5c 5d; piles = 0; mover = 0
a right bang voids an open debt
    Ac 6d / 5c 5d 7d / 8c, rest 2 : 0 1 1b2 -> mover = 2; debt = 0; creditor = -
a court card that is banged opens no debt
    Kc 6d / Kd 7d / 8c, rest 2 : 0 1b0 -> mover = 0; debt = 0; creditor = -
a right bang comes before a debt that is paid
    Qc 6d / 5c 5d 7d / 8c, rest 2 : 0 1 1b1 -> stock 1 = 7d Qc 5c 5d; piles = 1
a wrong bang is paid for before a debt that is paid gives the pile away
    X1 6d / 5c 5d 7d / 8c, rest 2 : 0 1b1 -> stock 0 = 6d 5d X1 5c; stock 1 = 7d
a seat that has run out is asked, and may bang its way back
    5c / 5d 7d / 8c, rest 2 : 0 -> stock 0 = -; seat = 0 : 1b0 -> stock 0 = 5c 5d; mover = 0
penalties go under the pile, in seat order, each card below the last, as far as the stock does
    5c 6d 9h / 4d 7d, rest 1 : 0b0 -> stock 0 = 9h; under = 6d; mover = 1
    5c 6d 9h 2h / 4d 7d Jc 2s / 8c 8d 3c Ks, rest 2, penalty 2 : 0a2b01 -> under = 8d 8c 7d 4d 9h 6d
    5c 6d 9h / - / 4d 7d, rest 2, penalty 3 : 0b01 -> scores = 0 0 51; under = 9h 6d; penalties = 0 2
the match ends when one stock holds all cards; who never had any is last
    5c / 5d / -, rest 0 : 0 1b0 -> seat = -; scores = 54 0 0; places = 1 2 3
the others rank by when they ran out, and share a place when it was by the same card
    2c 9h / 4d / 5h / 9d, rest 0 : 0 1b2 3 0b0 -> scores = 54 0 0 0; places = 1 3 3 2
a seat that came back ranks by the last time it ran out
    5c / 5d / 5s 6h 9d, rest 2 : 0 1b0 0b0 2a2 -> places = 2 3 1
when nobody has cards left the pile goes to the seat that a debt is owed to, or the last to turn
    Ac / 2c / -, rest 1, penalty 60 : 0 1b1 -> seat = -; scores = 54 0 0; piles = 0
    3c / 2c, rest 1, penalty 60 : 0 1b1 -> scores = 0 54; places = 2 1
a court card as the very last card gives its player the pile
    3c / 2c / Kc, rest 1, penalty 60 : 0b1 2 -> scores = 0 0 54; places = 2 2 1
after max_turns the places go by score, and the pile is nobody's, also after the first turn
    2c 3c / 4d / 5h 9d, rest 0, max_turns 3 : 0 1 2b2 -> seat = -; scores = 50 0 0; places = 1 2 2
    2c 3c / 4d 9d / 5h, rest 0, max_turns 1 : 0 -> scores = 50 2 1; places = 1 2 3
the last card of a capped match is settled: by a bang, or as a debt that is paid
    5c 6d / 5d 7d / 8c, rest 2, max_turns 2 : 0 1b0 -> scores = 3 1 50
    X1 6d / 5d 7d / 8c, rest 2, max_turns 2 : 0 1 -> scores = 3 1 50
a match that is won with the last card that it may turn ranks by score, or by who ran out before
    5c / 6d / 5d, rest 0, max_turns 3 : 0 1 2b0 -> scores = 54 0 0; places = 1 2 2
    5c / 6d / 5d, rest 0, max_turns 4 : 0 1 2b0 -> scores = 54 0 0; places = 1 3 2
"""
"""An action here is a turned card: the seat that turns it, and after `a` and `b` who anticipates and bangs."""

FACTS = {
    "stock": lambda state, seat: facts_of(state)["stocks"][int(seat)].split(),
    "under": lambda state: facts_of(state)["under"].split(),
    "pile": lambda state: BANG.texts(state.view(0).pile),
    "piles": lambda state: [event["seat"] for event in events(state, "pile")],
    "penalties": lambda state: state.view(0).turns[-1].penalties,
    "mover": lambda state: state.view(0).mover,
    "debt": lambda state: state.view(1).debt,
    "creditor": lambda state: state.view(1).creditor,
}


@examples(RULES)
def test_what_follows_by_the_rules(example):
    stocks, given = settings(example.given)
    given |= {"bang_on": given["bang_on"].split()} if "bang_on" in given else {}
    holds(GAME, laid(*[each.strip("-") for each in stocks.split(" / ")], **given), example, FACTS, turns)


def turns(state: BangState, actions: str) -> None:
    for action in actions.split():
        mover, anticipate, bang = re.fullmatch(r"(\d)a?(\d*)(?:b(\d+))?", action).groups("")
        assert state.view(0).mover == int(mover)
        turn(state, tuple(map(int, anticipate)), tuple(map(int, bang)))


@pytest.mark.parametrize(("bang", "scores"), [((), (54, 0)), ((1,), (0, 54)), ((0,), (54, 0))])
def test_a_right_bang_on_the_very_last_card_comes_before_its_player(bang, scores):
    state = position("3d", "", pile="3c", under=" ".join([card for card in BANG.names if card not in ("3c", "3d")]))
    turn(state, bang=bang)
    assert state.scores == scores


def reason(pile: str, *conditions: str) -> bool:
    """Whether the last card is a reason when it is turned onto the others."""
    *before, last = pile.split()
    state = position(last, "", pile=" ".join(before), bang_on=list(conditions))
    while state.legal()[0] == ANTICIPATE:
        state.play(WAIT)
    assert BANG.texts(state.view(0).pile) == pile.split()
    return state.view(1).reason


@pytest.mark.parametrize(
    ("condition", "right", "wrong"),
    [
        ("pair", ["6c 6d", "2h 9c 9h", "X1 X2", "Ts Td"], ["5c 6c", "5c 2h 5d", "5d"]),
        ("sandwich", ["5c 2h 5d", "X1 2h X2", "9d 5c 5d 5h"], ["5c 2h 3h 5d", "2c 5c 5d", "5c 5d"]),
        ("marriage", ["Kc Qd", "Qd Kc"], ["Kc Kd", "Qd Qh", "Kc 2h Qd", "Ac Kc", "Jc Qc"]),
        ("ten", ["8c 2d", "3c 7h", "5c 5d", "Ac 9c", "9c Ac"], ["Tc", "Tc 2d", "8c 3c", "Ac Jc", "8c X1 2d", "Kc Tc"]),
        ("run", ["2c 3d 4h", "Qc Kd Ah", "Th 9d 8c", "Ac Kd Qc"],
         ["2c 4d 3h", "Kc Ad 2h", "2c 3d", "9c X1 8c", "Kc Ad X1", "X1 2c 3c", "4c 5c 5d"]),
    ],
)  # fmt: skip
def test_each_condition_is_a_reason_on_its_own_and_only_where_it_is_named(condition, right, wrong):
    others = [name for name in CONDITIONS if name != condition]
    for pile in (*right, *wrong):
        assert reason(pile, condition) == (pile in right), pile
        assert pile in wrong or reason(pile, *others, condition), pile
    assert not reason(right[0], *others)


@pytest.mark.parametrize(("anticipate", "bang"), [((), (0, 1, 3)), ((1, 3), (0, 2))])
def test_the_quickest_that_anticipates_or_else_bangs_wins_and_the_others_pay_nothing(anticipate, bang):
    seen = set()
    for seed in range(30):
        state = laid("5c 6d", "5d 7d", "8c", "4c", rest=3, seed=seed)
        turn(state)
        order = facts_of(state)["reflexes"]
        turn(state, anticipate, bang)
        winner = next(seat for seat in order if seat in (anticipate or bang))
        assert events(state, "pile") == [{"kind": "pile", "seat": winner}]
        assert sum(state.scores) == 54
        assert state.view(0).turns[-1].penalties == ()
        seen.add((winner, order[0] == winner))
    assert seen == {(winner, first) for winner in anticipate or bang for first in (True, False)}


def test_a_card_that_all_anticipate_is_settled_at_once():
    state = laid("5c 6d", "2c 3d", "8s", rest=2)
    for _ in range(3):
        state.play(ANTICIPATE)
    assert state.view(0).turns[0].anticipated == (0, 1, 2)
    assert state.legal() == (ANTICIPATE, WAIT)
    assert len(state.view(0).under) == 3


def test_the_order_of_reflexes_depends_on_the_seed_and_the_number_of_the_card_alone():
    def orders(seed: int, eager: float, **options) -> list[list[int]]:
        *_, state = random_match(5, options | {"max_turns": 40}, seed, eager)
        return [event["order"] for event in events(state, "reflex")]

    for one, other in zip(orders(3, 0.1), orders(3, 0.02, anticipation=False, penalty=2), strict=False):
        assert one == other
    assert orders(3, 0.01) != orders(4, 0.01)
    assert len({tuple(each) for each in orders(3, 0.01)}) > 20
    firsts = Counter(each[0] for seed in range(25) for each in orders(seed, 0.01))
    assert sorted(firsts) == [0, 1, 2, 3, 4]
    assert min(firsts.values()) > sum(firsts.values()) / 7


def test_impossible_options_are_refused():
    unknown, twice = 'options: bang_on: no condition "pear"; did you mean "pair"', 'bang_on: "run" is listed twice'
    for names, says in (("pear", unknown), ("run pair run", twice)):
        with pytest.raises(ConfigError, match=says):
            GAME.options(2, {"bang_on": names.split()})


@given(st.sampled_from(GAME.seats), st.fixed_dictionaries(OPTIONS), st.integers(0, 2**128 - 1), EAGER)
def test_cards_are_conserved_and_memory_is_right_at_every_step(seats, options, seed, eager):
    for state in random_match(seats, options, seed, eager):
        view = state.view(0)
        there = facts_of(state)
        places = [BANG.cards(text) for text in (*there["stocks"], there["under"], there["pile"])]
        assert sorted(card for place in places for card in place) == list(range(54))
        turned = {entry.card for entry in view.turns} | set(view.pile)
        assert set(view.unseen) == set(range(54)) - turned
        for known, real in zip((*view.known, view.under), places, strict=False):
            assert len(known) == len(real)
            for card, true in zip(known, real, strict=True):
                assert card == true if true in turned or len(turned) == 53 else card is None
        assert view.sizes == state.scores
        assert view.over == (state.seat is None)
        assert (view.debt == 0) == (view.creditor is None)
        if not view.over and view.question == "anticipate":
            assert view.sizes[view.mover] > 0


def test_open_answers_of_others_and_the_reflexes_are_imagined_in_every_way_and_the_own_answer_is_kept():
    state = laid("5c 6d", "2c 3d", "8s", "4c", rest=3)
    for action in (ANTICIPATE, ANTICIPATE, WAIT):
        state.play(action)
    rng = Random(4)
    drawn = [GAME.imagine(state.view(1), rng) for _ in range(60)]
    either = ("anticipate", "wait")
    ours = {f"{one} anticipate {other}" for one in either for other in either}
    assert {facts_of(each)["answers"] for each in drawn} == ours
    assert len({tuple(facts_of(each)["reflexes"]) for each in drawn}) > 10
    assert {each.view(1).answer for each in drawn} == {ANTICIPATE}
    everything = {" ".join(answers) for answers in product(either, repeat=3)}
    assert {facts_of(GAME.imagine(state.view(3), rng))["answers"] for _ in range(100)} == everything
