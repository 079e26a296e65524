"""The report as a file: it holds what it needs and nothing that could get out of hand; and the page of a league."""

import re
import shutil
import subprocess
import time
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import orjson
import pytest

from tests.conftest import TOURNEY, called, tournament_text
from tests.report.runs import ARABIC, LONG, entered, league, more_bots, play
from tourney.contracts.rng import seed_text
from tourney.journal.reader import last_line, parse_record
from tourney.journal.run import RunFolder
from tourney.report import page
from tourney.report.league import bots, field, rating_lines
from tourney.report.match_data import result_text
from tourney.report.page import embed, report_page
from tourney.report.run_data import read_runs
from tourney.runner.league import change
from tourney.schedule.league import gain_text

ENDS = [
    (["steady", "seer"], [2, 1], [27, 29], "seer beats steady 29 to 27"),
    (["a", "b", "a", "c"], [1, 3, 2, 4], [5, 2, 4, 0], "a wins (a 5, a 4, b 2, c 0)"),
    (["a", "b", "c"], [1, 1, 1], [4, 4, 4], "a, b and c draw 4 to 4 to 4"),
    (["steady", "you"], [2, 1], [1, 8], "you beat steady 8 to 1"),
]

MANY = {"cup": {"format": '"knockout"'}, "swiss": {"format": '"swiss"', "rounds": "2"}}
FIRST_TABLES = "The last 2 rounds, with the first 40 bots in each"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return play(tmp_path_factory.mktemp("runs"), "small", "faulty", "single")


class Parts(HTMLParser):
    """The elements of a page, with their attributes and texts."""

    def __init__(self, text):
        super().__init__()
        self.elements, self._open = [], [[]]
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs), []))
        self._open.append(self.elements[-1][2])

    def handle_endtag(self, tag):
        self._open.pop()

    def handle_data(self, data):
        self._open[-1].append(data)

    def of(self, tag):
        return [(attrs, "".join(texts)) for name, attrs, texts in self.elements if name == tag]


def written(run, most=2, **keys):
    data = read_runs([RunFolder(run)])
    return report_page(data, embed(data, most), **keys)


