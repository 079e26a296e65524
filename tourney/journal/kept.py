"""What was counted of a league's journal is kept beside it, so that the standings of a large one need not read it.

It holds as long as the journal, which only grows, has the size that it had then; else it is ignored.
"""

from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

import msgspec

from tourney.base.errors import WriteError
from tourney.journal import folder
from tourney.journal.reader import length
from tourney.plugins.entry_points import own_version
from tourney.schedule.league import League, Position
from tourney.standings.counts import KeptCounts, OutcomeCounts

KEPT = "counts.bin"
_SEAL_BYTES = 16


class _Kept(msgspec.Struct, array_like=True):
    """The file."""

    tourney: str
    """The version that has written it."""
    size: int
    """Of the journal."""
    matches: int
    counts: KeptCounts
    position: Position


def keep(league: Path, matches: int, counts: OutcomeCounts, plan: League) -> None:
    """Keeps what was counted of the whole journal."""
    data = msgspec.msgpack.encode(_Kept(own_version(), length(league), matches, counts.kept(), plan.position()))
    with suppress(WriteError):  # it only saves time
        folder.write_atomically(league / KEPT, blake2b(data, digest_size=_SEAL_BYTES).digest() + data)


def kept(league: Path, counts: OutcomeCounts, plan: League) -> int | None:
    """Takes into the counts, which are empty, and into the schedule what was kept; returns the number of matches.

    Returns None, and changes nothing, if nothing was kept that holds still.
    """
    try:
        data = (league / KEPT).read_bytes()
        if data[:_SEAL_BYTES] != blake2b(data[_SEAL_BYTES:], digest_size=_SEAL_BYTES).digest():
            return None
        found = msgspec.msgpack.decode(data[_SEAL_BYTES:], type=_Kept)
    except (OSError, msgspec.DecodeError):
        return None
    if (found.tourney, found.size) != (own_version(), length(league)):
        return None
    counts.take(found.counts)
    plan.place(found.position)
    return found.matches
