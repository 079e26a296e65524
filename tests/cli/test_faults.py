"""The consequences of faults in a run: entrants are disqualified and runs stop, with the same bytes however played."""

import os
import random
import signal
import time
from contextlib import suppress

import orjson
import pytest

from tests.cli.runs import begin, journal, one_line, wait_for, workers_of
from tests.conftest import BAD
from tests.helpers import bot
from tourney import config as configuration
from tourney.plugins.registry import load_game
from tourney.schedule.base import schedule
from tourney.table.table import play

MIXED = {"raiser": "RaisesLater", "cheat": "Careless", "killer": "KillsItselfLater"}


def faulty(*names: str, **limits: object) -> dict[str, str]:
    """Returns the keys of a tournament of two good bots and some others, with these limits."""
    bots = [f'[[bot]]\nname = "{name}"\nuse = "{BAD}:{MIXED[name]}"\n' for name in names]
    values = [f"{key} = {value}\n" for key, value in limits.items()]
    return {"bots": '["first", "random"]', "extra": f"{''.join(bots)}[limits]\n{''.join(values)}"}


def records(folder):
    return [orjson.loads(line) for line in journal(folder).splitlines()]


def in_order(file, max_faults: int | None = None, max_in_row: int | None = None) -> bytes:
    """Plays the journal as it must be, block by block in this process; the bots must not end it."""
    tournament = configuration.load(file)
    makers = {entrant.name: bot(entrant.use.rsplit(":", 1)[-1]) for entrant in tournament.entrants}
    history: dict[str, str] = dict.fromkeys(makers, "")  # one letter for each match: F for a fault, - for none
    out: dict[str, str] = {}
    lines = []
    for block in schedule(tournament).blocks():
        for match in block.matches():
            seats_out = {seat: out[name] for seat, name in enumerate(match.seats) if name in out}
            game = load_game(match.setup.game)
            record = play(match, game, [makers[name] for name in match.seats], out=seats_out)
            lines.append(record.line())
            charged = {fault.seat for fault in record.faults}
            for seat, name in enumerate(match.seats):
                if name not in out:
                    history[name] += "F" if seat in charged else "-"
        for name in sorted(set(history) - set(out)):
            longest = max(map(len, history[name].split("-")))
            if max_faults is not None and history[name].count("F") >= max_faults:
                out[name] = f"after {history[name].count('F')} faults"
            elif max_in_row is not None and longest >= max_in_row:
                out[name] = f"after {longest} faults in a row"
    return b"".join(lines)


@pytest.mark.parametrize(
    ("in_all", "in_row"),
    [(5, None), pytest.param(None, 3, marks=pytest.mark.slow), pytest.param(12, 4, marks=pytest.mark.slow)],
)
def test_too_many_faults_disqualify_an_entrant_from_the_next_block_on(tourney, write, tmp_path, in_all, in_row):
    limits = {"max_faults": in_all, "max_faults_in_row": in_row}
    file = write(**faulty("raiser", "cheat", **{key: value for key, value in limits.items() if value}), deals="15")
    whole = in_order(file, in_all, in_row)
    assert whole.count(b'"kind":"out","decision":0,"answer":null,"detail":"after ') > 20
    for workers in (1, 3):
        assert tourney("run", file, "--out", workers, "--workers", workers).returncode == 0
        assert journal(tmp_path / str(workers)) == whole
    assert tourney("verify", "1").returncode == 0


@pytest.mark.slow
def test_the_limit_on_faults_in_a_row_is_exact(tourney, write, tmp_path):
    """Careless has no fault now and then, so with a higher limit it stays in longer."""
    begins = []
    for in_row in (2, 6):
        file = write(**faulty("cheat", max_faults_in_row=in_row), deals="40")
        assert tourney("run", file, "--out", in_row).returncode == 0
        outs = [i for i, record in enumerate(records(tmp_path / str(in_row))) if "out" in str(record["faults"])]
        begins.append(outs[0])
    assert begins[0] < begins[1]


