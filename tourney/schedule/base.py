"""The contract of a schedule: rounds of blocks, and the records that later rounds may rest on."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import ClassVar, NamedTuple

from tourney.config import Tournament
from tourney.match import Block, GameSetup, Record
from tourney.rng import derive, numbered
from tourney.schedule.seatings import seatings
from tourney.stats.tiebreaks import CommonTiebreak, Tiebreak


class Size(NamedTuple):
    """How much a tournament is; exact for every format."""

    blocks: int
    matches: int


class Schedule:
    """What a tournament plays, round by round, and what it has been told of the results."""

    name: ClassVar[str]
    """The name of the format, as in a tournament file."""
    adapts: ClassVar[bool] = False
    """Whether later rounds rest on the records of earlier ones. Where they do not, none need be added."""

    def __init__(self, tournament: Tournament) -> None:
        """Starts before the first round."""
        self._tournament = tournament

    def rounds(self) -> Iterator[Iterator[Block]]:
        """The rounds, each with its blocks; block numbers run on through the tournament.

        Begins, whenever it is called, with the first round that is not finished: whose records have not all been
        added. A round is made when it is asked for, and all records of the one before must have been added by then.
        """
        raise NotImplementedError

    def add(self, record: Record) -> None:
        """Takes in a record of the round that is being played; each once, in any order."""
        self.note(record.block, record.seats, record.places)

    def note(self, block: int, seats: Sequence[str], places: tuple[int, ...]) -> None:
        """Takes in what counts of a record: the number of its block, who sat in each seat, and which place it took."""

    def size(self) -> Size:
        """How many blocks and matches the whole tournament has."""
        raise NotImplementedError

    def describe(self) -> str:
        """The format in a few words, for the line that tells what is about to be played."""
        return self._tournament.format

    def why_not_extendable(self) -> str | None:
        """Why its blocks are not those of the same tournament with fewer entrants, and more; None where they are."""
        return f"nothing can be taken over into the format {self._tournament.format}"

    def blocks_from_journal(self, peek: Callable[[], tuple[str, ...] | None]) -> Iterator[Block]:
        """As `blocks`, for readers of a journal: who met in a round that is over may be taken from there.

        `peek` gives the seats of the next record, or of none at the end of the journal. Formats whose rounds take long
        to pair save readers that. What the journal says is taken for true where it could be; `rounds` does not do so.
        """
        del peek
        return self.blocks()

    def ranks_by(self) -> Sequence[CommonTiebreak | Tiebreak]:
        """What the format ranks by, as far as rounds are finished; each decides where all before it are equal."""
        return "points", "won"

    def blocks(self) -> Iterator[Block]:
        """All blocks in order, for readers that call `add` with a round's records before they ask for the next."""
        for blocks in self.rounds():
            yield from blocks


def deal_seed(tournament: Tournament, setup: GameSetup, deal: int) -> int:
    """The seed of the deal with that number."""
    return derive(tournament.seed, "deal", setup.game, deal)


def laid_out(
    tournament: Tournament, groups: Callable[[GameSetup], Iterable[tuple[str, ...]]], number: int = 0, deal: int = 0
) -> Iterator[Block]:
    """The blocks of the groups that meet: deal by deal, game by game, group by group.

    What is stopped half-way has then treated all groups alike. The blocks are numbered from `number`, and the deals
    from `deal`: deal d of a game has the same seed for every group, whoever is entered.
    """
    seeds = [(setup, numbered(tournament.seed, "deal", setup.game)) for setup in tournament.setups]
    for d in range(deal, deal + tournament.deals):
        for setup, seed_of in seeds:
            seed = seed_of(d)
            for group in groups(setup):
                played = setup if len(group) == setup.seats else GameSetup(setup.game, len(group), setup.options)
                yield Block(number, played, seed, seatings(group, tournament.seatings, seed))
                number += 1
