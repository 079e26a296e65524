"""A series of games of Cold Blooded: cards, turns, actions, deals and scores. Rules: docs/rules/cold-blooded.md."""

from __future__ import annotations  # for `__slots__` by Python 3.14

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final

from mypy_extensions import i64

from tourney.contracts.game import Entry, State
from tourney.contracts.rng import below, permutation, shuffle, stream
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.rules import BITS, CHOICES, DUMMY, MOVE, SAYS, STEPS, TALK, Step, Token, card_of
from tourney.games.cold_blooded.view import ColdBloodedOptions, ColdBloodedView, values_of

# compiled, a Final is looked up once
_View: Final = ColdBloodedView
GAMES: Final = 40
"""The number of games after which a series ends."""
MOST_TURNS: Final = 2**62
"""More turns than any game has; `max_turns` may be larger than 64 bits hold."""
_FRESH_TURN: Final[tuple[Any, ...]] = (False, -1, (), 0)
"""The state of a turn at its start; see `_publish_table`."""


class ColdBloodedState(State):
    """A series of Cold Blooded in progress. Masks are of seats or of places."""

    _game_info: tuple[Any, ...]
    """Everyone's knowledge that does not change during a game."""
    _counts: tuple[int, ...]
    """How many there are of each card."""
    _game: i64
    """The number of the game in the series, from 1."""
    _past: list[tuple[Any, ...]]
    """For each seat, the games that are over as it knew them."""
    _scores: tuple[int, ...]
    _seed: int
    _shown_options: tuple[Any, ...]
    """The values of the options, for views."""
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
    """The history without its recent steps."""
    _recent: tuple[Step, ...]
    """The last steps of the history, fewer than CHUNK."""
    _standing: tuple[Any, ...] | None
    """Everyone's knowledge that seldom changes during a game; None until a view needs it again."""
    _options: Any
    _talk: bool
    _max_turns: i64
    _starts: i64
    """The seat that has the first turn of the game."""
    _duke: i64
    """The place of the Duke."""
    _turn: i64
    """The number of the turn in the game, from 1."""
    _mover: i64
    """The seat whose turn it is."""
    _actions: i64
    """How many actions the mover has left."""
    _second: bool
    """Whether the turn is at its second action."""
    _last_assassin: bool
    """Whether a single assassin was alive as the turn began, at a table where that one has two actions."""
    _phase: i64
    """The pending decision."""
    _aim: i64
    """The place that the move in progress is aimed at; -1 if none is."""
    _knife: bool
    """Whether the trade in progress is a knife."""
    _traded: i64
    """The mask of the places that the mover has traded with in this turn."""
    _barred: i64
    """Eight bits a seat: the mask of the seats that traded with it in their own last turn, and so are barred."""
    _marked: i64
    """The mask of the seats proven to be assassins by their actions."""
    _cleared: i64
    """The mask of the seats proven not to be assassins by their actions."""
    _table: tuple[Any, ...] | None
    """Everyone's knowledge of the cards and the turn; None until a view needs it again."""
    __slots__ = tuple(__annotations__)

    def begin(self, seats: int, options: ColdBloodedOptions, seed: int) -> None:
        """Starts a series, and deals its first game."""
        self.log = []
        self._set_options(options)
        self._seed = seed
        self._seats = seats
        self._scores = (0,) * seats
        self._past = [()] * seats
        self._game = 0
        self._deal(below(seats, seed, "duke"))

    def _set_options(self, options: ColdBloodedOptions) -> None:
        self._options = options
        self._talk = options.talk
        self._max_turns = min(options.max_turns, MOST_TURNS)
        self._counts = options.deck.by_card()
        self._shown_options = values_of(options)

    def _deal(self, first: i64) -> None:
        """Deals the next game of the series; the seat `first` is the Duke, or starts at a table of four."""
        self._game += 1
        entry, deal = _draw_deal(self._seats, self._seed, self._game, first, self._counts)
        self._set_up(first, deal)
        self.log.append(entry)
        self._begin_turn(first)

    def _set_up(self, first: i64, deal: tuple[Any, ...]) -> None:
        """Lays out a new game from what `_draw_deal` packs; `first` is the Duke, or starts at a table of four."""
        seats = self._seats
        self._roles, self._types, self._assassins, self._deck = deal
        self._hands = cb.HANDS[seats].copy()
        self._alive = (1 << seats) - 1
        if seats == 4:
            self._duke = DUMMY
            self._hands[DUMMY] = 4
            self._alive |= 1 << DUMMY
            self._open = 0
        else:
            self._duke = first
            self._open = 3 << 2 * first
        self._holding = self._alive
        self._known = cb.OWN[seats].copy()
        self._shown = 0
        self._bombs = (-1,) * cb.PLACES
        self._gone = False
        self._earlier = ()
        self._recent = ()
        self._knives = [()] * cb.PLACES
        self._standing = None
        self._starts = first
        self._barred = self._marked = self._cleared = 0
        self._turn = 0
        self._aim = -1
        self._knife = False
        self._last_assassin = False
        self._publish_game(False)

    def _publish_game(self, over: bool) -> None:
        """Collects the facts that last until the next game is dealt; `ColdBloodedView` names the items."""
        duke = None if self._duke == DUMMY else int(self._duke)
        self._game_info = self._shown_options, self._game, self._scores, duke, self._starts, over

    def _begin_turn(self, seat: i64) -> None:
        self._turn += 1
        self._mover = seat
        self.seat = seat
        # docs/rules/cold-blooded: with 5 or 7 seats the last living assassin has two actions
        assassins = self._alive & self._assassins
        last_assassin = not assassins & (assassins - 1) and self._seats in (5, 7)
        if last_assassin != self._last_assassin:
            self._last_assassin = last_assassin
            self._standing = None
        self._actions = 2 if last_assassin and assassins >> seat & 1 else 1
        self._second = False
        self._played = ()
        self._traded = 0
        self._phase = TALK if self._talk else MOVE
        self._table = None

    def _acted(self) -> None:
        mover = self._mover
        self._actions -= 1
        if self._last_assassin and not self._second:
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
        """Ends the turn; the next one starts unless the game is over."""
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
            self._finish(cb.ASSASSIN)
            return
        self._begin_turn(seat)

    def _bar(self, mover: i64) -> None:
        """Replaces the partners of the mover's last trades by those of this turn."""
        of_all: i64 = 0x0101010101010101
        barred = self._barred & ~(of_all << mover)
        bit = 1 << mover
        other: i64
        for other in BITS[self._traded & 255]:
            barred |= bit << 8 * other
        self._barred = barred

    def legal(self) -> Sequence[int]:
        """The seat's possible talk, moves or answers."""
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
        """Makes the move of `seat`, and everything up to the next decision."""
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
        elif phase == cb.ANSWER:
            self._note(seat, code)
            if code == cb.ACCEPT:
                self._trade()
            else:
                self._end_turn()
        elif phase == cb.ASK_SHOW:
            self._bury_card(seat, code)
        elif code == cb.STAY:
            self._stay(seat)
        elif code == cb.SHELL:
            self._play(seat, code)
            self._acted()
        else:
            self._sacrifice(seat)

    def _move(self, seat: i64, action: i64) -> None:
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
            self._phase = cb.ANSWER
        else:
            self._trade()

    def _trade(self) -> None:
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
            self._phase = cb.ASK_SHELL
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
                self._phase = cb.ASK_SACRIFICE
                return
        if self._knife:
            self._stab()
        self._eliminate(self._aim)

    def _stay(self, seat: int) -> None:
        order = cb.asked_order(self._seats, self._starts, self._aim)
        if self._phase == cb.ASK_SACRIFICE:
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
        if self._knife:
            self._stab()
        self._play(seat, cb.SACRIFICE)
        self._eliminate(seat)

    def _eliminate(self, place: i64) -> None:
        """Eliminates a place, shows its role, and asks whether its card is seen."""
        self._alive &= ~(1 << place)
        self._standing = None
        self._aim = place
        role = cb.DUKE
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
            self._phase = cb.ASK_SHOW
        else:
            self._end_elimination()

    def _bury_card(self, seat: i64, action: i64) -> None:
        token = self._give(seat)
        self._deck += (token,)
        if action == cb.SHOW:
            self._show(token)
        self._note_tokens(seat, action, token, -1)
        self._end_elimination()

    def _end_elimination(self) -> None:
        """Ends the game if the elimination decides it; otherwise the turn continues."""
        if not self._alive >> self._duke & 1:
            self._finish(cb.ASSASSIN)
        elif not self._alive & self._assassins:
            self._finish(cb.GUARD)
        else:
            self._acted()

    def _note(self, place: i64, code: i64) -> None:
        self._add_step(STEPS[place * 64 + code])

    def _note_tokens(self, place: i64, code: i64, first: Token, second: Token) -> None:
        """Adds a step to the history, with tokens (-1 for none) or a role."""
        step: tuple[Any, ...] = (place, code, first, second)
        steps: tuple[Any, ...] = (step,)
        self._add_step(steps)

    def _add_step(self, step: tuple[Any, ...]) -> None:
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
        token = self._hands[place]
        self._hands[place] = -1
        self._holding &= ~(1 << place)
        return token

    def _show(self, token: Token) -> None:
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
        if self._alive >> place & 1 and not self._holding >> place & 1 and self._bombs[place] < 0:
            token = self._deck[0]
            self._deck = self._deck[1:]
            self._take(place, token)
            self._note_tokens(place, cb.REFILL, token, -1)

    def _finish(self, winner: int) -> None:
        """Ends the game; `winner` is ASSASSIN, GUARD (for guards and Duke), or 0 for a drawn game."""
        seats, assassins = self._seats, self._assassins
        side = assassins if winner == cb.ASSASSIN else ~assassins if winner == cb.GUARD else 0
        points = tuple([1 if side >> seat & 1 else 0 for seat in range(seats)])
        self._scores = tuple([self._scores[seat] + points[seat] for seat in range(seats)])
        self.log.append(("score", self._game, points, self._scores))
        self._add_past(winner, points)
        if max(self._scores) < self._options.target and self._game < GAMES:
            # docs/rules/cold-blooded: the Duke, or the start at a table of four, passes to the left
            self._deal((self._starts + 1) % seats)
            return
        self.seat = None
        self._earlier = self._recent = ()
        self._knives = [()] * cb.PLACES
        self._publish_game(True)
        self._table = None

    def _add_past(self, winner: int, points: tuple[int, ...]) -> None:
        """Adds the game that is over to the past ones, as each seat knows it."""
        seats, assassins, shown = self._seats, self._assassins, self._shown
        marked, cleared = self._marked, self._cleared
        if winner:  # the points show who was on which side
            marked, cleared = assassins, (1 << seats) - 1 & ~assassins
        known = tuple([seen | shown for seen in self._known])
        moves = self._earlier + self._recent
        duke, starts = self._game_info[3:5]
        public: tuple[Any, ...] = (self._game, duke, starts, winner, points, moves, known, marked, cleared)
        seat: i64
        for seat in range(seats):
            roles = self._roles & (self._open | 3 << 2 * seat)
            self._past[seat] += ((public, roles, self._types & known[seat], self._knives[seat]),)

    def view(self, seat: int) -> ColdBloodedView:
        table, phase = self._table, self._phase
        if table is None:
            table = self._publish_table()
        if phase in (cb.ASK_SHELL, cb.ASK_SACRIFICE):
            phase = self._phase_for(seat)
        at: i64 = seat
        return _View(
            seat, self._game_info, table, self._earlier, self._recent, phase, self._roles & (self._open | 3 << 2 * at),
            self._types & (self._known[at] | self._shown), self._knives[at], self._past[at],
        )  # fmt: skip

    def _phase_for(self, seat: i64) -> i64:
        """The phase as a seat sees it; who is asked for a shell or a sacrifice stays hidden."""
        phase = self._phase
        if self.seat is None:
            return phase
        asked: i64 = self.seat
        if seat == asked:
            return phase
        if phase == cb.ASK_SHELL:
            return cb.WAIT
        card = card_of(self._types, self._hands[seat])
        if seat == self._aim:
            return cb.STAYED if card == cb.SHELL_CARD and not self._knife else cb.WAIT
        if card != cb.SACRIFICE_CARD or seat == self._mover:
            return cb.WAIT
        order = cb.asked_order(self._seats, self._starts, self._aim)
        return cb.STAYED if order.index(seat) < order.index(asked) else cb.WAIT

    def _publish_table(self) -> tuple[Any, ...]:
        """Collects everyone's knowledge of cards and turn until the next move; `ColdBloodedView` names the items."""
        standing = self._standing
        if standing is None:
            sides = self._marked, self._cleared, self._last_assassin
            standing = self._standing = (self._alive, self._bombs, self._gone, *sides, self._shown)
        course = _FRESH_TURN
        if self._aim >= 0 or self._second or self._traded or self._played:
            course = (self._second, self._aim, self._played, self._traded)
        table: tuple[Any, ...] = (
            tuple(self._hands), self._deck, self._turn, self._mover, standing, course, tuple(self._known), self._barred,
        )  # fmt: skip
        self._table = table
        return table

    def take_up(self, view: Any) -> None:
        """Continues from everyone's knowledge."""
        self._game_info, self._table = view._game_info, view._table
        self._earlier, self._recent = view._earlier, view._recent
        _, self._game, self._scores, duke, self._starts, _ = self._game_info
        self._set_options(view.options)
        self._duke = DUMMY if duke is None else duke
        hands, self._deck, self._turn, self._mover, standing, course, known, self._barred = view._table
        self._alive, self._bombs, self._gone, self._marked, self._cleared, self._last_assassin, self._shown = standing
        self._standing = standing
        self._second, self._aim, self._played, self._traded = course
        self._hands, self._known = list(hands), list(known)
        self._holding = sum([1 << place for place, token in enumerate(hands) if token >= 0])
        self._open = 0 if duke is None else 3 << 2 * duke
        for seat, code, _, _ in view.moves:
            if code == cb.OUT and seat != DUMMY:
                self._open |= 3 << 2 * seat

    def copy(self) -> ColdBloodedState:
        new = ColdBloodedState()
        new.seat, new.log = self.seat, []
        new._actions, new._aim, new._alive = self._actions, self._aim, self._alive
        new._assassins, new._barred, new._bombs = self._assassins, self._barred, self._bombs
        new._cleared, new._counts, new._shown_options = self._cleared, self._counts, self._shown_options
        new._deck, new._duke, new._earlier = self._deck, self._duke, self._earlier
        new._gone, new._game_info, new._hands = self._gone, self._game_info, self._hands.copy()
        new._holding, new._knife, new._knives = self._holding, self._knife, self._knives.copy()
        new._known, new._last_assassin, new._marked = self._known.copy(), self._last_assassin, self._marked
        new._max_turns, new._mover, new._recent = self._max_turns, self._mover, self._recent
        new._open, new._options, new._phase = self._open, self._options, self._phase
        new._played, new._roles, new._scores = self._played, self._roles, self._scores
        new._seats, new._second, new._shown = self._seats, self._second, self._shown
        new._standing, new._starts, new._table = self._standing, self._starts, self._table
        new._talk, new._traded, new._turn = self._talk, self._traded, self._turn
        new._types, new._game, new._past = self._types, self._game, self._past.copy()
        new._seed = self._seed
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        return self._scores


@lru_cache(maxsize=256)
def _draw_deal(
    seats: int, seed: int, number: int, first: int, counts: tuple[int, ...]
) -> tuple[Entry, tuple[Any, ...]]:
    """Draws the deal of a game: its entry in the log, and (packed roles, packed cards, assassins' mask, deck).

    Cached, as all matches of a block have the same deal.
    """
    cards = [card for card, count in enumerate(counts, 1) for _ in range(count)]
    shuffle(cards, stream(seed, "cards", number))
    guards, assassins = cb.CAST[seats]
    cast = [cb.GUARD] * guards + [cb.ASSASSIN] * assassins
    roles = [cast[i] for i in permutation(len(cast), seed, "roles", number)]
    if seats > 4:
        roles.insert(first, cb.DUKE)
    duke, dummy = (first, None) if seats > 4 else (None, cards[4])
    hands, deck = tuple(cards[:seats]), tuple(cards[max(seats, 5) :])
    tokens = tuple(range(max(seats, 5), len(cards)))
    packed = cb.pack(roles, 2), cb.pack(cards, 3), cb.of_role(roles, cb.ASSASSIN), tokens
    return ("deal", number, duke, tuple(roles), hands, dummy, deck, first), packed
