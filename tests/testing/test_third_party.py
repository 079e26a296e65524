"""Games and bots of somebody else: `tourney.testing` helps their authors, passes what is sound, and names mistakes.

Most are the game that `tourney new game` writes; each mistake is a small change of its text.
"""

import os
import random
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import defaultdict, deque
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import with_plugins
from tests.games.facts import facts_of, set_up
from tests.games.test_plain_game import High, HighState
from tourney import testing
from tourney.base.errors import ActionError, ConfigError
from tourney.cli.commands import new as scaffold
from tourney.contracts.rng import seed_text
from tourney.plugins.registry import load_game
from tourney.testing.bots import MutatesWhatItGets
from tourney.testing.game_check import GAME_CHECKS, GameCheck, check_game, check_tables, deal_checks
from tourney.testing.matches import BrokenContractError, EndlessMatchError, TriedTable, deal_seeds, difference, short
from tourney.testing.view_checks import imagined_deals_are_even, imagined_hands_fit_the_past

HAND = "return self.hands[self.seat]"
BIDS = "for bids in view.rounds for"
PRIZES = 'permutation(13, seed, "prizes")'
NEXT, COPIED, IS_OVER, OVER = "    seats = range", "other.seat, ", "        if self.seat == 0:", "if view.bidding is"
CLEARED = "        state.log.clear()\n"
BID_SHOWN = ("self.bids[seat : seat + 1]", "self.bids")


def added(head: str, value: str, before: str = "    def observe", mark: str = "") -> tuple[str, str]:
    """A change that adds a method, which returns a value, before a piece of the text."""
    return before, f"{mark}    def {head}:\n        return {value}\n\n{before}"


def viewed(head: str, value: str, mark: str = "    @property\n") -> tuple[str, str]:
    """A change that gives the view a property, or a method."""
    return added(head, value, "\n\nclass GoofspielState", f"\n{mark}")


def placed(value: str) -> tuple[str, str]:
    return added("places(self)", value, "    def legal", "    @property\n")


def at_the_end(text: str) -> tuple[str, str]:
    return IS_OVER, f"        if self.seat is None:\n            {text}\n{IS_OVER}"


def encoded(names: str, vector: str) -> list[tuple[str, str]]:
    return [added("encode(self, view)", vector), added("encoding(self, *given)", names)]


def sized(most: str) -> list[tuple[str, str]]:
    """Changes that give the game two options, and the most decisions by them."""
    options = "class Size(Options, frozen=True):\n    small: bool = False\n    n: int = 520\n\n\n"
    most_by_them = added("max_decisions(self, seats, options)", most)
    return [
        ("class GoofspielGame", options + "class GoofspielGame"),
        (NEXT, "    Options = Size\n" + NEXT),
        most_by_them,
    ]


