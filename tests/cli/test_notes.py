"""What bots note of their decisions is kept beside the journal, whatever becomes of the run."""

import os
import random
import re
import sys
from collections import Counter
from statistics import fmean
from zipfile import ZipFile

import orjson
import pytest

from tests.cli.runs import begin, journal, journal_started, one_line, wait_for
from tests.conftest import mostly_slow, tournament_text, with_code
from tests.helpers import wire_bot
from tourney import Noted, game_names, load, load_game, run
from tourney.base.sheet import amount_text
from tourney.cli.render import progress
from tourney.contracts.wording import dollars
from tourney.hosts.limits import Limits
from tourney.hosts.notes import NoteTaker
from tourney.journal import notes
from tourney.journal.run import RunFolder
from tourney.report.match_data import match_data
from tourney.report.run_data import read_runs
from tourney.standings.points import points

BOTS = """
import time
from tourney import Bot, Noted
class Notes(Bot):
    def act(self, view, legal):
        return Noted(legal[0], value=1 / len(legal), legal=len(legal), thought=self.facts.game.text(legal[0]))
class Plain(Bot):
    def act(self, view, legal):
        return legal[0]
class Paid(Bot):
    def act(self, view, legal):
        time.sleep(0.001)
        return Noted(legal[0], cost=0.0625, tokens_in=100)
"""
NOTE = '{"value": 1 / len(asked["legal"]), "legal": len(asked["legal"]), "thought": asked["legal"][0]}'
ODD = [
    ({"value": 1, "deep": True, "thought": "é\x00"}, {"value": 1, "deep": True, "thought": "é\x00"}, 0),
    ({"value": 1.01, "depth": 3}, {"depth": 3}, 1),
    ({"tokens_in": -1, "cost": "much", "attempts": True, "thought": 3}, {}, 1),
    ({"a b": 1, "list": [1], "nan": float("nan"), "big": 1 << 60, 3: 4}, {}, 1),
    ({"thought": "\ud800" + "x" * 90, "depth": 3}, {"thought": "?" + "x" * 20, "depth": 3}, 1),
    ({f"n{i}": i for i in range(90)}, {}, 1),
    ("no note", {}, 1),
    ({}, {}, 0),
]


HOSTS = {"inline": "", "process": 'host = "process"', "kept": 'host = "process"\nkeep = true'}
HOSTS["sandbox"] = 'host = "sandbox"'


def written(folder, kind="Notes", host="kept", **keys):
    """A tournament of bots of that kind: inline, in their process, in the host, and a program."""
    tables = [
        f'[[bot]]\nname = "{name}"\nuse = "bots.py:{kind}"\n{HOSTS[name]}' for name in ("inline", "process", host)
    ]
    use = f'command = ["{sys.executable}", "program.py"]' if kind == "Notes" else 'use = "bots.py:Plain"'
    tables.append(f'[[bot]]\nname = "program"\n{use}')
    (folder / "bots.py").write_text(BOTS)
    (folder / "program.py").write_text(wire_bot(f'"action": asked["legal"][0], "note": {NOTE}'))
    file = folder / f"{kind}.toml"
    file.write_text(tournament_text("t", **{"bots": "", "deals": "1", "extra": "\n".join(tables)} | keys))
    return file.name


@pytest.mark.parametrize("host", mostly_slow(["kept", "sandbox"], "kept"))
def test_what_bots_note_in_any_host_stands_beside_the_journal_which_is_the_same_without(tmp_path, tourney, host):
    for kind in ("Notes", "Plain"):
        assert tourney("run", written(tmp_path, kind, host), "--out", kind, "--workers", 2).returncode == 0
    assert journal(tmp_path / "Notes") == journal(tmp_path / "Plain")
    assert not (tmp_path / "Plain" / "notes.jsonl").exists()
    records = [orjson.loads(line) for line in journal(tmp_path / "Notes").splitlines()]
    found = list(notes.read(tmp_path / "Notes"))
    assert [each.match for each in found] == [record["match"] for record in records]
    for record, noted in zip(records, found, strict=True):
        said = [(decision, note["thought"]) for decision, _, note in noted.notes]
        assert said == list(enumerate(record["actions"].split(), 1))
        assert all(note["value"] == 1 / note["legal"] for *_, note in noted.notes)
    for each in read_runs([RunFolder(tmp_path / "Notes")]).calibrations:
        pairs = [
            (note["value"], points(tuple(record["places"]))[seat])
            for record, noted in zip(records, found, strict=True)
            for _, seat, note in noted.notes
            if record["seats"][seat] == each.bot
        ]
        assert each.deals == len({record["seed"] for record in records})
        assert each.brier == pytest.approx(fmean([(value - got) ** 2 for value, got in pairs]))
        counts = Counter([min(int(10 * value), 9) for value, _ in pairs])
        assert [one.decisions for one in each.bins] == [counts[number] for number in sorted(counts)]
        assert sum([one.value * one.decisions for one in each.bins]) == pytest.approx(
            sum([value for value, _ in pairs])
        )


