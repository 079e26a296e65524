"""A damaged run folder leads to an error of one line, never to a traceback or wrong standings."""

import re
from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import bot
from tourney import config
from tourney.base.errors import RunError, TourneyError
from tourney.contracts.match import Block, GameSetup, record_of
from tourney.journal import folder
from tourney.journal.reader import identity_difference
from tourney.journal.standings import count_run
from tourney.journal.writer import begin
from tourney.plugins.registry import load_game
from tourney.schedule.base import schedule
from tourney.table.table import play

TEXT = """
name = "t"
seed = 1
deals = 2
bots = ["first", "random", "steady"]
[[game]]
name = "vole"
options = { target = 1 }
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a finished run, the bytes of its journal, and its standings."""
    parent = tmp_path_factory.mktemp("journal")
    path = parent / "run"
    tournament = config.parse(TEXT, parent / "t.toml")
    begin(path, TEXT, config.manifest(tournament)).close()
    lines = [
        play(match, load_game("vole"), [bot(name) for name in match.seats]).line()
        for block in schedule(tournament).blocks()
        for match in block.matches()
    ]
    journal = b"".join(lines)
    (path / folder.JOURNAL).write_bytes(journal)
    return path, journal, count_run(path).ranking().rows


def outcome(run, journal: bytes) -> object:
    """Counts the run with another journal; returns the totals or the error."""
    path, _, _ = run
    (path / folder.JOURNAL).write_bytes(journal)
    try:
        return count_run(path)
    except TourneyError as error:
        return error


@settings(max_examples=200)
@given(data=st.data())
def test_a_flipped_byte_never_leads_to_wrong_standings(run, data):
    _, journal, rows = run
    at = data.draw(st.integers(0, len(journal) - 1))
    value = data.draw(st.integers(0, 255))
    found = outcome(run, journal[:at] + bytes([value]) + journal[at + 1 :])
    if value == journal[at]:
        assert found.ranking().rows == rows
    elif at == len(journal) - 1:
        assert found.ranking().rows != rows  # the last line is torn, and left out
    else:
        assert isinstance(found, RunError)
        assert "journal.jsonl, line " in str(found)
        assert "\n" not in str(found)


@settings(max_examples=50)
@given(cut=st.floats(0, 1))
def test_the_complete_lines_of_a_truncated_journal_are_counted(run, cut):
    _, journal, _ = run
    left = journal[: int(cut * len(journal))]
    found = outcome(run, left)
    assert sum(row.matches for row in found.ranking().rows) == 2 * left.count(b"\n")


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


@pytest.fixture(scope="module")
def manifest(run, tmp_path_factory):
    """The bytes of a manifest, in a folder of its own."""
    path = tmp_path_factory.mktemp("manifest")
    folder.write_manifest(path, folder.read_manifest(run[0]))
    return path, (path / folder.MANIFEST).read_bytes()


def refuse(path, changed: bytes) -> None:
    (path / folder.MANIFEST).write_bytes(changed)
    with pytest.raises(RunError, match=r"^.*manifest\.json: .*; restore it, or run the tournament again$"):
        folder.read_manifest(path)


def test_a_manifest_with_a_changed_byte_or_without_its_end_or_its_seal_is_refused(manifest):
    path, whole = manifest
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


def test_a_run_is_found_by_its_path_or_by_its_name_under_results(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = tmp_path / "results" / "mine"
    found.mkdir(parents=True)
    (found / folder.MANIFEST).write_bytes(b"{}")
    assert folder.find_run("mine").resolve() == found.resolve()
    assert folder.find_run(str(found)) == found
    (tmp_path / "file").touch()
    for wrong, says in {
        "min": 'there is no such run, neither here nor under results/; did you mean "mine"?',
        "file": "is a file",
        "results": "holds no run itself; give one of those in it, such as results/mine",
        "results/mine/..": "holds no run itself",
        ".": "holds no run (there is no manifest.json)",
    }.items():
        with pytest.raises(RunError, match=f"^{re.escape(f'{wrong}: {says}')}"):
            folder.find_run(wrong)


FREE = {
    "nothing": ({}, True),
    "left by a start": ({folder.JOURNAL: "", folder.TOURNAMENT: "x", f"{folder.MANIFEST}.new": "x"}, True),
    "no journal": ({folder.TOURNAMENT: "x"}, False),
    "a match": ({folder.JOURNAL: "x"}, False),
    "something else": ({folder.JOURNAL: "", "notes.txt": "x"}, False),
}


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
