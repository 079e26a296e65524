"""`tourney gate` as users and build servers run it."""

import re
import signal
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import orjson
import pytest

from tests.cli.runs import alive, journal, one_line, wait_for, workers_of
from tests.conftest import BAD, ROOT, TOURNEY

BOTS = ROOT / "tests" / "gated" / "bots.py"
FIRST = ("gate", "random", "--against", "first", "--game", "vole", "--option", "vole.target=6")
CLOSE = ("--elo0", "-3", "--elo1", "3")  # too close together for hundreds of deals to decide


def folder(tmp_path: Path, name: str = "gate-random-vs-first") -> Path:
    return tmp_path / "results" / name


@pytest.mark.parametrize("game", [pytest.param("leon:4", marks=pytest.mark.slow), "bang:3"])
def test_a_regression_is_caught(tourney, game):
    result = tourney("gate", f"{BOTS}:Noisy", "--against", "steady", "--game", game, "--inline")
    assert result.returncode == 1, result.stderr
    assert result.stdout.startswith("FAILED: bots is weaker than steady (")


@pytest.mark.parametrize("game", ["vole", pytest.param("leon:4", marks=pytest.mark.slow)])
def test_a_harmless_refactoring_passes(tourney, game):
    result = tourney("gate", f"{BOTS}:Tidied", "--against", "steady", "--game", game, "--inline")
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("PASSED: bots is not weaker than steady by 25 Elo or more (")


@pytest.mark.slow
def test_an_equal_bot_is_not_stronger(tourney):
    result = tourney("gate", f"{BOTS}:Tidied", "--against", "steady", "--game", "vole", "--stronger", "--inline")
    assert result.returncode == 1
    assert result.stdout.startswith("FAILED: bots is not stronger than steady by 25 Elo or more (")
    result = tourney("gate", "steady", "--against", "random", "--game", "leon:3", "--stronger", "--quiet")
    assert result.returncode == 0
    assert result.stdout.startswith("PASSED: steady is stronger than random (")


@pytest.mark.slow
def test_the_folder_is_that_of_a_finished_run_that_ends_with_the_deciding_deal(tourney, tmp_path):
    result = tourney(*FIRST, "--game", "bang:3")
    assert result.returncode in (0, 1)
    path = folder(tmp_path)
    verdict = orjson.loads((path / "gate.json").read_bytes())
    lines = journal(path).splitlines()
    assert len(lines) == verdict["matches"] == 4 * verdict["deals"]
    assert f"({verdict['deals']} deals, {verdict['matches']} matches)" in " ".join(result.stdout.split())
    for command in ("standings", "matches", "verify"):
        read = tourney(command, path)
        assert (read.returncode, read.stderr) == (0, "")
    assert read.stdout == f"{len(lines)} of {len(lines)} records hold\n"
    assert len(tourney("matches", path).stdout.splitlines()) == len(lines)
    command = result.stdout.splitlines()[-1].split()
    assert command[:3] == ["tourney", "replay", "results/gate-random-vs-first"]
    assert tourney(*command[1:]).stdout.startswith(f"{command[3]}: ")
    assert command[3] == verdict["worst"][0]["match"]


@pytest.mark.slow
def test_one_worker_and_three_write_the_same_bytes(tourney, tmp_path):
    for out, workers, hashseed in (("A", 1, "0"), ("B", 3, "77")):
        result = tourney(*FIRST, "--game", "leon:5", "--out", out, "--workers", workers, PYTHONHASHSEED=hashseed)
        assert result.returncode in (0, 1), result.stderr
    names = ["journal.jsonl", "manifest.json", "gate.json", "standings.json", "standings.txt"]
    for name in [*names, "tournament.toml"]:
        assert (tmp_path / "A" / name).read_bytes() == (tmp_path / "B" / name).read_bytes()


