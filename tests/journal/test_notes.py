"""Notes of a run, read by match, by block and summed up; what is of no match of the journal is cut off."""

from tourney.journal import folder, notes
from tourney.journal.notes import MatchNotes, NotesByBlock, NotesWriter

PAID = [(1, 0, {"cost": 0.5, "thought": "x"}), (2, 1, {"cost": 0.25, "depth": 3}), (4, 0, {"depth": 4})]
FOUND = [
    MatchNotes("vole-00000-0", ("a", "b"), PAID),
    MatchNotes("vole-00000-1", ("b", "a"), PAID[:2], {"b": 2}),
    MatchNotes("vole-00002-0", ("a", "b"), PAID[2:], {"a": 1, "b": 1}),
    MatchNotes("vole-00002-1", ("b", "a"), PAID[:1]),
]


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
    assert [by_block.of(block) for block in range(4)] == wanted
    assert [FOUND[0].by_decision(seat).keys() for seat in (None, 0, 1)] == [{1, 2, 4}, {1, 4}, {2}]
    known = ((2, 2), 4, 2.0, 4), ((2, 1), 3, 1.5, 4), ((1, 2), 2, 1.5, 2), ((0, 1), 1, 0.75, 0)
    for (block, matches), left, cost, cut in known:
        with NotesWriter(tmp_path) as file:
            file.resume(block, matches)
            assert ([*notes.read(tmp_path)], file.cost, file.cut.total()) == (FOUND[:left], cost, cut)
