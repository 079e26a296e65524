"""Examples of rules as text: where the seats are, what they do, and what there is then."""

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import pytest

from tourney import testing
from tourney.contracts.game import Game, State


class Example(NamedTuple):
    rule: str
    given: str
    actions: str
    then: dict[str, str]


def examples(text: str) -> Any:
    """The parameter `example` of a test, from a text with a rule in a line, and below it, indented, its example:

    GIVEN : ACTIONS -> FACT = VALUE; FACT = VALUE
    """
    found = []
    for rule, example in re.findall(r"^(\S.*)\n((?: +.*\n)+)", text, re.MULTILINE):
        given, actions, then = re.split(" : ?|-> ", " ".join(example.split()), maxsplit=2)
        facts = dict([fact.split(" = ") for fact in then.split("; ")])
        found.append(Example(rule, given, actions, facts))
    return pytest.mark.parametrize("example", found, ids=[each.rule for each in found])


def settings(given: str) -> tuple[str, dict[str, str]]:
    """What comes before the first comma of a `GIVEN`, and the keys with values after it."""
    first, *others = given.split(", ")
    return first, {key: value for key, _, value in [other.partition(" ") for other in others]}


def holds(game: Game, state: State, example: Example, facts: Mapping[str, Callable[..., Any]]) -> None:
    """Plays the example's actions, and compares what there is then with what is expected.

    `facts` has further facts of the game by name, each a function of the state and of the rest of the fact's name.
    """
    testing.act(game, state, example.actions)
    choices = testing.legal(game, state)
    common = {
        "seat": lambda: state.seat,
        "legal": lambda: choices,
        "may": lambda: [action for action in example.then["may"].split() if action in choices],
        "may not": lambda: [action for action in example.then["may not"].split() if action not in choices],
        "scores": lambda: state.scores,
        "places": lambda: state.places,
        "points": lambda: [event["points"] for event in testing.events(game, state, "score")][-1:],
        "winners": lambda: [event["winner"] for event in testing.events(game, state, "trick")],
    }
    found = {}
    for fact in example.then:
        name, *rest = [fact] if fact in facts else fact.split()
        found[fact] = plain(common[fact]() if fact in common else facts[name](state, *rest))
    assert found == example.then, found


def plain(value: Any) -> str:
    """A value as examples write it: words with spaces between, and `-` for nothing."""
    if isinstance(value, list | tuple):
        return " ".join([plain(each) for each in value]) or "-"
    return "-" if value is None else str(value)
