"""`tourney league inbox`: what authors put into their folders is entered or refused, and they read why."""

import io
import json
import os
import shutil
import stat
import tarfile
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from tests.cli.runs import one_line
from tests.conftest import ROOT, commit, with_code

BOT = "class {}:\n    def act(self, view, legal):\n        return legal[{}]\n"
REFUSED = {
    "bomb/x.zip": "x.zip has more than max_mb = 2 megabytes; leave out some files",
    "broken/x.tgz": "x.tgz cannot be unpacked (",
    "device/x.tgz": "x.tgz: x.py is a device; put the file itself there",
    "ext/x.git": "ext::sh -c touch% victim: not an address of an allowed kind (file)",
    "file@evil.example/bot": "file is the bot of file; name its author",
    "gone/x.py": "x.py, line 2: not valid Python (expected ':'); fix it",
    "link/x.zip": "x.zip: x.py is a link; put the file itself there",
    "mal/x.py": "x.py is a link; put the file itself there",
    "mal2/": "cannot be read: not a folder with a printable name; put bots into FOLDER/AUTHOR",
    "many/x.zip": "x.zip has more than max_files = 20 files; leave out some",
    "out/x.zip": "x.zip: '../../ann.py' leads out of it",
    "several/b.py": "several bots (b.py:A, b.py:C); put each into its own folder",
    "swap/bot.py": "legality: vole, 2 seats: error at decision ",
}
ENTERED = {
    "file/files": "file@1",
    "pack/mine.zip": "pack@1",
    "program/random_bot.py": "program@1",
    "repo/x.git": "repo@1",
    "twin/random_bot.py": "twin@1",
}


def zipped(file, members, mode=stat.S_IFREG | 0o644):
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for name, text in members.items():
            info = ZipInfo(name)
            info.external_attr, info.compress_type = mode << 16, ZIP_DEFLATED
            archive.writestr(info, text)


def filled(inbox):
    """An inbox with bots of every form, and with what strangers might try."""
    for name in {entry.partition("/")[0] for entry in (*REFUSED, *ENTERED)}:
        (inbox / name).mkdir(parents=True)
    (inbox / "mal2").rmdir()
    (inbox / "file" / "thief.py").write_text("import near\n" + BOT.format("Thief", 0))
    (inbox / "file" / "near.py").write_text("")
    zipped(inbox / "pack" / "mine.zip", {"me/__init__.py": "from .own import Ann", "me/own.py": BOT.format("Ann", -1)})
    for author in ("program", "twin"):
        shutil.copy(ROOT / "bots" / "wire" / "random_bot.py", inbox / author)
    commit(inbox.parent / "repository", {"bot.py": BOT.format("Bot", 0) + "# from git\n"})
    (inbox / "repo" / "x.git").write_text(f"file://{inbox.parent / 'repository'}\n")
    zipped(inbox / "bomb" / "x.zip", {"x.py": b"#" * (3 << 20)})
    (inbox / "broken" / "x.tgz").write_bytes(b"nothing")
    with tarfile.open(inbox / "device" / "x.tgz", "w:gz") as archive:
        member = tarfile.TarInfo("x.py")
        member.type = tarfile.CHRTYPE
        archive.addfile(member, io.BytesIO())
    (inbox / "ext" / "x.git").write_text("ext::sh -c touch% victim\n")
    shutil.copytree(inbox / "file", inbox / "file@evil.example" / "bot")
    (inbox / "gone" / "x.py").write_text("class Bot:\n    def act(self, view, legal)\n")
    zipped(inbox / "link" / "x.zip", {"x.py": "/etc/passwd"}, mode=stat.S_IFLNK | 0o777)
    (inbox / "mal" / "x.py").symlink_to("../file/thief.py")
    (inbox / "mal2").symlink_to("file")
    zipped(inbox / "many" / "x.zip", {f"{number}.py": "" for number in range(30)})
    zipped(inbox / "out" / "x.zip", {"../../ann.py": BOT.format("X", 0)})
    (inbox / "several" / "b.py").write_text(BOT.format("A", 0) + BOT.format("C", 0))
    (inbox / "swap" / "bot.py").write_text(BOT.format("Bot", f"open({str(inbox.parent / 'victim')!r}, 'w')"))
    (inbox / "swap" / "RESULT.txt").symlink_to("../../victim")


