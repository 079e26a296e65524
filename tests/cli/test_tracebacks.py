"""What bots raise is told where one looks for it: in the logs of a run, by a gate, and in the errors of imports."""

import re

import pytest

from tests.cli.runs import journal
from tourney.journal import bot_logs

RAISING = """
class Raising:
    games = ("vole",)
    def start(self, facts):
        self.asked = 0
    def act(self, view, legal):
        self.asked += 1
        if self.asked == 3:
            raise ValueError("secret \\x1b[31m word")
        return legal[-1]

class Alternates(Raising):
    def act(self, view, legal):
        raise (MemoryError if view.seat else ValueError)("secret")
"""


@pytest.fixture
def tournament(tmp_path, write):
    """Writes a tournament in which bots raise exceptions in two hosts."""
    (tmp_path / "raising.py").write_text(RAISING, encoding="utf-8")
    bots = [("in", "Raising", "inline"), ("own", "Raising", "process"), ("both", "Alternates", "process")]
    tables = [f'[[bot]]\nname = "{name}"\nuse = "raising.py:{use}"\nhost = "{host}"\n' for name, use, host in bots]
    return write("raising", bots='["random"]', extra="".join(tables))


def heads(log: str) -> list[str]:
    return re.findall(r"^--- (\w+: .*) ---$", log, re.M)


def test_the_first_traceback_of_each_bot_and_kind_is_in_its_log(tourney, tournament, tmp_path):
    result = tourney("run", tournament, "--workers", 2)
    assert result.returncode == 0, result.stderr
    run = tmp_path / "results" / "raising"
    logs = {name: (run / "logs" / f"{name}.txt").read_text() for name in ("in", "own", "both")}
    for name in ("in", "own"):
        (head,) = heads(logs[name])
        assert re.fullmatch(r"error: ValueError at raising.py:9, decision \d of vole-000\d\d-\d", head)
        assert f'  File "{tmp_path}/raising.py", line 9' in logs[name]
    assert sorted([head.split(":")[0] for head in heads(logs["both"])]) == ["error", "memory"]
    assert r"ValueError: secret \x1b[31m word" in logs["own"].split("\n")
    assert not (run / "logs" / "random.txt").exists() or not heads((run / "logs" / "random.txt").read_text())
    assert b"secret" not in journal(run)
    assert "secret" not in result.stdout + result.stderr
    assert [entry.split("\n")[0] for entry in bot_logs.tracebacks(run, "own")] == [f"--- {heads(logs['own'])[0]} ---"]
