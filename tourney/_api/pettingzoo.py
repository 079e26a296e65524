"""Matches as PettingZoo environments, for machine learning: `env("vole")`. Requires the extra `pettingzoo`.

Agents are the seats, `seat_0` and so on, which act one at a time (AEC). An observation is a dict of `observation`, the
vector of `Game.encode`, and `action_mask`, 1 for each legal action. An action is an index into `Game.names`. Rewards
come at the end: the points of the match, 1 for place 1 down to 0 for the last, shared by seats with equal places.
"""

from collections.abc import Mapping
from typing import Any

from tourney.base.errors import ActionError, ConfigError, MissingExtraError
from tourney.contracts.game import Game, State, View
from tourney.contracts.wording import Wording
from tourney.hosts.faults import as_action
from tourney.standings.points import points

try:
    import gymnasium
    import numpy as np
    from pettingzoo import AECEnv

    from tourney._api.deals import Deals
except ImportError as error:
    raise MissingExtraError("tourney.pettingzoo", "pettingzoo", error.name or str(error)) from None


def env(
    game: Game | str, *, seats: int | None = None, options: Mapping[str, Any] | None = None,
    render_mode: str | None = None,
) -> "MatchEnv":  # fmt: skip
    """Creates an environment for matches of a game.

    Args:
        game: The game, or its name.
        seats: The number of seats; by default the game's smallest.
        options: The game's options as in a tournament file.
        render_mode: What `render` does: `"ansi"` returns text, `"human"` prints it.

    Raises:
        PluginError: The game was not found or could not be loaded.
        ConfigError: The seats, options or render mode are invalid, or the game does not encode its views.
    """
    return MatchEnv(game, seats, options or {}, render_mode)


class MatchEnv(AECEnv):  # type: ignore[misc]  # the package has no type information
    """Successive matches of one game, deal by deal."""

    metadata: dict[str, Any] = {  # noqa: RUF012 - the base class lets instances have their own
        "name": "tourney",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
    }

    def __init__(
        self, game: Game | str, seats: int | None, options: Mapping[str, Any], render_mode: str | None
    ) -> None:
        super().__init__()
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ConfigError(f'no render mode "{render_mode}"; known: {", ".join(self.metadata["render_modes"])}')
        self._deals = deals = Deals(game, seats, options)
        game = self.game = deals.game
        self.seats, self.options = deals.seats, deals.options
        self.render_mode = render_mode
        self.metadata = {**type(self).metadata, "name": f"tourney_{game.name}"}
        self.possible_agents = [f"seat_{seat}" for seat in range(self.seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._match: State | None = None
        vector = gymnasium.spaces.Box(-1, 1, (deals.size,), np.float32)
        mask = gymnasium.spaces.Box(0, 1, (len(game.names),), np.int8)
        space = gymnasium.spaces.Dict({"observation": vector, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: gymnasium.spaces.Discrete(len(game.names)) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Any:
        """The space of an agent's observations."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """The space of an agent's actions: indices into the game's actions."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Starts a match on the next deal, or on a seed's first one.

        Deal d of a seed equals deal d of the game in a tournament with that `seed`. The first seed is random.

        Args:
            seed: A tournament's seed.
            options: `{"deal": d}` continues from deal d, counted from 0.

        Raises:
            ConfigError: The seed, the deal or an option is invalid.
        """
        match = self._deals.start(seed, options)
        self._match = match
        agents = self.possible_agents
        self.agents = agents.copy()
        self.rewards = dict.fromkeys(agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(agents, 0.0)
        self.terminations = dict.fromkeys(agents, False)
        self.truncations = dict.fromkeys(agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in agents}
        self._skip_agent_selection = None
        assert match.seat is not None, "a match begins with a decision"
        self.agent_selection = agents[match.seat]
        if self.render_mode == "human":
            self.render()

    def view(self, agent: str) -> View:
        """The game's current view for an agent."""
        return self._current().view(self._seat_of[agent])

    def observe(self, agent: str) -> dict[str, Any]:
        """An agent's observation, with legal actions only for the agent to act."""
        match, seat = self._current(), self._seat_of[agent]
        return {"observation": self._deals.vector(match, seat), "action_mask": self._deals.mask(match, seat, np.int8)}

    def step(self, action: Any) -> None:
        """Plays an action for the agent to act.

        Raises:
            ActionError: The action is illegal or not a whole number; the match is unchanged.
            ConfigError: No match has started, or it is over.
        """
        match, agent = self._current(), self.agent_selection
        if not self.agents:
            raise ConfigError("the match is over; call reset to start the next one")
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        number = as_action(action, len(self.game.names))
        legal = match.legal()
        if number is None or number not in legal:
            text = str(action) if number is None else self.game.text(number)
            raise ActionError(f"{text} is not legal for {agent}; choose an action with action_mask 1")
        match.play(number, legal)
        self._cumulative_rewards[agent] = 0.0
        if match.seat is None:
            self.rewards = dict(zip(self.possible_agents, points(match.places), strict=True))
            self.terminations = dict.fromkeys(self.possible_agents, True)
            self._accumulate_rewards()
            self._deads_step_first()
        else:
            self.agent_selection = self.possible_agents[match.seat]
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """Returns or prints the view of the agent to act as text, or the result once the match is over.

        Raises:
            ConfigError: The environment has no render mode.
        """
        if self.render_mode is None:
            known = " or ".join([f'render_mode="{mode}"' for mode in self.metadata["render_modes"]])
            raise ConfigError(f"the environment has no render mode; create it with {known}")
        text = self._text(self._current())
        if self.render_mode == "ansi":
            return text
        print(text)  # noqa: T201 - the purpose of the mode
        return None

    def close(self) -> None:
        """Does nothing; required by PettingZoo."""

    def _text(self, match: Any) -> str:
        game = self.game
        if match.seat is None:
            ends = zip(self.possible_agents, match.scores, match.places, strict=True)
            return "over: " + ", ".join([f"{agent} {score} (place {place})" for agent, score, place in ends])
        wording: Wording = game.wording
        facts = match.view(match.seat).as_dict()
        lines = [
            f"{key}: {wording.value(key, value, self.possible_agents.__getitem__)}" for key, value in facts.items()
        ]
        legal = " ".join([game.text(action) for action in match.legal()])
        return "\n".join([f"{game.name}, {self.agent_selection} to act", *lines, f"legal: {legal}"])

    def _current(self) -> State:
        if self._match is None:
            raise ConfigError("no match yet; call reset first")
        return self._match
