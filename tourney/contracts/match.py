"""The units of play (`GameSetup`, `Block`, `Match`) and their results (`Fault`, `Record`)."""

from binascii import hexlify
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from hashlib import blake2b
from itertools import chain
from typing import Annotated, Any, Literal, TypeAlias

import msgspec
import orjson
from msgspec.structs import asdict, force_setattr

from tourney.contracts.game import Entry, Game, own_copy
from tourney.contracts.rng import seed_text

Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Score: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Place: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]
Scores: TypeAlias = Annotated[tuple[Score, ...], msgspec.Meta(min_length=1)]
Places: TypeAlias = Annotated[tuple[Place, ...], msgspec.Meta(min_length=1)]
HexDigits: TypeAlias = Annotated[str, msgspec.Meta(pattern=r"\A[0-9a-f]{32}\Z")]
MOST_SEATS = 1000
FaultKind: TypeAlias = Literal["illegal", "error", "timeout", "crash", "memory", "protocol", "out"]


class GameSetup(msgspec.Struct, frozen=True):
    """A game of a tournament, with its options and its number of seats."""

    game: str
    seats: Annotated[int, msgspec.Meta(ge=1, le=MOST_SEATS)]
    options: dict[str, Any]
    """The game's options that differ from their defaults, as plain data."""


_last_options: dict[str, tuple[GameSetup, Game, Any, int]] = {}
"""The setup of each game's last match: matches of one setup follow each other, so options are validated once."""


def options_of(setup: GameSetup, game: Game) -> tuple[Any, int]:
    """Returns a match's own copy of its options, and the largest number of its decisions."""
    last = _last_options.get(setup.game)
    if last is None or last[0] is not setup or last[1] is not game:
        options = game.options(setup.seats, setup.options)
        last = _last_options[setup.game] = setup, game, options, game.max_decisions(setup.seats, options)
    return own_copy(last[2]), last[3]


class Match(msgspec.Struct, frozen=True):
    """A match to play: a game, a deal, and an entrant in each seat."""

    id: str
    """The name of the match: `GAME-BLOCK-NUMBER`, such as `vole-00012-1`."""
    setup: GameSetup
    block: int
    seed: int
    """The seed of the deal and of all other chance; 0 <= seed < 2**128."""
    seats: tuple[str, ...]
    """The name of the entrant in each seat; an entrant may sit in several."""
    names: tuple[str, ...] = ()
    """The names of the block, each once, sorted; by default those in `seats`; for the bots' seeds."""

    def __post_init__(self) -> None:
        if not self.names:
            force_setattr(self, "names", distinct_names(self.seats))


class Block(msgspec.Struct, frozen=True):
    """A deal and all seatings that are played on it."""

    number: int
    """The position of the block in its tournament, counted from 0."""
    setup: GameSetup
    seed: int
    """The seed of every match of the block."""
    seatings: tuple[tuple[str, ...], ...]
    """For each match, the name of the entrant in each seat."""
    names: tuple[str, ...] = ()
    """The names for the bots' seeds, each once, sorted; by default all names in the seatings."""

    def __post_init__(self) -> None:
        if not self.names:
            force_setattr(self, "names", distinct_names(chain.from_iterable(self.seatings)))

    def matches(self) -> list[Match]:
        """Returns the matches of the block, one for each seating, in order."""
        game, number, names = self.setup.game, self.number, self.names
        return [
            Match(match_name(game, number, i), self.setup, number, self.seed, seats, names)
            for i, seats in enumerate(self.seatings)
        ]


def match_name(game: str, block: int, seating: int) -> str:
    """Returns a match's name from its game, block and seating."""
    return f"{game}-{block:05d}-{seating}"


def distinct_names(names: Iterable[str]) -> tuple[str, ...]:
    """Returns the names, each once, sorted by their code points."""
    return tuple(sorted(set(names)))


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bot's mistake; from then on it is out, and the house moves for its seat.

    The kind `out` is not a new fault: the entrant was disqualified before this match for its faults in earlier ones.
    """

    seat: Count
    kind: FaultKind
    decision: Count
    """The decision, counted from 1 over all seats; one more than the last if the bot failed in `end`; 0 for `out`."""
    answer: str | None
    """The action that the bot answered, as text, or None if it was not an action of the game."""
    detail: str
    """A description in a few words, the same in every replay."""

    @property
    def what(self) -> str:
        """The answer that was not allowed; for any other fault, the description."""
        return self.detail if self.answer is None else self.answer


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """A match record: one journal line, with the keys in this order."""

    match: str
    game: str
    options: dict[str, Any]
    """The game's options that differ from their defaults, as plain data."""
    block: Count
    seed: HexDigits
    """The seed of the match, as 32 hexadecimal digits."""
    seats: Annotated[tuple[str, ...], msgspec.Meta(min_length=1, max_length=MOST_SEATS)]
    """The name of the entrant in each seat."""
    actions: str
    """The actions of all decisions in order, as text, separated by spaces."""
    scores: Scores
    """The score of each seat, in the units of the game; higher is better."""
    places: Places
    """The place of each seat by the rules of the game, 1 is the best; seats whose bots were out come last."""
    faults: tuple[Fault, ...]
    """The faults of the match, at most one for each seat."""
    digest: HexDigits
    """16 hexadecimal digits of a hash over the trace, then 16 of the seal: a hash over all other keys and those."""

    def line(self) -> bytes:
        """The record as a line of the journal, with its line end."""
        return self._line

    @cached_property
    def _line(self) -> bytes:
        return orjson.dumps(asdict(self), default=asdict, option=orjson.OPT_APPEND_NEWLINE)

    @property
    def decisions(self) -> int:
        """The number of decisions, over all seats."""
        return self.actions.count(" ") + bool(self.actions)

    @property
    def setup(self) -> GameSetup:
        """The game, with the number of seats and the options that were played."""
        return GameSetup(self.game, len(self.seats), self.options)


