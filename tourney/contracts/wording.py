"""How the cards, actions and events of a game read for people: a game may have a subclass of `Wording`.

`Wording` itself shows every event as plain keys and values.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, ClassVar, NamedTuple, TypeAlias
from unicodedata import bidirectional

from tourney.contracts.cards import Deck

Event: TypeAlias = Mapping[str, Any]
"""An event of the trace (docs/data-formats)."""
NameOf: TypeAlias = Callable[[int], str]
"""The name of the bot in a seat."""

RUN = 8
"""How many equal values in a row are still written out."""


class Phrase(NamedTuple):
    """An action in words."""

    lead: str
    """The words that it shares with actions of its kind: `play`, `steal points from`."""
    rest: str = ""
    """The words that distinguish it: `9t`, `bob`."""
    has_verb: bool = False
    """Whether it starts with a verb."""

    @property
    def text(self) -> str:
        """The action as a choice: `play 9t`."""
        return f"{self.lead} {self.rest}".strip()

    def by(self, who: str) -> str:
        """The decision for it as a sentence: `ann plays 9t`, without a verb `ann: 9t`."""
        if not self.has_verb:
            return f"{who}: {self.text}"
        verb, space, others = self.text.partition(" ")
        return f"{who} {verb if who == YOU else third_person(verb)}{space}{others}"


YOU = "you"
"""The name of a view's own seat in sentences about the view, and by default of a person who plays."""


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
    phrases: ClassVar[Mapping[str, str]] = {"play:": "play {what}"}
    """The actions as commands, by their texts or by its beginning up to the last colon; a verb comes first.

    `{what}` is the rest of the text, and `{seat}` the name of the bot in the seat of that number: with
    `{"fold": "fold the hand", "steal:": "steal points from {seat}"}`, "ann folds the hand" and "bob steals points from
    ann". A seat that only learns the kind of an action needs words for its text, too: `{"bury:?": "bury a card"}`.
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

    def phrase(self, action: str, name: NameOf) -> Phrase:
        """Returns an action in words, from its text as the watcher sees it alone, so it reveals no more.

        By default by `phrases`; an action without one is its text, without a verb.
        """
        kind, colon, what = action.rpartition(":")
        words = self.phrases.get(action, self.phrases.get(kind + colon))
        if words is None:
            lead, rest = [
                part.replace(":", " ").replace("_", " ") for part in ((kind, what) if colon else (action, ""))
            ]
            return Phrase(lead, rest)
        lead, brace, rest = words.partition("{")
        seat = name(int(what)) if rest.startswith("seat") else ""
        return Phrase(lead.rstrip(), (brace + rest).format(what=what, seat=seat), has_verb=True)

    def choices(self, view: Any) -> Mapping[int, str]:
        """Returns names for a view's legal actions in place of `phrase`, where they depend on the view."""
        return {}

    def decider(self, view: Any) -> int | None:
        """Returns the seat that decides now; None if the view does not tell."""
        return None

    def stakes(self, view: Any, name: NameOf) -> Sequence[str]:
        """Returns what is at stake next, such as "one more trick and ann is over 9"; without a period."""
        return ()

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


def third_person(verb: str) -> str:
    """Returns a verb as it follows a name.

    >>> [third_person(verb) for verb in ("play", "pass", "deny")]
    ['plays', 'passes', 'denies']
    """
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    return f"{verb[:-1]}ies" if verb[-1:] == "y" and verb[-2:-1] not in "aeiou" else f"{verb}s"


def who_is(who: str) -> str:
    """Returns the beginning of a sentence: `ann is`, `you are`."""
    return f"{who} {'are' if who == YOU else 'is'}"


def listed_text(names: Sequence[str], last: str = "and") -> str:
    """Returns names as a sentence lists them.

    >>> listed_text(["ann"]), listed_text(["ann", "bob", "cid"])
    ('ann', 'ann, bob and cid')
    """
    return f" {last} ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def first_of(texts: Sequence[str]) -> str:
    """Returns the first text, and how many more there are.

    >>> first_of(["no bot"]), first_of(["no bot", "no game", "no host"])
    ('no bot', 'no bot (and 2 more)')
    """
    return texts[0] + (f" (and {len(texts) - 1} more)" if len(texts) > 1 else "")


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
