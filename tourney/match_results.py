"""Results of matches, read from lines of the journal without parsing them as records.

A line begins with what the schedule says of the match and ends with the result and the seal. The actions between them
matter only to the seal. A line that is in any way unusual is left to the caller, who parses it in full.

Most results have occurred before, so each distinct one has an id, and counting results means counting ids.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import orjson

from tourney.match import TAIL, Block, Fault, GameSetup, Places, Record, Scores, are_sealed, result_problem
from tourney.rng import seed_text

MAX_DISTINCT = 1 << 14
"""How many distinct results a reader remembers before it starts afresh."""

_QUOTE = b'"'
_HEX = re.compile("[0-9a-f]{32}")
_SCORES = b'","scores":['
_DIGEST = slice(-35, -3)  # the digits of the digest in a line


class MatchResult(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The result of a match; its fields are those of the match's `Record`."""

    scores: Scores
    places: Places
    faults: tuple[Fault, ...]


_decode = msgspec.json.Decoder(MatchResult).decode


class BlockTemplate:
    """What the journal lines of all blocks with the same setup and seatings have in common."""

    __slots__ = ("_begin", "_middle", "_rests", "seatings", "setup")

    def __init__(self, setup: GameSetup, seatings: tuple[tuple[str, ...], ...]) -> None:
        """Makes the template of blocks with this setup and these seatings."""
        self.setup = setup
        self.seatings = seatings
        options = orjson.dumps(setup.options).decode()
        self._begin = f'{{"match":"{setup.game}-'
        self._middle = f'","game":"{setup.game}","options":{options},"block":'
        self._rests = [
            (b"%d" % i, b'","seats":%b,"actions":"' % orjson.dumps(seats)) for i, seats in enumerate(seatings)
        ]

    def heads(self, block: Block) -> list[bytes]:
        """Returns how the lines of a block of this template begin, up to the first action."""
        number = block.number
        begin = f"{self._begin}{number:05d}-".encode()
        middle = f'{self._middle}{number},"seed":"{block.seed:032x}'.encode()
        return [begin + i + middle + rest for i, rest in self._rests]


class ResultBatch(NamedTuple):
    """The results of consecutive blocks; of the last block, the first matches may be all there are."""

    blocks: Sequence[Block]
    templates: Sequence[BlockTemplate]
    """The template of each block; blocks that are alike share one."""
    lines: Sequence[bytes]
    """The lines of the matches."""
    result_ids: Sequence[int]
    """The id of each match's result."""
    distinct: Sequence[MatchResult]
    """The distinct results, by id. Batches with the same ids share this object, which may grow."""

    def by_block(self) -> "Iterator[ResultBatch]":
        """Splits the batch into one batch per block."""
        first = 0
        for block, template in zip(self.blocks, self.templates, strict=True):
            after = first + len(block.seatings)
            yield ResultBatch(
                (block,), (template,), self.lines[first:after], self.result_ids[first:after], self.distinct
            )
            first = after

    def results(self) -> list[MatchResult]:
        """Returns the result of each match."""
        return [self.distinct[i] for i in self.result_ids]

    def matches(self) -> list[tuple[int, tuple[str, ...], MatchResult]]:
        """Returns for each match the number of its block, the entrant in each seat, and the result."""
        seated = [(block.number, seats) for block in self.blocks for seats in block.seatings]
        return [(*match, self.distinct[i]) for match, i in zip(seated, self.result_ids, strict=False)]


