"""Le Léon: docs/rules/leon.md, and every example of the rules that it comes from."""

from itertools import chain
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.facts import facts_of, set_up
from tourney import testing
from tourney.base.errors import ConfigError
from tourney.contracts.cards import LEON as DECK
from tourney.contracts.match import GameSetup, Match
from tourney.contracts.rng import pick
from tourney.games.leon import LeonState
from tourney.plugins.registry import load_game
from tourney.table import replay, table

GAME = load_game("leon")
LARGEST = {2: 26, 3: 17, 4: 13, 5: 10, 6: 8, 7: 7, 8: 6, 9: 5, 10: 5}
SEATS = st.integers(2, 10)
SEEDS = st.integers(0, 2**128 - 1)
MODES = st.sampled_from(["attack", "defence", "simple"])
REVOKES = st.sampled_from(["caught", "hidden"])
FORGOTTEN, UNMASKED, REPENTED = "leon es vergeite", "smokeleir demasque", "smokeleir repenti"


def dealt(*hands: str, trump: str = "h", bids: tuple[int, ...] = (), phase: str = "play", facts=None, **options):
    """A round in play with these hands; seat 0 leads, the last seat dealt. The turned card is one that nobody holds."""
    up = [f"{rank}{trump}" for rank in DECK.ranks if f"{rank}{trump}" not in " ".join(hands)][-1]
    if phase == "play":
        bids = bids or (0,) * len(hands)
    return testing.position(
        GAME, seats=len(hands), options=options, hands=hands, up=up, phase=phase, bids=bids, **(facts or {})
    )


def act(state: LeonState, *actions: str) -> LeonState:
    """Does what the table does with each answer; it must be legal or tolerated."""
    return testing.act(GAME, state, " ".join(actions))


def events(state: LeonState) -> list[dict]:
    """The trace so far; a decision is an act without its legal actions."""
    return testing.events(GAME, state)


def kinds(state: LeonState) -> list[str]:
    """The trace so far in short: actions, names of sanctions, winners of tricks."""
    return [
        str(event.get("action") or event.get("name") or event.get("winner", event["kind"])) for event in events(state)
    ]


def winners(state: LeonState) -> list[int]:
    return [event["winner"] for event in events(state) if event["kind"] == "trick"]


def points(state: LeonState) -> list[int]:
    return next(event["points"] for event in events(state) if event["kind"] == "score")


def legal(state: LeonState) -> list[str]:
    return testing.legal(GAME, state)


def hand(state: LeonState, seat: int) -> list[str]:
    return DECK.texts(state.view(seat).hand)


def hands_of(state: LeonState) -> list[list[str]]:
    return [cards.split() for cards in facts_of(state)["hands"]]


def plays(state: LeonState) -> list[str]:
    return [text.removeprefix("play:") for text in legal(state) if text.startswith("play:")]


def known(state: LeonState, seat: int) -> list[tuple[int, str, int]]:
    return [(one.seat, one.name, one.points) for one in state.view(seat).sanctions]


def step(state: LeonState, rng: Random, wrong: float = 0.0) -> None:
    """A random answer; with the chance `wrong` one that earns a sanction, where there is one."""
    choices = state.legal()
    if wrong and rng.random() < wrong:
        choices = [action for action in range(len(GAME.names)) if state.tolerates(action)] or choices
    action = pick(choices, rng)
    state.play(action)


def midway(seats: int, seed: int, rng: Random, **options) -> LeonState:
    """A state at a random moment of a random match with sanctions."""
    state = GAME.start(seats, GAME.options(seats, options), seed)
    for _ in range(int(rng.random() * seats * 2 * LARGEST[seats])):
        before = state.copy()
        step(state, rng, wrong=0.3)
        if state.seat is None:
            return before
    return state


# the examples of the source


def test_a_trump_beats_every_card_of_the_led_suit():
    state = act(dealt("Ts", "As", "3h", "Qs", trump="h"), "play:Ts", "play:As", "play:3h", "play:Qs")
    assert winners(state) == [2]


