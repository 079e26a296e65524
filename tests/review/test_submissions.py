"""Bots that are submitted to a league, and those of a run: what is found and taken along, as golden texts."""

import re
import shlex
import shutil
import sys

import pytest

from tests.conftest import ROOT, tournament_text
from tests.review.test_golden_outputs import VARIES
from tourney import config
from tourney.base.errors import RunError, TourneyError
from tourney.journal.events import read_events
from tourney.journal.run import RunFolder
from tourney.review.bots import RunBots
from tourney.review.submissions import source_of, submit
from tourney.runner import league as leagues

PYTHON = shlex.quote(sys.executable)
ANN = "class Ann:\n    def act(self, view, legal):\n        return legal[0]\nif 0:\n    import late"
FILES = {
    "ann.py": f"import json, string, pack.deep as d\nfrom . import near\nfrom .random import x\n{ANN}, empty, gone",
    "pack/__init__.py": f"from .. import near\n{ANN}\n    from ...far import y\n    from .far import z",
    "pack/deep/mod.py": "import near",
    "near.py": "import ann, ben as b",
    "late.py": "no Python",
    "thief.py": f"import ann\n{ANN}",
    "bad.py": "import sys\nsys.stderr.write('begun\\n')\nclass Bad:\n    def act(self, view, legal): raise LookupError",
    "random.py": "x = 1",
    **dict.fromkeys(("string.py", "far.py", "ben.py", "empty/data.txt", "pack/data.txt", "fox/own/book.txt"), ""),
}
COMMANDS = ("fox/run.py --fast", "/bin/sh own/run.sh own", "./here x", "fox/run.py 'x", "cat ann", "{} fox/run.py")
SUBMITTED = (
    ("ann.py:Ann", {"author": "Ann"}), ("ann.py:Ann", {"author": "ann"}), ("ann.py:Ann", {"author": "Bob"}),
    ("random", {"name": "a@1"}), ("thief.py:Ann", {"author": "Bob"}), ("bad.py:Bad", {"name": "worse"}),
    ("{} -IS fox/run.py fox/own/book.txt", {"is_command": True}), ("pack:Ann", {"host": "process", "author": "Bob"}),
    ("ann.py:Ann", {"host": "process", "author": "Ann"}), ("ann.py:Ann", {}), ("random", {"options": {"depth": 1}}),
)  # fmt: skip


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    for name in ("fox/run.py", "own/run.sh", "here"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", tmp_path / name)
        (tmp_path / name).chmod(0o700)
    return tmp_path


def outcome(call, *arguments, **keys):
    try:
        return call(*arguments, **keys)
    except TourneyError as error:
        return f"{type(error).__name__}: {error}"


def test_what_is_submitted_is_found_checked_and_entered_or_refused(golden, files):
    said = [outcome(source_of, bot, False) for bot in ("steady", "ann.py:Ann", "pack:Ann", "gone.py:Ann", "fox/run.py")]
    said += [outcome(source_of, words.format(PYTHON), True) for words in COMMANDS]
    leagues.begin(files / "cup", tournament_text("cup", format='"league"', bots='["random"]', deals="1"))
    said += [outcome(submit, files / "cup", bot.format(PYTHON), **keys) for bot, keys in SUBMITTED]
    said += [(each.event, each.bot, each.why, each.author, each.table) for each in read_events(files / "cup")]
    said += [path for path in sorted((files / "cup" / "bots").rglob("*")) if "__pycache__" not in path.parts]
    said += [path.read_text() for path in sorted((files / "cup" / "bots").glob("*/check.txt"))]
    text = "\n".join(map(str, said)).replace(str(files), "HERE").replace(sys.executable, "PYTHON")
    for pattern, instead in VARIES.items():
        text = text if "/" in pattern else re.sub(pattern, instead, text)
    golden("submissions.txt", text)


BOTS = (
    'use = "gone.py:Bot"', 'use = "own.py:Bot"', 'use = "first"\nreads = ["own.py", "gone"]', 'command = ["./gone"]',
    'command = ["./own.py"]', 'command = ["sh", "-x", "/gone", "gone.sh"]', 'command = ["sh", "gone.sh", "own.py"]',
    f'command = ["sh", "{300 * "x"}"]', 'command = ["sh", "-x"]', 'use = "first"',
)  # fmt: skip


def test_a_folder_has_all_files_of_the_bots_or_the_first_that_is_missing_is_named(golden, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "own.py").write_text("class Bot:\n    def act(self, view, legal): ...")
    monkeypatch.chdir(tmp_path / "here")
    recorded, found = {"bots": {"bot": {"version": "", "sha256": "0"}}}, []
    for keys in BOTS:
        text = tournament_text("t", bots='["random"]', extra=f'[[bot]]\nname = "bot"\n{keys}')
        for folder in (None, tmp_path, tmp_path / "here"):
            given, trusted = config.of_text(text, tmp_path / "t.toml"), []
            try:
                run = RunFolder(tmp_path / "results" / "run")
                run.manifest, run.tournament = recorded, given
                bots = RunBots(run, folder, trusted.append)
                found.append(f"{keys!r}: {bots.tournament.folder}, {trusted}, {bots.changed('bot')}")
            except RunError as error:
                found.append(f"{keys!r}: {error}")
    golden("bots.txt", "\n".join(found).replace(str(tmp_path), "HERE"))
