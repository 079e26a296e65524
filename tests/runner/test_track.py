"""A track before it is played: which bot is tracked, where a commit has it, and where new versions come in."""

import msgspec
import pytest

from tourney import config
from tourney.base.errors import ConfigError, RunError
from tourney.config.writing import GateFile
from tourney.journal import folder, writer
from tourney.runner.commits import Commit, UnusableCommitError
from tourney.runner.track import COMMITS, CommitEntry, KnownCommits, Search, Versions, find_versions, plan_of

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
        with pytest.raises(UnusableCommitError, match=wanted):
            versions(tmp_path, bot).table("it", "1" * 40, tmp_path)


@pytest.mark.parametrize(("known", "why"), [({"settings": {}}, "damaged"), (None, "started differently: keys.pool")])
def test_another_track_and_a_damaged_one_are_refused(known, why, tmp_path):
    mine, other = versions(tmp_path), versions(tmp_path)._replace(keys={"pool": ["first"], "format": "track"})
    mine.path.mkdir()
    known = known or KnownCommits(
        other.settings | {"keys": mine.settings["keys"] | other.keys}, (), {"a": CommitEntry("a")}
    )
    (mine.path / COMMITS).write_bytes(msgspec.json.encode(known)[: -1 if why == "damaged" else None])
    with pytest.raises(RunError, match=why):
        find_versions(mine, Search([]), None, print)


@pytest.mark.parametrize(("later", "order"), [
    ("abcd", "abcd"), ("bda", "bdac"), ("bca", "abc"), ("abC", "acbC"), ("bCa", "bCac"), ("ac", "ac"), ("abA", "acbA"),
])  # fmt: skip
def test_new_commits_come_before_later_ones_and_hold_from_the_next_block(later, order, tmp_path):
    """A letter is a commit with a bot of its own, a capital one another commit with the same bot."""

    def plan(letters, deals=30):
        commits = [Commit(letter * 40, "", "", letter) for letter in letters]
        names = {letter: f"thief@{letter.lower() * 7}" for letter in ("a", "c", *letters)}
        tables = {letter: {"name": name, "use": "first"} if letter.islower() else {} for letter, name in names.items()}
        trees = {letter: CommitEntry(letter, names[letter], letter, tables[letter]) for letter in names}
        return plan_of(versions(tmp_path, deals=deals), KnownCommits({}, commits, trees))

    first = plan("ac")
    folder.make(first.path)
    writer.begin_again(first.path, first.text, first.manifest).close()
    (first.path / folder.JOURNAL).write_bytes(b'{"block":11}\n')
    options = plan(later).tournament.format_options
    assert "".join([moment.commit[0] for moment in options.history]) == order
    assert [moment.bot[-1] for moment in options.history] == [*order.lower()]
    assert {moment.commit[0] for moment in options.history if moment.block} == {*later} - {*"ac"}
    assert {moment.block for moment in options.history} <= {0, 12}
    ends = [("a", "c", 0), *[(later[0], later[-1], 12)] * (later != "ac")]
    assert [(each.first[0], each.last[0], each.block) for each in options.ranges] == ends
    with pytest.raises(RunError, match="with deals = 30; continue it with 30 or more"):
        plan(later, 20).opened()


def test_a_manifest_of_before_is_read_by_the_rules_of_before(tmp_path):
    trees = {"a": CommitEntry("a", "thief@a", "a", {"name": "thief@a", "use": "first"})}
    manifest = plan_of(versions(tmp_path), KnownCommits({}, [Commit("a" * 40, "", "", "a")], trees)).manifest
    assert config.of_manifest(manifest).format_options.risk == "later"
    for key in ("history", "ranges", "risk"):
        del manifest["tournament"][key]
    assert config.of_manifest(manifest).format_options.risk == "pairs"
