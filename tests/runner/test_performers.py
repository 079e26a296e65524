"""Workers that have a performer deal with items."""

import os

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
        if item == self._number:
            self._fail()
        return b"%d\n" % item**2

    def _fail(self) -> None:
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


def squares(tmp_path, performer, workers: int = 2, count: int = 300) -> list[int]:
    chosen = config.parse(tournament_text("numbers"), tmp_path / "numbers.toml")
    with LocalPool(chosen, workers, performer=performer) as pool:
        return [int(line) for done in pool.play(iter(range(count))) if done is not None for line in done.lines.split()]


EXPECTED = [number**2 for number in range(300)]


@pytest.mark.parametrize("workers", [1, 3])
def test_what_was_found_comes_in_order(tmp_path, workers):
    assert squares(tmp_path, Squares(), workers) == EXPECTED


def test_items_of_a_worker_that_dies_are_done_again(tmp_path):
    assert squares(tmp_path, Squares(7, "exit once", str(tmp_path / "mark"))) == EXPECTED


@pytest.mark.slow
def test_an_item_at_which_every_worker_dies_ends_it_with_what_the_job_says(tmp_path):
    with pytest.raises(GameError, match="number 7: its worker ended each time"):
        squares(tmp_path, Squares(7, "exit"))


def test_an_exception_in_a_worker_is_a_bug_of_ours(tmp_path):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        squares(tmp_path, Squares(7, "raise"))


@pytest.mark.slow
def test_a_process_that_goes_on_as_a_second_worker_sends_nothing(tmp_path):
    assert squares(tmp_path, Squares(7, "fork")) == EXPECTED
