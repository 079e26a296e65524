"""A game of OpenSpiel as a game of ours: its parameters are the options, its returns the scores.

OpenSpiel's action 50 has the text `a50`; views and events describe it in words, because its meaning may vary.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import count
from random import Random
from typing import Any, ClassVar, NamedTuple

import msgspec

from tourney.base.errors import ActionError, ConfigError, ViewError, did_you_mean
from tourney.base.streams import silent_stderr
from tourney.contracts.game import MOST_DECISIONS, Entry, Game, Observation, Options, State, View, places_by
from tourney.contracts.rng import derive, pick, seed_from
from tourney.contracts.wording import NameOf, Wording
from tourney.plugins.open_spiel import library


class SpielRules(NamedTuple):
    """A game of OpenSpiel with its parameters, for matches of it."""

    name: str
    game: Any
    """The game, as OpenSpiel loads it."""
    options: Any
    has_information_state: bool
    """Whether views are made of information states; otherwise of observations."""
    is_open: bool
    """Whether every seat knows everything."""
    has_rewards: bool
    """Whether seats have returns before the end."""
    unit: int
    """The factor that turns a return into a score."""

    def information(self, spiel: Any, seat: int) -> str:
        """The knowledge of a seat in a state of OpenSpiel, as OpenSpiel writes it."""
        # if everything is open, information states are the moves alone, and observations are without them
        if self.is_open:
            moves = ", ".join(map(str, spiel.history()))
            return f"{str(spiel.observation_string(seat)).rstrip()}\nmoves: {moves or 'none'}"
        text = spiel.information_state_string(seat) if self.has_information_state else spiel.observation_string(seat)
        return str(text)

    def replayed(self, actions: Sequence[int]) -> Any:
        """The state of OpenSpiel after these moves, including chance's."""
        spiel = self.game.new_initial_state()
        for action in actions:
            spiel.apply_action(action)
        return spiel

    def made_legal(self, imagined: Any, seat: int, rng: Random) -> Any:
        """An imagined state with legal moves of the others: OpenSpiel keeps the cards they have passed in hearts."""
        spiel, is_legal = self.game.new_initial_state(), True
        for action in imagined.history():
            made = action
            if not spiel.is_chance_node() and spiel.current_player() != seat:
                legal = spiel.legal_actions()
                if action not in legal:
                    is_legal, made = False, pick(legal, rng)
            spiel.apply_action(made)
        return imagined if is_legal else spiel


OPTIONS: dict[str, Any] = {}
"""The structs of the options of the games that were loaded, by the name of the game in OpenSpiel."""
_MOST_MOMENTS = 8192
_moments: OrderedDict[int, tuple[SpielRules, Any, int]] = OrderedDict()
"""The match of each of the last views of this process, with the number of its moves then, by the ticket of the view."""
_tickets = count()


class SpielView(View, frozen=True, gc=False, eq=False):
    """What a seat may know in a game of OpenSpiel: its information state, as text, and its choices in words."""

    _options: tuple[str, tuple[Any, ...]]
    """The name of the game, and the values of its options."""
    information: str
    """The seat's knowledge, as OpenSpiel writes it: its information state, or its observation with the moves so far."""
    turn: int | None
    """The seat that decides now; None once the match is over."""
    actions: tuple[int, ...]
    """The legal actions, if it is the seat's turn."""
    words: tuple[str, ...]
    """OpenSpiel's words for each of these actions."""
    _ticket: int
    """The ticket by which this process finds the match again in `imagine`; comparisons ignore it."""

    @property
    def options(self) -> Any:
        """The game's options."""
        name, values = self._options
        return OPTIONS[name](*values)

    @property
    def over(self) -> bool:
        """Whether the match is over."""
        return self.turn is None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpielView) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def _content(self) -> tuple[Any, ...]:
        return (self.seat, self.information, self.turn, self.actions, self.words, self._options)

    def as_dict(self) -> dict[str, Any]:
        return {
            "seat": self.seat,
            "turn": self.turn,
            "information": self.information.split("\n"),
            "choices": {f"a{action}": words for action, words in zip(self.actions, self.words, strict=True)},
            "over": self.over,
        }


def moment_of(view: SpielView) -> tuple[SpielRules, Any]:
    """The rules of a view's match, and its state at that moment."""
    if view._ticket not in _moments:
        raise ViewError(
            "a view of OpenSpiel can be imagined only in the process of its match, and soon; play with the host inline"
        )
    rules, spiel, moves = _moments[view._ticket]
    return rules, rules.replayed(spiel.history()[:moves])


