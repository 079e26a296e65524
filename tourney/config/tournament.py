"""A playable tournament, and the keys that it takes over unchanged from a tournament file."""

from collections import Counter
from collections.abc import Collection
from math import factorial, isfinite
from typing import Annotated, Any, Literal, Self, TypeAlias

import msgspec

from tourney.base.errors import ConfigError, did_you_mean
from tourney.base.validation import PositiveInt, Seconds
from tourney.config.names import MOST_LETTERS, validate_names
from tourney.contracts.game import Options
from tourney.contracts.match import Count, GameSetup, HexDigits
from tourney.contracts.rng import derive
from tourney.hosts.base import Entrant, Sweep
from tourney.plugins import registry
from tourney.plugins.fingerprints import Fingerprint

MOST_BOTS = 10_000
MOST_PARALLEL = 1024
MOST_SEATINGS = 40_320
"""The largest number of seatings in a block: all of eight seats."""
LEAST_REPLAY_S = 5.0
"""The least time limit for a game's code during a replay, in seconds."""

Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_LETTERS)]
Weight: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
Seatings: TypeAlias = Literal["rotations", "all", "fixed"] | PositiveInt


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot with a fixed rating, for comparing the ratings of several tournaments."""

    bot: str
    rating: Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]


class Salt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The secret source of an extension's added deals: the seed alone does not predict them."""

    deal: Count
    """The first deal drawn from it; the next salt takes over at its own first deal."""
    salt: HexDigits


class Replayed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A block that a correction plays again, on a fresh deal."""

    block: Count
    why: str = ""


class FieldEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A change of the entrants in a league or a track, or blocks of a league that count no more."""

    event: Literal["entered", "paused", "retired", "restored", "voided"]
    bot: str
    block: Count
    """Effective from the first round that starts at this block or a later one."""
    author: str = ""
    """The bot's author, if it was entered with one."""
    blocks: tuple[Count, ...] = ()
    """The voided blocks, in order."""
    groups: tuple[tuple[str, ...], ...] = ()
    """The sorted entrants of each of them."""


class FaultLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When faults disqualify an entrant, or faults or cost stop the run; None means never."""

    max_faults: PositiveInt | None = None
    """The number of faults that disqualifies an entrant."""
    max_faults_in_row: PositiveInt | None = None
    """The number of consecutive matches with faults that disqualifies an entrant."""
    max_fault_rate: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    """The share of matches with faults, from 0 to 1, above which the run stops."""
    max_cost: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """The cost of the whole run at which it stops, in dollars, from the bots' notes."""

    @property
    def disqualify(self) -> bool:
        """Whether an entrant can be disqualified."""
        return self.max_faults is not None or self.max_faults_in_row is not None


class PageKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The settings of a run's pages."""

    authors: bool = False
    """Whether they name the authors of a league's bots, as given to `submit`."""


class TournamentKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys that a tournament takes over unchanged from a tournament file."""

    name: Name
    """The tournament's name, also its run folder's: letters, digits and `. _ + -`."""
    format: str = "round-robin"
    """Who meets whom: the name of a format, which may add keys."""
    deals: PositiveInt = 10
    """The number of blocks that each group of entrants plays in each game."""
    seatings: Seatings = "rotations"
    """The seatings of a block: every rotation of the seats, all, a number of them, or the file's fixed one."""
    anchor: Anchor | None = None
    """The bot that fixes the scale of the ratings; by default, their mean does."""
    page: PageKeys = PageKeys()
    """The settings of pages."""
    parallel: Annotated[int, msgspec.Meta(ge=1, le=MOST_PARALLEL)] | None = None
    """How many matches run at once, regardless of the number of workers; for bots that wait for a service."""


