"""A tournament as bytes, whose files arrive in the folder alone; and which machines may play it."""

import os
import shutil
from pathlib import Path

import msgspec
import pytest

from tourney import config
from tourney.base.errors import ConfigError, RunError, WriteError
from tourney.runner.cluster import messages
from tourney.runner.cluster.messages import differences, machine_facts, pack, unpack

BOT = """
from .{imports} import CHOICE
class Mine:
    def act(self, view, legal):
        return legal[CHOICE]
"""
TABLES = """
[[bot]]
name = "inner"
use = "pack:Mine"
[[bot]]
name = "outer"
use = "../other/real:Mine"
host = "process"
[[bot]]
name = "program"
command = ["sh", "run.sh", "/bin/sh"]
reads = ["tables"]
host = "process"
"""
MINE = """
class Mine:
    def act(self, view, legal):
        return legal[0]
"""


@pytest.fixture
def tournament(tmp_path):
    """A tournament with a bot in a folder, one in another folder, and a program that reads a folder."""
    home = tmp_path / "home"
    for folder in ("home/pack/inner", "other/real", "home/tables/more"):
        (tmp_path / folder).mkdir(parents=True)
    for path in ("pack/inner/__init__.py", "pack/weights.bin", "pack/inner/choice.py"):
        (home / path).write_text("CHOICE = 0\n")
    (home / "pack" / "__init__.py").write_text(BOT.format(imports="inner.choice"))
    (tmp_path / "other" / "real" / "__init__.py").write_text(BOT.format(imports="beside"))
    (tmp_path / "other" / "real" / "beside.py").write_text("CHOICE = -1\n")
    (tmp_path / "other" / "unneeded.py").write_text("CHOICE = -1\n")
    (home / "run.sh").write_text("sleep 1\n")
    (home / "run.sh").chmod(0o755)
    (home / "tables" / "more" / "a.txt").write_text("a")
    path = home / "t.toml"
    path.write_text(f'name = "t"\nseed = "large"\nbots = ["random"]\n{TABLES}\n[[game]]\nname = "vole"\n')
    return config.read(path)


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_bots_arrive_with_all_they_are_made_of_but_what_full_paths_name(tournament, tmp_path):
    folder = tmp_path / "worker" / "new"
    found, _ = unpack(pack(tournament), folder)
    root = str(tmp_path)[1:]
    assert files(folder) == {
        f"{root}/home/{name}"
        for name in (
            "pack/__init__.py", "pack/weights.bin", "pack/inner/__init__.py", "pack/inner/choice.py",
            "run.sh", "tables/more/a.txt",
        )
    } | {f"{root}/other/real/__init__.py", f"{root}/other/real/beside.py"}  # fmt: skip
    assert os.access(folder / root / "home" / "run.sh", os.X_OK)
    assert found.names == tournament.names
    assert (found.seed, found.setups, found.limits_faults) == (tournament.seed, tournament.setups, False)
    assert differences(machine_facts(tournament), machine_facts(found)) == []
    shutil.rmtree(tmp_path / "other")
    assert config.absent_bots(found) == [], "bots are loaded from the new folder"


def test_a_file_for_which_there_is_no_place_is_one_line(tournament, tmp_path):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / tmp_path.parts[1]).touch()
    with pytest.raises(WriteError, match="cannot be written"):
        unpack(pack(tournament), tmp_path / "new")


def test_files_that_are_too_large_are_refused_with_the_remedy(tournament, tmp_path, monkeypatch):
    monkeypatch.setattr(messages, "MOST_MB", 1)
    with (tmp_path / "home" / "tables" / "large").open("wb") as file:
        file.truncate(2 << 20)
    with pytest.raises(ConfigError, match=r"bot program: .*exceed 1 MB.*tables/large\); put large files on every"):
        pack(tournament)


@pytest.mark.parametrize("what", ['bot "steady"', 'game "vole"'])
def test_other_code_is_refused_by_machine_and_distribution(write, what):
    here = machine_facts(config.read(write(bots='["random", "steady"]')))
    for keys, says in (
        ({"sha256": "0" * 64}, f"desk: the source of {what} of tourney-cards "),
        ({"version": "tourney-cards 9.9"}, f"desk: {what} is from tourney-cards 9.9 there, but from tourney-cards 0."),
    ):
        code = here.code | {what: here.code[what]._replace(**keys)}
        (refusal,) = differences(here, msgspec.structs.replace(here, host="desk", code=code))
        assert refusal.startswith(says)


def test_another_version_is_refused_in_one_line_whatever_else_differs(write, tmp_path):
    sent = msgspec.msgpack.decode(pack(config.read(write())))
    other = {"tourney": ["tourney-cards 9.9", sent["tourney"][1]], "packed": b"of a later form"}
    with pytest.raises(RunError, match=r"^tourney is from tourney-cards 0.* there, but from tourney-cards 9\.9 here;"):
        unpack(msgspec.msgpack.encode(other), tmp_path / "new")


@pytest.mark.parametrize("host", ["process", "sandbox"])
@pytest.mark.parametrize(("keys", "says"), [
    ('command = ["tourney-program", "-x"]', 'bot mine: command not found: tourney-program'),
    ('use = "mine.py:Mine"', "no_such_library"),
])  # fmt: skip
def test_a_bot_that_cannot_be_started_or_loaded_on_a_machine_is_refused_there(write, tmp_path, host, keys, says):
    (tmp_path / "mine.py").write_text(f"import no_such_library\n{MINE}")
    here = machine_facts(config.read(write(extra=f'[[bot]]\nname = "mine"\nhost = "{host}"\n{keys}')))
    (refusal,) = differences(here, here)
    assert says in refusal


def test_no_code_of_bots_runs_in_this_process(write, tmp_path):
    (tmp_path / "mine.py").write_text(f"raise SystemExit\n{MINE}")
    machine_facts(config.read(write(bots='["random", "mine.py:Mine"]')))
