"""What bots print and raise: labelled on stderr, in the logs of the run, and after the standings with what shows it."""

import re
import shlex
import sys

from tests.cli.runs import journal
from tests.conftest import BAD, apart, with_code
from tourney.journal.run import RunFolder
from tourney.journal.standings import count_run

LOUD = """
import os, sys
print("imported")
class Loud:
    games = ("vole",)
    def __init__(self):
        print("made")
    def start(self, facts):
        print("starting", file=sys.stderr)
    def act(self, view, legal):
        print("thinking", end="")
        print(" aloud \\x1b[31m")
        return legal[-1]
    def end(self, outcome):
        sys.stdout.write("no line end")
        sys.stdout.flush()
"""
QUIET = "class Loud:\n    games = ('vole',)\n    def act(self, view, legal):\n        return legal[-1]\n"
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
HEAD = re.compile(r"^--- (\w+: .*) ---$", re.MULTILINE)
FORGER = """
import os
class Bot:
    games = ("vole",)
    def act(self, view, legal):
        os.write(2, b"--- error: ValueError at forger.py:9, decision 1 of vole-00000-0 ---\\n"
                    b"forged \\x1b[2J\\n--- end of the traceback ---\\n")
        raise ValueError("the real message")
"""
PROGRAM = "import sys\nfor line in sys.stdin:\n    sys.exit(3)\n"
FAULTY = {"raiser": "RaisesLater", "cheat": "Careless", "late": "RaisesInEnd"}
GAMES = '[[game]]\nname = "vole"\noptions = { target = 6 }\n[[game]]\nname = "bang"\nseats = 3'


def labelled(text: str, name: str) -> list[str]:
    return [line.removeprefix(f"[{name}] ") for line in text.splitlines() if line.startswith(f"[{name}] ")]


def test_each_line_has_the_name_of_its_bot_and_none_is_on_stdout(tourney, write, tmp_path):
    results = {}
    for how, text in (("quiet", QUIET), ("loud", LOUD)):
        (tmp_path / f"{how}.py").write_text(text, encoding="utf-8")
        bots = ", ".join([f'{{ name = "loud-{i}", use = "{how}.py:Loud" }}' for i in (1, 2)])
        config = write(how, bots='["random"]', bot=f"[{bots}]", deals="1")
        results[how] = with_code(tourney("run", config, "--out", how, "--quiet", "--workers", 1))
    result = results["loud"]
    assert (result.stdout, results["quiet"].stderr) == (results["quiet"].stdout, "")
    assert journal(tmp_path / "loud") == journal(tmp_path / "quiet")
    for name in ("loud-1", "loud-2"):
        said = labelled(result.stderr, name)
        assert set(said) - {"imported"} == {"made", "starting", r"thinking aloud \x1b[31m", "no line end"}
        assert [said.count(each) for each in ("made", "starting", "no line end")] == [4, 4, 4]
    ours = [line for line in result.stderr.splitlines() if not line.startswith("[loud-")]
    assert not any(word in line for line in ours for word in ("made", "aloud", "imported", "no line end"))


def test_the_first_traceback_of_each_bot_and_kind_is_in_its_log(tourney, write, tmp_path):
    (tmp_path / "raising.py").write_text(RAISING, encoding="utf-8")
    bots = [("in", "Raising", "inline"), ("own", "Raising", "process"), ("both", "Alternates", "process")]
    tables = [f'[[bot]]\nname = "{name}"\nuse = "raising.py:{use}"\nhost = "{host}"\n' for name, use, host in bots]
    result = with_code(tourney("run", write("raising", bots='["random"]', extra="".join(tables)), "--workers", 2))
    run = tmp_path / "results" / "raising"
    logs = {name: (run / "logs" / f"{name}.txt").read_text() for name in ("in", "own", "both")}
    for name in ("in", "own"):
        (head,) = HEAD.findall(logs[name])
        assert re.fullmatch(r"error: ValueError at raising.py:9, decision \d of vole-000\d\d-\d", head)
        assert f'  File "{tmp_path}/raising.py", line 9' in logs[name]
    assert sorted([head.split(":")[0] for head in HEAD.findall(logs["both"])]) == ["error", "memory"]
    assert r"ValueError: secret \x1b[31m word" in logs["own"].split("\n")
    assert not (run / "logs" / "random.txt").exists() or not HEAD.findall((run / "logs" / "random.txt").read_text())
    assert b"secret" not in journal(run)
    assert "secret" not in result.stdout + result.stderr


def test_what_a_bot_in_its_process_writes_has_its_name_where_it_is_shown_and_is_no_traceback(tmp_path):
    (tmp_path / "forger.py").write_text(FORGER, encoding="utf-8")
    checked = apart(tmp_path, "check", "forger.py:Bot", "--host", "process")
    assert "forged" not in checked.stdout + checked.stderr
    assert "forged" in (tmp_path / "results" / "check-forger" / "logs" / "forger.txt").read_text()
    gate = apart(tmp_path, "gate", "forger.py:Bot", "--against", "random", "--game", "vole", "--max-deals", 1)
    assert "ValueError: the real message" in gate.stderr
    assert "forged" not in gate.stdout + gate.stderr


def test_what_is_suggested_after_the_standings_shows_the_first_fault_of_each_bot(tourney, write, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    bots = [f'[[bot]]\nname = "{name}"\nuse = "{BAD}:{use}"' for name, use in FAULTY.items()]
    bots.append(f'[[bot]]\nname = "program"\ncommand = ["{sys.executable}", "program.py"]')
    config = write("faulty", bots='["first"]', extra="\n".join(bots), game=GAMES, deals="1")
    text = re.sub(r"\n +", " ", tourney("run", config, "--out", "run", "--quiet").stdout.split("\n\n")[-1])
    found = re.findall(r"(?m)^(\w+): .*the first: (\w+) at .* tourney ((debug|replay) .*)$", text)
    shown = {bot: command for bot, _, _, command in found}
    assert shown == {"raiser": "debug", "cheat": "debug", "late": "replay", "program": "replay"}
    for _, kind, line, command in found:
        result = with_code(tourney(*shlex.split(line), PYTHONBREAKPOINT="0"))
        assert kind in result.stdout
        assert command == "replay" or ", as recorded\n" in result.stdout
    firsts = count_run(RunFolder(tmp_path / "run"), "bang").first_faults  # which comes after the other game
    assert {firsts[bot].match.partition("-")[0] for bot in shown} == {"bang"}
