"""The times of a run: how long bots took for decisions, and how many timeouts an overloaded machine saw."""

from pathlib import Path

import msgspec
import orjson
import pytest

from tests.cli.runs import one_line
from tests.conftest import tournament_text
from tests.conftest import with_plugins as tourney
from tourney.hosts.timing import DecisionTimes
from tourney.journal.times import TIMES, Times, load

LATE = """
from tourney.hosts.faults import ChargedError
from tourney.hosts.inline import InlineHost

class LateHost(InlineHost):
    name = "late"

    def begin(self, facts, rng_seed, clock):
        bot = super().begin(facts, rng_seed, clock)
        if facts.seat == 0:
            bot.act = self.late
        return bot

    def late(self, view, legal):
        raise ChargedError("timeout", "took longer than move_ms", late=True)
"""
"""A host whose bots run out of time in seat 0, on an overloaded machine."""
LIMITS = "[limits]\nmove_ms = 600000\n"


@pytest.fixture
def place(plugin) -> Path:
    found = plugin("late-host", "[tourney.hosts]\nlate = late:LateHost\n", late=LATE)
    extra = f'[[bot]]\nname = "first"\nhost = "late"\n{LIMITS}max_fault_rate = 1\n'
    (found / "t.toml").write_text(tournament_text("t", deals="2", bots='["random"]', extra=extra))
    return found


def test_timeouts_on_an_overloaded_machine_are_counted_and_told(place):
    played = tourney(place, "run", "t.toml", "--out", "run", "--quiet")
    assert (played.returncode, load(place / "run").late_timeouts) == (0, 2), played.stderr
    assert " ".join(played.stderr.split()).startswith("2 timeouts were charged while the machine was overloaded; ")
    assert all(len(line) <= 80 for line in played.stderr.splitlines())
    gate = ("gate", "first", "--against", "random", "--config", "t.toml", "--max-deals", "2", "--workers", "1")
    result = tourney(place, *gate, "--quiet", "--out", "gate")
    assert "charged while the machine was overloaded" in " ".join(result.stderr.split())


SAVED = Times(
    1,
    {"first": DecisionTimes(2_000, {160: 1, 175: 1}), "steady": DecisionTimes(5_900_000_000, {424: 1, 519: 1})},
)
"""Times that may be those of a run."""
TABLE = """\
bot     decisions   median    95 %   worst
------  ---------  -------  ------  ------
steady          2  97.0 ms   5.9 s   5.9 s
first           2   1.0 us  2.0 us  2.0 us
random          0
"""
CSV = """\
bot,decisions,median_us,p95_us,worst_us
steady,2,96984.442,5900000.0,5900000.0
first,2,1.046,2.0,2.0
random,0,,,
"""


@pytest.fixture
def timed(finished) -> Path:
    (finished / TIMES).write_bytes(msgspec.json.encode(SAVED))
    return finished


def test_the_times_are_printed_in_every_format(tourney, timed):
    printed = {
        form: tourney("standings", timed, "--times", "--format", form).stdout
        for form in ("table", "markdown", "csv", "json")
    }
    assert printed["table"].split("\n\n")[0] == TABLE.rstrip()
    assert "| random |         0 |         |        |        |" in printed["markdown"]
    assert printed["csv"] == CSV
    data = orjson.loads(printed["json"])
    assert (data["late_timeouts"], list(data["bots"])) == (1, ["steady", "first", "random"])
    assert data["bots"]["first"] == {"decisions": 2, "median_us": 1.046, "p95_us": 2.0, "worst_us": 2.0}
    assert data["bots"]["random"] == {"decisions": 0, "median_us": None, "p95_us": None, "worst_us": None}


DAMAGED = {
    "no JSON": b"late_timeouts",
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_damage_is_one_line_and_hides_no_standings(tourney, finished, damage):
    whole = tourney("standings", finished).stdout
    (finished / TIMES).write_bytes(DAMAGED[damage])
    shown = tourney("standings", finished)
    assert (shown.returncode, shown.stdout, shown.stderr) == (0, whole, "")
    one_line(tourney("standings", finished, "--times"), 2, f"{TIMES}: missing or damaged")
