"""Every command on every kind of run: a result or one line, the right exit code, and nothing lost.

Commands and formats are found. An argument is filled by its name, or else by its type; a new name needs an entry
in `value`.
"""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import product, takewhile
from pathlib import Path
from typing import Any

import click
import orjson
import pytest

from tests.cli.kinds import KEYS, KINDS, made, make_league, run_of, tourney
from tests.cli.runs import contents
from tests.conftest import APART, apart, called, mostly_slow
from tests.environments import made_once
from tourney.cli.main import main
from tourney.journal import kinds
from tourney.journal.events import BOTS
from tourney.journal.run import RunFolder

pytestmark = pytest.mark.needs("git")  # tracks have


def found(command: click.Command, *words: str) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            yield from found(command.get_command(context, name), *words, name)
    else:
        yield words, command


GIVEN = {"run", "runs", "league", "config"}
COMMANDS = {" ".join(words): each for words, each in found(main) if GIVEN & {param.name for param in each.params[:1]}}
"""The commands that are given a run, or its file."""


def value(param: click.Parameter, run: Path) -> str | None:
    """What a parameter is given, by its type or by its name; None if only people know what."""
    kind = param.type
    if isinstance(kind, click.Choice):
        return str(kind.choices[-1])
    if isinstance(kind, click.IntRange | click.FloatRange):
        return str(kind.min)
    bots = [each["name"] for each in manifest(run).get("tournament", {}).get("bots", [])] or ["first"]
    by_name = {
        "run": "run", "runs": "run", "league": "run", "other": "run", "target": "run", "config": "run/tournament.toml",
        "match": "vole-0-0", "matches": "vole-0-0", "decision": "1", "address": "tcp://127.0.0.1:1", "page": "vole",
        "new": bots[0], "old": bots[-1], "one": bots[0], "bot": bots[0], "bots": "nobody", "name": bots[-1],
        "kind": "match", "games": "vole", "game": "vole", "out": "out", "extend": "run", "replace": bots[0],
        "drop": bots[0], "opponents": "steady", "field": "steady", "pool": "steady", "at": "2",
        "folder": ".", "place": ".", "host": "inline", "time": "1m", "url": "https://example.org/",
    }  # fmt: skip
    given = by_name.get(param.name or "")
    assert given or not (isinstance(param, click.Argument) and param.required), f"{param.name}: add what it is given"
    return given


