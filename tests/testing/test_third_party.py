"""A distribution of somebody else, with a game and a bot: `tourney.testing` passes what is sound, and names mistakes.

The game is the one that `tourney new game` writes; each mistake is a small change of its text.
"""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections import defaultdict
from pathlib import Path

import pytest

from tourney.cli.commands import new as scaffold

RANDOM = ("from random import Random", "import itertools\nimport random\nimport time\nfrom random import Random")
GAME_MISTAKES = {
    "legal-twice": (
        "twice",
        ("return self.hands[self.seat]", "return self.hands[self.seat] + self.hands[self.seat][:1]"),
    ),
    "leaks-bids": ("leak", ("self.bids[seat : seat + 1]", "self.bids")),
    "leaks-deck": ("the view shows it", ("self.prizes[: len(self.rounds) + 1]", "self.prizes")),
    "view-of-lists": ("hand holds a list", ("seat, self.hands[seat], self", "seat, list(self.hands[seat]), self")),
    "view-thaws": ("frozen=True", ("View(View, frozen=True)", "View(View, frozen=False)")),
    "imagine-forgets": ("imagine does not fit the view", ("for bids in view.rounds for", "for bids in () for")),
    "imagine-own-bid": (
        "imagine does not fit the view of seat ",
        ("view.bid[0] if seat == view.seat else pick(state.legal(), rng)", "pick(state.legal(), rng)"),
    ),
    "imagine-luck": ("imagine depends on more than", RANDOM, ("rng.random())", "random.random())")),
    "deal-luck": (
        "the same seed and actions give another match",
        RANDOM,
        ('permutation(13, seed, "prizes")', "random.sample(range(13), 13)"),
    ),
    "deal-hash": (
        "another process plays another match",
        ("permutation(13, seed,", "permutation(13, hash(str(seed)) % 2**64,"),
    ),
    "endless": (
        "not over after 500 decisions",
        ("if card != action])", "])"),
        ("self.rounds, self.bids = (*self.rounds, self.bids), ()", "self.bids = ()"),
        ("    def imagine", "    def max_decisions(self, seats, options):\n        return 500\n\n    def imagine"),
    ),
    "same-text": ('names has "bid:0" twice', ('f"bid:{card}"', 'f"bid:{card % 12}"')),
    "copy-shares": (
        "shares something with its original",
        ("other.__dict__.update(self.__dict__)", "other.__dict__ = self.__dict__"),
    ),
    "observe-tells": ("its view shows no difference", ("    def observe", "    def anything")),
}
"""By name: the message, and the changes."""

BOT = '''"""A bot."""

import os
import random
import threading
import time

from msgspec.structs import force_setattr

SEEN = []


class Bidder:
    """Bids its highest card for a prize that is worth much."""

    games = ("one-table",)

    def start(self, facts):
        self.facts = facts

    def act(self, view, legal):
        return legal[-1] if view.prizes[-1] > 6 else legal[0]

    def end(self, outcome):
        pass
'''
ACT = "        return legal[-1] if view.prizes[-1] > 6 else legal[0]\n"
BOT_MISTAKES = {
    "illegal": ("legality: .*illegal at decision", (ACT, "        return 99\n")),
    "raises-at-the-end": ("error at decision", ("        pass\n", "        raise ValueError\n")),
    "slow": ("timeout at decision", (ACT, "        time.sleep(0.4 if len(legal) == 13 else 0)\n" + ACT)),
    "remembers": (
        "earlier matches",
        (ACT, "        SEEN.append(view)\n        return legal[len(SEEN) % len(legal)]\n"),
    ),
    "own-luck": ("randomness other than facts.rng", (ACT, "        return random.choice(legal)\n")),
    "hash": ("determinism: match", (ACT, '        return legal[hash(f"{view.prizes}") % len(legal)]\n')),
    "thread": (
        "leftovers: threads",
        (ACT, "        threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n" + ACT),
    ),
    "changes-view": ("leftovers: the view", (ACT, '        force_setattr(view, "scores", (9, 9))\n' + ACT)),
    "unknown-game": ("no such game", ('"one-table",', '"one-table", "two-tables",')),
}


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def install(site: Path, kind: str, plugins: dict[str, str]) -> None:
    """Installs a distribution with these plugins: their names, and where they are."""
    info = site / f"others_{kind}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: others-{kind}\nVersion: 1.0\n", encoding="utf-8")
    lines = [f"[tourney.{kind}]", *[f"{name} = {place}" for name, place in plugins.items()]]
    (info / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


def failures(site: Path, repository: Path) -> dict[str, str]:
    """Runs the tests of the repository where the site is installed; returns the messages of failures by file."""
    results = repository / "results.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        f"--junitxml={results}",
    ]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [*command, repository],
        cwd=repository,
        env=environment | {"PYTHONPATH": str(site)},
        capture_output=True,
        check=False,
    )
    assert results.exists(), done.stdout.decode() + done.stderr.decode()
    found = defaultdict(list)
    for case in ET.parse(results).iter("testcase"):
        told = [each.get("message", "") + (each.text or "") for each in case if each.tag in ("failure", "error")]
        found[case.get("classname", "").split(".")[0].removeprefix("test_")] += told
    return {name: "\n".join(told) for name, told in found.items()}


