"""Values that say what to play (`GameSetup`, `Block`, `Match`) and what came of it (`Fault`, `Record`)."""

from binascii import hexlify
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal, TypeAlias

import msgspec
import orjson
from msgspec.structs import asdict

from tourney.game import Entry
from tourney.rng import seed_text

FaultKind: TypeAlias = Literal["illegal", "error", "timeout", "crash", "memory", "protocol", "out"]


class GameSetup(msgspec.Struct, frozen=True):
    """One game of a tournament, with its options and its number of seats."""

    game: str
    seats: int
    options: dict[str, Any]
    """The options that differ from the defaults."""


class Match(msgspec.Struct, frozen=True):
    """One match to play: which game, on which deal, with whom in which seat."""

    id: str
    setup: GameSetup
    block: int
    seed: int
    seats: tuple[str, ...]
    """The entrant's name in each seat."""


class Block(msgspec.Struct, frozen=True):
    """One deal and all the seatings that are played on it."""

    number: int
    setup: GameSetup
    seed: int
    seatings: tuple[tuple[str, ...], ...]

    def matches(self) -> list[Match]:
        """The block's matches, one a seating, in order."""
        game, number = self.setup.game, self.number
        return [
            Match(f"{game}-{number:05d}-{i}", self.setup, number, self.seed, seats)
            for i, seats in enumerate(self.seatings)
        ]


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a bot did wrong; from then on it is out, and the house moves for its seat.

    The kind `out` is no new fault: the entrant had been put out of the tournament before, for faults in other matches.
    """

    seat: int
    kind: FaultKind
    decision: int
    """The decision that it failed to make, counted from 1 over all seats; one past the last: at the end; 0: `out`."""
    answer: str | None
    """The text of the action that it answered, where it was one of the game's."""
    detail: str
    """What is known about it, in a few words that are the same in every replay."""


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """What a match came to: one line of the journal. The fields' order is the order of the keys."""

    match: str
    game: str
    options: dict[str, Any]
    block: int
    seed: str
    seats: tuple[str, ...]
    actions: str
    scores: tuple[int, ...]
    places: tuple[int, ...]
    """By the rules of the game, but seats whose bots were out come last."""
    faults: tuple[Fault, ...]
    digest: str
    """The seal: 16 hexadecimal digits of a hash over the trace in compact form, and 16 over the record with those."""

    def line(self) -> bytes:
        """The record as a line of the journal, with its line end."""
        return self._line

    @cached_property
    def _line(self) -> bytes:
        return orjson.dumps(asdict(self), default=asdict, option=orjson.OPT_APPEND_NEWLINE)

    @property
    def setup(self) -> GameSetup:
        """The game, number of seats and options that were played."""
        return GameSetup(self.game, len(self.seats), self.options)


_KEYS = Record.__struct_fields__[:-1]
_DIGEST = b',"digest":"'
_TRACE = 16  # so many digits of the digest are the hash over the trace
_END = b'"}\n'
TAIL = len(_DIGEST) + 32 + len(_END)
"""So many bytes of a line are its digest, from the key on."""
_DIGITS = slice(len(_DIGEST) - TAIL, len(_DIGEST) - TAIL + _TRACE)  # of the hash over the trace, in a line
_SEALED = slice(-16 - len(_END), None)  # those of the hash over the record, to the line's end
_unhashed = blake2b(digest_size=8).copy  # quicker than to make a new one each time


def record_of(
    match: Match,
    actions: str,
    scores: tuple[int, ...],
    places: tuple[int, ...],
    faults: tuple[Fault, ...],
    log: Sequence[Entry],
) -> Record:
    """The record of a match that is over, sealed; `log` is the state's, decisions included."""
    return _sealed(match, actions, scores, places, faults, _hash(orjson.dumps(log)))


def record_as(match: Match, record: Record) -> Record:
    """The record of the same match where it has another name and block, sealed anew.

    The trace is what it was, and so is its hash.
    """
    return _sealed(match, record.actions, record.scores, record.places, record.faults, record.digest[:_TRACE])


def _sealed(
    match: Match,
    actions: str,
    scores: tuple[int, ...],
    places: tuple[int, ...],
    faults: tuple[Fault, ...],
    trace: str,
) -> Record:
    setup, seed = match.setup, seed_text(match.seed)
    body = match.id, setup.game, setup.options, match.block, seed, match.seats, actions, scores, places, faults
    head = orjson.dumps(dict(zip(_KEYS, body, strict=True)), default=asdict)[:-1]
    digest = trace + _hash(head + trace.encode())
    record = Record(*body, digest)
    vars(record)["_line"] = head + _DIGEST + digest.encode() + _END  # it is almost there
    return record


def is_sealed(line: bytes) -> bool:
    """Whether the seal of a line of the journal holds: that nothing in the line has changed since it was written.

    It cannot say whether the trace is what the rules make of the actions; a replay can.
    """
    return are_sealed((line,))


def are_sealed(lines: Iterable[bytes]) -> bool:
    """Whether the seals of all these lines hold."""
    for line in lines:
        seal = _unhashed()
        seal.update(line[:-TAIL])
        seal.update(line[_DIGITS])
        if line[_SEALED] != hexlify(seal.digest()) + _END or not line.startswith(_DIGEST, -TAIL):
            return False
    return True


def _hash(data: bytes) -> str:
    hashed = _unhashed()
    hashed.update(data)
    return hashed.hexdigest()


def final_places(places: tuple[int, ...], out: set[int]) -> tuple[int, ...]:
    """The game's places with the seats in `out` moved behind all others, where they share a place."""
    if not out:
        return places
    last = len(places) - len(out) + 1
    return tuple(
        [
            last if seat in out else 1 + sum(other < place for i, other in enumerate(places) if i not in out)
            for seat, place in enumerate(places)
        ]
    )
