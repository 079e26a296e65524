"""A match as text: with all cards open, or as one seat saw it."""

import os
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

import click

from tourney.cli.screen import Paint, wrapped
from tourney.contracts.game import Game, State, View
from tourney.contracts.match import Record
from tourney.contracts.wording import Phrase, pairs_text
from tourney.hosts.notes import Note
from tourney.journal.notes import in_words
from tourney.table.describe import lines_of_text, plain, view_text
from tourney.table.replay import ReplayEvent, Step, put_out, trace, walk
from tourney.table.sentences import Sentences, phrases

INDENT = " " * 7
NO_NOTES: Mapping[int, Note] = MappingProxyType({})
_PRESENTATION = dict.fromkeys((0xFE0E, 0xFE0F))
"""The variation selectors that some terminals add to pasted signs."""


def transcript(
    record: Record, game: Game, seat: int | None, span: tuple[int, int | None], notes: Mapping[int, Note] = NO_NOTES,
    walked: Iterable[ReplayEvent] = (),
) -> Iterator[str]:  # fmt: skip
    """The match as lines of text, from the first to the last decision of the span; `walked` is its walk, if known."""
    teller = Transcript(record, game, seat, notes=notes)
    first, last = span
    number = 0
    yield from teller.head()
    for replayed in walked or walk(record, game, seat):
        if replayed.number != number:
            rest = teller.rest()
            if max(number, 1) >= first:
                yield from rest
            number = replayed.number
        lines = teller.lines(replayed)
        if last is not None and replayed.number > last:
            return
        if max(replayed.number, 1) >= first:
            yield from lines
    yield from teller.end(record)


