"""The commands that look at a run, beyond what `test_golden_output` compares."""

import orjson


def test_replay_shows_the_decisions_that_are_asked_for(tourney, finished):
    whole = tourney("replay", finished, "vole-00001-0", "--json").stdout.splitlines()
    some = tourney("replay", finished, "vole-00001-0", "--json", "--from", 5, "--to", 9).stdout.splitlines()
    acts = [line for line in whole if '"kind":"act"' in line]
    assert [line for line in some if '"kind":"act"' in line] == acts[4:9]
    seat = tourney("replay", finished, "vole-00001-0", "--json", "--seat", 0, "--from", 5, "--to", 9).stdout
    for line in seat.splitlines():
        decision = orjson.loads(line)
        assert 5 <= decision["decision"] <= 9
        assert decision["seat"] == decision["view"]["seat"] == 0
        assert decision["action"] in decision["legal"]


def test_the_folder_of_a_run_has_its_standings_as_the_command_prints_them(tourney, finished):
    assert (finished / "standings.txt").read_text(encoding="utf-8") == tourney("standings", finished).stdout
    data = orjson.loads(tourney("standings", finished, "--format", "json").stdout)
    assert orjson.loads((finished / "standings.json").read_bytes()) == data


def test_the_standings_have_more_columns_on_a_wider_terminal(tourney, finished):
    heads = [tourney("standings", finished, COLUMNS=str(n)).stdout.split("\n")[0].split() for n in (40, 80)]
    assert set(heads[0]) < set(heads[1])
