"""The cards of a game of Cold Blooded: where they are and who has seen them, and the history of the game."""

from typing import Any

from mypy_extensions import i64

from tourney.game import State
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.rules import DUMMY, PLACES, STEPS, Step, Token, card_of


class ColdBloodedCards(State):
    """Hands, deck, active bombs and roles, and the history. Masks are of seats or of places."""

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
    """The card that each token is, packed."""
    _roles: i64
    """The role of each seat, packed."""
    _open: i64
    """The roles that all seats have seen, as a mask for `_roles`."""
    _assassins: i64
    """The mask of the assassins, dead or alive."""
    _alive: i64
    """The mask of the living places."""
    _holding: i64
    """The mask of the places with a card in hand."""
    _hands: list[Token]
    """The token in each place's hand, -1 for none."""
    _deck: tuple[Token, ...]
    """The tokens of the deck, the top first."""
    _known: list[int]
    """The cards that each seat has seen in its own hand, as a mask for `_types`."""
    _shown: int
    """The cards that all seats have seen, as a mask for `_types`."""
    _bombs: tuple[int, ...]
    """The token of each place's active bomb, -1 for none."""
    _gone: bool
    """Whether the uprising has been played."""
    _played: tuple[tuple[int, int], ...]
    """The cards played in this turn, in order, each as (seat, token)."""
    _knives: list[tuple[int, ...]]
    """For each place, which of its trades in the history were knives, by their index."""
    _earlier: tuple[Step, ...]
    """The history but for its recent steps."""
    _recent: tuple[Step, ...]
    """The last steps of the history, fewer than CHUNK."""
    _standing: tuple[Any, ...] | None
    """What all seats know and seldom changes during a game; None until a view needs it again."""

    def _deal_cards(self, deal: tuple[Any, ...]) -> None:
        """Lays out the cards and roles of a new game, as `pack_deal` returns them."""
        seats = self._seats
        self._roles, self._types, self._assassins, self._deck = deal
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

    def _note(self, place: i64, code: i64) -> None:
        """Adds a step without tokens to the history."""
        self._add_step(STEPS[place * 64 + code])

    def _note_tokens(self, place: i64, code: i64, first: Token, second: Token) -> None:
        """Adds a step to the history, with tokens (-1 for none) or a role."""
        step: tuple[Any, ...] = (place, code, first, second)
        steps: tuple[Any, ...] = (step,)
        self._add_step(steps)

    def _add_step(self, step: tuple[Any, ...]) -> None:
        """Adds a history of one step to that of the game."""
        recent = self._recent + step
        if len(recent) == cb.CHUNK:
            self._earlier += recent
            recent = ()
        self._recent = recent

    def _take(self, place: i64, token: Token) -> None:
        """Puts a card into a place's hand; a seat sees it."""
        self._hands[place] = token
        self._holding |= 1 << place
        if place < self._seats:
            number: int = token
            self._known[place] |= 7 << 3 * number

    def _give(self, place: i64) -> Token:
        """Takes the card out of a place's hand, and returns it."""
        token = self._hands[place]
        self._hands[place] = -1
        self._holding &= ~(1 << place)
        return token

    def _show(self, token: Token) -> None:
        """Shows a card to all seats."""
        number: int = token
        self._shown |= 7 << 3 * number
        self._standing = None

    def _set_bomb(self, place: i64, token: int) -> None:
        """Sets the token of a place's active bomb; -1 for none."""
        bombs = list(self._bombs)
        bombs[place] = token
        self._bombs = tuple(bombs)

    def _refill(self, mover: i64) -> None:
        """Puts the played cards under the deck; then the living without a card draw, those who played first."""
        types, played = self._types, self._played
        self._deck += tuple([token for _, token in played if card_of(types, token) < cb.BOMB_CARD])
        for seat, _ in played:
            self._draw_if_without(seat)
        for seat in cb.clockwise(self._seats, mover):
            self._draw_if_without(seat)
        self._draw_if_without(DUMMY)

    def _draw_if_without(self, place: i64) -> None:
        """Lets a living place draw that has neither a card nor an active bomb."""
        if self._alive >> place & 1 and not self._holding >> place & 1 and self._bombs[place] < 0:
            token = self._deck[0]
            self._deck = self._deck[1:]
            self._take(place, token)
            self._note_tokens(place, cb.REFILL, token, -1)
