"""The host contract: where the bots of one entrant run, and what the table asks of each of them."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeAlias

import msgspec

from tourney.base import validation
from tourney.base.errors import PluginError, did_you_mean
from tourney.contracts.bot import Outcome, SeatFacts
from tourney.contracts.game import Options
from tourney.hosts.clocks import MatchTime, SeatClock, Timekeeper
from tourney.hosts.faults import Tracebacks
from tourney.hosts.limits import ENFORCED, Limits
from tourney.plugins import registry
from tourney.plugins.bot_classes import PickledBot

Act: TypeAlias = Callable[[Any, Sequence[int]], Any]
"""Takes a view and the legal actions, and returns what the bot answers."""

DEFAULT_HOST = "inline"  # of a Python bot
PROCESS_HOST = "process"  # the default of a program, and of bots that must not run in our processes
HTTP_HOST = "http"  # the default of a bot with a `url`
PERSON_HOST = "person"  # of a person at the terminal; no tournament file may name it


class Sweep(msgspec.Struct, frozen=True):
    """A bot that is entered with each combination of the values of some options."""

    bot: str
    values: tuple[tuple[str, tuple[bool | int | float | str, ...]], ...]
    default: str
    """The entrant's name with the bot's own values; a value that is not among those given becomes the first."""


class Entrant(msgspec.Struct, frozen=True):
    """A bot in a tournament, under its unique name."""

    name: str
    use: str
    """A plugin's name, FILE.py:NAME or FOLDER:NAME, relative to the file's folder; empty for a program or a person."""
    options: dict[str, Any]
    command: tuple[str, ...] = ()
    """The words that start a program; empty for a Python bot."""
    host: str = DEFAULT_HOST
    host_options: dict[str, Any] = {}
    limits: Limits = Limits()
    reads: tuple[str, ...] = ()
    """Files and folders that the bot needs besides its own, relative to the tournament file's folder."""
    keep: bool = False
    """Whether the bot's process is kept for several matches."""
    repeats: bool | None = None
    """Whether it answers the same when asked the same again; None for the host's default."""
    pickled: PickledBot | None = None
    """The bot's class, if it is sent to the workers; not in the manifest."""
    sweep: Sweep | None = None
    """The sweep that it is a combination of."""
    display: str = ""
    """Whose it is, as pages show it."""

    @property
    def has_bots(self) -> bool:
        """Whether there is a bot to ask; otherwise a person decided."""
        return host_type(self.host).has_bots

    @property
    def in_worker(self) -> bool:
        """Whether the bot's code runs in the worker's process."""
        return host_type(self.host).in_worker

    @property
    def bot_id(self) -> bytes:
        """The bot's identity, without its name; equal for one bot under several names.

        People, and bots whose class is sent to the workers, are identified by their names.
        """
        has_code = self.has_bots and not self.use.startswith(registry.BY_VALUE)
        name = "" if has_code else self.name
        return msgspec.json.encode(msgspec.structs.replace(self, name=name, pickled=None, sweep=None, display=""))

    @property
    def url(self) -> str:
        """The address of a bot that is a server; empty for all others."""
        return str(self.host_options.get("url", "")) if self.host == HTTP_HOST else ""

    @property
    def is_locked_in(self) -> bool:
        """Whether the bot runs in a host for code that is not trusted."""
        return not self.in_worker and self.host not in (PROCESS_HOST, HTTP_HOST)


class BotSpec(Entrant, frozen=True, kw_only=True):
    """An entrant, with everything that a host needs to run its bots."""

    folder: Path
    """The folder that paths are relative to, in which a program is started."""
    games: tuple[str, ...] = ()
    """The names of the games that are going to be played."""
    sources: tuple[Path, ...] = ()
    """The files and folders that the bots are made of."""
    all_sources: tuple[Path, ...] = ()
    """The files and folders that the bots of all entrants are made of."""
    run: Path | None = None
    secret: tuple[Path, ...] = ()
    """Other bots, tournament files and runs, which are hidden even among the bot's own files."""

    @property
    def hides(self) -> tuple[Path, ...]:
        """The paths that a sandbox must not show, wherever they are: other bots, and the run."""
        others = [path for path in self.all_sources if path not in self.sources]
        return (*others, *self.secret, *([] if self.run is None else [self.run]))


class HostedBot(Protocol):
    """One bot, for one match."""

    @property
    def act(self) -> Act:
        """Asks the bot for its action; raises what the bot raises, or a `ChargedError`."""

    def end(self, outcome: Outcome) -> None:
        """Tells the bot how the match ended; raises what `act` raises."""

    def close(self) -> None:
        """Kills the bot and everything that it has started; never raises."""


