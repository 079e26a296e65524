"""What a seat could believe: compared with all deals that fit, and what has come to light."""

from collections import Counter
from math import sqrt

import pytest

from tests.conftest import mostly_slow
from tests.games.test_imagine import CASES, COLD_GAME, VOLE_GAME, cold_round, vole_round, vole_worlds
from tests.games.test_plain_game import High
from tests.helpers import SHORT
from tests.report.test_match_data import begun_with, played
from tourney.base.errors import GameError
from tourney.contracts.match import GameSetup, Match
from tourney.plugins.registry import game_names, load_game
from tourney.report.beliefs import DRAWS, beliefs
from tourney.table.replay import unfinished_record, walk
from tourney.testing.view_checks import after


def now(game, known, begun):
    """What a seat could believe at the end of a `Round`: the chances in percent by seat, name and text."""
    state, seats = known.state, len(known.state.scores)
    seen = [each for each in state.legal() if game.observe(after(state, each), 0, known.me).text is not None]
    state.play(seen[0])  # beliefs are at decisions
    record = unfinished_record(Match("m", GameSetup(game.name, seats, {}), 0, begun, ("a",) * seats), game, state.log)
    _, shares = beliefs(record, game, known.me)["tables"][-1]
    return {(int(seat), name): chances for seat, names in shares.items() for name, chances in names.items()}


def assert_near(found, worlds):
    """Fails unless the chances are those of the texts in all worlds, within four standard errors and rounding."""
    counts = Counter(text for world in worlds for text in world)
    for text, count in counts.items():
        share = count / len(worlds)
        assert abs(found.get(text, 0) / 100 - share) < 4 * sqrt(share * (1 - share) / DRAWS) + 0.006, text
        assert (found.get(text) == 100) == (share == 1)
    assert found.keys() <= counts.keys()
    return len(counts)


@pytest.mark.parametrize(("seed", "me"), [(10, 0), pytest.param(28, 1, marks=pytest.mark.slow)])
def test_chances_late_in_a_round_of_vole_are_those_of_all_hands_that_fit(seed, me):
    known = vole_round(seed, 11, me)
    worlds = vole_worlds(known)
    assert assert_near(now(VOLE_GAME, known, seed)[1 - me, "hand"], [hand for hand, *_ in worlds]) > 2


@pytest.mark.parametrize(("dealt", "actions", "me"), mostly_slow(CASES[:4], CASES[0]))
def test_chances_of_roles_and_cards_in_cold_blooded_are_those_of_all_worlds_that_fit(dealt, actions, me):
    known, begun, worlds = cold_round(dealt, actions, me)
    found = now(begun_with(COLD_GAME, begun), known, 0)
    sure = []
    for seat in range(5):
        for name, part in (("role", 0), ("card", 1)):
            if (seat, name) in found:
                sure.append(assert_near(found[seat, name], [[world[part][seat]] for world in worlds]))
    assert max(sure) > 1


@pytest.mark.parametrize("game", mostly_slow(game_names(), "vole", "cold-blooded"))
def test_what_comes_to_light_was_true_and_was_not_known(game):
    """A card is played or turned, or a role is shown, and at the decision before, it was there."""
    record, rules = played(game, load_game(game).seats[0], options=SHORT[game]), load_game(game)
    truth = {}
    for found in walk(record, rules):
        truth[found.number + 1] = {seat: rules.hidden(found.state, seat) for seat in range(len(record.seats))}
    came = beliefs(record, rules, 0)["reveals"]
    assert came
    for number, seat, name, text, share in came:
        assert text in truth[number][seat][name]
        assert 0 <= share < 100


@pytest.mark.parametrize("hidden", [None, {"hand": "9t"}, {"hand": [9]}, {9: ["9t"]}, {"hand": ["\ud800"]}])
def test_what_is_hidden_must_be_lists_of_texts_by_name(hidden):
    game = type("Odd", (type(load_game("vole")),), {"hidden": lambda *_: hidden})()
    with pytest.raises(GameError, match=r'^game "vole": hidden returns .*; return lists of texts by name, such as'):
        beliefs(played("vole"), game, 0)


def test_a_game_that_does_not_imagine_has_no_beliefs():
    class Plain(High):
        imagines = False

    match = Match("m", GameSetup("high", 2, {}), 0, 1, ("a", "b"))
    assert beliefs(unfinished_record(match, Plain()), Plain(), 0) == {}
