"""What a state of a game holds, hidden or not, by the names that `Game.position` takes, with cards as text.

This is the one module of the tests that reads what games keep to themselves.
"""

from collections.abc import Sequence
from typing import Any

from tourney.contracts.cards import BANG, LEON, STANDARD, VOLE, Deck
from tourney.contracts.game import Game, State
from tourney.games.bang import BangState
from tourney.games.bang import rules as bang
from tourney.games.cold_blooded import ColdBloodedState
from tourney.games.cold_blooded import rules as cold
from tourney.games.leon import LeonState
from tourney.games.leon import rules as leon
from tourney.games.vole import VoleState
from tourney.games.vole import rules as vole
from tourney.games.voleur import VoleurState
from tourney.games.voleur.view import PHASES


def facts_of(state: State) -> dict[str, Any]:
    return _FACTS[type(state)](state)


def set_up(game: Game, seats: int, options: Any, /, **facts: Any) -> Any:
    """The match with these facts, as far as `Game.position` takes them; what is over and done is left out."""
    return game.position(seats, options, **{name: facts[name] for name in facts if name not in ("tokens", "decision")})


def _texts(deck: Deck, cards: Sequence[int]) -> str:
    return " ".join(deck.texts(list(cards)))


def _vole_facts(state: VoleState) -> dict[str, Any]:
    mine, theirs = state._facts
    _, number, (leader, up, dealt), _, scores, over = mine
    names = (*vole.NAMES, "bury")
    return {
        "hands": [_texts(VOLE, vole.cards_of(hand)) for hand in state._hands],
        "up": VOLE.text(state._up),
        "deck": _texts(VOLE, state._deck),
        "leader": state._leader,
        "led": None if state._led < 0 else VOLE.text(state._led),
        "drawn": None if state._drawn < 0 else VOLE.text(state._drawn),
        "won": [state._won & 15, state._won >> 4],
        "extra": list(state._extra),
        "steps": [{"seat": seat, "action": names[action]} for seat, action in vole.steps_of(state._moves)],
        "buried": [
            [{"drew": VOLE.text(drew), "buried": VOLE.text(gone)} for drew, gone in its] for its in state._buried
        ],
        "start": {
            "leader": leader,
            "up": VOLE.text(up),
            "hands": [_texts(VOLE, vole.cards_of(hand)) for hand in (dealt, theirs[2][2])],
        },
        "round": number,
        "scores": list(scores),
        "points": list(state._points),
        "over": over,
    }


def _leon_facts(state: LeonState) -> dict[str, Any]:
    return {
        "hands": [_texts(LEON, leon.cards_of(hand)) for hand in state._hands],
        "up": LEON.text(state._up),
        "trump": None if state._trump < 0 else LEON.suits[state._trump],
        "phase": state._phase,
        "dealer": state._dealer,
        "leader": state._leader,
        "bids": [known[seat] for seat, known in enumerate(state._bids)],
        "plays": " ".join([leon.NAMES[action] for action in state._moves]),
        "won": list(state._won),
        "sanctions": [
            {"seat": seat, "name": leon.SANCTIONS[kind], "points": leon.SANCTION_POINTS[kind], "trick": trick}
            for seat, kind, trick in state._sanctions
        ],
        "revokes": _leon_revoke_facts(state._refused),
        "asked": _leon_revoke_facts(state._asked),
        "confessed": [{"seat": seat, "trick": trick} for seat, _, trick in state._fresh],
        "silent": _leon_revoke_facts(state._silent),
        "round": state._round,
        "scores": list(state._scores),
        "over": state.seat is None,
    }


def _leon_revoke_facts(revokes: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    return [{"seat": seat, "suit": LEON.suits[suit]} for seat, suit in revokes]


def _voleur_facts(state: VoleurState) -> dict[str, Any]:
    return {
        "hands": [_texts(STANDARD, hand) for hand in state._hands],
        "up": STANDARD.text(state._up),
        "phase": PHASES[state._phase],
        "discards": [_texts(STANDARD, cards) for cards in state._discards],
        "tricks": [
            {"leader": trick.leader, "cards": _texts(STANDARD, trick.cards), "winner": trick.winner}
            for trick in state._tricks
        ],
        "leader": state._leader,
        "table": _texts(STANDARD, state._table),
        "combinations": [None if each is None else each.name for each in state._combinations],
        "points": list(state._points),
        "round": state._round,
        "scores": list(state._scores),
    }


def _bang_facts(state: BangState) -> dict[str, Any]:
    asked = bang.SEATS[state._everyone ^ state._anticipated]
    answered = () if state.seat is None else asked[: asked.index(state.seat)]
    question = state._question
    return {
        "stocks": [_texts(BANG, stock) for stock in state._stocks],
        "pile": _texts(BANG, state._pile),
        "under": _texts(BANG, state._under),
        "seen": _texts(BANG, [card for card in range(bang.CARDS) if not state._unseen >> card & 1]),
        "mover": state._mover,
        "debt": state._debt,
        "creditor": None if state._creditor < 0 else state._creditor,
        "turned": state._turned,
        "last_out": list(state._last_out),
        "question": bang.NAMES[question],
        "anticipated": list(bang.SEATS[state._anticipated]),
        "answers": " ".join([bang.NAMES[question + 1 - (state._answers >> seat & 1)] for seat in answered]),
        "reflexes": bang.order_of(state._seats, state._reflex[2]),
        "over": state.seat is None,
    }


def _cold_facts(state: ColdBloodedState) -> dict[str, Any]:
    seats = state._seats
    hands = [_cold_card(state._types, token) for token in state._hands]
    return {
        "roles": [cold.ROLES[(state._roles >> 2 * seat & 3) - 1] for seat in range(seats)],
        "hands": hands[:seats],
        "deck": " ".join([cold.CARDS[cold.card_of(state._types, token) - 1] for token in state._deck]),
        "dummy": hands[cold.DUMMY],
        "starts": state._starts,
        "mover": state._mover,
        "turn": state._turn,
        "out": [place for place in (*range(seats), *[cold.DUMMY] * (seats == 4)) if not state._alive >> place & 1],
        "bombs": [seat for seat, token in enumerate(state._bombs) if token >= 0],
        "uprising_gone": state._gone,
        "marked": _cold_places(state._marked),
        "cleared": _cold_places(state._cleared),
        "barred": [_cold_places(state._barred >> 8 * seat & 255) for seat in range(seats)],
        "tokens": {"hands": list(state._hands), "deck": list(state._deck), "bombs": list(state._bombs)},
        "decision": {
            "phase": state._phase,
            "seat": state.seat,
            "actions": state._actions,
            "second": state._second,
            "last_assassin": state._last_assassin,
            "aim": state._aim,
            "knife": state._knife,
            "traded": _cold_places(state._traded),
            "played": [[seat, token, _cold_card(state._types, token)] for seat, token in state._played],
        },
        "game": state._game,
        "scores": list(state._scores),
        "over": state.seat is None,
    }


def _cold_card(types: int, token: int) -> str | None:
    """The card that a token is; None if there is no token, or it is unknown."""
    card = cold.card_of(types, token)
    return cold.CARDS[card - 1] if card else None


def _cold_places(mask: int) -> list[int]:
    return [place for place in range(cold.PLACES) if mask >> place & 1]


_FACTS = {
    VoleState: _vole_facts,
    LeonState: _leon_facts,
    VoleurState: _voleur_facts,
    BangState: _bang_facts,
    ColdBloodedState: _cold_facts,
}
