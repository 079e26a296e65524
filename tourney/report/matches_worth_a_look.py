"""Picks the matches of a run that are worth a look: worst losses, upsets, closest, longest, every kind of fault.

The journal is read once, before it is known who is strong. So some matches are kept of every pair of entrants.
"""

from collections import defaultdict
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


def isolated(name: str) -> str:
    """The name; with marks around it if it could reorder the text beside it."""
    return f"\u2068{name}\u2069" if any([bidirectional(char) in ("R", "AL", "AN") for char in name]) else name


Reason: TypeAlias = Literal["loss", "upset", "closest", "longest", "fault"]

PAIR_MATCHES = 8  # how many matches are listed of a pair of entrants, as they come, beside the largest win of each …
LARGE_FIELD = 40  # … and only one with more entrants than this
UPSETS = 3  # how many upsets are picked


class ListedMatch(NamedTuple):
    """A match that the report may list or show."""

    found: FoundMatch
    game: str
    offset: int  # where the line of its record begins in the journal, in bytes


class NotableMatch(NamedTuple):
    """A match that is worth a look, with the reason."""

    reason: Reason
    text: str  # the reason as a sentence
    match: ListedMatch
    decision: int | None = None  # the one to look at; None for the beginning


class FaultSummary(msgspec.Struct):
    """The faults of one kind that a bot made, with the first of them."""

    count: int
    first: ListedMatch
    fault: Fault


class PairMatches(msgspec.Struct):
    """Some of the matches in which two entrants met; the first is the one that was entered first."""

    first: list[ListedMatch] = []
    wins: list[tuple[int, ListedMatch] | None] = msgspec.field(default_factory=lambda: [None, None])
    """For each of the two, the match without faults in which it was ahead of the other by most, and by how much."""

    def listed(self) -> list[ListedMatch]:
        """All of them, each once: the largest wins come first."""
        wins = [win[1] for win in self.wins if win is not None]
        return list({match.found.id: match for match in [*wins, *self.first]}.values())


class MatchCollector:
    """Looks at every match of a run, and keeps those that can be worth a look."""

    def __init__(self, names: Sequence[str], wanted: Collection[str] = ()) -> None:
        self._numbers = {name: number for number, name in enumerate(names)}
        self._per_pair = PAIR_MATCHES if len(names) <= LARGE_FIELD else 1
        self._losses: dict[tuple[str, str], tuple[int, ListedMatch]] = {}  # by bot and game: points behind
        self._margins: dict[str, tuple[int, int]] = {}  # the sum of the winners' margins by game, and how many
        self._closest: dict[str, tuple[int, int, ListedMatch]] = {}  # by game: the margin, less decisions
        self._longest: dict[str, ListedMatch] = {}  # by game
        self._pairs: dict[tuple[int, int], PairMatches] = defaultdict(PairMatches)
        self.faults: dict[str, dict[FaultKind, FaultSummary]] = {}  # by bot and kind, in the order in which they came
        self.faulty_matches = 0
        self._wanted = wanted
        self.found: dict[str, ListedMatch] = {}  # the wanted matches, by name

    def add(self, record: Record, number: int | None, offset: int) -> None:
        """Looks at a match of that round, whose line begins at that offset in the journal."""
        found = FoundMatch(record.match, number, record.seats, MatchResult.of(record), record.decisions)
        match = ListedMatch(found, record.game, offset)
        if found.decisions > self._longest.setdefault(record.game, match).found.decisions:
            self._longest[record.game] = match
        if record.faults:
            self._add_faults(record, match)
        else:
            self._add_scores(record, match)
        self._add_pairs(record, match)
        if record.match in self._wanted:
            self.found[record.match] = match

    def _add_faults(self, record: Record, match: ListedMatch) -> None:
        charged = [fault for fault in record.faults if fault.kind != "out"]
        self.faulty_matches += bool(charged)
        for fault in charged:
            of_bot = self.faults.setdefault(record.seats[fault.seat], {})
            of_bot.setdefault(fault.kind, FaultSummary(0, match, fault)).count += 1

    def _add_scores(self, record: Record, match: ListedMatch) -> None:
        if len(record.seats) < 2:
            return
        behind, game, decisions = _behind(record.scores), record.game, match.found.decisions
        margin = -min(behind)
        whole, count = self._margins.get(game, (0, 0))
        self._margins[game] = whole + margin, count + 1
        closest = self._closest.get(game)
        if closest is None or (margin, -decisions) < closest[:2]:
            self._closest[game] = margin, -decisions, match
        for name, place, lost_by in zip(record.seats, record.places, behind, strict=True):
            worst = self._losses.get((name, game))
            if place > 1 and (worst is None or lost_by > worst[0]):
                self._losses[name, game] = lost_by, match

    def _add_pairs(self, record: Record, match: ListedMatch) -> None:
        seats = [
            (self._numbers[name], *each) for name, *each in zip(record.seats, record.scores, record.places, strict=True)
        ]
        for one, other in combinations(seats, 2):
            if one[0] == other[0]:
                continue
            (low, score, place), (high, other_score, other_place) = sorted((one, other))
            pair = self._pairs[low, high]
            if len(pair.first) < self._per_pair:
                pair.first.append(match)
            if not record.faults and place != other_place:
                winner, ahead = int(other_place < place), abs(score - other_score)
                largest = pair.wins[winner]
                if largest is None or ahead > largest[0]:
                    pair.wins[winner] = ahead, match

    def pair(self, one: str, other: str) -> PairMatches | None:
        """The matches that were kept of a pair, in any order; None if the two never met."""
        low, high = sorted((self._numbers[one], self._numbers[other]))
        return self._pairs.get((low, high))

    def picked(self, rows: Sequence[StandingsRow]) -> list[NotableMatch]:
        """The matches that are worth a look, by reason; `rows` are the standings."""
        closest = [match for _, _, match in self._closest.values()]
        longest = [
            (match, f"The longest match{self._of(match)}: {match.found.decisions} decisions")
            for match in self._longest.values()
        ]
        return [
            *self._worst_losses(rows),
            *self._upsets(rows),
            *[NotableMatch("closest", _closest(match, self._of(match)), match) for match in closest],
            *[NotableMatch("longest", text, match) for match, text in longest],
            *self._fault_kinds(),
        ]

    def _of(self, match: ListedMatch, word: str = "of") -> str:
        """The name of the game of a match after a word, where several are played."""
        return f" {word} {match.game}" if len(self._longest) > 1 else ""

    def _worst_losses(self, rows: Sequence[StandingsRow]) -> Iterator[NotableMatch]:
        """Yields the worst loss of each bot; the losses of several games are compared by the mean margin there."""

        def relative(own: tuple[str, int, ListedMatch]) -> float:
            whole, count = self._margins[own[0]]
            return own[1] / (whole / count or 1.0)

        for row in rows:
            own = [(game, behind, match) for (name, game), (behind, match) in self._losses.items() if name == row.bot]
            if own:
                _, _, match = max(own, key=relative)
                yield NotableMatch("loss", _worst_loss(row.bot, match, self._of(match, "at")), match)

    def _upsets(self, rows: Sequence[StandingsRow]) -> list[NotableMatch]:
        """Wins over bots that are surely stronger by their ratings, the largest differences first."""
        rated = [
            (row.bot, row.rating, row.rating_low, row.rating_high)
            for row in rows
            if row.rating is not None and row.rating_low is not None and row.rating_high is not None
        ]
        found = [
            (rating - other, strong, weak, win[1])
            for strong, rating, low, _ in rated
            for weak, other, _, high in rated
            if high < low
            and (pair := self.pair(weak, strong)) is not None
            and (win := pair.wins[int(self._numbers[weak] > self._numbers[strong])]) is not None
        ]
        found.sort(key=lambda each: -each[0])
        return [
            NotableMatch("upset", _upset(strong, weak, difference, match, self._of(match, "at")), match)
            for difference, strong, weak, match in found[:UPSETS]
        ]

    def _fault_kinds(self) -> Iterator[NotableMatch]:
        """Yields a match for each kind of fault: the first one."""
        seen: set[FaultKind] = set()
        for bot, kinds in self.faults.items():
            for kind, summary in kinds.items():
                if kind not in seen:
                    seen.add(kind)
                    decision = min(summary.fault.decision, summary.first.found.decisions)
                    yield NotableMatch("fault", fault_text(bot, summary.fault), summary.first, decision or None)


