"""The folder of a run: damage leads to an error of one line, never to a traceback; its logs and events."""

from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import called
from tests.schedule import drawn
from tourney import config
from tourney.base.errors import RunError, TourneyError
from tourney.contracts.match import Block, Fault, GameSetup, record_of
from tourney.hosts.faults import BotTraceback
from tourney.journal import folder
from tourney.journal.bot_logs import add
from tourney.journal.events import EVENTS, Event, Moment, moment
from tourney.journal.reader import BUFFER, identity_difference, last_line
from tourney.journal.standings import RunTotals, count_run
from tourney.journal.writer import EventLog
from tourney.schedule.base import schedule
from tourney.standings.counts import OutcomeCounts

TEXT = """
name = "t"
seed = 1
deals = 2
bots = ["first", "random", "steady"]
[[game]]
name = "vole"
options = { target = 1 }
"""
FREE = {
    "nothing": ({}, True),
    "left by a start": ({folder.JOURNAL: "", folder.TOURNAMENT: "x", f"{folder.MANIFEST}.new": "x"}, True),
    "no journal": ({folder.TOURNAMENT: "x"}, False),
    "a match": ({folder.JOURNAL: "x"}, False),
    "something else": ({folder.JOURNAL: "", "notes.txt": "x"}, False),
}
ROWS = [
    ("submitted", 0, "01T00:00", "a@1"), ("entered", 0, "01T00:01", "a@1"), ("submitted", 0, "02T00:00", "b@1"),
    ("entered", 0, "02T00:00", "b@1"), ("round", 0, "03T12:00", ""), ("paused", 3, "04T00:00", "b@1"),
    ("entered", 3, "05T00:00", "a@2"), ("round", 3, "06T12:00", ""), ("restored", 7, "07T00:00", "b@1"),
]  # fmt: skip
MOMENTS = {
    "1": (0, 0), "5": (0, 2), "6": (3, 2), "9": (7, 4), "a@1": (0, 0), "b": (0, 1), "a": (3, 3),
    "submitted:b@1": (0, 1), "paused:b@1": (3, 2), "restored:b@1": (7, 4), "2026-01-03": (0, 2),
    "2026-01-03T12:00": (3, 2), "2026-01-05": (3, 4), "2026-01-05T01:00+02:00": (3, 3), "2026-01-08": (7, 5),
    "0": "no line 0", "10": "no line 10; the last one is 9", "2025-12-31": "began after", "2026-13-01": "not a date",
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a finished run, the bytes of its journal, and its standings."""
    parent = tmp_path_factory.mktemp("journal")
    (parent / "t.toml").write_text(TEXT)
    assert called(["run", "t.toml", "--out", "run", "--quiet"], parent).returncode == 0
    path = parent / "run"
    return path, (path / folder.JOURNAL).read_bytes(), count_run(path).ranking().rows


@settings(max_examples=200)
@given(data=st.data())
def test_a_flipped_byte_never_leads_to_wrong_standings(run, data):
    path, journal, rows = run
    at, value = data.draw(st.integers(0, len(journal) - 1)), data.draw(st.integers(0, 255))
    (path / folder.JOURNAL).write_bytes(journal[:at] + bytes([value]) + journal[at + 1 :])
    if value == journal[at] or at == len(journal) - 1:  # of which the latter is a torn line, which is left out
        assert (count_run(path).ranking().rows == rows) == (value == journal[at])
    else:
        with pytest.raises(RunError, match=r"^[^\n]*journal\.jsonl, line [^\n]*$"):
            count_run(path)


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("match", Block(8, GameSetup("vole", 2, {}), 5, (("a", "b"),))),
        ("seed", Block(7, GameSetup("vole", 2, {}), 6, (("a", "b"),))),
        ("seats", Block(7, GameSetup("vole", 2, {}), 5, (("b", "a"),))),
        ("options", Block(7, GameSetup("vole", 2, {"x": 1}), 5, (("a", "b"),))),
    ],
)
def test_a_record_of_another_match_is_told_apart(key, other):
    (match,) = Block(7, GameSetup("vole", 2, {}), 5, (("a", "b"),)).matches()
    record = record_of(match, "play:9t", (3, 1), (1, 2), (), ["log"])
    assert identity_difference(record, match) is None
    assert key in str(identity_difference(record, other.matches()[0]))


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"tournament":3}', b'{"tournament":{}}', b"\xff"])
def test_a_damaged_manifest_is_refused_with_one_line(tmp_path, text):
    (tmp_path / folder.MANIFEST).write_bytes(text)
    with pytest.raises(TourneyError, match=r"not the manifest of a run"):
        config.of_manifest(folder.read_manifest(tmp_path))


def refuse(path, changed: bytes) -> None:
    (path / folder.MANIFEST).write_bytes(changed)
    with pytest.raises(RunError, match=r"^.*manifest\.json: .*; restore it, or run the tournament again$"):
        folder.read_manifest(path)


def test_a_manifest_with_a_changed_byte_or_without_its_end_or_its_seal_is_refused(run, tmp_path):
    path, whole = tmp_path, (run[0] / folder.MANIFEST).read_bytes()
    for kept in range(0, len(whole), 10):
        refuse(path, whole[:kept] + bytes([whole[kept] ^ 1]) + whole[kept + 1 :])
        refuse(path, whole[:kept])
        refuse(path, whole[:kept] + b"}")
    refuse(path, whole.replace(b',\n  "seal"', b'}\n{"seal"'))
    refuse(path, whole + b" ")


def test_differences_between_manifests_are_listed_by_key():
    old = {"python": "3.11", "a": {"b": [1, {"c": 2}], "d": 1}}
    new = {"python": "3.12", "a": {"b": [1, {"c": 3}], "e": 1}}
    assert folder.manifest_differences(old, new) == ["a.b[1].c: 2 became 3", "a.d: 1 became null", "a.e: null became 1"]
    assert folder.manifest_differences(old, old) == []


@pytest.mark.parametrize("case", FREE)
def test_a_folder_is_free_if_it_is_empty_or_a_start_was_interrupted_there(case, tmp_path):
    files, free = FREE[case]
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    with nullcontext() if free else pytest.raises(RunError, match="not an empty folder"):
        folder.require_free(tmp_path)


def test_the_folder_of_logs_is_made_where_bots_have_processes_and_may_be_there_already(tmp_path):
    for host, number in (("inline", 0), ("process", 1), ("process", 1)):
        entered = f'[[bot]]\nname = "one"\nuse = "first"\nhost = "{host}"\n'
        assert folder.logs_folder(tmp_path, config.parse(TEXT + entered, tmp_path / "t.toml")).parent == tmp_path
        assert len(list(tmp_path.iterdir())) == number


def test_each_fault_is_told_once_on_lines_of_its_own(tmp_path):
    def found(detail: str, decision: int = 1) -> BotTraceback:
        return BotTraceback("mine", "vole-00000-0", Fault(0, "error", decision, None, detail), f"at {detail}\n  line")

    add(tmp_path, found("a"))
    log = tmp_path / "logs" / "mine.txt"
    log.write_text("--- end of the traceback ---\nown words" + "\n" + log.read_text() + "torn")
    for detail in ("a", "b", "a"):
        add(tmp_path, found(detail, decision=2))
    entry = "--- error: {0}, decision {1} of vole-00000-0 ---\nat {0}\n  line\n"
    end = "--- end of the traceback ---\n"
    assert log.read_text() == f"{end}own words\n{entry.format('a', 1)}{end}torn\n{entry.format('b', 2)}{end}"


@pytest.mark.parametrize("torn", [b"", b"torn", b"t" * 2 * BUFFER])
@pytest.mark.parametrize("lines", [(), (b"one\n",), (b"one\n", b"two\n"), (b"one\n", b"2" * 2 * BUFFER + b"\n")])
def test_the_last_line_of_a_journal_is_the_last_one_that_is_complete(tmp_path, lines, torn):
    (tmp_path / folder.JOURNAL).write_bytes(b"".join(lines) + torn)
    assert last_line(tmp_path) == (lines[-1] if lines else b"")


@pytest.mark.parametrize(("by", "seats"), [("score", [2, 2]), ("place", [2, 3])])
def test_what_of_several_games_cannot_be_compared_is_not_ranked_by(by, seats):
    cup = drawn.tournament(3, seats)
    totals = RunTotals(cup, schedule(cup), OutcomeCounts(cup.names, cup.setups), 0, 0)
    with pytest.raises(RunError, match=f"^by {by}: "):
        totals.ranking(by)


@pytest.mark.parametrize("at", MOMENTS)
def test_a_moment_is_before_an_event_or_at_a_date(tmp_path, at):
    (tmp_path / EVENTS).touch()
    events = [Event(kind, block, f"2026-01-{day}:00Z", bot, blocks=3 + block // 3) for kind, block, day, bot in ROWS]
    with EventLog(tmp_path) as log:
        log.add(*events)
    if isinstance(wanted := MOMENTS[at], tuple):
        assert moment(tmp_path, at) == Moment(*wanted)
    else:
        with pytest.raises(RunError, match=wanted):
            moment(tmp_path, at)