def test_the_leon_as_an_ace_beats_the_real_ace():
    state = act(dealt("Kc", "X", "Ac", trump="d"), "play:Kc", "leon:Ac", "play:Ac")
    assert winners(state) == [1]


@pytest.mark.parametrize(
    ("mode", "bid", "won", "pays"),
    [
        ("attack", 3, 3, 4),
        ("attack", 0, 0, 1),
        ("attack", 13, 13, 28),
        ("attack", 4, 5, -1),
        ("attack", 4, 8, -4),
        ("attack", 5, 1, -4),
        ("attack", 2, 2, 3),
        ("attack", 3, 1, -2),
        ("attack", 9, 9, 10),
        ("attack", 10, 10, 22),
        ("attack", 12, 10, -2),
        *[(mode, *row) for mode in ("simple", "defence") for row in ((0, 0, 1), (3, 3, 1), (13, 13, 1))],
        *[(mode, *row) for mode in ("simple", "defence") for row in ((2, 1, -1), (1, 2, -1), (2, 4, -2), (10, 0, -10))],
    ],
)
def test_what_a_bid_pays(mode, bid, won, pays):
    state = act(dealt("2c", "3c", mode=mode, bids=(bid, 0), facts={"won": (won, 0)}), "play:2c", "play:3c")
    assert points(state) == [pays, -1]


def test_a_round_of_three_is_scored_together():
    state = dealt("2c", "3c", "4c", "5c", bids=(2, 3, 0, 2), facts={"won": (2, 1, 0, 1)}, mode="attack")
    assert points(act(state, "play:2c", "play:3c", "play:4c", "play:5c")) == [3, -2, 1, 3]


@pytest.mark.parametrize(("seats", "largest"), LARGEST.items())
def test_the_hands_grow_to_the_largest_and_shrink_again(seats, largest):
    state = GAME.start(seats, GAME.options(seats, {"mode": "simple"}), 5)
    while state.seat is not None:
        step(state, Random(1))
    deals = [event for event in events(state) if event["kind"] == "deal"]
    assert [len(deal["hands"][0]) for deal in deals] == [*range(1, largest + 1), *range(largest, 0, -1)]
    assert [deal["round"] for deal in deals] == list(range(1, 2 * largest + 1))


@pytest.mark.parametrize("rank", DECK.ranks)
@pytest.mark.parametrize("first", [True, False], ids=["leon first", "leon second"])
@pytest.mark.parametrize("trump", ["s", "h"])
def test_the_leon_wins_against_the_real_card_from_ten_up_and_loses_below(rank, first, trump):
    card = rank + "s"
    hands = ("X", card) if first else (card, "X")
    answers = [f"leon:{card}", f"play:{card}"]
    state = act(dealt(*hands, trump=trump), *(answers if first else reversed(answers)))
    leon = 0 if first else 1
    assert winners(state) == [leon if rank in "TJQKA" else 1 - leon]


def test_the_leon_stands_between_its_neighbours():
    beaten = act(dealt("3c", "X", "4c"), "play:3c", "leon:3c", "play:4c")
    assert winners(beaten) == [2]
    beats = act(dealt("8c", "X"), "play:8c", "leon:9c")
    assert winners(beats) == [1]
    below = act(dealt("Jc", "X"), "play:Jc", "leon:Tc")
    assert winners(below) == [0]


def test_a_bid_is_at_most_the_number_of_cards():
    state = GAME.start(4, GAME.options(4, {}), 1)
    assert legal(state) == ["bid:0", "bid:1"]
    state = dealt("2c 3c 4c", "5c 6c 7c", phase="bid")
    assert legal(state) == ["bid:0", "bid:1", "bid:2", "bid:3"]


def test_if_all_bid_nothing_somebody_wins_a_trick_all_the_same():
    state = act(dealt("2c", "3c", bids=(0, 0)), "play:2c", "play:3c")
    assert points(state) == [1, -1]


def test_nobody_has_to_overtake_or_to_trump():
    state = act(dealt("Kh 2c", "2h Ah", "Ad 3h", trump="h"), "play:Kh")
    assert plays(state) == ["2h", "Ah"]
    state = act(dealt("Kc 2c", "2h Ah", "Ad 3h", trump="h"), "play:Kc")
    assert plays(state) == ["2h", "Ah"]
    assert plays(act(state, "play:2h")) == ["Ad", "3h"]


