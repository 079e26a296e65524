"""How the cards, actions and events of a game read for people: a game may have a subclass of `Wording`.

`Wording` itself shows every event as plain keys and values.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar, TypeAlias
from unicodedata import bidirectional

from tourney.contracts.cards import Deck

Event: TypeAlias = Mapping[str, Any]
"""An event of the trace (docs/data-formats)."""
NameOf: TypeAlias = Callable[[int], str]
"""The name of the bot in a seat."""

RUN = 8
"""How many equal values in a row are still written out."""


class Wording:
    """How a game reads for people; everything is optional."""

    goal: ClassVar[str] = ""
    """A player's goal, in two sentences; `tourney play` and the match viewer start with it."""
    glossary: ClassVar[Mapping[str, str]] = {}
    """The meaning of cards, by their names or ranks, and of other words on the table; the match viewer shows it."""
    deck: ClassVar[Deck | None] = None
    """The cards that the game's texts name, such as the `9t` in `play:9t`; None if it names none."""
    numbered_by: ClassVar[str] = "round"
    """The key that numbers a deal, in its event and in the views that follow."""
    hands: ClassVar[tuple[str, ...]] = ("hands",)
    """The keys of a deal whose values are a hand for each seat; hands are shown sorted."""
    seats: ClassVar[tuple[str, ...]] = ("seat", "winner")
    """The keys of events, and of views, whose values are seats or lists of seats and are shown as names."""
    texts: ClassVar[tuple[str, ...]] = ()
    """The keys of views whose values are the lines of a text; they are shown one below the other."""
    names: ClassVar[Sequence[str]] = ()
    """The texts of all actions, if there are `meanings`: people see each choice with its meaning."""
    meanings: ClassVar[Mapping[str, str]] = {}
    """The meanings of actions, by their text or by its beginning up to the last colon; `{what}` is the rest.

    A number there is a seat, and is shown as its name: `{"keep": "no change", "steal:": "take points from {what}"}`.
    """

    at_end: ClassVar[str] = "added at the end"
    """The name of the points in a match's result that are not in the `scores` of its last `score` event."""

    def sentence(self, event: Event, name: NameOf) -> str:
        """Returns an event in one line. Deals and tricks have their own methods."""
        who = [name(event["seat"])] if "seat" in event else []
        facts = [f"{key} {self.value(key, value, name)}" for key, value in event.items() if key not in ("kind", "seat")]
        return f"{event['kind']}: {', '.join(who + facts)}"

    def heading(self, event: Event) -> str:
        """Returns a deal's name: `round 3`."""
        return f"{self.numbered_by} {event[self.numbered_by]}" if self.numbered_by in event else "deal"

    def trick(self, number: int, plays: Sequence[str], event: Event, name: NameOf) -> str:
        """Returns a finished trick in one line; `plays` has the result of `to_trick` for each of its actions."""
        played = f"{' '.join(plays)}, " if plays else ""
        winner = "nobody" if event["winner"] is None else name(event["winner"])
        return f"trick {number}: {played}taken by {winner}"

    def to_trick(self, action: str) -> str | None:
        """Returns an action's part of the trick in progress, such as its card; None if it plays nothing."""
        return None

    def means(self, action: str, name: NameOf) -> str:
        """Returns an action's meaning, from its text as the watcher sees it alone, so it reveals no more; or ""."""
        kind, colon, what = action.rpartition(":")
        meaning = self.meanings.get(action, self.meanings.get(kind + colon, ""))
        return meaning and meaning.format(what=name(int(what)) if what.isdecimal() else what)

    def choices(self, view: Any) -> Mapping[int, str]:
        """Returns the names of a view's legal actions; an action without one is named by its text.

        A person may choose an action by its name, and a transcript shows the name after the text. By default it is the
        text with its meaning, except for actions that name a card.
        """
        texts = [each for each in enumerate(self.names) if each[1] in self.meanings or each[1][-1:].isdecimal()]
        meanings = [(action, text, self.means(text, "seat {}".format)) for action, text in texts]
        return {action: f"{text} ({meaning})" for action, text, meaning in meanings if meaning}

    def situation(self, view: Any, name: NameOf) -> Sequence[str]:
        """Returns a view as sentences to its own seat, "you", because a person sees nothing else; or ()."""
        return ()

    def why(self, event: Event, view: Any, name: NameOf) -> str:
        """Returns why an event happened, from the watcher's view after the decision that led to it; or ""."""
        return ""

    def gains(self, event: Event, view: Any, name: NameOf) -> Sequence[str]:
        """Returns the reason for each seat's points in a `score` event, such as "3 tricks"; by default nothing."""
        return ()

    def effects(self, before: Any, after: Any, name: NameOf) -> Sequence[str]:
        """Returns a decision's effects that no event tells, from the watcher's views before and after it."""
        return ()

    def repeats(self, event: Event) -> bool:
        """Whether an event only repeats the decision before it, so a transcript omits it."""
        return False

    def listed(self, event: Event) -> str | None:
        """Returns an event's part in a list of such events, such as a card that is dealt; None if it is not listed.

        A transcript puts such events in one paragraph: the sentence of the first, and the parts of the others.
        """
        return None

    def holding(self, view: Any) -> str | None:
        """Returns the hand of a view's seat, if it fits into a word and changes without an event; else None."""
        return None

    def cards(self, cards: Sequence[int]) -> str:
        """Returns cards of the game's deck in a line."""
        return " ".join([self.deck.names[card] for card in cards]) or "none" if self.deck else ""

    def value(self, key: str, value: Any, name: NameOf) -> str:
        """Returns a value of an event as text, with the names of bots for seats."""
        if key in self.seats and value is not None:
            return " ".join([name(seat) for seat in (value if isinstance(value, list) else [value])])
        return value_text(value)


