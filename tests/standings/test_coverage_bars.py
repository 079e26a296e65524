"""`make coverage-bars` measures what it says, and a small version of it: the error bars hold on real play."""

import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest
from msgspec.structs import replace

from tests.environments import made_once
from tests.standings import coverage
from tests.standings.coverage import FIELDS, PART, RUNS, TRUTH, Row, Share, Truth, measured, truth
from tests.standings.played_deals import Field, PlayedDeals, Standings, joined
from tourney import config
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import load_game
from tourney.table.table import play

SMALL = Field("leon", 4, 6, 15, "hash", "max_cards = 1")


@pytest.fixture(scope="module")
def played(shared_folder):
    def play_all(folder):
        (folder / "places").write_bytes(SMALL.play(0, 180))

    return PlayedDeals(SMALL, 0, (made_once(shared_folder / "small-field", play_all) / "places").read_bytes())


@pytest.mark.slow
def test_the_error_bars_hold_the_truth_in_small_real_tournaments(played):
    """This fails if a deal's blocks are taken to be independent, or the normal distribution for Student's t."""
    found = [played.standings(first, 3) for first in range(0, 180, 3)]
    row = measured(SMALL, 3, found, truth(SMALL, played.standings(0, 180)))
    for share in (row.ratings, row.points, row.seats):
        assert share.runs == 60
        assert 0.92 <= share.mean <= 0.98
    assert row.falsely_above.mean < 0.035
    assert row.empty == 0


def test_the_fields_are_those_that_the_page_promises():
    assert {field.seats for field in FIELDS if field.bots == "random"} == {2, 3, 4, 6, 8, 10}
    assert {field.seats for field in FIELDS if field.bots == "graded"} == {2, 3, 4, 6, 8, 10}
    assert {field.seats for field in FIELDS if field.bots == "hash"} == {3, 4}
    assert len({field.game for field in FIELDS}) == 5
    assert len({field.file_name for field in FIELDS}) == len(FIELDS)
    assert RUNS >= 150
    assert TRUTH >= 20 * PART


def test_parts_of_a_long_tournament_share_no_deal():
    parts = [list(SMALL.blocks(first, 2)) for first in (0, 2, 4)]
    assert [len({block.seed for block in part}) for part in parts] == [2, 2, 2]
    assert len({block.seed for part in parts for block in part}) == 6
    assert [block.number for part in parts for block in part] == list(range(6 * SMALL.groups))


def test_deals_are_played_alike_in_parts_and_at_once(played):
    parts = [PlayedDeals(SMALL, first, SMALL.play(first, 2)) for first in (0, 2)]
    assert played.places.startswith(joined(parts).places)
    assert joined(parts).standings(2, 2) == parts[1].standings(2, 2) == played.standings(2, 2)


def test_standings_are_of_the_matches_as_they_were_played(played):
    rows = played.standings(0, 10).ranking.rows
    seatings = [seats for block in SMALL.blocks(0, 10) for seats in block.seatings]
    places = [played.places[4 * i : 4 * i + 4] for i in range(len(seatings))]
    results = list(zip(seatings, places, strict=True))
    for row in rows:
        own = [(place[seats.index(row.bot)], place.count(1)) for seats, place in results if row.bot in seats]
        assert (row.matches, row.won) == (len(own), own.count((1, 1)))


@pytest.mark.parametrize("bots", ["random", "hash"])
def test_equal_bots_never_play_alike(bots):
    field = Field("leon", 4, 6, 6, bots)
    makers, game = config.create_hosts(field.tournament), load_game("leon")
    for seed in range(2):
        match = Match("leon-00000-0", GameSetup("leon", 4, {}), 0, seed, ("0", "1", "2", "3"))
        first = [play(match, game, [maker, *[makers["0"]] * 3]).actions for maker in makers.values()]
        assert len(set(first)) == 6


def test_bots_that_draw_no_lots_choose_alike_where_they_see_the_same():
    field = Field("leon", 4, 6, 6, "hash")
    makers, game = config.create_hosts(field.tournament), load_game("leon")
    table = [makers[name] for name in "0123"]
    matches = [
        Match("leon-00000-0", GameSetup("leon", 4, {}), 0, 7, ("0", "1", "2", "3"), names)
        for names in (("0", "1", "2", "3"), ("0", "1", "2", "3", "9"))
    ]
    one, other = [play(match, game, table).actions for match in matches]
    assert one == other


def test_graded_bots_are_the_stronger_the_larger_their_share():
    field = Field("vole", 2, 3, 3, "graded", "target = 1")
    true = truth(field, PlayedDeals(field, 0, field.play(0, 60)).standings(0, 60))
    assert true.ratings["0"] < true.ratings["1"] < true.ratings["2"]
    assert true.points["0"] < 50 < true.points["2"]


def test_equal_bots_have_equal_ratings_in_truth(played):
    true = truth(SMALL, played.standings(0, 20))
    assert set(true.ratings.values()) == {1500}
    assert set(true.points.values()) == {50}
    assert true.seats == [seat.points for seat in played.standings(0, 20).seats]


