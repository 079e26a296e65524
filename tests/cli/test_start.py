"""What the command imports, as what it does not need would only make it slow to start; and what Tab completes."""

import subprocess
import sys

import pytest

from tests.conftest import called
from tourney.cli.main import renamed

PROGRAM = """
import sys
from tourney.cli.main import main
main(sys.argv[1:], prog_name="tourney", standalone_mode=False)
print(*sys.modules, file=sys.stderr)
"""
READING = {
    "standings run": "networkx tourney.runner.run",
    **dict.fromkeys(["matches run --round 2", "replay run vole-2-0"], "networkx tabulate tourney.runner.run"),
    "export run --format csv --out seats.csv": "networkx",
}
UNUSED = {
    "--version": "msgspec orjson tourney.plugins.registry",
    "--help": "msgspec multiprocess networkx orjson rich subprocess tabulate tomli_w tomllib tourney.contracts",
    "games": "multiprocess networkx rich",
    "run t.toml --quiet": "networkx rich tourney.hosts.process.host tourney.hosts.sandbox.host",
}


@pytest.mark.parametrize("command", UNUSED | READING)
def test_what_a_command_does_not_need_is_not_imported(write, played, tmp_path, command):
    write("t", deals="1")
    played(write(deals="1", bots='["first", "random"]', format='"swiss"', rounds="3"), "run")
    program = [sys.executable, "-c", PROGRAM, *command.split()]
    modules = set(subprocess.run(program, cwd=tmp_path, check=True, capture_output=True, text=True).stderr.split())
    assert ("tourney.schedule.swiss" if command in READING else "tourney.cli.main") in modules
    assert not modules & set((UNUSED | READING)[command].split())
    assert command != "--help" or not [name for name in modules if name.startswith("tourney.cli.commands")]


def proposed(folder, line):
    """What the shell offers for the last word of a line; `!dir` and `!file` stand for its own folders and files."""
    words = line.split(" ")
    environment = {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1), "_TOURNEY_COMPLETE": "bash_complete"}
    done = called([], folder, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    items = [item.split(",", 1) for item in done.stdout.split()]
    return [value if kind == "plain" else f"!{kind}" for kind, value in items]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("tourney sta", ["standings"]), ("tourney --ver", ["--version"]), ("tourney replay nowhere ", []),
        ("tourney new ", ["bot", "game", "tournament"]), ("tourney check seer --host s", ["sandbox"]),
        ("tourney standings ", ["!dir", "quick", "slow"]),
        ("tourney run t.toml --extend q", ["!dir", "quick"]),
        ("tourney check s", ["!file", "seer", "steady"]),
        ("tourney gate steady --against s", ["!file", "seer", "steady"]),
        ("tourney gate steady --against first --game vo", ["vole", "voleur"]),
        ("tourney docs rules/v", ["rules/vole", "rules/voleur"]),
    ],
)  # fmt: skip
def test_what_may_follow_is_proposed(write, played, tmp_path, line, words):
    """A folder with two runs, `quick` and `slow`, and something that is not a run."""
    (tmp_path / "results" / "quiet").mkdir(parents=True)
    for name in ("quick", "slow"):
        played(write(deals="2", bots='["first", "random"]'), f"results/{name}")
    assert sorted(proposed(tmp_path, line)) == sorted(words)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        ("league challenge cup a b --quiet", "compare a b --run cup --quiet --deals=20"),
        ("league challenge cup a b --deals 3", "compare a b --run cup --deals 3"),
        ("league logs cup ann -o x.zip", "bundle cup --bot ann -o x.zip"),
        ("run t.toml --workers 8 --quiet --oversubscribe", "run t.toml --workers 8! --quiet"),
        ("run t.toml --oversubscribe --workers=8", "run t.toml --workers=8!"),
        ("run t.toml --cluster tcp://a:1 --resume", "run t.toml --workers tcp://a:1 --resume"),
        ("standings quick --cross --format csv", "standings quick --show cross --format csv"),
        ("matches quick --lost --bot one", "matches quick --outcome lost --bot one"),
        ("gate a --junit x.xml --markdown=b --inline", "gate a --write x.xml --write=b --host inline"),
        ("track a --until-sure", "track a --deals=0"),
        ("serve --port 80 --host ::", "serve --address :80 --address ::"),
        ("play vole --no-launch", "play vole --address :0"),
        ("report quick --matches 3", "report quick --matches 3"),
        ("league play cup --matches 3", "league play cup --matches 3"),
    ],
)  # fmt: skip
def test_what_was_called_otherwise_goes_on(before, now):
    assert renamed(before.split()) == now.split()