@pytest.mark.parametrize("cluster", [[], pytest.param(["--workers", "local:2"], marks=pytest.mark.slow)])
@pytest.mark.parametrize("kills", [2, pytest.param(8, marks=pytest.mark.slow)])
def test_each_note_is_kept_once_however_often_the_run_is_killed(tmp_path, tourney, kills, cluster):
    chance = random.Random(kills)
    file = written(tmp_path, deals=str(2 + kills // 8))
    assert tourney("run", file, "--out", "whole").returncode == 0
    whole, out = len(journal(tmp_path / "whole")), tmp_path / "out"
    for kill in range(kills):
        process = begin(tmp_path, file, "--out", "out", *cluster, *(["--resume"] if kill else []))
        size = whole * (kill + chance.random()) / (kills + 1)
        wait_for(lambda: process.poll() is not None or (journal_started(out) and len(journal(out)) >= size))  # noqa: B023
        process.kill()
        process.communicate()
        if chance.random() < 0.5:  # as if it had been killed between the notes and their records
            os.truncate(out / "journal.jsonl", int(len(journal(out)) * chance.random()))
    assert tourney("run", file, "--out", "out", "--resume", *cluster).returncode == 0
    for name in ("journal.jsonl", "notes.jsonl"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.mark.slow
def test_matches_that_are_reused_keep_their_notes(tmp_path, tourney):
    file = written(tmp_path)
    assert tourney("run", file, "--out", "one").returncode == 0
    before = (tmp_path / "one" / "notes.jsonl").read_bytes()
    corrected = tourney("run", file, "--extend", "one", "--out", "corrected", "--replace", "inline")
    assert corrected.returncode == 0
    assert (tmp_path / "corrected" / "notes.jsonl").read_bytes() == before
    assert tourney("run", written(tmp_path, deals="2"), "--out", "more", "--extend", "one").returncode == 0
    told = [[*each.notes] for each in notes.read(tmp_path / "more")]
    assert [[*each.notes] for each in notes.read(tmp_path / "one")] == told[: before.count(b"\n")]


def test_notes_that_were_cut_are_counted_and_changed_ones_refused_in_one_line_that_says_where(tmp_path, tourney):
    game = '[[game]]\nname = "vole"\noptions = { target = 6 }\n[limits]\nnote_bytes = 30'
    told = " ".join(with_code(tourney("run", written(tmp_path, game=game), "--out", "run")).stderr.split())
    (cut,) = re.findall(
        r"notes cut or dropped as too large or malformed: ((?:\d+ of \w+(?:, )?)+) \(tourney docs write-a-bot\)", told
    )
    decisions = sum(each.decisions for each in load(tmp_path / "run").records())
    assert sum(map(int, re.findall(r"\d+", cut))) == decisions
    file = tmp_path / "run" / "notes.jsonl"
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join([lines[0], lines[1].replace(b'"cut":', b'"cat":'), *lines[2:]]))
    one_line(tourney("standings", "run", "--show", "notes"), 2, "notes.jsonl, line 2: checksum mismatch")


def paid(folder, write, limits="", **keys):
    """A tournament of a bot that costs money, and of two that do not."""
    (folder / "bots.py").write_text(BOTS)
    extra = f'[[bot]]\nname = "paid"\nuse = "bots.py:Paid"\n[limits]\n{limits}'
    return write(bots='["random", "steady"]', extra=extra, **keys)


def test_a_run_that_has_cost_its_limit_ends_and_goes_on_with_a_larger_one(tmp_path, tourney, write, monkeypatch):
    monkeypatch.setattr(progress, "PLAIN_S", 0.0)
    assert tourney("run", paid(tmp_path, write), "--out", "whole").returncode == 0
    total = sum([each.cost for each in notes.read(tmp_path / "whole")])
    tried = tourney("run", paid(tmp_path, write), "--dry-run", "--workers", 1).stdout
    (price, low, high) = re.search(r"price of the tournament: about (.*) \$ \((.*) \$ to (.*) \$\), by", tried).groups()
    assert float(low) < float(price) < float(high)
    assert float(low) < total < float(high)
    most = round(0.6 * total, 2)
    answer = max([note.get("cost", 0.0) for each in notes.read(tmp_path / "whole") for *_, note in each.notes])
    for again in ([], ["--resume"]):
        before = journal(tmp_path / "out") if again else b""
        limited = paid(tmp_path, write, f"max_cost = {most}")
        result = tourney("run", limited, "--out", "out", "--workers", 1, *again)
        spent = sum(map(float, (tmp_path / "out" / "spent.txt").read_text().split()))
        assert most <= spent < most + answer  # also in the match that was not finished
        assert 0 < sum([each.cost for each in notes.read(tmp_path / "out")]) <= spent
        one_line(result, 4, f"{dollars(spent)} of max_cost = {most:g}; raise max_cost", "--resume")
    assert journal(tmp_path / "out") == before
    more = paid(tmp_path, write, "max_cost = 99")
    resumed = tourney("run", more, "--out", "out", "--resume")
    assert re.search(r"cost ([\d.]+ \$), about \1 for the whole run", resumed.stderr)
    for name in ("journal.jsonl", "notes.jsonl"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    seen = []
    run(more, out=tmp_path / "out", resume=True, progress=seen.append)
    assert total < seen[-1].cost == sum(map(float, (tmp_path / "out" / "spent.txt").read_text().split()))
    assert tourney("run", paid(tmp_path, write, "max_cost = 99", deals="5"), "--extend", "out").returncode == 0


def test_tokens_dollars_and_seconds_are_told_by_match_and_the_rating_by_dollar(tmp_path, tourney, write):
    assert tourney("run", paid(tmp_path, write), "--out", "run").returncode == 0
    ratings = {row.bot: row.rating for row in load(tmp_path / "run").standings()}
    table, marked, rows, data = [
        tourney("standings", "run", "--show", "notes", "--format", form).stdout
        for form in ("table", "markdown", "csv", "json")
    ]
    cost, seconds, tokens = orjson.loads(data)
    assert [each["note"] for each in (cost, seconds, tokens)] == ["cost", "seconds", "tokens_in"]
    assert (cost["per_match"], tokens["per_match"]) == (cost["sum"] / 16, tokens["sum"] / 16)
    assert tourney("run", written(tmp_path), "--out", "values", "--quiet").returncode == 0
    values = orjson.loads(tourney("standings", "values", "--show", "notes", "--format", "json").stdout)
    kept = {each["note"]: (each["mean"] > 0, each["sum"] is None, each["per_match"] is None) for each in values}
    assert kept == {"legal": (True,) * 3, "value": (True,) * 3, "seconds": (True, False, False)}
    assert seconds["decisions"] == cost["decisions"]
    assert seconds["mean"] > 0.00097
    assert cost["rating_per_dollar"] == (ratings["paid"] - min(ratings.values())) / cost["per_match"]
    assert tourney("report", "run", "--with-notes").returncode == 0
    page = (tmp_path / "run" / "report.html").read_text()
    for number in (cost["per_match"], cost["rating_per_dollar"], tokens["per_match"], seconds["per_match"]):
        assert all(amount_text(number) in text for text in (table, marked, page))
        assert str(number) in rows


@pytest.mark.parametrize("game", mostly_slow(game_names(), "vole"))
def test_a_seat_is_shown_its_own_notes_and_no_word_of_others(tmp_path, tourney, game):
    noting = 'Noted(legal[int(self.facts.rng.random() * len(legal))], who=f"me{self.facts.seat}")\n'
    (tmp_path / "bots.py").write_text(BOTS.partition("Noted(legal[0]")[0] + noting)
    seats = max(2, load_game(game).seats[0])
    bots = "\n".join([f'[[bot]]\nname = "b{seat}"\nuse = "bots.py:Notes"' for seat in range(seats)])
    table = f'[[game]]\nname = "{game}"\nseats = {seats}'
    (tmp_path / "t.toml").write_text(tournament_text("t", deals="1", bots="", game=table, extra=bots))
    assert tourney("run", "t.toml", "--out", "run").returncode == 0
    record = next(load(tmp_path / "run").records())
    noted, some = notes.of_match(tmp_path / "run", record.match), ("replay", "run", record.match, "--to", "60")
    texts = [tourney(*some, "--seat", "1", *more).stdout for more in ([], ["--json"])]
    texts.append(match_data(record, load_game(game), 1, notes=noted).decode())
    assert tourney("bundle", "run", "--bot", record.seats[1], "-o", "own.zip").returncode == 0
    own = f"{record.seats[1]}/matches/{record.match}-seat-1"
    with ZipFile(tmp_path / "own.zip") as bundle:
        texts += [bundle.read(f"{own}.{end}").decode() for end in ("txt", "jsonl")]
    for text in texts:
        assert set(re.findall(r"me\d", text)) == {"me1"}
    assert "me0" in tourney(*some).stdout


@pytest.mark.parametrize(("note", "kept", "cut"), ODD)
def test_what_is_too_large_or_of_a_wrong_shape_is_cut_or_left_out_and_counted(note, kept, cut):
    taker, answer = NoteTaker(), Noted(0)
    answer.note = note
    taker.take(1, 0, answer, Limits(note_bytes=50))
    found = taker.notes[0][2] if taker.notes else {}
    assert (found | {"thought": found.get("thought", "")[:21]} if len(found.get("thought", "")) > 21 else found) == kept
    assert len(orjson.dumps(found)) <= 50
    assert (taker.cut[0], bool(taker)) == (cut, bool(kept or cut))


def test_a_match_holds_no_more_of_a_bot_than_its_limit():
    taker = NoteTaker()
    for decision in range(1, 9):
        taker.take(decision, 0, Noted(0, thought="x" * 30), Limits(match_note_bytes=100))
    taker.take(9, 1, Noted(0, thought="of another"), Limits())
    assert sum(len(orjson.dumps(note)) for _, seat, note in taker.notes if seat == 0) <= 100
    assert taker.notes[-1] == (9, 1, {"thought": "of another"})
    assert taker.cut == {0: 6, 1: 0}
