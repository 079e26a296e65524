"""`tourney matches` finds the matches that one wants to see, and fits the screen."""

import orjson
import pytest

from tests.cli.runs import journal
from tests.conftest import BAD

FAULTY = f'[[bot]]\nname = "bad"\nuse = "{BAD}:RaisesLater"'
GAMES = '[[game]]\nname = "vole"\noptions = { target = 6 }\n[[game]]\nname = "bang"\nseats = 3'


@pytest.fixture
def run(write, played, tmp_path):
    """Returns the records of a run with a bad bot, by the name of the match."""
    played(write("mixed", extra=FAULTY, game=GAMES, deals="3"), "run")
    return {record["match"]: record for record in map(orjson.loads, journal(tmp_path / "run").splitlines())}


@pytest.fixture
def listed(tourney):
    """Lists matches of the run with some options; returns their lines."""

    def listed(*options):
        result = tourney("matches", "run", *options)
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout.splitlines()

    return listed


def names(lines):
    return [line.split()[0] for line in lines]


def place(record, bot):
    return record["places"][record["seats"].index(bot)]


def lead(record, bot):
    """By how much a bot was ahead of the best other, or behind it."""
    mine = record["seats"].index(bot)
    others = [score for seat, score in enumerate(record["scores"]) if seat != mine]
    ahead = record["scores"][mine] - max(others)
    return ahead if record["places"][mine] == 1 else -ahead


def test_won_and_lost_are_counted_as_in_the_standings(tourney, run, listed):
    rows = orjson.loads(tourney("standings", "run", "--format", "json").stdout)
    for row in rows:
        bot = row["bot"]
        won, lost = names(listed("--bot", bot, "--won")), names(listed("--bot", bot, "--lost"))
        assert (len(won), len(lost)) == (row["won"], row["lost"])
        assert lost == [match for match, record in run.items() if bot in record["seats"] and place(record, bot) > 1]
        assert set(won) <= {match for match, record in run.items() if bot in record["seats"]} - set(lost)


def test_where_a_bot_lost_worst_is_one_command(run, listed):
    lines = listed("--bot", "random", "--lost", "--sort", "margin", "--limit", 5)
    lost = [match for match, record in run.items() if "random" in record["seats"] and place(record, "random") > 1]
    worst = sorted(lost, key=lambda match: -lead(run[match], "random"))[:5]  # equal ones in the order of the run
    assert names(lines) == worst
    assert [int(line.split()[2]) for line in lines] == [lead(run[match], "random") for match in worst]
    assert all(line.split()[1] == "margin" for line in lines)


def test_all_matches_are_sorted_by_margin_faults_and_length(run, listed):
    def first_lead(match):
        record = run[match]
        return lead(record, record["seats"][record["places"].index(1)])

    keys = {
        "margin": first_lead,
        "faults": lambda match: len(run[match]["faults"]),
        "length": lambda match: len(run[match]["actions"].split()),
    }
    for key, value in keys.items():
        ordered = sorted(run, key=lambda match: -value(match))
        assert names(listed("--sort", key)) == ordered
        assert names(listed("--sort", key, "--limit", 7)) == ordered[:7]
        assert names(listed("--sort", key, "--limit", 10_000)) == ordered
    longest = listed("--sort", "length", "--limit", 1)[0]
    assert f"  decisions {max(map(keys['length'], run))}  " in longest
    assert names(listed("--limit", 3)) == list(run)[:3]
    assert "  faults 1  " in listed("--sort", "faults", "--bot", "bad", "--limit", 1)[0]
    assert "  faults 0  " in listed("--sort", "faults", "--bot", "first", "--limit", 1)[0]
