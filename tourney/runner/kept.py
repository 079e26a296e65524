"""What was counted of a finished run, kept in its folder, so that standings need not be counted anew each time.

The file's seal is a hash over the counts, the manifest and the whole journal, which had been checked record by record
when the counts were made. While the seal holds, every record is what it was then. When it does not, or there is no such
file, nothing is kept, and whoever wants to know reads the journal, and is told what is wrong with it.
"""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from tourney import store
from tourney.config import Tournament
from tourney.stats import batches
from tourney.stats.counts import Counts

COUNTS = "counts.json"

_KIND = b"counts 1 %d %d" % (batches.LIMIT, batches.FEWEST)
"""Another one where the same matches would be counted or written differently."""
_CHUNK = 1 << 20
_SEAL_BYTES = 16
_FORM = b'{"seal":"%b","counts":%b}\n'
_BODY = slice(len(_FORM % (b"0" * 2 * _SEAL_BYTES, b"")) - len(b"}\n"), -len(b"}\n"))


def keep(path: Path, counts: Counts, matches: int) -> None:
    """Keeps what was counted of all the matches that the run has."""
    body = orjson.dumps({"matches": matches, **counts.as_data()}, default=list)
    store.write_whole(path / COUNTS, _FORM % (_seal(path, body), body))


def kept(path: Path, tournament: Tournament) -> tuple[Counts, int] | None:
    """The counts of all the run's matches, and how many these are; None where they have to be counted anew."""
    try:
        with (path / COUNTS).open("rb") as file:
            whole = file.read(store.MAX_LINE)
        body = whole[_BODY]
        if whole != _FORM % (_seal(path, body), body):
            return None
    except OSError:
        return None  # also where the journal cannot be read; who reads it next says so
    data: dict[str, Any] = orjson.loads(body)
    return Counts.of_data(tournament.names, tournament.contests, data), data["matches"]


def _seal(path: Path, body: bytes) -> bytes:
    seal = blake2b(_KIND, digest_size=_SEAL_BYTES)
    for part in (body, (path / store.MANIFEST).read_bytes()):
        seal.update(b"%d " % len(part) + part)
    with (path / store.JOURNAL).open("rb", buffering=0) as journal:
        while chunk := journal.read(_CHUNK):
            seal.update(chunk)
    return seal.hexdigest().encode()
