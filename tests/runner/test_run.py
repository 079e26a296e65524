"""Runs, gates and leagues as the command line and the library have them played, and a track before it is."""

from collections import deque
from contextlib import contextmanager, nullcontext

import msgspec
import pytest
from msgspec.structs import asdict, replace

import tourney as library
from tests.cli.runs import journal
from tourney import config
from tourney.base.errors import ConfigError, RunError, RunInterruptedError
from tourney.config.gate_file import GateFile
from tourney.config.tournament import FieldEvent
from tourney.journal import folder, writer
from tourney.journal.times import load
from tourney.runner import run
from tourney.runner.commits import Commit, GapError
from tourney.runner.gate import of_manifest, settings
from tourney.runner.league import LeaguePlan
from tourney.runner.run import RunPlan, lead
from tourney.runner.track import COMMITS, Found, KnownCommits, Versions, find_versions, plan_of
from tourney.runner.workers import Frontend, Workers
from tourney.standings.gate import Settings

FRONTEND = Frontend(False, print, lambda _: nullcontext(str))


def test_what_is_reported_is_in_the_folder_at_once(write, tmp_path, monkeypatch):
    monkeypatch.setattr(run, "SYNC_S", 0.0)
    file = write(deals="40")
    tournament, path = config.read(file), tmp_path / "run"

    def played(start: run.Start) -> list[run.Progress]:
        reports, timed = [], []
        plan = RunPlan(tournament, file.read_text(), path, start)
        with Workers(FRONTEND, 1) as workers:
            plan.choose(workers)
            for now in lead(plan, workers, ""):
                if now.reading:
                    read.append(now.matches)
                    continue
                reports.append(now)
                assert journal(path).count(b"\n") == now.matches + (now.played == 0 < now.matches)
                timed.append(load(path) is not None)
        assert (plan.ranked.totals.matches, plan.ranked.totals.left_out) == (240, 0)
        assert all(timed[1:]), "the times are saved as they come"
        return reports

    read: list[int] = []
    new = played("new")
    assert not read
    whole = journal(path)
    assert (new[0].matches, new[-1].matches, {now.matches - now.played for now in new}) == (0, 240, {0})
    assert sum(load(path).bots["random"].buckets.values()) > 0
    (path / "journal.jsonl").write_bytes(b"".join(whole.splitlines(keepends=True)[:5]) + b"torn")
    again = played("resume")
    assert read == [2, 4, 4], "two whole blocks were read, and a part of one"
    assert (again[0].matches, again[0].played, again[-1].matches, again[-1].played) == (4, 0, 240, 235)
    assert journal(path) == whole


@pytest.mark.parametrize("force", [False, True])
def test_an_interrupt_is_heeded_while_a_journal_is_read(write, finished, force):
    """A run whose journal is whole, so nothing is played; by force it is read before its manifest is replaced."""
    tournament = config.read(write())
    if force:
        tournament = replace(tournament, match_s=77)
    before = {file.name: file.read_bytes() for file in finished.glob("**/*") if file.is_file()}

    @contextmanager
    def pressed(_how: str):
        def check(message: str) -> None:
            raise RunInterruptedError(message)

        yield check

    plan = RunPlan(tournament, "", finished, "resume")
    plan.force = force
    with Workers(Frontend(False, print, pressed), 1) as workers, pytest.raises(RunInterruptedError, match="was read"):
        deque(lead(plan, workers, ""))
    assert {file.name: file.read_bytes() for file in finished.glob("**/*") if file.is_file()} == before


def test_a_gate_tells_strengths_apart_within_limits():
    def strengths(stronger, elo0, elo1):
        found = settings(stronger=stronger, elo0=elo0, elo1=elo1, alpha=0.05, beta=0.05)
        return found.elo0, found.elo1

    assert strengths(True, None, None) == (0, 25)
    assert strengths(False, None, None) == (-25, 0)
    assert strengths(False, -500, 500) == (-500, 500)
    for wrong in ((0, 0), (-501, 0), (0, 501)):
        with pytest.raises(ConfigError, match=r"must be below|Expected"):
            strengths(True, *wrong)


def test_a_damaged_gate_is_refused(write):
    good = asdict(Settings(-25, 0, 0.05, 0.05, 5, 0, allow_old_faults=False))
    for wrong in ({}, good | {"elo1": -25}, good):  # the last one is whole, but not of a round-robin
        with pytest.raises(ConfigError, match="the manifest is damaged"):
            of_manifest({"gate": wrong}, config.read(write()))


