"""The results of matches that were played elsewhere, from a CSV file."""

import csv
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple, cast

from tourney.base.errors import ConfigError, one_line
from tourney.config import Tournament
from tourney.config.names import MOST_LETTERS
from tourney.contracts.match import Block, GameSetup, Scores
from tourney.contracts.state import places_by
from tourney.hosts.base import Entrant
from tourney.journal.standings import RunTotals
from tourney.schedule.base import Schedule
from tourney.standings.counts import OutcomeCounts
from tourney.standings.results import MatchResult

_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})(?:[eE][+-]?[0-9]{1,2})?")
_COLUMNS = (
    "the first line names the columns: match, deal if you have it, then a name and a place or a score for each seat, "
    "such as match,name1,score1,name2,score2"
)


class _Match(NamedTuple):
    deal: str
    names: tuple[str, ...]
    numbers: tuple[Fraction, ...]


def read_results(path: Path) -> RunTotals:
    """Counts the matches of a file, each an observation by itself unless the file names their deals.

    Raises:
        ConfigError: The file cannot be read, or a line of it is wrong.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            has_scores, matches = _read(path, file)
    except UnicodeDecodeError:
        raise ConfigError(f"{path}: not UTF-8; save the file as CSV in UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{path}: {error.strerror}") from None
    names = dict.fromkeys([name for match in matches for name in match.names])
    setup = GameSetup(path.stem, max([len(match.names) for match in matches], default=2), {})
    entrants = tuple([Entrant(name, name, {}) for name in names])
    tournament = Tournament(name=path.stem, seed=0, entrants=entrants, setups=(setup,), match_s=1.0, folder=".")
    counts = OutcomeCounts(tournament.names, (setup,))
    counts.has_scores = has_scores
    deals: dict[str, int] = {}
    for number, match in enumerate(matches):
        block = Block(number, setup, deals.setdefault(match.deal, len(deals)), (match.names,))
        numbers = match.numbers if has_scores else [-place for place in match.numbers]
        counts.add(block, [MatchResult(cast("Scores", match.numbers), places_by(numbers), ())])  # scores may be halves
    return RunTotals(tournament, Schedule(tournament), counts, len(matches), 0)


def _read(path: Path, file: Iterator[str]) -> tuple[bool, Sequence[_Match]]:
    """Whether the numbers are scores, and the matches."""
    rows = csv.reader(file, strict=True)

    def fail(problem: str) -> ConfigError:
        return ConfigError(f"{path}:{max(rows.line_num, 1)}: {problem}")

    matches: dict[str, _Match] = {}
    try:
        heads = [head.strip().lower() for head in next(rows, [])]
        rest = [i for i, head in enumerate(heads) if head not in ("match", "deal")]
        kinds = {heads[i].strip(" _-0123456789") for i in rest[1::2]}
        if heads.count("match") != 1 or heads.count("deal") > 1 or len(rest) < 4 or len(rest) % 2:
            raise fail(_COLUMNS)
        if kinds not in ({"place"}, {"score"}):
            raise fail(f"each name is followed by its place, or each by its score; {_COLUMNS}")
        for row in rows:
            cells = [cell.strip() for cell in row]
            cells += [""] * (len(heads) - len(cells))
            match, deal = [cells[heads.index(head)] if head in heads else "" for head in ("match", "deal")]
            if not any(cells):
                continue
            if match in matches or len(cells) > len(heads):
                again = f"match {_quoted(match)} again; each match has one line"
                raise fail(again if match in matches else f"{len(cells)} columns, but the first line has {len(heads)}")
            seats = [(cells[i], cells[j]) for i, j in zip(rest[::2], rest[1::2], strict=True) if cells[i] or cells[j]]
            if problem := _problem(seats):
                raise fail(problem)
            deal = f"deal {deal}" if deal else f"match {match}"
            matches[match] = _Match(
                deal, tuple([name for name, _ in seats]), tuple([Fraction(number) for _, number in seats])
            )
    except csv.Error as error:
        raise fail(f"not CSV: {error}") from None
    if not matches:
        raise ConfigError(f"{path}: no matches; {_COLUMNS}")
    return kinds == {"score"}, [*matches.values()]


def _problem(seats: Sequence[tuple[str, str]]) -> str:
    names = [name for name, _ in seats]
    for name, number in seats:
        if not name or len(name) > MOST_LETTERS:
            return f"a name has 1 to {MOST_LETTERS} letters, got {_quoted(name)}"
        if names.count(name) > 1:
            return f"{_quoted(name)} has two seats"
        if not _NUMBER.fullmatch(number):
            return f"{_quoted(number)} of {_quoted(name)} is not a number such as 2"
    return "" if len(seats) > 1 else "a match has two seats or more"


def _quoted(text: str) -> str:
    return f'"{one_line(text[:MOST_LETTERS])}"'
