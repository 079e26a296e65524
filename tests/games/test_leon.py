"""Le Léon: docs/rules/leon.md, and every example of the rules that it comes from."""

from functools import partial
from itertools import product
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.examples import examples, holds, settings
from tests.games.facts import facts_of
from tourney import testing
from tourney.base.errors import ConfigError
from tourney.contracts.cards import LEON as DECK
from tourney.contracts.rng import pick
from tourney.games.leon import LeonState
from tourney.plugins.registry import load_game

GAME = load_game("leon")
act = partial(testing.act, GAME)
LARGEST = {2: 26, 3: 17, 4: 13, 5: 10, 6: 8, 7: 7, 8: 6, 9: 5, 10: 5}
SEATS = st.integers(2, 10)
SEEDS = st.integers(0, 2**128 - 1)
MODES = st.sampled_from(["attack", "defence", "simple"])
REVOKES = st.sampled_from(["caught", "hidden"])


def dealt(*hands: str, trump: str = "h", bids: tuple[int, ...] = (), phase: str = "play", facts=None, **options):
    """A round in play with these hands; seat 0 leads, the last seat dealt. The turned card is one that nobody holds."""
    up = [f"{rank}{trump}" for rank in DECK.ranks if f"{rank}{trump}" not in " ".join(hands)][-1]
    if phase == "play":
        bids = bids or (0,) * len(hands)
    facts = {"hands": hands, "up": up, "phase": phase, "bids": bids} | (facts or {})
    return testing.position(GAME, seats=len(hands), options=options, **facts)


def hands_of(state: LeonState) -> list[list[str]]:
    return [cards.split() for cards in facts_of(state)["hands"]]


def step(state: LeonState, rng: Random, wrong: float = 0.0) -> None:
    """A random answer; with the chance `wrong` one that earns a sanction, where there is one."""
    choices = state.legal()
    if wrong and rng.random() < wrong:
        choices = [action for action in range(len(GAME.names)) if state.tolerates(action)] or choices
    state.play(pick(choices, rng))


def midway(seats: int, seed: int, rng: Random, **options) -> LeonState:
    state = GAME.start(seats, GAME.options(seats, options), seed)
    for _ in range(int(rng.random() * seats * 2 * LARGEST[seats])):
        before = state.copy()
        step(state, rng, wrong=0.3)
        if state.seat is None:
            return before
    return state


