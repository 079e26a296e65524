"""The checks of a game's views, imagined states, and observations, on the deal of a seed."""

import inspect
from collections import Counter
from collections.abc import Collection, Sequence
from contextlib import suppress
from itertools import product
from math import sqrt
from random import Random
from typing import Any, NamedTuple

import msgspec
import orjson

from tourney.base.errors import ViewError
from tourney.contracts.game import Game, State, View, hidden_texts
from tourney.games.tricks import mask_of
from tourney.testing.matches import BrokenContractError, TriedTable, difference, require, same_views, short, step

MOST_MOMENTS = 300  # how many decisions of a match are kept for the checks of imagined hands
TRIED_MOMENTS = 20  # at how many decisions they are compared with the past
TRIED_VIEWS = 40  # by how many views deals are drawn
SMALL_DEALS = 2  # by how many views they are counted
MOST_DEALS = 40  # how many deals are counted at most
DRAWS = 25  # how many draws there are for each of that many deals
PLAIN = (bool, int, float, str, bytes, type(None))


def views_stay(table: TriedTable, seed: int) -> None:
    """Checks that views are immutable, and stay the same as the match continues."""
    rng = Random(seed)
    state = table.midway(seed, rng)
    taken, shown = [state.view(seat) for seat in range(table.seats)], table.views(state)
    same_views(table.views(state), shown, "a view changes when it is asked for again")
    for seat, view in enumerate(taken):
        require(view.seat == seat, f"the view of seat {seat} has seat = {view.seat}")
        for name in view.__struct_fields__:
            if why := _changeable(getattr(view, name)):
                raise BrokenContractError(f"the view of seat {seat} can be changed: {name} holds {why}")
    table.play_out(state, rng)
    same_views([view.as_dict() for view in taken], shown, "a view changed as the match continued")
    for view in taken:
        require(not _takes_values(view), f"{type(view).__name__} takes new values; declare it with frozen=True")
        sent: Any = None
        with suppress(TypeError, ValueError):
            sent = msgspec.json.decode(msgspec.json.encode(view), type=type(view))
        message = f"{type(view).__name__} changes on its way to a server; give its fields types that fit what they hold"
        require(sent == view and repr([*sent]) == repr([*view]), message)


def _changeable(value: Any) -> str:
    """Describes the first value inside a value that is not plain; empty if there is none."""
    if isinstance(value, tuple | frozenset):
        if hasattr(value, "__dict__"):
            return f"a {type(value).__name__}, which takes attributes"
        return next((why for item in value if (why := _changeable(item))), "")
    if isinstance(value, msgspec.Struct) and not _takes_values(value):
        return _changeable(msgspec.structs.astuple(value))
    return "" if type(value) in PLAIN else f"a {type(value).__name__}; use tuples, frozen structs and plain values"


def views_share_nothing(table: TriedTable, seed: int) -> None:
    """Checks that values derived by a view, such as lists, are new each time, so changing them is harmless."""
    state = table.midway(seed, Random(seed))
    for seat in range(table.seats):
        view = state.view(seat)
        for name in [name for name, kind in inspect.getmembers(type(view)) if isinstance(kind, property)]:
            first, second = _held(getattr(view, name)), _held(getattr(view, name))
            shared = {id(item) for item in first} & {id(item) for item in second}
            require(not shared, f"the view's {name} is the same {type(first[0]).__name__ if first else ''} each time")
            for item in first:
                frozen = isinstance(item, list | dict) or not _takes_values(item)
                require(frozen, f"the view's {name} leads to a {type(item).__name__} that takes new values")


def _takes_values(item: Any) -> bool:
    try:
        setattr(item, (*getattr(item, "__struct_fields__", ()), "anything")[0], 0)
    except (AttributeError, TypeError):
        return False
    return True


def _held(value: Any) -> list[Any]:
    """All values inside a value, itself included, that are not plain: structs, lists and the like."""
    if type(value) in PLAIN:
        return []
    if isinstance(value, tuple | list | frozenset):
        held = list(value)
    elif isinstance(value, dict):
        held = list(value.values())
    else:
        fields = getattr(value, "__struct_fields__", getattr(value, "__dataclass_fields__", ()))
        held = [getattr(value, name) for name in fields]
    items = [each for item in held for each in _held(item)]
    return items if isinstance(value, tuple | frozenset) else [value, *items]


