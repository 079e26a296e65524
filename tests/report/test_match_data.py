"""What a page of a match holds: the views of the seats it is for, decision by decision, and nothing else."""

import re
from itertools import product
from random import Random

import msgspec
import orjson
import pytest

from tests.conftest import mostly_slow
from tests.games.test_plain_game import High
from tests.helpers import SHORT, play_match, tables
from tourney.base.errors import PluginError
from tourney.contracts.cards import Deck
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.report.beliefs import beliefs
from tourney.report.match_data import difference, match_data
from tourney.report.match_page import layout, match_block, match_page
from tourney.review.analysis.file import DecisionCost, MatchAnalysis
from tourney.table.replay import Replay, unfinished_record, walk
from tourney.testing.view_checks import after


def played(game, seats=2, seed=3, **keys):
    return play_match("steady", *["random"] * (seats - 1), game=game, seed=seed, **keys)


def data_of(record, game, views="all", **keys):
    return orjson.loads(match_data(record, load_game(game), views, **keys))


def patched(old, change):
    """Does what `patched` in viewer/data.js does."""
    if change == 0:
        return old
    if isinstance(change, dict):
        values = old if isinstance(old, dict) else {str(i): each for i, each in enumerate(old)}
        values = values | {key: patched(values.get(key), each) for key, each in change.items()}
        return values if isinstance(old, dict) else [*values.values()]
    if len(change) == 1:
        return change[0]
    return [*old[: change[0]], *change[2], *old[change[0] + change[1] :]]


def views_of(data, seat):
    views = [data["seen"][str(seat)]["first"]]
    for change in data["seen"][str(seat)]["changes"]:
        views.append(patched(views[-1], data["changes"][change]))
    return views


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [(1, 1, 0), (1, True, [True]), (None, 0, [0]), ({"a": 1, "b": [1]}, {"a": 1, "b": [1]}, 0),
     ({"a": 1, "b": 2}, {"a": 1, "b": 3}, {"b": [3]}), ({"a": 1}, {"b": 1}, [{"b": 1}]),
     (["9t", "2k", "3k", "4m"], ["9t", "3k", "4m"], [1, 1, []]),
     ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6, 7], [6, 0, [7]]),
     ([{"a": "long enough", "b": 1}, 2], [{"a": "long enough", "b": 2}, 2], {"0": {"b": [2]}}), ([1], [], [[]]),
     ([[None, "as it was"], 2, [None, "as it was"]], [["x", "as it was"], 2, ["y", "as it was"], 4],
      {"0": [0, 1, ["x"]], "2": [0, 1, ["y"]], "3": [4]})],
)  # fmt: skip
def test_a_difference_leads_from_the_old_value_to_the_new_one(old, new, expected):
    assert difference(old, new) == expected
    assert orjson.dumps(patched(old, difference(old, new))) == orjson.dumps(new)


@pytest.mark.parametrize(("game", "seats"), tables())
def test_the_views_on_a_page_are_those_of_the_seats_at_every_decision_and_at_the_end(game, seats):
    record = played(game, seats, options=SHORT[game])
    data = data_of(record, game)
    replay = Replay(record, load_game(game))
    expected = [[] for _ in range(seats)]
    for step in replay.steps():
        for seat in range(seats):
            expected[seat].append(orjson.dumps(step.state.view(seat).as_dict()))
        legal = data["lists"][data["seen"][str(step.seat)]["legal"][str(step.decision)]]
        texts = [data["texts"][data["acts"][act][0]] for act in legal]
        assert texts == [replay.game.text(action) for action in step.legal]
    for seat in range(seats):
        expected[seat].append(orjson.dumps(replay.state.view(seat).as_dict()))
        assert [orjson.dumps(view) for view in views_of(data, seat)] == expected[seat]


@pytest.mark.parametrize("game", mostly_slow(game_names(), "vole", "voleur"))
def test_a_page_for_one_seat_holds_nothing_but_what_that_seat_sees(game):
    """Every text in the data is in the seat's views, in what it observes, or is no secret of the match."""
    seats = load_game(game).seats[0]
    record = played(game, seats, options=SHORT[game])
    for seat in range(seats):
        data = data_of(record, game, seat)
        assert data.keys() == data_of(record, game).keys() - {"everyone", "twins"}
        assert list(data["seen"]) == [str(seat)]
        assert record.seed not in orjson.dumps(data).decode()
        told = []
        for found in walk(record, load_game(game), seat):
            mine = found.step is not None and found.step.seat == seat
            if found.step is not None:
                own = [load_game(game).text(action) for action in found.step.legal] if mine else []
                told += [*own, found.seen or "", *([found.action] if mine else [])]
            told += [earlier.action for earlier in found.revealed]
        told.append(orjson.dumps(views_of(data, seat)).decode())  # which another test compares with the seat's own
        known = {word for text in told for word in re.findall(r"[\w:-]+", text)}
        known |= {card for word in known for card in word.split(":")}
        deck = load_game(game).wording.deck or Deck((), ())
        for text in (*data["texts"], orjson.dumps(data["seen"][str(seat)]).decode()):
            for word in re.findall(r"[\w:-]+", text):
                if set(word.split(":")) & set(deck.names):
                    assert word in known, text


