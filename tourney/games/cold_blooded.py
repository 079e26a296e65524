"""Cold Blooded: 4 to 8 seats, hidden roles, one action card each, a series of games. Rules: docs/rules/cold-blooded.md.

Cards are tokens that everyone can follow; which card a token is, is packed into one int (see `_cold_blooded`).
"""

from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from random import Random
from typing import Annotated, Any

import msgspec

from tourney.errors import ConfigError, ViewError
from tourney.game import Entry, Game, Options, State, View, places_by
from tourney.games import _cold_blooded as cb
from tourney.games._cold_blooded import (
    ANSWER,
    ASK_SACRIFICE,
    ASK_SHELL,
    ASK_SHOW,
    ASSASSIN,
    BITS,
    CARDS,
    CAST,
    CLOCKWISE,
    DUKE,
    DUMMY,
    GUARD,
    MOVE,
    PLACES,
    ROLES,
    STAYED,
    TALK,
    WAIT,
    Step,
    card_of,
)
from tourney.rng import below, permutation, shuffle, stream

GAMES = 40
"""So many games at most in a series."""
SECRET = ASK_SHELL, ASK_SACRIFICE
"""The phases in which only the seat that is asked knows that it is."""

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


class ColdBloodedState(State):
    """A series of Cold Blooded that is going on."""

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
        "_game",
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
        "_past",
        "_phase",
        "_played",
        "_roles",
        "_scores",
        "_seats",
        "_second",
        "_seed",
        "_starts",
        "_traded",
        "_turn",
        "_types",
    )

    def __init__(self, seats: int, options: ColdBloodedOptions, seed: int) -> None:
        self.log = []
        self._options = options
        self._seed = seed
        self._seats = seats
        self._scores = (0,) * seats
        self._past: tuple[tuple[Any, ...], ...] = ((),) * seats
        self._game = 0
        self._deal(below(seats, seed, "duke"))

    def _deal(self, first: int) -> None:
        """Deals the next game of the series; the seat `first` is the Duke, and starts."""
        self._game += 1
        seats, counts = self._seats, self._options.deck.by_card()
        cards = [card for card, count in enumerate(counts, 1) for _ in range(count)]
        shuffle(cards, stream(self._seed, "cards", self._game))
        guards, assassins = CAST[seats]
        cast = [GUARD] * guards + [ASSASSIN] * assassins
        roles = [cast[i] for i in permutation(len(cast), self._seed, "roles", self._game)]
        if seats > 4:
            roles.insert(first, DUKE)
        hands = seats if seats > 4 else 5
        self._duke = first if seats > 4 else DUMMY
        self._starts = first
        self._roles = cb.packed(roles, 2)
        self._types = cb.packed(cards, 3)
        self._assassins = sum([1 << seat for seat, role in enumerate(roles) if role == ASSASSIN])
        self._open = 3 << 2 * first if seats > 4 else 0
        self._hands = [*range(seats), *[-1] * (PLACES - seats)]
        self._alive = (1 << seats) - 1
        if seats == 4:
            self._hands[DUMMY] = 4
            self._alive |= 1 << DUMMY
        self._deck = tuple(range(hands, len(cards)))
        self._known = [7 << 3 * seat for seat in range(seats)] + [0] * (PLACES - seats)
        self._clear()
        self.log.append(
            (
                "deal",
                self._game,
                first if seats > 4 else None,
                tuple(roles),
                tuple(cards[:seats]),
                cards[4] if seats == 4 else None,
                tuple(cards[hands:]),
                first,
            )
        )
        self._begin_turn(first)

    def _clear(self) -> None:
        """Nothing has happened in the game yet."""
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
        hands, types, mover = self._hands, self._types, self._mover
        for seat in order:
            # docs/rules/cold-blooded: not the player of the knife, over the card that it has just taken
            if card_of(types, hands[seat]) == cb.SACRIFICE_CARD and seat != mover:
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

    def _finish(self, winner: int) -> None:
        """The game is over; `winner` is ASSASSIN, GUARD (and the Duke) or 0 for a drawn game."""
        seats, assassins = self._seats, self._assassins
        side = assassins if winner == ASSASSIN else ~assassins if winner == GUARD else 0
        points = tuple([side >> seat & 1 for seat in range(seats)])
        self._scores = tuple([score + point for score, point in zip(self._scores, points, strict=True)])
        self.log.append(("score", self._game, points, self._scores))
        marked, cleared = self._marked, self._cleared
        if winner:  # the points tell who was on which side
            marked, cleared = assassins, (1 << seats) - 1 & ~assassins
        seen = self._game, self._duke, self._starts, winner, points, self._moves, tuple(self._known), marked, cleared
        self._past = tuple(
            [
                (
                    *past,
                    (seen, self._roles & (self._open | 3 << 2 * i), self._types & self._known[i], self._knives[i]),
                )
                for i, past in enumerate(self._past)
            ]
        )
        if max(self._scores) < self._options.target and self._game < GAMES:
            # docs/rules/cold-blooded: the Duke, or the start at a table of four, passes to the left
            self._deal((self._starts + 1) % seats)
            return
        self.seat = None
        self._moves = ()
        self._knives = [()] * PLACES

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

    def view(self, seat: int) -> ColdBloodedView:
        """What the seat may know."""
        known = self._known
        phase = self._phase
        return tuple.__new__(
            ColdBloodedView,
            (
                seat,
                self._options,
                self._game,
                self._scores,
                self._roles & (self._open | 3 << 2 * seat),
                self._types & known[seat],
                tuple(self._hands),
                self._deck,
                self._alive,
                tuple(self._bombs),
                self._gone,
                self._duke if self._duke != DUMMY else None,
                self._starts,
                self._turn,
                self._mover,
                self._phase_for(seat) if phase in SECRET else phase,
                self._second,
                self._moves,
                tuple(known),
                tuple(self._last),
                self._marked,
                self._cleared,
                self._lone,
                self._knives[seat],
                self._aim,
                self._past[seat],
                self._played,
                self._traded,
                self.seat is None,
            ),
        )

    def copy(self) -> "ColdBloodedState":
        """A state of its own that goes on from here, with an empty log."""
        new = ColdBloodedState.__new__(ColdBloodedState)
        new.seat = self.seat
        new.log = []
        for slot in ColdBloodedState.__slots__:
            setattr(new, slot, getattr(self, slot))
        for slot in ("_hands", "_bombs", "_knives", "_barred", "_last"):
            setattr(new, slot, getattr(self, slot).copy())
        new._known = self._known.copy()
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        """The points so far."""
        return self._scores

    @property
    def places(self) -> tuple[int, ...]:
        """By points; equal points share a place."""
        return places_by(self._scores)


