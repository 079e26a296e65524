"""What can be read off a round of Le Léon: its tricks, its sanctions, and what the other seats may hold.

A round's history, as all seats see it, is bytes: the action for each card that was played, in order. Who played
it follows from the leader of the first trick and the winners of the tricks since.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from tourney.cards import LEON as DECK
from tourney.games.leon.rules import (
    ALL,
    BARE,
    NAMES,
    REAL,
    REPENTED,
    SANCTION_POINTS,
    SANCTIONS,
    SUIT,
    SUIT_OF,
    SUITS,
    UNMASKED,
    X,
    winning,
)


@dataclass(frozen=True, slots=True)
class Trick:
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
class Round:
    """A round that is over; everyone knows the same of it."""

    cards: int
    """How many cards each seat was dealt."""
    dealer: int
    up: int
    trump: int
    bids: tuple[int, ...]
    tricks: tuple[Trick, ...]
    sanctions: tuple[Sanction, ...]
    won: tuple[int, ...]
    points: tuple[int, ...]


def tricks(leader: int, trump: int, seats: int, moves: bytes) -> tuple[Trick, ...]:
    """The tricks that the moves of a round complete."""
    done: list[Trick] = []
    for start in range(0, len(moves) - seats + 1, seats):
        plays = tuple(moves[start : start + seats])
        winner = (leader + winning(plays, trump)) % seats
        done.append(Trick(leader, plays, winner))
        leader = winner
    return tuple(done)


def sanctions_of(entries: tuple[tuple[int, int, int], ...]) -> tuple[Sanction, ...]:
    """Returns the sanctions of a round."""
    return tuple([Sanction(seat, SANCTIONS[kind], SANCTION_POINTS[kind], trick) for seat, kind, trick in entries])


def round_of(entry: tuple[Any, ...]) -> Round:
    """Returns the finished round that a log entry describes."""
    cards, dealer, up, trump, bids, moves, sanctions, won, points = entry
    done = tricks((dealer + 1) % len(won), trump, len(won), moves)
    return Round(cards, dealer, up, trump, bids, done, sanctions_of(sanctions), won, points)


def texts(plays: tuple[int, ...]) -> list[str]:
    """Returns the names of the actions."""
    return [NAMES[action] for action in plays]


def trick_texts(tricks: tuple[Trick, ...]) -> list[dict[str, Any]]:
    """Returns the tricks as plain data for JSON."""
    return [{"leader": trick.leader, "plays": texts(trick.plays), "winner": trick.winner} for trick in tricks]


def sanction_texts(sanctions: tuple[Sanction, ...]) -> list[dict[str, Any]]:
    """Returns the sanctions as plain data for JSON."""
    return [{"seat": one.seat, "name": one.name, "points": one.points, "trick": one.trick} for one in sanctions]


def round_text(past: Round) -> dict[str, Any]:
    """A round that is over, for JSON."""
    return {
        "cards": past.cards,
        "dealer": past.dealer,
        "up": DECK.text(past.up),
        "trump": DECK.suits[past.trump],
        "bids": list(past.bids),
        "tricks": trick_texts(past.tricks),
        "sanctions": sanction_texts(past.sanctions),
        "won": list(past.won),
        "points": list(past.points),
    }


@dataclass(frozen=True, slots=True)
class Table:
    """What all seats know of a round in play."""

    seats: int
    cards: int
    """How many cards each seat was dealt."""
    leader: int
    """Who led the first trick."""
    trump: int
    up: int
    moves: bytes
    sanctions: tuple[tuple[int, int, int], ...]
    """Each a (seat, which sanction, trick)."""
    hidden: bool
    """Whether revokes may go unnoticed."""

    def plays(self) -> Iterator[tuple[int, int, int, int]]:
        """Every (trick from 1, seat, led suit, action), in order; -1 for the suit until a card has set it."""
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
        """The revokes that no sanction has answered, each a (trick, seat, suit), given the hands that all hold now."""
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
        """What each seat's hand may hold, as a mask, and masks of which it must hold at least one card each."""
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
