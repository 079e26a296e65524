"""Swiss: equal scores meet, nobody meets again without need, byes and floats are spread evenly."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import accumulate, combinations, pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.schedule.drawn import in_order, meetings, play, play_round, settle, tournament
from tourney.base.errors import RunError
from tourney.config.tournament import FaultLimits
from tourney.journal.folder import JOURNAL
from tourney.journal.reader import read_blocks, seats_from
from tourney.schedule.base import schedule
from tourney.schedule.swiss import PairingHistory, larger_groups, pairs

LUCK = st.integers(0, 2**32)


def pairings(names: list[str]):
    """Every way to pair an even number of names."""
    if not names:
        yield []
        return
    first, *rest = names
    for other in rest:
        for more in pairings([name for name in rest if name != other]):
            yield [(first, other), *more]


def swiss(entrants: int, seats: int, rounds: int, deals: int = 1, **keys):
    return tournament(entrants, [seats], deals, form="swiss", rounds=rounds, **keys)


def history_of(names: list[str], scores: list[int], played: list[tuple[str, str]]) -> PairingHistory:
    """The history after some rounds, with whole scores and the pairs that have met."""
    history = PairingHistory(names)
    for pair in played:
        history.add_meeting(pair)
    history.add_scores({name: Fraction(score) for name, score in zip(names, scores, strict=True)})
    return history


def test_equal_scores_meet_at_tables_of_three():
    history = history_of(list("abcdef"), [3, 0, 3, 0, 3, 0], [])
    assert larger_groups(history, list("acebdf"), [3, 3], Random(1)) == [("a", "c", "e"), ("b", "d", "f")]


@settings(max_examples=20)
@given(st.integers(2, 8), st.integers(1, 9), LUCK)
def test_nobody_meets_again_while_that_can_be_avoided(entrants, rounds, luck):
    """Against all pairings that there are, given the rounds before and who may rest."""
    met: Counter[frozenset[str]] = Counter()
    rests: Counter[str] = Counter()
    given_tournament = swiss(entrants, 2, rounds, seed=luck)
    for blocks in play(given_tournament, luck):
        now = meetings(blocks)
        rested = set(given_tournament.names) - {name for pair in now for name in pair}
        may_rest = [
            name for name in given_tournament.names if rests[name] == min(rests[n] for n in given_tournament.names)
        ]
        assert rested <= set(may_rest)
        fields = [[n for n in given_tournament.names if n != one] for one in (may_rest if entrants % 2 else [None])]
        fewest = min(sum(met[frozenset(p)] > 0 for p in each) for field in fields for each in pairings(field))
        assert (sum(met[frozenset(pair)] > 0 for pair in now) > 0) == (fewest > 0)
        met.update(map(frozenset, now))
        rests.update(rested)


def cost(history: PairingHistory, found) -> tuple[int, Fraction]:
    """What a pairing costs: repeated meetings, then the differences of score, squared."""
    listed = list(found)
    differences = [(history.scores[one] - history.scores[other]) ** 2 for one, other in listed]
    return sum(history.met(*pair) > 0 for pair in listed), sum(differences, Fraction())


@pytest.mark.parametrize(
    ("entrants", "rounds"), [(131, 3), *[pytest.param(each, 6, marks=pytest.mark.slow) for each in (128, 131)]]
)
def test_a_large_field_is_paired_in_parts_as_well_as_all_at_once(entrants, rounds):
    """The parts cost no more than what is the least without regard to who has met; so nothing could be better."""
    names, rng = [f"bot-{i}" for i in range(entrants)], Random(entrants)
    history = PairingHistory(names)
    for _ in range(rounds):
        found = pairs(history, sorted(names, key=lambda name: -history.scores[name]), rng)
        free = [name for name in names if history.byes[name] == min(history.byes.values())]
        left_out = set(names) - {name for pair in found for name in pair}
        lowest = min(history.scores[name] for name in free)
        assert [history.scores[name] for name in left_out] == [lowest] * (entrants % 2)
        by_score = sorted(set(names) - left_out, key=lambda name: history.scores[name])
        assert cost(history, found) == (0, cost(history, zip(by_score[::2], by_score[1::2], strict=True))[1])
        for pair in found:
            history.add_meeting(pair)
        for one, other in found:
            history.add_scores({one: Fraction(1), other: Fraction(0)} if rng.random() < 0.7 else {other: Fraction(1)})
        for name in left_out:
            history.add_bye(name)


def test_a_large_field_meets_in_fours_by_score_and_nobody_meets_again():
    """They cost hardly more than tables filled in the order of scores, without regard to who has met."""
    names, rng = [f"bot-{i}" for i in range(258)], Random(1)
    history, sizes = PairingHistory(names), [4] * 63 + [3] * 2
    for _ in range(3):
        ranked = sorted(names, key=lambda name: -history.scores[name])
        found = larger_groups(history, ranked, sizes, rng)
        assert [len(group) for group in found] == sizes
        assert sorted([name for group in found for name in group]) == sorted(names)
        order = iter(ranked)
        by_score = [[next(order) for _ in range(size)] for size in sizes]
        again, far = cost(history, [pair for group in found for pair in combinations(group, 2)])
        assert again == 0
        least = cost(history, [pair for group in by_score for pair in combinations(group, 2)])[1]
        assert far <= least + len(sizes) / 20  # drawn tables cost 1.2 each
        for group in found:
            history.add_meeting(group)
        for group in found:
            history.add_scores(
                {name: Fraction(i, 3) for i, name in enumerate(sorted(group, key=lambda _: rng.random()))}
            )


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=8), st.data())
def test_scores_are_as_close_as_can_be(scores, data):
    """Against all pairings, with no more repeated meetings."""
    names = [f"bot-{i}" for i in range(len(scores) // 2 * 2)]
    every = list(combinations(names, 2))
    played = data.draw(st.lists(st.sampled_from(every), unique=True, max_size=len(every)))
    history = history_of(names, scores[: len(names)], played)
    ranked = sorted(names, key=lambda name: -history.scores[name])
    assert cost(history, pairs(history, ranked, Random(1))) == min(cost(history, each) for each in pairings(names))


@pytest.mark.parametrize(("floated", "free"), [("bot-0", {"bot-1", "bot-2"}), ("bot-2", {"bot-0", "bot-1"})])
def test_who_has_floated_down_does_not_again_while_another_can(floated, free):
    names = [f"bot-{i}" for i in range(6)]
    for luck in range(10):
        history = history_of(names, [2, 2, 2, 1, 1, 1], [])
        history.add_meeting((floated, "bot-4"))
        found = pairs(history, names, Random(luck))
        (mixed,) = [pair for pair in found if history.scores[pair[0]] != history.scores[pair[1]]]
        assert mixed[0] in free
        assert mixed[1] in {"bot-3", "bot-5"}


@pytest.mark.parametrize(
    ("entrants", "seats", "bad", "keys", "sizes"),
    [
        (5, 2, 1, {}, [2, 2]), (7, 2, 2, {}, [2, 2]), (9, 4, 2, {}, [4]), (5, 4, 1, {}, [4]), (3, 2, 2, {}, None),
        (5, 4, 2, {}, None), (8, 4, 1, {"fits_fewer_seats": True}, [4, 3]),
        (10, 4, 1, {"fits_fewer_seats": True, "seatings": "all"}, [4, 4]),
    ],
)  # fmt: skip
def test_who_is_disqualified_is_left_out_and_neither_rests_nor_scores(entrants, seats, bad, keys, sizes):
    """Entrants of the first table are charged; `sizes` of the tables from then on, None if it is over."""
    plan, rounds = schedule(swiss(entrants, seats, 4, fault_limits=FaultLimits(max_faults=1), **keys)), []
    out = set(next(plan.blocks()).names[:bad])
    for number, blocks in enumerate(plan.rounds()):
        rounds.append(list(blocks))
        settle(plan, rounds[-1], in_order(*range(entrants)), out)
        before, report = plan.disqualified() if number else (), plan.round_reports()[-1]
        assert {row.bot for group in (*report.tables, report.resting) for row in group}.isdisjoint(before)
        assert {row.bot: row.round_score for row in report.disqualified} == dict.fromkeys(before, 0)
        assert number == 0 or [len(group) for group in report.tables] == sizes
    assert plan.disqualified() == out
    assert len(rounds) == (1 if sizes is None else 4)
    assert plan.is_over(0)
    assert sum([len(block.seatings) for blocks in rounds for block in blocks]) <= plan.size().matches


@pytest.mark.parametrize(
    ("entrants", "seats", "keys"),
    [
        (7, 2, {"deals": 2}), (6, 2, {"seatings": "fixed", "deals": 3}), (8, 4, {"seatings": 8}),
        (11, 4, {"fits_fewer_seats": True}), (9, 3, {"seatings": "all"}),
    ],
)  # fmt: skip
def test_rounds_that_a_journal_has_are_recalled_and_not_paired_again(tmp_path, entrants, seats, keys):
    """In the journal the first round is paired as no schedule would: by numbers."""
    given_tournament, rng = swiss(entrants, seats, 3, **keys), Random(1)
    plan, reversed_names = schedule(given_tournament), given_tournament.names[::-1]
    sizes = [len(group) for group in meetings(list(next(schedule(given_tournament).rounds())))]
    ends = [0, *accumulate(sizes)]
    first = [reversed_names[begin:end] for begin, end in pairwise(ends)]
    plan.recall(lambda block: iter([] if block else first))
    blocks, lines = [], []
    for each in plan.rounds():
        blocks += (found := list(each))
        lines += [record.line() for record in play_round(plan, found, rng)]
    assert meetings(blocks[: len(blocks) // 3]) == [tuple(sorted(group)) for group in first]
    for kept in range(len(lines) + 1):
        (tmp_path / JOURNAL).write_bytes(b"".join(lines[:kept]))
        read = schedule(given_tournament)
        read.recall(partial(seats_from, tmp_path))
        if kept >= len(sizes) * len(blocks[0].seatings) or not kept:
            complete = [some.block for some in read_blocks(tmp_path, read)]
            assert complete == blocks[: len(complete)]
            assert sum([len(block.seatings) for block in complete]) >= kept
    with pytest.raises(RunError, match="line 1: seats: expected"):
        list(read_blocks(tmp_path, schedule(given_tournament)))


def merits(plan):
    """What the format ranks by: numbers of the bots from 0 on, by key."""
    return {
        each.key: [each.values[name] for name in sorted(each.values)]
        for each in plan.ranks_by()
        if not isinstance(each, str)
    }


def test_scores_and_buchholz_by_a_hand_worked_example():
    """Three bots of which one rests in each round; whoever has the lower number wins."""
    plan = schedule(swiss(3, 2, 3))
    rounds = plan.rounds()
    assert merits(plan) == {"round_score": [0, 0, 0], "buchholz": [0, 0, 0]}
    for number in rounds:
        settle(plan, number, in_order(0, 1, 2))
    # each has met both others and rested once: 0 won twice, 1 once, and a rest is worth 1
    # Buchholz: the scores of both opponents, and for the rest the own score
    assert merits(plan) == {"round_score": [3, 2, 1], "buchholz": [2 + 1 + 3, 3 + 1 + 2, 3 + 2 + 1]}
    ranked = [each if isinstance(each, str) else each.key for each in plan.ranks_by()]
    assert ranked == ["round_score", "rating", "buchholz", "points"]
