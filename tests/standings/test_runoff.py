"""Instant run-off: who goes out when, and what the rest is counted by."""

from fractions import Fraction
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from tests.standings.simulate import add, counted, record
from tourney.contracts.game import places_by
from tourney.contracts.match import GameSetup
from tourney.standings.counts import OutcomeCounts
from tourney.standings.points import points
from tourney.standings.runoff import runoff


def entries(records, *weights):
    """Returns the order of going out and the last share of the points of each entrant."""
    counts = counted(records)
    return runoff(counts, [Fraction(weight) for weight in weights or [1] * len(counts.setups)])


def wins(first: int, winner: str, loser: str, times: int):
    return [record(first + i, winner + loser, (1, 2)) for i in range(times)]


def test_an_entrant_that_has_not_played_has_no_order():
    counts = OutcomeCounts(["x", "a", "b"], [GameSetup("g", 2, {})])
    assert runoff(counts, [Fraction(1)]) == {}
    add(counts, record(0, "ba", (1, 2)))
    assert {name: order for name, (order, _) in runoff(counts, [Fraction(1)]).items()} == {"a": 1, "b": 2}


def test_each_game_counts_by_its_weight_where_the_entrant_has_met_others():
    played = [
        *wins(0, "a", "b", 3),
        *wins(10, "b", "a", 1),
        *[record(20 + i, "ba", (1, 2), game="h") for i in range(10)],
        *[record(40 + i, "ac", (1, 2), game="h") for i in range(10)],
    ]
    assert entries(played, 1, 1)["c"] == (1, 0)
    # of a and b, each is the mean of 3/4 and 0, or of 1/4 and 1
    assert entries(played, 1, 1)["a"] == (2, Fraction(3, 8))
    assert entries(played, 3, 1)["a"] == (3, Fraction(9, 16))
    assert entries(played, 3, 1)["b"] == (2, Fraction(7, 16))


def by_definition(records):
    """The order of going out and the last shares, by counting all matches of one game anew each time."""
    left = {name for each in records for name in each.seats}
    shares: dict[str, Fraction] = {}
    found, order = {}, 0
    while left:
        order += 1
        own: dict[str, list[Fraction]] = {}
        for each in records:
            seated = [(name, place) for name, place in zip(each.seats, each.places, strict=True) if name in left]
            if len({name for name, _ in seated}) < 2:
                continue
            gained = points(places_by([-place for _, place in seated]))
            for (name, _), won in zip(seated, gained, strict=True):
                own.setdefault(name, []).append(Fraction(won).limit_denominator(12))
        shares |= {name: sum(won, Fraction()) / len(won) for name, won in own.items()}
        lowest = min(shares[name] for name in left)
        out = [name for name in left if shares[name] == lowest]
        found |= {name: (order, shares[name]) for name in out}
        left -= set(out)
    return found


@given(st.integers(3, 9), st.integers(2, 4), st.integers(1, 40), st.integers(0, 2**32))
def test_what_is_counted_by_subtraction_is_what_is_counted_anew(entrants, seats, matches, luck):
    """At tables of 2, 3 and 5 seats, of which an entrant may have several."""
    rng = Random(luck)
    names = "abcdefghi"[:entrants]
    sizes = [size for size in (2, 3, 5) if size <= min(seats + 1, entrants)]
    played = []
    for i in range(matches):
        first, *others = rng.sample(names, rng.choice(sizes))
        seated = [first, *others[:-1], others[-1] if len(others) == 1 else rng.choice([first, *others])]
        played.append(record(i, seated, places_by([rng.randrange(4) for _ in seated])))
    assert entries(played) == by_definition(played)
