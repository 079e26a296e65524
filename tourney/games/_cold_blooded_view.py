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


def _named(item: int, place: int | None = None) -> Any:
    """An item of a view, or what stands at a place in it: items 1 and 2 are the same for all seats."""
    return property(itemgetter(item) if place is None else lambda view: view[item][place])


class ColdBloodedView(View):
    """What a seat may know: its role and card, whatever was shown or said, who traded, and where known cards are."""

    __slots__ = ()

    options: ColdBloodedOptions = _named(1, 0)
    game: int = _named(1, 1)
    """The number of the game in the series, from 1."""
    scores: tuple[int, ...] = _named(1, 2)
    duke: int | None = _named(1, 3)
    """The Duke's seat; None at a table of four."""
    starts: int = _named(1, 4)
    """The seat that had the first turn of the game."""
    over: bool = _named(1, 5)
    """Whether the match is over."""
    hands: tuple[int, ...] = _named(2, 0)
    """The token in each place's hand, -1 for none; place 8 is the Duke that nobody plays."""
    deck: tuple[int, ...] = _named(2, 1)
    """The tokens of the deck, top first."""
    alive: int = _named(2, 2)
    """The living places, as a mask."""
    bombs: tuple[int, ...] = _named(2, 3)
    """The token of each place's active bomb, -1 for none."""
    uprising_gone: bool = _named(2, 4)
    turn: int = _named(2, 5)
    """The number of the turn in the game, from 1."""
    mover: int = _named(2, 6)
    """The seat whose turn it is."""
    second: bool = _named(2, 7)
    """Whether the turn is at its second action."""
    marked: int = _named(2, 8)
    """Seats that must be assassins by what they did, as a mask."""
    cleared: int = _named(2, 9)
    """Seats that cannot be assassins, since they had no second action where the last assassin has one."""
    last_assassin: bool = _named(2, 10)
    """Whether one assassin was left when the turn began, at a table where that one has two actions."""
    aim: int = _named(2, 11)
    """The place that the move in progress is aimed at; -1 if none is."""
    phase_seen: int = _named(5)
    packed_roles: int = _named(6)
    """The roles that it knows, two bits a seat."""
    types: int = _named(7)
    """The cards that it knows, three bits a token."""
    knives: tuple[int, ...] = _named(8)
    """Which of its own trades in `moves` were knives."""
    past: tuple[Any, ...] = _named(9)
    """The games that are over, as it knew them."""

    @property
    def moves(self) -> tuple[Step, ...]:
        """What has happened in this game in plain sight, in order: (seat, code, token or role, token)."""
        moves: tuple[Step, ...] = self[3] + self[4]
        return moves

    @property
    def seats(self) -> int:
        """How many seats there are."""
        return len(self.scores)

    @property
    def phase(self) -> str:
        """What is being decided: talk, move, answer, shell, sacrifice or show; `wait` while others may be asked."""
        return cb.PHASES[self.phase_seen]

    @property
    def role(self) -> str:
        """Its own role: duke, guard or assassin."""
        return ROLES[(self.packed_roles >> 2 * self[0] & 3) - 1]

    @property
    def roles(self) -> tuple[str | None, ...]:
        """The role of each seat, None where it was not shown."""
        roles = self.packed_roles
        return tuple([ROLES[role - 1] if (role := roles >> 2 * seat & 3) else None for seat in range(self.seats)])

    @property
    def card(self) -> str | None:
        """The card in its hand; None if there is none."""
        return self.card_at(self.hands[self[0]])

    def card_at(self, token: int) -> str | None:
        """The card that a token is; None for no token, or for one that it does not know."""
        card = card_of(self.types, token)
        return CARDS[card - 1] if card else None

    @property
    def history(self) -> tuple[dict[str, Any], ...]:
        """What has happened in this game, in words; cards that it does not know are None."""
        return cb.told(self.types, self.moves, self.knives)

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
            "games": [cb.past_told(entry) for entry in self.past],
            "over": self.over,
        }
