"""A line of a journal is the record of the match that the schedule has in its place, byte for byte, or is refused."""

import pytest

from tourney.base.errors import RunError
from tourney.contracts.match import Block, GameSetup, record_of
from tourney.journal.reader import identity_difference, parse_sealed_record

BLOCK = Block(7, GameSetup("vole", 2, {}), 5, (("a", "b"),))
RECORD = record_of(BLOCK.matches()[0], "play:9t", (3, 1), (1, 2), (), ["log"])


def test_a_line_with_a_changed_byte_is_refused():
    line = RECORD.line()
    assert parse_sealed_record(line, "line 1") == RECORD
    for at in range(len(line)):
        with pytest.raises(RunError):
            parse_sealed_record(line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :], "line 1")


@pytest.mark.parametrize(
    ("key", "other"),
    [
        ("match", Block(8, BLOCK.setup, 5, BLOCK.seatings)),
        ("seed", Block(7, BLOCK.setup, 6, BLOCK.seatings)),
        ("seats", Block(7, BLOCK.setup, 5, (("b", "a"),))),
        ("options", Block(7, GameSetup("vole", 2, {"x": 1}), 5, BLOCK.seatings)),
    ],
)
def test_a_record_of_another_match_is_told_apart(key, other):
    assert identity_difference(RECORD, BLOCK.matches()[0]) is None
    assert key in str(identity_difference(RECORD, other.matches()[0]))
