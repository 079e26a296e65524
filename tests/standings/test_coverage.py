"""The error bars hold: over hundreds of simulated tournaments, and in real ones (a small `make coverage-bars`)."""

import pytest

from tests.standings.coverage import Field, Row, measured

SMALL = Field("leon", 4, 6, 15, "hash", "max_cards = 1")


@pytest.mark.slow
def test_the_error_bars_hold_the_truth_in_small_real_tournaments():
    """This fails if a deal's blocks are taken to be independent, or the normal distribution for Student's t."""
    played = SMALL.play(0, 180)
    found = [SMALL.standings(played, 0, 3, first) for first in range(0, 180, 3)]
    row = measured(SMALL, 3, found, SMALL.standings(played, 0, 180))
    for share in row.held:
        assert share.runs == 60
        assert 0.92 <= share.mean <= 0.98
    assert row.falsely_above.mean < 0.035
    assert row.empty == 0
    assert row.as_promised
    assert row.line().startswith("| leon 4, max_cards 1 | 6 | hash | 3 | 9")
    assert not Row(*row[:4], empty=1).as_promised
