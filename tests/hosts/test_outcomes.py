"""What comes of all that bots may try, in every host: the lines of the table in docs/hosts.md."""

import re
import tempfile
from pathlib import Path

import orjson
import pytest

from tests.conftest import BAD, ROOT
from tests.hosts import machine
from tests.runner.test_local_pool import local_pool
from tourney import config
from tourney.schedule.base import schedule

HOSTS = ("inline", "process", "sandbox")
TABLE = re.findall(
    r"^\| [^|]* \| `(\w+)` \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$",
    (ROOT / "docs" / "hosts.md").read_text(encoding="utf-8"),
    re.MULTILINE,
)
CASES = [(name, host, expected) for name, *row in TABLE for host, expected in zip(HOSTS, row, strict=True)]
NEIGHBOUR = {
    "Whispers": "Listens",
    "LeavesFile": "FindsFile",
    "ThinksOnInThread": "Dawdles",
    "ThinksOnInChild": "Dawdles",
    "Stalls": "Thinks",
}
RAISE_WHEN_THEY_FIND = (
    "Peeks",
    "Remembers",
    "MarksItsStderr",
    "MarksItsParent",
    "ThinksOnInThread",
    "ThinksOnInChild",
)
HANG = ("HangsAtOnce", "HangsInC", "GoesOn", "SwallowsItsEnd")
HANG_ELSEWHERE = ("HangsInStart", "LeavesHanger", "HangsWhenLetGo")
STAY = ("Forks", "ForksAndAnswersTwice")
"""Inline, these would leave processes behind, as the table says; that is not tried."""


def played(host: str, bad: str, good: str) -> list[dict]:
    """The records of matches of a bad bot against a good one, played by workers."""
    match_s = 4 if bad == "Stalls" else 60 if host != "inline" else 2 if bad in (*HANG, *HANG_ELSEWHERE) else 4
    limit_ms = 3000 if host == "inline" and bad in (*HANG, *HANG_ELSEWHERE) else 30000
    text = f"""
name = "outcomes"
seed = 3
deals = 1
[limits]
{"" if bad == "Stalls" else f"move_ms = {limit_ms}"}
start_ms = {limit_ms}
match_s = {match_s}
memory_mb = 300
[[bot]]
name = "bad"
use = "{BAD}:{bad}"
host = "{host}"
{"move_ms = 500" if bad in HANG or (bad, host) == ("StopsItself", "inline") else ""}
{"start_ms = 500" if bad == "HangsInStart" else ""}
[[bot]]
name = "good"
use = "{BAD}:{good}"
host = "{host}"
[[game]]
name = "vole"
options = {{ target = 6 }}
"""
    chosen = config.parse(text, Path("outcomes.toml"))
    with local_pool(chosen, 1) as pool:
        lines = b"".join([done.lines for done in pool.play(schedule(chosen).blocks()) if done is not None])
    return [orjson.loads(line) for line in lines.splitlines()]


@pytest.fixture(scope="session")
def undisturbed() -> list[str]:
    """The actions where nobody does anything bad."""
    return [record["actions"] for record in played("inline", "Good", "Good")]


def outcome(records: list[dict], bad: str, undisturbed: list[str]) -> str:
    """What came of the matches, in the words of the table."""
    charged = {(record["seats"][fault["seat"]], fault["kind"]) for record in records for fault in record["faults"]}
    if any([name == "good" for name, _ in charged]):
        return "not contained"
    if charged:
        ((_, kind),) = charged
        return "not contained" if bad in RAISE_WHEN_THEY_FIND and kind == "error" else f"charged: {kind}"
    assert [record["actions"] for record in records] == undisturbed
    return "contained"


@pytest.mark.slow
@pytest.mark.parametrize(("name", "host", "expected"), CASES, ids=[f"{name}-{host}" for name, host, _ in CASES])
def test_it_comes_to_what_the_documentation_says(name, host, expected, undisturbed, monkeypatch, tmp_path):
    if host == "inline" and name in STAY:
        pytest.skip("it would leave processes behind")
    if host == "sandbox":
        machine.need_any()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert (
        outcome(played(host, name, NEIGHBOUR.get(name, "MindsTheWorld")), name, undisturbed) == expected.split(" (")[0]
    )


def test_the_table_is_read():
    assert len(TABLE) >= 30
