"""Draws a state of Cold Blooded that fits what a seat knows."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from tourney.contracts.rng import pick, seed_from, shuffle
from tourney.games.cold_blooded import rules as cb
from tourney.games.cold_blooded.rules import Step, card_of
from tourney.games.cold_blooded.state import ColdBloodedState
from tourney.games.cold_blooded.view import ColdBloodedView


def imagine(view: ColdBloodedView, rng: Random) -> ColdBloodedState:
    """Draws roles, cards and the question; the match must not be over."""
    seats = view.seats
    counts = view.options.deck.by_card()
    new = ColdBloodedState()
    new.log = []
    new._seed = seed_from(rng)
    new._seats = seats
    new.take_up(view)
    forced: dict[int, int] = {}
    new._phase, asked = view.phase_seen, view.mover
    if new._phase in (cb.ASK_SHELL, cb.ASK_SACRIFICE, cb.WAIT, cb.STAYED):
        new._phase, asked, forced = draw_question(view, counts, rng)
    elif new._phase in (cb.ANSWER, cb.ASK_SHOW):
        asked = view.aim
    new.seat = asked
    new._types = fill_cards(view.types, forced, counts, rng)
    new._roles = fill_roles(view.packed_roles, view.marked, view.cleared, seats, rng)
    new._assassins = cb.of_role([new._roles >> 2 * seat & 3 for seat in range(seats)], cb.ASSASSIN)
    two = new._last_assassin and not new._second and new._assassins >> new._mover & 1
    new._actions = 2 if two else 1
    new._knives = knife_offers(view.moves, new._types, view.seat, view.knives, rng)
    _settle_offer(new, view, rng)
    others = [_past_of_others(entry, view.seat, seats, counts) for entry in view.past]
    new._past = [view.past if seat == view.seat else tuple([past[seat] for past in others]) for seat in range(seats)]
    return new


def _settle_offer(new: ColdBloodedState, view: ColdBloodedView, rng: Random) -> None:
    new._knife = False
    if view.aim < 0 or new._hands[new._mover] < 0 or new._phase == cb.ASK_SHOW:
        return
    offer = max([i for i, step in enumerate(view.moves) if cb.TRADE <= step[1] < cb.SNIPER])
    if new._mover == view.seat:
        new._knife = offer in view.knives
    elif card_of(new._types, new._hands[new._mover]) == cb.KNIFE_CARD:
        new._knife = new._phase != cb.ANSWER or rng.random() < 0.5
        if new._knife:
            new._knives[new._mover] += (offer,)


_guesses: dict[tuple[int, int], tuple[tuple[Any, ...], tuple[Any, ...]]] = {}
"""Guesses by the identity of the entry, which is slow to hash (and stays alive in the value), and the seat."""


def _past_of_others(entry: tuple[Any, ...], me: int, seats: int, counts: tuple[int, ...]) -> tuple[Any, ...]:
    """Guesses a past game as each seat may have known it; always the same guess, since nothing depends on it."""
    key = id(entry), me
    if (guesses := _guesses.get(key)) is not None:
        return guesses[1]
    seen, roles, types, knives = entry
    *_, moves, known, marked, cleared = seen
    rng = Random(0)
    types = fill_cards(types, {}, counts, rng)
    roles = fill_roles(roles, marked, cleared, seats, rng)
    shown = sum([3 << 2 * seat for seat, code, _, _ in moves if code == cb.OUT and seat != cb.DUMMY])
    offers = knife_offers(moves, types, me, knives, rng)
    guess = tuple([(seen, roles & (shown | 3 << 2 * i), types & known[i], offers[i]) for i in range(seats)])
    if len(_guesses) >= 256:
        _guesses.clear()
    _guesses[key] = entry, guess
    return guess


def fill_cards(types: int, forced: dict[int, int], counts: Sequence[int], rng: Random) -> int:
    """Fills in all cards: the known `types` and the `forced` ones (token to card) stay, the others are drawn."""
    left = list(counts)
    unknown = []
    for token in range(sum(counts)):
        card = types >> 3 * token & 7
        if not card and token in forced:
            card = forced[token]
            types |= card << 3 * token
        if card:
            left[card - 1] -= 1
        else:
            unknown.append(token)
    shuffle(unknown, rng)
    at = 0
    for card, count in enumerate(left, 1):
        for token in unknown[at : at + count]:
            types |= card << 3 * token
        at += count
    return types


def fill_roles(roles: int, marked: int, cleared: int, seats: int, rng: Random) -> int:
    """Fills in all roles: known ones stay, `marked` seats are assassins, `cleared` ones are not, others are drawn."""
    left = cb.CAST[seats][1]
    free = []
    for seat in range(seats):
        role = roles >> 2 * seat & 3
        if not role and marked >> seat & 1:
            role = cb.ASSASSIN
            roles |= role << 2 * seat
        if role == cb.ASSASSIN:
            left -= 1
        elif not role:
            if cleared >> seat & 1:
                roles |= cb.GUARD << 2 * seat
            else:
                free.append(seat)
    shuffle(free, rng)
    for i, seat in enumerate(free):
        roles |= (cb.ASSASSIN if i < left else cb.GUARD) << 2 * seat
    return roles


def knife_offers(
    moves: tuple[Step, ...], types: int, seat: int, own: tuple[int, ...], rng: Random
) -> list[tuple[int, ...]]:
    """Draws for each place which of its trades in the history were knives; for the seat itself it is `own`.

    Knives of others are known once they were revealed. A declined trade of a knife's holder may have been either.
    """
    knives: list[tuple[int, ...]] = [()] * cb.PLACES
    offer = -1
    for i, (mover, code, _, _) in enumerate(moves):
        if cb.TRADE <= code < cb.SNIPER:
            offer = i
        elif cb.KNIFE <= code < cb.BOMB:
            knives[mover] += (offer,)
        elif code == cb.DECLINE:
            trader, _, token, _ = moves[offer]
            if card_of(types, token) == cb.KNIFE_CARD and rng.random() < 0.5:
                knives[trader] += (offer,)
    knives[seat] = own
    return knives


def draw_question(view: Any, counts: Sequence[int], rng: Random) -> tuple[int, int, dict[int, int]]:
    """Draws who is asked about an elimination that a seat sees pending: (phase, seat, the cards that this forces)."""
    types, hands = view.types, view.hands
    # the question itself reveals a card: a trade that is about to eliminate someone is a knife
    forced = {} if hands[view.mover] < 0 else {hands[view.mover]: cb.KNIFE_CARD}
    if view.phase_seen in (cb.ASK_SHELL, cb.ASK_SACRIFICE):
        return view.phase_seen, view.seat, forced
    left = list(counts)
    unknown = 0
    for token in range(sum(counts)):
        card = card_of(types, token) or forced.get(token, 0)
        if card:
            left[card - 1] -= 1
        else:
            unknown += 1
    choices = []
    for phase, seat, card in _possible_questions(view):
        token = hands[seat]
        known = card_of(types, token)
        weight = max(unknown, 1) if known == card else 0 if known else left[card - 1]
        if weight:
            choices.extend([(phase, seat, forced | {token: card})] * weight)
    return pick(choices, rng)


def _possible_questions(view: Any) -> Iterator[tuple[int, int, int]]:
    me, hands, mover, aim = view.seat, view.hands, view.mover, view.aim
    stayed = view.phase_seen == cb.STAYED
    if hands[mover] < 0 and not stayed and me != aim and hands[aim] >= 0:  # a sniper's card is played already
        yield cb.ASK_SHELL, aim, cb.SHELL_CARD
    order = cb.asked_order(view.seats, view.starts, aim)
    if me in order and stayed:
        order = order[order.index(me) + 1 :]
    elif me in order and card_of(view.types, hands[me]) == cb.SACRIFICE_CARD:
        order = order[: order.index(me)]
    for seat in order:
        if hands[seat] >= 0 and seat not in (me, mover):
            yield cb.ASK_SACRIFICE, seat, cb.SACRIFICE_CARD
