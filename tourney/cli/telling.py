"""A match in words: the events of its trace as lines of text, or what one seat saw."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import orjson

from tourney.game import Game
from tourney.match import Record
from tourney.replay import Replay, trace

T = TypeVar("T")


def events(record: Record, game: Game) -> Iterator[tuple[int, dict[str, Any]]]:
    """The events of the match, each with the number of the decision that it comes with (0 before the first)."""
    decision = 0
    pending = False
    for event in trace(record, game):
        if event["kind"] == "act" and not pending:
            decision += 1
        pending = "fault" in event
        yield decision, event


def decisions(record: Record, game: Game, seat: int) -> Iterator[tuple[int, dict[str, Any]]]:
    """What the seat saw, could do and did at each of its decisions, each with the decision's number."""
    for step in Replay(record, game).steps():
        if step.seat == seat:
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


def story(told: Iterable[tuple[int, dict[str, Any]]], record: Record) -> Iterator[str]:
    """The events as text, everything open."""
    width = max([len(name) for name in record.seats])
    for decision, event in told:
        match event["kind"]:
            case "match":
                yield f"{record.match}: {event['game']}, seed {event['seed']}"
                yield f"options: {_pairs(event['options'])}"
                yield "seats: " + ", ".join([f"{seat} {name}" for seat, name in enumerate(record.seats)])
            case "out":
                yield f"out: {record.seats[event['seat']]}, {event['detail']}; the house plays for it"
            case "deal":
                yield ""
                yield from _deal(event, record)
            case "act":
                yield _act(decision, event, record.seats[event["seat"]], width)
            case "trick":
                winner = "nobody" if event["winner"] is None else record.seats[event["winner"]]
                yield f"       trick to {winner}"
            case "score":
                points = zip(record.seats, event["points"], event["scores"], strict=True)
                won = [f"{name} {gained:+} = {score}" for name, gained, score in points]
                yield f"       round {event['round']}: {', '.join(won)}"
            case "end":
                ends = zip(record.seats, event["scores"], event["places"], strict=True)
                yield ""
                yield "end: " + ", ".join([f"{name} {score} (place {place})" for name, score, place in ends])
            case kind:
                yield f"       {kind}: {_pairs({key: value for key, value in event.items() if key != 'kind'})}"


def _deal(event: dict[str, Any], record: Record) -> Iterator[str]:
    """What chance decided: short facts on a line, a line for each seat's cards, a line for each other list."""
    facts = {key: value for key, value in event.items() if key != "kind" and not isinstance(value, list)}
    yield f"deal: {_pairs(facts)}"
    for key, value in event.items():
        if not isinstance(value, list):
            continue
        if len(value) == len(record.seats):
            for name, item in zip(record.seats, value, strict=True):
                yield f"  {key} {name}: {_text(item)}"
        else:
            yield f"  {key}: {_text(value)}"


def _act(decision: int, event: dict[str, Any], name: str, width: int) -> str:
    action = event["action"] or "no action"
    choices = f"of {len(event['legal'])}" if len(event["legal"]) > 1 else "forced"
    note = f"  FAULT {event['fault']}" if "fault" in event else "  by the house" if "by" in event else ""
    return f"{decision:5}  {name:{width}}  {action:12} {choices}{note}"


def seen(told: Iterable[tuple[int, dict[str, Any]]], record: Record) -> Iterator[str]:
    """One seat's decisions as text: its view, what was legal, what it did."""
    for decision, event in told:
        seat = event["seat"]
        yield f"decision {decision}: seat {seat}, {record.seats[seat]}"
        yield from _nested(event["view"], "  ")
        yield f"  legal: {_text(event['legal'])}"
        note = f" (FAULT {event['fault']}, the house moves)" if "fault" in event else ""
        note = note or (" (by the house)" if "by" in event else "")
        yield f"  action: {event['action']}{note}"
        yield ""


def _nested(value: dict[str, Any], indent: str) -> Iterator[str]:
    """A JSON object as lines, deeper ones indented."""
    for key, item in value.items():
        if isinstance(item, dict):
            yield f"{indent}{key}:"
            yield from _nested(item, indent + "  ")
        elif isinstance(item, list) and item and isinstance(item[0], dict):
            yield f"{indent}{key}:"
            for each in item:
                yield f"{indent}  - {_pairs(each)}"
        else:
            yield f"{indent}{key}: {_text(item)}"


def _pairs(value: dict[str, Any]) -> str:
    return ", ".join([f"{key} {_text(item)}" for key, item in value.items()])


def _text(value: Any) -> str:
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return " ".join([_text(item) for item in value]) or "-"
        case dict():
            return f"({_pairs(value)})"
    return str(value)
