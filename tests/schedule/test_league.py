"""League: who is there meets; a new version first plays the deals of the one before, which tells what it gained."""

from collections import defaultdict
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.schedule.drawn import follow, record, settle, tournament
from tourney.config import Entrant
from tourney.config.tournament import FaultLimits, FieldEvent
from tourney.contracts.game import places_by
from tourney.contracts.match import distinct_names
from tourney.schedule.base import schedule
from tourney.schedule.league import COMMON_DEALS
from tourney.standings.points import points


def seats_of(name, blocks):
    """Where an entrant sits, and who else, on each deal; without its version."""
    its = [(block.seed, repr(block.seatings)) for block in blocks if name in block.seatings[0]]
    return {(seed, seatings.replace(name, name[0])) for seed, seatings in its}


@given(st.integers(2, 3), st.integers(1, 2), st.integers(1, 3), st.integers(0, 2**32))
def test_a_new_version_plays_the_deals_of_the_one_before_which_tells_what_it_gained(seats, games, deals, luck):
    names, rng, records, blocks = ["a@1", "b@1", "c@1", "d@1", "b@2"], Random(luck), [], []
    events = FieldEvent("entered", "b@2", 1), FieldEvent("paused", "d@1", 1)
    entrants = tuple([Entrant(name, "random", {}) for name in names])
    cup = replace(tournament(5, [seats] * games, deals, luck, "league"), entrants=entrants, events=events)
    plan, won = schedule(cup), defaultdict(dict)
    for number, current in zip(range(9), map(list, plan.rounds()), strict=False):
        known, twins = sum([duel.deals for duel in plan.gains().values()]), seats_of("b@1", current)
        assert not {block.seed for block in blocks} & {block.seed for block in current}
        assert not seats_of("d@1" if number else "b@2", current)
        assert not number or (twins <= seats_of("b@2", current) and bool(twins) is (known < COMMON_DEALS))
        assert all(block.names == distinct_names([name[0] for name in block.seatings[0]]) for block in current)
        blocks += current
        assert [block.number for block in blocks] == list(range(plan.size().blocks))
        for match in [match for block in current for match in block.matches()]:
            records.append(record(match, places_by([rng.randrange(3) for _ in range(seats)])))
            plan.add(records[-1])
            for name, share in zip(match.seats, points(records[-1].places), strict=True):
                won[name].setdefault(blocks[match.block - match.block % games].seed, []).append(share)
        known = sum([duel.deals for duel in plan.gains().values()])
        assert plan.to_retire() == ({"b@1": "b@2"} if known >= COMMON_DEALS else {})
    common = [(fmean(won["b@2"][seed]), fmean(won["b@1"][seed])) for seed in won["b@1"] if seed in won["b@2"]]
    [(versions, gain)] = plan.gains().items()
    assert (versions, gain.deals) == (("b@2", "b@1"), len(common))
    assert gain.lead == pytest.approx(fmean([new - old for new, old in common]), abs=1e-8)
    reader = schedule(cup)
    assert follow(reader, records) == blocks
    assert reader.gains()[versions].estimate == gain.estimate


@pytest.mark.parametrize("begun", [False, True])
def test_whoever_comes_in_a_round_plays_in_it_if_nothing_of_it_was_played(begun):
    late = tournament(5, [2], form="league", events=(FieldEvent("entered", "bot-4", 0),))
    plan = schedule(replace(late, entrants=late.entrants[:4], events=()))
    (seats, _), *_ = [block.seatings for block in next(plan.rounds())]
    if begun:
        plan.note(0, seats, (1, 2))
    plan.change_field(late)
    assert ("bot-4" in {name for block in next(plan.rounds()) for name in block.names}) is not begun


@pytest.mark.parametrize(("siblings", "authors", "meet"), [(False, 3, False), (True, 3, True), (False, 2, True)])
def test_bots_of_one_author_meet_if_the_file_says_so_or_a_table_cannot_be_filled_otherwise(siblings, authors, meet):
    events = tuple([FieldEvent("entered", f"bot-{i}", 0, f"author-{i % authors}") for i in range(12)])
    plan = schedule(tournament(12, [3], form="league", events=events, siblings=siblings, tables=20))
    groups = [block.seatings[0] for block in next(plan.rounds())]
    assert any([len({int(name.removeprefix("bot-")) % authors for name in group}) < 3 for group in groups]) is meet
    assert plan.describe().endswith("fewer authors than seats, so bots of one author meet") is (authors < 3)


def test_whoever_fails_in_a_row_is_to_be_paused_and_begins_anew_when_restored():
    keys = {"fault_limits": FaultLimits(max_faults_in_row=4), "events": (FieldEvent("restored", "bot-1", 6),)}
    plan, found = schedule(tournament(3, [2], form="league", equal_elo=0.0, **keys)), []
    for charged in ("bot-1", "", "bot-1", "bot-1 bot-2"):
        settle(plan, list(next(plan.rounds())), lambda _: (1, 1), charged.split())
        found.append([*plan.to_pause()])
    assert found == [["bot-1"], [], ["bot-1"], ["bot-1", "bot-2"]]
