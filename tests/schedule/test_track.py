"""Track: versions meet the same company on the same deals, and play on where it is undecided whether they differ."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schedule.drawn import play_round, record, tournament
from tourney.config.tournament import FieldEvent
from tourney.schedule.base import schedule

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
            (seat,) = [seat for seat, name in enumerate(match.seats) if name not in POOL]
            won = Random(f"{match.seed} {seat}").random() < chance(int(match.seats[seat][4:]), match.setup.game)
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
    plan, rng, tables, seen = schedule(track(versions, seats, games, 100, pool)), Random(luck), {}, set()
    for blocks in map(list, plan.rounds()):
        play_round(plan, blocks, rng)
        for block in blocks:
            (version,) = {name for name in block.seatings[0] if name not in pool}
            assert sorted([each.index(version) for each in block.seatings]) == list(range(seats))
            seen.add((version, block.setup.game, block.seed))
            company = [["" if name == version else name for name in each] for each in block.seatings]
            assert tables.setdefault((block.setup.game, block.seed), company) == company
            assert block.names == pool  # so all draw the same, whatever version plays
            assert block.number == len(seen) - 1
    assert len(seen) == games * sum(plan.deals_played.values()) <= plan.size().blocks
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


@pytest.mark.parametrize("missing", [range(2, 10), range(10, 18)], ids=["earlier", "later"])
def test_a_longer_range_goes_on_with_the_same_blocks(missing):
    def run(block):
        events = tuple([FieldEvent("entered", f"bot-{i}", block) for i in missing])
        return played(track(16, events=events), lambda i, _: 0.35 + 0.2 * (i >= 6) + 0.25 * (i >= 15))

    plan, before = run(10**9)
    assert len(jumps(plan)) == 1
    plan, blocks = run(len(before))
    assert blocks[: len(before)] == before
    assert jumps(plan) == {"bot-6": "up", "bot-15": "up"}


def test_a_larger_number_of_deals_begins_with_the_same_blocks():
    (few, short), (many, long) = [played(track(12, deals=deals), lambda i, _: 0.3 + i % 5 / 10) for deals in (70, 300)]
    assert long[: len(short)] == short
    assert max(few.deals_played.values()) == 60 < max(many.deals_played.values()) <= 300