@lru_cache(maxsize=1 << 14)
def _behind(scores: tuple[int, ...]) -> tuple[int, ...]:
    """By how much the score of each seat was behind the best other one; negative for the best."""
    best, *others = sorted(scores, reverse=True)
    second = others[0] if others else best
    return tuple([best - score if score != best or second == best else second - best for score in scores])


def fault_text(bot: str, fault: Fault) -> str:
    """What a bot did wrong, in a sentence."""
    return f"{isolated(bot)}: {fault.kind} at decision {fault.decision} ({one_line(fault.what)})"


def _scores(match: ListedMatch) -> Mapping[str, tuple[int, int]]:
    """The place and the score of each entrant of a match, by the best of its seats, the best entrant first."""
    found: dict[str, tuple[int, int]] = {}
    result = match.found.result
    for place, score, name in sorted(zip(result.places, result.scores, match.found.seats, strict=True)):
        found.setdefault(name, (place, score))
    return found


def _worst_loss(bot: str, match: ListedMatch, at: str) -> str:
    scores = _scores(match)
    place, score = scores[bot]
    winners = [name for name, (first, _) in scores.items() if first == 1 and name != bot]
    best = max([points for name, (_, points) in scores.items() if name in winners], default=score)
    last = f", place {place} of {len(match.found.seats)}" if len(match.found.seats) > 2 else ""
    return f"{isolated(bot)}'s worst loss{at}: {score} to {best} against {' and '.join(map(isolated, winners))}{last}"


def _upset(strong: str, weak: str, difference: float, match: ListedMatch, at: str) -> str:
    scores = _scores(match)
    return (
        f"{isolated(weak)} came before {isolated(strong)}, which is rated {difference:.0f} higher{at}: "
        f"{scores[weak][1]} to {scores[strong][1]}"
    )


def _closest(match: ListedMatch, of: str) -> str:
    listed = list(_scores(match).items())[:2]
    points = {score for _, (_, score) in listed}
    is_draw = match.found.result.places.count(1) > 1
    called = "A draw" if is_draw else "The closest match"
    text = ", ".join([f"{isolated(name)} {score}" for name, (_, score) in listed])
    won = "" if is_draw or len(points) == len(listed) else f"; the tie went to {isolated(listed[0][0])}"
    return f"{called}{of}: {text}{won}"
