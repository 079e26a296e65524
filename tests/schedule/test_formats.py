"""What every format promises, for any number of entrants (2 to 64) and seats (2 to 10), and any seed."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schedule.drawn import FORMATS, drawn, in_order, play, settle, tournament, tournaments
from tourney.config.tournament import FaultLimits
from tourney.schedule.base import schedule


@pytest.mark.parametrize("form", FORMATS)
@settings(max_examples=6)
@given(data=st.data(), luck=st.integers(0, 2**32))
def test_the_list_is_the_same_each_time_and_fair_to_every_entrant_in_seats_and_deals(form, data, luck):
    """In a block all sit equally often in every seat; all meetings of a round play the same deals, of their own."""
    given_tournament = data.draw(tournaments(form))
    rounds = play(given_tournament, luck)
    assert rounds == play(given_tournament, luck)
    listed = [block for blocks in rounds for block in blocks]
    matches = [match.id for block in listed for match in block.matches()]
    assert schedule(given_tournament).size() == (len(listed), len(matches))
    assert [block.number for block in listed] == list(range(len(listed)))
    assert len(set(matches)) == len(matches)
    known: set[int] = set()
    for blocks in rounds:
        played: dict[tuple[str, ...], list[tuple[str, int]]] = {}
        for block in blocks:
            group = tuple(sorted(block.seatings[0]))
            assert len(set(group)) == len(group) == block.setup.seats
            assert set(group) <= set(given_tournament.names)
            assert len(set(block.seatings)) == len(block.seatings)
            for seat in range(len(group)):
                counts = Counter(seating[seat] for seating in block.seatings)
                assert counts == dict.fromkeys(group, len(block.seatings) // len(group))
            played.setdefault(group, []).append((block.setup.game, block.seed))
        (its,) = {tuple(each) for each in played.values()}
        seeds = {seed for _, seed in its}
        assert len(seeds) == len(its) == given_tournament.deals * len(given_tournament.setups)
        assert not known & seeds
        known |= seeds


@pytest.mark.parametrize("form", ["swiss", "knockout", "ladder"])
def test_whoever_is_disqualified_in_a_round_is_not_in_the_next_even_as_its_winner(form):
    own = {"rounds": 3} if form == "swiss" else {}
    plan = schedule(tournament(8, [2], 20, form=form, fault_limits=FaultLimits(max_faults_in_row=3), **own))
    met: set[str] = set()
    for number, blocks in zip(range(3), plan.rounds(), strict=False):
        now = list(blocks)
        met = {name for block in now for name in block.names}
        assert number == 0 or met.isdisjoint({"bot-0", "bot-1"})
        settle(plan, now, in_order(*range(8)), {"bot-0", "bot-1"})
    assert number == 2
    assert set(plan.disqualified()) == {"bot-0", "bot-1"}
    assert form != "ladder" or next(iter(plan.columns())).labels["bot-0"] == "out"


@pytest.mark.parametrize("form", [*FORMATS, "ladder", "mirror"])
def test_no_format_walks_through_all_of_its_deals_to_begin(form):
    own = {"swiss": {"rounds": 3}, "gauntlet": {"challengers": ("bot-1",)}, "ladder": {"max_matches": 10**14}}
    plan = schedule(tournament(5, [2], 10**12, form=form, **own.get(form, {})))
    plan.add(drawn(next(plan.blocks()).matches()[0], Random(1)))
    assert plan.size().matches > 10**12
