"""Results read from lines without parsing them in full equal the parsed ones, or are refused."""

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tourney import match_results
from tourney.journal.reader import parse_sealed_record
from tourney.match import Block, Fault, GameSetup, record_of
from tourney.match_results import MatchResult, ResultReader

NAMES = st.text(min_size=1, max_size=8) | st.sampled_from(['a"b', "%s", "{0}", "\\", "é", '"actions":"', "\n"])
FAULT = Fault(1, "error", 3, None, 'it said "no","scores":[1]')

FAULTS = st.sampled_from([(), (FAULT,)])


@st.composite
def played(draw):
    """Draws a block with the records of its matches."""
    seats = draw(st.lists(NAMES, min_size=2, max_size=4, unique=True))
    setup = GameSetup(draw(st.sampled_from(["vole", "a%d"])), len(seats), draw(st.sampled_from([{}, {"x%": "y{}"}])))
    seatings = (tuple(seats), tuple(reversed(seats)))
    block = Block(draw(st.integers(0, 10**7)), setup, draw(st.integers(0, 2**128 - 1)), seatings)
    scores = draw(st.lists(st.integers(-(10**6), 10**6), min_size=len(seats), max_size=len(seats)))
    places = tuple(range(1, len(seats) + 1))
    return block, [
        record_of(match, "play:9t pass", tuple(scores), places, draw(FAULTS), ["log"]) for match in block.matches()
    ]


@pytest.mark.slow
@given(played(), played())
def test_results_and_records_equal_those_of_lines_parsed_in_full(one, other):
    reader = ResultReader()
    for block, records in [one, other, one]:
        lines = [record.line() for record in records]
        found = reader.read([block], lines)
        assert found.results() == [MatchResult(record.scores, record.places, record.faults) for record in records]
        assert match_results.records(found) == [parse_sealed_record(line, "") for line in lines]
        assert reader.read_trusted([block], lines).results() == found.results()
        assert reader.read([block], lines[:1]).results() == found.results()[:1]


@given(st.lists(played(), min_size=1, max_size=5), st.data())
def test_blocks_read_together_equal_blocks_read_singly(some, data):
    blocks = [block for block, _ in some]
    lines = [record.line() for _, records in some for record in records]
    lines = lines[: data.draw(st.integers(2 * len(some) - 1, 2 * len(some)))]
    found = ResultReader().read(blocks, lines)
    assert match_results.records(found) == [parse_sealed_record(line, "") for line in lines]
    for i, each in enumerate(found.by_block()):
        alone = ResultReader().read([blocks[i]], lines[2 * i : 2 * i + 2])
        assert (each.results(), each.lines, each.blocks) == (alone.results(), alone.lines, (blocks[i],))


@pytest.fixture
def one():
    block = Block(7, GameSetup("vole", 2, {}), 5, (("a", "b"),))
    return block, record_of(block.matches()[0], "play:9t", (3, 1), (1, 2), (), ["log"]).line()


def test_a_line_with_a_changed_byte_is_refused(one):
    block, line = one
    assert ResultReader().read([block], [line]) is not None
    for at in range(len(line)):
        assert ResultReader().read([block], [line[:at] + bytes([line[at] ^ 1]) + line[at + 1 :]]) is None


@pytest.mark.parametrize("change", [{"number": 8}, {"seed": 6}, {"seatings": (("b", "a"),)}])
def test_a_line_of_another_match_is_refused(one, change):
    block, line = one
    values = {name: getattr(block, name) for name in block.__struct_fields__}
    assert ResultReader().read([Block(**(values | change))], [line]) is None


@pytest.mark.parametrize("options", [{"x": 1}, {"x": 1, "y": 2}])
def test_a_line_with_other_options_is_refused(one, options):
    block, line = one
    other = Block(block.number, GameSetup("vole", 2, options), block.seed, block.seatings)
    assert ResultReader().read([other], [line]) is None


@pytest.mark.parametrize(
    "change",
    [
        {"scores": [3]},
        {"places": [1, 2, 3]},
        {"faults": [{"seat": 2, "kind": "error", "decision": 1, "answer": None, "detail": ""}]},
        {"faults": [{"seat": 0, "kind": "other", "decision": 1, "answer": None, "detail": ""}]},
        {"scores": [3, "1"]},
    ],
)
def test_a_sealed_line_with_impossible_values_is_refused(one, change, monkeypatch):
    block, line = one
    monkeypatch.setattr(match_results, "are_sealed", lambda _lines: True)
    assert ResultReader().read([block], [line]) is not None
    assert ResultReader().read([block], [orjson.dumps(orjson.loads(line) | change) + b"\n"]) is None
