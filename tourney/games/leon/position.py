"""Positions of Le Léon: states set up from facts, and the facts of a state. See docs/rules/leon.md."""

from collections.abc import Mapping, Sequence
from typing import Any

from tourney.cards import LEON as DECK
from tourney.games.leon.cards import BARE, NAMES, SUIT, X, cards_of
from tourney.games.leon.rounds import tricks_of
from tourney.games.leon.scores import REPENTED, SANCTION_POINTS, SANCTIONS
from tourney.games.leon.state import LeonState
from tourney.games.leon.tricks import SUIT_OF
from tourney.games.leon.view import LeonOptions
from tourney.games.tricks import mask_of

_ACTIONS = {name: action for action, name in enumerate(NAMES)}


def position(
    seats: int,
    options: LeonOptions,
    *,
    hands: Sequence[str],
    up: str,
    trump: str | None = None,
    phase: str = "play",
    dealer: int | None = None,
    leader: int | None = None,
    bids: Sequence[int | None] | None = None,
    plays: str = "",
    won: Sequence[int] | None = None,
    sanctions: Sequence[Mapping[str, Any]] = (),
    revokes: Sequence[Mapping[str, Any]] = (),
    asked: Sequence[Mapping[str, Any]] = (),
    confessed: Sequence[Mapping[str, Any]] = (),
    silent: Sequence[Mapping[str, Any]] = (),
    round: int | None = None,  # noqa: A002 - facts have the names of the rules page
    scores: Sequence[int] | None = None,
    rounds: Sequence[Mapping[str, Any]] = (),
    over: bool = False,
    seed: int = 0,
) -> LeonState:
    """Returns the state with these facts, which docs/rules/leon.md describes under "Positions"."""
    state = LeonState()
    state.begin(seats, options, seed)
    state.log.clear()
    state._hands = [mask_of(DECK.cards(hand)) for hand in hands]
    state._up = DECK.card(up)
    state._moves = _moves(plays)
    state._dealer = seats - 1 if dealer is None else dealer
    dealt = (sum([len(hand.split()) for hand in hands]) + len(state._moves)) // seats
    state._round = dealt if round is None else round
    state._scores = tuple(scores or (0,) * seats)
    state._past = tuple([_past(each) for each in rounds])
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
    state._sanctions = _sanctions(sanctions)
    state._refused, state._asked, state._silent = _revokes(revokes), _revokes(asked), _revokes(silent)
    state._fresh = tuple([(each["seat"], REPENTED, each["trick"]) for each in confessed])
    state._phase = phase
    state.seat = None if over else _turn(state, made)
    return state


def facts(state: LeonState) -> dict[str, Any]:
    """Returns all that the state holds, by the names that `position` takes."""
    return {
        "hands": [" ".join(DECK.texts(cards_of(hand))) for hand in state._hands],
        "up": DECK.text(state._up),
        "trump": None if state._trump < 0 else DECK.suits[state._trump],
        "phase": state._phase,
        "dealer": state._dealer,
        "leader": state._leader,
        "bids": [known[seat] for seat, known in enumerate(state._bids)],
        "plays": _texts(state._moves),
        "won": list(state._won),
        "sanctions": _sanction_facts(state._sanctions),
        "revokes": _revoke_facts(state._refused),
        "asked": _revoke_facts(state._asked),
        "confessed": [{"seat": seat, "trick": trick} for seat, _, trick in state._fresh],
        "silent": _revoke_facts(state._silent),
        "round": state._round,
        "scores": list(state._scores),
        "rounds": [_past_facts(each) for each in state._past],
        "over": state.seat is None,
    }


def _turn(state: LeonState, bids: Sequence[int | None]) -> int:
    """The seat that decides; it follows from what has been bid, played and asked."""
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
    """The suit that a trick in progress asks for; -1 until a card has set it."""
    return next((SUIT_OF[action] for action in trick if action != BARE), -1)


def _moves(plays: str) -> bytes:
    return bytes([_ACTIONS[name] for name in plays.split()])


def _texts(moves: bytes) -> str:
    return " ".join([NAMES[action] for action in moves])


def _sanctions(given: Sequence[Mapping[str, Any]]) -> tuple[tuple[int, int, int], ...]:
    return tuple([(each["seat"], SANCTIONS.index(each["name"]), each["trick"]) for each in given])


def _sanction_facts(sanctions: Sequence[tuple[int, int, int]]) -> list[dict[str, Any]]:
    return [
        {"seat": seat, "name": SANCTIONS[kind], "points": SANCTION_POINTS[kind], "trick": trick}
        for seat, kind, trick in sanctions
    ]


def _revokes(given: Sequence[Mapping[str, Any]]) -> tuple[tuple[int, int], ...]:
    return tuple([(each["seat"], DECK.suits.index(each["suit"])) for each in given])


def _revoke_facts(revokes: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    return [{"seat": seat, "suit": DECK.suits[suit]} for seat, suit in revokes]


def _past(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """A round that is over, as states keep it."""
    return (
        given["cards"],
        given["dealer"],
        DECK.card(given["up"]),
        DECK.suits.index(given["trump"]),
        tuple(given["bids"]),
        _moves(given["plays"]),
        _sanctions(given["sanctions"]),
        tuple(given["won"]),
        tuple(given["points"]),
    )


def _past_facts(entry: tuple[Any, ...]) -> dict[str, Any]:
    cards, dealer, up, trump, bids, moves, sanctions, won, points = entry
    return {
        "cards": cards,
        "dealer": dealer,
        "up": DECK.text(up),
        "trump": DECK.suits[trump],
        "bids": list(bids),
        "plays": _texts(moves),
        "sanctions": _sanction_facts(sanctions),
        "won": list(won),
        "points": list(points),
    }
