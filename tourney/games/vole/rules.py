"""The cards, actions and tricks of The Vole in the Valley. Rules: docs/rules/vole.md.

Cards are numbered as in `cards.VOLE`. A hand is a bit mask of cards, and the action that plays a card has the card's
number. The history of a round, as both seats see it, is bytes: `seat * SEAT + action` for each step.
"""

from typing import Final, NamedTuple

from tourney.contracts.cards import VOLE
from tourney.games.tricks import subsets

CARDS: Final = 33
SUIT: Final = 11
"""How many cards a suit has: `card // SUIT` is the suit of a card, `card % SUIT` its rank, 0 for a 1."""
HAND: Final = 13
"""How many cards each seat is dealt."""
DECK: Final = 6
"""How many cards the deck has at the start of a round."""
LOW: Final = 2047
"""The cards of the first suit, as a mask."""

# Actions: 0-32 play a card, 33-65 swap it for the trump card, 66 keep the trump card, 67-99 bury a card.
SWAP: Final = 33
KEEP: Final = 66
BURY: Final = 67
HIDDEN: Final = 100
"""Every burial in the history that both seats see, whichever seat buried."""
NAMES = (
    *[f"play:{card}" for card in VOLE.names],
    *[f"swap:{card}" for card in VOLE.names],
    "keep",
    *[f"bury:{card}" for card in VOLE.names],
)
"""The text of every action."""

OF_SUIT: Final = [subsets(suit * SUIT, SUIT) for suit in range(3)]
"""The cards of a mask of one suit, in order, by suit and mask."""
TOWERS: Final = OF_SUIT[0]
KEYS: Final = OF_SUIT[1]
MOONS: Final = OF_SUIT[2]


def cards_of(mask: int) -> tuple[int, ...]:
    """The cards of a mask, in order."""
    return TOWERS[mask & LOW] + KEYS[mask >> SUIT & LOW] + MOONS[mask >> 2 * SUIT]


SEAT: Final = 128
"""A step of the history is `seat * SEAT + action`."""


class VoleTrick(NamedTuple):
    """A trick that is over."""

    leader: int
    cards: tuple[int, int]
    """The leader's card and the other seat's."""
    trump: int
    """The suit that was trump when the trick was won: 0 towers, 1 keys, 2 moons."""
    winner: int


def led_wins(led: int, card: int, trump: int) -> bool:
    """Whether the led card wins the trick against the card that answered it, in that trump suit."""
    led_suit, led_rank = divmod(led, SUIT)
    suit, rank = divmod(card, SUIT)
    # docs/rules/vole: a 9 that is alone in its trick counts as a trump
    if led_rank == 8 and rank != 8:
        led_suit = trump
    elif rank == 8 and led_rank != 8:
        suit = trump
    if suit == led_suit:
        return led_rank > rank
    return suit != trump


LED_WINS: Final = [
    [[led_wins(led, card, trump) for card in range(CARDS)] for led in range(CARDS)] for trump in range(3)
]
"""`led_wins` as a table, by trump suit, led card and answer."""


def steps_of(moves: bytes) -> tuple[tuple[int, int], ...]:
    """The (seat, action) of each step of a history."""
    return tuple([divmod(move, SEAT) for move in moves])


def tricks_of(leader: int, up: int, moves: bytes) -> tuple[VoleTrick, ...]:
    """The tricks that the steps of a round complete; `leader` and `up` are the round's first."""
    done: list[VoleTrick] = []
    cards: list[int] = []
    for move in moves:
        action = move % SEAT
        if action < CARDS:
            cards.append(action)
        elif action < KEEP:
            up = action - SWAP
        unresolved = action < CARDS and action % SUIT in (2, 4)
        if len(cards) == 2 and not unresolved:
            winner = leader if LED_WINS[up // SUIT][cards[0]][cards[1]] else 1 - leader
            done.append(VoleTrick(leader, (cards[0], cards[1]), up // SUIT, winner))
            leader = next_leader(done[-1])
            cards = []
    return tuple(done)


def next_leader(trick: VoleTrick) -> int:
    """The seat that leads after the trick: its winner, or its loser if the loser played a 1."""
    lost = trick.cards[1] if trick.winner == trick.leader else trick.cards[0]
    return trick.winner if lost % SUIT else 1 - trick.winner


def pending(moves: bytes) -> int:
    """The choice that a round waits for: SWAP after a 3, BURY after a 5, 0 if it is a card to play."""
    rank = moves[-1] % SEAT % SUIT if moves and moves[-1] % SEAT < CARDS else -1
    return SWAP if rank == 2 else BURY if rank == 4 else 0
