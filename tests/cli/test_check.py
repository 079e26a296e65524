"""Checks of bots at chosen games and numbers of seats."""

from tests.conftest import called, with_code


def test_a_bot_is_checked_at_the_numbers_of_seats_that_are_named(tmp_path):
    text = with_code(called(["check", "first", "--game", "voleur:3", "--game", "vole:2"], tmp_path)).stdout
    assert [line.split(":")[0].split(maxsplit=2)[2] for line in text.splitlines() if "legality" in line] == [
        "voleur, 3 seats",
        "vole, 2 seats",
    ]
    refused = with_code(called(["check", "first", "--game", "vole:9"], tmp_path), 2).stderr
    assert "vole is for 2 seats, not 9" in refused
