"""Several runs of the same bots at different games, ranked in one table and on one page."""

import re

import orjson
import pytest

from tests.cli.runs import journal, one_line
from tests.conftest import called, tournament_text

VOLE = {"deals": "2", "game": '[[game]]\nname = "vole"\nweight = 3'}
LEON = '[[game]]\nname = "leon"\nseats = 2\noptions = { max_cards = 2 }'
RANDOM_AS_FIRST = '[[bot]]\nname = "first"\nuse = "random"'
GAMES = {
    "two": VOLE,
    "three": {"deals": "2", "format": '"swiss"', "rounds": "1", "game": '[[game]]\nname = "voleur"\nseats = 3'},
    "climb": {"format": '"ladder"', "max_matches": "100", "game": LEON},
    "fewer": {"bots": '["random", "steady"]', "game": LEON},
    "again": VOLE,
    "other": {"bots": '["random", "steady"]', "extra": RANDOM_AS_FIRST, "game": LEON},
}
UNFIT = {
    "climb": "climb: a ladder plays on",
    "fewer": "fewer: first plays in one of it and results/two",
    "again": "again: plays vole, as results/two does",
    "other": "other: first is another bot than in results/two",
    "gate": "gate: a gate compares two bots",
}


def play(folder, *names):
    for name in names:
        (folder / f"{name}.toml").write_text(tournament_text(name, **GAMES[name]), encoding="utf-8")
        assert called(["run", f"{name}.toml", "--quiet"], folder).returncode == 0
    return folder


def test_each_game_weighs_in_one_table_and_on_one_page_what_its_file_says(tmp_path):
    folder = play(tmp_path, "two", "three")

    def shares(*names):
        table = orjson.loads(called(["standings", *names, "--format", "json"], folder).stdout)
        return {row["bot"]: (row["points_percent"], row["matches"]) for row in table}

    two, three, both = shares("two"), shares("three"), shares("two", "three")
    for bot, (percent, matches) in both.items():
        assert percent == pytest.approx((3 * two[bot][0] + three[bot][0]) / 4, abs=1e-3)
        assert matches == two[bot][1] + three[bot][1]
    assert shares("two", "three", "--game", "vole") == two
    three = folder / "results" / "three" / "journal.jsonl"
    three.write_bytes(b"".join(three.read_bytes().splitlines(keepends=True)[:-1]))
    matches = len(journal(folder / "results" / "two").splitlines()) + len(three.read_bytes().splitlines())
    assert called(["standings", "two", "three"], folder).stderr.startswith(f"not finished: {matches} of {matches + 1} ")
    one_line(called(["report", "two", "three"], folder), 2, "several runs", "--out")
    assert called(["report", "two", "three", "--out", "both.html"], folder).returncode == 0
    page = (folder / "both.html").read_text(encoding="utf-8")
    assert re.search("2 runs", page)
    assert {"vole-00000-0", "voleur-00000-0"} <= set(re.findall(r"vole\w*-0+-0", page))


def test_runs_that_do_not_fit_are_refused(tmp_path):
    folder = play(tmp_path, *[name for name in GAMES if name != "three"])
    gate = "gate steady --against random --game leon:2 --max-deals 2 --out gate --quiet"
    assert called(gate.split(), folder).returncode in (0, 1, 3)
    for name, says in UNFIT.items():
        one_line(called(["standings", "two", name], folder), 2, says)
        one_line(called(["report", "two", name, "--out", "both.html"], folder), 2, says)