@pytest.mark.parametrize(("matches", "scripts"), [(0, 2), (2, 3)])
def test_all_scripts_and_styles_are_allowed_by_their_hashes_and_nothing_else_is(runs, matches, scripts):
    """The viewer of matches is there only with matches."""
    parts = Parts(written(runs / "small", matches))
    [policy] = [attrs["content"] for attrs, _ in parts.of("meta") if "http-equiv" in attrs]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))
    assert rules["default-src"] == "'none'"
    assert "unsafe" not in policy
    code = [text for attrs, text in parts.of("script") if attrs.get("type", "module") == "module"]
    assert len(code) == scripts
    for kind, texts in (("script-src", code), ("style-src", [text for _, text in parts.of("style")])):
        hashes = {f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'" for text in texts}
        assert set(rules[kind].split()) == hashes
    assert not [attrs for _, attrs, _ in parts.elements if {"src", "style", "onclick", "onload"} & attrs.keys()]
    assert not [attrs for attrs, _ in parts.of("link")]


def test_hostile_text_stays_text(runs):
    """A run may come from somebody else, and whatever its bots have answered stands in it."""
    text = written(runs / "faulty")
    hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    assert hostile not in page._json({"a": hostile})
    data = read_runs([RunFolder(runs / "faulty")])
    [fault, *_] = [each for each in data.notable if each.reason == "fault"]
    object.__setattr__(data, "notable", [fault._replace(text=hostile)])
    parts = Parts(report_page(data))
    assert not parts.of("img")
    assert len(parts.of("script")) == 3
    assert any(hostile in "".join(texts) for tag, _, texts in parts.elements if tag == "span")
    assert text.count(f">{ARABIC}</bdi>") >= 2
    assert f'title="{LONG}"' in text


@pytest.mark.slow
def test_a_page_of_many_bots_has_all_of_them_in_the_standings_and_the_first_40_elsewhere(tmp_path):
    keys = {"deals": "1", "extra": more_bots(70), "game": '[[game]]\nname = "vole"\noptions = { target = 1 }'}
    texts = {name: tournament_text(name, **keys, **own) for name, own in MANY.items()}
    for name, (boxes, note) in {"cup": (16 + 8 + 4 + 2 + 1, "The last 5 rounds"), "swiss": (0, FIRST_TABLES)}.items():
        data = read_runs([RunFolder(play(tmp_path, **{name: texts[name]}) / name)])
        text = report_page(data)
        standings = text.partition('id="standings"')[2].partition("</table>")[0]
        assert [name for name in data.tournament.names if f">{name}</bdi>" not in standings] == []
        assert f"{note}; all of them: <code>" in text
        assert text.count("The first 40 of 70 bots; all of them: <code>") == 2
        assert text.count('class="meeting') == boxes
        assert text.count("s worst loss: ") == 40


def test_a_match_whose_record_is_another_one_by_now_is_left_out_of_the_page(runs, tmp_path):
    run = shutil.copytree(runs / "small", tmp_path / "run")
    data, journal = read_runs([RunFolder(run)]), run / "journal.jsonl"
    before, match, whole = embed(data, 3).names, data.notable[0].match, journal.read_bytes()
    end = whole.index(b"\n", match.offset) + 1
    other = min(whole.splitlines(keepends=True), key=len).ljust(end - match.offset)
    journal.write_bytes(whole[: match.offset] + other + whole[end:])
    assert [name for name in before if name not in embed(data, 3).names] == [match.facts.id]
    journal.unlink()
    assert embed(data, 3).names == []


@pytest.mark.slow
def test_by_default_it_has_less_than_3_mb_and_matches_of_every_game(tmp_path):
    """The long matches of one game leave room for those of the others."""
    text = written(play(tmp_path, "all") / "all", most=None)
    assert len(text.encode()) < 3_000_000
    data = orjson.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    shown = [name.rsplit("-", 2)[0] for name in data["embedded"]]
    assert min(map(shown.count, ("bang", "cold-blooded", "leon", "vole", "voleur"))) > 1


@pytest.mark.parametrize(("seats", "places", "scores", "says"), ENDS)
def test_a_link_to_a_match_says_how_it_ended(seats, places, scores, says):
    assert result_text(seats, places, scores, ()) == says


def test_a_match_that_was_lost_by_a_fault_says_so():
    assert result_text(["random", "crash"], [1, 2], [10, 29], [1]) == "random wins: crash made a fault (10 to 29)"
    assert result_text(["a", "b", "c"], [1, 1, 3], [4, 4, 9], [2]) == "a and b win: c made a fault (4 to 4 to 9)"


def test_the_page_of_a_league_tells_of_versions_and_ratings_over_time_and_what_strangers_wrote_stays_text(tmp_path):
    hostile = "<script>alert(1)<img src=x onerror=alert(1)>"
    path = league(tmp_path / "open", 60, "steady@1", "first@1", "random@1", author=hostile)
    for what in ("paused", "restored"):
        change(path, "steady", what, "")
    change(league(path, 200, "first@2=steady"), "random", "paused", f"{hostile}\n{hostile}")
    data = read_runs([RunFolder(path)])
    first = next(bot for bot in bots(data) if bot.name == "first")
    said = [(each.name, each.state, each.gain) for each in first.versions]
    assert said == [
        ("first@2", "plays", gain_text("first@1", *data.totals.schedule.gains().values())),
        ("first@1", "retired", ""),
    ]
    came = {bot: [point.version for point in line if point.came] for bot, line in rating_lines(data).items()}
    assert came == {"steady": ["steady@1"], "first": ["first@1", "first@2"], "random": ["random@1"]}
    assert {line[-1].block for line in rating_lines(data).values()} == {data.blocks}
    assert [name for name, _, _ in field(data)["absent"]] == ["random@1"]
    assert field(data)["counts"] == "2 versions play, 1 version is retired, 1 version is paused"
    newest, record = data.matches.newest()[0], parse_record(last_line(path), "")
    assert newest.match.facts.id == record.match
    assert {*newest.text.split(", ")} == {*map("{} {}".format, record.seats, record.scores)}
    parts = Parts(text := report_page(data))
    assert (len(parts.of("img")), len(parts.of("script"))) == (0, 3)
    assert [said for _, said in parts.of("bdi")].count(hostile) == 3
    assert seed_text(data.tournament.seed) not in text


def test_a_league_has_a_page_before_its_first_match_and_says_who_plays_when(tmp_path):
    path = entered(tmp_path / "open", "steady@1", "first@1", author="Ann")
    data = read_runs([RunFolder(path)])
    both = [("steady@1", "plays", "round 1"), ("first@1", "plays", "round 1")]
    assert (field(data)["rows"], field(data)["next"].partition(" when")[0]) == (both, "Round 1 begins")
    assert "steady@1" in report_page(data)
    entered(league(path, 4), "random@1")
    shown = field(read_runs([RunFolder(path)]))
    assert shown["rows"] == [*both, ("random@1", "plays", "round 2")]
    assert shown["next"].startswith("Round 2 begins after 4 more matches")
    said = called(["matches", str(path), "--bot", "random"], tmp_path).stderr
    assert max(map(len, said.splitlines())) < 80
    assert " ".join(said.split()) == f"random@1 has no matches: it waits for round 2. {shown['next']}"


@pytest.mark.slow
def test_play_renews_a_page_that_is_whole_when_play_is_killed_and_up_to_date_when_it_ends(tmp_path):
    path, file = league(tmp_path / "open", 8, "steady@1", "first@1", "random@1"), tmp_path / "web" / "index.html"
    command = ["league", "play", str(path), "--report", str(file), "--workers", "1", "--quiet"]
    with subprocess.Popen([TOURNEY, *command]) as playing:
        while not file.exists():
            assert playing.poll() is None
            time.sleep(0.05)
        playing.kill()
    assert file.read_text(encoding="utf-8").endswith("</html>")
    assert called([*command, "--matches", "8"], tmp_path).returncode == 0
    assert f"{read_runs([RunFolder(path)]).totals.matches} matches on" in file.read_text(encoding="utf-8")
