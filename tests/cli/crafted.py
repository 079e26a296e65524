"""Records and counts as somebody could make them who knows how seals are computed."""

from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Any

import orjson

from tourney.journal import counts_cache, folder

Record = dict[str, Any]


def sealed(record: Record) -> bytes:
    """Returns a record as a line of a journal whose seal holds."""
    trace = str(record["digest"])[:16].ljust(16, "0")
    head = orjson.dumps({key: value for key, value in record.items() if key != "digest"})[:-1]
    return resealed(head + f',"digest":"{trace}{16 * "0"}"}}\n'.encode())


def resealed(line: bytes) -> bytes:
    """Returns a line of a journal with the seal that its bytes should have."""
    head, trace = line[: -len(',"digest":""}\n') - 32], line[-35:-19]
    return head + b',"digest":"' + trace + blake2b(head + trace, digest_size=8).hexdigest().encode() + b'"}\n'


def save_counts(run: Path, body: bytes) -> None:
    """Saves counts of a run with the seal that they should have."""
    seal = blake2b(counts_cache._VERSION + counts_cache.run_digest(run) + body, digest_size=16).hexdigest()
    (run / counts_cache.COUNTS).write_bytes(b'{"seal":"' + seal.encode() + b'","counts":' + body + b"}\n")


def deep(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def _charged(record: Record, **keys: Any) -> Record:
    fault = {"seat": 0, "kind": "error", "decision": 1, "answer": None, "detail": "x"} | keys
    return record | {"faults": [fault]}


RECORDS: dict[str, Callable[[Record], Record]] = {
    "no scores": lambda record: record | {"scores": []},
    "no scores and no places": lambda record: record | {"scores": [], "places": []},
    "a score too many": lambda record: record | {"scores": [1, 2, 3]},
    "nobody in the seats": lambda record: record | {"seats": [], "scores": [], "places": []},
    "a fault of seat 99": lambda record: _charged(record, seat=99),
    "a fault of seat -1": lambda record: _charged(record, seat=-1),
    "a fault at decision -1": lambda record: _charged(record, decision=-1),
    "a fault of an unknown kind": lambda record: _charged(record, kind="odd"),
    "two faults of a seat": lambda record: record | {"faults": 2 * _charged(record)["faults"]},
    "a negative seed": lambda record: record | {"seed": f"-{record['seed'][1:]}"},
    "a long seed": lambda record: record | {"seed": record["seed"] + "0"},
    "a seed of thousands of digits": lambda record: record | {"seed": 5000 * "f"},
    "a seed that is no number": lambda record: record | {"seed": 32 * "x"},
    "a negative block": lambda record: record | {"block": -1},
    "a block of twenty digits": lambda record: record | {"block": 2**64 - 1},
    "an unknown bot": lambda record: record | {"seats": ["nobody", record["seats"][1]]},
    "a bot that is no text": lambda record: record | {"seats": [1, record["seats"][1]]},
    "place 0": lambda record: record | {"places": [0, 1]},
    "a place beyond the last": lambda record: record | {"places": [1, 9]},
    "nobody is first": lambda record: record | {"places": [2, 2]},
    "a score that is no number": lambda record: record | {"scores": ["1", "2"]},
    "a score of twenty digits": lambda record: record | {"scores": [2**64 - 1, 0]},
    "a score with a fraction": lambda record: record | {"scores": [1.5, 2]},
    "no text for actions": lambda record: record | {"actions": 7},
    "options without end": lambda record: record | {"options": deep(200)},
    "another game": lambda record: record | {"game": "vol"},
    "a key too many": lambda record: record | {"more": 1},
    "a key too few": lambda record: {key: value for key, value in record.items() if key != "places"},
}
"""Changes to a record that no match has."""

LINES: dict[str, Callable[[bytes], bytes]] = {
    "bytes that are no text": lambda line: line.replace(b'"actions":"', b'"actions":"\xff\xfe', 1),
    "control characters in the actions": lambda line: line.replace(b'"actions":"', b'"actions":"\x1b[2J ', 1),
    "a hash that is none": lambda line: line[:-35] + b"\xff" * 16 + line[-19:],
    "scores of thousands of digits": lambda line: line.replace(b'"scores":[', b'"scores":[' + 5000 * b"9", 1),
    "scores of a hundred digits": lambda line: line.replace(b'"scores":[', b'"scores":[' + 100 * b"9", 1),
    "another value under the same key": lambda line: line.replace(b'"faults":', b'"scores":[7,7],"faults":', 1),
}
"""Changes to a line that leave no record of a match."""

COUNTS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "a list": lambda counts: [],
    "nothing": lambda counts: {},
    "no matches": lambda counts: counts | {"matches": 0},
    "a text for matches": lambda counts: counts | {"matches": "1"},
    "one row of scores too few": lambda counts: counts | {"scores": counts["scores"][1:]},
    "one score too few": lambda counts: counts | {"scores": [row[1:] for row in counts["scores"]]},
    "scores that are no numbers": lambda counts: counts | {"scores": [["x"] * len(row) for row in counts["scores"]]},
    "scores of thousands of digits": lambda counts: (
        counts | {"scores": [[5000 * "9"] * len(row) for row in counts["scores"]]}
    ),
    "negative faults": lambda counts: counts | {"faults": [[-1] * len(row) for row in counts["faults"]]},
    "nobody put out": lambda counts: counts | {"out": {"nobody": 1}},
    "seats of nobody": lambda counts: counts | {"seatings": [[0, []] for _ in counts["seatings"]]},
    "a seat of the last but one": lambda counts: counts | {"seatings": [[0, [-1, 0]], *counts["seatings"][1:]]},
    "a seat of bot 99": lambda counts: counts | {"seatings": [[0, [99, 0]], *counts["seatings"][1:]]},
    "game 99": lambda counts: counts | {"seatings": [[99, [0, 1]], *counts["seatings"][1:]]},
    "the same seating twice": lambda counts: counts | {"seatings": counts["seatings"] + counts["seatings"][:1]},
    "places that are none": lambda counts: counts | {"places": [[0, 0] for _ in counts["places"]]},
    "places of nobody": lambda counts: counts | {"places": [[] for _ in counts["places"]]},
    "a code of no seating": lambda counts: counts | {"batches": [[[2**60], [counts["matches"]]]]},
    "a code that is negative": lambda counts: counts | {"batches": [[[-1], [counts["matches"]]]]},
    "a code without a number": lambda counts: counts | {"batches": [[[0], []]]},
    "batches without end": lambda counts: counts | {"batches": deep(200)},
    "numbers beyond 64 bits": lambda counts: counts | {"batches": [[[0], [2**63]]]},
}
"""Changes to counts that no run of two games or fewer has."""


def read_counts(run: Path) -> dict[str, Any]:
    """Returns the counts that were saved of a run."""
    counts: dict[str, Any] = orjson.loads((run / counts_cache.COUNTS).read_bytes())["counts"]
    return counts


def lines_of(run: Path) -> list[bytes]:
    """Returns the lines of a run's journal."""
    return (run / folder.JOURNAL).read_bytes().splitlines(keepends=True)
