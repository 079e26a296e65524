"""The time that is left is forecast from what each bot takes in each game, also where the slow bots come last."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest

from tests.schedule.drawn import tournament
from tourney.config import Tournament
from tourney.match import Block
from tourney.runner.forecast import Forecast, TimeLeft
from tourney.schedule.base import Schedule, schedule

SLOW = {"bot-6": 1.0, "bot-7": 3.0}
"""How long some bots take in a seat of a match, in seconds; the others take a millisecond."""
QUICK_S = 0.001


def seconds_of(block: Block, games: dict[str, float], luck: Random) -> float:
    """How long a block takes; matches differ."""
    seats = [SLOW.get(name, QUICK_S) for names in block.seatings for name in names]
    return sum([games[block.setup.game] * each * luck.uniform(0.6, 1.4) for each in seats])


def forecasts(plan: Schedule, games: dict[str, float], workers: int = 2) -> Iterator[tuple[Block, TimeLeft, float]]:
    """Yields each block of a tournament, with the forecast after it, and how long the rest really takes."""
    luck, blocks = Random(5), list(plan.blocks())
    took = [seconds_of(block, games, luck) for block in blocks]
    forecast, now = Forecast(plan, workers), 0.0
    for i, (block, seconds) in enumerate(zip(blocks, took, strict=True)):
        now += seconds / workers
        forecast.add([block], seconds, now)
        left = forecast.time_left(now)
        assert left is not None
        yield block, left, sum(took[i + 1 :]) / workers


def test_slow_bots_that_come_late_are_reckoned_with_as_soon_as_they_have_played():
    """28 pairs on each deal, the slow ones at the end; the mean of what was played before is far too low."""
    plan = schedule(tournament(8, [2], deals=10))
    told = list(forecasts(plan, {"game-0": 1.0}))
    assert told[0][1].untimed == 6
    assert [left.untimed for _, left, _ in told[:7]] == [6, 5, 4, 3, 2, 1, 0]  # the first bot meets all others
    for _, left, true in told[6:28]:
        assert 0.5 * true < left.seconds < 2 * true
    for _, left, true in told[28:200]:
        assert left.seconds == pytest.approx(true, rel=0.25)
    assert told[-1][1].seconds == pytest.approx(0, abs=0.1)


def test_what_a_bot_takes_in_one_game_tells_what_it_takes_in_the_next():
    """After a few quick matches of the second game it is known that it takes longer, for the slow bots, too."""
    plan = schedule(tournament(8, [2, 2], deals=10))
    told = list(forecasts(plan, {"game-0": 1.0, "game-1": 4.0}))
    block, left, true = told[30]  # the second game has just begun, with two quick matches
    assert (block.setup.game, sorted(block.seatings[0])[0]) == ("game-1", "bot-0")
    assert not set(SLOW) & {name for other, _, _ in told[28:31] for name in other.seatings[0]}
    assert left.seconds == pytest.approx(true, rel=0.5)
    for _, left, true in told[60:400]:
        assert left.seconds == pytest.approx(true, rel=0.2)


def test_nothing_is_said_before_a_match_is_over_and_then_the_time_runs_down():
    plan = schedule(tournament(2, [2], deals=10))
    blocks = list(plan.blocks())
    forecast = Forecast(plan, 1)
    assert forecast.time_left(100.0) is None
    forecast.skip(blocks[:2])  # of an earlier start
    assert forecast.time_left(100.0) is None
    forecast.add(blocks[2:3], 5.0, 105.0)
    assert [forecast.time_left(now) for now in (105.0, 107.0, 200.0)] == [
        TimeLeft(pytest.approx(seconds, rel=0.05), 0) for seconds in (7 * 5.0, 7 * 5.0 - 2, 0.0)
    ]


def test_idle_workers_are_reckoned_with():
    """Of four workers, only one at a time has something to play."""
    plan = schedule(tournament(2, [2], deals=100))
    forecast = Forecast(plan, 4)
    for i, block in enumerate(plan.blocks(), 1):
        forecast.add([block], 1.0, float(i))
        if i == 50:
            assert forecast.time_left(50.0).seconds == pytest.approx(50, rel=0.1)


CASES: dict[str, Tournament] = {
    "round-robin": tournament(6, [2, 3], deals=2),
    "a choice of groups": tournament(12, [3], deals=2, groups=8),
    "gauntlet": tournament(6, [3, 2], deals=3, form="gauntlet", challengers=("bot-1", "bot-4")),
    "mirror": tournament(2, [5, 2], deals=3, form="mirror"),
    "all seatings": tournament(5, [3], deals=2, seatings="all"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_schedule_knows_in_how_many_matches_each_seat_is_taken(case):
    plan = schedule(CASES[case])
    counted = Counter([
        (block.setup.game, len(names), name)
        for block in plan.blocks() for names in block.seatings for name in names
    ])  # fmt: skip
    assert dict(plan.known_seats()) == dict(counted)


def test_the_field_of_a_mirror_is_drawn_about_equally_often():
    plan = schedule(tournament(5, [3], deals=200, form="mirror"))
    counted = Counter([name for block in plan.blocks() for names in block.seatings for name in names])
    known = {name: count for (_, _, name), count in plan.known_seats().items()}
    assert sum(known.values()) == pytest.approx(sum(counted.values()))
    for name, count in known.items():
        assert counted[name] == pytest.approx(count, rel=0.1)


@pytest.mark.parametrize("keys", [{"form": "swiss", "rounds": 3}, {"form": "knockout"}, {"form": "ladder"}])
def test_a_schedule_that_adapts_knows_the_rounds_so_far(keys):
    given = tournament(9, [2], deals=2, **keys)
    plan = schedule(given)
    assert not plan.known_seats()
    played: Counter[tuple[str, int, str]] = Counter()
    for blocks in plan.rounds():
        listed = list(blocks)
        played.update([(b.setup.game, len(names), name) for b in listed for names in b.seatings for name in names])
        assert dict(plan.known_seats()) == dict(played)
        for block in listed:
            for match in block.matches():
                plan.note(block.number, match.seats, (1, 2))
        if len(played) and sum(played.values()) > 2000:
            break
    assert dict(plan.known_seats()) == dict(played)


def test_rounds_that_nobody_knows_are_taken_to_be_like_those_before():
    given = tournament(8, [2], deals=5, form="swiss", rounds=4)
    plan = schedule(given)
    forecast, now = Forecast(plan, 1), 0.0
    for number, blocks in enumerate(plan.rounds(), 1):
        listed = list(blocks)
        for block in listed:
            now += 2.0
            forecast.add([block], 2.0, now)
            for match in block.matches():
                plan.note(block.number, match.seats, (1, 2))
        left = forecast.time_left(now)
        assert left is not None
        assert left.seconds == pytest.approx((4 - number) * 2.0 * len(listed), rel=0.05, abs=0.1)
