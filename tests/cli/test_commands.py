"""The commands that look at a run, beyond what `test_golden_output` compares."""

import orjson


def test_the_folder_of_a_run_has_its_standings_as_the_command_prints_them(tourney, finished):
    assert (finished / "standings.txt").read_text(encoding="utf-8") == tourney("standings", finished).stdout
    data = orjson.loads(tourney("standings", finished, "--format", "json").stdout)
    assert orjson.loads((finished / "standings.json").read_bytes()) == data


def test_the_standings_have_more_columns_on_a_wider_terminal(tourney, finished):
    heads = [tourney("standings", finished, COLUMNS=str(n)).stdout.split("\n")[0].split() for n in (40, 80)]
    assert set(heads[0]) < set(heads[1])
