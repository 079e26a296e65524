"""What a sweep has shown: leads are shrunk, effects are those of the options, and the best is as likely as it is."""

from fractions import Fraction
from itertools import product

import pytest
from msgspec.structs import replace

from tests.schedule import drawn
from tests.standings.simulate import counted, record, tournament
from tourney.config import Tournament
from tourney.config.tournament import Sweep
from tourney.standings.hierarchy import Posterior
from tourney.standings.ratings import ELO_PER_NAT, Ratings
from tourney.standings.sweeps import sweep_results

ONE = [Fraction(1)]


def swept(**values) -> Tournament:
    settings = [dict(zip(values, each, strict=True)) for each in product(*values.values())]
    given = drawn.tournament(len(settings), [2])
    sweep = Sweep("bot", tuple(values), "bot-0")
    entrants = [replace(each, options=its, sweep=sweep) for each, its in zip(given.entrants, settings, strict=True)]
    return replace(given, entrants=tuple(entrants))


def test_the_effects_of_options_hold_the_truth_and_the_lead_is_shrunk():
    given, elos = (
        swept(greed=[0.0, 0.5, 1.0], depth=[1, 2]),
        {"greed": {0.0: -40, 0.5: 40, 1.0: 0}, "depth": {1: -20, 2: 20}},
    )
    strengths = {
        each.name: sum([elos[key][value] for key, value in each.options.items()]) / ELO_PER_NAT
        for each in given.entrants
    }
    batches = counted(tournament(strengths, 2, 1500, 1, 0.3)).batches()
    posterior, raw = Posterior(batches, ONE), Ratings(batches, ONE)
    (found,) = sweep_results(given, posterior)
    assert (found.best, found.settings, found.gain) == ("bot-3", 6, None)
    assert 0 < found.lead.elo < raw.difference(3, 0).elo
    assert found.lead.low < 100 < found.lead.high
    assert [(each.option, each.value) for each in found.effects] == [
        (key, value) for key in elos for value in elos[key]
    ]
    for each in found.effects:
        assert abs(each.elo - elos[each.option][each.value]) < 1.5 * each.half < 40
    assert sum([each.elo for each in found.effects if each.option == "greed"]) == pytest.approx(0, abs=0.1)


@pytest.mark.parametrize("settings", [1, 2, 5])
def test_equal_settings_are_equally_likely_the_best(settings):
    pairs = [(one, other) for one in range(settings) for other in range(settings) if one != other]
    records = [record(deal, (f"bot-{a}", f"bot-{b}"), (1, 2)) for deal in range(30) for a, b in pairs]
    posterior = Posterior(counted(records).batches(), ONE)
    (found,) = sweep_results(swept(x=list(range(settings))), posterior)
    assert found.probability == pytest.approx(1 / settings, abs=0.02)


def test_a_single_deal_tells_nothing_of_how_sure_it_is():
    (found,) = sweep_results(
        swept(x=[1, 2]), Posterior(counted([record(0, ("bot-1", "bot-0"), (1, 2))]).batches(), ONE)
    )
    assert (found.best, found.probability, found.lead.low, found.effects[0].half) == ("bot-1", None, None, None)
