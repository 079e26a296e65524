"""What comes of all that bots may try, in every host: the table in docs/guarantees-and-security.md."""

import re
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import BAD, ROOT, tournament_text
from tests.runner.test_local_pool import records_of
from tourney import config

HOSTS = ("inline", "process", "sandbox")
PAGE = (ROOT / "docs" / "guarantees-and-security.md").read_text(encoding="utf-8")
ROWS = re.findall(r"(?m)^\| [^|]* \| (`\w+`[^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", PAGE)
TABLE = [(name, *row) for names, *row in ROWS for name in re.findall(r"\w+", names)]
NEIGHBOUR = {"Whispers": "Listens", "LeavesFile": "FindsFile", "Stalls": "Thinks"}
NEIGHBOUR |= dict.fromkeys(("ThinksOnInThread", "ThinksOnInChild"), "Dawdles")
RAISE_WHEN_THEY_FIND = ("Peeks", "Remembers", "MarksItsStderr", "ThinksOnInThread", "ThinksOnInChild")
HANG = ("HangsAtOnce", "HangsInC", "GoesOn", "SwallowsItsEnd")
HANG_ELSEWHERE = ("HangsInStart", "LeavesHanger", "HangsWhenLetGo")
STAY = ("Forks", "ForksAndAnswersTwice")
"""Inline, these would leave processes behind, as the table says; that is not tried."""

QUICK = {"inline-many", "inline-Stalls", "process-Whispers", "sandbox-LeavesFile"}  # what takes some seconds
TOGETHER = [
    *("SaysNone", "SaysList", "SaysHuge", "SaysIllegal", "SaysLiar", "Raises", "RaisesLiar", "RaisesInFalseFile"),
    *("RaisesInStart", "RaisesInEnd", "Exits", "Recurses", "Prints", "MutatesWhatItGets"),
    *("TakesItsTime", "TakesItsBank", "OverdrawsItsBank"),
]
"""These leave nothing behind in any host, so that they can play in one worker, one after the other."""
ALONE = ["Stalls", "Allocates", *NEIGHBOUR]
"""In a process of their own, all but these do: they need another limit of time, or another opponent, or Linux."""


def groups() -> list[Any]:
    """The hosts, each with the bots of the table that play in one tournament."""
    found, names = [], [name for name, *_ in TABLE]
    assert len(names) >= 30
    for host in HOSTS:
        together = [name for name in names if (name in TOGETHER if host == "inline" else name not in ALONE)]
        alone = [name for name in names if name not in together and not (host == "inline" and name in STAY)]
        found += [(host, together), *[(host, [name]) for name in alone]]
    by_name = {f"{host}-{names[0] if len(names) == 1 else 'many'}": (host, names) for host, names in found}
    marks = {name: [] if name in QUICK else [pytest.mark.slow] for name in by_name}
    return [pytest.param(*each, id=name, marks=marks[name]) for name, each in by_name.items()]


def played(host: str, bad: list[str], good: str) -> list[dict]:
    hangs = set(bad) & {*HANG, *HANG_ELSEWHERE}
    match_s = 4 if "Stalls" in bad else 60 if host != "inline" else 2 if hangs else 4
    limit_ms = 3000 if host == "inline" and hangs else 30000
    tables = "".join([table(host, name) for name in bad])
    limits = f"start_ms = {limit_ms}\nmatch_s = {match_s}\nmemory_mb = 300"
    limits += "" if "Stalls" in bad else f"\nmove_ms = {limit_ms}"
    extra = f'[limits]\n{limits}\n{tables}[[bot]]\nname = "good"\nuse = "{BAD}:{good}"\nhost = "{host}"'
    keys = {"format": '"gauntlet"', "challengers": '["good"]', "deals": "1", "bots": "", "extra": extra}
    return records_of(config.parse(tournament_text("outcomes", **keys), Path("outcomes.toml")))


def table(host: str, bad: str) -> str:
    limits = "move_ms = 500" if bad in HANG or bad == "StopsItself" else ""
    limits += "\nstart_ms = 500" if bad == "HangsInStart" else ""
    limits += "move_ms = 2000" if bad == "TakesItsTime" else 'clock = "2s+60s"' if bad.endswith("ItsBank") else ""
    return f'[[bot]]\nname = "{bad}"\nuse = "{BAD}:{bad}"\nhost = "{host}"\n{limits}\n'


@pytest.fixture(scope="session")
def undisturbed() -> list[str]:
    return [record["actions"] for record in played("inline", ["Good"], "Good")]


def outcome(records: list[dict], bad: str, undisturbed: list[str]) -> str:
    charged = {(record["seats"][fault["seat"]], fault["kind"]) for record in records for fault in record["faults"]}
    if any([name == "good" for name, _ in charged]):
        return "not contained"
    if charged:
        ((_, kind),) = charged
        return "not contained" if bad in RAISE_WHEN_THEY_FIND and kind == "error" else f"charged: {kind}"
    return "contained" if [record["actions"] for record in records] == undisturbed else "played otherwise"


@pytest.mark.parametrize(("host", "names"), groups())
def test_it_comes_to_what_the_documentation_says(host, names, undisturbed, monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    records = played(host, names, NEIGHBOUR.get(names[0], "MindsTheWorld"))
    matches = {name: [record for record in records if name in record["seats"]] for name in names}
    expected = {name: row[HOSTS.index(host)].split(" (")[0] for name, *row in TABLE if name in names}
    assert {name: outcome(matches[name], name, undisturbed) for name in names} == expected
