"""Workers that have a performer deal with items."""

import os
import time

import pytest

from tests.conftest import tournament_text
from tourney import config
from tourney.base.errors import GameError
from tourney.runner.pool.local import LocalPool


class Squares:
    """Squares numbers; it fails at one of them in some way."""

    asks_bots = False

    def __init__(self, number: int = -1, way: str = "", marks: str = "") -> None:
        self._number = number
        self._way = way
        self._marks = marks

    def perform(self, item, makers, player):
        player.report_alive()
        while self._way in ("raise", "exit") and item == 0 and not os.path.exists(self._marks):
            time.sleep(0.01)
        if item == self._number:
            self._fail()
        return b"%d\n" % item**2

    def _fail(self) -> None:
        if self._way in ("raise", "exit"):
            open(self._marks, "wb").close()
        if self._way == "exit":
            os._exit(1)
        if self._way == "exit once" and not os.path.exists(self._marks):
            open(self._marks, "wb").close()
            os._exit(1)
        if self._way == "fork":
            os.fork()
        if self._way == "raise":
            raise ZeroDivisionError

    def game_error(self, item, why):
        return GameError(f"number {item}: {why}", "numbers")


def squares(tmp_path, performer, workers: int = 2, count: int = 300):
    """Yields the squares as they come."""
    chosen = config.parse(tournament_text("numbers"), tmp_path / "numbers.toml")
    with LocalPool(chosen, workers, performer=performer) as pool:
        for done in pool.play(iter(range(count))):
            yield from [] if done is None else map(int, done.lines.split())


@pytest.mark.parametrize(
    ("workers", "way"), [(1, ""), (3, ""), (2, "exit once"), pytest.param(2, "fork", marks=pytest.mark.slow)]
)
def test_what_was_found_comes_in_order_whatever_a_worker_does(tmp_path, workers, way):
    """A worker may die, and a process may go on as a second one, which is not heard."""
    found = squares(tmp_path, Squares(7, way, str(tmp_path / "mark")), workers)
    assert list(found) == [number**2 for number in range(300)]


@pytest.mark.parametrize(
    ("way", "raised", "says"),
    [("exit", GameError, "number 1: its worker ended each time"), ("raise", RuntimeError, "ZeroDivisionError")],
)
def test_an_item_that_ends_every_worker_is_told_and_an_exception_is_a_bug_of_ours(tmp_path, way, raised, says):
    """What comes before it is found, though it takes longer."""
    found = []
    with pytest.raises(raised, match=says):
        found.extend(squares(tmp_path, Squares(1, way, str(tmp_path / "mark"))))
    assert found == [0]
