"""A track: a bot's versions over a repository's commits, each against the same opponents on the same deals.

Its run folder also has `commits.json`, with the findings on every commit, and `commits/`, with the versions, so known
commits are never built again. Commits whose bots decide identically share an entrant.
"""

import hashlib
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from os.path import abspath, isabs, lexists, normpath, relpath
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tourney import config
from tourney.base.errors import ConfigError, RunError, TourneyError, one_line, spares_bots
from tourney.config import Entrant, Tournament, writing
from tourney.config.writing import Table
from tourney.contracts.match import Block
from tourney.contracts.rng import derive
from tourney.journal import folder, reader, writer
from tourney.journal.kinds import COMMITS
from tourney.journal.run import RunFolder
from tourney.plugins import registry
from tourney.plugins.fingerprints import Fingerprint
from tourney.runner.commits import Commit, Renames, UnusableCommitError, check_out, is_checked_out, top_of
from tourney.runner.run import Progress, RunPlan
from tourney.runner.workers import Workers
from tourney.schedule.track import Moment, Range, TrackOptions

CHECKOUTS = "commits"  # a folder with one for each version, named after the hash of its files
POOL = ("steady", "first")
BEHAVIOUR_DEALS = 20  # per game, in each seat, over which a bot's decisions are hashed
SHORT = 7
FILLER = Entrant("@", "random", {})  # takes the other seats there; no bot has this name


class CommitEntry(msgspec.Struct, frozen=True, omit_defaults=True):
    """The findings on commits with the same files."""

    commit: str  # the hash of the first such commit
    entrant: str = ""  # the entrant whose matches rate the bot
    behaviour: str = ""  # a hash over its decisions in seeded matches; the same for all commits that share the entrant
    table: Table = {}  # the entrant's `[[bot]]` table, if it is this commit's own
    gap: str = ""  # why there is no such bot; else empty
    file: str = ""  # its bot's path, if renamed since


class KnownCommits(msgspec.Struct):
    """A track's known commits: its file `commits.json`."""

    settings: Table  # the unchangeable settings: the bot, the games, the opponents, and the keys of a tournament file
    commits: Sequence[Commit] = ()  # the commits requested last, the oldest first
    trees: dict[str, CommitEntry] = {}  # the findings, by the hash of the files
    fingerprints: dict[str, Fingerprint] = {}  # the fingerprint of each entrant, taken before any bot code ran


def read_commits(run: Path) -> KnownCommits | None:
    """The known commits of a run; None if it is not a track."""
    file = run / COMMITS
    if not file.exists():
        return None
    with folder.readable(file):
        try:
            return msgspec.json.decode(file.read_bytes(), type=KnownCommits)
        except msgspec.DecodeError as error:
            raise RunError(f"{file}: damaged ({error}); restore it") from None