GAME_MISTAKES = {
    "legal-twice": [(HAND, HAND + " + self.hands[self.seat][:1]")], "leaks-bids": [BID_SHOWN],
    "leaks-unseen": [BID_SHOWN, ('entry[0] == seat else "bid:?"', "entry[0] == seat else None")],
    "leaks-odd-bids": [BID_SHOWN, ("if entry[0] == seat else", "if entry[0] == seat or not entry[1] % 2 else")],
    "leaks-deck": [("self.prizes[: len(self.rounds) + 1]", "self.prizes")],
    "view-of-lists": [("seat, self.hands[seat], self", "seat, (list(self.hands[seat]),), self")],
    "view-thaws": [("View(View, frozen=True)", "View(View, frozen=False)")],
    "view-changes": [(IS_OVER, "        SEEN[:] = self.rounds\n" + IS_OVER),
        viewed("as_dict(self)", "{'seen': SEEN[:]}", "")],
    "imagine-forgets": [(BIDS, "for bids in () for")],
    "imagine-other-view": [(BIDS, "for bids in () for"), viewed("as_dict(self)", "{'seat': self.seat}", "")],
    "imagine-own-bid": [("view.bid[0] if seat == view.seat else pick", "pick")],
    "imagine-luck": [("rng.random())", "random.random())")],
    "imagine-luck-shows": [("state.legal(), rng", "state.legal(), random")],
    "imagine-legal": [(HAND, HAND + '[:: vars(self).get("order", 1)]'),
        (CLEARED, CLEARED + "        state.order = -1\n")],
    "deal-luck": [(PRIZES, "random.sample(range(13), 13)")],
    "view-luck": [viewed("as_dict(self)", "dict(luck=random.random())", "")],
    "log-luck": [at_the_end("self.log += self.log[-1:] * (SEEN.append(0) or len(SEEN) % 2)")],
    "score-luck": [at_the_end("self.scores = (*self.scores[1:], random.randrange(99))")],
    "endless": [("if card != action])", "])"),
        ("self.rounds, self.bids = (*self.rounds, self.bids), ()", "self.bids = ()"),
        added("max_decisions(self, *given)", "500")],
    "same-text": [('f"bid:{card}"', 'f"bid:{card % 12}"')],
    "copy-shares": [("__dict__.update(self.__dict__)", "__dict__ = self.__dict__")],
    "observe-tells": [("    def observe", "    def anything")], "untitled": [('title = "Goofspiel"', 'title = ""')],
    "one-seat": [("range(2, 6)", "range(1, 6)")], "two-words": [('f"bid:{card}"', 'f"bid {card}"')],
    "other-text": [added("text(self, action)", "'bid'")], "other-action": [added("action(self, text)", "0")],
    "any-action": [added("action(self, text)", 'int(text.strip("bid:x"))')],
    "any-option": [added("options(self, *given)", "self.Options()")],
    "any-seats": [added("options(self, seats, *given)", "super().options(2, *given)")],
    "legal-list": [(HAND, "return list(self.hands[self.seat])")],
    "legal-none": [(HAND, "return self.hands[self.seat][1:]")], "legal-unknown": [(HAND, HAND + " + (13,)")],
    "legal-below": [(HAND, HAND + " + (-1,)")],
    "legal-bools": [(HAND, "return tuple([card == 1 or card for card in self.hands[self.seat]])")],
    "no-such-seat": [(HAND, "return self.hands[self.seat % 2]"),
        ("= 0 if len(self.rounds) <", "= 2 if len(self.rounds) <")],
    "legal-luck": [(HAND, HAND + "[:: random.choice((1, -1))]")],
    "refuses": [("self.bids += (action,)", "self.bids += (action // action,)")],
    "no-whole-score": [("worth * (seat == winner)", "worth / 2 * (seat == winner)")],
    "more-scores": [("(0,) * seats, 0", "(0,) * 9, 0")], "more-places": [placed("(1,) * 9")],
    "worse-places": [placed("tuple(sorted(self.scores).index(x) for x in self.scores)")],
    "no-first-place": [placed("(2,) * len(self.scores)")],
    "deals-by-moves": [('"prize", self.prizes[len(self.rounds)]', '"deal", self.rounds')],
    "event-without-kind": [('{"kind": entry[0]', '{"sort": entry[0]')],
    "event-no-json": [('{"kind": entry[0]', '{"kind": entry[0], "of": self')],
    "event-at-the-end": [at_the_end("self.log.append(('won', self, ()))")],
    "view-no-json": [viewed("as_dict(self)", "dict(hand=self.hand)", "")],
    "no-copy": [("other = GoofspielState(len(self.hands), self.prizes)", "return self")],
    "copy-log": [("other.log = self.seat, []", "other.log = self.seat, [1]")],
    "copy-seat": [("other.seat, other.log = self.seat", "other.seat, other.log = 0")],
    "copy-shows": [(COPIED, "other.scores = self.scores[::-1]; " + COPIED)],
    "copy-ends": [(COPIED,
        "n = len(self.rounds) + 1; other.prizes = self.prizes[:n] + self.prizes[n:][::-1]; " + COPIED)],
    "large-options": [*sized("options.n"), ("tuple([1 + ", "tuple([1 + (options.n > 520) * 2**63 + ")],
    "no-decisions": sized("options.n % 10**12"), "view-of-another": [("GoofspielView(seat,", "GoofspielView(0,")],
    "view-takes-attributes": [("self.hands[seat], self", 'type("T", (tuple,), {})(()), self')],
    "view-shares": [viewed("cards(self)", "SEEN")], "view-leads": [viewed("cards(self)", 'type("T", (), {})()')],
    "observe-hides-own": [("if entry[0] == seat", "if entry[0] != seat")],
    "observe-forgets": [("        if state.bids:", "        if state.bids or entry[0] == seat:")],
    "imagine-log": [(CLEARED, "")], "hidden-text": [added("hidden(self, *given)", "{'hand': '9t'}")],
    "imagine-plays": [("        shown = ", "        SEEN[:] = [self]\n        shown = "),
        (CLEARED, CLEARED + "        state.seen = SEEN[0]\n"),
        ("        hand = ", '        if "seen" in vars(self):\n            self.seen.scores = ()\n        hand = ')],
    "imagine-decides": [("seat + 1], self.seat", 'seat + 1], vars(self).get("asked", self.seat)'),
        (CLEARED, CLEARED + "        state.asked, state.seat = state.seat, (state.seat + 1) % len(state.hands)\n")],
    "imagine-anyway": [(NEXT, "    imagines = False\n" + NEXT)],
    "imagine-over": [(OVER, f"if not view.bidding:\n            return self.start(2, None, 1)\n        {OVER}")],
    "vector-names": encoded("('a', 'a')", "[0.0, 0.0]"), "vector-size": encoded("('a', 'b')", "[0.0]"),
    "vector-bounds": encoded("('a',)", "[2.0]"), "vector-luck": encoded("('a',)", "[random.random()]"),
}  # fmt: skip
SOUND = {
    "none": (), "vector": encoded("('a', 'b')", "[1.0, -1.0]"),
    "ties broken": [("worth * (seat", "0 * (seat"), placed("tuple(range(1, len(self.scores) + 1))")],
    "all first": [placed("(1,) * len(self.scores)")], "one decision": sized("options.n % (10**12 - 1)"),
    "properties": [viewed("cards(self)", "[{1: (Options(), [2])}]")],
    "reveals to one": [("tuple(range(max(0, at", "() if seat else tuple(range(max(0, at")],
}  # fmt: skip

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
    "changes-view": ("leftovers: its view", (ACT, '        force_setattr(view, "scores", (9, 9))\n' + ACT)),
    "unknown-game": ("claims unknown games", ('"one-table",', '"one-table", "two-tables",')),
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
    imports = "import random\nfrom random import Random\n\nSEEN: list = []"
    named = ('name = "goofspiel"', f'name = "{name}"')
    return changed(text, ("from random import Random", imports), named, *changes)