def test_a_disqualified_entrant_is_shown_and_not_charged_again(tourney, write, tmp_path):
    file = write(**faulty("raiser", max_faults=4), deals="6")
    result = tourney("run", file, "--out", "run")
    assert result.returncode == 0
    assert "raiser is out of the tournament after 4 faults; the house plays for it\n" in result.stderr
    rows = orjson.loads((tmp_path / "run" / "standings.json").read_bytes())
    assert {row["bot"]: (row["matches"], row["faults"]) for row in rows} == {
        "first": (24, 0),
        "random": (24, 0),
        "raiser": (24, 4),
    }
    told = tourney("standings", "run").stderr
    assert told == "raiser was put out of the tournament: the house played 20 of its matches\n"
    listed = [line for line in tourney("matches", "run").stdout.splitlines() if "raiser: out after 4 faults" in line]
    assert len(listed) == 20
    last = records(tmp_path / "run")[-1]
    seat = last["seats"].index("raiser")
    assert last["places"][seat] == 2
    story = tourney("replay", "run", last["match"]).stdout
    assert "out: raiser, after 4 faults; the house plays for it\n" in story
    moves = [line for line in story.splitlines() if " raiser " in line and " play:" in line]
    assert moves
    assert all("by the house" in line for line in moves)
    events = [orjson.loads(line) for line in tourney("replay", "run", last["match"], "--json").stdout.splitlines()]
    assert events[1] == {"kind": "out", "seat": seat, "detail": "after 4 faults"}
    assert {event.get("by") for event in events if event["kind"] == "act" and event["seat"] == seat} == {"house"}


@pytest.mark.slow
def test_the_bots_of_a_disqualified_entrant_are_not_made(tourney, write, tmp_path):
    code = (
        "class Counted:\n"
        "    def __init__(self):\n        open('made', 'a').write('x')\n"
        "    def act(self, view, legal):\n        raise ValueError\n"
    )
    (tmp_path / "counted.py").write_text(code, encoding="utf-8")
    file = write(bots='["first", "counted.py:Counted"]', extra="[limits]\nmax_faults = 2", deals="8")
    assert tourney("run", file, "--out", "run", "--workers", 1).returncode == 0
    faults = [record["faults"][0]["kind"] for record in records(tmp_path / "run")]
    assert faults == ["error"] * 2 + ["out"] * 14
    begun = (tmp_path / "made").stat().st_size
    # when the run is resumed, it is disqualified from the start
    (tmp_path / "run" / "journal.jsonl").write_bytes(b"".join(journal(tmp_path / "run").splitlines(True)[:5]))
    assert tourney("run", file, "--out", "run", "--resume").returncode == 0
    assert (tmp_path / "made").stat().st_size == begun
    assert [record["faults"][0]["kind"] for record in records(tmp_path / "run")] == faults


@pytest.mark.slow
def test_verify_notices_a_disqualification_without_reason(tourney, write, tmp_path):
    for limit in (2, 4):
        file = write(**faulty("raiser", max_faults=limit), deals="6")
        assert tourney("run", file, "--out", limit).returncode == 0
    early, late = [journal(tmp_path / limit).splitlines(keepends=True) for limit in ("2", "4")]
    outs = [[i for i, line in enumerate(lines) if b'"out"' in line] for lines in (early, late)]
    assert outs[0][0] < outs[1][0]

    def verified(*lines: bytes):
        (tmp_path / "4" / "journal.jsonl").write_bytes(b"".join(lines))
        return tourney("verify", "4")

    at, later = outs[0][0], outs[1][0]
    assert verified(*late[:at], early[at]).returncode == 0, "by then it had been charged twice in both"
    result = verified(*late[:later], early[later])
    assert result.returncode == 1
    assert "faults: raiser is out after 2 faults, but it had been charged 4 faults\n" in result.stdout
    result = verified(*late[:later], late[later].replace(b"after 4", b"after 5"))
    assert result.returncode == 1
    assert "digest: " in result.stdout


