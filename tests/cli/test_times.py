"""How often a machine was late when a bot's time was up is counted over a run, and told."""

from pathlib import Path

import orjson
import pytest

from tests.cli.runs import journal, one_line
from tests.conftest import tournament_text
from tests.conftest import with_plugins as tourney
from tourney.errors import RunError
from tourney.journal.times import TIMES, Times, load

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


def play(place: Path, text: str, *more: str, code: int = 0) -> str:
    """Plays a tournament, and returns what the run has told on stderr."""
    (place / "t.toml").write_text(text)
    result = tourney(place, *RUN, *more)
    assert result.returncode == code, result.stderr
    return result.stderr


def test_a_match_that_was_played_again_leaves_no_trace_but_in_the_counts(place):
    told = play(place, file(2), "--quiet")
    assert load(place / "run") == Times(played_again=2)
    assert told.startswith(
        "the machine was too busy for the limits of time, in 16 matches: matches were played again 2 "
    )
    assert told.count("\n") == 1
    played = journal(place / "run")
    result = tourney(place, "standings", "run")
    assert result.stdout.splitlines()[-1] == (
        "Late machine: matches were played again 2 times, and 0 timeouts were charged all the same."
    )
    (place / "run").rename(place / "late")
    assert play(place, file(0, host="inline"), "--quiet") == ""
    assert load(place / "run") == Times()
    assert journal(place / "run") == played
    result = tourney(place, "standings", "run")
    assert "Late machine" not in result.stdout
    assert result.stdout == (place / "run" / "standings.txt").read_text()


def test_a_timeout_on_a_machine_that_is_late_each_time_is_charged_and_told(place):
    told = play(place, file(4, deals="200"))
    assert load(place / "run") == Times(played_again=3, late_timeouts=1)
    assert "played again 3 times, and 1 timeout was charged all the same; play with fewer --workers and " in told


def test_a_few_matches_played_again_are_no_busy_machine(place):
    assert play(place, file(1, deals="60"), "--quiet") == ""
    assert load(place / "run") == Times(played_again=1)


def test_the_counts_are_added_to_over_resumes_however_a_run_ends(place):
    told = play(place, file(4, limits=LIMITS + "max_fault_rate = 0"), "--quiet", code=4)
    assert "max_fault_rate is 0" in told
    assert load(place / "run") == Times(played_again=3, late_timeouts=1)
    play(place, file(4, limits=LIMITS + "max_fault_rate = 1"), "--quiet", "--resume")
    assert load(place / "run") == Times(played_again=6, late_timeouts=2)
    told = play(place, file(4, limits=LIMITS + "max_fault_rate = 1"), "--quiet", "--resume")
    assert "played again 6 times, and 2 timeouts were charged" in told, "a finished run tells it again"
    assert load(place / "run") == Times(played_again=6, late_timeouts=2)


def test_the_counts_of_blocks_that_are_played_carefully_are_in_it(place):
    play(place, file(2, ", dies = true"), "--quiet")
    assert load(place / "run") == Times(played_again=2)


def test_a_gate_counts_and_tells_it_as_well(place):
    (place / "t.toml").write_text(file(1))
    gate = ("gate", "first", "--against", "random", "--config", "t.toml", "--max-deals", "4", "--workers", "1")
    result = tourney(place, *gate, "--quiet", "--out", "run")
    assert result.returncode in (0, 3), result.stderr
    assert load(place / "run") == Times(played_again=1)
    assert "matches were played again once, and 0 timeouts" in result.stderr


FORMATS = {
    "table": "played again  late timeouts\n------------  -------------\n           3              1\n",
    "markdown": "| played again | late timeouts |\n"
    "|--------------|---------------|\n"
    "|            3 |             1 |\n",
    "csv": "played_again,late_timeouts\n3,1\n",
    "json": '{\n  "played_again": 3,\n  "late_timeouts": 1\n}\n',
}


def test_the_times_are_printed_in_every_format(tourney, finished):
    (finished / TIMES).write_text('{"played_again": 3, "late_timeouts": 1}')
    printed = {form: tourney("standings", finished, "--times", "--format", form).stdout for form in FORMATS}
    assert printed == FORMATS
    for form in ("csv", "json"):
        assert "ate machine" not in tourney("standings", finished, "--format", form).stdout
    assert "Late machine: " in tourney("standings", finished, "--format", "markdown").stdout


def test_a_run_without_limits_of_time_keeps_none(tourney, finished):
    assert not (finished / TIMES).exists()
    one_line(
        tourney("standings", finished, "--times"), 2, "done: keeps no times (times.json); a run does in which a bot"
    )


def test_a_run_without_limits_of_time_does_not_mind_what_is_in_their_place(tourney, write, finished):
    (finished / TIMES).write_text("{")
    result = tourney("run", write(), "--out", finished, "--resume", "--quiet")
    assert (result.returncode, result.stderr) == (0, "")


def test_times_are_those_of_the_whole_run(tourney, finished):
    for other in ("--cross", "--seats", "--rounds"):
        result = tourney("standings", finished, "--times", other)
        assert (result.returncode, "ask for one at a time" in result.stderr) == (2, True)
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
    "larger than it can be": " " * 2_000_000,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_is_one_line_and_hides_no_standings(tourney, finished, damage):
    content = DAMAGED[damage]
    whole = tourney("standings", finished).stdout
    (finished / TIMES).write_bytes(content if isinstance(content, bytes) else content.encode())
    shown = tourney("standings", finished)
    assert (shown.returncode, shown.stdout) == (0, whole)
    assert (shown.stderr.count("\n"), "times.json: " in shown.stderr) == (1, True)
    one_line(tourney("standings", finished, "--times"), 2, f"{TIMES}: ", "; remove it, and times are counted anew")


def test_a_run_with_damaged_times_goes_on_once_they_are_removed(tourney, write, tmp_path):
    keys = ("run", write(deals="1", extra=LIMITS), "--out", "run", "--quiet")
    assert tourney(*keys).returncode == 0
    run = tmp_path / "run"
    assert orjson.loads((run / TIMES).read_bytes()) == {"played_again": 0, "late_timeouts": 0}
    whole = journal(run)
    (run / "journal.jsonl").write_bytes(whole[:-10])
    (run / TIMES).write_text("{")
    one_line(tourney(*keys, "--resume"), 2, "times.json: is damaged (")
    assert journal(run) == whole[:-10]
    (run / TIMES).unlink()
    assert tourney(*keys, "--resume").returncode == 0
    assert journal(run) == whole
    (run / TIMES).unlink()
    (run / TIMES).symlink_to("/dev/zero")
    with pytest.raises(RunError, match="it is no regular file"):
        load(run)
