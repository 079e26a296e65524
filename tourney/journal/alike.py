"""How often two bots decide alike: copies, one bot under two names, and how far a version moved.

Within a deal, equal actions so far make equal views. If two bots decide in the same seat after the same actions,
with more than one legal action, the decision is common to both.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice, pairwise
from math import fsum
from pathlib import Path
from sys import maxsize
from typing import NamedTuple, TypeAlias

import msgspec

from tourney.base.errors import TourneyError
from tourney.base.sheet import Column, Sheet, half_width, names
from tourney.config import Tournament
from tourney.contracts.match import Record
from tourney.contracts.wording import few
from tourney.journal.reader import league_size, lines_from, parse_record, parse_sealed_record
from tourney.journal.run import RunFolder
from tourney.plugins.registry import load_format, load_game
from tourney.schedule.seatings import seating_count
from tourney.standings.intervals import GameShare, share_interval
from tourney.standings.luce import connected
from tourney.standings.tables import MOST_CELLS
from tourney.table.replay import Replay, converted_failures, put_out

SUSPECT = 99.0
"""From this percentage of equal decisions on, the standings name a pair …"""
LEAST = 100
"""… if it has at least this many common decisions."""
FEW, MANY = 300, 5000
"""The number of matches compared for standings and reports, and for the whole table."""
SMALL = 12
"""Up to this many bots, a loop over their pairs is as quick as counting all pairs of a bot at once."""
MOST_NAMED = 6
"""The number of bots named in a sentence."""
SHOWN = MOST_CELLS * (MOST_CELLS - 1) // 2
"""The number of pairs in a table as text."""
SAMPLE = 1000
"""The number of matches kept to choose `FEW` of them, on common deals."""


class Sample(deque[bytes]):
    """Lines of the first matches of a run, or of a league's last ones, for `likenesses`."""

    def __init__(self, goes_on: bool) -> None:
        super().__init__(maxlen=SAMPLE)
        self._goes_on = goes_on

    def add(self, lines: Sequence[bytes]) -> None:
        """Adds the lines of the next block, if they are wanted."""
        if self._goes_on or len(self) < SAMPLE:
            self.extend(lines)


_Acts: TypeAlias = dict[str, Counter[str]]
"""How often each bot made each decision, where all saw the same."""


class Likeness(msgspec.Struct, frozen=True):
    """How often two bots made the same decision where both saw the same. The field names are the keys in JSON."""

    bot: str
    other: str
    percent: float
    low: float | None
    """The lower end of its 95 % interval; None if unknown, after a single deal."""
    high: float | None
    decisions: int
    """The number of common decisions, with more than one legal action."""
    deals: int


class _Played(NamedTuple):
    """A match on a deal, and the decision at which a seat's bot no longer plays."""

    seats: tuple[str, ...]
    actions: Sequence[str]
    ends: Mapping[int, int]


def likenesses(
    lines: Iterable[bytes],
    most: int = FEW,
    among: Collection[str] | None = None,
    only_suspects: bool = False,
    intervals: int = maxsize,
) -> list[Likeness]:
    """The likeness of each two bots with common decisions, the most alike first.

    Args:
        lines: Lines of journals.
        most: About how many of their matches are compared.
        among: The bots that are compared; by default all.
        intervals: How many pairs, the most alike, get an interval.
        only_suspects: Return only pairs that `is_suspect`; the comparison ends as soon as there can be none.

    Raises:
        TourneyError: A match does not replay, or its game is not installed.
    """
    deals = list(_deals(lines, most))
    bounds = list(map(_bounds, deals if only_suspects else ()))
    left = Counter([bot for bound in bounds for bot in bound.elements()])
    if only_suspects:
        among = sorted([bot for bot, number in left.items() if number >= LEAST])
    of_deals: dict[tuple[str, str], list[tuple[float, int]]] = defaultdict(list)  # equal and common decisions

    def may_be_suspect(pair: tuple[str, str]) -> bool:
        equal, common = map(fsum, zip(*of_deals.get(pair, [(0, 0)]), strict=True))
        most = common + min([left[bot] for bot in pair])
        return most >= LEAST and 100 * (common - equal) <= (100 - SUSPECT + 1e-3) * most

    for i, its in enumerate(deals):
        records = [parse_sealed_record(line, "journal") for line in its]
        for size in sorted({len(each.seats) for each in records}):
            decisions = _decisions([each for each in records if len(each.seats) == size])
            for pair, counts in _compared(decisions, among):
                of_deals[pair].append(counts)
        if only_suspects:
            left.subtract(bounds[i])
            ahead = [bot for bot in among or () if left[bot] >= LEAST]  # of many bots, hardly any
            if not any(map(may_be_suspect, {*of_deals, *combinations(ahead, 2)})):
                return []
    table = []
    for pair, counts_of in of_deals.items():
        equal, common = map(fsum, zip(*counts_of, strict=True))
        table.append(Likeness(*pair, round(100 * equal / common, 4), None, None, int(common), len(counts_of)))
    if only_suspects:
        table = list(filter(is_suspect, table))
    table.sort(key=lambda each: (-each.percent, -each.decisions, each.bot, each.other))
    return [_with_interval(each, of_deals[each.bot, each.other]) for each in table[:intervals]] + table[intervals:]