class BotHost:
    """Runs the bots of one entrant, a new bot for each match.

    A host is a subclass in its own module, declared by an entry point of the group `tourney.hosts` under its `name`.
    The class attributes describe it to the rest of the program.
    """

    name: ClassVar[str] = ""
    """The name by which tournament files choose the host."""
    Options: ClassVar[type[Options]] = Options
    """The struct of the host's own options, `host_options` in a tournament file; every field has a default."""
    in_worker: bool = False
    """Whether the bot's code runs in the worker's process; otherwise only a `ChargedError` is the bot's doing."""
    has_bots: ClassVar[bool] = True
    """Whether entrants in this host have a bot: code that can be named, and asked again."""
    runs_programs: ClassVar[bool] = False
    """Whether the host can start a program by its command; every host runs Python bots."""
    keeps: ClassVar[bool] = False
    """Whether the host can keep the process of a bot for several matches."""
    enforces: ClassVar[frozenset[str]] = ENFORCED
    """The names of the limits that hold in this host; a bot's limit that does not is refused."""
    repeats: bool = True
    """Whether the bots answer the same when they are asked the same again."""
    waits_s: float = 0.0
    """How long, in seconds, a call may wait for a service beyond the bot's own time."""
    limits: Limits = Limits()
    """What each bot may use."""
    tracebacks: Tracebacks | None = None
    """Collects the tracebacks of the bots' exceptions, unless it is None."""

    @cached_property
    def needs_clock(self) -> bool:
        """Whether match time with such a bot has to be measured."""
        return not self.in_worker or self.limits.bounds_time

    def __init__(self, spec: BotSpec, log: Path | None) -> None:
        raise NotImplementedError

    @classmethod
    def create(cls, spec: BotSpec, log: Path | None) -> "BotHost":
        """Returns the host of these bots, which may be another class."""
        return cls(spec, log)

    @classmethod
    def examine(cls, spec: BotSpec) -> tuple[str, ...] | None:
        """Returns the names of the games that the bot plays; None means every game.

        The bot's code runs in this process only if it would run in the worker, too; elsewhere under the same limits.
        """
        raise NotImplementedError

    def begin(self, facts: SeatFacts, rng_seed: int, clock: SeatClock | None) -> HostedBot:
        """Makes a new bot and tells it the facts."""
        raise NotImplementedError

    def close(self) -> None:
        """Stops everything that the host keeps from match to match."""


class ActingBot:
    """A bot that only acts: it neither hears the outcome nor has to be closed."""

    def __init__(self, act: Act) -> None:
        self.act = act

    def end(self, _outcome: Outcome) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


class FailedBot(ActingBot):
    """Stands in for a bot that could not be started."""

    def __init__(self, error: BaseException) -> None:
        def fail(_view: Any, _legal: Sequence[int]) -> Any:
            raise error

        super().__init__(fail)


class WrappedBot:
    """Another bot, each of whose calls goes through a function."""

    def __init__(self, bot: HostedBot, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
        self.act, self.end, self.close = wrap(bot.act), wrap(bot.end), wrap(bot.close)


def seat_clocks(
    factories: Sequence[BotHost | Callable[[], Any]], names: Sequence[str], keeper: Timekeeper, watched: bool
) -> list[SeatClock]:
    """Returns the clock of each seat in a match; none if no time has to be measured."""
    if not watched and not any([isinstance(factory, BotHost) and factory.needs_clock for factory in factories]):
        return []
    limits = [factory.limits if isinstance(factory, BotHost) else Limits() for factory in factories]
    return MatchTime(limits, keeper, names).clocks


def host_type(name: str) -> type[BotHost]:
    """Returns the class of the host of that name."""
    if name not in registry.host_names() and name not in registry.shared_names("host"):
        fit = [each for each in registry.host_names() if each != PERSON_HOST]
        raise PluginError(f'no host "{name}"; {did_you_mean(name, fit)}')
    host_class: type[BotHost] = registry.load_host(name)
    return host_class


def create_host(spec: BotSpec, log: Path | None) -> BotHost:
    """Returns the host of these bots; see `BotHost` for the arguments."""
    host_class = host_type(spec.host)
    host_options(host_class, spec)
    return host_class.create(spec, log)


def examine(spec: BotSpec) -> tuple[str, ...] | None:
    """Returns the names of the games that the bot plays; None means every game."""
    host = host_type(spec.host)
    host_options(host, spec)
    return host.examine(spec)


def host_options(host: type[BotHost], spec: BotSpec) -> Options:
    """Returns the options of the host, read from plain data."""
    return validation.read_options(host.Options, spec.host_options, f"bot {spec.name}: host_options")
