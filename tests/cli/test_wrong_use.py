"""Whatever is called or written wrongly gets one line: what is wrong, where, and what to do about it."""

import re
import shutil

import pytest

from tests.conftest import tournament_text


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
    "a command like none": ("frobnicate", 'no command "frobnicate"; known: '),
    "an unknown command of new": ("new bto", 'no command "bto"; did you mean "bot"?'),
    "an unknown option": ("run small.toml --wrokers 3", "--workers"),
    "an option like none": ("run small.toml -x", "; see tourney run --help"),
    "a missing argument": ("run", "CONFIG"),
    "two missing arguments": ("replay", "RUN"),
    "a missing option": ("gate first --game vole", "--against"),
    "too many arguments": ("run small.toml a b", "(a b); see tourney run --help"),
    "an option without its value": ("run small.toml --workers", "--workers"),
    "a flag with a value": ("standings done --cross=3", "--cross"),
    "a number out of bounds": ("run small.toml --workers 0", "'--workers': 0"),
    "a number that is none": ("run small.toml --workers many", "'--workers': 'many'"),
    "an argument that is no number": ("debug done vole-0-0 x", "'N': 'x'"),
    "a risk of more than half": ("gate first --against first --game vole --alpha 0.7", "'--alpha': 0.7"),
    "a risk that is no number": ("gate first --against first --game vole --alpha nan", "'--alpha': nan"),
    "none of the choices": ("standings done --format cvs", "'table', 'markdown', 'csv', 'json'"),
    "a folder that is not there": ("verify done --bots --folder nope", "'nope' does not exist"),
    **{
        f"a ranking of {table}": (
            f"standings done --by rating --{table}",
            f"--by ranks the bots of the standings and the cross-table; leave it out with --{table}",
        )
        for table in ("times", "seats", "rounds")
    },
    "a page in the file of a picture": (
        "report done --out x.PNG",
        "--out x.PNG: would be a page, and no picture; end its name in .html, or give --format png and a folder",
    ),
    "a page in no folder": (
        "report done --out none/x.html",
        "--out none/x.html: there is no folder none; make it, or give another path",
    ),
    "an option of a game for play": ("play vole --option targt=3", 'options: no key "targt"; did you mean "target"?'),
    "a value of an option for play": ("play vole --option target=0", "options: target: Expected `int` >= 1"),
    "seats for play": ("play vole --seats 3", "vole is for 2 seats, not 3"),
    "an option of a game for a gate": (
        "gate first --against random --game vole --option vole.targt=3",
        'options: no key "targt"; did you mean "target"?',
    ),
    "seats for a gate": (
        "gate first --against random --game vole --game leon:44",
        "leon is for 2 to 10 seats, not 44",
    ),
    "a limit that does not hold": ("check first --cpu-ms 5 --game vole", 'cpu_ms: host = "inline" has no such limit'),
    "a host like none": ("check first --host nope", 'no host "nope"; known: inline, process, sandbox'),
    "a host for people": ("check first --host person", 'host = "person" has no bots'),
    "an option of a bot": ("check first --options {a=1}", 'options: no key "a"'),
    "a view of no game": ("games --view", "--view: name a game, as in tourney games vole --view"),
    "a name like hardly any": ("docs nope", 'no page "nope"; known: '),
    "force alone": ("run small.toml --force", "--force goes with --resume; give both, or neither"),
}


@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize("case", CALLS)
def test_a_wrong_call_is_one_line_with_the_remedy(tourney, write, case):
    arguments, says = CALLS[case]
    write()
    told(tourney(*arguments.split()), 2, says)


def test_a_command_without_arguments_shows_its_help(tourney):
    for arguments in (["new"],):
        result = tourney(*arguments)
        assert (result.returncode, "Usage: " in result.stderr + result.stdout) == (2, True)


FILES = {
    "a game as text": ('game = "vole"', "game: Expected `array`, got `str`"),
    "a game in single brackets": ('[game]\nname = "vole"', "game: [game] is a single table; write [[game]]"),
    "two games in single brackets": (
        '[game]\nname = "vole"\n[game]\nname = "leon"',
        "not TOML: ",
        "(at line 7, column 6)",
    ),
    "games": ('[[games]]\nname = "vole"', 'no key "games"; did you mean "game"?'),
    "no game": ("", 'the key "game" is missing'),
    "a bot in single brackets": ('[bot]\nname = "x"\n[[game]]\nname = "vole"', "write [[bot]], in double brackets"),
    "limits in double brackets": ('[[limits]]\nmove_ms = 3\n[[game]]\nname = "vole"', "limits: Expected `object`"),
    "a quote without an end": ('[[game]]\nname = "vole\n', "not TOML: Illegal character"),
    "no name of a bot": ('[[bot]]\nuse = "first"\n[[game]]\nname = "vole"', 'bot[0]: the key "name" is missing'),
    "seats as text": ('[[game]]\nname = "vole"\nseats = "2"', "game[0].seats: Expected `int | null`, got `str`"),
    "a number in a command": (
        '[[game]]\nname = "vole"\n[[bot]]\nname = "a"\ncommand = ["./x", 3]',
        "bot[0].command: Expected `str`, got `int`",
    ),
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
        (".", "is a folder; give the path of a file"),
        ("small.toml/x", "cannot be written (its folder is none); give another path"),
        ("/proc/x/y", "cannot be written (No such file or directory); give another path"),
    ],
)
def test_a_gate_whose_report_cannot_be_written_is_not_played(tourney, write, tmp_path, option, path, says):
    write()
    told(tourney("gate", "random", "--against", "first", "--game", "vole", option, path), 2, f"{option} {path}: {says}")
    assert not (tmp_path / "results").exists()


