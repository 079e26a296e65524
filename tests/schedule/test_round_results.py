"""What a round came to: shares of points, and the scores that places give."""

from fractions import Fraction

from tourney.schedule.adaptive import RoundResults


def results(weights: list[float], *played: tuple[int, str, tuple[int, ...]]) -> RoundResults:
    """Of matches given as the game's index, the seats (a letter each) and the places."""
    found = RoundResults(weights)
    for game, seats, places in played:
        found.add(game, seats, places)
    return found


def test_whoever_wins_a_meeting_scores_one_however_narrowly_a_draw_half_and_larger_tables_score_by_place():
    found = results([1.0], (0, "ab", (1, 2)), (0, "ba", (1, 2)), (0, "ab", (1, 1)), (0, "ba", (2, 1)))
    assert found.shares("ab") == {"a": Fraction(5, 8), "b": Fraction(3, 8)}
    assert found.scores("ab") == {"a": 1, "b": 0}
    half = Fraction(1, 2)
    assert results([1.0], (0, "ab", (1, 2)), (0, "ba", (1, 2))).scores("ab") == {"a": half, "b": half}
    found = results([1.0], (0, "abcd", (1, 2, 2, 4)), (0, "bcda", (2, 2, 4, 1)))
    assert found.scores("abcd") == {"a": 1, "b": half, "c": half, "d": 0}


def test_several_games_are_added_up_by_their_weights():
    found = results([1.0, 3.0], (0, "ab", (1, 2)), (1, "ab", (2, 1)), (1, "ba", (1, 1)))
    assert found.scores("ab") == {"a": Fraction(1, 4), "b": Fraction(3, 4)}
    assert found.shares("ab") == {"a": Fraction(1, 4) + Fraction(3, 16), "b": Fraction(9, 16)}
