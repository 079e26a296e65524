"""Voleur by its rules page: combinations, tricks, privileges, secrets, and what a seat can work out."""

from collections import Counter
from itertools import combinations
from random import Random

import pytest

from tests.games.examples import examples, holds, settings
from tests.games.facts import facts_of
from tourney import testing
from tourney.contracts.cards import STANDARD
from tourney.games.voleur import COMBINATIONS, Voleur, VoleurState

GAME = Voleur()
cards = STANDARD.cards


def at_tricks(*hands: str, up: str, scores=None, discards=None, **options) -> VoleurState:
    """A state before the first trick, with these hands; without discards, cards that nobody holds are discarded."""
    if not discards:
        used = [*" ".join(hands).split(), up]
        free = [card for card in STANDARD.names if card not in used]
        discards = [f"{free.pop()} {free.pop()}" for _ in hands]
    facts = {"hands": hands, "up": up, "discards": discards, "scores": scores}
    return testing.position(GAME, seats=len(hands), options=options, **facts)


def play(state: VoleurState, text: str) -> None:
    """Makes the moves; a bare card is played. Each must be legal."""
    words = [word if ":" in word or word == "keep" else f"play:{word}" for word in text.split()]
    testing.act(GAME, state, " ".join(words))


@pytest.mark.parametrize(
    ("hand", "name", "points"),
    [("7s 7d", "pair", 2), ("2c 2d Jc Jh", "two pairs", 4), ("9h Td Jc", "run", 3), ("9h Th Jh", "run flush", 6),
     ("5s 6c 7s 7d", "pair run", 4), ("2h 2d Js Jc", "pair flush", 8), ("3s 4s 5d 6c", "sequence", 5),
     ("3d 4d 5d 6d", "sequence flush", 10), ("Qs Qd Qc", "triple", 6), ("Qs Qd Qc Qh", "quadra", 12)],
)  # fmt: skip
def test_each_example_of_the_table_pays_its_points_alone_and_with_cards_that_do_not_help(hand, name, points):
    assert GAME.combination(cards(hand)) == (name, points)
    fillers = {"pair": "2h Jc", "run": "2s", "run flush": "2s", "triple": "2h"}
    assert GAME.combination(cards(f"{hand} {fillers.get(name, '')}")) == (name, points)


def by_definition(hand: tuple[int, ...]) -> int:
    """The points of the best combination, found by trying every part of the hand against the table."""
    return max([0] + [worth(part) for size in (2, 3, 4) for part in combinations(hand, size)])


def in_sequence(ranks: list[int]) -> bool:
    low = sorted([-1 if rank == 12 else rank for rank in ranks])
    return any(ordered == list(range(ordered[0], ordered[0] + len(ordered))) for ordered in (sorted(ranks), low))


