"""The times of a run: how often a machine was late when a bot's time was up, and how long bots took for decisions."""

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import orjson
import pytest

from tests.cli.runs import journal, one_line
from tests.conftest import tournament_text
from tests.conftest import with_plugins as tourney
from tests.hosts import machine
from tests.left_out import PORTABLE
from tourney.hosts.decision_times import DecisionTimes, Durations
from tourney.journal.reader import parse_record
from tourney.journal.seals import sealed
from tourney.journal.times import TIMES, MachineTimes, Times, load
from tourney.match import Record
from tourney.plugins import load_game
from tourney.replay import Replay

TARDY = """
import os
from pathlib import Path

from tourney.game import Options
from tourney.hosts.fault_kinds import ChargedError
from tourney.hosts.inline import InlineHost

class TardyOptions(Options, frozen=True):
    late: int = 0
    dies: bool = False

class TardyHost(InlineHost):
    name = "tardy"
    Options = TardyOptions

    def __init__(self, spec, limits, log):
        super().__init__(spec, limits, log)
        self._late = spec.host_options.get("late", 0)
        self._alive = Path(spec.folder / "died") if spec.host_options.get("dies") else None

    def begin(self, facts, rng_seed, clock):
        bot = super().begin(facts, rng_seed, clock)
        if self._late:
            self._late -= 1
            bot.act = self.late
        elif self._alive is not None and not self._alive.exists():
            self._alive.touch()
            os._exit(1)
        return bot

    def late(self, view, legal):
        raise ChargedError("timeout", "took longer than move_ms", late=True)
"""
"""A host whose first bots in each worker run out of time on a machine that is late."""
LIMITS = "[limits]\nmove_ms = 600000\n"
RUN = ("run", "t.toml", "--out", "run", "--workers", "1")


def file(late: int, more: str = "", host: str = "tardy", **keys: str) -> str:
    options = f"host_options = {{ late = {late}{more} }}" if host == "tardy" else ""
    bots = f'[[bot]]\nname = "first"\nhost = "{host}"\n{options}\n'
    keys = {"deals": "8", "bots": '["random"]', "extra": bots + keys.pop("limits", LIMITS)} | keys
    return tournament_text("t", **keys)


@pytest.fixture
def place(plugin) -> Path:
    return plugin("tardy-host", "[tourney.hosts]\ntardy = tardy:TardyHost\n", tardy=TARDY)


def late(place: Path) -> tuple[int, int]:
    """How often matches were played again, and how many timeouts were charged on a late machine."""
    times = load(place / "run")
    return times.played_again, times.late_timeouts


def play(place: Path, text: str, *more: str, code: int = 0) -> str:
    """Plays a tournament, and returns what the run has told on stderr."""
    (place / "t.toml").write_text(text)
    result = tourney(place, *RUN, *more)
    assert result.returncode == code, result.stderr
    return result.stderr


@pytest.mark.slow
def test_a_match_that_was_played_again_leaves_no_trace_but_in_the_counts(place):
    told = play(place, file(2), "--quiet")
    assert late(place) == (2, 0)
    assert " ".join(told.split()).startswith(
        "2 times one of 16 matches was played again, as the machine was too busy for its limits of time; "
        "no timeout was charged for it; play with fewer --workers"
    )
    assert all(len(line) <= 80 for line in told.splitlines())
    played = journal(place / "run")
    result = tourney(place, "standings", "run")
    assert result.stdout.endswith("\nLate machine: 2 times a match was played again; no timeout was charged for it.\n")
    (place / "run").rename(place / "late")
    assert play(place, file(0, host="inline"), "--quiet") == ""
    assert late(place) == (0, 0)
    assert journal(place / "run") == played
    result = tourney(place, "standings", "run")
    assert "Late machine" not in result.stdout
    assert result.stdout == (place / "run" / "standings.txt").read_text()


