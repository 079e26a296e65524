"""States of Le Léon that fit what a seat sees: hands, secret bids and unnoticed revokes are filled in by chance."""

from itertools import pairwise
from random import Random

from tourney.games.leon.cards import ALL, CARDS, X
from tourney.games.leon.rounds import RoundHistory
from tourney.games.leon.scores import REPENTED
from tourney.games.leon.state import LeonState
from tourney.games.leon.view import LeonView, history_of, largest_of
from tourney.games.tricks import deal_out, mask_of
from tourney.rng import Permutations, shuffle


def imagine(view: LeonView, rng: Random) -> LeonState:
    """Returns a state in which hands, secret bids and unnoticed revokes of the other seats fit the view.

    Args:
        view: What the seat knows; the match must not be over.
        rng: Draws what the seat does not know.
    """
    me, seats, turn = view.seat, view.seats, view.turn
    assert turn is not None
    history = history_of(view)
    new = LeonState()
    new.log = []
    new._seats = seats
    new._options, new._largest = view.options, largest_of(view.options, seats)
    new._attack, new._hidden = view.options.mode == "attack", history.hidden
    new._orders = Permutations(CARDS, int(rng.random() * 2**53), "cards")
    new._round, new._dealer, new._leader = view.round, view.dealer, view.leader
    new._up, new._trump, new._facts = view.up, view.trump_suit, view._facts
    new._hands = _fit(history, me, view.hand_mask, rng)
    new._moves, new._won, new._scores, new._past = view._moves, view.won, view.scores, view.past
    new._sanctions = view.sanctioned
    new._phase, new.seat = view.phase, turn
    new._suit = -1 if view.led is None else view.led
    new._bids = _imagined_bids(view, turn, rng)
    new._refused = new._asked = new._silent = ()
    new._fresh = ()
    if history.hidden:
        _fill_revokes(new, history, me, rng)
    return new


def _imagined_bids(view: LeonView, turn: int, rng: Random) -> list[tuple[int | None, ...]]:
    """Returns what each seat knows of the bids; secret bids are drawn evenly from all that are possible."""
    seats = view.seats
    if view.options.mode != "attack":
        return [view.bids] * seats
    made = 0 if view.phase == "trump" else turn if view.phase == "bid" else seats
    known: list[tuple[int | None, ...]] = []
    for seat in range(seats):
        if seat == view.seat:
            known.append(view.bids)
            continue
        bid = int(rng.random() * (view.cards + 1)) if seat < made else None
        known.append((*(None,) * seat, bid, *(None,) * (seats - 1 - seat)))
    return known


def _fill_revokes(state: LeonState, history: RoundHistory, me: int, rng: Random) -> None:
    """Puts into the state the revokes that follow from its hands: a discard was one if the led suit is still held."""
    trick = len(state._moves) // state._seats
    for at, seat, suit in history.revokes(state._hands):
        if at == trick + 1:
            state._refused += ((seat, suit),)
        elif at < trick or state._phase != "confess":
            state._silent += ((seat, suit),)
        elif seat >= me:
            state._asked += ((seat, suit),)
        elif rng.random() < 0.5:  # asked before, it has answered already
            state._fresh += ((seat, REPENTED, trick),)
        else:
            state._silent += ((seat, suit),)
    state._asked = tuple(sorted(state._asked))


_TRIES = 20
"""How many deals are drawn in search of one that gives every seat what it must hold.

After that the cards that a seat must hold are dealt first, and deals are not evenly likely any more."""


def _fit(history: RoundHistory, me: int, hand: int, rng: Random) -> list[int]:
    """Returns hands for all seats, as masks, drawn at random so that they fit all that seat `me` knows.

    `hand` is the seat's own hand.
    """
    seats, moves = history.seats, history.moves
    out = hand | 1 << history.up
    sizes = [history.cards] * seats
    for _, seat, _, action in history.plays():
        out |= 1 << (action if action < X else X)
        sizes[seat] -= 1
    unknown = [card for card in range(CARDS) if not out >> card & 1]
    others = [seat for seat in range(seats) if seat != me]
    left = len(unknown) - sum([sizes[seat] for seat in others])
    may, must = history.deduced() if moves else ([ALL] * seats, [list[int]()] * seats)
    places = [(sizes[seat], may[seat]) for seat in others]
    wants = [(i, mask) for i, seat in enumerate(others) for mask in must[seat]]
    dealt = _dealt(unknown, [*places, (left, ALL)], wants, rng)
    hands = [0] * seats
    hands[me] = hand
    for seat, cards in zip(others, dealt, strict=False):
        hands[seat] = mask_of(cards)
    return hands


def _dealt(
    cards: list[int], places: list[tuple[int, int]], wants: list[tuple[int, int]], rng: Random
) -> list[list[int]]:
    """Deals the cards at random, such that hand i gets a card of the mask for each (i, mask) in `wants`.

    `places` are those of `deal_out`: for each hand its size, and the cards that it may hold as a mask.
    """
    free = all([mask == ALL for _, mask in places])
    for _ in range(_TRIES if wants else 1):
        dealt = _cut(cards, places, rng) if free else deal_out(cards, places, rng)
        assert dealt is not None, "no deal fits this history, which cannot be if it was played by the rules"
        if all([any([mask >> card & 1 for card in dealt[i]]) for i, mask in wants]):
            return dealt
    # a place of its own for each wanted card; the masks of one seat share no card
    rest = list(places)
    for i, _ in wants:
        rest[i] = rest[i][0] - 1, rest[i][1]
    dealt = deal_out(cards, rest + [(1, mask & places[i][1]) for i, mask in wants], rng)
    assert dealt is not None, "no deal fits this history, which cannot be if it was played by the rules"
    for (i, _), cards_of in zip(wants, dealt[len(places) :], strict=True):
        dealt[i] += cards_of
    return dealt[: len(places)]


def _cut(cards: list[int], places: list[tuple[int, int]], rng: Random) -> list[list[int]]:
    """Shuffles the cards in place and cuts them into hands of the places' sizes."""
    shuffle(cards, rng)
    ends = [0]
    for size, _ in places:
        ends.append(ends[-1] + size)
    return [cards[start:end] for start, end in pairwise(ends)]