def changed(found: Standings, **keys: float) -> Standings:
    rows = tuple([replace(row, **keys) for row in found.ranking.rows])
    return Standings(replace(found.ranking, rows=rows), found.seats)


def test_shares_are_means_over_tournaments_of_the_shares_within_each(played):
    found = played.standings(0, 10)
    true = truth(SMALL, found)
    wide, narrow = [
        changed(found, rating_low=low, rating_high=1600.0, points_low=10.0, points_high=50.0, above_next=above)
        for low, above in ((1400.0, 0.94), (1501.0, 0.95))
    ]
    row = measured(SMALL, 10, [wide, wide, wide, narrow], true)
    assert (row.ratings.mean, row.points.mean, row.seats.mean) == (0.75, 1, 1)
    assert row.falsely_above.mean == 0.25
    assert (row.ratings.error, row.ratings.runs) == (pytest.approx(0.25), 4)


def test_only_wrong_orders_of_graded_bots_are_false(played):
    sure = changed(played.standings(0, 10), above_next=1.0)
    order = [row.bot for row in sure.ranking.rows]
    strengths = dict(zip(order, (1540.0, 1530.0, 1535.0, 1520.0, 1510.0, 1500.0), strict=True))
    row = measured(SMALL, 10, [sure, sure], Truth(strengths, dict.fromkeys(order, 50.0), [25.0] * 4))
    assert row.falsely_above.mean == 0.2


@pytest.mark.parametrize("low", [None, 1500.0])
def test_intervals_that_are_unknown_or_without_width_count_as_missing(played, low):
    found = changed(played.standings(0, 10), rating_low=low, rating_high=1500.0)
    row = measured(SMALL, 10, [found, found], truth(SMALL, found))
    assert (row.ratings.mean, row.empty) == (0, 12)
    assert not row.as_promised


@pytest.mark.parametrize(
    ("held", "false", "promised"),
    [(0.95, 0.06, True), (0.91, 0, True), (0.89, 0, False), (0.99, 0, True), (1.0, 0.01, False), (0.95, 0.061, False)],
)
def test_a_row_is_as_promised_within_twice_its_standard_error(held, false, promised):
    sure, share = Share(0.95, 0.01, 150), Share(held, 0.0075, 150)
    for shares in ((share, sure, sure), (sure, share, sure), (sure, sure, share)):
        assert Row(SMALL, 10, *shares, Share(false, 0.01, 150), 0).as_promised == promised


def test_a_line_of_the_table_has_the_number_of_tournaments_in_each_cell():
    row = Row(SMALL, 10, *[Share(share, 0.0054, 150) for share in (0.95, 0.943, 0.96, 0.012)], 0)
    cells = ["95.0 ±0.5 (150)", "94.3 ±0.5 (150)", "96.0 ±0.5 (150)", "1.2 ±0.5 (150)"]
    assert row.line() == f"| leon 4, max_cards 1 | 6 | hash | 10 | {' | '.join(cells)} |"


@pytest.fixture
def short(monkeypatch):
    """A measurement with few deals."""
    monkeypatch.setattr(coverage, "PART", 4)
    monkeypatch.setattr(coverage, "TRUTH", 8)
    monkeypatch.setattr(coverage, "DEALS", (2, 4))


@pytest.mark.slow
@pytest.mark.usefixtures("short")
def test_what_was_kept_is_not_played_again_and_gives_the_same_numbers(tmp_path, monkeypatch):
    rows = [coverage.measure(SMALL, 3, kept, map) for kept in (None, tmp_path)]
    assert len(list(tmp_path.iterdir())) == 5
    monkeypatch.setattr(Field, "play", None)
    rows.append(coverage.measure(SMALL, 3, tmp_path, map))
    assert rows[0] == rows[1] == rows[2]
    assert [(row.deals, row.ratings.runs) for row in rows[0]] == [(2, 6), (4, 3)]


@pytest.mark.slow
@pytest.mark.usefixtures("short")
def test_the_numbers_are_the_same_with_any_number_of_processes():
    with ProcessPoolExecutor(2, get_context("fork")) as pool:
        assert coverage.measure(SMALL, 3, None, pool.map) == coverage.measure(SMALL, 3, None, map)


@pytest.mark.usefixtures("short")
def test_the_command_prints_a_table_and_says_what_is_not_as_promised(monkeypatch, capsys):
    monkeypatch.setattr(coverage, "FIELDS", (SMALL,))
    monkeypatch.setattr(coverage, "PROMISED", (2, 3))
    monkeypatch.setattr(sys, "argv", ["coverage", "--runs", "2", "--workers", "1"])
    with pytest.raises(SystemExit) as ended:
        coverage.main()
    printed = capsys.readouterr()
    assert printed.out.startswith(coverage.HEAD)
    lines = printed.out.splitlines()[2:]
    assert [line.split(" | ")[3] for line in lines] == ["2", "4"]
    assert [line.endswith(row) for line, row in zip(printed.err.splitlines(), lines, strict=True)] == [True, True]
    assert ended.value.code == 1
