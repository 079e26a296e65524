"""`tourney gate` as users and build servers run it."""

import re

import orjson

from tests.cli.runs import cut, journal, one_line
from tests.conftest import BAD, ROOT, with_code
from tourney.plugins.registry import game_names, load_game

BOTS = ROOT / "tests" / "standings" / "coverage_bots.py"
FIRST = ("gate", "random", "--against", "first", "--game", "vole", "--option", "vole.target=6")
CLOSE = ("--elo0", "-3", "--elo1", "3")  # too close together for hundreds of deals to decide


def folder(tmp_path, name="gate-random-vs-first"):
    return tmp_path / "results" / name


def test_a_gate_undecided_at_the_cap_resumes_with_a_larger_cap_to_the_same_bytes(tourney, tmp_path):
    assert with_code(tourney(*FIRST, *CLOSE, "--max-deals", 20), 3).stdout.startswith("UNDECIDED: ")
    assert orjson.loads((folder(tmp_path) / "gate.json").read_bytes())["because"] == "cap"
    assert tourney("verify", folder(tmp_path)).stdout == "40 of 40 records verified\n"
    assert tourney(*FIRST, *CLOSE, "--max-deals", 45, "--resume").returncode == 3
    assert tourney(*FIRST, *CLOSE, "--max-deals", 45, "--out", "whole").returncode == 3
    for name in ("journal.jsonl", "gate.json", "manifest.json"):
        assert (folder(tmp_path) / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    one_line(tourney(*FIRST, *CLOSE, "--max-deals", 44, "--resume"), 2, "started with max_deals = 45")
    one_line(
        tourney(*FIRST, "--elo0", -4, "--max-deals", 45, "--resume"), 2, "created with different settings: gate.elo0"
    )
    one_line(tourney(*FIRST, *CLOSE, "--max-deals", 45), 2, "already contains a run; use resume")
    assert tourney(*FIRST, *CLOSE, "--max-deals", 5, "--overwrite").returncode == 3
    assert len(journal(folder(tmp_path)).splitlines()) == 10
    full = tourney(*FIRST, *CLOSE, "--max-deals", 5, "--resume", "--write", "/dev/full")
    one_line(full, 4, "/dev/full: cannot be written (No space left on device); the verdict is in ", "--resume")


def test_a_gate_can_be_resumed_after_any_line(tourney, tmp_path):
    """Within a block, within a deal of two games, and between deals."""
    keys = (*FIRST, "--game", "leon:3", "--field", "first", *CLOSE, "--max-deals", 7)
    assert tourney(*keys).returncode == 3
    path = folder(tmp_path)
    whole, verdict = journal(path), (path / "gate.json").read_bytes()
    assert whole.count(b"\n") == 7 * (4 + 6)
    for kept in (1, 41):
        cut(path, kept, b'{"match":"vo')
        assert tourney(*keys, "--resume", "--workers", 2).returncode == 3
        assert journal(path) == whole
        assert (path / "gate.json").read_bytes() == verdict


def test_a_gate_is_decided_again_by_its_bots(tourney):
    """In the first match sits only the one that is compared, in the last only the other, as there is a field."""
    games = " ".join([f"--game {name}:{load_game(name).seats[0]}" for name in game_names()])
    keys = f"{games} --field random --field steady --max-deals 1 --host inline --quiet --out gate"
    assert tourney("gate", "random", "--against", "random", *keys.split()).returncode == 3
    assert tourney("verify", "gate", "--bots").returncode == 0


def test_faults_of_the_new_bot_fail_the_gate_at_once(tourney, tmp_path):
    keys = ("gate", f"{BAD}:RaisesLater", "--against", "random", "--game", "vole", "--host", "inline")
    keys += ("--write", "summary.md", "--write", "made/junit.xml")
    result = with_code(tourney(*keys), 1)
    assert result.stdout.startswith("FAILED: bots made 2 faults, the first: error at decision ")
    assert len(journal(folder(tmp_path, "gate-bots-vs-random")).splitlines()) == 2
    command = result.stdout.splitlines()[-1].split()
    assert command[:2] == ["tourney", "debug"]
    assert "recorded: a fault, error" in tourney(*command[1:], "--ask").stdout
    assert "unknown" in result.stdout, "a fault says nothing of the strength"
    allowed = with_code(tourney(*keys, "--allow-faults", 7, "--overwrite"), 1)
    assert allowed.stdout.startswith("FAILED: bots made 8 faults")
    assert (tmp_path / "summary.md").read_text(encoding="utf-8").count("## Gate: ") == 2, "it is appended to"
    assert "made 8 faults" in (tmp_path / "made" / "junit.xml").read_text(encoding="utf-8")


SLOW = """
import time
import tourney
class Quick:
    games = ("vole",)
    wait_s = 0.0
    def start(self, facts):
        self.policy, self.left_s = tourney.load_policy("vole")(facts), self.wait_s
    def act(self, view, legal):
        time.sleep(self.left_s)
        self.left_s = 0.0
        return self.policy.act(view, legal)
class Slow(Quick):
    wait_s = 0.2
"""


def test_a_bot_that_takes_longer_is_told_everywhere_and_fails_where_time_has_a_limit(tourney, tmp_path):
    """It plays as the other does, and is slow at its first decision alone."""
    (tmp_path / "slow.py").write_text(SLOW, encoding="utf-8")
    keys = ("gate", "slow.py:Slow", "--against", "slow.py:Quick", "--game", "vole", "--max-deals", 24, "--out", "gate")
    keys += ("--option", "vole.target=3", "--write", "gate.md", "--write", "gate.xml")
    told = "slow-new thinks [0-9.]+ times as long as slow-old "
    assert re.search(told, with_code(tourney(*keys), 3).stdout)
    assert re.search(told, (tmp_path / "gate.md").read_text(encoding="utf-8"))
    assert b'"time"' not in (tmp_path / "gate" / "gate.json").read_bytes(), "it is the same on every machine"
    failed = with_code(tourney(*keys, "--max-slower", 1.5, "--resume", "--json"), 1)
    verdict = orjson.loads(failed.stdout)
    assert (verdict["verdict"], verdict["because"]) == ("failed", "time")
    assert verdict["time"]["factor"] >= verdict["time"]["sure"] > 1.5
    assert orjson.loads((tmp_path / "gate" / "gate.json").read_bytes()) == verdict
    assert re.search(f"FAILED: {told}", (tmp_path / "gate.md").read_text(encoding="utf-8"))
    assert 'type="slower"' in (tmp_path / "gate.xml").read_text(encoding="utf-8")
    assert with_code(tourney(*keys, "--max-slower", 1e9, "--resume"), 3).stdout.startswith("UNDECIDED")
    compared = tourney("compare", "slow-new", "slow-old", "--run", "gate").stdout
    assert re.search(told, compared)


def test_a_failed_gate_names_the_decision_where_the_two_part(tourney):
    result = with_code(
        tourney("gate", "random", "--against", "steady", "--game", "vole", "--quiet", "--out", "gate"), 1
    )
    replay, debug = [line.split() for line in result.stdout.splitlines()[-2:]]
    match, decision = debug[-2:]
    row = next(line for line in result.stdout.splitlines() if replay[-1] in line).split()
    assert row[-3] == decision
    asked = with_code(tourney(*debug[1:], "--ask"), 0).stdout
    assert f"{match}, decision {decision} of" in asked
    assert f" ({row[-2]})\n" in asked
    assert row[-1] != row[-2]


def test_a_pass_against_an_old_bot_with_faults_in_most_matches_does_not_count(tourney, tmp_path):
    result = with_code(
        tourney("gate", "random", "--against", f"{BAD}:RaisesLater", "--game", "vole", "--host", "inline"), 2
    )
    assert result.stdout.startswith("INVALID: random would pass, but bots made faults")
    assert "--allow-old-faults" in result.stdout
    assert re.search(r"faults: NEW 0, OLD \d+, others 0", result.stdout)
    path = folder(tmp_path, "gate-random-vs-bots")
    verdict = orjson.loads((path / "gate.json").read_bytes())
    assert (verdict["verdict"], verdict["because"]) == ("invalid", "old faults")
    assert verdict["faults"]["old_matches"]["matches"] == verdict["matches"]
    assert 10 * verdict["faults"]["old_matches"]["faulty"] > verdict["matches"]
    assert tourney("verify", path).returncode == 0


def test_games_bots_and_limits_come_from_a_file(tourney, tmp_path):
    (nested := tmp_path / "nested").mkdir()
    (nested / "bots.py").write_text(BOTS.read_text(encoding="utf-8"), encoding="utf-8")
    tidy = '[[bot]]\nname = "tidy"\nuse = "bots.py:Tidied"\n[limits]\nmatch_s = 77\nclock = "1h+5s"\n'
    leon = '[[game]]\nname = "leon"\nseats = 3\noptions = { max_cards = 3 }\nweight = 2\n'
    (nested / "games.toml").write_text(f'name = "any"\nseed = 1\nbots = ["first"]\n{tidy}{leon}', encoding="utf-8")
    result = tourney("gate", "tidy", "--against", "steady", "--config", "nested/games.toml", "--game", "vole")
    assert result.returncode == 0, result.stderr
    manifest = orjson.loads((folder(tmp_path, "gate-tidy-vs-steady") / "manifest.json").read_bytes())["tournament"]
    assert [(game["game"], game["seats"]) for game in manifest["games"]] == [("leon", 3), ("vole", 2)]
    assert (manifest["weights"], manifest["match_s"]) == ([2, 1], 77)
    assert manifest["bots"][0]["use"] == "nested/bots.py:Tidied"
    assert [bot["limits"]["clock"] for bot in manifest["bots"]] == ["1h+5s"] * 2
