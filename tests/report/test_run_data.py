"""What a report says of a run: the numbers of the standings, ratings that settle, and matches that are worth a look."""

import orjson
import pytest

from tests.report.runs import ARABIC, play
from tourney.contracts.match import Record
from tourney.journal.folder import JOURNAL
from tourney.journal.standings import count_run
from tourney.report.run_data import read_record, read_run


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return play(tmp_path_factory.mktemp("runs"), "small", "faulty")


def records(run):
    """The records of a run, read by other means."""
    return [orjson.loads(line) for line in (run / JOURNAL).read_bytes().splitlines()]


def notable(data, reason):
    return [each for each in data.notable if each.reason == reason]


def test_the_standings_and_the_ratings_that_settle_are_those_of_the_command(runs):
    data = read_run(runs / "small")
    assert data.rows == count_run(runs / "small").ranking().rows
    assert data.finished
    assert (data.totals.matches, data.deals) == (72, 12)
    deals = [after.deals for after in data.history]
    assert deals == sorted(set(deals))
    assert deals[-1] == 12
    assert len(deals) > 4
    assert {row.bot: (row.rating, row.rating_low, row.rating_high) for row in data.rows} == data.history[-1].ratings
    widths = [after.ratings["steady"][2] - after.ratings["steady"][1] for after in data.history]
    assert widths[-1] < widths[0]


def test_the_worst_loss_of_each_bot_is_its_largest_one(runs):
    data = read_run(runs / "small")
    found = {each.text.split("'")[0]: each for each in notable(data, "loss")}
    assert set(found) == {"random", "first", "steady"}
    for bot, each in found.items():
        losses = [
            max(record["scores"]) - record["scores"][record["seats"].index(bot)]
            for record in records(runs / "small")
            if bot in record["seats"] and record["places"][record["seats"].index(bot)] > 1
        ]
        result = each.match.found.result
        assert max(result.scores) - result.scores[each.match.found.seats.index(bot)] == max(losses)


def test_an_upset_is_a_win_over_a_bot_that_is_surely_stronger(runs):
    data = read_run(runs / "small")
    rows = {row.bot: row for row in data.rows}
    found = notable(data, "upset")
    assert found
    for each in found:
        winner = each.text.split(" came before ")[0]
        [loser] = set(each.match.found.seats) - {winner}
        assert rows[winner].rating_high < rows[loser].rating_low
        assert each.match.found.result.places[each.match.found.seats.index(winner)] == 1


def test_a_listed_match_has_its_record_in_the_journal_and_a_text_that_no_name_reorders(runs):
    data = read_run(runs / "faulty")
    texts = [each.text for each in data.notable if ARABIC in each.text]
    assert texts
    assert all(f"\u2068{ARABIC}\u2069" in text for text in texts)
    for each in data.notable:
        record = read_record(runs / "faulty", each.match)
        assert isinstance(record, Record)
        assert record.match == each.match.found.id
        assert record.scores == each.match.found.result.scores
        assert record.decisions == each.match.found.decisions
