"""The contract of a format: a subclass of `Schedule`, declared by an entry point of the group `tourney.formats`."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tourney.base.errors import ConfigError
from tourney.config import Tournament
from tourney.config.tournament import validate_seatings
from tourney.contracts.game import Options
from tourney.contracts.match import Block, Fault, GameSetup, Record, RecordedResult, distinct_names
from tourney.contracts.rng import seed_series
from tourney.plugins import registry
from tourney.schedule.seatings import Group, seating_count, seatings
from tourney.standings.counts import MAX_BATCHES
from tourney.standings.points import CommonTiebreak, Tiebreak
from tourney.standings.results import RoundReport

if TYPE_CHECKING:
    from tourney.standings.sweeps import Selection


class ScheduleSize(NamedTuple):
    """The number of blocks and matches in a tournament."""

    blocks: int
    matches: int


class Schedule:
    """The matches of a tournament of one format, round by round."""

    name: ClassVar[str]
    """The format's name in tournament files."""
    Options: ClassVar[type[Options]] = Options
    """The struct of the format's own tournament file keys; every field has a default."""
    adapts: ClassVar[bool] = False
    """Whether later rounds depend on the records of earlier ones; otherwise no records need to be added."""
    may_end_early: bool = False
    """Whether it can be over with fewer matches than `size` says, which is then an upper bound."""
    goes_on: ClassVar[bool] = False
    """Whether bots can be entered later, so the tournament is never over for good and its seeds stay secret."""
    most_batches: ClassVar[int] = MAX_BATCHES
    """The number of deal batches for counting results; see `tourney.standings.counts`."""
    hierarchical: bool = False
    """Whether ratings come from `tourney.standings.hierarchy`, for a format that chooses matches by results."""
    raisable: Sequence[str] = ()
    """Keys that may be raised before resuming a run, `deals` or of `Options`: its first matches stay the same."""
    voided: Mapping[int, int] = {}
    """The blocks that were played and do not count, each with the block from which on this is known."""
    leaves_out: ClassVar[bool] = False
    """Whether bots can be dropped from a run: groups are chosen from `Tournament.scheduled`, and the blocks of
    `Tournament.dropped` are left out, so the others keep their numbers."""
    plays_smaller_groups: ClassVar[bool] = False
    """Whether the format plays groups with one seat fewer if every game allows it, see `fits_fewer_seats`."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        """Validates that the format can play the tournament: here, the number of entrants, and the seatings."""
        for setup in tournament.setups:
            if len(tournament.names) < setup.seats:
                raise ConfigError(f"bots: {setup.game} needs at least {setup.seats} bots, got {len(tournament.names)}")
            validate_seatings(tournament.seatings, setup)

    def rounds(self) -> Iterator[Iterator[Block]]:
        """The rounds, each with its blocks, which are numbered consecutively through the tournament.

        The first is the earliest unfinished round, one with missing records. All records of a round must have been
        added before the next round is requested.
        """
        raise NotImplementedError

    def blocks(self) -> Iterator[Block]:
        """All blocks in order; the records of each round must have been added before the next one starts."""
        for blocks in self.rounds():
            yield from blocks

    def recall(self, rounds: Callable[[int], Any]) -> None:
        """Receives a function that returns what is recorded of a round, by its first block; the default ignores it."""

    def add(self, record: Record | RecordedResult) -> None:
        """Counts a record of the current round, each once; their order only affects faults in a row."""
        self.note(record.block, record.seats, record.places, record.faults)

    def note(self, block: int, seats: Sequence[str], places: tuple[int, ...], faults: Sequence[Fault] = ()) -> None:
        """Counts a result of the current round; the default ignores it."""

    def block_names(self, seats: Sequence[str]) -> tuple[str, ...]:
        """The entrants of a match's block, each once, sorted: `Block.names`, derived from one match.

        The default returns the entrants in the seats. A format whose matches do not seat every entrant of their block
        must add the others, because bots' seeds depend on these names.
        """
        return distinct_names(seats)

    def size(self) -> ScheduleSize:
        """The number of blocks and matches in the whole tournament; an upper bound if it `may_end_early`."""
        raise NotImplementedError

    def is_over(self, matches: int) -> bool:
        """Whether nothing is left to play after this number of matches.

        If the format adapts, the records of all complete blocks must have been added.
        """
        return matches >= self.most_matches

    def describe_size(self) -> str:
        """The number of matches in words: `200 matches`, or `at most 200 matches`."""
        return f"{'at most ' if self.may_end_early else ''}{self.most_matches} matches"

    @cached_property
    def most_matches(self) -> int:
        """The number of matches in the whole tournament; an upper bound if it `may_end_early`."""
        return self.size().matches

    def duels(self) -> float | None:
        """How many deals on which two bots meet, in every game, the tournament is worth to an average pair; at least.

        None if that depends on results.
        """
        return None

    def describe(self) -> str:
        """The format in a few words: `swiss of 5 rounds`."""
        return self.name

    def what_follows(self) -> str | None:
        """A sentence about the matches after the first deal of the first round, if other groups meet there."""
        return None

    def describe_undecided(self) -> str | None:
        """The undecided orders in words: `2 of 7 pairs undecided`; None if the format decides nothing."""
        return None

    def why_not_extendable(self) -> str | None:
        """Why this tournament cannot be extended, or None if it can.

        It can be extended if the same tournament with more entrants or deals has all of its blocks.
        """
        return f"the format {self.name} cannot be extended"

    def why_not_replaceable(self) -> str | None:
        """Why bots of this tournament cannot be replaced, or None if they can: if no block depends on other results."""
        return f"in a {self.name}, pairings depend on results" if self.adapts else None

    def round_of(self, block: int) -> int | None:
        """The number of a block's round, from 1; None if the format has no rounds."""
        return None

    def round_reports(self) -> Sequence[RoundReport]:
        """The rounds so far, including the one in progress; none if the format has no rounds."""
        return ()

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """Ranking criteria after the rounds so far: each breaks the ties of those before it."""
        return "points", "won"

    def certainties(self) -> Mapping[tuple[str, str], float] | None:
        """The probability that the first entrant of a pair is stronger, for a format that ends when sure enough.

        None means that results do not decide when the format ends, so ratings' error bars are valid.
        """
        return None

    def selection(self) -> "Selection | None":
        """How the best of each sweep was chosen, for a format that then measures it on fresh deals."""
        return None

    def disqualified(self) -> Collection[str]:
        """The disqualified entrants, which the standings rank below all others."""
        return ()

    def columns(self) -> Sequence[Tiebreak]:
        """Additional columns of the format, not used for ranking."""
        return ()


