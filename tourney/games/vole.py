"""The Vole in the Valley: 2 seats, 13 tricks a round, odd ranks with abilities. Rules: docs/rules/vole.md.

Cards are those of `tourney.cards.VOLE`; a hand is a bit mask of them. Tables hold the tuple of actions for every
subset of a suit, so that the legal actions of a hand are three look-ups.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from random import Random
from typing import Annotated, Any, Literal

import msgspec

from tourney.cards import VOLE
from tourney.errors import ViewError
from tourney.game import Entry, Game, Options, State, View, places_by
from tourney.games import _vole
from tourney.games._vole import BURY, CARDS, DECK, HAND, HIDDEN, KEEP, LED_WINS, LOW, SEAT, SUIT, SWAP, Trick
from tourney.rng import derive, permutation

TRICK_POINTS = (6, 6, 6, 6, 1, 2, 3, 6, 6, 6, 0, 0, 0, 0)
"""What 0 … 13 tricks pay."""


def _subsets(first: int) -> list[tuple[int, ...]]:
    """For each mask of a suit's cards, the numbers of its bits, counted from `first`."""
    return [tuple([first + i for i in range(SUIT) if mask >> i & 1]) for mask in range(1 << SUIT)]


_new = tuple.__new__
_BIT = (1).__lshift__
_ABILITY = tuple([{2: SWAP, 4: BURY}.get(card % SUIT, 0) for card in range(CARDS)])
"""What is decided after each card is played: nothing, or whether to swap, or what to bury."""
_IS_SEVEN = tuple([int(card % SUIT == 6) for card in range(CARDS)])
_BITS = _TOWERS, _KEYS, _MOONS = _subsets(0), _subsets(SUIT), _subsets(2 * SUIT)
_CHOICES = {base: tuple([_subsets(base + suit * SUIT) for suit in range(3)]) for base in (SWAP, BURY)}
_HIGHEST_OR_ONE = [
    # docs/rules/vole: an 11 that is led compels the 1 of the suit or its highest card
    mask if not mask else (mask & 1) | (1 << (mask.bit_length() - 1))
    for mask in range(1 << SUIT)
]


def _cards(mask: int) -> tuple[int, ...]:
    """The cards of a mask, in order."""
    return _TOWERS[mask & LOW] + _KEYS[mask >> 11 & LOW] + _MOONS[mask >> 22]


class VoleOptions(Options, frozen=True):
    """Options of The Vole in the Valley."""

    target: Annotated[int, msgspec.Meta(ge=1)] = 21
    """The match ends after a round in which a seat has reached so many points; 16 is the short game."""
    sevens: Literal["game", "round"] = "game"
    """When the extra points for 7s count: after the last round, or with each round's points."""
    max_rounds: Annotated[int, msgspec.Meta(ge=1)] = 100
    """After so many rounds the match ends like any other."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round that is over, as a seat knows it."""

    leader: int
    dealt: tuple[int, ...]
    """The seat's own hand at its start."""
    up: int
    """The card turned at its start."""
    steps: tuple[tuple[int, int], ...]
    """Every (seat, action), in order; what either seat buried is `HIDDEN`, 100."""
    buried: tuple[tuple[int, int], ...]
    """The cards that the seat itself (drew, buried)."""
    won: tuple[int, int]
    points: tuple[int, int]


