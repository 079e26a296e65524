"""The points of every action at a decision, and continuations after another action, to watch as branches.

A branch that everyone may watch takes place in the real deal. A seat's is imagined from its view, like the
continuations behind the points, so the seat learns nothing.
"""

import os
from collections.abc import Callable, Sequence
from copy import copy
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec
import orjson

from tourney.base.errors import ChoiceError, one_line
from tourney.contracts.game import Game
from tourney.contracts.match import Fault, Record, final_places
from tourney.contracts.rng import seed_text
from tourney.contracts.wording import listed_text
from tourney.hosts.base import BotSpec, create_host
from tourney.journal.reader import parse_record
from tourney.plugins.registry import load_game
from tourney.report.beliefs import beliefs
from tourney.report.match_data import Count, cost_data, match_data
from tourney.review.analysis.costs import MatchTable, continuation, decision_cost
from tourney.review.analysis.file import PLAYOUTS, MatchAnalysis, read_settings
from tourney.review.analysis.summary import probable_loss
from tourney.review.bots import substitute
from tourney.review.what_if import Change, find_step, legal_action, play_on
from tourney.runner.live_page import NICE
from tourney.table.replay import Replay, Step, walk
from tourney.table.sentences import seat_names

BRANCHES = 3
"""The most branches of a match in a report."""
SHOWN = 300
"""The most decisions of a branch to watch."""
REAL = "the hidden cards are those really dealt"
ANEW = "the cards that the seat cannot see are dealt at random, to fit what it has seen"


def embedded(record: Record, game: Game, analysis: MatchAnalysis, run: Path) -> dict[str, Any]:
    """The branches of a match after its costliest decisions, from the run's analysis, for `match_data`."""
    settings = read_settings(run)
    if settings is None or analysis.digest != record.digest:
        return {}
    own = {name for name, reason in settings.bots.items() if not reason}
    who = _players(record.seats, own, settings.substitutes[record.game])
    branches: dict[str, Any] = {}
    for cost in sorted([cost for cost in analysis.decisions if cost.branch], key=probable_loss)[-BRANCHES:]:
        data, more = _branch(record, game, cost.decision, cost.branch.split())
        branch = {"match": orjson.Fragment(data), "first": cost.decision, "said": f"{who}, and {REAL}{more}"}
        branches[str(cost.decision)] = {one_line(cost.best): branch}
    return {"said": _points_text(settings.playouts, who, is_open=False), "branches": branches}


def answer(
    record: Record, game: Game, decision: int, action: str = "", seat: int | None = None, on_own_page: bool = False
) -> bytes:
    """What a page asks, in JSON: the points of every action at a decision; or the branch after an action.

    A standard bot plays all seats, never an entrant's. If there is a seat, its view alone decides the answer, and on
    its own page, decisions have the numbers of `Count`. Raises a `ChoiceError` if there is no such choice.
    """
    if seat is not None and not game.imagines:
        raise ChoiceError(f"{game.title} cannot imagine what a seat does not see, so only everyone can ask what if")
    count = Count(record, game, "all" if seat is None else seat)
    step = _asked_step(record, game, count.recorded(decision) if on_own_page else decision, seat)
    if step is None:
        raise ChoiceError(f"seat {seat} has no choice at decision {decision}")
    seats, policy = len(record.seats), substitute(record.game)
    options = game.options(seats, record.options)
    host = create_host(BotSpec(name=policy, use=policy, options={}, folder=Path()), None)
    most = game.max_decisions(seats, options)
    table = MatchTable(record, game, options, [host] * seats, most, lambda: None, not game.imagines, count)
    who = _players(record.seats, set(), policy)
    if not action:
        cost = decision_cost(table, step, PLAYOUTS)
        return orjson.dumps(
            {"cost": cost_data(cost, one_line, decision), "said": _points_text(PLAYOUTS, who, table.is_open)}
        )
    chosen = legal_action(game, step._replace(decision=decision), action)
    if seat is not None:
        data, more = _imagined(table, step, chosen, seat)
    else:
        branch, _ = play_on(record, game, table.hosts, Change(decision, step.seat, chosen, host))
        data, more = _branch(record, game, decision, list(map(game.text, branch.actions)))
    said = f"{who}, and {REAL if seat is None else ANEW}{more}"
    return orjson.dumps({"match": orjson.Fragment(data), "first": decision, "said": said})


