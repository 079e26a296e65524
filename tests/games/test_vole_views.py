"""What a seat of The Vole in the Valley sees, what it must not know, and what it can work out."""

from collections.abc import Iterator
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given, settings

from tests.games.facts import facts_of, set_up
from tests.games.vole import (
    FULL,
    GAME,
    SEEDS,
    act,
    board,
    cards,
    deck,
    eager,
    events,
    hand,
    last_trick,
    moments,
    winners,
)
from tests.referee.vole import playable
from tourney.contracts.cards import VOLE
from tourney.contracts.rng import shuffle
from tourney.games.vole import VoleState

# what a seat sees


def test_a_view_shows_the_round_so_far():
    state = act(board(**FULL, scores=(4, 9), extra=(0, 1)), "play:5t bury:2m play:2t play:3t swap:1t play:8t")
    mine, theirs = state.view(0), state.view(1)
    assert (mine.seat, theirs.seat) == (0, 1)
    assert VOLE.texts(mine.hand) == ["7t", "9t", "11t", "1k", "3k", "5k", "7k", "10k", "4m", "6m", "8m"]
    assert VOLE.texts(theirs.hand) == ["4t", "6t", "10t", "2k", "4k", "6k", "8k", "1m", "3m", "5m", "7m"]
    assert mine.buried == ((VOLE.card("7k"), VOLE.card("2m")),)
    assert theirs.buried == ()
    for view in (mine, theirs):
        assert (VOLE.text(view.up), view.trump) == ("1t", 0)
        assert [(trick.leader, VOLE.texts(trick.cards), trick.winner) for trick in view.tricks] == [
            (0, ["5t", "2t"], 0),
            (0, ["3t", "8t"], 1),
        ]
        assert [trick.trump for trick in view.tricks] == [1, 0]
        assert (view.round, view.led, view.leader, view.over) == (1, None, 1, False)
        assert (view.won, view.scores, view.extra) == ((1, 1), (4, 9), (0, 1))
        assert (view.deck, view.other_hand, view.rounds) == (6, 11, ())
        assert view.options == GAME.options(2, {})


def test_a_view_shows_the_trick_in_progress():
    state = act(board(**FULL, leader=1), "play:10t")
    for seat in (0, 1):
        view = state.view(seat)
        assert (view.leader, VOLE.text(view.led), view.tricks) == (1, "10t", ())
        assert view.other_hand == (12, 13)[seat]


@pytest.mark.parametrize("answer", ["play:5m", "play:3m"])
def test_a_trick_is_in_progress_until_its_ability_is_settled(answer):
    view = act(board(**FULL, leader=0), f"play:4m {answer}").view(0)
    assert (view.tricks, view.leader, VOLE.text(view.led), view.won) == ((), 0, "4m", (0, 0))


def test_a_seat_sees_that_the_other_drew_and_buried_and_not_which():
    state = act(board(**FULL), "play:5t")
    assert (state.view(0).deck, state.view(1).deck) == (5, 5)
    assert (state.view(0).other_hand, state.view(1).other_hand) == (13, 13)
    assert "7k" in hand(state, 0)
    act(state, "bury:1k")
    assert (state.view(1).deck, state.view(1).other_hand) == (6, 12)
    assert state.view(1).as_dict()["now"]["steps"] == [
        {"seat": 0, "action": "play:5t"},
        {"seat": 0, "action": "bury"},
    ]
    assert state.view(1).as_dict()["now"]["buried"] == []
    assert state.view(0).as_dict()["now"]["buried"] == [{"drew": "7k", "buried": "1k"}]


def test_a_view_as_json():
    state = act(board(**FULL), "play:3t swap:2m play:2t play:5t bury:7k play:6t play:2k")
    assert state.view(0).as_dict() == {
        "seat": 0,
        "round": 1,
        "hand": ["1t", "7t", "9t", "11t", "1k", "3k", "5k", "10k", "4m", "6m", "8m"],
        "up": "2m",
        "leader": 1,
        "led": "2k",
        "won": [1, 1],
        "scores": [0, 0],
        "extra": [0, 0],
        "deck": 6,
        "other_hand": 10,
        "now": {
            "leader": 0,
            "dealt": ["1t", "3t", "5t", "7t", "9t", "11t", "1k", "3k", "5k", "2m", "4m", "6m", "8m"],
            "up": "10k",
            "steps": [
                {"seat": 0, "action": "play:3t"},
                {"seat": 0, "action": "swap:2m"},
                {"seat": 1, "action": "play:2t"},
                {"seat": 0, "action": "play:5t"},
                {"seat": 0, "action": "bury"},
                {"seat": 1, "action": "play:6t"},
                {"seat": 1, "action": "play:2k"},
            ],
            "tricks": [
                {"leader": 0, "cards": ["3t", "2t"], "winner": 0},
                {"leader": 0, "cards": ["5t", "6t"], "winner": 1},
            ],
            "buried": [{"drew": "7k", "buried": "7k"}],
        },
        "rounds": [],
        "over": False,
    }


