"""`tourney matches` finds the matches that one wants to see, beyond what `test_golden_output` compares."""

import orjson

from tests.cli.runs import journal
from tests.conftest import BAD

FAULTY = f'[[bot]]\nname = "bad"\nuse = "{BAD}:RaisesLater"'
GAMES = '[[game]]\nname = "vole"\noptions = { target = 6 }\n[[game]]\nname = "bang"\nseats = 3'


def test_won_and_lost_are_counted_as_in_the_standings(tourney, write, played):
    run = played(write("mixed", extra=FAULTY, game=GAMES, deals="3"))
    records = [orjson.loads(line) for line in journal(run).splitlines()]

    def listed(*options):
        return [line.split()[0] for line in tourney("matches", "run", *options).stdout.splitlines()]

    for row in orjson.loads(tourney("standings", "run", "--format", "json").stdout):
        bot = row["bot"]
        won, lost = listed("--bot", bot, "--won"), listed("--bot", bot, "--lost")
        assert (len(won), len(lost)) == (row["won"], row["lost"])
        sat = {
            record["match"]: record["places"][record["seats"].index(bot)]
            for record in records
            if bot in record["seats"]
        }
        assert lost == [match for match, place in sat.items() if place > 1]
        assert set(won) <= sat.keys() - set(lost)
