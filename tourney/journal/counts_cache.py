"""The counts of a finished run, saved in its folder so that its standings can be shown without reading the journal.

The seal of the file is a hash over the counts, the manifest and the whole journal. When the counts were made, each
record had been verified, or was counted as it was written; so as long as the seal holds, every record is sound. If it
does not hold, or there is no file, the caller reads the journal, which tells what is wrong with it.
"""

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from zlib import crc32

import msgspec
import orjson

from tourney import regular_files
from tourney.config import Tournament
from tourney.errors import RunError
from tourney.journal import folder
from tourney.journal.reader import MAX_LINE
from tourney.stats import deal_batches
from tourney.stats.counts_data import CountsData
from tourney.stats.outcome_counts import OutcomeCounts

COUNTS = "counts.json"

_VERSION = b"counts 2 %d" % deal_batches.MAX_BATCHES
"""Part of the seal; it changes when the same matches would be counted or written differently."""
_decode = msgspec.json.Decoder(CountsData).decode
_CHUNK = 1 << 20
_SEAL_BYTES = 16
_FORMAT = b'{"seal":"%b","counts":%b}\n'
"""The content of the file: the seal, and the counts that it protects."""
_BODY = slice(len(_FORMAT % (b"0" * 2 * _SEAL_BYTES, b"")) - len(b"}\n"), -len(b"}\n"))


def manifest_hash(run: Path) -> blake2b:
    """Returns the hash of a run's manifest, to be updated with its journal.

    Raises:
        RunError: The manifest cannot be read.
    """
    try:
        return blake2b(regular_files.read(run / folder.MANIFEST, folder.MAX_MANIFEST) + b"\0")
    except OSError as error:
        raise _unreadable(error) from None


def run_digest(run: Path) -> bytes:
    """Returns the hash of a run's manifest and journal as they are now.

    Raises:
        RunError: One of them cannot be read.
    """
    found = manifest_hash(run)
    for chunk in _chunks(run):
        found.update(chunk)
    return found.digest()


def journal_checksum(run: Path) -> int:
    """Returns the checksum (CRC-32) of a run's journal as it is now.

    Raises:
        RunError: It cannot be read.
    """
    found = 0
    for chunk in _chunks(run):
        found = crc32(chunk, found)
    return found


def _chunks(run: Path) -> Iterator[bytes]:
    """Yields the content of a run's journal, piece by piece; raises a `RunError` if it cannot be read."""
    try:
        with regular_files.open_binary(run / folder.JOURNAL, buffering=0) as journal:
            while chunk := journal.read(_CHUNK):
                yield chunk
    except OSError as error:
        raise _unreadable(error) from None


def _unreadable(error: OSError) -> RunError:
    return RunError(f"{error.filename}: {error.strerror}; is this the folder of a run?")


def save(run: Path, digest: bytes, counts: OutcomeCounts, matches: int) -> None:
    """Saves the counts of a run.

    Args:
        run: The folder of the run.
        digest: The run's digest when it was counted. If the journal was changed meanwhile, the counts are not used.
        counts: The counts of all matches.
        matches: How many matches these are.

    Raises:
        WriteError: The file cannot be written.
    """
    body = orjson.dumps({"matches": matches, **counts.as_data()}, default=list)
    folder.write_atomically(run / COUNTS, _FORMAT % (_seal(digest, body), body))


def load(run: Path, tournament: Tournament) -> tuple[OutcomeCounts, int] | None:
    """Loads the counts of all matches of a run, and how many matches these are; None if they must be counted."""
    try:
        content = regular_files.read(run / COUNTS, MAX_LINE)
        body = content[_BODY]
        if content != _FORMAT % (_seal(run_digest(run), body), body):
            return None
    except (OSError, RunError):
        return None  # if the journal cannot be read, reading it to count says so
    try:
        data = _decode(body)
        return OutcomeCounts.from_data(tournament.names, tournament.setups, data), data.matches
    except (msgspec.DecodeError, ValueError):
        return None  # somebody has written other counts, and computed the seal anew


def _seal(digest: bytes, body: bytes) -> bytes:
    return blake2b(_VERSION + digest + body, digest_size=_SEAL_BYTES).hexdigest().encode()
