"""A match told as text: as everyone could follow it with all cards open, or as one seat saw it."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from tourney.cli.render.cards import Style
from tourney.cli.render.observer import Witness
from tourney.cli.render.text import actions, by_suit, pairs, plain, text, wrapped
from tourney.errors import RunError
from tourney.game import Game, State
from tourney.match import Record
from tourney.replay import DifferenceError, Replay, Step, put_out, trace

INDENT = " " * 7
SEATS = ("leader", "dealer", "first", "duke", "starts", "winner", "seat", "order")
"""The keys of events whose values are seats (docs/log-format)."""


class Beat(NamedTuple):
    """Something that happens in a match: an event of the game, or a decision."""

    decision: int
    """The decision that it comes with; 0 before the first."""
    event: dict[str, Any]
    """The game's event; empty for a decision."""
    step: Step | None
    state: State
    """The match then; it moves on when the next beat is asked for."""


def beats(record: Record, game: Game) -> Iterator[Beat]:
    """Everything that happens, in order; raises a `RunError` where the record breaks off."""
    try:
        replay = Replay(record, game)
        told = decision = 0
        for step in replay.steps():
            for entry in step.state.log[told:]:
                yield Beat(decision, game.event(entry), None, step.state)
            told, decision = len(step.state.log) + 1, step.decision
            yield Beat(decision, {}, step, step.state)
        for entry in replay.state.log[told:]:
            yield Beat(decision, game.event(entry), None, replay.state)
    except DifferenceError as difference:
        raise RunError(f"match {record.match} does not replay: {difference}; `tourney verify` says more") from None


def story(record: Record, game: Game, style: Style, seat: int | None, span: tuple[int, int | None]) -> Iterator[str]:
    """The match as lines of text, from the first to the last decision of the span."""
    told = Story(record, game, style, seat)
    first, last = span
    yield from told.head()
    for beat in beats(record, game):
        lines = told.tell(beat)
        if last is not None and beat.decision > last:
            return
        if max(beat.decision, 1) >= first:
            yield from lines
    yield from told.end()