def game_text(tmp_path: Path, name: str, *changes: tuple[str, str]) -> str:
    """The text of a game of this name, with changes."""
    scaffold.write_game("goofspiel", tmp_path / name)
    text = (tmp_path / name / "goofspiel_game" / "__init__.py").read_text(encoding="utf-8")
    return changed(text, ('name = "goofspiel"', f'name = "{name}"'), *changes)


def unnamed(found: dict[str, str], expected: dict[str, str]) -> dict[str, str]:
    """The mistakes whose message is missing, with what was said instead."""
    return {name: found.get(name, "-") for name, told in expected.items() if not re.search(told, found.get(name, ""))}


@pytest.mark.slow
def test_the_contract_of_games_passes_a_sound_game_and_names_every_mistake(tmp_path):
    site, repository = tmp_path / "site", tmp_path / "repository"
    repository.mkdir()
    cases = {"sound": (), **{name: changes for name, (_, *changes) in GAME_MISTAKES.items()}}
    install(site, "games", {name: f"{name.replace('-', '_')}_game:GoofspielGame" for name in cases})
    for name, changes in cases.items():
        module = name.replace("-", "_")
        (site / f"{module}_game.py").write_text(game_text(tmp_path, name, *changes), encoding="utf-8")
        (repository / f"test_{module}.py").write_text(
            "from tourney.testing import GameContract\n\n\nclass TestIt(GameContract):\n"
            f'    game = "{name}"\n    deals = 1\n\n    def seat_counts(self):\n        return [2, 3]\n',
            encoding="utf-8",
        )
    found = failures(site, repository)
    assert found["sound"] == ""
    expected = {name.replace("-", "_"): told for name, (told, *_) in GAME_MISTAKES.items()}
    assert unnamed(found, expected) == {}


@pytest.mark.slow
def test_the_contract_of_bots_passes_a_sound_bot_and_names_every_mistake(tmp_path):
    site, repository = tmp_path / "site", tmp_path / "repository"
    repository.mkdir()
    cases = {"sound": (), **{name: changes for name, (_, *changes) in BOT_MISTAKES.items()}}
    install(site, "games", {"one-table": "one_table_game:GoofspielGame"})
    install(site, "bots", {name: f"{name.replace('-', '_')}_bot:Bidder" for name in cases})
    text = game_text(tmp_path, "one-table", ("seats = range(2, 6)", "seats = range(2, 3)"))
    (site / "one_table_game.py").write_text(text, encoding="utf-8")
    for name, changes in cases.items():
        module = name.replace("-", "_")
        (site / f"{module}_bot.py").write_text(changed(BOT, *changes), encoding="utf-8")
        (repository / f"test_{module}.py").write_text(
            "from tourney.testing import BotContract\n\n\nclass TestIt(BotContract):\n"
            f'    bot = "{name}"\n    games = ("one-table",)\n    limits = {{"move_ms": 200}}\n',
            encoding="utf-8",
        )
    found = failures(site, repository)
    assert found["sound"] == ""
    expected = {name.replace("-", "_"): told for name, (told, *_) in BOT_MISTAKES.items()}
    assert unnamed(found, expected) == {}