@pytest.mark.slow
def test_a_gate_undecided_at_the_cap_resumes_with_a_larger_cap_to_the_same_bytes(tourney, tmp_path):
    result = tourney(*FIRST, *CLOSE, "--max-deals", 20)
    assert result.returncode == 3
    assert result.stdout.startswith("UNDECIDED: ")
    assert orjson.loads((folder(tmp_path) / "gate.json").read_bytes())["because"] == "cap"
    assert tourney("verify", folder(tmp_path)).stdout == "40 of 40 records hold\n"
    assert tourney(*FIRST, *CLOSE, "--max-deals", 45, "--resume").returncode == 3
    assert tourney(*FIRST, *CLOSE, "--max-deals", 45, "--out", "whole").returncode == 3
    for name in ("journal.jsonl", "gate.json", "manifest.json"):
        assert (folder(tmp_path) / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    one_line(tourney(*FIRST, *CLOSE, "--max-deals", 44, "--resume"), 2, "was begun with max_deals = 45")
    one_line(tourney(*FIRST, "--elo0", -4, "--max-deals", 45, "--resume"), 2, "was begun differently: gate.elo0")
    one_line(
        tourney(*FIRST, *CLOSE, "--max-deals", 45),
        2,
        "holds a run already; resume it",
    )
    assert tourney(*FIRST, *CLOSE, "--max-deals", 5, "--overwrite").returncode == 3
    assert len(journal(folder(tmp_path)).splitlines()) == 10


@pytest.mark.slow
def test_a_decided_gate_keeps_its_verdict_when_it_is_resumed(tourney, tmp_path):
    first = tourney(*FIRST)
    before = journal(folder(tmp_path))
    again = tourney(*FIRST, "--resume")
    assert (again.returncode, again.stdout) == (first.returncode, first.stdout)
    assert journal(folder(tmp_path)) == before


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_a_gate_killed_or_stopped_and_resumed_writes_the_same_bytes(tourney, tmp_path, number, code):
    keys = (*FIRST, "--option", "vole.target=21", *CLOSE, "--max-deals", 400)
    assert tourney(*keys, "--out", "whole").returncode == 3
    arguments = [TOURNEY, *map(str, keys), "--out", "killed", "--workers", "2"]
    process = subprocess.Popen(arguments, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for(lambda: (tmp_path / "killed" / "journal.jsonl").exists() and journal(tmp_path / "killed"))
    children = workers_of(process)
    process.send_signal(number)
    _, told = process.communicate()
    assert process.returncode == code
    wait_for(lambda: not any(alive(child) for child in children))
    if number == signal.SIGINT:
        assert f"continue with: tourney {' '.join(map(str, keys))} --out killed --workers 2 --resume" in told
    assert "not finished: " in tourney("standings", "killed").stderr
    assert tourney(*keys, "--out", "killed", "--resume").returncode == 3
    assert journal(tmp_path / "killed") == journal(tmp_path / "whole")


@pytest.mark.slow
def test_a_gate_can_be_resumed_after_any_line(tourney, tmp_path):
    """Within a block, within a deal of two games, and between deals."""
    keys = (*FIRST, "--game", "leon:3", "--field", "first", *CLOSE, "--max-deals", 7)
    assert tourney(*keys).returncode == 3
    path = folder(tmp_path)
    whole, verdict = journal(path), (path / "gate.json").read_bytes()
    lines = whole.splitlines(keepends=True)
    assert len(lines) == 7 * (4 + 6)
    for kept in (1, 5, 8, 41):
        (path / "journal.jsonl").write_bytes(b"".join(lines[:kept]) + b'{"match":"vo')
        assert tourney(*keys, "--resume", "--workers", 2).returncode == 3
        assert journal(path) == whole
        assert (path / "gate.json").read_bytes() == verdict


@pytest.mark.slow
def test_faults_of_the_new_bot_fail_the_gate_at_once(tourney, tmp_path):
    keys = ("gate", f"{BAD}:RaisesLater", "--against", "random", "--game", "vole", "--inline")
    result = tourney(*keys)
    assert result.returncode == 1
    assert result.stdout.startswith("FAILED: bots made 2 faults, the first: error at decision ")
    assert len(journal(folder(tmp_path, "gate-bots-vs-random")).splitlines()) == 2
    assert result.stdout.splitlines()[-1].endswith("vole-00000-0")
    allowed = tourney(*keys, "--allow-faults", 7, "--overwrite")
    assert allowed.returncode == 1
    assert allowed.stdout.startswith("FAILED: bots made 8 faults")


FAULTY_OLD = ("gate", "random", "--against", f"{BAD}:RaisesLater", "--game", "vole", "--inline")
FAULTY_FIELD = ("--field", f"{BAD}:RaisesLater", "--field", "random", "--game", "bang:3", "--inline", "--elo0", "-50")


@pytest.mark.slow
def test_a_pass_against_an_old_bot_with_faults_in_most_matches_does_not_count(tourney, tmp_path):
    result = tourney(*FAULTY_OLD)
    assert result.returncode == 2, result.stderr
    told = " ".join(result.stdout.split())
    assert re.match(r"INVALID: random would pass, but bots made faults in (\d+) of its \d+ matches, more than a", told)
    assert "give the command again with --resume --allow-old-faults." in told
    assert re.search(r"faults: NEW 0, OLD \d+, others 0", told)
    assert "more: tourney matches results/gate-random-vs-bots --faults" in result.stdout
    path = folder(tmp_path, "gate-random-vs-bots")
    verdict = orjson.loads((path / "gate.json").read_bytes())
    assert (verdict["verdict"], verdict["because"]) == ("invalid", "old faults")
    assert verdict["faults"]["old_matches"]["matches"] == verdict["matches"]
    assert 10 * verdict["faults"]["old_matches"]["faulty"] > verdict["matches"]
    assert tourney("verify", path).returncode == 0


@pytest.mark.slow
def test_faults_of_the_old_bot_can_be_let_go_then_or_from_the_start(tourney, tmp_path):
    assert tourney(*FAULTY_OLD).returncode == 2
    path = folder(tmp_path, "gate-random-vs-bots")
    before = journal(path)
    later = tourney(*FAULTY_OLD, "--resume", "--allow-old-faults")
    assert later.returncode == 0, later.stderr
    assert later.stdout.startswith("PASSED: random is not weaker than bots by 25 Elo or more (")
    assert journal(path) == before
    assert tourney(*FAULTY_OLD, "--allow-old-faults", "--out", "whole").returncode == 0
    for name in ("journal.jsonl", "gate.json", "manifest.json"):
        assert (path / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert tourney(*FAULTY_OLD, "--resume").returncode == 2


@pytest.mark.slow
def test_a_pass_among_a_field_with_faults_in_most_matches_does_not_count(tourney, tmp_path):
    keys = ("gate", "first", "--against", "first", *FAULTY_FIELD)
    result = tourney(*keys)
    assert result.returncode == 2, result.stderr
    assert result.stdout.startswith("INVALID: first-new would pass, but the field made faults in ")
    verdict = orjson.loads((folder(tmp_path, "gate-first-new-vs-first-old") / "gate.json").read_bytes())
    assert (verdict["verdict"], verdict["because"]) == ("invalid", "field faults")
    assert verdict["faults"]["old_matches"] == {"faulty": 0, "matches": verdict["matches"] // 2}
    assert tourney(*keys, "--resume", "--allow-old-faults").returncode == 0


@pytest.mark.slow
def test_failed_stays_failed_and_undecided_undecided_whoever_made_faults(tourney):
    result = tourney("gate", "random", "--against", "steady", *FAULTY_FIELD)
    assert (result.returncode, result.stdout[:8]) == (1, "FAILED: ")
    result = tourney(*FAULTY_OLD, "--max-deals", 1)
    assert (result.returncode, result.stdout[:11]) == (3, "UNDECIDED: ")
    assert re.search(r"vole, 2 seats +1 +\d+\.0 +[+-]\d+ +unknown", result.stdout)
    result = tourney("gate", f"{BAD}:Raises", *FAULTY_OLD[2:])
    assert (result.returncode, result.stdout[:8]) == (1, "FAILED: ")


def test_too_many_faults_stop_the_gate_if_the_file_says_so(tourney, tmp_path):
    (tmp_path / "limits.toml").write_text("[limits]\nmax_fault_rate = 0.2\n", encoding="utf-8")
    keys = ("gate", "first", "--against", f"{BAD}:RaisesLater", "--game", "vole", "--inline", *CLOSE)
    result = tourney(*keys, "--config", "limits.toml")
    assert result.returncode == 4
    assert "max_fault_rate is 0.2" in result.stderr
    assert "; continue with: tourney gate first --against " in result.stderr
    assert len(journal(folder(tmp_path, "gate-first-vs-bots")).splitlines()) == 20


@pytest.mark.slow
def test_both_bots_play_among_the_field(tourney, tmp_path):
    keys = ("--game", "leon:3", "--option", "leon.max_cards=4", "--field", "first", "--field", "random")
    result = tourney("gate", "steady", "--against", "random", *keys)
    assert result.returncode == 0, result.stderr
    records = [orjson.loads(line) for line in journal(folder(tmp_path, "gate-steady-vs-random")).splitlines()]
    assert records[0]["options"] == {"max_cards": 4}
    assert {tuple(sorted(record["seats"])) for record in records} == {
        ("first", "random-field", "steady"), ("first", "random", "random-field"),
    }  # fmt: skip
    assert tourney("verify", "gate-steady-vs-random").returncode == 0


def test_games_bots_and_limits_come_from_a_file(tourney, tmp_path):
    nested = tmp_path / "nested"
    nested.mkdir()
    (nested / "bots.py").write_text(BOTS.read_text(encoding="utf-8"), encoding="utf-8")
    (nested / "games.toml").write_text(
        'name = "any"\nseed = 1\nbots = ["first"]\n'
        '[[bot]]\nname = "tidy"\nuse = "bots.py:Tidied"\n'
        '[[game]]\nname = "leon"\nseats = 3\noptions = { max_cards = 3 }\nweight = 2\n'
        "[limits]\nmatch_s = 77\n",
        encoding="utf-8",
    )
    result = tourney("gate", "tidy", "--against", "steady", "--config", "nested/games.toml", "--game", "vole")
    assert result.returncode == 0, result.stderr
    manifest = orjson.loads((folder(tmp_path, "gate-tidy-vs-steady") / "manifest.json").read_bytes())["tournament"]
    assert [(game["game"], game["seats"]) for game in manifest["games"]] == [("leon", 3), ("vole", 2)]
    assert (manifest["weights"], manifest["match_s"]) == ([2, 1], 77)
    assert manifest["bots"][0]["use"] == "nested/bots.py:Tidied"


VERSION = """
from .helper import PLACE


class Bot:
    def act(self, view, legal):
        return legal[PLACE]
"""


def test_two_versions_in_two_folders_do_not_mix(tourney, tmp_path):
    """Each imports its own module of the same name; one plays the first card, the other the last."""
    for version, place in (("base", 0), ("head", -1)):
        home = tmp_path / version / "bot"
        home.mkdir(parents=True)
        (home / "__init__.py").write_text(VERSION, encoding="utf-8")
        (home / "helper.py").write_text(f"PLACE = {place}\n", encoding="utf-8")
    keys = ("--game", "vole", "--option", "vole.target=4", "--max-deals", 1)
    result = tourney("gate", "head/bot:Bot", "--against", "base/bot:Bot", *keys)
    assert result.returncode == 3, result.stderr
    verdict = orjson.loads((folder(tmp_path, "gate-bot-new-vs-bot-old") / "gate.json").read_bytes())
    assert verdict["faults"]["all"] == 0
    for record in map(orjson.loads, journal(folder(tmp_path, "gate-bot-new-vs-bot-old")).splitlines()):
        shown = tourney("replay", "gate-bot-new-vs-bot-old", record["match"], "--json").stdout.splitlines()
        acts = [event for event in map(orjson.loads, shown) if event["kind"] == "act"]
        for act in acts:
            place = -1 if record["seats"][act["seat"]] == "bot-new" else 0
            assert act["action"] == act["legal"][place]
        assert any(len(act["legal"]) > 1 for act in acts)


@pytest.mark.slow
def test_junit_markdown_and_json_agree(tourney, tmp_path):
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", encoding="utf-8")
    files = ("--junit", "made/junit.xml", "--markdown", summary)
    result = tourney(*FIRST, *files, "--json", "--quiet")
    assert result.returncode in (0, 1)
    assert result.stderr == ""
    verdict = orjson.loads(result.stdout)
    assert orjson.loads((folder(tmp_path) / "gate.json").read_bytes()) == verdict
    told = summary.read_text(encoding="utf-8")
    assert told.startswith("before\n## Gate: random against first\n\n**")
    assert f"({verdict['deals']} deals, {verdict['matches']} matches)**" in told
    suites = ElementTree.parse(tmp_path / "made" / "junit.xml").getroot()
    (suite,) = suites
    assert suites.tag == "testsuites"
    cases = {case.get("name"): [child.tag for child in case] for case in suite.findall("testcase")}
    assert cases == {"faults": [], "strength": ["failure"] if result.returncode else []}
    assert (suite.get("tests"), suite.get("failures")) == ("2", str(result.returncode))


@pytest.mark.parametrize(
    ("keys", "code", "cases"),
    [
        ((*FIRST, *CLOSE, "--max-deals", 2), 3, {"faults": [], "strength": ["error"]}),
        (
            ("gate", f"{BAD}:Raises", "--against", "first", "--game", "vole", "--inline"),
            1,
            {"faults": ["failure"], "strength": ["skipped"]},
        ),
        (FAULTY_OLD, 2, {"faults": [], "strength": ["error"]}),
    ],
)
def test_junit_reports_faults_and_gates_without_a_verdict(tourney, tmp_path, keys, code, cases):
    assert tourney(*keys, "--junit", "junit.xml").returncode == code
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()[0]
    assert {case.get("name"): [child.tag for child in case] for case in suite.findall("testcase")} == cases


VOLE = ("gate", "random", "--against", "first", "--game", "vole")
WRONG = {
    "an unknown bot": (("gate", "stedy", "--against", "first", "--game", "vole"), 'did you mean "steady"?'),
    "an unknown game": (("gate", "random", "--against", "first", "--game", "vol"), 'did you mean "vole"?'),
    "an unknown option": ((*VOLE, "--option", "vole.targt=3"), 'did you mean "target"?'),
    "a field that cannot play": ((*VOLE, "--field", "nobody.py:Bot"), 'no bot "nobody.py:Bot"'),
    "a file that is not there": ((*VOLE, "--config", "none.toml"), "none.toml: No such file or directory"),
    "a file of another kind": ((*VOLE, "--config", "junk.toml"), "junk.toml: not TOML"),
    "nothing to go on with": ((*VOLE, "--resume"), "is this the folder of a run?"),
    "a folder of another kind": ((*VOLE, "--out", "full"), "full: not an empty folder"),
    "a folder that is not a gate's": ((*VOLE, "--out", "full", "--overwrite"), "full: not an empty folder"),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_errors_are_one_line(tourney, tmp_path, wrong):
    (tmp_path / "junk.toml").write_text("[[[", encoding="utf-8")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine", encoding="utf-8")
    keys, told = WRONG[wrong]
    one_line(tourney(*keys), 2, told)
    assert (tmp_path / "full" / "mine.txt").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "full" / "mine.txt").exists()


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (("gate", "random", "--against", "first"), "give --game GAME"),
        (("gate", "random", "--against", "first", "--game", "leon"), "say how many seats, as in leon:2"),
        (("gate", "random", "--against", "first", "--game", "leon:x"), "give the number of seats"),
        ((*VOLE, "--option", "target=3"), "write GAME.KEY=VALUE"),
        ((*VOLE, "--option", "leon.max_cards=3"), "there is no --game leon"),
        ((*VOLE, "--elo0", "5"), "elo0 = 5 must be below elo1 = 0"),
        ((*VOLE, "--resume", "--overwrite"), "use one of them"),
        ((*VOLE, "--alpha", "0.7"), "--alpha"),
    ],
)
def test_wrong_use_says_what_to_do(tourney, keys, told):
    result = tourney(*keys)
    assert result.returncode == 2
    assert told in result.stderr
    assert "Traceback" not in result.stderr


def test_a_report_that_cannot_be_written_after_all_ends_with_one_line(tourney, tmp_path):
    keys = (*FIRST, *CLOSE, "--max-deals", 2, "--quiet", "--junit", "/dev/full")
    result = tourney(*keys)
    assert result.returncode == 4
    verdict = folder(tmp_path) / "gate.json"
    assert verdict.exists()
    told = "tourney: /dev/full: cannot be written (No space left on device); the verdict is in "
    assert result.stderr.startswith(f"{told}{verdict.relative_to(tmp_path)}, continue with: ")
    assert "UNDECIDED" in result.stdout


@pytest.mark.parametrize(
    ("field", "deals"), [((), 56), pytest.param(("--field", "random"), 114, marks=pytest.mark.slow)]
)
def test_a_gate_of_equals_passes_after_a_known_number_of_deals(tourney, field, deals):
    """Both draw the same lots in the same seats, so that every deal comes out even."""
    result = tourney("gate", "random", "--against", "random", "--game", "vole", "--quiet", "--json", *field)
    assert result.returncode == 0, result.stderr
    verdict = orjson.loads(result.stdout)
    assert verdict["deals"] == deals
    assert verdict["all"] == {"score": 0.5, "elo": 0.0, "elo_low": 0.0, "elo_high": 0.0}
    assert verdict["worst"] == []
    told = tourney("gate", "random", "--against", "random", "--game", "vole", "--quiet", "--resume", *field).stdout
    matches = verdict["matches"]
    assert f"random-new is not weaker than random-old by 25 Elo or more ({deals} deals, {matches} " in " ".join(
        told.split()
    )
    assert re.search(rf"vole, 2 seats +{deals} +50\.0 +±0 +±0\n", told)
    assert "every deal came out exactly even" in told


def test_equals_are_0_elo_apart_and_names_are_not_broken(tourney, tmp_path):
    """Names are not broken where a sentence is wrapped, and zero is printed without a sign."""
    result = tourney("gate", "first", "--against", "first", "--game", "vole", "--max-deals", 3, "--quiet")
    assert result.returncode == 3
    assert "first-new and\n    first-old (" in result.stdout
    data = (folder(tmp_path, "gate-first-new-vs-first-old") / "gate.json").read_bytes()
    assert orjson.loads(data)["all"]["elo"] == 0
    assert b"-0.0" not in data


def test_a_run_of_another_kind_is_not_overwritten(tourney, write, played, tmp_path):
    played(write())
    before = journal(tmp_path / "run")
    one_line(tourney(*VOLE, "--out", "run", "--overwrite"), 2, "run: holds a run that is not a gate")
    one_line(tourney(*VOLE, "--out", "run", "--resume"), 2, "run: holds a run that is not a gate")
    assert journal(tmp_path / "run") == before
