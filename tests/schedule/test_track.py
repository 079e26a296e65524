"""Track: versions meet the same company on the same deals, and play on where it is undecided whether they differ."""

from math import pi
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schedule.drawn import play_round, record, tournament
from tourney.base.errors import ConfigError
from tourney.schedule.base import schedule
from tourney.schedule.track import Moment, Range, Track

POOL = ("bot-0", "bot-1")


def track(versions, seats=2, games=1, deals=1000, pool=POOL, **keys):
    """A tournament of the pool and those versions, `bot-2`, `bot-3`, …"""
    return tournament(len(pool) + versions, [seats] * games, deals, form="track", pool=pool, **keys)


def played(given_tournament, chance=lambda version, game: 0.5):
    """Plays a track of tables of two to its end; luck is that of deal and seat alone. Returns it with its blocks."""
    plan, blocks = schedule(given_tournament), []
    for block in plan.blocks():
        blocks.append(block)
        for match in block.matches():
            seat, *others = [seat for seat, name in enumerate(match.seats) if name not in POOL]
            strength = chance(int(match.seats[seat][4:]), match.setup.game)
            if others:  # the last version meets the first
                strength += 0.5 - chance(int(match.seats[others[0]][4:]), match.setup.game)
            won = Random(f"{match.seed} {seat}").random() < strength
            plan.add(record(match, (1, 2) if won == (seat == 0) else (2, 1)))
    assert plan.is_over(2 * len(blocks))
    return plan, blocks


def jumps(plan):
    return {step.name: step.verdict for step in plan.steps() if step.adjacent and step.verdict in ("up", "down")}


@settings(max_examples=10)
@given(st.integers(1, 9), st.integers(2, 5), st.integers(1, 2), st.integers(1, 4), st.integers(0, 2**32))
def test_versions_meet_the_same_company_on_the_same_deals_in_every_seat_and_nothing_twice(
    versions, seats, games, pool, luck
):
    pool = tuple([f"bot-{i}" for i in range(pool)])
    plan, rng, tables, seen = schedule(track(versions, seats, games, 100, pool)), Random(luck), {}, []
    for blocks in map(list, plan.rounds()):
        play_round(plan, blocks, rng)
        for block in blocks:
            own = tuple(sorted({name for name in block.seatings[0] if name not in pool}))
            for version in own:
                assert sorted([each.index(version) for each in block.seatings]) == list(range(seats))
            seen.append((own, block.setup.game, block.seed))
            assert block.names == pool  # so all draw the same, whatever version plays
            assert block.number == len(seen) - 1
            if len(own) == 1:
                company = [["" if name in own else name for name in each] for each in block.seatings]
                assert tables.setdefault((block.setup.game, block.seed), company) == company
            else:
                assert {*own} == {f"bot-{len(pool)}", f"bot-{len(pool) + versions - 1}"}
    assert len(seen) == len(set(seen)) <= plan.size().blocks
    assert len([own for own, *_ in seen if len(own) == 1]) == games * sum(plan.deals_played.values())
    assert all(step.verdict or step.deals == 100 for step in plan.steps())


@pytest.mark.parametrize(("first", "end"), [(3, 22), (2, 17), (20, 22), (8, 13)])
def test_jumps_are_found_at_their_versions_and_the_last_is_compared_with_first_and_best(first, end):
    plan, _ = played(track(20), lambda version, _: 0.6 if first <= version < end else 0.4)
    found = {f"bot-{first}": "up", f"bot-{end}": "down"}
    assert jumps(plan) == {name: verdict for name, verdict in found.items() if name not in ("bot-2", "bot-22")}
    assert [step.verdict for step in plan.steps()].count("equal") == len(plan.steps()) - len(jumps(plan))
    assert 5 <= len(plan.deals_played) <= 12
    since = [plan.between(name, "bot-21") for name in plan.deals_played if name != "bot-21"]
    assert since[0].verdict == {3: "up", 2: "down", 20: "up", 8: "equal"}[first]
    assert min(since, key=lambda step: step.elo).verdict == ("equal" if end == 22 else "down")


