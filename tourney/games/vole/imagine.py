"""Draws a state of The Vole in the Valley that fits what a seat knows."""

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

from tourney.contracts.rng import Permutations, pick, pick_index, seed_from, shuffle
from tourney.games.tricks import Deals, mask_of
from tourney.games.vole.rules import BURY, CARDS, DECK, HIDDEN, KEEP, LOW, SEAT, SUIT, SWAP, pending
from tourney.games.vole.state import VoleState
from tourney.games.vole.view import VoleView


def imagine(view: VoleView, rng: Random) -> VoleState:
    """Draws the hand of the other seat, the order of the deck, and hidden burials; the match must not be over."""
    me, leader = view.seat, view.leader
    options, number, start, past, scores, _ = view._facts
    moves = view._moves
    hidden = _ways_to_fit(me, start[1], moves, view.hand_mask, view.buried).draw(rng)

    def by_seat(mine: Any, others: Any) -> tuple[Any, Any]:
        return (others, mine) if me else (mine, others)

    new = VoleState()
    new.log = []
    new._options = view.options
    new._seed = seed_from(rng)
    new._orders = Permutations(CARDS, new._seed, "cards")
    new._hands = list(by_seat(view.hand_mask, hidden.hand))
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
    new._led = -1 if view.led is None else view.led
    new._phase = pending(moves)
    new._drawn = -1
    if not new._phase:
        new.seat = leader if view.led is None else 1 - leader
        return new
    new.seat = moves[-1] // SEAT
    if new._phase == BURY:
        new._drawn = _own_drawn(view) if new.seat == me else hidden.drawn
    return new


def _own_drawn(view: VoleView) -> int:
    """The card that the view's seat has drawn for a 5 and not yet buried another for."""
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
    return int(view.hand_mask ^ hand).bit_length() - 1


@lru_cache(maxsize=256)
def _past_of_other(me: int, entry: tuple[Any, ...]) -> tuple[Any, ...]:
    """A past round as the other seat may have known it; always the same guess, since nothing depends on it."""
    start, moves, buried, won, points = entry
    hidden = _ways_to_fit(me, start[1], moves, 0, buried).draw(Random(0))
    return (start[0], start[1], hidden.dealt), moves, hidden.buried, won, points


class HiddenCards(NamedTuple):
    """All cards of a round that a seat does not see, as they may lie."""

    hand: int
    """The other seat's cards now, as a mask."""
    dealt: int
    """The other seat's cards at the start of the round, as a mask."""
    deck: tuple[int, ...]
    """The deck, top card first."""
    buried: tuple[tuple[int, int], ...]
    """The cards that the other seat (drew, buried)."""
    drawn: int
    """The card that the other seat has drawn for a 5 and not yet buried another for; -1 if there is none."""


class _Other:
    """The other seat's part in a round's history: when it drew and buried, and which cards it cannot have held.

    A time is the index of a step in the history.
    """

    def __init__(self, me: int, up: int, moves: bytes) -> None:
        self.draws: list[int] = []
        self.burials: list[int] = []
        self.spent: list[tuple[int, int, bool]] = []  # (time, card, whether it was not swapped in)
        self.swaps: dict[int, tuple[int, int]] = {}  # time -> (card given, card taken)
        self.held: dict[int, int] = {}  # cards swapped in and not shown since -> time
        self.drawn = 0  # cards drawn from the deck, by both seats
        self.buried_by: list[int] = []  # the seats that buried, in order
        self.played = 0
        self._lacked: list[tuple[int, int]] = []  # (time, mask of cards that were not in the hand then)
        led: int | None = None
        for time, move in enumerate(moves):
            seat, action = divmod(move, SEAT)
            if action < CARDS:
                self.played |= 1 << action
                self.drawn += action % SUIT == 4
                if seat != me:
                    self._play(time, action, led)
                led = action if led is None else None
            elif action < KEEP:
                if seat != me:
                    self._swap(time, action - SWAP, up)
                up = action - SWAP
            elif action == HIDDEN:
                self.buried_by.append(seat)
                if seat != me:
                    self.burials.append(time)
        self.up = up

    def _play(self, time: int, card: int, led: int | None) -> None:
        self._spend(time, card)
        if card % SUIT == 4:
            self.draws.append(time)
        if led is None:
            return
        suit = led // SUIT
        if card // SUIT != suit:
            self._lacked.append((time, LOW << suit * SUIT))
        elif led % SUIT == 10 and card % SUIT:
            self._lacked.append((time, (LOW << suit * SUIT) & -(2 << card)))

    def _swap(self, time: int, given: int, taken: int) -> None:
        self._spend(time, given)
        self.swaps[time] = given, taken
        self.held[taken] = time

    def _spend(self, time: int, card: int) -> None:
        self.spent.append((time, card, card not in self.held))
        self.held.pop(card, None)

    def lacked(self, since: int, until: int) -> int:
        """A mask of the cards that the other seat cannot have held all the time between the two times."""
        mask = 0
        for time, cards in self._lacked:
            if since < time < until:
                mask |= cards
        return mask


_EVER = 1 << 30
"""A time after the last step."""


@lru_cache(maxsize=16)
def _ways_to_fit(me: int, up: int, moves: bytes, hand: int, buried: tuple[tuple[int, int], ...]) -> "_Ways":
    """All ways to fit seat `me`'s view of a round; cached, because a search asks again and again.

    A way is a hand of the other seat, an order of the deck, and what the other seat drew and buried. `up` is the trump
    card at the start of the round, `hand` the seat's current cards, `buried` the cards it (drew, buried).
    """
    return _Ways(me, up, moves, hand, buried)


