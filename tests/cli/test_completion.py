"""What Tab completes, in a real bash, and what the shells are told."""

import os
import re
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests import preloaded
from tests.cli.runs import WAIT_S
from tests.cli.terminal import Terminal
from tests.conftest import ROOT, TOURNEY

PATH = f"{Path(TOURNEY).parent}:{os.environ['PATH']}"


@pytest.fixture
def runs(write, played, tmp_path) -> Path:
    """A folder with two runs, `quick` and `slow`, and something that is no run."""
    (tmp_path / "results").mkdir()
    for name in ("quick", "slow"):
        played(write(deals="2", bots='["first", "random"]'), f"results/{name}")
    (tmp_path / "results" / "quiet").mkdir()
    return tmp_path


def proposed(folder: Path, line: str, shell: str = "bash") -> list[str]:
    """What a shell is told that may follow, in place of the last word of a line; `!dir` and `!file` are its own."""
    words = line.split(" ")
    environment = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    done = preloaded.run([], folder, **environment, _TOURNEY_COMPLETE=f"{shell}_complete")
    assert (done.returncode, done.stderr) == (0, "")
    items = [item.split(",", 1) for item in done.stdout.split()]
    return [value if kind == "plain" else f"!{kind}" for kind, value in items]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tourney sta", ["standings"]),
        ("tourney new ", ["bot", "game", "tournament"]),
        ("tourney standings ", ["!dir", "quick", "slow"]),
        ("tourney diff quick s", ["!dir", "slow"]),
        ("tourney schema m", ["match"]),
        ("tourney standings quick --by r", ["rating", "runoff"]),
        ("tourney run t.toml --extend q", ["!dir", "quick"]),
        ("tourney check s", ["!file", "seer", "steady"]),
        ("tourney gate steady --against s", ["!file", "seer", "steady"]),
        ("tourney gate steady --against first --game vo", ["vole", "voleur"]),
        ("tourney games v", ["vole", "voleur"]),
        ("tourney bots r", ["!file", "random"]),
        ("tourney new bot fox --game b", ["bang"]),
        ("tourney check seer --host s", ["sandbox"]),
        ("tourney docs rules/v", ["rules/vole", "rules/voleur"]),
        ("tourney run ", ["!file"]),
        ("tourney standings nowhere --game ", []),
        ("tourney matches --bot ", []),
        ("tourney replay nowhere ", []),
    ],
)
def test_what_may_follow_is_proposed(runs, line, words):
    assert sorted(proposed(runs, line)) == sorted(words)


def test_odd_names_are_not_proposed(runs):
    (runs / "results" / "slow").rename(runs / "results" / "s * $(touch x)")
    assert proposed(runs, "tourney standings ") == ["!dir", "quick"]


def line_in_docs(beginning: str) -> str:
    """The line for a shell's own file that the page of commands has."""
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    lines = re.findall("`(.*?)`", page[page.index("## Completion") :], re.DOTALL)
    return next(line for line in lines if line.startswith(beginning))


def test_the_page_of_commands_names_every_shell():
    assert line_in_docs("eval") == 'eval "$(_TOURNEY_COMPLETE=bash_source tourney)"'
    assert line_in_docs("zsh") == "zsh_source"
    assert line_in_docs("_TOURNEY") == "_TOURNEY_COMPLETE=fish_source tourney | source"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_gets_its_script(runs, shell):
    environment = os.environ | {"_TOURNEY_COMPLETE": f"{shell}_source"}
    done = subprocess.run([TOURNEY], cwd=runs, env=environment, capture_output=True, text=True, check=True)
    assert "_tourney_completion" in done.stdout
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=done.stdout, text=True, check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("tourney sta", "tourney standings "),
        ("tourney standings sl", "tourney standings slow "),
        ("tourney verify results/sl", "tourney verify results/slow/"),
        ("tourney gate ste", "tourney gate steady "),
        ("tourney check fo", "tourney check fox.py "),
        ("tourney games cold", "tourney games cold-blooded "),
        ("tourney run sm", "tourney run small.toml "),
    ],
)
def test_a_real_bash_completes_what_is_typed(runs, typed, completed):
    (runs / "fox.py").touch()
    with Bash(runs) as bash:
        bash.type(f'{line_in_docs("eval")}; echo rea""dy\n')
        bash.until("ready\r\n")
        bash.until("$ ")
        bash.type(f"{typed}\t#done")
        assert bash.until("#done") == f"{completed}#done"


class Bash(Terminal):
    """An interactive bash on a terminal, with nothing of the user's own."""

    def __init__(self, folder: Path) -> None:
        names = {"PATH": PATH, "PS1": "$ ", "TERM": "dumb", "INPUTRC": "/dev/null"}
        super().__init__(folder, "--norc", "--noprofile", "-i", program="bash", columns=200, **names)
        self._shown = ""

    def __enter__(self) -> "Bash":
        return self

    def __exit__(self, *_error: object) -> None:
        with suppress(OSError):
            os.close(self._file)
        os.waitpid(self._pid, 0)

    def until(self, text: str, seconds: float = WAIT_S) -> str:
        """What is shown from the last such text on until this one is."""
        while text not in self._shown:
            part = self.read(seconds)
            assert part, f"no {text!r} in {self._shown!r}"
            self._shown += part
        shown, _, self._shown = self._shown.partition(text)
        return shown + text
