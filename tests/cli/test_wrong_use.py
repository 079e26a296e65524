"""Whatever is called or written wrongly gets one line: what is wrong, where, and what to do about it."""

import shlex
import shutil

import pytest

from tests.conftest import called

READING = ("standings", "matches", "verify", "replay", "debug", "export", "bundle", "report", "diff")
FURTHER = {"replay": ["vole-0-0"], "debug": ["vole-0-0", "1"], "diff": ["done"], "export": ["--format", "csv"]}
FURTHER |= {"bundle": ["--bot", "first", "-o", "first.zip"], "report": ["--out", "page.html"]}
DIGITS = 5000 * "9"
GATE = ("gate", "random", "--against", "first")
REFUSED = {
    "a number of thousands of digits for a bot": ("check", "random", "--game", "vole", "--options", f"{{a={DIGITS}}}"),
    "a number beyond 64 bits for a bot": ("check", "seer", "--game", "vole", "--options", f"{{playouts={2**63}}}"),
    "lists in lists": ("check", "random", "--game", "vole", "--options", f"{{a={3000 * '['}}}"),
    "a quote without an end": ("check", "--command", '"'),
    "matches without an end": ("check", "random", "--game", "vole", "--limits", "{match_s=1e9}"),
    "decimal digits for a game": (*GATE, "--game", "vole", "--option", f"vole.target={DIGITS}"),
    "digits for seats": (*GATE, "--game", f"vole:{DIGITS}"),
    "a strength that is no number": (*GATE, "--game", "vole", "--elo0", "nan"),
    "a long name of a run": ("standings", 100_000 * "x"),
}


def told(result, code: int, *says: str) -> str:
    """The only line on stderr, without its beginning; but for `debug`, nothing is printed to stdout."""
    lines = result.stderr.splitlines()
    assert (result.returncode, len(lines)) == (code, 1), result
    assert not result.stdout or result.args[1] == "debug", result
    line = lines[0]
    assert line.startswith("tourney: ")
    for part in says:
        assert part in line, line
    return line.removeprefix("tourney: ")