def test_whoever_has_the_led_suit_follows_it():
    state = act(dealt("Kc 2c", "2h 3c", trump="h"), "play:Kc")
    assert plays(state) == ["3c"]


def leon_up(**options) -> LeonState:
    """A match in which the Léon was just turned up."""
    for seed in range(1000):
        state = GAME.start(3, GAME.options(3, options), seed)
        if DECK.text(state.view(0).up) == "X":
            return state
    raise AssertionError("no Léon among the turned cards")


@pytest.mark.parametrize("mode", ["attack", "simple"])
def test_if_the_leon_is_turned_up_the_dealer_names_trumps_before_the_bids(mode):
    state = leon_up(mode=mode)
    assert state.seat == state.view(0).dealer
    assert legal(state) == ["trump:c", "trump:d", "trump:h", "trump:s"]
    assert [state.view(seat).trump for seat in range(3)] == [None] * 3
    dealer = state.seat
    act(state, "trump:s")
    assert [state.view(seat).as_dict()["trump"] for seat in range(3)] == ["s"] * 3
    assert legal(state)[0] == "bid:0"
    assert state.seat == (0 if mode == "attack" else (dealer + 1) % 3)


def test_four_seats_with_five_cards_play_five_tricks():
    state = GAME.start(4, GAME.options(4, {"max_cards": 5}), 2)
    while state.seat is not None:
        step(state, Random(2))
    assert [len(past.tricks) for past in state.view(0).rounds] == [1, 2, 3, 4, 5, 5, 4, 3, 2, 1]


# rounds, bids, seats


@given(seats=SEATS, seed=SEEDS)
def test_the_deal_passes_to_the_left_and_the_dealers_left_leads(seats, seed):
    state = GAME.start(seats, GAME.options(seats, {"mode": "defence", "max_cards": 3}), seed)
    bidders: list[int] = []
    rng = Random(seed)
    while state.seat is not None:
        if state.view(0).phase == "bid":
            bidders.append(state.seat)
        step(state, rng)
    dealers = [event["dealer"] for event in events(state) if event["kind"] == "deal"]
    assert dealers == [(dealers[0] + i) % seats for i in range(6)]
    assert bidders == [(dealer + 1 + i) % seats for dealer in dealers for i in range(seats)]
    rounds = state.view(0).rounds
    assert [past.tricks[0].leader for past in rounds] == [(dealer + 1) % seats for dealer in dealers]
    for past in rounds:
        leaders = [trick.leader for trick in past.tricks[1:]]
        assert leaders == [trick.winner for trick in past.tricks[:-1]]


def test_the_cards_go_round_one_at_a_time_from_the_dealers_left():
    def packs(seats: int) -> list[list[str]]:
        """The pack of each round as it was dealt from."""
        state = GAME.start(seats, GAME.options(seats, {"mode": "simple", "max_cards": 5}), 4)
        while state.seat is not None:
            step(state, Random(1))
        deals = [event for event in events(state) if event["kind"] == "deal"]
        return [
            [
                *[deal["hands"][(deal["dealer"] + 1 + i) % seats][card] for card in range(size) for i in range(seats)],
                deal["up"],
                *deal["deck"],
            ]
            for deal, size in zip(deals, [1, 2, 3, 4, 5, 5, 4, 3, 2, 1], strict=True)
        ]

    assert len({str(packs(seats)) for seats in range(2, 11)}) == 1


def test_the_first_dealer_is_drawn():
    assert {GAME.start(5, GAME.options(5, {}), seed).view(0).dealer for seed in range(60)} == set(range(5))


def test_spoken_bids_are_heard_at_once():
    state = GAME.start(3, GAME.options(3, {"mode": "simple"}), 3)
    if DECK.text(state.view(0).up) == "X":
        act(state, "trump:c")
    first = state.seat
    act(state, "bid:1")
    assert [state.view(seat).bids[first] for seat in range(3)] == [1, 1, 1]
    assert state.seat == (first + 1) % 3


