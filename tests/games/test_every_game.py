"""What every game must do: the contract of `tourney.testing`, for all games that entry points declare, and more."""

import inspect
import re
import sys
from importlib.metadata import distribution
from itertools import groupby
from random import Random

import pytest
from hypothesis import settings

from tests import helpers
from tests.conftest import ROOT
from tests.games.facts import facts_of, set_up
from tests.helpers import SHORT, tables
from tourney.base.errors import ConfigError
from tourney.contracts.game import Game
from tourney.contracts.rng import pick
from tourney.plugins.registry import game_names, load_game
from tourney.testing import GameContract

OURS = distribution("tourney-cards").entry_points.select(group="tourney.games")
ENCODED = [game for game in map(load_game, game_names()) if type(game).encode is not Game.encode]


def contract_of(name: str) -> type[GameContract]:
    """The tests of a game; those of a number of seats between the least and the most are slow."""

    class TestOneGame(GameContract):
        game = name
        deals = settings().max_examples  # more of them by the profile `thorough`

        def seat_counts(self):
            return [pytest.param(seats, marks=marks) for (game, seats), marks, _ in helpers.tables() if game == name]

    return TestOneGame


for game_name in game_names():
    globals()[f"Test_{game_name}"] = contract_of(game_name)


@pytest.mark.parametrize("game", [load_game(name) for name in game_names()], ids=lambda game: game.name)
def test_views_tell_the_options(game):
    state = game.start(min(game.seats), game.options(min(game.seats), {}), 1)
    names = [name for name, kind in inspect.getmembers(type(state.view(0))) if isinstance(kind, property)]
    assert "options" in names


@pytest.mark.parametrize("game", [load_game(name) for name in game_names()], ids=lambda game: game.name)
def test_a_match_that_is_over_keeps_no_reference_to_its_seed(game):
    seed, seats = (1 << 127) + 1, min(game.seats)

    def play():
        state, rng = game.start(seats, game.options(seats, SHORT.get(game.name, {})), seed), Random(1)
        while state.seat is not None:
            state.apply(pick(state.legal(), rng))

    play()  # whatever is cached
    before = sys.getrefcount(seed)
    play()
    play()
    assert sys.getrefcount(seed) == before


@pytest.mark.parametrize("name", [entry.name for entry in OURS])
def test_a_game_of_ours_has_its_rules_in_docs_and_plays_with_ten_seats_at_most(name):
    game = load_game(name)
    assert game.rules.startswith("docs/rules/")
    assert (ROOT / game.rules).is_file()
    assert max(game.seats) <= 10


@pytest.mark.parametrize("game", ENCODED, ids=lambda game: game.name)
def test_the_rules_page_lists_the_blocks_of_the_vector(game):
    page = (ROOT / "docs" / "rules" / f"{game.name}.md").read_text(encoding="utf-8")
    table = re.search(r"## As a vector\n.*?\n((?:\|.*\n)+)", page, re.DOTALL)
    rows = re.findall(r"^\| `(.+?)` \| ([\dnp ]+) \|", table[1], re.MULTILINE)
    for seats in game.seats:
        numbers = {"n": seats, "p": seats + (seats == 4)}
        listed = [(re.split(r"[:@+]", block)[0], size) for block, size in rows]
        merged = {block: 0 for block, _ in listed}
        for block, size in listed:
            factors = [numbers.get(factor) or int(factor) for factor in size.split()]
            merged[block] += factors[0] * (factors[1] if len(factors) > 1 else 1)
        blocks = groupby([re.split(r"[:@+]", name)[0] for name in game.encoding(seats, game.options(seats, {}))])
        assert list(merged.items()) == [(block, len(list(items))) for block, items in blocks]


WRONG = {
    "vole": [{"target": 0}, {"target": "21"}, {"max_rounds": 0}, {"sevens": "trick"}],
    "voleur": [{"target": 0}, {"target": "50"}, {"max_rounds": 0}, {"first_trick_tie": "next"}],
    "leon": [{"max_cards": 0}, {"max_cards": 2.5}, {"mode": "bold"}, {"revokes": "never"}],
    "bang": [{"penalty": 0}, {"max_turns": 0}],
    "cold-blooded": [
        *[{"deck": deck} for deck in ({"ambush": 1}, {"sniper": -1}, {"sniper": "6"}, {"sniper": 6.5}, 18)],
        *[{"target": 0}, {"max_turns": 0}, {"talk": 1}],
    ],
}


@pytest.mark.parametrize("name", WRONG)
def test_options_out_of_bounds_are_refused(name):
    game = load_game(name)
    for given in WRONG[name]:
        with pytest.raises(ConfigError, match=rf"options\b.*{next(iter(given))}"):
            game.options(max(game.seats), given)


HISTORY = ("rounds", "turns", "history", "games", "cards", "deck", "dummy", "aim")
"""What views tell of the past, which positions do not take: what is over, remembered cards, the last aim."""
MORE = {("leon", 1): {"revokes": "hidden"}, ("cold-blooded", 1): {"talk": False}}
"""Further options, for seeds that are odd."""


@pytest.mark.parametrize(("name", "seats"), tables())
def test_a_position_of_all_facts_is_the_same_moment(name, seats):
    game, tried = load_game(name), 0
    for seed in range(20):
        options = game.options(seats, SHORT[name] | MORE.get((name, seed % 2), {}))
        state, rng = game.start(seats, options, seed), Random(seed)
        for _ in range(int(rng.random() * 60)):
            if state.seat is not None:
                state.play(pick(state.legal(), rng))
        facts = facts_of(state)
        decision = facts.get("decision", {})
        if decision.get("phase", 0) > seed % 2 or decision.get("second"):
            continue  # in the middle of a turn of Cold Blooded
        tried += 1
        again = set_up(game, seats, options, **facts, **({"seed": seed} if seed else {}))  # which is 0 by default
        assert again.log == []
        assert [known(again, seat) for seat in range(seats)] == [known(state, seat) for seat in range(seats)]
        at = len(state.log)
        while state.seat is not None:
            assert (again.seat, again.legal()) == (state.seat, state.legal())
            action = pick(state.legal(), rng)
            state.play(action)
            again.play(action)
        assert again.log == state.log[at:]
        assert (again.seat, again.scores, again.places) == (None, state.scores, state.places)
    assert tried > 5


def known(state, seat):
    return {key: value for key, value in state.view(seat).as_dict().items() if key not in HISTORY}