class ColdBlooded(Game):
    """The rules of Cold Blooded."""

    name = "cold-blooded"
    title = "Cold Blooded"
    rules = "docs/rules/cold-blooded.md"
    seats = range(4, 9)
    Options = ColdBloodedOptions
    actions = (
        *("draw", "pass", "trade:SEAT", "trade:duke", "sniper:SEAT", "knife:SEAT", "knife:duke", "bomb", "uprising"),
        *("accept", "decline", "shell", "sacrifice", "stay", "show", "hide"),
        *("say:nothing", "say:guard", "say:CARD", "say:accuse:SEAT", "say:trust:SEAT"),
    )
    names = cb.NAMES

    def check(self, seats: int, options: ColdBloodedOptions) -> None:
        """Refuses a deck with fewer than two cards more than there are hands."""
        hands = max(seats, 5)
        cards = sum(options.deck.by_card())
        if cards < hands + 2:
            raise ConfigError(
                f"deck: {cards} cards are too few for {seats} seats; there must be at least {hands + 2}, "
                f"two more than the {hands} hands"
            )

    def start(self, seats: int, options: ColdBloodedOptions, seed: int) -> ColdBloodedState:
        """A new match."""
        return ColdBloodedState(seats, options, seed)

    def imagine(self, view: ColdBloodedView, rng: Random) -> ColdBloodedState:
        """A state in which the roles, the cards and who is being asked fit the view."""
        if view.over:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return _imagine(view, rng)

    def event(self, entry: Entry) -> dict[str, Any]:
        """A deal or a score, as an event of the trace."""
        match entry:
            case ("deal", number, duke, roles, hands, dummy, deck, starts):
                event = {
                    "kind": "deal",
                    "game": number,
                    "duke": duke,
                    "roles": [ROLES[role - 1] for role in roles],
                    "hands": [CARDS[card - 1] for card in hands],
                }
                if dummy is not None:
                    event["dummy"] = CARDS[dummy - 1]
                return event | {"deck": [CARDS[card - 1] for card in deck], "starts": starts}
            case ("score", number, points, scores):
                return {"kind": "score", "round": number, "points": list(points), "scores": list(scores)}
        raise AssertionError(f"unknown entry {entry}")