def test_a_file_for_the_report_of_a_gate_is_left_alone_until_there_is_one(tourney, tmp_path):
    (tmp_path / "there.md").write_text("mine\n", encoding="utf-8")
    gate = ("gate", "random", "--against", "first", "--game", "vole", "--max-deals", 1, "--quiet")
    result = tourney(*gate, "--markdown", "there.md", "--junit", "new/gate.xml", "--out", "there.md")
    assert result.returncode == 2
    assert (tmp_path / "there.md").read_text(encoding="utf-8") == "mine\n"
    assert not list((tmp_path / "new").iterdir())
    assert tourney(*gate, "--markdown", "there.md", "--junit", "new/gate.xml").returncode in (0, 1, 3)
    assert (tmp_path / "there.md").read_text(encoding="utf-8").startswith("mine\n")
    assert (tmp_path / "new" / "gate.xml").stat().st_size > 100


@pytest.mark.parametrize("out", ["/dev/zero/x", "small.toml/x", "/proc/x", "a/../small.toml/x"])
def test_a_run_into_a_place_that_cannot_be_is_refused(tourney, write, out):
    told(
        tourney("run", write(), "--out", out),
        2,
        "x: cannot make this folder (",
    )


@pytest.mark.parametrize("name", ["9lives", "My_Bot", "é", "a--b", ""])
def test_a_name_that_is_none_for_a_bot_is_answered_with_one(tourney, tmp_path, name):
    told(tourney("new", "bot", name), 2, f'"{name}" is not a name for a bot; use small letters, digits and -, as in "')
    assert not list(tmp_path.iterdir())


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


def test_a_run_that_ended_before_its_first_match_goes_on(tourney, write, finished):
    whole = (finished / "journal.jsonl").read_bytes()
    for file in finished.iterdir():
        if file.name not in ("manifest.json", "tournament.toml", "signature.txt"):
            file.unlink()
    (finished / "journal.jsonl").write_bytes(b"")
    assert tourney("run", write(), "--out", "done", "--resume", "--quiet").returncode == 0
    assert (finished / "journal.jsonl").read_bytes() == whole


@pytest.mark.slow
@pytest.mark.parametrize("program", ["cat", "true", "echo hello"])
def test_a_program_that_is_no_bot_is_told_in_one_line(tourney, program):
    result = tourney("check", "--command", program)
    lines = result.stdout.splitlines()
    assert (result.returncode, len(lines), result.stderr) == (1, 1, "")
    assert re.match(
        r"FAIL  protocol +when it is first asked, its .*; tourney docs protocol says what a program answers$", lines[0]
    )


@pytest.mark.slow
def test_a_program_that_fails_later_is_tried_at_every_game(tourney, tmp_path):
    (tmp_path / "late.py").write_text(
        "import sys, json\nfor n, line in enumerate(sys.stdin):\n    m = json.loads(line)\n"
        "    if 'legal' in m:\n        m = m | {'action': m['legal'][0]} if n < 5 else {}\n"
        "    print(json.dumps(m), flush=True)\n",
        encoding="utf-8",
    )
    result = tourney("check", "--command", f"python3 {tmp_path / 'late.py'}", "--game", "vole", "--game", "voleur")
    assert result.returncode == 1
    assert [line.split()[1] for line in result.stdout.splitlines()][:2] == ["legality", "legality"]


@pytest.mark.slow
@pytest.mark.usefixtures("finished")
@pytest.mark.parametrize(
    ("short", "name"), [("vole-0-0", "vole-00000-0"), ("vole-3-1", "vole-00003-1"), ("vole-007-1", "vole-00007-1")]
)
def test_the_name_of_a_match_needs_no_zeros(tourney, short, name):
    for command in (["replay", "done", short], ["debug", "done", short, 1, "--bot", "first"]):
        result = tourney(*command)
        assert result.returncode == 0, result.stderr
        assert result.stdout.startswith(name)


@pytest.mark.usefixtures("finished")
def test_a_match_that_is_not_there_is_answered_with_one_that_is(tourney):
    told(tourney("replay", "done", "vole-99-0"), 2, 'no match "vole-99-0"; did you mean "vole-')
    told(tourney("replay", "done", f"vole-{20 * '9'}-0"), 2, "no match ")
