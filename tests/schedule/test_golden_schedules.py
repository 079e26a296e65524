"""The whole schedule of a tournament of each format: resumed runs and journals rest on it, so it never changes."""

import hashlib
from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from tests.schedule.drawn import follow, play_round, tournament, with_sweep
from tourney.config import Entrant, Tournament
from tourney.config.tournament import FieldEvent
from tourney.schedule.base import schedule
from tourney.standings.points import Tiebreak
from tourney.standings.tables import rounds_sheet

VERSIONS = ("a@1-0", "b@1-1", "c@1-2", "d@1-3", "e@1-4", "b@2-5", "b@3-6")
EVENTS = ("entered b@2-5 20", "paused d@1-3 20", "retired b@1-1 60", "restored d@1-3 60", "entered b@3-6 90")
COMES_AND_GOES = tuple([FieldEvent(kind, bot, int(block)) for kind, bot, block in map(str.split, EVENTS)])
TRACK = {"pool": ("bot-0", "bot-10"), "weights": (2.0, 1.0), "equal_elo": 90.0}
LEAGUE = tournament(
    7, [3, 3], 2, form="league", events=COMES_AND_GOES, weights=(3.0, 1.0), tables=3, sure=0.8, equal_elo=30.0
)
CASES = {
    "round-robin": tournament(5, [3, 2], 2),
    "chosen-groups": tournament(12, [3], groups=24, seatings=6),
    "half-of-the-groups": tournament(6, [3], groups=10),
    "left-out-groups": tournament(7, [3], groups=28, seatings="fixed"),
    "seatings": tournament(5, [4], seatings=12),
    "gauntlet": tournament(6, [3, 2], 2, form="gauntlet", challengers=("bot-4", "bot-1")),
    "mirror": tournament(2, [5, 2], 3, form="mirror"),
    "mirror-of-many": tournament(9, [3], 2, form="mirror"),
    "mirror-field": tournament(4, [5, 3], 2, form="mirror"),
    "knockout-pairs": tournament(11, [2], 3, form="knockout", seatings="fixed"),
    "knockout": tournament(14, [3, 3], 2, form="knockout", weights=(1.0, 2.0)),
    "swiss": tournament(9, [2], 2, form="swiss", rounds=5),
    "swiss-fixed": tournament(9, [3], 2, form="swiss", rounds=6, seatings="fixed"),
    "swiss-threes": tournament(11, [3], form="swiss", rounds=4),
    "swiss-smaller-tables": tournament(10, [4, 4], form="swiss", rounds=4, fits_fewer_seats=True, weights=(3.0, 1.0)),
    "ladder": tournament(6, [3, 3], 8, form="ladder", max_matches=3000, weights=(3.0, 1.0), seatings=6),
    "track": tournament(14, [3, 2], 400, form="track", **TRACK),
    "track-before": tournament(14, [3, 2], 400, form="track", **TRACK, risk="pairs"),  # as older manifests are read
    "ladder-sweep": with_sweep(
        tournament(7, [3, 3], 8, form="ladder", max_matches=1500, settle="best", sure=0.8), "bot-0", x=[0, 1, 2]
    ),
    "ladder-top": tournament(9, [4], 8, form="ladder", max_matches=1200, settle="top:2", sure=0.9, seatings="fixed"),
    "league": replace(LEAGUE, entrants=tuple([Entrant(name, "random", {}) for name in VERSIONS])),
    "ladder-pairs": tournament(5, [2], 10, form="ladder", max_matches=2500, sure=0.9, equal_elo=40.0),
}


def letters(seats: tuple[str, ...]) -> str:
    return "".join(["abcdefghijklmn"[int(name.partition("-")[2])] for name in seats])


def lines(given: Tournament) -> Iterator[str]:
    """Returns the seatings on the first deal of each round, hashes of blocks and messages, and the ranking keys."""
    plan, rng = schedule(given), Random(1)
    plan.validate(given)
    extendable = "extendable" if plan.why_not_extendable() is None else "not extendable"
    yield f"{plan.describe()}; {plan.describe_size()} in {plan.size().blocks} blocks; {extendable}"
    yield f"{plan.what_follows()} {plan.describe_undecided()}"
    records, every, told = [], [], []
    for blocks in map(list, plan.rounds()):
        shown = [" ".join(map(letters, block.seatings)) for block in blocks if block.seed == blocks[0].seed]
        each = [(b.number, b.setup.game, b.setup.seats, b.seed, b.seatings, plan.round_of(b.number)) for b in blocks]
        yield f"{len(blocks)} blocks {hashlib.sha256(repr(each).encode()).hexdigest()[:12]}: {', '.join(shown)}"
        assert not plan.is_over(len(records))
        assert all(plan.block_names(seats) == block.names for block in blocks for seats in block.seatings)
        told += [
            rounds_sheet(plan.round_reports()).text("json"),
            plan.describe_undecided(),
            plan.columns(),
            plan.certainties(),
        ]
        records += play_round(plan, blocks, rng)
        every += blocks
    assert plan.is_over(len(records))
    reader = schedule(given)
    assert follow(reader, records) == every
    assert not plan.adapts or next(reader.blocks(), None) is None
    assert (reader.is_over(len(records)), reader.round_reports()) == (True, plan.round_reports())
    assert (reader.columns(), reader.describe_undecided()) == (plan.columns(), plan.describe_undecided())
    told += [rounds_sheet(plan.round_reports()).text("json"), plan.certainties()]
    yield f"{plan.describe_undecided()}; told {hashlib.sha256(repr(told).encode()).hexdigest()[:12]}"
    for each in (*plan.ranks_by(), *plan.columns()):
        if isinstance(each, Tiebreak):
            shown = ", ".join(map(str, (each.labels or each.values).values()))
            yield f"{each.key} ({each.heading}; {each.description}; {each.note}): {shown}"
        else:
            yield each


@pytest.mark.parametrize("name", CASES)
def test_a_schedule_is_what_it_was(golden, name):
    golden(f"{name}.txt", "\n".join(lines(CASES[name])))
