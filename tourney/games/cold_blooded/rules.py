"""The actions, cards and roles of Cold Blooded, and the tables that its play looks up. See docs/rules/cold-blooded.md.

Every action card is a token, numbered by the place where it was dealt: the hands by seat, at a table of four the Duke's
hand, then the deck from its top. Everyone can follow every token, since cards only move in plain sight; what a seat
may not know is which card a token is. So the cards are packed into one int, three bits a token (0 unknown, else a
card), and what a seat knows of them is that int under a mask. Roles are packed in the same way, two bits a seat.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

CARDS = ("sniper", "knife", "sacrifice", "shell", "bomb", "uprising")
SNIPER_CARD: Final = 1
KNIFE_CARD: Final = 2
SACRIFICE_CARD: Final = 3
SHELL_CARD: Final = 4
BOMB_CARD: Final = 5
UPRISING_CARD: Final = 6
"""A card in memory: 1 + its index in `CARDS`; 0 stands for an unknown card."""
ROLES = ("duke", "guard", "assassin")
DUKE: Final = 1
GUARD: Final = 2
ASSASSIN: Final = 3
"""A role in memory: 1 + its index in `ROLES`; 0 stands for an unknown role."""

DUMMY: Final = 8
"""The place of the Duke at a table of four, where no one plays him."""
PLACES: Final = 9
"""The number of places: up to 8 seats and DUMMY."""
CAST = {4: (2, 2), 5: (2, 2), 6: (3, 2), 7: (3, 3), 8: (4, 3)}
"""How many guards and assassins there are for each number of seats."""

_SEATS = tuple(str(seat) for seat in range(8))
_MARKS = (*_SEATS, "duke")
NAMES = (
    "draw", "pass", *[f"trade:{mark}" for mark in _MARKS], *[f"sniper:{seat}" for seat in _SEATS],
    *[f"knife:{mark}" for mark in _MARKS], "bomb", "uprising", "accept", "decline", "shell", "sacrifice", "stay",
    "show", "hide", "say:nothing", "say:guard", *[f"say:{card}" for card in CARDS],
    *[f"say:accuse:{seat}" for seat in _SEATS], *[f"say:trust:{seat}" for seat in _SEATS],
)  # fmt: skip
DRAW: Final = 0
PASS: Final = 1
TRADE: Final = 2
SNIPER: Final = 11
KNIFE: Final = 19
BOMB: Final = 28
UPRISING: Final = 29
ACCEPT: Final = 30
DECLINE: Final = 31
SHELL: Final = 32
SACRIFICE: Final = 33
STAY: Final = 34
SHOW: Final = 35
HIDE: Final = 36
SAY: Final = 37
ACCUSE: Final = 45
TRUST: Final = 53
OUT: Final = 61
BACK: Final = 62
REFILL: Final = 63
"""Codes for steps of the history that are not actions: eliminated, revived, drew at the end of the turn."""

TALK: Final = 0
MOVE: Final = 1
ANSWER: Final = 2
ASK_SHELL: Final = 3
ASK_SACRIFICE: Final = 4
ASK_SHOW: Final = 5
WAIT: Final = 6
STAYED: Final = 7
PHASES = ("talk", "move", "answer", "shell", "sacrifice", "show", "wait", "wait")
"""What is being decided, as a seat sees it. While others are asked in secret, a seat sees WAIT, or STAYED after its own
answer."""
Token: TypeAlias = Any
"""The number of a token, an int. `Any` spares compiled code from unboxing numbers that it only moves."""
Step: TypeAlias = tuple[int, int, int, int]
"""A step of the history: (seat, action or code, token or role, token)."""
CHUNK: Final = 16
"""The number of recent steps after which they join the earlier ones, so that adding a step does not copy them all."""


def _by_mask(first: int, places: int) -> list[tuple[int, ...]]:
    """For every mask of places the numbers `first + place`, in order."""
    return [tuple([first + place for place in range(places) if mask >> place & 1]) for mask in range(1 << places)]


_TRADES = _by_mask(TRADE, PLACES)
_KNIVES = _by_mask(KNIFE, PLACES)
SNIPERS: Final[list[Any]] = _by_mask(SNIPER, 8)
_ACCUSES = _by_mask(ACCUSE, 8)
_TRUSTS = _by_mask(TRUST, 8)
SAYS: Final[list[Any]] = [tuple(range(SAY, ACCUSE)) + _ACCUSES[mask] + _TRUSTS[mask] for mask in range(256)]
"""The possible talk, for each mask of the other living seats."""
BITS: Final[list[Any]] = _by_mask(0, PLACES)
"""The places of every mask, in order."""
CLOCKWISE: Final[list[Any]] = [
    tuple([(seat + i) % seats for i in range(seats)]) for seats in range(PLACES) for seat in range(8)
]
"""The seats in clockwise order from each seat on: for `seats` seats from `seat` on, at `seats * 8 + seat`."""

ONLY_PASS: Final[tuple[int, ...]] = (PASS,)
FIRST_TURN: Final[tuple[int, ...]] = (DRAW, PASS)
MOVES: Final[list[Any]] = [FIRST_TURN + trades for trades in _TRADES]
"""The moves that need no special card, for each mask of the places that can be traded with."""
KNIFE_MOVES: Final[list[Any]] = [moves + knives for moves, knives in zip(MOVES, _KNIVES, strict=True)]
BOMB_MOVES: Final[list[Any]] = [(*moves, BOMB) for moves in MOVES]
UPRISING_MOVES: Final[list[Any]] = [(*moves, UPRISING) for moves in MOVES]
CHOICES: Final[list[Any]] = [(), (), (ACCEPT, DECLINE), (SHELL, STAY), (SACRIFICE, STAY), (SHOW, HIDE)]
"""The answers in each phase that asks for one."""
HANDS: Final = [[seat if seat < seats else -1 for seat in range(PLACES)] for seats in range(PLACES)]
"""The token in each place's hand at the start of a game, for each number of seats; -1 for none."""
OWN: Final = [[7 << 3 * seat for seat in range(seats)] for seats in range(PLACES)]
"""The card that each seat has seen at the start of a game, as a mask for packed cards."""
STEPS: Final[list[Any]] = [((place, code, -1, -1),) for place in range(PLACES) for code in range(64)]
"""A history of one step without tokens: for a place and a code, at `place * 64 + code`.

Making them each time would take 2 % of a whole compiled run.
"""