@pytest.mark.slow
def test_a_timeout_on_a_machine_that_is_late_each_time_is_charged_and_told(place):
    told = play(place, file(4, deals="200"))
    assert late(place) == (3, 1)
    said = "as the machine was too busy for its limits of time; 1 timeout was charged all the same; play with fewer"
    assert f"3 times one of 400 matches was played again, {said} --workers and " in " ".join(told.split())


def test_a_few_matches_played_again_are_no_busy_machine(place):
    assert play(place, file(1, deals="60"), "--quiet") == ""
    assert late(place) == (1, 0)


def test_the_counts_are_added_to_over_resumes_however_a_run_ends(place):
    told = play(place, file(4, limits=LIMITS + "max_fault_rate = 0"), "--quiet", code=4)
    assert "max_fault_rate is 0" in told
    assert late(place) == (3, 1)
    play(place, file(4, limits=LIMITS + "max_fault_rate = 1"), "--quiet", "--resume")
    assert late(place) == (6, 2)
    told = play(place, file(4, limits=LIMITS + "max_fault_rate = 1"), "--quiet", "--resume")
    assert told.startswith("6 times one of 16 matches was played again, "), "a finished run tells it again"
    assert "; 2 timeouts were charged all the same; " in " ".join(told.split())
    assert late(place) == (6, 2)


def test_the_counts_of_blocks_that_are_played_carefully_are_in_it(place):
    play(place, file(2, ", dies = true"), "--quiet")
    assert late(place) == (2, 0)


def test_a_gate_counts_and_tells_it_as_well(place):
    (place / "t.toml").write_text(file(1))
    gate = ("gate", "first", "--against", "random", "--config", "t.toml", "--max-deals", "4", "--workers", "1")
    result = tourney(place, *gate, "--quiet", "--out", "run")
    assert result.returncode in (0, 3), result.stderr
    assert late(place) == (1, 0)
    assert "1 of 8 matches was played again, as the machine was too busy" in result.stderr


SAVED = Times(
    3,
    1,
    {
        "first": DecisionTimes(Durations(4_000, 2_000, {160: 1, 175: 1}), Durations(2_500, 2_500, {180: 1})),
        "steady": DecisionTimes(Durations(6_000_000_000, 5_900_000_000, {424: 1, 519: 1})),
    },
)
"""Times that may be those of a run."""
TABLE = """\
bot     time       decisions    mean   median   worst
------  ---------  ---------  ------  -------  ------
steady  clock              2   3.0 s  97.0 ms   5.9 s
        processor          0
first   clock              2  2.0 us   1.0 us  2.0 us
        processor          1  2.5 us   2.5 us  2.5 us
random  clock              0
        processor          0
"""
CSV = """\
bot,time,decisions,mean_us,median_us,worst_us
steady,clock,2,3000000.0,96984.442,5900000.0
steady,processor,0,,,
first,clock,2,2.0,1.046,2.0
first,processor,1,2.5,2.489,2.5
random,clock,0,,,
random,processor,0,,,
"""


@pytest.fixture
def timed(finished) -> Path:
    (finished / TIMES).write_bytes(sealed(msgspec.json.encode(SAVED)))
    return finished


def test_the_times_are_printed_in_every_format(tourney, timed):
    printed = {
        form: tourney("standings", timed, "--times", "--format", form).stdout
        for form in ("table", "markdown", "csv", "json")
    }
    table, below = printed["table"].split("\n\n")
    assert table == TABLE.rstrip()
    late = "Late machine: 3 times a match was played again; 1 timeout was charged all the same."
    assert " ".join(below.split()).endswith(late)
    assert printed["markdown"].endswith(f"\n\n{late}\n")
    assert "| steady | processor |         0 |        |         |        |" in printed["markdown"]
    assert printed["csv"] == CSV
    data = orjson.loads(printed["json"])
    assert (data["played_again"], data["late_timeouts"], list(data["bots"])) == (3, 1, ["steady", "first", "random"])
    assert data["bots"]["first"]["processor"] == {"decisions": 1, "mean_us": 2.5, "median_us": 2.489, "worst_us": 2.5}
    assert data["bots"]["random"]["clock"] == {"decisions": 0, "mean_us": None, "median_us": None, "worst_us": None}


