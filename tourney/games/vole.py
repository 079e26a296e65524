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
from tourney.games._vole import BURY, CARDS, HAND, HIDDEN, KEEP, LED_WINS, LOW, SEAT, SUIT, SWAP, Trick
from tourney.rng import below, permutation

TRICK_POINTS = (6, 6, 6, 6, 1, 2, 3, 6, 6, 6, 0, 0, 0, 0)
"""What 0 … 13 tricks pay."""


def _subsets(first: int) -> list[tuple[int, ...]]:
    """For each mask of a suit's cards, the numbers of its bits, counted from `first`."""
    return [tuple([first + i for i in range(SUIT) if mask >> i & 1]) for mask in range(1 << SUIT)]


_BITS = _subsets(0), _subsets(SUIT), _subsets(2 * SUIT)
_SWAPS, _BURIES = (tuple(_subsets(base + suit * SUIT) for suit in range(3)) for base in (SWAP, BURY))
_HIGHEST_OR_ONE = [
    # docs/rules/vole: an 11 that is led compels the 1 of the suit or its highest card
    mask if not mask else (mask & 1) | (1 << (mask.bit_length() - 1))
    for mask in range(1 << SUIT)
]


def _cards(mask: int) -> tuple[int, ...]:
    """The cards of a mask, in order."""
    t, k, m = _BITS
    return t[mask & LOW] + k[mask >> SUIT & LOW] + m[mask >> 2 * SUIT]


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
    """Every (seat, action), in order; a card that the other seat buried is `HIDDEN`."""
    buried: tuple[tuple[int, int], ...]
    """The cards that the seat itself (drew, buried)."""
    won: tuple[int, int]
    points: tuple[int, int]


