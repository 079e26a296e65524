"""Gauntlet: every challenger against every group of the field."""

from collections import Counter
from itertools import combinations

from hypothesis import given

from tests.schedule.drawn import tournament, tournaments
from tourney.schedule.base import schedule


@given(tournaments("gauntlet"))
def test_every_challenger_meets_every_group_of_the_field_and_no_challenger(given_tournament):
    chosen, names = given_tournament.format_options.challengers, given_tournament.names
    listed = list(schedule(given_tournament).blocks())
    field = [name for name in names if name not in chosen]
    for setup in given_tournament.setups:
        met = Counter(tuple(sorted(block.seatings[0])) for block in listed if block.setup == setup)
        groups = combinations(field, setup.seats - 1)
        expected = [tuple(sorted([one, *others])) for others in groups for one in chosen]
        assert met == dict.fromkeys(expected, given_tournament.deals)


def test_an_entrant_more_leaves_the_deals_as_they_are():
    small = schedule(tournament(4, [3], 3, form="gauntlet", challengers=("bot-0",))).blocks()
    large = schedule(tournament(6, [3], 3, form="gauntlet", challengers=("bot-0",))).blocks()
    played = {(block.seed, block.seatings) for block in large}
    assert all((block.seed, block.seatings) in played for block in small)
