"""What every game must do. Nothing here names a game: all games that entry points declare are tested."""

import inspect
from random import Random

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import helpers
from tourney.errors import ActionError, ConfigError, ViewError
from tourney.game import MOST_DECISIONS, Game, State
from tourney.plugins import game_names, load_game

SEEDS = st.integers(0, 2**128 - 1)
games = pytest.mark.parametrize("game", [load_game(name) for name in game_names()], ids=lambda game: game.name)
tables = pytest.mark.parametrize(
    ("game", "seats"),
    [
        pytest.param(load_game(name), seats, marks=marks, id=f"{name}-{seats}")
        for (name, seats), marks, _ in helpers.tables()
    ],
)

with_positions = pytest.mark.parametrize(
    ("game", "seats"),
    [
        pytest.param(load_game(name), seats, marks=marks, id=f"{name}-{seats}")
        for (name, seats), marks, _ in helpers.tables()
        if type(load_game(name)).position is not Game.position
    ],
)


def started(game: Game, seats: int, seed: int) -> State:
    return game.start(seats, game.options(seats, {}), seed)


def step(state: State, rng: Random) -> None:
    legal = state.legal()
    action = legal[int(rng.random() * len(legal))]
    state.log.append((state.seat, action, legal))
    state.apply(action)


def play_out(state: State, rng: Random) -> None:
    while state.seat is not None:
        step(state, rng)


def midway(game: Game, seats: int, seed: int, rng: Random) -> State:
    """Returns a state at a random moment of a random match, before its end."""
    whole = started(game, seats, seed)
    play_out(whole, rng)
    actions = [entry[1] for entry in whole.log if isinstance(entry[0], int)]
    state = started(game, seats, seed)
    for action in actions[: int(rng.random() * len(actions))]:
        state.apply(action)
    return state


def views(state: State, seats: int) -> list[dict]:
    return [state.view(seat).as_dict() for seat in range(seats)]


@games
def test_a_game_says_what_it_is(game):
    assert game.title
    assert game.rules
    assert game.actions
    assert min(game.seats) >= 2


@games
def test_every_action_translates_to_text_and_back(game):
    assert len(set(game.names)) == len(game.names)
    for action, name in enumerate(game.names):
        assert game.action(name) == action
        assert game.text(action) == name
        assert " " not in name
    with pytest.raises(ActionError, match="did you mean"):
        game.action(game.names[0] + "x")


@games
def test_unknown_options_and_seat_counts_are_refused(game):
    with pytest.raises(ConfigError, match="no key"):
        game.options(min(game.seats), {"no_such_option": 1})
    with pytest.raises(ConfigError, match="seats"):
        game.options(max(game.seats) + 1, {})


@tables
def test_a_match_can_be_played_with_the_largest_numbers_that_are_accepted(game, seats):
    for key in game.Options.__struct_fields__:
        try:
            options = game.options(seats, {key: 2**63 - 1})
        except ConfigError:
            continue
        state, rng = game.start(seats, options, 1), Random(1)
        for _ in range(2000):  # it need not end
            if state.seat is None:
                break
            step(state, rng)
        assert orjson.dumps([state.scores, state.log, views(state, seats)])


@tables
@given(seed=SEEDS)
def test_every_match_ends_with_scores_and_places(game, seats, seed):
    state = started(game, seats, seed)
    rng = Random(seed)
    while state.seat is not None:
        assert 0 <= state.seat < seats
        legal = state.legal()
        assert len(legal) > 0
        assert list(legal) == list(state.legal())
        assert len(set(legal)) == len(legal)
        assert all(0 <= action < len(game.names) for action in legal)
        step(state, rng)
    assert len(state.scores) == len(state.places) == seats
    for place in state.places:
        assert place == 1 + sum(other < place for other in state.places)


@tables
@given(seed=SEEDS)
def test_a_match_has_no_more_decisions_than_the_game_says(game, seats, seed):
    state = started(game, seats, seed)
    play_out(state, Random(seed))
    decisions = len([entry for entry in state.log if isinstance(entry[0], int)])
    assert decisions <= game.max_decisions(seats, game.options(seats, {}))


