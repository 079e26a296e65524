"""What is kept of an analysis: its file, which says how it was made, and who plays a match on for whom."""

import sys

import msgspec
import pytest

from tests.conftest import BAD, tournament_text
from tests.helpers import play_match
from tourney import config
from tourney.base.errors import RunError
from tourney.hosts.timing import DecisionTimes
from tourney.journal import times
from tourney.journal.run import RunFolder
from tourney.review.analysis import file as analysis
from tourney.review.analysis.file import AnalysisFile, AnalysisSettings, MatchAnalysis
from tourney.review.analysis.job import AnalysisOrder, DecisionAnalysis, DecisionRange, PlayingBots
from tourney.review.bots import substitute

SETTINGS = AnalysisSettings(2, 6, {"one": "", "two": "why"}, {"vole": "steady"}, {"game vole": "a", "bot one": "b"})
COSTS = [analysis.DecisionCost(n, n % 2, "play:1t", "play:2t", 50.0, 1.0, 0.5, 0.0, False, "early") for n in (1, 2, 3)]


def match(bots, costs, digest="d"):
    return MatchAnalysis("vole-00000-0", "vole", ["one", "two"], bots, digest, costs)


def test_bots_that_were_analysed_one_after_another_are_put_together(tmp_path):
    assert analysis.read_analysis(tmp_path) == {}
    with AnalysisFile(tmp_path) as file:
        file.begin(SETTINGS)
        file.add(match(["two"], [COSTS[0], COSTS[2]]))
        file.add(match(["one"], [COSTS[1]]))
    assert analysis.read_analysis(tmp_path) == {"vole-00000-0": match(["one", "two"], COSTS)}
    with AnalysisFile(tmp_path) as file:
        assert file.settings == SETTINGS
        file.begin(SETTINGS)
        file.clear()
    assert file.path.read_bytes() == b""
    with pytest.raises(RunError, match="has changed since it was analysed"):
        analysis.require_same_match(tmp_path, match([], []), play_match("random", "random"))


@pytest.mark.parametrize(("changes", "says"), [
    ({"analysis": 1}, "another version"), ({"playouts": 7}, "with 6 playouts, not 7"),
    ({"sources": {"game vole": "c", "bot one": "b", "bot two": "d"}}, "different source code of game vole, bot two"),
    ({"bots": {"one": "", "two": ""}}, "other bots in the playouts"),
])  # fmt: skip
def test_an_analysis_is_made_in_one_way_or_begun_anew_where_it_holds_no_match(tmp_path, changes, says):
    other = msgspec.structs.replace(SETTINGS, **changes)
    with AnalysisFile(tmp_path) as file:
        file.begin(SETTINGS)
    with AnalysisFile(tmp_path) as file:
        file.begin(other)
        assert file.settings == other
    assert file.path.read_bytes().count(b"\n") == 1
    with AnalysisFile(tmp_path) as file:
        file.clear()
        file.begin(SETTINGS)
        file.add(match(["one"], COSTS))
    with AnalysisFile(tmp_path) as file, pytest.raises(RunError, match=says):
        file.begin(other)
    with AnalysisFile(tmp_path) as file:
        assert file.settings == SETTINGS


@pytest.mark.parametrize(("old", "new", "says"), [
    (b"}\n", b"\n", "line 1: not analysis settings"), (b'"decision":2', b'"decision":3', "line 2: checksum mismatch"),
    (b'"playouts":6', b'"playouts":7', "line 1: checksum mismatch"),
    (b'"expected":50.0', b'"expected":1e7', "line 2: not the analysis of a match .*1000000"),
    (b'"analysis":2', b'"analysis":3', "created by another version"),
])  # fmt: skip
def test_damage_is_told_with_its_line_and_a_torn_last_line_is_cut_off(tmp_path, old, new, says):
    with AnalysisFile(tmp_path) as file:
        file.begin(SETTINGS)
        file.add(match(["one", "two"], COSTS))
    data = file.path.read_bytes()
    file.path.write_bytes(data + b'{"match":')
    AnalysisFile(tmp_path).__exit__()
    assert file.path.read_bytes() == data
    file.path.write_bytes(data.replace(old, new, 1))
    with pytest.raises(RunError, match=says):
        analysis.read_analysis(tmp_path)


