"""The contract of a game: `Game` (the rules), `State` (a match going on), `View` (what one seat may know), `Options`.

Actions are small ints in memory and text at every edge. A game lists the text of all its actions in `names`; the
action is the index. Seats are numbered from 0, clockwise; rounds from 1.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any, ClassVar, NamedTuple

import msgspec

from tourney import validation
from tourney.errors import ActionError, ConfigError, did_you_mean
from tourney.state import Entry, State
from tourney.wording import Wording


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A game's options (or a bot's): a frozen struct in which every field has a default.

    Unknown keys and wrong types are refused. An annotation such as `Annotated[int, msgspec.Meta(ge=1)]` bounds a value.
    """


class View(msgspec.Struct, frozen=True, gc=False):
    """All that one seat may know at one moment, its history included.

    A frozen struct: it holds immutable values only and stays as it is while the match goes on. Equal views show the
    same. A game's own fields follow `seat`; those that are there for speed begin with an underscore, and properties
    tell what they say.
    """

    # without garbage collection it is quicker to make; what is immutable all through can be in no cycle

    seat: int
    """The seat that this view belongs to."""

    def __iter__(self) -> Iterator[Any]:
        """The values of the fields, in order."""
        return iter(msgspec.structs.astuple(self))

    def as_dict(self) -> dict[str, Any]:
        """The view for JSON: text keys; cards and actions as text."""
        raise NotImplementedError


class Observation(NamedTuple):
    """What a seat learns when something happens in a match."""

    text: str | None
    """An action as the seat sees it (in part: `bury:?`), or the kind of an event; None if it notices nothing."""
    reveals: tuple[int, ...] = ()
    """Indices of earlier entries of the log that the seat learns of only now, such as bids that are shown."""


class Game:
    """The rules of one game; stateless, one instance serves everyone."""

    name: ClassVar[str]
    """The name in configurations and records, such as `vole`."""
    title: ClassVar[str]
    """The game's proper name."""
    rules: ClassVar[str]
    """Where its rules page is."""
    seats: ClassVar[range]
    """The numbers of seats that it can be played with."""
    Options: ClassVar[type[Options]] = Options
    """Its options; the base class means that there are none."""
    actions: ClassVar[tuple[str, ...]]
    """The forms of its actions, for people: `play:CARD`, `keep`."""
    names: ClassVar[tuple[str, ...]]
    """The text of every action, in the order of the actions' numbers."""
    private: ClassVar[tuple[str, ...]] = ()
    """The kinds of its events, besides deals, that no seat learns of when they happen."""
    wording: ClassVar[Wording] = Wording()
    """How its cards, actions and events read for people."""

    def start(self, seats: int, options: Any, seed: int) -> State:
        """A new match. All chance in it is derived from the seed."""
        raise NotImplementedError

    def imagine(self, view: Any, rng: Random) -> State:
        """A full state that fits everything which this view shows, drawn by `rng`, and knows nothing more.

        The state's view for that seat is the same, and the match can be played on from it; what is yet to be dealt is
        drawn anew. Raises a `ViewError` for a view of a match that is over.
        """
        raise NotImplementedError

    def position(self, seats: int, options: Any, **facts: Any) -> State:
        """A match in the middle, set up from facts, for tests and studies. Optional.

        The game's page of rules names the facts that it takes under "Positions", with the default of each. Cards and
        actions are text, several in one text with spaces between them: `hands=["9t 5k", "2t 11m"]`. Nothing checks
        that play by the rules could have led there. The log of the state is empty.

        Args:
            seats: How many seats play.
            options: The game's options, as its method `options` returns them.
            facts: The facts by name.

        Raises:
            NotImplementedError: The game has no positions.
            ActionError: A text names no card or action of the game.
            TypeError: The game takes no fact of that name.
        """
        raise NotImplementedError(f"{self.name} has no positions")

    def facts(self, state: Any) -> dict[str, Any]:
        """All that a state holds, what seats may not see included, as plain data with cards as text. Optional.

        The facts have the names by which `position` takes them: `position(seats, options, **facts(state))` is the same
        moment of the same match again, but for what chance has yet to decide.

        Raises:
            NotImplementedError: The game has no positions.
        """
        raise NotImplementedError(f"{self.name} has no positions")

    def event(self, entry: Entry) -> dict[str, Any]:
        """An entry that the game itself put in the log, as an event of the trace (docs/log-format)."""
        raise NotImplementedError

    def observe(self, state: Any, at: int, seat: int) -> Observation:
        """What a seat learns from an entry of the log, by the rules. Optional.

        By default a seat sees every action as it is, and every event but those whose kind is in `private`.

        Args:
            state: The match right after the entry and all that followed from it, with the log of the whole match.
            at: The index of the entry in the log: a decision `(seat, action, legal)`, or an entry of the game's own.
            seat: Who observes. Of its own decisions a seat sees the whole action.
        """
        entry = state.log[at]
        if isinstance(entry[0], int):
            return Observation(self.text(entry[1]))
        kind = self.event(entry)["kind"]
        return Observation(None if kind in self.private else kind)

    def check(self, seats: int, options: Any) -> None:
        """Raises a `ConfigError` if these options cannot be played with so many seats; the default accepts all."""

    def text(self, action: int) -> str:
        """The action's text, such as `play:9t`."""
        return self.names[action]

    def action(self, text: str) -> int:
        """The action that a text names; an `ActionError` if there is none."""
        try:
            return _numbers(type(self))[text]
        except KeyError:
            raise ActionError(f'{self.name} has no action "{text}"; {did_you_mean(text, self.names)}') from None

    def options(self, seats: int, given: Mapping[str, Any], where: str = "options") -> Any:
        """The game's options with the given values; a `ConfigError` that starts with `where` if they cannot be."""
        if seats not in self.seats:
            raise ConfigError(f"{where}: {self.no_such_seats(seats)}")
        options = validation.read_options(self.Options, given, where)
        try:
            self.check(seats, options)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
        return options

    def no_such_seats(self, seats: int) -> str:
        """What is wrong with a number of seats that the game cannot be played with."""
        return f"{self.name} is for {seats_text(self.seats)} seats, not {seats}"


_numbers_of: dict[type[Game], dict[str, int]] = {}


def _numbers(kind: type[Game]) -> dict[str, int]:
    """The numbers of a game's actions by their texts, made once a game."""
    if kind not in _numbers_of:
        _numbers_of[kind] = {name: number for number, name in enumerate(kind.names)}
    return _numbers_of[kind]


def seats_text(seats: range) -> str:
    """The range for people: `2`, `2 to 5`."""
    return str(seats[0]) if len(seats) == 1 else f"{seats[0]} to {seats[-1]}"


def places_by(keys: Sequence[Any]) -> tuple[int, ...]:
    """The place of each seat by its key, the highest key first; equal keys share the better place: 1, 1, 3."""
    return tuple([1 + len([other for other in keys if other > key]) for key in keys])


__all__ = ["Entry", "Game", "Observation", "Options", "State", "View", "places_by", "seats_text"]
