"""The connection to dask's scheduler keeps nothing of what was asked and answered."""

import operator
import tracemalloc

import pytest

from tourney.runner.cluster.connection import Answer, Connection
from tourney.runner.cluster.local import LocalCluster

SIZE = 100_000
"""The bytes of a question; those of a whole task are about as many."""


def answers(connection: Connection, address: str, count: int) -> int:
    """Asks one question after another, and returns how many were answered."""
    found = 0
    for _ in range(count):
        number = connection.ask(address, operator.length_hint, bytes(SIZE))
        while not any([isinstance(event, Answer) and event.number == number for event in connection.events(1)]):
            pass
        found += 1
    return found


@pytest.mark.slow
def test_questions_that_were_answered_take_no_memory():
    with LocalCluster(1) as cluster, Connection(cluster.address) as connection:
        address = ""
        while not address:
            for event in connection.events(1):
                if isinstance(event, dict):
                    address = next(iter(event), "")
        tracemalloc.start()
        try:
            answers(connection, address, 15)
            before = tracemalloc.get_traced_memory()[0]
            assert answers(connection, address, 40) == 40
            assert tracemalloc.get_traced_memory()[0] - before < 5 * SIZE
        finally:
            tracemalloc.stop()
