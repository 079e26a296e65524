"""Comparisons of two entrants: scores of units and deals, faults, verdicts, the worst units."""

from random import Random

import orjson
import pytest
from msgspec.structs import replace as changed

from tests.schedule.drawn import record, tournament
from tourney.contracts.game import places_by
from tourney.contracts.match import Fault
from tourney.schedule.base import schedule
from tourney.standings.gate import Gate, Settings, headline, verdict_data

WIDE = Settings(-400, 0, 0.05, 0.05)
NEVER = Settings(-1, 0, 1e-9, 1e-9)
NEW, OLD = "bot-0", "bot-1"


def mirror(entrants, seats, deals=1, **keys):
    given = tournament(entrants, seats, deals, form="mirror", **keys)
    return given, [match for block in schedule(given).blocks() for match in block.matches()]


def compared(given, records):
    comparison = Gate(given, NEVER)
    for each in records:
        comparison.add(each)
    return comparison


@pytest.mark.parametrize("entrants", [2, 4])
@pytest.mark.parametrize("seats", [2, 3, 8])
def test_the_same_player_under_two_names_scores_one_half(entrants, seats):
    """Results depend on the seat and the cards alone, so the mirror cancels every advantage."""
    given, matches = mirror(entrants, [seats], 20)
    luck = Random(seats)
    by_deal = {match.seed: [luck.random() for _ in range(seats)] for match in matches}
    found = compared(given, [record(match, places_by(by_deal[match.seed])) for match in matches])
    assert found.deals == 20
    assert found.total.score == pytest.approx(0.5, abs=1e-12)
    assert found.total.estimate.elo == pytest.approx(0, abs=1e-6)
    assert entrants > 2 or found.total.estimate.is_exact
    assert not compared(given, []).total.estimate.is_exact
    assert entrants > 2 or found.worst == []


def with_fault(played, bot):
    return changed(played, faults=(Fault(played.seats.index(bot), "error", 3, None, "ValueError"),))


@pytest.mark.parametrize("culprit", [OLD, "bot-2"])
def test_a_pass_is_invalid_if_an_opponent_made_faults_in_more_than_a_tenth_of_its_matches(culprit):
    given, matches = mirror(3, [2], 100)
    even = [record(match, (1, 1)) for match in matches]

    def ended(faulty, allow_old_faults=False):
        records, left = list(even), faulty
        for i in range(len(records)):
            if left and culprit in records[i].seats:
                records[i], left = with_fault(with_fault(records[i], culprit), culprit), left - 1
        comparison = Gate(given, changed(WIDE, allow_old_faults=allow_old_faults))
        for each in records:
            comparison.add(each)
            if comparison.verdict is not None:
                break
        return comparison

    comparison = ended(0)
    found = comparison.old_faulty if culprit == OLD else comparison.field_faulty
    assert (comparison.verdict, found.faulty) == ("passed", 0)
    assert found.matches == sum([culprit in each.seats for each in even[: comparison.matches]])
    a_tenth = found.matches // 10
    assert a_tenth > 0
    assert ended(a_tenth).verdict == "passed"
    assert ended(a_tenth + 1).verdict == "invalid"
    assert ended(a_tenth + 1, allow_old_faults=True).verdict == "passed"


def verdict(elo0, elo1, entrants, seats, deals, lead=0.0, faults=(), allowed=0):
    """The headline and the figures after results in which the new entrant leads; `faults` are (match, bot) pairs."""
    given, matches = mirror(entrants, seats, deals, weights=(3.0, 1.0)[: len(seats)])
    risk = 0.1 if elo1 - elo0 > 1 else 1e-9
    comparison, rng = Gate(given, Settings(elo0, elo1, risk, risk / 2, allow_faults=allowed)), Random(7)
    for i, match in enumerate(matches):
        luck = [round(2 * rng.random() + lead * (name == NEW), 1) for name in match.seats]
        played = changed(record(match, places_by(luck)), scores=tuple([round(10 * each) for each in luck]))
        for number, bot in faults:
            played = with_fault(played, bot) if number == i and bot in played.seats else played
        comparison.add(played)
        if comparison.verdict is not None:
            break
    return f"{headline(comparison)}\n{orjson.dumps(verdict_data(comparison) | {'settings': {'seed': 1}}).decode()}"


def often(bot):
    return [(i, bot) for i in range(0, 1000, 3)]


def test_verdicts_have_the_headlines_and_figures_that_they_had(golden):
    found = [
        verdict(-100, 0, 2, [2, 3], 200, 0.4),
        verdict(20, 90, 4, [3], 200, 0.8),
        verdict(0, 80, 2, [4], 200, 0.8),
        verdict(-100, 0, 2, [3, 2], 200, -0.5),
        verdict(-150, -50, 3, [3, 4], 200, -1.0),
        verdict(0, 150, 2, [2], 200, -0.1),
        verdict(-1, 0, 2, [2], 9, faults=[(3, NEW), (4, OLD)]),
        verdict(-1, 0, 3, [2], 9, faults=[(0, NEW), (1, NEW), (4, NEW), (5, NEW), (0, "bot-2")], allowed=1),
        verdict(-100, 0, 2, [2, 3], 200, 0.5, often(OLD)),
        verdict(-100, 0, 4, [3], 200, 0.6, often("bot-2")),
        verdict(-1, 0, 2, [5, 2], 30, 0.1),
        verdict(-1, 0, 5, [3, 2], 20, faults=often(OLD)),
        verdict(-1, 0, 2, [2], 1),
    ]
    golden("gate.txt", "\n".join(found))


def test_a_strength_is_unknown_after_one_deal_or_a_fault_and_bounded_after_more():
    given, matches = mirror(2, [2], 60)

    def estimate(deals, faulty=False):
        comparison = Gate(given, Settings(-25, 0, 0.05, 0.05, max_deals=deals))
        for match in matches[: 2 * deals]:
            lost = record(match, tuple([1 + (name == NEW) for name in match.seats]))
            comparison.add(with_fault(lost, NEW) if faulty else lost)
            if comparison.verdict is not None:
                break
        return comparison.estimate(comparison.total)

    assert estimate(1) is estimate(5, faulty=True) is None
    elos = [estimate(deals).elo for deals in (2, 10, 60)]
    assert 0 > elos[0] > elos[1] > elos[2] > -800
