"""The cards, actions, combinations and tricks of Voleur. Rules: docs/rules/voleur.md.

Cards are numbered as in `cards.STANDARD`. The action that plays a card has the card's number. Sets of cards are bit
masks, and so are sets of ranks: bit 0 is the two, bit 12 the ace.
"""

from itertools import pairwise
from typing import Any, Final, NamedTuple

from mypy_extensions import i64

from tourney.contracts.cards import STANDARD

CARDS: Final = 52
SUIT: Final = 13
"""How many cards a suit has: `card // SUIT` is the suit of a card, `card % SUIT` its rank, 0 for a two."""
DEALT: Final = 6
"""How many cards each seat is dealt."""
TRICKS: Final = 4
DISCARDS: Final = 2
"""How many cards each seat discards."""
LOW: Final = 8191
"""All ranks, or the cards of the first suit, as a mask."""

# Actions: 0-51 play a card, 52-103 discard it, 104 keep, 105-109 steal from a seat, 110-161 take a card.
DISCARD: Final = 52
KEEP: Final = 104
STEAL: Final = 105
TAKE: Final = 110
NAMES = (
    *[f"play:{card}" for card in STANDARD.names],
    *[f"discard:{card}" for card in STANDARD.names],
    "keep",
    *[f"steal:{seat}" for seat in range(5)],
    *[f"take:{card}" for card in STANDARD.names],
)
"""The text of every action."""


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

# docs/rules/voleur: an ace is low in A-2-3 or high in Q-K-A; K-A-2 is not a run
_WINDOWS = (1 << 12 | 0b11, *[0b111 << low for low in range(SUIT - 2)])
"""The runs of three as masks of ranks, from A-2-3 to Q-K-A."""


def _in_runs(ranks: int) -> int:
    mask = 0
    for window in _WINDOWS:
        if ranks & window == window:
            mask |= window
    return mask


def _run_length(ranks: int) -> int:
    """4 if four of the ranks are in sequence, else 3 if three are, else 0."""
    whole = [ranks & window == window for window in _WINDOWS]
    if any([one and other for one, other in pairwise(whole)]):
        return 4
    return 3 if any(whole) else 0


_IN_RUNS: Final = [_in_runs(ranks) for ranks in range(1 << SUIT)]
_LENGTH: Final = [_run_length(ranks) if members else 0 for ranks, members in enumerate(_IN_RUNS)]


def best(cards: i64) -> Combination:
    """The best combination in a mask of any number of cards; of two that pay the same, the later listed."""
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
    """The best combination that is not a flush, by the ranks with both red or black cards, or with any of them."""
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


def _powers(trump: int, led: int | None) -> list[i64]:
    """How high each card ranks in a trick; 0 is a card that cannot win.

    `led` is the suit that was led, or None for a simultaneous trick.
    """
    return [
        20 + rank if suit == trump else 1 + rank if led in (None, suit) else 0
        for suit, rank in [divmod(card, SUIT) for card in range(CARDS)]
    ]


POWERS: Final = [[_powers(trump, led) for led in range(4)] for trump in range(4)]
"""How high each card ranks in a led trick, by trump suit and led suit."""
_ALL_AT_ONCE: Final = [_powers(trump, None) for trump in range(4)]
"""How high each card ranks in a simultaneous trick, by trump suit."""


# Cards are `Any` below: compiled, they are then read as 64 bits at once, which is worth 2 % of a whole run.


def led_winner(trump: i64, led: i64, cards: tuple[Any, ...]) -> i64:
    """The index of the card that wins a led trick to which the card `led` was led."""
    power = POWERS[trump][led // SUIT]
    winner: i64 = 0
    top: i64 = -1
    at: i64
    card: i64
    for at, card in enumerate(cards):
        height = power[card]
        if height > top:
            winner, top = at, height
    return winner


def simultaneous_winner(trump: i64, cards: tuple[Any, ...], next_single: bool) -> int | None:
    """The index of the card that wins a simultaneous trick, or None if the trick is tied.

    With `next_single` a rank that was played more than once is passed over for the next lower one.
    """
    power = _ALL_AT_ONCE[trump]
    winner: i64 = 0
    top: i64 = -1
    tied = False
    at: i64
    card: i64
    for at, card in enumerate(cards):
        height = power[card]
        if height >= top:
            winner, top, tied = at, height, height == top
    if not tied:
        return winner
    return _single_winner([power[card] for card in cards]) if next_single else None


def _single_winner(powers: list[i64]) -> int | None:
    """The index of the highest power that occurs once, or None if there is none."""
    single = [height for height in powers if powers.count(height) == 1]
    return powers.index(max(single)) if single else None
