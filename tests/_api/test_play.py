"""Single matches and gates from Python."""

import pytest

import tourney
from tourney.contracts.match import Record
from tourney.table import replay


class Counting:
    """Plays its first legal action, and counts its decisions."""

    def __init__(self):
        self.asked = 0

    def act(self, view, legal):
        self.asked += 1
        return legal[0]


def test_a_match_here_asks_bot_objects_and_is_a_record_with_its_trace():
    bot = Counting()
    record = tourney.play("vole", [bot, "random"], seed=5, options={"target": 6})
    assert isinstance(record, Record)
    assert record.seats == ("Counting", "random")
    assert bot.asked == len(list(record.replay().decisions(bot="Counting"))) > 0
    assert record.trace[0]["seats"] == ["Counting", "random"]
    assert record.trace[-1]["scores"] == list(record.scores)
    replay.check(record, tourney.load_game("vole"))
    assert record == tourney.play("vole", [Counting, "random"], seed=5, options={"target": 6})
    assert record.line() == tourney.play("vole", [Counting, "random"], seed=5, options={"target": 6}).line()


def test_a_view_prints_as_what_it_shows():
    decision = next(tourney.play("vole", ["random", "first"], seed=5).replay().decisions())
    shown = repr(decision.view)
    assert shown.startswith(f"VoleView(seat={decision.seat}, round=1, hand=['")
    assert "_facts" not in shown


def test_bots_go_round_the_table_and_may_have_names_and_options():
    bots = [{"name": "one", "use": "random"}, "first"]
    record = tourney.play("leon", bots, seats=4, options={"max_cards": 3})
    assert record.seats == ("one", "first", "one", "first")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("vole", ["random"]), "2 seats|seats"),
        (("vole", "random"), "give a list"),
        (("vole", [Counting(), "random"], {"seed": -1}), "not a seed"),
        (("vole", ["random"] * 2, {"options": {"targt": 3}}), "did you mean"),
        (("vole", [3, "random"]), "int is not a bot"),
        (("vol", ["random"] * 2), 'did you mean "vole"'),
        (("leon", [Counting()], {"seats": 4}), "sits in one seat"),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(arguments, message):
    game, bots, *keys = arguments
    with pytest.raises(tourney.TourneyError, match=message):
        tourney.play(game, bots, **(keys[0] if keys else {}))


def test_a_gate_of_classes_gives_a_frozen_verdict(tmp_path):
    def make(plays):
        return type("Bot", (), {"act": lambda self, view, legal: plays(view, legal)})

    modest = make(lambda view, legal: max(legal) if max(view.won) < 7 else min(legal))
    low = make(lambda view, legal: min(legal))
    games = [{"name": "vole", "options": {"target": 6}}]
    result = tourney.gate(modest, against=low, games=games, out=tmp_path / "gate", max_deals=30, workers=2)
    assert (result.new, result.old) == ("Bot-new", "Bot-old")
    assert result.verdict == result.details["verdict"]
    assert result.passed == (result.verdict == "passed")
    assert result.matches == sum(1 for _ in result.run.records()) == 2 * result.deals
    assert result.run.finished
    with pytest.raises(AttributeError):
        result.elo = 3
    with pytest.raises(tourney.ConfigError, match=r"say how many seats, as in leon:2"):
        tourney.gate("steady", against="random", games=["leon"], out=tmp_path / "other")
