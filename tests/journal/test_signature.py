"""A run is signed by whom played it, with what its bots run: nothing else passes for that."""

import pytest

from tourney import config
from tourney.journal import folder
from tourney.journal.signature import is_signed, sign

MANIFEST = {"tournament": {"deals": 2}}
MINE = 'name = "mine"\nuse = "mine.py:Mine"'


@pytest.fixture
def home(tmp_path, monkeypatch):
    """The folder for what programs note of the user."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home"))
    return tmp_path / "home" / "tourney"


def test_a_signature_is_the_users_over_the_manifest_and_the_files(write, tmp_path, home, monkeypatch):
    (tmp_path / "mine.py").write_text("class Mine:\n    def act(self, view, legal):\n        return legal[0]\n")
    text = write(extra=f'[[bot]]\n{MINE}\n[[bot]]\nname = "sh"\ncommand = ["sh", "-x"]\n').read_text()
    tournament = config.of_text(text, tmp_path / "t.toml")
    run = tmp_path / "run"
    run.mkdir()
    folder.write_manifest(run, MANIFEST)
    assert not is_signed(run, MANIFEST, tournament)
    sign(run, tournament)
    assert is_signed(run, MANIFEST, tournament)
    assert (home.stat().st_mode & 0o777, (home / "secret").stat().st_mode & 0o777) == (0o700, 0o600)
    assert not is_signed(run, {"tournament": {"deals": 3}}, tournament)
    for other in (text.replace("mine.py", "run/../other.py"), text.replace('"-x"', '"-y"')):
        (tmp_path / "other.py").write_text((tmp_path / "mine.py").read_text())
        assert not is_signed(run, MANIFEST, config.of_text(other, tmp_path / "t.toml"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    assert not is_signed(run, MANIFEST, tournament), "by another user"
