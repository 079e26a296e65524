"""What every format promises, for any number of entrants (2 to 64) and seats (2 to 10), and any seed."""

import re
from collections import Counter
from contextlib import nullcontext
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schedule.drawn import FORMATS, drawn, follow, in_order, play, play_round, settle, tournament, tournaments
from tourney.base.errors import ConfigError
from tourney.config.tournament import FaultLimits
from tourney.schedule.base import schedule

FIRST, BOTH, TRACK = ("bot-0",), ("bot-0", "bot-1"), {"pool": ("bot-0",), "deals": 20}
ONE_FAULT, HALF_FAULTS = FaultLimits(max_faults=1), FaultLimits(max_fault_rate=0.5)
ROW = FaultLimits(max_faults_in_row=3)
REFUSED = [
    ("ladder", 8, [2], {"max_matches": 15}, "max_matches: must be at least 16"),
    ("ladder", 4, [2, 3], {}, "game: all games of a ladder must have the same number of seats, but game-0 has 2"),
    ("ladder", 2, [3], {}, "bots: game-0"), ("league", 3, [2], {"fault_limits": ONE_FAULT}, "limits.max_faults: "),
    ("league", 3, [2, 3], {}, "game: all games of a league"), ("league", 3, [2], {"seatings": 3}, "seatings: "),
    ("league", 3, [2], {"fault_limits": HALF_FAULTS}, "limits.max_fault_rate: "),
    ("mirror", 1, [2], {}, "bots: a mirror"), ("mirror", 2, [2], {"seatings": "all"}, "seatings: not supported"),
    ("gauntlet", 4, [3], {"challengers": (*BOTH, "bot-2")}, "challengers: game-0 needs 2 other bots"),
    ("swiss", 5, [2], {}, "rounds: required; for 5 bots try rounds = 3"),
    ("track", 3, [2], {"pool": ()}, 'pool: a track needs one bot or more whom versions meet, as in pool = ["bot-0"]'),
    ("track", 3, [2], {"pool": ("bot-9",)}, 'pool: no bot "bot-9"'), ("track", 2, [2], {"pool": BOTH}, "pool: all"),
    ("track", 3, [2], {"pool": FIRST * 2}, 'pool: "bot-0" '), ("track", 3, [2], TRACK | {"seatings": "all"}, "seat"),
    ("track", 3, [2], TRACK | {"deals": 19}, "deals: 19 is less than the 20"),
    ("track", 3, [2], TRACK | {"fault_limits": ONE_FAULT}, "limits.max_faults: "),
    ("track", 3, [2], TRACK | {"fault_limits": ROW}, "limits.max_faults_in_row: "),
]  # fmt: skip
LEAST = [
    ("ladder", 8, [2], {"max_matches": 16}), ("league", 1, [3], {"fault_limits": ROW}),
    ("mirror", 2, [3], {}), ("gauntlet", 3, [2], {"challengers": BOTH}), ("track", 2, [2], TRACK),
]  # fmt: skip


@pytest.mark.parametrize(("form", "entrants", "seats", "keys", "says"), [*REFUSED, *[(*each, "") for each in LEAST]])
def test_what_a_format_cannot_play_is_refused_and_the_least_is_not(form, entrants, seats, keys, says):
    given_tournament = tournament(entrants, seats, form=form, **keys)
    with pytest.raises(ConfigError, match=f"^{re.escape(says)}") if says else nullcontext():
        schedule(given_tournament).validate(given_tournament)


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


@pytest.mark.parametrize(
    ("form", "keys"), [("swiss", {"rounds": 3}), ("knockout", {}), ("ladder", {"max_matches": 60})]
)
def test_a_tournament_that_is_stopped_within_a_block_is_resumed_as_if_it_had_not_been(form, keys):
    """Its journal is read; then what is missing is played, from the block in which it was stopped."""
    given_tournament, rng = tournament(5, [3], 2, form=form, **keys), Random(1)
    whole = schedule(given_tournament)
    records = [each for blocks in whole.rounds() for each in play_round(whole, list(blocks), rng)]
    for stop in range(1, len(records), 5):
        plan = schedule(given_tournament)
        last = follow(plan, records[:stop])[-1]
        if stop % len(last.seatings):
            for each in records[stop - stop % len(last.seatings) :]:
                plan.add(each)
            assert plan.is_over(len(records))
            assert (plan.round_reports(), plan.columns()) == (whole.round_reports(), whole.columns())


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