class Versions(NamedTuple):
    """The tracked bot and its opponents: the ingredients of a track's tournament."""

    bot: Table  # its `[[bot]]` table; the paths of its files are relative to `where`
    where: Path | None  # the given folder in the repository; None for the top
    repository: Path
    path: Path
    build: str | None
    games: Sequence[Table]
    pool: Sequence[Table]
    limits: Table
    keys: Mapping[str, Any]

    @classmethod
    def of(
        cls, bot: str, repository: Path, pool: Sequence[str], games: Sequence[Table], file: writing.GateFile,
        out: Path | None, build: str | None, host: str | None, **keys: Any,
    ) -> "Versions":  # fmt: skip
        """The bot with this name in the file; or FILE.py:NAME, FOLDER:NAME or a command, with repository paths."""
        where = Path() if bot in file.bots else None
        own, *others = writing.bot_tables((bot, *pool), file.bots, host, file.defaults)
        if bot not in file.bots and not registry.file_and_name(bot)[0]:
            words = writing.command_words(bot)
            program = next((word for word in words if "/" in word), words[0] if words else "")
            own = {"name": Path(program).name.removesuffix(".py"), "command": words}
        elif not ("command" in own or registry.file_and_name(own.get("use", ""))[0]):
            raise ConfigError(f"{bot}: not a file of the repository; give its use or command")
        path = out or Path("results") / f"track-{own['name']}"
        shared = {"bot": others, "game": list(games), "limits": file.limits, "defaults": file.defaults}
        moved = writing.of_tables(shared | {"parallel": file.parallel}, Path("track"), path)
        keys = {key: value for key, value in keys.items() if value is not None} | moved.keys
        keys |= {"name": f"track-{own['name']}"[:60], "format": "track", "pool": [each["name"] for each in others]}
        return cls(own, where, repository, path, build, games, list(moved.bots.values()), moved.limits, keys)

    @property
    def settings(self) -> Table:
        """The settings that must stay the same when commits are added."""
        keys = {key: value for key, value in self.keys.items() if key not in ("name", "deals")}
        values = {"bot": self.bot, "games": self.games, "pool": self.pool, "limits": self.limits, "keys": keys}
        settings: Table = msgspec.to_builtins(values)
        return settings

    def text(self, versions: Sequence[Table], **keys: Any) -> str:
        """The text of a tournament file with these versions."""
        return writing.tournament_text([*versions, *self.pool], self.games, self.limits, **self.keys, **keys)

    def tournament(self, *versions: Table) -> Tournament:
        """The tournament of these versions, without loading them."""
        return config.of_text(self.text(versions), self.path / folder.TOURNAMENT)

    def checkout(self, tree: str) -> Path:
        """The folder of the files with this hash."""
        return self.path / CHECKOUTS / tree[:12]

    def names(self, word: str, top: Path) -> list[str]:
        """The paths that a word can mean, from the top of the repository; none outside it."""
        here = relpath(abspath((self.where or self.repository).resolve() / word), top)
        paths = [here] if self.where is not None or isabs(word) else [normpath(word), here]
        return [path for path in paths if not path.startswith("..")]

    @property
    def words(self) -> Sequence[str]:
        """The words that may be paths, from the bot's file or command."""
        return self.bot.get("command") or [registry.file_and_name(self.bot["use"])[0]]

    def table(self, name: str, tree: str, top: Path, moved: Mapping[str, str] = {}) -> Table:
        """The `[[bot]]` table of a checked-out version, whose paths may differ from the current ones.

        Raises:
            UnusableCommitError: The version has no such bot.
        """
        checkout = self.checkout(tree)

        def inside(word: str) -> str | None:
            paths = [moved.get(path, path) for path in self.names(word, top)]
            path = next((path for path in paths if lexists(checkout / path)), None)
            return None if path is None else f"./{CHECKOUTS}/{checkout.name}/{path}"

        reads = [f"{CHECKOUTS}/{checkout.name}", *[relpath(each, self.path) for each in self.bot.get("reads", ())]]
        table = self.bot | {"name": name, "reads": reads}
        if "command" in table:
            command = [inside(word) or word for word in table["command"]]
            if command == table["command"]:
                raise UnusableCommitError("has no file of this command")
            return table | {"command": command}
        file, attribute = registry.file_and_name(table["use"])
        if (use := inside(file)) is None:
            raise UnusableCommitError(f"has no {file}")
        return table | {"use": f"{use}:{attribute}"}


class Search(NamedTuple):
    """How to look for versions in commits."""

    asked: Sequence[Commit]
    retry: bool = False
    follow: bool = True
    overwrite: bool = False  # whether to delete previous findings and matches first


def find_versions(versions: Versions, search: Search, workers: Workers, say: Callable[[str], None]) -> KnownCommits:
    """Checks out, builds and tries the bots of the requested commits that are not known yet.

    Raises:
        ConfigError: No commit has a bot, or the opponents cannot be loaded.
        RunError: The folder belongs to another track, or to something else.
    """
    path, asked = versions.path, search.asked
    if search.overwrite:
        _remove(path)
    known = read_commits(path)
    if known is None and not search.overwrite:
        folder.require_free(path)
    if known is None:
        folder.make(path)
    if known is None or not known.trees:
        known = KnownCommits(versions.settings)
    else:
        _refuse_others(path, known.settings, versions.settings)
    with writer.JournalWriter(path):
        _write(path, known)  # from now on the folder belongs to the track
        _find(versions, known, search, workers, say)
        known.commits = asked
        _write(path, known)
    if not any([known.trees[commit.tree].entrant for commit in asked]):
        why = known.trees[asked[-1].tree].gap
        raise ConfigError(f"no commit has a bot that can play; the last one, {asked[-1].hash[:SHORT]}: {why}")
    return known


def _remove(path: Path) -> None:
    if (path / folder.MANIFEST).is_file():
        RunFolder(path).require("track")
    elif not (path / COMMITS).is_file():
        folder.require_free(path)
        return
    with writer.JournalWriter(path):
        folder.clear(path, [folder.MANIFEST, COMMITS, CHECKOUTS])


