"""Tournaments of odd shapes and their reports, for tests in a browser: each made once, whichever worker needs it."""

from pathlib import Path

from tests import preloaded
from tests.conftest import tournament_text

HEBREW = "\u05d0\u05dc\u05d5\u05e4"
ARABIC = "\u0628\u0637\u0644-2"
SHOUTER = """
class Shouter:
    def act(self, view, legal):
        raise ValueError
"""
LONG = "a-name-as-long-as-names-of-bots-may-be-which-is-sixty-signs."


def entrants(names: list[str], use: str = "random") -> str:
    """Returns the part of a tournament file with these bots, all of which play alike."""
    return "".join([f'\n[[bot]]\nname = "{name}"\nuse = "{use}"\n' for name in names])


GAMES = {
    ("vole", 2): "target = 4",
    ("voleur", 4): "max_rounds = 2",
    ("leon", 4): "max_cards = 3",
    ("bang", 3): "max_turns = 60",
    ("cold-blooded", 5): "target = 1",
}
FIVE_GAMES = "".join(
    [f'[[game]]\nname = "{name}"\nseats = {seats}\noptions = {{ {keys} }}\n' for (name, seats), keys in GAMES.items()]
)

TOURNAMENTS = {
    "thirty bots": tournament_text(
        "thirty-bots",
        bots="",
        deals="1",
        game="",
        extra=entrants([f"bot-{number:02}" for number in range(1, 30)] + [LONG])
        + '[[game]]\nname = "vole"\noptions = { target = 2 }',
    ),
    "ten seats": tournament_text(
        "ten-seats",
        bots="",
        deals="1",
        game="",
        extra=entrants([f"bot-{number}" for number in range(9)] + [LONG]) + '[[game]]\nname = "leon"\nseats = 10\n',
    ),
    "five games": tournament_text("five-games", deals="1", game="", extra=entrants(["b", "c"]) + FIVE_GAMES),
    "names from right to left": tournament_text(
        "right-to-left",
        bots=f'["{HEBREW}.py:Shouter"]',
        deals="2",
        game="",
        extra=entrants([ARABIC, LONG]) + '[[game]]\nname = "vole"\noptions = { target = 2 }',
    ),
}


def tourney(folder: Path, *arguments: object) -> None:
    """Runs a command in a folder, and fails if it does."""
    done = preloaded.run(arguments, folder)
    assert done.returncode == 0, done.stderr


def play(folder: Path, kind: str) -> None:
    """Plays a tournament in the folder, and makes a report of it."""
    (folder / f"{HEBREW}.py").write_text(SHOUTER, encoding="utf-8")
    (folder / "tournament.toml").write_text(TOURNAMENTS[kind], encoding="utf-8")
    tourney(folder, "run", "tournament.toml", "--out", "run", "--quiet")
    tourney(folder, "report", "run", "--out", "report.html")
