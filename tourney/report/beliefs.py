"""What a seat could believe: the chance of each card or role behind each back, over states that fit the seat's view.

Everything is counted over draws of `Game.imagine`, so the seat's own knowledge alone decides it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import msgspec

from tourney.contracts.game import Game, State, View, hidden_texts
from tourney.contracts.match import Record, match_of
from tourney.contracts.rng import stream
from tourney.plugins.failures import failing_in
from tourney.report.match_data import Count
from tourney.table.replay import Step, begun_replay, replayable, walk

DRAWS = 200
"""States imagined at each decision …"""
MOST = 60_000
"""… but not more than this in all."""
ENOUGH = 20
"""Draws that fit what followed, from which a role that they all have in common has come to light."""
Held: TypeAlias = Mapping[tuple[int, str], Sequence[str]]
"""The texts behind the backs in a state, by seat and name as in `Game.hidden`."""
Counts: TypeAlias = dict[tuple[int, str], Counter[str]]
"""The number of draws that have a text there."""


class _Seen(msgspec.Struct):
    """What a seat sees of a decision, and of what follows from it."""

    whole: bool = False
    """Whether it sees all of the action."""
    named: list[str] = []
    """The texts that come to light, such as a card that is played."""
    events: list[dict[str, Any]] = []
    """The events except deals."""
    deals: bool = False


def beliefs(
    record: Record, game: Game, seat: int, span: range | None = None, on_own_page: bool = False
) -> dict[str, Any]:
    """A seat's beliefs for the viewer, at the decisions of a span; empty if the game does not imagine.

    On the seat's own page, decisions have the numbers of `Count`.

    `tables` has pairs: a decision, and the chances in percent from there on by seat, name and text. `reveals` has
    lists: a decision, and the seat, name and text that came to light by it, with the chance in percent before it.

    Raises a `GameError` if the game's `imagine` or `hidden` fails.
    """
    if not game.imagines:
        return {}
    with replayable(record), failing_in(match_of(record), game):
        return _beliefs(record, game, seat, span, on_own_page)


def _beliefs(record: Record, game: Game, seat: int, span: range | None, on_own_page: bool) -> dict[str, Any]:
    count, replay = Count(record, game, seat), begun_replay(record, game)
    shown: Callable[[int], int] = count if on_own_page else int
    span = range(1, shown(record.decisions) + 1) if span is None else span
    draws = max(1, min(DRAWS, MOST // max(len(span), 1)))
    seen = _seen(record, game, seat, count)
    tables: list[tuple[int, Counts]] = []
    reveals: list[tuple[Any, ...]] = []
    worlds: list[tuple[State, Held]] = []
    earlier: tuple[Step, int] | None = None  # the last decision with beliefs, and its number for the seat
    last = None
    for step in chain(replay.steps(), [None]):
        if step is not None and step.decision in count.unnoticed:
            continue
        view = replay.state.view(seat)
        if earlier is not None and (its := seen[earlier[1]]).whole:
            fitting = [held for world, held in worlds if _fits(game, world, earlier[0], its, view)]
            reveals += [(shown(earlier[0].decision), *each) for each in _revealed(worlds, fitting, its.named)]
        number = 0 if step is None else count(step.decision)
        earlier = None if step is None or shown(step.decision) not in span else (step, number)
        if step is None or earlier is None:
            continue
        rng = stream(0, "beliefs", seat, number)  # no matter what the others hold
        states = [game.imagine(view, rng) for _ in range(draws)]
        worlds = [(state, _held(game, state, len(record.seats))) for state in states]
        if view != last:
            tables.append((shown(step.decision), _counts([held for _, held in worlds])))
        last = view
    hidden = _hidden(tables, len(record.seats))
    shares = [(number, _shares(counts, hidden, seat, draws)) for number, counts in tables]
    return {"draws": draws, "tables": shares, "reveals": [each for each in reveals if each[1:3] in hidden]}


def _seen(record: Record, game: Game, seat: int, count: Count) -> dict[int, _Seen]:
    """What the seat sees of each decision, by its number for the seat."""
    found: dict[int, _Seen] = defaultdict(_Seen)
    for replayed in map(count.event, walk(record, game, seat)):
        its = found[replayed.number]
        texts = [each.action for each in replayed.revealed]
        if replayed.step is not None and replayed.seen is not None:
            its.whole = replayed.seen == game.text(replayed.step.action)
            texts.append(replayed.seen)
        elif replayed.seen is not None and replayed.event["kind"] == "deal":
            its.deals = True
        elif replayed.seen is not None:
            its.events.append(replayed.event)
            texts += [value for value in replayed.event.values() if isinstance(value, str)]
        its.named += [text.rpartition(":")[2] for text in texts]
    return found


def _held(game: Game, state: State, seats: int) -> Held:
    return {(seat, name): texts for seat in range(seats) for name, texts in hidden_texts(game, state, seat).items()}


def _counts(some: Sequence[Held]) -> Counts:
    counts: Counts = defaultdict(Counter)
    for held in some:
        for back, texts in held.items():
            counts[back].update(texts)
    return counts


def _fits(game: Game, world: State, step: Step, seen: _Seen, view: View) -> bool:
    """Whether the seat sees the same after the decision in an imagined state; plays it there."""
    action, seat = step.action, view.seat
    if world.seat != step.seat or not (action in world.legal() or world.tolerates(action)):
        return False
    world.play(action)
    if not seen.deals:
        return world.view(seat) == view
    own = [at for at, entry in enumerate(world.log) if isinstance(entry[0], str)]  # the next deal is drawn
    events = [game.event(world.log[at]) for at in own if game.observe(world, at, seat).text is not None]
    return [event for event in events if event["kind"] != "deal"] == seen.events


def _revealed(
    worlds: Sequence[tuple[State, Held]], fitting: Sequence[Held], named: Sequence[str]
) -> Iterator[tuple[int, str, str, int]]:
    """Yields what all fitting draws have in common and not all others, if it was named, or is one's only text."""
    before, after = _counts([held for _, held in worlds]), _counts(fitting)
    for back, counts in after.items():
        alone = len(fitting) >= ENOUGH and all([len(held[back]) == 1 for held in fitting])
        for text, number in counts.items():
            if number == len(fitting) and before[back][text] < len(worlds) and (text in named or alone):
                yield *back, text, _percent(before[back][text], len(worlds))


def _hidden(tables: Sequence[tuple[int, Counts]], seats: int) -> dict[tuple[int, str], None]:
    """The names, with each seat, of what is not always the same for all seats, as an ordered set."""
    names = {name: None for _, counts in tables for _, name in counts}
    private = [
        name
        for name in names
        if any([counts[seat, name] != counts[0, name] for _, counts in tables for seat in range(seats)])
    ]
    return {(seat, name): None for seat in range(seats) for name in private}


def _shares(counts: Counts, hidden: Container[tuple[int, str]], seat: int, draws: int) -> dict[str, Any]:
    """The chances at a decision; of what the seat itself has, only of what it does not know."""
    shares: dict[str, Any] = {}
    for (other, name), each in sorted(counts.items()):
        if each and (other, name) in hidden and (other != seat or any([number < draws for number in each.values()])):
            ordered = sorted(each.items(), key=lambda item: (-item[1], item[0]))
            shares.setdefault(str(other), {})[name] = {text: _percent(number, draws) for text, number in ordered}
    return shares


def _percent(number: int, draws: int) -> int:
    """A share; 0 and 100 are certain."""
    return 100 if number >= draws else max(1, min(99, round(100 * number / draws)))
