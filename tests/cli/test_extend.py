"""`tourney run --extend` plays only the missing matches of a run with more bots or deals; it deals new deals afresh."""

import orjson
import pytest

from tests.cli.runs import journal, one_line
from tests.conftest import BAD

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
    # three can sit around a table in two orders, and rotations keep the order: one of the four groups has turned
    "three seats in another order": (
        keys("random first steady first-2", BANG),
        keys("first random steady first-2", BANG),
        2 * 3 * 2,
    ),
    "two games and faults": (
        keys("random RaisesLater first", VOLE + "\n" + BANG),
        keys("random RaisesLater steady first", VOLE + "\nweight = 2\n" + BANG),
        12 + 6,
    ),
    "gauntlet": (
        keys("random first steady", format='"gauntlet"', challengers='["steady"]'),
        keys("random first first-2 steady steady-2", format='"gauntlet"', challengers='["steady-2", "steady"]'),
        8,
    ),
}


@pytest.mark.parametrize("case", SAME)
def test_more_bots_meet_on_the_same_deals_with_the_same_bytes_as_in_a_new_run(tourney, write, played, tmp_path, case):
    earlier, later, taken = SAME[case]
    played(write("earlier", **earlier), "earlier")
    config = write("later", **later)
    played(config, "whole")
    result = tourney("run", config, "--out", "extended", "--extend", "earlier", "--workers", 2)
    assert result.returncode == 0, result.stderr
    assert journal(tmp_path / "extended") == journal(tmp_path / "whole")
    total = len(journal(tmp_path / "whole").splitlines())
    told = " ".join(result.stderr.split())
    assert told.startswith(f"{taken} matches are taken over from earlier, {total - taken} are played ")
    assert f" played {total - taken} matches in " in told
    assert f" ({taken} were there already)" in told
    assert tourney("verify", "extended").stdout == f"{total} of {total} records hold\n"


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
    assert journal(tmp_path / "extended") == journal(tmp_path / "whole")
    whole = journal(tmp_path / "whole").splitlines(keepends=True)
    for kept, more in ((0, ["--extend", "earlier"]), (15, ["--extend", "earlier"]), (4, [])):
        (tmp_path / "extended" / "journal.jsonl").write_bytes(b"".join(whole[:kept]) + b'{"match":"vo')
        assert tourney("run", config, "--quiet", "--out", "extended", "--resume", *more).returncode == 0
        assert journal(tmp_path / "extended") == journal(tmp_path / "whole")
    assert journal(tmp_path / "earlier") == cut


def test_deals_that_are_added_are_new_ones_that_the_seed_does_not_tell(tourney, write, played, tmp_path):
    """Whether they are added by an extension, by another one of it, or by force; the run keeps them when it goes on."""

    def seeds(run):
        return list(dict.fromkeys([orjson.loads(line)["seed"] for line in journal(tmp_path / run).splitlines()]))

    played(write("earlier", **keys("random first")), "earlier")
    three, config = [write(f"of-{deals}", **keys("random first", deals=deals)) for deals in "35"]
    played(config, "whole")
    for out in ("extended", "other"):
        assert tourney("run", three, "--out", out, "--extend", "earlier").returncode == 0
    assert tourney("run", config, "--out", "longer", "--extend", "extended").returncode == 0
    whole = journal(tmp_path / "longer")
    assert tourney("verify", "longer").stdout == "10 of 10 records hold\n"
    assert tourney("run", config, "--out", "earlier", "--resume", "--force").returncode == 0
    found = [seeds(run) for run in ("whole", "extended", "other", "longer", "earlier")]
    assert all(each[:2] == found[0][:2] for each in found)
    assert found[3][2] == found[1][2]
    assert len({seed for each in found for seed in each[2:]}) == 3 + 1 + 1 + 2 + 3
    for more in (["--extend", "extended"], []):
        (tmp_path / "longer" / "journal.jsonl").write_bytes(b"".join(whole.splitlines(keepends=True)[:7]))
        assert tourney("run", config, "--out", "longer", "--resume", *more).returncode == 0
        assert journal(tmp_path / "longer") == whole


GROUPS = keys("random first steady first-2", groups="2")
REFUSED = {  # the earlier run, the run that extends it, and what the error says
    "another option": (
        keys("random first"),
        keys("random first", '[[game]]\nname = "vole"'),
        "tournament.games.0.options.target: 6 became null",
    ),
    "another bot under the name": (
        keys("random first"),
        keys("random", extra='[[bot]]\nname = "random"\nuse = "random"\n[[bot]]\nname = "first"\nuse = "steady"'),
        'bot.first.use: "first" became "steady"',
    ),
    "chosen groups": (keys("random first steady"), GROUPS, "2 of 6 groups of vole are chosen"),
    "Swiss": (*[keys("random first steady", format='"swiss"', rounds="2")] * 2, "in a swiss an entrant more"),
    "limits on faults": (
        keys("random first"),
        keys("random first", deals="3", extra=bots("random", "first") + "\n[limits]\nmax_faults = 3"),
        "who is disqualified depends on the matches before",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_run_whose_matches_would_differ_is_refused_before_anything_is_written(tourney, write, played, tmp_path, case):
    earlier, later, says = REFUSED[case]
    played(write("earlier", **earlier | {"deals": "1"}), "results/earlier")
    result = tourney("run", write("later", **later), "--extend", "earlier")
    one_line(result, 2, "results/earlier: ", says)
    assert not (tmp_path / "results" / "later").exists()
