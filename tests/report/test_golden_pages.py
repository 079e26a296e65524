"""The pages of some runs say what they said, section by section."""

import contextlib
import dataclasses
import re
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest
from msgspec import to_builtins

from tests.cli.runs import change_manifest
from tests.conftest import called, mostly_slow, tournament_text
from tests.report.runs import FAULTY, TEXTS, begun, more_bots, play
from tourney.hosts.timing import DecisionTimes
from tourney.journal.history import Rated
from tourney.journal.run import RunFolder
from tourney.journal.times import Times
from tourney.report.charts import over_time_picture, pictures
from tourney.report.league import RatingPoint
from tourney.report.page import bot_page, embed, report_page
from tourney.report.run_data import read_runs
from tourney.report.sections import verdict
from tourney.review.analysis.file import DecisionCost, MatchAnalysis
from tourney.review.calibration import Bin, Calibration
from tourney.review.track import track_sheet
from tourney.runner.commits import Commit
from tourney.runner.track import CommitEntry, KnownCommits

LONG = 6000  # of a part with more characters than this, the hash is kept
GAMES = '[[game]]\nname = "vole"\noptions = { target = 6 }'
for seats in (2, 3):
    GAMES += f'\n[[game]]\nname = "voleur"\nseats = {seats}\noptions = {{ target = 6 }}'
THREE = GAMES[GAMES.rindex("[[game]]") :]
VERSIONS = ("first", "steady", "random", "random")
# of each commit: its entrant, or why there is none; `a`, `b` and `c` have not played
COMMITS = ["v0", "v0", "gone", "gone", "broken", "a", "b", "v1", "a", "v1", "v1", "c", "gone", "v2", "v3", "v1"]
RUNS: dict[str, dict[str, str]] = {
    "faults": {"deals": "6", "bots": '["steady", "first"]', "extra": f"{FAULTY}\n[limits]\nmax_faults = 8"},
    "games": {"deals": "5", "game": GAMES},
    "swiss": {"format": '"swiss"', "rounds": "3", "deals": "2", "extra": more_bots(5), "game": THREE},
    "cup": {"format": '"knockout"', "deals": "3"},
    "large": {"format": '"gauntlet"', "challengers": '["steady"]', "deals": "6", "extra": more_bots(42)},
    "sweep": {
        "bots": "[]",
        "extra": '[[bot]]\nname = "mix"\nuse = "coverage_bots.py:Mixture"\nsweep = { share = [0.0, 0.5, 1.0] }',
    },
    "track": {
        "format": '"track"',
        "pool": '["steady"]',
        "deals": "100",
        "bots": '["steady"]',
        "extra": "\n".join([f'[[bot]]\nname = "v{i}"\nuse = "{use}"' for i, use in enumerate(VERSIONS)]),
    },
}
"""The keys of the tournament files."""
GATE = "gate random --against steady --game leon:4 --option leon.max_cards=2 --game vole --elo0 -200 --alpha 0.1"
SMALL = ("single", "hopeless")  # further runs, of files that other tests play, too
BEGUN = {"games": 100, "swiss": 14}  # of these runs, only so many matches are there


