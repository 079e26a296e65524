"""What a seat of Cold Blooded may know, and the game's options. Rules: docs/rules/cold-blooded.md."""

from typing import Annotated, Any, TypeAlias

import msgspec
import orjson

from tourney.contracts.game import Options, View
from tourney.contracts.view import made_once
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.rules import Step, card_of

Count = Annotated[int, msgspec.Meta(ge=0, le=100)]


class DeckCounts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
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
    """The number of points that end the match."""
    deck: DeckCounts = DeckCounts()
    """How many there are of each action card; at least two more in all than there are hands."""
    talk: bool = True
    """Whether the seat to move first says something to all."""
    max_turns: Annotated[int, msgspec.Meta(ge=1)] = 200
    """The number of turns after which a game is drawn."""


def values_of(options: ColdBloodedOptions) -> tuple[Any, ...]:
    """The values of the options as a view holds them: the counts of the deck are a tuple, too."""
    return options.target, options.deck.by_card(), options.talk, options.max_turns


_Standing: TypeAlias = tuple[int, tuple[int, ...], bool, int, int, bool, int]
"""Living places, bombs, whether the uprising is gone, marked and cleared seats, last_assassin, the cards shown."""
_Course: TypeAlias = tuple[bool, int, tuple[tuple[int, int], ...], int]
"""Whether it is the second action, the place that is aimed at, the cards played, the places traded with."""
_Public: TypeAlias = tuple[
    int, int | None, int, int, tuple[int, ...], tuple[Step, ...], tuple[int, ...], int, int
]  # fmt: skip
"""Game, the Duke, who starts, winner, points, history, the cards that each seat knows, marked and cleared seats."""


@made_once
def _past_game(entry: tuple[Any, ...]) -> orjson.Fragment:
    return orjson.Fragment(orjson.dumps(cb.describe_game(entry)))


