"""The end of a league's season: voided matches, and the final of the best."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tourney import config
from tourney.base.errors import RunError, writable
from tourney.config import writing
from tourney.config.names import base_name
from tourney.contracts.rng import commitment
from tourney.journal import folder
from tourney.journal.events import BOTS, Event, EventLog, date_of
from tourney.journal.run import RunFolder
from tourney.journal.search import find_blocks
from tourney.journal.standings import count_run
from tourney.plugins import handed_in
from tourney.review.submissions import CHECK_LOG
from tourney.runner.league import FINAL_SEED, closing, field_of, now, tables_of
from tourney.schedule.seatings import seating_count
from tourney.standings.ranking import StandingsRow


def void(
    league: RunFolder, matches: Sequence[str] = (), between: tuple[str, str] | None = None, *, timeouts: bool = False,
    why: str = "",
) -> int:  # fmt: skip
    """Voids the blocks of some matches, with timeouts, or of rounds between two dates; see `tourney.League.void`.

    They are played again in the next round if all of their bots play in it.
    """
    first, last = [date_of(each) for each in between or ("9999-01-01", "0001-01-01")]
    if between is not None and len(between[0]) <= len("2026-11-26"):
        first = f"{first[:10]}T00:00:00Z"
    rounds = [event for event in league.events if event.event == "round"]
    ends = [*[event.date for event in rounds[1:]], "9999"]
    during = [
        range(each.block, each.block + each.blocks)
        for each, end in zip(rounds, ends, strict=False)
        if each.date <= last and end >= first
    ]
    blocks = find_blocks(league, matches, "timeout" if timeouts else "", during)
    with EventLog(league.path) as log:
        gone = {block for event in log.events for block in event.voided}
        blocks = {block: group for block, group in blocks.items() if block not in gone}
        if not blocks:
            what = "no match with a timeout" if timeouts and not matches else "none of these matches"
            raise RunError(f"{league}: {what} counts; list them with `tourney matches`")
        event = Event("voided", log.next_block, now(), why=why, voided=tuple(blocks), tables=tuple(blocks.values()))
        log.add(event)
    return len(blocks) * seating_count(league.tournament.seatings, league.tournament.setups[0].seats)


class Final(NamedTuple):
    """A league's final."""

    text: str
    bots: Sequence[StandingsRow]
    """The standings of its bots in the league."""
    seed_sha256: str


def write_final(
    league: RunFolder, out: Path, best: int = 8, deals: int = 500, form: str = "round-robin", rounds: int | None = None
) -> Final:
    """Writes the tournament of the best bots of a closed league to a file; see `tourney.League.final`.

    Copies the bots to `bots` next to it. Bots of one author share a place. The league's folder alone determines the
    file.
    """
    closed = closing(league.events)
    if closed is None or closed.until > now():
        until = "" if closed is None else f" until {closed.until}"
        raise RunError(f"{league}: open for submissions{until}; close it first with `tourney league close`")
    with folder.readable(league.path / FINAL_SEED):
        seed = (league.path / FINAL_SEED).read_text().strip()
    if commitment(seed) != closed.sha256:
        raise RunError(f"{league.path / FINAL_SEED}: not the seed of the event `closed`; restore it from a backup")
    rows, tournament = _best(league, best), league.tournament
    data, parts = tables_of(league.path, (), out.parent)
    submitted = {event.bot: event for event in league.events if event.event == "submitted"}
    bots = [submitted[row.bot].table if row.bot in submitted else parts.bots[row.bot] for row in rows]
    keys = {key: data[key] for key in ("seatings", "page") if key in data} | parts.keys
    keys |= {"name": f"{tournament.name}-final"[:60], "seed": seed, "format": form, "deals": deals}
    keys |= {} if rounds is None else {"rounds": rounds}
    named = [bot | {"name": base_name(bot["name"])} for bot in bots]
    text = writing.tournament_text(named, parts.games, parts.bot_limits, **keys)
    final = config.of_text(text, out)
    for row in rows:
        if row.bot in submitted:
            _copy(league.path / BOTS / row.bot, out.parent / BOTS / row.bot)
    taken = config.all_fingerprints(final.entrants, out.parent)
    for row in rows:
        recorded = submitted[row.bot].sha256 if row.bot in submitted else ""
        if recorded and taken[base_name(row.bot)].sha256 != recorded:
            place = out.parent / BOTS / row.bot
            raise RunError(f"{place}: not the files of {row.bot} as submitted; remove them, or choose another folder")
    announced = next(event.date for event in league.events if event.event == "closed")
    head = f"# The final of the league {tournament.name}. Announced on {announced}, the SHA-256 of its seed:\n"
    text = f"{head}# {closed.sha256}\n\n{text}"
    folder.write_atomically(out, text.encode())
    return Final(text, rows, closed.sha256)


def _best(league: RunFolder, best: int) -> list[StandingsRow]:
    states = {each.name: each for each in field_of(league.events, league.tournament.names)}
    playing = {base_name(name): name for name, each in states.items() if each.state == "plays"}
    chosen, others, authors = list[StandingsRow](), 0, set[str]()
    for row in count_run(league).ranking().rows:
        author = "" if league.tournament.format_options.siblings else states[row.bot].author
        if playing.get(base_name(row.bot)) != row.bot or author in authors or row.rating is None:
            others += 1
            continue
        authors |= {author} - {""}
        if len(chosen) < best or (row.place_low is not None and row.place_low - others <= best):
            chosen.append(row)
    return chosen


def _copy(source: Path, target: Path) -> None:
    files = handed_in.names(handed_in.files_of(source), source)
    files.pop(CHECK_LOG, None)
    with writable(target):
        if files and not target.exists():
            handed_in.copy(files, target)
