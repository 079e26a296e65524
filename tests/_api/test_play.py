"""Single matches and gates from Python."""

import json

import pytest

import tourney
from tourney._api.configuration import read_config
from tourney.contracts.match import Record
from tourney.table import replay

UNDECIDED = [
    ({"games": ["leon"]}, "say how many seats, as in leon:2"),
    ({"games": "vole"}, "games: give a list of one game or more"),
    ({"games": []}, "games: give a list of one game or more"),
    ({"alpha": 0.5}, "alpha: Expected `float` < 0.5"),
    ({"beta": 0}, "beta: Expected `float` > 0.0"),
    ({"max_deals": 0}, "max_deals: Expected `int` >= 1"),
    ({"allow_faults": -1}, "allow_faults: Expected `int` >= 0"),
    ({"resume": True, "overwrite": True}, "overwrite"),
    ({"against": 3}, "int is not a bot"),
    ({"limits": {"move": 3}}, "did you mean"),
]


class Counting:
    """Plays its first legal action, and counts its decisions."""

    def __init__(self):
        self.asked = 0

    def act(self, view, legal):
        self.asked += 1
        return legal[0]


class Singer(Counting):
    games = ("leon", "bang")


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
    assert (record != 3, record == 3) == (True, False)
    assert tourney.play("vole", [Counting, "random"], seed=(1 << 128) - 1, options={"target": 6}).seed == "f" * 32


def test_a_view_prints_as_what_it_shows():
    decision = next(tourney.play("vole", ["random", "first"], seed=5).replay().decisions())
    shown = repr(decision.view)
    assert shown.startswith(f"VoleView(seat={decision.seat}, round=1, hand=['")
    assert "_facts" not in shown


def test_bots_go_round_the_table_and_may_have_names_and_options():
    record = tourney.play("leon", [{"name": "one", "use": "random"}, "first"], seats=4, options={"max_cards": 3})
    assert record.seats == ("one", "first", "one", "first")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("vole", ["random"]), "2 seats|seats"),
        (("vole", "random"), "give a list"),
        (("vole", [Counting(), "random"], {"seed": -1}), "not a seed"),
        (("vole", [3, "random"]), "int is not a bot"),
        (("leon", [Counting()], {"seats": 4}), "sits in one seat"),
        (("vole", ["random"] * 3, {"seats": 2}), "there are 3 bots and 2 seats; take away bots"),
        (("vole", [Counting(), "random"], {"seed": 1 << 128}), "not a seed"),
        (("vole", []), "give a list"),
        (("vole", [{"name": "random", "host": "process"}] * 2), 'no key "host" for a single match'),
        (("vole", [{"use": 3}, "random"]), "use is int; give a name"),
        (("vole", [Singer, "random"]), "Singer does not play vole .it plays leon, bang.; take another"),
        (("vole", [Singer(), "random"]), "Singer does not play vole .it plays leon, bang.; take another"),
        (("leon", [{"use": Singer, "options": {"a": 1}}, "random"]), 'bot Singer: options: no key "a"'),
    ],
)
def test_a_match_that_cannot_be_played_is_refused(arguments, message):
    game, bots, *keys = arguments
    with pytest.raises(tourney.TourneyError, match=message):
        tourney.play(game, bots, **(keys[0] if keys else {}))


def bot(plays):
    return type("Bot", (), {"act": lambda self, view, legal: plays(view, legal)})


def test_a_gate_of_classes_gives_a_frozen_verdict(tmp_path):
    modest = bot(lambda view, legal: max(legal) if max(view.won) < 7 else min(legal))
    low = bot(lambda _, legal: legal[0])
    games, seen = [{"name": "vole", "options": {"target": 6}}], []
    keys = {"games": games, "max_deals": 30, "workers": 2, "progress": seen.append}
    result = tourney.gate(modest, against=low, out=tmp_path / "gate", **keys)
    assert (result.new, result.old) == ("Bot-new", "Bot-old")
    assert result.details == json.loads((tmp_path / "gate" / "gate.json").read_bytes())
    assert result.verdict == result.details["verdict"]
    assert result.passed == (result.verdict == "passed")
    assert result.matches == sum(1 for _ in result.run.records()) == 2 * result.deals
    assert seen[-1].matches == result.matches
    assert seen[-1].most_matches == 60
    figures = (result.score, result.elo, result.elo_low, result.elo_high)
    assert figures == tuple([result.details["all"][key] for key in ("score", "elo", "elo_low", "elo_high")])
    margins = {match.match: match.margin for match in result.run.matches("Bot-new")}
    assert all([margins[match] < 0 for match in result.worst])
    assert str(result) == result.summary
    assert result.summary.startswith(result.verdict.upper())
    assert result.run.finished
    with pytest.raises(AttributeError):
        result.elo = 3
    with pytest.raises(tourney.RunError, match="resume it, overwrite it"):
        tourney.gate(modest, against=low, out=tmp_path / "gate", **keys)
    assert tourney.gate(modest, against=low, out=tmp_path / "gate", **keys, resume=True).details == result.details


@pytest.mark.parametrize(("keys", "says"), UNDECIDED)
def test_a_gate_that_cannot_be_decided_is_refused(tmp_path, keys, says):
    with pytest.raises(tourney.ConfigError, match=says):
        tourney.gate("steady", **({"against": "random", "games": ["vole"], "out": tmp_path / "gate"} | keys))
    assert not (tmp_path / "gate").exists()


def test_classes_names_and_tables_sit_in_their_order():
    def names(*bots, **keys):
        tournament, *_ = read_config({"name": "t", "seed": 1, "bots": bots, "game": [{"name": "vole"}], **keys})
        return [(each.name, each.use, each.pickled is not None) for each in tournament.entrants]

    more = {"bot": [{"name": "more", "use": Counting}]}
    random, more_read = ("random", "random", False), ("more", "class Counting", True)
    assert names(bot(min), "random", **more) == [("Bot", "class Bot", True), random, more_read]
    assert names("random", **more) == [random, more_read]