@tables
def test_however_large_the_options_a_match_has_at_most_a_million_decisions(game, seats):
    for keys in [[key] for key in game.Options.__struct_fields__] + [game.Options.__struct_fields__]:
        try:
            options = game.options(seats, dict.fromkeys(keys, 10**12))
        except ConfigError:
            continue
        assert game.max_decisions(seats, options) <= MOST_DECISIONS


@tables
@given(seed=SEEDS)
def test_the_same_seed_and_actions_give_the_same_match(game, seats, seed):
    first, second = started(game, seats, seed), started(game, seats, seed)
    play_out(first, Random(1))
    play_out(second, Random(1))
    assert first.log == second.log
    assert views(first, seats) == views(second, seats)


@tables
@given(seed=SEEDS)
def test_the_deal_of_a_round_depends_on_the_seed_and_the_round_alone(game, seats, seed):
    def deals(player: int) -> list[dict]:
        state = started(game, seats, seed)
        play_out(state, Random(player))
        events = [game.event(entry) for entry in state.log if isinstance(entry[0], str)]
        return [event for event in events if event["kind"] == "deal"]

    one, other = deals(1), deals(2)
    for mine, yours in zip(one, other, strict=False):
        assert mine == yours


@tables
@given(seed=SEEDS)
def test_every_event_and_view_is_json(game, seats, seed):
    state = midway(game, seats, seed, Random(seed))
    for entry in state.log:
        orjson.dumps(game.event(entry) if isinstance(entry[0], str) else entry)
    for view in views(state, seats):
        assert orjson.loads(orjson.dumps(view)) == view


@tables
@given(seed=SEEDS)
def test_a_view_is_immutable_and_stays_as_it_is(game, seats, seed):
    rng = Random(seed)
    state = midway(game, seats, seed, rng)
    taken = [state.view(seat) for seat in range(seats)]
    shown = views(state, seats)
    play_out(state, rng)
    assert [view.as_dict() for view in taken] == shown
    for seat, view in enumerate(taken):
        assert view.seat == seat
        assert_frozen(tuple(view))
        with pytest.raises((AttributeError, TypeError)):
            view.seat = 0


def assert_frozen(value) -> None:
    """All that the value leads to is of built-in types, or named tuples, that cannot be changed."""
    if isinstance(value, tuple | frozenset):
        assert not hasattr(value, "__dict__"), f"{type(value)} takes attributes"
        for item in value:
            assert_frozen(item)
    else:
        assert value is None or type(value) in (bool, int, float, str, bytes), f"{type(value)} is no plain value"


def changeable(value) -> list:
    """All that the value leads to, itself included, that is not of such types: structs, lists and the like."""
    if value is None or type(value) in (bool, int, float, str, bytes):
        return []
    if isinstance(value, tuple | list | frozenset):
        held = value
    elif isinstance(value, dict):
        held = value.values()
    else:
        fields = getattr(value, "__struct_fields__", getattr(value, "__dataclass_fields__", ()))
        held = [getattr(value, name) for name in fields]
    found = [each for item in held for each in changeable(item)]
    return found if isinstance(value, tuple | frozenset) else [value, *found]


@tables
@given(seed=SEEDS)
def test_what_a_view_makes_of_its_fields_is_made_anew_each_time(game, seats, seed):
    """So that who changes it by force, or a list in it, changes nothing that another seat or the match looks at."""
    state = midway(game, seats, seed, Random(seed))
    names = [name for name, kind in inspect.getmembers(game_view(state)) if isinstance(kind, property)]
    assert "options" in names
    for seat in range(seats):
        view = state.view(seat)
        for name in names:
            first, second = getattr(view, name), getattr(view, name)
            both = changeable(first), changeable(second)
            assert not {id(item) for item in both[0]} & {id(item) for item in both[1]}, name
            for item in changeable(first):
                if not isinstance(item, list | dict):
                    with pytest.raises((AttributeError, TypeError)):
                        setattr(item, (*getattr(item, "__struct_fields__", ()), "anything")[0], 0)


def game_view(state: State) -> type:
    return type(state.view(0))


@tables
@given(seed=SEEDS)
def test_the_legal_actions_are_a_tuple(game, seats, seed):
    """A bot is given them, and its answer is judged by them afterwards."""
    state, rng = started(game, seats, seed), Random(seed)
    while state.seat is not None:
        assert type(state.legal()) is tuple
        step(state, rng)


