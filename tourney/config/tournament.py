"""A tournament that can be played, and the keys of a tournament file that it takes over as they are."""

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

MOST_BOTS = 10_000
MOST_PARALLEL = 1024
MOST_SEATINGS = 40_320
"""The largest number of seatings in a block: all of eight seats."""
LEAST_REPLAY_S = 5.0
"""How long the code of a game may take at least when a match is replayed, in seconds."""

Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1, max_length=MOST_LETTERS)]
Weight: TypeAlias = Annotated[float, msgspec.Meta(gt=0)]
Seatings: TypeAlias = Literal["rotations", "all", "fixed"] | PositiveInt


class Anchor(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot whose rating is held fixed, so that the ratings of several tournaments can be compared."""

    bot: str
    rating: Annotated[float, msgspec.Meta(ge=-1e6, le=1e6)]


class Salt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the deals that an extension adds come from, beside the seed: who knows the seed cannot tell them."""

    deal: Count
    """The first deal that comes from it; the next salt takes over where its own deals begin."""
    salt: HexDigits


class FieldEvent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What has changed in the field of a league or of a track."""

    event: Literal["entered", "paused", "retired", "restored"]
    bot: str
    """The name of the entrant."""
    block: Count
    """It holds from the first round on that begins with this block or a later one."""


class FaultLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """When faults disqualify an entrant, or faults or money stop the run; None means never."""

    max_faults: PositiveInt | None = None
    """The number of faults with which an entrant is disqualified."""
    max_faults_in_row: PositiveInt | None = None
    """The number of consecutive matches with faults after which an entrant is disqualified."""
    max_fault_rate: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    """The share of matches with faults, from 0 to 1, above which the run stops."""
    max_cost: Annotated[float, msgspec.Meta(gt=0)] | None = None
    """The dollars for the whole run, by the notes of the bots, at which it stops."""

    @property
    def disqualify(self) -> bool:
        """Whether an entrant can be disqualified."""
        return self.max_faults is not None or self.max_faults_in_row is not None


class PageKeys(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the pages of a run tell everybody."""

    authors: bool = False
    """Whether they name the authors of a league's bots, as `submit` was told them."""


class TournamentKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys of a tournament file that a tournament takes over as they are."""

    name: Name
    """The name of the tournament, after which the folder of its run is called: letters, digits and `. _ + -`."""
    format: str = "round-robin"
    """Who meets whom: the name of a format. Its own keys stand beside these."""
    deals: PositiveInt = 10
    """How many blocks each group of entrants that meets plays in each game."""
    seatings: Seatings = "rotations"
    """Which seatings a block has: every rotation of the seats, all, a number of them, or the fixed one of the file."""
    anchor: Anchor | None = None
    """The bot that fixes the scale of the ratings; without one, their mean does."""
    page: PageKeys = PageKeys()
    """What its pages tell everybody."""
    parallel: Annotated[int, msgspec.Meta(ge=1, le=MOST_PARALLEL)] | None = None
    """How many matches are played at once, whatever the number of workers; for bots that wait for a service."""


class Tournament(TournamentKeys, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tournament that can be played: checked, with every default filled in. It can be sent to another process."""

    seed: int
    """The root of all seeds of the tournament."""
    salts: tuple[Salt, ...] = ()
    """The salts of the deals that were added later, in order; empty for a tournament that was never extended."""
    format_options: Any = Options()
    """The format's own keys: an instance of its `Options`."""
    entrants: tuple[Entrant, ...] = msgspec.field(name="bots")
    entered: tuple[str, ...] = ()
    """The names of all who were entered, in the order of the file, if some were dropped from the run since."""
    events: tuple[FieldEvent, ...] = ()
    """What has changed in the field, in order; without one that says otherwise, an entrant is there from the start."""
    setups: Annotated[tuple[GameSetup, ...], msgspec.Meta(min_length=1)] = msgspec.field(name="games")
    weights: tuple[Weight, ...] = ()
    """The weight of each setup in the standings; empty: all weigh the same."""
    match_s: Seconds
    """How long one match may take, in seconds."""
    fault_limits: FaultLimits = FaultLimits()
    fits_fewer_seats: bool = msgspec.field(default=False, name="smaller_tables")
    """Whether every game can also be played with one seat fewer; False for formats that do not play smaller groups."""
    folder: str
    """The folder of the tournament file, which paths are relative to."""

    @property
    def limits_faults(self) -> bool:
        """Whether faults can have consequences beyond the match in which they occur."""
        return self.fault_limits.disqualify or self.fault_limits.max_fault_rate is not None

    @property
    def games(self) -> tuple[str, ...]:
        """The names of the games, sorted."""
        return tuple(sorted({setup.game for setup in self.setups}))

    @property
    def in_worker(self) -> bool:
        """Whether the code of all bots runs in the worker's process."""
        return all([entrant.in_worker for entrant in self.entrants])

    @property
    def all_weights(self) -> tuple[Weight, ...]:
        """The weight of each setup, filled in where none is given."""
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
        """What the deals are derived from: the first deal, and the root of the seeds of it and those after it."""
        return ((0, self.seed), *[(each.deal, derive(self.seed, "salt", each.salt)) for each in self.salts])

    @property
    def bot_ids(self) -> tuple[bytes, ...]:
        """What each entrant is apart from its name, in the order of the file."""
        return tuple([entrant.bot_id for entrant in self.entrants])

    @property
    def scheduled(self) -> tuple[str, ...]:
        """The names of all who were entered, in the order of the file: the entrants, and those who were dropped."""
        return self.entered or self.names

    @property
    def dropped(self) -> frozenset[str]:
        """The names of those who were dropped from the run; blocks in which they would play are left out."""
        return frozenset(self.entered).difference(self.names)

    def without(self, dropped: Collection[str]) -> Self:
        """The tournament from which some were dropped; all blocks keep their numbers."""
        left = tuple([entrant for entrant in self.entrants if entrant.name not in dropped])
        return msgspec.structs.replace(self, entrants=left, entered=self.scheduled)

    @property
    def python_bots(self) -> tuple[str, ...]:
        """The names of the entrants that are Python bots, and neither programs nor people."""
        return tuple([entrant.name for entrant in self.entrants if entrant.use])

    @property
    def longest_match_s(self) -> float:
        """The largest `match_s` of an entrant, in seconds."""
        return max([entrant.limits.match_s for entrant in self.entrants], default=self.match_s)

    @property
    def replay_s(self) -> float:
        """How long the code of a game may take when a match is replayed, in seconds."""
        return max(LEAST_REPLAY_S, self.longest_match_s)

    @property
    def bounds_time(self) -> bool:
        """Whether an entrant has a time limit other than that of the match."""
        return any([entrant.limits.bounds_time for entrant in self.entrants])


def validate_tournament(tournament: Tournament) -> None:
    """Validates what no single key shows: the names, the weights, the anchor, and what the format asks for."""
    validate_names(tournament.name, tournament.names)
    for entrant in tournament.entrants:
        entrant.limits.validate(f"bot {entrant.name}")
    for i, setup in enumerate(tournament.setups):
        if setup in tournament.setups[:i]:
            raise ConfigError(f"game[{i}]: appears twice; remove one")
    if len(tournament.weights) not in (0, len(tournament.setups)) or not all(map(isfinite, tournament.weights)):
        raise ConfigError("weights: give a finite number for each game, or none")
    registry.load_format(tournament.format).validate(tournament)
    anchor = tournament.anchor
    if anchor is not None and anchor.bot not in tournament.names:
        raise ConfigError(f'anchor.bot: no bot "{anchor.bot}" is entered; {did_you_mean(anchor.bot, tournament.names)}')


def validate_seatings(seatings: Seatings, setup: GameSetup) -> None:
    """Validates that a block of the setup can have these seatings."""
    game, seats = setup.game, setup.seats
    most = min(factorial(seats), MOST_SEATINGS // seats * seats)
    if seatings == "all" and factorial(seats) > MOST_SEATINGS:
        raise ConfigError(
            f"seatings: all {factorial(seats)} seatings of the {seats} seats of {game} are too many for a block; "
            f"give a number, as in seatings = {2 * seats}"
        )
    if isinstance(seatings, int) and seatings % seats:
        raise ConfigError(
            f"seatings: {seatings} is not a multiple of the {seats} seats of {game}, so that entrants would not sit "
            f"equally often in every seat; use {min(max(1, round(seatings / seats)) * seats, most)}"
        )
    if isinstance(seatings, int) and seatings > most:
        raise ConfigError(f"seatings: {seatings} is more than a block of {game} can have; use at most {most}")
