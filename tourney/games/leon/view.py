"""What a seat of Le Léon may know, and the game's options. Rules: docs/rules/leon.md.

The history of a round, as all seats see it, is bytes: the action for each card that was played, in order. A card's
player follows from the leader of the first trick and the winners of the tricks since.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import msgspec
import orjson

from tourney.contracts.cards import LEON as DECK
from tourney.contracts.game import Options, View
from tourney.games.leon import rules


class LeonOptions(Options, frozen=True):
    """Options of Le Léon."""

    mode: Literal["attack", "defence", "simple"] = "attack"
    """How bids pay, whether they are secret (in `attack`), and whether there are sanctions (not in `simple`)."""
    revokes: Literal["caught", "hidden"] = "caught"
    """Whether a revoke is caught at once, or is legal and may be confessed or come to light later."""
    max_cards: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """The largest hand; without a value, as many cards as the number of seats allows."""


class LeonTrick(NamedTuple):
    """A trick that is over."""

    leader: int
    plays: tuple[int, ...]
    """The actions from the leader on, clockwise."""
    winner: int


class Sanction(NamedTuple):
    """A sanction that all seats know of."""

    seat: int
    name: str
    points: int
    trick: int
    """The trick in which it was earned, counted from 1; for a revoke that was confessed, the trick of the revoke."""


class LeonRound(NamedTuple):
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


_Options: TypeAlias = tuple[Literal["attack", "defence", "simple"], Literal["caught", "hidden"], int | None]
_Sanctioned: TypeAlias = tuple[tuple[int, int, int], ...]
"""Sanctions, each a (seat, kind, trick)."""
_Past: TypeAlias = tuple[int, int, int, int, tuple[int, ...], bytes, _Sanctioned, tuple[int, ...], tuple[int, ...]]
"""A round that is over: cards, dealer, turned card, trump, bids, moves, sanctions, tricks won, points."""


class LeonView(View, frozen=True, gc=False):
    """What a seat may know: its hand, trump, the bids that are open to it, everything played, sanctions, scores."""

    _facts: tuple[_Options, int, int, int, int, tuple[int, ...], tuple[_Past, ...]]
    """Options, round, turned card, trump suit or -1, dealer, scores, past rounds."""
    hand_mask: int
    """The seat's cards as a mask: bit i is card i."""
    turn: int | None
    """The seat that decides next, as far as this seat may know: another seat's `confess` or `silent` does not show."""
    phase: str
    """What is decided next, as far as this seat may know: `trump`, `bid`, `play` or `confess`."""
    bids: tuple[int | None, ...]
    """The bid of each seat; None where it is not made yet, or secret."""
    leader: int
    """The seat that leads, or led, the trick in progress."""
    _moves: bytes
    won: tuple[int, ...]
    """Tricks won in this round by each seat."""
    sanctioned: _Sanctioned
    """The sanctions of this round that the seat knows of, each a (seat, kind, trick)."""

    @property
    def options(self) -> LeonOptions:
        """The game's options."""
        return LeonOptions(*self._facts[0])

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return int(self._facts[1])

    @property
    def up(self) -> int:
        """The card that was turned."""
        return int(self._facts[2])

    @property
    def trump_suit(self) -> int:
        """The trump suit, 0 clubs to 3 spades; -1 until the dealer has named it."""
        return int(self._facts[3])

    @property
    def dealer(self) -> int:
        """The seat that dealt."""
        return int(self._facts[4])

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores after the last round; the sanctions of this round are not in them yet."""
        scores: tuple[int, ...] = self._facts[5]
        return scores

    @property
    def past(self) -> tuple[tuple[Any, ...], ...]:
        """The rounds that are over, in compact form; `rounds` has them by name."""
        past: tuple[tuple[Any, ...], ...] = self._facts[6]
        return past

    @property
    def hand(self) -> tuple[int, ...]:
        """The seat's cards, in order, the Léon last."""
        return rules.cards_of(self.hand_mask)

    @property
    def trump(self) -> int | None:
        """The trump suit: 0 clubs, 1 diamonds, 2 hearts, 3 spades; None until the dealer has named it."""
        return None if self.trump_suit < 0 else self.trump_suit

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return len(self.won)

    @property
    def cards(self) -> int:
        """How many cards each seat was dealt in this round."""
        return rules.cards_in(self.round, largest_of(self.options, self.seats))

    @property
    def moves(self) -> tuple[int, ...]:
        """The actions of all cards played in this round, in order, the trick in progress included."""
        return tuple(self._moves)

    @property
    def plays(self) -> tuple[int, ...]:
        """The actions of the trick in progress, from the leader on, clockwise."""
        moves = self._moves
        return tuple(moves[len(moves) - len(moves) % self.seats :])

    @property
    def led(self) -> int | None:
        """The suit that was led to the trick in progress; None until a card has set it."""
        return next((rules.SUIT_OF[action] for action in self.plays if action != rules.BARE), None)

    @property
    def winning(self) -> int | None:
        """The seat that wins the trick in progress so far; None while nothing in it can win."""
        best = rules.winning(self.plays, self.trump_suit)
        return None if best < 0 else (self.leader + best) % self.seats

    @property
    def tricks(self) -> tuple[LeonTrick, ...]:
        """The tricks of this round that are over, in order."""
        return tricks_of((self.dealer + 1) % self.seats, self.trump_suit, self.seats, self._moves)

    @property
    def sanctions(self) -> tuple[Sanction, ...]:
        """The sanctions of this round that the seat knows of, in order."""
        return sanctions_of(self.sanctioned)

    @property
    def revokes(self) -> tuple[tuple[int, int], ...]:
        """The seat's own revokes in this round that nobody else knows of, each a (trick, suit)."""
        if not revokes_hidden(self.options):
            return ()
        hands = [0] * self.seats
        hands[self.seat] = self.hand_mask
        return tuple([(trick, suit) for trick, _, suit in history_of(self).revokes(hands)])

    @property
    def rounds(self) -> tuple[LeonRound, ...]:
        """The rounds that are over, in order."""
        return tuple([round_of(entry) for entry in self.past])

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.turn is None

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON, cards and actions as text."""
        return {
            "seat": self.seat,
            "round": self.round,
            "cards": self.cards,
            "hand": DECK.texts(self.hand),
            "up": DECK.text(self.up),
            "trump": None if self.trump is None else DECK.suits[self.trump],
            "dealer": self.dealer,
            "leader": self.leader,
            "turn": self.turn,
            "phase": self.phase,
            "bids": list(self.bids),
            "plays": _texts(self.plays),
            "tricks": _tricks_as_dicts(self.tricks),
            "won": list(self.won),
            "scores": list(self.scores),
            "sanctions": [one._asdict() for one in self.sanctions],
            "revokes": [{"trick": trick, "suit": DECK.suits[suit]} for trick, suit in self.revokes],
            "rounds": [orjson.loads(_round_as_json(entry)) for entry in self.past],
            "over": self.over,
        }


def largest_of(options: LeonOptions, seats: int) -> int:
    """How many cards a hand has in the largest rounds of a match."""
    return options.max_cards or rules.LARGEST[seats]


def revokes_hidden(options: LeonOptions) -> bool:
    """Whether revokes may go unnoticed; without sanctions there are no revokes."""
    return options.revokes == "hidden" and options.mode != "simple"


def tricks_of(leader: int, trump: int, seats: int, moves: bytes) -> tuple[LeonTrick, ...]:
    """The tricks that the moves of a round complete; `leader` led the first of them."""
    done: list[LeonTrick] = []
    for start in range(0, len(moves) - seats + 1, seats):
        plays = tuple(moves[start : start + seats])
        winner = (leader + rules.winning(plays, trump)) % seats
        done.append(LeonTrick(leader, plays, winner))
        leader = winner
    return tuple(done)


def sanctions_of(entries: Sequence[tuple[int, int, int]]) -> tuple[Sanction, ...]:
    """The sanctions by name; each entry is a (seat, index into `SANCTIONS`, trick)."""
    return tuple(
        [Sanction(seat, rules.SANCTIONS[kind], rules.SANCTION_POINTS[kind], trick) for seat, kind, trick in entries]
    )


def round_of(entry: tuple[Any, ...]) -> LeonRound:
    """The round that an entry of a view's `past` stands for."""
    cards, dealer, up, trump, bids, moves, sanctions, won, points = entry
    done = tricks_of((dealer + 1) % len(won), trump, len(won), moves)
    return LeonRound(cards, dealer, up, trump, bids, done, sanctions_of(sanctions), won, points)


