"""Every command that reads a run, on damaged files: no traceback and no wrong standings."""

import re
import shutil
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cli.runs import contents
from tests.conftest import BAD, called, tournament_text
from tourney.base.errors import EXIT_BUG
from tourney.journal import folder

FAULTS = '[[bot]]\nname = "bad"\nuse = "bots.py:RaisesLater"\n[limits]\nmax_faults = 3'
USUAL = {"deals": "2", "bots": '["first", "random"]', "game": '[[game]]\nname = "vole"\noptions = { target = 1 }'}
FORMATS = {"round-robin": {}, "swiss": {"format": '"swiss"', "rounds": "2", "bots": '["first", "random", "steady"]'}}
READING = (("standings",), ("matches",), ("replay",), ("verify",), ("diff",))


def tourney(*arguments):
    return called([*map(str, arguments)], Path.cwd())


class Run:
    """A finished run whose files can be damaged and restored."""

    def __init__(self, place, keys):
        self.config = place / "t.toml"
        shutil.copy(BAD, place)
        self.config.write_text(tournament_text("t", **USUAL | {"extra": FAULTS} | keys), encoding="utf-8")
        self.path = place / "run"
        assert tourney("run", self.config, "--out", self.path, "--quiet", "--workers", 1).returncode == 0
        self.files = contents(self.path)
        self.lines = self.files[folder.JOURNAL].splitlines(keepends=True)
        self.matches = [orjson.loads(line)["match"] for line in self.lines]
        self.prefixes: dict[int, object] = {}
        for kept in range(len(self.lines) + 1):
            self.write(folder.JOURNAL, b"".join(self.lines[:kept]))
            self.prefixes[kept] = orjson.loads(tourney("standings", self.path, "--format", "json").stdout)

    def write(self, name, data):
        for file, whole in self.files.items():
            (self.path / file).write_bytes(data if file == name else whole)

    def outcome(self, *arguments):
        """Runs a command, which must succeed or print one line and end with the right exit code."""
        result = tourney(*arguments)
        assert result.returncode != EXIT_BUG, (arguments, result)
        if result.returncode in (2, 4):
            assert len(result.stderr.splitlines()) == 1, result.stderr
            assert result.stderr.startswith("tourney: ")
        return result

    def examine(self):
        """Runs every command on the files as they are now."""
        data, intact = (self.path / folder.JOURNAL).read_bytes(), 0
        while intact < len(self.lines) and data.startswith(b"".join(self.lines[: intact + 1])):
            intact += 1
        torn = data[len(b"".join(self.lines[:intact])) :]
        sound = b"\n" not in torn  # only the last line is torn, which is left out
        result = self.outcome("standings", self.path, "--format", "json")
        assert (result.returncode == 0) == sound, (result.returncode, torn[:200])
        if sound:
            assert orjson.loads(result.stdout) == self.prefixes[intact]
        result = self.outcome("matches", self.path)
        assert result.returncode == (0 if sound else 2)
        listed = [line.split()[0] for line in result.stdout.splitlines()]
        assert listed == (self.matches[:intact] if sound else self.matches[: len(listed)])
        assert len(listed) <= intact
        for match in (self.matches[0], self.matches[-1]):
            assert self.outcome("replay", self.path, match).returncode in (0, 2)
        result = self.outcome("verify", self.path)
        assert result.returncode == (0 if sound else 1), result
        assert int(re.findall(r"(\d+) of \d+ records verified", result.stdout)[-1]) >= intact
        if not sound:
            result = self.outcome("run", self.config, "--out", self.path, "--resume", "--workers", 1, "--quiet")
            assert result.returncode == 2
            assert (self.path / folder.JOURNAL).read_bytes() == data, "what is damaged stays as it is"


@pytest.fixture(scope="module", params=["round-robin", pytest.param("swiss", marks=pytest.mark.slow)])
def run(request, tmp_path_factory):
    return Run(tmp_path_factory.mktemp("damage"), FORMATS[request.param])


@settings(max_examples=40)
@given(data=st.data())
def test_a_damaged_journal_gives_no_wrong_standings_and_stays_as_it_is(run, data):
    lines, whole = list(run.lines), bytearray(run.files[folder.JOURNAL])
    at, to = [data.draw(st.integers(0, len(lines) - 1)) for _ in range(2)]
    match data.draw(st.sampled_from(["cut", "flipped", "missing", "twice", "swapped", "replaced", "foreign"])):
        case "cut":
            lines = [whole[: data.draw(st.integers(0, len(whole)))] + data.draw(st.binary(max_size=30))]
        case "flipped":
            whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
            lines = [whole]
        case "missing":
            del lines[at]
        case "twice":
            lines.insert(to, lines[at])
        case "swapped":
            lines[at], lines[to] = lines[to], lines[at]
        case "replaced":
            lines[to] = lines[at]
        case "foreign":
            known = st.sampled_from([b"{}", b"[1]", b"null", lines[to][:-30] + b"}"])
            lines.insert(at, data.draw(st.binary(max_size=300) | known).replace(b"\n", b"") + b"\n")
    run.write(folder.JOURNAL, b"".join(lines))
    run.examine()


def test_no_command_goes_by_a_changed_manifest(run):
    whole = run.files[folder.MANIFEST]
    run.write(folder.MANIFEST, whole.replace(b'"deals": 2', b'"deals": 1'))
    resume = ("run", run.config, "--out", run.path, "--resume", "--workers", 1, "--quiet")
    gate = ("gate", "random", "--against", "first", "--game", "vole", "--out", run.path)
    playing = [("verify", run.path, "--bots"), ("debug", run.path, run.matches[-1], 1), resume, (*resume, "--force")]
    refuse_manifest(run, [*READING, *playing, (*gate, "--resume"), (*gate, "--overwrite")])
    run.write(folder.MANIFEST, whole[: whole.index(b',\n  "seal"')] + b"\n}\n")
    refuse_manifest(run, READING)


def refuse_manifest(run, commands):
    found = contents(run.path)
    further = {"replay": [run.matches[-1]], "diff": [run.path]}
    for command in commands:
        result = run.outcome(*(command if len(command) > 1 else [*command, run.path, *further.get(command[0], [])]))
        assert result.returncode == 2, (command, result)
        assert "manifest" in result.stderr, (command, result)
        assert "; restore it from a backup, or run the tournament again" in result.stderr, (command, result)
    assert contents(run.path) == found
