"""A tournament as bytes: the files of bots arrive as they are, and nowhere else than in the folder."""

import os
from pathlib import Path

import msgspec
import pytest

from tourney import config
from tourney.cluster import tournament_parcel
from tourney.cluster.introduction import differences, introduction
from tourney.cluster.tournament_parcel import pack, unpack, with_first_paths
from tourney.errors import ConfigError, RunError

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
    found = unpack(pack(tournament), folder)
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
    assert differences(introduction(tournament), introduction(found)) == ([], [])


def test_a_bot_that_was_sent_is_loaded_from_the_folder(tournament, tmp_path):
    found = unpack(pack(tournament), tmp_path / "new")
    for path in (tmp_path / "other" / "real").iterdir():
        path.unlink()
    assert config.absent_bots(found) == []


def test_paths_in_tracebacks_are_those_of_the_first_machine(tournament, tmp_path):
    found = unpack(pack(tournament), tmp_path / "new")
    here = found.entrants[2].use.rpartition(":")[0]
    assert with_first_paths(f'File "{here}", line 3', found, tmp_path / "new") == (
        f'File "{tmp_path}/other/real", line 3'
    )


def test_what_a_full_path_names_is_not_sent(tournament):
    sent = msgspec.msgpack.decode(msgspec.msgpack.decode(pack(tournament))["content"])
    assert not [path for path, *_ in sent["files"] if path == "/bin/sh"]


@pytest.mark.parametrize(
    "path",
    ["../out.py", "/a/../../out.py", "/..", "out.py", "/a\0b", "/", ""],
)
def test_no_path_leads_out_of_the_folder(tournament, tmp_path, path):
    with pytest.raises(RunError, match="is damaged"):
        unpack(with_file(pack(tournament), path), tmp_path / "worker" / "new")
    assert not list(tmp_path.rglob("out.py"))


def test_no_link_leads_out_of_the_folder(tournament, tmp_path):
    folder = tmp_path / "worker"
    folder.mkdir()
    (folder / "a").symlink_to(tmp_path / "home")
    with pytest.raises(RunError, match="is damaged"):
        unpack(with_file(pack(tournament), "/a/out.py"), folder)
    assert not (tmp_path / "home" / "out.py").exists()


def with_file(parcel: bytes, path: str) -> bytes:
    """A parcel with one more file."""
    data = msgspec.msgpack.decode(parcel)
    content = msgspec.msgpack.decode(data["content"])
    content["files"].append([path, b"X = 1\n", False])
    return msgspec.msgpack.encode(data | {"content": msgspec.msgpack.encode(content)})


def test_a_damaged_parcel_is_refused_in_one_line(tournament, tmp_path):
    whole = pack(tournament)
    data = msgspec.msgpack.decode(whole)
    torn = msgspec.msgpack.encode(data | {"content": data["content"][:-9]})
    for number, damaged in enumerate((b"", whole[:-1], b"[]", torn, msgspec.msgpack.encode({"content": b""}))):
        with pytest.raises(RunError) as error:
            unpack(damaged, tmp_path / f"new-{number}")
        assert "\n" not in str(error.value)


def test_files_that_are_too_large_are_refused_with_the_remedy(tournament, tmp_path, monkeypatch):
    monkeypatch.setattr(tournament_parcel, "MOST_MB", 1)
    with (tmp_path / "home" / "tables" / "large").open("wb") as file:
        file.truncate(2 << 20)
    with pytest.raises(ConfigError, match=r"bot program: .*more than 1 MB.*tables/large; put large ones on every"):
        pack(tournament)
