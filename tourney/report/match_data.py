"""The match viewer's data: everything is computed here, and the page only shows it.

A match is a list of moments, one before each decision and one at the end. A seat's perspective only contains its own
views and observations, so the page has nothing to hide. Everyone's has all of these, and the events with open cards.
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import dropwhile
from random import Random
from typing import Any, Literal, TypeAlias

import msgspec
import orjson

from tourney.base.errors import one_line
from tourney.contracts.game import Game
from tourney.contracts.match import Fault, Record
from tourney.contracts.view import VALUES
from tourney.contracts.wording import YOU, Phrase, isolated, listed_text
from tourney.journal.notes import MatchNotes, in_words
from tourney.report.twins import described
from tourney.review.analysis.file import DecisionCost, MatchAnalysis
from tourney.table.replay import ReplayEvent, Step, begun_replay, converted_failures, replayable, walk
from tourney.table.sentences import Sentences, phrases, seat_names

ITEMS = msgspec.json.Decoder(list[msgspec.Raw])
Views: TypeAlias = list[dict[str, Any]]
"""Each seat's view at a moment, as JSON."""


def moments(record: Record, game: Game, seats: Sequence[int], first: int = 1) -> Iterator[tuple[Step | None, Views]]:
    """Yields a match's moments: each decision from `first` on, None for the end, with some seats' views before it."""
    replay = begun_replay(record, game)
    steps = dropwhile(lambda step: step.decision < first, replay.steps())
    last: dict[bytes, Any] = {}
    items: dict[bytes, Any] = {}
    ended = False
    with replayable(record):
        while not ended:
            with converted_failures(game):
                step = next(steps, None)
                views, last = _shared_values([replay.state.view(seat).as_json() for seat in seats], last, items)
            ended = step is None
            yield step, views


def _shared_values(
    views: Sequence[bytes], last: Mapping[bytes, Any], items: dict[bytes, Any]
) -> tuple[Views, dict[bytes, Any]]:
    """The views, whose equal values are one object for several seats and since `last`, and all values by their JSON.

    So are the `items` of lists, most of which stay as a list grows.
    """
    values: dict[bytes, Any] = {}
    shared: Views = [{} for _ in views]
    for view, text in zip(shared, views, strict=True):
        for key, raw in VALUES.decode(text).items():
            data = bytes(raw)
            if data not in values:
                values[data] = last[data] if data in last else _value(data, items)
            view[key] = values[data]
    return shared, values


def _value(data: bytes, items: dict[bytes, Any]) -> Any:
    if not data.startswith(b"["):
        return orjson.loads(data)
    for item in (raw := [*map(bytes, ITEMS.decode(data))]):
        if item not in items:
            items[item] = orjson.loads(item)
    return [items[item] for item in raw]


def difference(old: Any, new: Any) -> Any:
    """The change between two JSON values, in few bytes; `patched` in viewer/data.js applies it.

    - `0`: no change;
    - `[value]`: another value;
    - `{"key": difference, ...}`: in an object, the keys whose values have changed; in a list at least as long, the
      items that have changed or are new;
    - `[i, n, items]`: in a list, `items` replace the n items from i on.
    """
    if _same(old, new):
        return 0
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() == new.keys():
        changed = [key for key, value in new.items() if value is not old[key]]
        return {key: change for key in changed if (change := difference(old[key], new[key])) != 0}
    if isinstance(old, list) and isinstance(new, list):
        found: list[Any] = [_replaced(old, new)]
        if len(orjson.dumps(found[0])) > 2 * len(new):  # the whole list may be shorter
            found = [[new], *found]
            if len(old) <= len(new):
                found.append(_changed_items(old, new))
        return min(found, key=lambda each: len(orjson.dumps(each)))
    return [new]


def _replaced(old: list[Any], new: list[Any]) -> list[Any]:
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if not _same(old[i], new[i])), shorter)
    same = next((i for i in range(shorter - start) if not _same(old[-1 - i], new[-1 - i])), shorter - start)
    return [start, len(old) - same - start, new[start : len(new) - same]]


def _changed_items(old: list[Any], new: list[Any]) -> dict[str, Any]:
    pairs = enumerate(zip(old, new[: len(old)], strict=True))
    changed = {str(i): change for i, (one, other) in pairs if (change := difference(one, other)) != 0}
    return changed | {str(i): [new[i]] for i in range(len(old), len(new))}


