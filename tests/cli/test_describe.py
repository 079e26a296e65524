"""How options and the values that they take are described."""

from typing import Annotated, Any, Literal

import msgspec
import pytest

from tests.conftest import called
from tourney.cli.render.describe import options_lines, values
from tourney.contracts.game import Options
from tourney.plugins.registry import game_names, load_game

AT_LEAST_1 = Annotated[int, msgspec.Meta(ge=1)]


class Deck(msgspec.Struct):
    knife: int = 1
    bomb: int = 2


@pytest.mark.parametrize(
    ("kind", "described"),
    [
        (int, "whole number"),
        (bool, "true | false"),
        (str, "text"),
        (AT_LEAST_1, "whole number >= 1"),
        (Annotated[float, msgspec.Meta(gt=0, le=1)], "number > 0 and <= 1"),
        (Literal["game", "round"], "game | round"),
        (int | None, "whole number"),
        (None | str, "text"),
        (AT_LEAST_1 | None, "whole number >= 1"),
        (Annotated[int | None, msgspec.Meta(ge=1)], "whole number >= 1"),
        (Literal["a", "b"] | None, "a | b"),
        (list[int] | None, "list of whole number"),
        (int | str, "whole number or text"),
        (int | str | None, "whole number or text"),
        (tuple[str, ...], "list of text"),
        (Deck, "table of knife, bomb"),
        (Deck | None, "table of knife, bomb"),
    ],
    ids=str,
)
def test_a_type_is_described_by_the_values_that_it_takes(kind, described):
    assert values(kind) == described


class Optional(Options, frozen=True):
    limit: AT_LEAST_1 | None = None
    """The most there may be."""


def test_an_option_that_may_be_left_out_is_described_as_its_type():
    line, *docs = options_lines(Optional)
    assert line == "  limit  (whole number >= 1)"
    assert docs == ["      The most there may be."]


def test_a_bot_without_a_docstring_is_described_by_its_name(tmp_path):
    (tmp_path / "highest.py").write_text("class Highest:\n    def act(self, view, legal):\n        return legal[-1]\n")
    shown = called(["bots", "highest.py:Highest"], tmp_path).stdout.splitlines()
    assert shown[:2] == ["highest.py:Highest", "plays    every game"]


@pytest.mark.parametrize("name", game_names())
def test_no_option_of_a_game_takes_none(name):
    """Left out is what an option without a value is: TOML has no null."""
    hints: list[Any] = [line for line in options_lines(load_game(name).Options) if " = " in line]
    assert not [line for line in hints if "None" in line]