def views_show_no_secrets(table: TriedTable, seed: int) -> None:
    """Checks that a seat's view hides what `Game.observe` hides of another's action: all, or the part that is a `?`."""
    state, rng = table.started(seed), Random(seed)
    for _ in range(60):
        if state.seat is None:
            return
        decides = state.seat
        states = [after(state, action) for action in state.legal()[:6]]
        for seat in [seat for seat in range(table.seats) if seat != decides]:
            seen: dict[Any, tuple[int, dict[str, Any]]] = {}
            for each in [each for each in states if len(each.log) == 1]:  # nothing else has happened
                text, action = table.game.observe(each, 0, seat).text, each.log[0][1]
                if text is not None and "?" not in text:
                    continue
                view = each.view(seat).as_dict()
                other, known = seen.setdefault(text, (action, view))
                if view != known:
                    names = f"{table.act_text(other)} or {table.act_text(action)}"
                    raise BrokenContractError(
                        f"the view of seat {seat} leaks whether seat {decides} chose {names}, of which it observes "
                        f"{text!r}: {difference(known, view)}"
                    )
        step(state, rng)


def after(state: State, action: int) -> State:
    """A copy of the match after an action, whose entry is the first of the log."""
    copy = state.copy()
    copy.play(action)
    return copy


def observes_what_views_show(table: TriedTable, seed: int) -> None:
    """Checks that `observe` tells a seat nothing that its view does not show, and its own decisions in full."""
    rng = Random(seed)
    for _ in range(3):
        state = table.midway(seed, rng)
        decides = state.seat
        assert decides is not None
        own = after(state, state.legal()[0])
        whole, seen = table.game.text(state.legal()[0]), table.game.observe(own, 0, decides).text
        require(seen == whole, f"observe tells seat {decides} {seen!r} about its own {whole}")
        if not table.game.imagines:
            continue
        seat = (decides + 1) % table.seats
        world = table.game.imagine(state.view(seat), rng)
        if world.seat != decides:
            continue
        for action, other in product(state.legal()[:4], world.legal()[:4]):
            one, another = after(state, action), after(world, other)
            if one.view(seat) == another.view(seat):
                first, second = [table.game.observe(each, 0, seat).text for each in (one, another)]
                why = "but its view shows no difference; tell it no more than its view does"
                require(first == second, f"observe tells seat {seat} {first!r} or {second!r}, {why}")


def reveals_to_who_decides(table: TriedTable, seed: int) -> None:
    """Checks that `observe` also reveals to the deciding seat what its decision reveals to two others or more.

    An example: bids that are shown once the last of them is made.
    """
    state, rng = table.started(seed), Random(seed)
    hidden: list[set[int]] = [set() for _ in range(table.seats)]  # by seat: the indices of what it has not seen whole
    while state.seat is not None:
        decides, at = state.seat, len(state.log)
        step(state, rng)
        whole = table.game.text(state.log[at][1])
        learned = []
        for seat, unseen in enumerate(hidden):
            text, reveals = table.game.observe(state, at, seat)
            learned.append(unseen.intersection(reveals))
            unseen.difference_update(reveals)
            if text != whole:
                unseen.add(at)
        for index in sorted(set().union(*learned).intersection(hidden[decides])):
            of = state.log[index][0]
            others = [seat for seat in range(table.seats) if seat not in (decides, of)]
            if len(others) > 1 and all([index in learned[seat] for seat in others]):
                raise BrokenContractError(
                    f"by {whole} of seat {decides} all the others learn what seat {of} has chosen, but observe never "
                    f"reveals it to seat {decides}; also list the entry in reveals for that seat"
                )


def imagined_fits_view(table: TriedTable, seed: int) -> None:
    """Checks that an imagined state gives the seat the same view and the same choice, and can be played."""
    rng = Random(seed)
    state = table.midway(seed, rng)
    for seat in range(table.seats):
        view = state.view(seat)
        shown = view.as_dict()
        imagined = table.game.imagine(view, rng)
        message = f"imagine does not fit the view of seat {seat}, or the view leaks what it cannot know"
        again = imagined.view(seat).as_dict()
        require(again == shown, f"{message}: {difference(shown, again)}")
        require(imagined.view(seat) == view, f"{message}: the views are not equal, though as_dict is")
        # a seat need not know who is being asked, if that is a secret; but it knows when it is asked itself
        decides = f"imagine says that seat {imagined.seat} decides, which seat {seat} knows better"
        require((imagined.seat == seat) == (state.seat == seat), f"{decides}: it is seat {state.seat}")
        require(imagined.log == [], "imagine returns a state with a log that is not empty")
        if state.seat == seat:
            legal, real = [[table.act_text(each) for each in each_state.legal()] for each_state in (imagined, state)]
            require(legal == real, f"legal actions imagined by seat {seat} are {short(legal)}, not {short(real)}")
        table.play_out(imagined, rng)
        require(state.view(seat) == view, "playing the imagined match changes the real one")