class ColdBloodedView(View, frozen=True, gc=False):
    """What a seat may know: its role and card, what was shown or said, who traded, and where known cards are.

    Tokens stand for cards; see `rules`. Masks: bit i stands for place i.
    """

    _game_info: tuple[tuple[int, tuple[int, ...], bool, int], int, tuple[int, ...], int | None, int, bool]
    """The facts until the next game is dealt: options, game, scores, the Duke, who starts, whether it is over."""
    _table: tuple[tuple[int, ...], tuple[int, ...], int, int, _Standing, _Course, tuple[int, ...], int]
    """What all seats know until the next move: hands, deck, turn, mover, the rest, seen cards, who is barred."""
    _earlier: tuple[Step, ...]
    """The history of the game without its recent steps."""
    _recent: tuple[Step, ...]
    """The last steps of the history."""
    phase_seen: int
    """The pending decision, as the seat sees it: an index of `PHASES`."""
    packed_roles: int
    """The roles that the seat knows, two bits a seat."""
    types: int
    """The cards that the seat knows, three bits a token."""
    knives: tuple[int, ...]
    """Which of the seat's own trades in `moves` were knives."""
    past: tuple[tuple[_Public, int, int, tuple[int, ...]], ...]
    """The games that are over, as the seat knew them."""

    @property
    def options(self) -> ColdBloodedOptions:
        """The options of the match."""
        target, deck, talk, max_turns = self._game_info[0]
        return ColdBloodedOptions(target, DeckCounts(*deck), talk, max_turns)

    @property
    def game(self) -> int:
        """The number of the game in the series, from 1."""
        return self._game_info[1]

    @property
    def scores(self) -> tuple[int, ...]:
        """The points of each seat in the series so far; more are better."""
        return self._game_info[2]

    @property
    def duke(self) -> int | None:
        """The Duke's seat; None at a table of four."""
        return self._game_info[3]

    @property
    def starts(self) -> int:
        """The seat that had the first turn of the game."""
        return self._game_info[4]

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self._game_info[5]

    @property
    def hands(self) -> tuple[int, ...]:
        """The token in each place's hand, -1 for none; place 8 is the Duke that nobody plays."""
        return self._table[0]

    @property
    def deck(self) -> tuple[int, ...]:
        """The tokens of the deck, top first."""
        return self._table[1]

    @property
    def alive(self) -> int:
        """The mask of the living places."""
        return self._table[4][0]

    @property
    def bombs(self) -> tuple[int, ...]:
        """The token of each place's active bomb, -1 for none."""
        return self._table[4][1]

    @property
    def uprising_gone(self) -> bool:
        """Whether the uprising has been played in this game."""
        return self._table[4][2]

    @property
    def turn(self) -> int:
        """The number of the turn in the game, from 1."""
        return self._table[2]

    @property
    def mover(self) -> int:
        """The seat whose turn it is."""
        return self._table[3]

    @property
    def second(self) -> bool:
        """Whether the turn is at its second action."""
        return self._table[5][0]

    @property
    def marked(self) -> int:
        """The mask of the seats proven to be assassins by their actions."""
        return self._table[4][3]

    @property
    def cleared(self) -> int:
        """The mask of the seats that cannot be assassins: they had one action where the last assassin has two."""
        return self._table[4][4]

    @property
    def last_assassin(self) -> bool:
        """Whether a single assassin was alive as the turn began, at a table where that one has two actions."""
        return self._table[4][5]

    @property
    def aim(self) -> int:
        """The place that the move in progress is aimed at; -1 if none is."""
        return self._table[5][1]

    @property
    def moves(self) -> tuple[Step, ...]:
        """The steps of this game that everyone sees, in order: (place, action or code, token or role, token)."""
        moves: tuple[Step, ...] = self._earlier + self._recent
        return moves

    @property
    def seats(self) -> int:
        """The number of seats."""
        return len(self.scores)

    @property
    def phase(self) -> str:
        """The pending decision: talk, move, answer, shell, sacrifice or show; `wait` while others may be asked."""
        return cb.PHASES[self.phase_seen]

    @property
    def role(self) -> str:
        """The seat's own role: duke, guard or assassin."""
        return cb.ROLES[(self.packed_roles >> 2 * self.seat & 3) - 1]

    @property
    def roles(self) -> tuple[str | None, ...]:
        """The role of each seat; None where the seat does not know it."""
        roles = self.packed_roles
        return tuple([cb.ROLES[role - 1] if (role := roles >> 2 * seat & 3) else None for seat in range(self.seats)])

    @property
    def card(self) -> str | None:
        """The card in the seat's hand; None if there is none."""
        return self.card_at(self.hands[self.seat])

    def card_at(self, token: int) -> str | None:
        """The card that a token is; None if there is no token, or the seat does not know it."""
        card = card_of(self.types, token)
        return cb.CARDS[card - 1] if card else None

    @property
    def history(self) -> tuple[dict[str, Any], ...]:
        """The history of this game for JSON; cards that the seat does not know are None."""
        return cb.describe_history(self.types, self.moves, self.knives)

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON, with cards and actions as text."""
        return self._as_dict([cb.describe_game(entry) for entry in self.past])

    def as_json(self) -> bytes:
        """The view as JSON."""
        return orjson.dumps(self._as_dict([_past_game(entry) for entry in self.past]))

    def _as_dict(self, games: list[Any]) -> dict[str, Any]:
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
            "dummy": self.card_at(self.hands[cb.DUMMY]),
            "alive": [cb.mark(place) for place in cb.BITS[self.alive]],
            "bombs": [seat for seat, token in enumerate(self.bombs) if token >= 0],
            "uprising_gone": self.uprising_gone,
            "deck": [self.card_at(token) for token in self.deck],
            "without_card": [cb.mark(place) for place in cb.BITS[self.alive] if self.hands[place] < 0],
            "turn": self.turn,
            "mover": self.mover,
            "phase": self.phase,
            "second": self.second,
            "aim": None if self.aim < 0 else cb.mark(self.aim),
            "history": list(self.history),
            "games": games,
            "over": self.over,
        }