def complaints(game) -> Iterator[str]:
    """What the checks of a game say of it, with two to four seats."""
    trials = [(each.topic, partial(each.on_game, game)) for each in GAME_CHECKS]
    for each, seats in product(deal_checks(game), (2, 3, 4)):
        trials.append((each.topic, partial(check_tables, each, game, seats, {}, deal_seeds(1))))
    for topic, trial in trials:
        random.seed(1)  # of games that draw lots of their own
        try:
            trial()
        except EndlessMatchError as error:
            yield f"{topic}: {error}"
            return
        except BrokenContractError as error:
            yield f"{topic}: {error}"
        except Exception as error:  # the mistake may make the game fail
            yield f"{topic}: {type(error).__name__}"


@pytest.mark.slow
def test_the_checks_of_games_pass_a_sound_game_and_name_every_mistake(golden, tmp_path):
    found = {}
    for name, changes in (GAME_MISTAKES | SOUND).items():
        module: dict = {}
        exec(compile(game_text(tmp_path / name, "one-table", *changes), "one_table", "exec"), module)
        found[name] = dict.fromkeys(complaints(module["GoofspielGame"]()))
    assert [name for name, said in found.items() if not said] == [*SOUND]
    text = "\n\n".join(["\n".join([f"# {name}", *said]) for name, said in found.items() if said])
    text = re.sub("( at 0x|, seed |(?<= )(?=[0-9a-f]{32}))[0-9a-f]+", "", text)
    golden("games.txt", text)


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
def test_the_contracts_are_tests_in_the_repository_of_whoever_writes_a_game_or_a_bot(golden, plugin, tmp_path):
    repository = tmp_path / "repository"
    repository.mkdir()
    bots = {"sound": (), **{name: changes for name, (_, *changes) in BOT_MISTAKES.items()}}
    games = {"one-table": (), "deal-hash": (HASH, *GAME_MISTAKES["untitled"], *GAME_MISTAKES["copy-log"])}
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
    shown = with_plugins(site, "check", "--game", "deal-hash", "--deals", "1")
    assert (shown.returncode, shown.stderr) == (1, "")
    golden("check.txt", re.sub("[0-9a-f]{32}", "...", shown.stdout.replace(f"{site}/", "")))
    found = failures(site, repository)
    assert (found["one_table"], found["sound"]) == ("", "")
    expected = {name.replace("-", "_"): told for name, (told, *_) in BOT_MISTAKES.items()}
    several = "(?s)has no title.*a log that is not empty.*another process plays another"
    for name, told in {**expected, "deal_hash": several}.items():
        assert re.search(told, found[name]), (name, found[name])


VOLE, VOLEUR = load_game("vole"), load_game("voleur")


class SwapsHands(type(VOLEUR)):
    """Imagines the hands of two other seats in each other's places, whatever they did not follow."""

    def imagine(self, view, rng):
        world = super().imagine(view, rng)
        one, other = [seat for seat in range(3) if seat != view.seat]
        hands = facts_of(world)["hands"]
        if hands[one].count(" ") == hands[other].count(" "):
            hands[one], hands[other] = hands[other], hands[one]
        return set_up(self, 3, view.options, **facts_of(world) | {"hands": hands})


