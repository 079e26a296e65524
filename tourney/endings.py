"""How matches ended, read off whole lines of the journal without making records of them.

A line begins with what the schedule says of its match, and ends with how the match ended and the seal. What is between
them, the actions, need not be looked at for more than the seal. Lines that are in any way unusual are left to those
who parse them whole.
"""

from collections.abc import Sequence
from typing import TypeAlias

import msgspec
import orjson

from tourney.match import TAIL, Block, Contest, Fault, Record, is_sealed
from tourney.rng import seed_text

KNOWN = 1 << 14
"""So many different endings are kept ready, for each number of seats."""

Seatings: TypeAlias = tuple[tuple[str, ...], ...]

_QUOTE = b'"'
_SCORES = b'","scores":['
_DIGEST = slice(-35, -3)  # the digest's digits in a line


class Ending(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a match ended; the same as in its `Record`."""

    scores: tuple[int, ...]
    places: tuple[int, ...]
    faults: tuple[Fault, ...]


_decode = msgspec.json.Decoder(Ending).decode


class Endings:
    """Reads endings off lines; those that come again and again are parsed once."""

    def __init__(self) -> None:
        """Knows no ending yet."""
        self._known: dict[int, dict[bytes, Ending]] = {}
        self._contest: Contest | None = None
        self._forms: dict[Seatings, str] = {}  # of this contest

    def of(self, block: Block, lines: Sequence[bytes]) -> list[Ending] | None:
        """The endings of the block's first matches, a whole line each.

        None unless every line is the record of its match, in the usual form, and its seal holds.
        """
        seats = len(block.seatings[0])
        known = self._known.setdefault(seats, {})
        found = []
        for line, head in zip(lines, self._heads(block), strict=False):
            end = line[line.find(_QUOTE, len(head)) : -TAIL]
            ending = known.get(end) or self._parsed(end, known, seats)
            if ending is None or not line.startswith(head) or not is_sealed(line):
                return None
            found.append(ending)
        return found

    def _heads(self, block: Block) -> list[bytes]:
        """As `heads`, where the contest and the seatings are often those of an earlier block."""
        if block.contest is not self._contest or len(self._forms) > KNOWN:
            self._contest, self._forms = block.contest, {}
        form = self._forms.get(block.seatings)
        if form is None:
            form = self._forms[block.seatings] = _form(block)
        return _filled(form, block)

    def _parsed(self, end: bytes, known: dict[bytes, Ending], seats: int) -> Ending | None:
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
        if len(known) >= KNOWN:
            known.clear()
        known[end] = ending
        return ending


def heads(block: Block) -> list[bytes]:
    """How the lines of the block's matches begin, up to the first action."""
    return _filled(_form(block), block)


def _form(block: Block) -> str:
    """The heads of a block with these seatings in this contest, a line each; numbers and seed are to be filled in."""
    game = _literal(block.contest.game)
    options = _literal(orjson.dumps(block.contest.options).decode())
    return "\n".join(
        [
            f'{{"match":"{game}-%s-{i}","game":"{game}","options":{options},"block":%s,"seed":"%s",'
            f'"seats":{_literal(orjson.dumps(seats).decode())},"actions":"'
            for i, seats in enumerate(block.seatings)
        ]
    )


def _filled(form: str, block: Block) -> list[bytes]:
    filling = (f"{block.number:05d}", block.number, seed_text(block.seed)) * len(block.seatings)
    return (form % filling).encode().split(b"\n")


def _literal(text: str) -> str:
    """The text, as it stands in a form."""
    return text.replace("%", "%%")


def records(block: Block, lines: Sequence[bytes], endings: Sequence[Ending]) -> list[Record]:
    """The records of the block's first matches, of which these are lines and endings."""
    contest, seed = block.contest, seed_text(block.seed)
    found = []
    for match, line, head, ending in zip(block.matches(), lines, heads(block), endings, strict=False):
        actions = line[len(head) : line.index(_QUOTE, len(head))].decode()
        digest = line[_DIGEST].decode()
        found.append(
            Record(
                match.id, contest.game, contest.options, block.number, seed, match.seats, actions,
                ending.scores, ending.places, ending.faults, digest,
            )
        )  # fmt: skip
    return found