class Tournament(TournamentKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A playable tournament: checked, with every default filled in, and picklable."""

    seed: int
    """The root of all seeds of the tournament."""
    salts: tuple[Salt, ...] = ()
    """The salts of deals added by extensions, in order."""
    format_options: Any = Options()
    """The format's own keys: an instance of its `Options`."""
    entrants: tuple[Entrant, ...] = msgspec.field(name="bots")
    entered: tuple[str, ...] = ()
    """The names of all original entrants, in file order, if some were dropped from the run since."""
    events: tuple[FieldEvent, ...] = ()
    """Changes of the entrants, in order; by default, an entrant plays from the start."""
    again: tuple[Replayed, ...] = ()
    """The blocks played again on fresh deals, in the order of corrections; some more than once."""
    setups: Annotated[tuple[GameSetup, ...], msgspec.Meta(min_length=1)] = msgspec.field(name="games")
    weights: tuple[Weight, ...] = ()
    """The weight of each setup in the standings; empty if all are equal."""
    match_s: Seconds
    fault_limits: FaultLimits = FaultLimits()
    fits_fewer_seats: bool = msgspec.field(default=False, name="smaller_tables")
    """Whether every game also works with one seat fewer; False for formats without smaller groups."""
    folder: str
    """The tournament file's folder, the base of relative paths."""
    fingerprints: dict[str, Fingerprint] = {}
    """Bot fingerprints by entrant, taken before any bot code ran; see `examine_bots`."""

    @property
    def timed(self) -> tuple[str, ...]:
        """The two bots of a mirror whose times are compared; empty for different hosts, which take time themselves."""
        two = self.entrants[:2] if self.format == "mirror" else ()
        is_fair = len({(entrant.host, not entrant.command) for entrant in two}) == 1
        return tuple([entrant.name for entrant in two]) if is_fair else ()

    @property
    def limits_faults(self) -> bool:
        """Whether faults can have consequences beyond their match."""
        return self.fault_limits.disqualify or self.fault_limits.max_fault_rate is not None

    @property
    def games(self) -> tuple[str, ...]:
        """The names of the games, sorted."""
        return tuple(sorted({setup.game for setup in self.setups}))

    @property
    def in_worker(self) -> bool:
        """Whether all bots run in the worker's process."""
        return all([entrant.in_worker for entrant in self.entrants])

    @property
    def all_weights(self) -> tuple[Weight, ...]:
        """The weight of each setup, defaults filled in."""
        return self.weights or (1.0,) * len(self.setups)

    @property
    def names(self) -> tuple[str, ...]:
        """The entrants' names, in the order of the file."""
        return tuple([entrant.name for entrant in self.entrants])

    @property
    def sweeps(self) -> dict[Sweep, tuple[Entrant, ...]]:
        """The entrants of each sweep, in the order of the file."""
        swept = dict.fromkeys([entrant.sweep for entrant in self.entrants if entrant.sweep is not None])
        return {sweep: tuple([each for each in self.entrants if each.sweep == sweep]) for sweep in swept}

    @property
    def deal_roots(self) -> tuple[tuple[int, int], ...]:
        """Where deals are derived from: the first deal of each part, and the root of its seeds."""
        return ((0, self.seed), *[(each.deal, derive(self.seed, "salt", each.salt)) for each in self.salts])

    @property
    def fresh_seeds(self) -> dict[int, int]:
        """The seeds of the blocks played again."""
        times = Counter([each.block for each in self.again])
        return {block: derive(self.seed, "again", block, count) for block, count in times.items()}

    @property
    def bot_ids(self) -> tuple[bytes, ...]:
        """Each entrant's identity apart from its name, in file order."""
        return tuple([entrant.bot_id for entrant in self.entrants])

    @property
    def scheduled(self) -> tuple[str, ...]:
        """The names of all original entrants, in file order, dropped ones included."""
        return self.entered or self.names

    @property
    def dropped(self) -> frozenset[str]:
        """The entrants dropped from the run; their blocks are left out."""
        return frozenset(self.entered).difference(self.names)

    def without(self, dropped: Collection[str]) -> Self:
        """The tournament without some entrants; all blocks keep their numbers."""
        left = tuple([entrant for entrant in self.entrants if entrant.name not in dropped])
        return msgspec.structs.replace(self, entrants=left, entered=self.scheduled)

    @property
    def python_bots(self) -> tuple[str, ...]:
        """The names of the Python bots: neither programs nor people."""
        return tuple([entrant.name for entrant in self.entrants if entrant.use])

    @property
    def longest_match_s(self) -> float:
        """The largest `match_s` of an entrant, in seconds."""
        return max([entrant.limits.match_s for entrant in self.entrants], default=self.match_s)

    @property
    def replay_s(self) -> float:
        """The time limit for a game's code during a replay, in seconds."""
        return max(LEAST_REPLAY_S, self.longest_match_s)

    @property
    def bounds_time(self) -> bool:
        """Whether an entrant has a time limit besides the match's."""
        return any([entrant.limits.bounds_time for entrant in self.entrants])


def validate_tournament(tournament: Tournament) -> None:
    """Validates names, weights, anchor, and the format's requirements."""
    validate_names(tournament.name, tournament.names)
    for entrant in tournament.entrants:
        entrant.limits.validate(f"bot {entrant.name}")
    for i, setup in enumerate(tournament.setups):
        if setup in tournament.setups[:i]:
            raise ConfigError(f"game[{i}]: duplicate game; remove one")
    if len(tournament.weights) not in (0, len(tournament.setups)) or not all(map(isfinite, tournament.weights)):
        raise ConfigError("weights: expected a finite number for each game, or none")
    registry.load_format(tournament.format).validate(tournament)
    anchor = tournament.anchor
    if anchor is not None and anchor.bot not in tournament.names:
        raise ConfigError(
            f'anchor.bot: no bot "{anchor.bot}" in this tournament; {did_you_mean(anchor.bot, tournament.names)}'
        )


def validate_seatings(seatings: Seatings, setup: GameSetup) -> None:
    """Validates seatings for a block of the setup."""
    game, seats = setup.game, setup.seats
    most = min(factorial(seats), MOST_SEATINGS // seats * seats)
    if seatings == "all" and factorial(seats) > MOST_SEATINGS:
        raise ConfigError(
            f"seatings: all {factorial(seats)} seatings of the {seats} seats of {game} are too many for a block; "
            f"use a number, for example seatings = {2 * seats}"
        )
    if isinstance(seatings, int) and seatings % seats:
        raise ConfigError(
            f"seatings: {seatings} must be a multiple of the {seats} seats of {game}, so that entrants sit "
            f"equally often in every seat; use {min(max(1, round(seatings / seats)) * seats, most)}"
        )
    if isinstance(seatings, int) and seatings > most:
        raise ConfigError(f"seatings: must be at most {most} for {game}, got {seatings}")
