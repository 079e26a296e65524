"""`tourney run --extend` plays only the missing matches of a run with more bots or deals, and writes the same bytes."""

import random
import subprocess
import sys

import pytest

from tests.cli.runs import LARGER, journal, kill_again_and_again, one_line, same_run
from tests.conftest import BAD, mostly_slow

VOLE = '[[game]]\nname = "vole"\noptions = { target = 6 }'
BANG = '[[game]]\nname = "bang"\nseats = 3'


def bots(*names: str) -> str:
    """Bots in this order: `first-2` is another `first`, and names with a capital are of tests/bad/bots.py."""
    uses = [f"{BAD}:{name}" if name[0].isupper() else name.partition("-")[0] for name in names]
    return "\n".join([f'[[bot]]\nname = "{name}"\nuse = "{use}"' for name, use in zip(names, uses, strict=True)])


def keys(names: str, game: str = VOLE, **others: str) -> dict[str, str]:
    return {"bots": "[]", "deals": "2", "game": game, "extra": bots(*names.split())} | others


SAME = {  # the earlier run, the run that extends it, and how many matches are reused
    "two seats": (keys("random first steady"), keys("random first steady first-2"), 12),
    "more deals": (keys("random first steady"), keys("random first steady", deals="5"), 12),
    "fewer bots and deals": (keys("random first steady first-2", deals="3"), keys("random first-2"), 4),
    "two seats in another order": (keys("random first steady"), keys("steady random-2 first random"), 12),
    "three seats": (keys("random first steady first-2", BANG), keys("random steady-2 first steady first-2", BANG), 24),
    # three can sit around a table in two orders, and rotations keep the order: one of the four groups has turned
    "three seats in another order": (
        keys("random first steady first-2", BANG),
        keys("first random steady first-2", BANG),
        2 * 3 * 2,
    ),
    "every seating": (
        keys("random first steady", BANG, seatings='"all"'),
        keys("steady first random first-2", BANG, seatings='"all"'),
        12,
    ),
    "two games and faults": (
        keys("random RaisesLater first", VOLE + "\n" + BANG),
        keys("random RaisesLater steady first", VOLE + "\nweight = 2\n" + BANG, deals="3"),
        12 + 6,
    ),
    "gauntlet": (
        keys("random first steady", format='"gauntlet"', challengers='["steady"]'),
        keys("random first first-2 steady steady-2", format='"gauntlet"', challengers='["steady-2", "steady"]'),
        8,
    ),
    "gauntlet of three seats": (
        keys("random first steady", BANG, format='"gauntlet"', challengers='["steady"]'),
        keys("random first first-2 steady", BANG, format='"gauntlet"', challengers='["steady"]'),
        6,
    ),
}


@pytest.mark.parametrize("case", mostly_slow(SAME, "more deals", "three seats in another order"))
def test_an_extended_run_has_the_same_bytes_as_a_new_one(tourney, write, played, tmp_path, case):
    earlier, later, taken = SAME[case]
    played(write("earlier", **earlier), "earlier")
    config = write("later", **later)
    played(config, "whole")
    result = tourney("run", config, "--out", "extended", "--extend", "earlier", "--workers", 2)
    assert result.returncode == 0, result.stderr
    same_run(tmp_path / "extended", tmp_path / "whole")
    total = len(journal(tmp_path / "whole").splitlines())
    told = " ".join(result.stderr.split())
    assert told.startswith(f"{taken} matches are taken over from earlier, {total - taken} are played ")
    assert f" played {total - taken} matches in " in told
    assert f" ({taken} were there already)" in told
    assert tourney("verify", "extended").stdout == f"{total} of {total} records hold\n"


COUNTING = """
from pathlib import Path
class Counting:
    def start(self, facts):
        with Path(__file__).with_name("asked").open("a") as file:
            file.write("a match\\n")
    def act(self, view, legal):
        return legal[0]
"""


@pytest.mark.slow
def test_bots_are_not_asked_again_in_reused_matches(tourney, write, tmp_path):
    (tmp_path / "counting.py").write_text(COUNTING, encoding="utf-8")
    asked = tmp_path / "asked"
    counting = '[[bot]]\nname = "counting"\nuse = "counting.py:Counting"\n'
    earlier = write("earlier", bots="[]", extra=counting + bots("first", "random"))
    assert tourney("run", earlier, "--quiet").returncode == 0
    assert len(asked.read_text().splitlines()) == 2 * 4 * 2, "two others, four deals, two seats"
    asked.unlink()
    later = write("later", bots="[]", extra=counting + bots("steady", "first", "random"))
    assert tourney("run", later, "--quiet", "--extend", "earlier").returncode == 0
    assert len(asked.read_text().splitlines()) == 1 * 4 * 2
    asked.unlink()
    assert tourney("run", later, "--quiet", "--extend", "results/later", "--out", "again").returncode == 0
    assert not asked.exists()