BOTS = f"""[{{ name = "slow", use = "bots.py:Good" }}, {{ name = "gone", use = "gone.py:Good" }},
{{ name = "apart", use = "first", host = "process" }},
{{ name = "program", command = ["{sys.executable}", "it.py"] }}]"""


@pytest.fixture
def order(tmp_path):
    """An order to analyse a run with bots of all kinds, of which one is gone by now; its `trusted` gets their files."""
    for file in ("bots.py", "gone.py", "it.py"):
        (tmp_path / file).write_bytes(BAD.read_bytes())
    tournament = config.parse(tournament_text("t", bot=BOTS), tmp_path / "t.toml")
    person = msgspec.structs.replace(tournament.entrants[0], name="me", use="", host="person")
    tournament = msgspec.structs.replace(tournament, entrants=(*tournament.entrants, person))
    (tmp_path / "gone.py").unlink()
    measured = {"random": DecisionTimes(9, {9: 9}), "first": DecisionTimes(), "slow": DecisionTimes(10**6, {319: 1})}
    (tmp_path / "t").mkdir()
    times.save(tmp_path / "t", times.Times(0, measured))
    run = RunFolder(tmp_path / "t")
    run.manifest = {}
    return AnalysisOrder(run, tournament, [], None, None, False, None, [].append)


def test_a_bot_plays_on_itself_if_it_can_be_loaded_here_and_is_quick(order):
    playing = PlayingBots(order)
    found = playing.settings(None)
    assert order.trust.__self__ == [[str(order.run.path.with_name("bots.py"))]]
    assert found.bots.pop("gone").startswith('it cannot be loaded: no bot "gone.py:Good"')
    assert found.bots == {
        "random": "",
        "first": "its decision times are unknown",
        "steady": "its decision times are unknown",
        "slow": "it thinks 1.0 ms a decision",
        "apart": "its host is process",
        "program": "it is a program",
        "me": "a person decided for it",
    }
    assert (found.analysis, found.playouts, found.substitutes) == (2, 100, {"vole": "steady"})
    assert sorted(found.sources) == ["bot (steady)", "bot random", "game vole"]
    assert [substitute(game) for game in ("vole", "goofspiel")] == ["steady", "random"]
    alone = playing.tournament({"random": "", "first": ""}, {"vole": "steady"})
    assert alone.names == ("random", "first")


@pytest.mark.parametrize(("bots", "substitutes", "kept"), [
    ({}, {"vole": "steady"}, True), ({}, {"vole": "random"}, True), ({}, {"vole": "first"}, False),
    ({}, {"vole": "random", "leon": "random"}, False), ({"program": ""}, {"vole": "steady"}, False),
    ({"more": "x"}, {"vole": "steady"}, False),
])  # fmt: skip
def test_who_plays_on_stays_if_an_earlier_analysis_names_nothing_else_to_run(order, bots, substitutes, kept):
    order = order._replace(trust=str)
    bots = dict.fromkeys(order.tournament.names, "x") | {"random": ""} | bots
    before = msgspec.structs.replace(SETTINGS, playouts=8, bots=bots, substitutes=substitutes)
    after = PlayingBots(order).settings(before)
    assert after.playouts == 8
    assert ((after.bots, after.substitutes) == (bots, substitutes)) == kept
    assert PlayingBots(order._replace(playouts=5)).settings(before).playouts == 5


def test_an_analysis_that_hangs_is_told_with_its_decisions():
    item = DecisionRange(play_match("random", "random"), ("one",), 5, 8)
    told = str(DecisionAnalysis(SETTINGS).game_error(item, "it hangs"))
    assert "while analysing its decisions 5 to 8, it hangs" in told
