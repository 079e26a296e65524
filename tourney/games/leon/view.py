"""What a seat of Le Léon may know, and the game's options. Rules: docs/rules/leon.md."""

from typing import Annotated, Any, Literal

import msgspec

from tourney.cards import LEON as DECK
from tourney.game import Options, View
from tourney.games.leon import rounds
from tourney.games.leon.cards import BARE, LARGEST, cards_of
from tourney.games.leon.rounds import LeonRound, LeonTrick, RoundHistory, Sanction
from tourney.games.leon.scores import cards_in
from tourney.games.leon.tricks import SUIT_OF, winning


class LeonOptions(Options, frozen=True):
    """Options of Le Léon."""

    mode: Literal["attack", "defence", "simple"] = "attack"
    """What bids pay, whether they are secret (in `attack`), and whether there are sanctions (not in `simple`)."""
    revokes: Literal["caught", "hidden"] = "caught"
    """Whether a revoke is caught at once, or is legal and may be confessed or come to light later."""
    max_cards: Annotated[int, msgspec.Meta(ge=1)] | None = None
    """The largest hand; without a value, as many cards as the number of seats allows."""


class LeonView(View, frozen=True, gc=False):
    """What a seat may know: its hand, trump, the bids that are open to it, everything played, sanctions, scores."""

    _facts: tuple[Any, ...]
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
    sanctioned: tuple[tuple[int, int, int], ...]
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
        return cards_of(self.hand_mask)

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
        return cards_in(self.round, largest_of(self.options, self.seats))

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
        return next((SUIT_OF[action] for action in self.plays if action != BARE), None)

    @property
    def winning(self) -> int | None:
        """The seat that wins the trick in progress so far; None while nothing in it can win."""
        best = winning(self.plays, self.trump_suit)
        return None if best < 0 else (self.leader + best) % self.seats

    @property
    def tricks(self) -> tuple[LeonTrick, ...]:
        """The tricks of this round that are over, in order."""
        return rounds.tricks_of((self.dealer + 1) % self.seats, self.trump_suit, self.seats, self._moves)

    @property
    def sanctions(self) -> tuple[Sanction, ...]:
        """The sanctions of this round that the seat knows of, in order."""
        return rounds.sanctions_of(self.sanctioned)

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
        return tuple([rounds.round_of(entry) for entry in self.past])

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
            "plays": rounds.action_texts(self.plays),
            "tricks": rounds.tricks_as_dicts(self.tricks),
            "won": list(self.won),
            "scores": list(self.scores),
            "sanctions": rounds.sanctions_as_dicts(self.sanctions),
            "revokes": [{"trick": trick, "suit": DECK.suits[suit]} for trick, suit in self.revokes],
            "rounds": [rounds.round_as_dict(entry) for entry in self.past],
            "over": self.over,
        }


def largest_of(options: LeonOptions, seats: int) -> int:
    """Returns how many cards a hand has in the largest rounds of a match."""
    return options.max_cards or LARGEST[seats]


def revokes_hidden(options: LeonOptions) -> bool:
    """Returns whether revokes may go unnoticed; without sanctions there are no revokes."""
    return options.revokes == "hidden" and options.mode != "simple"


def history_of(view: LeonView) -> RoundHistory:
    """Returns what all seats know of the round that the view shows."""
    seats = view.seats
    return RoundHistory(
        seats,
        view.cards,
        (view.dealer + 1) % seats,
        view.trump_suit,
        view.up,
        view._moves,
        view.sanctioned,
        revokes_hidden(view.options),
    )