@pytest.mark.slow
def test_the_complete_blocks_of_an_unfinished_run_are_reused(tourney, write, played, tmp_path):
    """The earlier run lacks a match of a block and has a torn line; the new run is stopped, too, and resumed."""
    played(write("earlier"), "earlier")
    lines = journal(tmp_path / "earlier").splitlines(keepends=True)
    cut = b"".join(lines[:9]) + lines[9][:40]
    (tmp_path / "earlier" / "journal.jsonl").write_bytes(cut)
    config = write("later", extra=bots("first-2"))
    played(config, "whole")
    result = tourney("run", config, "--out", "extended", "--extend", "earlier")
    assert result.stderr.startswith("8 matches are taken over from earlier, 40 are played\n")
    same_run(tmp_path / "extended", tmp_path / "whole")
    whole = journal(tmp_path / "whole").splitlines(keepends=True)
    for kept, more in (
        (0, ["--extend", "earlier"]),
        (1, ["--extend", "earlier"]),
        (15, ["--extend", "earlier"]),
        (4, []),
    ):
        (tmp_path / "extended" / "journal.jsonl").write_bytes(b"".join(whole[:kept]) + b'{"match":"vo')
        assert tourney("run", config, "--quiet", "--out", "extended", "--resume", *more).returncode == 0
        same_run(tmp_path / "extended", tmp_path / "whole")
    assert journal(tmp_path / "earlier") == cut


@pytest.mark.slow
@pytest.mark.parametrize("more", [["--extend", "earlier"], []], ids=["with --extend", "without"])
def test_an_extended_run_that_is_killed_and_resumed_has_the_same_bytes(tourney, write, played, tmp_path, more):
    played(write("earlier", **LARGER), "earlier")
    config = write("later", extra=bots("first-2", "steady-2"), **LARGER)
    played(config, "whole")
    kill_again_and_again(tmp_path, random.Random(5), 3, config, "--extend", "earlier")
    assert tourney("run", config, "--out", "killed", "--resume", *more).returncode == 0
    same_run(tmp_path / "killed", tmp_path / "whole")


GROUPS = keys("random first steady first-2", groups="2")
REFUSED = {  # the earlier run, the run that extends it, and what the error says
    "another seed": (keys("random first"), keys("random first", seed="4"), "tournament.seed: "),
    "another option": (
        keys("random first"),
        keys("random first", '[[game]]\nname = "vole"'),
        "tournament.games.0.options.target: 6 became null",
    ),
    "other seatings": (
        keys("random first steady", BANG),
        keys("random first steady", BANG, seatings='"all"'),
        'tournament.seatings: "rotations" became "all"',
    ),
    "a game more": (
        keys("random first steady"),
        keys("random first steady", VOLE + "\n" + BANG),
        "tournament.games.1: null became",
    ),
    "other limits": (
        keys("random first"),
        keys("random first", VOLE + "\n[limits]\nmatch_s = 9"),
        "tournament.match_s: 120.0 became 9.0",
    ),
    "another bot under the name": (
        keys("random first"),
        keys("random", extra='[[bot]]\nname = "random"\nuse = "random"\n[[bot]]\nname = "first"\nuse = "steady"'),
        'bot.first.use: "first" became "steady"',
    ),
    "another format": (
        keys("random first steady"),
        keys("random first steady", format='"gauntlet"', challengers='["first"]'),
        'tournament.format: "round-robin" became "gauntlet"',
    ),
    "chosen groups": (keys("random first steady"), GROUPS, "2 of 6 groups of vole are chosen"),
    "chosen groups in the earlier run": (GROUPS, keys("random first steady"), "2 of 6 groups of vole are chosen"),
    "Swiss": (*[keys("random first steady", format='"swiss"', rounds="2")] * 2, "in a swiss an entrant more"),
    "knockout": (*[keys("random first steady", format='"knockout"')] * 2, "in a knockout an entrant more"),
}  # fmt: skip


