"""The contract of a host: where one bot runs for one match, whichever way."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec

from tourney.bot import Outcome, SeatFacts

Act: TypeAlias = Callable[[Any, Sequence[int]], Any]


class Host(Protocol):
    """One bot, for one match."""

    @property
    def act(self) -> Act:
        """Asks the bot for its action: raises what the bot raises, or a `ChargedError`."""

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; raises as `act` does."""

    def close(self) -> None:
        """Ends the bot and all that is left of it; never raises."""


class BotHost:
    """A host for the bots of one entrant, a new bot a match; the other kind of place is a callable that makes a bot."""

    is_apart = False
    """Whether its bots' code runs in other processes: then only a `ChargedError` is a bot's doing."""

    def begin(self, facts: SeatFacts, rng_seed: int) -> Host:
        """A new bot that was told the facts; `rng_seed` is what its randomness was made of. Raises as `Host.act`."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends what is kept from match to match."""


class Limits(msgspec.Struct, frozen=True):
    """What a bot may use; None means that nothing is measured."""

    move_ms: int | None = None
    """For one decision."""
    start_ms: int | None = None
    """To be made and told the facts of a match."""
    match_s: float = 120.0
    """For the match as a whole, all bots together: the bot that is being asked when it is over is charged."""
    memory_mb: int | None = None
    """For its process and each that it starts; under `inline`, for all bots of a worker together."""


class Failed:
    """Stands in for a bot that could not be started."""

    def __init__(self, error: BaseException) -> None:
        """Its only answer is that error."""
        self._error = error

    def act(self, _view: Any, _legal: Sequence[int]) -> Any:
        """Raises the error."""
        raise self._error

    def end(self, _outcome: Outcome) -> None:
        """Nothing: a bot that is out is told nothing."""

    def close(self) -> None:
        """Nothing is left of it."""
