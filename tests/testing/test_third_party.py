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

from tourney.cli.commands import new as scaffold
from tourney.testing.game_check import GAME_CHECKS, check_tables, deal_checks
from tourney.testing.matches import EndlessMatchError, deal_seeds

RANDOM = ("from random import Random", "import itertools\nimport random\nimport time\nfrom random import Random")
HAND = "return self.hands[self.seat]"
BIDS = "for bids in view.rounds for"
PRIZES = 'permutation(13, seed, "prizes")'
TOP, NEXT, COPIED, IS_OVER = "class G", "    seats = range", "other.seat, ", "        if self.seat == 0:"


def added(head: str, value: str, before: str = "    def observe", mark: str = "") -> tuple[str, str]:
    """A change that adds a method, which returns a value, before a piece of the text."""
    return before, f"{mark}    def {head}:\n        return {value}\n\n{before}"


def viewed(head: str, value: str, mark: str = "    @property\n") -> tuple[str, str]:
    """A change that gives the view a property, or a method."""
    return added(head, value, "\n\nclass GoofspielState", f"\n{mark}")


def placed(value: str) -> tuple[str, str]:
    return added("places(self)", value, "    def legal", "    @property\n")


def encoded(names: str, vector: str) -> tuple[str, str]:
    before, text = added("encode(self, view)", vector)
    return before, added("encoding(self, *given)", names, text)[1]