def _refuse_others(path: Path, before: Table, now: Table) -> None:
    if differences := folder.manifest_differences(before, now):
        raise RunError(
            f"{path}: started differently: {differences[0]}; overwrite it to start over, or use another folder"
        )


def _write(path: Path, known: KnownCommits) -> None:
    folder.write_atomically(path / COMMITS, folder.json_text(msgspec.to_builtins(known)))


def _find(
    versions: Versions, known: KnownCommits, search: Search, workers: Workers, say: Callable[[str], None]
) -> None:
    top = top_of(versions.repository)
    trial = versions.tournament({"name": f"{versions.bot['name']}@0", "use": "random"})
    pool = config.examine_bots(msgspec.structs.replace(trial, entrants=trial.entrants[1:]), versions.path)
    known.fingerprints |= pool.fingerprints
    workers.choose(trial)
    for tree, entry in known.trees.items():  # the folder may have been kept without the files
        if entry.table and not is_checked_out(versions.checkout(tree)):
            _check_out(versions, Commit(entry.commit, "", "", tree), top)
            entrants = versions.tournament(entry.table).entrants[:1]
            known.fingerprints |= config.all_fingerprints(entrants, versions.path)
    moved = _moved(versions, search, top)
    for commit in search.asked:
        before = known.trees.get(commit.tree)
        if before is None or (search.retry and before.gap):
            entry = _found(versions, commit, top, moved[commit.hash], known, workers)
            known.trees[commit.tree] = entry
            _write(versions.path, known)
            what = entry.gap or ("new" if entry.table else f"plays as {entry.entrant}")
            say(f"{commit.hash[:SHORT]} {commit.subject}: {what}")


def _moved(versions: Versions, search: Search, top: Path) -> dict[str, dict[str, str]]:
    """By commit: the paths of the bot's files, by current path, if they differ."""
    moved: dict[str, dict[str, str]] = {commit.hash: {} for commit in search.asked}
    if search.follow:
        renames = Renames(versions.repository, search.asked)
        for now in [path for word in versions.words for path in versions.names(word, top)]:
            for commit, path in renames.paths(now).items():
                moved[commit] |= {now: path} if path != now else {}
    return moved


def _check_out(versions: Versions, commit: Commit, top: Path) -> None:
    base = relpath(versions.repository.resolve(), top)
    check_out(versions.repository, commit, versions.checkout(commit.tree), versions.build, base)


def _found(
    versions: Versions, commit: Commit, top: Path, moved: Mapping[str, str], known: KnownCommits, workers: Workers
) -> CommitEntry:
    checkout = versions.checkout(commit.tree)
    file = next(iter(moved.values()), "")
    try:
        _check_out(versions, commit, top)
        name = _name(versions.bot["name"], commit, [entry.entrant for entry in known.trees.values()])
        table = versions.table(name, commit.tree, top, moved)
        tournament = versions.tournament(table)
        entrant = tournament.entrants[0]
        alone = config.examine_bots(msgspec.structs.replace(tournament, entrants=(entrant,)), versions.path)
        known.fingerprints |= alone.fingerprints
    except TourneyError as error:
        if spares_bots(error):
            raise
        shutil.rmtree(checkout, ignore_errors=True)
        why = str(error).removeprefix(f"{versions.path}: ").replace(f"{checkout.resolve()}/", "")
        return CommitEntry(commit.hash, gap=one_line(why), file=file)
    behaviour = _behaviour(tournament, entrant, versions, workers)
    for other in known.trees.values():
        if other.behaviour == behaviour:
            shutil.rmtree(checkout, ignore_errors=True)
            return CommitEntry(commit.hash, other.entrant, behaviour, file=file)
    return CommitEntry(commit.hash, name, behaviour, table, file=file)


def _name(base: str, commit: Commit, taken: Sequence[str]) -> str:
    names = [f"{base}@{commit.hash[:length]}" for length in range(SHORT, len(commit.hash) + 1)]
    return next(name for name in names if name not in taken)


def _behaviour(tournament: Tournament, entrant: Entrant, versions: Versions, workers: Workers) -> str:
    """A hash over seeded matches of a bot, in each seat, among bots that move at random."""
    own = msgspec.structs.replace(entrant, name=versions.bot["name"])
    tried = msgspec.structs.replace(tournament, entrants=(own, FILLER), format="round-robin", parallel=None)
    digest = hashlib.sha256()
    with workers.pool(tried, logs=folder.logs_folder(versions.path, tried)) as pool:
        for played in pool.play(_trials(tournament, own.name)):
            for line in [] if played is None else played.lines.splitlines(keepends=True):
                record = reader.parse_sealed_record(line, "a trial")
                faults = [(fault.seat, fault.decision, fault.kind) for fault in record.faults]
                digest.update(f"{record.match} {record.actions} {faults}\n".encode())
    return digest.hexdigest()[:32]


