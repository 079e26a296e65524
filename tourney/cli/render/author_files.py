"""What the author of a bot may have of a run, as a zip file: the same bytes for the same run, and no folder's name."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import orjson

from tourney import config
from tourney.base.errors import RunError, did_you_mean, one_line
from tourney.contracts.match import Fault
from tourney.journal import bot_logs, folder
from tourney.journal import notes as journal_notes
from tourney.journal.events import Event
from tourney.journal.run import RunFolder
from tourney.review.submissions import CHECK_LOG
from tourney.runner.league import BOTS
from tourney.schedule.league import base_name

_QUOTED = re.compile(r"""(?<=["'])/[^"'\n]*/""")
_PATH = re.compile(r"(?<![\w./:])/(?:[^\s/\"']+/)+")
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of each file, so that the same run gives the same bytes."""


@contextmanager
def author_file(out: Path, top: str) -> Iterator[Callable[[str, str], None]]:
    """Writes a zip file whose files are in a folder of that name; gives what adds one, by its name and its text."""
    with folder.output(out) as file, ZipFile(file, "w", ZIP_DEFLATED) as bundle:
        yield lambda name, text: bundle.writestr(ZipInfo(f"{top}/{name}", _LONG_AGO), text.encode(), ZIP_DEFLATED)


def fault_line(match: str, fault: Fault) -> str:
    """A fault in a line."""
    return one_line(f"{match}, decision {fault.decision}: {fault.kind} ({fault.what})")


def log_text(run: Path, bot: str) -> str:
    """The log of a bot; empty if there is none."""
    return text_of(config.log_file(run / folder.LOGS, bot))


def text_of(file: Path) -> str:
    """The text of a file without full paths; empty if there is none."""
    return without_folders(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else ""


def without_folders(text: str) -> str:
    """A text whose full paths, as in tracebacks, are cut to their last part."""
    return _PATH.sub("", _QUOTED.sub("", text))


def write_logs(run: RunFolder, name: str, out: Path) -> list[str]:
    """Writes the logs of an author of a league; returns the versions that they are of.

    Raises:
        RunError: There is no such author and no such bot, or the name means both.
    """
    league, bots = run.path, _versions(run, name)
    faults: dict[str, list[tuple[str, Fault]]] = {bot: [] for bot in bots}
    for record in run.records():
        for fault in record.faults:
            if (bot := record.seats[fault.seat]) in faults:
                faults[bot].append((record.match, fault))
    noted: dict[str, list[str]] = {bot: [] for bot in bots}
    for match in journal_notes.read(league):
        for decision, seat, note in match.notes:
            if (bot := match.seats[seat]) in noted:
                line = {"match": match.match, "decision": decision, "seat": seat, "note": note}
                noted[bot].append(f"{orjson.dumps(line).decode()}\n")
    with author_file(out, base_name(name)) as add:
        for bot in bots:
            add(f"{folder.LOGS}/{bot}.txt", log_text(league, bot))
            add(f"{BOTS}/{bot}/{CHECK_LOG}", text_of(league / BOTS / bot / CHECK_LOG))
            add(f"faults/{bot}.txt", without_folders("".join(_with_traces(league, bot, faults[bot]))))
            add(f"notes/{bot}.jsonl", "".join(noted[bot]))
    return bots


def _with_traces(league: Path, bot: str, faults: Iterable[tuple[str, Fault]]) -> Iterator[str]:
    """The lines of faults; below the first of each kind and detail, its traceback."""
    traces = bot_logs.tracebacks(league, bot)
    for match, fault in faults:
        yield f"{fault_line(match, fault)}\n"
        trace = traces.pop(f"{fault.kind}: {fault.detail}", "")
        yield "".join([f"    {line}\n" for line in trace.splitlines()])


def _versions(league: RunFolder, name: str) -> list[str]:
    """The versions whose logs a name stands for: all of an author, or the author's versions of a bot."""
    submitted = [event for event in league.events if event.event == "submitted"]
    of_author = [event.bot for event in submitted if event.author == name]
    meant = [_bot_and_author(event) for event in submitted if name in (event.bot, base_name(event.bot))][-1:]
    own = [event.bot for event in submitted if _bot_and_author(event) in meant]
    if not of_author and not own:
        known = sorted({known for event in submitted for known in (event.author, base_name(event.bot)) if known})
        raise RunError(f'{league}: no author and no bot "{name}"; {did_you_mean(name, known)}')
    if of_author and own and of_author != own:
        raise RunError(f"{league}: {name} is an author and another's bot; name a version, as in {own[-1]}")
    return list(dict.fromkeys(of_author or own))


def _bot_and_author(event: Event) -> tuple[str, str]:
    return base_name(event.bot), event.author