CALLS = {
    "stadings done": 'no command "stadings"; did you mean "standings"?',
    "--wrong standings": "No such option '--wrong'",
    "docs vol": 'no page "vol"; known: ',
    "worker local:2": "ADDRESS local:2: invalid address",
    "run small.toml --wrokers 3": "--workers",
    "run small.toml a b": "(a b); see tourney run --help",
    **{f"run small.toml --workers {n}": f"workers: {n} must be between 1 and 1024" for n in (0, 1025)},
    "run small.toml --resume --overwrite": "resume and overwrite cannot be combined",
    "run small.toml --force": "force requires resume",
    "run small.toml --dry-run --replace first": "--dry-run and --replace cannot be combined",
    "run small.toml --extend done --out done --drop first": "a run cannot extend itself",
    "run small.toml --extend done --replace frist": 'no bot "frist" in this run; did you mean "first"?',
    "standings": "'RUN...'",
    "standings done --format cvs": "'table', 'markdown', 'csv', 'json'",
    "standings done --by rating --show times": "--by and --show times cannot be combined",
    "standings done --show times --without-faults": "--show times covers the whole tournament; remove --game",
    "standings done done --show times": "--show times supports only one run",
    "standings done done --at 2026-01-01": "--at supports only one run",
    "standings done --show notes --at 2026-01-01": "--show notes covers the whole run; remove --at",
    "standings done --show notes": "no bot noted numbers with its decisions",
    "standings done --show sweeps": "no sweep in this run",
    "standings done --without-pair steady frist": 'no bot "frist" in this run; did you mean "first"',
    "matches done --outcome lost": "--outcome requires --bot",
    "compare done --alike --deals 3": "--alike takes one run, and no --deals",
    "matches done --limit 0": "--limit",
    "matches done --sort score": "--sort",
    "play vole --browser --address 203.0.113.9": "cannot listen on 203.0.113.9, port 0 (",
    "play vole --browser --open": "--open and --browser cannot be combined",
    "play vole --person ann --person bob": "a second --person requires --browser",
    "play vole --browser --person ann --person ann": "names must be different",
    "replay done": "missing MATCH",
    "replay done vole-00001-00": 'no match "vole-00001-00"; did you mean "vole-00001-0"?',
    "replay done vole-99-0": 'no match "vole-99-0"; did you mean "vole-',
    f"replay done vole-{20 * '9'}-0": "no match ",
    "replay done vole-1-0 --seat 2": "seat must be 0 to 1, got 2",
    "replay done vole-1-0 --decisions-of stedy": 'did you mean "steady"?',
    "replay done vole-1-0 --decisions-of first": "first did not play in it",
    "replay done vole-1-0 --decisions-of steady --seat 0": "cannot be combined",
    "replay done vole-1-0 --step": "--step requires a terminal",
    "replay done vole-1-0 --step --json": "cannot be combined",
    "replay done vole-1-0 --from 5 --to 4": "--to must be at least --from 5, got 4",
    "replay done vole-1-0 --from 9999": "decision must be 1 to ",
    "replay done vole-1-0 --html a.html --from 3": "--html writes a whole match",
    "replay done vole-1-0 --beliefs": "--beliefs is for a page; add --html FILE",
    "replay small.toml": "expected a file written by `tourney export`",
    "export done": "missing MATCH",
    "export done vole-9-9": 'no match "vole-9-9"; did you mean',
    "export done --format parquet": "--format parquet requires -o FILE",
    "export done vole-1-0 --format csv": "--format csv cannot be combined with vole-1-0",
    "export done vole-1-0 --decisions": "--decisions cannot be combined with vole-1-0",
    "export done --format csv --open": "require --decisions",
    "export done --decisions": "--decisions requires --format csv, jsonl or parquet",
    "export done --decisions --format csv --encode": "--encode requires --format parquet",
    "export done --decisions --format csv --game leon": 'no game "leon"',
    "export done vole-1-0 -o .": "-o .: expected a file, got a folder",
    "export done vole-1-0 -o small.toml/x.json": "-o small.toml/x.json: cannot create folder",
    "verify done --bots --folder gone": "'gone' does not exist",
    "verify done --bots --folder small.toml": "'small.toml' is a file",
    "debug done vole-1-0 999": "expected 1 to",
    "debug done vole-1-0 1 --try play:99t": "play:99t is not legal for seat",
    "debug done vole-1-0 1 --bot stedy": 'did you mean "steady"?',
    "debug done vole-1-0 1 --continuations 3": "--continuations",
    "debug done vole-1-0 1 --profile --ask": "--profile cannot be combined with --ask",
    "report done --out x.PNG": "--out x.PNG: would be a page, not a picture",
    "report done --out small.toml/x.html": "--out small.toml/x.html: cannot create folder",
    "report done --watch --out full": "--watch requires a single page",
    "report done --url https://x.org": "--url requires --out FOLDER/",
    "report done --format png --out small.toml": "expected a folder for the pictures, got a file",
    "report done --format png --watch": "--watch requires --format html",
    "report done --format svg --matches 3": "--matches requires --format html",
    "report done --matches -1": "--matches",
    "league field done": "done: not a league; create one with `tourney league new`",
    "gate first --game vole": "--against",
    "gate first --against first": "use --game GAME",
    "gate first --against random --game vole --option vole.targt=3": 'options: no key "targt"; did you mean "target"?',
    "gate first --against random --game vole --option target=3": "--option target=3: expected GAME.KEY=VALUE",
    "gate first --against random --game vole --option leon.target=3": "no --game leon; add it",
    "gate first --against random --game vole --alpha nan": "alpha: Expected `float` > 0",
    "gate first --against random --game vole --alpha 0": "'--alpha': 0.0",
    "gate first --against random --game vole --beta 0.5": "'--beta': 0.5",
    "gate first --against random --game vole --elo0 5": "elo0 = 5 must be below elo1 = 0",
    "gate first --against random --game vole --out full --overwrite": "full: folder is not empty",
    "gate first --against random --game vole --write small.toml/x": "--write small.toml/x: cannot create",
    "gate first --against random --game vole --write full": "File 'full' is a directory",
    "compare first stedy --run done": 'no bot "stedy" in this run; did you mean "steady"?',
    "compare first steady --run done --game vole": "--run and --game cannot be combined",
    "compare first steady --run done --resume": "--run and --resume cannot be combined",
    "track first --game vole --pool ,": "name one bot or more, as in steady,seer",
    "check": "nothing to examine; name a bot",
    "check small.toml --host process": "--host: not supported with a tournament file",
    "check first steady": "steady: expected one bot, or entrants of a file",
    "check first --limits '{ cpu_ms = 5 }' --game vole": 'cpu_ms: not supported by host = "inline"',
    "check first --limits '{ clock = \"soon\" }' --game vole": 'clock: invalid clock "soon"',
    "check steady --options playouts": "--options: invalid TOML",
    "check steady --options 3": "--options: expected a table",
    "check --game vole --limits '{ move_ms = 5 }'": "--limits: move_ms is only valid for a bot",
    "play vole --seat 2": "--seat: must be 0 to 1, got 2",
    "play leon:2 --against random --against first": "2 bots and you are too many for 2 seats",
    "play vole --option target": "--option target: expected KEY=VALUE",
    "games --rules": "--rules requires a game",
    "games --view": "--view requires a game",
    "games vole --rules --view": "cannot be combined",
    "new bot Fox": 'invalid name "Fox" for a bot',
    "new bot random": 'bot "random" already exists',
    "new bot fox --out full": "full: already exists; use another name, or remove it",
    "new game Whist": 'invalid name "Whist" for a game',
    "new game 'a\nb'": "for a game; use lower-case",
    "new game vole": 'game "vole" already exists; use another name',
    "new tournament 'a b'": 'invalid name "a b"',
    "new tournament t --out .": ".: ",
}


