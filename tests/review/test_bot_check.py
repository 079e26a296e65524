"""The check tries an entrant as its tournament runs it, and says what to do about files that it does not find."""

import pytest

from tests.conftest import tournament_text
from tourney import config
from tourney.hosts.faults import SANDBOX
from tourney.review.bot_check import check_entrant

pytestmark = pytest.mark.needs("bubblewrap")

BOTS = """
import contextlib
class Mine:
    def start(self, facts):
        with contextlib.suppress(PermissionError):
            open(__file__.replace("mine", "other"))
            raise LookupError
    def act(self, view, legal):
        return legal[0]
class Fails:
    def act(self, view, legal):
        raise LookupError
"""


def checked(folder, name, *bots):
    tables = [f'[[bot]]\nhost = "sandbox"\n{bot}' for bot in bots]
    path = folder / "cup.toml"
    text = tournament_text("cup", bots='["random"]', extra="\n".join(tables))
    cup = config.of_tables(config.tables(text, path), path)
    entrant = next(each for each in cup.entrants if each.name == name)
    return [*check_entrant(cup, entrant, path, (), "1", 1, folder / "check")]


@pytest.mark.parametrize(
    ("opened", "reads", "told"),
    [
        ("book.txt", "", "; book.txt exists, but the sandbox only shows `reads`"),
        ("book.txt", "book.txt", "; book.txt exists, but the bot starts in an empty folder"),
        ("own/near.txt", "own", "; own/near.txt exists, but the bot starts in an empty folder"),
        ("near.txt", "", "; near.txt exists, but the sandbox only shows `reads`"),
        ("none.txt", "book.txt", f"; {SANDBOX}"),
    ],
)
def test_a_file_that_the_sandbox_does_not_show_comes_with_the_remedy(tmp_path, opened, reads, told):
    (tmp_path / "own").mkdir()
    for name in ("book.txt", "own/near.txt"):
        (tmp_path / name).touch()
    (tmp_path / "own" / "opens.py").write_text(f"open({opened!r})\n")
    table = f'name = "mine"\nuse = "own/opens.py:Mine"\nreads = {[reads] if reads else []}'
    [(topic, passed, text, *_)] = checked(tmp_path, "mine", table)
    assert (topic, passed) == ("loading", False)
    assert text.partition("(line 1 of opens.py)")[2].startswith(told)


@pytest.mark.parametrize(
    ("does", "is_forbidden"),
    {
        "__import__('multiprocessing').Pool(2)": True,
        "__import__('subprocess').run(['true'])": True,
        "__import__('urllib.request').request.urlopen('http://127.0.0.1:9/')": True,
        "open(__file__, 'a')": True,
        "{}['fork']": False,
    }.items(),
)
def test_what_the_sandbox_forbids_is_the_last_line_of_the_fault_that_comes_of_it(tmp_path, does, is_forbidden):
    (tmp_path / "tries.py").write_text(f"class Mine:\n    def act(self, view, legal):\n        {does}\n")
    found = checked(tmp_path, "mine", 'name = "mine"\nuse = "tries.py:Mine"')
    failed = next(each for each in found if not each.passed)
    assert failed.topic == "legality"
    assert failed.text.endswith(SANDBOX) is failed.traceback.endswith(SANDBOX) is is_forbidden


def test_the_last_line_on_stderr_is_shown_of_a_program(tmp_path):
    (tmp_path / "forks.sh").write_text("#!/bin/sh\necho first >&2\n$(true)\n")
    (tmp_path / "forks.sh").chmod(0o755)
    [failed] = checked(tmp_path, "mine", 'name = "mine"\ncommand = ["./forks.sh"]')
    assert (failed.topic, failed.passed) == ("protocol", False)
    assert f'3: Cannot fork"; {SANDBOX})' in failed.text


def test_random_bots_take_the_places_of_others_whose_files_are_hidden(tmp_path):
    for file in ("mine.py", "other.py"):
        (tmp_path / file).write_text(BOTS)
    bots = ("mine", "mine.py:Mine", "."), ("others", "mine.py:Fails", "."), ("another", "other.py:Mine", "other.py")
    tables = [f'name = "{name}"\nuse = "{use}"\nreads = ["{reads}"]' for name, use, reads in bots]
    found = checked(tmp_path, "mine", *tables)
    assert [each.topic for each in found if each.passed] == ["legality", "determinism", "speed", "leftovers"]
    [found] = checked(tmp_path, "others", *tables)
    assert (found.topic, found.passed) == ("legality", False)
    assert "LookupError" in found.text