class ResultReader:
    """Reads results from lines, and parses each distinct result only once."""

    def __init__(self) -> None:
        """Starts without a known result."""
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._distinct: list[MatchResult] = []
        self._ids: dict[int, dict[bytes, int]] = {}  # by the number of seats, then by the text of the result
        self._templates: dict[tuple[int, tuple[tuple[str, ...], ...]], BlockTemplate] = {}

    def read(self, blocks: Sequence[Block], lines: Sequence[bytes]) -> ResultBatch | None:
        """Reads the results of consecutive blocks, after verifying the lines.

        Args:
            blocks: The blocks; of the last one, lines may be lacking.
            lines: A complete line for each match, at least one for each block.

        Returns:
            The results, or None unless every line is the record of its match in the usual form and its seal holds.
        """
        if not are_sealed(lines):
            return None
        self._limit_memory()
        templates = [self._template(block) for block in blocks]
        ends: list[bytes] = []
        rest = iter(lines)
        for block, template in zip(blocks, templates, strict=True):
            for head, line in zip(template.heads(block), rest, strict=False):
                if not line.startswith(head):
                    return None
                ends.append(line[line.find(_QUOTE, len(head)) : -TAIL])
        return self._batch(blocks, templates, lines, ends)

    def read_trusted(self, blocks: Sequence[Block], lines: Sequence[bytes]) -> ResultBatch | None:
        """Reads the results of lines that are known to be the sealed records of these matches.

        Returns:
            The results, or None if a line is not in the usual form.
        """
        self._limit_memory()
        templates = [self._template(block) for block in blocks]
        # a quote inside a text has a backslash before it, so this text occurs once after the options: after the actions
        return self._batch(blocks, templates, lines, [line[line.rfind(_SCORES) : -TAIL] for line in lines])

    def add(self, block: Block, lines: Sequence[bytes], results: Sequence[MatchResult]) -> ResultBatch:
        """Returns the batch of one block whose results the caller has parsed."""
        self._limit_memory()
        return ResultBatch(
            (block,), (self._template(block),), lines, [self._new_id(each) for each in results], self._distinct
        )

    def _batch(
        self, blocks: Sequence[Block], templates: Sequence[BlockTemplate], lines: Sequence[bytes], ends: Sequence[bytes]
    ) -> ResultBatch | None:
        """Looks up or parses the results, given the text of each line from the scores to the seal."""
        found: list[int] = []
        rest = iter(ends)
        for template in templates:
            seats = len(template.seatings[0])
            ids = self._ids.setdefault(seats, {})
            for _, end in zip(template.seatings, rest, strict=False):
                known = ids.get(end)
                if known is None:
                    result = _parsed(end, seats)
                    if result is None:
                        return None
                    known = ids[end] = self._new_id(result)
                found.append(known)
        return ResultBatch(blocks, templates, lines, found, self._distinct)

    def _new_id(self, result: MatchResult) -> int:
        self._distinct.append(result)
        return len(self._distinct) - 1

    def _limit_memory(self) -> None:
        """Starts afresh once there are many results, so that memory does not grow with the journal."""
        if len(self._distinct) > MAX_DISTINCT or len(self._templates) > MAX_DISTINCT:
            self._start_afresh()

    def _template(self, block: Block) -> BlockTemplate:
        """Returns the template of a block; it refers to the setup, so that the setup's id stays in use."""
        key = id(block.setup), block.seatings
        template = self._templates.get(key)
        if template is None:
            template = self._templates[key] = BlockTemplate(block.setup, block.seatings)
        return template


def _parsed(end: bytes, seats: int) -> MatchResult | None:
    """Parses the text of a result, or returns None if it is not one of a match with that many seats."""
    if not end.startswith(_SCORES):
        return None
    try:
        result = _decode(b"{" + end[2:] + b"}")
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    return result if result_problem(seats, result.scores, result.places, result.faults) is None else None


def records(batch: ResultBatch) -> list[Record] | None:
    """Returns the records of the matches in a batch; None if one has unusual actions or an unusual digest."""
    found = []
    results, lines = iter(batch.results()), iter(batch.lines)
    for block, template in zip(batch.blocks, batch.templates, strict=True):
        setup, seed = block.setup, seed_text(block.seed)
        for match, head, line, result in zip(block.matches(), template.heads(block), lines, results, strict=False):
            actions = line[len(head) : line.index(_QUOTE, len(head))].decode(errors="replace")
            digest = line[_DIGEST].decode(errors="replace")
            if not actions.isprintable() or "\\" in actions or "\ufffd" in actions or not _HEX.fullmatch(digest):
                return None
            found.append(
                Record(
                    match.id, setup.game, setup.options, block.number, seed, match.seats, actions,
                    result.scores, result.places, result.faults, digest,
                )
            )  # fmt: skip
    return found


def decision_counts(batch: ResultBatch) -> list[int]:
    """Returns how many decisions each match in a batch has."""
    found = []
    lines = iter(batch.lines)
    for block, template in zip(batch.blocks, batch.templates, strict=True):
        for head, line in zip(template.heads(block), lines, strict=False):
            first, after = len(head), line.index(_QUOTE, len(head))
            found.append(line.count(b" ", first, after) + (after > first))
    return found
