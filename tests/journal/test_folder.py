"""The folder of a run: damage is an error of one line, never a traceback; its logs, events, notes and matches."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.conftest import called
from tests.schedule import drawn
from tourney import config
from tourney.base.errors import RunError, TourneyError
from tourney.contracts.match import Block, Fault, GameSetup, record_of
from tourney.hosts.faults import BotTraceback
from tourney.journal import folder, notes
from tourney.journal.bot_logs import add
from tourney.journal.events import EVENTS, Event, EventLog, Snapshot, moment, read_events
from tourney.journal.history import HistoryFits
from tourney.journal.lines import sealed
from tourney.journal.notes import MatchNotes, NotesByBlock, NotesWriter
from tourney.journal.reader import identity_difference, line_of, lines_from
from tourney.journal.run import RunFolder
from tourney.journal.search import FoundMatch, outcome, sort_value
from tourney.journal.standings import count_run
from tourney.schedule.base import schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.results import MatchResult

PLACES = [(block, seating) for block in (0, 1, 2, 5, 6, 70) for seating in range(3)]
TEXT = """
name = "t"
seed = 1
deals = 2
bots = ["first", "random", "steady"]
[[game]]
name = "vole"
options = { target = 1 }
"""
ROWS = [
    ("submitted", 0, "01T00:00", "a@1"), ("entered", 0, "01T00:01", "a@1"), ("submitted", 0, "02T00:00", "b@1"),
    ("entered", 0, "02T00:00", "b@1"), ("round", 0, "03T12:00", ""), ("paused", 3, "04T00:00", "b@1"),
    ("entered", 3, "05T00:00", "a@2"), ("round", 3, "06T12:00", ""), ("restored", 7, "07T00:00", "b@1"),
]  # fmt: skip
MOMENTS = {
    "1": (0, 0), "5": (0, 4), "6": (3, 5), "9": (7, 8), "a@1": (0, 1), "b": (0, 3), "a": (3, 6),
    "submitted:b@1": (0, 2), "paused:b@1": (3, 5), "restored:b@1": (7, 8), "2026-01-03": (3, 5),
    "2026-01-03T12:00": (3, 5), "2026-01-05": (3, 7), "2026-01-05T01:00+02:00": (3, 6), "2026-01-08": (7, 9),
    "0": "no line 0", "10": "no line 10; the last is 9", "2025-12-31": "created after", "2026-13-01": "invalid date",
}  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a finished run, the bytes of its journal, and its standings."""
    parent = tmp_path_factory.mktemp("journal")
    (parent / "t.toml").write_text(TEXT)
    assert called(["run", "t.toml", "--out", "run", "--quiet"], parent).returncode == 0
    path = parent / "run"
    return path, (path / folder.JOURNAL).read_bytes(), count_run(RunFolder(path)).ranking().rows


@settings(max_examples=200)
@given(data=st.data())
def test_a_flipped_byte_never_leads_to_wrong_standings(run, data):
    path, journal, rows = run
    at, value = data.draw(st.integers(0, len(journal) - 1)), data.draw(st.integers(0, 255))
    (path / folder.JOURNAL).write_bytes(journal[:at] + bytes([value]) + journal[at + 1 :])
    if value == journal[at] or at == len(journal) - 1:  # of which the latter is a torn line, which is left out
        assert (count_run(RunFolder(path)).ranking().rows == rows) == (value == journal[at])
    else:
        with pytest.raises(RunError, match=r"^[^\n]*journal\.jsonl, line [^\n]*$"):
            count_run(RunFolder(path))


def recorded(block: int = 7, options=None, seed: int = 5, seats=("a", "b")):
    (match,) = Block(block, GameSetup("vole", 2, options or {}), seed, (seats,)).matches()
    return match, record_of(match, "play:9t", (3, 1), (1, 2), (), ["log"])


def test_a_record_of_another_match_is_told_apart():
    match, record = recorded()
    assert identity_difference(record, match) is None
    for key, other in {"match": {"block": 8}, "options": {"options": {"x": 1}}, "seed": {"seed": 6}}.items():
        assert str(identity_difference(recorded(**other)[1], match)).startswith(f"{key}: ")
    assert str(identity_difference(recorded(seats=("b", "a"))[1], match)).startswith("seats: ")


@pytest.mark.parametrize("text", [b"", b"[]", b"{}", b'{"tournament":3}', b'{"tournament":{}}', b"\xff"])
def test_a_damaged_manifest_is_refused_with_one_line(tmp_path, text):
    (tmp_path / folder.MANIFEST).write_bytes(text)
    with pytest.raises(TourneyError, match=r"invalid or modified manifest"):
        config.of_manifest(folder.read_manifest(tmp_path))


