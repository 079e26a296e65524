"""The contract of a game as tests, for the repository of anybody who writes one."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from tourney.game import Game
from tourney.plugins import load_game
from tourney.testing.matches import deal_seeds

# the checks are imported inside methods: `tourney.testing.bots` is imported by every process of a bot, and they are not
# needed there


class GameContract:
    """Tests that pytest collects in a subclass: what every game must do.

    >>> class TestVole(GameContract):
    ...     game = "vole"

    The name of the class must begin with `Test`. The game is found as tournaments find it, so its package has to be
    installed. `tourney check` runs the same checks.
    """

    game: ClassVar[str]
    """The name of the game."""
    options: ClassVar[Mapping[str, Any]] = {}
    """Values of the game's options, such as those that make matches short; the rest have their defaults."""
    deals: ClassVar[int] = 10
    """How many deals are tried at each number of seats."""

    def seat_counts(self) -> Sequence[Any]:
        """Returns the numbers of seats that are tried: all by default. Parameters of pytest may carry marks."""
        return self._rules().seats

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Makes a test of each check, at each number of seats."""
        from tourney.testing.game_check import GAME_CHECKS, deal_checks  # noqa: PLC0415

        wanted = metafunc.fixturenames
        if "game_check" in wanted:
            metafunc.parametrize("game_check", GAME_CHECKS, ids=_topic)
        if "deal_check" in wanted:
            metafunc.parametrize("deal_check", deal_checks(self._rules()), ids=_topic)
        if "seats" in wanted:
            metafunc.parametrize("seats", self.seat_counts())

    def test_the_game(self, game_check: Any) -> None:
        """Tries what does not depend on seats or deals."""
        game_check.on_game(self._rules())

    def test_a_table(self, deal_check: Any, seats: int) -> None:
        """Tries one part of the contract on some deals."""
        from tourney.testing.game_check import check_tables  # noqa: PLC0415

        check_tables(deal_check, self._rules(), seats, self.options, deal_seeds(self.deals))

    def test_another_process_plays_the_same(self) -> None:
        """Plays matches in another process, in which hashes of texts are others."""
        from tourney.testing.game_check import plays_the_same_elsewhere  # noqa: PLC0415

        plays_the_same_elsewhere(self._rules(), self.options, deal_seeds(self.deals))

    def _rules(self) -> Game:
        return load_game(self.game)


def _topic(check: Any) -> str:
    """Returns the name of a check in those of the tests."""
    return str(check.topic).replace(" ", "-")