def _same(old: Any, new: Any) -> bool:
    """Whether two values are the same in JSON, where 1 and true differ."""
    if old is new or type(old) is not type(new) or old != new:
        return old is new
    return type(old) in (str, int) or orjson.dumps(old) == orjson.dumps(new)


Perspectives: TypeAlias = Literal["all"] | int
"""All perspectives, or one seat's."""


def match_data(
    record: Record, game: Game, views: Perspectives = "all", analysis: MatchAnalysis | None = None, debug: str = "",
    bots: Collection[str] | None = None, notes: MatchNotes | None = None, what_if: Mapping[str, Any] | None = None,
    past: Iterable[ReplayEvent] = (), twins: Collection[Record] = (), beliefs: Mapping[str, Any] | None = None,
    first: int = 1,
) -> bytes:  # fmt: skip
    """The viewer's JSON; a seat only gets its own notes, and no `twins`, which show more of the deal.

    `what_if` has branches to watch (`tourney.report.what_if.embedded`), or the address to `ask` for them;
    `past` is what a seat saw before, in a match that begins in the middle. With `first`, everyone's data begins with
    that decision.

    An unfinished match, whose record has no places, ends with the pending decision. Seats get no numbers for decisions
    that they did not notice, because even the question may be secret, and so no `debug`, which takes the record's.
    """
    seats = range(len(record.seats)) if views == "all" else (views,)
    texts = _Texts()
    count = Count(record, game, views, first)
    seen, private = _seen(record, game, seats, texts, count)
    data = _head(record, game, count) | {
        "debug": debug if views == "all" else "",
        "undebugged": [seat for seat, name in enumerate(record.seats) if bots is not None and name not in bots],
        "faults": [_fault(fault, views, texts, count) for fault in record.faults],
        "private": private,
        "imagines": game.imagines,
        "beliefs": beliefs or {},
        "seen": {str(seat): seen[seat] | _story(record, game, seat, texts, count, past) for seat in seats},
        "costs": _costs(record, analysis, views, texts, count),
        "noted": [
            (count(decision), seat, texts(in_words(note, shortened=False)), note.get("value"))
            for decision, seat, note in ([] if notes is None else notes.notes)
            if views in ("all", seat)
        ],
    }
    if views == "all":
        data["everyone"] = story = _story(record, game, None, texts, count)
        data["twins"] = described(record, twins, story["seats"])
    if what_if is not None:
        data["what_if"] = what_if
    interned = {"texts": list(texts.texts), "acts": list(texts.actions), "lists": list(texts.lists)}
    return orjson.dumps(data | interned | {"changes": [orjson.Fragment(change) for change in texts.changes]})


class Count:
    """Maps a record's decision numbers to shown ones.

    A seat must not learn of decisions that it did not notice. A branch counts from its first decision on.
    """

    def __init__(self, record: Record, game: Game, views: Perspectives, first: int = 1) -> None:
        self.first = first
        """The record's number of the decision that is shown as 1."""
        self.unnoticed: list[int] = []
        """The hidden decisions' numbers."""
        self._learned: dict[int, str] = {}  # actions of hidden decisions learned later, by number
        if views == "all":
            return
        for replayed in walk(record, game, views):
            number = replayed.number
            if replayed.step is not None and replayed.seen is None and replayed.step.fault is None:
                self.unnoticed.append(number)
            for earlier in [each for each in replayed.revealed if each.step is not None]:
                if earlier.number in self.unnoticed:
                    self.unnoticed.remove(earlier.number)
                if self.unnoticed[earlier.number - number :] == [*range(earlier.number + 1, number + 1)]:
                    self._learned[earlier.number] = earlier.action

    def __call__(self, decision: int) -> int:
        """The shown number of a decision."""
        return decision - self.first + 1 - bisect_right(self.unnoticed, decision)

    def recorded(self, shown: int) -> int:
        """The record's number of a decision with a shown number."""
        for number in self.unnoticed:
            shown += number <= shown
        return shown

    def event(self, replayed: ReplayEvent) -> ReplayEvent:
        """The event with its shown number and action."""
        if not self.unnoticed and self.first == 1:
            return replayed
        seen = replayed.seen if replayed.step is None else self._learned.get(replayed.number, replayed.seen)
        later = [each for each in replayed.revealed if each.step is None or each.number not in self._learned]
        number = self(replayed.number)
        step = None if replayed.step is None else replayed.step._replace(decision=number)
        return replayed._replace(number=number, step=step, seen=seen, revealed=tuple(map(self.event, later)))