class VoleView(View):
    """What a seat may know: its hand, the trump card, everything played, tricks, scores, its own buried cards."""

    __slots__ = ()

    options: VoleOptions = property(itemgetter(1))  # type: ignore[assignment]
    round: int = property(itemgetter(2))  # type: ignore[assignment]
    up: int = property(itemgetter(4))  # type: ignore[assignment]
    """The trump card."""
    won: tuple[int, int] = property(itemgetter(7))  # type: ignore[assignment]
    """Tricks won in this round by each seat."""
    scores: tuple[int, int] = property(itemgetter(8))  # type: ignore[assignment]
    extra: tuple[int, int] = property(itemgetter(9))  # type: ignore[assignment]
    """Points for 7s that are still to be added at the end of the match."""
    buried: tuple[tuple[int, int], ...] = property(itemgetter(10))  # type: ignore[assignment]
    """The cards that the seat itself (drew, buried) in this round; not yet the card that it is about to bury."""
    led: int | None = property(itemgetter(12))  # type: ignore[assignment]
    """The card that was led to the trick in progress; None while there is none."""
    deck: int = property(itemgetter(13))  # type: ignore[assignment]
    """How many cards the deck holds."""
    over: bool = property(itemgetter(15))  # type: ignore[assignment]
    """Whether the match is over."""

    @property
    def hand(self) -> tuple[int, ...]:
        """The seat's cards, in order."""
        return _cards(self[3])

    @property
    def trump(self) -> int:
        """The trump suit: 0 towers, 1 keys, 2 moons."""
        return int(self[4]) // SUIT

    @property
    def other_hand(self) -> int:
        """How many cards the other seat holds."""
        return int(self[14])

    @property
    def steps(self) -> tuple[tuple[int, int], ...]:
        """Every (seat, action) of this round, in order; a card that the other seat buried is `HIDDEN`."""
        return _vole.steps(self[5])

    @property
    def tricks(self) -> tuple[Trick, ...]:
        """The tricks of this round that are over, in order."""
        leader, up, _ = self[6]
        return _vole.tricks(leader, up, self[5])

    @property
    def leader(self) -> int:
        """The seat that leads, or led, the trick in progress."""
        tricks = self.tricks
        return _vole.next_leader(tricks[-1]) if tricks else int(self[6][0])

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The rounds that are over, in order."""
        return tuple([_round(entry) for entry in self[11]])

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON, cards and actions as text."""
        leader, up, dealt = self[6]
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
            "now": _history(leader, VOLE.texts(_cards(dealt)), up, self[5], self.buried),
            "rounds": [
                _history(past.leader, VOLE.texts(past.dealt), past.up, moves, past.buried)
                | {"points": list(past.points)}
                for past, moves in zip(self.rounds, [entry[1] for entry in self[11]], strict=True)
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
        "_hands",
        "_leader",
        "_led",
        "_moves",
        "_options",
        "_past",
        "_phase",
        "_points",
        "_round",
        "_scores",
        "_seed",
        "_start",
        "_up",
        "_won",
    )

    def __init__(self, options: VoleOptions, seed: int) -> None:
        self.log = []
        self._options = options
        self._seed = seed
        self._round = 0
        self._scores = (0, 0)
        self._extra = (0, 0)
        self._points = (0, 0)
        self._past: tuple[tuple[Any, ...], tuple[Any, ...]] = ((), ())
        self._deal()

    def _deal(self) -> None:
        self._round += 1
        order = permutation(CARDS, self._seed, "cards", self._round)
        leader = below(2, self._seed, "leader", self._round)
        hands = sum([1 << card for card in order[:HAND]]), sum([1 << card for card in order[HAND : 2 * HAND]])
        up = order[2 * HAND]
        self._hands = list(hands)
        self._up = up
        self._deck = tuple(order[2 * HAND + 1 :])
        self._start = (leader, up, hands[0]), (leader, up, hands[1])
        self._begin(leader)
        self.log.append(
            ("deal", self._round, leader, tuple(order[:HAND]), tuple(order[HAND : 2 * HAND]), up, self._deck)
        )

    def _begin(self, leader: int) -> None:
        self.seat = self._leader = leader
        self._led: int | None = None
        self._phase = 0
        self._drawn = -1
        self._moves: tuple[int, ...] = ()
        self._buried: tuple[tuple[tuple[int, int], ...], ...] = ((), ())
        self._won = (0, 0)

    def legal(self) -> Sequence[int]:
        """The cards that may be played, or the choices that a 3 or a 5 leaves."""
        assert self.seat is not None
        hand = self._hands[self.seat]
        if not self._phase:
            led = self._led
            if led is not None:
                suit = led // SUIT
                follow = hand >> suit * SUIT & LOW
                if follow:
                    return _BITS[suit][_HIGHEST_OR_ONE[follow] if led % SUIT == 10 else follow]
            t, k, m = _BITS
            return t[hand & LOW] + k[hand >> SUIT & LOW] + m[hand >> 2 * SUIT]
        if self._phase == SWAP:
            t, k, m = _SWAPS
            return t[hand & LOW] + k[hand >> SUIT & LOW] + m[hand >> 2 * SUIT] + (KEEP,)
        t, k, m = _BURIES
        return t[hand & LOW] + k[hand >> SUIT & LOW] + m[hand >> 2 * SUIT]

    def apply(self, action: int) -> None:
        """Plays a card, or carries out what a 3 or a 5 allows."""
        seat = self.seat
        assert seat is not None
        if action < CARDS:
            self._moves += (seat * SEAT + action,)
            self._hands[seat] ^= 1 << action
            rank = action % SUIT
            if rank in (2, 4):
                self._ability(seat, action, SWAP if rank == 2 else BURY)
                return
            card = action
        else:
            card = self._resolve(seat, action)
        if self._led is None:
            self._led = card
            self.seat = 1 - seat
        else:
            self._finish_trick(self._led, card)

    def _ability(self, seat: int, card: int, phase: int) -> None:
        """A 3 or a 5 was played: its player decides on before the next card."""
        self._phase = phase
        if phase == BURY:
            self._drawn, self._deck = self._deck[0], self._deck[1:]
            self._hands[seat] |= 1 << self._drawn

    def _resolve(self, seat: int, action: int) -> int:
        """What a 3 or a 5 allows is done; returns that 3 or 5."""
        card = self._moves[-1] % SEAT
        self._phase = 0
        if action >= BURY:
            buried = action - BURY
            self._hands[seat] ^= 1 << buried
            self._deck += (buried,)
            own = self._buried[seat] + ((self._drawn, buried),)
            self._buried = (own, self._buried[1]) if seat == 0 else (self._buried[0], own)
            self._drawn = -1
            action = HIDDEN
        elif action != KEEP:
            given = action - SWAP
            self._hands[seat] ^= 1 << given | 1 << self._up
            self._up = given
        self._moves += (seat * SEAT + action,)
        return card

    def _finish_trick(self, led: int, card: int) -> None:
        leader = self._leader
        winner = leader if LED_WINS[self._up // SUIT][led][card] else 1 - leader
        won = self._won
        self._won = (won[0] + 1, won[1]) if winner == 0 else (won[0], won[1] + 1)
        sevens = (led % SUIT == 6) + (card % SUIT == 6)
        if sevens:
            extra = self._extra
            self._extra = (extra[0] + sevens, extra[1]) if winner == 0 else (extra[0], extra[1] + sevens)
        self.log.append(("trick", winner))
        lost = card if winner == leader else led
        # docs/rules/vole: whoever plays a 1 and loses the trick leads the next
        self.seat = self._leader = winner if lost % SUIT else 1 - winner
        self._led = None
        if not self._hands[0]:
            self._finish_round()

    def _finish_round(self) -> None:
        options = self._options
        points = TRICK_POINTS[self._won[0]], TRICK_POINTS[self._won[1]]
        if options.sevens == "round":
            points = points[0] + self._extra[0], points[1] + self._extra[1]
            self._extra = (0, 0)
        self._points = points
        self._scores = self._scores[0] + points[0], self._scores[1] + points[1]
        self.log.append(("score", self._round, points, self._scores))
        past = [
            (*seen, (start, self._moves, buried, self._won, points))
            for seen, start, buried in zip(self._past, self._start, self._buried, strict=True)
        ]
        self._past = past[0], past[1]
        if max(self._scores) < options.target and self._round < options.max_rounds:
            self._deal()
            return
        self.seat = None
        self._scores = self._scores[0] + self._extra[0], self._scores[1] + self._extra[1]
        self._extra = (0, 0)
        self._moves = ()
        self._buried = ((), ())

    def view(self, seat: int) -> VoleView:
        """What the seat may know."""
        hands = self._hands
        return tuple.__new__(
            VoleView,
            (
                seat,
                self._options,
                self._round,
                hands[seat],
                self._up,
                self._moves,
                self._start[seat],
                self._won,
                self._scores,
                self._extra,
                self._buried[seat],
                self._past[seat],
                self._led,
                len(self._deck),
                hands[1 - seat].bit_count(),
                self.seat is None,
            ),
        )

    def copy(self) -> "VoleState":
        """A state of its own that goes on from here, with an empty log."""
        new = VoleState.__new__(VoleState)
        new.seat = self.seat
        new.log = []
        for slot in VoleState.__slots__:
            setattr(new, slot, getattr(self, slot))
        new._hands = self._hands.copy()
        return new

    @property
    def scores(self) -> tuple[int, ...]:
        """The points so far; with `sevens = "game"` the extra points join them at the end."""
        return self._scores

    @property
    def places(self) -> tuple[int, ...]:
        """By points; equal points go by the points of the last round's `score`."""
        return places_by(list(zip(self._scores, self._points, strict=True)))


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
    _, up, hand = view[6]
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
    return int(view[3] ^ hand).bit_length() - 1


@lru_cache(maxsize=256)
def _past_of_other(me: int, entry: tuple[Any, ...]) -> tuple[Any, ...]:
    """A past round as the other seat may have known it: the same guess each time, since nothing depends on it."""
    start, moves, buried, won, points = entry
    hidden = _vole.fit(me, start, moves, 0, buried, Random(0))
    return (start[0], start[1], hidden.dealt), moves, hidden.buried, won, points


def _imagine(view: VoleView, rng: Random) -> VoleState:
    me, leader = view.seat, view.leader
    start, moves = view[6], view[5]
    hidden = _vole.fit(me, start, moves, view[3], view.buried, rng)

    def by_seat(mine: Any, others: Any) -> tuple[Any, Any]:
        return (mine, others) if me == 0 else (others, mine)

    new = VoleState.__new__(VoleState)
    new.log = []
    new._options = view.options
    new._seed = int(rng.random() * 2**53)
    new._round = view.round
    new._hands = list(by_seat(view[3], hidden.hand))
    new._deck = hidden.deck
    new._up = view.up
    new._start = by_seat(start, (start[0], start[1], hidden.dealt))
    new._moves = moves
    new._buried = by_seat(view.buried, hidden.buried)
    new._past = by_seat(view[11], tuple([_past_of_other(me, entry) for entry in view[11]]))
    new._won, new._scores, new._extra = view.won, view.scores, view.extra
    new._points = (0, 0)
    new._leader = leader
    new._phase = _pending(moves)
    if new._phase:
        new.seat = moves[-1] // SEAT
        new._led = view.led
        new._drawn = -1 if new._phase == SWAP else _own_drawn(view) if new.seat == me else hidden.drawn
    else:
        new._led = view.led
        new.seat = leader if view.led is None else 1 - leader
        new._drawn = -1
    return new