def write_answer(file: str, decision: int, action: str, seat: int, on_own_page: bool) -> None:
    """Replaces the record in a file by the answer for a seat, or everyone (-1); or by a visitor's mistake (`wrong`)."""
    _write(file, lambda record, game: answer(record, game, decision, action, None if seat < 0 else seat, on_own_page))


def write_beliefs(file: str, seat: int, first: int, end: int) -> None:
    """Replaces the record in a file by a seat's beliefs at some decisions."""
    _write(file, lambda record, game: orjson.dumps(beliefs(record, game, seat, range(first, end))))


def _write(file: str, make: Callable[[Record, Game], bytes]) -> None:
    os.nice(NICE)
    path = Path(file)
    record = parse_record(path.read_bytes(), file)
    try:
        told = make(record, load_game(record.game))
    except ChoiceError as error:
        told = orjson.dumps({"wrong": str(error)})
    path.write_bytes(told)


def _asked_step(record: Record, game: Game, decision: int, seat: int | None) -> Step | None:
    """The decision; a seat learns nothing about those of others."""
    try:
        step = find_step(record, game, decision)
        return step if seat in (None, step.seat) else None
    except ChoiceError:
        if seat is None:
            raise
        return None


def _imagined(table: MatchTable, step: Step, action: int, seat: int) -> tuple[bytes, str]:
    """The branch as the seat sees it, from its decision on, in one of the worlds that fit its view; see `_branch`."""
    record, game = table.record, table.game
    state, seed, end, places = continuation(table, step, action)
    actions = [game.text(entry[1]) for entry in end.log if isinstance(entry[0], int)]
    faults = [Fault(each.seat, "out", 0, None, each.detail) for each in record.faults if each.decision < step.decision]
    begun = copy(game)
    vars(begun)["start"] = lambda *_: state.copy()
    changes: dict[str, Any] = {"seed": seed_text(seed), "faults": tuple(faults), "digest": ""}
    changes |= {"actions": " ".join(actions[:SHOWN])}
    changes |= {"scores": (), "places": ()} if actions[SHOWN:] else {"scores": end.scores, "places": places}
    past = takewhile(lambda each: each.number < step.decision, walk(record, game, seat))
    return match_data(msgspec.structs.replace(record, **changes), begun, seat, past=past), _cut(actions)


def _branch(record: Record, game: Game, decision: int, course: Sequence[str]) -> tuple[bytes, str]:
    """The match from a decision on, if it takes another course; and a clause if only its beginning is shown."""
    before = record.actions.split(" ")[: decision - 1]
    faults = tuple([fault for fault in record.faults if fault.decision < decision])
    changes: dict[str, Any] = {"actions": " ".join([*before, *course[:SHOWN]]), "faults": faults, "digest": ""}
    changed = msgspec.structs.replace(record, **changes, scores=(), places=())
    if not course[SHOWN:]:
        replay = Replay(changed, game)
        for _ in replay.steps():
            pass
        places = final_places(replay.state.places, {fault.seat for fault in faults})
        changed = msgspec.structs.replace(changed, scores=replay.state.scores, places=places)
    return match_data(changed, game, first=decision), _cut(course)


def _cut(course: Sequence[str]) -> str:
    return f"; these are the first {SHOWN} of {len(course):,} decisions" if course[SHOWN:] else ""


def _points_text(playouts: int, who: str, is_open: bool) -> str:
    """What the bars show, as a sentence."""
    dealt = REAL if is_open else f"for each, {ANEW}"
    mean = f"the mean points % over up to {playouts} continuations from here, with its 95 % interval"
    return f"Each bar is {mean}: {who}, and {dealt}."


def _players(seats: Sequence[str], own: set[str], policy: str) -> str:
    """Who plays the continuations, as a clause."""
    if not own & set(seats):
        return f"{policy} plays all seats"
    names = dict(zip(seats, seat_names(seats), strict=True))
    replaced = [names[name] for name in dict.fromkeys(seats) if name not in own]
    return f"{policy} plays for {listed_text(replaced)}, the other bots continue" if replaced else "its bots continue"
