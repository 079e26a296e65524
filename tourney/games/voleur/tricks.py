"""Who wins the tricks of Voleur, and the rounds that are over. Rules: docs/rules/voleur.md."""

from typing import Any, Final, NamedTuple

from mypy_extensions import i64

from tourney.games.voleur.cards import CARDS, SUIT
from tourney.games.voleur.combinations import Combination


class VoleurTrick(NamedTuple):
    """A trick that is over."""

    leader: int | None
    """The seat that led; None for a simultaneous trick."""
    cards: tuple[int, ...]
    """The card of each seat, in the order of the seats."""
    winner: int | None
    """The seat that won; None if a simultaneous trick was tied."""


class ScoredRound(NamedTuple):
    """A round that is over, as all seats know it."""

    up: int
    """The trump card."""
    tricks: tuple[VoleurTrick, ...]
    combinations: tuple[Combination, ...]
    """What each seat scored for."""
    privilege: int | None
    """The action that the winner of the fourth trick chose; None if there was no winner."""
    points: tuple[int, ...]
    """By how much each score changed."""


def _powers(trump: int, led: int | None) -> list[i64]:
    """Returns how high each card ranks in a trick; 0 is a card that cannot win.

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


# Cards are `Any` in what follows: compiled, they are then read as 64 bits at once, which is worth 2 % of a whole run.


def led_winner(trump: i64, led: i64, cards: tuple[Any, ...]) -> i64:
    """Returns the index of the card that wins a led trick to which the card `led` was led."""
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
    """Returns the index of the card that wins a simultaneous trick, or None if the trick is tied.

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
    """Returns the index of the highest power that is there once, or None if there is none."""
    single = [height for height in powers if powers.count(height) == 1]
    return powers.index(max(single)) if single else None
