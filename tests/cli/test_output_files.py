"""Files that users have results written to: links are followed, and what is no regular file stays what it is."""

import pytest

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