RULES = """
a trump beats every card of the led suit
    Ts / As / 3h / Qs : play:Ts play:As play:3h play:Qs -> winners = 2
the Léon as an ace beats the real ace
    Kc / X / Ac, trump d : play:Kc leon:Ac play:Ac -> winners = 1
the Léon loses against the card above that which it is named, and beats the card below
    3c / X / 4c : play:3c leon:3c play:4c -> winners = 2
    8c / X : play:8c leon:9c -> winners = 1
    Jc / X : play:Jc leon:Tc -> winners = 0
a round of three is scored together
    2c / 3c / 4c / 5c, bids 2 3 0 2, won 2 1 0 1 : play:2c play:3c play:4c play:5c -> points = 3 -2 1 3
a bid is at most the number of cards
    2c 3c 4c / 5c 6c 7c, phase bid : -> legal = bid:0 bid:1 bid:2 bid:3
if all bid nothing somebody wins a trick all the same
    2c / 3c, bids 0 0 : play:2c play:3c -> points = 1 -1
whoever has the led suit follows it; nobody has to overtake or to trump
    Kh 2c / 2h Ah / Ad 3h : play:Kh -> legal = play:2h play:Ah
    Kc 2c / 2h Ah / Ad 3h : play:Kc play:2h -> legal = play:Ad play:3h
    Kc 2c / 2h 3c : play:Kc -> legal = play:3c
the Léon may be played or led at any turn, as any of the 52 cards, and must be as the last card
    Kc 2c / 3c X : play:Kc -> plays = 3c; names of the Léon = 52
    Kc X / 3c 4c : -> plays = Kc; names of the Léon = 52
    X / 3s : -> plays = -; names of the Léon = 52
it counts as the suit that it is named: another one does not win, and a trump does
    X 2c / 3s 4h : leon:9s -> plays = 3s
    2c / X : play:2c leon:As -> winners = 0
    Ac / X : play:Ac leon:2h -> winners = 1
it makes nobody able to follow; so a discard beside it is no revoke
    Kc 2c / 3s X : play:Kc -> plays = 3s; tolerated = leon : play:3s -> sanctions 0 = -
without a name it costs 5 and wins nothing; the 5 are paid at the end of the round
    2c 4c / X 3c, bids 2 0 : play:2c leon -> kinds = play:2c leon leon es vergeite 0; scores = 0 0
      : play:4c play:3c -> points = 3 -4
led without a name it leaves the suit to the next card, which the others follow, and the best of them wins
    X 2d / 3s 4c / 5s 6c : leon -> plays = 4c 3s; led 1 = -; winning 1 = - : play:3s -> plays = 5s
      : play:5s -> winners = 2
    X 4d / 2s 4c : leon play:2s -> winners = 1
to forget its name is no legal action; its owner alone can, but not in the simple mode, nor in a bid
    X 2c / 3c 4c : -> may not = leon; tolerated = leon : leon:2d -> tolerated = -
    X 2c / 3c 4c, mode simple : -> tolerated = -
    X 2c / 3c 4c, phase bid : -> tolerated = -
a revoke is caught, and the lowest card of the suit played instead
    Kc 2d 3d / 9c 8c Ah : play:Kc play:Ah
      -> kinds = play:Kc play:Ah smokeleir demasque 0; hand 1 = 9c Ah; tricks 0 = play:Kc play:8c; sanctions 0 = 1
        smokeleir demasque -5; sanctions 1 = 1 smokeleir demasque -5
a revoke is caught with spoken bids, too, and against the suit of the Léon
    Kc 2d 3d / 9c 8c Ah, mode defence : play:Kc play:Ah -> kinds = play:Kc play:Ah smokeleir demasque 0
    X 2d / 9s 8c : leon:3s play:8c -> kinds = leon:3s play:8c smokeleir demasque 1; hand 1 = 8c
another suit than the led one is a revoke, where one has that suit; the Léon is not
    Kc 2d / 9c Ah : play:Kc -> tolerated = play:Ah
    Kc 2d / 9c X : play:Kc -> tolerated = leon
    Kc 2d / 9h Ah : play:Kc -> tolerated = -
nothing is tolerated in the simple mode, with hidden revokes, or of who leads
    Kc 2d / 9c Ah, mode simple : play:Kc -> tolerated = -
    Kc 2d / 9c Ah, revokes hidden : play:Kc -> tolerated = -
    Kc 2d / 9c Ah : -> tolerated = -
with hidden revokes every card is legal, but not in the simple mode
    Kc 2d / 3s 9c, revokes hidden : play:Kc -> plays = 9c 3s
    Kc 2d / 3s 9c, revokes hidden, mode simple : play:Kc -> plays = 9c
a revoker alone is asked after the trick, and the revoke stands; then the next one; then the winner leads
    Kc 2d / 3s 9c / 4c Ah, revokes hidden : play:Kc play:3s play:Ah -> winners = 2; seat = 1; legal = confess silent
      : silent -> seat = 2; legal = confess silent : silent -> seat = 2; plays = 4c
no one is asked about an honest discard or the Léon
    Kc 2d / 3s 9s / X 4c, revokes hidden : play:Kc play:3s leon:2d -> seat = 0; plays = 2d
a confession costs 2, at once, and closes the matter
    Kc 2d / 9c 3s, bids 1 1, revokes hidden : play:Kc play:3s confess -> kinds = play:Kc play:3s 0 confess smokeleir
      repenti; sanctions 0 = 1 smokeleir repenti -2 : play:2d play:9c -> points = -1 -3
a silent revoke costs nothing yet; it costs 5 when the refused suit is played or led
    Kc 2d / 9c 3s, bids 1 1, revokes hidden : play:Kc play:3s silent -> sanctions 0 = -; sanctions 1 = -
      : play:2d play:9c -> points = -1 -6
    Kc 2d / 9c Ah, revokes hidden : play:Kc play:Ah silent play:9c
      -> kinds = play:Kc play:Ah 1 silent play:9c smokeleir demasque
every silent revoke in the suit costs its own 5
    Kc Qc 2c 2d / 9c 3s 4s 5s, revokes hidden : play:Kc play:3s silent play:Qc play:4s confess play:2c play:5s
        silent play:2d play:9c
      -> points = -4 -11
the Léon and other suits unmask nothing
    Kc Qd 2d 3d / 9c 3s 4d X, revokes hidden : play:Kc play:3s silent play:Qd play:4d play:2d leon:2c
      -> sanctions 1 = -
a card that unmasks one revoke may be another, which is unmasked in turn
    Kc Kd 2h / 9c 9d 3s, revokes hidden : play:Kc play:3s silent play:Kd play:9c -> sanctions 0 = 1 smokeleir demasque
      -5; seat = 1; legal = confess silent : silent play:2h play:9d -> points = -3 -9
a confession shows to its seat alone while others are asked; confessions come out together
    Kc 2d / 9c 3s / 8c 4s / 7c 5s, revokes hidden : play:Kc play:3s play:4s play:5s confess -> seat = 2; sanctions 0 =
      -; sanctions 1 = 1 smokeleir repenti -2; sanctions 2 = -; sanctions 3 = - : silent confess -> seat = 0; sanctions
      0 = 1 smokeleir repenti -2 3 smokeleir repenti -2; sanctions 2 = 1 smokeleir repenti -2 3 smokeleir repenti -2
a seat knows of its silent revokes
    Kc 2c / 9c 3s, revokes hidden : play:Kc play:3s silent -> revokes 1 = 1 c; revokes 0 = -
secret bids are learned when the round is over
    2c / 3c, phase bid : bid:0 -> told 0 = bid:0; told 1 = bid:? : bid:1 play:2c -> told 0 = play:2c
      : play:3c -> told 0 = play:3c bid:0 bid:1 trick score deal; told 1 = play:3c bid:0 bid:1 trick score deal
of a caught revoke the others see the card that counts
    Kc 2d 3d / 9c 8c Ah : play:Kc play:Ah -> told 0 = play:8c sanction trick; told 1 = play:Ah sanction trick
of a question to a revoker the others learn nothing until all have answered, and then nothing of the silent
    Kc 2d / 9c 3s / 8c 4s / 7c 5s, revokes hidden : play:Kc play:3s play:4s play:5s confess -> told 0 = - -
      : silent -> told 0 = -; told 1 = -; told 2 = silent; told 3 = -
      : confess -> told 0 = confess confess sanction sanction; told 2 = confess confess sanction sanction
the highest total wins and equal totals share a place
    2c / 3c / 4c, bids 0 0 1, max_cards 1, mode simple, round 2, scores -4 -7 -4 : play:2c play:3c play:4c
      -> seat = -; scores = -3 -6 -3; places = 1 3 1
"""