class _Moment(NamedTuple):
    seat: int
    action: int
    view: View  # of that seat, before it
    hands: tuple[frozenset[int], ...]  # before it, by seat
    seen_by: Collection[int]  # the seats that see the whole action
    state: State  # before it


def _moments(table: TriedTable, seed: int, rng: Random) -> list[_Moment]:
    """The first decisions of a random match; none unless views have a `hand` of cards that no other seat holds."""
    moments: list[_Moment] = []
    state = table.started(seed)
    while state.seat is not None and len(moments) < MOST_MOMENTS:
        if (hands := _hands(state, table.seats)) is None:
            return []
        seat, at, before = state.seat, len(state.log), state.copy()
        step(state, rng)
        action = state.log[at][1]
        whole = table.game.text(action)
        seen_by = [each for each in range(table.seats) if table.game.observe(state, at, each).text == whole]
        moments.append(_Moment(seat, action, before.view(seat), hands, seen_by, before))
    return moments


def _hands(state: State, seats: int) -> tuple[frozenset[int], ...] | None:
    hands = [getattr(state.view(seat), "hand", None) for seat in range(seats)]
    if not all([isinstance(hand, tuple) and all([type(card) is int for card in hand]) for hand in hands]):
        return None
    held = tuple([frozenset(hand) for hand in hands if hand is not None])
    return held if sum([len(hand or ()) for hand in hands]) == len(frozenset().union(*held)) else None


def imagined_hands_fit_the_past(table: TriedTable, seed: int) -> None:
    """Checks that each imagined hand, with the cards played since, allows what its seat was seen to play."""
    rng = Random(seed)
    moments = _moments(table, seed, rng)
    for _ in range(TRIED_MOMENTS if moments else 0):
        now, me = int(rng.random() * len(moments)), int(rng.random() * table.seats)
        imagined = _hands(table.game.imagine(moments[now].state.view(me), rng), table.seats) or ()
        for seat, hand in enumerate(imagined):
            if seat != me:
                _fits_the_past(table, moments[: now + 1], me, seat, hand, rng)


def _fits_the_past(
    table: TriedTable, moments: Sequence[_Moment], me: int, seat: int, imagined: frozenset[int], rng: Random
) -> None:
    """Goes back as long as the hand of a seat only loses cards that another seat sees it play."""
    held = imagined
    for then, later in zip(moments[-2::-1], moments[:0:-1], strict=True):
        lost = then.hands[seat] - later.hands[seat]
        if then.hands[seat] == later.hands[seat]:
            continue
        if then.seat != seat or me not in then.seen_by or len(lost) != 1 or later.hands[seat] - then.hands[seat]:
            return
        held |= lost
        if len(held) == len(then.hands[seat]) and not _allows(table.game, then, held, rng):
            cards = f"{sorted(imagined)}, with which its earlier {table.act_text(then.action)} was not legal"
            raise BrokenContractError(f"imagine by the view of seat {me} gives seat {seat} the cards {cards}")


def _allows(game: Game, then: _Moment, hand: frozenset[int], rng: Random) -> bool:
    """Whether a decision is legal with another hand, in a match imagined by the seat's view with that hand."""
    fields = then.view.__struct_fields__
    form: dict[str, Any] = {"hand": tuple(sorted(hand))} if "hand" in fields else {"hand_mask": mask_of([*hand])}
    if not form.keys() <= {*fields}:
        return True
    try:
        world = game.imagine(msgspec.structs.replace(then.view, **form), rng)
        legal = world.legal()
    except Exception:  # with this hand the rest of the view may be impossible, and so imagine fail in any way
        return True
    return world.seat != then.seat or then.action in legal or world.tolerates(then.action)


def imagined_deals_are_even(table: TriedTable, seed: int) -> None:
    """Checks by Pearson's chi-square that where few deals fit, each is imagined equally often, the true one too."""
    rng = Random(seed)
    points = [(moment, me) for moment in _moments(table, seed, rng) for me in range(table.seats)]
    points = [each for each in points if _unseen(*each)]
    left = SMALL_DEALS
    for moment, me in sorted(points, key=lambda point: (_unseen(*point), rng.random()))[:TRIED_VIEWS]:
        view = moment.state.view(me)
        seen: set[Any] = set()
        for draws in range(3 * MOST_DEALS):
            if len(seen) > MOST_DEALS or (draws == 9 and len(seen) == 1):
                break
            seen.add(_world(table, view, rng))
        if not 1 < len(seen) <= MOST_DEALS:
            continue
        counts = Counter(_world(table, view, rng) for _ in range(MOST_DEALS * DRAWS))
        mean = counts.total() / len(counts)
        chi = sum([(count - mean) ** 2 for count in counts.values()]) / mean
        odds = f"imagine by the view of seat {me} draws {len(counts)} deals"
        uneven = f"{odds}, but not equally often: {min(counts.values())} to {max(counts.values())} times"
        # ten standard deviations above the mean, which no even draw reaches
        require(chi < len(counts) + 10 * sqrt(2 * len(counts)), f"{uneven} (chi-square {chi:.0f})")
        require(moment.hands in [hands for hands, _ in counts], f"{odds}, but never the hands that the seats have")
        left -= 1
        if not left:
            return


