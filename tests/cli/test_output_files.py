"""Files that users have results written to: links are followed, and what is no regular file stays what it is."""

import os
import stat
import threading

import pytest

from tests.cli.runs import one_line
from tests.conftest import called

WRITERS = {
    "replay": ["replay", "done", "vole-0-0", "--html"],
    "report": ["report", "done", "--matches", "0", "--out"],
    "export": ["export", "done", "vole-0-0", "--out"],
    "export a table": ["export", "done", "--format", "csv", "--out"],
}
every_writer = pytest.mark.parametrize("arguments", WRITERS.values(), ids=WRITERS)


@every_writer
def test_a_link_is_followed(finished, arguments):
    folder = finished.parent
    (folder / "there").mkdir()
    (folder / "there" / "old").write_text("old", encoding="utf-8")
    for name, target in (("link", "there/old"), ("to-link", "link"), ("to-nothing", "there/new")):
        (folder / name).symlink_to(target)
    for name in ("to-link", "to-nothing"):
        done = called([*arguments, name], folder)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"wrote {name}")
        assert (folder / name).is_symlink()
    assert (folder / "link").is_symlink()
    assert {file.name for file in (folder / "there").iterdir()} == {"old", "new"}
    assert (folder / "there" / "old").read_bytes() == (folder / "there" / "new").read_bytes() != b"old"
    assert not list(folder.glob("*.new"))


@every_writer
def test_a_pipe_is_written_to(finished, arguments):
    folder = finished.parent
    assert called([*arguments, "file"], folder).returncode == 0
    os.mkfifo(folder / "pipe")
    (folder / "link").symlink_to("pipe")
    for name in ("pipe", "link"):
        read: list[bytes] = []
        reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_bytes()), daemon=True)  # noqa: B023
        reader.start()
        done = called([*arguments, name], folder)
        assert done.returncode == 0, done.stderr
        assert stat.S_ISFIFO((folder / name).stat().st_mode)
        reader.join()
        assert read == [(folder / "file").read_bytes()]


@pytest.mark.skipif(os.geteuid() != 0, reason="making a device needs root")
@every_writer
def test_a_device_without_room_is_one_line_and_stays(finished, arguments):
    folder = finished.parent
    os.mknod(folder / "full", stat.S_IFCHR | 0o600, os.makedev(1, 7))
    one_line(called([*arguments, "full"], folder), 4, "full: cannot be written (No space left on device); make room")
    assert stat.S_ISCHR((folder / "full").lstat().st_mode)


@every_writer
def test_links_in_a_circle_are_one_line(finished, arguments):
    (finished.parent / "link").symlink_to("link")
    done = called([*arguments, "link"], finished.parent)
    one_line(done, 4, "link: cannot be written", "remove what is in its place")
    assert (finished.parent / "link").is_symlink()


def test_the_report_in_a_folder_of_a_run_takes_the_place_of_a_link(finished):
    (finished.parent / "other").write_text("other", encoding="utf-8")
    (finished / "report.html").symlink_to("../other")
    assert called(["report", "done", "--matches", "0"], finished.parent).returncode == 0
    assert not (finished / "report.html").is_symlink()
    assert (finished.parent / "other").read_text(encoding="utf-8") == "other"
