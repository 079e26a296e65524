"""The connection to a real scheduler: who its workers are, what they answer, and that it is gone."""

import logging
import os
import time

from tests.cli.runs import wait_for
from tests.runner.cluster.dask_processes import end, scheduler, workers
from tourney.runner.cluster.scheduler import Answer, Connection


def test_each_question_is_answered_by_the_worker_that_it_is_for_until_the_scheduler_is_gone(tmp_path):
    events: list = []

    def until(is_there) -> None:
        wait_for(lambda: events.extend(connection.events(0.1)) or is_there())

    def answers(*asked: int) -> list[Answer]:
        until(lambda: {event.number for event in events if isinstance(event, Answer)} >= set(asked))
        return [next(event for event in events if event[0] == number) for number in asked]

    with scheduler(tmp_path) as (address, process), workers(tmp_path, address, 2):
        connection = Connection(address)
        until(lambda: any(len(event) == 2 for event in events))
        one, two = events.pop()
        pids = answers(*[connection.ask(each, os.getpid) for each in (one, two, one)])
        assert pids[0].data == pids[2].data != pids[1].data
        (failed,) = answers(connection.ask(one, int, "x"))
        assert (failed.data, type(failed.error)) == (None, ValueError)
        forgotten, later = connection.ask(one, time.sleep, 600), connection.ask(two, bytes.upper, b"later")
        assert answers(later) == [Answer(later, b"LATER")]
        for number in (forgotten, later):
            connection.forget(number)
        assert answers(forgotten) == [Answer(forgotten, None)]
        assert connection.dashboard().startswith("http://127.0.0.1:")
        assert logging.getLogger("distributed").level > logging.CRITICAL, "dask is silent"
        end(process)
        until(lambda: events[-1] is None)
        connection.close()
        wait_for(lambda: "has ended, and the workers with it\n" in (tmp_path / "workers.log").read_text())
    assert (tmp_path / "workers.log").read_text().startswith(f"2 workers for {address}; Ctrl-C ends them\n")