def manifest(run: Path) -> dict[str, Any]:
    try:
        read: dict[str, Any] = orjson.loads((run / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return read


QUICK = {"analyse": ["--playouts", "4"], "play": ["--matches", "1"]}
"""By the name of a command, options with which it takes less long."""


def arguments_of(command: click.Command, run: Path) -> list[str]:
    """What a command has to be given."""
    params = [param for param in command.params if isinstance(param, click.Argument) or param.required]
    base = [*QUICK.get(command.name or "", [])]
    for param in params:
        if (given := value(param, run)) is not None:
            base += [given] if isinstance(param, click.Argument) else [param.opts[0], given]
    return base


RENEWED = ("times.json", "standings.json", "standings.txt", "report.html", "manifest.json", "history.jsonl")
"""Files that may be renewed or removed, as others make them again."""


OPENED: list[Counter[str]] = []
"""Holds, while a command is called, how often it has opened each file to read it."""


def hear(event: str, arguments: tuple[Any, ...]) -> None:
    if OPENED and event == "open":
        path, _, flags = arguments
        if isinstance(path, str | bytes | os.PathLike) and not flags & (os.O_WRONLY | os.O_RDWR):
            OPENED[0][os.path.abspath(os.fsdecode(path))] += 1


sys.addaudithook(hear)  # which stays for as long as the process

JOURNAL, NOTES = "journal.jsonl", "notes.jsonl"
OPENED_AGAIN = {
    ("league history", JOURNAL): 1,  # its last line says which ratings are due, and mostly that none is
    # so in a league; or of a track, for the ratings; for the matches that all together choose; is it being written?
    ("report", "events.jsonl"): 1,  # --hide-after reads the run as it was
    ("report", JOURNAL): 4,  # how far a round is
    ("league play", JOURNAL): 4,  # the last matches, for bots that decide alike; how far a round is
    ("league field", JOURNAL): 2,  # how far a round is; is it being written?
    **{("matches", file): 2 for file in (JOURNAL, "manifest.json", "events.jsonl", "tournament.toml")},  # why none
    ("verify", JOURNAL): 1,  # who examines lines is told where they are, as it may be another process
    ("report", NOTES): 99,  # of which only the places of the lines are kept, until their block or match comes
    ("bundle", NOTES): 99,
    # a match that bisecting does not find is looked for once more, to say what there is
    **{(name, JOURNAL): 1 for name in ("analyse", "debug", "export", "pin", "replay")},
    ("league void", JOURNAL): 2,  # if there is no such match, the same two
    ("league submit", f"{BOTS}/.first@1"): 1,  # a folder: to lock it, and to see that it is locked
    ("league inbox", "tournament.toml"): 1,  # in each pass, as others may change it
    ("league submit", "tournament.toml"): 1,  # before the field is locked, and while it is
    # a league's file is completed by what the league was begun with
    **{(f"league {name}", "manifest.json"): 1 for name in ("inbox", "pause", "play", "restore", "retire", "submit")},
}
"""How often a command may open a file more than once, and why."""


def outcome(place: Path, name: str, words: list[str]) -> tuple[subprocess.CompletedProcess[str], Counter[str]]:
    """How a command ended, and how often it has opened each file of the run to read it, as far as that can be seen."""
    if name.split(maxsplit=1)[0] in APART:
        return apart(place, *name.split(), *words), Counter()
    OPENED.append(Counter())
    try:
        result = called([*name.split(), *words], place)
    finally:
        opened = OPENED.pop()
    run = f"{place / 'run'}{os.sep}"
    return result, Counter({file.removeprefix(run): count for file, count in opened.items() if file.startswith(run)})


def holds(place: Path, name: str, words: list[str]) -> None:
    """Asserts that a command ends as it may, keeps what is there, and opens no file again that it has read."""
    before = contents(place)
    result, opened = outcome(place, name, words)
    said = (place.name, name, words, result.returncode, result.stdout[-500:], result.stderr[-1500:])
    assert "Traceback" not in result.stdout + result.stderr, said
    assert result.returncode in (0, 1, 2, 3, 4, 130), said
    if result.returncode in (2, 4):
        assert result.stderr.splitlines()[-1].startswith("tourney: "), said
    now = contents(place)
    for file, data in before.items():
        if Path(file).name not in RENEWED and "logs" not in Path(file).parts:
            assert now.get(file, b"").startswith(data), (*said, file)
    # a run can be compared with itself, and the page of a league is made of what is there in the end
    named = sum([Path(word).parts[:1] == ("run",) for word in words]) + (name == "league play" and "--report" in words)
    for file, count in opened.items():
        recalled = 2 if (place.name, file) == ("swiss", JOURNAL) else 0  # each round's groups, where it begins
        assert count <= named + OPENED_AGAIN.get((name, file), 0) + recalled, (*said, file, count)


@pytest.mark.slow
def test_each_kind_of_run_is_here(shared_folder):
    runs = {name: made(shared_folder, name) / "run" for name in KINDS}
    readable = [run for name, run in runs.items() if manifest(run) and name != "damaged manifest"]
    assert {RunFolder(run).kind.name for run in readable} == set(kinds.KINDS)


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_answers_on_every_kind_of_run(name, shared_folder, tmp_path):
    for kind in KINDS:
        place = Path(shutil.copytree(made(shared_folder, kind), tmp_path / kind))
        holds(place, name, arguments_of(COMMANDS[name], place / "run"))


LONG = [
    "a-name-that-somebody-chose-for-a-bot-in-a-class-of-{}",
    "another-name-of-a-bot-that-is-as-long-as-it-may-be-{}",
]


def long_names(place: Path) -> None:
    """A run and a league whose bots have long names."""
    bots = [f'[[bot]]\nname = "{name.format(i)}"\nuse = "first"\n' for name in LONG for i in (1, 2)]
    run_of(place, bots="[]", extra="".join(bots), format='"swiss"', **KEYS["swiss"])
    (place / "run").rename(place / "swiss")
    make_league(place)
    for name in LONG:
        tourney(place, "league", "submit", "run", "first", "--as", name.format(1))
    tourney(place, "league", "play", "run", "--matches", 8, "--quiet")
    (place / "run").rename(place / "league")


def lines_of_tables(text: str) -> Iterator[str]:
    """The lines of tables, and those of lists of matches without a further column, but no commands to copy."""
    lines = text.splitlines()
    for i, line in enumerate(lines):
        if re.fullmatch(r"-+(  -+)+", line):
            yield from (each for each in takewhile(str.strip, lines[i - 1 :]) if " tourney " not in each)
        elif re.match(r"\w+-\d{5}-\d+  (round \d+  )?\S+ +\d+ \(", line):
            yield line


@pytest.mark.parametrize("name", mostly_slow(COMMANDS, "matches"))
def test_no_name_makes_a_table_wider_than_the_terminal(name, shared_folder, tmp_path):
    made_of_long = made_once(shared_folder / "long-names", long_names)
    command = COMMANDS[name]
    options = [param for param in command.params if isinstance(param, click.Option) and param.opts[0] != "--format"]
    kinds = [option for option in options if isinstance(option.type, click.Choice)]
    chosen = [([option.opts[0], str(each)], 60) for option in kinds for each in option.type.choices]
    for run, (words, width) in product(("swiss", "league"), [([], 80), ([], 60), *chosen]):
        place = tmp_path / f"{run}-{'-'.join(words)}-{width}"
        shutil.copytree(made_of_long / run, place / "run")
        given = [*name.split(), *arguments_of(command, place / "run"), *words]
        call = apart if given[0] in APART else lambda place, *words, **keys: called([*words], place, **keys)
        printed = call(place, *given, COLUMNS=str(width)).stdout
        assert [line for line in lines_of_tables(printed) if len(line) > width] == [], given


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_is_heeded_or_refused(name, shared_folder, tmp_path):
    command = COMMANDS[name]
    options = [param for param in command.params if isinstance(param, click.Option) and not param.required]
    options = [option for option in options if (name, option.name) != ("league inbox", "watch")]  # it has no end
    for number, (kind, option) in enumerate(product(("round-robin", "league", "gate"), options)):
        place = Path(shutil.copytree(made(shared_folder, kind), tmp_path / f"{number}"))
        given = [] if option.is_flag else [value(option, place / "run") or "1"]
        holds(place, name, [*arguments_of(command, place / "run"), option.opts[0], *given])
