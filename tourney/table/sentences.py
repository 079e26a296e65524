"""What happens in a match as sentences, with all cards open or as one seat sees it."""

from collections.abc import Iterable, Sequence
from typing import Any

from tourney.base.errors import one_line
from tourney.contracts.game import Game
from tourney.contracts.match import Record
from tourney.contracts.wording import NameOf, Phrase, few, isolated, listed_text, value_text
from tourney.table.replay import ReplayEvent, Step, begun_replay

MOST_NAMED = 4


def seat_names(seats: Sequence[str]) -> list[str]:
    """The bots in the seats for sentences, with the seat's number if the name alone is ambiguous."""
    names = [one_line(name) for name in seats]
    return [isolated(name if names.count(name) == 1 else f"{name}/{seat}") for seat, name in enumerate(names)]


def phrases(actions: Sequence[int], view: Any, game: Game, name: NameOf) -> list[Phrase]:
    """Actions of the view's seat in words."""
    called, phrase = game.wording.choices(view), game.wording.phrase
    return [Phrase(called[each]) if each in called else phrase(game.text(each), name) for each in actions]


def deciding(view: Any, game: Game, names: Sequence[str]) -> str:
    """A sentence about the seat that the view's seat waits for, or about all others if the view does not tell."""
    seat = game.wording.decider(view)
    if seat is not None and seat != view.seat:
        return f"{names[seat]} decides"
    others = few([name for each, name in enumerate(names) if each != view.seat], MOST_NAMED)
    return f"{listed_text(others, 'or')} decides"


class Sentences:
    """Puts a match into words; with a seat, as that seat saw it. Ask it about every event, in order."""

    def __init__(self, record: Record, game: Game, seat: int | None) -> None:
        self._record = record
        self.names = seat_names(record.seats)
        """The bots in the seats, with the seat's number if the name alone is ambiguous."""
        self.name: NameOf = self.names.__getitem__
        self._game = game
        self._wording = game.wording
        self._seat = seat
        self._plays: dict[int, str] = {}
        self._tricks = 0
        self._scores: tuple[int, ...] | None = None
        self._scored: tuple[int, ...] = ()  # by the last `score` event
        self._view: Any = None  # what the watcher saw after the last decision

    def follow(self, past: Iterable[ReplayEvent]) -> None:
        """Takes in the events before the first moment, in a match that begins in the middle of another."""
        for replayed in past:
            if replayed.step is None and replayed.seen is not None:
                self.event(replayed)
            elif replayed.step is not None:
                self.phrase(replayed, replayed.step)
                self._view = self._sight(replayed)
        self._plays = {-abs(number): played for number, played in self._plays.items()}  # the match has its own numbers

    def phrase(self, replayed: ReplayEvent, step: Step) -> Phrase | None:
        """The visible part of a decision's action in words; None if it is hidden."""
        open_to_all = self._seat in (None, step.seat)
        counted = replayed.action if open_to_all else replayed.seen
        if counted is not None and (played := self._wording.to_trick(counted)) is not None:
            self._plays[step.decision] = played
        if open_to_all or replayed.seen == self._game.text(step.action):
            return phrases([step.action], replayed.view, self._game, self.name)[0]
        return None if replayed.seen is None else self._wording.phrase(replayed.seen, self.name)

    def stakes(self, step: Step, view: Any) -> str:
        """What is at stake before a decision, as the watcher knows; `view` is the deciding seat's."""
        seen = view if self._seat in (None, step.seat) else self._before()
        return "; ".join(self._wording.stakes(seen, self.name))

    def note(self, replayed: ReplayEvent, step: Step) -> str:
        """A remark about a decision: a fault, a move of the house, a forbidden action; or ""."""
        fault = step.fault
        if fault is not None:
            hidden = fault.answer is None or self._seat not in (None, step.seat)
            return f"FAULT {fault.kind}, the house moves: {fault.detail if hidden else f'answered {fault.answer}'}"
        if step.by_house:
            return "by the house"
        if step.action not in step.legal and self._seat in (None, step.seat):
            if replayed.action == self._game.text(step.action):
                return "not allowed"
            return f"not allowed, counts as {self._wording.phrase(replayed.action, self.name).text}"
        return ""

    def _sight(self, replayed: ReplayEvent) -> Any:
        """The watcher's view after an event; a watcher of all seats learns no more by it than all seats do."""
        return replayed.state.view(self._seat or 0)

    def effects(self, replayed: ReplayEvent) -> Sequence[str]:
        """A decision's effects that no event tells, each in one line."""
        before, self._view = self._before(), self._sight(replayed)
        return self._wording.effects(before, self._view, self.name)

    def _before(self) -> Any:
        if self._view is None:
            self._view = begun_replay(self._record, self._game).state.view(self._seat or 0)
        return self._view

    def gains(self, replayed: ReplayEvent) -> Sequence[str]:
        """The reason for each seat's points in a `score` event; empty if the game gives none."""
        return self._wording.gains(replayed.event, self._sight(replayed), self.name)

    def event(self, replayed: ReplayEvent) -> str:
        """An event of the game in one line, with its reason; for a deal, only its name."""
        event = replayed.event
        match event["kind"]:
            case "deal":
                self._plays, self._tricks = {}, 0
                return self._wording.heading(event)
            case "trick":
                self._tricks += 1
                plays, self._plays = list(self._plays.values()), {}
                return f"{self._wording.trick(self._tricks, plays, event, self.name)}{self._why(replayed)}"
            case "score":
                self._scored = tuple(event.get("scores", ()))
                gains = self.gains(replayed)
                return self._wording.sentence({**event, "gains": gains} if gains else event, self.name)
        return f"{self._wording.sentence(event, self.name)}{self._why(replayed)}{self.standing(replayed)}"

    def _why(self, replayed: ReplayEvent) -> str:
        return f": {why}" if (why := self._wording.why(replayed.event, self._sight(replayed), self.name)) else ""

    def ending(self, scores: Sequence[int]) -> str:
        """The part of the result beyond the last `score` event, in one line; "" if that event adds up to it."""
        if len(self._scored) != len(scores) or self._scored == scores:
            return ""
        added = enumerate(zip(self._scored, scores, strict=True))
        gains = [f"{self.name(seat)} {score - before:+} = {score}" for seat, (before, score) in added]
        return f"{self._wording.at_end}: {', '.join(gains)}"

    def revealed(self, earlier: ReplayEvent) -> str:
        """The news about an earlier event that the seat learns only now."""
        if earlier.step is None:
            return self.event(earlier)
        if earlier.number in self._plays:
            self._plays[earlier.number] = self._wording.to_trick(earlier.action) or ""
        said = self._wording.phrase(earlier.action, self.name).by(self.name(earlier.step.seat))
        return f"shown now: {said}"

    def standing(self, replayed: ReplayEvent) -> str:
        """The scores in brackets, if they change in the middle of a round and the event is without them; else ""."""
        scores: Any = replayed.state.scores if self._seat is None else self._scores
        before, self._scores = self._scores, scores
        if scores == before or (before is None and not any(scores)):
            return ""
        if "scores" in replayed.event and value_text(replayed.event["scores"]) == value_text(scores):
            return ""
        changed = [seat for seat, score in enumerate(scores) if before is None or score != before[seat]]
        return f"  (scores: {', '.join([f'{self.name(seat)} {scores[seat]}' for seat in changed])})"
