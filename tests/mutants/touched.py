"""A plugin of pytest, which tells the recorder what runs."""

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import tourney_recorder as recorder

from tests import environments


def pytest_configure(config: pytest.Config) -> None:
    os.environ["TOURNEY_TESTER"] = getattr(config, "workerinput", {}).get("workerid", "main")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Notes how long a test takes, and what it uses that others made."""
    recorder.begin(item.nodeid)
    start = time.perf_counter()
    result = yield
    recorder.note("took", item.nodeid, time.perf_counter() - start)
    for name in getattr(item, "fixturenames", ()):
        recorder.note("uses", item.nodeid, f"fixture {name}")
    recorder.begin("")
    return result


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.failed:
        recorder.note("failed", report.nodeid)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(fixturedef: Any) -> Iterator[object]:
    """Gives what a shared fixture calls to all tests that use it."""
    if fixturedef.scope == "function":
        return (yield)
    before = recorder.begin(f"fixture {fixturedef.argname}")
    try:
        return (yield)
    finally:
        recorder.begin(before)


def _made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    before = recorder.begin(f"made {folder.name}")
    try:
        return _original(folder, make)
    finally:
        recorder.begin(before)
        recorder.note("uses", before, f"made {folder.name}")


_original = environments.made_once
environments.made_once = _made_once
