"""Positions of Le Léon: states set up from facts. See docs/rules/leon.md."""

from collections.abc import Mapping, Sequence
from typing import Any

from tourney.contracts.cards import LEON as DECK
from tourney.games.leon.rules import BARE, NAMES, REPENTED, SANCTIONS, SUIT, SUIT_OF, X
from tourney.games.leon.state import LeonState
from tourney.games.leon.view import LeonOptions, tricks_of
from tourney.games.tricks import mask_of


def position(
    seats: int, options: LeonOptions, *, hands: Sequence[str], up: str, trump: str | None = None, phase: str = "play",
    dealer: int | None = None, leader: int | None = None, bids: Sequence[int | None] | None = None, plays: str = "",
    won: Sequence[int] | None = None, sanctions: Sequence[Mapping[str, Any]] = (),
    revokes: Sequence[Mapping[str, Any]] = (), asked: Sequence[Mapping[str, Any]] = (),
    confessed: Sequence[Mapping[str, Any]] = (), silent: Sequence[Mapping[str, Any]] = (),
    round: int | None = None,  # noqa: A002 - facts have the names of the rules page
    scores: Sequence[int] | None = None, over: bool = False, seed: int = 0,
) -> LeonState:  # fmt: skip
    """The state with these facts, which docs/rules/leon.md describes under "Positions"."""
    state = LeonState()
    state.begin(seats, options, seed)
    state.log.clear()
    state._hands = [mask_of(DECK.cards(hand)) for hand in hands]
    state._up = DECK.card(up)
    state._moves = bytes([NAMES.index(name) for name in plays.split()])
    state._dealer = seats - 1 if dealer is None else dealer
    dealt = (sum([len(hand.split()) for hand in hands]) + len(state._moves)) // seats
    state._round = dealt if round is None else round
    state._scores = tuple(scores or (0,) * seats)
    if trump is None:
        state._set_trump(-1 if state._up == X else state._up // SUIT)
    else:
        state._set_trump(DECK.suits.index(trump))
    done = tricks_of((state._dealer + 1) % seats, state._trump, seats, state._moves)
    state._leader = leader if leader is not None else done[-1].winner if done else (state._dealer + 1) % seats
    state._suit = _led(state._moves[len(done) * seats :])
    state._won = tuple(won or [[trick.winner for trick in done].count(seat) for seat in range(seats)])
    made = tuple(bids or (None,) * seats)
    secret = [(*(None,) * seat, bid, *(None,) * (seats - 1 - seat)) for seat, bid in enumerate(made)]
    state._bids = secret if state._attack else [made] * seats
    state._sanctions = tuple([(each["seat"], SANCTIONS.index(each["name"]), each["trick"]) for each in sanctions])
    state._refused, state._asked, state._silent = _revokes(revokes), _revokes(asked), _revokes(silent)
    state._fresh = tuple([(each["seat"], REPENTED, each["trick"]) for each in confessed])
    state._phase = phase
    state.seat = None if over else _turn(state, made)
    return state


def _turn(state: LeonState, bids: Sequence[int | None]) -> int:
    seats = len(bids)
    match state._phase:
        case "trump":
            return state._dealer
        case "bid":
            made = seats - bids.count(None)
            return made if state._attack else (state._leader + made) % seats
        case "confess":
            return state._asked[0][0]
    return (state._leader + len(state._moves)) % seats


def _led(trick: bytes) -> int:
    """The led suit of a trick in progress; -1 until a card has set it."""
    return next((SUIT_OF[action] for action in trick if action != BARE), -1)


def _revokes(given: Sequence[Mapping[str, Any]]) -> tuple[tuple[int, int], ...]:
    return tuple([(each["seat"], DECK.suits.index(each["suit"])) for each in given])
