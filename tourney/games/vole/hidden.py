"""What a seat of The Vole in the Valley does not see of a round, drawn so that it fits all that the seat has seen."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from tourney.games.tricks import deal_out, mask_of
from tourney.games.vole.cards import CARDS, DECK, HIDDEN, KEEP, LOW, SUIT, SWAP
from tourney.games.vole.tricks import SEAT
from tourney.rng import shuffle


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
    """What the history of a round tells about the other seat: when it drew and buried, and what it could not hold.

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
        """Returns a mask of the cards that the other seat cannot have held all the time between the two times."""
        mask = 0
        for time, cards in self._lacked:
            if since < time < until:
                mask |= cards
        return mask


_EVER = 1 << 30
"""A time after the last step."""


def fit(
    me: int,
    up: int,
    moves: bytes,
    hand: int,
    buried: Sequence[tuple[int, int]],
    rng: Random,
) -> HiddenCards:
    """Returns what seat `me` does not see of a round, drawn at random so that it fits all that the seat sees.

    Args:
        me: The seat that sees.
        up: The trump card at the start of the round.
        moves: The history of the round.
        hand: The seat's own cards now, as a mask.
        buried: The cards that the seat itself (drew, buried).
        rng: Draws what is hidden.
    """
    seen = _Other(me, up, moves)
    known = hand | 1 << seen.up | seen.played
    for _, card in buried:
        known |= 1 << card
    unknown = [card for card in range(CARDS) if not known >> card & 1]
    size = len(unknown) - len(seen.burials) - (DECK - seen.drawn)
    for fates in _fates(seen, size, rng):
        if sum([kind == "hand" for kind, _ in fates]) > size:
            continue
        dealt = deal_out(unknown, _places(seen, fates, unknown, size), rng)
        if dealt is not None:
            return _filled(seen, fates, dealt, me, moves, buried, rng)
    raise AssertionError("no deal fits this history, which cannot be if it was played by the rules")


def _fates(seen: _Other, size: int, rng: Random) -> Iterator[tuple[tuple[str, int], ...]]:
    """Yields, in random order, what may have become of the cards that the other seat drew, a fate for each of them.

    A fate is ("hand", 0), ("burial", index of the burial) or ("spent", index of the card that was played or swapped).
    """
    choices: list[list[tuple[str, int]]] = []
    for time in seen.draws:
        fates = [("hand", 0)] * size
        fates += [("burial", i) for i, at in enumerate(seen.burials) if at > time]
        fates += [
            ("spent", i)
            for i, (at, card, own) in enumerate(seen.spent)
            if own and at > time and not seen.lacked(time, at) >> card & 1
        ]
        shuffle(fates, rng)
        choices.append(list(dict.fromkeys(fates)))
    # a card that was shown although an earlier void rules it out must have been drawn
    must = {("spent", i) for i, (at, card, own) in enumerate(seen.spent) if own and seen.lacked(-1, at) >> card & 1}
    yield from _distinct(choices, (), must)


def _distinct(
    choices: list[list[tuple[str, int]]], chosen: tuple[tuple[str, int], ...], must: set[tuple[str, int]]
) -> Iterator[tuple[tuple[str, int], ...]]:
    """Yields every way to choose a fate for each card such that no two share one, and all of `must` are among them."""
    if len(chosen) == len(choices):
        if must <= set(chosen):
            yield chosen
        return
    for fate in choices[len(chosen)]:
        if fate[0] == "hand" or fate not in chosen:
            yield from _distinct(choices, (*chosen, fate), must)


def _places(seen: _Other, fates: tuple[tuple[str, int], ...], unknown: list[int], size: int) -> list[tuple[int, int]]:
    """Returns where the unknown cards may lie, as `deal_out` takes it.

    The places are the hand but for drawn cards, each burial, the deck, and each drawn card that is still in the hand.
    """
    swapped = mask_of(list(seen.held))
    fresh = mask_of(unknown) & ~swapped

    def may(since: int, until: int) -> int:
        """Returns a mask of the cards held since the start, or swapped in, that may still have been held at `until`."""
        mask = fresh & ~seen.lacked(since, until)
        for card, time in seen.held.items():
            if time < until and not seen.lacked(time, until) >> card & 1:
                mask |= 1 << card
        return mask

    in_hand = [i for i, fate in enumerate(fates) if fate[0] == "hand"]
    places = [(size - len(in_hand), may(-1, _EVER))]
    for i, at in enumerate(seen.burials):
        source = fates.index(("burial", i)) if ("burial", i) in fates else None
        mask = may(-1, at) if source is None else fresh & ~seen.lacked(seen.draws[source], at)
        places.append((1, mask))
    places.append((DECK - seen.drawn, fresh))
    places.extend((1, fresh & ~seen.lacked(seen.draws[i], _EVER)) for i in in_hand)
    return places


def _filled(
    seen: _Other,
    fates: tuple[tuple[str, int], ...],
    dealt: list[list[int]],
    me: int,
    moves: bytes,
    buried: Sequence[tuple[int, int]],
    rng: Random,
) -> HiddenCards:
    """Returns what is hidden, by a deal of the unknown cards to their places."""
    burials = [cards[0] for cards in dealt[1 : 1 + len(seen.burials)]]
    deck = dealt[1 + len(seen.burials)]
    still_held = iter([cards[0] for cards in dealt[2 + len(seen.burials) :]])
    drawn = [
        next(still_held) if kind == "hand" else burials[i] if kind == "burial" else seen.spent[i][1]
        for kind, i in fates
    ]
    hand = mask_of(dealt[0])
    hand |= mask_of([card for (kind, _), card in zip(fates, drawn, strict=True) if kind == "hand"])
    shuffle(deck, rng)
    mine, others = iter([card for _, card in buried]), iter(burials)
    deck += [next(mine) if seat == me else next(others) for seat in seen.buried_by]
    pairs = tuple(zip(drawn, burials, strict=False))
    pending = drawn[-1] if len(drawn) > len(burials) else -1
    return HiddenCards(hand, _rewound(seen, hand, pairs, pending, me, moves), tuple(deck), pairs, pending)


def _rewound(seen: _Other, hand: int, pairs: tuple[tuple[int, int], ...], pending: int, me: int, moves: bytes) -> int:
    """Returns the other seat's hand at the start of the round, from its hand now, by undoing its steps."""
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