class VoleView(View):
    """What a seat may know: its hand, the trump card, everything played, tricks, scores, its own buried cards."""

    __slots__ = ()

    # items: seat, facts of the round, own hand as a mask, trump card, led card, moves, tricks won, own burials, extra
    # facts: options, round, (leader, turned card, own hand dealt), own past rounds, scores, whether the match is over
    # tricks won: those of seat 0 and 16 times those of seat 1

    _facts = property(itemgetter(1))
    _moves = property(itemgetter(5))
    _won: int = property(itemgetter(6))  # type: ignore[assignment]

    up: int = property(itemgetter(3))  # type: ignore[assignment]
    """The trump card."""
    led: int | None = property(itemgetter(4))  # type: ignore[assignment]
    """The card that was led to the trick in progress; None while there is none."""
    buried: tuple[tuple[int, int], ...] = property(itemgetter(7))  # type: ignore[assignment]
    """The cards that the seat itself (drew, buried) in this round; not yet the card that it is about to bury."""

    extra: tuple[int, int] = property(itemgetter(8))  # type: ignore[assignment]
    """Points for 7s that are still to be added: at the end of the match, or with the round's points."""

    @property
    def options(self) -> VoleOptions:
        """The game's options."""
        options: VoleOptions = self._facts[0]
        return options

    @property
    def round(self) -> int:
        """The number of the round, from 1."""
        return int(self._facts[1])

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return bool(self._facts[5])

    @property
    def hand(self) -> tuple[int, ...]:
        """The seat's cards, in order."""
        return _cards(self[2])

    @property
    def trump(self) -> int:
        """The trump suit: 0 towers, 1 keys, 2 moons."""
        return self.up // SUIT

    @property
    def won(self) -> tuple[int, int]:
        """Tricks won in this round by each seat."""
        return self._won & 15, self._won >> 4

    @property
    def scores(self) -> tuple[int, int]:
        """The points of each seat so far."""
        scores: tuple[int, int] = self._facts[4]
        return scores

    @property
    def deck(self) -> int:
        """How many cards the deck holds."""
        return DECK - (_pending(self._moves) == BURY)

    @property
    def other_hand(self) -> int:
        """How many cards the other seat holds."""
        if self.over:
            return 0
        other = 1 - self.seat
        played = len([move for move in self._moves if move // SEAT == other and move % SEAT < CARDS])
        drawn = _pending(self._moves) == BURY and self._moves[-1] // SEAT == other
        return HAND - played + drawn

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """Every (seat, action) of this round, in order; what either seat buried is `HIDDEN`, 100."""
        return _vole.steps(self._moves)

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks of this round that are over, in order."""
        leader, up, _ = self._facts[2]
        return _vole.tricks(leader, up, self._moves)

    @property
    def leader(self) -> int:
        """The seat that leads, or led, the trick in progress."""
        tricks = self.tricks
        return _vole.next_leader(tricks[-1]) if tricks else int(self._facts[2][0])

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds that are over, in order."""
        return tuple([_round(entry) for entry in self._facts[3]])

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON, cards and actions as text."""
        leader, up, dealt = self._facts[2]
        now = _history(leader, VOLE.texts(_cards(dealt)), up, self._moves, self.buried)
        return {
            "seat": self.seat,
            "round": self.round,
            "hand": VOLE.texts(self.hand),
            "up": VOLE.text(self.up),
            "leader": self.leader,
            "led": None if self.led is None else VOLE.text(self.led),
            "won": list(self.won),
            "scores": list(self.scores),
            "extra": list(self.extra),
            "deck": self.deck,
            "other_hand": self.other_hand,
            "now": None if self.over else now,
            "rounds": [
                _history(past.leader, VOLE.texts(past.dealt), past.up, moves, past.buried)
                | {"points": list(past.points)}
                for past, moves in zip(self.rounds, [entry[1] for entry in self._facts[3]], strict=True)
            ],
            "over": self.over,
        }


class VoleState(State):
    """A match of The Vole in the Valley that is going on."""

    __slots__ = (
        "_buried",
        "_deck",
        "_drawn",
        "_extra",
        "_facts",
        "_hands",
        "_leader",
        "_leaders",
        "_led",
        "_moves",
        "_options",
        "_phase",
        "_points",
        "_seed",
        "_up",
        "_won",
    )

    def __init__(self, options: VoleOptions, seed: int) -> None:
        self.log = []
        self._options = options
        self._seed = seed
        self._leaders = derive(seed, "leaders")  # a bit for each round
        self._points = (0, 0)
        self._deal(1, ((), ()), (0, 0), (0, 0))

    def _deal(self, number: int, past: tuple[Any, Any], scores: tuple[int, int], extra: tuple[int, int]) -> None:
        order = permutation(CARDS, self._seed, "cards", number)
        leader = self._leaders >> number % 128 & 1
        first, second, up = order[:HAND], order[HAND : 2 * HAND], order[2 * HAND]
        self._hands = [sum(map(_BIT, first)), sum(map(_BIT, second))]
        self._up = up
        self._deck = tuple(order[2 * HAND + 1 :])
        options, hands = self._options, self._hands
        self._facts = (
            (options, number, (leader, up, hands[0]), past[0], scores, False),
            (options, number, (leader, up, hands[1]), past[1], scores, False),
        )
        self.seat = self._leader = leader
        self._led: int | None = None
        self._phase = 0
        self._drawn = -1
        self._moves: tuple[int, ...] = ()
        self._buried: tuple[tuple[tuple[int, int], ...], ...] = ((), ())
        self._won = 0
        self._extra = extra
        self.log.append(("deal", number, leader, tuple(first), tuple(second), up, self._deck))

    def legal(self) -> Sequence[int]:
        """The cards that may be played, or the choices that a 3 or a 5 leaves."""
        hand = self._hands[self.seat]  # type: ignore[index]
        phase, led = self._phase, self._led
        if phase:
            t, k, m = _CHOICES[phase]
            choices = t[hand & LOW] + k[hand >> 11 & LOW] + m[hand >> 22]
            return choices if phase == BURY else (*choices, KEEP)
        if led is not None:
            suit = led // SUIT
            follow = hand >> suit * SUIT & LOW
            if follow:
                return _BITS[suit][_HIGHEST_OR_ONE[follow] if led % SUIT == 10 else follow]
        return _TOWERS[hand & LOW] + _KEYS[hand >> 11 & LOW] + _MOONS[hand >> 22]

    def apply(self, action: int) -> None:
        """Plays a card, or carries out what a 3 or a 5 allows."""
        seat: int = self.seat  # type: ignore[assignment]
        if action < CARDS:
            self._moves += (seat * SEAT + action,)
            self._hands[seat] ^= 1 << action
            if _ABILITY[action]:
                self._begin_ability(seat, action)
                return
        else:
            action = self._finish_ability(seat, action)
        led = self._led
        if led is None:
            self._led = action
            self.seat = 1 - seat
            return
        leader = self._leader
        winner = leader if LED_WINS[self._up // SUIT][led][action] else seat
        self._won += 16 if winner else 1
        sevens = _IS_SEVEN[led] + _IS_SEVEN[action]
        if sevens:
            extra = self._extra
            self._extra = (extra[0], extra[1] + sevens) if winner else (extra[0] + sevens, extra[1])
        self.log.append(("trick", winner))
        # docs/rules/vole: whoever plays a 1 and loses the trick leads the next
        lost = action if winner == leader else led
        self.seat = self._leader = winner if lost % SUIT else 1 - winner
        self._led = None
        if not self._hands[0]:
            self._finish_round()

    def _begin_ability(self, seat: int, card: int) -> None:
        """A 3 or a 5 was played: its player decides on before the next card."""
        self._phase = _ABILITY[card]
        if self._phase == BURY:
            self._drawn, self._deck = self._deck[0], self._deck[1:]
            self._hands[seat] |= 1 << self._drawn

    def _finish_ability(self, seat: int, action: int) -> int:
        """What a 3 or a 5 allows is done; returns that 3 or 5."""
        card = self._moves[-1] % SEAT
        self._phase = 0
        if action >= BURY:
            buried = action - BURY
            self._hands[seat] ^= 1 << buried
            self._deck += (buried,)
            own = (*self._buried[seat], (self._drawn, buried))
            self._buried = (self._buried[0], own) if seat else (own, self._buried[1])
            self._drawn = -1
            action = HIDDEN
        elif action != KEEP:
            given = action - SWAP
            self._hands[seat] ^= 1 << given | 1 << self._up
            self._up = given
        self._moves += (seat * SEAT + action,)
        return card

    def _finish_round(self) -> None:
        options, number, _, _, scores, _ = self._facts[0]
        won, extra = (self._won & 15, self._won >> 4), self._extra
        points = TRICK_POINTS[won[0]], TRICK_POINTS[won[1]]
        if options.sevens == "round":
            points = points[0] + extra[0], points[1] + extra[1]
            extra = (0, 0)
        scores = scores[0] + points[0], scores[1] + points[1]
        self._points = points
        self.log.append(("score", number, points, scores))
        past = [
            (*facts[3], (facts[2], self._moves, buried, won, points))
            for facts, buried in zip(self._facts, self._buried, strict=True)
        ]
        if max(scores) < options.target and number < options.max_rounds:
            self._deal(number + 1, (past[0], past[1]), scores, extra)
            return
        self.seat = None
        self._moves = ()
        self._buried = ((), ())
        self._extra = (0, 0)
        scores = scores[0] + extra[0], scores[1] + extra[1]
        first, second = [
            (options, number, facts[2], seen, scores, True) for facts, seen in zip(self._facts, past, strict=True)
        ]
        self._facts = first, second

    def view(self, seat: int) -> VoleView:
        """What the seat may know."""
        return _new(
            VoleView,
            (
                seat,
                self._facts[seat],
                self._hands[seat],
                self._up,
                self._led,
                self._moves,
                self._won,
                self._buried[seat],
                self._extra,
            ),
        )

    def copy(self) -> "VoleState":
        """A state of its own that goes on from here, with an empty log."""
        new = VoleState.__new__(VoleState)
        new.log = []
        new.seat = self.seat
        new._hands = self._hands.copy()
        new._buried = self._buried
        new._deck = self._deck
        new._drawn = self._drawn
        new._extra = self._extra
        new._facts = self._facts
        new._leader = self._leader
        new._leaders = self._leaders
        new._led = self._led
        new._moves = self._moves
        new._options = self._options
        new._phase = self._phase
        new._points = self._points
        new._seed = self._seed
        new._up = self._up
        new._won = self._won
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        """The points so far; with `sevens = "game"` the extra points join them at the end."""
        scores: tuple[int, int] = self._facts[0][4]
        return scores

    @property
    def places(self) -> tuple[int, ...]:
        """By points; equal points go by the points of the last round's `score`."""
        return places_by(list(zip(self.scores, self._points, strict=True)))


class Vole(Game):
    """The rules of The Vole in the Valley."""

    name = "vole"
    title = "The Vole in the Valley"
    rules = "docs/rules/vole.md"
    seats = range(2, 3)
    Options = VoleOptions
    actions = ("play:CARD", "swap:CARD", "keep", "bury:CARD")
    names = (
        *[f"play:{card}" for card in VOLE.names],
        *[f"swap:{card}" for card in VOLE.names],
        "keep",
        *[f"bury:{card}" for card in VOLE.names],
    )

    def start(self, seats: int, options: VoleOptions, seed: int) -> VoleState:
        """A new match."""
        return VoleState(options, seed)

    def imagine(self, view: VoleView, rng: Random) -> VoleState:
        """A state in which the other seat's hand, the deck and its order, and hidden burials fit the view."""
        if view.over:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        return _imagine(view, rng)

    def event(self, entry: Entry) -> dict[str, Any]:
        """A deal, a trick or a score, as an event of the trace."""
        match entry:
            case ("deal", number, leader, first, second, up, deck):
                hands = [VOLE.texts(first), VOLE.texts(second)]
                return {
                    "kind": "deal",
                    "round": number,
                    "leader": leader,
                    "hands": hands,
                    "up": VOLE.text(up),
                    "deck": VOLE.texts(deck),
                }
            case ("trick", winner):
                return {"kind": "trick", "winner": winner}
            case ("score", number, points, scores):
                return {"kind": "score", "round": number, "points": list(points), "scores": list(scores)}
        raise AssertionError(f"unknown entry {entry}")


def _round(entry: tuple[Any, ...]) -> Round:
    (leader, up, dealt), moves, buried, won, points = entry
    return Round(leader, _cards(dealt), up, _vole.steps(moves), buried, won, points)


def _history(
    leader: int, dealt: list[str], up: int, moves: tuple[int, ...], buried: tuple[tuple[int, int], ...]
) -> dict[str, Any]:
    """A round for JSON: what was played and chosen in order, and the tricks that came of it."""
    steps = [
        {"seat": seat, "action": "bury" if action == HIDDEN else Vole.names[action]}
        for seat, action in _vole.steps(moves)
    ]
    return {
        "leader": leader,
        "dealt": dealt,
        "up": VOLE.text(up),
        "steps": steps,
        "tricks": [
            {"leader": trick.leader, "cards": VOLE.texts(list(trick.cards)), "winner": trick.winner}
            for trick in _vole.tricks(leader, up, moves)
        ],
        "buried": [{"drew": VOLE.text(drew), "buried": VOLE.text(away)} for drew, away in buried],
    }


def _pending(moves: tuple[int, ...]) -> int:
    """The phase that a round is in: SWAP or BURY while a 3 or a 5 waits for its player's choice, else 0."""
    rank = moves[-1] % SEAT % SUIT if moves and moves[-1] % SEAT < CARDS else -1
    return SWAP if rank == 2 else BURY if rank == 4 else 0


def _own_drawn(view: VoleView) -> int:
    """The card that the view's seat has drawn and not answered with a burial yet."""
    _, up, hand = view._facts[2]
    pairs = list(view.buried)
    for seat, action in view.steps:
        if seat == view.seat:
            if action == HIDDEN:
                drew, away = pairs.pop(0)
                hand ^= 1 << drew ^ 1 << away
            elif action != KEEP:
                hand ^= 1 << action if action < CARDS else 1 << (action - SWAP) | 1 << up
        if SWAP <= action < KEEP:
            up = action - SWAP
    return int(view[2] ^ hand).bit_length() - 1


@lru_cache(maxsize=256)
def _past_of_other(me: int, entry: tuple[Any, ...]) -> tuple[Any, ...]:
    """A past round as the other seat may have known it: the same guess each time, since nothing depends on it."""
    start, moves, buried, won, points = entry
    hidden = _vole.fit(me, start[1], moves, 0, buried, Random(0))
    return (start[0], start[1], hidden.dealt), moves, hidden.buried, won, points


def _imagine(view: VoleView, rng: Random) -> VoleState:
    me, leader = view.seat, view.leader
    options, number, start, past, scores, _ = view._facts
    moves = view._moves
    hidden = _vole.fit(me, start[1], moves, view[2], view.buried, rng)

    def by_seat(mine: Any, others: Any) -> tuple[Any, Any]:
        return (others, mine) if me else (mine, others)

    new = VoleState.__new__(VoleState)
    new.log = []
    new._options = options
    new._seed = int(rng.random() * 2**53)
    new._hands = list(by_seat(view[2], hidden.hand))
    new._deck = hidden.deck
    new._up = view.up
    others_start = start[0], start[1], hidden.dealt
    others_past = tuple([_past_of_other(me, entry) for entry in past])
    new._facts = by_seat(view._facts, (options, number, others_start, others_past, scores, False))
    new._moves = moves
    new._buried = by_seat(view.buried, hidden.buried)
    new._won = view._won
    new._extra = view.extra
    new._points = (0, 0)
    new._leader = leader
    new._leaders = new._seed
    new._led = view.led
    new._phase = _pending(moves)
    new._drawn = -1
    if not new._phase:
        new.seat = leader if view.led is None else 1 - leader
        return new
    new.seat = moves[-1] // SEAT
    if new._phase == BURY:
        new._drawn = _own_drawn(view) if new.seat == me else hidden.drawn
    return new
