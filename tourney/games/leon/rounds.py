"""Rounds of Le Léon as the seats know them: tricks, sanctions, revokes, and what the other hands may hold.

The history of a round, as all seats see it, is bytes: the action for each card that was played, in order. Who played
a card follows from the leader of the first trick and the winners of the tricks since.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import orjson

from tourney.cards import LEON as DECK
from tourney.games.leon.cards import ALL, BARE, NAMES, REAL, SUIT, SUITS, X
from tourney.games.leon.scores import REPENTED, SANCTION_POINTS, SANCTIONS, UNMASKED
from tourney.games.leon.tricks import SUIT_OF, winning


@dataclass(frozen=True, slots=True)
class LeonTrick:
    """A trick that is over."""

    leader: int
    plays: tuple[int, ...]
    """The actions from the leader on, clockwise."""
    winner: int


@dataclass(frozen=True, slots=True)
class Sanction:
    """A sanction that all seats know of."""

    seat: int
    name: str
    points: int
    trick: int
    """The trick in which it was earned, counted from 1; for a revoke that was confessed, the trick of the revoke."""


@dataclass(frozen=True, slots=True)
class LeonRound:
    """A round that is over; all seats know the same of it."""

    cards: int
    """How many cards each seat was dealt."""
    dealer: int
    up: int
    """The card that was turned."""
    trump: int
    """The trump suit: 0 clubs, 1 diamonds, 2 hearts, 3 spades."""
    bids: tuple[int, ...]
    tricks: tuple[LeonTrick, ...]
    sanctions: tuple[Sanction, ...]
    won: tuple[int, ...]
    """How many tricks each seat won."""
    points: tuple[int, ...]
    """The points of each seat, for its bid and its sanctions."""


def tricks_of(leader: int, trump: int, seats: int, moves: bytes) -> tuple[LeonTrick, ...]:
    """Returns the tricks that the moves of a round complete; `leader` led the first of them."""
    done: list[LeonTrick] = []
    for start in range(0, len(moves) - seats + 1, seats):
        plays = tuple(moves[start : start + seats])
        winner = (leader + winning(plays, trump)) % seats
        done.append(LeonTrick(leader, plays, winner))
        leader = winner
    return tuple(done)


def sanctions_of(entries: Sequence[tuple[int, int, int]]) -> tuple[Sanction, ...]:
    """Returns the sanctions by name; each entry is a (seat, index into `SANCTIONS`, trick)."""
    return tuple([Sanction(seat, SANCTIONS[kind], SANCTION_POINTS[kind], trick) for seat, kind, trick in entries])


def round_of(entry: tuple[Any, ...]) -> LeonRound:
    """Returns the round that an entry of a view's `past` stands for."""
    cards, dealer, up, trump, bids, moves, sanctions, won, points = entry
    done = tricks_of((dealer + 1) % len(won), trump, len(won), moves)
    return LeonRound(cards, dealer, up, trump, bids, done, sanctions_of(sanctions), won, points)


def action_texts(actions: Sequence[int]) -> list[str]:
    """Returns the texts of the actions."""
    return [NAMES[action] for action in actions]


def tricks_as_dicts(tricks: Sequence[LeonTrick]) -> list[dict[str, Any]]:
    """Returns the tricks as plain data for JSON."""
    return [{"leader": trick.leader, "plays": action_texts(trick.plays), "winner": trick.winner} for trick in tricks]


def sanctions_as_dicts(sanctions: Sequence[Sanction]) -> list[dict[str, Any]]:
    """Returns the sanctions as plain data for JSON."""
    return [{"seat": one.seat, "name": one.name, "points": one.points, "trick": one.trick} for one in sanctions]


def round_as_dict(entry: tuple[Any, ...]) -> dict[str, Any]:
    """Returns the round that an entry of a view's `past` stands for as plain data for JSON, made anew each time."""
    found: dict[str, Any] = orjson.loads(_round_as_json(entry))
    return found


