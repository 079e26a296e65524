"""The rules of The Vole in the Valley, one by one."""

from random import Random

import pytest
from hypothesis import given

from tests.games.facts import facts_of, set_up
from tests.games.vole import GAME, SEEDS, act, board, deck, eager, events, hand, last_trick, legal, winners
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


# a trick


def test_the_leader_may_play_any_card():
    assert legal(board("2t 11k 4m", "2k 4k 6k")) == ["play:2t", "play:11k", "play:4m"]


def test_the_other_seat_must_follow_suit():
    assert legal(act(board("4t 6k", "2t 8t 10m"), "play:4t")) == ["play:2t", "play:8t"]


def test_a_seat_that_cannot_follow_may_play_any_card():
    assert legal(act(board("4t 6k", "2k 8m"), "play:4t")) == ["play:2k", "play:8m"]


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
    ],
)
def test_the_higher_card_of_the_led_suit_wins_unless_a_trump_was_played(led, answer, up, winner):
    state = act(board(f"{led} 2k", f"{answer} 4k", up), f"play:{led} play:{answer}")
    assert winners(state) == [winner]
    assert state.view(0).won == ((1, 0), (0, 1))[winner]


@pytest.mark.parametrize("leader", [0, 1])
@pytest.mark.parametrize("best", [0, 1])
def test_the_winner_leads_next(leader, best):
    hands = ["6t 2k", "4t 4k"] if best == 0 else ["4t 2k", "6t 4k"]
    state = board(*hands, leader=leader)
    for seat in (leader, 1 - leader):
        assert state.seat == seat
        act(state, f"play:{hands[seat].split()[0]}")
    assert state.seat == best


# the ranks with an ability


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
    assert winners(state) == [winner]
    assert state.seat == leads


def test_a_three_lets_its_player_swap_the_trump_card_before_the_next_card():
    state = act(board("3t 4t 6k", "2k 4k 8k", "2m"), "play:3t")
    assert state.seat == 0
    assert legal(state) == ["swap:4t", "swap:6k", "keep"]
    act(state, "swap:6k")
    assert hand(state, 0) == ["4t", "2m"]
    assert VOLE.text(state.view(1).up) == "6k"
    assert state.seat == 1


def test_a_three_need_not_be_used():
    state = act(board("3t 4t 6k", "2k 4k 8k", "2m"), "play:3t keep")
    assert hand(state, 0) == ["4t", "6k"]
    assert VOLE.text(state.view(0).up) == "2m"
    assert state.seat == 1


@pytest.mark.parametrize(("choice", "winner"), [("keep", 1), ("swap:2t", 0)])
def test_a_new_trump_counts_for_this_trick_when_a_three_is_led(choice, winner):
    assert winners(act(board("3t 2t", "4m 6m", "2m"), f"play:3t {choice} play:4m")) == [winner]


@pytest.mark.parametrize(("choice", "winner"), [("keep", 0), ("swap:2t", 1)])
def test_a_new_trump_counts_for_this_trick_when_a_three_answers(choice, winner):
    assert winners(act(board("4k 6k", "3t 2t", "2m"), f"play:4k play:3t {choice}")) == [winner]


def test_following_suit_does_not_depend_on_the_trump_that_a_three_brings():
    state = act(board("3t 2k", "4t 4k", "2m"), "play:3t swap:2k")
    assert legal(state) == ["play:4t"]


def test_a_three_as_the_last_card_leaves_nothing_to_swap():
    state = act(board("3t", "4t"), "play:3t")
    assert state.seat == 0
    assert legal(state) == ["keep"]
    state = act(board("4t", "3k", won=(6, 6)), "play:4t play:3k")
    assert winners(state) == []
    assert legal(state) == ["keep"]
    assert winners(act(state, "keep")) == [0]


