"""Corrects a run in its folder: bots are replaced or dropped, and only what they took part in is played or left out.

The manifest and the journal of before wait in the folder `earlier` of the run until the correction is finished. What
was begun is resumed like any run.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from tourney import config
from tourney.base.errors import ConfigError, RunError, cannot_write, did_you_mean
from tourney.config import Tournament
from tourney.config.tournament import validate_tournament
from tourney.journal import folder, signature, times, writer
from tourney.journal.folder import EARLIER, JOURNAL, NOTES
from tourney.journal.kinds import kind_of
from tourney.runner.extend import EarlierRun
from tourney.schedule.base import schedule

KEPT = (folder.LOGS, times.TIMES, EARLIER)
"""What a correction keeps of the results."""


def without_dropped(tournament: Tournament, path: Path, drop: Sequence[str] = ()) -> Tournament:
    """The tournament of a file without the bots that were dropped from the run in a folder, and those to drop now."""
    manifest, correction = folder.read_manifest(path), _correction(path)
    if not (drop or correction or manifest["tournament"].get("entered")):
        return tournament
    before = config.of_manifest(manifest)
    gone = {*before.dropped, *correction.get("dropped", ())}
    for name in drop:
        if name in gone:
            raise ConfigError(f"drop: {name} was dropped from {path} already")
        if name not in before.names:
            raise ConfigError(f'drop: no bot "{name}" is in {path}; {did_you_mean(name, before.names)}')
    gone |= set(drop)
    if not gone:
        return tournament
    if not schedule(before).leaves_out:
        raise RunError(f"{path}: a {before.format} cannot go on without a bot; enter the others in a new run")
    left = tournament.without(gone)
    if left.names == tuple([name for name in before.scheduled if name not in gone]):
        left = msgspec.structs.replace(left, entered=before.scheduled)  # also if the file enters them no longer
    validate_tournament(left)
    if not schedule(left).most_matches:
        raise ConfigError(f"drop: without {', '.join(drop)} no match is left")
    return left


def begin(
    path: Path, tournament: Tournament, text: str, replace: Sequence[str], drop: Sequence[str]
) -> tuple[writer.JournalWriter, EarlierRun]:
    """Begins a correction: puts the journal of before aside, and opens a new one. The dropped are out already."""
    for name in replace:
        if name not in tournament.names:
            raise ConfigError(f'replace: no bot "{name}" is in the run; {did_you_mean(name, tournament.names)}')
    manifest = folder.read_manifest(path)
    if not (kind := kind_of(path, manifest)).correctable:
        raise RunError(f"{path}: holds {kind.noun}, which cannot be corrected; play it anew")
    if _correction(path):
        raise RunError(f"{path}: an earlier correction is not finished; resume it first")
    with writer.JournalWriter(path):  # nobody else writes to it
        earlier = EarlierRun.corrected(path, manifest, tournament, frozenset(replace))
        aside = path / EARLIER
        try:
            aside.mkdir(exist_ok=True)
            folder.write_manifest(aside, manifest | {"correction": {"replaced": [*replace], "dropped": [*drop]}})
            (path / JOURNAL).rename(aside / JOURNAL)  # from now on, the correction has begun
        except OSError as error:
            raise cannot_write(aside, error) from None
        earlier.path = aside
    return begin_journal(path, tournament, text), earlier


def begin_journal(path: Path, tournament: Tournament, text: str) -> writer.JournalWriter:
    """Opens the journal of a correction that has begun, and writes the new manifest."""
    notes, aside = path / NOTES, path / EARLIER / NOTES
    if notes.exists() and not aside.exists():
        notes.rename(aside)
    correction = _correction(path)
    changed = [*correction["replaced"], *correction["dropped"]]
    spent = times.load(path) or times.Times()
    for name in changed:
        spent.bots.pop(name, None)
    results = [name for name in writer.RESULTS if name not in KEPT]
    logs = [f"{folder.LOGS}/{config.log_file(Path(), name)}" for name in changed]
    journal = writer.begin_again(path, text, config.manifest(tournament), [*results, *logs])
    times.save(path, spent)
    signature.sign(path, tournament)
    return journal


def unfinished(path: Path, tournament: Tournament, heard: Callable[[], None]) -> EarlierRun | None:
    """The blocks that an unfinished correction reuses, read as `EarlierRun` says; None if there is none."""
    if not (correction := _correction(path)):
        finish(path)  # it had not begun
        return None
    manifest = folder.read_manifest(path / EARLIER)
    return EarlierRun.corrected(path / EARLIER, manifest, tournament, frozenset(correction["replaced"]), heard)


def is_to_begin(path: Path) -> bool:
    """Whether nothing of a correction was written yet, perhaps not even its manifest."""
    return not (path / JOURNAL).exists() or not (path / JOURNAL).stat().st_size


def finish(path: Path) -> None:
    """Removes what waited for the end of a correction."""
    folder.clear(path, [f"{EARLIER}/{JOURNAL}"])  # first: without it, there is no correction
    folder.clear(path, [EARLIER])


def _correction(path: Path) -> dict[str, Any]:
    """Who is replaced and dropped by the unfinished correction of a run; empty if there is none."""
    if not (path / EARLIER / JOURNAL).exists():
        return {}
    found: dict[str, Any] = folder.read_manifest(path / EARLIER)["correction"]
    return found
