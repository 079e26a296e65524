"""For authors of games and bots: their contracts as tests, positions, and bots that do what bots must not.

`GameContract` and `BotContract` are classes that pytest collects in your repository. `position`, `act`, `legal` and
`events` set up and read matches of a game, given as an instance or by its name; only `position` needs a game with
positions (`Game.position`). `tourney.testing.bots` has the bots. Nothing here needs pytest to be imported.

>>> state = position("vole", seats=2, hands=["9t 5k", "2t 11m"], up="4m", deck="1k 3k")
>>> legal("vole", state)
['play:9t', 'play:5k']
>>> state = act("vole", state, "play:9t play:2t")
>>> events("vole", state, "trick")
[{'kind': 'trick', 'winner': 0}]
>>> state.view(0).as_dict()["hand"] == ["5k"]
True
"""

from collections.abc import Mapping
from typing import Any, TypeVar

from tourney.base.errors import ActionError
from tourney.contracts.game import Game, State
from tourney.plugins.registry import load_game
from tourney.testing.contracts import BotContract, GameContract
from tourney.testing.matches import BrokenContractError

__all__ = ["BotContract", "BrokenContractError", "GameContract", "act", "events", "legal", "position"]

AnyState = TypeVar("AnyState", bound=State)


def position(game: Game | str, *, seats: int, options: Mapping[str, Any] | None = None, **facts: Any) -> Any:
    """A state of the game in the middle of a match, with an empty log.

    Args:
        game: The game, or its name.
        seats: How many seats play.
        options: The game's options as in a tournament file; what is left out has its default.
        facts: Hands, the turn and so on, by the names of the game's `position`; cards and actions are
            text, such as `hands=["9t 5k", "2t 11m"]`.

    Raises:
        NotImplementedError: The game has no positions.
        ConfigError: The options, or the number of seats, cannot be played.
        ActionError: A text names no card or action of the game.
        TypeError: The game knows no fact of that name.
    """
    rules = _game(game)
    return rules.position(seats, rules.options(seats, options or {}), **facts)


def act(game: Game | str, state: AnyState, actions: str) -> AnyState:
    """Makes moves in the state, each for the seat whose turn it is, and returns the state.

    >>> from tourney.plugins.registry import load_game
    >>> game = load_game("vole")
    >>> state = position(game, seats=2, hands=["9t 5k", "2t 11m"], up="4m", deck="1k 3k")
    >>> act(game, state, "play:1t")
    Traceback (most recent call last):
    tourney.base.errors.ActionError: play:1t is not for seat 0 now; legal: play:9t play:5k

    Args:
        game: The game, or its name.
        state: The state; it is changed.
        actions: The texts of the actions with spaces between them, such as `"play:9t play:2t"`.

    Raises:
        ActionError: A text names no action of the game, or the action is neither legal nor tolerated now.
    """
    rules = _game(game)
    for text in actions.split():
        action = rules.action(text)
        if state.seat is None:
            raise ActionError(f"{text} comes too late; the match is over")
        choices = state.legal()
        if action not in choices and not state.tolerates(action):
            now = " ".join([rules.text(choice) for choice in choices])
            raise ActionError(f"{text} is not for seat {state.seat} now; legal: {now}")
        state.play(action, choices)
    return state


def legal(game: Game | str, state: State) -> list[str]:
    """The texts of the actions that are legal now, in the game's order; none once the match is over."""
    rules = _game(game)
    return [] if state.seat is None else [rules.text(action) for action in state.legal()]


def events(game: Game | str, state: State, kind: str | None = None) -> list[dict[str, Any]]:
    """The events in the state's log as in the trace (docs/data-formats), of all kinds or of one.

    A decision is an event of the kind `act` here, with `seat` and `action`.
    """
    rules = _game(game)
    events = [
        rules.event(entry)
        if isinstance(entry[0], str)
        else {"kind": "act", "seat": entry[0], "action": rules.text(entry[1])}
        for entry in state.log
    ]
    return [event for event in events if kind in (None, event["kind"])]


def _game(game: Game | str) -> Game:
    return load_game(game) if isinstance(game, str) else game