class Transcript:
    """Describes a match event by event; with a seat, as that seat saw it."""

    def __init__(
        self, record: Record, game: Game, seat: int | None, brief: bool = False, notes: Mapping[int, Note] = NO_NOTES
    ) -> None:
        """Starts before the first event. A brief transcript leaves out views, for callers that show them separately.

        `notes` are the bots' notes by decision number: with a seat, only its own.
        """
        self._notes, self._record, self._game = notes, record, game
        self._wording = game.wording
        self._seat = seat
        self._brief = brief
        self._width = max([len(name) for name in record.seats])
        self._known: dict[str, Any] = {}
        self._paragraph = self._stakes = ""
        self._sentences = Sentences(record, game, seat)
        self._name = self._sentences.name

    def head(self) -> Iterator[str]:
        """The lines that introduce the match."""
        record = self._record
        yield f"{record.match}: {self._game.name}" + (f", seed {record.seed}" if self._seat is None else "")
        options = next(trace(record, self._game))["options"]
        yield from wrapped(f"options: {pairs_text(options)}" if options else "no options", "  ")
        yield from wrapped("seats: " + ", ".join([f"{seat} {name}" for seat, name in enumerate(record.seats)]), "  ")
        for seat, why in put_out(record).items():
            yield f"out: {self._name(seat)} forfeited ({why}); random moves from here on"
        if self._seat is not None:
            yield f"as seen by seat {self._seat}, {record.seats[self._seat]}"

    def lines(self, replayed: ReplayEvent) -> list[str]:
        """The lines of the next event; a paragraph is held back until its end, or for `rest`."""
        if replayed.step is None and replayed.seen is not None and not replayed.revealed:
            added = self._wording.listed(replayed.event)
            if added is not None:
                started = self._paragraph
                self._paragraph = (
                    f"{started}, {added}" if started else self._wording.sentence(replayed.event, self._name)
                )
                return []
        if replayed.step is not None:
            said = [*self._act(replayed, replayed.step), *self._revealed(replayed)]
            lines = said + [line for effect in self._sentences.effects(replayed) for line in noted(effect)]
        else:
            lines = [*self._revealed(replayed), *(self._event(replayed) if replayed.seen is not None else [])]
        return [*self.rest(), *lines] if lines else []

    def rest(self) -> list[str]:
        """The lines of the open paragraph."""
        paragraph, self._paragraph = self._paragraph, ""
        return noted(paragraph) if paragraph else []

    def end(self, record: Record) -> list[str]:
        """The lines for the end of the match; `record` is the finished one, also for a live match."""
        result = result_text(list(map(self._name, range(len(record.seats)))), record.scores, record.places)
        wrong = [
            f"{self._name(fault.seat)}: {fault.kind} at decision {fault.decision}"
            + (f" ({fault.what})" if self._seat in (None, fault.seat) else "")
            for fault in record.faults
            if fault.kind != "out"
        ]
        added = noted(ending) if (ending := self._sentences.ending(record.scores)) else []
        return [*self.rest(), *added, "", *wrapped(f"end: {result}", "  "), *wrong]

    def _value(self, key: str, value: Any) -> str:
        return self._wording.value(key, value, self._name)

    def _event(self, replayed: ReplayEvent) -> Iterator[str]:
        event = replayed.event
        if self._wording.repeats(event):
            if standing := self._sentences.standing(replayed):
                yield from noted(standing.strip())
            return
        sentence = self._sentences.event(replayed)
        if event["kind"] != "deal":
            yield from noted(sentence)
            return
        yield ""
        yield from self._sight(event, replayed.state) if self._seat is not None else self._deal(event)

    def _deal(self, event: dict[str, Any]) -> Iterator[str]:
        wording = self._wording
        dealt = {key: value for key, value in event.items() if key not in ("kind", wording.numbered_by)}
        facts = [f"{key} {self._value(key, value)}" for key, value in dealt.items() if not isinstance(value, list)]
        yield from wrapped(f"{wording.heading(event)}: {', '.join(facts)}", "  ")
        for key, value in dealt.items():
            if not isinstance(value, list):
                continue
            if len(value) != len(self._record.seats):
                yield from wrapped(f"  {key}: {self._value(key, value)}", "    ")
                continue
            for seat, item in enumerate(value):
                cards = wording.deck.sorted(item) if key in wording.hands and wording.deck is not None else item
                line = f"  {key} {self._name(seat):{self._width}}  {self._value(key, cards)}"
                yield from wrapped(line, " " * (len(key) + self._width + 5))

    def _sight(self, event: dict[str, Any], state: State) -> Iterator[str]:
        assert self._seat is not None
        self._known = plain(state.view(self._seat).as_dict())
        values = [(key, self._value(key, value), isinstance(value, list)) for key, value in self._known.items()]
        facts = [f"{key} {value}" for key, value, long in values if not long and key != self._wording.numbered_by]
        yield from wrapped(f"{self._wording.heading(event)}: {', '.join(facts)}", "  ")
        for key, value, long in values:
            if long:
                yield from wrapped(f"  {key}: {value}", "    ")

    def _act(self, replayed: ReplayEvent, step: Step) -> Iterator[str]:
        phrase, note = self._sentences.phrase(replayed, step), self._sentences.note(replayed, step)
        if phrase is None:
            return
        stakes = self._sentences.stakes(step, replayed.view)
        if stakes not in ("", self._stakes) and not (self._brief and step.seat == self._seat):
            yield from noted(stakes)
        self._stakes = stakes
        choices = note or (f"of {len(step.legal)}" if len(step.legal) > 1 else "forced")
        if self._seat is None:
            held = self._wording.holding(replayed.view)
            choices += f", holds {held}" if held else ""
        elif step.seat != self._seat:
            choices = ""
        elif not self._brief:
            yield from self._news(replayed.view)
            if len(step.legal) > 1:
                choices += f": {actions(phrases(step.legal, replayed.view, self._game, self._name))}"
        if step.by_house:  # also at a fault
            choices = f"({note})"
        line = f"{step.decision:5}  {phrase.by(self._name(step.seat)):{self._width + 10}}  {choices}"
        yield from wrapped(line.rstrip(), " " * 9)
        if step.decision in self._notes:
            yield from noted(f"noted: {in_words(self._notes[step.decision])}")

    def _revealed(self, replayed: ReplayEvent) -> Iterator[str]:
        for earlier in replayed.revealed:
            if earlier.step is None:
                yield from self._event(earlier)
            else:
                yield from noted(self._sentences.revealed(earlier))

    def _news(self, view: View) -> Iterator[str]:
        """Changes of the seat's view since it was last shown."""
        before, self._known = self._known, plain(view.as_dict())
        news = [
            f"{key} {self._value(key, _added(before.get(key), value))}"
            for key, value in self._known.items()
            if before.get(key) != value and key not in self._wording.texts
        ]
        if news:
            yield from noted(", ".join(news))
        for key in self._wording.texts:
            if before.get(key) != (lines := self._known.get(key, [])):
                yield from (f"{INDENT}{key}:", *text_lines(lines, INDENT + "  "))