def _unseen(moment: _Moment, me: int) -> int:
    """The number of cards that the other seats hold."""
    return sum(map(len, moment.hands)) - len(moment.hands[me])


def _world(table: TriedTable, view: View, rng: Random) -> tuple[tuple[frozenset[int], ...], bytes]:
    state = table.game.imagine(view, rng)
    return _hands(state, table.seats) or (), orjson.dumps(table.views(state))


def imagine_rng_decides(table: TriedTable, seed: int) -> None:
    """Checks that only the view and the rng decide the imagined state."""
    rng = Random(seed)
    state = table.midway(seed, rng)
    assert state.seat is not None
    view = state.view(state.seat)
    imagined = table.game.imagine(view, rng)
    again = [table.game.imagine(each, Random(5)) for each in (view, view, imagined.view(view.seat))]
    for other in again[1:]:
        message = "imagine depends on more than the view and the rng that it is given"
        same_views(table.views(other), table.views(again[0]), message)
        first, second = again[0].copy(), other
        for state, luck in ((first, Random(0)), (second, Random(0))):
            for _ in range(40):
                if state.seat is not None:
                    step(state, luck)
        same_views(table.views(first), table.views(second), f"{message}: it continues differently")


def hidden_has_texts(table: TriedTable, seed: int) -> None:
    """Checks that `hidden` returns lists of texts by name."""
    state = table.midway(seed, Random(seed))
    for seat in range(table.seats):
        hidden_texts(table.game, state, seat)


def imagine_varies(table: TriedTable, seed: int) -> None:
    """Checks that the seat's unknown facts are drawn, if chance decides anything in the game."""
    others = [table.played(each, 1).log for each in (seed, seed ^ 1, seed ^ 2, seed ^ 3)]
    if all([log == others[0] for log in others]):
        return
    state = table.started(seed)
    step(state, Random(seed))
    imagined = [table.game.imagine(state.view(0), Random(number)) for number in range(20)]
    if len({orjson.dumps(table.views(each)) for each in imagined}) > 1:
        return
    for each in imagined:
        table.play_out(each, Random(0))
    require(
        any([each.log != imagined[0].log for each in imagined]),
        "imagine draws the same match 20 times: the view shows it, or imagine does not draw what the seat cannot know",
    )


def imagine_refuses_everything(table: TriedTable, seed: int) -> None:
    """Checks that a game without imagination raises the error that bots expect."""
    _refused(table, table.midway(seed, Random(seed)), "imagine should raise a ViewError, because imagines is False")


def imagine_refuses_the_end(table: TriedTable, seed: int) -> None:
    """Checks that finished matches are not imagined."""
    _refused(table, table.played(seed, 1), "imagine should raise a ViewError for the view of a match that is over")


def _refused(table: TriedTable, state: State, message: str) -> None:
    with suppress(ViewError):
        table.game.imagine(state.view(0), Random(1))
        raise BrokenContractError(message)


def vectors_have_one_size(table: TriedTable, seed: int) -> None:
    """Checks the vectors of views, if the game encodes them: their values, and that only views decide them."""
    game = table.game
    if type(game).encode is Game.encode:
        return
    names, rng = game.encoding(table.seats, table.options), Random(seed)
    require(len(set(names)) == len(names), "encoding names an element twice")
    state = table.midway(seed, rng)
    for _ in range(2):  # in the middle, and at the end
        for seat in range(table.seats):
            view = state.view(seat)
            vector = game.encode(view)
            require(len(vector) == len(names), f"encode gives {len(vector)} numbers, encoding names {len(names)}")
            for name, value in zip(names, vector, strict=True):
                fits = type(value) is float and -1 <= value <= 1
                require(fits, f"encode gives {value!r} for {name}; give a float from -1 to 1")
            if state.seat is not None and game.imagines:
                again = game.encode(game.imagine(view, rng).view(seat))
                require(again == vector, "encode depends on more than the view")
        table.play_out(state, rng)