@pytest.mark.parametrize("jump", [7, 15])
def test_a_version_that_served_a_search_does_not_play_on(jump):
    rng = Random(2)  # versions differ in luck, so that it takes long to call them equal
    plan, _ = played(track(17, deals=600), lambda version, _: 0.3 + 0.3 * (version >= jump) + rng.choice([-0.2, 0.2]))
    assert jumps(plan) == {f"bot-{jump}": "up"}
    assert plan.deals_played.keys() > {step.name for step in plan.steps()} | {"bot-2"}
    assert min(plan.deals_played.values()) < max(plan.deals_played.values()) / 2


@pytest.mark.parametrize(("weights", "verdict"), [((3.0, 1.0), "up"), ((1.0, 3.0), "down")])
def test_games_count_by_their_weights(weights, verdict):
    plan, _ = played(track(2, games=2, weights=weights), lambda version, game: (version == 2) == (game == "game-1"))
    assert [step.verdict for step in plan.steps()] == [verdict]
    assert set(plan.deals_played.values()) == {20}


def history(moments, *asked):
    """The keys of a track with these bots at its moments: those in brackets came with a block; and those asked for."""
    given = [each if isinstance(each, tuple) else (each, 0) for each in moments]
    its = tuple([Moment(f"bot-{bot}", str(number), block) for number, (bot, block) in enumerate(given)])
    return {"history": its, "ranges": tuple([Range(*map(str, each)) for each in asked])}


@pytest.mark.parametrize("missing", [range(2, 10), range(10, 18)], ids=["earlier", "later"])
def test_a_longer_history_goes_on_with_the_same_blocks_and_takes_no_verdict_back(missing):
    def run(block):
        its = history([(i, block) if i in missing else i for i in range(2, 18)])
        return played(track(16, **its), lambda i, _: 0.35 + 0.2 * (i >= 6) + 0.25 * (i >= 15))

    plan, before = run(10**9)
    called = {(step.before, step.name): step.verdict for step in plan.steps()}
    assert len(jumps(plan)) == 1
    plan, blocks = run(len(before))
    assert blocks[: len(before)] == before
    assert jumps(plan) == {"bot-6": "up", "bot-15": "up"}
    assert {pair: plan.between(*pair).verdict for pair in called} == called


def test_the_risk_of_two_versions_is_that_of_the_later_one_however_many_there_are():
    risks = [schedule(track(count)).risk("bot-3", "bot-6") for count in (5, 60)]
    assert risks[0] == risks[1] == pytest.approx(0.05 * 2 / (16 * pi**2))


def test_a_version_that_returns_stands_at_each_of_its_moments_and_plays_once():
    """A weak version comes fourth, and again at last; between, all are alike."""
    plan, blocks = played(track(7, **history([2, 3, 4, 5, 6, 7, 8, 4])), lambda i, _: 0.5 - 0.4 * (i == 4))
    steps = plan.steps()
    assert (steps[-1].before, steps[-1].name, steps[-1].verdict, steps[-1].adjacent) == ("bot-8", "bot-4", "down", True)
    assert [step.verdict for step in steps if step.name == "bot-4"] == ["down", "down"]
    assert [step.verdict for step in steps if step.before == "bot-4"] == ["up"]
    assert plan.duel().verdict == "down"
    seen = [(block.seed, *sorted({*block.seatings[0]} - {*POOL})) for block in blocks]
    assert len(seen) == len(set(seen))


def test_both_ends_of_what_was_asked_for_play():
    plan, _ = played(track(20, **history(range(2, 22), (3, 16))))
    assert {"bot-5", "bot-18"} <= plan.deals_played.keys()
    assert (plan.duel().before, plan.duel().name) == ("bot-5", "bot-18")


@pytest.mark.parametrize(
    ("keys", "why"),
    [
        (history([2, 9]), 'history: no version "bot-9"'),
        (history([(2, 5)]), "history: no version plays from the start"),
        (history([2], ("0", "7")), 'ranges: the history has no commit "7"'),
    ],
)
def test_a_history_of_others_is_refused(keys, why):
    with pytest.raises(ConfigError, match=why):
        Track.validate(track(3, **keys))


def test_a_larger_number_of_deals_begins_with_the_same_blocks():
    (few, short), (many, long) = [played(track(12, deals=deals), lambda i, _: 0.3 + i % 5 / 10) for deals in (70, 300)]
    assert long[: len(short)] == short
    assert max(few.deals_played.values()) == 60 < max(many.deals_played.values()) <= 300
