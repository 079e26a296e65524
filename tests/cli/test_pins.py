"""`tourney pin`, and the bots asked at pins: by check, gate, analyse and pytest."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import orjson
import pytest

from tests.cli.kinds import made
from tests.cli.runs import one_line
from tests.conftest import ROOT, apart, called, mostly_slow, with_code
from tests.environments import made_once
from tests.helpers import SHORT
from tourney.contracts.match import match_of, record_of
from tourney.journal.export import as_json, read_match_file
from tourney.plugins.registry import game_names, load_game

BOTS = """
class First:
    def act(self, view, legal):
        return legal[0]
class Last:
    def act(self, view, legal):
        return legal[-1]
class Lots:
    def start(self, facts):
        self.rng = facts.rng
    def act(self, view, legal):
        return self.rng.choice(legal)
class Service(Last):
    service = True
class VoleurOnly(Last):
    games = ("voleur",)
"""


def decision_of_first(place: Path, game: str) -> tuple[str, int, list[str]]:
    """A decision with a choice that `first` made: its match, its number, and the legal actions."""
    for line in called(["matches", "all", "--bot", "first", "--game", game], place).stdout.splitlines():
        match = line.split()[0]
        shown = called(["replay", "all", match, "--decisions-of", "first", "--json"], place).stdout
        for each in map(orjson.loads, shown.splitlines()):
            if len(each["legal"]) > 1:
                return match, each["decision"], each["legal"]
    raise AssertionError(f"first has no choice in {game}")


def pin_all(place: Path) -> None:
    """Plays a run of every game, and pins a decision of each at which `first` has a choice."""
    games = [
        f'[[game]]\nname = "{name}"\nseats = {load_game(name).seats[0]}\noptions = '
        f"{{ {', '.join(f'{key} = {value}' for key, value in SHORT[name].items())} }}"
        for name in game_names()
    ]
    (place / "bots.py").write_text(BOTS, encoding="utf-8")
    head = 'name = "all"\nseed = 3\ndeals = 1\nbots = ["first", "random", "steady", "bots.py:Last"]\n'
    (place / "all.toml").write_text(head + "\n".join(games), encoding="utf-8")
    with_code(called(["run", "all.toml", "--quiet"], place))
    for game in game_names():
        match, decision, _ = decision_of_first(place, game)
        with_code(called(["pin", "all", match, str(decision), "--why", f"lost {game}"], place))


@pytest.fixture
def place(shared_folder, tmp_path) -> Path:
    """A folder with bots, a run of every game, and a pin of each in `pins`."""
    return Path(shutil.copytree(made_once(shared_folder / "pins-of-all-games", pin_all), tmp_path / "place"))


def pins(place: Path) -> list[Path]:
    return sorted((place / "pins").glob("*.json"))


def only(place: Path, game: str) -> Path:
    """Leaves the pin of one game."""
    for file in pins(place):
        if not file.name.startswith(f"all-{game}-0"):
            file.unlink()
    (file,) = pins(place)
    return file


def edit(file: Path, **keys: object) -> None:
    """Changes keys of a pin as by hand."""
    data = orjson.loads(file.read_bytes())
    data["pin"] = {key: value for key, value in (data["pin"] | keys).items() if value is not None}
    file.write_bytes(orjson.dumps(data))


def check(place: Path, bot: str, *arguments: object, code: int = 0) -> list[str]:
    return with_code(apart(place, "check", bot, "--pins", "pins", *arguments), code).stdout.splitlines()


def test_a_bot_fails_at_a_pin_of_every_game_where_it_plays_as_before_and_another_passes(place):
    count = len(game_names())
    *lines, summary = check(place, "first", code=1)
    assert summary == f"FAIL  {count} pins asked, 0 passed, {count} failed"
    for game, failure, command in zip(sorted(game_names()), lines[::2], lines[1::2], strict=True):
        match, decision, legal = decision_of_first(place, game)
        expected = f"FAIL  all-{match}-{decision}: {legal[0]} at decision {decision} of {match}; "
        assert failure == f"{expected}pinned: not {legal[0]} (lost {game})"
        assert command == f"      tourney debug all {match} {decision}"
    assert check(place, "bots.py:Last") == [f"ok    {count} pins asked, {count} passed"]
    shutil.rmtree(place / "results")
    *lines, _ = check(place, "first", code=1)
    shown = with_code(called(shlex.split(lines[1])[1:], place)).stdout
    decision = orjson.loads(pins(place)[0].read_bytes())["pin"]["decision"]
    assert re.search(rf"(?m)^ +{decision}  first ", shown), "without the run, the pin itself is shown"


@pytest.mark.parametrize("host", mostly_slow(["process", "sandbox"], "process"))
def test_bots_in_their_own_process_are_asked_there(place, host):
    assert check(place, "bots.py:Last", "--host", host)[-1].startswith("ok  ")
    assert check(place, "bots.py:First", "--host", host, code=1)[-1].startswith("FAIL  ")


@pytest.mark.parametrize("keep", [["--keep"], pytest.param([], marks=pytest.mark.slow)])
def test_a_program_is_asked(place, keep):
    text = (ROOT / "bots" / "wire" / "random_bot.py").read_text(encoding="utf-8")
    (place / "program.py").write_text(text.replace("chance.random()", "0"), encoding="utf-8")
    for file in pins(place)[1:]:
        file.unlink()
    command = f"{sys.executable} program.py"
    assert check(place, command, "--command", *keep, code=1)[-1] == "FAIL  1 pin asked, 0 passed, 1 failed"
    edit(pins(place)[0], never=None)
    assert check(place, command, "--command", *keep)[-1] == "ok    1 pin asked, 1 passed"


def test_a_bot_that_draws_lots_is_asked_several_times_and_passes_with_a_share(place):
    file = only(place, "bang")
    edit(file, times=40, share=0.1)
    check(place, "bots.py:Lots")
    edit(file, times=40, share=1.0)
    failure, *_ = check(place, "bots.py:Lots", code=1)
    counts = [int(number) for number in re.findall(r"\S+ in (\d+) of 40", failure)]
    assert sum(counts) == 40
    assert len(counts) > 1
    assert check(place, "bots.py:Lots", code=1)[0] == failure, "the same lots again"


def test_of_a_bot_that_does_not_repeat_itself_the_record_is_judged_unless_it_is_asked(place):
    only(place, "vole")
    failure, *_ = check(place, "bots.py:Service", code=1)
    assert ", as recorded, as it does not repeat itself; pinned: not " in failure
    check(place, "bots.py:Service", "--ask")


@pytest.mark.parametrize(("change", "words"), [
    (lambda data: b"[", "invalid JSON"), (lambda data: orjson.dumps([]), 'no key "tourney_match"'),
    (lambda data: orjson.dumps({key: data[key] for key in data if key != "pin"}), "a match without a pin"),
    (lambda data: with_pin(data, ony=["a"]), "unknown field `ony`"),
    (lambda data: with_pin(data, share="all"), "Expected `float`"),
    (lambda data: with_pin(data, decision=0), "Expected `int` >= 1"),
    (lambda data: with_pin(data, decision=99_999), "no decision 99999; expected 1 to "),
    (lambda data: with_pin(data, never=["play:zz"]), "play:zz is not legal for seat "),
    (lambda data: with_pin(data, only=data["pin"]["never"]), "no action would pass"),
    (lambda data: orjson.dumps(data | {"game": "gone", "record": data["record"] | {"game": "gone"}}), "checksum"),
])  # fmt: skip
def test_a_pin_that_cannot_be_asked_is_refused_in_a_line_that_names_its_file(place, change, words):
    file = only(place, "vole")
    file.write_bytes(change(orjson.loads(file.read_bytes())))
    one_line(called(["check", "first", "--pins", "pins"], place), 2, f"pins/{file.name}: ", words)


def with_pin(data: dict, **keys: object) -> bytes:
    return orjson.dumps(data | {"pin": data["pin"] | keys})


@pytest.mark.parametrize(
    ("changes", "words"),
    [({}, "vole now plays this match differently (digest: "), ({"game": "gone"}, 'no game "gone"')],
)
def test_a_pin_of_another_version_of_a_game_or_of_one_that_is_not_installed_is_refused(place, changes, words):
    """A record with the digest of another course is what an older version of the rules leaves."""
    file = only(place, "vole")
    match = read_match_file(file)
    old = msgspec.structs.replace(match.record, **changes)
    record = record_of(match_of(old), old.actions, old.scores, old.places, old.faults, log=[])
    file.write_text(as_json(msgspec.structs.replace(match, game=record.game, record=record)), encoding="utf-8")
    one_line(called(["check", "first", "--pins", "pins"], place), 2, f"pins/{file.name}: ", words)


@pytest.mark.parametrize(("arguments", "words"), [
    ("check first --pins nowhere", "nowhere: no pins; expected a folder"),
    ("check first --pins all.toml", "all.toml: no pins; expected a folder"),
    ("check bots.py:VoleurOnly --pins pins", "does not play bang (it plays voleur)"),
    ("check bots.py:Gone --pins pins", 'bots.py has no "Gone"'),
    ("check all.toml --pins pins", "--pins requires a BOT"), ("check --game vole --pins pins", "--pins requires a BOT"),
    ("check first --pins pins --deals 2", "--pins and --deals cannot be combined"),
    ("check first --known names.txt", "--known and --ask require --pins"),
    ("check first --pins pins --known pins", "pins: cannot be read (Is a directory)"),
    ("check first --pins pins --known bots.py", "bots.py: no pin "),
    ("gate bots.py:VoleurOnly --against first --game voleur:2 --pins pins", "does not play bang"),
    ("pin all MATCH 99999", "no decision 99999"), ("pin all vole-99-0 1", 'no match "vole-99-0"'),
    ("pin all MATCH 1 --not play:zz", "play:zz is not legal"),
    ("pin all MATCH 1 --not play:zz --only play:zy", "--not and --only cannot be combined"),
    ("pin all MATCH 1 -o bots.py", "bots.py: already exists"),
    ("pin all MATCH 1 -o bots.py/pin.json", "cannot create folder bots.py"),
    ("analyse all --pins pins", "--pins requires --bot"),
    ("analyse all --bot first --pins bots.py", "cannot create folder bots.py"),
])  # fmt: skip
def test_wrong_use_is_refused_in_a_line(place, arguments, words):
    match, *_ = decision_of_first(place, "vole")
    one_line(called(arguments.replace("MATCH", match).split(), place), 2, words)


@pytest.mark.needs("git")
@pytest.mark.parametrize(("kind", "bot"), [("interrupted", "first"), ("league", "first@1")])
def test_a_decision_with_a_secret_seed_is_not_pinned(shared_folder, tmp_path, kind, bot):
    shutil.copytree(made(shared_folder, kind) / "run", tmp_path / "run")
    for words in (["pin", "run", "vole-0-0", "1"], ["analyse", "run", "--bot", bot, "--pins", "pins"]):
        one_line(called(words, tmp_path), 2, "a pin contains the secret seed of its match")
    assert not (tmp_path / "pins").exists()


def test_at_a_fault_any_legal_action_passes_and_what_the_house_did_is_not_pinned(shared_folder, tmp_path):
    place = Path(shutil.copytree(made(shared_folder, "faults"), tmp_path / "place"))
    record = orjson.loads((place / "run" / "journal.jsonl").read_bytes().splitlines()[0])
    (decision,) = [fault["decision"] for fault in record["faults"]]
    with_code(called(["pin", "run", "vole-0-0", str(decision)], place))
    failure, *_ = check(place, "mine.py:Bot", code=1)
    assert f": raised ValueError at decision {decision} of vole-00000-0; pinned: any legal action" in failure
    check(place, "first")
    numbers = [str(number) for number in range(decision + 1, len(record["actions"].split()) + 1)]
    results = [called(["pin", "run", "vole-0-0", number, "-o", f"{number}.json"], place) for number in numbers]
    one_line(next(each for each in results if each.returncode), 2, "the house made decision", "which was out")


@pytest.mark.needs("git")
def test_the_decision_of_a_person_can_be_pinned_and_is_shown_in_place_of_debugged(shared_folder, tmp_path):
    place = Path(shutil.copytree(made(shared_folder, "person"), tmp_path / "a place"))
    shown = called(["replay", "run", "vole-0-0", "--decisions-of", "you", "--json"], place).stdout
    first = orjson.loads(shown.splitlines()[0])
    decision, legal = first["decision"], first["legal"]
    with_code(called(["pin", "run", "vole-0-0", str(decision), "--only", legal[-1], "-o", "pins/of mine.json"], place))
    failure, command, _ = check(place, "first", code=1)
    assert failure == f"FAIL  of mine: {legal[0]} at decision {decision} of vole-00000-0; pinned: only {legal[-1]}"
    assert command == "      tourney replay 'pins/of mine.json'"
    with_code(called(shlex.split(command)[1:], place))


def test_known_failures_pass_until_one_of_them_is_mended(place):
    (place / "known.txt").write_text("".join([f"{file.stem} # later\n" for file in pins(place)]), encoding="utf-8")
    assert check(place, "first", "--known", "known.txt")[-1].startswith("ok  ")
    *lines, _ = check(place, "bots.py:Last", "--known", "known.txt", code=1)
    assert lines == [f"FAIL  {file.stem}: passes now; remove it from the known failures" for file in pins(place)]


GATE = ["--game", "vole", "--option", "vole.target=1", "--host", "inline", "--pins", "pins", "--quiet"]


def test_a_gate_asks_first_and_fails_without_a_match(place):
    only(place, "leon")
    files = ["--write", "verdict.md", "--write", "verdict.xml"]
    failed = with_code(called(["gate", "first", "--against", "random", *GATE, *files], place), 1)
    head, failure, _, summary = failed.stdout.splitlines()
    assert head == "FAILED: first answers pinned decisions wrongly; nothing was played"
    assert failure.startswith("FAIL  all-leon-")
    assert summary == "FAIL  1 pin asked, 0 passed, 1 failed"
    assert (place / "verdict.md").read_text(encoding="utf-8").startswith(f"## Gate: first against random\n\n**{head}**")
    (case,) = ElementTree.parse(place / "verdict.xml").getroot().iterfind(".//testcase[failure]")
    assert (case.get("name"), case.find("failure").get("message")) == ("pins", head)
    assert not (place / "results" / "gate-first-vs-random").exists()
    verdict = orjson.loads(called(["gate", "first", "--against", "random", *GATE, "--json"], place).stdout)
    assert (verdict["verdict"], verdict["because"], verdict["pins"][0]) == ("failed", "pins", failure)
    passed = with_code(called(["gate", "bots.py:Last", "--against", "random", *GATE, "--max-deals", "2"], place), 3)
    assert "ok    1 pin asked, 1 passed\n" in passed.stderr
    assert passed.stdout.startswith("UNDECIDED: ")


@pytest.mark.slow
def test_each_pin_is_a_test_of_pytest_with_its_sentence_as_the_name(place):
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--tourney-pins", "pins"]
    (place / "test_other.py").write_text("def test_of_theirs():\n    pass\n", encoding="utf-8")

    def tested(*arguments: str) -> subprocess.CompletedProcess[str]:
        names = os.environ | {"PYTEST_ADDOPTS": ""}
        words = [*command, *arguments]
        return subprocess.run(words, cwd=place, env=names, capture_output=True, text=True, check=False)

    result = with_code(tested("--tourney-bot", "first"), 1)
    for file in pins(place):
        game = file.name.split("-0")[0].removeprefix("all-")
        assert f"pins/{file.name}::lost {game} FAILED" in result.stdout
    assert "test_other.py::test_of_theirs PASSED" in result.stdout
    assert f" {len(game_names())} failed, 1 passed in " in result.stdout
    assert (
        f" {len(game_names())} passed, 1 deselected in " in tested("--tourney-bot", "bots.py:Last", "-k", "lost").stdout
    )
    assert "requires --tourney-bot" in with_code(tested(), 4).stderr
