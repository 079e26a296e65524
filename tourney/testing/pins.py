"""A plugin for pytest, which loads it by itself: each pin in a folder is a test of a bot.

`pytest --tourney-pins pins --tourney-bot bots/thief.py:Thief`
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tourney.base.errors import TourneyError, one_line


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("tourney")
    group.addoption("--tourney-pins", metavar="FOLDER", help="Also test a bot at the decisions pinned in FOLDER.")
    group.addoption("--tourney-bot", metavar="BOT", help="The bot to test at the pins: a plugin, or FILE.py:NAME.")
    group.addoption("--tourney-ask", action="store_true", help="Ask a nondeterministic bot, too.")


def pytest_configure(config: pytest.Config) -> None:
    """Collects the folder of pins, too."""
    if (folder := config.getoption("tourney_pins")) is None:
        return
    if config.getoption("tourney_bot") is None:
        raise pytest.UsageError("--tourney-pins requires --tourney-bot")
    config.args.append(folder)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collects a pin."""
    folder = parent.config.getoption("tourney_pins")
    if folder is None or file_path.suffix != ".json" or file_path.parent != Path(folder).resolve():
        return None
    return _PinFile.from_parent(parent, path=file_path)


class _PinFile(pytest.File):
    def collect(self) -> Iterator[pytest.Item]:
        """Yields the pin's test; its name is why the decision is pinned."""
        from tourney.review import pins  # noqa: PLC0415 - most runs of pytest need nothing of this

        try:
            pinned = pins.read_pin(self.path)
        except TourneyError as error:
            raise self.CollectError(str(error)) from None
        yield _PinTest.from_parent(self, name=one_line(pinned.pin.why or pins.wanted(pinned.pin)), pinned=pinned)


class _PinTest(pytest.Item):
    def __init__(self, *, pinned: Any, **keys: Any) -> None:
        super().__init__(**keys)
        self._pinned = [pinned]

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, self.name

    def runtest(self) -> None:
        from tourney.review import pins  # noqa: PLC0415

        try:
            bot = {"name": "bot", "use": self.config.getoption("tourney_bot")}
            passed, lines = pins.check_bot(self._pinned, bot, asks=self.config.getoption("tourney_ask"))
        except TourneyError as error:
            raise pytest.fail.Exception(str(error), pytrace=False) from None
        if not passed:
            pytest.fail("\n".join(lines[:-1]), pytrace=False)
