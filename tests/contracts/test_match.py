"""What every part of the contract does by default, and what can be the result of a match."""

from random import Random

import pytest

from tests.games.test_plain_game import High
from tests.helpers import play_match
from tourney.base.errors import ActionError, ConfigError
from tourney.contracts.bot import Bot
from tourney.contracts.cards import VOLE
from tourney.contracts.encoding import bounded, from_seat, share
from tourney.contracts.game import MOST_DECISIONS, Game, State
from tourney.contracts.match import Fault, Match, final_places, is_sealed, match_of, record_as, result_problem
from tourney.contracts.policies import Policy
from tourney.contracts.rng import derive, pick_index, seed_from, seed_series
from tourney.plugins.registry import load_game
from tourney.table.replay import check


def test_what_has_to_be_written_says_so_until_it_is():
    state, game, rng = State(), Game(), Random(1)
    for method, *given in (
        *[(state.legal,), (state.copy,), (state.apply, 1), (state.view, 0), (game.start, 2, None, 1)],
        *[(game.imagine, None, rng), (game.event, ("deal",)), (Bot().act, None, (1,)), (Policy(None).act, None, (1,))],
    ):
        with pytest.raises(NotImplementedError):
            method(*given)


def test_what_a_game_and_a_policy_leave_out_has_its_default():
    game, policy = High(), Policy(None)
    for name, given in (("position", (2, None)), ("encoding", (2, None)), ("encode", (None,))):
        with pytest.raises(NotImplementedError, match=r"^high "):
            getattr(game, name)(*given)
    with pytest.raises(AttributeError, match="high: title cannot be changed"):
        game.title = "Low"
    with pytest.raises(ConfigError, match=r"^t: high is for 2 to 3 seats, not 4$"):
        game.options(4, {}, "t")
    with pytest.raises(NotImplementedError):
        State().scores  # noqa: B018 - reading it is the point
    assert (game.max_decisions(2, None), MOST_DECISIONS, State().tolerates(1)) == (1_000_000, 1_000_000, False)
    legal = (1, 2)
    assert (policy.candidates(None, legal), policy.likelihood(None), policy.settles(None)) == (legal, 1.0, False)
    assert policy.copy() is policy


@pytest.mark.parametrize(
    ("scores", "places", "seats", "says"),
    [
        ((3, 1), (1, 2), (0, 1), None),
        ((3, 1), (1, 2), (), None),
        ((3,), (1, 2), (), "expected 2 scores and places, got 1 and 2"),
        ((3, 1), (1,), (), "expected 2 scores and places, got 2 and 1"),
        ((3, 1), (1, 3), (), "places [1, 3] are not a ranking; equal seats share a place"),
        ((3, 1), (1, 2), (2,), "a fault charges seat 2, which does not exist"),
        ((3, 1), (1, 2), (1, 1), "two faults charge the same seat"),
    ],
)
def test_what_cannot_be_a_result_is_named(scores, places, seats, says):
    faults = [Fault(seat, "error", 1, None, "") for seat in seats]
    assert str(result_problem(2, scores, places, faults)).startswith(str(says))


def test_seats_that_are_out_share_the_place_after_all_others():
    assert final_places((1, 2, 2, 4), set()) == (1, 2, 2, 4)
    assert final_places((1, 2, 2, 4), {0}) == (4, 1, 1, 3)
    assert final_places((1, 2, 2, 4), {1, 3}) == (1, 3, 2, 3)


def test_a_record_is_sealed_under_its_own_name_and_under_another():
    record = play_match("random", "Raises", options={"target": 6})
    renamed = Match("vole-00007-1", record.setup, 7, 5, record.seats)
    again = record_as(renamed, record)
    assert (again.match, again.block, again.actions, again.faults) == ("vole-00007-1", 7, record.actions, record.faults)
    assert match_of(again) == renamed
    check(again, load_game("vole"))
    for line in (record.line(), again.line()):
        assert is_sealed(line)
        for at in (10, len(line) - 40, len(line) - 10, len(line) - 2):
            assert not is_sealed(line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :])


def test_numbers_are_drawn_and_scaled_as_they_say():
    rng = Random(1)
    assert seed_from(rng) == 0x2265B1F236EB0EC78B56CD613E30E1AE
    assert seed_from(rng) == 0x414C3423C5FD73F6A6ABC2CE6F5CC476
    assert [seed_series(3, "a", 1)(number) for number in (0, 17)] == [derive(3, "a", 1, 0), derive(3, "a", 1, 17)]
    drawn = [pick_index([10, 11, 21], rng) for _ in range(2100)]
    assert [900 < drawn.count(0) < 1100, 60 < drawn.count(1) < 140, drawn.count(2) > 900] == [True] * 3
    assert pick_index([2**60], rng) == 0
    assert (bounded(-60, 20), share(3, 4), share(5, 4), share(1, 0)) == (-0.75, 0.75, 1, 0)
    assert from_seat(2, 4) == (2, 3, 0, 1)
    assert (VOLE.cards("1t 11m"), VOLE.suit(32), VOLE.rank(32)) == ((0, 32), 2, 10)
    with pytest.raises(ActionError, match='no card "12m"; did you mean'):
        VOLE.cards("1t 12m")
