"""Every command on every kind of run: a result or one line, the right exit code, and nothing lost.

Commands and formats are found. An argument is filled by its name, or else by its type; a new name needs an entry
in `value`.
"""

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import orjson
import pytest

from tests.conftest import APART, apart, called, mostly_slow, tournament_text, with_code
from tests.environments import made_once
from tourney.cli.main import main
from tourney.journal import kinds
from tourney.journal.run import RunFolder
from tourney.plugins.registry import format_names

pytestmark = pytest.mark.needs("git")  # tracks have
SHORT = '[[game]]\nname = "vole"\noptions = { target = 1 }'
THREE = {"game": SHORT, "deals": "1", "bots": '["random", "first", "steady"]'}
KEYS: dict[str, dict[str, str]] = {
    "gauntlet": {"challengers": '["first"]'},
    "swiss": {"rounds": "2"},
    "ladder": {"max_matches": "30"},
    "track": {"pool": '["steady"]', "deals": "20"},
}
"""What a format wants beside the usual keys."""
BROKEN = "class Bot:\n    def act(self, view, legal):\n        raise ValueError\n"


def run_of(place: Path, name: str = "run", **keys: str) -> None:
    (place / "run.toml").write_text(tournament_text(name, **THREE | keys), encoding="utf-8")
    tourney(place, "run", "run.toml", "--out", "run", "--quiet")


def tourney(place: Path, *arguments: object, code: int = 0) -> None:
    with_code(called([*map(str, arguments)], place), code)


def make_league(place: Path, *bots: str) -> None:
    tourney(place, "league", "new", "run", "--game", "vole", "--out", "run")
    file = place / "run" / "tournament.toml"
    text = file.read_text()
    file.write_text(text.replace("deals = 4", "deals = 1").replace("[[game]]", "[[game]]\noptions.target = 1"))
    for bot in bots:
        tourney(place, "league", "submit", "run", bot, "--author", bot)


def played_league(place: Path) -> None:
    make_league(place, "first", "random")
    tourney(place, "league", "play", "run", "--matches", 12, "--quiet")


def retired(place: Path) -> None:
    played_league(place)
    for bot in ("first", "random"):
        tourney(place, "league", "retire", "run", bot)


def damaged(place: Path, name: str) -> None:
    run_of(place)
    file = place / "run" / name
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def interrupted(place: Path) -> None:
    run_of(place, deals="3")
    file = place / "run" / "journal.jsonl"
    file.write_bytes(b"".join(file.read_bytes().splitlines(keepends=True)[:7])[:-9])
    for ending in ("json", "txt"):
        (place / "run" / f"standings.{ending}").unlink()


def track(place: Path) -> None:
    def git(*words: str) -> None:
        names = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *names, *words], cwd=place, check=True, capture_output=True)

    git("init", "-q")
    for bot in ("first", "random"):
        text = f"from tourney_bots.{bot} import {bot.title()} as Bot\n"
        (place / "thief.py").write_text(text, encoding="utf-8")
        git("add", "thief.py")
        git("commit", "-qm", bot)
    keys = ("--game", "vole", "--option", "vole.target=1", "--deals", 20, "--host", "inline", "--quiet", "--out", "run")
    tourney(place, "track", "thief.py:Bot", *keys)


def analysed(place: Path) -> None:
    run_of(place)
    tourney(place, "analyse", "run", "vole-0-0", "--playouts", 4)


def person(place: Path) -> None:
    with_code(apart(place, "play", "vole", "--option", "target=1", "--seed", 3, typed="1\n" * 200))
    (place / "results" / "play-vole-1").rename(place / "run")


def faulty(place: Path) -> None:
    (place / "mine.py").write_text(BROKEN, encoding="utf-8")
    run_of(place, bots='["mine.py:Bot", "first"]')


