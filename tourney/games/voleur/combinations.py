"""The combinations of Voleur, and the best one in a set of cards. Rules: docs/rules/voleur.md.

Sets of cards are bit masks, and so are sets of ranks: bit 0 is the two, bit 12 the ace.
"""

from itertools import pairwise
from typing import Final, NamedTuple

from mypy_extensions import i64

from tourney.games.voleur.cards import LOW, SUIT


class Combination(NamedTuple):
    """Cards that score together."""

    name: str
    """The name on the rules page, such as `pair run`; `nothing` for cards without any combination."""
    points: int


COMBINATIONS = (
    Combination("nothing", 0),
    Combination("pair", 2),
    Combination("run", 3),
    Combination("two pairs", 4),
    Combination("pair run", 4),
    Combination("sequence", 5),
    Combination("triple", 6),
    Combination("run flush", 6),
    Combination("pair flush", 8),
    Combination("sequence flush", 10),
    Combination("quadra", 12),
)
_NOTHING: Final = COMBINATIONS[0]
_PAIR: Final = COMBINATIONS[1]
_RUN: Final = COMBINATIONS[2]
_TWO_PAIRS: Final = COMBINATIONS[3]
_PAIR_RUN: Final = COMBINATIONS[4]
_SEQUENCE: Final = COMBINATIONS[5]
_TRIPLE: Final = COMBINATIONS[6]
_RUN_FLUSH: Final = COMBINATIONS[7]
_PAIR_FLUSH: Final = COMBINATIONS[8]
_SEQUENCE_FLUSH: Final = COMBINATIONS[9]
_QUADRA: Final = COMBINATIONS[10]

# docs/rules/voleur: an ace is low in A-2-3 or high in Q-K-A; K-A-2 is no run
_WINDOWS = (1 << 12 | 0b11, *[0b111 << low for low in range(SUIT - 2)])
"""The runs of three as masks of ranks, from A-2-3 to Q-K-A."""


def _in_runs(ranks: int) -> int:
    """Returns those of the ranks that are in some run of three."""
    mask = 0
    for window in _WINDOWS:
        if ranks & window == window:
            mask |= window
    return mask


def _run_length(ranks: int) -> int:
    """Returns 4 if four of the ranks are in sequence, else 3 if three are, else 0."""
    whole = [ranks & window == window for window in _WINDOWS]
    if any([one and other for one, other in pairwise(whole)]):
        return 4
    return 3 if any(whole) else 0


_IN_RUNS: Final = [_in_runs(ranks) for ranks in range(1 << SUIT)]
_LENGTH: Final = [_run_length(ranks) if members else 0 for ranks, members in enumerate(_IN_RUNS)]


def best(cards: i64) -> Combination:
    """Returns the best combination in a mask of any number of cards; of two that pay the same, the later listed."""
    clubs, diamonds, hearts, spades = cards & LOW, cards >> 13 & LOW, cards >> 26 & LOW, cards >> 39
    red, black = diamonds & hearts, clubs & spades
    if red & black:
        return _QUADRA
    length = _LENGTH
    flush: i64 = length[clubs] | length[diamonds] | length[hearts] | length[spades]
    if flush > 3:
        return _SEQUENCE_FLUSH
    one_colour = red | black
    # docs/rules/voleur: a pair flush is two pairs, each of one colour, the same or not
    if one_colour & (one_colour - 1):
        return _PAIR_FLUSH
    if flush:
        return _RUN_FLUSH
    return _without_flush(red, black, diamonds | hearts, clubs | spades)


def _without_flush(red: i64, black: i64, any_red: i64, any_black: i64) -> Combination:
    """Returns the best combination that is no flush.

    Args:
        red: The ranks of which both red cards are there.
        black: The ranks of which both black cards are there.
        any_red: The ranks of which any red card is there.
        any_black: The ranks of which any black card is there.
    """
    if red & any_black or black & any_red:
        return _TRIPLE
    ranks = any_red | any_black
    run = _LENGTH[ranks]
    if run > 3:
        return _SEQUENCE
    pairs = red | black | any_red & any_black
    if pairs & _IN_RUNS[ranks]:
        return _PAIR_RUN
    if pairs & (pairs - 1):
        return _TWO_PAIRS
    return _RUN if run else _PAIR if pairs else _NOTHING