FACTS = {
    "plays": lambda state: [text[5:] for text in testing.legal(GAME, state) if text.startswith("play:")],
    "names of the Léon": lambda state, *_: sum(text.startswith("leon:") for text in testing.legal(GAME, state)),
    "tolerated": lambda state: [GAME.text(action) for action in range(len(GAME.names)) if state.tolerates(action)],
    "kinds": lambda state: [
        event.get("action") or event.get("name") or event.get("winner", event["kind"])
        for event in testing.events(GAME, state)
    ],  # the trace so far in short: actions, names of sanctions, winners of tricks
    "hand": lambda state, seat: DECK.texts(state.view(int(seat)).hand),
    "tricks": lambda state, seat: [trick["plays"] for trick in state.view(int(seat)).as_dict()["tricks"]],
    "sanctions": lambda state, seat: [[one.seat, one.name, one.points] for one in state.view(int(seat)).sanctions],
    "led": lambda state, seat: state.view(int(seat)).led,
    "winning": lambda state, seat: state.view(int(seat)).winning,
    "revokes": lambda state, seat: [[one["trick"], one["suit"]] for one in state.view(int(seat)).as_dict()["revokes"]],
}


@examples(RULES)
def test_what_follows_by_the_rules(example):
    hands, given = settings(example.given)
    facts = {key: given.pop(key) for key in ("won", "scores", "round") if key in given}
    holds(GAME, dealt(*hands.split(" / "), facts=facts, **given), example, FACTS)


@pytest.mark.parametrize(
    ("mode", "bid", "won", "pays"),
    [
        *[("attack", *row) for row in ((0, 0, 1), (2, 2, 3), (3, 3, 4), (9, 9, 10), (10, 10, 22), (13, 13, 28))],
        *[("attack", *row) for row in ((4, 5, -1), (4, 8, -4), (5, 1, -4), (3, 1, -2), (12, 10, -2))],
        *[(mode, *row) for mode in ("simple", "defence") for row in ((0, 0, 1), (3, 3, 1), (13, 13, 1))],
        *[(mode, *row) for mode in ("simple", "defence") for row in ((2, 1, -1), (1, 2, -1), (2, 4, -2), (10, 0, -10))],
    ],
)
def test_what_a_bid_pays(mode, bid, won, pays):
    state = act(dealt("2c", "3c", mode=mode, bids=(bid, 0), facts={"won": (won, 0)}), "play:2c play:3c")
    assert testing.events(GAME, state, "score")[0]["points"] == [pays, -1]


