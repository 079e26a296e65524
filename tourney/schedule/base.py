"""The contract of a format: a subclass of `Schedule`, declared by an entry point of the group `tourney.formats`."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

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
from tourney.standings.sweeps import Selection


class ScheduleSize(NamedTuple):
    """How many blocks and matches a tournament has."""

    blocks: int
    matches: int


class Schedule:
    """What a tournament of one format plays, round by round."""

    name: ClassVar[str]
    """The name of the format in tournament files."""
    Options: ClassVar[type[Options]] = Options
    """The struct of the format's own keys of a tournament file; every field has a default."""
    adapts: ClassVar[bool] = False
    """Whether later rounds depend on the records of earlier ones; otherwise no records need to be added."""
    may_end_early: bool = False
    """Whether it can be over with fewer matches than `size` says, which then is an upper bound."""
    goes_on: ClassVar[bool] = False
    """Whether bots can be entered later, so that it is never over for good, and its seeds are never told."""
    most_batches: ClassVar[int] = MAX_BATCHES
    """Into how many batches of deals the results are counted; see `tourney.standings.counts`."""
    hierarchical: bool = False
    """Whether ratings are those of `tourney.standings.hierarchy`, for a format that chooses matches by results."""
    raisable: Sequence[str] = ()
    """The keys that may be raised before a run is resumed, `deals` or of `Options`: it begins with the same matches."""
    leaves_out: ClassVar[bool] = False
    """Whether bots can be dropped from a run: who meets is chosen from `Tournament.scheduled`, and blocks in which
    `Tournament.dropped` would play are left out, so that the others keep their numbers."""
    plays_smaller_groups: ClassVar[bool] = False
    """Whether the format plays groups with one seat fewer where every game allows it, see `fits_fewer_seats`."""

    def __init__(self, tournament: Tournament) -> None:
        self._tournament = tournament

    @classmethod
    def validate(cls, tournament: Tournament) -> None:
        """Validates that the format can play the tournament: here, that entrants fill the seats, and the seatings."""
        for setup in tournament.setups:
            if len(tournament.names) < setup.seats:
                raise ConfigError(
                    f"bots: {setup.game} has {setup.seats} seats, and the number of bots entered is "
                    f"{len(tournament.names)}; enter more"
                )
            validate_seatings(tournament.seatings, setup)

    def rounds(self) -> Iterator[Iterator[Block]]:
        """The rounds, each with its blocks; the numbers of blocks run on through the tournament.

        The first is always the earliest round that is not finished, that is, of which not all records were added. All
        records of a round must have been added before the next round is asked for.
        """
        raise NotImplementedError

    def blocks(self) -> Iterator[Block]:
        """All blocks in order; the records of each round must have been added before the next one begins."""
        for blocks in self.rounds():
            yield from blocks

    def recall(self, rounds: Mapping[int, Any]) -> None:
        """Takes rounds, by their first blocks, as they were paired before; the default ignores them."""

    def add(self, record: Record | RecordedResult) -> None:
        """Counts a record of the current round: each record once, in the order of the schedule.

        The order matters only to faults in a row.
        """
        self.note(record.block, record.seats, record.places, record.faults)

    def note(self, block: int, seats: Sequence[str], places: tuple[int, ...], faults: Sequence[Fault] = ()) -> None:
        """Counts a result of the current round; the default ignores it."""

    def block_names(self, seats: Sequence[str]) -> tuple[str, ...]:
        """The names of the entrants of a match's block, each once, sorted: `Block.names`, from a single match.

        The default takes those in the seats. A format whose matches do not seat every entrant of their block has to
        add the others, since the seeds of bots depend on these names; one whose `Block.names` are others finds those.
        """
        return distinct_names(seats)

    def size(self) -> ScheduleSize:
        """How many blocks and matches the whole tournament has; at most, if it `may_end_early`."""
        raise NotImplementedError

    def is_over(self, matches: int) -> bool:
        """Whether nothing is left to play. `matches` is the number of matches that were played.

        If the format adapts, the records of all complete blocks must have been added.
        """
        return matches >= self.most_matches

    def describe_size(self) -> str:
        """The number of matches in words: `200 matches`, or `at most 200 matches`."""
        return f"{'at most ' if self.may_end_early else ''}{self.most_matches} matches"

    @cached_property
    def most_matches(self) -> int:
        """How many matches the whole tournament has; at most, if it `may_end_early`."""
        return self.size().matches

    def describe(self) -> str:
        """The format in a few words, such as `swiss of 5 rounds`."""
        return self.name

    def what_follows(self) -> str | None:
        """A sentence about what is played after the first deal of the first round, if other groups meet there."""
        return None

    def describe_undecided(self) -> str | None:
        """What is still undecided, as in `2 of 7 pairs undecided`; None if the format decides nothing."""
        return None

    def why_not_extendable(self) -> str | None:
        """The reason why this tournament cannot be extended, or None if it can.

        It can be extended if the same tournament with more entrants or deals has the same blocks, and more.
        """
        return f"the format {self.name} cannot be extended"

    def why_not_replaceable(self) -> str | None:
        """The reason why a bot of this tournament cannot be replaced, or None if it can.

        It can be replaced if a block does not depend on how others ended.
        """
        return f"in a {self.name} it depends on results who meets whom" if self.adapts else None

    def round_of(self, block: int) -> int | None:
        """The number of the round, from 1, that a block belongs to; None if the format has no rounds."""
        return None

    def round_reports(self) -> Sequence[RoundReport]:
        """The rounds so far, also the one that is being played; none if the format has no rounds."""
        return ()

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """What entrants are ranked by after the rounds so far: each decides where all before it are equal."""
        return "points", "won"

    def certainties(self) -> Mapping[tuple[str, str], float] | None:
        """How sure it is that the first entrant of a pair is stronger, for a format that ends when it is sure enough.

        None means that results do not decide when the format ends, so the error bars of the ratings say it.
        """
        return None

    def selection(self) -> Selection | None:
        """By what the best of each sweep was chosen, for a format that measures it on fresh deals afterwards."""
        return None

    def disqualified(self) -> Collection[str]:
        """The entrants that the standings rank below all others, because they were disqualified."""
        return ()

    def columns(self) -> Sequence[Tiebreak]:
        """What only the format knows of the entrants, and does not rank them by."""
        return ()


