"""Round-robin: every group on every deal in every rotation, the same list each time."""

from collections import Counter
from itertools import combinations, islice

from hypothesis import given
from hypothesis import strategies as st

from tourney.config import Entrant, Tournament
from tourney.match import Contest
from tourney.schedule.round_robin import blocks, size


def tournament(entrants: int, seats: list[int], deals: int, seed: int = 1) -> Tournament:
    bots = tuple([Entrant(f"bot-{i}", "random", {}) for i in range(entrants)])
    contests = tuple([Contest(f"game-{i}", count, {}) for i, count in enumerate(seats)])
    return Tournament("test", seed, "round-robin", deals, bots, contests, 120, ".")


TOURNAMENTS = st.builds(
    tournament,
    st.integers(6, 9),
    st.lists(st.integers(2, 6), min_size=1, max_size=2),
    st.integers(1, 3),
    st.integers(0, 2**128 - 1),
)


@given(TOURNAMENTS)
def test_every_group_meets_on_every_deal_in_every_rotation(given_tournament):
    listed = list(blocks(given_tournament))
    for contest in given_tournament.contests:
        its = [block for block in listed if block.contest == contest]
        groups = list(combinations(given_tournament.names, contest.seats))
        assert Counter(tuple(sorted(block.seatings[0])) for block in its) == dict.fromkeys(
            groups, given_tournament.deals
        )
        for block in its:
            for seat in range(contest.seats):
                assert sorted(seating[seat] for seating in block.seatings) == sorted(block.seatings[0])


@given(TOURNAMENTS)
def test_every_group_plays_the_same_deals(given_tournament):
    seeds: dict[tuple[str, tuple[str, ...]], list[int]] = {}
    for block in blocks(given_tournament):
        seeds.setdefault((block.contest.game, tuple(sorted(block.seatings[0]))), []).append(block.seed)
    for contest in given_tournament.contests:
        lists = [tuple(its) for (game, _), its in seeds.items() if game == contest.game]
        assert len(set(lists)) == 1
        assert len(set(lists[0])) == given_tournament.deals


@given(TOURNAMENTS)
def test_the_size_is_what_is_listed_and_the_numbers_run_on(given_tournament):
    listed = list(blocks(given_tournament))
    assert [block.number for block in listed] == list(range(len(listed)))
    assert size(given_tournament) == (len(listed), sum(len(block.seatings) for block in listed))
    names = [match.id for block in listed for match in block.matches()]
    assert len(set(names)) == len(names)


@given(TOURNAMENTS)
def test_the_list_is_the_same_each_time(given_tournament):
    assert list(blocks(given_tournament)) == list(blocks(given_tournament))


def test_another_seed_gives_other_deals_and_an_entrant_more_does_not():
    seeds = [block.seed for block in blocks(tournament(2, [2], 5, seed=1))]
    assert seeds != [block.seed for block in blocks(tournament(2, [2], 5, seed=2))]
    larger = {block.seed for block in blocks(tournament(4, [2], 5, seed=1))}
    assert larger == set(seeds)


def test_blocks_are_yielded_lazily():
    huge = tournament(60, [6], 10**9)
    assert len(list(islice(blocks(huge), 5))) == 5
    assert size(huge)[0] > 10**16
