"""The contracts of games and of bots as tests, for their authors' repositories."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from tourney.contracts.game import Game
from tourney.plugins.registry import BotPlugin, game_names, load_bot, load_game
from tourney.testing.matches import deal_seeds, require

# the checks are imported inside methods: every process of a bot of `tourney.testing.bots` imports this package, and
# needs none of them


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
    """Values of the game's options, for example to make matches short; the rest have their defaults."""
    deals: ClassVar[int] = 10
    """How many deals are tried at each number of seats."""

    def seat_counts(self) -> Sequence[Any]:
        """The numbers of seats to try: all by default. Parameters of pytest may carry marks."""
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
        """Plays matches in another process, with another `PYTHONHASHSEED`."""
        from tourney.testing.game_check import plays_the_same_elsewhere  # noqa: PLC0415

        plays_the_same_elsewhere(self._rules(), self.options, deal_seeds(self.deals))

    def _rules(self) -> Game:
        return load_game(self.game)


def _topic(check: Any) -> str:
    return str(check.topic).replace(" ", "-")


class BotContract:
    """Tests that pytest collects in a subclass: what every bot must do.

    >>> class TestSteady(BotContract):
    ...     bot = "steady"
    ...     games = ("vole",)

    The name of the class must begin with `Test`. `tourney check BOT` does what `test_it_passes_the_check` does.
    """

    bot: ClassVar[str]
    """The bot's name, if its package is installed; else FILE.py:NAME, relative to the working folder."""
    games: ClassVar[Sequence[str] | None] = None
    """The games to try; None means every game that the bot claims to play."""
    options: ClassVar[Mapping[str, Any]] = {}
    """The bot's options, for example to make it quick."""
    limits: ClassVar[Mapping[str, Any]] = {}
    """Limits of time and memory for the check, as in a tournament file: `{"move_ms": 100}`."""

    def tried_games(self) -> Sequence[Any]:
        """The games to try. Parameters of pytest may carry marks."""
        if self.games is not None:
            return self.games
        claimed = self._plugin().games
        return game_names() if claimed is None else claimed

    def tried_tables(self) -> Sequence[Any]:
        """The games to try with each number of seats, as (game, seats): by default all."""
        return [(game, seats) for game in self.tried_games() for seats in load_game(game).seats]

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """Makes a test of each game, or of each game at each number of seats."""
        if "seats" in metafunc.fixturenames:
            metafunc.parametrize(("game", "seats"), self.tried_tables())
        elif "game" in metafunc.fixturenames:
            metafunc.parametrize("game", self.tried_games())

    def test_it_says_what_it_is_and_what_it_plays(self) -> None:
        """Reads the bot's docstring and the games that it claims."""
        plugin = self._plugin()
        require(bool(plugin.summary), f"{self.bot} has no docstring; its first line describes the bot")
        if plugin.games is not None:
            require(bool(plugin.games), f"{self.bot} claims no game; leave out `games` if it plays every game")
            unknown = [game for game in plugin.games if game not in game_names()]
            require(not unknown, f"{self.bot} claims unknown games: {', '.join(unknown)}")

    def test_it_passes_the_check(self, game: str) -> None:
        """Plays matches in other processes: legal, the same again, in time, and nothing left behind."""
        from tempfile import TemporaryDirectory  # noqa: PLC0415

        from tourney.review import bot_check  # noqa: PLC0415

        entered = {"name": "tried", "use": self.bot, "options": dict(self.options)}
        trial = bot_check.make_trial(entered, [game], self.limits, "1")
        with TemporaryDirectory() as folder:
            failed = [each for each in bot_check.check(trial, Path(folder)) if not each.passed]
        require(not failed, "\n".join([f"{each.topic}: {each.text}\n{each.traceback}".strip() for each in failed]))

    def test_it_plays_legally_and_the_same_each_time(self, game: str, seats: int) -> None:
        """Plays matches in this process, against random bots, each twice."""
        first = [self._played(game, seats, seed) for seed in (1, 2)]
        for record in first:
            faults = [f"{fault.kind} at decision {fault.decision}: {fault.detail}" for fault in record.faults]
            require(not faults, f"{game}, {seats} seats: {'; '.join(faults)}")
        if self._plugin().is_service:  # it need not repeat its answers
            return
        for record, again in zip(first, [self._played(game, seats, seed) for seed in (1, 2)], strict=True):
            pairs = zip(record.actions.split(), again.actions.split(), strict=False)
            differs = next((n for n, (one, other) in enumerate(pairs, 1) if one != other), None)
            require(
                record == again,
                f"{game}, {seats} seats: the same match again is another from decision {differs} on; the bot "
                "depends on earlier matches, on the clock, or on randomness other than facts.rng",
            )

    def _played(self, game: str, seats: int, seed: int) -> Any:
        from tourney.contracts.match import GameSetup, Match  # noqa: PLC0415
        from tourney.table.table import play  # noqa: PLC0415

        names = tuple(["tried" if seat % 2 == seed % 2 else "random" for seat in range(seats)])
        makers: dict[str, Callable[[], Any]] = {
            "tried": self._plugin().maker(self.options, self.bot),
            "random": load_bot("random", Path()).maker({}, "random"),
        }
        match = Match(f"{game}-00000-0", GameSetup(game, seats, {}), 0, seed, names)
        return play(match, load_game(game), [makers[name] for name in names])

    def _plugin(self) -> BotPlugin:
        return load_bot(self.bot, Path())