GATE = ("first", "--against", "random", "--game", "vole", "--option", "vole.target=1", "--out", "run")
SWEEP = '[[bot]]\nname = "seer"\nsweep = { playouts = [1, 2] }'
KINDS: dict[str, Callable[[Path], None]] = {
    "league": played_league,
    "league of one bot, before its first match": lambda place: make_league(place, "first"),
    "league without bots": make_league,
    "league whose bots are retired": retired,
    "gate": lambda place: tourney(place, "gate", *GATE, "--max-deals", 4, code=3),
    "compare": lambda place: tourney(place, "compare", *(word for word in GATE if word != "--against"), "--deals", 4),
    "tracked commits": track,
    "sweep": lambda place: run_of(
        place, bots='["first"]', extra='[[bot]]\nname = "seer"\nsweep = { playouts = [1, 2] }'
    ),
    "analysis": analysed,
    "person": person,
    "faults": faulty,
    "interrupted": interrupted,
    "damaged journal": lambda place: damaged(place, "journal.jsonl"),
    "damaged manifest": lambda place: damaged(place, "manifest.json"),
    "no run": lambda place: (place / "run").mkdir(),
}
for form in format_names():
    if form not in [kind.format for kind in kinds.KINDS.values()]:
        KINDS[form] = lambda place, form=form: run_of(place, format=f'"{form}"', **KEYS.get(form, {}))


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
    """What a parameter is given: by its name, or else by its type; None if only people know what."""
    bots = [each["name"] for each in manifest(run).get("tournament", {}).get("bots", [])] or ["first"]
    by_name = {
        "run": "run", "runs": "run", "league": "run", "other": "run", "target": "run", "config": "run/tournament.toml",
        "match": "vole-0-0", "matches": "vole-0-0", "decision": "1", "address": "tcp://127.0.0.1:1", "page": "vole",
        "new": bots[0], "old": bots[-1], "one": bots[0], "bot": bots[0], "bots": "nobody", "name": bots[-1],
        "kind": "match", "games": "vole", "game": "vole", "out": "out", "extend": "run", "replace": bots[0],
        "drop": bots[0], "opponents": "steady", "field": "steady", "pool": "steady", "port": "0", "at": "2",
    }  # fmt: skip
    kind = param.type
    if param.name in by_name:
        return by_name[param.name]
    if isinstance(kind, click.Choice):
        return str(kind.choices[-1])
    if isinstance(kind, click.IntRange | click.FloatRange):
        return str(kind.min)
    assert not (isinstance(param, click.Argument) and param.required), f"{param.name}: add what it is given"
    return None


def manifest(run: Path) -> dict[str, Any]:
    try:
        read: dict[str, Any] = orjson.loads((run / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return {}
    return read


def arguments_of(command: click.Command, run: Path) -> list[str]:
    """What a command has to be given."""
    params = [param for param in command.params if isinstance(param, click.Argument) or param.required]
    base = []
    for param in params:
        if (given := value(param, run)) is not None:
            base += [given] if isinstance(param, click.Argument) else [param.opts[0], given]
    return base


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


RENEWED = ("times.json", "standings.json", "standings.txt", "report.html", "manifest.json", "history.jsonl")
"""Files that may be renewed or removed, as others make them again."""


def outcome(place: Path, name: str, words: list[str]) -> subprocess.CompletedProcess[str]:
    run = apart if name.split(maxsplit=1)[0] in APART else lambda place, *words: called([*words], place)
    return run(place, *name.split(), *words)


def holds(place: Path, name: str, words: list[str]) -> None:
    """Asserts that a command ends as it may, and keeps what is there."""
    before = files(place)
    result = outcome(place, name, words)
    said = (name, words, result.returncode, result.stdout[-500:], result.stderr[-1500:])
    assert "Traceback" not in result.stdout + result.stderr, said
    assert result.returncode in (0, 1, 2, 3, 4, 130), said
    if result.returncode in (2, 4):
        assert result.stderr.splitlines()[-1].startswith("tourney: "), said
    now = files(place)
    for file, data in before.items():
        if Path(file).name not in RENEWED and "logs" not in Path(file).parts:
            assert now.get(file, b"").startswith(data), (*said, file)


def test_each_kind_of_run_is_here(shared_folder):
    made = [made_once(shared_folder / f"kind-{name.replace(' ', '-')}", make) / "run" for name, make in KINDS.items()]
    readable = [run for run in made if manifest(run) and "damaged-manifest" not in str(run)]
    assert {RunFolder(run).kind.name for run in readable} == set(kinds.KINDS)


@pytest.mark.parametrize("name", mostly_slow(COMMANDS, "run", "schedule"))
def test_every_command_answers_on_every_kind_of_run(name, shared_folder, tmp_path):
    for kind, make in KINDS.items():
        made = made_once(shared_folder / f"kind-{kind.replace(' ', '-')}", make)
        place = Path(shutil.copytree(made, tmp_path / kind))
        holds(place, name, arguments_of(COMMANDS[name], place / "run"))