def test_a_seat_remembers_the_rounds_that_are_over():
    state = GAME.start(2, GAME.options(2, {"max_rounds": 2, "target": 40}), 3)
    rng = Random(3)
    seen: list[list] = [[], []]
    while state.seat is not None:
        if state.view(0).round == 1:
            for seat in (0, 1):
                seen[seat].append(state.view(seat))
        state.apply(eager(state.legal(), rng))
    deals, scores = events(state, "deal"), events(state, "score")
    for seat in (0, 1):
        view, last = state.view(seat), seen[seat][-1]
        assert len(view.rounds) == 2
        one = view.rounds[0]
        assert (one.leader, VOLE.text(one.up)) == (deals[0]["leader"], deals[0]["up"])
        assert VOLE.texts(one.dealt) == VOLE.texts(seen[seat][0].hand)
        assert one.steps[: len(last.steps)] == last.steps
        assert one.buried[: len(last.buried)] == last.buried
        assert sum(one.won) == 13
        assert [list(each.points) for each in view.rounds] == [score["points"] for score in scores]
        shown = view.as_dict()["rounds"]
        assert shown[0]["dealt"] == VOLE.texts(one.dealt)
        assert len(shown[0]["tricks"]) == 13


def test_a_view_of_a_match_that_is_over_shows_its_end():
    view = last_trick(0, (6, 6), scores=(15, 10), extra=(0, 9)).view(1)
    assert (view.over, view.scores, view.extra, view.won) == (True, (21, 22), (0, 0), (7, 6))
    assert (view.hand, view.other_hand, view.led) == ((), 0, None)
    assert view.as_dict()["now"] is None


# what a seat must not know


def other_cards_hidden_from(state: VoleState, me: int, rng: Random) -> VoleState:
    """The same moment with all that seat `me` has not seen exchanged: cards, what was dealt, the chance to come."""
    other = 1 - me
    facts = facts_of(state)
    sight = {*facts["hands"][me].split(), facts["up"], *[step["action"].split(":")[-1] for step in facts["steps"]]}
    sight |= {pair["buried"] for pair in facts["buried"][me]}
    unseen = [card for card in VOLE.names if card not in sight]
    mixed = list(unseen)
    shuffle(mixed, rng)
    becomes = {card: card for card in VOLE.names} | dict(zip(unseen, mixed, strict=True))

    def exchanged(cards: str) -> str:
        return " ".join([becomes[card] for card in cards.split()])

    facts["hands"][other] = exchanged(facts["hands"][other])
    facts["deck"] = exchanged(facts["deck"])
    if facts["drawn"] and state.seat == other:
        facts["drawn"] = becomes[facts["drawn"]]
    facts["buried"][other] = [{what: becomes[card] for what, card in pair.items()} for pair in facts["buried"][other]]
    facts["start"]["hands"][other] = exchanged(facts["start"]["hands"][other])
    for past in facts["rounds"]:
        past["start"]["hands"][other], past["buried"][other] = "", []
    return set_up(GAME, 2, state.view(me).options, **facts, seed=12345)


@given(state=moments(), seed=SEEDS)
@settings(max_examples=150)
def test_a_view_does_not_depend_on_what_the_seat_has_not_seen(state, seed):
    for me in (0, 1):
        changed = other_cards_hidden_from(state, me, Random(seed))
        assert changed.view(me) == state.view(me)
        assert changed.view(me).as_dict() == state.view(me).as_dict()


@given(state=moments(), seed=SEEDS)
def test_what_is_imagined_does_not_depend_on_what_the_seat_has_not_seen(state, seed):
    for me in (0, 1):
        changed = other_cards_hidden_from(state, me, Random(seed))
        one, two = [GAME.imagine(each.view(me), Random(seed)) for each in (state, changed)]
        assert whole(one) == whole(two)


def whole(state: VoleState) -> tuple:
    """All that the state holds, and how it goes on: the rounds that are yet to be dealt are part of it."""
    facts, rng = facts_of(state), Random(0)
    while state.seat is not None:
        state.apply(eager(state.legal(), rng))
    return facts, state.log


