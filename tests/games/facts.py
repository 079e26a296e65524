"""What a state of a game holds, hidden or not, as plain data with cards and actions as text.

The facts have the names by which `Game.position` takes them, so that a test can change some of them and set up the
match again. This is the one module of the tests that reads what games keep to themselves.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain
from typing import Any

from tourney.contracts.cards import BANG, LEON, STANDARD, VOLE
from tourney.contracts.game import Game, State
from tourney.games.bang import BangState
from tourney.games.bang import rules as bang
from tourney.games.bang.view import Turn, texts_of
from tourney.games.cold_blooded import ColdBloodedState
from tourney.games.cold_blooded import rules as cold
from tourney.games.leon import LeonState
from tourney.games.leon import rules as leon
from tourney.games.tricks import mask_of
from tourney.games.vole import VoleState
from tourney.games.vole import rules as vole
from tourney.games.voleur import VoleurState
from tourney.games.voleur import rules as voleur
from tourney.games.voleur.view import PHASES


def facts_of(state: State) -> dict[str, Any]:
    """All that a state holds, by the names that `Game.position` takes."""
    return _FACTS[type(state)](state)


def set_up(game: Game, seats: int, options: Any, /, **facts: Any) -> Any:
    """The match with all these facts, its history included, which `Game.position` does not take."""
    return _AGAIN[game.name](game, seats, options, facts)


def _vole_again(game, seats, options, facts) -> VoleState:
    rounds = facts.pop("rounds")
    state = game.position(seats, options, **facts)
    past: list[list[Any]] = [[], []]
    for each in rounds:
        start, won, points = each["start"], tuple(each["won"]), tuple(each["points"])
        moves = bytes(
            [step["seat"] * vole.SEAT + (*vole.NAMES, "bury").index(step["action"]) for step in each["steps"]]
        )
        for seat in (0, 1):
            own = start["leader"], VOLE.card(start["up"]), mask_of(VOLE.cards(start["hands"][seat]))
            pairs = tuple([(VOLE.card(pair["drew"]), VOLE.card(pair["buried"])) for pair in each["buried"][seat]])
            past[seat].append((own, moves, pairs, won, points))
    state._facts = tuple([(*known[:3], tuple(past[seat]), *known[4:]) for seat, known in enumerate(state._facts)])
    return state


def _leon_again(game, seats, options, facts) -> LeonState:
    rounds = facts.pop("rounds")
    state = game.position(seats, options, **facts)
    state._past = tuple(
        [
            (
                each["cards"],
                each["dealer"],
                LEON.card(each["up"]),
                LEON.suits.index(each["trump"]),
                tuple(each["bids"]),
                bytes([leon.NAMES.index(name) for name in each["plays"].split()]),
                tuple([(one["seat"], leon.SANCTIONS.index(one["name"]), one["trick"]) for one in each["sanctions"]]),
                tuple(each["won"]),
                tuple(each["points"]),
            )
            for each in rounds
        ]
    )
    state._facts = (*state._facts[:6], state._past)
    return state


def _voleur_again(game, seats, options, facts) -> VoleurState:
    rounds = facts.pop("rounds")
    state = game.position(seats, options, **facts)
    named = {each.name: each for each in voleur.COMBINATIONS}
    state._past = tuple(
        [
            voleur.ScoredRound(
                STANDARD.card(each["up"]),
                tuple(
                    [
                        voleur.VoleurTrick(one["leader"], STANDARD.cards(one["cards"]), one["winner"])
                        for one in each["tricks"]
                    ]
                ),
                tuple([named[name] for name in each["combinations"]]),
                None if each["privilege"] is None else voleur.NAMES.index(each["privilege"]),
                tuple(each["points"]),
            )
            for each in rounds
        ]
    )
    discards = [tuple([STANDARD.cards(each["discards"][seat]) for each in rounds]) for seat in range(seats)]
    state._past_discards = tuple(discards)
    state._facts = [(*state._facts[0][:2], state._past, gone) for gone in discards]
    return state


def _bang_again(game, seats, options, facts) -> BangState:
    turns = [_turn(text) for text in facts.pop("turns")]
    state = game.position(seats, options, **facts)
    full = len(turns) // bang.CHUNK * bang.CHUNK
    state._past = tuple([tuple(turns[i : i + bang.CHUNK]) for i in range(0, full, bang.CHUNK)])
    state._recent = tuple(turns[full:])
    return state


@lru_cache(maxsize=4096)
def _turn(text: str) -> Turn:
    """The turn of a line as `Turn.text` makes it."""
    first, *rest = text.split()
    seat, card = first.split(":")
    parts = dict([part.split(":") for part in rest])
    anticipated, banged, paid = [parts.get(key, "").split(",") for key in ("anticipate", "bang", "penalty")]
    return Turn(
        int(seat),
        BANG.card(card),
        tuple([int(each) for each in anticipated if each]),
        tuple([int(each) for each in banged if each]),
        tuple([tuple(map(int, each.split("="))) for each in paid if each]),
        int(parts["pile"]) if "pile" in parts else None,
    )


def _cold_again(game, seats, options, facts) -> ColdBloodedState:
    more = {key: facts.pop(key) for key in ("steps", "knives", "tokens", "decision", "games")}
    state = game.position(seats, options, **facts)
    tokens, decision = more["tokens"], more["decision"]
    state._hands, state._deck, state._bombs = list(tokens["hands"]), tuple(tokens["deck"]), tuple(tokens["bombs"])
    state._known, state._shown = [_card_mask(known) for known in tokens["known"]], _card_mask(tokens["shown"])
    state._holding = _mask([place for place, token in enumerate(state._hands) if token >= 0])
    cards = [*facts["hands"], *[None] * (cold.DUMMY - seats), facts["dummy"]]
    # what lies nowhere is an uprising that has left the game, unless it was played in this turn
    types = [cold.UPRISING_CARD] * sum(state._counts)
    for token, card in zip((*state._deck, *state._hands), (*facts["deck"].split(), *cards), strict=True):
        if token >= 0:
            types[token] = cold.CARDS.index(card) + 1
    for token in [token for token in state._bombs if token >= 0]:
        types[token] = cold.BOMB_CARD
    for _, token, card in decision["played"]:
        types[token] = cold.CARDS.index(card) + 1
    state._types = cold.pack(types, 3)
    history = tuple([_step(step) for step in more["steps"]])
    recent = len(history) % cold.CHUNK
    state._earlier, state._recent = history[: len(history) - recent], history[len(history) - recent :]
    state._open |= _shown_roles(history)
    state._knives = [tuple(each) for each in more["knives"]]
    state._past = _pasts(more["games"], seats)
    state._phase, state.seat, state._actions = decision["phase"], decision["seat"], decision["actions"]
    state._second, state._last_assassin = decision["second"], decision["last_assassin"]
    state._aim, state._knife, state._traded = decision["aim"], decision["knife"], _mask(decision["traded"])
    state._played = tuple([(seat, token) for seat, token, _ in decision["played"]])
    return state


def _step(given) -> cold.Step:
    place, name, first, second = given
    code = (*cold.NAMES, "out", "back", "refill").index(name)
    return (place, code, cold.ROLES.index(first) + 1 if code == cold.OUT else first, second)


def _shown_roles(steps) -> int:
    """The roles that eliminations have shown, as a mask for packed roles."""
    return sum({3 << 2 * place for place, code, _, _ in steps if code == cold.OUT and place != cold.DUMMY})


def _pasts(games, seats: int) -> list[tuple[Any, ...]]:
    """For each seat, the games that are over as it knew them."""
    pasts: list[tuple[Any, ...]] = [()] * seats
    for each in games:
        steps = tuple([_step(step) for step in each["steps"]])
        known = tuple([_card_mask(tokens) for tokens in each["known"]])
        winner = {None: 0, "guards": cold.GUARD, "assassins": cold.ASSASSIN}[each["winner"]]
        sides = _mask(each["marked"]), _mask(each["cleared"])
        public = (each["game"], each["duke"], each["starts"], winner, tuple(each["points"]), steps, known, *sides)
        roles = cold.pack([0 if role is None else cold.ROLES.index(role) + 1 for role in each["roles"]], 2)
        types = cold.pack([0 if card is None else cold.CARDS.index(card) + 1 for card in each["cards"]], 3)
        shown = _shown_roles(steps) | (0 if each["duke"] is None else 3 << 2 * each["duke"])
        for seat in range(seats):
            own = roles & (shown | 3 << 2 * seat), types & known[seat], tuple(each["knives"][seat])
            pasts[seat] += ((public, *own),)
    return pasts


def _mask(places) -> int:
    return sum([1 << place for place in places])


def _card_mask(tokens) -> int:
    """The mask for packed cards that covers these tokens."""
    return sum([7 << 3 * token for token in tokens])


def _vole_facts(state: VoleState) -> dict[str, Any]:
    """Returns all that the state holds, by the names that `position` takes."""
    mine, theirs = state._facts
    _, number, _, _, scores, over = mine
    return {
        "hands": [_vole_texts(hand) for hand in state._hands],
        "up": VOLE.text(state._up),
        "deck": " ".join(VOLE.texts(state._deck)),
        "leader": state._leader,
        "led": None if state._led < 0 else VOLE.text(state._led),
        "drawn": None if state._drawn < 0 else VOLE.text(state._drawn),
        "won": [state._won & 15, state._won >> 4],
        "extra": list(state._extra),
        "steps": _vole_steps(state._moves),
        "buried": [_vole_burials(pairs) for pairs in state._buried],
        "start": _vole_start_facts(mine[2], theirs[2]),
        "round": number,
        "scores": list(scores),
        "points": list(state._points),
        "rounds": [_vole_past_facts(*both) for both in zip(mine[3], theirs[3], strict=True)],
        "over": over,
    }


def _vole_texts(mask: int) -> str:
    return " ".join(VOLE.texts(vole.cards_of(mask)))


def _vole_steps(moves: bytes) -> list[dict[str, Any]]:
    names = (*vole.NAMES, "bury")
    return [{"seat": seat, "action": names[action]} for seat, action in vole.steps_of(moves)]


def _vole_burials(pairs: Sequence[tuple[int, int]]) -> list[dict[str, str]]:
    return [{"drew": VOLE.text(drew), "buried": VOLE.text(buried)} for drew, buried in pairs]


def _vole_start_facts(mine: tuple[int, int, int], theirs: tuple[int, int, int]) -> dict[str, Any]:
    leader, up, dealt = mine
    return {"leader": leader, "up": VOLE.text(up), "hands": [_vole_texts(dealt), _vole_texts(theirs[2])]}


def _vole_past_facts(mine: tuple[Any, ...], theirs: tuple[Any, ...]) -> dict[str, Any]:
    begun, moves, buried, won, points = mine
    return {
        "start": _vole_start_facts(begun, theirs[0]),
        "steps": _vole_steps(moves),
        "buried": [_vole_burials(buried), _vole_burials(theirs[2])],
        "won": list(won),
        "points": list(points),
    }


def _leon_facts(state: LeonState) -> dict[str, Any]:
    """Returns all that the state holds, by the names that `position` takes."""
    return {
        "hands": [" ".join(LEON.texts(leon.cards_of(hand))) for hand in state._hands],
        "up": LEON.text(state._up),
        "trump": None if state._trump < 0 else LEON.suits[state._trump],
        "phase": state._phase,
        "dealer": state._dealer,
        "leader": state._leader,
        "bids": [known[seat] for seat, known in enumerate(state._bids)],
        "plays": _leon_texts(state._moves),
        "won": list(state._won),
        "sanctions": _leon_sanction_facts(state._sanctions),
        "revokes": _leon_revoke_facts(state._refused),
        "asked": _leon_revoke_facts(state._asked),
        "confessed": [{"seat": seat, "trick": trick} for seat, _, trick in state._fresh],
        "silent": _leon_revoke_facts(state._silent),
        "round": state._round,
        "scores": list(state._scores),
        "rounds": [_leon_past_facts(each) for each in state._past],
        "over": state.seat is None,
    }


def _leon_texts(moves: bytes) -> str:
    return " ".join([leon.NAMES[action] for action in moves])


def _leon_sanction_facts(sanctions: Sequence[tuple[int, int, int]]) -> list[dict[str, Any]]:
    return [
        {"seat": seat, "name": leon.SANCTIONS[kind], "points": leon.SANCTION_POINTS[kind], "trick": trick}
        for seat, kind, trick in sanctions
    ]


def _leon_revoke_facts(revokes: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    return [{"seat": seat, "suit": LEON.suits[suit]} for seat, suit in revokes]


def _leon_past_facts(entry: tuple[Any, ...]) -> dict[str, Any]:
    cards, dealer, up, trump, bids, moves, sanctions, won, points = entry
    return {
        "cards": cards,
        "dealer": dealer,
        "up": LEON.text(up),
        "trump": LEON.suits[trump],
        "bids": list(bids),
        "plays": _leon_texts(moves),
        "sanctions": _leon_sanction_facts(sanctions),
        "won": list(won),
        "points": list(points),
    }


def _voleur_facts(state: VoleurState) -> dict[str, Any]:
    """Returns all that the state holds, by the names that `position` takes."""
    return {
        "hands": [_voleur_texts(hand) for hand in state._hands],
        "up": STANDARD.text(state._up),
        "phase": PHASES[state._phase],
        "discards": [_voleur_texts(cards) for cards in state._discards],
        "tricks": [_voleur_trick_facts(trick) for trick in state._tricks],
        "leader": state._leader,
        "table": _voleur_texts(state._table),
        "combinations": [None if each is None else each.name for each in state._combinations],
        "points": list(state._points),
        "round": state._round,
        "scores": list(state._scores),
        "rounds": [
            _voleur_scored_facts(each, [gone[number] for gone in state._past_discards])
            for number, each in enumerate(state._past)
        ],
    }


def _voleur_texts(cards: Sequence[int]) -> str:
    return " ".join(STANDARD.texts(list(cards)))


def _voleur_trick_facts(trick: voleur.VoleurTrick) -> dict[str, Any]:
    return {"leader": trick.leader, "cards": _voleur_texts(trick.cards), "winner": trick.winner}


def _voleur_scored_facts(past: voleur.ScoredRound, discards: Sequence[Sequence[int]]) -> dict[str, Any]:
    return {
        "up": STANDARD.text(past.up),
        "tricks": [_voleur_trick_facts(trick) for trick in past.tricks],
        "combinations": [each.name for each in past.combinations],
        "privilege": None if past.privilege is None else voleur.NAMES[past.privilege],
        "points": list(past.points),
        "discards": [_voleur_texts(cards) for cards in discards],
    }


def _bang_facts(state: BangState) -> dict[str, Any]:
    """Returns all that the state holds, by the names that `position` takes."""
    asked = bang.SEATS[state._everyone ^ state._anticipated]
    answered = () if state.seat is None else asked[: asked.index(state.seat)]
    question = state._question
    return {
        "stocks": [_bang_text(stock) for stock in state._stocks],
        "pile": _bang_text(state._pile),
        "under": _bang_text(state._under),
        "seen": _bang_text([card for card in range(bang.CARDS) if not state._unseen >> card & 1]),
        "mover": state._mover,
        "debt": state._debt,
        "creditor": None if state._creditor < 0 else state._creditor,
        "turns": [
            *chain.from_iterable([texts_of(chunk) for chunk in state._past]),
            *[Turn(*turn).text() for turn in state._recent],
        ],
        "turned": state._turned,
        "last_out": list(state._last_out),
        "question": bang.NAMES[question],
        "anticipated": list(bang.SEATS[state._anticipated]),
        "answers": " ".join([bang.NAMES[question + 1 - (state._answers >> seat & 1)] for seat in answered]),
        "reflexes": bang.order_of(state._seats, state._reflex[2]),
        "over": state.seat is None,
    }


def _bang_text(cards: Sequence[int]) -> str:
    return " ".join(BANG.texts(list(cards)))


def _cold_facts(state: ColdBloodedState) -> dict[str, Any]:
    """Returns all that the state holds, by the names that `position` takes."""
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
        "steps": [_cold_step_facts(step) for step in state._earlier + state._recent],
        "knives": [list(each) for each in state._knives],
        "tokens": {
            "hands": list(state._hands),
            "deck": list(state._deck),
            "bombs": list(state._bombs),
            "known": [_cold_tokens(mask) for mask in state._known],
            "shown": _cold_tokens(state._shown),
        },
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
        "games": _cold_game_facts(state._past),
        "over": state.seat is None,
    }


def _cold_step_facts(step: cold.Step) -> list[Any]:
    place, code, first, second = step
    names = (*cold.NAMES, "out", "back", "refill")
    return [place, names[code], cold.ROLES[first - 1] if code == cold.OUT else first, second]


def _cold_game_facts(pasts: Sequence[tuple[Any, ...]]) -> list[dict[str, Any]]:
    """The games that are over, with what any seat knew of each."""
    games = []
    for seen in zip(*pasts, strict=True):
        game, duke, starts, winner, points, steps, known, marked, cleared = seen[0][0]
        roles = types = 0
        for _, own_roles, own_types, _ in seen:
            roles |= own_roles
            types |= own_types
        games.append(
            {
                "game": game,
                "duke": duke,
                "starts": starts,
                "winner": {0: None, cold.GUARD: "guards", cold.ASSASSIN: "assassins"}[winner],
                "points": list(points),
                "roles": [cold.ROLES[(roles >> 2 * seat & 3) - 1] for seat in range(len(points))],
                "cards": [_cold_card(types, token) for token in range((types.bit_length() + 2) // 3)],
                "steps": [_cold_step_facts(step) for step in steps],
                "known": [_cold_tokens(mask) for mask in known],
                "marked": _cold_places(marked),
                "cleared": _cold_places(cleared),
                "knives": [list(knives) for *_, knives in seen],
            }
        )
    return games


def _cold_card(types: int, token: int) -> str | None:
    """The card that a token is; None if there is no token, or it is unknown."""
    card = cold.card_of(types, token)
    return cold.CARDS[card - 1] if card else None


def _cold_places(mask: int) -> list[int]:
    return [place for place in range(cold.PLACES) if mask >> place & 1]


def _cold_tokens(mask: int) -> list[int]:
    """The tokens that a mask for packed cards covers."""
    return [token for token in range(mask.bit_length() // 3) if mask >> 3 * token & 7]


_FACTS = {
    VoleState: _vole_facts,
    LeonState: _leon_facts,
    VoleurState: _voleur_facts,
    BangState: _bang_facts,
    ColdBloodedState: _cold_facts,
}
_AGAIN = {
    "vole": _vole_again,
    "leon": _leon_again,
    "voleur": _voleur_again,
    "bang": _bang_again,
    "cold-blooded": _cold_again,
}
