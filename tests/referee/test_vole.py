"""The referee of The Vole in the Valley: it agrees with every match that is played, and with no forged one."""

from collections.abc import Iterator

import pytest

from tests.games.vole import GAME, OPTIONS, eager
from tests.referee.vole import check
from tourney.contracts.match import GameSetup, Match
from tourney.contracts.rng import pick
from tourney.table.replay import trace
from tourney.table.table import play


class Eager:
    """A bot that plays at random, and often a 3, a 5 or an 11."""

    def start(self, facts):
        self.rng = facts.rng

    def act(self, view, legal):
        return eager(legal, self.rng)


class Clumsy(Eager):
    """An eager bot that now and then answers with no action, with an illegal one, or not at all."""

    def act(self, view, legal):
        trouble = int(self.rng.random() * 60)
        if trouble == 0:
            raise RuntimeError
        if trouble == 1:
            return None
        if trouble == 2:
            return pick([action for action in range(len(GAME.names)) if action not in legal], self.rng)
        return super().act(view, legal)


def traced(seed: int, options: dict, *bots: type) -> list[dict]:
    """The trace of a match on the deal of that seed."""
    match = Match("vole-00000-0", GameSetup("vole", 2, options), 0, seed, tuple([bot.__name__ for bot in bots]))
    return list(trace(play(match, GAME, bots), GAME))


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_the_referee_agrees_with_every_match(options):
    for seed in range(40):
        check(traced(seed, options, Eager, Clumsy if seed % 4 == 0 else Eager))


def forgeries(events: list[dict]) -> Iterator[tuple[str, list[dict]]]:
    """The trace with one thing in it changed, in every way that must not pass, each with its name."""
    for i, event in enumerate(events):
        name = f"{i} {event['kind']}"
        yield f"{name} left out", [*events[:i], *events[i + 1 :]]
        yield f"{name} told twice", [*events[:i], event, *events[i:]]
        for what, changed in changes(event):
            yield f"{name}: {what}", [*events[:i], event | changed, *events[i + 1 :]]


def changes(event: dict) -> Iterator[tuple[str, dict]]:
    """What may be put into an event to make it false."""
    yield "more than there is", {"more": 1}
    for key in event:
        if (key, "fault" in event) != ("action", True):  # a fault may be no answer at all
            yield f"nothing as {key}", {key: None}
    match event:
        case {"kind": "match", "options": options, "seats": seats}:
            yield "another game", {"game": "voleur"}
            yield "a third seat", {"seats": [*seats, "third"]}
            yield "a lower target", {"options": options | {"target": 1}}
            yield "a higher target", {"options": options | {"target": 1000}}
            yield "the other sevens", {"options": options | {"sevens": "round"}}
            yield "fewer rounds", {"options": options | {"max_rounds": 1}}
            for key in options:
                yield f"no {key}", {"options": {name: value for name, value in options.items() if name != key}}
        case {"kind": "deal", "hands": [first, second], "deck": [top, *rest], "up": up}:
            yield "another round", {"round": event["round"] + 1}
            yield "the other leader", {"leader": 1 - event["leader"]}
            yield "hands exchanged", {"hands": [second, first]}
            yield "two cards exchanged", {"hands": [[*first[1:], second[0]], [*second[1:], first[0]]]}
            yield "a hand and the deck exchanged", {"hands": [[*first[1:], top], second], "deck": [first[0], *rest]}
            yield "another trump card", {"up": top, "deck": [up, *rest]}
            yield "a card twice", {"hands": [[*first[1:], up], second]}
            yield "a short deck", {"deck": rest}
        case {"kind": "act", "legal": legal, "seat": seat}:
            yield "the other seat", {"seat": 1 - seat}
            yield "a legal action too many", {"legal": [*legal, "play:12t"]}
            yield "a legal action twice", {"legal": [*legal, legal[0]]}
            yield "a legal action too few", {"legal": legal[1:]}
            yield from other_answers(event, legal)
        case {"kind": "trick", "winner": winner}:
            yield "the other winner", {"winner": 1 - winner}
        case {"kind": "score", "points": points, "scores": scores}:
            yield "another round", {"round": event["round"] + 1}
            yield "other points", {"points": [points[0] + 1, points[1]]}
            yield "other scores", {"scores": [scores[0], scores[1] + 1]}
        case {"kind": "end", "scores": scores, "places": places}:
            yield "other scores", {"scores": [scores[0] + 1, scores[1]]}
            yield "other places", {"places": places[::-1]}
            yield "a shared place", {"places": [1, 1]}


def other_answers(event: dict, legal: list[str]) -> Iterator[tuple[str, dict]]:
    """What may be put into an answer, or its author, to make it false."""
    if "fault" in event:
        yield "a fault of no kind", {"fault": "bad luck"}
        yield "a fault of the house", {"by": "house"}
        yield "a legal fault", {"fault": "illegal", "action": legal[0]}
        return
    yield "an action that is not legal", {"action": "play:12t"}
    for other in legal:
        if other != event["action"]:
            yield f"{other} for {event['action']}", {"action": other}
    yield "by someone else", {"by": "bot" if "by" in event else "house"}
    yield "a fault", {"fault": "error"}


def test_the_referee_notices_whatever_is_changed():
    events = traced(24, {"target": 12}, Eager, Clumsy)
    check(events)
    kinds = {event["kind"] for event in events} | {key for event in events for key in ("by", "fault") if key in event}
    assert kinds == {"match", "deal", "act", "trick", "score", "end", "by", "fault"}
    missed, count = [], 0
    for name, forged in forgeries(events):
        count += 1
        try:
            check(forged)
        except AssertionError:
            continue
        missed.append(name)
    assert missed == []
    assert count > 1000