def test_secret_bids_are_asked_from_seat_0_and_show_when_the_round_is_over():
    state = next(s for s in (GAME.start(3, GAME.options(3, {}), seed) for seed in range(9)) if s.view(0).up != 52)
    for seat in range(3):
        assert state.seat == seat
        act(state, f"bid:{seat % 2}")
    assert [state.view(seat).bids for seat in range(3)] == [(0, None, None), (None, 1, None), (None, None, 0)]
    while state.view(0).round == 1:
        assert state.view(1).bids == (None, 1, None)
        step(state, Random(1))
    assert [past.bids for past in state.view(2).rounds] == [(0, 1, 0)]
    assert state.view(2).bids == (None, None, None)


def test_the_highest_total_wins_and_equal_totals_share_a_place():
    facts = {"round": 2, "scores": (-4, -7, -4)}
    state = dealt("2c", "3c", "4c", bids=(0, 0, 1), facts=facts, max_cards=1, mode="simple")
    act(state, "play:2c", "play:3c", "play:4c")
    assert state.seat is None
    assert state.scores == (-3, -6, -3)
    assert state.places == (1, 3, 1)


# the Léon


def test_the_leon_may_be_played_at_any_turn_as_any_of_the_52_cards():
    state = act(dealt("Kc 2c", "3c X", trump="h"), "play:Kc")
    assert legal(state) == ["play:3c", *[f"leon:{card}" for card in DECK.names[:52]]]
    assert plays(dealt("Kc X", "3c 4c")) == ["Kc"]


def test_the_leon_counts_as_the_led_suit():
    state = act(dealt("X 2c", "3s 4h", trump="h"), "leon:9s")
    assert plays(state) == ["3s"]


def test_the_leon_that_was_named_something_else_does_not_win():
    assert winners(act(dealt("2c", "X", trump="h"), "play:2c", "leon:As")) == [0]
    assert winners(act(dealt("Ac", "X", trump="h"), "play:Ac", "leon:2h")) == [1]


def test_the_leon_makes_nobody_able_to_follow():
    state = act(dealt("Kc 2c", "3s X", trump="h"), "play:Kc")
    assert plays(state) == ["3s"]
    assert not any(state.tolerates(GAME.action(f"play:{card}")) for card in DECK.names)
    act(state, "play:3s")
    assert known(state, 0) == []


def test_the_leon_must_be_played_when_it_is_the_last_card():
    assert legal(dealt("X", "3s")) == [f"leon:{card}" for card in DECK.names[:52]]


# sanctions


def test_the_leon_without_a_name_costs_5_and_wins_nothing():
    state = act(dealt("2c 4c", "X 3c", bids=(2, 0)), "play:2c", "leon")
    assert events(state)[1:] == [
        {"kind": "act", "seat": 1, "action": "leon"},
        {"kind": "sanction", "seat": 1, "name": FORGOTTEN, "points": -5},
        {"kind": "trick", "winner": 0},
    ]
    assert state.scores == (0, 0)
    act(state, "play:4c", "play:3c")
    assert points(state) == [3, 1 - 5]


def test_the_next_card_sets_the_suit_if_the_leon_is_led_without_a_name():
    state = act(dealt("X 2d", "3s 4c", "5s 6c", trump="h"), "leon")
    assert state.view(1).led is None
    assert state.view(1).winning is None
    assert plays(state) == ["4c", "3s"]
    act(state, "play:3s")
    assert plays(state) == ["5s"]
    act(state, "play:5s")
    assert winners(state) == [2]


def test_the_forgotten_name_is_no_legal_action_and_only_for_the_leons_owner_at_its_turn():
    leon = GAME.action("leon")
    state = dealt("X 2c", "3c 4c")
    assert leon not in state.legal()
    assert state.tolerates(leon)
    assert not act(state, "leon:2d").tolerates(leon)
    assert not dealt("X 2c", "3c 4c", mode="simple").tolerates(leon)
    assert not dealt("X 2c", "3c 4c", phase="bid").tolerates(leon)


