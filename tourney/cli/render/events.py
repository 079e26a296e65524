"""A match as data: the events of its trace, or the decisions of some seats with what they saw, also as text."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, TypeVar

import orjson

from tourney.cli.render.cards import Style
from tourney.cli.render.text import actions, pairs, plain, text, wrapped
from tourney.game import Game
from tourney.match import Record
from tourney.replay import Replay, trace

T = TypeVar("T")

_MOVE = re.compile(r"\bseat (\d+), action ")

SHORT = 40
"""What is shorter in a list shares a line with its neighbours."""
LONG = 300
"""What is longer in a list is cut; --json shows all of it."""


def events(record: Record, game: Game) -> Iterator[tuple[int, dict[str, Any]]]:
    """The events of the match, each with the number of the decision that it comes with (0 before the first)."""
    decision = 0
    pending = False
    for event in trace(record, game):
        if event["kind"] == "act" and not pending:
            decision += 1
        pending = "fault" in event
        yield decision, event


def decisions(record: Record, game: Game, seats: Collection[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    """What the seats saw, could do and did at each of their decisions, each with the decision's number."""
    for step in Replay(record, game).steps():
        if (seat := step.seat) in seats:
            yield (
                step.decision,
                {
                    "decision": step.decision,
                    "seat": seat,
                    "view": step.state.view(seat).as_dict(),
                    "legal": [game.text(action) for action in step.legal],
                    "action": game.text(step.action),
                    **({"by": "house"} if step.by_house else {}),
                    **({"fault": step.fault.kind} if step.fault else {}),
                },
            )


def between(items: Iterable[tuple[int, T]], first: int, last: int | None) -> Iterator[tuple[int, T]]:
    """Those that come with the decisions from `first` to `last`; what comes before the first goes with it."""
    for decision, item in items:
        if last is not None and decision > last:
            return
        if max(decision, 1) >= first:
            yield decision, item


def as_json(item: tuple[int, dict[str, Any]]) -> str:
    """The event as a line of JSON."""
    return orjson.dumps(item[1]).decode()


def seen(told: Iterable[tuple[int, dict[str, Any]]], record: Record, game: Game, style: Style) -> Iterator[str]:
    """Decisions as text: the seat's view, what was legal, what it did."""
    last = record.actions.count(" ") + 1
    for decision, event in told:
        seat = event["seat"]
        yield f"decision {decision} of {last}: seat {seat}, {record.seats[seat]}"
        for line in view_lines(event["view"]):
            yield style.painted(style.cards(line))
        legal = tuple(map(game.action, event["legal"]))
        for line in wrapped(f"  legal ({len(legal)}): {actions(game, legal)}", "      "):
            yield style.painted(style.cards(line))
        note = f" (FAULT {event['fault']}, the house moves)" if "fault" in event else ""
        note = note or (" (by the house)" if "by" in event else "")
        yield style.painted(style.cards(f"  action: {event['action']}{note}"))
        yield ""


def view_lines(view: dict[str, Any], history: bool = True) -> Iterator[str]:
    """A view as text: what says something now first, in few lines, then the history."""
    now = plain(view)
    facts = {key: value for key, value in now.items() if not isinstance(value, list)}
    yield from wrapped(f"  {pairs(facts)}", "      ")
    for key, value in now.items():
        if isinstance(value, list):
            yield from wrapped(f"  {key}: {text(value)}", "      ")
    if history:
        yield from _nested({key: value for key, value in view.items() if key not in now and _is_history(value)}, "  ")


def _is_history(value: Any) -> bool:
    return isinstance(value, dict | list) and any([item is not None for item in value])


def _nested(value: dict[str, Any], indent: str) -> Iterator[str]:
    """A JSON object as lines, deeper ones indented; what is long in a list of the past is cut."""
    for key, item in value.items():
        if isinstance(item, dict):
            yield f"{indent}{key}:"
            yield from _nested(item, indent + "  ")
        elif isinstance(item, list) and item and isinstance(item[0], dict):
            told = [_MOVE.sub(r"\1 ", pairs(each)) for each in item]
            if max(map(len, told)) < SHORT:
                yield from wrapped(f"{indent}{key}: {'; '.join(told)}", indent + "    ")
                continue
            yield f"{indent}{key}:"
            for each in told:
                shown = each if len(each) <= LONG else f"{each[:LONG]} …"
                yield from wrapped(f"{indent}  - {shown}", indent + "    ")
        else:
            yield from wrapped(f"{indent}{key}: {text(item)}", indent + "    ")
