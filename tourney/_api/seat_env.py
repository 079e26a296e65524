"""The environment of gymnasium that `tourney.gym` makes."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from tourney._api.matches import seated
from tourney.base.errors import ActionError, ConfigError, MissingExtraError
from tourney.contracts.bot import Outcome, SeatFacts
from tourney.contracts.game import Game, State, View, own_copy
from tourney.contracts.match import GameSetup, distinct_names
from tourney.hosts.faults import as_action, describe_answer
from tourney.hosts.inline import InlineBot
from tourney.standings.points import points
from tourney.table.seeds import bot_seed

try:
    import gymnasium
    import numpy as np

    from tourney._api.deals import Deals
except ImportError as error:
    raise MissingExtraError("tourney.gym", "gym", error.name or str(error)) from None

LEARNER = "learner"
MOST_DEALS = 1000  # the number of deals without a decision of the learner's seat after which it is assumed to have none


class SeatEnv(gymnasium.Env):  # type: ignore[misc]  # the package is optional
    """One seat of successive matches; bots decide for the others."""

    def __init__(
        self, game: Game | str, against: Sequence[Any], seat: int | None, seats: int | None, options: Mapping[str, Any]
    ) -> None:
        self._deals = deals = Deals(game, seats, options)
        self.game, self.seats, self.options = deals.game, deals.seats, deals.options
        if seat is not None and seat not in range(self.seats):
            raise ConfigError(f"seat: expected a number from 0 to {self.seats - 1} or None, got {seat!r}")
        if isinstance(against, str) or not against:
            raise ConfigError("against: expected a list of one or more bots")
        self._fixed = seat
        self._against = seated(against, GameSetup(self.game.name, self.seats, dict(options)), self.seats - 1)
        self._bots: dict[int, tuple[str, InlineBot]] = {}
        self._match: State | None = None
        self._seat = 0
        self.observation_space = gymnasium.spaces.Box(-1, 1, (deals.size,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(len(self.game.names))

    def reset(self, *, seed: int | None = None, options: Mapping[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Starts a match on the next deal, or on a seed's first one, up to the learner's first decision.

        Args:
            seed: A tournament's seed.
            options: `{"deal": d}` continues from deal d, counted from 0.

        Returns:
            The observation, and the deal and the learner's seat in a dictionary.

        Raises:
            ConfigError: The seed, the deal or an option is invalid, or the seat never decides.
        """
        match = self._deals.start(seed, options)
        super().reset(seed=seed)
        for _ in range(MOST_DEALS):
            self._sit_down(match)
            if self._play_on(match):
                return self._deals.vector(match, self._seat), {"deal": self._deals.number, "seat": self._seat}
            match = self._deals.start(None, None)
        raise ConfigError(f"seat {self._seat}: it has no decision in {MOST_DEALS} deals of {self.game.name}")

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Plays an action, then the bots' decisions up to the learner's next one or the end.

        An illegal action is a fault, as in a tournament: the match ends without points.

        Returns:
            The observation, the reward (0 up to the end, then the points of the match, from 0 to 1), whether the match
            is over, False, and at the end the scores and places, or the fault.

        Raises:
            ActionError: The action is not a number of `action_space`, or a bot's answer is not legal.
            ConfigError: No match has started, or it is over.
        """
        match = self._current()
        number, legal = as_action(action, len(self.game.names)), match.legal()
        if number is None:
            raise ActionError(f"{action!r} is not an action; use a number below {len(self.game.names)}")
        if number not in legal:
            self._match = None
            return self._deals.vector(match, self._seat), 0.0, True, False, {"fault": "illegal"}
        match.play(number, legal)
        if self._play_on(match):
            return self._deals.vector(match, self._seat), 0.0, False, False, {}
        ended = {"scores": match.scores, "places": match.places}
        return self._deals.vector(match, self._seat), points(match.places)[self._seat], True, False, ended

    def action_masks(self) -> Any:
        """The legal actions as an array of bools, as MaskablePPO of sb3-contrib asks for them."""
        if self._match is None:
            return np.zeros(len(self.game.names), bool)
        return self._deals.mask(self._match, self._seat, bool)

    def view(self) -> View:
        """The game's current view for the learner.

        Raises:
            ConfigError: No match has started, or it is over.
        """
        return self._current().view(self._seat)

    def _current(self) -> State:
        if self._match is None:
            raise ConfigError("no match in progress; call reset to start the next one")
        return self._match

    def _sit_down(self, match: State) -> None:
        """Makes the bots of a match; they take turns in the other seats, from deal to deal."""
        turn, place = divmod(self._deals.number, self.seats)
        self._match, self._seat = match, place if self._fixed is None else self._fixed
        others = [seat for seat in range(self.seats) if seat != self._seat]
        chosen = {seat: self._against[(turn + i) % len(self._against)] for i, seat in enumerate(others)}
        names = distinct_names([LEARNER, *[name for name, _ in chosen.values()]])
        self._bots = {}
        for seat, (name, make) in chosen.items():
            rng = Random(bot_seed(self._deals.seed, seat, names))
            facts = SeatFacts(self.game, own_copy(self.options), self.seats, seat, rng)
            self._bots[seat] = name, InlineBot(make, facts)

    def _play_on(self, match: State) -> bool:
        """Plays the bots' decisions up to the learner's next one, and returns True, or to the end of the match."""
        while (seat := match.seat) is not None:
            if seat == self._seat:
                return True
            legal = match.legal()
            name, bot = self._bots[seat]
            answer = bot.act(match.view(seat), legal)
            action = as_action(answer, len(self.game.names))
            if action is None or not (action in legal or match.tolerates(action)):
                said = describe_answer(answer) if action is None else f"answered {self.game.text(action)}"
                raise ActionError(f"bot {name}: {said}, which is not legal in seat {seat} of deal {self._deals.number}")
            match.play(action, legal)
        self._match = None
        for _, bot in self._bots.values():
            bot.end(Outcome(match.scores, match.places))
        return False