class SpielState(State):
    """A match of a game of OpenSpiel in progress."""

    __slots__ = ("_drawn", "_rules", "_series", "_shown", "spiel")

    def __init__(self, rules: SpielRules, spiel: Any, seed: int) -> None:
        """Continues from a state of OpenSpiel; `seed` decides all chance from there."""
        self.log = []
        self._rules = rules
        self.spiel = spiel
        self._series = partial(derive, seed, "chance")
        self._drawn = 0
        options = rules.options
        values = tuple([getattr(options, name) for name in options.__struct_fields__])
        self._shown = (rules.name, values)
        self._advance()

    def _advance(self) -> None:
        """Resolves chance until a seat has to decide, or the match is over."""
        spiel = self.spiel
        while spiel.is_chance_node():
            outcome = self._draw(spiel.chance_outcomes())
            self.log.append(("chance", outcome, spiel.action_to_string(spiel.current_player(), outcome)))
            spiel.apply_action(outcome)
        self.seat = None if spiel.is_terminal() else spiel.current_player()

    def _draw(self, outcomes: Sequence[tuple[int, float]]) -> int:
        """An outcome, each as likely as it says; the number of the draw and the seed alone decide."""
        chance = self._series(self._drawn) / 2**128
        self._drawn += 1
        total = 0.0
        for outcome, probability in outcomes:
            total += probability
            if chance < total:
                return outcome
        return outcomes[-1][0]  # the probabilities may sum up to a little less than 1

    def legal(self) -> Sequence[int]:
        return tuple(self.spiel.legal_actions())

    def apply(self, action: int) -> None:
        self.log.append(("move", self.seat, self.spiel.action_to_string(self.seat, action)))
        self.spiel.apply_action(action)
        self._advance()

    def view(self, seat: int) -> SpielView:
        spiel, rules = self.spiel, self._rules
        actions: tuple[int, ...] = ()
        words: tuple[str, ...] = ()
        if seat == self.seat:
            actions = tuple(spiel.legal_actions())
            words = tuple([spiel.action_to_string(seat, action) for action in actions])
        ticket = next(_tickets)
        _moments[ticket] = rules, spiel, len(spiel.history())
        if len(_moments) > _MOST_MOMENTS:
            _moments.popitem(last=False)
        return SpielView(seat, self._shown, rules.information(spiel, seat), self.seat, actions, words, ticket)

    def copy(self) -> "SpielState":
        new = SpielState.__new__(SpielState)
        new.log = []
        new.seat = self.seat
        new._rules = self._rules
        new.spiel = self.spiel.clone()
        new._series = self._series
        new._drawn = self._drawn
        new._shown = self._shown
        return new

    def hides(self, at: int, seat: int) -> bool:
        """Whether the content of a log entry is hidden from a seat: a decision, or an outcome of chance."""
        rules, history, action = self._rules, self.spiel.history(), self.log[at][1]
        if rules.is_open:
            return False
        since = len([entry for entry in self.log[at:] if entry[0] != "move"])  # the log of a copy starts later
        before = rules.replayed(history[: len(history) - since])
        known = rules.information(before.child(action), seat)
        others = [before.child(each) for each in before.legal_actions() if each != action]
        return any([rules.information(other, seat) == known for other in (before, *others)])

    def _returns(self) -> list[float]:
        """The returns of the seats, rounded so that sums of fractions in another order are equal."""
        if self.seat is None or self._rules.has_rewards:
            return [round(value, 9) for value in self.spiel.returns()]
        return [0.0] * self.spiel.num_players()

    @property
    def scores(self) -> tuple[int, ...]:
        """The returns of the seats, in the unit of the game, rounded to whole numbers."""
        return tuple([round(value * self._rules.unit) for value in self._returns()])

    @property
    def places(self) -> tuple[int, ...]:
        """The places by the returns, before they are rounded."""
        return places_by(self._returns())


PREFIX = "open_spiel:"
LEAST_NAMES = 4096
"""The least number of actions with a text, because other options may bring more actions than the default ones."""
IN_THOUSANDTHS = ("coop_box_pushing", "pathfinding", "skat", "tiny_bridge_2p")
"""The games with fractional returns that their bounds do not reveal."""


class SpielWording(Wording):
    """OpenSpiel's words, for all its games."""

    texts = ("information",)

    def choices(self, view: SpielView) -> dict[int, str]:
        return {action: _in_a_line(words) for action, words in zip(view.actions, view.words, strict=True)}

    def repeats(self, event: Mapping[str, Any]) -> bool:
        return bool(event["kind"] == "move")

    def listed(self, event: Mapping[str, Any]) -> str | None:
        return _in_a_line(event["words"]) if event["kind"] == "chance" else None

    def sentence(self, event: Mapping[str, Any], name: NameOf) -> str:
        who = name(event["seat"]) if event["kind"] == "move" else "chance"
        return f"{who}: {_in_a_line(event['words'])}"


def _in_a_line(words: str) -> str:
    return " ".join(words.split()).removeprefix("Chance outcome: ")


