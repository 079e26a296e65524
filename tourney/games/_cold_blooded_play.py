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
        "_barred",
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
        "_standing",
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
    _roles: i64
    """Packed, like `_open`: the mask of the roles that all have seen."""
    _open: i64
    _assassins: i64
    """A mask of seats, or of places, like all that follow."""
    _alive: i64
    _holding: i64
    """The places with a card in hand."""
    _marked: i64
    _cleared: i64
    _traded: i64
    _barred: i64
    """By the seat, eight bits each: the others that have traded with it in their last turns, and so may not now."""
    _hands: list[int]
    _known: list[int]
    """The cards that each seat alone has seen, as a mask for `_types`."""
    _shown: int
    """The cards that all have seen."""
    _bombs: tuple[int, ...]
    """The token of each place's active bomb, -1 for none."""
    _lone: bool
    """Whether one assassin was left when the turn began, at a table where that one has two actions."""
    _played: tuple[tuple[Any, ...], ...]
    """The cards that were played in this turn, each as (seat, token)."""
    _talk: bool
    _max_turns: i64
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
    _standing: tuple[Any, ...] | None
    """What all seats know and seldom changes during a game, once someone has looked at it."""
    _table: tuple[Any, ...] | None
    """What all seats know of the cards and the turn, once someone has looked at it."""

    def _finish(self, winner: int) -> None:
        """The game is over; `winner` is ASSASSIN, GUARD (and the Duke) or 0 for a drawn game."""
        raise NotImplementedError

    def _settle_facts(self, over: bool) -> None:
        """Notes what all seats know of the game itself: it is a new one, or the last one is over."""
        raise NotImplementedError

    def _set_up(self, first: i64, dealt: tuple[Any, ...]) -> None:
        """A new game: `first` is the Duke, or starts at a table of four; `dealt` is what `cb.dealt` made."""
        seats = self._seats
        self._starts = first
        self._roles, self._types, self._assassins, self._deck = dealt
        self._hands = cb.HANDS[seats].copy()
        self._alive = (1 << seats) - 1
        self._duke = first
        self._open = 3 << 2 * first
        if seats == 4:
            self._duke = DUMMY
            self._open = 0
            self._hands[DUMMY] = 4
            self._alive |= 1 << DUMMY
        self._holding = self._alive
        self._known = cb.OWN[seats].copy()
        self._shown = 0
        self._bombs = (-1,) * PLACES
        self._gone = False
        self._earlier = ()
        self._recent = ()
        self._knives: list[tuple[int, ...]] = [()] * PLACES
        self._barred = 0
        self._marked = 0
        self._cleared = 0
        self._turn = 0
        self._aim = -1
        self._knife = False
        self._lone = False
        self._standing = None
        self._settle_facts(False)

    def _begin_turn(self, seat: i64) -> None:
        self._turn += 1
        self._mover = seat
        self.seat = seat
        # docs/rules/cold-blooded: with 5 or 7 seats the last living assassin has two actions
        last = self._alive & self._assassins
        lone = not last & (last - 1) and self._seats in (5, 7)
        if lone != self._lone:
            self._lone = lone
            self._standing = None
        self._actions = 2 if lone and last >> seat & 1 else 1
        self._second = False
        self._played = ()
        self._traded = 0
        self._phase = TALK if self._talk else MOVE
        self._table = None

    def legal(self) -> Sequence[int]:
        """What the seat may say, do or answer."""
        assert self.seat is not None
        phase = self._phase
        seat: i64 = self.seat
        legal: Sequence[int]
        if phase == MOVE:
            legal = self._moves_of(seat)
        elif phase == TALK:
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
        # docs/rules/cold-blooded: nobody trades with a seat that has traded with it in that one's last turn
        partners = others & self._holding & ~(self._barred >> seat * 8 & 255)
        moves: Sequence[int] = cb.MOVES[partners]
        card = card_of(self._types, token)
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
        assert self.seat is not None
        phase = self._phase
        seat: i64 = self.seat
        code: i64 = action
        if phase == TALK:
            self._tell(STEPS[seat * 64 + code])
            self._phase = MOVE
            return
        self._table = None
        if phase == MOVE:
            self._move(seat, code)
        elif phase == ANSWER:
            self._tell(STEPS[seat * 64 + code])
            if code == cb.ACCEPT:
                self._trade()
            else:
                self._end_turn()
        elif phase == ASK_SHOW:
            self._let_see(seat, code)
        elif code == cb.STAY:
            self._stay(seat)
        elif code == cb.SHELL:
            self._play(seat, code)
            self._acted()
        else:
            self._saved(seat)

    def _note(self, seat: i64, code: i64, first: Any, second: Any) -> None:
        step: tuple[Any, ...] = (seat, code, first, second)
        steps: tuple[Any, ...] = (step,)
        self._tell(steps)

    def _tell(self, step: tuple[Any, ...]) -> None:
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
            hands: list[Any] = self._hands
            token, top = hands[seat], self._deck[0]
            self._deck = self._deck[1:] + (token,)  # noqa: RUF005 - goes through no list
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

    def _play(self, seat: i64, action: i64) -> None:
        """Lays the seat's card open."""
        token = self._give(seat)
        self._show(token)
        self._note(seat, action, token, -1)
        if action == cb.BOMB:
            self._arm(seat, token)
            self._marked |= 1 << seat
        elif action == cb.UPRISING:
            self._gone = True
            self._marked |= 1 << seat
        self._add_played(seat, token)

    def _add_played(self, seat: i64, token: Any) -> None:
        played: tuple[Any, ...] = (seat, token)
        more: tuple[Any, ...] = (played,)
        self._played += more

    def _arm(self, place: i64, token: int) -> None:
        bombs = list(self._bombs)
        bombs[place] = token
        self._bombs = tuple(bombs)

    def _revive(self) -> None:
        back = self._assassins & ~self._alive
        self._alive |= back
        seat: i64
        for seat in BITS[back]:
            self._tell(STEPS[seat * 64 + cb.BACK])
        self._acted()

    def _offer(self, seat: i64, place: i64, knife: bool) -> None:
        """A trade or a knife, which everyone else takes for a trade."""
        if knife:
            self._knives[seat] += (len(self._earlier) + len(self._recent),)
        hands: list[Any] = self._hands
        self._note(seat, cb.TRADE + place, hands[seat], hands[place])
        self._aim = place
        self._knife = knife
        if place == self._duke and place != DUMMY:
            self.seat = place
            self._phase = ANSWER
        else:
            self._trade()

    def _trade(self) -> None:
        mover, place = self._mover, self._aim
        if self._knife:
            self._ask_sacrifice(cb.asked_order(self._seats, self._starts, place))
            return
        hands: list[Any] = self._hands
        given, got = hands[mover], hands[place]
        self._take(mover, got)
        self._take(place, given)
        self._traded |= 1 << place
        self._acted()

    def _snipe(self, victim: i64) -> None:
        self._aim = victim
        if card_of(self._types, self._hands[victim]) == cb.SHELL_CARD:
            self.seat = victim
            self._phase = ASK_SHELL
        else:
            self._ask_sacrifice(cb.asked_order(self._seats, self._starts, victim))

    def _ask_sacrifice(self, order: tuple[Any, ...]) -> None:
        """Asks the first holder of a sacrifice among the seats in `order`; if there is none, the victim dies."""
        hands, types = self._hands, self._types
        seat: i64
        for seat in order:
            # docs/rules/cold-blooded: not the player of the knife over the card it takes, so cards move afterwards
            if card_of(types, hands[seat]) == cb.SACRIFICE_CARD:
                self.seat = seat
                self._phase = ASK_SACRIFICE
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
        mover, place = self._mover, self._aim
        knife, taken = self._give(mover), self._give(place)
        self._add_played(mover, knife)
        self._show(knife)
        self._take(mover, taken)
        # docs/rules/cold-blooded: a knife that was not declined counts as a trade
        self._traded |= 1 << place
        self._note(mover, cb.KNIFE + place, knife, taken)

    def _saved(self, seat: i64) -> None:
        """The seat dies in the victim's place."""
        if self._knife:
            self._stab()
        self._play(seat, cb.SACRIFICE)
        self._eliminate(seat)

    def _eliminate(self, place: i64) -> None:
        self._alive &= ~(1 << place)
        self._standing = None
        self._aim = place
        role = DUKE
        if place != DUMMY:
            role = self._roles >> 2 * place & 3
            self._open |= 3 << 2 * place
        self._note(place, cb.OUT, role, -1)
        # docs/rules/cold-blooded: the card or active bomb of the eliminated goes under the deck at once
        bomb = self._bombs[place]
        if bomb >= 0:
            self._deck += (bomb,)
            self._arm(place, -1)
        if self._hands[place] >= 0:
            self.seat = place
            self._phase = ASK_SHOW
        else:
            self._judge()

    def _let_see(self, seat: i64, action: i64) -> None:
        """The card of the eliminated goes under the deck, open or not."""
        token = self._give(seat)
        self._deck += (token,)
        if action == cb.SHOW:
            self._show(token)
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
                self._standing = None
            elif not self._cleared >> mover & 1:
                self._cleared |= 1 << mover
                self._standing = None
        if not self._actions:
            self._end_turn()
            return
        self._second = True
        self._aim = -1
        self._knife = False
        self.seat = mover
        self._phase = MOVE

    def _end_turn(self) -> None:
        mover = self._mover
        self._aim = -1
        self._knife = False
        if self._played:
            self._refill(mover)
        if self._barred or self._traded:
            self._bar(mover)
        # docs/rules/cold-blooded: the turn that ends as number max_turns ends the game, a bomb due next or not
        if self._turn >= self._max_turns:
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

    def _bar(self, mover: i64) -> None:
        """Notes whom the mover has traded with in this turn, instead of in its last one."""
        of_all: i64 = 0x0101010101010101
        barred = self._barred & ~(of_all << mover)
        bit = 1 << mover
        others: tuple[Any, ...] = BITS[self._traded & 255]
        other: i64
        for other in others:
            barred |= bit << 8 * other
        self._barred = barred

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

    def _phase_for(self, seat: i64) -> i64:
        """What the seat sees being decided; who is asked for a shell or a sacrifice stays hidden."""
        phase = self._phase
        if self.seat is None:
            return phase
        asked: i64 = self.seat
        if seat == asked:
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
