"""`tourney run --extend`, `--replace`, `--drop` and `--again` play only what is missing, and write the same bytes."""

import signal
from itertools import pairwise

import orjson
import pytest

from tests.cli.runs import begin, contents, copy_bots, cut, journal, one_line, same_run, wait_for
from tests.conftest import BAD, mostly_slow, with_code

VOLE = '[[game]]\nname = "vole"\noptions = { target = 6 }'
BANG = '[[game]]\nname = "bang"\nseats = 3'


def bots(*names: str) -> str:
    """Bots in this order: `first-2` is another `first`, and names with a capital are of tests/misbehaving/bots.py."""
    uses = [f"{BAD}:{name}" if name[0].isupper() else name.partition("-")[0] for name in names]
    return "\n".join([f'[[bot]]\nname = "{name}"\nuse = "{use}"' for name, use in zip(names, uses, strict=True)])


def keys(names: str, game: str = VOLE, **others: str) -> dict[str, str]:
    return {"bots": "[]", "deals": "2", "game": game, "extra": bots(*names.split())} | others


SAME = {  # the earlier run, the run that extends it, and how many matches are reused
    "two seats": (keys("random first steady"), keys("random first steady first-2"), 12),
    # three can sit around a table in two orders, and rotations keep the order: one of the four groups has turned
    "three seats in another order": (
        keys("random first steady first-2", BANG), keys("first random steady first-2", BANG), 2 * 3 * 2,
    ),
    "two games and faults": (
        keys("random RaisesLater first", VOLE + "\n" + BANG),
        keys("random RaisesLater steady first", VOLE + "\nweight = 2\n" + BANG), 12 + 6,
    ),
    "gauntlet": (
        keys("random first steady", format='"gauntlet"', challengers='["steady"]'),
        keys("random first first-2 steady steady-2", format='"gauntlet"', challengers='["steady-2", "steady"]'), 8,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", mostly_slow(SAME, "three seats in another order", "two games and faults"))
def test_more_bots_meet_on_the_same_deals_with_the_same_bytes_as_in_a_new_run(tourney, write, played, tmp_path, case):
    earlier, later, taken = SAME[case]
    played(write("earlier", **earlier), "earlier")
    config = write("later", **later)
    played(config, "whole")
    result = with_code(tourney("run", config, "--out", "extended", "--extend", "earlier", "--workers", 2))
    assert journal(tmp_path / "extended") == journal(tmp_path / "whole")
    total = len(journal(tmp_path / "whole").splitlines())
    told = " ".join(result.stderr.split())
    assert told.startswith(f"reusing {taken} matches of earlier, playing {total - taken}")
    assert f" played {total - taken} matches in " in told
    assert f" ({taken} already played)" in told
    assert tourney("verify", "extended").stdout == f"{total} of {total} records verified\n"


def test_the_complete_blocks_of_an_unfinished_run_are_reused(tourney, write, played, tmp_path):
    """The earlier run lacks a match of a block and has a torn line; the new run is stopped, too, and resumed."""
    played(write("earlier"), "earlier")
    cut(tmp_path / "earlier", 9, b'{"match":"vo')
    earlier = journal(tmp_path / "earlier")
    config = write("later", extra=bots("first-2"))
    played(config, "whole")
    result = tourney("run", config, "--out", "extended", "--extend", "earlier")
    assert result.stderr.startswith("reusing 8 matches of earlier, playing 40\n")
    assert journal(tmp_path / "extended") == journal(tmp_path / "whole")
    for kept, more in ((0, ["--extend", "earlier"]), (15, ["--extend", "earlier"]), (4, [])):
        cut(tmp_path / "extended", kept, b'{"match":"vo')
        assert tourney("run", config, "--quiet", "--out", "extended", "--resume", *more).returncode == 0
        assert journal(tmp_path / "extended") == journal(tmp_path / "whole")
    assert journal(tmp_path / "earlier") == earlier


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
    assert tourney("verify", "longer").stdout == "10 of 10 records verified\n"
    assert tourney("run", config, "--out", "earlier", "--resume", "--force").returncode == 0
    found = [seeds(run) for run in ("whole", "extended", "other", "longer", "earlier")]
    assert all(each[:2] == found[0][:2] for each in found)
    assert found[3][2] == found[1][2]
    assert len({seed for each in found for seed in each[2:]}) == 3 + 1 + 1 + 2 + 3
    for more in (["--extend", "extended"], []):
        cut(tmp_path / "longer", 7)
        assert tourney("run", config, "--out", "longer", "--resume", *more).returncode == 0
        assert journal(tmp_path / "longer") == whole


TWO, THREE = keys("random first"), "random first steady"
REFUSED = {  # the earlier run, the run that extends it, what the error says, and how it is corrected instead
    "another option": (
        TWO, keys("random first", '[[game]]\nname = "vole"'), "tournament.games.0.options.target: 6 became null",
    ),
    "another bot under the name": (
        TWO, TWO | {"extra": TWO["extra"].replace('use = "first"', 'use = "steady"')},
        'bot.first.use: "first" became "steady"',
    ),
    "chosen groups": (keys(THREE), keys(f"{THREE} first-2", groups="2"), "only 2 of 6 groups of vole meet"),
    "Swiss": (*[keys(THREE, format='"swiss"', rounds="2")] * 2, "in a swiss, additional entrants change the pairings"),
    "limits on faults": (
        TWO, keys("random first", deals="3", extra=bots("random", "first") + "\n[limits]\nmax_faults = 3"),
        "disqualifications depend on earlier matches",
    ),
    **{
        name: (
            *[keys(THREE, format=f'"{name}"', **own)] * 2,
            f"in a {name}, pairings depend on results", "--replace", "first",
        )
        for name, own in (("swiss", {"rounds": "1"}), ("ladder", {"max_matches": "12"}))
    },
    "a knockout": (*[keys(THREE, format='"knockout"')] * 2, "cannot drop a bot from a knockout", "--drop", "first"),
    "the anchor": (*[keys(THREE, anchor='{ bot = "first", rating = 0 }')] * 2, 'no bot "first"', "--drop", "first"),
    "a correction with more deals": (keys(THREE), keys(THREE), "tournament.deals: 1 became 2", "--replace", "first"),
    "a correction with more bots": (TWO, keys(THREE), "played by random, first", "--replace", "first"),
    "nobody of that name": (keys(THREE), keys(THREE), 'did you mean "first"?', "--drop", "frist"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_a_run_whose_matches_would_differ_is_refused_before_anything_is_written(tourney, write, played, tmp_path, case):
    earlier, later, says, *asked = REFUSED[case]
    run = played(write("earlier", **earlier | {"deals": "1"}), "results/earlier")
    before = contents(run)
    config = write("earlier" if asked else "later", **later)
    where = "anchor.bot: " if case == "the anchor" else "results/earlier"
    one_line(tourney("run", config, *(asked or ["--extend", "earlier"])), 2, where, says)
    assert contents(run) == before
    assert [*(tmp_path / "results").iterdir()] == [run]


TOUCHY = """
from zlib import crc32
class Touchy:
    def act(self, view, legal):
        if crc32(repr(view).encode()) % 30 == 0:
            raise ValueError
        return legal[0]
"""
LIMITS = "\n[[bot]]\nname = 'touchy'\nuse = 'touchy.py:Touchy'\n[limits]\nmax_faults = 4"
GAUNTLET = {"format": '"gauntlet"', "challengers": '["steady", "ben"]'}
CORRECTED = {  # a run with ben, and how many matches he did not take part in
    "three seats": (keys("random first steady", BANG), 2 * 3),
    "chosen groups": (keys("random first steady first-2 steady-2", groups="6"), 2 * 4 * 2),
    "gauntlet": (keys("random first steady", **GAUNTLET), 2 * 2 * 2),
    "two bots and a field": (keys("first steady random", format='"mirror"', deals="6"), None),
    "limits on faults": (keys("random first", deals="12") | {"extra": bots("random", "first") + LIMITS}, None),
}


def with_ben(keys: dict[str, str], use: str) -> dict[str, str]:
    """The tournament with one more bot, the last or the one before the limits."""
    extra, limits, rest = keys["extra"].partition("\n[limits]")
    return keys | {"extra": f"{extra}\n[[bot]]\nname = 'ben'\nuse = '{use}'{limits}{rest}"}


@pytest.mark.parametrize("case", mostly_slow(CORRECTED, "three seats", "two bots and a field", "limits on faults"))
def test_a_run_with_a_bot_replaced_or_dropped_has_the_same_bytes_as_a_new_one(tourney, write, tmp_path, case):
    keys, kept = CORRECTED[case]
    (tmp_path / "touchy.py").write_text(TOUCHY)
    assert tourney("run", write("cup", **with_ben(keys, "first")), "--quiet").returncode == 0
    before = journal(tmp_path / "results" / "cup").splitlines()
    config = write("cup", **with_ben(keys, "steady"))
    result = tourney("run", config, "--replace", "ben", "--workers", 2)
    assert tourney("run", config, "--out", "whole", "--quiet").returncode == 0
    same_run(tmp_path / "results" / "cup-2", tmp_path / "whole")
    assert journal(tmp_path / "results" / "cup").splitlines() == before
    without = [line for line in journal(tmp_path / "whole").splitlines() if b'"ben"' not in line]
    assert result.stderr.startswith(f"reusing {kept or len(without)} matches of results/cup, ")
    assert "The run is in results/cup-2. " in result.stderr
    if case == "limits on faults":  # a match without ben, in which it is another that is out
        assert set(without) - set(before)
        return
    assert set(without) <= set(before)
    if case == "two bots and a field":
        one_line(tourney("run", config, "--drop", "ben"), 2, "cannot drop a bot from a mirror")
        return
    # the file may enter it no longer, or name a bot that is not there any more
    config = write("cup", **keys if case == "three seats" else with_ben(keys, "gone.py:Gone"))
    result = tourney("run", config, "--drop", "ben", "--quiet")
    assert result.stderr == "corrected run: results/cup-3; see it with: tourney standings results/cup-3\n"
    assert journal(tmp_path / "results" / "cup-3").splitlines() == without
    assert "ben" not in result.stdout
    assert tourney("run", config, "--out", "results/cup-3", "--resume", "--quiet").returncode == 0
    assert tourney("verify", "cup-3").stdout == f"{kept} of {kept} records verified\n"
    assert tourney("replay", "cup-3", without[-1].split(b'"')[3].decode()).returncode == 0


def test_a_correction_that_was_stopped_is_resumed(tourney, write, tmp_path):
    copy_bots(tmp_path)
    uses = ('use = "first"', 'use = "bots.py:WaitsOnce"')
    old, new = [keys("") | {"extra": bots("ben", "first", "steady").replace('use = "ben"', use)} for use in uses]
    assert tourney("run", write("cup", **old), "--quiet").returncode == 0
    config = write("cup", **new)
    assert tourney("run", config, "--out", "whole", "--quiet").returncode == 0
    for file in ("waiting", "go"):
        (tmp_path / file).unlink()
    process = begin(tmp_path, config, "--replace", "ben", "--workers", 1)
    wait_for((tmp_path / "waiting").exists)
    process.send_signal(signal.SIGINT)
    (tmp_path / "go").touch()
    *_, how = process.communicate()[1].split("continue with: tourney ")
    resumed = tourney(*how.split())
    assert resumed.returncode == 0
    same_run(tmp_path / "results" / "cup-2", tmp_path / "whole")
    assert resumed.stderr.startswith("reusing 4 matches of results/cup, ")


@pytest.mark.slow
def test_matches_are_played_again_on_fresh_deals_and_the_page_says_which_and_why(tourney, write, tmp_path):
    def lines(run):
        return journal(tmp_path / "results" / run).splitlines()

    config = write("cup", **keys("random first steady", VOLE + "\n" + BANG))
    assert tourney("run", config, "--quiet").returncode == 0
    one_line(tourney("run", config, "--again", "timeouts"), 2, "no match has a timeout")
    one_line(tourney("run", config, "--again", "vole-77-0"), 2, 'no match "vole-77-0"')
    again = ("--again", "vole-0-1", "--again", "bang-3-0", "--why", "the lights went out")
    assert tourney("run", config, *again).stderr.startswith("reusing 13 matches of results/cup, playing 5\n")
    assert tourney("run", config, "--again", "vole-0-0", "--workers", 2, "--quiet").returncode == 0
    runs = [lines(name) for name in ("cup", "cup-2", "cup-3")]
    names = [[line.split(b'"')[3] for line in run] for run in runs]
    assert names[0] == names[1] == names[2]
    differ = [
        {name for name, a, b in zip(names[0], one, other, strict=True) if a != b} for one, other in pairwise(runs)
    ]
    vole = {b"vole-00000-0", b"vole-00000-1"}
    assert differ == [vole | {b"bang-00003-0", b"bang-00003-1", b"bang-00003-2"}, vole]
    assert tourney("verify", "cup-3").returncode == 0
    assert tourney("run", config, "--out", "results/cup-3", "--resume", "--quiet").returncode == 0
    assert lines("cup-3") == runs[2]
    assert tourney("report", "cup-3", "--out", "page.html").returncode == 0
    page = (tmp_path / "page.html").read_text()
    assert "Played again on fresh deals (the lights went out): the matches of blocks 0, 3." in page
    swiss = write("swiss", **keys("random first steady first-2", format='"swiss"', rounds="2"))
    assert tourney("run", swiss, "--quiet").returncode == 0
    one_line(tourney("run", swiss, "--again", "vole-0-0"), 2, "in a swiss, pairings depend on results")