def test_a_manifest_with_a_changed_byte_or_without_its_end_or_its_seal_is_refused(run, tmp_path):
    whole = (run[0] / folder.MANIFEST).read_bytes()
    changed = [whole.replace(b',\n  "seal"', b'}\n{"seal"'), whole + b" "]
    for kept in range(0, len(whole), 10):
        changed += [whole[:kept] + bytes([whole[kept] ^ 1]) + whole[kept + 1 :], whole[:kept], whole[:kept] + b"}"]
    for data in changed:
        (tmp_path / folder.MANIFEST).write_bytes(data)
        with pytest.raises(RunError, match=r"^.*manifest\.json: .*; restore it from a backup, or run .*$"):
            folder.read_manifest(tmp_path)


def test_differences_between_manifests_are_listed_by_key_and_tell_no_seed():
    old = {"python": "3.11", "a": {"b": [1, {"c": 2}], "d": 1}, "tournament": {"seed": 7, "x": [1]}}
    new = {"python": "3.12", "a": {"b": [1, {"c": 3}], "e": 1}, "tournament": {"seed": 8, "x": ["y" * 36, "y" * 37]}}
    listed = ["a.b[1].c: 2 became 3", "a.d: 1 became null", "a.e: null became 1", "tournament.seed changed"]
    long = f'tournament.x: [1] became ["{"y" * 35}...'
    assert folder.manifest_differences(old, new) == [*listed, long]
    assert [folder.shortened("y" * length)[-4:] for length in (38, 39)] == ['yyy"', "y..."]
    assert folder.manifest_differences(old, old) == []


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