# what a seat can work out, and imagines by


def deal(first: str, second: str, up: str, leader: int = 0) -> VoleState:
    """A round with these hands of 13; the deck holds what remains of the pack, in order."""
    away = [*cards(first), *cards(second), VOLE.card(up)]
    deck = VOLE.texts([card for card in range(len(VOLE)) if card not in away])
    assert (len(away), len(deck)) == (27, 6)
    return board(first, second, up, " ".join(deck), leader)


def imagined(state: VoleState, me: int = 0, times: int = 150) -> list[VoleState]:
    view = state.view(me)
    return [GAME.imagine(view, Random(i)) for i in range(times)]


def sometimes_held(states: list[VoleState]) -> set[str]:
    """The cards that seat 1 holds in some of the states."""
    return {card for state in states for card in hand(state, 1)}


def always_held(states: list[VoleState]) -> set[str]:
    return set.intersection(*[set(hand(state, 1)) for state in states])


def drawn_and_buried(state: VoleState) -> list[str]:
    """The cards that seat 1 first drew and buried."""
    first = facts_of(state)["buried"][1][0]
    return [first["drew"], first["buried"]]


NO_TOWERS = "1k 2k 3k 4k 5k 6k 7k 8k 1m 2m 3m 4m 5m"
TOWERS = "1t 2t 3t 4t 5t 6t 7t 8t 9t 9k 10k 11k 6m"
FEW_TOWERS = "2t 4t 6t 9k 10k 11k 1m 2m 3m 4m 5m 6m 7m"
ELEVEN = "11t 3t 5t 7t 9t 1k 2k 3k 4k 5k 6k 7k 8k"


def test_any_unseen_card_may_be_anywhere_before_the_first_trick():
    states = imagined(deal(TOWERS, NO_TOWERS, "7m"))
    unseen = set(VOLE.names) - set(TOWERS.split()) - {"7m"}
    assert sometimes_held(states) == unseen
    assert always_held(states) == set()
    assert {deck(state)[0] for state in states} == unseen


def test_a_seat_that_did_not_follow_has_no_card_of_the_suit():
    states = imagined(act(deal(TOWERS, NO_TOWERS, "7m"), "play:2t play:2k"))
    held = sometimes_held(states)
    assert held == set(VOLE.names) - set(TOWERS.split()) - {"7m", "2k", "10t", "11t"}
    assert all({"10t", "11t"} <= set(deck(state)) for state in states)


def test_a_void_says_nothing_about_a_card_drawn_after_it():
    states = imagined(act(deal(TOWERS, NO_TOWERS, "7m"), "play:2t play:5k bury:1k"))
    towers = [{card for card in hand(state, 1) if card.endswith("t")} for state in states]
    assert {"10t"} in towers
    assert set() in towers
    for state, held in zip(states, towers, strict=True):
        assert held <= {drawn_and_buried(state)[0]}


def test_a_void_says_something_about_what_was_drawn_and_buried_before_it():
    state = act(deal(TOWERS, NO_TOWERS, "7m", leader=1), "play:5k bury:10t play:9k play:2t play:2k")
    states = imagined(state)
    assert not [card for card in sometimes_held(states) if card.endswith("t")]
    pairs = [drawn_and_buried(each) for each in states]
    assert {"10t", "11t"} <= {buried for _, buried in pairs}
    assert all(buried == drawn for drawn, buried in pairs if drawn.endswith("t"))


def test_an_answer_to_an_eleven_is_the_highest_of_its_suit():
    states = imagined(act(deal(ELEVEN, FEW_TOWERS, "8m"), "play:11t play:6t"))
    assert not sometimes_held(states) & {"8t", "10t"}
    assert {"1t", "2t", "4t"} <= sometimes_held(states)  # a 1 may be held back
    assert not always_held(states) & {"1t", "2t", "4t"}


def test_a_one_in_answer_to_an_eleven_says_nothing_more():
    state = deal(ELEVEN, FEW_TOWERS.replace("2t", "1t"), "8m")
    assert {"2t", "4t", "6t", "8t", "10t"} <= sometimes_held(imagined(act(state, "play:11t play:1t")))


def test_a_swapped_in_card_is_held_until_it_is_shown():
    state = act(deal(ELEVEN, FEW_TOWERS, "8m", leader=1), "play:3m swap:9k play:11t")
    states = imagined(state)
    assert "8m" in always_held(states)
    assert "9k" not in sometimes_held(states)
    act(state, "play:10k play:2k play:8m play:4k")
    assert "8m" not in sometimes_held(imagined(state))


