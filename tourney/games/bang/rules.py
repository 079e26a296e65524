"""The actions and the cards of Bang, and the tables that its play looks up.

Cards that lie in an order are bytes, one byte a card. A set of seats is a mask: bit i stands for seat i.
"""

from typing import Final

from tourney.cards import BANG as DECK

ANTICIPATE: Final = 0
WAIT: Final = 1
BANG: Final = 2
HOLD: Final = 3
"""The actions, in the order of their names. A question is numbered by the action that reacts: ANTICIPATE or BANG."""
NAMES: Final = ("anticipate", "wait", "bang", "hold")

CARDS: Final = 54
"""The number of cards in a match."""
ALL_CARDS: Final = 2**CARDS - 1
"""The mask of all cards."""
CHUNK: Final = 64
"""The number of turns in a chunk of the history. Chunks are shared, so that adding a turn does not copy them all."""
UNKNOWN: Final = CARDS
"""Stands for a card that was never turned, in what all seats know."""

JOKER: Final = 13
"""The rank that both jokers have."""
RANKS: Final = 15
"""The number of ranks: 13 of the suits, that of the jokers, and NO_RANK."""
NO_RANK: Final = 14
"""Stands where the pile is not that deep."""
QUEEN, KING, ACE = [DECK.ranks.index(rank) for rank in "QKA"]

RANK: Final = bytes([min(DECK.rank(card), JOKER) if card < CARDS - 2 else JOKER for card in range(CARDS)])
"""The rank of every card: 0 is a two, 12 an ace, 13 a joker."""
# docs/rules/bang: a joker, a queen, a king and an ace open debts of one to four cards; a jack opens none
DEBT: Final = bytes([{JOKER: 1, QUEEN: 2, KING: 3, ACE: 4}.get(rank, 0) for rank in RANK])
"""How many cards the next seat owes after each card."""

CARD_BIT: Final = [1 << card for card in range(CARDS)]
"""The mask of each card. Compiled, `1 << card` has only 32 bits."""
SEATS: Final = [tuple([seat for seat in range(8) if mask >> seat & 1]) for mask in range(256)]
"""The seats of every mask, in seat order."""
FIRST_SEAT: Final = [seats[0] if seats else None for seats in SEATS]
"""The first seat of every mask; None for the empty one."""