@pytest.mark.slow
def test_disqualifications_write_the_same_bytes_through_kills_and_resumes(tourney, write, tmp_path):
    file = write(**faulty("raiser", "cheat", "killer", max_faults=6), deals="40")
    for workers in (1, 3):
        result = tourney("run", file, "--out", workers, "--workers", workers)
        assert result.returncode == 0, result.stderr
    whole = journal(tmp_path / "1")
    assert journal(tmp_path / "3") == whole
    kinds = {fault["kind"] for record in records(tmp_path / "1") for fault in record["faults"]}
    assert kinds == {"error", "illegal", "crash", "out"}
    rng = random.Random(1)
    begun: list[str] = []
    for _ in range(8):
        process = begin(tmp_path, file, "--out", "killed", "--workers", 2, *begun)
        wait_for(lambda: (tmp_path / "killed" / "manifest.json").exists())
        begun = ["--resume"]
        time.sleep(rng.random())
        with suppress(ProcessLookupError):  # its bot may have ended the worker already
            os.kill(rng.choice([process.pid, *workers_of(process)]), signal.SIGKILL)
        time.sleep(rng.random() / 2)
        process.kill()
        process.communicate()
    assert tourney("run", file, "--out", "killed", "--resume").returncode == 0
    assert journal(tmp_path / "killed") == whole


@pytest.mark.slow
def test_a_run_with_too_many_faults_stops_early_and_can_be_resumed(tourney, write, tmp_path):
    file = write(**faulty("raiser", "cheat", max_fault_rate=0.3), deals="10")
    for workers in (1, 3):
        result = tourney("run", file, "--out", workers, "--workers", workers)
        one_line(
            result, 4, "10 of the first 12 matches had faults, and max_fault_rate is 0.3: ", "raiser (", "--resume"
        )
        assert result.stdout == ""
        assert not (tmp_path / str(workers) / "standings.txt").exists()
    stopped = journal(tmp_path / "1")
    assert stopped == journal(tmp_path / "3")
    assert stopped.count(b"\n") == 12
    assert tourney("verify", "1").returncode == 0
    # it is resumed, and stops again after too many faults in later matches
    result = tourney("run", file, "--out", "1", "--resume")
    one_line(result, 4, "of the last 12 matches had faults")
    assert journal(tmp_path / "1").startswith(stopped)
    assert journal(tmp_path / "1").count(b"\n") == 24
    # a run can be resumed with another rate
    write(**faulty("raiser", "cheat", max_fault_rate=1), deals="10")
    for out in ("1", "3"):
        assert tourney("run", file, "--out", out, "--resume").returncode == 0
    assert journal(tmp_path / "1") == journal(tmp_path / "3") == in_order(file)


@pytest.mark.slow
def test_a_run_is_finished_once_the_faulty_bot_is_mended(tourney, write, tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text("class Mine:\n    def act(self, view, legal):\n        return None\n", encoding="utf-8")
    file = write(bots='["random", "mine.py:Mine"]', extra="[limits]\nmax_fault_rate = 0.5", deals="20")
    one_line(tourney("run", file, "--out", "run"), 4, "4 of the first 4 matches had faults", "mine (4 faults)")
    mine.write_text("class Mine:\n    def act(self, view, legal):\n        return legal[0]\n", encoding="utf-8")
    result = tourney("run", file, "--out", "run", "--resume", "--force")
    assert result.returncode == 0, result.stderr
    assert [bool(record["faults"]) for record in records(tmp_path / "run")] == [True] * 4 + [False] * 36


@pytest.mark.slow
def test_disqualified_entrants_do_not_stop_the_run(tourney, write, tmp_path):
    file = write(**faulty("raiser", max_fault_rate=0.5, max_faults=2), deals="10")
    assert tourney("run", file, "--out", "run").returncode == 0
    assert sum("out" in str(record["faults"]) for record in records(tmp_path / "run")) == 38
