"""What commands that look back at a run print, at 80 columns, and how the commits of a track end, in words."""

import re
import shutil

import pytest

from tests.conftest import APART, BAD, ROOT, apart, called, mostly_slow, tournament_text
from tests.helpers import bot
from tourney import config
from tourney.base.sheet import columns_text
from tourney.contracts.match import Block, GameSetup, match_of
from tourney.journal.events import Event
from tourney.journal.history import HistoryPoint, Rated, rows
from tourney.journal.reader import parse_record
from tourney.plugins.registry import load_game
from tourney.review.field import FieldRow, field_sheet, history_columns, history_sheet
from tourney.review.track import CommitRow, Ending, ending_lines
from tourney.review.verify import BlockLines, Verification
from tourney.schedule.track import Change
from tourney.table.table import play

FAILING = '[[bot]]\nname = "fails"\nuse = "bots.py:RaisesLater"\n[limits]\nmax_faults = 3'
RUNS = {
    "done": {"deals": "3", "bots": '["random", "steady"]', "extra": FAILING},
    "rounds": {
        "format": '"swiss"',
        "rounds": "3",
        "deals": "1",
        "bots": '["random", "first", "steady", "bots.py:Good"]',
    },
}
TRIED = tournament_text(
    "tried",
    bots="[]",
    bot="""[{ name = "others", use = "bots.py:Good" }, { name = "gone", use = "gone.py:Gone", host = "process" },
        { name = "loops", use = "bots.py:HangsAtOnce", host = "process", move_ms = 300 },
        { name = "free", use = "bots.py:Good", host = "process", keep = true, repeats = false }]""",
    game="""game = [{ name = "vole", options = { target = 6 } },
        { name = "leon", seats = 2, options = { max_cards = 1 } },
        { name = "bang", seats = 2, options = { max_turns = 20 } }]""",
)
OTHER = """
class RaisesLater(Good):
    def act(self, view, legal):
        return legal[0]
class OnlyVole(Good):
    games = ("vole",)
class Hashes(Good):
    def act(self, view, legal):
        return legal[hash("a") % len(legal)]
class Remembers(Good):
    def act(self, view, legal):
        with open(f"{__file__}.{type(self).__name__}", "a+b") as seen:
            seen.seek(0)
            known = view.as_json() in seen.read().split(b"\\n")
            seen.write(view.as_json() + b"\\n")
        return legal[-1 if known else 0]
class Tires(Remembers):
    def act(self, view, legal):
        return legal[0] if super().act(view, legal) == legal[0] else None
class Marks(Good):
    def start(self, facts):
        facts.game.mark = facts.seat
"""
DAMAGE = {
    "other deal": ("done", {0: (b'"seed":"', b'"seed":"a'), 3: (b'"block":1', b'"block":0')}),
    "other result": ("done", {1: (b'"places":[1,2]', b'"places":[2,1]'), 4: (b"play", b"plya"), 5: (b",", b", ")}),
    "no record": ("done", {2: (b"{", b"["), 17: (b"}\n", b"}\n{}\n")}),
    "analysed": ("done", {}),
    "a round": ("rounds", {2: (b"play", b"swap"), 11: (b"\n", b"\n{}\n{}")}),
}
"""Runs with another journal: in these lines of it, the first text is replaced by the second."""
CASES = {
    "verify": "verify done",
    "verify --bots": "verify done --bots --workers 1 --folder other --trust",
    **{f"verify, {name}": f"verify {name.replace(' ', '-')} --workers 1" for name in DAMAGE if name != "analysed"},
    "verify, a round, bots": "verify a-round --workers 1 --bots --folder . --trust",
    "verify, out too early": "verify out-too-early --workers 1",
    "debug": "debug done vole-00001-0 4 --folder other --trust",
    "debug --try": "debug done vole-00000-0 12 --try bury:6k --continuations 3",
    "debug --bot": "debug done vole-00000-0 12 --bot fails",
    "debug, fails": "debug done vole-00001-0 6 --bot random --continuations 2",
    "debug, out": "debug done vole-00001-0 10",
    "debug, no decision": "debug done vole-00001-0 88",
    "analyse": "analyse analysed vole-00000-0 vole-00001-1 vole-00002-0 --playouts 20 --workers 2",
    "compare": "compare steady fails --run done",
    "compare, narrow": "compare fails steady --run done",
    "check, sound": "check other/bots.py:OnlyVole --deals 1 --limits {move_ms=100000}",
    "check, process": "check bots.py:Good --game vole --deals 1 --host process",
    "check, raises": "check bots.py:RaisesLater --game vole --deals 1",
    "check, a hash": "check other/bots.py:Hashes --game vole --deals 1",
    "check, a thread": "check bots.py:LeavesThread --game vole --deals 1",
    "check, no program": "check --command cat --game vole --deals 1",
    "check, none": "check bots.py:SaysNone --game vole --deals 1",
    "check, remembers": "check other/bots.py:Remembers --game vole --deals 2",
    "check, tires": "check other/bots.py:Tires --game vole --deals 2",
    "check, no repeats": "check tried.toml free --deals 1",
    "check, the world": "check bots.py:MutatesTheWorld --game vole --deals 1",
    "check, a child": "check bots.py:LeavesChild --game vole --deals 1",
    "check, the game": "check other/bots.py:Marks --game vole --deals 1",
    "check, an entrant": "check tried.toml others --deals 1",
    "check, timeouts": "check tried.toml loops --deals 2",
    "check, a lost entrant": "check tried.toml gone",
    "check, no entrant": "check tried.toml other",
    "check, a game": "check --game vole --deals 1 --limits {match_s=600}",
    "check, no such game": "check tried.toml others --game voleur",
}
CHECKS = ("check, sound", "check, raises", "check, remembers", "check, no repeats", "check, timeouts", "check, a game")
"""The checks that `make test` tries: of those that are alike, one."""
VARIES = {f'"{re.escape(str(ROOT))}/': "", r"[\d.]+ [mu]?s\b": "TIME", r"[\d.]+ a second": "RATE", "[^ ]*/": ""}
VARIES[r"matches \d+ of \d+ \| .* left\n"] = ""  # progress, which a busy machine prints
VARIES[r'(bots\.py:|", line |\.py\()\d+'] = r"\1LINE"
"""What is not the same on every machine and in every version."""


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    shutil.copy(BAD, folder)
    for name, keys in RUNS.items():
        (folder / f"{name}.toml").write_text(tournament_text(name, **keys), encoding="utf-8")
        called(["run", f"{name}.toml", "--out", name, "--quiet"], folder).check_returncode()
    lines = (folder / "done" / "journal.jsonl").read_bytes().splitlines(keepends=True)
    record = parse_record(lines[9], "")
    out = {fault.seat: "after 3 faults" for fault in record.faults}
    lines[9] = play(match_of(record), load_game("vole"), [bot("random"), bot("random")], out=out).line()
    shutil.copytree(folder / "done", folder / "out-too-early")
    (folder / "out-too-early" / "journal.jsonl").write_bytes(b"".join(lines))
    for name, (run, changes) in DAMAGE.items():
        copy = shutil.copytree(folder / run, folder / name.replace(" ", "-"))
        lines = (copy / "journal.jsonl").read_bytes().splitlines(keepends=True)
        for number, (old, new) in changes.items():
            assert old in lines[number], lines[number]
            lines[number] = lines[number].replace(old, new, 1)
        (copy / "journal.jsonl").write_bytes(b"".join(lines))
        (copy / "times.json").write_text('{"bots":{"random":{"worst_ns":9,"buckets":{"9":9}}}}')
    (folder / "other").mkdir()
    (folder / "other" / "bots.py").write_text(BAD.read_text(encoding="utf-8") + OTHER, encoding="utf-8")
    (folder / "tried.toml").write_text(TRIED, encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", mostly_slow(CASES, *[name for name in CASES if not name.startswith("check")], *CHECKS))
def test_a_command_prints_what_it_printed(golden, runs, name):
    words, columns = CASES[name].split(), "45" if "narrow" in name else "80"
    result = apart(runs, *words, COLUMNS=columns) if words[0] in APART else called(words, runs, COLUMNS=columns)
    printed = f"{result.stdout}--- {result.returncode}\n{result.stderr}"
    for pattern, instead in VARIES.items():
        printed = re.sub(pattern, instead, printed)
    golden(f"{re.sub('[^a-z]+', '-', name)}.txt", printed.removesuffix("\n"))


def test_the_tables_of_a_league_are_as_wide_as_there_is_room(golden):
    when, why = "2026-01-02T03:04:05+00:00", "2 faults in a row\nTraceback: *none*"
    field = [
        FieldRow("ann@2", 2, "plays", when, 8, "", "Ann", 12, 1612.4, 1500.0, 1725.0, 24, 0, 7, 81.5),
        FieldRow("bob", 0, "paused", when, 9, why, "A long name", 9, 1500.0, None, None, 18, 11),
    ]
    events = tuple([Event("entered", 4, "", f"ann@{number}") for number in range(1, 5)])
    points = [
        HistoryPoint(4, when, events, {"ann@1": Rated(1490.2, 1400.0, 1580.0)}),
        HistoryPoint(16, when, events[:2], {"ann@1": Rated(1490.2, 1400.0, 1580.0), "ann@2": Rated(9, None, None)}),
        HistoryPoint(20, when, events[1:], {}),
    ]
    bots, data = ["ann@1", "ann@2"], [("json", 0), ("csv", 0)]
    forms = [("table", width) for width in (100, 80, 65, 57, 50, 40)] + [("markdown", 0)]
    texts = [field_sheet(field).text(*form) for form in forms + data]
    texts += [history_sheet(points, bots, bots).text(*form) for form in [("table", 100), ("table", 60), *data]]
    texts += [columns_text(history_columns(rows(points, bots)), "table", width) for width in (120, 50)]
    golden("league.txt", "\n\n".join(texts))


def test_a_game_that_does_not_end_is_told_with_the_lines_of_the_journal(tmp_path):
    verification = Verification(tmp_path, config.parse(tournament_text("t"), tmp_path / "t.toml"))
    block = Block(0, GameSetup("vole", 2, {}), 1, (("one", "other"),))
    one = verification.game_error(BlockLines(3, [(0, 1)], None), "it hangs")
    several = verification.game_error(BlockLines(3, [(0, 1)] * 2, block), "it hangs")
    assert (one.game, several.game) == ("", "vole")
    assert "while replaying line 3 of the journal: it hangs" in str(one)
    assert "while replaying lines 3 to 4 of the journal: it hangs" in str(several)


def step(before, low, high, verdict=None):
    return Change(before, "last", 50, (low + high) / 2, low, high, verdict, False)


GAP = CommitRow("abcdef123", "", "", "gap", "cannot be built", "")


@pytest.mark.parametrize(
    ("ending", "weaker", "says"),
    [
        (Ending(None, None), (False, False), "with the bot that it began with."),
        (
            Ending(step("a", -31, -1, "down"), step("a", -31, -1, "down")),
            (True, True),
            "weaker than it began: -16 Elo (-31 to -1).",
        ),
        (
            Ending(step("a", -8, -1, "equal"), step("a", -8, -1, "equal")),
            (False, False),
            "as strong as it began: -4 Elo",
        ),
        (
            Ending(step("a", 2, 40, "up"), step("b", -32, -8, "down")),
            (True, False),
            "stronger than it began: +21 Elo (+2 to +40). It ends weaker than b: -20 Elo (-32 to -8).",
        ),
        (
            Ending(step("a", -30, 40), step("b", -31, 0), step("a", -40, -10), GAP),
            (False, False),
            "neither surely weaker nor stronger than it began: +5 Elo (-30 to +40). In a duel, last against a: -25 Elo "
            "(-40 to -10) on 50 deals. The newest commit, abcdef1, did not play: cannot be built.",
        ),
        (
            Ending(None, step("b", -32, -8, "down")),
            (True, False),
            "with the bot that it began with. It ends weaker than b: -20 Elo (-32 to -8).",
        ),
    ],
)
def test_a_range_ends_weaker_than_the_first_surely_or_than_the_best_by_more_than_is_allowed(ending, weaker, says):
    assert (ending.is_weaker(0), ending.is_weaker(8)) == weaker
    assert " ".join(ending_lines(ending)).startswith(f"The range ends {says}")
