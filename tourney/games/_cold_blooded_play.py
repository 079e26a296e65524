"""One game of Cold Blooded as it is played: turns, action cards, eliminations. `cold_blooded` has the series."""

from collections.abc import Sequence
from typing import Any

from tourney.game import State
from tourney.games import _cold_blooded as cb
from tourney.games._cold_blooded import (
    ANSWER,
    ASK_SACRIFICE,
    ASK_SHELL,
    ASK_SHOW,
    ASSASSIN,
    BITS,
    CLOCKWISE,
    DUKE,
    DUMMY,
    GUARD,
    MOVE,
    PLACES,
    STAYED,
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
        "_gone",
        "_hands",
        "_knife",
        "_knives",
        "_known",
        "_last",
        "_lone",
        "_marked",
        "_mover",
        "_moves",
        "_open",
        "_options",
        "_phase",
        "_played",
        "_roles",
        "_scores",
        "_seats",
        "_second",
        "_starts",
        "_traded",
        "_turn",
        "_types",
    )

    _seats: int
    _options: Any

    def _finish(self, winner: int) -> None:
        """The game is over; `winner` is ASSASSIN, GUARD (and the Duke) or 0 for a drawn game."""
        raise NotImplementedError

    def _set_up(self, first: int, roles: Sequence[int], cards: Sequence[int]) -> None:
        """A new game: `first` is the Duke, or starts at a table of four; `cards` are the hands, then the deck."""
        seats = self._seats
        self._starts = first
        self._roles = cb.packed(roles, 2)
        self._types = cb.packed(cards, 3)
        self._assassins = sum([1 << seat for seat, role in enumerate(roles) if role == ASSASSIN])
        self._hands = [*range(seats), *[-1] * (PLACES - seats)]
        self._alive = (1 << seats) - 1
        self._duke, self._open = first, 3 << 2 * first
        if seats == 4:
            self._duke, self._open = DUMMY, 0
            self._hands[DUMMY] = 4
            self._alive |= 1 << DUMMY
        self._deck = tuple(range(max(seats, 5), len(cards)))
        self._known = [7 << 3 * seat for seat in range(seats)] + [0] * (PLACES - seats)
        self._bombs = [-1] * PLACES
        self._gone = False
        self._moves: tuple[Step, ...] = ()
        self._knives: list[tuple[int, ...]] = [()] * PLACES
        self._barred = [0] * PLACES
        self._last = [0] * PLACES
        self._marked = self._cleared = 0
        self._turn = 0
        self._aim = -1
        self._knife = False

    def _begin_turn(self, seat: int) -> None:
        self._turn += 1
        self._mover = self.seat = seat
        # docs/rules/cold-blooded: with 5 or 7 seats the last living assassin has two actions
        last = self._alive & self._assassins
        self._lone = self._seats in (5, 7) and not last & (last - 1)
        self._actions = 2 if self._lone and last == 1 << seat else 1
        self._second = False
        self._played: tuple[tuple[int, int], ...] = ()
        self._traded = 0
        self._phase = TALK if self._options.talk else MOVE

    def legal(self) -> Sequence[int]:
        """What the seat may say, do or answer."""
        phase, seat = self._phase, self.seat
        assert seat is not None
        if phase == MOVE:
            return self._moves_of(seat)
        if phase == TALK:
            return cb.SAYS[self._alive & 255 & ~(1 << seat)]
        return cb.CHOICES[phase]

    def _moves_of(self, seat: int) -> tuple[int, ...]:
        hands = self._hands
        token = hands[seat]
        if token < 0:
            return cb.ONLY_PASS
        if self._turn <= self._seats:
            return cb.FIRST_TURN
        others = self._alive & ~(1 << seat)
        partners = 0
        for place in BITS[others & ~self._barred[seat]]:
            if hands[place] >= 0:
                partners |= 1 << place
        card = self._types >> 3 * token & 7
        actions = cb.FIRST_TURN + cb.TRADES[partners]
        if card == cb.SNIPER_CARD:
            actions += cb.SNIPERS[others & 255]
        elif card == cb.KNIFE_CARD:
            actions += cb.KNIVES[partners]
        elif card >= cb.BOMB_CARD and self._assassins >> seat & 1:
            if card == cb.BOMB_CARD:
                actions += (cb.BOMB,)
            elif not self._gone:
                actions += (cb.UPRISING,)
        return actions

    def apply(self, action: int) -> None:
        """Says, does or answers it, and goes on to the next decision."""
        seat, phase = self.seat, self._phase
        assert seat is not None
        if phase == TALK:
            self._note(seat, action)
            self._phase = MOVE
        elif phase == MOVE:
            self._move(seat, action)
        elif phase == ANSWER:
            self._note(seat, action)
            if action == cb.ACCEPT:
                self._trade()
            else:
                self._end_turn()
        elif phase == ASK_SHOW:
            self._shown(seat, action)
        elif action == cb.STAY:
            self._stay(seat)
        elif action == cb.SHELL:
            self._play(seat, action)
            self._acted()
        else:
            self._saved(seat)

    def _note(self, seat: int, code: int, first: int = -1, second: int = -1) -> None:
        self._moves += ((seat, code, first, second),)

    def _move(self, seat: int, action: int) -> None:
        hands = self._hands
        token = hands[seat]
        if action == cb.PASS:
            self._note(seat, action)
            self._end_turn()
        elif action == cb.DRAW:
            top, *rest = self._deck
            self._deck = (*rest, token)
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

    def _take(self, seat: int, token: int) -> None:
        self._hands[seat] = token
        self._known[seat] |= 7 << 3 * token

    def _show(self, token: int) -> None:
        bits = 7 << 3 * token
        self._known = [known | bits for known in self._known]

    def _play(self, seat: int, action: int) -> None:
        """Lays the seat's card open."""
        token = self._hands[seat]
        self._hands[seat] = -1
        self._show(token)
        self._note(seat, action, token)
        if action == cb.BOMB:
            self._bombs[seat] = token
            self._marked |= 1 << seat
        elif action == cb.UPRISING:
            self._gone = True
            self._marked |= 1 << seat
        self._played += ((seat, token),)

    def _revive(self) -> None:
        back = self._assassins & ~self._alive
        self._alive |= back
        for seat in BITS[back]:
            self._note(seat, cb.BACK)
        self._acted()

    def _offer(self, seat: int, place: int, knife: bool) -> None:
        """A trade or a knife, which everyone else takes for a trade."""
        if knife:
            self._knives[seat] += (len(self._moves),)
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

    def _snipe(self, victim: int) -> None:
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
        knife, taken = hands[mover], hands[place]
        self._played += ((mover, knife),)
        self._show(knife)
        self._take(mover, taken)
        hands[place] = -1
        # docs/rules/cold-blooded: a knife that was not declined counts as a trade
        self._traded |= 1 << place
        self._note(mover, cb.KNIFE + place, knife, taken)

    def _saved(self, seat: int) -> None:
        """The seat dies in the victim's place."""
        if self._knife:
            self._stab()
        self._play(seat, cb.SACRIFICE)
        self._eliminate(seat)

    def _eliminate(self, place: int) -> None:
        self._alive &= ~(1 << place)
        self._aim = place
        role = self._roles >> 2 * place & 3 if place != DUMMY else DUKE
        self._note(place, cb.OUT, role)
        if place != DUMMY:
            self._open |= 3 << 2 * place
        # docs/rules/cold-blooded: the card or active bomb of the eliminated goes under the deck at once
        if self._bombs[place] >= 0:
            self._deck += (self._bombs[place],)
            self._bombs[place] = -1
        if self._hands[place] >= 0:
            self.seat, self._phase = place, ASK_SHOW
        else:
            self._judge()

    def _shown(self, seat: int, action: int) -> None:
        token = self._hands[seat]
        self._hands[seat] = -1
        self._deck += (token,)
        if action == cb.SHOW:
            self._show(token)
        self._note(seat, action, token)
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
        last = self._last[mover]
        if last or self._traded:
            for place in BITS[last & ~self._traded]:
                self._barred[place] &= ~(1 << mover)
            for place in BITS[self._traded]:
                self._barred[place] |= 1 << mover
            self._last[mover] = self._traded
        # docs/rules/cold-blooded: the turn that ends as number max_turns ends the game, a bomb due next or not
        if self._turn >= self._options.max_turns:
            self._finish(0)
            return
        alive = self._alive
        seats = self._seats
        seat = (mover + 1) % seats
        while not alive >> seat & 1:
            seat = (seat + 1) % seats
        if self._bombs[seat] >= 0:
            # docs/rules/cold-blooded: a bomb explodes at the start of its player's turn, before any talk
            self._finish(ASSASSIN)
            return
        self._begin_turn(seat)

    def _refill(self, mover: int) -> None:
        """Played cards go under the deck; the living without a card draw, those who played first."""
        hands, bombs, alive, types = self._hands, self._bombs, self._alive, self._types
        deck = self._deck + tuple([token for _, token in self._played if types >> 3 * token & 7 < cb.BOMB_CARD])
        order = dict.fromkeys([seat for seat, _ in self._played])
        order.update(dict.fromkeys((*CLOCKWISE[self._seats][mover], DUMMY)))
        for seat in order:
            if hands[seat] < 0 and bombs[seat] < 0 and alive >> seat & 1:
                self._take(seat, deck[0])
                self._note(seat, cb.REFILL, deck[0])
                deck = deck[1:]
        self._deck = deck

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
