"""Checks of bots: at chosen games, kept as runs, with the reason and the command for each bug."""

import re
import shlex
import shutil

import pytest

from tests.conftest import apart, called, mostly_slow, with_code

BOTS = """
import random
import time

SEEN = []


class Sound:
    '''Follows low, and keeps its highest card for last.'''

    def act(self, view, legal):
        return min(legal, key=lambda action: action % 11)


class Remembers(Sound):
    def act(self, view, legal):
        SEEN.append(len(legal))
        return legal[len(SEEN) // 70 % len(legal)]


class Sets(Sound):
    def act(self, view, legal):
        return legal[int(next(iter({str(number) for number in range(len(legal))})))]


class Lots(Sound):
    def act(self, view, legal):
        return random.SystemRandom().choice(legal)


class Illegal(Sound):
    def act(self, view, legal):
        return min(view.hand) if len(view.hand) == 3 else super().act(view, legal)


class Raises(Sound):
    def act(self, view, legal):
        return super().act(view, [card for card in legal if len(view.hand) != 2])


class Slow(Sound):
    def act(self, view, legal):
        time.sleep(0.9 * (len(view.hand) == 4))
        return super().act(view, legal)
"""


def test_a_bot_is_checked_at_the_numbers_of_seats_that_are_named(tmp_path):
    text = with_code(called(["check", "first", "--game", "voleur:3", "--game", "vole:2"], tmp_path)).stdout
    assert [line.split(":")[0].split(maxsplit=2)[2] for line in text.splitlines() if "legality" in line] == [
        "voleur, 3 seats",
        "vole, 2 seats",
    ]
    refused = with_code(called(["check", "first", "--game", "vole:9"], tmp_path), 2).stderr
    assert "vole is for 2 seats, not 9" in refused


RAISES = ("Raises", "error at decision", r"ValueError: min\(\)")


@pytest.mark.parametrize(
    ("bot", "found", "shown"),
    mostly_slow(
        [
            ("Remembers", "then play:..?.; it remembers something of earlier matches", "not as recorded"),
            ("Sets", "then play:..?.; it goes through a set in its own order", "legal: "),
            ("Lots", "then play:..?.; it reads the clock, the system's randomness, or a file", "legal: "),
            ("Illegal", "illegal at decision", "recorded: a fault, illegal"),
            RAISES,
            ("Slow", "timeout at decision", "own  function"),
        ],
        RAISES,
    ),
)
def test_a_check_finds_a_bug_and_names_the_command_that_opens_it(tmp_path, bot, found, shown):
    (tmp_path / "mine.py").write_text(BOTS, encoding="utf-8")
    checked = apart(tmp_path, "check", f"mine.py:{bot}", "--game", "vole", "--limits", "{ move_ms = 600 }")
    failed, command = with_code(checked, 1).stdout.partition("FAIL  ")[2].splitlines()[0], ""
    assert re.search(found, failed), checked.stdout
    command = next(line.strip() for line in checked.stdout.splitlines() if line.startswith("      tourney "))
    assert command.startswith("tourney debug results/check-mine vole-0000")
    opened = apart(tmp_path, *shlex.split(command)[1:], typed="c\n")
    assert re.search(shown, opened.stdout + opened.stderr), opened.stdout + opened.stderr


def test_a_check_replaces_the_last_one_of_the_bot_and_no_other_run(tmp_path):
    check = ("check", "first", "--game", "vole")
    for _ in range(2):
        with_code(apart(tmp_path, *check))
    (kept,) = (tmp_path / "results").iterdir()
    assert kept.name == "check-first"
    assert with_code(called(["matches", "check-first"], tmp_path)).stdout.count("\n") == 3
    assert "verified" in with_code(called(["verify", "check-first", "--bots"], tmp_path)).stdout
    shutil.rmtree(kept)
    run = ["compare", "first", "random", "--game", "vole", "--deals", "1", "--out", str(kept), "--quiet"]
    with_code(called(run, tmp_path))
    journal = (kept / "journal.jsonl").read_bytes()
    assert "already contains a comparison" in with_code(apart(tmp_path, *check), 2).stderr
    assert (kept / "journal.jsonl").read_bytes() == journal
