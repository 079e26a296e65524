"""Whatever is called or written wrongly gets one line: what is wrong, where, and what to do about it."""

import shutil

import pytest
from click.testing import CliRunner

from tests.conftest import tournament_text
from tourney.cli.main import main


def told(result, code: int, *says: str) -> str:
    """The only line on stderr, without its beginning; nothing is printed to stdout."""
    lines = result.stderr.splitlines()
    assert (result.returncode, len(lines), result.stdout) == (code, 1, ""), result
    line = lines[0]
    assert line.startswith("tourney: ")
    for part in says:
        assert part in line, line
    return line.removeprefix("tourney: ")


CALLS = {
    "an unknown command": ("stadings done", 'no command "stadings"; did you mean "standings"?'),
    "an unknown option": ("run small.toml --wrokers 3", "--workers"),
    "a missing argument": ("run", "CONFIG"),
    "a missing option": ("gate first --game vole", "--against"),
    "too many arguments": ("run small.toml a b", "(a b); see tourney run --help"),
    "an option without its value": ("run small.toml --workers", "--workers"),
    "a number out of bounds": ("run small.toml --workers 0", "'--workers': 0"),
    "a risk that is no number": ("gate first --against first --game vole --alpha nan", "'--alpha': nan"),
    "none of the choices": ("standings done --format cvs", "'table', 'markdown', 'csv', 'json'"),
    **{
        f"a ranking of {table}": (
            f"standings done --by rating --{table}",
            f"--by ranks the bots of the standings and the cross-table; leave it out with --{table}",
        )
        for table in ("times", "seats", "rounds")
    },
    "a page in the file of a picture": (
        "report done --out x.PNG",
        "--out x.PNG: would be a page, not a picture; end its name in .html, or give --format png and a folder",
    ),
    "a page in no folder": (
        "report done --out none/x.html",
        "--out none/x.html: there is no folder none; create it, or give another path",
    ),
    "an option of a game for play": ("play vole --option targt=3", 'options: no key "targt"; did you mean "target"?'),
    "an option of a game for a gate": (
        "gate first --against random --game vole --option vole.targt=3",
        'options: no key "targt"; did you mean "target"?',
    ),
    "a limit that does not hold": (
        "check first --cpu-ms 5 --game vole",
        'host = "inline", which has no such limit',
    ),
    "a host like none": ("check first --host nope", 'no host "nope"; known: inline, process, sandbox'),
    "a view of no game": ("games --view", "--view: name a game, as in tourney games vole --view"),
    "force alone": ("run small.toml --force", "force is for a run that is resumed; use both, or neither"),
}


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize("case", CALLS)
def test_a_wrong_call_is_one_line_with_the_remedy(tourney, write, case):
    arguments, says = CALLS[case]
    write()
    told(tourney(*arguments.split()), 2, says)


FILES = {
    "a game as text": ('game = "vole"', "game: Expected `array`, got `str`"),
    "a game in single brackets": ('[game]\nname = "vole"', "game: [game] is a single table; write [[game]]"),
    "no game": ("", 'the key "game" is missing'),
    "limits in double brackets": ('[[limits]]\nmove_ms = 3\n[[game]]\nname = "vole"', "limits: Expected `object`"),
}


@pytest.mark.parametrize("case", FILES)
def test_a_mistake_in_a_tournament_file_is_one_line_with_the_remedy(tourney, tmp_path, case):
    text, *says = FILES[case]
    (tmp_path / "t.toml").write_text(tournament_text("t", game=text), encoding="utf-8")
    told(tourney("run", "t.toml"), 2, "t.toml: ", *says)
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize("option", ["--markdown", "--junit"])
@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("small.toml/x", "cannot be written"),
    ],
)
def test_a_gate_whose_report_cannot_be_written_is_not_played(tourney, write, tmp_path, option, path, says):
    write()
    told(tourney("gate", "random", "--against", "first", "--game", "vole", option, path), 2, f"{option} {path}: {says}")
    assert not (tmp_path / "results").exists()


