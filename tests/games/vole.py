"""The Vole in the Valley at any moment that a test wants: states set up at will, or played at random."""

from collections.abc import Sequence
from random import Random

from hypothesis import strategies as st

from tests.games.facts import facts_of
from tourney import testing
from tourney.contracts.cards import VOLE
from tourney.contracts.rng import pick
from tourney.games.vole import Vole, VoleState

GAME = Vole()
SEEDS = st.integers(0, 2**128 - 1)
OPTIONS = [
    {},
    {"target": 1},
    {"target": 16},
    {"sevens": "round"},
    {"target": 16, "sevens": "round"},
    {"target": 40, "max_rounds": 3},
    {"target": 40, "max_rounds": 2, "sevens": "round"},
    {"max_rounds": 1},
]
# all 33 cards: hands, trump card and deck of a whole round
FULL = {
    "first": "1t 3t 5t 7t 9t 11t 1k 3k 5k 2m 4m 6m 8m",
    "second": "2t 4t 6t 8t 10t 2k 4k 6k 8k 1m 3m 5m 7m",
    "up": "10k",
    "deck": "7k 9k 11k 9m 10m 11m",
}


def board(
    first: str,
    second: str,
    up: str = "2m",
    deck: str = "4m 6m 8m 10m",
    leader: int = 0,
    won: tuple[int, int] = (0, 0),
    scores: tuple[int, int] = (0, 0),
    extra: tuple[int, int] = (0, 0),
    **options,
) -> VoleState:
    """A round about to begin, or to go on, with these cards in the two hands, and nothing in the log."""
    facts = {"up": up, "deck": deck, "leader": leader, "won": won, "scores": scores, "extra": extra}
    return testing.position(GAME, seats=2, options=options, hands=[first, second], **facts)


def act(state: VoleState, actions: str) -> VoleState:
    """The state, moved on by these actions, each of which must be legal."""
    return testing.act(GAME, state, actions)


def hand(state: VoleState, seat: int) -> list[str]:
    return VOLE.texts(state.view(seat).hand)


def deck(state: VoleState) -> list[str]:
    """The deck, top card first."""
    return facts_of(state)["deck"].split()


def events(state: VoleState, kind: str) -> list[dict]:
    return testing.events(GAME, state, kind)


def eager(actions: Sequence[int], rng: Random) -> int:
    """One of the actions at random, and often a 3, a 5 or an 11, so that much happens in few moves."""
    special = [action for action in actions if action < len(VOLE) and VOLE.rank(action) in (2, 4, 10)]
    return pick(special if special and rng.random() < 0.5 else actions, rng)


@st.composite
def moments(draw: st.DrawFn, most: int = 90) -> VoleState:
    """A match before its end, at most `most` decisions after its start."""
    options = draw(st.sampled_from(OPTIONS))
    state = GAME.start(2, GAME.options(2, options), draw(SEEDS))
    rng = Random(draw(SEEDS))
    for _ in range(draw(st.integers(0, most))):
        action = eager(state.legal(), rng)
        before = state.copy()
        state.apply(action)
        if state.seat is None:
            return before
    return state