GAME_MISTAKES = {
    "legal-twice": ("twice", (HAND, HAND + " + self.hands[self.seat][:1]")),
    "leaks-bids": ("view of seat 1 leaks whether seat 0 chose", ("self.bids[seat : seat + 1]", "self.bids")),
    "leaks-unseen": (
        "of which it observes None: bid is",
        ("self.bids[seat : seat + 1]", "self.bids"),
        ('entry[0] == seat else "bid:?"', "entry[0] == seat else None"),
    ),
    "leaks-deck": ("the view shows it", ("self.prizes[: len(self.rounds) + 1]", "self.prizes")),
    "view-of-lists": ("hand holds a list", ("seat, self.hands[seat], self", "seat, list(self.hands[seat]), self")),
    "view-thaws": ("frozen=True", ("View(View, frozen=True)", "View(View, frozen=False)")),
    "imagine-forgets": ("imagine does not fit the view", (BIDS, "for bids in () for")),
    "imagine-other-view": (
        "the views are not equal, though as_dict is",
        (BIDS, "for bids in () for"),
        viewed("as_dict(self)", "{'seat': self.seat}", ""),
    ),
    "imagine-own-bid": ("imagine does not fit the view of", ("view.bid[0] if seat == view.seat else pick", "pick")),
    "imagine-luck": ("it is given: played on, it comes", RANDOM, ("rng.random())", "random.random())")),
    "imagine-luck-shows": ("it is given: in the view", RANDOM, ("state.legal(), rng", "state.legal(), random")),
    "imagine-legal": (
        "legal actions in what seat . imagines are .*, not ",
        (HAND, HAND + '[:: vars(self).get("order", 1)]'),
        ("        state.log.clear()\n", "        state.log.clear()\n        state.order = -1\n"),
    ),
    "deal-luck": (
        r"(?s)another match the second time: \[.*a match cannot be replayed.*a match with a fault cannot",
        RANDOM,
        (PRIZES, "random.sample(range(13), 13)"),
    ),
    "view-luck": (
        "the same seed and actions give another match",
        RANDOM,
        viewed("as_dict(self)", "dict(luck=random.random())", ""),
    ),
    "log-luck": (
        "another match the second time: one is longer",
        RANDOM,
        (TOP, "ENDS = itertools.count()\n\n\n" + TOP),
        (
            IS_OVER,
            "        if self.seat is None and next(ENDS) % 2:\n            self.log.append(self.log[-1])\n" + IS_OVER,
        ),
    ),
    "endless": (
        "not over after 500 decisions",
        ("if card != action])", "])"),
        ("self.rounds, self.bids = (*self.rounds, self.bids), ()", "self.bids = ()"),
        ("    def imagine", "    def max_decisions(self, seats, options):\n        return 500\n\n    def imagine"),
    ),
    "same-text": ('names has "bid:0" twice', ('f"bid:{card}"', 'f"bid:{card % 12}"')),
    "copy-shares": ("shares something with its", ("__dict__.update(self.__dict__)", "__dict__ = self.__dict__")),
    "observe-tells": ("its view shows no difference", ("    def observe", "    def anything")),
    "untitled": ("GoofspielGame has no title", ('title = "Goofspiel"', 'title = ""')),
    "one-seat": ("seats begins with 1", ("range(2, 6)", "range(1, 6)")),
    "two-words": ("'bid 0'; write one word", ('f"bid:{card}"', 'f"bid {card}"')),
    "other-text": ("text.0. is 'bid'", added("text(self, action)", "'bid'")),
    "other-action": (r'action\("bid:1"\) is 0', added("action(self, text)", "0")),
    "any-action": ("should raise an ActionError", added("action(self, text)", 'int(text.strip("bid:x"))')),
    "any-option": ("options.2, {'no_such_option': 1}. should", added("options(self, *given)", "self.Options()")),
    "any-seats": ("options.6, {}. should", added("options(self, seats, *given)", "super().options(2, *given)")),
    "legal-list": (r"legal\(\) is a list", (HAND, "return list(self.hands[self.seat])")),
    "legal-none": (r"legal\(\) is empty", (HAND, "return self.hands[self.seat][1:]")),
    "legal-unknown": ("has 13, which is not an action of the game, of 13", (HAND, HAND + " + (13,)")),
    "legal-below": ("has -1, which is not an action of the game", (HAND, HAND + " + (-1,)")),
    "no-such-seat": (
        "seat 2 decides, of 2 seats",
        (HAND, "return self.hands[self.seat % 2]"),
        ("= 0 if len(self.rounds) <", "= 2 if len(self.rounds) <"),
    ),
    "legal-luck": ("changes when it is asked again", RANDOM, (HAND, HAND + "[:: random.choice((1, -1))]")),
    "refuses": ("has bid:0, which apply refuses", ("self.bids += (action,)", "self.bids += (action // action,)")),
    "no-whole-score": ("not a whole number", ("worth * (seat == winner)", "worth / 2 * (seat == winner)")),
    "more-scores": ("scores has 9 numbers for 2 seats", ("(0,) * seats, 0", "(0,) * 9, 0")),
    "more-places": ("places has 9 numbers for 2 seats", placed("(1,) * 9")),
    "worse-places": ("a higher score and a worse", placed("tuple(sorted(self.scores).index(x) for x in self.scores)")),
    "no-first-place": ("has place 2 in .*; its place should be 1", placed("(2,) * len(self.scores)")),
    "deals-by-moves": (
        "deal 2 depends on earlier moves",
        ('"prize", self.prizes[len(self.rounds)]', '"deal", self.rounds'),
    ),
    "event-without-kind": ("has no kind: ", ('{"kind": entry[0]', '{"sort": entry[0]')),
    "event-no-json": ("is not data for JSON: ", ('{"kind": entry[0]', '{"kind": entry[0], "of": self')),
    "view-no-json": ("hand is .*, not plain data for JSON", viewed("as_dict(self)", "dict(hand=self.hand)", "")),
    "no-copy": ("returns the state itself", ("other = GoofspielState(len(self.hands), self.prizes)", "return self")),
    "copy-log": ("has a log that is not empty", ("other.log = self.seat, []", "other.log = self.seat, [1]")),
    "copy-seat": (r"copy\(\) has seat 0, not ", ("other.seat, other.log = self.seat", "other.seat, other.log = 0")),
    "copy-shows": (r"copy\(\) shows something else", (COPIED, "other.scores = self.scores[::-1]; " + COPIED)),
    "copy-ends": (
        "a copy ends differently by the same actions",
        (COPIED, "n = len(self.rounds) + 1; other.prizes = self.prizes[:n] + self.prizes[n:][::-1]; " + COPIED),
    ),
    "large-options": (
        "(?s)with n = 9223372036854775807 .* JSON cannot.*max_decisions is 1000000000000 with n;",
        ("class GoofspielGame", "class Size(Options, frozen=True):\n    n: int = 520\n\n\nclass GoofspielGame"),
        (NEXT, "    Options = Size\n" + NEXT),
        added("max_decisions(self, seats, options)", "options.n"),
        ("tuple([1 + ", "tuple([1 + (options.n > 520) * 2**63 + "),
    ),
    "view-of-another": ("the view of seat 1 says that it is of seat 0", ("GoofspielView(seat,", "GoofspielView(0,")),
    "view-takes-attributes": ("hand holds a T", ("self.hands[seat], self", 'type("T", (tuple,), {})(()), self')),
    "view-shares": ("cards is the same list", viewed("cards(self)", "SHARED"), (TOP, "SHARED = [1]\n\n\n" + TOP)),
    "view-leads": ("the view's cards leads to a T that takes", viewed("cards(self)", 'type("T", (), {})()')),
    "observe-hides-own": ("tells seat . 'bid:.' of its own bid:", ("if entry[0] == seat", "if entry[0] != seat")),
    "observe-forgets": (
        "all the others learn what seat 0 has chosen, but observe never",
        ("        if state.bids:", "        if state.bids or entry[0] == seat:"),
    ),
    "imagine-log": ("imagine returns a state with a log that is not", ("        state.log.clear()\n", "")),
    "imagine-plays": (
        "playing what was imagined changes the real match",
        (TOP, "SEEN = []\n\n\n" + TOP),
        ("        shown = ", "        SEEN[:] = [self]\n        shown = "),
        ("        state.log.clear()\n", "        state.log.clear()\n        state.seen = SEEN[0]\n"),
        ("        hand = ", '        if "seen" in vars(self):\n            self.seen.scores = ()\n        hand = '),
    ),
    "imagine-anyway": ("as imagines is False", (NEXT, "    imagines = False\n" + NEXT)),
    "imagine-after-the-end": (
        "ViewError for the view of a match that is over",
        (
            "if view.bidding is",
            "if not view.bidding:\n            return self.start(2, None, 1)\n        if view.bidding is",
        ),
    ),
    "vector": ("", encoded("('a', 'b')", "[1.0, -1.0]")),
    "vector-names": ("names an element twice", encoded("('a', 'a')", "[0.0, 0.0]")),
    "vector-size": ("gives 1 numbers, encoding names 2", encoded("('a', 'b')", "[0.0]")),
    "vector-bounds": ("encode gives 2.0 for a", encoded("('a',)", "[2.0]")),
    "vector-luck": ("encode depends on more than the view", RANDOM, encoded("('a',)", "[random.random()]")),
}
"""By name: the message, which is empty where there is no mistake, and the changes."""

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
    "remembers": ("earlier matches", (ACT, "        SEEN.append(0)\n        return legal[len(SEEN) % len(legal)]\n")),
    "own-luck": ("randomness other than facts.rng", (ACT, "        return random.choice(legal)\n")),
    "hash": ("determinism: match", (ACT, '        return legal[hash(f"{view.prizes}") % len(legal)]\n')),
    "thread": (
        "leftovers: threads",
        (ACT, "        threading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n" + ACT),
    ),
    "changes-view": ("leftovers: the view", (ACT, '        force_setattr(view, "scores", (9, 9))\n' + ACT)),
    "unknown-game": ("no such game", ('"one-table",', '"one-table", "two-tables",')),
}

