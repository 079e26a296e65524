"""A game and bots of somebody else: `tourney.testing` passes what is sound, and names mistakes.

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

from tourney.base.errors import GameError
from tourney.cli.commands import new as scaffold
from tourney.testing.game_check import GAME_CHECKS, check_tables, deal_checks
from tourney.testing.matches import BrokenContractError, EndlessMatchError, deal_seeds

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

HASH = ("permutation(13, seed,", "permutation(13, hash(str(seed)) % 2**64,")
"""A deal that depends on the process."""


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def game_text(tmp_path: Path, name: str, *changes: tuple[str, str]) -> str:
    """The text of a game of this name, with changes."""
    scaffold.write_game("goofspiel", tmp_path / name)
    text = (tmp_path / name / "goofspiel_game" / "__init__.py").read_text(encoding="utf-8")
    return changed(text, ('name = "goofspiel"', f'name = "{name}"'), *changes)


def complaints(game) -> list[str]:
    """What the checks of a game say of it, with two and three seats."""
    found = []
    for check, *args in [
        *[(each.on_game, game) for each in GAME_CHECKS],
        *[(check_tables, each, game, seats, {}, deal_seeds(1)) for each in deal_checks(game) for seats in (2, 3)],
    ]:
        try:
            check(*args)
        except EndlessMatchError as error:
            return [str(error)]
        except (BrokenContractError, GameError) as error:
            found.append(str(error))
    return found


@pytest.mark.parametrize("mistake", ["none", *GAME_MISTAKES])
def test_the_checks_of_games_pass_a_sound_game_and_name_every_mistake(tmp_path, mistake):
    told, *changes = GAME_MISTAKES.get(mistake, ("",))
    module: dict = {}
    exec(compile(game_text(tmp_path, "one-table", *changes), "one_table", "exec"), module)
    found = complaints(module["GoofspielGame"]())
    assert bool(found) == bool(changes)
    assert re.search(told, "\n".join(found)), found


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
    options = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", f"--junitxml={results}"]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, repository],
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


@pytest.mark.slow
def test_the_contracts_are_tests_in_the_repository_of_whoever_writes_a_game_or_a_bot(tmp_path):
    site, repository = tmp_path / "site", tmp_path / "repository"
    repository.mkdir()
    bots = {"sound": (), **{name: changes for name, (_, *changes) in BOT_MISTAKES.items()}}
    games = {"one-table": (), "deal-hash": (HASH,)}
    install(site, "games", {name: f"{name.replace('-', '_')}_game:GoofspielGame" for name in games})
    install(site, "bots", {name: f"{name.replace('-', '_')}_bot:Bidder" for name in bots})
    for kind, cases, body in (
        ("Game", games, '    game = "{}"\n    deals = 1\n'),
        ("Bot", bots, '    bot = "{}"\n    games = ("one-table",)\n    limits = {{"move_ms": 200}}\n'),
    ):
        for name, changes in cases.items():
            module, few = name.replace("-", "_"), ("seats = range(2, 6)", "seats = range(2, 3)")
            text = changed(BOT, *changes) if kind == "Bot" else game_text(tmp_path, name, few, *changes)
            (site / f"{module}_{kind.lower()}.py").write_text(text, encoding="utf-8")
            test = f"from tourney.testing import {kind}Contract\n\n\nclass TestIt({kind}Contract):\n{body}"
            (repository / f"test_{module}.py").write_text(test.format(name), encoding="utf-8")
    found = failures(site, repository)
    assert (found["one_table"], found["sound"]) == ("", "")
    expected = {name.replace("-", "_"): told for name, (told, *_) in BOT_MISTAKES.items()}
    for name, told in {**expected, "deal_hash": "another process plays another match"}.items():
        assert re.search(told, found[name]), (name, found[name])
