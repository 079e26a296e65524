"""What was counted of a finished run, kept in its folder, so that standings need not be counted anew each time.

The file's seal is a hash over the counts, the manifest and the whole journal, whose records had been checked one by one
when the counts were made, or were counted as they were written. While the seal holds, every record is what it was then.
When it does not, or there is no such file, nothing is kept, and whoever wants to know reads the journal, and is told
what is wrong with it.
"""

from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from tourney.config import Tournament
from tourney.errors import RunError
from tourney.journal import folder
from tourney.stats import block_batches
from tourney.stats.outcome_counts import Counts

COUNTS = "counts.json"

_KIND = b"counts 1 %d %d" % (block_batches.LIMIT, block_batches.FEWEST)
"""Another one where the same matches would be counted or written differently."""
_CHUNK = 1 << 20
_SEAL_BYTES = 16
_FORM = b'{"seal":"%b","counts":%b}\n'
"""The whole file: the seal, and what it is over."""
_BODY = slice(len(_FORM % (b"0" * 2 * _SEAL_BYTES, b"")) - len(b"}\n"), -len(b"}\n"))


def empty_fingerprint(path: Path) -> blake2b:
    """A hash over the manifest, to go on with over the journal; a `RunError` if there is none."""
    try:
        return blake2b((path / folder.MANIFEST).read_bytes() + b"\0")
    except OSError as error:
        raise _unreadable(error) from None


def fingerprint(path: Path) -> bytes:
    """A hash over the manifest and the journal as they are now; a `RunError` if they cannot be read."""
    found = empty_fingerprint(path)
    try:
        with (path / folder.JOURNAL).open("rb", buffering=0) as journal:
            while chunk := journal.read(_CHUNK):
                found.update(chunk)
    except OSError as error:
        raise _unreadable(error) from None
    return found.digest()


def _unreadable(error: OSError) -> RunError:
    return RunError(f"{error.filename}: {error.strerror}; is this the folder of a run?")


def keep(path: Path, run: bytes, counts: Counts, matches: int) -> None:
    """Keeps what was counted of all the matches of the run, and the fingerprint of the run that was counted.

    Should somebody have changed the journal meanwhile, its fingerprint is another one by now, and nothing is believed.
    """
    body = orjson.dumps({"matches": matches, **counts.as_data()}, default=list)
    folder.write_whole(path / COUNTS, _FORM % (_seal(run, body), body))


def kept(path: Path, tournament: Tournament) -> tuple[Counts, int] | None:
    """The counts of all the run's matches, and how many these are; None where they have to be counted anew."""
    try:
        with (path / COUNTS).open("rb") as file:
            whole = file.read(folder.MAX_LINE)
        body = whole[_BODY]
        if whole != _FORM % (_seal(fingerprint(path), body), body):
            return None
    except (OSError, RunError):
        return None  # also where the journal cannot be read; who reads it next says so
    data: dict[str, Any] = orjson.loads(body)
    return Counts.of_data(tournament.names, tournament.setups, data), data["matches"]


def _seal(run: bytes, body: bytes) -> bytes:
    return blake2b(_KIND + run + body, digest_size=_SEAL_BYTES).hexdigest().encode()
