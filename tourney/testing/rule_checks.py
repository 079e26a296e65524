"""The checks of a game's rules: its description, legal actions, scores, deals and log."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from random import Random
from typing import Any

import orjson

from tourney.base.errors import ActionError, ConfigError
from tourney.contracts.game import MOST_DECISIONS, Game
from tourney.contracts.match import GameSetup, Match, Record
from tourney.contracts.rng import pick
from tourney.table.replay import DifferenceError, check
from tourney.table.table import play
from tourney.testing.bots import RaisesLater, SaysIllegal
from tourney.testing.matches import BrokenContractError, TriedTable, require, same_views, short, step

MOST_TRIED = 200  # how many legal actions are tried in a match, besides the played ones
LARGEST = 2**63 - 1  # the largest number that a TOML file may hold


def describes_itself(game: Game) -> None:
    """Checks that the game has the texts that people read about it."""
    for attribute in ("title", "rules", "actions"):
        require(bool(getattr(game, attribute, None)), f"{type(game).__name__} has no {attribute}")
    require(min(game.seats) >= 2, f"seats must be at least 2, got {min(game.seats)}")


def actions_have_texts(game: Game) -> None:
    """Checks that every action has its own text, which names the action again."""
    seen: dict[str, int] = {}
    for action, name in enumerate(game.names):
        require(bool(name) and name.isprintable() and " " not in name, f"names[{action}] is {name!r}; write one word")
        first = seen.setdefault(name, action)
        require(first == action, f'names has "{name}" twice, as action {first} and {action}')
    for action, name in enumerate(game.names):
        require(game.text(action) == name, f"text({action}) is {game.text(action)!r}, but names has {name!r}")
        back = game.action(name)
        require(back == action, f'action("{name}") is {back}, but text({action}) is "{name}"')
    with suppress(ActionError):
        parsed = game.action(game.names[0] + "x")
        raise BrokenContractError(f'action("{game.names[0]}x") is {parsed}, and should raise an ActionError')


def refuses_unknown_options(game: Game) -> None:
    """Checks that unknown options and other numbers of seats are refused."""
    for seats, given in ((min(game.seats), {"no_such_option": 1}), (max(game.seats) + 1, {})):
        with suppress(ConfigError):
            game.options(seats, given)
            raise BrokenContractError(f"options({seats}, {given}) should raise a ConfigError")


def legal_actions(table: TriedTable, seed: int) -> None:
    """Checks the legal actions at every decision of a match."""
    state, rng = table.started(seed), Random(seed)
    tried, most = 0, table.game.max_decisions(table.seats, table.options)
    for _ in range(most):
        seat = state.seat
        if seat is None:
            return
        require(type(seat) is int and 0 <= seat < table.seats, f"seat {seat} decides, of {table.seats} seats")
        legal = state.legal()
        where = f"decision of seat {seat}: legal()"
        require(type(legal) is tuple, f"{where} is a {type(legal).__name__}; return an immutable tuple")
        require(len(legal) > 0, f"{where} is empty")
        for i, action in enumerate(legal):
            known = type(action) is int and 0 <= action < len(table.game.names)
            require(known, f"{where} has {action!r}, which is not an action of the game, of {len(table.game.names)}")
            require(action not in legal[:i], f"{where} has {table.act_text(action)} twice")
        require(state.legal() == legal, f"{where} changes when it is asked again")
        for action in legal if tried < MOST_TRIED else ():
            tried += 1
            try:
                state.copy().apply(action)
            except Exception as error:
                require(False, f"{where} has {table.act_text(action)}, which apply refuses: {short(repr(error))}")
        step(state, rng)


def match_ends(table: TriedTable, seed: int) -> None:
    """Checks that a match ends in time, with a whole score and a place for each seat."""
    state = table.played(seed, seed)
    scores, places = state.scores, state.places
    require(len(scores) == table.seats, f"scores has {len(scores)} numbers for {table.seats} seats")
    require(len(places) == table.seats, f"places has {len(places)} numbers for {table.seats} seats")
    for seat, score in enumerate(scores):
        require(type(score) is int, f"the score of seat {seat} is {score!r}, not a whole number")
    for seat, (score, place) in enumerate(zip(scores, places, strict=True)):
        lower = [other for other in range(table.seats) if scores[other] < score and places[other] < place]
        require(not lower, f"seat {seat} has a higher score and a worse place than another: {short([scores, places])}")
        better = 1 + len([other for other in places if other < place])
        require(place == better, f"seat {seat} has place {place} in {short(places)}; its place should be {better}")


def deal_depends_on_the_seed(table: TriedTable, seed: int) -> None:
    """Checks that the same seed and actions give the same match, regardless of earlier matches."""
    first, second = table.played(seed, 1), table.played(seed, 1)
    message = "the same seed and actions give another match the second time"
    for mine, yours in zip(first.log, second.log, strict=False):
        require(mine == yours, f"{message}: {short(mine)} and {short(yours)}")
    require(first.log == second.log, f"{message}: one is longer")
    require(first.scores == second.scores, f"{message}: scores {short(first.scores)} and {short(second.scores)}")
    same_views(table.views(first), table.views(second), message)


def deal_ignores_moves(table: TriedTable, seed: int) -> None:
    """Checks that deals do not depend on how seats have played."""

    def deals(player: int) -> list[dict[str, Any]]:
        log = table.played(seed, player).log
        events = [table.game.event(entry) for entry in log if isinstance(entry[0], str)]
        return [event for event in events if event.get("kind") == "deal"]

    for number, (mine, yours) in enumerate(zip(deals(1), deals(2), strict=False), 1):
        require(mine == yours, f"deal {number} depends on earlier moves: {short(mine)} and {short(yours)}")


def log_is_json(table: TriedTable, seed: int) -> None:
    """Checks that every entry of the log is an event of the trace, and every view plain data."""
    state, rng = table.midway(seed, Random(seed)), Random(seed)
    for _ in range(2):  # in the middle, and at the end
        for entry in state.log:
            event = table.game.event(entry) if isinstance(entry[0], str) else {"kind": "act", "entry": entry}
            kind = event.get("kind") if isinstance(event, dict) else None
            require(isinstance(kind, str), f"the event of {short(entry)} has no kind: {short(event)}")
            require(_as_json(event) is not None, f"the event of {short(entry)} is not data for JSON: {short(event)}")
        for seat, view in enumerate(table.views(state)):
            for key, value in view.items():
                same = _as_json(value) == value
                require(same, f"as_dict of seat {seat}: {key} is {short(value)}, not plain data for JSON")
            same = orjson.loads(state.view(seat).as_json()) == view
            require(same, f"as_json of seat {seat} differs from as_dict")
        table.play_out(state, rng)


def _as_json(value: Any) -> Any:
    try:
        return orjson.loads(orjson.dumps(value))
    except TypeError:
        return None


def copies_are_independent(table: TriedTable, seed: int) -> None:
    """Checks that a copy and its original do not change each other, and come to the same end."""
    state = table.midway(seed, Random(seed))
    copy = state.copy()
    require(copy is not state, "copy() returns the state itself")
    require(copy.log == [], "copy() has a log that is not empty")
    require(copy.seat == state.seat, f"copy() has seat {copy.seat}, not {state.seat}")
    before = table.views(state)
    same_views(table.views(copy), before, "copy() shows something different")
    table.play_out(copy, Random(3))
    same_views(table.views(state), before, "a copy shares something with its original: playing it changes the original")
    table.play_out(state, Random(3))
    ends = [(each.scores, each.places) for each in (state, copy)]
    require(ends[0] == ends[1], f"a copy ends differently by the same actions: {short(ends[0])} and {short(ends[1])}")


def record_replays(table: TriedTable, seed: int) -> None:
    """Checks that the table plays a match among random bots, and that it can be replayed from its record."""
    faults = _replayed(table, seed, [lambda: _Mover(Random(seed))] * table.seats, "a match").faults
    require(not faults, f"random legal actions are faults: {short([fault.detail for fault in faults])}")


def tolerates_faults(table: TriedTable, seed: int) -> None:
    """Checks that a match continues and is replayed when bots make faults, and the house moves for them."""
    for bad in (SaysIllegal, RaisesLater):
        makers = [bad, *[lambda: _Mover(Random(seed))] * (table.seats - 1)]
        _replayed(table, seed, makers, "a match with a fault")


def _replayed(table: TriedTable, seed: int, makers: Sequence[Callable[[], Any]], what: str) -> Record:
    setup = GameSetup(table.game.name, table.seats, dict(table.given))
    record = play(Match(f"{setup.game}-00000-0", setup, 0, seed, ("tried",) * table.seats), table.game, makers)
    try:
        check(record, table.game)
    except DifferenceError as error:
        require(False, f"{what} cannot be replayed from its record: {error}")
    return record


class _Mover:
    def __init__(self, rng: Random) -> None:
        self._rng = rng

    def act(self, _view: Any, legal: tuple[int, ...]) -> int:
        return pick(legal, self._rng)


def large_options_play(table: TriedTable, seed: int) -> None:
    """Checks that a match can be played with the largest numbers that the options accept."""
    game, seats = table.game, table.seats
    for key in game.Options.__struct_fields__:
        try:
            options = game.options(seats, {key: LARGEST})
        except ConfigError:
            continue
        large, rng = table._replace(options=options), Random(seed)
        state = large.started(seed)
        for _ in range(2000):  # it need not end
            if state.seat is None:
                break
            step(state, rng)
        what = [state.scores, state.log, large.views(state)]
        require(_as_json(what) is not None, f"with {key} = {LARGEST} a match holds what JSON cannot")


def decisions_are_bounded(table: TriedTable, _seed: int) -> None:
    """Checks that, however large the options, no match has more than a million decisions."""
    game, seats = table.game, table.seats
    fields = game.Options.__struct_fields__
    for keys in [[], *[[key] for key in fields], list(fields)]:
        try:
            options = game.options(seats, dict.fromkeys(keys, 10**12))
        except ConfigError:
            continue
        most, given = game.max_decisions(seats, options), ", ".join(keys) or "no options"
        fits = type(most) is int and 0 < most <= MOST_DECISIONS
        require(fits, f"max_decisions is {most!r} with {given}; it may be up to {MOST_DECISIONS}")