def test_only_standings_for_people_say_that_the_machine_was_late(tourney, timed):
    for form in ("csv", "json"):
        assert "ate machine" not in tourney("standings", timed, "--format", form).stdout
    assert "Late machine: " in tourney("standings", timed, "--format", "markdown").stdout


def test_a_run_whose_times_were_removed_has_none(tourney, finished):
    (finished / TIMES).unlink()
    one_line(tourney("standings", finished, "--times"), 2, "done: has no times.json: it was removed, or ")


def test_the_times_of_a_run_that_is_not_finished_say_so(tourney, timed):
    lines = journal(timed).splitlines(keepends=True)
    (timed / "journal.jsonl").write_bytes(b"".join(lines[:5]))
    shown = tourney("standings", timed, "--times")
    assert (shown.returncode, shown.stdout.split("\n\n")[0] + "\n") == (0, TABLE)
    assert shown.stderr == f"not finished: 5 of {len(lines)} matches were played\n"
    (timed / "journal.jsonl").write_bytes(b"")
    one_line(tourney("standings", timed, "--times"), 2, "no match was played yet")


def decided(run: Path, bot: str) -> int:
    """How many decisions the bot of that name made in a run, as its records have it."""
    return sum(
        [
            record.seats[step.seat] == bot
            for record in map(record_of, journal(run).splitlines())
            for step in Replay(record, load_game(record.game)).steps()
        ]
    )


def record_of(line: bytes) -> Record:
    return parse_record(line, "a line")


APART = '[[bot]]\nname = "apart"\nuse = "first"\nhost = "process"\n'


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_every_decision_of_a_bot_apart_is_timed_and_of_one_in_the_worker_those_of_some_blocks(
    tourney, write, tmp_path, workers
):
    config = write(deals="8", bots='["random"]', extra=APART)
    assert tourney("run", config, "--out", "run", "--quiet", "--workers", workers).returncode == 0
    bots = load(tmp_path / "run").bots
    all_of_it, some = decided(tmp_path / "run", "apart"), 2 / 8
    assert bots["apart"].clock.decisions == all_of_it
    if PORTABLE:  # what other processes have worked is not known
        assert bots["apart"].processor.decisions == 0
    else:
        assert 0.5 * some < bots["apart"].processor.decisions / all_of_it < 1.5 * some
    inline = write(deals="8", bots='["random", "first"]')
    assert tourney("run", inline, "--out", "inline", "--quiet", "--workers", workers).returncode == 0
    bots = load(tmp_path / "inline").bots
    assert list(bots) == ["first", "random"] or list(bots) == ["random", "first"]
    for name, times in bots.items():
        assert times.clock.decisions == times.processor.decisions
        assert 0.5 * some < times.clock.decisions / decided(tmp_path / "inline", name) < 1.5 * some


PACE = """
import time

class Sleeps:
    def act(self, view, legal):
        time.sleep(0.01)
        return legal[-1]

class Computes:
    def act(self, view, legal):
        until = time.thread_time() + 0.01
        while time.thread_time() < until:
            pass
        return legal[-1]

class Thinks:
    count = 0

    def act(self, view, legal):
        self.count += 1
        if self.count == 2:
            time.sleep(60)
        return legal[-1]
"""


