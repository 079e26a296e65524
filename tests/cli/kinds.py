"""A small run of each kind, in each state that a folder can be in, for tests that ask something of all of them.

Formats are found, so a new one has its run here. Tracks need git, and so do tests that make all of these.
"""

from collections.abc import Callable
from pathlib import Path

from tests.conftest import apart, called, commit, tournament_text, with_code
from tests.environments import made_once
from tourney.journal import kinds
from tourney.plugins.registry import format_names

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
    for bot in ("first", "random"):
        commit(place, {"thief.py": f"from tourney_bots.{bot} import {bot.title()} as Bot\n"}, bot)
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


def check(place: Path) -> None:
    with_code(apart(place, "check", "first", "--game", "vole"))
    (place / "results" / "check-first").rename(place / "run")


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
    "check": check,
    "sweep": lambda place: run_of(place, bots='["first"]', extra=SWEEP),
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


def made(shared_folder: Path, name: str) -> Path:
    """The folder with the `run` of this name, which no test may change."""
    return made_once(shared_folder / f"kind-{name.replace(' ', '-')}", KINDS[name])