@pytest.fixture
def place(finished, write, tmp_path):
    """A folder with a finished run, a tournament file, and a folder that holds something else."""
    write()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    return finished.parent


@pytest.mark.parametrize("call", CALLS, ids=lambda call: call[:60])
def test_a_wrong_call_is_one_line_with_the_remedy_and_writes_nothing(place, call):
    before = sorted(place.rglob("*"))
    told(called(shlex.split(call), place), 2, CALLS[call])
    assert sorted(place.rglob("*")) == before


def reading(command: str, run: str) -> list[str]:
    return [command, run, *FURTHER.get(command, [])]


@pytest.mark.parametrize("command", READING)
def test_a_folder_without_a_run_is_answered_with_what_to_do(finished, tmp_path, command):
    (tmp_path / "empty").mkdir()
    shutil.copytree(finished, tmp_path / "results" / "mine")
    for run, says in {
        "empty": "empty: not a run folder (no manifest.json)",
        "gone": "gone: no such run here or under results/",
        ".": ".: contains runs; choose one, such as done",
        "done/journal.jsonl": "done/journal.jsonl: expected a run folder, got a file",
        "mina": '; did you mean "mine"?',
    }.items():
        told(called(reading(command, run), tmp_path), 2, says)


@pytest.mark.parametrize("command", [command for command in READING if command != "diff"])
def test_a_run_that_ended_before_its_first_match_is_answered_with_how_to_go_on(finished, tmp_path, command):
    for file in finished.iterdir():
        if file.name not in ("manifest.json", "tournament.toml"):
            file.unlink()
    for left in (b"", b'{"match":"vole-00'):
        (finished / "journal.jsonl").write_bytes(left)
        result = called(reading(command, "done"), tmp_path)
        assert result.stderr.count("\n") == 1
        assert "resume" in result.stderr
        assert result.returncode == (2 if command in ("replay", "debug") else 0)
    told(called(["standings", "done", "--show", "times"], tmp_path), 2, "done: no matches yet; resume the run")


@pytest.mark.parametrize("case", REFUSED)
def test_an_extreme_argument_is_refused_in_one_line(case, tmp_path):
    assert len(told(called(list(REFUSED[case]), tmp_path), 2)) < 6000
    assert not list(tmp_path.iterdir())