def worth(part: tuple[int, ...]) -> int:
    ranks = [card % 13 for card in part]
    suits = [card // 13 for card in part]
    times = sorted(Counter(ranks).values())
    flush = len(set(suits)) == 1
    if len(part) == 2:
        return 2 if times == [2] else 0
    if len(part) == 3:
        return 6 if times == [3] else 3 * (1 + flush) if in_sequence(ranks) else 0
    if times == [2, 2]:
        colours = [{suits[i] in (1, 2) for i in range(4) if ranks[i] == rank} for rank in ranks]
        return 8 if all(len(colour) == 1 for colour in colours) else 4
    if times == [1, 1, 2] and in_sequence(sorted(set(ranks))):
        return 4
    return 12 if times == [4] else 5 * (1 + flush) if in_sequence(ranks) else 0


@pytest.mark.parametrize("size", [4, 5])
def test_hands_pay_what_trying_all_their_parts_finds(size):
    rng = Random(size)
    near = [card for card in range(52) if card % 13 in (0, 1, 2, 11, 12)]  # few ranks make many combinations
    for deck in (near, range(52)):
        for _ in range(400):
            hand = tuple(sorted(deck, key=lambda _: rng.random())[:size])
            assert GAME.combination(hand).points == by_definition(hand)


def test_five_cards_with_two_combinations_of_one_worth_have_a_settled_name():
    assert GAME.combination(cards("5s 5d 6c 6h 7h")).name == "pair run"
    assert GAME.combination(cards("7h 7d 7c 8h 9h")).name == "run flush"
    assert max(COMBINATIONS, key=lambda each: each.points).name == "quadra"


# seat 1 (a triple of queens, and the trump ace) wins every trick; seats 0 and 2 have a pair and nothing
PRIVILEGED = ("7s 7d 2c 3c", "Qs Qd Qc Ah", "4d 6s 8d Ts")
TRICKS_BEFORE = "2c Qs 4d Qd 8d 7d Qc 6s 3c Ah Ts 7s"


def choosing(discards=("2d 3s", "Js Qh", "5d 9s"), **changes) -> VoleurState:
    """Seat 1 is about to choose its privilege; its Qh lies in the pile."""
    state = at_tricks(*PRIVILEGED, up="Kh", discards=discards, **changes)
    play(state, TRICKS_BEFORE)
    assert state.seat == 1
    return state


RULES = """
a tie of all cards has no winner, and the next trick is simultaneous, too, in which nobody has to follow
    9s 2c 3c 4c / 9d 2d 3d 4d / Qs 5s 6s 7s / Qc 5c 6c 7c : 9s 9d Qs Qc -> winners = -; seat = 0; leader = -
      : 2c -> legal = play:2d play:3d play:4d; table 1 = -; table 0 = 2c
and whose winner leads
    9s 2c 3c 4c / 9d 2d 3d 4d / Qs 5s 6s 7s / Qc 5c 6c 7c : 9s 9d Qs Qc 2c 3d 5s 7c
      -> winners = - 3; seat = 3; leader = 3; pile 3 = -
the same rule for ties holds for the second simultaneous trick, with either option
    9s 5c / 9d 5d / 9c 4c : 9s 9d 9c 5c 5d 4c -> winners = - -
    9s 5c / 9d 5d / 9c 4c, first_trick_tie next_single : 9s 9d 9c 5c 5d 4c -> winners = - 2
the winner leads, and the turn goes clockwise past the last seat; to seat 0, and on to the last
    2c 3c 4c 5c / 2d 3d 4d 5d / 2s As 4s 5s : 2c 2d As -> seat = 2; winners = 2 : 2s -> seat = 0
      : 3c 3d -> winners = 2 2; seat = 2; last trick = 3c 3d 2s
a seat must follow suit, else trump, also lower than one already played, else it plays anything
    Ac Kc / 2c 8c 9h Ad 2s : Ac 2s Kc -> legal = play:2c play:8c
    Ac Kc / 9h 3h Ad Ks 2s : Ac 2s Kc -> legal = play:3h play:9h
    Ac Kc / 3d Ad Ks 4s 2s : Ac 2s Kc -> legal = play:3d play:Ad play:4s play:Ks
    Ac Kc / 9h 2s / Th 4h 3s : Ac 2s 3s Kc 9h -> legal = play:4h play:Th
a led trick is won by the highest trump, else by the highest card of the led suit, whoever plays it
    Ac Tc / 2s 3c / 3s Ad : Ac 2s 3s Tc 3c Ad -> winners = 0 0
    Ac Tc / 2s Kc / 3s As : Ac 2s 3s Tc Kc As -> winners = 0 1
    Ac Tc / 2s 3h / 3s Ad : Ac 2s 3s Tc 3h Ad -> winners = 0 1
    Ac Tc / 2s 3h / 3s 4h : Ac 2s 3s Tc 3h 4h -> winners = 0 2
    Ac Tc / 2s Kc / 3s 2h : Ac 2s 3s Tc Kc 2h -> winners = 0 2
when all four tricks are tied nobody has the privilege, and all score
    2c 3c 4c 5c / 2d 3d 4d 5s, scores 1 4 : 2c 2d 3c 3d 4c 4d 5c 5s
      -> winners = - - - -; points = 10 6; scores = 11 10; round = 2; seat = 0; privilege = -
when the winner of the fourth trick chooses the others have scored; then it scores
    privileged, scores 5 6 0 : -> seat = 1; scores = 7 6 0 : keep -> points = 2 6 0; scores = 7 12 0; privilege = keep
every card of the others and of the pile can be taken, neither own cards nor the trump card
    privileged : -> takes = 2c 3c 2d 4d 5d 7d 8d Qh 3s 6s 7s 9s Ts Js
a thief takes its worth from any seat with points
    privileged, scores 10 6 20 : steal:2 -> points = 2 6 -6; scores = 12 12 14
    privileged, scores 10 6 20 : -> other = keep steal:0 steal:2
a thief gets what the victim loses, and no score falls below zero
    privileged, scores 0 1 4 : steal:2 -> points = 2 4 -4; scores = 2 5 0
the pile shows to the chooser alone, and only while it chooses
    privileged : -> pile 0 = -; pile 1 = 2d 5d Qh 3s 9s Js; pile 2 = - : keep -> pile 1 = -
without a combination there is nothing to steal
    7s 7d 2c 3c / 9c Jd Kd Ah / 4d 6s 8d Ts, scores 9 9 9 : 2c Kd Ts Jd 8d 7d 9c 6s 3c Ah 4d 7s -> other = keep
who has nothing cannot be robbed; points of the same round can be stolen
    privileged : -> other = keep steal:0 : steal:0 -> points = 0 2 0
a taken card makes the best combination of five, and costs nobody anything; it may be of no use
    privileged : take:Qh -> points = 2 12 0; privilege = take:Qh; combination 1 = quadra 12
    privileged : take:7s -> points = 2 6 0
a match ends at exactly the target, not below it, nor for a seat that was over it only until it was robbed
    privileged, scores 5 6 0, target 12 : keep -> seat = -; scores = 7 12 0
    privileged, scores 5 6 0, target 13 : keep -> seat = 0; round = 2
    privileged, scores 11 0 0, target 13 : steal:0 -> scores = 7 6 0; seat = 0; round = 2
a match ends after the last round allowed
    privileged, max_rounds 1 : keep -> seat = -; places = 2 1 3
    privileged, max_rounds 2 : keep -> seat = 0; round = 2
the highest score wins, and equal scores share the place
    privileged, scores 11 7 3, target 10 : keep -> scores = 13 13 3; places = 1 1 3; phase = over
"""

FACTS = {
    "leader": lambda state: state.view(0).leader,
    "table": lambda state, seat: [STANDARD.text(card) for _, card in state.view(int(seat)).table],
    "last trick": lambda state: STANDARD.texts(state.view(0).tricks[-1].cards),
    "round": lambda state: state.view(0).round,
    "phase": lambda state: state.view(0).phase,
    "pile": lambda state, seat: STANDARD.texts(state.view(int(seat)).pile),
    "privilege": lambda state: state.view(0).as_dict()["rounds"][-1]["privilege"],
    "combination": lambda state, seat: state.view(2).rounds[0].combinations[int(seat)],
    "takes": lambda state: [text[5:] for text in testing.legal(GAME, state) if text.startswith("take:")],
    "other": lambda state: [text for text in testing.legal(GAME, state) if not text.startswith("take:")],
}


@examples(RULES)
def test_what_follows_by_the_rules(example):
    hands, given = settings(example.given)
    state = choosing(**given) if hands == "privileged" else at_tricks(*hands.split(" / "), up="Kh", **given)
    holds(GAME, state, example, FACTS, play)


@pytest.mark.parametrize(
    ("picks", "void", "next_single"),
    [("9s 9d Qs Qc", None, None), ("9s 8d Qs Qc", None, 0), ("9s 9d Qs Jc", 2, 2), ("9s 9d 8s 8c", None, None),
     ("9s 9d 9c 8c", None, 3), ("9s 9d Qs 2h", 3, 3), ("As Ad 3h 2h", 2, 2), ("As Ah Ad Ac", 1, 1),
     ("As Kd 2s 3c", 0, 0), ("Td 2s As 3c", 2, 2)],
)  # fmt: skip
def test_who_wins_a_simultaneous_trick_with_hearts_as_trump(picks, void, next_single):
    for option, winner in (("void", void), ("next_single", next_single)):
        state = at_tricks(*picks.split(), up="Kh", first_trick_tie=option)
        play(state, picks)
        assert [event["winner"] for event in testing.events(GAME, state, "trick")] == [winner]
        assert state.seat == (winner or 0)


def test_what_a_seat_sees_while_another_chooses_and_when_the_match_is_over():
    state = choosing(scores=(11, 7, 3), target=10)
    for seat in range(3):
        assert state.view(seat).phase == "privilege"
        assert state.view(seat).combinations == (("pair", 2), None, ("nothing", 0))
    play(state, "keep")
    view = state.view(0)
    assert (view.phase, view.turn, view.hand, view.up, view.tricks) == ("over", None, (), None, ())
    assert view.rounds[0].combinations == (("pair", 2), ("triple", 6), ("nothing", 0))


def test_who_discarded_what_does_not_show_in_the_pile():
    assert choosing().view(1) == choosing(discards=("5d 3s", "Js Qh", "2d 9s")).view(1)


def test_the_chooser_imagines_the_others_discards_from_the_pile_that_it_sees():
    state, rng, seen = choosing(), Random(0), set()
    for _ in range(60):
        imagined = GAME.imagine(state.view(1), rng)
        gone = [cards(each) for each in facts_of(imagined)["discards"]]
        assert gone[1] == cards("Js Qh")
        assert sorted(gone[0] + gone[2]) == sorted(cards("2d 3s 5d 9s"))
        assert imagined.legal() == state.legal()
        seen.add(tuple(sorted(gone[0])))
    assert len(seen) == 6


def test_a_card_taken_from_the_pile_is_imagined_as_someones_discard_ever_after():
    state = choosing()
    play(state, "take:9s")
    imagined = GAME.imagine(state.view(0), Random(0))
    gone = [imagined.view(seat).rounds[0].discards for seat in range(3)]
    assert gone[0] == cards("2d 3s")
    assert STANDARD.card("9s") in gone[1] + gone[2]
