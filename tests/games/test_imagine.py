"""Whatever fits all that a seat has seen is imagined equally often: compared with all deals, tried one by one."""

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.facts import facts_of
from tests.games.worlds import Round, assert_even, assert_imagined_evenly
from tourney import testing
from tourney.contracts.cards import BANG, LEON, STANDARD, VOLE
from tourney.contracts.game import State
from tourney.contracts.rng import pick, shuffle
from tourney.games.cold_blooded import rules as cb
from tourney.games.tricks import Deals
from tourney.plugins.registry import load_game


def splits(cards: list[str], sizes: list[int]) -> Iterator[list[str]]:
    """Every way to deal hands of these sizes; cards may be left over."""
    if not sizes:
        yield []
        return
    for hand in combinations(cards, sizes[0]):
        for others in splits([card for card in cards if card not in hand], sizes[1:]):
            yield [" ".join(hand), *others]


VOLE_GAME = load_game("vole")


def vole_round(seed: int, tricks: int, me: int) -> Round:
    """A round after this many tricks, in which odd cards are played early."""
    state = VOLE_GAME.start(2, VOLE_GAME.options(2, {}), seed)
    played = Round(VOLE_GAME, state, me)
    rng = Random(seed)
    while sum(state.view(me).won) < tricks:
        legal = state.legal()
        fives = [action for action in legal if action in (4, 15, 26)]
        played.play(fives[0] if fives else pick(legal, rng))
    return played


def vole_worlds(played: Round) -> set:
    """Every other hand, with what it drew and buried, that fits what the seat has seen."""
    me, facts = played.me, played.facts
    view = played.state.view(me)
    mine = [VOLE.text(drew) for drew, _ in view.buried]
    hidden = [card for card in VOLE.names if card not in (*facts["hands"][me].split(), facts["up"], *mine)]
    drawers = [seat for seat, action in view.steps if action in (4, 15, 26)]
    acts = [action % 33 for seat, action in view.steps if seat != me and action < 66]
    shown = {VOLE.text(card) for card in acts} & set(hidden)
    found = set()
    for drawn in permutations(hidden, drawers.count(1 - me)):
        certain = sorted(shown - set(drawn))
        free = [card for card in hidden if card not in (*drawn, *certain)]
        for dealt in combinations(free, 13 - len(certain)):
            own, others = iter(mine), iter(drawn)
            deck = [next(own) if seat == me else next(others) for seat in drawers]
            deck += [card for card in free if card not in dealt]
            hands = [facts["hands"][me], " ".join([*certain, *dealt])]
            changed = {"hands": hands if me == 0 else hands[::-1], "deck": " ".join(deck)}
            changed["start"] = facts["start"] | {"hands": changed["hands"]}
            found.update([vole_world(state, me) for state in played.worlds(**changed)])
    return found


def vole_world(state: State, me: int) -> tuple:
    facts = facts_of(state)
    pairs = [(pair["drew"], pair["buried"]) for pair in facts["buried"][1 - me]]
    return frozenset(facts["hands"][1 - me].split()), tuple(pairs), facts["drawn"] if state.seat != me else None


@pytest.mark.parametrize(
    ("seed", "me"), [(10, 0), *[pytest.param(*case, marks=pytest.mark.slow) for case in ((3, 0), (15, 0), (28, 1))]]
)
def test_hands_and_burials_after_a_five_are_imagined_evenly(seed, me):
    played = vole_round(seed, 11, me)
    assert_imagined_evenly(played, lambda state: vole_world(state, me), vole_worlds(played), seed)


def hands_of(state: State) -> tuple:
    return tuple([frozenset(hand.split()) for hand in facts_of(state)["hands"]])


def world_of(state: State) -> tuple:
    """The hands, and of Le Léon the revokes that may yet come out."""
    facts = facts_of(state)
    return hands_of(state), *[str(sorted(facts.get(name, []), key=str)) for name in ("silent", "revokes", "asked")]


def assert_hands_are_even(played: Round, cards: Sequence[str], seed: int) -> None:
    """Compares with all hands of the seats that fit what the seat has seen."""
    facts, me = played.facts, played.me
    now = hands_of(played.state)
    gone = [set(hand.split()) - left for hand, left in zip(facts["hands"], now, strict=True)]
    discards = facts["discards"][me].split() if "discards" in facts else []
    out = {facts["up"], *now[me], *discards}.union(*gone)
    unseen = [card for card in cards if card not in out]
    found = set()
    for hands in splits(unseen, [len(left) for seat, left in enumerate(now) if seat != me]):
        hands.insert(me, " ".join(now[me]))
        whole = [" ".join([hand, *gone[seat]]) for seat, hand in enumerate(hands)]
        found.update([world_of(world) for world in played.worlds(hands=whole)])
    assert_imagined_evenly(played, world_of, found, seed)


