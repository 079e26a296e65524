"""The report's matrices of pairs below the cross-table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tourney.contracts.wording import counted, isolated
from tourney.journal.alike import LEAST, SUSPECT, Likeness, is_suspect
from tourney.report.run_data import RunData
from tourney.report.sections import LEVELS, CrossCell
from tourney.standings.interactions import Interaction

WIDE = 22  # with more bots, cells are narrow


class Matrix(NamedTuple):
    """A table with a cell for each ordered pair of the first bots."""

    name: str
    title: str
    note: str
    opens: bool
    """Whether it is open at first, because there is something to see."""
    cells: Sequence[Sequence[CrossCell | None]]


def matrices(data: RunData) -> Iterator[Matrix]:
    """The matrices that the run has values for."""
    if table := data.ranking.interactions:
        cells = {(each.bot, each.other): _interaction(data, each) for each in table}
        opens = any([each.is_sure for each in table])
        note = (
            "How many more points % the row's bot won with the column's at its table than their ratings let expect. "
            "Framed: beyond chance, among all pairs."
        )
        yield Matrix("pairs", "Points at common tables", note, opens, _rows(data, cells))
    if alike := data.likenesses:
        cells = {pair: _likeness(data, *pair, each) for each in alike for pair in _both(each)}
        note = (
            "In how many of their common decisions two bots decided alike, in percent: where both saw the same and had "
            f"a choice. Framed: {SUSPECT:.0f} % or more, of at least {LEAST} decisions."
        )
        yield Matrix("alike", "Bots that decide alike", note, any(map(is_suspect, alike)), _rows(data, cells))


def _rows(data: RunData, cells: Mapping[tuple[str, str], CrossCell]) -> list[list[CrossCell | None]]:
    return [[cells.get((bot, other)) for other in data.first] for bot in data.first]


def _cell(data: RunData, bot: str, other: str, text: str, label: str, share: float, sure: bool) -> CrossCell:
    """A cell; `share`, from 0 to 1, is the step of its colour."""
    pair = "-".join([str(data.numbers[name]) for name in (bot, other)])
    return CrossCell(text, label, round(max(0.0, min(share, 1.0)) * LEVELS), sure, pair)


def _interaction(data: RunData, each: Interaction) -> CrossCell:
    label = (
        f"{isolated(each.bot)} with {isolated(each.other)}: {each.points:+z.1f} points %, "
        f"95 % interval {each.low:.1f} to {each.high:.1f}; {'' if each.is_sure else 'not '}beyond chance"
    )
    text = f"{each.points:+z.{int(abs(each.points) < 10 and len(data.rows) <= WIDE)}f}"
    return _cell(data, each.bot, each.other, text, label, 0.5 + each.points / 20, each.is_sure)


def _both(each: Likeness) -> tuple[tuple[str, str], tuple[str, str]]:
    return (each.bot, each.other), (each.other, each.bot)


def _likeness(data: RunData, bot: str, other: str, each: Likeness) -> CrossCell:
    label = (
        f"{isolated(bot)} and {isolated(other)} decided alike in {each.percent:.1f} % of "
        f"{counted(each.decisions, 'common decision')} on {counted(each.deals, 'deal')}"
    )
    text = f"{int(each.percent)}"
    return _cell(data, bot, other, text, label, each.percent / 100, is_suspect(each))