@pytest.mark.parametrize("mode", ["attack", "defence"])
def test_a_revoke_is_caught_and_the_lowest_card_of_the_suit_played_instead(mode):
    state = act(dealt("Kc 2d 3d", "9c 8c Ah", mode=mode, trump="h"), "play:Kc", "play:Ah")
    assert events(state)[1:] == [
        {"kind": "act", "seat": 1, "action": "play:Ah"},
        {"kind": "sanction", "seat": 1, "name": UNMASKED, "points": -5},
        {"kind": "trick", "winner": 0},
    ]
    assert hand(state, 1) == ["9c", "Ah"]
    assert state.view(0).as_dict()["tricks"][0]["plays"] == ["play:Kc", "play:8c"]
    assert known(state, 0) == known(state, 1) == [(1, UNMASKED, -5)]


def test_a_card_refused_against_the_suit_that_the_leon_was_named_is_caught_too():
    state = act(dealt("X 2d", "9s 8c", trump="h"), "leon:3s", "play:8c")
    assert kinds(state) == ["leon:3s", "play:8c", UNMASKED, "1"]
    assert hand(state, 1) == ["8c"]


def test_the_card_that_was_offered_in_a_caught_revoke_does_not_show():
    ways = [act(dealt("Kc 2d 3d", "9c 8s Ah", "4c 5c 6c"), "play:Kc", card) for card in ("play:8s", "play:Ah")]
    assert ways[0].view(0) == ways[1].view(0)
    assert ways[0].view(0).sanctions


def test_what_is_no_revoke_is_a_fault():
    def tolerated(*hands: str, led: str = "play:Kc", **options) -> list[str]:
        state = act(dealt(*hands, **options), led)
        return [GAME.text(action) for action in range(len(GAME.names)) if state.tolerates(action)]

    assert tolerated("Kc 2d", "9c Ah") == ["play:Ah"]
    assert tolerated("Kc 2d", "9c X") == ["leon"]
    assert tolerated("Kc 2d", "9h Ah") == []
    assert tolerated("Kc 2d", "9c Ah", mode="simple") == []
    assert tolerated("Kc 2d", "9c Ah", revokes="hidden") == []
    leads = dealt("Kc 2d", "9c Ah")
    assert not any(leads.tolerates(action) for action in range(len(GAME.names)))