class TwoTries(type(VOLE)):
    """Imagines twice, and takes the hands that sort first."""

    def imagine(self, view, rng):
        return min([super(TwoTries, self).imagine(view, rng) for _ in range(2)], key=lambda world: world._hands)


@pytest.mark.parametrize(
    ("game", "check", "told"),
    [
        (SwapsHands(), imagined_hands_fit_the_past, "the cards .*, with which its earlier play:.. was not"),
        (TwoTries(), imagined_deals_are_even, "deals, but not equally often"),
    ],
)
def test_imagined_hands_are_compared_with_what_was_played_and_with_all_that_fit(game, check, told):
    table = TriedTable.of(game, min(3, game.seats[-1]), {})
    with pytest.raises(BrokenContractError, match=told):
        deque(map(partial(check, table), deal_seeds(3)), 0)


def test_options_and_other_frozen_structs_may_be_in_views(tmp_path):
    module: dict = {}
    changes = [
        ("class GoofspielView", "class Size(Options, frozen=True):\n    n: int = 1\n\n\nclass GoofspielView"),
        ("    scores: tuple[int, ...]\n", "    scores: tuple[int, ...]\n    options: Size = Size()\n"),
        (NEXT, "    Options = Size\n" + NEXT),
    ]
    exec(compile(game_text(tmp_path, "one-table", *changes), "one_table", "exec"), module)
    assert not [*complaints(module["GoofspielGame"]())]


class HighFromTheMiddle(High):
    def position(self, seats: int, options: object, *, secret: int = 5, bids: str = "") -> HighState:
        state = HighState(seats, 1)
        state.log.clear()
        state.secret = secret
        for bid in bids.split():
            state.apply(self.action(bid))
        return state


GAME = HighFromTheMiddle()


def test_a_position_has_the_facts_that_it_was_given_and_the_game_s_defaults_for_the_rest():
    state = testing.position(GAME, seats=3, bids="bid:4 bid:2")
    assert (state.seat, state.log) == (2, [])
    assert (state.secret, state.bids) == (5, (4, 2))


def test_moves_are_made_by_their_text_and_logged_as_the_table_does_and_none_is_legal_at_the_end():
    state = testing.position(GAME, seats=2)
    assert testing.legal(GAME, state) == [f"bid:{number}" for number in range(10)]
    assert testing.act(GAME, state, "bid:4 sulk") is state
    assert state.log == [(0, 4, tuple(range(10))), (1, 10, tuple(range(10)))]
    assert testing.events(GAME, state, "deal") == testing.legal(GAME, state) == []
    assert testing.events(GAME, state) == [
        {"kind": "act", "seat": 0, "action": "bid:4"},
        {"kind": "act", "seat": 1, "action": "sulk"},
    ]
    assert testing.events(GAME, GAME.start(2, None, 7)) == [{"kind": "deal", "secret": GAME.start(2, None, 7).secret}]


@pytest.mark.parametrize(
    ("actions", "message"),
    [("bid:99", "did you mean"), ("bid:1 bid:2 bid:3", "bid:3 comes too late; the match is over")],
)
def test_a_move_that_cannot_be_made_is_refused(actions, message):
    with pytest.raises(ActionError, match=message):
        testing.act(GAME, testing.position(GAME, seats=2), actions)


@pytest.mark.parametrize(
    ("view", "legal"), [(SimpleNamespace(), (0,)), (0, [0]), ({}, (0,))], ids=["view", "legal actions", "mapping"]
)
def test_a_bot_that_can_change_what_it_gets_says_so(view, legal):
    with pytest.raises(AssertionError, match="should not have worked"):
        MutatesWhatItGets().act(view, legal)


def test_a_check_tries_each_deal_in_time_and_refuses_wrong_options():
    with pytest.raises(ConfigError, match='no key "targt"'):
        next(check_game("vole", 1, given={"targt": 1}))
    vole, seeds, seen = load_game("vole"), deal_seeds(3), []
    for is_one, tried in ((False, seeds), (True, seeds[:1])):
        check_tables(GameCheck("", "", lambda _, seed: seen.append(seed), is_one), vole, 2, {}, seeds)
        assert seen == tried
        seen.clear()
    with pytest.raises(EndlessMatchError, match=rf"2 seats, seed {seed_text(seeds[0])}: took longer than 0.05 s"):
        check_tables(GameCheck("", "", lambda _table, _seed: time.sleep(60)), vole, 2, {}, seeds, 0.05)
    assert (short("x" * 58), short("x" * 59)) == (f'"{"x" * 58}"', f'"{"x" * 56}...')
    assert difference({"a": 1, "b": 2}, {"a": 1, "c": 3}) == "b is 2 in one, null in the other"
    assert difference({"a": 1}, {"a": 1}) == ""
