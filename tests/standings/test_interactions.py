"""Who helps whom: pairs whose points at common tables differ from what their ratings let expect."""

from fractions import Fraction
from itertools import combinations, product
from random import Random

import pytest

from tests.standings.simulate import counted, luck, record
from tourney.contracts.game import places_by
from tourney.standings.hierarchy import Posterior
from tourney.standings.interactions import interactions
from tourney.standings.tables import interactions_sheet, interactions_text


def table(names: str, seats: int, deals: int = 40, helps: float = 0.0, games: str = "g"):
    """Every group on every deal; c is stronger, and d weaker, at a table with the other."""
    rng, played = Random(1), []
    for deal, game, group in product(range(deals), games, combinations(names, seats)):
        moved = {"c": helps, "d": -helps} if {"c", "d"} <= {*group} else {}
        shown = [names.index(bot) / 5 + moved.get(bot, 0.0) + luck(rng) for bot in group]
        played.append(record(deal, group, places_by(shown), game=game))
    counts = counted(played)
    batches, weights = counts.batches(), [Fraction(1)] * len(games)
    return interactions(counts.names, batches, weights, Posterior(batches, weights))


@pytest.mark.parametrize(("seats", "games"), [(3, "g"), (4, "gh")])
def test_a_helper_and_its_king_are_named_and_nobody_else(seats, games):
    found = table("abcdef", seats, helps=1.2, games=games)
    assert {frozenset((each.bot, each.other)) for each in found if each.is_sure} == {frozenset("cd")}
    king = next(each for each in found if (each.bot, each.other) == ("c", "d"))
    assert 5 < king.low < king.points < king.high
    assert f", points %: c {king.points:+.1f} +-" in interactions_text(found)
    assert {*interactions_sheet(found).text("csv").split("\n")[1].split(",")[:2]} == {"c", "d"}


def test_bots_that_help_nobody_are_not_named():
    found = table("abcdef", 3)
    assert len(found) == 30
    assert interactions_text(found) == ""


@pytest.mark.parametrize(("names", "seats", "deals"), [("abcde", 2, 20), ("abc", 3, 20), ("abcd", 3, 1)])
def test_nothing_is_said_without_a_choice_of_others_at_the_table_or_on_one_deal(names, seats, deals):
    assert table(names, seats, deals, helps=2.0) == []