class _Texts:
    """Interns texts, actions, lists of actions, and changes of views, as numbers."""

    def __init__(self) -> None:
        self.texts: dict[str, int] = {}
        self.actions: dict[tuple[int, ...], int] = {}
        self.lists: dict[tuple[int, ...], int] = {}
        self.changes: dict[bytes, int] = {}

    def __call__(self, text: str) -> int:
        return self.texts.setdefault(one_line(text), len(self.texts))

    def action(self, text: str, phrase: Phrase, who: str) -> int:
        """An action as a choice in two parts, and as what its sentence says after the name."""
        action = tuple(map(self, (text, phrase.lead, phrase.rest, phrase.by(who).removeprefix(who))))
        return self.actions.setdefault(action, len(self.actions))

    def change(self, change: Any) -> int:
        """A change of a view, which most seats have alike."""
        return self.changes.setdefault(orjson.dumps(change), len(self.changes))

    def choices(self, step: Step, game: Game, names: Sequence[str]) -> int:
        """The list of a decision's legal actions."""
        said = phrases(step.legal, step.state.view(step.seat), game, names.__getitem__)
        legal = zip(step.legal, said, strict=True)
        actions = [self.action(game.text(action), phrase, names[step.seat]) for action, phrase in legal]
        return self.lists.setdefault(tuple(actions), len(self.lists))


def _head(record: Record, game: Game, count: Count) -> dict[str, Any]:
    options = game.options(len(record.seats), record.options)
    values = {name: msgspec.to_builtins(getattr(options, name)) for name in options.__struct_fields__}
    charged = [fault.seat for fault in record.faults]
    deck, parts = game.wording.deck, ("ranks", "suits", "jokers", "signs", "colours", "words")
    return {
        "match": record.match,
        "game": record.game,
        "title": game.title,
        "options": values,
        "seats": [one_line(name) for name in record.seats],
        "names": seat_names(record.seats),
        "result": result_text(record.seats, record.places, record.scores, charged) if record.places else "",
        "decisions": count(record.decisions),
        "scores": record.scores,
        "places": record.places,
        "goal": game.wording.goal,
        "glossary": game.wording.glossary,
        "deck": None if deck is None else {part: getattr(deck, part) for part in parts},
        "numbered_by": game.wording.numbered_by,
        "seat_keys": game.wording.seats,
    }


def result_text(seats: Sequence[str], places: Sequence[int], scores: Sequence[int], charged: Collection[int]) -> str:
    """How a match ended as a sentence, such as `seer beats steady 29 to 27`, with the seats that made a fault.

    With more than three seats, each score has its name: `seer wins (seer 5, first 4, random 2, steady 0)`.
    """
    order = sorted(range(len(places)), key=places.__getitem__)
    if many := len(seats) > 3:
        shown = ", ".join([f"{isolated(one_line(seats[seat]))} {scores[seat]}" for seat in order])
    else:
        shown = " to ".join([str(scores[seat]) for seat in order])
    first = [seats[seat] for seat in order if places[seat] == 1]
    others = [seats[seat] for seat in order if seats[seat] not in first]
    out = [seats[seat] for seat in order if seat in charged and seats[seat] in others]
    one = len(set(first)) == 1 and first[0] != YOU
    winners, losers, faulty = [
        listed_text([isolated(one_line(name)) for name in dict.fromkeys(names)]) for names in (first, others, out)
    ]
    if out:
        return f"{winners} {'wins' if one else 'win'}: {faulty} made a fault ({shown})"
    if many:
        verb = "draw" if not others else "wins" if one else "win"
        return f"{winners} {verb} ({shown})"
    return f"{winners} {'beats' if one else 'beat'} {losers} {shown}" if others else f"{winners} draw {shown}"


def _fault(fault: Fault, views: Perspectives, texts: _Texts, count: Count) -> dict[str, Any]:
    """A fault, without another seat's answer, which may name a hidden card."""
    mine = views in ("all", fault.seat)
    what = texts(fault.what if mine else fault.detail)
    return {"seat": fault.seat, "kind": fault.kind, "decision": count(fault.decision), "what": what}


