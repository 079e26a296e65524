"""The history of a game of Cold Blooded as a seat knows it, with cards and actions as text."""

from typing import Any

from tourney.games.cold_blooded.rules import (
    ASSASSIN,
    BACK,
    CARDS,
    DUMMY,
    GUARD,
    KNIFE,
    NAMES,
    OUT,
    REFILL,
    ROLES,
    TRADE,
    Step,
    card_of,
)


def mark(place: int) -> str | int:
    """Returns a place as text or JSON has it: the seat, or `duke` for the place that nobody plays."""
    return "duke" if place == DUMMY else place


def describe_history(types: int, moves: tuple[Step, ...], knives: tuple[int, ...]) -> tuple[dict[str, Any], ...]:
    """Returns the history of a game for JSON, as a seat knows it.

    Args:
        types: The cards that the seat knows, three bits a token.
        moves: The steps that everyone sees.
        knives: Which of the seat's own trades in `moves` were knives.
    """

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
    """Returns a game that is over for JSON, as a seat knew it."""
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