def test_a_five_draws_the_top_card_of_the_deck_and_buries_a_card_under_it():
    state = act(board("5t 4t 6k", "2t 4k 8k", deck="8m 10m 4m"), "play:5t")
    assert state.seat == 0
    assert hand(state, 0) == ["4t", "6k", "8m"]
    assert legal(state) == ["bury:4t", "bury:6k", "bury:8m"]
    act(state, "bury:6k")
    assert hand(state, 0) == ["4t", "8m"]
    assert deck(state) == ["10m", "4m", "6k"]
    assert state.seat == 1


def test_a_five_as_the_last_card_buries_the_card_it_draws():
    state = act(board("5t", "2t", deck="8m 10m"), "play:5t")
    assert legal(state) == ["bury:8m"]
    assert winners(act(state, "bury:8m play:2t")) == [0]


def test_an_answering_five_buries_before_the_trick_is_taken():
    state = act(board("4t 8t", "5t 4k", deck="8m 10m"), "play:4t play:5t")
    assert (state.seat, winners(state)) == (1, [])
    assert winners(act(state, "bury:4k")) == [1]


@pytest.mark.parametrize(
    ("led", "answer", "extra"),
    [("7t", "4t", (1, 0)), ("7t", "8t", (0, 1)), ("6t", "7t", (0, 1)), ("7t", "7k", (2, 0)), ("7t", "7m", (0, 2))],
)
def test_each_seven_is_an_extra_point_for_the_winner_of_its_trick(led, answer, extra):
    state = act(board(f"{led} 2k", f"{answer} 4k", extra=(3, 4)), f"play:{led} play:{answer}")
    assert state.view(0).extra == (3 + extra[0], 4 + extra[1])


@pytest.mark.parametrize(
    ("led", "answer", "winner"),
    [
        ("10t", "9k", 1),  # a lone 9 counts as a trump
        ("9t", "10k", 0),
        ("9t", "11t", 0),  # also against its own suit
        ("11k", "9k", 1),
        ("9t", "9k", 0),  # two 9s are of their own suits
        ("9t", "9m", 1),  # one of them a trump as printed
        ("9m", "9t", 0),
        ("9t", "8m", 0),  # a 9 and a trump compare by rank
        ("9t", "10m", 1),
        ("8m", "9t", 1),
        ("10m", "9t", 0),
        ("9m", "10m", 1),
    ],
)
def test_a_lone_nine_counts_as_a_trump_and_two_do_not(led, answer, winner):
    assert winners(act(board(f"{led} 2k", f"{answer} 4k"), f"play:{led} play:{answer}")) == [winner]


def test_a_nine_counts_as_the_trump_that_a_three_has_just_brought():
    assert winners(act(board("9t 2t", "3k 4m", "2m"), "play:9t play:3k keep")) == [0]
    assert winners(act(board("9t 2t", "3k 10k", "2m"), "play:9t play:3k swap:10k")) == [0]
    assert winners(act(board("3k 10k", "9t 2t", "2m"), "play:3k swap:10k play:9t")) == [1]


def test_a_nine_is_of_its_own_suit_for_following():
    assert legal(act(board("9t 2k", "4t 4m"), "play:9t")) == ["play:4t"]
    assert legal(act(board("6m 2k", "9t 4m"), "play:6m")) == ["play:4m"]
    assert legal(act(board("6t 2k", "9t 4m"), "play:6t")) == ["play:9t"]


def test_an_eleven_that_is_led_compels_the_one_or_the_highest_card_of_its_suit():
    assert legal(act(board("11t 2k", "1t 4t 8t 10m"), "play:11t")) == ["play:1t", "play:8t"]
    assert legal(act(board("11t 2k", "2t 4t 8t 10m"), "play:11t")) == ["play:8t"]
    assert legal(act(board("11t 2k", "1t 10m"), "play:11t")) == ["play:1t"]


def test_an_eleven_compels_nothing_where_its_suit_is_missing():
    assert legal(act(board("11t 2k", "1k 4k 10m"), "play:11t")) == ["play:1k", "play:4k", "play:10m"]