def _story(
    record: Record, game: Game, seat: int | None, texts: _Texts, count: Count, past: Iterable[ReplayEvent] = ()
) -> dict[str, Any]:
    sentences = Sentences(record, game, seat)
    sentences.follow(past)
    decisions = count(record.decisions)
    seats, actions, stakes = [-1] * decisions, [-1] * decisions, [-1] * decisions
    notes = dict[str, int]()
    events: dict[str, list[tuple[Any, ...]]] = {}
    for replayed in map(count.event, walk(record, game, seat)):
        if replayed.number < 1 < count.first:
            sentences.follow([replayed])
            continue
        after = events.setdefault(str(replayed.number), [])
        step = replayed.step
        if step is not None and (phrase := sentences.phrase(replayed, step)) is not None:
            shown = game.text(step.action) if seat in (None, step.seat) else replayed.seen or ""
            at = replayed.number - 1
            seats[at], actions[at] = step.seat, texts.action(shown, phrase, sentences.name(step.seat))
            stakes[at] = texts(sentences.stakes(step, replayed.view))
            if note := sentences.note(replayed, step):
                notes[str(replayed.number)] = texts(note)
        after += [("learned", texts(sentences.revealed(earlier))) for earlier in replayed.revealed]
        if step is not None:
            after += [("effect", texts(effect)) for effect in sentences.effects(replayed)]
        elif replayed.seen is not None:
            kind, text = replayed.event["kind"], texts(sentences.event(replayed))
            gains = sentences.gains(replayed) if kind == "score" else ()
            gained = [
                f"{gain}: {points:+}"
                for gain, points in zip(gains, replayed.event["points"] if gains else (), strict=True)
            ]
            facts = [replayed.event] if seat is None and kind in game.private else [None, gained] if gains else []
            after.append((kind, text, *facts))
    if ending := sentences.ending(record.scores):
        events.setdefault(str(decisions), []).append(("score", texts(ending)))
    happened = {number: after for number, after in events.items() if after}
    return {"seats": seats, "actions": actions, "stakes": stakes, "notes": notes, "events": happened}


def _costs(
    record: Record, analysis: MatchAnalysis | None, views: Perspectives, texts: _Texts, count: Count
) -> list[dict[str, Any]]:
    if analysis is None or analysis.digest != record.digest:
        return []
    own = [cost for cost in analysis.decisions if views in ("all", cost.seat)]
    return [cost_data(cost, texts, count(cost.decision)) for cost in own]


def cost_data(cost: DecisionCost, text: Callable[[str], Any], number: int) -> dict[str, Any]:
    """A decision's cost by its shown number: each action's points and their error, and actions as `text` gives them."""
    values = [(text(action), value, cost.errors.get(action)) for action, value in cost.values.items()]
    numbers = {name: round(getattr(cost, name), 1) for name in ("expected", "loss", "error")}
    head = {"decision": number, "seat": cost.seat, "best": text(cost.best)}
    return head | numbers | {"mistake": cost.grade, "values": values}


def _seen(
    record: Record, game: Game, seats: Sequence[int], texts: _Texts, count: Count
) -> tuple[dict[int, dict[str, Any]], list[str]]:
    """Some seats' views at every moment, as differences, with legal actions; and the keys that differ by seat."""
    seen: dict[int, dict[str, Any]] = {}
    alone = len(seats) == 1 and (game.imagines or not record.places)
    private = _imagined_private(record, game, seats[0]) if alone else {}
    shown, names = seats if alone else range(len(record.seats)), seat_names(record.seats)
    last: dict[int, dict[str, Any]] = {}
    for step, views in moments(record, game, shown, count.first):
        if step is not None and step.decision in count.unnoticed:
            continue
        private |= _differing(views)
        now = dict(zip(shown, views, strict=True))
        for seat in seats:
            if last:
                seen[seat]["changes"].append(texts.change(difference(last[seat], now[seat])))
            else:
                seen[seat] = {"first": now[seat], "changes": [], "legal": {}}
        if step is not None and step.seat in seen:
            legal = texts.choices(step, game, names)
            seen[step.seat]["legal"][str(count(step.decision))] = legal
        last = now
    return seen, list(private)


def _differing(views: Views) -> dict[str, None]:
    """The view keys whose values differ by seat, as an ordered set."""
    return {
        key: None
        for other in views[1:]
        for key, value in other.items()
        if value is not (first := views[0].get(key)) and value != first and key != "seat"
    }


def _imagined_private(record: Record, game: Game, seat: int) -> dict[str, None]:
    """The keys that may differ by seat at the start, from an imagined world of a seat."""
    if not game.imagines:
        return {}
    world = game.imagine(begun_replay(record, game).state.view(seat), Random(0))
    return _differing([world.view(each).as_dict() for each in range(len(record.seats))])