@pytest.mark.slow
@pytest.mark.parametrize("host", [pytest.param("inline", marks=pytest.mark.slow), "process"])
def test_who_waits_takes_time_by_the_clock_and_who_computes_of_the_processor_too(tourney, write, tmp_path, host):
    (tmp_path / "pace.py").write_text(PACE)
    bots = "".join(
        [f'[[bot]]\nname = "{name}"\nuse = "pace.py:{name}"\nhost = "{host}"\n' for name in ("Sleeps", "Computes")]
    )
    assert tourney("run", write(deals="4", bots="", extra=bots), "--out", "run", "--quiet").returncode == 0
    times = load(tmp_path / "run").bots
    for name in ("Sleeps", "Computes"):
        assert times[name].clock.median_ns > 9e6
        assert times[name].clock.mean_ns > 10e6
        assert times[name].clock.worst_ns >= times[name].clock.median_ns
    if PORTABLE and host == "process":
        assert times["Computes"].processor.decisions == 0
    else:
        assert times["Sleeps"].processor.median_ns < 3e6
        assert times["Computes"].processor.median_ns > 9e6
    assert (tmp_path / "run" / TIMES).stat().st_size < 10_000
    shown = tourney("standings", "run", "--times").stdout
    assert re.search(r"^Computes +clock +\d+( +[\d.]+ m?s){3}$", shown, re.MULTILINE)


@pytest.mark.parametrize("host", ["inline", pytest.param("process", marks=pytest.mark.slow)])
def test_a_decision_that_runs_out_of_time_counts_as_well(tourney, write, tmp_path, host):
    (tmp_path / "pace.py").write_text(PACE)
    bots = f'[[bot]]\nname = "Thinks"\nuse = "pace.py:Thinks"\nhost = "{host}"\nmove_ms = 300\n'
    config = write(deals="1", bots='["first"]', extra=bots)
    assert tourney("run", config, "--out", "run", "--quiet").returncode == 0
    times = load(tmp_path / "run").bots["Thinks"].clock
    assert times.worst_ns >= 290e6
    assert times.decisions >= 4, "the two decisions of each match"


@pytest.mark.parametrize("host", ["process", pytest.param("sandbox", marks=pytest.mark.slow)])
def test_where_time_is_limited_the_processor_time_of_every_decision_apart_is_known(tourney, write, tmp_path, host):
    if host == "sandbox":
        machine.need_any()
    bots = f'[[bot]]\nname = "apart"\nuse = "first"\nhost = "{host}"\nmove_ms = 600000\n'
    config = write(deals="6", bots='["random"]', extra=bots)
    assert tourney("run", config, "--out", "run", "--quiet").returncode == 0
    times = load(tmp_path / "run").bots["apart"]
    assert times.clock.decisions == decided(tmp_path / "run", "apart")
    assert times.processor.decisions == (0 if PORTABLE else times.clock.decisions)


@pytest.mark.slow
def test_a_resumed_run_adds_up(tourney, write, tmp_path):
    keys = ("run", write(deals="6", bots='["random"]', extra=APART), "--out", "run", "--quiet")
    assert tourney(*keys).returncode == 0
    run = tmp_path / "run"
    before, whole = load(run).bots["apart"].clock, journal(run)
    lines = whole.splitlines(keepends=True)
    again = sum([len(record_of(line).actions.split()) for line in lines[8:]])
    (run / "journal.jsonl").write_bytes(b"".join(lines[:8]))
    result = tourney(*keys, "--resume")
    assert (result.returncode, result.stderr, journal(run)) == (0, "", whole)
    after = load(run).bots["apart"].clock
    assert 0 < after.decisions - before.decisions < again
    assert after.total_ns > before.total_ns
    assert after.worst_ns >= before.worst_ns


@pytest.mark.slow
def test_a_gate_and_a_bot_that_plays_against_itself_are_timed(tourney, tmp_path):
    gate = ("gate", "first", "--against", "random", "--game", "vole", "--max-deals", 4, "--quiet", "--out", "gate")
    assert tourney(*gate).returncode in (0, 1, 3)
    assert set(load(tmp_path / "gate").bots) == {"first", "random"}
    assert "first" in tourney("standings", "gate", "--times").stdout