def test_another_seats_illegal_answer_is_left_out_for_a_seat():
    record = play_match("random", "SaysIllegal", "random", game="voleur", seed=3, options=SHORT["voleur"])
    fault = record.faults[0]
    assert fault.answer is not None
    for views, shown in (("all", fault.answer), (1, fault.answer), (0, fault.detail)):
        data = data_of(record, "voleur", views)
        assert [data["texts"][each["what"]] for each in data["faults"]] == [shown]
        assert any(f"answered {fault.answer}" in text for text in data["texts"]) == (views in ("all", 1))


class Laid(High):
    layout = "none.js"


def test_a_layout_that_cannot_be_read_is_an_error_of_the_game():
    with pytest.raises(PluginError, match=r'game "high": cannot read its layout .*/tests/report/none\.js; install'):
        layout(Laid())


def test_names_and_matches_cannot_break_out_of_the_page():
    name = '</script><script>alert(1)</script>"\u202e'
    record = play_match("random", "random")
    hostile = type(record)(**{key: getattr(record, key) for key in record.__struct_fields__} | {"match": name})
    page = match_page(match_data(hostile, load_game("vole")), name, load_game("vole"))
    assert "alert(1)" not in page.replace("&lt;script&gt;alert(1)", "")
    assert page.count("<script") == 2
    assert page.count("</script>") == 2


@pytest.mark.slow
def test_a_match_of_bang_of_900_decisions_is_a_page_of_less_than_190_kb():
    record = played("bang", 8)
    assert record.decisions > 750
    data = match_data(record, load_game("bang"))
    match = len(match_block(record.match, data))
    viewer = len(match_page(data, record.match, load_game("bang")).encode()) - match
    assert viewer + match * 900 / record.decisions < 190_000


def test_a_seat_is_given_its_own_costs_only():
    figures = ("play:2c", "play:3c", 50.0, 4.0, 1.0, 0.5, True, "play")
    costs = [DecisionCost(n, seat, *figures) for n, seat in ((3, 0), (4, 1))]
    record = played("voleur", 2)
    analysis = MatchAnalysis(record.match, "voleur", list(record.seats), sorted(record.seats), record.digest, costs)
    assert [cost["decision"] for cost in data_of(record, "voleur", analysis=analysis)["costs"]] == [3, 4]
    own = data_of(record, "voleur", 1, analysis=analysis)["costs"]
    assert [cost["decision"] for cost in own] == [3], "it did not notice decision 3"
    other = played("voleur", 2, seed=4)
    assert data_of(other, "voleur", analysis=analysis)["costs"] == [], "the analysis is of another match of that name"


def begun_with(game, state):
    """The game, whose matches all begin with a position."""
    return type(game.name, (type(game),), {"start": lambda *_: state.copy()})()


def follow_up(game, state, action, seat):
    """The match after an action, and after what others then decide of which a seat does not notice that they do."""
    state = after(state, action)
    while state.seat not in (None, seat):
        unseen = [each for each in state.legal() if game.observe(after(state, each), 0, seat).text is None]
        if not unseen:
            break
        state.play(unseen[0])
    return state


def played_alike(game, worlds, seat, rng, ends=False):
    """Plays on in two worlds that a seat cannot tell apart, to two such again, or ends; whether some were found."""
    one, other = [world.legal() for world in worlds]
    pairs = list(zip(one, one, strict=True) if worlds[0].seat == seat else product(one, other))
    for pair in rng.sample(pairs, min(40, len(pairs))):
        tried = [follow_up(game, world, action, seat) for world, action in zip(worlds, pair, strict=True)]
        over = [each.seat is None for each in tried]
        if over in ([False] * 2, [True] * 2 if ends else None) and tried[0].view(seat) == tried[1].view(seat):
            for world, each in zip(worlds, tried, strict=True):
                for entry in [entry for entry in each.log if isinstance(entry[0], int)]:
                    world.play(entry[1])
            return True
    return False


@pytest.mark.parametrize(("name", "seats"), tables())
def test_the_data_of_a_seat_rests_on_what_the_seat_knows_alone(name, seats, monkeypatch):
    """While a match goes on, and after its end."""
    monkeypatch.setattr("tourney.report.beliefs.DRAWS", 3)
    game, compared, told = load_game(name), 0, 0
    match = Match("m", GameSetup(name, seats, SHORT[name]), 0, 0, tuple("abcdefghij"[:seats]))
    for number in range(50):
        rng, state = Random(number), game.start(seats, game.options(seats, SHORT[name]), number)
        for _ in range(rng.randrange(40)):
            if after(state, action := rng.choice(state.legal())).seat is not None:
                state.play(action)
        seat = rng.randrange(seats)
        worlds = [state.copy(), game.imagine(state.view(seat), rng)]
        games = [begun_with(game, each.copy()) for each in worlds]
        goes_on = True
        while goes_on and compared < 10 * (number + 1):
            records = [unfinished_record(match, game, each.log) for each in worlds]
            if worlds[0].seat is None:
                ends = [{"scores": each.scores, "places": each.places} for each in worlds]
                records = [msgspec.structs.replace(*each[:1], **each[1]) for each in zip(records, ends, strict=True)]
            one, other = [match_data(record, each, seat) for record, each in zip(records, games, strict=True)]
            assert one == other
            compared += 1
            if compared % 2 or worlds[0].seat is None:  # it takes long
                span = range((end := orjson.loads(one)["decisions"] + 1) - 3, end)
                here, there = [beliefs(*each, seat, span, True) for each in zip(records, games, strict=True)]
                assert here == there
                told += bool(here["tables"])
            goes_on = worlds[0].seat is not None and played_alike(game, worlds, seat, rng, ends=True)
    assert compared > 60
    assert told > 12
