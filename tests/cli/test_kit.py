"""A kit for participants: what it holds, and that its check is the league's own."""

import re
import stat
from zipfile import ZipFile, ZipInfo

import pytest

from tests.cli.kinds import make_league
from tests.conftest import apart, called, with_code
from tests.environments import made_once

BAD = "class Bad:\n    def act(self, view, legal):\n        return None\n"
LINKED = ZipInfo("check.toml")
LINKED.external_attr = (stat.S_IFLNK | 0o777) << 16
WRONG = {
    "link": (LINKED, "/etc/passwd", "check.toml is a link; put the file itself there"),
    "large": ("check.toml", " " * (3 << 20), "check.toml is larger than"),
    "none": ("other.toml", "", "has no check.toml"),
    "program": ("check.toml", 'bot = [{ name = "x", command = ["touch", "ran"] }]', "a kit has only installed bots"),
    "file": ("check.toml", 'bot = [{ name = "x", use = "x.py:X" }]', "a kit has only installed bots"),
    "reads": ("check.toml", 'defaults.reads = ["/etc"]', "a kit reads no files"),
    "number": ("check.toml", "bot = 3", "a kit has only installed bots"),
    "empty": ("check.toml", "", 'kit.zip/check.toml: missing key "name"'),
    "key": ("check.toml", 'bots = ["x.py:X"]', "bots: not a key of a kit"),
}


def make(place):
    make_league(place, "first")
    file = place / "run" / "tournament.toml"
    file.write_text(file.read_text().replace("[limits]", '[defaults]\nhost = "process"\n[limits]\nmove_ms = 3000'))
    with_code(called(["bundle", "run", "--kit", "-o", "kit.zip"], place))


@pytest.fixture
def kit(shared_folder, tmp_path):
    """A league and its kit, unpacked."""
    made = made_once(shared_folder / "kit", make)
    with ZipFile(made / "kit.zip") as file:
        file.extractall(tmp_path / "kit")
    (tmp_path / "bad.py").write_text(BAD)
    return made


def test_a_kit_tells_what_is_played_and_no_seed_and_no_participant(kit, tmp_path):
    texts = {file.name: file.read_text() for file in (tmp_path / "kit").iterdir()}
    assert texts.keys() == {"README.md", "check.toml", "mybot.py"}
    for said in ('name = "vole"', "seats = 2", "move_ms = 3000", 'host = "process"', "max_files = 1000", "steady"):
        assert said in texts["check.toml"]
    (seed,) = re.findall(r'seed = "(.*)"', (kit / "run" / "tournament.toml").read_text())
    assert [name for name, text in texts.items() if seed in text or str(kit) in text] == []


def test_the_check_of_a_kit_is_that_of_its_league(kit, tmp_path):
    refused = with_code(apart(tmp_path, "check", "--kit", "kit", "bad.py:Bad"), 1).stdout.splitlines()
    with_code(called(["league", "submit", str(kit / "run"), "bad.py:Bad"], tmp_path), 1)
    opened = apart(tmp_path, *refused[1].split()[1:], typed="c\n")
    assert "answered: no action (NoneType), as recorded" in with_code(opened).stdout
    logged = (kit / "run" / "bots" / "bad@1" / "check.txt").read_text().splitlines()
    failure = next(line for line in logged if line.startswith("FAIL"))
    assert re.sub(r"decision \d+", "", refused[0]) == re.sub(r"decision \d+", "", failure)
    assert with_code(apart(tmp_path, "check", "--kit", kit / "kit.zip", "first")).stdout.startswith("ok    legality")


@pytest.mark.parametrize("wrong", WRONG)
def test_a_kit_of_a_stranger_runs_nothing_and_is_read_within_bounds(wrong, tmp_path):
    name, text, said = WRONG[wrong]
    with ZipFile(tmp_path / "kit.zip", "w") as file:
        file.writestr(name, text)
    refused = with_code(called(["check", "--kit", "kit.zip", "first"], tmp_path), 2)
    assert said in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "ran").exists()


def test_what_is_no_kit_is_refused_in_a_line(kit, tmp_path):
    (tmp_path / "kit.zip").write_text("no zip")
    for words, said in (
        ("check --kit kit.zip first", "kit.zip: not a readable zip file"),
        ("check --kit gone.zip first", "gone.zip: No such file"),
        ("check --kit kit.zip", "--kit requires one BOT"),
        (f"bundle {kit}/run -o x.zip", "missing --bot NAME, or --kit"),
    ):
        assert said in with_code(called(words.split(), tmp_path), 2).stderr