class RecordedResult(msgspec.Struct, frozen=True):
    """A record without its separate actions: it is read in half the time."""

    match: str
    game: str
    options: dict[str, Any]
    block: Count
    seed: str
    seats: tuple[str, ...]
    scores: Scores
    places: Places
    faults: tuple[Fault, ...]
    actions: msgspec.Raw

    @property
    def decisions(self) -> int:
        """The number of decisions, over all seats."""
        text = bytes(self.actions)
        return text.count(b" ") + (len(text) > len('""'))


_KEYS = Record.__struct_fields__[:-1]
_DIGEST = b',"digest":"'
_TRACE = 16  # the number of digits of the hash over the trace
_END = b'"}\n'
TAIL = len(_DIGEST) + 32 + len(_END)
"""The number of bytes at the end of a line that hold its digest, from the key on."""
_DIGITS = slice(len(_DIGEST) - TAIL, len(_DIGEST) - TAIL + _TRACE)  # the digits of the hash over the trace, in a line
_SEALED = slice(-16 - len(_END), None)  # the digits of the seal, to the line's end
_unhashed = blake2b(digest_size=8).copy  # copying is quicker than making a new one


def record_of(
    match: Match, actions: str, scores: tuple[int, ...], places: tuple[int, ...], faults: tuple[Fault, ...],
    log: Sequence[Entry],
) -> Record:  # fmt: skip
    """Makes the sealed record of a match that is over; the hash of its state's log is part of the digest.

    Seats in `faults` must come last in `places`, see `final_places`.
    """
    return _sealed(match, actions, scores, places, faults, _hash(orjson.dumps(log)))


def match_of(record: Record, names: tuple[str, ...] = ()) -> Match:
    """Returns the match of a record; `names` are as in `Match`, see `Schedule.block_names`."""
    return Match(record.match, record.setup, record.block, int(record.seed, 16), record.seats, names)


def record_as(match: Match, record: Record) -> Record:
    """Makes the sealed record of a match that was played under another name and block number, as in `record`."""
    return _sealed(match, record.actions, record.scores, record.places, record.faults, record.digest[:_TRACE])


def _sealed(
    match: Match, actions: str, scores: tuple[int, ...], places: tuple[int, ...], faults: tuple[Fault, ...], trace: str
) -> Record:
    setup, seed = match.setup, seed_text(match.seed)
    body = match.id, setup.game, setup.options, match.block, seed, match.seats, actions, scores, places, faults
    head = orjson.dumps(dict(zip(_KEYS, body, strict=True)), default=asdict)[:-1]
    digest = trace + _hash(head + trace.encode())
    record = Record(*body, digest)
    vars(record)["_line"] = head + _DIGEST + digest.encode() + _END  # it is at hand, and need not be encoded again
    return record


def is_sealed(line: bytes) -> bool:
    """Whether a line (with its line end) matches its seal: whether it is as it was written."""
    seal = _unhashed()
    seal.update(line[:-TAIL])
    seal.update(line[_DIGITS])
    return line[_SEALED] == hexlify(seal.digest()) + _END and line.startswith(_DIGEST, -TAIL)


def _hash(data: bytes) -> str:
    hashed = _unhashed()
    hashed.update(data)
    return hashed.hexdigest()


def result_problem(seats: int, scores: Sequence[int], places: tuple[int, ...], faults: Sequence[Fault]) -> str | None:
    """Returns why this cannot be the result of a match with that many seats, or None."""
    if not len(scores) == len(places) == seats:
        return f"expected {seats} scores and places, got {len(scores)} and {len(places)}"
    if not is_ranking(places):
        return f"places {list(places)} are not a ranking; equal seats share a place, for example [1, 2, 2, 4]"
    if not faults:
        return None
    charged = [fault.seat for fault in faults]
    if max(charged) >= seats:
        return f"a fault charges seat {max(charged)}, which does not exist"
    return "two faults charge the same seat" if len(set(charged)) < len(charged) else None


@lru_cache(maxsize=1 << 12)
def is_ranking(places: tuple[int, ...]) -> bool:
    """Whether each place is one more than the number of better ones."""
    return all([place == 1 + sum([other < place for other in places]) for place in places])


def final_places(places: tuple[int, ...], out: set[int]) -> tuple[int, ...]:
    """Returns a match's places by the rules, with the seats whose bots were out behind all others, sharing a place."""
    if not out:
        return places
    last = len(places) - len(out) + 1
    stayed = [place for seat, place in enumerate(places) if seat not in out]
    return tuple([last if i in out else 1 + sum(other < place for other in stayed) for i, place in enumerate(places)])