def schedule(tournament: Tournament) -> Schedule:
    """A new schedule of the tournament, before the first round."""
    made: Schedule = registry.load_format(tournament.format)(tournament)
    return made


def blocks_of_groups(
    tournament: Tournament, groups: Callable[[GameSetup, int], Iterable[Group]], first_block: int, first_deal: int,
    deals: int, names: tuple[str, ...] = (),
) -> Iterator[Block]:  # fmt: skip
    """The groups' blocks: deal by deal, game by game, group by group.

    Deal d of a game has the same seed for every group, whatever the entrants; blocks played again have their own.
    `names` are `Block.names`.
    """
    seeds = [(setup, _deal_seeds(tournament, setup.game)) for setup in tournament.setups]
    number, fresh = first_block, tournament.fresh_seeds
    for deal in range(deals):
        for setup, seed_of in seeds:
            of_deal = seed_of(first_deal + deal)
            for group in groups(setup, deal):
                played = setup if len(group) == setup.seats else GameSetup(setup.game, len(group), setup.options)
                seed = fresh.get(number, of_deal)
                yield Block(number, played, seed, seatings(group, tournament.seatings, seed), names)
                number += 1


def _deal_seeds(tournament: Tournament, game: str) -> Callable[[int], int]:
    (_, own), *salted = [(first, seed_series(root, "deal", game)) for first, root in tournament.deal_roots]
    if not salted:
        return own
    return lambda deal: next((of for first, of in reversed(salted) if deal >= first), own)(deal)


class FixedSchedule(Schedule):
    """A schedule of one round, with blocks independent of results."""

    def groups(self, setup: GameSetup) -> Iterable[Group]:
        """The groups that meet in a game, in order, without groups of dropped entrants."""
        raise NotImplementedError

    def group_count(self, setup: GameSetup) -> int:
        """The number of groups in a game, including groups of dropped entrants."""
        raise NotImplementedError

    def rounds(self) -> Iterator[Iterator[Block]]:
        """The only round."""
        blocks = blocks_of_groups(self._tournament, lambda setup, _: self.groups(setup), 0, 0, self._tournament.deals)
        dropped = self._tournament.dropped
        yield (block for block in blocks if dropped.isdisjoint(block.seatings[0])) if dropped else blocks

    def why_not_extendable(self) -> str | None:
        """None: if all possible groups meet, another entrant only adds blocks."""
        return None

    def size(self) -> ScheduleSize:
        """The number of blocks and matches in the whole tournament."""
        deals, which = self._tournament.deals, self._tournament.seatings
        setups = self._tournament.setups
        counts = [(self._groups_left(setup), seating_count(which, setup.seats)) for setup in setups]
        return ScheduleSize(
            deals * sum([groups for groups, _ in counts]), deals * sum([groups * matches for groups, matches in counts])
        )

    def duels(self) -> float | None:
        """At most one for each deal: what other groups add on the same cards may not be new."""
        tournament = self._tournament
        others = max(1, len(tournament.names) - 1)
        return tournament.deals * min(
            [min(1.0, self._groups_left(setup) * (setup.seats - 1) / others) for setup in tournament.setups]
        )

    def _groups_left(self, setup: GameSetup) -> int:
        dropped = self._tournament.dropped
        return sum(map(dropped.isdisjoint, self.groups(setup))) if dropped else self.group_count(setup)
