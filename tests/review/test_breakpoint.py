"""A debugger stops at the first line of a bot's own act, whatever that is, and the bot is as it was afterwards."""

import io
import sys
from importlib import import_module

import pytest

from tourney.review.what_if import call_with_breakpoint

BOTS = '''
from functools import wraps

def logged(act):
    @wraps(act)
    def logged_act(self, view, legal):
        return act(self, view, legal)
    return logged_act

class Plain:
    def act(self, view, legal):
        chosen = legal[0]
        return chosen

class Told:
    def act(self, view, legal):
        """Says what it does."""
        return legal[0] + 0

class Short:
    def act(self, view, legal): return legal[0] + 1

class Silent:
    def act(self, view, legal):
        "There is nothing but this."

class Decorated:
    @logged
    def act(self, view, legal):
        return legal[0] + 2

def made(add):
    class Made:
        def act(self, view, legal):
            return legal[0] + add
    return Made

Made = made(3)
'''


@pytest.mark.parametrize(
    ("name", "line", "answer"),
    [
        ("Plain", "chosen = legal[0]", 7),
        ("Told", "return legal[0] + 0", 7),
        ("Short", "def act(self, view, legal): return legal[0] + 1", 8),
        ("Silent", '"There is nothing but this."', None),
        ("Decorated", "return legal[0] + 2", 9),
        ("Made", "return legal[0] + add", 10),
        ("Moved", "breakpoint()" if sys.version_info >= (3, 13) else "return act(view, legal)", 7),
    ],
)
def test_pdb_stops_at_the_first_line_of_act(tmp_path, monkeypatch, capsys, name, line, answer):
    (tmp_path / "own_bots.py").write_text(BOTS, encoding="utf-8")
    (tmp_path / ".pdbrc").write_text("p 'not mine'\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv("PYTHONBREAKPOINT", raising=False)
    monkeypatch.setattr(sys, "breakpointhook", sys.__breakpointhook__)
    monkeypatch.setattr(sys, "stdin", io.StringIO("p view, legal\nc\n"))
    monkeypatch.delitem(sys.modules, "own_bots", raising=False)
    made = getattr(import_module("own_bots"), name.replace("Moved", "Plain"))
    if name == "Moved":  # so that what the file says is not what runs
        (tmp_path / "own_bots.py").write_text("\n" + BOTS, encoding="utf-8")
    before = made.act.__code__
    bot = made()
    assert call_with_breakpoint(bot.act, "seen", (7, 9)) == answer
    assert made.act.__code__ is before
    assert sys.breakpointhook is sys.__breakpointhook__
    shown = capsys.readouterr().out
    assert f"\n-> {line}\n(Pdb) ('seen', (7, 9))\n" in shown
    assert "not mine" not in shown


def test_another_debugger_is_called_in_the_frame_of_act(monkeypatch):
    frames = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: frames.append(sys._getframe(1)))

    class Bot:
        def act(self, view, legal):
            raise LookupError

    before = Bot.act.__code__
    with pytest.raises(LookupError):
        call_with_breakpoint(Bot().act, None, (1,))
    assert [frame.f_code.co_name for frame in frames] == ["act"]
    assert Bot.act.__code__ is before
    assert call_with_breakpoint(print, "no source", ()) is None
    assert frames[1].f_code is call_with_breakpoint.__code__
