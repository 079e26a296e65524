"""The cards of a game of Cold Blooded: where they are, who has seen them, and all that has been done in plain sight."""

from typing import Any

from mypy_extensions import i64

from tourney.game import State
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.rules import DUMMY, PLACES, Step, card_of


class Cards(State):
    """Hands, deck, active bombs and roles, and the history. Masks are of seats, or of places."""

    __slots__ = (
        "_alive",
        "_assassins",
        "_bombs",
        "_deck",
        "_earlier",
        "_gone",
        "_hands",
        "_holding",
        "_knives",
        "_known",
        "_open",
        "_played",
        "_recent",
        "_roles",
        "_seats",
        "_shown",
        "_standing",
        "_types",
    )

    _seats: i64
    _types: int
    """Which card each token is, packed."""
    _roles: i64
    """Packed, like `_open`: the mask of the roles that all have seen."""
    _open: i64
    _assassins: i64
    """The mask of the seats that are, living or not."""
    _alive: i64
    _holding: i64
    """The places with a card in hand."""
    _hands: list[int]
    """The token in each place's hand, -1 for none."""
    _deck: tuple[int, ...]
    _known: list[int]
    """The cards that each seat alone has seen, as a mask for `_types`."""
    _shown: int
    """The cards that all have seen."""
    _bombs: tuple[int, ...]
    """The token of each place's active bomb, -1 for none."""
    _gone: bool
    """Whether the uprising has gone."""
    _played: tuple[tuple[Any, ...], ...]
    """The cards that were played in this turn, each as (seat, token)."""
    _knives: list[tuple[int, ...]]
    """Which trades in the history were knives of each place."""
    _earlier: tuple[Step, ...]
    """The history, but for its last steps."""
    _recent: tuple[Step, ...]
    _standing: tuple[Any, ...] | None
    """What all seats know and seldom changes during a game, once someone has looked at it."""

    def _lay_out(self, dealt: tuple[Any, ...]) -> None:
        """The cards and roles of a new game, as `cb.dealt` made them."""
        seats = self._seats
        self._roles, self._types, self._assassins, self._deck = dealt
        self._hands = cb.HANDS[seats].copy()
        self._alive = (1 << seats) - 1
        self._open = 0
        if seats == 4:
            self._hands[DUMMY] = 4
            self._alive |= 1 << DUMMY
        self._holding = self._alive
        self._known = cb.OWN[seats].copy()
        self._shown = 0
        self._bombs = (-1,) * PLACES
        self._gone = False
        self._earlier = ()
        self._recent = ()
        self._knives = [()] * PLACES
        self._standing = None

    def _note(self, seat: i64, code: i64, first: Any, second: Any) -> None:
        """Adds a step with tokens (-1 for none), or with a role, to the history."""
        step: tuple[Any, ...] = (seat, code, first, second)
        steps: tuple[Any, ...] = (step,)
        self._tell(steps)

    def _tell(self, step: tuple[Any, ...]) -> None:
        """Adds a history of one step to that of the game."""
        recent = self._recent + step
        if len(recent) == cb.CHUNK:
            self._earlier += recent
            recent = ()
        self._recent = recent

    def _take(self, place: i64, token: Any) -> None:
        """The place gets the card in hand, and sees it."""
        hands: list[Any] = self._hands
        hands[place] = token
        self._holding |= 1 << place
        if place < self._seats:
            number: int = token
            self._known[place] = self._known[place] | 7 << 3 * number

    def _give(self, place: i64) -> Any:
        """The place gives the card out of its hand, which is returned."""
        hands: list[Any] = self._hands
        token = hands[place]
        hands[place] = -1
        self._holding &= ~(1 << place)
        return token

    def _show(self, token: Any) -> None:
        """All see the card."""
        number: int = token
        self._shown |= 7 << 3 * number
        self._standing = None

    def _add_played(self, seat: i64, token: Any) -> None:
        played: tuple[Any, ...] = (seat, token)
        more: tuple[Any, ...] = (played,)
        self._played += more

    def _arm(self, place: i64, token: int) -> None:
        bombs = list(self._bombs)
        bombs[place] = token
        self._bombs = tuple(bombs)

    def _refill(self, mover: i64) -> None:
        """Played cards go under the deck; the living without a card draw, those who played first."""
        types, played = self._types, self._played
        self._deck += tuple([card[1] for card in played if card_of(types, card[1]) < cb.BOMB_CARD])
        for card in played:
            self._draw_if_without(card[0])
        for seat in cb.clockwise(self._seats, mover):
            self._draw_if_without(seat)
        self._draw_if_without(DUMMY)

    def _draw_if_without(self, place: i64) -> None:
        if self._alive >> place & 1 and not self._holding >> place & 1 and self._bombs[place] < 0:
            token = self._deck[0]
            self._deck = self._deck[1:]
            self._take(place, token)
            self._note(place, cb.REFILL, token, -1)
