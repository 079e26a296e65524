"""`tourney bundle`: the part of a run that a bot's author may see, as a zip file: the same bytes for the same run."""

import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from string import Template
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import click
import orjson

from tourney import config
from tourney.base.errors import ConfigError, RunError, did_you_mean, one_line
from tourney.cli import interrupt
from tourney.cli import options as opt
from tourney.cli.commands.docs import read_page
from tourney.cli.commands.replay import decision_event
from tourney.cli.errors import FinishingCommand
from tourney.cli.render.transcript import transcript
from tourney.cli.screen import echo
from tourney.config import Tournament
from tourney.config.names import base_name
from tourney.contracts.match import Record, RecordedResult
from tourney.journal import bot_logs, folder
from tourney.journal.events import BOTS, Event
from tourney.journal.notes import MatchNotes
from tourney.journal.reader import JournalBlock, parse_record
from tourney.journal.run import RunFolder
from tourney.journal.standings import RunTotals, count_run
from tourney.journal.told import Told
from tourney.plugins.registry import load_game
from tourney.review import kit as kits
from tourney.review.submissions import CHECK_LOG
from tourney.standings.ranking import seat_points
from tourney.standings.tables import standings_sheet
from tourney.table.replay import ReplayEvent, in_time, walk

_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The time of each file, for reproducible bytes."""


@click.command("bundle", cls=FinishingCommand)
@opt.RUN
@click.option("--bot", "name", metavar="NAME", help="Bot to pack; in a league, a version, a bot or an author.")
@click.option("--kit", is_flag=True, help="Pack what participants need to check their bots, instead.")
@opt.TO_FILE
def command(run: str, name: str | None, kit: bool, out: Path) -> None:
    """Pack one bot's matches, faults and log for its author, as a zip file, or a kit for all participants.

    It contains the standings, each of the bot's matches from its own seat, its faults, notes and log. It reveals no
    hidden cards, no seed and no folder on this machine.

    In a league, NAME can also be an author, or a bot without a version: the file then has the logs, checks, faults and
    notes of all the author's versions, without standings and matches. It answers authors' most frequent questions, too.

    With --kit, the file has everything that participants need to write and check a bot as the organiser will: a
    README, the games with their options, the limits and the host in check.toml, bots to measure against, and a bot to
    start from. It reveals no seed and no participant's bot. `tourney check --kit FILE BOT` is the check.
    """
    folder = RunFolder.find(run)
    opt.exclusive(bot=name, kit=kit)
    if kit:
        with interrupt.handled(), _zip_file(out, "") as add:
            check, words = kits.make(folder)
            add(kits.CHECK, check)
            for file in sorted((files("tourney.cli") / "templates" / "kit").iterdir(), key=lambda file: file.name):
                add(file.name.removesuffix(".template"), Template(file.read_text("utf-8")).substitute(words))
        echo(f"wrote {out}: a kit for participants; tourney check --kit {shlex.quote(str(out))} BOT checks a bot")
        return
    if name is None:
        raise ConfigError("missing --bot NAME, or --kit")
    goes_on, is_bot = folder.plan.goes_on, name in folder.tournament.names
    if not goes_on:
        opt.check_name("bot", name, folder.tournament.names)
    bots = [name] if is_bot else _versions(folder, name)
    with interrupt.handled(), _zip_file(out, f"{base_name(name) if goes_on else name}/") as add:
        count, totals = _add_bots(folder, bots, add, with_matches=is_bot)
        if is_bot:
            opt.say_if_unfinished(totals.matches, totals.schedule)
            sheet = standings_sheet(totals.ranking(), seat_points(totals.counts))
            add("standings.txt", f"{sheet.text('table')}\n")
            add("standings.json", f"{sheet.text('json')}\n")
        if goes_on:
            add("answers.md", read_page("league-answers").text)
    echo(f"wrote {out}: {f'{count} matches of {name}, as its seat saw them' if is_bot else ', '.join(bots)}")


@contextmanager
def _zip_file(out: Path, top: str) -> Iterator[Callable[[str, str], None]]:
    """Writes a zip file; yields a function that adds a file by its name below `top`, and its text."""
    with folder.output(out) as file, ZipFile(file, "w", ZIP_DEFLATED) as bundle:
        yield lambda name, text: bundle.writestr(ZipInfo(f"{top}{name}", _LONG_AGO), text.encode(), ZIP_DEFLATED)


def _add_bots(
    run: RunFolder, bots: list[str], add: Callable[[str, str], None], with_matches: bool
) -> tuple[int, RunTotals]:
    count, path, told = 0, run.path, Told([run], "author")
    faults, noted = {bot: list[str]() for bot in bots}, {bot: list[bytes]() for bot in bots}
    traces = {bot: bot_logs.tracebacks(path, bot) for bot in bots}

    def add_block(some: JournalBlock[RecordedResult]) -> None:
        nonlocal count
        notes_of = run.notes.of(some.block.number)
        for record, line in zip(some.records, some.lines, strict=True):
            its = notes_of.get(record.match, MatchNotes(record.match))
            own = {seat: bot for seat, bot in enumerate(record.seats) if bot in faults}
            count += bool(own)
            for seat in own if with_matches else ():
                for ending, text in _seen(parse_record(line, ""), seat, run.tournament, its):
                    add(f"matches/{record.match}-seat-{seat}.{ending}", text)
            for fault in [fault for fault in record.faults if fault.seat in own]:
                bot = own[fault.seat]
                trace = traces[bot].pop(f"{fault.kind}: {fault.detail}", "")
                what = one_line(f"{record.match}, decision {fault.decision}: {fault.kind} ({fault.what})")
                faults[bot] += [f"{what}\n", *[f"    {line}\n" for line in trace.splitlines()]]
            for decision, seat, note in its.notes:
                if seat in own:
                    told = {"match": record.match, "decision": decision, "seat": seat, "note": note}
                    noted[own[seat]].append(orjson.dumps(told, option=orjson.OPT_APPEND_NEWLINE))

    totals = count_run(run, see=add_block)
    for bot in bots:
        add(f"{folder.LOGS}/{bot}.txt", _text_of(config.log_file(path / folder.LOGS, bot), told))
        if (check := path / BOTS / bot / CHECK_LOG).exists():
            add(f"{BOTS}/{bot}/{CHECK_LOG}", _text_of(check, told))
        add(f"faults/{bot}.txt", told.text("".join(faults[bot])))
        add(f"notes/{bot}.jsonl", b"".join(noted[bot]).decode())
    return count, totals


def _seen(record: Record, seat: int, tournament: Tournament, noted: MatchNotes) -> Iterator[tuple[str, str]]:
    game, notes, events = load_game(record.game), noted.by_decision(seat), list[bytes]()

    def walked() -> Iterator[ReplayEvent]:
        for replayed in walk(record, game, seat):
            if (step := replayed.step) is not None and step.seat == seat:
                event = decision_event(step, orjson.Fragment(replayed.view.as_json()), game, notes)
                events.append(orjson.dumps(event, option=orjson.OPT_APPEND_NEWLINE))
            yield replayed

    with in_time(record, tournament.replay_s):
        lines = [f"{line}\n" for line in transcript(record, game, seat, (1, None), notes, walked())]
    yield from (("txt", "".join(lines)), ("jsonl", b"".join(events).decode()))


def _text_of(file: Path, told: Told) -> str:
    return told.text(file.read_text(encoding="utf-8", errors="replace")) if file.is_file() else ""


def _versions(league: RunFolder, name: str) -> list[str]:
    submitted = [event for event in league.events if event.event == "submitted"]
    of_author = [event.bot for event in submitted if event.author == name]
    meant = [_bot_and_author(event) for event in submitted if name in (event.bot, base_name(event.bot))][-1:]
    own = [event.bot for event in submitted if _bot_and_author(event) in meant]
    if not of_author and not own:
        known = sorted({known for event in submitted for known in (event.author, base_name(event.bot)) if known})
        raise RunError(f'{league}: no author or bot "{name}"; {did_you_mean(name, known)}')
    if of_author and own and of_author != own:
        raise RunError(
            f"{league}: {name} is both an author and another author's bot; name a version, for example {own[-1]}"
        )
    return list(dict.fromkeys(of_author or own))


def _bot_and_author(event: Event) -> tuple[str, str]:
    return base_name(event.bot), event.author