class SpielGame(Game):
    """The rules of one game of OpenSpiel; a subclass names the game."""

    kind: ClassVar[Any]
    """The game's type in OpenSpiel."""
    actions = ("aNUMBER",)
    wording = SpielWording()

    def start(self, seats: int, options: Any, seed: int) -> SpielState:
        rules = self._rules(seats, options)
        return SpielState(rules, rules.game.new_initial_state(), seed)

    def _rules(self, seats: int, options: Any) -> SpielRules:
        given = msgspec.to_builtins(options)
        game = library.load(self.kind.short_name, library.with_players(self.kind, given, seats))
        types, kind = library.library().GameType, game.get_type()
        bounds = game.min_utility(), game.max_utility()
        whole = self.kind.short_name not in IN_THOUSANDTHS and all([bound == int(bound) for bound in bounds])
        has_rewards = kind.reward_model == types.RewardModel.REWARDS
        has_information, is_open = kind.provides_information_state_string, library.is_open(self.kind)
        return SpielRules(
            self.kind.short_name, game, options, has_information, is_open, has_rewards, 1 if whole else 1000
        )

    def validate(self, seats: int, options: Any) -> None:
        try:
            game = self._rules(seats, options).game
        except ValueError as error:
            raise ConfigError(f"OpenSpiel refuses them: {error}") from None
        if game.num_players() != seats:
            raise ConfigError(f"with these options, the game is for {game.num_players()} seats, not {seats}")
        if game.num_distinct_actions() > len(self.names):
            raise ConfigError(
                f"with these options, the game has {game.num_distinct_actions()} actions; "
                f"at most {len(self.names)} can be played"
            )

    def max_decisions(self, seats: int, options: Any) -> int:
        return min(int(self._rules(seats, options).game.max_game_length()), MOST_DECISIONS)

    def imagine(self, view: SpielView, rng: Random) -> SpielState:
        """A state that OpenSpiel resamples from the seat's information state."""
        if view.over:
            raise ViewError("the match of this view is over; there is nothing to imagine")
        rules, spiel = moment_of(view)
        if not rules.is_open:
            try:
                with silent_stderr():
                    spiel = rules.made_legal(spiel.resample_from_infostate(view.seat, rng.random), view.seat, rng)
            except (library.library().SpielError, RuntimeError) as error:
                raise ViewError(f"{self.name} cannot be imagined; OpenSpiel: {library.refusal(error)}") from None
        state = SpielState(rules, spiel, seed_from(rng))
        state.log.clear()
        return state

    def event(self, entry: Entry) -> dict[str, Any]:
        kind, who, words = entry
        return {"kind": kind, "outcome" if kind == "chance" else "seat": who, "words": words}

    def observe(self, state: SpielState, at: int, seat: int) -> Observation:
        """What a seat learns from an entry of the log: for a move that looks like others to it, only `a?`."""
        entry = state.log[at]
        if entry[0] == "move":
            return Observation(None if entry[1] != seat and state.hides(at - 1, seat) else "move")
        if entry[0] == "chance":
            return Observation(None if state.hides(at, seat) else "chance")
        return Observation("a?" if entry[0] != seat and state.hides(at, seat) else self.text(entry[1]))

    def text(self, action: int) -> str:
        return f"a{action}"

    def action(self, text: str) -> int:
        digits = text[1:]
        is_number = text[:1] == "a" and digits.isascii() and digits.isdecimal() and digits == str(int(digits))
        if is_number and int(digits) < len(self.names):
            return int(digits)
        raise ActionError(f'{self.name} has no action "{text}"; {did_you_mean(text, self.names[:1000])}')


def make_game(name: str) -> SpielGame:
    """The game of OpenSpiel of that name, which must be one of `library.playable`."""
    kind = library.playable()[name]
    default = library.load(name, ())
    most = max(LEAST_NAMES, default.num_distinct_actions())
    if not set(library.PLAYERS) & kind.parameter_specification.keys():
        seats = range(default.num_players(), default.num_players() + 1)
    else:
        seats = range(max(2, kind.min_num_players), kind.max_num_players + 1)
    OPTIONS[name] = _options(name, kind)
    attributes = {
        "kind": kind,
        "imagines": library.is_open(kind) or name in library.RESAMPLED,
        "name": PREFIX + name,
        "title": kind.long_name,
        "rules": "https://openspiel.readthedocs.io/en/latest/games.html",
        "seats": seats,
        "Options": OPTIONS[name],
        "names": tuple([f"a{number}" for number in range(most)]),
    }
    made: SpielGame = type(f"Spiel_{name}", (SpielGame,), attributes)()
    return made


def _unpickled_options(name: str, values: Sequence[Any]) -> Any:
    return (OPTIONS.get(name) or make_game(name).Options)(*values)


def _options(name: str, kind: Any) -> type[Options]:
    """The struct of a game's options; `_` precedes a parameter that is not an identifier."""
    own = library.parameters(kind)
    fields = {key if key.isidentifier() else f"_{key}": key for key in own}
    made: Any = msgspec.defstruct(
        f"Options_{name}",
        [(field, type(own[key]), own[key]) for field, key in fields.items()],
        bases=(Options,),
        rename={field: key for field, key in fields.items() if field != key},
        namespace={"__reduce__": lambda its: (_unpickled_options, (name, [getattr(its, field) for field in fields]))},
        module=__name__,
        frozen=True,
    )
    options: type[Options] = made
    return options
