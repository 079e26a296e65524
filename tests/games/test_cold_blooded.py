"""Cold Blooded, rule by rule (docs/rules/cold-blooded.md)."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.facts import facts_of, set_up
from tourney import testing
from tourney.base.errors import ActionError, ConfigError
from tourney.games.cold_blooded import rules as cb
from tourney.plugins.registry import load_game

GAME = load_game("cold-blooded")
SEEDS = st.integers(0, 2**64 - 1)
SEATS = st.integers(4, 8)
DECKS = [{}, {"sniper": 2, "knife": 4, "sacrifice": 5}, {"shell": 0, "bomb": 0, "uprising": 3}, {"shell": 30}]
OPTIONS = st.fixed_dictionaries(
    {
        "talk": st.booleans(),
        "target": st.integers(1, 3),
        "max_turns": st.integers(1, 90),
        "deck": st.sampled_from(DECKS),
    }
)


def table(roles, hands, deck, *, first=None, late=True, **options):
    """A game in which seat i has the role and the card i of the lists; seat `first` (the Duke) is to move.

    At a table of four the last of the hands is the Duke's. With `late`, everyone has had the first turn.
    """
    seats = len(roles)
    counts = Counter([*hands, *deck])
    given = {"talk": False, "deck": {card: counts[card] for card in cb.CARDS}} | options
    return testing.position(
        GAME,
        seats=seats,
        options=given,
        roles=roles,
        hands=hands[:seats],
        dummy=hands[4] if seats == 4 else None,
        deck=" ".join(deck),
        starts=first,
        turn=seats + 1 if late else 1,
    )


def five(*hands, deck=("shell", "bomb", "draw"), roles="dggaa", **options):
    """Seat 0 is the Duke, 1 and 2 are guards, 3 and 4 assassins, unless `roles` says otherwise."""
    names = {"d": "duke", "g": "guard", "a": "assassin"}
    cards = ["shell" if card == "draw" else card for card in deck]
    return table([names[role] for role in roles], hands, cards, **options)


def act(state, *actions):
    return testing.act(GAME, state, " ".join(actions))


def legal(state):
    return testing.legal(GAME, state)


def until(state, seat):
    """Everyone passes until the seat is to move."""
    while state.seat != seat:
        act(state, "pass")
    return state


def hand(state, place):
    there = facts_of(state)
    return there["dummy"] if place == cb.DUMMY else there["hands"][place]


def deck(state):
    return facts_of(state)["deck"].split()


def living(state):
    there = facts_of(state)
    places = [*range(len(there["hands"])), *[cb.DUMMY] * (len(there["hands"]) == 4)]
    return [place for place in places if place not in there["out"]]


def assassins(state):
    return {seat for seat, role in enumerate(facts_of(state)["roles"]) if role == "assassin"}


def cards(state):
    """How many there are of each card in the game, those that were played in this turn included."""
    there = facts_of(state)
    held = [card for card in (*there["hands"], there["dummy"]) if card]
    elsewhere = [*there["tokens"]["bombs"], *there["tokens"]["deck"]]
    played = [card for _, token, card in there["decision"]["played"] if token not in elsewhere]
    return Counter([*held, *there["deck"].split(), *["bomb"] * len(there["bombs"]), *played])


def points(state):
    return [tuple(event["points"]) for event in testing.events(GAME, state, "score")]


def shown(state, seat):
    return state.view(seat).as_dict()


def play_out(state, rng):
    while state.seat is not None:
        choices = state.legal()
        state.apply(choices[int(rng.random() * len(choices))])


def midway(seats, options, seed):
    """A state at a random moment of a random match."""
    rng = Random(seed)
    state = GAME.start(seats, GAME.options(seats, options), seed)
    for _ in range(int(rng.random() * 150)):
        before = state.copy()
        choices = state.legal()
        state.apply(choices[int(rng.random() * len(choices))])
        if state.seat is None:
            return before
    return state


# set-up


@pytest.mark.parametrize(("seats", "guards", "assassins"), [(4, 2, 2), (5, 2, 2), (6, 3, 2), (7, 3, 3), (8, 4, 3)])
def test_roles_are_dealt_by_the_number_of_seats(seats, guards, assassins):
    for seed in range(5):
        deal = GAME.event(GAME.start(seats, GAME.options(seats, {}), seed).log[0])
        roles = Counter(deal["roles"])
        assert roles["guard"] == guards
        assert roles["assassin"] == assassins
        assert roles["duke"] == (seats > 4)


@pytest.mark.parametrize("seats", range(4, 9))
def test_a_deal_lays_out_the_whole_default_deck_one_card_a_hand(seats):
    deal = GAME.event(GAME.start(seats, GAME.options(seats, {}), 3).log[0])
    assert deal["kind"] == "deal"
    assert deal["game"] == 1
    assert len(deal["hands"]) == len(deal["roles"]) == seats
    cards = Counter(deal["hands"] + deal["deck"] + ([deal["dummy"]] if seats == 4 else []))
    assert cards == {"sniper": 6, "knife": 2, "sacrifice": 2, "shell": 4, "bomb": 3, "uprising": 1}
    if seats == 4:
        assert deal["duke"] is None
    else:
        assert "dummy" not in deal
        assert deal["roles"][deal["duke"]] == "duke"
        assert deal["starts"] == deal["duke"]


def test_the_duke_starts_and_passes_to_the_left_each_game():
    state = GAME.start(5, GAME.options(5, {}), 8)
    play_out(state, Random(8))
    deals = [GAME.event(entry) for entry in state.log if entry[0] == "deal"]
    assert len(deals) > 4
    for one, other in pairwise(deals):
        assert other["duke"] == other["starts"] == (one["duke"] + 1) % 5


def test_the_first_duke_is_drawn_by_the_seed():
    assert {GAME.start(6, GAME.options(6, {}), seed).view(0).duke for seed in range(60)} == set(range(6))


@pytest.mark.parametrize(
    ("seats", "cards", "fine"), [(5, 6, False), (5, 7, True), (4, 6, False), (4, 7, True), (8, 10, True)]
)
def test_a_deck_needs_two_cards_more_than_there_are_hands(seats, cards, fine):
    given = {"deck": dict.fromkeys(cb.CARDS, 0) | {"shell": cards}}
    if fine:
        play_out(GAME.start(seats, GAME.options(seats, given), 1), Random(1))
    else:
        with pytest.raises(ConfigError, match="deck: 6 cards are too few"):
            GAME.options(seats, given)


@pytest.mark.parametrize("deck", [{"ambush": 1}, {"sniper": -1}, {"sniper": "6"}, {"sniper": 6.5}, 18])
def test_a_deck_with_unknown_cards_or_counts_is_refused(deck):
    with pytest.raises(ConfigError):
        GAME.options(5, {"deck": deck})


@pytest.mark.parametrize("given", [{"target": 0}, {"max_turns": 0}, {"talk": 1}, {"games": 3}])
def test_options_out_of_bounds_are_refused(given):
    with pytest.raises(ConfigError):
        GAME.options(5, given)


# turns


def test_in_its_first_turn_a_seat_may_only_draw_or_pass():
    state = five("sniper", "sniper", "knife", "bomb", "uprising", late=False)
    for _ in range(5):
        assert legal(state) == ["draw", "pass"]
        act(state, "pass")
    assert legal(state) == [
        "draw",
        "pass",
        *[f"trade:{s}" for s in (1, 2, 3, 4)],
        *[f"sniper:{s}" for s in (1, 2, 3, 4)],
    ]


def test_draw_puts_the_own_card_under_the_deck_and_takes_the_top_one():
    state = act(five("sniper", "knife", "knife", "bomb", "bomb", deck=("shell", "uprising")), "draw")
    assert hand(state, 0) == "shell"
    assert deck(state) == ["uprising", "sniper"]
    assert state.seat == 1


def test_a_trade_swaps_the_cards_and_shows_them_to_the_two_alone():
    state = act(five("sniper", "knife", "knife", "bomb", "bomb"), "trade:3")
    assert (hand(state, 0), hand(state, 3)) == ("bomb", "sniper")
    assert shown(state, 0)["history"][-1] == {"seat": 0, "action": "trade:3", "gave": "sniper", "got": "bomb"}
    assert shown(state, 3)["cards"] == ["bomb", None, None, "sniper", None]
    assert shown(state, 2)["history"][-1] == {"seat": 0, "action": "trade:3", "gave": None, "got": None}


def test_no_trade_with_a_seat_whose_own_last_turn_was_a_trade_with_you():
    state = act(five("sniper", "knife", "knife", "bomb", "bomb"), "pass", "trade:3", "pass")
    assert state.seat == 3
    assert "trade:1" not in legal(state)
    assert "trade:2" in legal(state)
    act(state, "trade:2", "pass", "pass")
    # seat 1 may trade with 3: it was seat 2 that 3 traded with
    assert "trade:3" in legal(state)
    act(state, "pass")
    assert "trade:3" not in legal(state)
    act(state, "pass")
    # seat 1 has passed since
    assert "trade:1" in legal(state)


def test_a_knife_cannot_be_given_to_a_seat_that_has_just_traded_with_its_player():
    state = act(five("sniper", "knife", "bomb", "shell", "shell"), "pass", "trade:3", "pass")
    assert hand(state, 3) == "knife"
    assert [text for text in legal(state) if "knife" in text] == ["knife:0", "knife:2", "knife:4"]


def test_the_duke_may_decline_a_trade_which_ends_the_turn_and_is_no_trade():
    state = act(five("sniper", "knife", "knife", "bomb", "bomb"), "pass", "trade:0")
    assert state.seat == 0
    assert legal(state) == ["accept", "decline"]
    act(state, "decline")
    assert state.seat == 2
    assert (hand(state, 0), hand(state, 1)) == ("sniper", "knife")
    until(state, 0)
    assert "trade:1" in legal(state)


def test_a_trade_that_the_duke_accepts_is_done():
    state = act(five("sniper", "shell", "knife", "bomb", "bomb"), "pass", "trade:0", "accept")
    assert (hand(state, 0), hand(state, 1)) == ("shell", "sniper")
    until(state, 0)
    assert "trade:1" not in legal(state)


def test_only_the_duke_is_asked_about_a_trade():
    state = act(five("sniper", "knife", "knife", "bomb", "bomb"), "trade:1")
    assert state.seat == 1
    assert "pass" in legal(state)


@pytest.mark.parametrize(("seats", "actions"), [(5, 2), (6, 1), (7, 2), (8, 1)])
def test_the_last_living_assassin_has_two_actions_at_odd_tables(seats, actions):
    others = ["guard"] * (seats - 2)
    state = table(["duke", "assassin", *others], ["shell"] * seats, ["bomb"] * 4)
    act(state, "pass", "draw")
    assert state.seat == (1 if actions == 2 else 2)
    if actions == 2:
        act(state, "draw")
        assert state.seat == 2


def test_with_two_assassins_alive_each_has_one_action():
    state = act(five(*["shell"] * 5, roles="daagg"), "pass", "draw")
    assert state.seat == 2


@pytest.mark.parametrize("ends", [["pass"], ["trade:0", "decline"]])
def test_passing_or_being_declined_ends_a_turn_of_two_actions(ends):
    state = act(five(*["shell"] * 5, roles="daggg"), "pass", *ends)
    assert state.seat == 2
    state = act(five(*["shell"] * 5, roles="daggg"), "pass", "draw", *ends)
    assert state.seat == 2


def test_a_seat_without_a_card_passes_its_second_action():
    state = act(five("shell", "sniper", "shell", "shell", "shell", roles="daggg"), "pass", "sniper:2", "shell")
    assert state.seat == 1
    assert legal(state) == ["pass"]
    # the shell's player has no card either until the turn is over
    assert hand(state, 2) is None
    act(state, "pass")
    assert hand(state, 1) == "shell"
    assert hand(state, 2) == "bomb"
    assert deck(state)[-2:] == ["sniper", "shell"]


def test_of_two_actions_either_trade_counts():
    state = act(five(*["shell"] * 5, roles="daggg"), "pass", "trade:2", "trade:3")
    assert state.seat == 2
    assert "trade:1" not in legal(state)
    act(state, "pass")
    assert "trade:1" not in legal(state)
    act(state, "pass")
    assert "trade:1" in legal(state)


def test_the_uprising_does_not_take_the_second_action_away():
    state = testing.position(
        GAME,
        seats=5,
        options={"talk": False},
        roles=["duke", "assassin", "guard", "guard", "assassin"],
        hands=["shell", "uprising", "shell", "shell", None],
        deck="shell bomb shell",
        out=[4],
        mover=1,
    )
    act(state, "uprising")
    assert state.seat == 1
    assert legal(state) == ["pass"]


# action cards


def test_a_sniper_eliminates_and_the_victims_role_is_shown():
    state = act(five("sniper", "knife", "knife", "bomb", "bomb"), "sniper:3", "hide")
    assert living(state) == [0, 1, 2, 4]
    assert shown(state, 1)["roles"] == ["duke", "guard", None, "assassin", None]
    # the victim's card went under the deck at once, the sniper at the end of the turn; its player drew
    assert deck(state) == ["bomb", "shell", "bomb", "sniper"]
    assert hand(state, 0) == "shell"


def test_a_sniper_may_be_aimed_at_anyone_else_alive_a_bombs_player_too():
    state = act(five("sniper", "knife", "knife", "bomb", "sniper"), "pass", "pass", "pass", "bomb")
    assert [text for text in legal(state) if "sniper" in text] == ["sniper:0", "sniper:1", "sniper:2", "sniper:3"]
    act(state, "sniper:3")
    # the bomb went under the deck; there was no card to show
    assert state.seat == 0
    assert deck(state)[-2:] == ["bomb", "sniper"]
    act(state, "pass", "pass", "pass", "pass")
    assert points(state) == []


def test_a_shell_saves_its_holder_from_a_sniper():
    state = act(five("sniper", "knife", "knife", "shell", "bomb", deck=("bomb", "uprising")), "sniper:3")
    assert state.seat == 3
    assert legal(state) == ["shell", "stay"]
    act(state, "shell")
    assert living(state) == [0, 1, 2, 3, 4]
    # first the seat that played first draws
    assert (hand(state, 0), hand(state, 3)) == ("bomb", "uprising")
    assert deck(state) == ["sniper", "shell"]


def test_a_shell_may_be_kept_and_its_holder_dies():
    state = act(five("sniper", "knife", "knife", "shell", "bomb"), "sniper:3", "stay", "show")
    assert living(state) == [0, 1, 2, 4]


def test_a_shell_protects_its_holder_alone_and_only_from_a_sniper():
    state = act(five("sniper", "shell", "knife", "bomb", "shell"), "sniper:3")
    assert state.seat == 3
    assert legal(state) == ["show", "hide"]
    state = act(five("sniper", "knife", "knife", "shell", "bomb"), "pass", "knife:3")
    assert living(state) == [0, 1, 2, 4]


def test_a_knife_eliminates_its_partner_and_takes_its_card():
    state = act(five("sniper", "knife", "shell", "bomb", "bomb"), "pass", "knife:3")
    # no question whether to show: the victim has no card left
    assert state.seat == 2
    assert living(state) == [0, 1, 2, 4]
    assert hand(state, 1) == "bomb"
    assert deck(state)[-1] == "knife"
    assert shown(state, 1)["cards"][1] == "bomb"
    assert shown(state, 2)["cards"][1] is None
    assert {"seat": 1, "action": "knife:3", "gave": "knife", "got": None} in shown(state, 2)["history"]


def test_the_duke_may_decline_a_knife_which_stays_in_hand_and_looks_like_a_trade():
    state = act(five("sniper", "shell", "shell", "knife", "bomb"), "pass", "pass", "pass", "knife:0", "decline")
    assert state.seat == 4
    assert hand(state, 3) == "knife"
    assert living(state) == [0, 1, 2, 3, 4]
    for seat in (0, 1, 2, 4):
        assert "knife" not in str(shown(state, seat))
    assert "knife:0" in str(shown(state, 3)["history"])
    trade = act(five("sniper", "shell", "shell", "knife", "bomb"), "pass", "pass", "pass", "trade:0", "decline")
    for seat in (0, 1, 2, 4):
        assert trade.view(seat) == state.view(seat)


def test_while_the_duke_thinks_a_knife_and_a_trade_look_the_same_to_all_but_its_player():
    knife, trade = [
        act(five("sniper", "shell", "shell", "knife", "bomb"), "pass", "pass", "pass", f"{how}:0")
        for how in ("knife", "trade")
    ]
    for seat in (0, 1, 2, 4):
        assert knife.view(seat) == trade.view(seat)
    assert knife.view(3) != trade.view(3)


def test_a_sacrificer_dies_instead_and_has_no_card_to_show():
    state = act(five("sniper", "sacrifice", "knife", "bomb", "bomb"), "sniper:3", "sacrifice")
    assert state.seat == 2
    assert living(state) == [0, 2, 3, 4]
    assert shown(state, 3)["roles"] == ["duke", "guard", None, "assassin", None]
    assert deck(state)[-2:] == ["sniper", "sacrifice"]


def test_sacrifices_are_asked_clockwise_from_the_victim_after_the_shell():
    state = act(five("sniper", "sacrifice", "shell", "sacrifice", "sacrifice"), "sniper:2", "stay")
    asked = []
    while legal(state) == ["sacrifice", "stay"]:
        asked.append(state.seat)
        act(state, "stay")
    assert asked == [3, 4, 1]
    assert legal(state) == ["show", "hide"]


def test_the_victim_itself_is_not_asked_to_sacrifice():
    state = act(five("sniper", "knife", "sacrifice", "bomb", "bomb"), "sniper:2")
    assert legal(state) == ["show", "hide"]


def test_the_duke_may_sacrifice_himself_and_the_assassins_win():
    state = act(five("sacrifice", "sniper", "knife", "bomb", "bomb"), "pass", "sniper:2")
    assert state.seat == 0
    act(state, "sacrifice")
    assert points(state) == [(0, 0, 0, 1, 1)]


def test_the_knifes_player_is_not_asked_over_the_card_it_has_just_taken():
    state = act(five("sniper", "knife", "shell", "sacrifice", "bomb"), "pass", "knife:3")
    assert living(state) == [0, 1, 2, 4]
    assert hand(state, 1) == "sacrifice"


def test_nobody_can_sacrifice_for_a_sacrificer():
    state = act(five("sniper", "sacrifice", "sacrifice", "bomb", "bomb"), "sniper:3", "sacrifice")
    assert living(state) == [0, 2, 3, 4]
    assert hand(state, 2) == "sacrifice"


def test_a_saved_victim_of_a_knife_has_lost_its_card_and_draws_at_the_end():
    cards = ("uprising", "bomb", "shell")
    state = act(
        five("sacrifice", "knife", "sacrifice", "bomb", "bomb", deck=cards), "pass", "knife:3", "stay", "sacrifice"
    )
    assert living(state) == [0, 1, 3, 4]
    assert (hand(state, 1), hand(state, 3)) == ("bomb", "uprising")
    assert deck(state) == ["bomb", "shell", "knife", "sacrifice"]
    # the knife was a trade all the same
    assert state.seat == 3
    assert "trade:1" not in legal(state)


def test_a_sacrifice_for_the_duke_saves_him_from_a_knife():
    state = act(five("shell", "sacrifice", "shell", "knife", "bomb"), *["pass"] * 3, "knife:0", "accept", "sacrifice")
    assert living(state) == [0, 2, 3, 4]
    assert hand(state, 3) == "shell"
    assert points(state) == []


def test_an_accepted_knife_kills_the_duke():
    state = act(five("shell", "shell", "shell", "knife", "bomb"), *["pass"] * 3, "knife:0", "accept")
    assert points(state) == [(0, 0, 0, 1, 1)]


def test_a_bomb_wins_when_its_players_next_turn_comes_before_any_talk():
    state = five("shell", "shell", "shell", "bomb", "bomb", talk=True)
    act(state, *["say:nothing", "pass"] * 3, "say:guard", "bomb", *["say:nothing", "pass"] * 3)
    assert state.seat == 2
    assert points(state) == []
    act(state, "say:nothing", "pass")
    assert points(state) == [(0, 0, 0, 1, 1)]


def test_a_bombs_player_holds_no_card_and_nobody_can_trade_with_it():
    state = act(five("shell", "shell", "shell", "bomb", "knife"), *["pass"] * 3, "bomb")
    assert hand(state, 3) is None
    assert shown(state, 0)["bombs"] == [3]
    assert not {"trade:3", "knife:3"} & set(legal(state))


def test_guards_and_the_duke_cannot_play_bombs_or_uprisings():
    state = five("bomb", "uprising", "bomb", "uprising", "bomb")
    for seat, card in enumerate(["bomb", "uprising", "bomb", "uprising", "bomb"]):
        assert (card in legal(state)) == (seat > 2)
        act(state, "pass")


def test_the_uprising_brings_the_eliminated_assassins_back_and_leaves_the_game():
    cards = ("sniper", "knife", "shell")
    state = act(five("sniper", "shell", "shell", "bomb", "uprising", deck=cards), "sniper:3", "show", "pass", "pass")
    assert state.seat == 4
    total = len(deck(state)) + 4
    act(state, "uprising", "pass")
    assert living(state) == [0, 1, 2, 3, 4]
    assert len(deck(state)) + 5 == total - 1
    # its player drew first, then the revived seat
    assert (hand(state, 4), hand(state, 3)) == ("knife", "shell")
    assert shown(state, 1)["uprising_gone"]
    assert shown(state, 1)["roles"][3] == "assassin"


def test_the_revived_have_had_their_first_turn():
    state = act(five("sniper", "shell", "shell", "bomb", "uprising", deck=["sniper"] * 3), "sniper:3", "show", "pass")
    act(state, "pass", "uprising", "pass")
    until(state, 3)
    assert "sniper:0" in legal(state)


def test_an_uprising_may_come_when_nobody_is_eliminated_and_only_once():
    state = act(five("sniper", "shell", "shell", "uprising", "uprising"), "pass", "pass", "pass", "uprising")
    assert living(state) == [0, 1, 2, 3, 4]
    assert "uprising" not in legal(state)


# elimination and end


@pytest.mark.parametrize(("answer", "card"), [("show", "bomb"), ("hide", None)])
def test_the_eliminated_chooses_whether_its_card_is_seen(answer, card):
    state = act(five("sniper", "shell", "shell", "bomb", "bomb"), "sniper:3", answer)
    assert [step["card"] for step in shown(state, 1)["history"] if step.get("action") == answer] == [card]
    assert shown(state, 1)["deck"][-2:] == [card, "sniper"]


def test_show_is_asked_even_when_the_elimination_ends_the_game():
    state = act(five("knife", "shell", "shell", "sniper", "bomb"), *["pass"] * 3, "sniper:0")
    assert points(state) == []
    act(state, "show")
    assert points(state) == [(0, 0, 0, 1, 1)]


def test_guards_win_when_the_last_assassin_is_out():
    state = act(five("sniper", "sniper", "shell", "bomb", "bomb"), "sniper:3", "hide", "sniper:4", "hide")
    assert points(state) == [(1, 1, 1, 0, 0)]
    assert testing.events(GAME, state, "score") == [
        {"kind": "score", "round": 1, "points": [1, 1, 1, 0, 0], "scores": [1, 1, 1, 0, 0]}
    ]


def test_the_eliminated_score_with_their_side():
    state = act(five("sniper", "sniper", "sniper", "bomb", "bomb"), "sniper:1", "hide", "sniper:3", "hide")
    until(state, 0)
    assert points(state) == []
    state = act(
        five("shell", "sniper", "shell", "sniper", "bomb"),
        "pass",
        "sniper:4",
        "hide",
        "pass",
        "sniper:0",
        "stay",
        "hide",
    )
    assert points(state) == [(0, 0, 0, 1, 1)]


def test_the_series_ends_when_a_seat_reaches_the_target():
    for target in (1, 3):
        state = GAME.start(6, GAME.options(6, {"target": target}), 5)
        play_out(state, Random(5))
        assert max(state.scores) == target
        assert state.places == tuple(1 + sum(other > score for other in state.scores) for score in state.scores)


def test_a_game_that_reaches_max_turns_is_drawn_without_points_though_a_bomb_is_due():
    state = five("shell", "shell", "shell", "bomb", "bomb", max_turns=13)
    act(state, *["pass"] * 3, "bomb", *["pass"] * 3)
    assert state.seat == 2
    assert points(state) == []
    act(state, "pass")
    assert points(state) == [(0, 0, 0, 0, 0)]
    # a turn more, and the bomb would have exploded
    state = five("shell", "shell", "shell", "bomb", "bomb", max_turns=14)
    act(state, *["pass"] * 3, "bomb", *["pass"] * 4)
    assert points(state) == [(0, 0, 0, 1, 1)]


def test_a_series_ends_after_forty_games():
    state = GAME.start(5, GAME.options(5, {"max_turns": 1}), 1)
    play_out(state, Random(1))
    assert len(points(state)) == 40
    assert state.scores == (0,) * 5
    assert state.places == (1,) * 5


# talk


def test_the_seat_to_move_first_says_one_thing_about_itself_or_any_other_living_seat():
    state = five("sniper", "shell", "shell", "bomb", "bomb", talk=True)
    said = ["nothing", "guard", *cb.CARDS, *[f"accuse:{s}" for s in range(1, 5)], *[f"trust:{s}" for s in range(1, 5)]]
    assert legal(state) == [f"say:{what}" for what in said]
    act(state, "say:bomb", "sniper:3", "hide")
    assert state.seat == 1
    assert not {"say:accuse:3", "say:trust:3", "say:accuse:1"} & set(legal(state))
    assert {"say:accuse:0", "say:trust:4"} <= set(legal(state))
    assert shown(state, 4)["history"][0] == {"seat": 0, "action": "say:bomb"}


def test_a_turn_of_two_actions_has_one_talk():
    state = act(five(*["shell"] * 5, roles="daggg", talk=True), "say:guard", "pass", "say:guard", "draw")
    assert state.seat == 1
    assert "draw" in legal(state)


def test_without_talk_nobody_says_anything():
    state = GAME.start(5, GAME.options(5, {"talk": False}), 1)
    while state.seat is not None:
        assert not any(text.startswith("say") for text in legal(state))
        state.apply(state.legal()[-1])


# four seats


def four(*hands, dummy="shell", deck=("shell", "bomb", "uprising"), first=0, **options):
    """Seats 0 and 1 are guards, 2 and 3 assassins."""
    return table(["guard", "guard", "assassin", "assassin"], [*hands, dummy], deck, first=first, **options)


def test_the_duke_of_four_seats_can_be_traded_with_and_always_accepts():
    state = act(four("sniper", "bomb", "bomb", "bomb", dummy="knife"), "trade:duke")
    assert state.seat == 1
    assert (hand(state, 0), hand(state, cb.DUMMY)) == ("knife", "sniper")
    assert shown(state, 0)["dummy"] == "sniper"
    assert shown(state, 1)["dummy"] is None
    # he has no turn, so there is nothing that would bar the next trade
    until(state, 0)
    assert "trade:duke" in legal(state)


def test_the_duke_of_four_seats_is_immune_to_the_sniper():
    state = four("sniper", "bomb", "bomb", "bomb")
    assert [text for text in legal(state) if text.startswith("sniper")] == ["sniper:1", "sniper:2", "sniper:3"]


@pytest.mark.parametrize("seat", [0, 2])
def test_a_knife_in_the_duke_of_four_seats_wins_for_the_assassins(seat):
    hands = ["bomb"] * 4
    hands[seat] = "knife"
    state = act(until(four(*hands), seat), "knife:duke")
    assert points(state) == [(0, 0, 1, 1)]


def test_the_duke_of_four_seats_can_be_saved_from_the_starting_seat_on_and_draws_last():
    state = four("sacrifice", "sacrifice", "knife", "sacrifice", dummy="bomb", deck=("uprising", "shell"), first=1)
    act(state, "pass", "knife:duke")
    asked = []
    for answer in ("stay", "stay", "sacrifice"):
        asked.append(state.seat)
        act(state, answer)
    assert asked == [1, 3, 0]
    assert living(state) == [1, 2, 3, cb.DUMMY]
    assert (hand(state, 2), hand(state, cb.DUMMY)) == ("bomb", "uprising")


def test_the_duke_of_four_seats_is_not_asked_to_sacrifice():
    state = act(four("sniper", "bomb", "bomb", "bomb", dummy="sacrifice"), "sniper:1")
    assert state.seat == 1
    assert legal(state) == ["show", "hide"]


def test_the_start_of_four_seats_moves_on_by_one_each_game():
    state = GAME.start(4, GAME.options(4, {}), 6)
    play_out(state, Random(6))
    deals = [GAME.event(entry) for entry in state.log if entry[0] == "deal"]
    starts = [deal["starts"] for deal in deals]
    assert starts == [(starts[0] + i) % 4 for i in range(len(starts))]
    assert len(starts) > 4


def test_the_last_assassin_of_four_seats_has_one_action():
    state = act(four("sniper", "shell", "shell", "shell"), "sniper:2", "stay", "hide", "pass")
    assert state.seat == 3
    act(state, "draw")
    assert state.seat == 0


# what a seat sees


def test_assassins_do_not_know_each_other():
    state = five("shell", "shell", "shell", "shell", "shell")
    assert shown(state, 3)["roles"] == ["duke", None, None, "assassin", None]


def test_a_shell_holder_that_stays_and_one_without_a_shell_look_the_same():
    stayed = act(five("sniper", "bomb", "bomb", "shell", "bomb"), "sniper:3", "stay", "hide")
    bare = act(five("sniper", "bomb", "bomb", "bomb", "bomb"), "sniper:3", "hide")
    for seat in (0, 1, 2, 4):
        assert tuple(stayed.view(seat))[2:] == tuple(bare.view(seat))[2:]


def test_a_sacrifice_holder_that_stays_gives_nothing_away():
    stayed = act(five("sniper", "sacrifice", "bomb", "bomb", "bomb"), "sniper:3", "stay", "hide")
    bare = act(five("sniper", "bomb", "bomb", "bomb", "bomb"), "sniper:3", "hide")
    for seat in (0, 2, 3, 4):
        assert tuple(stayed.view(seat))[2:] == tuple(bare.view(seat))[2:]


def test_others_do_not_see_who_is_being_asked():
    one = act(five("sniper", "sacrifice", "bomb", "bomb", "shell"), "sniper:3")
    other = act(five("sniper", "bomb", "sacrifice", "bomb", "shell"), "sniper:3")
    shielded = act(five("sniper", "bomb", "bomb", "shell", "sacrifice"), "sniper:3")
    assert (one.seat, other.seat, shielded.seat) == (1, 2, 3)
    assert tuple(one.view(0))[2:] == tuple(other.view(0))[2:] == tuple(shielded.view(0))[2:]
    assert tuple(one.view(4))[2:] == tuple(other.view(4))[2:]
    assert one.view(0).phase == "wait"
    assert one.view(1).phase == "sacrifice"


def test_being_asked_to_sacrifice_tells_that_a_trade_was_a_knife():
    state = act(five("sniper", "knife", "sacrifice", "bomb", "bomb"), "pass", "knife:3")
    assert state.seat == 2
    assert state.view(2).phase == "sacrifice"
    for seed in range(10):
        imagined = GAME.imagine(state.view(2), Random(seed))
        assert hand(imagined, 1) == "knife"
        card = hand(imagined, 3)
        act(imagined, "stay")
        assert living(imagined) == [0, 1, 2, 4]
        assert hand(imagined, 1) == card


def test_a_seat_follows_the_cards_it_knows_in_hands_and_in_the_deck():
    state = act(five("sniper", "knife", "shell", "bomb", "bomb", deck=("uprising", "sacrifice")), "trade:2", "draw")
    assert shown(state, 0)["cards"] == ["shell", None, "sniper", None, None]
    assert shown(state, 1)["deck"] == [None, "knife"]
    act(state, "trade:3")
    # the sniper that seat 0 gave to seat 2 has gone on to seat 3
    assert shown(state, 0)["cards"] == ["shell", None, None, "sniper", None]


@given(seats=SEATS, options=OPTIONS, seed=SEEDS)
def test_what_a_seat_does_not_know_does_not_change_its_view(seats, options, seed):
    rng = Random(seed)
    state = midway(seats, options, seed)
    read = GAME.options(seats, options)
    known = facts_of(state)
    for seat in range(seats):
        view = state.view(seat)
        if view.phase == "wait" or state.seat is None:
            continue
        # other cards and roles where the seat knows none, and all else that only the state knows
        drawn = facts_of(GAME.imagine(view, rng))
        hidden = {name: drawn[name] for name in ("roles", "hands", "deck", "dummy")}
        hidden["decision"] = known["decision"] | {
            "actions": 3 - known["decision"]["actions"],
            "played": drawn["decision"]["played"],
        }
        hidden["knives"] = [own if i == seat else [99] for i, own in enumerate(known["knives"])]
        other = set_up(GAME, seats, read, **known | hidden, seed=5)
        assert other.view(seat) == view
        assert other.view(seat).as_dict() == view.as_dict()


@given(seats=SEATS, options=OPTIONS, seed=SEEDS)
def test_no_card_is_lost_or_doubled(seats, options, seed):
    rng = Random(seed)
    state = GAME.start(seats, GAME.options(seats, options), seed)
    total = sum(state.view(0).options.deck.by_card())
    for _ in range(200):
        there = facts_of(state)
        where = there["tokens"]
        played = [
            token
            for _, token, _ in there["decision"]["played"]
            if token not in where["bombs"] and token not in where["deck"]
        ]
        places = [token for token in [*where["hands"], *where["bombs"]] if token >= 0]
        tokens = {*places, *where["deck"], *played}
        assert len(tokens) == len(places) + len(where["deck"]) + len(set(played))
        assert total - len(tokens) == (
            there["uprising_gone"] and "uprising" not in [card for _, _, card in there["decision"]["played"]]
        )
        if state.seat is None:
            break
        choices = state.legal()
        state.apply(choices[int(rng.random() * len(choices))])


# positions


def test_a_position_names_what_it_does_not_know():
    given = {"roles": ["duke", *["guard"] * 2, *["assassin"] * 2], "hands": ["shell"] * 5, "deck": "bomb knife"}
    for change, says in (
        ({"deck": "bomb ambush"}, 'no card "ambush"'),
        ({"hands": ["dagger"] * 5}, 'no card "dagger"'),
        ({"roles": ["king"] * 5}, 'no role "king"'),
    ):
        with pytest.raises(ActionError, match=says):
            testing.position(GAME, seats=5, **given | change)
    with pytest.raises(TypeError, match="hand"):
        testing.position(GAME, seats=5, **given, hand="shell")


# imagining


@given(seats=SEATS, options=OPTIONS, seed=SEEDS)
def test_an_imagined_state_shows_the_seat_the_same_and_plays_on(seats, options, seed):
    rng = Random(seed)
    state = midway(seats, options, seed)
    counts = cards(state)
    for seat in range(seats):
        view = state.view(seat)
        imagined = GAME.imagine(view, rng)
        assert imagined.view(seat) == view
        assert (imagined.seat == seat) == (state.seat == seat)
        if state.seat == seat:
            assert imagined.legal() == state.legal()
        assert cards(imagined) == counts
        assert len(assassins(imagined)) == cb.CAST[seats][1]
        play_out(imagined, rng)


def imagined_from(state, seat, times=40):
    return [GAME.imagine(state.view(seat), Random(i)) for i in range(times)]


def test_whoever_plays_a_bomb_is_imagined_as_an_assassin():
    state = act(five("shell", "shell", "shell", "bomb", "bomb"), *["pass"] * 3, "bomb")
    assert all(3 in assassins(imagined) for imagined in imagined_from(state, 1))


def test_whoever_plays_an_uprising_is_imagined_as_an_assassin():
    state = act(five("shell", "shell", "shell", "uprising", "bomb"), *["pass"] * 3, "uprising")
    assert all(3 in assassins(imagined) for imagined in imagined_from(state, 1))


def test_whoever_takes_a_second_action_is_imagined_as_the_last_assassin_and_one_action_clears():
    state = five("sniper", "shell", "shell", "shell", "shell", roles="dagga")
    act(state, "sniper:4", "stay", "hide")
    act(state, "draw")
    assert state.seat == 1
    assert all(assassins(imagined) == {1, 4} for imagined in imagined_from(state, 2))
    state = five("sniper", "shell", "shell", "shell", "shell", roles="dggaa")
    act(state, "sniper:4", "stay", "hide", "draw")
    found = [assassins(imagined) for imagined in imagined_from(state, 0)]
    assert {frozenset(each) for each in found} == {frozenset(each) for each in ({2, 4}, {3, 4})}
    # a pass tells nothing
    state = five("sniper", "shell", "shell", "shell", "shell", roles="dggaa")
    act(state, "sniper:4", "stay", "hide", "pass")
    found = [assassins(imagined) for imagined in imagined_from(state, 0)]
    assert {frozenset(each) for each in found} == {frozenset(each) for each in ({1, 4}, {2, 4}, {3, 4})}


def test_who_has_stayed_knows_that_only_later_seats_are_asked():
    state = act(five("sniper", "sacrifice", "sacrifice", "bomb", "bomb", deck=["sacrifice"] * 3), "sniper:3", "stay")
    assert state.seat == 2
    for imagined in imagined_from(state, 1):
        assert imagined.seat == 2
        assert imagined.view(1) == state.view(1)


def test_who_holds_a_sacrifice_knows_that_no_later_seat_is_asked_before_it():
    state = act(five("sniper", "sacrifice", "bomb", "bomb", "sacrifice", deck=["sacrifice"] * 3), "sniper:3")
    assert state.seat == 4
    for imagined in imagined_from(state, 1):
        assert imagined.seat == 4
        assert imagined.view(1) == state.view(1)


def test_the_last_assassin_is_imagined_with_its_two_actions():
    state = act(five("sniper", *["shell"] * 4, roles="dagga"), "sniper:4", "stay", "hide")
    for imagined in imagined_from(state, 1, 5):
        act(imagined, "draw")
        assert imagined.seat == 1
    # others imagine it where they imagine the last assassin
    for imagined in imagined_from(state, 2):
        act(imagined, "draw")
        assert (imagined.seat == 1) == (assassins(imagined) == {1, 4})


def test_a_declined_trade_of_a_knife_holder_may_be_imagined_as_either():
    state = act(five("sniper", "knife", "shell", "bomb", "bomb"), "pass", "trade:0")
    knives = {(facts_of(imagined)["decision"]["knife"], hand(imagined, 1)) for imagined in imagined_from(state, 0, 200)}
    assert {(True, "knife"), (False, "knife"), (False, "bomb")} <= knives
    assert not any(knife and card != "knife" for knife, card in knives)


# the trace


def test_past_games_stay_in_the_view():
    state = GAME.start(5, GAME.options(5, {}), 2)
    play_out(state, Random(2))
    for seat in range(5):
        games = shown(state, seat)["games"]
        assert [game["points"] for game in games] == [list(entry) for entry in points(state)]
        deals = [GAME.event(entry) for entry in state.log if entry[0] == "deal"]
        assert [game["roles"][seat] for game in games] == [deal["roles"][seat] for deal in deals]