def test_a_swapped_in_card_may_have_been_buried():
    state = act(deal(ELEVEN, FEW_TOWERS, "8m", leader=1), "play:3m swap:9k play:11t play:5m bury:1m play:2k")
    states = imagined(state)
    kept = ["8m" in hand(each, 1) for each in states]
    assert kept == [drawn_and_buried(each)[1] != "8m" for each in states]
    assert any(kept)
    assert not all(kept)


def test_a_swapped_in_card_was_buried_if_its_suit_has_run_out_since():
    state = deal(TOWERS.replace("9k", "11t"), NO_TOWERS, "10t", leader=1)
    act(state, "play:3k swap:1k play:10k play:6m play:5m bury:10t")
    assert {drawn_and_buried(each)[1] == "10t" for each in imagined(state)} == {True, False}
    act(state, "play:2t play:2k")
    assert {drawn_and_buried(each)[1] for each in imagined(state)} == {"10t"}


def test_a_drawn_card_may_have_been_kept_buried_or_played():
    state = act(deal(TOWERS, NO_TOWERS, "7m", leader=1), "play:5k bury:1k play:9k play:6m play:4m")
    kept, buried, played = 0, 0, 0
    for each in imagined(state):
        drew, away = drawn_and_buried(each)
        kept += drew in hand(each, 1)
        buried += drew == away
        played += drew == "4m"
    assert min(kept, buried, played) > 0
    assert kept + buried + played == 150


def test_own_burials_lie_at_the_bottom_of_the_deck():
    state = act(deal(ELEVEN, FEW_TOWERS, "8m", leader=0), "play:5t bury:1k play:6t play:9k play:8k")
    for each in imagined(state):
        assert deck(each)[-1] == "1k"
        assert "1k" not in hand(each, 1)
    state = act(state, "play:5m bury:1m play:11t")
    for each in imagined(state):
        assert deck(each)[-2:] == ["1k", drawn_and_buried(each)[1]]


def test_a_card_that_was_drawn_and_buried_is_not_dealt_again_elsewhere():
    state = act(deal(ELEVEN, FEW_TOWERS, "8m", leader=1), "play:5m bury:1m play:11t")
    for each in imagined(state):
        somewhere = [*deck(each), *hand(each, 0), *hand(each, 1), "8m"]
        assert sorted(somewhere) == sorted([card for card in VOLE.names if card not in ("5m", "11t")])


def retraced(state: VoleState) -> VoleState:
    """The round of the state played again from what both seats saw of it; every step must be legal."""
    seen = [state.view(seat).as_dict()["now"] for seat in (0, 1)]
    drawn = facts_of(state)["drawn"]
    return played_again(seen, deck(state), {state.seat: drawn} if drawn else {})


def played_again(seen: list[dict], left: list[str], drawing: dict[int, str]) -> VoleState:
    """A round as both seats saw it, played again.

    `left` is the deck at its end, `drawing` a card drawn without a burial yet, by its seat.
    """
    burials = [[pair["buried"] for pair in now["buried"]] for now in seen]
    draws = [[pair["drew"] for pair in now["buried"]] for now in seen]
    for seat, card in drawing.items():
        draws[seat].append(card)
    steps = [(step["seat"], step["action"]) for step in seen[0]["steps"]]
    drawn = [draws[seat].pop(0) for seat, action in steps if action in ("play:5t", "play:5k", "play:5m")]
    dealt = [*drawn, *left[: 6 - len(drawn)]]
    hands = [" ".join(now["dealt"]) for now in seen]
    state = board(*hands, seen[0]["up"], " ".join(dealt), seen[0]["leader"])
    assert sorted([*" ".join(hands).split(), seen[0]["up"], *dealt]) == sorted(VOLE.names)
    for seat, action in steps:
        assert state.seat == seat
        act(state, f"bury:{burials[seat].pop(0)}" if action == "bury" else action)
    return state


@given(state=moments(), seed=SEEDS)
@settings(max_examples=200)
def test_what_is_imagined_can_have_come_about_by_the_rules(state, seed):
    assert facts_of_the_round(retraced(state)) == facts_of_the_round(state)
    for me in (0, 1):
        each = GAME.imagine(state.view(me), Random(seed))
        assert facts_of_the_round(retraced(each)) == facts_of_the_round(each)


def facts_of_the_round(state: VoleState) -> list:
    facts = facts_of(state)
    return [state.seat, *[facts[name] for name in ("hands", "up", "deck", "drawn", "steps", "buried", "leader", "led")]]


