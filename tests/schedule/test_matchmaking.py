"""Matchmaking of a league: who meets in the next round, by events too, and when nothing is worth playing any more."""

from collections import Counter, defaultdict
from itertools import combinations
from math import ceil, exp, inf, sqrt
from random import Random
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.schedule.drawn import follow, record, settle, tournament
from tourney.config import Entrant
from tourney.config.tournament import FaultLimits, FieldEvent
from tourney.contracts.game import places_by
from tourney.schedule import matchmaking
from tourney.schedule.base import schedule
from tourney.schedule.matchmaking import Aim, Pair, Player, next_round, undecided
from tourney.standings.points import points

DEALS = 10  # of a table
LUCK = st.integers(0, 2**32)
SETTLE = st.sampled_from(["order", "best", "top:3"])
FIELDS = st.integers(2, 4).flatmap(lambda seats: st.tuples(st.just(seats), st.integers(seats, 14)))
ORDERS = {"order": "01 12 23 34", "best": "01", "top:2": "01 12", "top:9": "01 12 23 34"}
VERDICTS = {(164.4854, 100): "sure", (49, 30): None, (0, 5): "equal", (0, 5.2): None, (4, 3): "equal", (9, inf): None}


class Simulated:
    """A league in which ratings are around the true ones, the closer the more deals a bot has played."""

    def __init__(self, seed, seats, bots, tables):
        rng = Random(seed)
        self.strengths = {f"bot-{i}": rng.gauss(1500, 100) for i in range(bots)}
        self.luck = {name: rng.gauss(0, 300) for name in self.strengths}
        self.deals = Counter(dict.fromkeys(self.strengths, 0))
        self.rested, self.met = dict.fromkeys(self.strengths, 0), Counter()
        self.seats, self.tables = seats, tables

    def players(self):
        return [
            Player(name, strength + self.luck[name] / sqrt(deals) if deals else 1500.0, deals, self.rested[name])
            for (name, strength), deals in zip(self.strengths.items(), self.deals.values(), strict=True)
        ]

    def error(self, one, other):
        return 300 * sqrt(1 / self.deals[one] + 1 / self.deals[other]) if self.deals[one] and self.deals[other] else inf

    def enter(self, name):
        self.strengths[name] = 1500.0
        self.luck[name] = self.deals[name] = self.rested[name] = 0

    def pair(self, players, aim, luck=0):
        def met(*pair):
            return self.met[tuple(sorted(pair))]

        return next_round(players, self.error, met, aim, self.seats, self.tables, Random(luck))

    def play(self, found):
        sat = Counter([name for meeting in found for name in meeting.group])
        for meeting in found:
            self.met.update(combinations(sorted(meeting.group), 2))
        self.deals.update({name: DEALS * tables for name, tables in sat.items()})
        self.rested = {name: 0 if sat[name] else rest + 1 for name, rest in self.rested.items()}
        return sat


def test_a_pair_is_worth_what_a_match_tells_of_its_order():
    far = 300**2 * exp(-((400 / 300) ** 2)) * 10 / 121  # at 400 points, 10 of 11 are expected
    worth = [Pair("", "", difference, 300).worth() for difference in (0, 400, -400)]
    assert worth == pytest.approx([300**2 / 4, far, far])


@settings(max_examples=60)
@given(FIELDS, SETTLE, LUCK, st.integers(2, 8))
def test_tables_are_full_and_different_and_nobody_has_more_than_its_share_or_starves(field, settle, luck, tables):
    league, aim = Simulated(luck, *field, tables), Aim(settle, 0.95, 20)
    for number in range(30):
        players = league.players()
        found = league.pair(players, aim, number)
        assert found == league.pair(players, aim, number)
        open_names = {name for pair in undecided(players, league.error, aim) for name in pair[:2]}
        assert bool(found) == bool(open_names or 0 in league.deals.values())
        groups = {frozenset(meeting.group) for meeting in found}
        assert len(groups) == len(found) <= tables
        assert {len(group) for group in groups} <= {league.seats}
        assert not open_names or sum([meeting.newcomer is not None for meeting in found]) <= tables // 2
        sat = league.play(found)
        assert max(sat.values(), default=0) <= ceil(matchmaking.SHARE * league.seats * tables / len(players))
        # the floor, and how long all of the field takes at half of the tables
        rounds = matchmaking.FLOOR + ceil(len(players) / league.seats / (tables // 2))
        assert all(league.rested[name] < rounds for name in open_names)
        if number % 3 == 2:
            league.enter(f"late-{number}")


@pytest.mark.parametrize("settle", ORDERS)
def test_which_orders_matter_besides_those_of_whoever_has_played_little(settle):
    for deals, more in ((60, []), (59, ["34"])):
        players = [Player(str(i), 1500.0 - 50 * i, deals if i == 4 else 100, 0) for i in range(5)]
        found = undecided(players, lambda _one, _other: 40.0, Aim(settle, 0.95, 10))
        assert [pair.upper + pair.lower for pair in found] == list(dict.fromkeys([*ORDERS[settle].split(), *more]))


@pytest.mark.parametrize(("difference", "error"), VERDICTS)
def test_a_pair_is_decided_when_its_order_is_sure_or_it_is_surely_equal(difference, error):
    assert Pair("one", "other", difference, error).verdict(Aim("order", 0.95, 10)) == VERDICTS[difference, error]


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
    for number, current in zip(range(4), map(list, plan.rounds()), strict=False):
        assert not {block.seed for block in blocks} & {block.seed for block in current}
        assert not seats_of("d@1" if number else "b@2", current)
        assert not number or seats_of("b@1", current) == (seats_of("b@2", current) if number == 1 else set())
        blocks += current
        assert [block.number for block in blocks] == list(range(plan.size().blocks))
        for match in [match for block in current for match in block.matches()]:
            records.append(record(match, places_by([rng.randrange(3) for _ in range(seats)])))
            plan.add(records[-1])
            for name, share in zip(match.seats, points(records[-1].places), strict=True):
                won[name].setdefault(blocks[match.block - match.block % games].seed, []).append(share)
        assert plan.to_retire() == ({"b@1": "b@2"} if number else {})
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


def test_whoever_fails_in_a_row_is_to_be_paused_and_begins_anew_when_restored():
    keys = {"fault_limits": FaultLimits(max_faults_in_row=4), "events": (FieldEvent("restored", "bot-1", 6),)}
    plan, found = schedule(tournament(3, [2], form="league", equal_elo=0.0, **keys)), []
    for charged in ("bot-1", "", "bot-1", "bot-1 bot-2"):
        settle(plan, list(next(plan.rounds())), lambda _: (1, 1), charged.split())
        found.append([*plan.to_pause()])
    assert found == [["bot-1"], [], ["bot-1"], ["bot-1", "bot-2"]]