def test_times_are_those_of_the_whole_run(tourney, finished):
    for other in ("--cross", "--seats", "--rounds"):
        result = tourney("standings", finished, "--times", other)
        assert (result.returncode, "do not go together" in result.stderr) == (2, True)
    for part in (["--game", "vole"], ["--without-faults"]):
        result = tourney("standings", finished, "--times", *part)
        assert (result.returncode, "--times shows the whole tournament" in result.stderr) == (2, True)


DAMAGED = {
    "no JSON": "played_again",
    "no text": b"\xff\xfe",
    "nothing": "",
    "a list": "[1]",
    "fewer than none": '{"played_again": -1}',
    "half of one": '{"late_timeouts": 0.5}',
    "more than can be": f'{{"played_again": {10**30}}}',
    "nested": "[" * 100_000,
    "larger than it can be": " " * 20_000_000,
    "a bucket below the first": '{"bots": {"first": {"clock": {"buckets": {"-1": 1}}}}}',
    "a bucket beyond the last": '{"bots": {"first": {"clock": {"buckets": {"99999999999": 1}}}}}',
    "a bot of text": '{"bots": {"first": "quick"}}',
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_is_one_line_and_hides_no_standings(tourney, finished, damage):
    content = DAMAGED[damage]
    whole = tourney("standings", finished).stdout
    (finished / TIMES).write_bytes(content if isinstance(content, bytes) else content.encode())
    shown = tourney("standings", finished)
    assert (shown.returncode, shown.stdout) == (0, whole)
    assert (shown.stderr.count("\n"), "times.json: " in shown.stderr) == (1, True)
    one_line(tourney("standings", finished, "--times"), 2, f"{TIMES}: ", "; the times so far are lost")


def test_a_changed_digit_is_noticed(tourney, timed):
    data = (timed / TIMES).read_bytes()
    (timed / TIMES).write_bytes(data.replace(b'"played_again":3', b'"played_again":4'))
    one_line(tourney("standings", timed, "--times"), 2, f"{TIMES}: is damaged (its seal does not hold)")


def test_the_name_of_a_machine_is_one_line_in_csv(tourney, timed):
    """It may have been written by another program, with a seal."""
    crafted = Times(machines={"a\nb,1,2,3,4": MachineTimes(tasks=1)})
    (timed / TIMES).write_bytes(sealed(msgspec.json.encode(crafted)))
    shown = tourney("standings", timed, "--times", "--format", "csv").stdout
    assert shown.splitlines()[-1] == '"a\\nb,1,2,3,4",1,0,0,0'


LOST: dict[str, Callable[[Path], object]] = {
    "missing": lambda path: None,
    "damaged": lambda path: path.write_text("{"),
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a folder": lambda path: path.mkdir(),
}


@pytest.mark.parametrize(
    ("lost", "limits"),
    [
        ("damaged", ""),
        pytest.param("damaged", LIMITS, marks=pytest.mark.slow),
        *[pytest.param(lost, "", marks=pytest.mark.slow) for lost in LOST if lost != "damaged"],
    ],
)
def test_a_run_whose_times_are_lost_goes_on_without_them(tourney, write, tmp_path, lost, limits):
    keys = ("run", write(deals="1", extra=limits), "--out", "run", "--quiet")
    assert tourney(*keys).returncode == 0
    run = tmp_path / "run"
    whole, standings = journal(run), (run / "standings.txt").read_text()
    (run / "journal.jsonl").write_bytes(whole[:-10])
    (run / TIMES).unlink()
    LOST[lost](run / TIMES)
    result = tourney(*keys, "--resume")
    assert (result.returncode, result.stdout, journal(run)) == (0, standings, whole)
    (told,) = result.stderr.splitlines()
    assert told.startswith("run/times.json: ")
    assert told.endswith("; the times so far are lost, and a run that goes on counts anew")
    if lost == "a folder":
        one_line(tourney("standings", run, "--times"), 2, "times.json: cannot be read (")
    else:
        assert load(run).bots["first"].clock.decisions > 0
        assert tourney(*keys, "--resume").stderr == ""