def data_of(run):
    """Reads a run; with versions, decision times and the analysis of a match that are the same on every machine."""
    data = read_runs([RunFolder(run)])
    data.runs[0].manifest = {"tourney": "1.2", "python": "3.4", "bots": {"first": {"version": "5"}}}
    bots = data.tournament.names[: len(data.tournament.names) // 2 + 1]
    data.runs[0].times = Times(
        0, {name: DecisionTimes(2 * 10**n, {16 * n: 9, 50 * n: 1}) for n, name in enumerate(bots, 3)}
    )
    match = data.notable[0].match.facts
    costs = [
        DecisionCost(n, n % 2, "play:9t", "swap:1t", 40.0, n % 4 - 1.0, 0.5, n / 8, n > 7, "trick") for n in range(9)
    ]
    analysed = MatchAnalysis(match.id, data.notable[0].match.game, list(match.seats), [match.seats[1]], "", costs)
    data.matches.by_name[match.id] = data.notable[0].match
    keys: dict[str, Any] = {"match_analyses": {match.id: analysed}}
    bins = Bin(0.25, 0.5, 4, 1, None, None), Bin(0.75, 1.0, 5, 3, 0.9, 1.0)
    spent = {(bots[0], "tokens_in"): (2, 30.0), (bots[0], "cost"): (2, 0.5)}
    right = [Calibration(bot, "vole", 9, 3, 0.125, 0.05, bins) for bot in bots]
    keys |= {"noted": spent, "calibrations": right} if data.tournament.name == "cup" else {}
    return dataclasses.replace(data, **keys)


def add_commits(run):
    """Makes a track out of a run, whose commits share the versions that have played."""
    commits = [
        Commit(f"{i:x}" * 40, f"2026-11-{i + 1:02}T12:00:00Z", f"Change {name} for the {i}th time", name)
        for i, name in enumerate(COMMITS)
    ]
    trees = {
        each.tree: CommitEntry(each.hash, *([each.tree] if len(each.tree) < 3 else ["", "", {}, each.tree]))
        for each in commits
    }
    change_manifest(run, kind="track")
    (run / "commits.json").write_bytes(orjson.dumps(to_builtins(KnownCommits({}, commits, trees))))


def texts_of_track(run, track):
    """A track in all formats, and all of its rows."""
    yield from ((form, track_sheet(run, track).text(form, 72)) for form in ("table", "markdown"))
    yield from ((str(width), track_sheet(run, track, every=True).text("table", width)) for width in (40, 63))
    yield "csv", re.sub(r"(\.\d\d)\d+", r"\1", track_sheet(run, track).text("csv"))
    yield "json", text_of(orjson.loads(track_sheet(run, track).text("json")))


def said(data, most):
    """What the pages of a run say: sections, what scripts read, the pictures as they stand in files; and of a bot."""
    embedded = embed(data, most)
    text = re.sub(r"bots\.py:\d+", "bots.py:LINE", report_page(data, embedded, 4.5))
    read = orjson.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)[1])
    shown, of_bot = [
        re.sub(r"<(script|style|dialog)\b.*?</\1>|<meta http-equiv.*?>|\n", "", each, flags=re.DOTALL)
        for each in (
            text,
            bot_page(data, data.rows[-1].bot, embedded._replace(bots=data.tournament.names, picture=True)),
        )
    ]
    found = {part.partition('"')[2].partition('"')[0]: part for part in re.split("(?=<section id=)", shown)}
    found |= {f"data: {key}": text_of(value) for key, value in read.items() if key != "pictures"}
    found |= {f"picture in the page: {key}": text_of(value) for key, value in read["pictures"].items()}
    found |= {f"picture: {each.name}": text_of([each.description, each.for_file()]) for each in pictures(data)}
    found |= {f"track: {form}": text for form, text in texts_of_track(data.path, data.track)} if data.track else {}
    found["page of a bot"] = of_bot
    return {key: part if len(part) < LONG else sha256(part.encode()).hexdigest() for key, part in found.items()}


def text_of(value):
    """A value as JSON; without the address of a schema, and with few digits, as the last ones depend on the machine."""

    def plain(value):
        if isinstance(value, dict):
            return {str(key): plain(each) for key, each in value.items() if key != "$schema"}
        if isinstance(value, list | tuple):
            return [plain(each) for each in value]
        return round(value, 2) if isinstance(value, float) else value

    return orjson.dumps(plain(value)).decode()


@pytest.mark.parametrize("name", mostly_slow([*RUNS, *SMALL, "gate"], "faults", "games", "cup", "track", "gate"))
def test_the_page_of_a_run_says_what_it_said(golden, tmp_path, name):
    run = tmp_path / name
    if name == "gate":
        for out, more in ((name, []), ("capped", ["--max-deals", "1"])):
            called([*GATE.split(), *more, "--quiet", "--out", out], tmp_path)
    else:
        play(tmp_path, **{name: TEXTS[name] if name in SMALL else tournament_text(name, **RUNS[name])})
    if name in BEGUN:
        run = begun(run, BEGUN[name], "begun")
    if name == "track":
        assert read_runs([RunFolder(run)]).track is None
        add_commits(run)
    with contextlib.chdir(tmp_path):
        data = data_of(Path(run.name))
        found = said(data, None if name == "cup" else 3)
    if name in BEGUN:
        found["extremes"] = [each.text for its in data.matches.extremes().values() for each in (*its.best, *its.worst)]
    if name == "gate":
        found |= {
            each.name: verdict(read_runs([RunFolder(each)]))
            for each in (begun(run, 9, "begun"), run.with_name("capped"))
        }
    lines = [orjson.dumps({key: part}).decode()[1:-1] for key, part in found.items()]
    golden(f"{name}.json", "{\n" + ",\n".join(lines) + "\n}")


def test_the_ratings_of_a_league_over_time_are_drawn_as_they_were(golden):
    def point(number, block):
        rated = Rated(1400.0 + number * block, *((None, None) if block == 0 else (1400.0, 1600.0 + block)))
        return RatingPoint(block, "2026-11-26", f"bot-{number}@{1 + block // 40}", rated, block in (0, 40))

    lines = {f"bot-{n}": [point(n, 2 * each) for each in range(41 - 20 * (n % 3 // 2))] for n in range(1, 14)} | {
        "new": []
    }
    found = over_time_picture(lines)
    text = text_of([found.for_file(), found.specification()])
    golden("over-time.txt", f"{found.description}\n{sha256(text.encode()).hexdigest()}")
    assert over_time_picture({"bot-1": [point(1, 8)]}) is None
    assert over_time_picture({"bot-1": [point(1, 0), point(1, 8)]}).description.startswith("Rating of each bot")