def leon_round(seats: int, seed: int, left: int, wrong: float, **options: object) -> Round:
    """A round of the largest hands, until this many cards are left to each; some answers are revokes."""
    game, rng = load_game("leon"), Random(seed)
    read = game.options(seats, options)
    deck = list(LEON.names)
    shuffle(deck, rng)
    hands = [" ".join([deck.pop() for _ in range(read.max_cards)]) for _ in range(seats)]
    up = next(card for card in deck if card != "X")
    bids = [0] * seats
    played = Round(game, game.position(seats, read, hands=hands, up=up, bids=bids), seed % seats)
    while len(played.state.view(0).moves) < seats * (read.max_cards - left) or played.state.seat != played.me:
        state = played.state
        offered = [action for action in range(52) if state.tolerates(action)]
        played.play(pick(offered if offered and rng.random() < wrong else state.legal(), rng))
    return played


@pytest.mark.parametrize(
    ("seats", "seed", "revokes"),
    [
        *[(3, seed, "caught") for seed in (0, 1, 3, 4, 5)],
        *[(3, seed, "hidden") for seed in (0, 3, 13)],  # in 3 and 13 the seat is asked for a confession
        *[pytest.param(4, 4, revokes, marks=pytest.mark.slow) for revokes in ("caught", "hidden")],
    ],
)
def test_hands_are_imagined_evenly_whatever_seats_have_refused(seats, seed, revokes):
    played = leon_round(seats, seed, 3, 0.15 if revokes == "caught" else 0.0, revokes=revokes)
    assert_hands_are_even(played, LEON.names, seed)


class FewDraws(Random):
    """Fails when it is asked for more than a few thousand numbers."""

    drawn = 0

    def random(self) -> float:
        self.drawn += 1
        assert self.drawn < 5000
        return super().random()