@pytest.mark.parametrize(
    "case",
    mostly_slow(REFUSED, "another option", "another bot under the name", "other limits", "chosen groups", "Swiss"),
)
def test_a_run_whose_matches_would_differ_is_refused_before_anything_is_written(tourney, write, played, tmp_path, case):
    earlier, later, says = REFUSED[case]
    played(write("earlier", **earlier | {"deals": "1"}), "results/earlier")
    result = tourney("run", write("later", **later), "--extend", "earlier")
    one_line(result, 2, "results/earlier: ", says)
    assert not (tmp_path / "results" / "later").exists()


def test_a_changed_bot_is_refused_and_a_new_one_is_not(tourney, write, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text("class Mine:\n    def act(self, view, legal):\n        return legal[0]\n", encoding="utf-8")
    assert tourney("run", write("earlier", bots='["first", "mine.py:Mine"]'), "--quiet").returncode == 0
    file.write_text("class Mine:\n    def act(self, view, legal):\n        return legal[-1]\n", encoding="utf-8")
    config = write("later", bots='["first", "steady", "mine.py:Mine"]')
    one_line(tourney("run", config, "--extend", "earlier"), 2, "results/earlier: ", "bots.mine.sha256: ")
    config = write("later", bots='["first", "steady"]')
    assert tourney("run", config, "--extend", "earlier", "--quiet").returncode == 0


@pytest.mark.slow
def test_a_damaged_or_missing_earlier_run_is_refused_with_one_line(tourney, write, played, tmp_path):
    played(write("earlier"), "results/earlier")
    config = write("later", deals="5")
    file = tmp_path / "results" / "earlier" / "journal.jsonl"
    whole = file.read_bytes()
    lines = whole.splitlines(keepends=True)
    file.write_bytes(b"".join([*lines[:4], lines[4].replace(b"play:", b"play;", 1), *lines[5:]]))
    one_line(
        tourney("run", config, "--extend", "earlier"), 2, "journal.jsonl, line 5: was changed after it was written"
    )
    file.write_bytes(b"".join(lines[1:]))
    one_line(tourney("run", config, "--extend", "earlier"), 2, "journal.jsonl, line 1: ")
    file.write_bytes(whole)
    manifest = file.with_name("manifest.json")
    sealed = manifest.read_bytes()
    manifest.write_bytes(sealed.replace(b'"deals": 4', b'"deals": 3'))
    one_line(tourney("run", config, "--extend", "earlier"), 2, "manifest.json: was changed after it was written")
    manifest.write_bytes(sealed)
    one_line(tourney("run", config, "--extend", "erlier"), 2, "erlier: there is no such run")
    assert not (tmp_path / "results" / "later").exists()
    for more in ([], ["--resume"]):
        result = tourney("run", config, "--out", "results/../results/earlier", "--extend", "earlier", *more)
        one_line(result, 2, "a run cannot extend itself", "another folder")
    assert file.read_bytes() == whole


@pytest.mark.slow
def test_memory_of_the_main_process_does_not_grow_with_the_earlier_run(tourney, write, tmp_path):
    """Only the offset of each block is kept in memory, which takes eight bytes."""
    peaks = []
    for deals in (500, 10_000):
        given = {"deals": str(deals), "game": '[[game]]\nname = "vole"\noptions = { target = 1 }'}
        config = write(f"earlier{deals}", bots='["first", "random"]', **given)
        assert tourney("run", config, "--quiet").returncode == 0
        config = write(f"later{deals}", bots='["first", "random"]', **given | {"deals": str(deals + 10)})
        code = (
            "import resource, sys; from tourney.cli.main import main;"
            f"sys.argv = ['tourney', 'run', {str(config)!r}, '--quiet', '--extend', 'earlier{deals}'];"
            "\ntry: main()\nexcept SystemExit: print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        )
        result = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
        peaks.append(int(result.stdout.rsplit("peak ", 1)[1]))
    assert peaks[1] < peaks[0] + 8 * 1024, "kilobytes"


def test_a_run_with_limits_on_faults_is_not_extended(tourney, write, played):
    played(write("small"), "small")
    larger = write("larger", deals="5", extra="[limits]\nmax_faults = 3")
    result = tourney("run", larger, "--out", "larger", "--extend", "small")
    assert (result.returncode, result.stderr.count("\n")) == (2, 1)
    assert "who is disqualified depends on the matches before" in result.stderr
