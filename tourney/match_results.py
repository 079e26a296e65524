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

from tourney.match import TAIL, Block, Fault, GameSetup, Record, are_sealed
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


class BlockTemplate:
    """A setup with the seatings of a block: what the lines of all such blocks have in common."""

    __slots__ = ("_begin", "_middle", "_rests", "seatings", "setup")

    def __init__(self, setup: GameSetup, seatings: tuple[tuple[str, ...], ...]) -> None:
        """The template of blocks with this setup and these seatings."""
        self.setup = setup
        self.seatings = seatings
        options = orjson.dumps(setup.options).decode()
        self._begin = f'{{"match":"{setup.game}-'
        self._middle = f'","game":"{setup.game}","options":{options},"block":'
        self._rests = [
            (b"%d" % i, b'","seats":%b,"actions":"' % orjson.dumps(seats)) for i, seats in enumerate(seatings)
        ]

    def heads(self, block: Block) -> list[bytes]:
        """How the lines of a block of this template begin, up to the first action."""
        number = block.number
        begin = f"{self._begin}{number:05d}-".encode()
        middle = f'{self._middle}{number},"seed":"{block.seed:032x}'.encode()
        return [begin + i + middle + rest for i, rest in self._rests]


class ResultBatch(NamedTuple):
    """The matches of blocks that follow each other, and how they ended; of the last block perhaps not all."""

    blocks: Sequence[Block]
    templates: Sequence[BlockTemplate]
    """That of each block; blocks that are alike have the same one."""
    lines: Sequence[bytes]
    """The lines of the matches."""
    numbers: Sequence[int]
    """That of each match's ending."""
    table: Sequence[Ending]
    """The endings by their numbers. It is the same while numbers mean the same, and may grow."""

    def by_block(self) -> "Iterator[ResultBatch]":
        """The same, each block apart."""
        first = 0
        for block, template in zip(self.blocks, self.templates, strict=True):
            after = first + len(block.seatings)
            yield ResultBatch((block,), (template,), self.lines[first:after], self.numbers[first:after], self.table)
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
        self._templates: dict[tuple[int, tuple[tuple[str, ...], ...]], BlockTemplate] = {}

    def of(self, blocks: Sequence[Block], lines: Sequence[bytes]) -> ResultBatch | None:
        """How the first matches of blocks that follow each other ended, a whole line each; there must be one of each.

        None unless every line is the record of its match, in the usual form, and its seal holds.
        """
        if not are_sealed(lines):
            return None
        self._forget_if_many()
        templates = [self._template(block) for block in blocks]
        ends: list[bytes] = []
        rest = iter(lines)
        for block, template in zip(blocks, templates, strict=True):
            for head, line in zip(template.heads(block), rest, strict=False):
                if not line.startswith(head):
                    return None
                ends.append(line[line.find(_QUOTE, len(head)) : -TAIL])
        return self._ended(blocks, templates, lines, ends)

    def trusted(self, blocks: Sequence[Block], lines: Sequence[bytes]) -> ResultBatch | None:
        """The same of lines that are known to be the whole records of these matches, so that nothing of it is checked.

        None if one of them is not in the usual form.
        """
        self._forget_if_many()
        templates = [self._template(block) for block in blocks]
        # what texts hold of quotes has a backslash before it, so these come once behind the options: after the actions
        return self._ended(blocks, templates, lines, [line[line.rfind(_SCORES) : -TAIL] for line in lines])

    def _ended(
        self, blocks: Sequence[Block], templates: Sequence[BlockTemplate], lines: Sequence[bytes], ends: Sequence[bytes]
    ) -> ResultBatch | None:
        """How the matches ended whose lines have these ends."""
        numbers: list[int] = []
        rest = iter(ends)
        for template in templates:
            seats = len(template.seatings[0])
            known = self._known.setdefault(seats, {})
            for _, end in zip(template.seatings, rest, strict=False):
                number = known.get(end)
                if number is None:
                    ending = _parsed(end, seats)
                    if ending is None:
                        return None
                    number = known[end] = self._number(ending)
                numbers.append(number)
        return ResultBatch(blocks, templates, lines, numbers, self._table)

    def noted(self, block: Block, lines: Sequence[bytes], endings: Sequence[Ending]) -> ResultBatch:
        """The same of a block whose lines had to be parsed by others."""
        self._forget_if_many()
        return ResultBatch(
            (block,), (self._template(block),), lines, [self._number(each) for each in endings], self._table
        )

    def _number(self, ending: Ending) -> int:
        self._table.append(ending)
        return len(self._table) - 1

    def _forget_if_many(self) -> None:
        """Numbers everything anew once there is a lot, so that memory does not grow with the journal."""
        if len(self._table) > KNOWN or len(self._templates) > KNOWN:
            self._forget()

    def _template(self, block: Block) -> BlockTemplate:
        """The template of a block; it holds the setup, so that no other one gets that one's id."""
        key = id(block.setup), block.seatings
        template = self._templates.get(key)
        if template is None:
            template = self._templates[key] = BlockTemplate(block.setup, block.seatings)
        return template


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


def records(ended: ResultBatch) -> list[Record]:
    """The records of the matches."""
    found = []
    endings, lines = iter(ended.endings()), iter(ended.lines)
    for block, template in zip(ended.blocks, ended.templates, strict=True):
        setup, seed = block.setup, seed_text(block.seed)
        for match, head, line, ending in zip(block.matches(), template.heads(block), lines, endings, strict=False):
            actions = line[len(head) : line.index(_QUOTE, len(head))].decode()
            digest = line[_DIGEST].decode()
            found.append(
                Record(
                    match.id, setup.game, setup.options, block.number, seed, match.seats, actions,
                    ending.scores, ending.places, ending.faults, digest,
                )
            )  # fmt: skip
    return found