def _with_interval(each: Likeness, of_deals: Sequence[tuple[float, int]]) -> Likeness:
    alike, common = zip(*of_deals, strict=True)
    ends = share_interval([GameShare(1.0, alike, common, sum(common) / len(common))])
    low, high = [round(100 * end, 4) for end in ends or ()] or (None, None)
    return msgspec.structs.replace(each, low=low, high=high)


def run_likenesses(run: RunFolder, intervals: int = maxsize) -> list[Likeness]:
    """The likenesses in a run's first matches, or in a league's last ones; see `likenesses`."""
    lines = run_lines(run.path, run.tournament, league_size(run.path, run.tournament).matches, 2 * MANY)
    return likenesses(lines, MANY, intervals=intervals)


def run_lines(path: Path, tournament: Tournament, matches: int, most: int = SAMPLE) -> Iterator[bytes]:
    """Up to `most` lines of a run's journal, the first ones; the last ones in a league with more matches."""
    goes_on = load_format(tournament.format).goes_on
    start = max(0, matches - most) // seating_count(tournament.seatings, tournament.setups[0].seats) if goes_on else 0
    return islice(lines_from(path, start), most)


def _bounds(lines: Iterable[bytes]) -> Counter[str]:
    """The number of decisions on a deal that each bot has at most in common with another one.

    In the order of their actions, matches that begin alike are neighbours.
    """
    records = [parse_record(line, "journal") for line in lines]
    common = [0]
    for one, other in pairwise(sorted([record.actions for record in records])):
        end = next((i for i, (char, its) in enumerate(zip(one, other, strict=False)) if char != its), len(one))
        common.append(one.count(" ", 0, end) + 1)
    shared = sum([max(number - before, 0) for before, number in pairwise(common)])
    own = Counter[str]()
    for record in records:
        own.update(dict.fromkeys(record.seats, record.decisions))
    return Counter({bot: min(number, shared) for bot, number in own.items()})


