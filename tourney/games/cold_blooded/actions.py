"""The actions of Cold Blooded and their effects: moves, answers, eliminations."""

from collections.abc import Sequence

from mypy_extensions import i64

from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.rules import (
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
    SAYS,
    STAYED,
    TALK,
    WAIT,
    card_of,
)
from tourney.games.cold_blooded.turns import ColdBloodedTurns


class ColdBloodedActions(ColdBloodedTurns):
    """A game that is going on: what may be done, and what it leads to."""

    __slots__ = ()

    def legal(self) -> Sequence[int]:
        """Returns what the seat may say, do or answer."""
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
        """Returns the moves that the seat has in its turn."""
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
        """Makes the move of `seat` and goes on to the next decision."""
        assert self.seat is not None
        phase = self._phase
        seat: i64 = self.seat
        code: i64 = action
        if phase == TALK:
            self._note(seat, code)
            self._phase = MOVE
            return
        self._table = None
        if phase == MOVE:
            self._move(seat, code)
        elif phase == ANSWER:
            self._note(seat, code)
            if code == cb.ACCEPT:
                self._trade()
            else:
                self._end_turn()
        elif phase == ASK_SHOW:
            self._bury_card(seat, code)
        elif code == cb.STAY:
            self._stay(seat)
        elif code == cb.SHELL:
            self._play(seat, code)
            self._acted()
        else:
            self._sacrifice(seat)

    def _move(self, seat: i64, action: i64) -> None:
        """Makes a move of the seat whose turn it is."""
        if action == cb.PASS:
            self._note(seat, action)
            self._end_turn()
        elif action == cb.DRAW:
            token, top = self._hands[seat], self._deck[0]
            self._deck = self._deck[1:] + (token,)  # noqa: RUF005 - unpacking would go through a list
            self._take(seat, top)
            self._note_tokens(seat, action, token, top)
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

    def _play(self, seat: i64, action: i64) -> None:
        """Plays the card in the seat's hand, for all to see."""
        token = self._give(seat)
        self._show(token)
        self._note_tokens(seat, action, token, -1)
        if action == cb.BOMB:
            self._set_bomb(seat, token)
            self._marked |= 1 << seat
        elif action == cb.UPRISING:
            self._gone = True
            self._marked |= 1 << seat
        self._played += ((seat, token),)

    def _revive(self) -> None:
        """Brings the eliminated assassins back."""
        back = self._assassins & ~self._alive
        self._alive |= back
        seat: i64
        for seat in BITS[back]:
            self._note(seat, cb.BACK)
        self._acted()

    def _offer(self, seat: i64, place: i64, knife: bool) -> None:
        """Offers a trade, which may be a knife in disguise, and asks the Duke if he is the partner."""
        if knife:
            self._knives[seat] += (len(self._earlier) + len(self._recent),)
        self._note_tokens(seat, cb.TRADE + place, self._hands[seat], self._hands[place])
        self._aim = place
        self._knife = knife
        if place == self._duke and place != DUMMY:
            self.seat = place
            self._phase = ANSWER
        else:
            self._trade()

    def _trade(self) -> None:
        """Carries out the trade that was offered, or the knife."""
        mover, place = self._mover, self._aim
        if self._knife:
            self._ask_sacrifice(cb.asked_order(self._seats, self._starts, place))
            return
        given, got = self._hands[mover], self._hands[place]
        self._take(mover, got)
        self._take(place, given)
        self._traded |= 1 << place
        self._acted()

    def _snipe(self, victim: i64) -> None:
        """Shoots at a seat, and asks it about its shell if it holds one."""
        self._aim = victim
        if card_of(self._types, self._hands[victim]) == cb.SHELL_CARD:
            self.seat = victim
            self._phase = ASK_SHELL
        else:
            self._ask_sacrifice(cb.asked_order(self._seats, self._starts, victim))

    def _ask_sacrifice(self, order: tuple[int, ...]) -> None:
        """Asks the first seat in `order` that holds a sacrifice; if there is none, the victim is eliminated."""
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
        """Goes on after a seat has declined to use its shell or sacrifice."""
        order = cb.asked_order(self._seats, self._starts, self._aim)
        if self._phase == ASK_SACRIFICE:
            order = order[order.index(seat) + 1 :]
        self._ask_sacrifice(order)

    def _stab(self) -> None:
        """Reveals the knife; its player takes the victim's card."""
        mover, place = self._mover, self._aim
        knife, taken = self._give(mover), self._give(place)
        self._played += ((mover, knife),)
        self._show(knife)
        self._take(mover, taken)
        # docs/rules/cold-blooded: a knife that was not declined counts as a trade
        self._traded |= 1 << place
        self._note_tokens(mover, cb.KNIFE + place, knife, taken)

    def _sacrifice(self, seat: i64) -> None:
        """Eliminates the seat in the victim's place."""
        if self._knife:
            self._stab()
        self._play(seat, cb.SACRIFICE)
        self._eliminate(seat)

    def _eliminate(self, place: i64) -> None:
        """Eliminates a place, shows its role, and asks whether its card is seen."""
        self._alive &= ~(1 << place)
        self._standing = None
        self._aim = place
        role = DUKE
        if place != DUMMY:
            role = self._roles >> 2 * place & 3
            self._open |= 3 << 2 * place
        self._note_tokens(place, cb.OUT, role, -1)
        # docs/rules/cold-blooded: the card or active bomb of the eliminated goes under the deck at once
        bomb = self._bombs[place]
        if bomb >= 0:
            self._deck += (bomb,)
            self._set_bomb(place, -1)
        if self._hands[place] >= 0:
            self.seat = place
            self._phase = ASK_SHOW
        else:
            self._end_elimination()

    def _bury_card(self, seat: i64, action: i64) -> None:
        """Puts the card of an eliminated seat under the deck, shown or hidden."""
        token = self._give(seat)
        self._deck += (token,)
        if action == cb.SHOW:
            self._show(token)
        self._note_tokens(seat, action, token, -1)
        self._end_elimination()

    def _end_elimination(self) -> None:
        """Ends the game if the elimination decides it; else the turn goes on."""
        if not self._alive >> self._duke & 1:
            self._finish(ASSASSIN)
        elif not self._alive & self._assassins:
            self._finish(GUARD)
        else:
            self._acted()

    def _phase_for(self, seat: i64) -> i64:
        """Returns the phase as a seat sees it; who is asked for a shell or a sacrifice stays hidden."""
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