@pytest.mark.needs("bubblewrap")
def test_neither_a_machine_without_a_sandbox_nor_a_closed_league_keeps_a_bot_out(tourney, tmp_path):
    tourney("league", "new", "cup", "--game", "vole", "--host", "sandbox").check_returncode()
    for bot in ("first", "random"):
        tourney("league", "submit", "cup", bot).check_returncode()
    (tmp_path / "inbox" / "ann").mkdir(parents=True)
    (tmp_path / "inbox" / "ann" / "bot.py").write_text(BOT.format("Bot", -1))
    take = "league", "inbox", "cup", "inbox"
    for command in (take, ("league", "submit", "cup", "steady"), ("league", "play", "cup", "--matches", 2)):
        one_line(tourney(*command, PATH="/nowhere"), 2, 'host = "sandbox" requires bubblewrap')
    rows = json.loads(tourney("league", "field", "cup", "--all", "--format", "json").stdout)
    assert [(row["bot"], row["state"]) for row in rows] == [("first@1", "plays"), ("random@1", "plays")]
    tourney("league", "close", "cup").check_returncode()
    assert "ann/bot.py: refused: submissions closed at" in with_code(tourney(*take)).stdout
    assert with_code(tourney(*take)).stdout == ""
    tourney("league", "close", "cup", "--at", "2999-01-01").check_returncode()
    assert "ann/bot.py: entered as ann@1" in with_code(tourney(*take)).stdout
    for text in (BOT.format("Bot", 0), BOT.format("Bot", -1)):
        (tmp_path / "inbox" / "ann" / "bot.py").write_text(text)
        waits = with_code(tourney(*take, "--per-day", 1)).stdout
    assert waits == ""
    assert "waits: at most 1 submission a day" in (tmp_path / "inbox" / "ann" / "RESULT.txt").read_text()
    assert "ann/bot.py: no change: the same as ann@1" in with_code(tourney(*take)).stdout


@pytest.mark.slow
@pytest.mark.needs("bubblewrap")
def test_an_inbox_is_taken_once_and_harms_nobody(tourney, tmp_path):
    tourney("league", "new", "cup", "--game", "vole", "--host", "sandbox").check_returncode()
    settings = tmp_path / "results" / "cup" / "tournament.toml"
    settings.write_text(f"max_files = 20\nmax_mb = 2\n{settings.read_text()}")
    filled(inbox := tmp_path / "inbox")
    files = {path for path in tmp_path.rglob("*") if "cup" not in path.parts}
    take = "league", "inbox", "cup", "inbox", "--git", "file", "--per-day", 2
    said = dict(line.split(": ", 1) for line in with_code(tourney(*take)).stdout.splitlines())
    for entry, why in REFUSED.items():
        assert said[entry].removeprefix("refused: ").startswith(why)
    assert {entry: text.split(";")[0] for entry, text in said.items() if entry in ENTERED} == {
        entry: f"entered as {name}" for entry, name in ENTERED.items()
    }
    assert said.keys() == REFUSED.keys() | ENTERED.keys()
    assert "The same files as program@1 of another author." in said["twin/random_bot.py"]
    new = {
        str(path.relative_to(inbox)) for path in tmp_path.rglob("*") if "cup" not in path.parts and path not in files
    }
    results = {f"{author}/RESULT.txt" for author in os.listdir(inbox) if author not in ("mal2", "swap")}
    assert new == results | {f"{name}/check.txt" for name in ("file", "pack", "program", "repo", "swap", "twin")}
    told = {path.parent.name: path.read_text() for path in inbox.glob("*/RESULT.txt")}
    assert "entered as pack@1; next match: round 1" in told["pack"]
    assert not (inbox / "swap" / "RESULT.txt").is_symlink()
    assert "OSError" in (inbox / "swap" / "check.txt").read_text()
    assert str(tmp_path) not in "".join(told.values())
    assert with_code(tourney(*take)).stdout == ""
    zipped(inbox / "bomb" / "x.zip", {"bot.py": BOT.format("Bot", -1)})
    assert "bomb/x.zip: entered as bomb@1" in with_code(tourney(*take)).stdout
    zipped(inbox / "bomb" / "x.zip", {"bot.py": BOT.format("Bot", 0)})
    assert with_code(tourney(*take)).stdout.startswith("bomb/x.zip: waits: at most 2 submissions a day")
    assert "bomb/x.zip: entered as bomb@2" in with_code(tourney(*take[:-1], 3)).stdout
    rows = json.loads(tourney("league", "field", "cup", "--format", "json").stdout)
    assert {row["bot"]: row["author"] for row in rows if row["state"] == "plays"} == {
        name: name.partition("@")[0] for name in [*ENTERED.values(), "bomb@1", "bomb@2"]
    }
    with_code(tourney("league", "close", "cup"))
    zipped(inbox / "pack" / "mine.zip", {"bot.py": BOT.format("Bot", 0)})
    assert with_code(tourney(*take)).stdout.startswith("pack/mine.zip: refused: submissions closed")