READING = ("standings", "matches", "verify", "replay", "debug", "diff")


def reading(command: str, run: str) -> list[str]:
    return [command, run, *{"replay": ["vole-0-0"], "debug": ["vole-0-0", "1"], "diff": ["done"]}.get(command, [])]


@pytest.mark.parametrize("command", READING)
def test_a_folder_without_a_run_is_answered_with_what_to_do(tourney, finished, tmp_path, command):
    (tmp_path / "empty").mkdir()
    told(
        tourney(*reading(command, "empty")),
        2,
        "empty: holds no run (there is no manifest.json); `tourney run` makes one",
    )
    told(tourney(*reading(command, "gone")), 2, "gone: there is no such run, neither here nor under results/")
    told(tourney(*reading(command, ".")), 2, ".: holds no run itself; give one of those in it, such as done")
    told(tourney(*reading(command, "done/journal.jsonl")), 2, "done/journal.jsonl: is a file; give the folder of a run")
    (tmp_path / "results").mkdir()
    shutil.copytree(finished, tmp_path / "results" / "mine")
    told(tourney(*reading(command, "mina")), 2, '; did you mean "mine"?')


@pytest.mark.parametrize("command", [command for command in READING if command != "diff"])
def test_a_run_that_ended_before_its_first_match_is_answered_with_how_to_go_on(tourney, finished, command):
    for file in finished.iterdir():
        if file.name not in ("manifest.json", "tournament.toml"):
            file.unlink()
    for left in (b"", b'{"match":"vole-00'):
        (finished / "journal.jsonl").write_bytes(left)
        result = tourney(*reading(command, "done"))
        assert result.stderr.count("\n") == 1
        assert "resume" in result.stderr
        assert result.returncode == (2 if command in ("replay", "debug") else 0)
    (finished / "journal.jsonl").write_bytes(b"")
    (finished / "manifest.json").unlink()
    told(
        tourney(*reading(command, "done")),
        2,
        "done: holds no run (there is no manifest.json); `tourney run` makes one",
    )


@pytest.mark.usefixtures("finished")
def test_a_match_that_is_not_there_is_answered_with_one_that_is(tourney):
    told(tourney("replay", "done", "vole-99-0"), 2, 'no match "vole-99-0"; did you mean "vole-')
    told(tourney("replay", "done", f"vole-{20 * '9'}-0"), 2, "no match ")


DIGITS = 5000 * "9"
HEX = "0x" + 20_000 * "f"
GATE = ("gate", "random", "--against", "first")
REFUSED = {
    "a number of thousands of digits for a bot": ("check", "random", "--game", "vole", "--options", f"{{a={DIGITS}}}"),
    "a number beyond 64 bits for a bot": ("check", "seer", "--game", "vole", "--options", f"{{playouts={2**63}}}"),
    "lists in lists": ("check", "random", "--game", "vole", "--options", f"{{a={3000 * '['}}}"),
    "a quote without an end": ("check", "--command", '"'),
    "matches without an end": ("check", "random", "--game", "vole", "--match-s", "1e9"),
    "decimal digits for a game": (*GATE, "--game", "vole", "--option", f"vole.target={DIGITS}"),
    "hexadecimal digits for a game": (*GATE, "--game", "vole", "--option", f"vole.target={HEX}"),
    "digits for seats": (*GATE, "--game", f"vole:{DIGITS}"),
    "a risk that is no number": (*GATE, "--game", "vole", "--alpha", "nan"),
    "a strength that is no number": (*GATE, "--game", "vole", "--elo0", "nan"),
    "digits for a decision": ("debug", "run", "vole-00000-0", DIGITS),
    "a long name of a run": ("standings", 100_000 * "x"),
    "a long name of a game": ("games", 100_000 * "x"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_an_extreme_argument_is_refused_in_one_line(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, list(REFUSED[case]))
    assert result.exit_code == 2, result.output
    last = result.stderr.splitlines()[-1]
    assert last.startswith("tourney: ")
    assert len(last) < 6000
    assert not list(tmp_path.iterdir())