def test_hands_that_luck_would_hardly_find_are_imagined_soon():
    """One in 25,000 of the deals to the eight others, who have confessed to holding clubs and hearts, fits."""
    discards = iter([f"play:{rank}{suit}" for suit in "ds" for rank in LEON.ranks[:12]])
    plays = [play for lead in ("Ac", "Ah", "Kc") for play in (f"play:{lead}", *[next(discards) for _ in range(8)])]
    told = [{"seat": i % 8 + 1, "name": "smokeleir repenti", "trick": i // 8 + 1} for i in range(16)]
    facts = {"up": "2c", "bids": [0] * 9, "plays": " ".join(plays), "sanctions": told}
    hands, options = ["Qc Jc", *[f"{rank}c {rank}h" for rank in "3456789T"]], {"revokes": "hidden", "max_cards": 5}
    state = testing.position("leon", seats=9, options=options, hands=hands, **facts)
    _, *others = hands_of(load_game("leon").imagine(state.view(0), FewDraws(1)))
    assert {"".join(sorted(suit for _, suit in hand)) for hand in others} == {"ch"}


def voleur_round(seats: int, seed: int) -> Round:
    """A round until the last trick, in which the seat is to play after at least one led trick was not followed."""
    game, rng = load_game("voleur"), Random(seed)
    state = game.start(seats, game.options(seats, {}), seed)
    while state.view(0).phase == "discard":
        state.apply(pick(state.legal(), rng))
    played = Round(game, state, seed % seats)
    while state.view(0).phase == "play" and (len(state.view(0).tricks) < 3 or state.seat != played.me):
        played.play(pick(state.legal(), rng))
    return played


@pytest.mark.parametrize(("seats", "seed"), [(2, 1), (3, 0), (3, 1), (3, 7)])
def test_hands_are_imagined_evenly_whatever_seats_did_not_follow(seats, seed):
    assert_hands_are_even(voleur_round(seats, seed), STANDARD.names, seed)


def test_cards_that_were_never_turned_are_imagined_in_every_order_evenly():
    game, rng = load_game("bang"), Random(3)
    state = game.start(2, game.options(2, {}), 3)
    while len(state.view(0).unseen) > 4:
        state.apply(state.legal()[1])  # nobody reacts
    view = state.view(0)

    def unseen() -> tuple:
        facts = facts_of(game.imagine(view, rng))
        cards = " ".join([*facts["stocks"], facts["under"]]).split()
        return tuple([card for card in cards if BANG.card(card) in view.unseen])

    assert_even(unseen, set(permutations([BANG.text(card) for card in view.unseen])))


COLD_GAME = load_game("cold-blooded")


def cold_world(state: State) -> tuple:
    facts = facts_of(state)
    return tuple(facts["roles"]), tuple(facts["hands"]), facts["deck"], state.seat, facts["decision"]["knife"]


CASES = [
    ("shell sniper sniper shell sacrifice sniper sacrifice", "draw trade:3", 0),
    ("shell sniper sniper shell sacrifice sniper sacrifice", "trade:4 sniper:3", 2),
    # who has laid a bomb or played an uprising is an assassin
    ("shell shell shell bomb bomb shell shell", "pass pass pass bomb", 1),
    ("shell shell shell uprising bomb shell shell", "pass pass pass uprising", 1),
    # whose turn ends after one action is not the last assassin, but a pass tells nothing
    ("sniper shell shell shell shell bomb shell", "sniper:4 stay hide draw", 0),
    ("sniper shell shell shell shell bomb shell", "sniper:4 stay hide pass", 0),
    # who holds a sacrifice, and has not been asked, comes after whoever is asked
    ("sniper sacrifice bomb bomb sacrifice sacrifice sacrifice", "sniper:3", 1),
    # to be asked to sacrifice tells that a trade was a knife
    ("sniper knife sacrifice bomb bomb shell shell", "pass knife:3", 2),
]


def cold_round(dealt: str, actions: str, me: int) -> tuple[Round, State, set]:
    """A game of few cards after these actions, its beginning, and every world that fits what the seat has seen."""
    roles, held = ["duke", "guard", "guard", "assassin", "assassin"], dealt.split()
    options = {"talk": False, "deck": {card: held.count(card) for card in cb.CARDS}}
    facts = {"roles": roles, "hands": held[:5], "deck": " ".join(held[5:]), "turn": 6}
    played = Round(COLD_GAME, testing.position(COLD_GAME, seats=5, options=options, **facts), me)
    begun, possible = played.state.copy(), set()
    played.play(*[COLD_GAME.action(text) for text in actions.split()])
    for cast in set(permutations(roles)):
        for cards in set(permutations(held)):
            if cast[0] == "duke" and cast[me] == roles[me] and cards[me] == held[me]:
                changed = {"roles": list(cast), "hands": list(cards[:5]), "deck": " ".join(cards[5:])}
                possible.update([cold_world(world) for world in played.worlds(**changed)])
    return played, begun, possible


@pytest.mark.parametrize(("dealt", "actions", "me"), CASES)
def test_cards_roles_and_who_is_asked_are_imagined_evenly(dealt, actions, me):
    played, _, possible = cold_round(dealt, actions, me)
    assert_imagined_evenly(played, cold_world, possible, 1, 30)


SEEDS = st.integers(0, 2**64 - 1)
MASKS = st.integers(0, 2**9 - 1)
Places = list[tuple[int, int]]


def deal_out(cards, places, rng):
    found = Deals(cards, places)
    return found.draw(rng) if found.count else None


@st.composite
def deals(draw: st.DrawFn) -> tuple[list[int], Places]:
    """Up to six cards, and hands that have room for exactly as many; some of these cannot be dealt."""
    cards = draw(st.lists(st.integers(0, 8), unique=True, max_size=6))
    rooms = draw(st.lists(st.integers(0, 4), min_size=1, max_size=5).filter(lambda sizes: sum(sizes) <= len(cards)))
    rooms.append(len(cards) - sum(rooms))
    return cards, list(zip(rooms, [draw(MASKS) | draw(MASKS) for _ in rooms], strict=True))


def possible(cards: list[int], places: Places) -> set[tuple[frozenset[int], ...]]:
    """Every way to deal the cards, found by trying all orders."""
    found = set()
    for order in permutations(cards):
        left = list(order)
        held = []
        for size, mask in places:
            taken, left = left[:size], left[size:]
            if not all([mask >> card & 1 for card in taken]):
                break
            held.append(frozenset(taken))
        else:
            found.add(tuple(held))
    return found


@given(deal=deals(), seed=SEEDS)
@settings(max_examples=200)
def test_a_deal_is_found_exactly_where_there_is_one_and_fits(deal, seed):
    cards, places = deal
    dealt = deal_out(cards, places, Random(seed))
    if dealt is None:
        assert possible(cards, places) == set()
        return
    assert sorted(card for held in dealt for card in held) == sorted(cards)
    assert [len(held) for held in dealt] == [size for size, _ in places]
    for held, (_, mask) in zip(dealt, places, strict=True):
        assert all([mask >> card & 1 for card in held])


@pytest.mark.parametrize(
    ("number", "places"),
    [
        (4, [(1, 0b1111), (3, 0b1111)]),
        (4, [(1, 0b0011), (2, 0b1110), (1, 0b1111)]),
        (4, [(2, 0b0111), (0, 0b1111), (2, 0b1110)]),
        (4, [(1, 0b0011), (1, 0b0110), (1, 0b1100), (1, 0b1001)]),
        (7, [(2, 0b0001111), (2, 0b0111100), (1, -1)]),  # two cards are left over
    ],
)
def test_every_deal_that_is_possible_comes_up_evenly_and_no_other(number, places):
    cards, rng = list(range(number)), Random(4)
    assert_even(lambda: tuple(map(frozenset, deal_out(cards, places, rng))), possible(cards, places))
