"""A tournament as bytes: the files of bots arrive as they are, and nowhere else than in the folder."""

import os
from pathlib import Path

import msgspec
import pytest

from tourney import config
from tourney.base.errors import ConfigError
from tourney.runner.cluster import packing
from tourney.runner.cluster.packing import differences, machine_facts, pack, unpack

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
use = "../other/link:Mine"
host = "process"
[[bot]]
name = "program"
command = ["sh", "run.sh", "/bin/sh"]
reads = ["tables"]
host = "process"
"""


@pytest.fixture
def tournament(tmp_path):
    """A tournament with a bot in a folder, a link to another folder, and a program that reads a folder."""
    home = tmp_path / "home"
    for folder in ("home/pack/inner", "other/real", "home/tables/more"):
        (tmp_path / folder).mkdir(parents=True)
    for path in ("pack/inner/__init__.py", "pack/weights.bin", "pack/inner/choice.py"):
        (home / path).write_text("CHOICE = 0\n")
    (home / "pack" / "__init__.py").write_text(BOT.format(imports="inner.choice"))
    (tmp_path / "other" / "real" / "__init__.py").write_text(BOT.format(imports="beside"))
    (tmp_path / "other" / "real" / "beside.py").write_text("CHOICE = -1\n")
    (tmp_path / "other" / "unneeded.py").write_text("CHOICE = -1\n")
    (tmp_path / "other" / "link").symlink_to("real")
    (home / "run.sh").write_text("sleep 1\n")
    (home / "run.sh").chmod(0o755)
    (home / "tables" / "more" / "a.txt").write_text("a")
    path = home / "t.toml"
    path.write_text(f'name = "t"\nseed = "large"\nbots = ["random"]\n{TABLES}\n[[game]]\nname = "vole"\n')
    return config.read(path)


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_bots_arrive_with_all_they_are_made_of(tournament, tmp_path):
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


def test_a_bot_that_was_sent_is_loaded_from_the_folder(tournament, tmp_path):
    found, _ = unpack(pack(tournament), tmp_path / "new")
    for path in (tmp_path / "other" / "real").iterdir():
        path.unlink()
    assert config.absent_bots(found) == []


def test_what_a_full_path_names_is_not_sent(tournament):
    sent = msgspec.msgpack.decode(msgspec.msgpack.decode(pack(tournament))["packed"])
    assert not [path for path, *_ in sent["files"] if path == "/bin/sh"]


def test_files_that_are_too_large_are_refused_with_the_remedy(tournament, tmp_path, monkeypatch):
    monkeypatch.setattr(packing, "MOST_MB", 1)
    with (tmp_path / "home" / "tables" / "large").open("wb") as file:
        file.truncate(2 << 20)
    with pytest.raises(ConfigError, match=r"bot program: .*more than 1 MB.*tables/large; put large ones on every"):
        pack(tournament)
