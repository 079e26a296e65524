"""Where a run is already, or is being played: another start is refused, unless it goes on or begins the run anew."""

import shutil

import pytest

from tests.cli.runs import Held, contents, copy_bots, journal, one_line, same_run
from tourney.journal import folder
from tourney.journal.kinds import VERDICT
from tourney.journal.times import TIMES

BOT = "class Edge:\n    def act(self, view, legal):\n        return legal[{at}]\n"
APART = '[[bot]]\nname = "edge"\nuse = "edge.py:Edge"\nhost = "process"\nmove_ms = 60000'
"""The bot of the tests; in a process of its own and with a limit, so that its runs have logs and times as well."""
RUN, GATE = "run small.toml", "gate first --against random --game vole --max-deals 2"
KEYS = {"deals": "2", "bots": '["first", "random"]'}


def edit(place, at):
    (place / "edge.py").write_text(BOT.format(at=at), encoding="utf-8")


@pytest.fixture
def config(write, tmp_path):
    edit(tmp_path, 0)
    return write(deals="1", bots='["first"]', extra=APART)


def test_a_run_begun_anew_after_an_edit_is_that_of_the_edited_bot_alone(tourney, config, tmp_path):
    assert tourney("run", config, "--out", "run", "--overwrite").returncode == 0, "in a folder that is not there yet"
    (tmp_path / "run" / "notes.txt").write_text("mine", encoding="utf-8")
    (tmp_path / "run" / "logs" / "game-vole.txt").write_text("of the earlier run", encoding="utf-8")
    (tmp_path / "run" / VERDICT).write_text("of the earlier run", encoding="utf-8")
    before = journal(tmp_path / "run")
    edit(tmp_path, -1)
    one_line(tourney("run", config, "--out", "run"), 2, "run: already contains a run", "resume", "overwrite")
    one_line(tourney("run", config, "--out", "run", "--resume"), 2, "created with different settings: bots.edge.sha256")
    assert tourney("run", config, "--out", "run", "--overwrite").returncode == 0
    assert tourney("run", config, "--out", "fresh").returncode == 0
    assert (tmp_path / "run" / "notes.txt").read_text(encoding="utf-8") == "mine"
    (tmp_path / "run" / "notes.txt").unlink()
    same_run(tmp_path / "run", tmp_path / "fresh")
    assert not (tmp_path / "run" / "logs" / "game-vole.txt").exists()
    assert journal(tmp_path / "run") != before
    assert tourney("verify", "run", "--bots").returncode == 0
    edit(tmp_path, 0)
    assert tourney("run", config, "--out", "run", "--resume", "--force").returncode == 0
    assert tourney("run", config, "--out", "run", "--resume").returncode == 0


def change(run):
    (run / folder.MANIFEST).write_bytes((run / folder.MANIFEST).read_bytes().replace(b'"deals": 2', b'"deals": 1'))


@pytest.mark.parametrize(
    ("change", "command", "says"),
    [
        (change, f"{RUN} --overwrite", "modified manifest"),
        (lambda run: (run / folder.MANIFEST).unlink(), f"{RUN} --overwrite", "run: folder is not empty"),
        (lambda run: shutil.copytree(run, run / "earlier"), f"{RUN} --resume", "correct the previous run"),
        (None, GATE, "run: already contains a run"),
        (None, f"{GATE} --resume", "run: already contains a run"),
        (None, f"{GATE} --overwrite", "run: already contains a run"),
    ],
)
def test_a_folder_that_holds_something_else_is_left_as_it_is(tourney, run, change, command, says):
    if change is not None:
        change(run)
    before = contents(run)
    one_line(tourney(*command.split(), "--out", "run"), 2, says)
    assert contents(run) == before


@pytest.fixture
def run(write, played):
    return played(write(**KEYS))


def test_another_tournament_is_refused_and_changes_nothing(tourney, write, run):
    before = contents(run)
    config = write(**KEYS | {"seed": "4"})
    one_line(tourney("run", config, "--out", "run", "--resume"), 2, "run: ", "tournament.seed")
    one_line(tourney("run", config, "--out", "run", "--resume", "--force"), 2, "journal.jsonl, line 1: seed: expected ")
    assert contents(run) == before
    assert tourney("standings", "run").returncode == 0


def test_no_second_start_changes_a_run_that_is_being_played(tourney, write, tmp_path):
    def config(name="small", **keys):
        return write(name, **{"name": '"small"', "bots": f'["first", "random", "{Held.BOT}"]'} | keys)

    copy_bots(tmp_path)
    mine, anchor = config(), '{ bot = "random", rating = 1000 }'
    assert tourney("run", mine, "--out", "whole").returncode == 0
    assert tourney("run", config("fewer", deals="3"), "--out", "earlier").returncode == 0
    others = {
        "the same once more": (mine,),
        "to go on with it": (mine, "--resume"),
        "with another anchor": (config("anchor", anchor=anchor), "--resume"),
        "by force": (config("more", deals="9"), "--resume", "--force"),
        "to start over": (mine, "--overwrite"),
        "another tournament": (config("other", seed="77"),),
        "another tournament by force": (config("other", seed="77"), "--resume", "--force"),
        "an extension": (mine, "--extend", "earlier"),
        "an extension that goes on": (mine, "--extend", "earlier", "--resume"),
    }
    held = Held(tmp_path, mine, "--out", "live")
    before, written = (
        contents(tmp_path / "live"),
        dict.fromkeys(("journal.jsonl", TIMES, f"{TIMES}.new")),
    )  # as one plays
    for how, arguments in others.items():
        result = tourney("run", *arguments, "--out", "live")
        locked = {"--resume", "--overwrite"}.intersection(arguments)
        one_line(result, 2, "in use by another tourney process" if locked else "live: ")
        now = contents(tmp_path / "live")
        assert now["journal.jsonl"].startswith(before["journal.jsonl"]), how
        assert now | written == before | written, how
    for command in ("standings", "matches", "verify"):
        assert tourney(command, "live").returncode == 0
    assert held.finish().returncode == 0
    same_run(tmp_path / "live", tmp_path / "whole")
    assert tourney("verify", "live").stdout.endswith(" records verified\n")
