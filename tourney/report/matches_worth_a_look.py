"""Picks the matches of a run that are worth a look: worst losses, upsets, closest, longest, every kind of fault.

The journal is read once, match by match, before it is known who is strong. So some matches are kept of every pair of
entrants; what is kept of a match is small, and says where its line stands in the journal.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Literal, NamedTuple, TypeAlias
from unicodedata import bidirectional

import msgspec

from tourney.base.errors import one_line
from tourney.contracts.match import Fault, FaultKind, Record
from tourney.journal.search import FoundMatch
from tourney.standings.ranking import StandingsRow
from tourney.standings.results import MatchResult

_FIRST_STRONG, _END = "\u2068", "\u2069"


def isolated(name: str) -> str:
    """Returns the name with marks around it that keep it from reordering the text beside it, if it could.

    >>> isolated("steady")
    'steady'
    """
    if any([bidirectional(char) in ("R", "AL", "AN") for char in name]):
        return f"{_FIRST_STRONG}{name}{_END}"
    return name


Reason: TypeAlias = Literal["loss", "upset", "closest", "longest", "fault"]

PAIR_MATCHES = 8
"""How many matches are listed of a pair of entrants, as they come …"""
LARGE_FIELD = 40
"""… and only one with more entrants than this; the largest win of each is listed as well."""
UPSETS = 3
"""How many upsets are picked."""


class ListedMatch(NamedTuple):
    """A match that the report may list or show."""

    found: FoundMatch
    game: str
    offset: int
    """Where the line of its record begins in the journal, in bytes."""


class NotableMatch(NamedTuple):
    """A match that is worth a look, with the reason."""

    reason: Reason
    text: str
    """The reason as a sentence."""
    match: ListedMatch
    decision: int | None = None
    """The decision to look at; None for the beginning."""


class FaultSummary(msgspec.Struct):
    """The faults of one kind that a bot made."""

    count: int
    first: ListedMatch
    fault: Fault
    """The first one."""


class PairMatches(msgspec.Struct):
    """Some of the matches in which two entrants met; the first is the one that was entered first."""

    first: list[ListedMatch]
    """The first ones that were played."""
    wins: list[ListedMatch | None]
    """For each of the two, the match without faults in which it was ahead of the other by most."""
    ahead: list[int]
    """By how much it was ahead there."""

    def listed(self) -> list[ListedMatch]:
        """Returns all of them, each once: the largest wins come first."""
        found = {match.found.id: match for match in [*self.wins, *self.first] if match is not None}
        return list(found.values())


class _WorstLoss(NamedTuple):
    behind: int
    match: ListedMatch


class MatchCollector:
    """Looks at every match of a run, and keeps those that can be worth a look."""

    def __init__(self, names: Sequence[str], wanted: Collection[str] = ()) -> None:
        """Starts without a match."""
        self._numbers = {name: number for number, name in enumerate(names)}
        self._per_pair = PAIR_MATCHES if len(names) <= LARGE_FIELD else 1
        self._losses: dict[tuple[str, str], _WorstLoss] = {}  # by bot and game
        self._margins: dict[str, tuple[int, int]] = {}  # the sum of the winners' margins by game, and how many
        self._closest: dict[str, tuple[int, int, ListedMatch]] = {}  # by game: the margin, less decisions
        self._longest: dict[str, tuple[int, ListedMatch]] = {}
        self._pairs: dict[tuple[int, int], PairMatches] = {}
        self.faults: dict[str, dict[FaultKind, FaultSummary]] = {}
        """The faults of each bot that made one, by kind, in the order in which they came."""
        self._wanted = wanted
        self.found: dict[str, ListedMatch] = {}
        """The wanted matches, by name."""
        self.faulty_matches = 0
        """In how many matches there was a fault."""

    def add(self, record: Record, number: int | None, offset: int) -> None:
        """Looks at a match."""
        played = _PlayedMatch(record, number, record.decisions, offset)
        game = record.game
        if game not in self._longest or played.decisions > self._longest[game][0]:
            self._longest[game] = played.decisions, played.listed()
        if record.faults:
            self._add_faults(played)
        else:
            self._add_scores(played, game)
        self._add_pairs(played)
        if record.match in self._wanted:
            self.found[record.match] = played.listed()

    def _add_faults(self, played: "_PlayedMatch") -> None:
        charged = [fault for fault in played.record.faults if fault.kind != "out"]
        self.faulty_matches += bool(charged)
        for fault in charged:
            of_bot = self.faults.setdefault(played.record.seats[fault.seat], {})
            if fault.kind in of_bot:
                of_bot[fault.kind].count += 1
            else:
                of_bot[fault.kind] = FaultSummary(1, played.listed(), fault)

    def _add_scores(self, played: "_PlayedMatch", game: str) -> None:
        """Looks at how a match without faults ended."""
        seats, places = played.record.seats, played.record.places
        behind = _behind(played.record.scores)
        if len(seats) < 2:
            return
        margin = -min(behind)
        whole, count = self._margins.get(game, (0, 0))
        self._margins[game] = whole + margin, count + 1
        closest = self._closest.get(game)
        if closest is None or (margin, -played.decisions) < closest[:2]:
            self._closest[game] = margin, -played.decisions, played.listed()
        for name, place, lost_by in zip(seats, places, behind, strict=True):
            if place > 1:
                worst = self._losses.get((name, game))
                if worst is None or lost_by > worst.behind:
                    self._losses[name, game] = _WorstLoss(lost_by, played.listed())

    def _add_pairs(self, played: "_PlayedMatch") -> None:
        numbers = [self._numbers[name] for name in played.record.seats]
        scores, places, fair = played.record.scores, played.record.places, not played.record.faults
        for one, other in combinations(range(len(numbers)), 2):
            if numbers[one] == numbers[other]:
                continue
            low, high = (one, other) if numbers[one] < numbers[other] else (other, one)
            pair = self._pairs.get((numbers[low], numbers[high]))
            if pair is None:
                pair = self._pairs[numbers[low], numbers[high]] = PairMatches([], [None, None], [0, 0])
            if len(pair.first) < self._per_pair:
                pair.first.append(played.listed())
            if fair and places[low] != places[high]:
                winner = int(places[high] < places[low])
                ahead = abs(scores[low] - scores[high])
                if pair.wins[winner] is None or ahead > pair.ahead[winner]:
                    pair.wins[winner], pair.ahead[winner] = played.listed(), ahead

    def pair(self, one: str, other: str) -> PairMatches | None:
        """Returns the matches that were kept of a pair, in whatever order it is named; None if the two never met."""
        low, high = sorted((self._numbers[one], self._numbers[other]))
        return self._pairs.get((low, high))

    def picked(self, rows: Sequence[StandingsRow]) -> list[NotableMatch]:
        """Returns the matches that are worth a look, by reason; `rows` are the standings."""
        several = len(self._longest) > 1
        return [
            *self._worst_losses(rows, several),
            *self._upsets(rows, several),
            *[NotableMatch("closest", _closest(each[2], several), each[2]) for each in self._closest.values()],
            *[NotableMatch("longest", _longest(each[1], several), each[1]) for each in self._longest.values()],
            *self._fault_kinds(),
        ]

    def _worst_losses(self, rows: Sequence[StandingsRow], several: bool) -> Iterator[NotableMatch]:
        """Yields the worst loss of each bot; the losses of several games are compared by the mean margin there."""
        for row in rows:
            own = [(game, loss) for (name, game), loss in self._losses.items() if name == row.bot]
            if own:
                game, loss = max(own, key=lambda each: each[1].behind / self._mean_margin(each[0]))
                yield NotableMatch("loss", _worst_loss(row.bot, loss.match, game if several else ""), loss.match)

    def _mean_margin(self, game: str) -> float:
        whole, count = self._margins[game]
        return whole / count or 1.0

    def _upsets(self, rows: Sequence[StandingsRow], several: bool) -> list[NotableMatch]:
        """Returns wins over bots that are surely stronger by their ratings, the largest differences first."""
        rated = [
            (row.bot, row.rating, row.rating_low, row.rating_high)
            for row in rows
            if row.rating is not None and row.rating_low is not None and row.rating_high is not None
        ]
        found = []
        for strong, rating, low, _ in rated:
            for weak, other, _, high in rated:
                if high < low and (match := self._win(weak, strong)) is not None:
                    found.append((rating - other, strong, weak, match))
        found.sort(key=lambda each: -each[0])
        return [
            NotableMatch("upset", _upset(strong, weak, difference, match, several), match)
            for difference, strong, weak, match in found[:UPSETS]
        ]

    def _win(self, winner: str, loser: str) -> ListedMatch | None:
        """Returns the largest win of one entrant over another."""
        pair = self.pair(winner, loser)
        return None if pair is None else pair.wins[int(self._numbers[winner] > self._numbers[loser])]

    def _fault_kinds(self) -> Iterator[NotableMatch]:
        """Yields a match for each kind of fault: the first one."""
        told: set[FaultKind] = set()
        for bot, kinds in self.faults.items():
            for kind, summary in kinds.items():
                if kind not in told:
                    told.add(kind)
                    decision = min(summary.fault.decision, summary.first.found.decisions)
                    yield NotableMatch("fault", fault_text(bot, summary.fault), summary.first, decision or None)


class _PlayedMatch(NamedTuple):
    """A match that is looked at."""

    record: Record
    round: int | None
    decisions: int
    offset: int

    def listed(self) -> ListedMatch:
        """Returns what is kept of it."""
        record = self.record
        found = FoundMatch(record.match, self.round, record.seats, MatchResult.of(record), self.decisions)
        return ListedMatch(found, record.game, self.offset)


@lru_cache(maxsize=1 << 14)
def _behind(scores: tuple[int, ...]) -> tuple[int, ...]:
    """Returns by how much the score of each seat was behind the best other one; negative for the best."""
    best, *others = sorted(scores, reverse=True)
    second = others[0] if others else best
    return tuple([best - score if score != best or second == best else second - best for score in scores])


def fault_text(bot: str, fault: Fault) -> str:
    """Returns what a bot did wrong, in a sentence."""
    return f"{isolated(bot)}: {fault.kind} at decision {fault.decision} ({one_line(fault.what)})"


def _scores(match: ListedMatch) -> Mapping[str, tuple[int, int]]:
    """Returns the place and the score of each entrant of a match, by the best of its seats, the best entrant first."""
    found: dict[str, tuple[int, int]] = {}
    result = match.found.result
    for place, score, name in sorted(zip(result.places, result.scores, match.found.seats, strict=True)):
        found.setdefault(name, (place, score))
    return found


def _worst_loss(bot: str, match: ListedMatch, game: str) -> str:
    scores = _scores(match)
    place, score = scores[bot]
    winners = [name for name, (first, _) in scores.items() if first == 1 and name != bot]
    best = max([points for name, (_, points) in scores.items() if name in winners], default=score)
    at = f" at {game}" if game else ""
    last = f", place {place} of {len(match.found.seats)}" if len(match.found.seats) > 2 else ""
    return f"{isolated(bot)}'s worst loss{at}: {score} to {best} against {' and '.join(map(isolated, winners))}{last}"


def _upset(strong: str, weak: str, difference: float, match: ListedMatch, several: bool) -> str:
    scores = _scores(match)
    at = f" at {match.game}" if several else ""
    return (
        f"{isolated(weak)} came before {isolated(strong)}, which is rated {difference:.0f} higher{at}: "
        f"{scores[weak][1]} to {scores[strong][1]}"
    )


def _closest(match: ListedMatch, several: bool) -> str:
    listed = list(_scores(match).items())[:2]
    points = [score for _, (_, score) in listed]
    is_draw = match.found.result.places.count(1) > 1
    called = "A draw" if is_draw else "The closest match"
    text = ", ".join([f"{isolated(name)} {score}" for name, (_, score) in listed])
    won = "" if is_draw or len(set(points)) == len(points) else f"; the tie went to {isolated(listed[0][0])}"
    return f"{called}{f' of {match.game}' if several else ''}: {text}{won}"


def _longest(match: ListedMatch, several: bool) -> str:
    at = f" of {match.game}" if several else ""
    return f"The longest match{at}: {match.found.decisions} decisions"