@lru_cache(maxsize=256)
def _round_as_json(entry: tuple[Any, ...]) -> bytes:
    """Returns the round as JSON, which every later view of every seat holds."""
    past = round_of(entry)
    return orjson.dumps(
        {
            "cards": past.cards,
            "dealer": past.dealer,
            "up": DECK.text(past.up),
            "trump": DECK.suits[past.trump],
            "bids": list(past.bids),
            "tricks": tricks_as_dicts(past.tricks),
            "sanctions": sanctions_as_dicts(past.sanctions),
            "won": list(past.won),
            "points": list(past.points),
        }
    )


@dataclass(frozen=True, slots=True)
class RoundHistory:
    """What all seats know of a round in play."""

    seats: int
    cards: int
    """How many cards each seat was dealt."""
    leader: int
    """The seat that led the first trick."""
    trump: int
    """The trump suit; -1 until the dealer has named it."""
    up: int
    """The card that was turned."""
    moves: bytes
    """The action for each card that was played."""
    sanctions: tuple[tuple[int, int, int], ...]
    """Each sanction as (seat, index into `SANCTIONS`, trick)."""
    hidden: bool
    """Whether revokes may go unnoticed."""

    def plays(self) -> Iterator[tuple[int, int, int, int]]:
        """Yields (trick from 1, seat, led suit, action) for each card; the led suit is -1 until a card has set it."""
        leader, seats, moves = self.leader, self.seats, self.moves
        for start in range(0, len(moves), seats):
            trick = moves[start : start + seats]
            led = -1
            for i, action in enumerate(trick):
                yield start // seats + 1, (leader + i) % seats, led, action
                if led < 0 and action != BARE:
                    led = SUIT_OF[action]
            leader = (leader + winning(trick, self.trump)) % seats

    def revokes(self, hands: Sequence[int]) -> list[tuple[int, int, int]]:
        """Returns the revokes for which no sanction has been given yet, each a (trick, seat, suit).

        Args:
            hands: What each seat holds now, as masks. A discard was a revoke if the seat still holds the led suit.
        """
        confessed = [(trick, seat) for seat, kind, trick in self.sanctions if kind == REPENTED]
        found: list[tuple[int, int, int]] = []
        for trick, seat, led, action in self.plays():
            if action >= X:
                continue
            suit = action // SUIT
            if found:  # docs/rules/leon: a real card of the suit unmasks
                found = [revoke for revoke in found if revoke[1:] != (seat, suit)]
            # whoever still holds the suit held it then
            if led not in (-1, suit) and hands[seat] & SUITS[led] and (trick, seat) not in confessed:
                found.append((trick, seat, led))
        return found

    def deduced(self) -> tuple[list[int], list[list[int]]]:
        """Returns what play has told about the hands.

        Returns:
            For each seat, the cards that it may hold, as a mask; and for each seat, masks of cards of each of which it
            holds one at least.
        """
        may, must = [ALL] * self.seats, [list[int]() for _ in range(self.seats)]
        telling = REPENTED if self.hidden else UNMASKED
        sanctioned = [(seat, trick) for seat, kind, trick in self.sanctions if kind == telling]
        for trick, seat, led, action in self.plays():
            if action >= X:
                continue
            # what a seat was known to hold some of may be what it plays now
            must[seat] = [mask for mask in must[seat] if not mask >> action & 1]
            if led < 0:
                continue
            followed = action // SUIT == led
            known: int | None = None
            if not self.hidden:
                if not followed:
                    may[seat] &= ~SUITS[led]
                elif (seat, trick) in sanctioned:  # caught: its lowest card was played, and it had offered another
                    may[seat] &= ~SUITS[led] | -1 << action
                    known = REAL & ~SUITS[led]
            elif not followed and (seat, trick) in sanctioned:  # it confessed; other discards prove nothing
                known = SUITS[led]
            if known is not None and known not in must[seat]:
                must[seat].append(known)
        return may, must