@pytest.fixture
def events(tmp_path):
    (tmp_path / EVENTS).touch()
    events = [Event(kind, block, f"2026-01-{day}:00Z", bot, blocks=3 + block // 3) for kind, block, day, bot in ROWS]
    with EventLog(tmp_path) as log:
        log.add(*events)
    return events


@pytest.mark.usefixtures("events")
@pytest.mark.parametrize("at", MOMENTS)
def test_a_moment_is_before_an_event_or_at_a_date(tmp_path, at):
    if isinstance(wanted := MOMENTS[at], tuple):
        assert moment(tmp_path, read_events(tmp_path), at) == Snapshot(*wanted)
    else:
        with pytest.raises(RunError, match=wanted):
            moment(tmp_path, read_events(tmp_path), at)


def test_a_torn_event_is_cut_off_and_a_changed_one_refused(tmp_path, events):
    file = tmp_path / EVENTS
    whole = file.read_bytes()
    file.write_bytes(whole + b"torn")
    with EventLog(tmp_path) as log:
        assert (log.events, log.next_block) == (events, 7)
    assert file.read_bytes() == whole
    for changed, why in (
        (whole.replace(b"paused", b"retired"), "6: checksum mismatch"),
        (sealed(b"{}") + b"\n", "1: not an"),
    ):
        file.write_bytes(changed)
        with pytest.raises(RunError, match=f"line {why}"):
            EventLog(tmp_path)


@pytest.mark.parametrize(
    ("last", "step", "most", "every"),
    [((1000, 0), 32, None, 1), ((999, 1), 32, 5, 7), ((199, 1), 4, 53, 1), ((199, 0), 4, 50, 2), ((200, 1), 8, 1, 27)],
)
def test_a_history_has_points_where_the_field_changes_and_at_even_steps(tmp_path, events, last, step, most, every):
    block, seating = last
    match = Block(block, GameSetup("vole", 2, {}), 5, (("a", "b"), ("b", "a"))).matches()[seating]
    line = record_of(match, "play:9t", (3, 1), (1, 2), (), ["log"]).line()
    cup, found = drawn.tournament(3, [2], form="league"), []
    league = RunFolder(tmp_path)
    league.manifest, league.tournament, league.last_line = {"kind": "league"}, cup, line
    fits = HistoryFits(league, most)
    while fits.due is not None:
        found.append(fits.due)
        for blocks in (fits.due + 1, fits.due):
            fits.reach(blocks, schedule(cup), OutcomeCounts(cup.names, cup.setups))
    assert found == sorted({3, 7, *range(step, block + seating + 1, step)})[::every]
    points = fits.points()
    assert [point.block for point in points] == found
    told = {3: (events[5].date, tuple(events[5:7])), 7: (events[8].date, tuple(events[8:]))}
    for block, date, changes, _ in points:
        assert (date, changes) == told.get(block, (events[8 if block > 7 else 7].date, ()))
    assert HistoryFits(league).points() == points


@pytest.mark.parametrize(("seats", "scores", "places", "bot", "ended", "margin", "faults"), [
    ("abc", (5, 5, 1), (1, 1, 3), None, None, 0, 1), ("abc", (9, 4, 3), (1, 2, 3), "a", "won", 5, 1),
    ("abc", (9, 4, 3), (1, 2, 3), "c", "lost", 6, 0), ("abc", (5, 5, 1), (1, 1, 3), "b", "drawn", 0, 0),
    ("aba", (2, 8, 9), (3, 2, 1), "a", "won", 1, 1), ("aba", (2, 8, 9), (3, 2, 1), "b", "lost", 1, 0),
    ("ab", (7, 3), (2, 1), None, None, -4, 1),  # the better score was put behind by a fault
])  # fmt: skip
def test_how_a_match_ended_for_a_bot_and_by_how_much(seats, scores, places, bot, ended, margin, faults):
    made = Fault(0, "error", 1, None, ""), Fault(1, "out", None, None, "")
    match = FoundMatch("m", None, tuple(seats), MatchResult(scores, places, made), 7)
    assert bot is None or outcome(seats, places, bot) == ended
    assert [sort_value(key, bot)(match) for key in ("margin", "faults", "length")] == [margin, faults, 7]


PAID = [(1, 0, {"cost": 0.5, "thought": "x"}), (2, 1, {"cost": 0.25, "depth": 3}), (4, 0, {"depth": 4})]
FOUND = [
    MatchNotes("vole-00000-0", ("a", "b"), PAID),
    MatchNotes("vole-00000-1", ("b", "a"), PAID[:2], {"b": 2}),
    MatchNotes("vole-00002-0", ("a", "b"), PAID[2:], {"a": 1, "b": 1}),
    MatchNotes("vole-00002-1", ("b", "a"), PAID[:1]),
]


@settings(max_examples=60)
@given(st.lists(st.integers(0, 300), min_size=len(PLACES), max_size=len(PLACES)), st.integers(0, 10_000), st.booleans())
def test_a_match_is_found_wherever_it_is_without_reading_the_others(tmp_path_factory, lengths, end, torn):
    run = tmp_path_factory.mktemp("run")
    lines = {
        place: f'{{"match":"vole-{place[0]:05}-{place[1]}","x":"{"x" * length}"}}\n'.encode()
        for place, length in zip(PLACES, lengths, strict=True)
    }
    text = b"".join(lines.values())
    (run / folder.JOURNAL).write_bytes(text[:-1] if torn else text)
    end = min(end, len(text) - torn)
    whole = [place for i, place in enumerate(PLACES) if sum(map(len, list(lines.values())[: i + 1])) <= end]
    for block in range(72):
        for seating in range(4):
            later = [lines[place] for place in whole if place >= (block, seating)]
            assert [*lines_from(run, block, seating, end=end)] == later
            known = lines[block, seating] if (block, seating) in whole else b""
            assert line_of(run, f"vole-{block:05}-{seating}", end=end) == known
            assert line_of(run, f"vole-{block:05}-{seating}", until=block, end=end) == b""
    assert line_of(run, "leon-00001-1") == line_of(run, "vole") == b""


def test_what_was_written_is_found_and_cut_off_with_its_matches(tmp_path):
    assert ([*notes.read(tmp_path)], NotesByBlock(tmp_path).of(0)) == ([], {})
    with NotesWriter(tmp_path) as file:
        file.resume(0, 0)
        file.append(b"")
        assert not (tmp_path / folder.NOTES).exists()
        file.append(b"".join([match.line() for match in FOUND[:3]]))
        file.append(FOUND[3].line())
        assert (file.cost, file.cut) == (2.0, {"a": 1, "b": 3})
    assert [*notes.read(tmp_path)] == FOUND == [notes.of_match(tmp_path, match.match) for match in FOUND]
    assert notes.of_match(tmp_path, "vole-00000-2") == MatchNotes("vole-00000-2")
    assert notes.totals(tmp_path) == {
        ("a", "cost"): (2, 0.75), ("b", "cost"): (3, 1.25), ("b", "depth"): (1, 3), ("a", "depth"): (3, 11),
    }  # fmt: skip
    by_block = NotesByBlock(tmp_path)
    wanted = [{match.match: match for match in its} for its in (FOUND[:2], [], FOUND[2:], [])]
    for order in (range(4), (2, 0, 0, 3, 1), (0, 2)):
        assert [by_block.of(block) for block in order] == [wanted[block] for block in order]
    assert [FOUND[0].by_decision(seat).keys() for seat in (None, 0, 1)] == [{1, 2, 4}, {1, 4}, {2}]
    known = ((2, 2), 4, 2.0, 4), ((2, 1), 3, 1.5, 4), ((1, 2), 2, 1.5, 2), ((0, 1), 1, 0.75, 0)
    for (block, matches), left, cost, cut in known:
        with NotesWriter(tmp_path) as file:
            file.resume(block, matches)
            assert ([*notes.read(tmp_path)], file.cost, file.cut.total()) == (FOUND[:left], cost, cut)
