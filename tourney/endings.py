"""How matches ended, read off whole lines of the journal without making records of them.

A line begins with what the schedule says of its match, and ends with how the match ended and the seal. What is between
them, the actions, need not be looked at for more than the seal. Lines that are in any way unusual are left to those
who parse them whole.

Few endings are new, so they are numbered, and whoever counts them counts numbers.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import orjson

from tourney.match import TAIL, Block, Contest, Fault, Record, are_sealed
from tourney.rng import seed_text

KNOWN = 1 << 14
"""So many different endings are kept ready."""

_QUOTE = b'"'
_SCORES = b'","scores":['
_DIGEST = slice(-35, -3)  # the digest's digits in a line


class Ending(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a match ended; the same as in its `Record`."""

    scores: tuple[int, ...]
    places: tuple[int, ...]
    faults: tuple[Fault, ...]


_decode = msgspec.json.Decoder(Ending).decode


class Form:
    """A contest with the seatings of a block: what the lines of all such blocks have in common."""

    __slots__ = ("_begin", "_middle", "_rests", "contest", "seatings")

    def __init__(self, contest: Contest, seatings: tuple[tuple[str, ...], ...]) -> None:
        """The form of blocks with this contest and these seatings."""
        self.contest = contest
        self.seatings = seatings
        options = orjson.dumps(contest.options).decode()
        self._begin = f'{{"match":"{contest.game}-'
        self._middle = f'","game":"{contest.game}","options":{options},"block":'
        self._rests = [
            (b"%d" % i, b'","seats":%b,"actions":"' % orjson.dumps(seats)) for i, seats in enumerate(seatings)
        ]

    def heads(self, block: Block) -> list[bytes]:
        """How the lines of a block of this form begin, up to the first action."""
        number = block.number
        begin = f"{self._begin}{number:05d}-".encode()
        middle = f'{self._middle}{number},"seed":"{block.seed:032x}'.encode()
        return [begin + i + middle + rest for i, rest in self._rests]


class Ended(NamedTuple):
    """The matches of blocks that follow each other, and how they ended; of the last block perhaps not all."""

    blocks: Sequence[Block]
    forms: Sequence[Form]
    """That of each block; blocks that are alike have the same one."""
    lines: Sequence[bytes]
    """The lines of the matches."""
    numbers: Sequence[int]
    """That of each match's ending."""
    table: Sequence[Ending]
    """The endings by their numbers. It is the same while numbers mean the same, and may grow."""

    def by_block(self) -> "Iterator[Ended]":
        """The same, each block apart."""
        first = 0
        for block, form in zip(self.blocks, self.forms, strict=True):
            after = first + len(block.seatings)
            yield Ended((block,), (form,), self.lines[first:after], self.numbers[first:after], self.table)
            first = after

    def endings(self) -> list[Ending]:
        """How each match ended."""
        return [self.table[number] for number in self.numbers]

    def matches(self) -> list[tuple[int, tuple[str, ...], Ending]]:
        """For each match the number of its block, who sat in each seat, and how it ended."""
        seated = [(block.number, seats) for block in self.blocks for seats in block.seatings]
        return [(*match, self.table[number]) for match, number in zip(seated, self.numbers, strict=False)]


class Endings:
    """Reads endings off lines; those that come again and again are parsed once."""

    def __init__(self) -> None:
        """Knows no ending yet."""
        self._forget()

    def _forget(self) -> None:
        self._table: list[Ending] = []
        self._known: dict[int, dict[bytes, int]] = {}  # by the number of seats
        self._forms: dict[tuple[int, tuple[tuple[str, ...], ...]], Form] = {}

    def of(self, blocks: Sequence[Block], lines: Sequence[bytes]) -> Ended | None:
        """How the first matches of blocks that follow each other ended, a whole line each; there must be one of each.

        None unless every line is the record of its match, in the usual form, and its seal holds.
        """
        if not are_sealed(lines):
            return None
        self._forget_if_many()
        forms = [self._form(block) for block in blocks]
        ends: list[bytes] = []
        rest = iter(lines)
        for block, form in zip(blocks, forms, strict=True):
            for head, line in zip(form.heads(block), rest, strict=False):
                if not line.startswith(head):
                    return None
                ends.append(line[line.find(_QUOTE, len(head)) : -TAIL])
        return self._ended(blocks, forms, lines, ends)

    def trusted(self, blocks: Sequence[Block], lines: Sequence[bytes]) -> Ended | None:
        """The same of lines that are known to be the whole records of these matches, so that nothing of it is checked.

        None if one of them is not in the usual form.
        """
        self._forget_if_many()
        forms = [self._form(block) for block in blocks]
        # what texts hold of quotes has a backslash before it, so these come once behind the options: after the actions
        return self._ended(blocks, forms, lines, [line[line.rfind(_SCORES) : -TAIL] for line in lines])

    def _ended(
        self, blocks: Sequence[Block], forms: Sequence[Form], lines: Sequence[bytes], ends: Sequence[bytes]
    ) -> Ended | None:
        """How the matches ended whose lines have these ends."""
        numbers: list[int] = []
        rest = iter(ends)
        for form in forms:
            seats = len(form.seatings[0])
            known = self._known.setdefault(seats, {})
            for _, end in zip(form.seatings, rest, strict=False):
                number = known.get(end)
                if number is None:
                    ending = _parsed(end, seats)
                    if ending is None:
                        return None
                    number = known[end] = self._number(ending)
                numbers.append(number)
        return Ended(blocks, forms, lines, numbers, self._table)

    def noted(self, block: Block, lines: Sequence[bytes], endings: Sequence[Ending]) -> Ended:
        """The same of a block whose lines had to be parsed by others."""
        self._forget_if_many()
        return Ended((block,), (self._form(block),), lines, [self._number(each) for each in endings], self._table)

    def _number(self, ending: Ending) -> int:
        self._table.append(ending)
        return len(self._table) - 1

    def _forget_if_many(self) -> None:
        """Numbers everything anew once there is a lot, so that memory does not grow with the journal."""
        if len(self._table) > KNOWN or len(self._forms) > KNOWN:
            self._forget()

    def _form(self, block: Block) -> Form:
        """The form of a block; it holds the contest, so that no other one gets that one's id."""
        key = id(block.contest), block.seatings
        form = self._forms.get(key)
        if form is None:
            form = self._forms[key] = Form(block.contest, block.seatings)
        return form


def _parsed(end: bytes, seats: int) -> Ending | None:
    """The ending that is written like that, if it is one of a match with so many seats."""
    if not end.startswith(_SCORES):
        return None
    try:
        ending = _decode(b"{" + end[2:] + b"}")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    if not (len(ending.scores) == len(ending.places) == seats):
        return None
    if any([not 0 <= fault.seat < seats for fault in ending.faults]):
        return None
    return ending


def records(ended: Ended) -> list[Record]:
    """The records of the matches."""
    found = []
    endings, lines = iter(ended.endings()), iter(ended.lines)
    for block, form in zip(ended.blocks, ended.forms, strict=True):
        contest, seed = block.contest, seed_text(block.seed)
        for match, head, line, ending in zip(block.matches(), form.heads(block), lines, endings, strict=False):
            actions = line[len(head) : line.index(_QUOTE, len(head))].decode()
            digest = line[_DIGEST].decode()
            found.append(
                Record(
                    match.id, contest.game, contest.options, block.number, seed, match.seats, actions,
                    ending.scores, ending.places, ending.faults, digest,
                )
            )  # fmt: skip
    return found