HASH = ("permutation(13, seed,", "permutation(13, hash(str(seed)) % 2**64,")  # a deal that depends on the process


def changed(text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def game_text(tmp_path: Path, name: str, *changes: tuple[str, str]) -> str:
    scaffold.write_game("goofspiel", tmp_path / name)
    text = (tmp_path / name / "goofspiel_game" / "__init__.py").read_text(encoding="utf-8")
    return changed(text, ('name = "goofspiel"', f'name = "{name}"'), *changes)


def complaints(game) -> list[str]:
    """What the checks of a game say of it, with two and four seats."""
    found = []
    for check, *args in [
        *[(each.on_game, game) for each in GAME_CHECKS],
        *[(check_tables, each, game, seats, {}, deal_seeds(1)) for each in deal_checks(game) for seats in (2, 4)],
    ]:
        try:
            check(*args)
        except EndlessMatchError as error:
            return [str(error)]
        except Exception as error:  # the mistake may make the game fail
            found.append(str(error))
    return found


@pytest.mark.parametrize("mistake", ["none", *GAME_MISTAKES])
def test_the_checks_of_games_pass_a_sound_game_and_name_every_mistake(tmp_path, mistake):
    told, *changes = GAME_MISTAKES.get(mistake, ("",))
    module: dict = {}
    exec(compile(game_text(tmp_path, "one-table", *changes), "one_table", "exec"), module)
    found = complaints(module["GoofspielGame"]())
    assert bool(found) == bool(told)
    assert re.search(told, "\n".join(found)), found


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


def test_the_contracts_are_tests_in_the_repository_of_whoever_writes_a_game_or_a_bot(plugin, tmp_path):
    repository = tmp_path / "repository"
    repository.mkdir()
    bots = {"sound": (), **{name: changes for name, (_, *changes) in BOT_MISTAKES.items()}}
    games = {"one-table": (), "deal-hash": (HASH, GAME_MISTAKES["untitled"][1], GAME_MISTAKES["copy-log"][1])}
    for group, names, place in (("games", games, "game:GoofspielGame"), ("bots", bots, "bot:Bidder")):
        entries = [f"{name} = {name.replace('-', '_')}_{place}" for name in names]
        site = plugin(f"others-{group}", "\n".join([f"[tourney.{group}]", *entries]))
    for kind, cases, body in (
        ("Game", games, '    game = "{}"\n    deals = 1\n'),
        ("Bot", bots, '    bot = "{}"\n    limits = {{"move_ms": 200}}\n'),
    ):
        for name, changes in cases.items():
            module, few = name.replace("-", "_"), ("seats = range(2, 6)", "seats = range(2, 3)")
            text = changed(BOT, *changes) if kind == "Bot" else game_text(tmp_path, name, few, *changes)
            (site / f"{module}_{kind.lower()}.py").write_text(text, encoding="utf-8")
            test = f"from tourney.testing import {kind}Contract\n\n\nclass TestIt({kind}Contract):\n{body}"
            test += '    games = ("one-table",)\n' if name == "unknown-game" else ""  # one that is there
            (repository / f"test_{module}.py").write_text(test.format(name), encoding="utf-8")
    found = failures(site, repository)
    assert (found["one_table"], found["sound"]) == ("", "")
    expected = {name.replace("-", "_"): told for name, (told, *_) in BOT_MISTAKES.items()}
    several = "(?s)has no title.*a log that is not empty.*another process plays another"
    for name, told in {**expected, "deal_hash": several}.items():
        assert re.search(told, found[name]), (name, found[name])