def schedule(tournament: Tournament) -> Schedule:
    """A new schedule of the tournament, before the first round."""
    made: Schedule = registry.load_format(tournament.format)(tournament)
    return made


def blocks_of_groups(
    tournament: Tournament,
    groups: Callable[[GameSetup, int], Iterable[Group]],
    first_block: int,
    first_deal: int,
    deals: int,
    names: tuple[str, ...] = (),
) -> Iterator[Block]:
    """The blocks of the groups that meet: deal by deal, game by game, group by group.

    Deal d of a game has the same seed for every group, whoever is entered. `names` are `Block.names`.
    """
    seeds = [(setup, _deal_seeds(tournament, setup.game)) for setup in tournament.setups]
    number = first_block
    for deal in range(deals):
        for setup, seed_of in seeds:
            seed = seed_of(first_deal + deal)
            for group in groups(setup, deal):
                played = setup if len(group) == setup.seats else GameSetup(setup.game, len(group), setup.options)
                yield Block(number, played, seed, seatings(group, tournament.seatings, seed), names)
                number += 1


def _deal_seeds(tournament: Tournament, game: str) -> Callable[[int], int]:
    """The seed of each deal of a game by its number."""
    (_, own), *salted = [(first, seed_series(root, "deal", game)) for first, root in tournament.deal_roots]
    if not salted:
        return own
    return lambda deal: next((of for first, of in reversed(salted) if deal >= first), own)(deal)


class FixedSchedule(Schedule):
    """A schedule of one round, whose blocks no result changes."""

    def groups(self, setup: GameSetup) -> Iterable[Group]:
        """The groups that meet in a game, in order; those in which the dropped would play are left out."""
        raise NotImplementedError

    def group_count(self, setup: GameSetup) -> int:
        """The number of these groups, with those that are left out."""
        raise NotImplementedError

    def rounds(self) -> Iterator[Iterator[Block]]:
        """The only round."""
        blocks = blocks_of_groups(self._tournament, lambda setup, _: self.groups(setup), 0, 0, self._tournament.deals)
        dropped = self._tournament.dropped
        yield (block for block in blocks if dropped.isdisjoint(block.seatings[0])) if dropped else blocks

    def why_not_extendable(self) -> str | None:
        """None: where all possible groups meet, another entrant adds blocks and changes none."""
        return None

    def size(self) -> ScheduleSize:
        """How many blocks and matches the whole tournament has."""
        deals, which = self._tournament.deals, self._tournament.seatings
        setups = self._tournament.setups
        counts = [(self._groups_left(setup), seating_count(which, setup.seats)) for setup in setups]
        return ScheduleSize(
            deals * sum([groups for groups, _ in counts]),
            deals * sum([groups * matches for groups, matches in counts]),
        )

    def _groups_left(self, setup: GameSetup) -> int:
        """The number of groups that meet in a game, without those of the dropped."""
        dropped = self._tournament.dropped
        return sum(map(dropped.isdisjoint, self.groups(setup))) if dropped else self.group_count(setup)