_HAND = -1
_SPENT = -2
"""The possible fates of a drawn card, other than the index of the burial that put it away."""


class _Ways:
    """All ways in which the hidden cards of a round may lie, counted by the fates of the drawn cards."""

    def __init__(self, me: int, up: int, moves: bytes, hand: int, buried: tuple[tuple[int, int], ...]) -> None:
        self._me, self._moves, self._buried = me, moves, buried
        self._seen = seen = _Other(me, up, moves)
        known = hand | 1 << seen.up | seen.played
        for _, card in buried:
            known |= 1 << card
        unknown = [card for card in range(CARDS) if not known >> card & 1]
        size = len(unknown) - len(seen.burials) - (DECK - seen.drawn)
        self._totals: list[int] = []
        self._choices: list[tuple[tuple[int, ...], list[tuple[int, ...]], Deals]] = []
        total = 0
        for fates in _fates(seen, size):
            spent = _spent(seen, fates)
            if spent:
                deals = Deals(unknown, _places(seen, fates, unknown, size))
                if deals.count:
                    total += deals.count * len(spent)
                    self._totals.append(total)
                    self._choices.append((fates, spent, deals))
        assert total, "no deal fits this history, which cannot be if it was played by the rules"

    def draw(self, rng: Random) -> HiddenCards:
        seen = self._seen
        fates, spent, deals = self._choices[pick_index(self._totals, rng)]
        burials_end = 1 + len(seen.burials)
        dealt = deals.draw(rng)
        burials = [cards[0] for cards in dealt[1:burials_end]]
        deck = dealt[burials_end]
        in_hand = [cards[0] for cards in dealt[burials_end + 1 :]]
        hand = mask_of(dealt[0] + in_hand)
        left, shown = iter(in_hand), iter(pick(spent, rng))
        drawn = [next(left) if fate == _HAND else next(shown) if fate == _SPENT else burials[fate] for fate in fates]
        shuffle(deck, rng)
        mine, others = iter([card for _, card in self._buried]), iter(burials)
        deck += [next(mine) if seat == self._me else next(others) for seat in seen.buried_by]
        pairs = tuple(zip(drawn, burials, strict=False))
        pending = drawn[-1] if len(drawn) > len(burials) else -1
        dealt_hand = _rewound(seen, hand, pairs, pending, self._me, self._moves)
        return HiddenCards(hand, dealt_hand, tuple(deck), pairs, pending)


def _fates(seen: _Other, size: int) -> Iterator[tuple[int, ...]]:
    """Every way in which the drawn cards may be in the other seat's hand of `size` cards, buried or spent."""
    choices = [[_HAND, _SPENT, *[i for i, at in enumerate(seen.burials) if at > time]] for time in seen.draws]
    for fates in product(*choices):
        buried = [fate for fate in fates if fate >= 0]
        if len(set(buried)) == len(buried) and fates.count(_HAND) <= size:
            yield fates


def _spent(seen: _Other, fates: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Every choice of the cards that the drawn ones among them may be which were played or swapped away."""
    # a card that was shown although an earlier void rules it out must have been drawn
    must = {card for at, card, own in seen.spent if own and seen.lacked(-1, at) >> card & 1}
    choices = [
        [card for at, card, own in seen.spent if own and at > time and not seen.lacked(time, at) >> card & 1]
        for time, fate in zip(seen.draws, fates, strict=True)
        if fate == _SPENT
    ]
    return [cards for cards in product(*choices) if len(set(cards)) == len(cards) and must <= set(cards)]


def _places(seen: _Other, fates: tuple[int, ...], unknown: list[int], size: int) -> list[tuple[int, int]]:
    """The possible places of the unknown cards, as `Deals` takes them.

    The places are the hand without drawn cards, each burial, the deck, and each drawn card that is still in the hand.
    """
    swapped = mask_of(list(seen.held))
    fresh = mask_of(unknown) & ~swapped

    def may(since: int, until: int) -> int:
        """A mask of the cards held since the start, or swapped in, that may still have been held at `until`."""
        mask = fresh & ~seen.lacked(since, until)
        for card, time in seen.held.items():
            if time < until and not seen.lacked(time, until) >> card & 1:
                mask |= 1 << card
        return mask

    in_hand = [time for time, fate in zip(seen.draws, fates, strict=True) if fate == _HAND]
    places = [(size - len(in_hand), may(-1, _EVER))]
    for i, at in enumerate(seen.burials):
        mask = fresh & ~seen.lacked(seen.draws[fates.index(i)], at) if i in fates else may(-1, at)
        places.append((1, mask))
    places.append((DECK - seen.drawn, fresh))
    places.extend((1, fresh & ~seen.lacked(time, _EVER)) for time in in_hand)
    return places


def _rewound(seen: _Other, hand: int, pairs: tuple[tuple[int, int], ...], pending: int, me: int, moves: bytes) -> int:
    if pending >= 0:
        hand ^= 1 << pending
    left = list(pairs)
    for time in range(len(moves) - 1, -1, -1):
        seat, action = divmod(moves[time], SEAT)
        if seat == me:
            continue
        if action < CARDS:
            hand |= 1 << action
        elif action < KEEP:
            given, taken = seen.swaps[time]
            hand ^= 1 << given | 1 << taken
        elif action == HIDDEN:
            drew, away = left.pop()
            hand = (hand | 1 << away) & ~(1 << drew)
    return hand
