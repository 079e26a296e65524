"""Draws a state of Voleur that fits what a seat knows."""

from collections.abc import Sequence
from functools import lru_cache
from random import Random
from typing import Any, Final

from tourney.contracts.rng import Permutations, seed_from, shuffle
from tourney.games.tricks import Deals, mask_of
from tourney.games.voleur.rules import CARDS, DEALT, DISCARDS, LOW, SUIT, TAKE, TRICKS
from tourney.games.voleur.state import VoleurState
from tourney.games.voleur.view import ScoredRound, VoleurOptions, VoleurTrick, VoleurView


def imagine(view: VoleurView, rng: Random) -> VoleurState:
    """Draws the hands and discards of the other seats and their secret picks; the match must not be over."""
    me, seats, turn = view.seat, len(view.scores), view.turn
    assert turn is not None
    new = VoleurState()
    new.log = []
    new.seat = turn
    new._seats = seats
    new._options, new._round, new._past, new._past_discards, new._facts = _known_rounds(view._facts, me, seats)
    new._phase, new._shown, new._leader = view._phase, view.up, view.leader
    new._tricks, new._table = view.tricks, view.on_table
    new._played = tuple([card for trick in view.tricks for card in trick.cards])
    new._scores, new._combinations = view.scores, view.combinations
    new._points = tuple([0 if each is None else each.points for each in view.combinations])
    new._orders = Permutations(CARDS, seed_from(rng), "cards")
    _fill(new, view, turn, rng)
    if view.phase == "play" and view.leader is None:
        # all seats before the one whose turn it is have picked a card for the simultaneous trick
        table = []
        for seat in range(turn):
            hand = new._hands[seat]
            card = view.on_table[0] if seat == me else hand[int(rng.random() * len(hand))]
            new._hands[seat] = tuple([other for other in hand if other != card])
            table.append(card)
        new._table = tuple(table)
    return new


_LAST: Final[list[Any]] = [None, -1, None]
"""The facts and the seat of the last view, and the result for them: a search asks for the same again and again.

Facts are compared by identity, since comparing their values takes longer with every round.
"""


def _known_rounds(facts: tuple[Any, ...], me: int, seats: int) -> tuple[Any, ...]:
    """The options, round, past rounds and discards of all seats that fit a view's facts, and the facts of each seat."""
    if _LAST[0] is not facts or _LAST[1] != me:
        options, number, past, own = facts
        discards = past_discards(me, seats, past, own)
        each = [(options, number, past, of_seat) for of_seat in discards]
        _LAST[:] = facts, me, (VoleurOptions(*options), number, past, discards, each)
    rounds: tuple[Any, ...] = _LAST[2]
    return rounds


def _fill(new: VoleurState, view: VoleurView, turn: int, rng: Random) -> None:
    """Deals the unseen cards: the others' cards and discards, and the trump card until it is turned up."""
    me, seats, phase = view.seat, len(view.scores), view.phase
    if phase == "discard":
        # whether the seat whose turn it is has made its first discard is not known
        sizes = [(TRICKS, DISCARDS) if seat < turn else (DEALT, 0) for seat in range(seats)]
    else:
        left = TRICKS - len(view.tricks)
        played = [seat for seat, _ in view.table] if view.leader is not None else []
        sizes = [(left - (seat in played), DISCARDS) for seat in range(seats)]
    others = [seat for seat in range(seats) if seat != me]
    if view.pile:
        unknown = [card for card in view.pile if card not in view.discards]
    else:
        seen = mask_of(view.hand + view.discards) | mask_of([card for _, card in view.table])
        for trick in view.tricks:
            seen |= mask_of(trick.cards)
        if view.up is not None:
            seen |= 1 << view.up
        unknown = [card for card in range(CARDS) if not seen >> card & 1]
    masks = may_hold(seats, view.trump or 0, view.tricks, view.leader, view.table)
    places = [(sizes[seat][0], masks[seat]) for seat in others] + [(sizes[seat][1], -1) for seat in others]
    if view.up is None:
        places.append((1, -1))
    dealt = _deals(tuple(unknown), tuple(places)).draw(rng)
    new._hands, new._discards = [()] * seats, [()] * seats
    new._hands[me], new._discards[me] = view.hand, view.discards
    for seat, hand, discards in zip(others, dealt, dealt[len(others) :], strict=False):
        shuffle(discards, rng)
        new._hands[seat], new._discards[seat] = tuple(sorted(hand)), tuple(discards)
    new._up = dealt[-1][0] if view.up is None else view.up


def may_hold(
    seats: int, trump: int, tricks: Sequence[VoleurTrick], led_by: int | None, table: Sequence[tuple[int, int]]
) -> list[int]:
    """The cards that each seat may still hold, as a mask, judged by its cards in led tricks.

    `led_by` is the seat that led the trick in progress, None for a simultaneous one, and `table` its (seat, card)s.
    """
    masks = [(1 << CARDS) - 1] * seats
    led_tricks = [(trick.leader, list(enumerate(trick.cards))) for trick in tricks if trick.leader is not None]
    if led_by is not None and table:
        led_tricks.append((led_by, list(table)))
    for leader, played in led_tricks:
        led = dict(played)[leader] // SUIT
        for seat, card in played:
            if card // SUIT != led:
                # docs/rules/voleur: who does not follow suit has none of it, and who then does not trump has no trump
                masks[seat] &= ~(LOW << led * SUIT)
                if card // SUIT != trump:
                    masks[seat] &= ~(LOW << trump * SUIT)
    return masks


@lru_cache(maxsize=16)
def _deals(cards: tuple[int, ...], places: tuple[tuple[int, int], ...]) -> Deals:
    """All deals of the cards to the places; a search asks for the same again and again."""
    deals = Deals(cards, places)
    assert deals.count, "no deal fits this history, which cannot be if it was played by the rules"
    return deals


@lru_cache(maxsize=256)
def past_discards(
    me: int, seats: int, past: tuple[ScoredRound, ...], own: tuple[tuple[int, ...], ...]
) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """A guess at each seat's discards in each past round; always the same, because nothing depends on it.

    `own` are the discards of seat `me`, which guesses.
    """
    guesses: list[list[tuple[int, ...]]] = [[] for _ in range(seats)]
    rng = Random(0)
    for known, mine in zip(past, own, strict=True):
        shown = [card for trick in known.tricks for card in trick.cards]
        pool = [card for card in range(CARDS) if card != known.up and card not in shown and card not in mine]
        shuffle(pool, rng)
        if known.privilege is not None and known.privilege - TAKE in pool:
            # a card that was taken, and that nobody had played, had been discarded
            taken = known.privilege - TAKE
            pool.remove(taken)
            pool.insert(int(rng.random() * DISCARDS * (seats - 1)), taken)
        for seat in range(seats):
            if seat == me:
                guesses[seat].append(mine)
            else:
                guesses[seat].append(tuple(pool[:DISCARDS]))
                pool = pool[DISCARDS:]
    return tuple([tuple(guess) for guess in guesses])