class Careless:
    """Answers what earns a sanction wherever that is possible, and else the first legal action."""

    def __init__(self, *texts: str) -> None:
        self.wanted = [GAME.action(text) for text in texts]

    def act(self, view, legal):
        hand, led = view.hand, view.led
        if view.phase == "play" and 52 in hand and GAME.action("leon") in self.wanted:
            return GAME.action("leon")
        if view.phase == "play" and self.wanted == [] and led is not None:
            suits = [card // 13 for card in hand if card < 52]
            if led in suits and any(suit != led for suit in suits):
                return next(card for card in hand if card < 52 and card // 13 != led)
        return legal[0]


def played(makers, **options):
    match = Match(
        "leon-0-0", GameSetup("leon", len(makers), options), 0, 77, tuple(f"bot{i}" for i in range(len(makers)))
    )
    record = table.play(match, GAME, makers)
    replay.check(record, GAME)
    return record, list(replay.trace(record, GAME))


@pytest.mark.parametrize(("wanted", "name"), [(["leon"], FORGOTTEN), ([], UNMASKED)])
def test_the_table_settles_infractions_by_sanctions_and_the_record_replays(wanted, name):
    record, trace = played([lambda: Careless(*wanted), lambda: Careless("bid:0")], max_cards=8)
    assert record.faults == ()
    at = [i for i, event in enumerate(trace) if event["kind"] == "sanction"]
    assert at
    for i in at:
        assert trace[i]["name"] == name
        assert trace[i]["seat"] == trace[i - 1]["seat"] == 0
        assert trace[i - 1]["kind"] == "act"
        assert trace[i - 1]["action"] not in trace[i - 1]["legal"]
        assert "fault" not in trace[i - 1]


# hidden revokes


def hidden(*hands: str, **options) -> LeonState:
    return dealt(*hands, revokes="hidden", **options)


def test_every_card_is_legal_with_hidden_revokes():
    state = act(hidden("Kc 2d", "3s 9c", trump="h"), "play:Kc")
    assert plays(state) == ["9c", "3s"]
    simple = act(hidden("Kc 2d", "3s 9c", trump="h", mode="simple"), "play:Kc")
    assert plays(simple) == ["9c"]


def test_a_revoker_alone_is_asked_after_the_trick_and_the_revoke_stands():
    state = act(hidden("Kc 2d", "3s 9c", "4c Ah", trump="h"), "play:Kc", "play:3s", "play:Ah")
    assert winners(state) == [2]
    assert state.seat == 1
    assert legal(state) == ["confess", "silent"]
    act(state, "silent")
    assert state.seat == 2
    assert legal(state) == ["confess", "silent"]
    act(state, "silent")
    assert state.seat == 2
    assert plays(state) == ["4c"]


def test_no_one_is_asked_about_an_honest_discard_or_the_leon():
    state = act(hidden("Kc 2d", "3s 9s", "X 4c", trump="h"), "play:Kc", "play:3s", "leon:2d")
    assert state.view(state.seat).phase == "play"


def test_a_confession_costs_2_at_once_and_closes_the_matter():
    state = act(hidden("Kc 2d", "9c 3s", bids=(1, 1), trump="h"), "play:Kc", "play:3s", "confess")
    assert kinds(state) == ["play:Kc", "play:3s", "0", "confess", REPENTED]
    assert known(state, 0) == [(1, REPENTED, -2)]
    act(state, "play:2d", "play:9c")
    assert kinds(state)[5:8] == ["play:2d", "play:9c", "0"]
    assert points(state) == [-1, -1 - 2]


def test_a_silent_revoke_costs_5_when_the_refused_suit_is_played():
    state = act(hidden("Kc 2d", "9c 3s", bids=(1, 1), trump="h"), "play:Kc", "play:3s", "silent")
    assert known(state, 0) == known(state, 1) == []
    act(state, "play:2d", "play:9c")
    assert kinds(state)[4:8] == ["play:2d", "play:9c", UNMASKED, "0"]
    assert points(state) == [-1, -1 - 5]


def test_a_silent_revoke_shows_when_the_suit_is_led_too():
    state = act(hidden("Kc 2d", "9c Ah", trump="h"), "play:Kc", "play:Ah", "silent", "play:9c")
    assert kinds(state)[-2:] == ["play:9c", UNMASKED]


def test_every_silent_revoke_in_the_suit_costs_its_own_5():
    state = hidden("Kc Qc 2c 2d", "9c 3s 4s 5s", trump="h")
    act(state, "play:Kc", "play:3s", "silent", "play:Qc", "play:4s", "confess", "play:2c", "play:5s", "silent")
    act(state, "play:2d", "play:9c")
    assert kinds(state)[-6:-2] == ["play:9c", UNMASKED, UNMASKED, "0"]
    assert points(state)[1] == -5 - 5 - 2 + 1


def test_the_leon_and_other_suits_unmask_nothing():
    state = hidden("Kc Qd 2d 3d", "9c 3s 4d X", trump="h")
    act(state, "play:Kc", "play:3s", "silent", "play:Qd", "play:4d", "play:2d", "leon:2c")
    assert known(state, 1) == []
    act(state, "play:3d", "play:9c")
    assert kinds(state).count(UNMASKED) == 1


def test_a_card_that_unmasks_one_revoke_may_be_another():
    state = hidden("Kc Kd 2h", "9c 9d 3s", trump="h")
    act(state, "play:Kc", "play:3s", "silent", "play:Kd", "play:9c")
    assert kinds(state)[-2:] == [UNMASKED, "0"]
    assert (state.seat, state.view(1).phase) == (1, "confess")
    act(state, "silent", "play:2h", "play:9d")
    assert kinds(state).count(UNMASKED) == 2


def test_confessions_come_out_together_when_all_who_revoked_have_answered():
    state = hidden("Kc 2d", "9c 3s", "8c 4s", "7c 5s", trump="h")
    act(state, "play:Kc", "play:3s", "play:4s", "play:5s", "confess")
    assert state.seat == 2
    assert known(state, 1) == [(1, REPENTED, -2)]
    assert [known(state, seat) for seat in (0, 2, 3)] == [[], [], []]
    act(state, "silent", "confess")
    assert [known(state, seat) for seat in range(4)] == [[(1, REPENTED, -2), (3, REPENTED, -2)]] * 4
    assert state.seat == 0


def test_the_seat_itself_knows_of_its_silent_revokes():
    state = act(hidden("Kc 2c", "9c 3s", trump="h"), "play:Kc", "play:3s", "silent")
    assert state.view(1).revokes == ((1, 0),)
    assert state.view(1).as_dict()["revokes"] == [{"trick": 1, "suit": "c"}]
    assert state.view(0).revokes == ()


def test_nothing_of_a_silent_revoke_shows_to_others():
    honest = act(hidden("Kc 2d 2s", "9h 3s 4s", "4c 5c 6c", trump="h"), "play:Kc", "play:3s", "play:4c")
    liar = act(hidden("Kc 2d 2s", "9c 3s 4s", "4c 5c 6c", trump="h"), "play:Kc", "play:3s", "play:4c")
    assert (honest.seat, liar.seat) == (0, 1)
    for seat in (0, 2):
        assert liar.view(seat) == honest.view(seat)
    act(liar, "silent")
    for seat in (0, 2):
        assert liar.view(seat) == honest.view(seat)
    act(liar, "play:2s", "play:4s", "play:5c")
    act(honest, "play:2s", "play:4s", "play:5c")
    # seat 2 discarded a club under spades; both are honest to seat 0
    assert liar.view(0) == honest.view(0)


# options


def test_the_largest_hand_is_filled_in_and_bounded():
    for seats, largest in LARGEST.items():
        assert GAME.options(seats, {}).max_cards == largest
        assert GAME.options(seats, {"max_cards": largest}).max_cards == largest
        with pytest.raises(ConfigError, match=f"max_cards: {largest + 1} is more than {largest}"):
            GAME.options(seats, {"max_cards": largest + 1})
    for wrong in ({"max_cards": 0}, {"mode": "bold"}, {"revokes": "never"}, {"max_cards": 2.5}):
        with pytest.raises(ConfigError):
            GAME.options(4, wrong)


# properties


@given(seats=SEATS, seed=SEEDS, mode=MODES, revokes=REVOKES, size=st.integers(1, 5))
def test_every_card_is_in_one_place_at_every_step(seats, seed, mode, revokes, size):
    state = GAME.start(seats, GAME.options(seats, {"mode": mode, "revokes": revokes, "max_cards": size}), seed)
    rng = Random(seed)
    scores = [0] * seats
    while state.seat is not None:
        deal = [GAME.event(entry) for entry in state.log if entry[0] == "deal"][-1]
        assert sorted([*chain(*deal["hands"]), deal["up"], *deal["deck"]]) == sorted(DECK.names)
        view = state.view(0)
        shown = [DECK.text(a) if a < 52 else "X" for a in view.moves]
        held = chain(*hands_of(state))
        assert sorted([*held, *shown, deal["up"], *deal["deck"]]) == sorted(DECK.names)
        left = [len(cards) for cards in hands_of(state)]
        assert sum(view.won) == len(view.tricks) == view.cards - max(left)
        step(state, rng, wrong=0.3)
    for event in events(state):
        if event["kind"] == "score":
            scores = [a + b for a, b in zip(scores, event["points"], strict=True)]
            assert event["scores"] == scores
    assert tuple(scores) == state.scores


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


@given(seats=SEATS, seed=SEEDS)
def test_an_imagined_round_could_have_been_played_by_the_rules(seats, seed):
    rng = Random(seed)
    state = midway(seats, seed, rng, mode="defence", revokes="hidden")
    view = state.view(state.seat)
    other = GAME.imagine(view, rng)
    if view.phase not in ("play", "confess"):
        return
    facts, hands = facts_of(other), [" ".join(cards) for cards in hands_of(other)]
    tricks = [(trick.leader, trick.plays) for trick in view.tricks]
    for leader, plays in [*tricks, (view.leader, view.plays)]:
        for i, action in enumerate(plays):
            hands[(leader + i) % seats] += f" {DECK.text(min(action, 52))}"
    nothing = {name: [] for name in ("sanctions", "revokes", "asked", "confessed", "silent")}
    begun = facts | nothing | {"hands": hands, "plays": "", "won": None, "leader": None, "phase": "play"}
    again = set_up(GAME, seats, view.options, **begun)
    public = [sanction for sanction in facts["sanctions"] if sanction["name"] == REPENTED]
    confessed = [(each["seat"], each["trick"]) for each in (*public, *facts["confessed"])]
    moves = [GAME.text(action) for action in view.moves]
    while moves or facts_of(again)["asked"] != facts["asked"]:
        now = again.view(again.seat)
        if now.phase == "confess":
            act(again, "confess" if (again.seat, sum(now.won)) in confessed else "silent")
        else:
            act(again, moves.pop(0))
    found = facts_of(again)
    assert (again.seat, found["hands"], found["revokes"]) == (other.seat, facts["hands"], facts["revokes"])
    assert sorted(found["silent"], key=str) == sorted(facts["silent"], key=str)
    assert [again.view(seat) for seat in range(seats)] == [other.view(seat) for seat in range(seats)]


# what imagine may deduce


def imagined(state: LeonState, seat: int, times: int = 60) -> list[list[list[str]]]:
    """The hands of all seats in some imagined states."""
    view = state.view(seat)
    return [hands_of(GAME.imagine(view, Random(i))) for i in range(times)]


def test_imagine_knows_what_a_confession_tells():
    state = act(hidden("Kc 2d 3d", "9c Jd Ah", trump="h"), "play:Kc", "play:Jd", "confess")
    assert all(any(card.endswith("c") for card in hands[1]) for hands in imagined(state, 0, 200))
    act(state, "play:2d", "play:9c")
    assert not all(any(card.endswith("c") for card in hands[1]) for hands in imagined(state, 0, 200))


def test_imagine_finds_the_rare_deal_in_which_all_that_is_known_of_a_hand_holds():
    state = hidden("Kc Kd Ks 2c 2d 2s", "9c 9d 9s 2h 3h 4h", trump="c")
    act(state, "play:Kc", "play:2h", "confess", "play:Kd", "play:3h", "confess", "play:Ks", "play:4h", "confess")
    for hands in imagined(state, 0, 200):
        assert sorted(card[1] for card in hands[1]) == ["c", "d", "s"]


def test_imagine_draws_secret_bids_evenly_and_knows_its_own():
    state = dealt("Kc 2d", "9c Jd", bids=(2, 1))
    states = [GAME.imagine(state.view(0), Random(i)) for i in range(60)]
    bids = [[each.view(seat).bids for seat in (0, 1)] for each in states]
    assert {pair[0] for pair in bids} == {(2, None)}
    assert {pair[1] for pair in bids} == {(None, 0), (None, 1), (None, 2)}
    spoken = dealt("Kc 2d", "9c Jd", bids=(2, 1), mode="defence")
    heard = GAME.imagine(spoken.view(0), Random(1))
    assert [heard.view(seat).bids for seat in (0, 1)] == [(2, 1), (2, 1)]


def test_a_view_names_cards_and_actions():
    state = act(dealt("Kc 2d X", "9c Jd 3d", "8c 7c 6c", bids=(1, 0, 2)), "play:Kc", "play:9c", "play:8c", "leon:As")
    shown = state.view(0).as_dict()
    assert shown["hand"] == ["2d"]
    assert shown["bids"] == [1, None, None]
    assert shown["plays"] == ["leon:As"]
    assert shown["tricks"] == [{"leader": 0, "plays": ["play:Kc", "play:9c", "play:8c"], "winner": 0}]
    assert (shown["trump"], shown["leader"], shown["turn"], shown["won"]) == ("h", 0, 1, [1, 0, 0])
    assert state.view(1).led == 3
    assert state.view(1).winning == 0
    with pytest.raises(AttributeError):
        state.view(0).hand = ()