@pytest.mark.parametrize("seed", range(5))
def test_what_is_imagined_of_rounds_before_can_have_come_about_by_the_rules(seed):
    state = GAME.start(2, GAME.options(2, {"target": 60}), seed)
    rng = Random(seed)
    while len(events(state, "score")) < 3:
        state.apply(eager(state.legal(), rng))
    for me in (0, 1):
        each = GAME.imagine(state.view(me), rng)
        for seen in zip(*[each.view(seat).as_dict()["rounds"] for seat in (0, 1)], strict=True):
            away = [*seen[0]["dealt"], *seen[1]["dealt"], seen[0]["up"]]
            away += [pair["drew"] for now in seen for pair in now["buried"]]
            again = played_again(seen, [card for card in VOLE.names if card not in away], {})
            assert len(winners(again)) == 13


def test_rounds_yet_to_come_are_imagined_anew_each_time():
    state = GAME.start(2, GAME.options(2, {"target": 60}), 1)
    deals = []
    for each in [state, *imagined(state, times=20)]:
        rng = Random(1)
        while not events(each, "score"):
            each.apply(eager(each.legal(), rng))
        deals.append(tuple(events(each, "deal")[-1]["deck"]))
    assert len(set(deals)) == 21


def possible_hands(state: VoleState, me: int) -> set[frozenset[str]]:
    """Every hand that the other seat may hold by what `me` has seen of the round: all deals tried, one by one."""
    now = state.view(me).as_dict()["now"]
    mine = [pair["drew"] for pair in now["buried"]]
    hidden = [card for card in VOLE.names if card not in (*now["dealt"], now["up"], *mine)]
    steps, shown, draws = [], [], 0
    up, led, taken = now["up"], None, []
    for step in now["steps"]:
        word, _, card = step["action"].partition(":")
        if step["seat"] != me:
            steps.append((word, card, up if word == "swap" else led))
            if word in ("play", "swap") and card not in taken:
                shown.append(card)
            taken = [*taken, up] if word == "swap" else taken
            draws += word == "play" and card[:-1] == "5"
        up = card if word == "swap" else up
        if word == "play":
            led = card if led is None else None
    found: set[frozenset[str]] = set()
    for drawn in permutations(hidden, draws):
        certain = [card for card in shown if card not in drawn]
        if len(certain) > 13:
            continue
        open_cards = [card for card in hidden if card not in certain and card not in drawn]
        for others in combinations(open_cards, 13 - len(certain)):
            found.update(hands_after(frozenset([*certain, *others]), steps, list(drawn)))
    return found


def hands_after(held: frozenset[str], steps: list, drawn: list[str]) -> Iterator[frozenset[str]]:
    """What a hand becomes by these steps, where they are legal for it, whatever was buried."""
    for i, (word, card, known) in enumerate(steps):
        if word == "bury":
            for away in held:
                yield from hands_after(held - {away}, steps[i + 1 :], drawn)
            return
        if word != "keep" and card not in (playable(list(held), known) if word == "play" else held):
            return
        if word != "keep":
            held -= {card}
        if word == "swap":
            held |= {known}
        if word == "play" and card[:-1] == "5":
            held, drawn = held | {drawn[0]}, drawn[1:]
    yield held


def late(seed: int, tricks: int) -> VoleState:
    """A first round after this many tricks."""
    state = GAME.start(2, GAME.options(2, {}), seed)
    rng = Random(seed)
    while len(winners(state)) < tricks:
        state.apply(eager(state.legal(), rng))
    return state


@pytest.mark.parametrize(("seed", "me"), [(1, 0), (2, 0), (31, 0), (50, 1), (52, 1)])
def test_three_drawn_cards_and_one_left_in_hand_are_imagined_by_the_rules(seed, me):
    state = late(seed, 12)
    assert (len(facts_of(state)["buried"][1 - me]), state.view(me).other_hand) == (3, 1)
    for each in imagined(state, me, times=60):
        assert facts_of_the_round(retraced(each)) == facts_of_the_round(each)


@pytest.mark.parametrize("seed", range(8))
def test_every_hand_that_is_possible_is_imagined_and_no_other(seed):
    state = late(seed, 11)
    for me in (0, 1):
        view = state.view(me)
        if len([action for seat, action in view.steps if seat != me and action % 11 == 4 and action < 33]) > 1:
            continue
        possible, seen = possible_hands(state, me), set()
        for i in range(4000):
            seen.add(frozenset(hand(GAME.imagine(view, Random(i)), 1 - me)))
            if len(seen) == len(possible):
                break
        assert seen == possible