def _deals(lines: Iterable[bytes], most: int) -> Iterator[list[bytes]]:
    """The lines of one deal after another."""
    deals: dict[bytes, list[bytes]] = {}
    for line in lines:
        begin, _, rest = line.partition(b',"seed":"')
        deals.setdefault(begin.partition(b',"game":')[2].partition(b',"block":')[0] + rest[:32], []).append(line)
    read = 0
    for its in deals.values():
        if len(its) > 1 and read < most:
            some = its[:: -(-len(its) // (most - read))]
            read += len(some)
            yield some


def _decisions(records: Sequence[Record]) -> Iterator[_Acts]:
    """The decisions between several actions in the matches of one deal, as long as bots may be compared."""
    begun = Replay(records[0], load_game(records[0].game))
    game = begun.game
    whole = []
    for record in records:
        ends = dict.fromkeys(put_out(record), 0)
        ends.update({fault.seat: fault.decision for fault in record.faults if fault.kind != "out"})
        whole.append(_Played(record.seats, record.actions.split(), ends))
    stack = [(begun.state, 0, whole)]
    with converted_failures(game):
        while stack:
            state, depth, group = stack.pop()
            while _differ(group) and (seat := state.seat) is not None:
                branches: dict[str, list[_Played]] = {}
                for match in group:
                    if depth < len(match.actions):
                        branches.setdefault(match.actions[depth], []).append(match)
                legal = tuple(state.legal())
                if len(legal) > 1:
                    yield _acts(seat, depth, branches)
                depth += 1
                *others, first = branches.items()
                for text, its in others:
                    if _differ(its):
                        copy = state.copy()
                        copy.play(game.action(text), legal)
                        stack.append((copy, depth, its))
                state.play(game.action(first[0]), legal)
                group = first[1]


def _differ(group: Sequence[_Played]) -> bool:
    """Whether any seat has different bots in different matches."""
    return any([match.seats != group[0].seats for match in group])


def _acts(seat: int, depth: int, branches: Mapping[str, Sequence[_Played]]) -> _Acts:
    """The actions of each bot that decides there."""
    acts: _Acts = {}
    for text, matches in branches.items():
        for match in matches:
            if depth + 1 < match.ends.get(seat, depth + 2):
                acts.setdefault(match.seats[seat], Counter())[text] += 1
    return acts


def _compared(
    decisions: Iterable[_Acts], among: Collection[str] | None
) -> Iterator[tuple[tuple[str, str], tuple[float, int]]]:
    """Yields each two of the bots with the number of equal common decisions, and of common decisions."""
    common, equal = defaultdict[str, Counter[str]](Counter), defaultdict[str, Counter[str]](Counter)
    partly = defaultdict[tuple[str, str], float](float)
    for acts in decisions:
        bots = sorted(acts if among is None else [bot for bot in acts if bot in among])
        mixed = {bot for bot in bots if len(acts[bot]) > 1}
        groups: dict[str, list[str]] = {}
        for bot in bots if len(bots) > 1 else ():
            if bot not in mixed:
                groups.setdefault(next(iter(acts[bot])), []).append(bot)
        _count_pairs(common, bots)
        for group in groups.values():
            _count_pairs(equal, group)
        for one, other in combinations(bots, 2) if mixed else ():
            if one in mixed or other in mixed:
                its, others = acts[one], acts[other]
                alike = sum([count * others[text] for text, count in its.items()])
                partly[one, other] += alike / its.total() / others.total()
    for bot, of_bot in common.items():
        its_equal = equal[bot]
        for other, count in of_bot.items():
            yield (bot, other), (its_equal.get(other, 0) + partly.get((bot, other), 0), count)


def _count_pairs(counts: dict[str, Counter[str]], bots: Sequence[str]) -> None:
    """Counts each two of the bots once more."""
    if len(bots) <= SMALL:
        for one, other in combinations(bots, 2):
            counts[one][other] += 1
        return
    for i, bot in enumerate(bots[:-1], 1):
        counts[bot].update(bots[i:])


def is_suspect(each: Likeness) -> bool:
    """Whether two bots decide alike so often that one may be a copy of the other."""
    return each.percent >= SUSPECT and each.decisions >= LEAST


def alike_sheet(table: Sequence[Likeness]) -> Sheet:
    """The likeness of each two bots, the most alike first; texts show the first `SHOWN`."""
    first = table[:SHOWN]
    columns = [
        names([row.bot for row in first]),
        names([row.other for row in first], "other"),
        Column("alike %", [f"{row.percent:.1f}" for row in first]),
        Column("+-", [half_width(row.low, row.high, 1) for row in first], expendable=1),
        Column("decisions", [str(row.decisions) for row in first]),
        Column("deals", [str(row.deals) for row in first], expendable=2),
    ]
    legend = ["How often two bots decided alike where both saw the same and had a choice."]
    if len(first) < len(table):
        legend.append(f"The {len(first)} most alike of {len(table)} pairs; CSV and JSON have all.")
    return Sheet(Likeness, table, columns, legend, empty="No two bots have common decisions.")


def alike_sentences(lines: Iterable[bytes], bots: Sequence[str], bot_ids: Sequence[Hashable]) -> list[str]:
    """A sentence for each group of bots that nearly always decide alike, unless it is one bot under several names."""
    try:
        close = likenesses(lines, only_suspects=True)
    except TourneyError:  # such as a game that is not installed
        return []
    numbers = {bot: i for i, bot in enumerate(bots)}
    pairs = [(numbers[each.bot], numbers[each.other]) for each in close]
    sentences = []
    for group in connected(pairs):
        its = [each for each in close if numbers[each.bot] in group]
        if len({bot_ids[bot] for bot in group}) > 1:
            *some, last = few([bots[bot] for bot in group], MOST_NAMED)
            percent, number = min([each.percent for each in its]), min([each.decisions for each in its])
            more, who = (" or more", "they may be copies") if len(its) > 1 else ("", "one may be a copy of the other")
            share = "all" if percent == 100 else f"{int(10 * percent) / 10:.1f} %{more}"
            said = f"decide alike in {share} of {number}{more} common decisions: {who}"
            sentences.append(f"{', '.join(some)} and {last} {said}.")
    return sentences
