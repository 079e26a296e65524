"""The queue splits blocks into tasks of a suitable size."""

import pytest

from tourney.contracts.match import Block, GameSetup
from tourney.runner.pool.ordered import LARGEST, TARGET_S, TaskQueue

SETUP = GameSetup("vole", 2, {})


def filled_queue(blocks: int, workers: int) -> TaskQueue:
    found = TaskQueue(workers)
    found.blocks = (Block(number, SETUP, number, (("a", "b"),)) for number in range(blocks))
    return found


def sizes(found: TaskQueue, block_s: float) -> list[int]:
    """Returns the sizes of all tasks if every block takes this long, in seconds."""
    sizes: list[int] = []
    while (task := found.next_task()) is not None:
        assert task.position == task.blocks[0].number
        sizes.append(len(task.blocks))
        found.record_time(len(task.blocks), len(task.blocks) * block_s)
    return sizes


@pytest.mark.parametrize("block_s", [1e-5, 0.05])
@pytest.mark.parametrize("workers", [1, 8])
def test_tasks_take_about_the_target_time_and_less_towards_the_end(workers, block_s):
    found = sizes(filled_queue(100_000, workers), block_s)
    assert sum(found) == 100_000
    assert max(found) <= LARGEST
    assert max(found) * block_s <= max(TARGET_S, block_s)
    assert min(LARGEST, max(1, int(TARGET_S / block_s))) in found
    assert sum(found[-workers:]) * block_s <= max(workers * TARGET_S / 4, workers * block_s)


def test_tasks_become_small_again_when_blocks_take_longer():
    found = filled_queue(5000, 2)
    for _ in range(8):
        task = found.next_task()
        assert task is not None
        found.record_time(len(task.blocks), len(task.blocks) * 1e-3)
    assert len(task.blocks) > 50
    found.record_time(1, 10.0)
    assert sizes(found, 10.0)[:3] == [1, 1, 1]


def test_retries_come_first_in_the_order_of_the_schedule():
    found = filled_queue(10, 1)
    for task in reversed([found.next_task() for _ in range(3)]):
        found.retry(task)
    assert [found.next_task(retries_only=True).position for _ in range(3)] == [0, 1, 2]
    assert found.next_task(retries_only=True) is None
