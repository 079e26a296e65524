"""The game contract: `Game` (the rules), `State` (a match in play), `View` (what one seat may know), `Options`.

Actions are small ints in memory and text at every edge. A game lists the text of all its actions in `names`; the
action is the index. Seats are numbered from 0, clockwise; rounds from 1.
"""

from collections.abc import Callable, Mapping, Sequence
from copy import copy, deepcopy
from functools import cache, lru_cache
from random import Random
from typing import Any, ClassVar, NamedTuple, TypeAlias, dataclass_transform

import msgspec
import orjson
from msgspec.structs import astuple, force_setattr

from tourney.base import validation
from tourney.base.errors import ActionError, ConfigError, GameError, did_you_mean
from tourney.contracts.state import Entry, State, places_by
from tourney.contracts.view import View
from tourney.contracts.wording import Wording

MOST_DECISIONS = 1_000_000
"""How many decisions a match has at most, unless its game says otherwise."""


@dataclass_transform(frozen_default=True, field_specifiers=(msgspec.field,))  # for type checkers: subclasses are frozen
class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A game's options (or a bot's): a frozen struct in which every field has a default.

    Unknown keys and wrong types are refused. An annotation such as `Annotated[int, msgspec.Meta(ge=1)]` bounds a value.
    """


_PLAIN = (bool, int, float, str, bytes, tuple, type(None))


def own_copy(options: Any) -> Any:
    """Returns a copy of options, for a bot that may change them."""
    copied = options.__copy__()  # quicker than `copy`, which looks for it
    for name, copier in _changeable(type(options)):  # type: ignore[arg-type]  # a class is hashable
        force_setattr(copied, name, copier(getattr(options, name)))
    return copied


@lru_cache
def _changeable(kind: Callable[[], Any]) -> tuple[tuple[str, Callable[[Any], Any]], ...]:
    """Returns the options whose values can be changed, such as lists, each with the function that copies it."""
    default = kind()
    changeable: list[tuple[str, Callable[[Any], Any]]] = []
    for name, value in [(name, getattr(default, name)) for name in default.__struct_fields__]:
        if isinstance(value, msgspec.Struct) and all([type(each) in _PLAIN for each in astuple(value)]):
            changeable.append((name, copy))
        elif type(value) not in _PLAIN:
            changeable.append((name, deepcopy))
    return tuple(changeable)


_Options: TypeAlias = Options  # for the game contract, in which `Options` is an attribute


class Observation(NamedTuple):
    """What a seat learns from an event in a match."""

    text: str | None
    """An action as the seat sees it (in part: `bury:?`), or the kind of an event; None if it notices nothing."""
    reveals: tuple[int, ...] = ()
    """Indices of earlier log entries that the seat learns of only now, such as bids that are shown."""


class Game:
    """The rules of a game. Instances are stateless and shared.

    A game must have the attributes without a value here, and the methods `start`, `imagine` and `event`. The others are
    optional. Where methods take `seats` and `options`, these are the number of seats that play, one of `Game.seats`,
    and the game's options, as its method `options` returns them.
    """

    name: ClassVar[str]
    """The name in configurations and records, such as `vole`."""
    title: ClassVar[str]
    """The game's proper name."""
    rules: ClassVar[str]
    """The address of the rules, or the path of a Markdown file, from the folder of the game's module."""
    seats: ClassVar[range]
    """The numbers of seats for which the game can be played."""
    Options: ClassVar[type[_Options]] = Options
    """The type of the game's options; the base class stands for a game without options."""
    actions: ClassVar[tuple[str, ...]]
    """The forms of the game's actions, for people: `play:CARD`, `keep`."""
    names: ClassVar[tuple[str, ...]]
    """The text of every action, without spaces; an action is its index here."""
    imagines: ClassVar[bool] = True
    """Whether the game imagines what a seat cannot see; if not, `imagine` raises a `ViewError`."""
    private: ClassVar[tuple[str, ...]] = ()
    """The kinds of events, besides deals, that no seat learns of when they happen."""
    wording: ClassVar[Wording] = Wording()
    """How the game's cards, actions and events read for people."""
    layout: ClassVar[str | None] = None
    """How the match viewer lays out the table: the path of a file in JavaScript, from the folder of the game's module.

    Without one, the viewer shows the views' fields. `docs/write-a-game.md` describes layouts.
    """

    def __setattr__(self, name: str, value: object) -> None:
        """Refuses changes, because bots share the game."""
        if hasattr(type(self), name):
            raise AttributeError(f"{self.name}: {name} cannot be changed")
        super().__setattr__(name, value)

    def start(self, seats: int, options: Any, seed: int) -> State:
        """Returns a new match.

        Args:
            seats: How many seats play.
            options: The game's options.
            seed: An int below 2**128 from which all chance in the match is derived (see `tourney.contracts.rng`).
        """
        raise NotImplementedError

    def imagine(self, view: Any, rng: Random) -> State:
        """Samples a full state consistent with a view.

        All possible deals of the unseen cards are equally likely. The state gives the seat an equal view, has an empty
        log, and can be played to the end. Future deals are also drawn.

        Args:
            view: A view of this game.
            rng: The only source of everything that the seat does not know.

        Raises:
            ViewError: The match of the view is over.
        """
        raise NotImplementedError

    def hidden(self, state: Any, seat: int) -> Mapping[str, Sequence[str]]:
        """Returns the things behind a seat's back, such as `{"hand": ["9t", "2k"]}`. Optional.

        The match viewer shows how likely another seat could think each text, over imagined states. By default it is
        every text, and list of texts, in the seat's own view; the viewer leaves out what is always the same for all
        seats.
        """
        own = state.view(seat).as_dict().items()
        texts = {key: [value] if isinstance(value, str) else value for key, value in own}
        return {key: v for key, v in texts.items() if isinstance(v, list) and all([isinstance(t, str) for t in v])}

    def position(self, seats: int, options: Any, **facts: Any) -> State:
        """Builds a mid-game state from a description. Optional.

        The game's rules page names the facts under "Positions", with their defaults. Cards and actions are text,
        several in one text with spaces between them: `hands=["9t 5k", "2t 11m"]`. Nothing checks that the rules could
        lead there. The state's log is empty.

        Raises:
            NotImplementedError: The game has no positions.
            ActionError: A text names no card or action of the game.
            TypeError: The game takes no fact of that name.
        """
        raise NotImplementedError(f"{self.name} has no positions")

    def encoding(self, seats: int, options: Any) -> tuple[str, ...]:
        """Names of the elements of `encode`'s vectors. Optional.

        They are always the same for the same seats and options, so all vectors have one size.
        `tourney.contracts.encoding.Vector` names them.

        Raises:
            NotImplementedError: The game does not encode views.
        """
        raise NotImplementedError(f"{self.name} does not encode views")

    def encode(self, view: Any) -> list[float]:
        """Encodes a view as a vector of floats in [-1, 1], for machine learning. Optional.

        Only the view decides the values. `encoding` names the elements.

        Raises:
            NotImplementedError: The game does not encode views.
        """
        raise NotImplementedError(f"{self.name} does not encode views")

    def event(self, entry: Entry) -> dict[str, Any]:
        """Returns the event of the trace for one of the game's own log entries (docs/data-formats).

        The event is plain data for JSON with a key `kind`, cards and actions as text.
        """
        raise NotImplementedError

    def observe(self, state: Any, at: int, seat: int) -> Observation:
        """What a seat learns from a log entry. Optional.

        By default a seat sees every action as it is, and every event whose kind is not in `private`.

        Args:
            state: The match right after the entry and everything that followed from it, with the whole match's log.
            at: The index of the entry in the log: a decision `(seat, action, legal)`, or one of the game's own entries.
            seat: The observer. It sees its own actions in full.
        """
        entry = state.log[at]
        if isinstance(entry[0], int):
            return Observation(self.text(entry[1]))
        kind = self.event(entry)["kind"]
        return Observation(None if kind in self.private else kind)

    def max_decisions(self, seats: int, options: Any) -> int:
        """Upper bound on the decisions in a match. Optional; defaults to `MOST_DECISIONS`.

        A match that is not over by then counts as a failure of the game, and ends the run, so no game hangs it.
        """
        return MOST_DECISIONS

    def validate(self, seats: int, options: Any) -> None:
        """Raises if the options do not work with this number of seats. Optional; accepts all by default.

        Raises:
            ConfigError: The options cannot be played.
        """

    def text(self, action: int) -> str:
        """Returns the text of an action, such as `play:9t`."""
        return self.names[action]

    def action(self, text: str) -> int:
        """Returns the action that a text names.

        Raises:
            ActionError: The game has no action of that name.
        """
        try:
            return _numbers(type(self))[text]  # type: ignore[arg-type]  # a class is hashable
        except KeyError:
            raise ActionError(f'{self.name} has no action "{text}"; {did_you_mean(text, self.names)}') from None

    def options(self, seats: int, given: Mapping[str, Any], where: str = "options") -> _Options:
        """Returns the game's options with the given values, and defaults for the rest.

        Args:
            seats: How many seats play.
            given: Values of options by their names.
            where: The source of the values, for error messages.

        Raises:
            ConfigError: The game cannot be played with this number of seats or with these options.
        """
        if seats not in self.seats:
            raise ConfigError(f"{where}: {self.no_such_seats(seats)}")
        options = validation.read_options(self.Options, given, where)
        try:
            self.validate(seats, options)
        except ConfigError as error:
            raise ConfigError(f"{where}: {error}") from None
        return options

    def no_such_seats(self, seats: int) -> str:
        """Error message for an unsupported number of seats."""
        return f"{self.name} is for {seats_text(self.seats)} seats, not {seats}"


def hidden_texts(game: Game, state: Any, seat: int) -> dict[str, list[str]]:
    """Returns `Game.hidden`.

    Raises:
        GameError: It has not returned lists of texts by name.
    """
    hidden = game.hidden(state, seat)
    try:
        texts = msgspec.convert(hidden, dict[str, list[str]])
        orjson.dumps(texts)  # which refuses surrogates
    except (msgspec.ValidationError, TypeError):
        wrong, right = f'game "{game.name}": hidden returns {repr(hidden)[:80]}', '{"hand": ["9t", "2k"]}'
        raise GameError(f"{wrong}; return lists of texts by name, such as {right}", game.name) from None
    return texts


@cache
def _numbers(kind: type[Game]) -> dict[str, int]:
    return {name: number for number, name in enumerate(kind.names)}


def seats_text(seats: range) -> str:
    """Returns the numbers of seats for people: `2`, `2 to 5`."""
    return str(seats[0]) if len(seats) == 1 else f"{seats[0]} to {seats[-1]}"


__all__ = [
    "MOST_DECISIONS", "Entry", "Game", "Observation", "Options", "State", "View", "own_copy", "places_by", "seats_text",
]  # fmt: skip
