"""What every format promises, for any number of entrants (2 to 64) and seats (2 to 10), and any seed."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.schedule.drawn import FORMATS, play, tournaments
from tourney.schedule.base import schedule

LUCK = st.integers(0, 2**32)


@pytest.mark.parametrize("form", FORMATS)
@given(data=st.data(), luck=LUCK)
def test_in_every_block_every_entrant_sits_equally_often_in_every_seat(form, data, luck):
    given_tournament = data.draw(tournaments(form))
    for block in [block for blocks in play(given_tournament, luck) for block in blocks]:
        group = block.seatings[0]
        assert len(set(group)) == len(group) == block.setup.seats
        assert set(group) <= set(given_tournament.names)
        assert len(set(block.seatings)) == len(block.seatings)
        for seat in range(len(group)):
            counts = Counter(seating[seat] for seating in block.seatings)
            assert counts == dict.fromkeys(group, len(block.seatings) // len(group))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMATS)
@given(data=st.data(), luck=LUCK)
def test_the_list_is_the_same_each_time_as_long_as_was_said_and_numbered_through(form, data, luck):
    given_tournament = data.draw(tournaments(form))
    rounds = play(given_tournament, luck)
    assert rounds == play(given_tournament, luck)
    listed = [block for blocks in rounds for block in blocks]
    matches = [match for block in listed for match in block.matches()]
    assert schedule(given_tournament).size() == (len(listed), len(matches))
    assert [block.number for block in listed] == list(range(len(listed)))
    assert len({match.id for match in matches}) == len(matches)


@pytest.mark.parametrize("form", FORMATS)
@given(data=st.data(), luck=LUCK)
def test_in_a_round_all_meetings_play_every_game_on_the_same_deals_which_no_other_round_has(form, data, luck):
    given_tournament = data.draw(tournaments(form))
    rounds = play(given_tournament, luck)
    known: set[int] = set()
    for blocks in rounds:
        played: dict[tuple[str, ...], list[tuple[str, int]]] = {}
        for block in blocks:
            group = tuple(sorted(block.seatings[0]))
            played.setdefault(group, []).append((block.setup.game, block.seed))
        (its,) = {tuple(each) for each in played.values()}
        assert len(set(its)) == len(its) == given_tournament.deals * len(given_tournament.setups)
        seeds = {seed for _, seed in its}
        assert len(seeds) == len(its)
        assert not known & seeds
        known |= seeds