@pytest.mark.parametrize("rank", DECK.ranks)
def test_the_leon_wins_against_the_real_card_from_ten_up_and_loses_below(rank):
    card = f"{rank}s"
    for trump, cards in product("sh", [("X", card), (card, "X")]):
        actions = " ".join([f"leon:{card}" if each == "X" else f"play:{card}" for each in cards])
        state = act(dealt(*cards, trump=trump), actions)
        (trick,) = testing.events(GAME, state, "trick")
        assert (cards[trick["winner"]] == "X") == (rank in "TJQKA")


@pytest.mark.parametrize("mode", ["attack", "simple"])
def test_if_the_leon_is_turned_up_the_dealer_names_trumps_before_the_bids(mode):
    starts = [GAME.start(3, GAME.options(3, {"mode": mode}), seed) for seed in range(200)]
    state = next(each for each in starts if DECK.text(each.view(0).up) == "X")
    dealer = state.view(0).dealer
    assert (state.seat, testing.legal(GAME, state)) == (dealer, ["trump:c", "trump:d", "trump:h", "trump:s"])
    assert [state.view(seat).trump for seat in range(3)] == [None] * 3
    act(state, "trump:s")
    assert [state.view(seat).as_dict()["trump"] for seat in range(3)] == ["s"] * 3
    assert (state.seat, testing.legal(GAME, state)) == (0 if mode == "attack" else (dealer + 1) % 3, ["bid:0", "bid:1"])


def test_the_card_that_was_offered_in_a_caught_revoke_does_not_show():
    ways = [act(dealt("Kc 2d 3d", "9c 8s Ah", "4c 5c 6c"), f"play:Kc play:{card}") for card in ("8s", "Ah")]
    assert ways[0].view(0) == ways[1].view(0)
    assert ways[0].view(0).sanctions


def test_nothing_of_a_silent_revoke_shows_to_others():
    states = [dealt("Kc 2d 2s", hand, "4c 5c 6c", revokes="hidden") for hand in ("9h 3s 4s", "9c 3s 4s")]
    honest, liar = [act(state, "play:Kc play:3s play:4c") for state in states]
    assert (honest.seat, liar.seat) == (0, 1)
    for answer in ("", "silent"):
        act(liar, answer)
        assert [liar.view(seat) for seat in (0, 2)] == [honest.view(seat) for seat in (0, 2)]
    for state in (liar, honest):
        act(state, "play:2s play:4s play:5c")
    # seat 2 discarded a club under spades; both are honest to seat 0
    assert liar.view(0) == honest.view(0)


def test_the_largest_hand_is_filled_in_and_bounded():
    for seats, largest in LARGEST.items():
        assert GAME.options(seats, {}).max_cards == largest
        assert GAME.options(seats, {"max_cards": largest}).max_cards == largest
        with pytest.raises(ConfigError, match=f"max_cards: must be at most {largest} for {seats} seats, "):
            GAME.options(seats, {"max_cards": largest + 1})


@given(seats=SEATS, seed=SEEDS, mode=MODES, revokes=REVOKES)
def test_imagine_fits_the_view_after_sanctions_too(seats, seed, mode, revokes):
    rng = Random(seed)
    state = midway(seats, seed, rng, mode=mode, revokes=revokes)
    for seat in range(seats):
        view = state.view(seat)
        imagined = GAME.imagine(view, rng)
        assert imagined.view(seat) == view
        assert imagined.view(seat).as_dict() == view.as_dict()
        assert imagined.seat == view.turn
        if state.seat == seat:
            assert imagined.seat == seat
            assert list(imagined.legal()) == list(state.legal())
        assert [len(cards) for cards in hands_of(imagined)] == [len(cards) for cards in hands_of(state)]
        while imagined.seat is not None:
            step(imagined, rng, wrong=0.2)


def test_imagine_draws_secret_bids_evenly_and_knows_its_own():
    state = dealt("Kc 2d", "9c Jd", bids=(2, 1))
    states = [GAME.imagine(state.view(0), Random(i)) for i in range(60)]
    bids = [[each.view(seat).bids for seat in (0, 1)] for each in states]
    assert {pair[0] for pair in bids} == {(2, None)}
    assert {pair[1] for pair in bids} == {(None, 0), (None, 1), (None, 2)}
    spoken = dealt("Kc 2d", "9c Jd", bids=(2, 1), mode="defence")
    heard = GAME.imagine(spoken.view(0), Random(1))
    assert [heard.view(seat).bids for seat in (0, 1)] == [(2, 1), (2, 1)]
