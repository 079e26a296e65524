"""PettingZoo's own card games, as raw environments: the wrappers that it puts around them halve the speed, or worse."""

from functools import partial

from pettingzoo.classic import leduc_holdem_v4, texas_holdem_no_limit_v6, texas_holdem_v4

from tests.bench.timing import Rates, steps_per_second


def rates() -> Rates:
    games = {"leduc": leduc_holdem_v4, "limit": texas_holdem_v4, "no-limit": texas_holdem_no_limit_v6}
    return {f"PettingZoo {name}": partial(steps_per_second, game.raw_env()) for name, game in games.items()}
