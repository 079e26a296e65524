"""How often two bots decide alike."""

import pytest
from tourney_bots.steady import Steady

import tourney

AGAIN = {"name": "again", "use": "steady"}


class Copy(Steady):
    pass


class Nearly(Steady):
    """Takes the last legal action in a tenth of its decisions."""

    def start(self, facts):
        super().start(facts)
        self.chance = facts.rng.random

    def act(self, view, legal):
        return super().act(view, legal) if self.chance() < 0.9 else legal[-1]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    bots = [
        "steady",
        {"name": "again", "use": "steady"},
        {"name": "copy", "use": Copy},
        {"name": "nearly", "use": Nearly},
    ]
    bots += ["random", "first"]
    given = {"name": "alike", "seed": "1", "deals": 5, "bots": bots, "game": [{"name": "voleur", "seats": 3}]}
    return tourney.run(given, out=tmp_path_factory.mktemp("alike") / "run", workers=1)


def test_a_copy_decides_always_alike_and_others_do_not(run):
    found = {(each.bot, each.other): each for each in run.alike()}
    copy = found["copy", "steady"]
    assert (copy.percent, copy.high, copy.deals) == (100, 100, 5)
    assert copy.decisions > 100
    assert found["first", "random"].percent < 60
    assert 80 < found["nearly", "steady"].percent < 100
    assert [each.percent for each in run.alike()] == sorted([each.percent for each in run.alike()], reverse=True)


def test_copies_are_named_below_the_standings_unless_they_are_one_bot_under_two_names(run):
    text = " ".join(str(run.standings()).split())
    assert "steady, again and copy decide alike in all of" in text
    given = {"name": "two", "seed": "1", "deals": 5, "bots": ["steady", AGAIN], "game": [{"name": "vole"}]}
    alone = tourney.run(given, out=run.path.parent / "two", workers=1)
    assert alone.alike()[0].percent == 100
    assert "alike" not in str(alone.standings())
