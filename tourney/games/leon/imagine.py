"""Draws a state of Le Léon that fits what a seat knows."""

from functools import lru_cache
from random import Random

from tourney.contracts.rng import Permutations, seed_from
from tourney.games.leon.rules import CARDS, REPENTED, X
from tourney.games.leon.state import LeonState
from tourney.games.leon.view import LeonView, RoundHistory, history_of, largest_of
from tourney.games.tricks import Deals, mask_of


def imagine(view: LeonView, rng: Random) -> LeonState:
    """Draws the hands, secret bids and unnoticed revokes of the other seats; the match must not be over."""
    me, seats, turn = view.seat, view.seats, view.turn
    assert turn is not None
    history = history_of(view)
    new = LeonState()
    new.log = []
    new._seats = seats
    new._options, new._largest = view.options, largest_of(view.options, seats)
    new._attack, new._hidden = view.options.mode == "attack", history.hidden
    new._orders = Permutations(CARDS, seed_from(rng), "cards")
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
    """Each seat's knowledge of the bids; secret bids are drawn evenly from all possible ones."""
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
"""How many deals are drawn in search of one that gives every seat what it must hold, before such deals are counted."""


def _fit(history: RoundHistory, me: int, hand: int, rng: Random) -> list[int]:
    """Hands for all seats, as masks: one of all deals that fit seat `me`'s knowledge, each equally likely.

    `hand` is the seat's own hand.
    """
    deals, needs = _deals(history, me, hand)
    dealt = deals.draw(rng)
    tries = 1
    while not all([any([mask >> card & 1 for card in dealt[seat]]) for seat, mask in needs]):
        # drawing again is quicker than counting, which takes long where many seats must hold something
        dealt = (deals if tries < _TRIES else _needed_deals(history, me, hand)).draw(rng)
        tries += 1
    hands = [mask_of(cards) for cards in dealt]
    hands[me] = hand
    return hands


@lru_cache(maxsize=16)
def _deals(history: RoundHistory, me: int, hand: int) -> tuple[Deals, list[tuple[int, int]]]:
    """All deals to the seats that give none what it cannot hold, and each (seat, mask) of what it must hold.

    Nothing is dealt to seat `me`. A search asks for the same again and again.
    """
    cards, places, needs = _unseen(history, me, hand)
    return Deals(cards, places), needs


@lru_cache(maxsize=16)
def _needed_deals(history: RoundHistory, me: int, hand: int) -> Deals:
    deals = Deals(*_unseen(history, me, hand))
    assert deals.count, "no deal fits this history, which cannot be if it was played by the rules"
    return deals


def _unseen(
    history: RoundHistory, me: int, hand: int
) -> tuple[list[int], list[tuple[int, int]], list[tuple[int, int]]]:
    """What `Deals` takes: the cards that seat `me` does not see, where they may lie, and what is needed."""
    seats = history.seats
    out = hand | 1 << history.up
    sizes = [history.cards] * seats
    for _, seat, _, action in history.plays():
        out |= 1 << (action if action < X else X)
        sizes[seat] -= 1
    sizes[me] = 0
    unknown = [card for card in range(CARDS) if not out >> card & 1]
    may, must = history.deduced()
    needs = [(seat, mask) for seat in range(seats) for mask in must[seat] if seat != me]
    return unknown, list(zip(sizes, may, strict=True)), needs
