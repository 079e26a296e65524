"""What a decision cost: the best action found and the loss estimated in different worlds, the luck apart."""

from math import sqrt
from statistics import stdev

import pytest

import tourney
from tests.conftest import BAD, ROOT
from tests.helpers import play_match
from tests.hosts.play import spec_of
from tourney.hosts.inline import InlineHost
from tourney.journal import notes
from tourney.journal.notes import MatchNotes
from tourney.plugins.registry import game_names, load_game
from tourney.review.analysis.costs import MatchTable, decision_cost, loss_and_error
from tourney.review.analysis.file import DecisionCost, MatchAnalysis
from tourney.review.analysis.summary import bot_analyses
from tourney.review.calibration import Calibrations
from tourney.table.replay import Replay


def table(record, *names):
    game = load_game(record.game)
    seats = len(record.seats)
    options = game.options(seats, record.options)
    return MatchTable(record, game, options, [host(name) for name in names], game.max_decisions(seats, options), int)


def host(name):
    use = f"{BAD.name}:{name}" if name[0].isupper() else name
    return InlineHost(spec_of(name, use, "inline", folder=BAD.parent), None)


def costs(record, *names, playouts=8, only=lambda step: True):
    steps = filter(only, Replay(record, load_game(record.game)).steps())
    return [decision_cost(table(record, *names), step, playouts) for step in steps if len(step.legal) > 1]


