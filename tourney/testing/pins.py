"""A plugin for pytest, which loads it by itself: each pin of a folder is a test of a bot.

`pytest --tourney-pins pins/ --tourney-bot bots/thief.py:Thief`
"""

from pathlib import Path
from typing import Any

import pytest

from tourney.base.errors import TourneyError


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options."""
    group = parser.getgroup("tourney")
    group.addoption("--tourney-pins", metavar="FOLDER", help="Test the bot at the decisions pinned in FOLDER.")
    group.addoption("--tourney-bot", metavar="BOT", help="The bot to test at the pins: a plugin, or FILE.py:NAME.")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    """Adds a test for each pin."""
    folder, bot = config.getoption("tourney_pins"), config.getoption("tourney_bot")
    if folder is None:
        return
    if bot is None:
        raise pytest.UsageError("--tourney-pins requires --tourney-bot")
    from tourney.review import pins  # noqa: PLC0415 - most runs of pytest need nothing of this

    try:
        read = pins.read_pins(Path(folder))
        trial = pins.pin_trial({"name": "bot", "use": bot}, read, {})
    except TourneyError as error:
        raise pytest.UsageError(str(error)) from None
    for pin in read:
        name = f"{pin.name}: {pin.pin.why}" if pin.pin.why else pin.name
        items.append(_PinItem.from_parent(session, name=name, pin=pin, trial=trial))


class _PinItem(pytest.Item):
    """Asks the bot at one pin."""

    def __init__(self, *, pin: Any, trial: Any, **keys: Any) -> None:
        super().__init__(**keys)
        self._pin, self._trial = pin, trial
        self._file = Path(self.config.getoption("tourney_pins")) / f"{pin.name}.json"

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the pin is, and its sentence."""
        return self._file, None, self.name

    def runtest(self) -> None:
        """Fails with what the bot answers, if that does not pass."""
        from tourney.review import pins  # noqa: PLC0415

        passed, lines = pins.report(list(pins.ask_pins([self._pin], self._trial, "bot")))
        if not passed:
            pytest.fail("\n".join(lines[:-1]), pytrace=False)
