import pytest

from tests.helpers import bot
from tests.hosts import machine
from tests.hosts.play import match_with, opened
from tourney.hosts.base import BotSpec

CURIOUS = """
import sys

class Curious:
    def act(self, view, legal):
        print("looked" if "importlib.metadata" in sys.modules else "was told", file=sys.stderr)
        return legal[0]
"""


@pytest.mark.parametrize("host", ["process", "sandbox"])
def test_the_process_of_a_bot_need_not_look_for_plugins(tmp_path, host):
    """That would be a third of its start."""
    if host == "sandbox":
        machine.need_sandbox()
    file = tmp_path / "curious.py"
    file.write_text(CURIOUS, encoding="utf-8")
    log = tmp_path / "log"
    spec = BotSpec("curious", host, "curious.py:Curious", {}, (), tmp_path, ("vole",), (file,))
    with opened(spec, log) as found:
        match_with(found, bot("first"))
    assert set(log.read_text(encoding="utf-8").splitlines()) == {"was told"}