def _trials(tournament: Tournament, name: str) -> Iterator[Block]:
    for i, setup in enumerate(tournament.setups):
        own = [[FILLER.name] * seat + [name] + [FILLER.name] * (setup.seats - seat - 1) for seat in range(setup.seats)]
        for deal in range(BEHAVIOUR_DEALS):
            seed = derive(tournament.seed, "behaviour", setup.game, deal)
            yield Block(i * BEHAVIOUR_DEALS + deal, setup, seed, tuple(map(tuple, own)))


class TrackPlan(RunPlan):
    """A track, played until each change is known."""

    _begin = staticmethod(writer.begin_again)  # the folder has the versions

    def __init__(self, path: Path, tournament: Tournament, text: str, fingerprints: Mapping[str, Fingerprint]) -> None:
        super().__init__(
            tournament, text, path, "resume" if (path / folder.MANIFEST).is_file() else "new", kind="track"
        )
        self.manifest = config.manifest(tournament, fingerprints, "track")

    def adapted(self, before: dict[str, Any]) -> dict[str, Any]:
        """The previous manifest, with added versions and the current number of deals."""
        cap, now = before["tournament"]["deals"], self.manifest["tournament"]
        if cap > self.tournament.deals:
            raise RunError(f"{self.path}: started with deals = {cap}; continue it with {cap} or more")
        changes = {key: now[key] for key in ("bots", "history", "ranges", "deals")}
        bots = self.manifest["bots"] | before["bots"]
        changed = before | {"tournament": before["tournament"] | changes, "bots": bots}
        _refuse_others(self.path, changed, self.manifest)
        return changed

    def accepted(self) -> None:
        """Also writes the tournament file, which may have new versions."""
        super().accepted()
        folder.write_atomically(self.path / folder.TOURNAMENT, self.text.encode())

    def so_far(self, far: Progress) -> str:
        return f"{far.matches} matches"


def plan_of(versions: Versions, known: KnownCommits) -> TrackPlan:
    """The tournament of all versions so far; versions added to a started run play from here on."""
    path = versions.path
    before = folder.read_manifest(path) if (path / folder.MANIFEST).is_file() else None
    tables = {entry.entrant: entry.table for entry in known.trees.values() if entry.table}
    options, block, fingerprints = TrackOptions(), 0, dict[str, Fingerprint]()
    if before is not None:
        last = reader.last_line(path)
        block = msgspec.json.decode(last)["block"] + 1 if last else 0
        options = config.of_manifest(before).format_options
        fingerprints = {name: Fingerprint(**code) for name, code in before["bots"].items() if name in tables}
    history = _history(known, options.history, block)
    played = [commit.hash for commit in known.commits if known.trees[commit.tree].entrant]
    ranges = [*options.ranges]
    if not ranges or (ranges[-1].first, ranges[-1].last) != (played[0], played[-1]):
        ranges.append(Range(played[0], played[-1], block))
    its = {"history": msgspec.to_builtins(history), "ranges": msgspec.to_builtins(ranges)}
    text = versions.text([tables[name] for name in dict.fromkeys([moment.bot for moment in history])], **its)
    tournament = config.of_text(text, path / folder.TOURNAMENT)
    taken = {name: known.fingerprints[name] for name in tournament.names if name in known.fingerprints}
    fingerprints = taken | fingerprints
    new = [each for each in tournament.entrants if each.name not in fingerprints]  # found by an older version
    fingerprints |= config.all_fingerprints(new, path)
    return TrackPlan(path, msgspec.structs.replace(tournament, fingerprints=taken), text, fingerprints)


def _history(known: KnownCommits, earlier: Sequence[Moment], block: int) -> list[Moment]:
    """The commits with a bot, in time order; new ones count from `block` on, even before later known ones."""
    history, at = list(earlier), len(earlier)
    for commit in reversed(known.commits):
        there = next((i for i, moment in enumerate(history) if moment.commit == commit.hash), None)
        if there is not None:
            at = there
        elif name := known.trees[commit.tree].entrant:
            history.insert(at, Moment(name, commit.hash, block))
    return history