def test_an_eleven_compels_the_leader_of_the_next_trick_to_nothing():
    state = act(board("4t 2t 6t", "11t 2k 4k", "2m"), "play:4t play:11t play:2k")
    assert legal(state) == ["play:2t", "play:6t"]


# points and the end


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


def test_the_next_round_starts_with_the_scores_and_extra_points_so_far():
    view = last_trick(1, (6, 6), scores=(4, 5), extra=(1, 2)).view(0)
    assert (view.round, view.scores, view.extra, view.won) == (2, (7, 11), (1, 2), (0, 0))
    assert (len(view.hand), view.other_hand, view.deck, view.tricks, view.buried) == (13, 13, 6, (), ())


def test_of_two_seats_beyond_the_target_the_higher_wins():
    state = last_trick(0, (6, 6), scores=(20, 19))
    assert (state.scores, state.places) == ((26, 22), (1, 2))
    state = last_trick(0, (6, 6), scores=(18, 22))
    assert (state.scores, state.places) == ((24, 25), (2, 1))


def test_sevens_by_game_join_the_scores_after_the_last_round_and_can_decide():
    state = last_trick(0, (6, 6), scores=(15, 10), extra=(0, 9))
    (score,) = events(state, "score")
    assert (score["points"], score["scores"]) == ([6, 3], [21, 13])
    assert (state.scores, state.places) == ((21, 22), (2, 1))


def test_sevens_by_game_do_not_count_towards_the_target():
    state = last_trick(0, (6, 6), scores=(14, 10), extra=(5, 5))
    assert state.seat is not None
    assert state.scores == (20, 13)


def test_sevens_by_round_count_with_the_round_and_towards_the_target():
    state = last_trick(0, (6, 6), scores=(14, 10), extra=(1, 2), sevens="round")
    (score,) = events(state, "score")
    assert (score["points"], score["scores"]) == ([7, 5], [21, 15])
    assert (state.seat, state.scores, state.view(0).extra) == (None, (21, 15), (0, 0))


def test_sevens_by_round_are_paid_once():
    view = last_trick(0, (6, 6), extra=(1, 2), sevens="round").view(1)
    assert (view.round, view.scores, view.extra) == (2, (7, 5), (0, 0))


def test_a_tie_goes_to_the_seat_with_more_points_in_the_last_round():
    state = last_trick(0, (6, 6), scores=(15, 18))
    assert (state.scores, state.places) == ((21, 21), (1, 2))
    state = last_trick(1, (6, 6), scores=(18, 15))
    assert (state.scores, state.places) == ((21, 21), (2, 1))


def test_sevens_by_round_are_points_of_the_last_round_for_ties():
    state = last_trick(0, (6, 6), scores=(17, 16), extra=(0, 4), sevens="round")
    assert (state.scores, state.places) == ((23, 23), (2, 1))


def test_equal_scores_and_equal_last_rounds_share_the_first_place():
    state = last_trick(0, (6, 6), scores=(15, 15), extra=(0, 3), sevens="round")
    assert (state.scores, state.places) == ((21, 21), (1, 1))


def test_a_match_is_capped_at_max_rounds_and_ends_like_any_other():
    assert last_trick(0, (6, 6), max_rounds=2).seat is not None
    state = last_trick(0, (6, 6), scores=(1, 2), extra=(0, 3), max_rounds=1)
    assert (state.seat, state.scores, state.places) == (None, (7, 8), (2, 1))
    state = last_trick(0, (6, 6), scores=(1, 2), extra=(0, 2), max_rounds=1)
    assert (state.seat, state.scores, state.places) == (None, (7, 7), (1, 2))


@pytest.mark.parametrize("wrong", [{"target": 0}, {"max_rounds": 0}, {"sevens": "trick"}, {"target": "21"}])
def test_impossible_options_are_refused(wrong):
    with pytest.raises(ConfigError):
        GAME.options(2, wrong)