@tables
@given(seed=SEEDS)
def test_a_copy_and_its_original_do_not_change_each_other(game, seats, seed):
    rng = Random(seed)
    state = midway(game, seats, seed, rng)
    copy = state.copy()
    assert copy.log == []
    assert copy.seat == state.seat
    before = views(state, seats)
    assert views(copy, seats) == before
    play_out(copy, Random(3))
    assert views(state, seats) == before
    play_out(state, Random(3))
    assert (state.scores, state.places) == (copy.scores, copy.places)


@tables
@given(seed=SEEDS)
def test_imagine_fits_the_view_and_plays_on(game, seats, seed):
    rng = Random(seed)
    state = midway(game, seats, seed, rng)
    for seat in range(seats):
        view = state.view(seat)
        imagined = game.imagine(view, rng)
        assert imagined.view(seat) == view
        assert imagined.view(seat).as_dict() == view.as_dict()
        # a seat need not know who is being asked, where that is a secret; but it knows when it is asked itself
        assert (imagined.seat == seat) == (state.seat == seat)
        assert imagined.log == []
        if state.seat == seat:
            assert list(imagined.legal()) == list(state.legal())
        play_out(imagined, rng)
        assert state.view(seat) == view


@tables
@given(seed=SEEDS)
def test_imagine_depends_on_the_view_and_the_rng_alone(game, seats, seed):
    rng = Random(seed)
    state = midway(game, seats, seed, rng)
    view = state.view(state.seat)
    imagined = game.imagine(view, rng)
    again = [game.imagine(imagined.view(state.seat), Random(5)), game.imagine(view, Random(5))]
    assert views(again[0], seats) == views(again[1], seats)


@tables
def test_imagine_varies_what_the_seat_does_not_know(game, seats):
    state = started(game, seats, 11)
    step(state, Random(11))
    imagined = [game.imagine(state.view(0), Random(i)) for i in range(20)]
    for seat in range(1, seats):
        seen = {orjson.dumps(each.view(seat).as_dict()) for each in imagined}
        if len(seen) > 1:
            return
    assert played_out_differently(imagined)


def played_out_differently(states: list[State]) -> bool:
    logs = set()
    for state in states:
        play_out(state, Random(0))
        logs.add(orjson.dumps(state.log))
    return len(logs) > 1


@games
def test_imagining_from_the_view_of_a_match_that_is_over_is_refused(game):
    seats = min(game.seats)
    state = started(game, seats, 1)
    play_out(state, Random(1))
    with pytest.raises(ViewError, match="over"):
        game.imagine(state.view(0), Random(1))


@with_positions
@given(seed=SEEDS)
def test_the_facts_of_a_state_set_it_up_again(game, seats, seed):
    rng = Random(seed)
    state = midway(game, seats, seed, rng)
    while state.seat is not None:
        given = orjson.loads(orjson.dumps(game.facts(state)))  # plain data
        again = game.position(seats, game.options(seats, {}), **given)
        assert again.log == []
        assert (again.seat, game.facts(again)) == (state.seat, given)
        assert [again.view(seat) for seat in range(seats)] == [state.view(seat) for seat in range(seats)]
        assert list(again.legal()) == list(state.legal())
        if rng.random() < 0.2:
            break
        step(state, rng)
    else:
        again = game.position(seats, game.options(seats, {}), **game.facts(state))
        assert (again.seat, again.scores, again.places) == (None, state.scores, state.places)
        assert views(again, seats) == views(state, seats)


@with_positions
@given(seed=SEEDS)
def test_what_is_set_up_from_facts_goes_on_as_the_match_does_until_chance_decides_again(game, seats, seed):
    state = midway(game, seats, seed, Random(seed))
    again = game.position(seats, game.options(seats, {}), **game.facts(state))
    state.log.clear()
    for each in (state, again):
        rng = Random(seed)
        while each.seat is not None and not chance(game, each):
            step(each, rng)
    # the entries after the last decision are of what chance decided then
    decisions = [[entry for entry in each.log if isinstance(entry[0], int)] for each in (state, again)]
    assert decisions[0] == decisions[1]
    assert (state.scores, state.seat is None) == (again.scores, again.seat is None)


def chance(game: Game, state: State) -> bool:
    """Whether chance has decided something since the log began."""
    drawn = ("deal", *game.private)
    return any(isinstance(entry[0], str) and game.event(entry)["kind"] in drawn for entry in state.log)
