"""A match as one file in JSON, to hand around: the record, its game and options, and the trace.

It is enough to replay the match where its game is installed, without the run. Reading a file proves that its record is
as it was written; `check_trace` proves that the rules that are installed here make the same match of it.
"""

from itertools import zip_longest
from pathlib import Path
from typing import Annotated, Any

import msgspec
import orjson

from tourney import entry_points, validation
from tourney.docstrings import field_docs
from tourney.errors import ConfigError, RunError
from tourney.game import Game
from tourney.journal.reader import parse_record
from tourney.match import Fault, Record, distinct_names, is_sealed
from tourney.replay import MATCH_S, trace

VERSION = 1
"""The version of the format, the key `tourney_match` of a file."""
MAX_BYTES = 256 * 1024 * 1024
"""The length of the longest file that is read, in bytes."""
DRAFT = "http://json-schema.org/draft-07/schema#"
EXPORT_AGAIN = "export it again with `tourney export`"


class TraceEvent(msgspec.Struct, frozen=True):
    """An event of a trace. Besides its kind it has the keys that docs/log-format lists."""

    kind: str
    """`match`, `deal`, `act`, `trick`, `score`, `end`, or what else the game has."""


class MatchFile(msgspec.Struct, frozen=True):
    """A match as a file. Its keys stand in this order."""

    tourney_match: Annotated[int, msgspec.Meta(ge=1)]
    """The version of this format."""
    tourney: str
    """The version of tourney that wrote the file."""
    game: str
    """The name of the game."""
    rules: str
    """The SHA-256 hash over the source of the game that the match was played with; empty if it is not known."""
    options: dict[str, Any]
    """All options of the game, defaults too."""
    seats: list[str]
    """The name of the entrant in each seat."""
    names: list[str]
    """The names of the block's entrants, each once, sorted: those in the seats, in a mirror also the other one."""
    record: Record
    """The match as its line in the journal has it."""
    trace: list[dict[str, Any]]
    """The events of the match with everything open; docs/log-format lists them."""

    @property
    def block_names(self) -> tuple[str, ...]:
        """The names of the block's entrants."""
        return tuple(self.names)


def match_file(
    record: Record, game: Game, names: tuple[str, ...] = (), rules: str = "", most_s: float = MATCH_S
) -> MatchFile:
    """Returns a match as a file holds it."""
    events = list(map(validation.plain, trace(record, game, names, most_s)))
    return MatchFile(
        VERSION,
        entry_points.own_version(),
        record.game,
        rules,
        events[0]["options"],
        list(record.seats),
        list(names or distinct_names(record.seats)),
        record,
        events,
    )


def as_json(match: MatchFile) -> str:
    """Returns the text of the file: JSON with a key a line, and an event of the trace a line."""
    data = msgspec.structs.asdict(match)
    events = data.pop("trace")
    data["record"] = orjson.Fragment(match.record.line().rstrip(b"\n"))
    lines = [f"{_text(key)}:{_text(value)}," for key, value in data.items()]
    return "\n".join(["{", *lines, '"trace":[', ",\n".join(map(_text, events)), "]}", ""])


def _text(value: Any) -> str:
    return orjson.dumps(value).decode()


def read_match_file(path: Path) -> MatchFile:
    """Reads a match from a file, and proves that its record is as it was written."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise RunError(f"{path}: cannot be read ({error.strerror}); give the file of a match") from None
    if len(content) > MAX_BYTES:
        raise RunError(f"{path}: is larger than {MAX_BYTES} bytes, and no match; give the file of a match")
    try:
        data = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise RunError(f"{path}: is not JSON ({error}), and so no match; give what `tourney export` writes") from None
    if not isinstance(data, dict) or "tourney_match" not in data:
        raise RunError(f'{path}: is no match (it has no key "tourney_match"); give what `tourney export` writes')
    version = data["tourney_match"]
    if isinstance(version, int) and version > VERSION:
        raise RunError(f"{path}: is of version {version}, and this tourney reads up to {VERSION}; install a later one")
    try:
        found = msgspec.convert(data, MatchFile)
        validation.refuse_extremes(data)
    except (msgspec.ValidationError, ConfigError) as error:
        raise RunError(f"{path}: is damaged ({error}); {EXPORT_AGAIN}") from None
    record = parse_record(found.record.line(), f"{path}: its record")
    if not is_sealed(record.line()):
        raise RunError(f"{path}: its record was changed after it was written; {EXPORT_AGAIN}")
    if (found.game, tuple(found.seats)) != (record.game, record.seats) or not set(record.seats) <= set(found.names):
        raise RunError(f"{path}: is damaged (its game or seats are not those of its record); {EXPORT_AGAIN}")
    return found


def check_trace(path: Path, match: MatchFile, game: Game, most_s: float = MATCH_S) -> None:
    """Proves that the rules that are installed make the trace of a file from its record."""
    expected = map(validation.plain, trace(match.record, game, match.block_names, most_s))
    for number, (event, found) in enumerate(zip_longest(expected, match.trace), 1):
        if event != found:
            raise RunError(
                f"{path}: event {number} of its trace is not what {match.game} makes of its record; the file was "
                f"changed, or the rules were: {EXPORT_AGAIN}, or install the version of the game that played it"
            )


def match_schema() -> dict[str, Any]:
    """Returns the JSON Schema of such files, of draft 7."""
    place = "#/definitions/"
    refs, found = msgspec.json.schema_components([MatchFile, TraceEvent], ref_template=place + "{name}")
    definitions: dict[str, Any] = msgspec.to_builtins(found)
    kinds: dict[str, type] = {"MatchFile": MatchFile, "Record": Record, "Fault": Fault, "TraceEvent": TraceEvent}
    for name, kind in kinds.items():
        definitions[name]["description"] = " ".join(definitions[name]["description"].split())
        for key, text in field_docs(kind).items():
            if key in definitions[name]["properties"]:
                definitions[name]["properties"][key]["description"] = text
    top = definitions.pop(refs[0]["$ref"].removeprefix(place))
    top["properties"]["tourney_match"]["maximum"] = VERSION
    top["properties"]["trace"]["items"] = {"$ref": f"{place}TraceEvent"}
    schema = {"$schema": DRAFT, **top, "title": "A match of tourney", "definitions": definitions}
    _common_patterns(schema)
    return schema


def schema_text() -> str:
    """Returns the JSON Schema of such files as indented JSON."""
    return orjson.dumps(match_schema(), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE).decode()


def _common_patterns(schema: Any) -> None:
    r"""Gives a schema patterns that every validator knows: `\A` and `\Z` are Python's own."""
    if isinstance(schema, dict):
        if isinstance(schema.get("pattern"), str):
            schema["pattern"] = schema["pattern"].replace(r"\A", "^").replace(r"\Z", "$")
        schema = list(schema.values())
    for item in schema if isinstance(schema, list) else ():
        _common_patterns(item)