class RoundWording(Wording):
    """The wording of a game that scores rounds: events of the kind `score` read as sentences."""

    def sentence(self, event: Event, name: NameOf) -> str:
        """Returns a score as the gain and the total of each seat, and any other event as keys and values."""
        if event["kind"] != "score":
            return super().sentence(event, name)
        gains = event.get("gains") or [""] * len(event["points"])
        points = enumerate(zip(event["points"], event["scores"], gains, strict=True))
        won = [f"{name(seat)} {gained:+} = {score}{why and f' ({why})'}" for seat, (gained, score, why) in points]
        return f"{self.numbered_by} {event['round']}: {', '.join(won)}"

    def to_trick(self, action: str) -> str | None:
        """Returns the card of `play:CARD`."""
        kind, _, card = action.partition(":")
        return card if kind == "play" else None


def value_text(value: Any) -> str:
    """Returns a JSON value in a line; a long run of equal values is written once, with their number."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            runs = [(item, len(list(run))) for item, run in groupby([value_text(item) for item in value])]
            parts = [f"{item} x{count}" if count > RUN else " ".join([item] * count) for item, count in runs]
            return " ".join(parts) or "-"
        case dict():
            return f"({pairs_text(value)})"
    return str(value)


def isolated(name: str) -> str:
    """Returns a name for a sentence, with marks around it if it could reorder its neighbours."""
    moves = not name.isascii() and any([bidirectional(char) in ("R", "AL", "AN") for char in name])
    return f"\u2068{name}\u2069" if moves else name


def listed_text(names: Sequence[str]) -> str:
    """Returns names as a sentence lists them.

    >>> listed_text(["ann"]), listed_text(["ann", "bob", "cid"])
    ('ann', 'ann, bob and cid')
    """
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def few(names: Sequence[str], most: int) -> Sequence[str]:
    """Returns at most that number of names; the last one stands for the others.

    >>> few(["ann", "bob", "cid"], 2)
    ['ann', '2 others']
    """
    return names if len(names) <= most else [*names[: most - 1], f"{len(names) - most + 1} others"]


def by_seat(values: Iterable[Any], name: NameOf) -> str:
    """Returns a value for each seat in a line, `ann 3, cid 6`, omitting None."""
    return ", ".join([f"{name(seat)} {value}" for seat, value in enumerate(values) if value is not None])


def pairs_text(value: Mapping[str, Any]) -> str:
    """Returns a JSON object in a line: `target 21, sevens game`."""
    return ", ".join([f"{key} {value_text(item)}" for key, item in value.items()])


def counted(number: int, one: str, several: str = "") -> str:
    """Returns a number of things in words.

    >>> counted(1, "match", "matches"), counted(2, "bot")
    ('1 match', '2 bots')
    """
    return f"{number} {one if number == 1 else several or one + 's'}"


def dollars(amount: float) -> str:
    """Returns an amount of money in words.

    >>> dollars(0.0123), dollars(41.23)
    ('0.0123 $', '41 $')
    """
    return f"{amount:.0f} $" if amount >= 10 else f"{amount:.3g} $"