def result_text(names: Sequence[str], scores: Sequence[int], places: Sequence[int]) -> str:
    """The score and the place of each seat."""
    ends = zip(names, scores, places, strict=True)
    return ", ".join([f"{name} {score} (place {place})" for name, score, place in ends])


def _added(old: Any, new: Any) -> Any:
    """The items added to a list, after a `+`; other values unchanged."""
    if isinstance(old, list) and isinstance(new, list) and old and new[: len(old)] == old:
        return ["+", *new[len(old) :]]
    return new


def noted(line: str) -> list[str]:
    """Wraps a line between decisions."""
    return wrapped(INDENT + line, INDENT + "  ")


def actions(said: Sequence[Phrase]) -> str:
    """Actions in words, grouped by their kind: `play 9t 3k, keep the trump card`."""
    kinds: dict[str, list[str]] = {}
    for phrase in said:
        kinds.setdefault(phrase.lead, []).append(phrase.rest)
    return ", ".join([" ".join([lead, *filter(None, rests)]) for lead, rests in kinds.items()])


def text_lines(lines: list[str], indent: str) -> list[str]:
    """Indents and wraps a text."""
    return [part for line in lines_of_text(lines) for part in wrapped(indent + line, indent + "  ")]


def view_lines(view: dict[str, Any], game: Game, history: bool = True) -> Iterator[str]:
    """A view as wrapped lines: first the current state, then the history."""
    for line in view_text(view, game, None if history else 0):
        indent = " " * (len(line) - len(line.lstrip()))
        yield from wrapped(f"  {line}", f"{indent}      ")


def painter(game: Game, colour: bool | None) -> Paint | None:
    """Adds card signs and colours to a line, if the terminal supports them or `colour` requires them."""
    if colour is not None:
        return card_painter(game, colours=True) if colour else None
    if not sys.stdout.isatty() or os.environ.get("TERM") == "dumb" or game.wording.deck is None:
        return None
    try:
        "".join(game.wording.deck.signs).encode(sys.stdout.encoding)
    except UnicodeEncodeError:
        return None
    return card_painter(game, colours=not os.environ.get("NO_COLOR"))


def card_painter(game: Game, colours: bool) -> Paint | None:
    """Adds card signs to a line about a match; None if the game's cards have none."""
    deck = game.wording.deck
    if deck is None or not deck.signs:
        return None
    signs = dict(zip(deck.suits, zip(deck.signs, deck.colours, strict=True), strict=True))

    def paint(card: re.Match[str]) -> str:
        sign, colour = signs[card[2]]
        return click.style(card[1] + sign, fg=colour, bold=True) if colours else card[1] + sign

    ranks = "|".join(sorted(deck.ranks, key=len, reverse=True))
    return partial(re.compile(rf"(?<!\w)({ranks})([{''.join(deck.suits)}])(?!\w)").sub, paint)


def without_signs(game: Game, text: str) -> str:
    """Replaces the signs of suits by their letters."""
    deck = game.wording.deck
    for sign, suit in zip(deck.signs, deck.suits, strict=True) if deck is not None and deck.signs else ():
        text = text.replace(sign, suit)
    return text.translate(_PRESENTATION)