@lru_cache(maxsize=256)
def _round_as_json(entry: tuple[Any, ...]) -> bytes:
    """An entry of a view's `past` as JSON; cached, since every later view of every seat holds it."""
    past = round_of(entry)
    return orjson.dumps(
        {
            "cards": past.cards,
            "dealer": past.dealer,
            "up": DECK.text(past.up),
            "trump": DECK.suits[past.trump],
            "bids": list(past.bids),
            "tricks": _tricks_as_dicts(past.tricks),
            "sanctions": [one._asdict() for one in past.sanctions],
            "won": list(past.won),
            "points": list(past.points),
        }
    )


def _tricks_as_dicts(tricks: Sequence[LeonTrick]) -> list[dict[str, Any]]:
    return [{"leader": trick.leader, "plays": _texts(trick.plays), "winner": trick.winner} for trick in tricks]


def _texts(actions: Sequence[int]) -> list[str]:
    return [rules.NAMES[action] for action in actions]


class RoundHistory(NamedTuple):
    """Everyone's knowledge of a round in play."""

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
        """Each card played: (trick from 1, seat, led suit, action); the led suit is -1 until a card has set it."""
        leader, seats, moves = self.leader, self.seats, self.moves
        for start in range(0, len(moves), seats):
            trick = moves[start : start + seats]
            led = -1
            for i, action in enumerate(trick):
                yield start // seats + 1, (leader + i) % seats, led, action
                if led < 0 and action != rules.BARE:
                    led = rules.SUIT_OF[action]
            leader = (leader + rules.winning(trick, self.trump)) % seats

    def revokes(self, hands: Sequence[int]) -> list[tuple[int, int, int]]:
        """The revokes for which no sanction has been given yet, each a (trick, seat, suit).

        `hands` are the current hands, as masks. A discard was a revoke if the seat still holds the led suit.
        """
        confessed = [(trick, seat) for seat, kind, trick in self.sanctions if kind == rules.REPENTED]
        revokes: list[tuple[int, int, int]] = []
        for trick, seat, led, action in self.plays():
            if action >= rules.X:
                continue
            suit = action // rules.SUIT
            if revokes:  # docs/rules/leon: a real card of the suit unmasks
                revokes = [revoke for revoke in revokes if revoke[1:] != (seat, suit)]
            # a seat that still holds the suit held it then
            if led not in (-1, suit) and hands[seat] & rules.SUITS[led] and (trick, seat) not in confessed:
                revokes.append((trick, seat, led))
        return revokes

    def deduced(self) -> tuple[list[int], list[list[int]]]:
        """The cards that each seat may hold, and masks of which it holds at least one card."""
        may, must = [rules.ALL] * self.seats, [list[int]() for _ in range(self.seats)]
        telling = rules.REPENTED if self.hidden else rules.UNMASKED
        sanctioned = [(seat, trick) for seat, kind, trick in self.sanctions if kind == telling]
        for trick, seat, led, action in self.plays():
            if action >= rules.X:
                continue
            # what a seat was known to hold some of may be what it plays now
            must[seat] = [mask for mask in must[seat] if not mask >> action & 1]
            if led < 0:
                continue
            followed = action // rules.SUIT == led
            known: int | None = None
            if not self.hidden:
                if not followed:
                    may[seat] &= ~rules.SUITS[led]
                elif (seat, trick) in sanctioned:  # caught: its lowest card was played, and it had offered another
                    may[seat] &= ~rules.SUITS[led] | -1 << action
                    known = rules.REAL & ~rules.SUITS[led]
            elif not followed and (seat, trick) in sanctioned:  # it confessed; other discards prove nothing
                known = rules.SUITS[led]
            if known is not None and known not in must[seat]:
                must[seat].append(known)
        return may, must


def history_of(view: LeonView) -> RoundHistory:
    """Everyone's knowledge of the round that the view shows."""
    seats = view.seats
    return RoundHistory(
        seats, view.cards, (view.dealer + 1) % seats, view.trump_suit, view.up, view._moves, view.sanctioned,
        revokes_hidden(view.options),
    )  # fmt: skip