class Story:
    """Tells a match beat by beat; with a seat, as that seat saw it."""

    def __init__(self, record: Record, game: Game, style: Style, seat: int | None, brief: bool = False) -> None:
        """Nothing is told yet. A brief story leaves out what the seat's views tell, which are shown beside it."""
        self._record = record
        self._game = game
        self._style = style
        self._seat = seat
        self._brief = brief
        self._witness = None if seat is None else Witness(game, seat)
        self._width = max([len(name) for name in record.seats])
        self._known: dict[str, Any] = {}
        self._plays: dict[int, str] = {}
        self._tricks = 0
        self._scores: tuple[int, ...] | None = None

    def head(self) -> Iterator[str]:
        """Which match it is."""
        record = self._record
        yield f"{record.match}: {self._game.name}, seed {record.seed}"
        options = next(trace(record, self._game))["options"]
        yield from wrapped(f"options: {pairs(options)}" if options else "no options", "  ")
        yield from wrapped("seats: " + ", ".join([f"{seat} {name}" for seat, name in enumerate(record.seats)]), "  ")
        for seat, why in put_out(record).items():
            yield f"out: {self._name(seat)}, {why}; the house plays for it"
        if self._seat is not None:
            yield f"as seen by seat {self._seat}, {record.seats[self._seat]}"

    def tell(self, beat: Beat) -> list[str]:
        """The lines for a beat; to be called with each, in order."""
        lines = self._act(beat.step) if beat.step is not None else self._event(beat)
        return [self._style.painted(line) for line in lines]

    def end(self) -> list[str]:
        """How it ended."""
        record = self._record
        ends = zip(map(self._name, range(len(record.seats))), record.scores, record.places, strict=True)
        told = ", ".join([f"{name} {score} (place {place})" for name, score, place in ends])
        wrong = [
            f"{self._name(fault.seat)}: {fault.kind} at decision {fault.decision}"
            f" ({fault.detail if fault.answer is None else fault.answer})"
            for fault in record.faults
            if fault.kind != "out"
        ]
        return ["", *wrapped(f"end: {told}", "  "), *wrong]

    def _name(self, seat: int) -> str:
        """The bot in the seat, with the seat's number where the name alone could be another's."""
        name = self._record.seats[seat]
        return name if self._record.seats.count(name) == 1 else f"{name}/{seat}"

    def _value(self, key: str, value: Any) -> str:
        """A value of an event as text, seats by the names of their bots."""
        if key in SEATS and value is not None:
            return " ".join([self._name(seat) for seat in (value if isinstance(value, list) else [value])])
        return self._style.cards(text(value))

    def _event(self, beat: Beat) -> Iterator[str]:
        event = beat.event
        match event["kind"]:
            case "deal":
                yield ""
                self._plays, self._tricks = {}, 0
                yield from self._deal(beat)
            case "trick":
                self._tricks += 1
                winner = "nobody" if event["winner"] is None else self._name(event["winner"])
                played = " ".join(self._plays.values())
                self._plays = {}
                yield from noted(f"trick {self._tricks}: {played}{', ' if played else ''}{winner} takes it")
            case "score":
                points = enumerate(zip(event["points"], event["scores"], strict=True))
                won = [f"{self._name(seat)} {gained:+} = {score}" for seat, (gained, score) in points]
                yield from noted(f"round {event['round']}: {', '.join(won)}")
            case kind if self._seat is None or kind not in self._game.private:
                who = [self._name(event["seat"])] if "seat" in event else []
                facts = {key: value for key, value in event.items() if key not in ("kind", "seat")}
                told = ", ".join(who + [f"{key} {self._value(key, value)}" for key, value in facts.items()])
                yield from noted(f"{kind}: {told}{self._standing(beat.state)}")

    def _standing(self, state: State) -> str:
        """The scores, where they change in the middle of a round, with all cards open."""
        if self._seat is not None or state.scores == self._scores:
            return ""
        self._scores = state.scores
        return f"  (scores {' '.join(map(str, state.scores))})"

    def _deal(self, beat: Beat) -> Iterator[str]:
        """What chance decided; for a seat, what it then sees."""
        numbered = next((f"{key} {beat.event[key]}" for key in ("round", "game") if key in beat.event), "deal")
        if self._seat is not None:
            yield from self._sight(numbered, beat.state)
            return
        event = {key: value for key, value in beat.event.items() if key not in ("kind", "round", "game")}
        facts = [f"{key} {self._value(key, value)}" for key, value in event.items() if not isinstance(value, list)]
        yield from wrapped(f"{numbered}: {', '.join(facts)}", "  ")
        for key, value in event.items():
            if not isinstance(value, list):
                continue
            if len(value) != len(self._record.seats):
                yield from wrapped(f"  {key}: {self._value(key, value)}", "    ")
                continue
            for seat, item in enumerate(value):
                cards = by_suit(item) if key == "hands" else item
                line = f"  {key} {self._name(seat):{self._width}}  {self._value(key, cards)}"
                yield from wrapped(line, " " * (len(key) + self._width + 5))

    def _sight(self, numbered: str, state: State) -> Iterator[str]:
        """What the seat sees at the beginning of a round, but for the history."""
        assert self._seat is not None
        self._known = plain(state.view(self._seat).as_dict())
        told = [(key, self._value(key, value), isinstance(value, list)) for key, value in self._known.items()]
        facts = [f"{key} {value}" for key, value, long in told if not long and key not in ("round", "game")]
        yield from wrapped(f"{numbered}: {', '.join(facts)}", "  ")
        for key, value, long in told:
            if long:
                yield from wrapped(f"  {key}: {value}", "    ")

    def _act(self, step: Step) -> Iterator[str]:
        """A decision, as far as it is seen."""
        if self._witness is None:
            held = step.state.view(step.seat).as_dict().get("card")  # a hand of one card, which changes unseen
            choices = self._choices(step) + (f", holds {held}" if held else "")
            yield from self._decision(step, self._game.text(step.action), choices, self._counted(step))
            return
        if step.seat == self._seat and not self._brief:
            yield from self._news(step.state)
        sight = self._witness.sees(step)
        if step.seat == self._seat:
            choices = self._choices(step)
            if len(step.legal) > 1 and not self._brief:
                choices += f": {actions(self._game, step.legal)}"
            yield from self._decision(step, self._game.text(step.action), choices, self._counted(step))
        elif sight.action is not None:
            yield from self._decision(step, sight.action, "", sight.action)
        for secret in sight.shown:
            line = f"decision {secret.decision} was {self._name(secret.seat)}'s {secret.text}"
            yield from noted(self._style.cards(line))
            if secret.decision in self._plays:
                self._plays[secret.decision] = self._style.cards(secret.text.partition(":")[2])

    def _choices(self, step: Step) -> str:
        """How much of a choice it was; of an action that the rules tolerate, what the others see in its place."""
        if step.action not in step.legal:
            counted, action = self._counted(step), self._game.text(step.action)
            return "not allowed" if counted == action else f"not allowed, counts as {counted}"
        return f"of {len(step.legal)}" if len(step.legal) > 1 else "forced"

    def _counted(self, step: Step) -> str:
        """What is played: the action itself, unless it is tolerated and something else is put in its place."""
        action = self._game.text(step.action)
        if step.action in step.legal:
            return action
        other = (step.seat + 1) % len(self._record.seats)
        return Witness(self._game, other).sees(step).action or action

    def _decision(self, step: Step, action: str, choices: str, counted: str) -> Iterator[str]:
        fault = step.fault
        if fault is not None:
            hidden = fault.answer is None or self._seat not in (None, step.seat)
            what = fault.detail if hidden else f"answered {fault.answer}"
            choices = f"(FAULT {fault.kind}, the house moves: {what})"
        elif step.by_house:
            choices = "(by the house)"
        verb, _, card = counted.partition(":")
        if verb in ("play", "leon"):  # docs/rules/leon: the Léon is played by its name, as another card
            self._plays[step.decision] = self._style.cards(card if verb == "play" else counted)
        line = f"{step.decision:5}  {step.seat} {self._record.seats[step.seat]:{self._width}}  {action:12} {choices}"
        yield from wrapped(self._style.cards(line).rstrip(), " " * (self._width + 23))

    def _news(self, state: State) -> Iterator[str]:
        """What of the seat's view has changed since it was last told."""
        assert self._seat is not None
        before, self._known = self._known, plain(state.view(self._seat).as_dict())
        news = [
            f"{key} {self._value(key, _added(before.get(key), value))}"
            for key, value in self._known.items()
            if before.get(key) != value
        ]
        if news:
            yield from noted(", ".join(news))


def _added(old: Any, new: Any) -> Any:
    """A list that has become longer by what was added to it, anything else as it is."""
    if isinstance(old, list) and isinstance(new, list) and old and new[: len(old)] == old:
        return ["+", *new[len(old) :]]
    return new


def noted(line: str) -> list[str]:
    """Something between decisions."""
    return wrapped(INDENT + line, INDENT + "  ")