@pytest.mark.parametrize(("seconds", "most", "enough"), [(None, 5, [0, 1]), (0, None, [1, 1]), (None, None, [0, 0])])
def test_a_league_is_played_for_so_many_matches_or_so_long(tmp_path, seconds, most, enough):
    path = library.league(tmp_path / "cup", games=["vole"]).path
    plan = LeaguePlan(path, seconds, most)
    assert [plan.limit_reached(played) for played in (4, 5)] == enough


MINE = {"mine": {"name": "mine", "use": "steady"}}
BOTS = {
    "bots/thief.py:Thief": {"name": "thief", "use": "bots/thief.py:Thief", "host": "inline"},
    "python3 bots/luck.py --fast": {"name": "luck", "command": ["python3", "bots/luck.py", "--fast"]},
    "luck 'x": "luck 'x: not a command line",
    "mine": "mine: not a file of the repository",
}
CHECKOUT = f"commits/{'1' * 12}"
FOUND = {
    "bots/thief.py:Thief": {"name": "it", "use": f"./{CHECKOUT}/bots/thief.py:Thief", "host": "inline"},
    "python3 bots/thief.py ../x": {"name": "it", "command": ["python3", f"./{CHECKOUT}/bots/thief.py", "../x"]},
    "bots/gone.py:Thief": "has no bots/gone.py",
    "python3 bots/gone.py": "has no file of this command",
}


def versions(path, bot="thief.py:thief", deals=30):
    own = bot, path, ["steady"], [{"name": "vole"}], GateFile((), MINE, {}, {}), path / "run", None, "inline"
    return Versions.of(*own, seed=3, deals=deals, equal_elo=None)


@pytest.mark.parametrize("bot", BOTS)
def test_a_bot_is_a_file_or_a_command_of_the_repository(bot, tmp_path):
    if isinstance(wanted := BOTS[bot], dict):
        assert versions(tmp_path, bot).bot == wanted
    else:
        with pytest.raises(ConfigError, match=f"^{wanted}"):
            versions(tmp_path, bot)


@pytest.mark.parametrize("bot", FOUND)
def test_a_version_is_what_its_checkout_has_there(bot, tmp_path):
    (tmp_path / "run" / CHECKOUT / "bots").mkdir(parents=True)
    (tmp_path / "run" / CHECKOUT / "bots" / "thief.py").touch()
    (tmp_path / "x").touch()
    if isinstance(wanted := FOUND[bot], dict):
        assert versions(tmp_path, bot).table("it", "1" * 40, tmp_path) == wanted | {"reads": [CHECKOUT]}
    else:
        with pytest.raises(GapError, match=wanted):
            versions(tmp_path, bot).table("it", "1" * 40, tmp_path)


@pytest.mark.parametrize(("known", "why"), [({"settings": {}}, "damaged"), (None, "was begun differently: keys.pool")])
def test_another_track_and_a_damaged_one_are_refused(known, why, tmp_path):
    mine, other = versions(tmp_path), versions(tmp_path)._replace(keys={"pool": ["first"], "format": "track"})
    mine.path.mkdir()
    known = known or KnownCommits(other.settings | {"keys": mine.settings["keys"] | other.keys}, (), {"a": Found("a")})
    (mine.path / COMMITS).write_bytes(msgspec.json.encode(known)[: -1 if why == "damaged" else None])
    with pytest.raises(RunError, match=why):
        find_versions(mine, [], None, False, print)


@pytest.mark.parametrize(
    ("later", "order"),
    [("abcd", "abcd"), ("bda", "bdac"), ("bca", "abc"), ("abC", "acb"), ("bCa", "bac"), ("ac", "ac")],
)
def test_new_versions_come_before_those_of_later_commits_and_hold_from_the_next_block(later, order, tmp_path):
    """A letter is a commit with a bot of its own, a capital one another commit with the same bot."""

    def plan(letters, deals=30):
        commits = [Commit(letter * 40, "", "", letter) for letter in letters]
        names = {letter: f"thief@{letter.lower() * 7}" for letter in ("a", "c", *letters)}
        tables = {letter: {"name": name, "use": "first"} if letter.islower() else {} for letter, name in names.items()}
        trees = {letter: Found(letter, names[letter], letter, tables[letter]) for letter in names}
        return plan_of(versions(tmp_path, deals=deals), KnownCommits({}, commits, trees))

    first = plan("ac")
    folder.make(first.path)
    writer.begin_again(first.path, first.text, first.manifest).close()
    (first.path / folder.JOURNAL).write_bytes(b'{"block":11}\n')
    found = plan(later).tournament
    assert "".join([name[-1] for name in found.names if "@" in name]) == order
    assert found.events == tuple([FieldEvent("entered", f"thief@{new * 7}", 12) for new in order if new not in "ac"])
    with pytest.raises(RunError, match="with deals = 30; continue it with at least"):
        plan(later, 20).opened()
