"""One game of Cold Blooded as it is played: turns, action cards, eliminations. `cold_blooded` has the series."""

from collections.abc import Sequence
from typing import Any

from mypy_extensions import i64

from tourney.game import State
from tourney.games import _cold_blooded as cb
from tourney.games._cold_blooded import (
    ANSWER,
    ASK_SACRIFICE,
    ASK_SHELL,
    ASK_SHOW,
    ASSASSIN,
    BITS,
    CHOICES,
    DUKE,
    DUMMY,
    GUARD,
    MOVE,
    PLACES,
    SAYS,
    STAYED,
    STEPS,
    TALK,
    WAIT,
    Step,
    card_of,
)


class Play(State):
    """A game that is going on, from its first turn to its end."""

    __slots__ = (
        "_actions",
        "_aim",
        "_alive",
        "_assassins",
        "_bombs",
        "_cleared",
        "_deck",
        "_duke",
        "_earlier",
        "_gone",
        "_hands",
        "_holding",
        "_knife",
        "_knives",
        "_known",
        "_last",
        "_lone",
        "_marked",
        "_max_turns",
        "_mover",
        "_open",
        "_options",
        "_phase",
        "_played",
        "_recent",
        "_roles",
        "_seats",
        "_second",
        "_shown",
        "_starts",
        "_table",
        "_talk",
        "_traded",
        "_turn",
        "_types",
    )

    _seats: i64
    _options: Any
    _starts: i64
    _types: int
    _assassins: i64
    """A mask of seats, or of places, like all that follow."""
    _alive: i64
    _holding: i64
    """The places with a card in hand."""
    _marked: i64
    _cleared: i64
    _traded: i64
    _hands: list[int]
    _known: list[int]
    """The cards that each place alone has seen, as a mask for `_types`."""
    _shown: int
    """The cards that all have seen."""
    _bombs: tuple[int, ...]
    """The token of each place's active bomb, -1 for none."""
    _last: list[int]
    """Whom each place has traded with in its last turn."""
    _talk: bool
    _max_turns: int
    """As the options have it, which may be more than 64 bits hold."""
    _deck: tuple[int, ...]
    _earlier: tuple[Step, ...]
    """The history, but for its last steps."""
    _recent: tuple[Step, ...]
    _duke: i64
    _turn: i64
    _mover: i64
    _phase: i64
    _aim: i64
    _actions: i64
    _table: tuple[Any, ...] | None
    """What all seats know of the cards and the turn, once someone has looked at it."""

    def _finish(self, winner: int) -> None:
        """The game is over; `winner` is ASSASSIN, GUARD (and the Duke) or 0 for a drawn game."""
        raise NotImplementedError

    def _settle_facts(self, over: bool) -> None:
        """Notes what all seats know of the game itself: it is a new one, or the last one is over."""
        raise NotImplementedError

    def _set_up(self, first: int, roles: Sequence[int], cards: Sequence[int]) -> None:
        """A new game: `first` is the Duke, or starts at a table of four; `cards` are the hands, then the deck."""
        seats = self._seats
        self._starts = first
        self._roles = cb.packed(roles, 2)
        self._types = cb.packed(cards, 3)
        self._assassins = cb.of_role(roles, ASSASSIN)
        self._hands = cb.HANDS[seats].copy()
        self._alive = (1 << seats) - 1
        self._duke, self._open = first, 3 << 2 * first
        if seats == 4:
            self._duke, self._open = DUMMY, 0
            self._hands[DUMMY] = 4
            self._alive |= 1 << DUMMY
        self._holding = self._alive
        self._deck = tuple(range(max(seats, 5), len(cards)))
        self._known = cb.OWN[seats].copy()
        self._shown = 0
        self._bombs = (-1,) * PLACES
        self._gone = False
        self._earlier = ()
        self._recent = ()
        self._knives: list[tuple[int, ...]] = [()] * PLACES
        self._last = [0] * PLACES
        self._marked = self._cleared = 0
        self._turn = 0
        self._aim = -1
        self._knife = False
        self._settle_facts(False)

    def _begin_turn(self, seat: i64) -> None:
        self._turn += 1
        self._mover = seat
        self.seat = seat
        # docs/rules/cold-blooded: with 5 or 7 seats the last living assassin has two actions
        last = self._alive & self._assassins
        self._lone = self._seats in (5, 7) and not last & (last - 1)
        self._actions = 2 if self._lone and last >> seat & 1 else 1
        self._second = False
        self._played: tuple[tuple[int, int], ...] = ()
        self._traded = 0
        self._phase = TALK if self._talk else MOVE
        self._table = None

    def legal(self) -> Sequence[int]:
        """What the seat may say, do or answer."""
        phase, seat = self._phase, self.seat
        assert seat is not None
        legal: Sequence[int]
        if phase == MOVE:
            return self._moves_of(seat)
        if phase == TALK:
            legal = SAYS[self._alive & 255 & ~(1 << seat)]
        else:
            legal = CHOICES[phase]
        return legal

    def _moves_of(self, seat: i64) -> Sequence[int]:
        token = self._hands[seat]
        if token < 0:
            return cb.ONLY_PASS
        if self._turn <= self._seats:
            return cb.FIRST_TURN
        others = self._alive & ~(1 << seat)
        partners = others & self._holding
        last = self._last
        for other in range(self._seats):
            # docs/rules/cold-blooded: nobody trades with a seat that has traded with it in that one's last turn
            if last[other] >> seat & 1:
                partners &= ~(1 << other)
        moves: Sequence[int] = cb.MOVES[partners]
        card = self._types >> 3 * token & 7
        if card == cb.SNIPER_CARD:
            moves = cb.MOVES[partners] + cb.SNIPERS[others & 255]
        elif card == cb.KNIFE_CARD:
            moves = cb.KNIFE_MOVES[partners]
        elif card >= cb.BOMB_CARD and self._assassins >> seat & 1:
            if card == cb.BOMB_CARD:
                moves = cb.BOMB_MOVES[partners]
            elif not self._gone:
                moves = cb.UPRISING_MOVES[partners]
        return moves

    def apply(self, action: int) -> None:
        """Says, does or answers it, and goes on to the next decision."""
        seat, phase = self.seat, self._phase
        assert seat is not None
        if phase == TALK:
            self._tell(STEPS[seat * 64 + action])
            self._phase = MOVE
            return
        self._table = None
        if phase == MOVE:
            self._move(seat, action)
        elif phase == ANSWER:
            self._tell(STEPS[seat * 64 + action])
            if action == cb.ACCEPT:
                self._trade()
            else:
                self._end_turn()
        elif phase == ASK_SHOW:
            self._let_see(seat, action)
        elif action == cb.STAY:
            self._stay(seat)
        elif action == cb.SHELL:
            self._play(seat, action)
            self._acted()
        else:
            self._saved(seat)

    def _note(self, seat: int, code: int, first: int, second: int) -> None:
        self._tell(((seat, code, first, second),))

    def _tell(self, step: tuple[Step, ...]) -> None:
        recent = self._recent + step
        if len(recent) == cb.CHUNK:
            self._earlier += recent
            recent = ()
        self._recent = recent

    def _move(self, seat: i64, action: i64) -> None:
        if action == cb.PASS:
            self._tell(STEPS[seat * 64 + action])
            self._end_turn()
        elif action == cb.DRAW:
            token, deck = self._hands[seat], self._deck
            top = deck[0]
            self._deck = deck[1:] + (token,)  # noqa: RUF005 - goes through no list
            self._take(seat, top)
            self._note(seat, action, token, top)
            self._acted()
        elif action < cb.SNIPER:
            self._offer(seat, action - cb.TRADE, False)
        elif action < cb.KNIFE:
            self._play(seat, action)
            self._snipe(action - cb.SNIPER)
        elif action < cb.BOMB:
            self._offer(seat, action - cb.KNIFE, True)
        elif action == cb.BOMB:
            self._play(seat, action)
            self._acted()
        else:
            self._play(seat, action)
            self._revive()

    def _take(self, seat: i64, token: int) -> None:
        self._hands[seat] = token
        self._holding |= 1 << seat
        self._known[seat] |= 7 << 3 * token

    def _give(self, seat: i64) -> int:
        token = self._hands[seat]
        self._hands[seat] = -1
        self._holding &= ~(1 << seat)
        return token

    def _play(self, seat: i64, action: i64) -> None:
        """Lays the seat's card open."""
        token = self._give(seat)
        self._shown |= 7 << 3 * token
        self._note(seat, action, token, -1)
        if action == cb.BOMB:
            self._arm(seat, token)
            self._marked |= 1 << seat
        elif action == cb.UPRISING:
            self._gone = True
            self._marked |= 1 << seat
        self._played += ((int(seat), token),)

    def _arm(self, place: i64, token: int) -> None:
        bombs = list(self._bombs)
        bombs[place] = token
        self._bombs = tuple(bombs)

    def _revive(self) -> None:
        back = self._assassins & ~self._alive
        self._alive |= back
        for seat in BITS[back]:
            self._tell(STEPS[seat * 64 + cb.BACK])
        self._acted()

    def _offer(self, seat: i64, place: i64, knife: bool) -> None:
        """A trade or a knife, which everyone else takes for a trade."""
        if knife:
            self._knives[seat] += (len(self._earlier) + len(self._recent),)
        self._note(seat, cb.TRADE + place, self._hands[seat], self._hands[place])
        self._aim = place
        self._knife = knife
        if place == self._duke and place != DUMMY:
            self.seat, self._phase = place, ANSWER
        else:
            self._trade()

    def _trade(self) -> None:
        mover, place = self._mover, self._aim
        if self._knife:
            self._ask_sacrifice(cb.asked_order(self._seats, self._starts, place))
            return
        hands = self._hands
        given, got = hands[mover], hands[place]
        self._take(mover, got)
        self._take(place, given)
        self._traded |= 1 << place
        self._acted()

    def _snipe(self, victim: i64) -> None:
        self._aim = victim
        if card_of(self._types, self._hands[victim]) == cb.SHELL_CARD:
            self.seat, self._phase = victim, ASK_SHELL
        else:
            self._ask_sacrifice(cb.asked_order(self._seats, self._starts, victim))

    def _ask_sacrifice(self, order: Sequence[int]) -> None:
        """Asks the first holder of a sacrifice among the seats in `order`; if there is none, the victim dies."""
        hands, types = self._hands, self._types
        for seat in order:
            # docs/rules/cold-blooded: not the player of the knife over the card it takes, so cards move afterwards
            if card_of(types, hands[seat]) == cb.SACRIFICE_CARD:
                self.seat, self._phase = seat, ASK_SACRIFICE
                return
        if self._knife:
            self._stab()
        self._eliminate(self._aim)

    def _stay(self, seat: int) -> None:
        order = cb.asked_order(self._seats, self._starts, self._aim)
        if self._phase == ASK_SACRIFICE:
            order = order[order.index(seat) + 1 :]
        self._ask_sacrifice(order)

    def _stab(self) -> None:
        """The knife comes out: its player has the victim's card."""
        mover, place, hands = self._mover, self._aim, self._hands
        knife, taken = hands[mover], self._give(place)
        self._played += ((int(mover), knife),)
        self._shown |= 7 << 3 * knife
        self._take(mover, taken)
        # docs/rules/cold-blooded: a knife that was not declined counts as a trade
        self._traded |= 1 << place
        self._note(mover, cb.KNIFE + place, knife, taken)

    def _saved(self, seat: int) -> None:
        """The seat dies in the victim's place."""
        if self._knife:
            self._stab()
        self._play(seat, cb.SACRIFICE)
        self._eliminate(seat)

    def _eliminate(self, place: i64) -> None:
        self._alive &= ~(1 << place)
        self._aim = place
        role = self._roles >> 2 * place & 3 if place != DUMMY else DUKE
        self._note(place, cb.OUT, role, -1)
        if place != DUMMY:
            self._open |= 3 << 2 * place
        # docs/rules/cold-blooded: the card or active bomb of the eliminated goes under the deck at once
        if self._bombs[place] >= 0:
            self._deck += (self._bombs[place],)
            self._arm(place, -1)
        if self._hands[place] >= 0:
            self.seat, self._phase = place, ASK_SHOW
        else:
            self._judge()

    def _let_see(self, seat: i64, action: int) -> None:
        """The card of the eliminated goes under the deck, open or not."""
        token = self._give(seat)
        self._deck += (token,)
        if action == cb.SHOW:
            self._shown |= 7 << 3 * token
        self._note(seat, action, token, -1)
        self._judge()

    def _judge(self) -> None:
        """After an elimination: the game is decided, or the turn goes on."""
        if not self._alive >> self._duke & 1:
            self._finish(ASSASSIN)
        elif not self._alive & self._assassins:
            self._finish(GUARD)
        else:
            self._acted()

    def _acted(self) -> None:
        mover = self._mover
        self._actions -= 1
        if self._lone and not self._second:
            if self._actions:
                self._marked |= 1 << mover
            else:
                self._cleared |= 1 << mover
        if not self._actions:
            self._end_turn()
            return
        self._second = True
        self._aim = -1
        self._knife = False
        self.seat, self._phase = mover, MOVE

    def _end_turn(self) -> None:
        mover = self._mover
        self._aim = -1
        self._knife = False
        if self._played:
            self._refill(mover)
        self._last[mover] = self._traded
        # docs/rules/cold-blooded: the turn that ends as number max_turns ends the game, a bomb due next or not
        if int(self._turn) >= self._max_turns:
            self._finish(0)
            return
        alive = self._alive
        seat = mover
        while True:
            seat += 1
            if seat == self._seats:
                seat = 0
            if alive >> seat & 1:
                break
        if self._bombs[seat] >= 0:
            # docs/rules/cold-blooded: a bomb explodes at the start of its player's turn, before any talk
            self._finish(ASSASSIN)
            return
        self._begin_turn(seat)

    def _refill(self, mover: i64) -> None:
        """Played cards go under the deck; the living without a card draw, those who played first."""
        types = self._types
        self._deck += tuple([token for _, token in self._played if card_of(types, token) < cb.BOMB_CARD])
        for seat, _ in self._played:
            self._draw_if_without(seat)
        for seat in cb.clockwise(self._seats, mover):
            self._draw_if_without(seat)
        self._draw_if_without(DUMMY)

    def _draw_if_without(self, place: i64) -> None:
        if self._alive >> place & 1 and not self._holding >> place & 1 and self._bombs[place] < 0:
            token = self._deck[0]
            self._deck = self._deck[1:]
            self._take(place, token)
            self._note(place, cb.REFILL, token, -1)

    def _phase_for(self, seat: int) -> int:
        """What the seat sees being decided; who is asked for a shell or a sacrifice stays hidden."""
        phase, asked = self._phase, self.seat
        if asked is None or seat == asked:
            return phase
        if phase == ASK_SHELL:
            return WAIT
        card = card_of(self._types, self._hands[seat])
        if seat == self._aim:
            return STAYED if card == cb.SHELL_CARD and not self._knife else WAIT
        if card != cb.SACRIFICE_CARD or seat == self._mover:
            return WAIT
        order = cb.asked_order(self._seats, self._starts, self._aim)
        return STAYED if order.index(seat) < order.index(asked) else WAIT