def card_of(types: int, token: int) -> int:
    """The card that a token is; 0 if there is no token, or it is unknown."""
    return types >> 3 * token & 7 if token >= 0 else 0


def clockwise(seats: int, seat: int) -> tuple[int, ...]:
    """The seats in clockwise order from a seat on, itself first."""
    order: tuple[int, ...] = CLOCKWISE[seats * 8 + seat]
    return order


def asked_order(seats: int, starts: int, victim: int) -> tuple[int, ...]:
    """The seats that may be asked to sacrifice themselves for a victim, in order.

    docs/rules/cold-blooded: the Duke of the table of four sits right before the starting seat.
    """
    return clockwise(seats, starts) if victim == DUMMY else clockwise(seats, victim)[1:]


def pack(cards: Sequence[int], bits: int) -> int:
    """Packs cards or roles into one int."""
    whole, shift = 0, 0
    for card in cards:
        whole |= card << shift
        shift += bits
    return whole


def of_role(roles: Sequence[int], wanted: int) -> int:
    """The mask of the seats that have the role."""
    mask, bit = 0, 1
    for role in roles:
        if role == wanted:
            mask |= bit
        bit <<= 1
    return mask


def mark(place: int) -> str | int:
    """A place as text or JSON has it: the seat, or `duke` for the place that nobody plays."""
    return "duke" if place == DUMMY else place


def describe_history(types: int, moves: tuple[Step, ...], knives: tuple[int, ...]) -> tuple[dict[str, Any], ...]:
    """The history of a game for JSON, as a seat knows it; `knives` marks its own trades that were knives."""

    def card(token: int) -> str | None:
        known = card_of(types, token)
        return CARDS[known - 1] if known else None

    steps: list[dict[str, Any]] = []
    for i, (mover, code, first, second) in enumerate(moves):
        step: dict[str, Any] = {"seat": mark(mover)}
        if code == OUT:
            step |= {"is": "out", "role": ROLES[first - 1]}
        elif code == BACK:
            step |= {"is": "back"}
        elif code == REFILL:
            step |= {"is": "refill", "got": card(first)}
        else:
            step["action"] = NAMES[code - TRADE + KNIFE] if i in knives else NAMES[code]
            if first >= 0:
                step["gave" if second >= 0 else "card"] = card(first)
            if second >= 0:
                step["got"] = card(second)
        steps.append(step)
    return tuple(steps)


def describe_game(entry: tuple[Any, ...]) -> dict[str, Any]:
    """A game that is over for JSON, as a seat knew it."""
    (game, duke, starts, winner, points, moves, _, _, _), roles, types, knives = entry
    return {
        "game": game,
        "duke": None if duke == DUMMY else duke,
        "starts": starts,
        "roles": [ROLES[role - 1] if (role := roles >> 2 * i & 3) else None for i in range(len(points))],
        "winner": {0: None, GUARD: "guards", ASSASSIN: "assassins"}[winner],
        "points": list(points),
        "history": list(describe_history(types, moves, knives)),
    }
