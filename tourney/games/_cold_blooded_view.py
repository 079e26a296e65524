"""What a seat of Cold Blooded may know, and the game's options. Rules: docs/rules/cold-blooded.md."""

from operator import itemgetter
from typing import Annotated, Any

import msgspec

from tourney.game import Options, View
from tourney.games import _cold_blooded as cb
from tourney.games._cold_blooded import BITS, CARDS, DUMMY, ROLES, Step, card_of

Count = Annotated[int, msgspec.Meta(ge=0, le=100)]


class Counts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many there are of each action card."""

    sniper: Count = 6
    knife: Count = 2
    sacrifice: Count = 2
    shell: Count = 4
    bomb: Count = 3
    uprising: Count = 1

    def by_card(self) -> tuple[int, ...]:
        """The counts in the order of `CARDS`."""
        return self.sniper, self.knife, self.sacrifice, self.shell, self.bomb, self.uprising


class ColdBloodedOptions(Options, frozen=True):
    """Options of Cold Blooded."""

    target: Annotated[int, msgspec.Meta(ge=1)] = 5
    """The match ends when a seat has so many points."""
    deck: Counts = Counts()
    """How many there are of each action card; at least two more in all than there are hands."""
    talk: bool = True
    """Whether the seat to move first says something to all."""
    max_turns: Annotated[int, msgspec.Meta(ge=1)] = 200
    """A game that has seen so many turns is drawn."""


class ColdBloodedView(View):
    """What a seat may know: its role and card, whatever was shown or said, who traded, and where known cards are."""

    __slots__ = ()

    options: ColdBloodedOptions = property(itemgetter(1))  # type: ignore[assignment]
    game: int = property(itemgetter(2))  # type: ignore[assignment]
    """The number of the game in the series, from 1."""
    scores: tuple[int, ...] = property(itemgetter(3))  # type: ignore[assignment]
    packed_roles: int = property(itemgetter(4))  # type: ignore[assignment]
    """The roles that it knows, two bits a seat."""
    types: int = property(itemgetter(5))  # type: ignore[assignment]
    """The cards that it knows, three bits a token."""
    hands: tuple[int, ...] = property(itemgetter(6))  # type: ignore[assignment]
    """The token in each place's hand, -1 for none; place 8 is the Duke that nobody plays."""
    deck: tuple[int, ...] = property(itemgetter(7))  # type: ignore[assignment]
    """The tokens of the deck, top first."""
    alive: int = property(itemgetter(8))  # type: ignore[assignment]
    """The living places, as a mask."""
    bombs: tuple[int, ...] = property(itemgetter(9))  # type: ignore[assignment]
    """The token of each place's active bomb, -1 for none."""
    uprising_gone: bool = property(itemgetter(10))  # type: ignore[assignment]
    duke: int | None = property(itemgetter(11))  # type: ignore[assignment]
    """The Duke's seat; None at a table of four."""
    starts: int = property(itemgetter(12))  # type: ignore[assignment]
    """The seat that had the first turn of the game."""
    turn: int = property(itemgetter(13))  # type: ignore[assignment]
    """The number of the turn in the game, from 1."""
    mover: int = property(itemgetter(14))  # type: ignore[assignment]
    """The seat whose turn it is."""
    phase_seen: int = property(itemgetter(15))  # type: ignore[assignment]
    second: bool = property(itemgetter(16))  # type: ignore[assignment]
    """Whether the turn is at its second action."""
    moves: tuple[Step, ...] = property(itemgetter(17))  # type: ignore[assignment]
    """What has happened in this game in plain sight, in order: (seat, code, token or role, token)."""
    marked: int = property(itemgetter(20))  # type: ignore[assignment]
    """Seats that must be assassins by what they did, as a mask."""
    cleared: int = property(itemgetter(21))  # type: ignore[assignment]
    """Seats that cannot be assassins, since they had no second action where the last assassin has one."""
    last_assassin: bool = property(itemgetter(22))  # type: ignore[assignment]
    """Whether one assassin was left when the turn began, at a table where that one has two actions."""
    knives: tuple[int, ...] = property(itemgetter(23))  # type: ignore[assignment]
    """Which of its own trades in `moves` were knives."""
    aim: int = property(itemgetter(24))  # type: ignore[assignment]
    """The place that the move in progress is aimed at; -1 if none is."""
    over: bool = property(itemgetter(28))  # type: ignore[assignment]
    """Whether the match is over."""

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return len(self[3])

    @property
    def phase(self) -> str:
        """What is being decided: talk, move, answer, shell, sacrifice or show; `wait` while others may be asked."""
        return cb.PHASES[self.phase_seen]

    @property
    def role(self) -> str:
        """Its own role: duke, guard or assassin."""
        return ROLES[(self[4] >> 2 * self[0] & 3) - 1]

    @property
    def roles(self) -> tuple[str | None, ...]:
        """The role of each seat, None where it was not shown."""
        return tuple([ROLES[role - 1] if (role := self[4] >> 2 * seat & 3) else None for seat in range(self.seats)])

    @property
    def card(self) -> str | None:
        """The card in its hand; None if there is none."""
        return self.card_at(self[6][self[0]])

    def card_at(self, token: int) -> str | None:
        """The card that a token is; None for no token, or for one that it does not know."""
        card = card_of(self[5], token)
        return CARDS[card - 1] if card else None

    @property
    def history(self) -> tuple[dict[str, Any], ...]:
        """What has happened in this game, in words; cards that it does not know are None."""
        return cb.told(self[5], self[17], self[23])

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON, cards and actions as text."""
        return {
            "seat": self.seat,
            "game": self.game,
            "scores": list(self.scores),
            "role": self.role,
            "roles": list(self.roles),
            "duke": self.duke,
            "starts": self.starts,
            "card": self.card,
            "cards": [self.card_at(token) for token in self.hands[: self.seats]],
            "dummy": self.card_at(self.hands[DUMMY]),
            "alive": [cb.mark(place) for place in BITS[self.alive]],
            "bombs": [seat for seat, token in enumerate(self.bombs) if token >= 0],
            "uprising_gone": self.uprising_gone,
            "deck": [self.card_at(token) for token in self.deck],
            "without_card": [cb.mark(place) for place in BITS[self.alive] if self.hands[place] < 0],
            "turn": self.turn,
            "mover": self.mover,
            "phase": self.phase,
            "second": self.second,
            "aim": None if self.aim < 0 else cb.mark(self.aim),
            "history": list(self.history),
            "games": [cb.past_told(entry) for entry in self[25]],
            "over": self.over,
        }