def _imagine(view: ColdBloodedView, rng: Random) -> ColdBloodedState:
    me, seats = view.seat, view.seats
    counts = view.options.deck.by_card()
    new = ColdBloodedState.__new__(ColdBloodedState)
    new.log = []
    new._seed = int(rng.random() * 2**53)
    new._seats = seats
    _copy_public(new, view)
    forced: dict[int, int] = {}
    new._phase, asked = view.phase_seen, view.mover
    if new._phase in (*SECRET, WAIT, STAYED):
        new._phase, asked, forced = cb.Asked(view).draw(counts, rng)
    elif new._phase in (ANSWER, ASK_SHOW):
        asked = view.aim
    new.seat = asked
    new._types = cb.fill(view.types, forced, counts, rng)
    new._roles = cb.cast(view.packed_roles, view.marked, view.cleared, seats, rng)
    new._assassins = sum([1 << seat for seat in range(seats) if new._roles >> 2 * seat & 3 == ASSASSIN])
    two = new._lone and not new._second and new._assassins >> new._mover & 1
    new._actions = 2 if two else 1
    new._knives = cb.knife_offers(view.moves, new._types, me, view.knives, rng)
    _settle_offer(new, view, rng)
    others = [_past_of_others(entry, me, seats, counts) for entry in view[25]]
    new._past = tuple([view[25] if seat == me else tuple([past[seat] for past in others]) for seat in range(seats)])
    return new


def _copy_public(new: ColdBloodedState, view: ColdBloodedView) -> None:
    """What the view shows as it is goes into the state."""
    new._options, new._game, new._scores = view.options, view.game, view.scores
    new._hands, new._deck, new._alive = list(view.hands), view.deck, view.alive
    new._bombs, new._gone = list(view.bombs), view.uprising_gone
    new._duke = DUMMY if view.duke is None else view.duke
    new._starts, new._turn, new._mover, new._second = view.starts, view.turn, view.mover, view.second
    new._moves, new._known, new._last = view.moves, list(view[18]), list(view[19])
    new._marked, new._cleared, new._lone, new._aim = view.marked, view.cleared, view[22], view.aim
    new._played, new._traded = view[26], view[27]
    new._barred = [0] * PLACES
    for seat in range(view.seats):
        for place in BITS[new._last[seat]]:
            new._barred[place] |= 1 << seat
    new._open = 0 if view.duke is None else 3 << 2 * view.duke
    for seat, code, _, _ in view.moves:
        if code == cb.OUT and seat != DUMMY:
            new._open |= 3 << 2 * seat


def _settle_offer(new: ColdBloodedState, view: ColdBloodedView, rng: Random) -> None:
    """Whether a trade that is still in progress is a knife."""
    new._knife = False
    if view.aim < 0 or new._hands[new._mover] < 0 or new._phase == ASK_SHOW:
        return
    offer = max([i for i, step in enumerate(view.moves) if cb.TRADE <= step[1] < cb.SNIPER])
    if new._mover == view.seat:
        new._knife = offer in view.knives
    elif card_of(new._types, new._hands[new._mover]) == cb.KNIFE_CARD:
        new._knife = new._phase != ANSWER or rng.random() < 0.5
        if new._knife:
            new._knives[new._mover] += (offer,)


@lru_cache(maxsize=256)
def _past_of_others(entry: tuple[Any, ...], me: int, seats: int, counts: tuple[int, ...]) -> tuple[Any, ...]:
    """A past game as each seat may have known it: the same guess each time, since nothing depends on it."""
    seen, roles, types, knives = entry
    *_, moves, known, marked, cleared = seen
    rng = Random(0)
    types = cb.fill(types, {}, counts, rng)
    roles = cb.cast(roles, marked, cleared, seats, rng)
    shown = sum([3 << 2 * seat for seat, code, _, _ in moves if code == cb.OUT and seat != DUMMY])
    offers = cb.knife_offers(moves, types, me, knives, rng)
    return tuple([(seen, roles & (shown | 3 << 2 * i), types & known[i], offers[i]) for i in range(seats)])
