"""The standings of matches that were played elsewhere."""

import csv
from math import exp, log
from random import Random

import pytest

import tourney
from tests.conftest import called

STRENGTHS = {"Ann, A.": 1.0, "Bob": 0.5, "Cy": 0.0, "Dee": -0.5}


def written(path, heads, rows):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([heads.split(), *rows])
    return path


def test_two_seats_are_rated_as_choix_and_ordo_rate_them(tmp_path):
    rng, rows = Random(3), []
    for number in range(400):
        one, other = rng.sample(list(STRENGTHS), 2)
        won = int(rng.random() < 1 / (1 + exp(STRENGTHS[other] - STRENGTHS[one])))
        rows.append((number, one, won, other, 1 - won))
    found = tourney.rate(written(tmp_path / "two.csv", "match name1 score1 name2 score2", rows))
    # 1500 + 400 / ln(10) * p, where p is choix.ilsr_pairwise(4, wins) less its mean
    wanted = {"Ann, A.": 1646.32, "Bob": 1523.54, "Cy": 1446.54, "Dee": 1383.59}
    assert {row.bot: row.rating for row in found} == pytest.approx(wanted, abs=0.2)
    assert found.of("Bob").rating_low < 1523 < found.of("Bob").rating_high
    assert (found.of("Bob").place_low, found.of("Bob").place_high) == (2, 2)


def test_tables_of_several_sizes_are_rated_as_choix_rates_rankings(tmp_path):
    rng, rows = Random(4), []
    for number in range(200):
        order = sorted(STRENGTHS, key=lambda name: log(-log(1 - rng.random())) - STRENGTHS[name])[: rng.choice((3, 4))]
        seats = rng.sample(order, len(order))
        rows.append((f"m{number}", number // 4, *[it for name in seats for it in (name, order.index(name) + 1)]))
    heads = "Match Deal bot_1 place_1 bot_2 place_2 bot_3 place_3 bot_4 place_4"
    file = written(tmp_path / "many.csv", heads, rows)
    wanted = {"Ann, A.": 1619.50, "Bob": 1544.37, "Cy": 1459.59, "Dee": 1376.54}  # by choix.ilsr_rankings
    by_deal = tourney.rate(file)
    assert {row.bot: row.rating for row in by_deal} == pytest.approx(wanted, abs=0.2)
    assert all([row.mean_score is None for row in by_deal])
    printed = called(["standings", str(file), "--show", "cross"], tmp_path).stdout
    assert "Ann, A." in printed
    assert "How often the row's bot finished ahead" in printed


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "results.csv:1: the first line names the columns: match, deal if you have it"),
        ("match,name1,score1,name2\n", "the first line names the columns"),
        ("match,a,place,b,score\n", "each name is followed by its place, or each by its score"),
        ("match,a,score,b,score\n", "no matches"),
        ("match,a,score,b,score\n1,x,2,y,z\n", 'results.csv:2: "z" of "y" is not a number'),
        ("match,a,score,b,score\n1,x,2,x,3\n", 'results.csv:2: "x" has two seats'),
        ("match,a,score,b,score\n1,x,2,,\n", "results.csv:2: a match has two seats or more"),
        ("match,a,score,b,score\n1,x,2,,3\n", "results.csv:2: a name has 1 to 60 letters"),
        ("match,a,score,b,score\n1,x,2,y,3\n1,x,2,y,3\n", 'results.csv:3: match "1" again'),
        ("match,a,score,b,score\n1,x,2,y,3,z,4\n", "results.csv:2: 7 columns, but the first line has 5"),
        ('match,a,score,b,score\n1,x,2,y,"3\n', "results.csv:2: not CSV"),
        ("match,a,score,b,score\n1,\xff,2,y,3\n", "not UTF-8; save the file as CSV in UTF-8"),
    ],
)
def test_a_wrong_file_gets_one_line(tmp_path, text, problem):
    file = tmp_path / "results.csv"
    file.write_bytes(text.encode("latin-1"))
    result = called(["standings", "results.csv"], tmp_path)
    assert (result.returncode, problem in " ".join(result.stderr.split())) == (2, True), result.stderr


def test_a_file_of_results_is_ranked_alone(tmp_path):
    file = written(tmp_path / "one.csv", "match a score b score", [(1, "x", 0.5, "y", 0.5)])
    assert called(["standings", str(file)], tmp_path).returncode == 0
    for more in ([str(file)], ["--at", "3"], ["--show", "times"], ["--game", "vole"]):
        assert "is ranked alone" in " ".join(called(["standings", str(file), *more], tmp_path).stderr.split())
