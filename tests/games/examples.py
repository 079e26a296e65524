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
    steps: list[tuple[str, dict[str, str]]]  # actions, and what there is then


def examples(text: str) -> Any:
    """The parameter `example` of a test, from a text with a rule in a line, and below it, indented, examples:

    GIVEN : ACTIONS -> FACT = VALUE; FACT = VALUE : MORE ACTIONS -> FACT = VALUE

    A line that is indented by more than four goes on with the one before.
    """
    found = []
    for rule, block in re.findall(r"^(\S.*)\n((?: +.*\n)+)", text, re.MULTILINE):
        for example in re.split(r"\n(?= {4}\S)", block):
            given, first, *more = " ".join(example.split()).split(" : ")
            pairs = [step.split("-> ") for step in (first, *more)]
            facts = [(acts, dict([fact.split(" = ") for fact in then.split("; ")])) for acts, then in pairs]
            found.append(Example(rule, given, facts))
    return pytest.mark.parametrize("example", found, ids=[each.rule for each in found])


def settings(given: str) -> tuple[str, dict[str, Any]]:
    """What comes before the first comma of a `GIVEN`, and the keys with values after it: a number, several, or text."""
    first, *others = given.split(", ")
    return first, {key: value_of(text) for key, _, text in [other.partition(" ") for other in others]}


def value_of(text: str) -> Any:
    if not re.fullmatch(r"-?\d+( -?\d+)*", text):
        return text
    return tuple(map(int, text.split())) if " " in text else int(text)


def holds(
    game: Game,
    state: State,
    example: Example,
    facts: Mapping[str, Callable[..., Any]],
    play: Callable[[State, str], object] | None = None,
) -> None:
    """Plays the example's actions, and compares what there is after each step with what is expected.

    `facts` has further facts of the game by name, each a function of the state and of the rest of the fact's name.
    """
    for actions, then in example.steps:
        play(state, actions) if play else testing.act(game, state, actions)
        found = there(game, state, then, facts)
        assert found == then, found


def there(game: Game, state: State, then: Mapping[str, str], facts: Mapping[str, Callable[..., Any]]) -> dict[str, str]:
    choices = testing.legal(game, state)
    common = {
        "seat": lambda: state.seat,
        "legal": lambda: choices,
        "may": lambda: [action for action in then["may"].split() if action in choices],
        "may not": lambda: [action for action in then["may not"].split() if action not in choices],
        "scores": lambda: state.scores,
        "places": lambda: state.places,
        "points": lambda: [event["points"] for event in testing.events(game, state, "score")][-1:],
        "winners": lambda: [event["winner"] for event in testing.events(game, state, "trick")],
    }
    found = {}
    own = {"told": lambda state, seat: told(game, state, int(seat))} | dict(facts)
    for fact in then:
        name, *rest = [fact] if fact in facts else fact.split()
        found[fact] = plain(common[fact]() if fact in common else own[name](state, *rest))
    return found


def told(game: Game, state: State, seat: int) -> list[str | None]:
    """What a seat learns of the last decision and of what followed from it, each with what it reveals."""
    texts = [game.text(entry[1]) if isinstance(entry[0], int) else entry[0] for entry in state.log]
    last = max([i for i, entry in enumerate(state.log) if isinstance(entry[0], int)])
    found = [game.observe(state, at, seat) for at in range(last, len(texts))]
    return [text for seen, reveals in found for text in (seen, *[texts[i] for i in reveals])]


def plain(value: Any) -> str:
    """A value as examples write it: words with spaces between, and `-` for nothing."""
    if isinstance(value, list | tuple):
        return " ".join([plain(each) for each in value]) or "-"
    return "-" if value is None else str(value)
