"""A game of OpenSpiel as a game of ours: its parameters are the options, its returns the scores.

OpenSpiel's action 50 has the text `a50`; views and events describe it in words, because its meaning may vary.
"""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, ClassVar

import msgspec

from tourney.base.errors import ActionError, ConfigError, ViewError, did_you_mean
from tourney.base.streams import silent_stderr
from tourney.contracts.game import MOST_DECISIONS, Entry, Game, Observation, Options
from tourney.contracts.rng import seed_from
from tourney.contracts.wording import NameOf, Wording
from tourney.plugins.open_spiel import library
from tourney.plugins.open_spiel.state import OPTIONS, SpielRules, SpielState, SpielView, moment_of

PREFIX = "open_spiel:"
LEAST_NAMES = 4096
"""The least number of actions with a text, because other options may bring more actions than the default ones."""
IN_THOUSANDTHS = ("coop_box_pushing", "pathfinding", "skat", "tiny_bridge_2p")
"""The games with fractional returns that their bounds do not reveal."""


class SpielWording(Wording):
    """OpenSpiel's words, for all its games."""

    texts = ("information",)

    def choices(self, view: SpielView) -> dict[int, str]:
        """OpenSpiel's names for the legal actions."""
        return {action: _in_a_line(words) for action, words in zip(view.actions, view.words, strict=True)}

    def repeats(self, event: Mapping[str, Any]) -> bool:
        """Whether the event is a move, which the decision already shows."""
        return bool(event["kind"] == "move")

    def listed(self, event: Mapping[str, Any]) -> str | None:
        """The words for an outcome of chance."""
        return _in_a_line(event["words"]) if event["kind"] == "chance" else None

    def sentence(self, event: Mapping[str, Any], name: NameOf) -> str:
        """A move or an outcome of chance in one line."""
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
        """Starts a match."""
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
        """Refuses options that OpenSpiel refuses, or that bring too many actions."""
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
        """The largest number of decisions in a match, by OpenSpiel."""
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
        """An outcome of chance, or a move in words, as an event of the trace."""
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
        """The text of an action: `a50` for OpenSpiel's action 50."""
        return f"a{action}"

    def action(self, text: str) -> int:
        """The action that a text names."""
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
