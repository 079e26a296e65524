"""Matchmaking of a league: who meets in the next round, and when nothing is worth playing any more."""

from collections import Counter
from itertools import combinations
from math import ceil, inf, sqrt
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tourney.schedule import matchmaking
from tourney.schedule.matchmaking import Pair, Player, SettleGoal, next_round, undecided

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


@settings(max_examples=60)
@given(FIELDS, SETTLE, LUCK, st.integers(2, 8))
@pytest.mark.slow
def test_tables_are_full_and_different_and_nobody_has_more_than_its_share_or_starves(field, settle, luck, tables):
    league, aim = Simulated(luck, *field, tables), SettleGoal(settle, 0.95, 20)
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


@settings(max_examples=40)
@given(FIELDS, SETTLE, LUCK, st.integers(2, 8))
def test_siblings_never_meet_and_an_author_apart_changes_nothing(field, settle, luck, tables):
    league, aim = Simulated(luck, *field, tables), SettleGoal(settle, 0.95, 20)
    authors = {name: f"author-{i % field[0]}" for i, name in enumerate(league.strengths)}  # as many as seats
    for number in range(20):
        players = [player._replace(author=authors[player.name]) for player in league.players()]
        apart = [player._replace(author=f"of {player.name}") for player in players]
        assert league.pair(apart, aim, number) == league.pair(league.players(), aim, number)
        found = league.pair(players, aim, number)
        assert bool(found) == bool(undecided(players, league.error, aim) or 0 in league.deals.values())
        for meeting in found:
            assert len({authors[name] for name in meeting.group}) == len(meeting.group) == league.seats
        league.play(found)


@pytest.mark.parametrize(("settle", "pairs"), {"top:2": "01 03 13", "best": "01 03", "order": "01 03 12 13 23"}.items())
def test_the_first_places_are_of_different_authors(settle, pairs):
    players = [Player(f"{i}", 1500.0 - i, 100, 0, "ann" if i in (0, 2) else "") for i in range(4)]
    found = undecided(players, lambda _one, _other: 40.0, SettleGoal(settle, 0.95, 10))
    assert " ".join([pair.upper + pair.lower for pair in found]) == pairs


@pytest.mark.parametrize("settle", ORDERS)
def test_which_orders_matter_besides_those_of_whoever_has_played_little(settle):
    for deals, more in ((60, []), (59, ["34"])):
        players = [Player(str(i), 1500.0 - 50 * i, deals if i == 4 else 100, 0) for i in range(5)]
        found = undecided(players, lambda _one, _other: 40.0, SettleGoal(settle, 0.95, 10))
        assert [pair.upper + pair.lower for pair in found] == list(dict.fromkeys([*ORDERS[settle].split(), *more]))


@pytest.mark.parametrize(("difference", "error"), VERDICTS)
def test_a_pair_is_decided_when_its_order_is_sure_or_it_is_surely_equal(difference, error):
    assert Pair("one", "other", difference, error).verdict(SettleGoal("order", 0.95, 10)) == VERDICTS[difference, error]
