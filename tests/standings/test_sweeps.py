"""What a sweep has shown: effects are those of the options, and the best is as likely as it is."""

from fractions import Fraction

import msgspec
import pytest

from tests.schedule import drawn
from tests.schedule.drawn import with_sweep
from tests.standings.simulate import counted, record, tournament
from tourney.base.sheet import columns_text
from tourney.standings.duel import Estimate
from tourney.standings.hierarchy import Posterior
from tourney.standings.ratings import ELO_PER_NAT
from tourney.standings.sweeps import Final, sweep_results

ONE = [Fraction(1)]


def test_the_effects_of_options_hold_the_truth():
    truth = {("greed", 0.0): -40, ("greed", 0.5): 40, ("greed", 1.0): 0, ("depth", 1): -20, ("depth", 2): 20}
    given = with_sweep(drawn.tournament(6, [2]), "bot-0", greed=[0.0, 0.5, 1.0], depth=[1, 2])
    elos = {each.name: sum(map(truth.__getitem__, each.options.items())) for each in given.entrants}
    matches = tournament({name: elo / ELO_PER_NAT for name, elo in elos.items()}, 2, 1500, 1, 0.3)
    batches = counted(matches).batches()
    (found,) = sweep_results(given, Posterior(batches, ONE))
    assert (found.best, found.settings, found.gain) == ("bot-3", 6, None)
    assert [(each.option, each.value) for each in found.effects] == list(truth)
    assert all(abs(each.elo - truth[each.option, each.value]) < 1.5 * each.half < 40 for each in found.effects)


@pytest.mark.parametrize("settings", [2, 5])
def test_equal_settings_are_equally_likely_the_best(settings):
    pairs = [(f"bot-{one}", f"bot-{other}") for one in range(settings) for other in range(settings) if one != other]
    records = [record(deal, pair, (1, 2)) for deal in range(30) for pair in pairs]
    given = with_sweep(drawn.tournament(settings, [2]), "bot-0", x=list(range(settings)))
    (found,) = sweep_results(given, Posterior(counted(records).batches(), ONE))
    assert found.probability == pytest.approx(1 / settings, abs=0.02)
    (found,) = sweep_results(given, Posterior(counted(records[: len(pairs)]).batches(), ONE))
    assert (found.probability, found.effects[0].half) == (None, None)


def test_what_sweeps_have_shown_is_what_they_showed(golden):
    fresh = Final("bot-1", Estimate(70.456, -3.0, 140.0), 20), Final("bot-1", Estimate(70.0, None, None), 1)
    cases = [("bot-1", 5, 90, None), ("bot-0", 3, 90, fresh[0]), ("bot-0", 3, 90, fresh[1]), ("gone", 3, 1, None)]
    shown = []
    for default, entrants, deals, final in [*cases, ("bot-4", 5, 90, None), ("bot-0", 1, 90, None)]:
        given = with_sweep(drawn.tournament(6, [2]), default, x=list(range(entrants)))
        matches = tournament({name: 0.07 * i for i, name in enumerate(given.names)}, 2, deals, 1, 0.3)
        finals = {} if final is None else {"bot": final}
        (found,) = sweep_results(given, Posterior(counted(matches).batches(), ONE), finals)
        effects = columns_text(found.columns(), "table", None)
        shown += [msgspec.json.encode(found).decode(), *found.sentences(), effects, ""]
    golden("sweeps.txt", "\n".join(shown))
