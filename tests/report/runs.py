"""Runs that the tests of reports look at, played once for all of them."""

import shutil
from itertools import cycle

from tests.cli.runs import cut
from tests.conftest import BAD, ROOT, called, tournament_text
from tourney import config
from tourney.journal.events import Event, EventLog
from tourney.runner import league as leagues

ARABIC = "بوت"  # a name that is written from right to left
LONG = "a-bot-with-a-name-that-is-much-longer-than-any-column-can-be"
USES = {"raises": "bots.py:RaisesLater", "illegal": "bots.py:SaysIllegal", ARABIC: "random", LONG: "first"}
FAULTY = "\n".join([f'[[bot]]\nname = "{name}"\nuse = "{use}"' for name, use in USES.items()])


def more_bots(count):
    """Returns further bots beside the usual three, up to that many."""
    uses = zip(range(3, count), cycle(("random", "steady", "first")))
    return "\n".join([f'[[bot]]\nname = "{use}-{i}"\nuse = "{use}"' for i, use in uses])


FIVE_GAMES = (ROOT / "configs" / "all.toml").read_text(encoding="utf-8").replace("deals = 20", "deals = 1")
TEXTS = {
    "small": tournament_text("small", deals="12", seed="5"),
    "faulty": tournament_text("faulty", deals="6", bots='["steady"]', extra=FAULTY),
    "hopeless": tournament_text("hopeless", deals="3", bots="[]", extra="\n".join(FAULTY.split("\n")[:6])),
    "single": tournament_text("single", deals="1"),
    "all": FIVE_GAMES,
    "swiss": tournament_text("swiss", format='"swiss"', rounds="2", deals="3"),
    "cup": tournament_text("cup", format='"knockout"', deals="3"),
    "thirty": tournament_text("thirty", deals="2", extra=more_bots(30)),
}
"""The tournament files, by name."""


def play(folder, *names, **more):
    """Plays runs into folders of their names, and returns the folder; `more` are further tournament files by name."""
    for file in (BAD, ROOT / "tests" / "standings" / "coverage_bots.py"):
        shutil.copy(file, folder)
    for name, text in ({name: TEXTS[name] for name in names} | more).items():
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
        done = called(["run", f"{name}.toml", "--out", name, "--quiet"], folder)
        assert done.returncode == 0, done.stderr
    return folder


def begun(run, matches, name):
    copy = run.with_name(name)
    shutil.copytree(run, copy)
    for file in ("standings.json", "standings.txt", "times.json"):
        (copy / file).unlink(missing_ok=True)
    cut(copy, matches)
    return copy


def entered(path, *bots, author=""):
    """Has bots NAME@VERSION enter a league unchecked, each the installed one of its name or of `=USE`."""
    if not path.exists():
        leagues.begin(path, leagues.tournament_text(path.name, ["vole"], "order", None, "5"))
    with EventLog(path) as log:
        for name, _, use in [bot.partition("=") for bot in bots]:
            table = {"name": name, "use": use or name.partition("@")[0]}
            found = config.all_fingerprints([config.Entrant(name, table["use"], {})], path)[name]
            known = {"table": table, "sha256": found.sha256, "version": found.version, "author": author}
            log.add(Event("submitted", log.next_block, leagues.now(), name, **known))
            log.add(Event("entered", log.next_block, leagues.now(), name))
    return path


def league(path, matches, *bots, author=""):
    """Has bots enter a league, and plays it."""
    entered(path, *bots, author=author)
    done = called(["league", "play", str(path), "--matches", str(matches), "--quiet"], path.parent)
    assert done.returncode == 0, done.stderr
    return path
