"""What a machine shows before it plays along, and what is said of one that differs."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from tests.conftest import ROOT, mostly_slow, tournament_text
from tourney import config
from tourney.cluster.introduction import differences, introduction
from tourney.cluster.tournament_parcel import pack

INTRODUCE = """
import sys
from pathlib import Path
from tourney import config
from tourney.cluster.introduction import introduction
sys.stdout.buffer.write(introduction(config.read(Path(sys.argv[1]))))
"""
UNPACK = """
import sys
from pathlib import Path
from tourney.cluster.tournament_parcel import unpack
try:
    unpack(sys.stdin.buffer.read(), Path(sys.argv[1]))
except Exception as error:
    print(error)
"""
MINE = """
class Mine:
    def act(self, view, legal):
        return legal[0]
"""


def with_keys(data: bytes, **keys: object) -> bytes:
    """An introduction in which other values stand under these keys."""
    return msgspec.msgpack.encode(msgspec.msgpack.decode(data) | keys)


def on_other_machine(site: Path, code: str, *arguments: str, sent: bytes = b"") -> bytes:
    """What a Python writes that finds this installation of tourney before the usual one."""
    command = [sys.executable, "-P", "-c", code, *arguments]
    environment = os.environ | {"PYTHONPATH": str(site)}
    return subprocess.run(command, env=environment, input=sent, capture_output=True, check=True).stdout


@pytest.fixture
def other(tmp_path):
    """The folder of a second installation."""
    unwanted = shutil.ignore_patterns("__pycache__", "*.so")
    for source in (ROOT / "tourney", ROOT / "bots" / "tourney_bots"):
        shutil.copytree(source, tmp_path / "site" / source.name, ignore=unwanted)
    return tmp_path / "site"


def test_a_machine_with_the_same_code_is_nothing_to_speak_of(write):
    here = introduction(config.read(write()))
    assert differences(here, here) == ([], [])


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("python", "CPython 3.13.0", "desk: plays with CPython 3.13.0, and this machine has CPython 3"),
        ("build", "somehow compiled", "desk: plays with tourney somehow compiled, and here it is "),
    ],
)
def test_another_python_or_build_is_said_in_a_line_and_plays_along(write, key, value, said):
    here = introduction(config.read(write()))
    refusals, (remark,) = differences(here, with_keys(here, host="desk", **{key: value}))
    assert refusals == []
    assert remark.startswith(said)
    assert "\n" not in remark


def test_an_introduction_that_nobody_understands_is_refused(write):
    here = introduction(config.read(write()))
    for there in (b"", b"\xc1", here[:-1], msgspec.msgpack.encode({"bots": "all"}), msgspec.msgpack.encode({})):
        refusals, _ = differences(here, there)
        assert refusals, there


CHANGED = {
    "bot": "tourney_bots/steady.py",
    "game": "tourney/games/vole/state.py",
    "tourney": "tourney/table.py",
}


@pytest.mark.parametrize("what", mostly_slow(CHANGED, "bot"))
def test_other_code_of_the_same_version_is_refused_by_machine_and_distribution(write, other, what):
    with (other / CHANGED[what]).open("a") as source:
        source.write("\n# changed\n")
    path = write(bots='["random", "steady"]')
    there = with_keys(on_other_machine(other, INTRODUCE, str(path)), host="desk")
    refusals, _ = differences(introduction(config.read(path)), there)
    assert [line.partition(" is another")[0].rpartition(" 0.")[0] for line in refusals] == [
        "desk: the source of tourney-cards"
    ]


@pytest.mark.slow
def test_another_version_is_refused_in_one_line_whatever_else_differs(write, other):
    installed = next(Path(path) for path in sys.path for path in Path(path or ".").glob("tourney_cards-*.dist-info"))
    info = shutil.copytree(installed, other / "tourney_cards-9.9.dist-info")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: tourney-cards\nVersion: 9.9\n")
    (other / "tourney" / "table.py").write_text("changed = True\n")
    path = write()
    there = with_keys(on_other_machine(other, INTRODUCE, str(path)), host="desk")
    (refusal,), _ = differences(introduction(config.read(path)), there)
    assert refusal.startswith("desk: tourney is from tourney-cards 9.9 there, and from tourney-cards 0.")
    said = on_other_machine(other, UNPACK, str(other / "new"), sent=pack(config.read(path))).decode()
    assert said.startswith("tourney is from tourney-cards 9.9 there, and from tourney-cards 0.")
    assert said.count("\n") == 1


def test_a_plugin_that_is_not_installed_is_refused(write, tmp_path):
    here = introduction(config.read(write()))
    (tmp_path / "mine.py").write_text(MINE)
    absent = config.read(write(bots='["random", "mine.py:Mine", "nobody"]'))
    refusals, _ = differences(here, introduction(absent))
    assert len(refusals) == 1
    assert 'no bot "nobody"' in refusals[0]


@pytest.mark.parametrize("host", ["process", "sandbox"])
def test_a_program_that_is_missing_is_refused_by_name(write, host):
    tables = f'[[bot]]\nname = "mine"\ncommand = ["tourney-program", "-x"]\nhost = "{host}"'
    tournament = config.read(write(extra=tables))
    (refusal,), _ = differences(introduction(tournament), introduction(tournament))
    assert 'bot mine: command: no program "tourney-program" in PATH' in refusal


@pytest.mark.parametrize("first", ["/usr/bin/no-such-shell", "/usr/bin/env -S no-such-shell -x", "/bin/sh"])
def test_a_script_whose_interpreter_is_missing_is_refused_by_name(write, tmp_path, first):
    script = tmp_path / "mine.sh"
    script.write_text(f"#!{first}\nsleep 1\n")
    script.chmod(0o755)
    tournament = config.read(write(extra='[[bot]]\nname = "mine"\ncommand = ["./mine.sh"]'))
    here = introduction(tournament)
    refusals, _ = differences(here, here)
    assert len(refusals) == (first != "/bin/sh")
    assert all(["bot mine: command: ./mine.sh needs" in line and "no-such-shell" in line for line in refusals])


def test_a_bot_that_cannot_be_loaded_on_a_machine_is_refused_there(write, tmp_path):
    (tmp_path / "mine.py").write_text(f"import no_such_library\n{MINE}")
    tables = '[[bot]]\nname = "mine"\nuse = "mine.py:Mine"\nhost = "process"'
    here = introduction(config.read(write(extra=tables)))
    (refusal,), _ = differences(here, here)
    assert "no_such_library" in refusal


def test_introductions_run_no_code_of_bots_in_this_process(write, tmp_path):
    (tmp_path / "mine.py").write_text(f"raise SystemExit\n{MINE}")
    introduction(config.read(write(bots='["random", "mine.py:Mine"]')))


def test_what_a_tournament_does_not_have_is_not_compared(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text(tournament_text("a"))
    here = introduction(config.read(path))
    other = with_keys(here, bots={"seer": ["tourney-cards 8", "f"]}, games={"leon": ["tourney-cards 8", "f"]})
    assert differences(here, other) == ([], [])
