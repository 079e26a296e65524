"""A small version of `make coverage-bars`: the error bars hold on real play."""

import sys

import pytest

from tests.environments import made_once
from tests.standings import coverage
from tests.standings.coverage import measured, truth
from tests.standings.played_deals import Field, PlayedDeals

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


def test_standings_are_of_the_matches_as_they_were_played(played):
    rows = played.standings(0, 10).ranking.rows
    seatings = [seats for block in SMALL.blocks(0, 10) for seats in block.seatings]
    places = [played.places[4 * i : 4 * i + 4] for i in range(len(seatings))]
    results = list(zip(seatings, places, strict=True))
    for row in rows:
        own = [(place[seats.index(row.bot)], place.count(1)) for seats, place in results if row.bot in seats]
        assert (row.matches, row.won) == (len(own), own.count((1, 1)))


def test_the_command_prints_a_table_and_says_what_is_not_as_promised(monkeypatch, capsys):
    for name, value in (("PART", 4), ("TRUTH", 8), ("DEALS", (2, 4)), ("FIELDS", (SMALL,))):
        monkeypatch.setattr(coverage, name, value)
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