@pytest.mark.parametrize("name", game_names())
def test_decisions_of_every_game_have_a_cost_and_the_same_each_time(name):
    seats = load_game(name).seats[0]
    record = play_match(*["random"] * seats, game=name)
    late = range(5 * (int(0.9 * record.decisions) // 5), record.decisions + 1, 5)
    bots = ["random"] * seats
    first, again = [costs(record, *bots, playouts=4, only=lambda step: step.decision in late) for _ in range(2)]
    assert first == again
    assert first
    for cost in first:
        assert 0 <= cost.expected <= 100
        assert -100 <= cost.loss <= 100
        assert -100 <= cost.luck <= 100
        assert cost.loss == cost.error == 0 or cost.best != cost.chosen
        assert cost.values[cost.chosen] == pytest.approx(cost.expected, abs=0.1)
        assert max(cost.values.values()) in (cost.values[cost.best], cost.values[cost.chosen]), "the pick is not beaten"
        assert 0 <= min(cost.values.values()) <= max(cost.values.values()) <= 100
        assert not cost.mistake or cost.loss >= 2 * cost.error > 0
        assert cost.phase


def test_the_loss_is_not_counted_on_the_worlds_that_picked_the_best_action():
    """Among random bots the mean loss is none, though the best action looks better in the worlds that picked it."""
    record = play_match("random", "random", options={"target": 21})
    found = [cost.loss for cost in costs(record, "random", "random", playouts=8, only=lambda step: step.decision <= 26)]
    mean = sum(found) / len(found)
    error = sqrt(sum([(loss - mean) ** 2 for loss in found]) / len(found) / (len(found) - 1))
    assert abs(mean) < 3 * error
    assert min(found) < 0 < max(found)


def test_bots_that_do_not_draw_lots_meet_the_real_end_in_the_real_deal():
    record = play_match("first", "steady")
    for cost in costs(record, "first", "steady", playouts=4, only=lambda step: step.decision % 30 == 1):
        real = 100.0 if record.places[cost.seat] == 1 else 0.0
        assert cost.expected + cost.luck == pytest.approx(real if record.places != (1, 1) else 50.0)


@pytest.mark.parametrize("bad", ["Raises", "RaisesInStart", "RaisesInMake", "SaysIllegal"])
def test_for_a_bot_that_fails_the_house_plays_on(bad):
    record = play_match("random", "first", options={"target": 6})
    found = costs(record, bad, "first", playouts=4)
    assert found == costs(record, bad, "first", playouts=4)
    assert {cost.seat for cost in found} == {0, 1}


def test_seats_that_were_out_stay_behind_the_others():
    """Whatever is played, who is out has the last place."""
    record = play_match("first", "RaisesLater", options={"target": 6})
    (fault,) = record.faults
    for cost in costs(record, "first", "first", playouts=4, only=lambda step: step.decision > fault.decision):
        assert cost.expected == (100 if cost.seat == 0 else 0)


@pytest.mark.parametrize(
    ("loss", "error", "mistake", "grade"), [(50, 20, False, 0), (12.9, 3, True, 1), (13, 3, True, 2), (23, 3, True, 3)]
)
def test_a_mistake_is_graded_by_its_loss_less_the_error(loss, error, mistake, grade):
    assert DecisionCost(1, 0, "a", "b", 50.0, loss, error, 0.0, mistake, "play").grade == grade


def test_the_error_of_a_loss():
    loss, error = loss_and_error([50.0, 0.0, 0.0, 50.0])
    assert loss == 25
    assert error == pytest.approx(sqrt((4 * 25**2 + 25**2) / 3 / 4))
    assert loss_and_error([0.0, 0.0]) == (0.0, 0.0)
    loss, error = loss_and_error([100.0, 100.0])
    assert loss < 2 * error, "two equal worlds prove nothing"


def test_decisions_on_a_deal_are_one_observation_whoever_meets_on_it():
    def loss(deals, name="leon-{:05d}-0"):
        each = [costed(1.0 * (i % 3)) for i in range(6)]
        matches = [
            MatchAnalysis(name.format(i), "leon", ["a", "b"], ["a"], "", [cost], deal)
            for i, (cost, deal) in enumerate(zip(each, deals, strict=True))
        ]
        return bot_analyses(matches)[0].error

    values = [0.0, 1.0, 2.0]
    assert loss("abcabc") == pytest.approx(stdev(values) / sqrt(3))
    assert loss("abcdef") == loss([""] * 6) == pytest.approx(stdev(values * 2) / sqrt(6))


def costed(loss):
    return DecisionCost(1, 0, "play", "pass", 50.0, loss, 0.5, 0.0, False, "early")


def test_values_are_calibrated_by_deal():
    made = Calibrations()
    for number in range(40):  # four matches on each of ten deals end alike
        noted = MatchNotes(f"m{number}", ("a", "b"), [(1, 0, {"value": 0.55}), (2, 0, {"value": 0.15})])
        made.add("leon", f"deal {number % 10}", (1, 2) if number % 10 < 5 else (2, 1), noted)
    (found,) = made.all()
    assert (found.decisions, found.deals) == (80, 10)
    assert found.brier == pytest.approx((0.45**2 + 0.55**2 + 0.85**2 + 0.15**2) / 4)
    by_deal = [(0.45**2 + 0.85**2) / 2] * 5 + [(0.55**2 + 0.15**2) / 2] * 5
    assert found.brier_half == pytest.approx(2.262157 * stdev(by_deal) / sqrt(10))
    for one in found.bins:
        assert (one.decisions, one.deals, one.points) == (40, 10, 0.5)
        assert (one.low, one.high) == (pytest.approx(0.17, abs=0.05), pytest.approx(0.83, abs=0.05))


def analysed(folder, bot, game, deals, playouts):
    """A run of a bot among `steady` in all other seats, and the analysis of the bot, the costliest decisions first."""
    bots = [bot, *[{"name": f"steady-{seat}", "use": "steady"} for seat in range(1, game["seats"])]]
    keys = {"name": "planted", "seed": 7, "deals": deals, "bots": bots, "game": [game]}
    run = tourney.run(keys, out=folder / "run")
    return run, list(run.analyse(bot["name"], playouts=playouts))


@pytest.mark.slow
def test_planted_mistakes_are_among_the_costliest_decisions(tmp_path):
    bot = {"name": "planted", "use": f"{ROOT}/tests/standings/coverage_bots.py:Blunderer"}
    run, costs = analysed(tmp_path, bot, {"name": "leon", "seats": 3, "options": {"max_cards": 4}}, 4, 60)
    noted = [(each.match, decision) for each in notes.read(run.path) for decision, *_ in each.notes]
    first = [(cost.match, cost.decision) for cost in costs[: len(costs) // 4]]
    assert len(noted) >= 3
    assert len(set(noted) & set(first)) >= 0.8 * len(noted)


@pytest.mark.slow
def test_few_decisions_of_a_good_bot_against_itself_are_called_mistakes(tmp_path):
    _, costs = analysed(tmp_path, {"name": "same", "use": "steady"}, {"name": "vole", "seats": 2}, 1, 24)
    assert len(costs) > 100
    assert sum([cost.mistake for cost in costs]) <= 0.05 * len(costs)
