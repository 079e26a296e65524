"""A match as data: the events of its trace, or the decisions of some seats with what they saw, also as text."""

import re
from collections.abc import Collection, Iterable, Iterator
from typing import Any, TypeVar

import orjson

from tourney.cli.render.text import actions, plain, text_lines, wrapped
from tourney.contracts.game import Game
from tourney.contracts.match import Record
from tourney.contracts.wording import pairs_text, value_text
from tourney.table.replay import walk

T = TypeVar("T")

_MOVE = re.compile(r"\bseat (\d+), action ")

SHORT = 40
"""Items of a list that are all shorter share lines."""
LONG = 300
"""Longer items of a list are cut; --json shows all of them."""


def decisions(record: Record, game: Game, seats: Collection[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yields what the seats saw, could do and did at each of their decisions, each with the decision's number."""
    for found in walk(record, game):
        step = found.step
        if step is not None and step.seat in seats:
            yield (
                step.decision,
                {
                    "decision": step.decision,
                    "seat": step.seat,
                    "view": found.view.as_dict(),
                    "legal": [game.text(action) for action in step.legal],
                    "action": game.text(step.action),
                    **({"by": "house"} if step.by_house else {}),
                    **({"fault": step.fault.kind} if step.fault else {}),
                },
            )


def between(items: Iterable[tuple[int, T]], first: int, last: int | None) -> Iterator[tuple[int, T]]:
    """Yields the items of the decisions from `first` to `last`; what comes before decision 1 goes with it."""
    for decision, item in items:
        if last is not None and decision > last:
            return
        if max(decision, 1) >= first:
            yield decision, item


def as_json(item: tuple[int, dict[str, Any]]) -> str:
    """Returns the event as a line of JSON."""
    return orjson.dumps(item[1]).decode()


def decision_lines(found: Iterable[tuple[int, dict[str, Any]]], record: Record, game: Game) -> Iterator[str]:
    """Yields decisions as text: the seat's view, what was legal, what it did."""
    for decision, event in found:
        seat = event["seat"]
        yield f"decision {decision} of {record.decisions}: seat {seat}, {record.seats[seat]}"
        yield from view_lines(event["view"], game)
        legal = tuple(map(game.action, event["legal"]))
        yield from wrapped(f"  legal ({len(legal)}): {actions(game, legal, {})}", "      ")
        note = f" (FAULT {event['fault']}, the house moves)" if "fault" in event else ""
        note = note or (" (by the house)" if "by" in event else "")
        yield f"  action: {event['action']}{note}"
        yield ""


def view_lines(view: dict[str, Any], game: Game, history: bool = True) -> Iterator[str]:
    """Yields a view as text: first what holds now, in few lines, then the history."""
    texts = game.wording.texts
    now = plain(view)
    facts = {key: value for key, value in now.items() if not isinstance(value, list)}
    yield from wrapped(f"  {pairs_text(facts)}", "      ")
    for key, value in now.items():
        if isinstance(value, list) and key in texts:
            yield from (f"  {key}:", *text_lines(value, "    "))
        elif isinstance(value, list):
            yield from wrapped(f"  {key}: {value_text(value)}", "      ")
    if history:
        yield from _nested({key: value for key, value in view.items() if key not in now and _is_history(value)}, "  ")


def _is_history(value: Any) -> bool:
    return isinstance(value, dict | list) and any([item is not None for item in value])


def _nested(value: dict[str, Any], indent: str) -> Iterator[str]:
    """Yields a JSON object as lines, deeper ones indented; long items of a list are cut."""
    for key, item in value.items():
        if isinstance(item, dict):
            yield f"{indent}{key}:"
            yield from _nested(item, indent + "  ")
        elif isinstance(item, list) and item and isinstance(item[0], dict):
            items = [_MOVE.sub(r"\1 ", pairs_text(each)) for each in item]
            if max(map(len, items)) < SHORT:
                yield from wrapped(f"{indent}{key}: {'; '.join(items)}", indent + "    ")
                continue
            yield f"{indent}{key}:"
            for each in items:
                shown = each if len(each) <= LONG else f"{each[:LONG]} …"
                yield from wrapped(f"{indent}  - {shown}", indent + "    ")
        else:
            yield from wrapped(f"{indent}{key}: {value_text(item)}", indent + "    ")
